#!/bin/sh
# Goals through the queue beside nanoclaw's in-memory queue, and with much waiting and much done.
#
#     bench/queue.sh [GROUP_QUEUE.ts]
#
# GROUP_QUEUE.ts is src/group-queue.ts of nanoclaw (https://github.com/qwibitai/nanoclaw); without
# it the peer is left out, and said so. Fails below 0.4 goals for each durable commit that SQLite
# alone makes in the same run, or when 100,000 waiting goals and 100,000 finished runs make it more
# than 1.5 times slower.
set -eu
cd "$(dirname "$0")/.."
cmake --preset bench >/dev/null
cmake --build --preset bench --target bench_queue >/dev/null
bench=$PWD/build/bench/bench/bench_queue
work=build/bench/bench/peers
mkdir -p "$work"
cd "$work"

echo "10,000 goals, 50 lanes"
"$bench" 10000 0 50 | tee small.json
echo "100,000 goals wait, 100,000 runs are done"
"$bench" 100000 100000 50 | tee large.json

if [ $# -gt 0 ]; then
    [ -x node_modules/.bin/esbuild ] || npm install --silent --no-save esbuild@0.25.0
    mkdir -p nanoclaw
    cp "$OLDPWD/$1" nanoclaw/group-queue.ts 2>/dev/null || cp "$1" nanoclaw/group-queue.ts
    cat >nanoclaw/config.ts <<'STUB'
export const DATA_DIR = "/nonexistent";
export const MAX_CONCURRENT_CONTAINERS = 50;
export const MAX_CONCURRENT_AGENTS = 50;
STUB
    printf '%s\n' 'const f = () => {};' \
        'export const logger = { info: f, debug: f, warn: f, error: f };' >nanoclaw/logger.ts
    printf '%s\n' 'export const log = { info() {}, debug() {}, warn() {}, error() {} };' \
        'export function stopContainer() {}' >nanoclaw/container-runtime.ts
    node_modules/.bin/esbuild nanoclaw/group-queue.ts --bundle --platform=node --format=esm \
        --log-level=error --outfile=nanoclaw/queue.mjs
    echo "nanoclaw's queue, in memory"
    for n in 10000 100000; do
        node "$OLDPWD/bench/queue.mjs" nanoclaw/queue.mjs $n 50
    done
else
    echo "nanoclaw's queue: not measured, as its file was not given"
fi

# shellcheck disable=SC2016 # that is JavaScript
node -e '
const [a, b] = ["small", "large"].map((f) => JSON.parse(require("fs").readFileSync(f + ".json")));
const ratio = a.per_second / b.per_second;
console.log(`${a.per_second} goals/s, ${a.goals_per_commit} a commit of SQLite (limit 0.4); with 100,000 more of each ${ratio.toFixed(2)} times slower (limit 1.5)`);
process.exit(a.goals_per_commit >= 0.4 && ratio <= 1.5 ? 0 : 1);'
