/* due.c: counts the fires of a schedule up to now, and chooses by its policy. */
#include "agent/schedule/due.h"

#include <string.h>

static void keep_fire(struct ia_due *d, int64_t at_ms)
{
    if (d->n == IA_SCHEDULE_CATCH_UP) {
        d->older_ms = d->at[0];
        memmove(d->at, d->at + 1, (IA_SCHEDULE_CATCH_UP - 1) * sizeof(d->at[0]));
        d->n--;
        d->older++;
    }
    d->at[d->n++] = at_ms;
}

/* A clock that jumps by years must not cost a step for every minute of them: fires are counted for
 * some weeks, then all but the newest day is skipped as one gap. */
enum { COUNTED_MAX = 50000 };

void ia_due_find(const struct ia_schedule *s, int64_t first_ms, int64_t now_ms,
                 struct ia_due *d)
{
    *d = (struct ia_due){.oldest_ms = first_ms};
    int64_t counted = 0, at = first_ms;
    while (at != 0 && at <= now_ms) {
        /* In order of time with a window: the newest stay, whatever there was before them. */
        keep_fire(d, at);
        int64_t next = ia_schedule_next(s, at);
        if (++counted == COUNTED_MAX && next != 0) { /* the rest: only the newest day of it */
            int64_t skip = ia_schedule_next(s, now_ms - INT64_C(86400000));
            d->uncounted = skip > next;
            next = d->uncounted ? skip : next;
        }
        at = next;
    }
    d->next_ms = at;
}

int ia_due_choose(const struct ia_schedule_row *row, const struct ia_due *d, int64_t now_ms)
{
    int64_t grace_s = row->grace_s > IA_SCHEDULE_LATE_S ? row->grace_s : IA_SCHEDULE_LATE_S;
    int in_time = 0;
    /* From the newest back: those that are late by no more than the grace count as in time
     * and run by any policy. */
    while (in_time < d->n && now_ms - d->at[d->n - 1 - in_time] <= grace_s * 1000) {
        in_time++;
    }
    if (row->missed == IA_MISSED_ALL) {
        return d->n;
    }
    if (row->missed == IA_MISSED_LATEST && in_time == 0) {
        return 1;
    }
    return in_time;
}
