#!/bin/bash
# apple_check.sh BRIDGE: compiles the sources of the runner against Apple's own headers, on a Mac with Xcode.
# Without Xcode it says so and exits 77.
set -u
bridge=$1
sdk=iphonesimulator
platform=$(xcrun --sdk "$sdk" --show-sdk-platform-path 2>/dev/null) || {
    echo "skipped: xcrun finds no $sdk SDK; install Xcode and its iOS platform"
    exit 77
}
bad=0
for file in "$bridge"/wire/*.c "$bridge"/core/*.c "$bridge"/xcuitest/*.m; do
    xcrun --sdk "$sdk" clang -target "$(uname -m)-apple-ios15.0-simulator" -fsyntax-only \
        -fno-objc-arc -fobjc-exceptions -fexceptions -Wall -Wextra \
        -F "$platform/Developer/Library/Frameworks" \
        -I "$bridge" -I "$bridge/xcuitest" -D_DARWIN_C_SOURCE "$file" || bad=1
done
exit $bad
