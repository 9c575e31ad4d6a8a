/* civil.h: dates of the proleptic Gregorian calendar and the time since 1970, without zones. */
#ifndef IA_BASE_CIVIL_H
#define IA_BASE_CIVIL_H

#include "base/base.h"

struct ia_civil {
    int year, month, day;     /* month and day from 1 */
    int hour, minute, second; /* a minute has 60 seconds */
    int weekday;              /* 0 is Sunday; ignored by ia_civil_ms */
};

/* That moment as if the clock on the wall showed UTC. */
struct ia_civil ia_civil_at(int64_t unix_ms);
int64_t ia_civil_ms(const struct ia_civil *c);
int ia_days_in_month(int year, int month);
/* Whether every member is in its range and the day exists. */
bool ia_civil_ok(const struct ia_civil *c);

#endif
