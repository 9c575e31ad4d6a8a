/* due.h: the fires of a schedule that are due, and how many of them run. Pure; internal to schedule/. */
#ifndef IA_AGENT_SCHEDULE_DUE_H
#define IA_AGENT_SCHEDULE_DUE_H

#include "agent/schedule/schedule.h"

/* The fires of a schedule up to now: the newest ones, and how many are older than those. */
struct ia_due {
    int64_t at[IA_SCHEDULE_CATCH_UP];
    int n;
    int64_t older, older_ms; /* how many came before these, and the last of them */
    int64_t oldest_ms;       /* the first of all */
    bool uncounted;          /* there were more still */
    int64_t next_ms;         /* the first after now; 0: none */
};

/* All from first_ms, which is one, to now_ms. */
void ia_due_find(const struct ia_schedule *s, int64_t first_ms, int64_t now_ms,
                 struct ia_due *d);
/* How many of the newest run: at[n - count …]. */
int ia_due_choose(const struct ia_schedule_row *row, const struct ia_due *d, int64_t now_ms);

#endif
