#!/bin/sh
# 1,000 streams at 20 events a second for 10 s: our client beside the SDK. Fails above 100 MB, a p99
# delay of 20 ms or half of the SDK's CPU time.
set -eu
cd "$(dirname "$0")/.."
cmake --preset bench >/dev/null
cmake --build --preset bench --target bench_streams load_server >/dev/null
work=build/bench/bench/peers
mkdir -p "$work"
[ -d "$work/node_modules/@anthropic-ai/sdk" ] ||
    npm --prefix "$work" install --silent --no-save @anthropic-ai/sdk@1.11.0
env -u NODE_EXTRA_CA_CERTS node bench/streams.mjs "$PWD/build/bench/bench" "$PWD/$work"
