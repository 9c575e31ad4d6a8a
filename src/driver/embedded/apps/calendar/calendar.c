/* calendar.c: the events from today on, day by day, and one of them. It shows; events are made by
 * other programs. */
#include "driver/embedded/apps/calendar/calendar.h"

#include "base/civil.h"

#include <string.h>

static const struct ia_screen screen_days, screen_event;

static void open_event(struct ia_phone *p, const struct ia_touch *t)
{
    ia_nav_push(p, &screen_event, t->arg);
}

/* "2:00 PM", or with 24-hour time "14:00". */
static const char *time_of(struct ia_kit *k, int64_t at_ms)
{
    const char *text = ia_time_text(k->phone, k->scene, at_ms);
    bool plain = ia_prefs_on(&k->phone->prefs, IA_PREF_HOUR_24);
    return ia_scene_printf(k->scene, "%s%s", text,
                           plain                          ? ""
                           : ia_civil_at(at_ms).hour < 12 ? " AM"
                                                          : " PM");
}

static const char *when(struct ia_kit *k, const struct ia_event *e)
{
    if (e->all_day) {
        return "all-day";
    }
    return ia_scene_printf(k->scene, "%s - %s", time_of(k, e->from_ms), time_of(k, e->to_ms));
}

static void event_row(struct ia_kit *k, const struct ia_event *e)
{
    ia_kit_row(k, &(struct ia_kit_row){.label = e->title,
                                       .subtitle = *e->location ? e->location : NULL,
                                       .detail = when(k, e),
                                       .accessory = IA_ROW_CHEVRON,
                                       .tap = open_event,
                                       .arg = e->id});
}

static void build_days(struct ia_kit *k)
{
    const struct ia_calendar *c = ia_calendar_of_const(k->phone);
    int32_t today = ia_day_of(k->phone->now_ms), shown = 0;
    ia_kit_begin(k, &(struct ia_kit_nav){.large = true, .search = true}, IA_LIST_GROUPED);
    const char *query = ia_kit_query(k);
    int n = 0;
    for (int i = 0; i < c->count; i++) {
        const struct ia_event *e = &c->rows[i];
        int32_t day = ia_day_of(e->from_ms);
        if ((!*query && day < today) || !ia_kit_matches(e->title, query)) {
            continue;
        }
        if (n++ == 0 || day != shown) {
            ia_kit_section(k, ia_day_text(k->scene, day, today));
            shown = day;
        }
        event_row(k, e);
    }
    if (n == 0) {
        ia_kit_empty(k, *query ? "No Results" : "No Events", *query ? query : "from today on");
    }
    ia_kit_end(k);
}

static void build_event(struct ia_kit *k)
{
    const struct ia_event *e = ia_calendar_find(ia_calendar_of_const(k->phone), k->entry->arg);
    ia_kit_begin(k, &(struct ia_kit_nav){.large = false}, IA_LIST_GROUPED);
    if (e) {
        int32_t today = ia_day_of(k->phone->now_ms);
        ia_kit_section(k, NULL);
        ia_kit_fact(k, "Title", "event-title", e->title);
        ia_kit_fact(k, "Day", "event-day", ia_day_text(k->scene, ia_day_of(e->from_ms), today));
        ia_kit_fact(k, "Time", "event-time", when(k, e));
        if (*e->location) {
            ia_kit_fact(k, "Location", "event-location", e->location);
        }
        ia_kit_fact(k, "Calendar", "event-calendar", e->calendar);
        if (*e->notes) {
            ia_kit_footer(k, e->notes);
        }
    } else {
        ia_kit_empty(k, "Event Deleted", "It is no longer in the calendar.");
    }
    ia_kit_end(k);
}

static bool takes_url(struct ia_str url)
{
    return ia_str_starts(url, ia_str("calshow:"));
}

static const struct ia_screen screen_days = {"Calendar", build_days, NULL, NULL};
static const struct ia_screen screen_event = {"Event", build_event, NULL, NULL};

static const struct ia_field fields[] = {
    {"search", "Search", "Search", IA_KEYBOARD_TEXT, -1, "search"},
};

const struct ia_app ia_app_calendar = {
    .bundle_id = "com.apple.mobilecal",
    .name = "Calendar",
    .icon = IA_ICON_CATALOG,
    .off_home = true,
    .rotates = true,
    .root = &screen_days,
    .fields = fields,
    .create = ia_calendar_new,
    .destroy = ia_calendar_free,
    .takes_url = takes_url,
    .state_json = ia_calendar_json,
};
