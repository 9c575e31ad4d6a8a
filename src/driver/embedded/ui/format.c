/* format.c: how the phone and its apps write times, days and money; in UTC. */
#include "driver/embedded/ui/format.h"

#include "base/civil.h"

#include <stdio.h>
#include <string.h>

enum { DAY_MS = 86400000 };

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

const char *ia_time_text(const struct ia_phone *p, struct ia_scene *s, int64_t at_ms)
{
    struct ia_civil c = ia_civil_at(at_ms);
    if (ia_prefs_on(&p->prefs, IA_PREF_HOUR_24)) {
        return ia_scene_printf(s, "%02d:%02d", c.hour, c.minute);
    }
    return ia_scene_printf(s, "%d:%02d", (c.hour + 11) % 12 + 1, c.minute);
}

int32_t ia_day_of(int64_t at_ms)
{
    return (int32_t)(at_ms / DAY_MS);
}

const char *ia_day_text(struct ia_scene *s, int32_t day, int32_t today)
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

const char *ia_money_text(struct ia_scene *s, int32_t cents)
{
    const char *sign = cents < 0 ? "-" : "";
    int32_t rest = cents < 0 ? -cents : cents, dollars = rest / 100;
    if (dollars >= 1000) {
        return ia_scene_printf(s, "%s$%d,%03d.%02d", sign, dollars / 1000, dollars % 1000,
                               rest % 100);
    }
    return ia_scene_printf(s, "%s$%d.%02d", sign, dollars, rest % 100);
}

void ia_money_json(struct ia_jsonw *w, const char *key, int32_t cents)
{
    char text[32];
    int32_t rest = cents < 0 ? -cents : cents;
    (void)snprintf(text, sizeof(text), "%s%d.%02d", cents < 0 ? "-" : "", rest / 100,
                   rest % 100);
    ia_jsonw_kv(w, key, text);
}

void ia_count_json(struct ia_jsonw *w, const char *key, int count)
{
    char text[16];
    (void)snprintf(text, sizeof(text), "%d", count);
    ia_jsonw_kv(w, key, text);
}

char *ia_trimmed(const char *text)
{
    text += strspn(text, " ");
    size_t n = strlen(text);
    while (n > 0 && text[n - 1] == ' ') {
        n--;
    }
    return ia_strndup(text, n);
}
