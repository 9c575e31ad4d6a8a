#!/bin/bash
# usage: shellcheck.sh SOURCE. Every script for sh or bash that git knows, by its first line, and the files that they
# source. A mistake is planted first, which must be found.
set -u
cd "$1" || exit 2
command -v shellcheck >/dev/null || {
    echo "SKIPPED: there is no shellcheck (script/bootstrap installs it)"
    exit 77
}
# shellcheck disable=SC2016
if printf '#!/bin/sh\nrm -r $1/*\n' | shellcheck - >/dev/null; then
    echo "the planted mistake was not found"
    exit 1
fi
files=()
while IFS= read -r file; do
    head -1 "$file" | grep -qE '^#!.*[/ ](ba)?sh$|^# lib.sh' && files+=("$file")
done < <(git ls-files script tests bench .ci src plugin 2>/dev/null || find script tests bench .ci src plugin -type f)
shellcheck -x -P SCRIPTDIR "${files[@]}" || exit 1
echo "${#files[@]} scripts: nothing found"
