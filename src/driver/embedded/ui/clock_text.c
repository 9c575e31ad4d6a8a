/* clock_text.c: the phone's clock as text, in UTC. */
#include "driver/embedded/ui/shell.h"

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
