/* event_count.h: the events of a run, counted or joined, for the tests of rows. */
#ifndef EVENT_COUNT_H
#define EVENT_COUNT_H

#include "home.h"

static inline bool count_events(void *ctx, const struct ia_event_row *row)
{
    (void)row;
    (*(int *)ctx)++;
    return true;
}

static inline int events_of(struct ia_store *s, const char *run)
{
    int n = 0;
    assert_rc(IA_OK, ia_store_events(s, &(struct ia_event_range){.run_id = run}, count_events,
                                     &n, NULL, NULL));
    return n;
}

#endif
