/* TargetConditionals.h: those of the iOS simulator. */
#ifndef IA_APPLE_TARGET_CONDITIONALS_H
#define IA_APPLE_TARGET_CONDITIONALS_H

#define TARGET_OS_IPHONE 1
#define TARGET_OS_IOS 1
#define TARGET_OS_SIMULATOR 1
#define TARGET_OS_OSX 0

#endif
