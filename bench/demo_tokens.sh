#!/bin/sh
# What the screens of the demo run cost the model: as sent, as whole screens, and as whole trees.
# Fails when what is sent is not less than a quarter of the trees.
set -eu
cd "$(dirname "$0")/.."
cmake --preset release >/dev/null
cmake --build --preset release --target ios-agent >/dev/null
work=build/bench/demo-tokens
mkdir -p "$work"
[ -d "$work/node_modules/@anthropic-ai/tokenizer" ] ||
    npm --prefix "$work" install --silent --no-save --ignore-scripts @anthropic-ai/tokenizer@0.0.4
env -u NODE_EXTRA_CA_CERTS node bench/demo_tokens.mjs build/release/src/cli/ios-agent "$PWD/$work"
