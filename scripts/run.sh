#!/bin/sh
# Runs a program of the station, for npm, the supervisor, the image and tests: sh scripts/run.sh apps/api/src/main.js
# A path that isn't absolute is one of the built programs; what follows it are more options of Node.js.
set -eu
# docs/performance.md says what these save. The environment wins.
# The allocator of glibc keeps what threads freed in pools of their own, eight for each core unless it is told otherwise; and it
# gives large blocks back to the system, but takes ever larger ones for small once it has seen some, unless their size is set
# (mallopt(3)).
export MALLOC_ARENA_MAX="${MALLOC_ARENA_MAX:-2}"
export MALLOC_MMAP_THRESHOLD_="${MALLOC_MMAP_THRESHOLD_:-131072}"
export MALLOC_TRIM_THRESHOLD_="${MALLOC_TRIM_THRESHOLD_:-131072}"
case $1 in
  /*) program=$1 ;;
  *) program=.build/programs/$1 ;;
esac
shift
# npm and the supervisor name their own Node.js. V8 tidies a heap that has become calm ten minutes later instead of eight
# seconds: not while a crowd that has just come gets its first minutes.
exec "${NODE:-node}" --enable-source-maps --max-semi-space-size=4 --v8-pool-size=1 \
  --gc-memory-reducer-start-delay-ms=600000 "$@" "$program"
