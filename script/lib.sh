# lib.sh: what the scripts share. Sourced, not run.
# shellcheck shell=bash
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 2
jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)

# Homebrew keeps clang-tidy and the fuzzer's clang out of PATH.
if [ -d /opt/homebrew/opt/llvm/bin ]; then
    PATH="$PATH:/opt/homebrew/opt/llvm/bin"
fi

# With ccache a source is compiled once, whichever clone it lies in: paths below the clone count
# relative to it, and the folder of the build does not count.
launcher=$(command -v ccache || true)
export CCACHE_BASEDIR="$PWD" CCACHE_NOHASHDIR=1

# build PRESET [cmake --build options]: configures and builds; says something only on failure.
build() {
    local preset=$1 log
    shift
    mkdir -p "build/$preset"
    log="build/$preset/build.log"
    if ! cmake --preset "$preset" -DCMAKE_C_COMPILER_LAUNCHER="$launcher" \
        -DCMAKE_CXX_COMPILER_LAUNCHER="$launcher" -DCMAKE_OBJC_COMPILER_LAUNCHER="$launcher" \
        >"$log" 2>&1 ||
        ! cmake --build --preset "$preset" -j "$jobs" "$@" >>"$log" 2>&1; then
        grep -nE 'error|warning|FAILED|CMake Error' -A 6 "$log" | head -80
        echo "the $preset build failed; everything it said is in $log"
        return 1
    fi
}
