/* time.h: what the bridge's Objective-C calls. */
#ifndef IA_APPLE_TIME_H
#define IA_APPLE_TIME_H

#include <stddef.h>

typedef long time_t;
struct tm {
    int tm_sec, tm_min, tm_hour, tm_mday, tm_mon, tm_year, tm_wday, tm_yday, tm_isdst;
    long tm_gmtoff;
    char *tm_zone;
};
time_t mktime(struct tm *t);
struct tm *localtime_r(const time_t *restrict t, struct tm *restrict ret);
size_t strftime(char *restrict dst, size_t n, const char *restrict format,
                const struct tm *restrict t) __attribute__((format(strftime, 3, 0)));

#endif
