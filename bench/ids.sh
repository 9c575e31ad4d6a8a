#!/bin/sh
# How many tokens the SDK's identifiers cost, and how they affect refs: runs bench_ids and counts its screens with
# Anthropic's published tokenizer (only the ratio is meaningful). Fails if they cost a token or let a ref go to another
# element. Equal buttons in lists are measured in snapshot_refs_test, which prints its figures.
set -eu
cd "$(dirname "$0")/.."
cmake --preset bench >/dev/null
cmake --build --preset bench --target bench_ids >/dev/null
work=build/bench/ids
mkdir -p "$work"
[ -d "$work/node_modules/@anthropic-ai/tokenizer" ] ||
    npm --prefix "$work" install --silent --no-save --ignore-scripts @anthropic-ai/tokenizer@0.0.4
build/bench/bench/bench_ids "$work" >"$work/refs.jsonl"
env -u NODE_EXTRA_CA_CERTS node bench/ids.mjs "$PWD/$work"
