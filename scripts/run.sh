#!/bin/sh
# Runs a built program, for npm and in the image: sh scripts/run.sh apps/api/src/main.js
set -eu
# docs/performance.md says what these save. The environment wins.
export MALLOC_ARENA_MAX="${MALLOC_ARENA_MAX:-2}"
export MALLOC_MMAP_THRESHOLD_="${MALLOC_MMAP_THRESHOLD_:-131072}"
export MALLOC_TRIM_THRESHOLD_="${MALLOC_TRIM_THRESHOLD_:-131072}"
exec node --enable-source-maps --max-semi-space-size=4 --v8-pool-size=1 ".build/programs/$1"
