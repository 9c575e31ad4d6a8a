#!/bin/bash
# rules_test.sh RULES: rules.sh must find each of these lines, and none in a clean folder.
set -u
rules=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0

# want STATUS FILE LINE
want() {
    rm -rf "$dir/src"
    mkdir -p "$dir/src/$(dirname "$2")" "$dir/src/events"
    echo '    X(RUN_STARTED, run_started, "run.started", COMMITTED)' >"$dir/src/events/list.h"
    printf '%s\n' "$3" >"$dir/src/$2"
    bash "$rules" "$dir/src" >"$dir/out"
    local status=$?
    if [ "$status" != "$1" ]; then
        echo "status $status instead of $1 for $2: $3"
        failed=1
    fi
}

want 0 base/a.c '#include "base/b.h"'
want 1 base/a.c '#include "../agent/run/run.h"'
want 1 agent/a.c '#include "driver/embedded/phone/phone.h"'
want 0 driver/embedded/ui/a.c '#include "driver/embedded/phone/phone.h"'
want 1 agent/a.c '#include "base/config_schema.h"'
want 1 base/a.c '    strcpy(a, b);'
want 1 base/a.c 'x = atoi(s);'
want 0 base/a.c '    ia_strcpy(a, b);'
want 0 base/a.c ' * strcpy(a, b) would be wrong here'
want 1 base/a.c '    t = time(NULL);'
want 1 base/a.c '    *ret = time(NULL);'
want 0 base/a.c 'int x; /* stdout or time(NULL) */'
want 0 base/now.c '    clock_gettime(CLOCK_MONOTONIC, &ts);'
want 0 base/a.c '    ia_clock_time(c);'
want 1 base/a.c '    srand(1);'
want 1 driver/a.c '    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);'
want 1 driver/a.c '    fd = open("/proc/self/maps", 0);'
want 1 agent/a.c '    db_run(db, "SELECT 1");'
want 0 store/a.c '    db_run(db, "SELECT 1");'
want 1 agent/a.c '    printf("x");'
want 0 agent/a.c '    ia_buf_printf(&b, "x");'
want 0 cli/a.c '    printf("x");'
want 1 agent/a.c '    if (strcmp(type, "run.started") == 0) {'
want 0 agent/a.c '    IA_LOG(IA_LOG_WARN, "run.not_started");'
want 0 agent/a.c '    int n; /* "run.started" events */'
[ $failed = 0 ] && echo "every rule finds its violation"
exit $failed
