#!/bin/sh
# Installs missing prerequisites before `npm start` and `npm test`: sh scripts/setup.sh start|test. With `programs`, it only builds
# what a process runs.
# Runs before anything is installed, so it needs only a shell and Node. Silent when nothing is missing.
set -eu
cd "$(dirname "$0")/.."
purpose=${1:-start}

say() { printf 'solstice: %s\n' "$*" >&2; }
refuse() {
  say "$@"
  exit 1
}
has() { command -v "$1" >/dev/null 2>&1; }

# Set in the environment or in .env, which the station itself reads later.
is_set() {
  eval "[ -n \"\${$1:-}\" ]" || grep -Eqs "^[[:space:]]*(export[[:space:]]+)?$1[[:space:]]*=[[:space:]]*[^[:space:]#]" .env
}

check_node() {
  has node || refuse 'Node.js 20.19 or newer is needed: https://nodejs.org/en/download'
  # Answers before it starts anything.
  version=$(node --version)
  version=${version#v}
  major=${version%%.*}
  rest=${version#*.}
  minor=${rest%%.*}
  if [ "$major" -lt 20 ] || { [ "$major" -eq 20 ] && [ "$minor" -lt 19 ]; }; then
    refuse "Node.js 20.19 or newer is needed, this is $version: https://nodejs.org/en/download"
  fi
}

# npm keeps a record of what it installed; it is written last, so an interrupted installation is detected.
modules_are_current() {
  [ -f node_modules/.package-lock.json ] && node -e '
    const { readFileSync } = require("node:fs")
    const [wanted, found] = ["package-lock.json", "node_modules/.package-lock.json"].map(
      (path) => JSON.parse(readFileSync(path, "utf8")).packages)
    const isCurrent = ([path, { version, optional, devOptional, os, cpu }]) =>
      !path.startsWith("node_modules/") || optional || (devOptional && (os || cpu)) ||
      (found[path] && found[path].version === version)
    process.exitCode = Object.entries(wanted).every(isCurrent) ? 0 : 1
  ' 2>/dev/null
}

install_modules() {
  modules_are_current && return
  say 'installing the npm packages'
  # Install scripts are left out here and not in .npmrc, where the setting would silence prestart too.
  npm ci --ignore-scripts --include=dev --no-audit --no-fund --loglevel=error >&2 ||
    refuse 'the npm packages could not be installed; try: npm ci --ignore-scripts --include=dev'
}

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

# shellcheck disable=SC2086 # several packages are several words
apt_install() {
  [ "$(id -u)" = 0 ] || has sudo || return 1
  quiet_apt() { as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -y "$@" >/dev/null; }
  apt-cache show $1 >/dev/null 2>&1 || quiet_apt update || return 1
  # An outdated list names versions that the mirror no longer has.
  quiet_apt install --no-install-recommends $1 ||
    { quiet_apt update && quiet_apt install --no-install-recommends $1; }
}

# provide <packages for apt> <package for brew>: installs it, or fails and prints the command that would.
provide() {
  if has apt-get; then
    command="sudo apt-get update && sudo apt-get install -y $1"
    say "installing $1"
    apt_install "$1" && return
  elif has brew; then
    command="brew install $2"
    say "installing $2"
    # shellcheck disable=SC2086 # the words are arguments
    HOMEBREW_NO_AUTO_UPDATE=1 brew install --quiet $2 >&2 && return
  elif has dnf; then command="sudo dnf install $1"
  elif has pacman; then command="sudo pacman -S $1"
  elif has apk; then command="sudo apk add $1"
  elif [ "$(uname)" = Darwin ]; then command="brew install $2   (Homebrew: https://brew.sh)"
  else command="install $1 with the package manager of this system"; fi
  say "$1 is missing and could not be installed. Please run: $command"
  return 1
}

# Debian and Homebrew keep each version in a folder that is not in the PATH; tests/harness/servers/postgres.ts looks there too.
has_postgres() {
  for place in "$(dirname "$(command -v initdb || echo /none/initdb)")" /usr/lib/postgresql/*/bin \
    /opt/homebrew/opt/postgresql@*/bin /usr/local/opt/postgresql@*/bin; do
    [ -x "$place/initdb" ] && [ -x "$place/postgres" ] && return
  done
  return 1
}

has_browser() {
  for name in chromium chromium-browser google-chrome google-chrome-stable; do
    has "$name" && return
  done
  [ -d '/Applications/Chromium.app' ] || [ -d '/Applications/Google Chrome.app' ]
}

provide_browser() {
  has_browser && return
  # Ubuntu's chromium package only installs the snap, which needs a running snapd.
  if grep -qs '^ID=ubuntu' /etc/os-release; then
    say 'installing chromium'
    { has snap && as_root snap install chromium >&2; } ||
      refuse 'a browser is missing. Please run: sudo snap install chromium   (or install Google Chrome)'
    return
  fi
  provide 'chromium chromium-sandbox' '--cask chromium' || exit 1
}

# tap ships with plugins that .taprc excludes, and would rebuild itself without them only during the first run.
build_tap() {
  built=node_modules/@tapjs/test/test-built/dist/esm/index.js
  sed -n 's/^ *- "!\(.*\)"$/\1/p' .taprc | grep -qFf - "$built" || return 0
  node node_modules/tap/dist/esm/run.mjs build >/dev/null || refuse 'tap could not be built; see above'
}

web_is_current() {
  if [ "$purpose" = start ] && is_set WEB_DIST; then return; fi
  built=apps/web/dist/index.html
  [ -f "$built" ] || return 1
  newer=$(find apps/web packages/contracts/src package-lock.json \
    \( -name dist -o -name node_modules \) -prune -o -type f ! -name '*.test.ts*' -newer "$built" -print | head -n 1)
  [ -z "$newer" ]
}

build_web() {
  say 'building the listener page'
  npm run build -w @solstice/web --silent -- --logLevel=warn >&2 || refuse 'the listener page could not be built; see above'
}

programs_are_current() {
  built=.build/programs/built-in
  [ -f "$built" ] && [ "$(cat "$built")" = "$(pwd -P)/" ] || return 1
  newer=$(find apps packages scripts package-lock.json \
    \( -name dist -o -name node_modules -o -path apps/web \) -prune -o -type f ! -name '*.test.ts*' -newer "$built" -print | head -n 1)
  [ -z "$newer" ]
}

build_programs() {
  say 'building the programs'
  node --import tsx scripts/build.ts >&2 || refuse 'the programs could not be built; see above'
}

check_node
if [ "$purpose" = programs ]; then
  programs_are_current || build_programs
  exit
fi
# npm downloads while the system's package manager works.
install_modules &
modules=$!
trap wait EXIT
if [ "$purpose" = test ] || ! is_set REDIS_URL; then
  has redis-server || provide redis-server redis || exit 1
fi
if ! is_set FFMPEG_PATH && ! has ffmpeg && ! provide ffmpeg ffmpeg; then
  [ "$purpose" = start ] || exit 1
  say 'continuing without ffmpeg: no stream, no demo library'
fi
if [ "$purpose" = test ]; then
  has curl || provide 'curl ca-certificates' curl || exit 1
  # Compiles the adjustable machine clock (tests/harness/processes/machine-clock.c).
  has cc || provide 'gcc libc6-dev' gcc || exit 1
  # Debian installs it outside the PATH of ordinary users.
  has nginx || [ -x /usr/sbin/nginx ] || provide nginx nginx || exit 1
  has caddy || provide caddy caddy || exit 1
  has_postgres || provide postgresql postgresql@16 || exit 1
  provide_browser
fi
# Looked up while the packages are compared.
outdated=
[ "$purpose" = test ] || programs_are_current || outdated=programs
web_is_current || outdated="$outdated web"
wait "$modules" || exit 1
[ "$purpose" = start ] || build_tap
case $outdated in *programs*) build_programs ;; esac
case $outdated in *web*) build_web ;; esac
