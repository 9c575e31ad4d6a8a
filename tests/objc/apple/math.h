/* math.h: what the bridge's Objective-C calls. */
#ifndef IA_APPLE_MATH_H
#define IA_APPLE_MATH_H

double hypot(double x, double y);

#endif
