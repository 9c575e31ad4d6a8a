/* calendar.h: the Calendar app and its events. Times are in ms since 1970; the phone's zone is UTC. */
#ifndef IA_DRIVER_EMBEDDED_APPS_CALENDAR_CALENDAR_H
#define IA_DRIVER_EMBEDDED_APPS_CALENDAR_CALENDAR_H

#include "driver/embedded/ui/format.h"
#include "driver/embedded/ui/kit.h"

extern const struct ia_app ia_app_calendar;

enum { IA_EVENTS_MAX = 300 };

struct ia_event {
    int32_t id;             /* never 0, never reused */
    int64_t from_ms, to_ms; /* of a whole day: midnight to midnight */
    bool all_day;
    char *title, *location, *notes; /* "" when there is none */
    const char *calendar;           /* a constant: "Home", "Work" */
};

/* Sorted by time, then by id. */
struct ia_calendar {
    struct ia_event *rows;
    int count;
    int32_t next_id;
};

void *ia_calendar_new(uint64_t seed);
void ia_calendar_free(void *calendar);
void ia_calendar_json(const void *calendar, struct ia_jsonw *w);
const struct ia_event *ia_calendar_find(const struct ia_calendar *c, int32_t id);
/* Adds (id 0) or replaces an event, copying the texts without spaces around them. Its id, or 0 when
 * there is no room. */
int32_t ia_calendar_put(struct ia_calendar *c, const struct ia_event *from);
void ia_calendar_remove(struct ia_calendar *c, int32_t id);
/* The members of an event; the caller opens and closes the object. */
void ia_event_json(const struct ia_event *e, struct ia_jsonw *w);

struct ia_calendar *ia_calendar_of(struct ia_phone *p);
const struct ia_calendar *ia_calendar_of_const(const struct ia_phone *p);

#endif
