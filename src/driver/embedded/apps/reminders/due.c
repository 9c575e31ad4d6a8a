/* due.c: days as the app counts and names them. */
#include "base/civil.h"
#include "driver/embedded/apps/reminders/reminders.h"
#include "driver/embedded/ui/shell.h"

enum { DAY_MS = 86400000 };

int32_t ia_reminders_today(const struct ia_phone *p)
{
    return (int32_t)(p->now_ms / DAY_MS);
}

const char *ia_reminders_date(struct ia_scene *s, int32_t day, int32_t today)
{
    if (day == today) {
        return "Today";
    }
    if (day == today + 1) {
        return "Tomorrow";
    }
    if (day == today - 1) {
        return "Yesterday";
    }
    struct ia_civil c = ia_civil_at((int64_t)day * DAY_MS);
    return ia_scene_printf(s, "%.3s, %d %.3s %d", ia_weekday_name(c.weekday), c.day,
                           ia_month_name(c.month), c.year);
}
