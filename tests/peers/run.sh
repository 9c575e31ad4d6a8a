#!/bin/sh
# usage: run.sh BUILD_DIR TEST.mjs|TEST.py|- [ARGUMENT...]
#
# - only installs. # Installs the pinned packages of the test's folder into BUILD_DIR once, then runs the test there with
# Node: with that of the packages, where one of them is Node itself. A test in
# Python runs where it is and gets BUILD_DIR as its first argument.
# Exit status 77 (a visible skip) when there is no Node, no npm or no registry.
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=$1
test=$2
packages=$here/$(dirname "$test")
shift 2

skip() {
    echo "SKIPPED: $1"
    exit 77
}

command -v node >/dev/null 2>&1 || skip "node is not installed (script/bootstrap installs it)"
command -v npm >/dev/null 2>&1 || skip "npm is not installed (script/bootstrap installs it)"
mkdir -p "$build" || exit 1

install() {
    cp "$packages/package.json" "$packages/package-lock.json" "$build/" || exit 1
    (cd "$build" && npm ci --no-audit --no-fund --ignore-scripts --fetch-retries=1 --fetch-retry-mintimeout=1000 \
        --fetch-retry-maxtimeout=5000 --fetch-timeout=20000) >"$build/npm.log" 2>&1
}

# True when an installation failed within the last ten minutes: the next test need not try again.
failed_lately() {
    [ -f "$build/.failed" ] && [ $(($(date +%s) - $(cat "$build/.failed"))) -lt 600 ]
}

# Tests run in parallel: the first one installs, the others wait for it.
lock="$build/.installing"
tries=0
until mkdir "$lock" 2>/dev/null; do
    tries=$((tries + 1))
    [ "$tries" -lt 300 ] || { echo "$lock stands in the way: remove it"; exit 1; }
    sleep 1
done
trap 'rmdir "$lock" 2>/dev/null' EXIT INT TERM
if ! cmp -s "$packages/package-lock.json" "$build/.installed"; then
    if failed_lately; then
        skip "npm could not install the packages a moment ago"
    fi
    if ! install; then
        date +%s >"$build/.failed"
        tail -5 "$build/npm.log"
        skip "npm could not install the packages"
    fi
    cp "$packages/package-lock.json" "$build/.installed"
    rm -f "$build/.failed"
fi
rmdir "$lock"
trap - EXIT INT TERM

case $test in
-) exit 0 ;;
*.py) exec python3 -B "$here/$test" "$build" "$@" ;;
esac
# Modules are found from the folder of the file that imports them.
cp "$packages"/*.mjs "$build/" || exit 1
cd "$build" || exit 1
for node in node_modules/node-*/bin; do
    [ -x "$node/node" ] && PATH=$build/$node:$PATH
done
exec node "$(basename "$test")" "$@"
