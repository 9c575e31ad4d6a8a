/* QuartzCore.h: the one function of it that sdk/IOSAgent.h uses, as Apple declares it. */
#ifndef IA_TESTS_SDK_QUARTZCORE_H
#define IA_TESTS_SDK_QUARTZCORE_H

typedef double CFTimeInterval;

#if defined(__cplusplus)
extern "C" {
#endif
CFTimeInterval CACurrentMediaTime(void);
#if defined(__cplusplus)
}
#endif

#endif
