# arm64.cmake: the toolchain for Linux on arm64, on a Debian with crossbuild-essential-arm64 and the libraries of that architecture.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(ENV{PKG_CONFIG_LIBDIR} /usr/lib/aarch64-linux-gnu/pkgconfig:/usr/share/pkgconfig)
# An installation asks the program for its man pages.
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static)
