/* TargetConditionals.h: the values of an iOS simulator's SDK. */
#ifndef IA_COMPAT_TARGET_CONDITIONALS_H
#define IA_COMPAT_TARGET_CONDITIONALS_H

#define TARGET_OS_IPHONE 1
#define TARGET_OS_IOS 1
#define TARGET_OS_SIMULATOR 1
#define TARGET_OS_OSX 0
#define TARGET_OS_TV 0
#define TARGET_OS_WATCH 0
#define TARGET_OS_MACCATALYST 0

#endif
