/* store.c: the events themselves. */
#include "driver/embedded/apps/calendar/calendar.h"

#include "base/civil.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MINUTE_MS = 60000, DAY_MS = 86400000 };
#define FIRST_DAY_MS (IA_PHONE_EPOCH_MS / DAY_MS * DAY_MS)

/* Days are counted from the one on which every phone begins; minutes 0: the whole day. */
static const struct {
    int day, at_min, minutes;
    const char *title, *location, *calendar;
} factory[] = {
    {-1, 18 * 60, 60, "Yoga", "Studio 4", "Home"},
    {0, 10 * 60, 30, "Stand-up", "Room Berlin", "Work"},
    {0, 12 * 60 + 30, 60, "Lunch with Grace", "Blue Door Restaurant", "Home"},
    {1, 9 * 60, 45, "Dentist", "12 Mill Lane", "Home"},
    {1, 14 * 60, 60, "Budget review", "Room Oslo", "Work"},
    {3, 0, 0, "Nora's birthday", "", "Home"},
    {6, 19 * 60, 120, "Concert", "City Hall", "Home"},
};

void *ia_calendar_new(uint64_t seed)
{
    struct ia_calendar *c = ia_calloc(1, sizeof(*c));
    (void)seed;
    c->next_id = 1;
    for (size_t i = 0; i < IA_COUNTOF(factory); i++) {
        int64_t from = FIRST_DAY_MS + factory[i].day * (int64_t)DAY_MS +
                       factory[i].at_min * (int64_t)MINUTE_MS;
        bool day = factory[i].minutes == 0;
        struct ia_event e = {.from_ms = from,
                             .to_ms = day ? from + DAY_MS
                                          : from + factory[i].minutes * (int64_t)MINUTE_MS,
                             .all_day = day,
                             .title = (char *)(uintptr_t)factory[i].title,
                             .location = (char *)(uintptr_t)factory[i].location,
                             .notes = (char *)(uintptr_t) "",
                             .calendar = factory[i].calendar};
        (void)ia_calendar_put(c, &e);
    }
    return c;
}

static void forget(struct ia_event *e)
{
    free(e->title);
    free(e->location);
    free(e->notes);
}

void ia_calendar_free(void *calendar)
{
    struct ia_calendar *c = calendar;
    for (int i = 0; i < c->count; i++) {
        forget(&c->rows[i]);
    }
    free(c->rows);
    free(c);
}

const struct ia_event *ia_calendar_find(const struct ia_calendar *c, int32_t id)
{
    for (int i = 0; i < c->count; i++) {
        if (c->rows[i].id == id) {
            return &c->rows[i];
        }
    }
    return NULL;
}

void ia_calendar_remove(struct ia_calendar *c, int32_t id)
{
    const struct ia_event *old = ia_calendar_find(c, id);
    if (old) {
        size_t at = (size_t)(old - c->rows);
        forget(&c->rows[at]);
        c->count--;
        memmove(&c->rows[at], &c->rows[at + 1], ((size_t)c->count - at) * sizeof(*old));
    }
}

static bool before(const struct ia_event *a, const struct ia_event *b)
{
    return a->from_ms < b->from_ms || (a->from_ms == b->from_ms && a->id < b->id);
}

int32_t ia_calendar_put(struct ia_calendar *c, const struct ia_event *from)
{
    struct ia_event fresh = *from;
    if (from->id == 0 && c->count == IA_EVENTS_MAX) {
        return 0;
    }
    fresh.title = ia_trimmed(from->title);
    fresh.location = ia_trimmed(from->location);
    fresh.notes = ia_trimmed(from->notes);
    fresh.id = from->id ? from->id : c->next_id++;
    ia_calendar_remove(c, fresh.id);
    c->rows = ia_realloc(c->rows, (size_t)c->count + 1, sizeof(*c->rows));
    int at = c->count++;
    for (; at > 0 && before(&fresh, &c->rows[at - 1]); at--) {
        c->rows[at] = c->rows[at - 1];
    }
    c->rows[at] = fresh;
    return fresh.id;
}

static void time_json(struct ia_jsonw *w, const char *key, int64_t ms, bool day)
{
    char text[24];
    struct ia_civil c = ia_civil_at(ms);
    int n = snprintf(text, sizeof(text), day ? "%04d-%02d-%02d" : "%04d-%02d-%02dT%02d:%02d",
                     c.year, c.month, c.day, c.hour, c.minute);
    ia_jsonw_kv(w, key, n > 0 ? text : NULL);
}

void ia_event_json(const struct ia_event *e, struct ia_jsonw *w)
{
    char id[12];
    (void)snprintf(id, sizeof(id), "%d", e->id);
    ia_jsonw_kv(w, "id", id);
    ia_jsonw_kv(w, "title", e->title);
    time_json(w, "start", e->from_ms, e->all_day);
    /* The last day, as people say it. */
    time_json(w, "end", e->all_day ? e->to_ms - DAY_MS : e->to_ms, e->all_day);
    ia_jsonw_kv_bool(w, "all_day", e->all_day);
    ia_jsonw_kv(w, "location", e->location);
    ia_jsonw_kv(w, "notes", e->notes);
    ia_jsonw_kv(w, "calendar", e->calendar);
}

void ia_calendar_json(const void *calendar, struct ia_jsonw *w)
{
    const struct ia_calendar *c = calendar;
    ia_jsonw_key(w, "events");
    ia_jsonw_array(w);
    for (int i = 0; i < c->count; i++) {
        ia_jsonw_object(w);
        ia_event_json(&c->rows[i], w);
        ia_jsonw_end_object(w);
    }
    ia_jsonw_end_array(w);
}

struct ia_calendar *ia_calendar_of(struct ia_phone *p)
{
    return ia_phone_state_of(p, &ia_app_calendar)->data;
}

const struct ia_calendar *ia_calendar_of_const(const struct ia_phone *p)
{
    return ia_phone_state_of_const(p, &ia_app_calendar)->data;
}
