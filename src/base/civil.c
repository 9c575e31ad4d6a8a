/* civil.c: days since 1970 to and from a date, in integers only.
 *
 * The calendar repeats every 400 years (146,097 days), an era. With the year beginning on 1 March
 * the leap day is the last of its year, and the days before each month follow one line,
 * (153 * month + 2) / 5. Source: H. Hinnant, "chrono-Compatible Low-Level Date Algorithms"
 * (days_from_civil, civil_from_days), whose short names (doe: day of the era, yoe,
 * doy; mp: month from March) are kept here. */
#include "base/civil.h"

enum { DAY_MS = 86400000, DAYS_OF_ERA = 146097, EPOCH_DAY = 719468 };

/* Days since 1970-01-01, counted in 400-year eras that begin on 1 March. */
static int64_t days_of(int64_t year, int month, int day)
{
    year -= month <= 2;
    int64_t era = (year >= 0 ? year : year - 399) / 400;
    int64_t year_of_era = year - era * 400;
    int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    return era * DAYS_OF_ERA + day_of_era - EPOCH_DAY;
}

static void set_date(int64_t days, struct ia_civil *c)
{
    int64_t z = days + EPOCH_DAY;
    int64_t era = (z >= 0 ? z : z - (DAYS_OF_ERA - 1)) / DAYS_OF_ERA;
    int64_t doe = z - era * DAYS_OF_ERA;
    int64_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
    int64_t doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    int64_t mp = (5 * doy + 2) / 153;
    c->day = (int)(doy - (153 * mp + 2) / 5 + 1);
    c->month = (int)(mp < 10 ? mp + 3 : mp - 9);
    c->year = (int)(yoe + era * 400 + (c->month <= 2));
}

struct ia_civil ia_civil_at(int64_t unix_ms)
{
    int64_t days = unix_ms / DAY_MS - (unix_ms % DAY_MS < 0);
    int seconds = (int)((unix_ms - days * DAY_MS) / 1000);
    struct ia_civil c = {.hour = seconds / 3600,
                         .minute = seconds / 60 % 60,
                         .second = seconds % 60,
                         .weekday = (int)(((days + 4) % 7 + 7) % 7)};
    set_date(days, &c);
    return c;
}

int64_t ia_civil_ms(const struct ia_civil *c)
{
    int64_t seconds = (c->hour * INT64_C(60) + c->minute) * 60 + c->second;
    return days_of(c->year, c->month, c->day) * DAY_MS + seconds * 1000;
}

int ia_days_in_month(int year, int month)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return days[month - 1] + (month == 2 && leap);
}

bool ia_civil_ok(const struct ia_civil *c)
{
    return c->month >= 1 && c->month <= 12 && c->day >= 1 &&
           c->day <= ia_days_in_month(c->year, c->month) && c->hour >= 0 && c->hour <= 23 &&
           c->minute >= 0 && c->minute <= 59 && c->second >= 0 && c->second <= 59;
}
