/* civil.c: the phone's clock as a date and a time of day, in UTC. */
#include "driver/embedded/shell.h"

/* Days since 1970 to a date, by counting in 400-year eras that begin on 1 March. */
static void civil_date(int64_t days, struct ia_civil *c)
{
    int64_t z = days + 719468;
    int64_t era = z / 146097;
    int64_t doe = z - era * 146097;
    int64_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
    int64_t doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    int64_t mp = (5 * doy + 2) / 153;
    c->day = (int)(doy - (153 * mp + 2) / 5 + 1);
    c->month = (int)(mp < 10 ? mp + 3 : mp - 9);
    c->year = (int)(yoe + era * 400 + (c->month <= 2));
}

struct ia_civil ia_civil_at(int64_t unix_ms)
{
    int64_t minutes = unix_ms / 60000;
    int64_t days = minutes / 1440;
    struct ia_civil c = {.weekday = (int)((days + 4) % 7)};
    civil_date(days, &c);
    c.hour = (int)(minutes % 1440 / 60);
    c.minute = (int)(minutes % 60);
    return c;
}

const char *ia_weekday_name(int weekday)
{
    static const char *const names[] = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                        "Thursday", "Friday", "Saturday"};
    return names[weekday];
}

const char *ia_month_name(int month)
{
    static const char *const names[] = {"January",   "February", "March",    "April",
                                        "May",       "June",     "July",     "August",
                                        "September", "October",  "November", "December"};
    return names[month - 1];
}

const char *ia_clock_text(const struct ia_phone *p, struct ia_scene *s)
{
    struct ia_civil c = ia_civil_at(p->now_ms);
    if (ia_prefs_on(&p->prefs, IA_PREF_HOUR_24)) {
        return ia_scene_printf(s, "%02d:%02d", c.hour, c.minute);
    }
    return ia_scene_printf(s, "%d:%02d", (c.hour + 11) % 12 + 1, c.minute);
}
