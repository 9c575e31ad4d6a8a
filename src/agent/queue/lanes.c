/* lanes.c: lanes sorted by name for finding them, and a list of those that wait for a turn. The
 * states and their moves are in lanes.h.
 *
 * Pure bookkeeping without a thread, a clock or a store: queue.c holds its mutex over every
 * call and passes the time in. The list of waiting lanes is served in the order in which
 * they came, and a lane that finished a run goes to its end, so with more lanes than places
 * each gets a turn. */
#include "agent/queue/lanes.h"

#include <stdlib.h>
#include <string.h>

enum state { IDLE, WAITING, ACTIVE, GATED };

struct ia_lane {
    char *name;
    enum state state;
    bool again;           /* woken while active */
    int64_t until_ms;     /* while gated */
    struct ia_lane *next; /* while waiting */
};

struct ia_lanes {
    struct ia_lane **lanes; /* by name */
    size_t count, cap;
    struct ia_lane *first, **last; /* waiting */
    int active, max_active;
    int gated;
};

struct ia_lanes *ia_lanes_new(int max_active)
{
    struct ia_lanes *ls = ia_calloc(1, sizeof(*ls));
    ls->last = &ls->first;
    ls->max_active = max_active;
    return ls;
}

void ia_lanes_set_max_active(struct ia_lanes *ls, int max_active)
{
    ls->max_active = max_active;
}

void ia_lanes_free(struct ia_lanes *ls)
{
    if (!ls) {
        return;
    }
    for (size_t i = 0; i < ls->count; i++) {
        free(ls->lanes[i]->name);
        free(ls->lanes[i]);
    }
    free(ls->lanes);
    free(ls);
}

/* The index at which the name is, or belongs. */
static size_t find_place(const struct ia_lanes *ls, const char *name)
{
    size_t lo = 0, hi = ls->count;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (strcmp(ls->lanes[mid]->name, name) < 0) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    return lo;
}

struct ia_lane *ia_lanes_find(const struct ia_lanes *ls, const char *name)
{
    size_t at = find_place(ls, name);
    bool found = at < ls->count && strcmp(ls->lanes[at]->name, name) == 0;
    return found ? ls->lanes[at] : NULL;
}

struct ia_lane *ia_lanes_get(struct ia_lanes *ls, const char *name)
{
    struct ia_lane *known = ia_lanes_find(ls, name);
    if (known) {
        return known;
    }
    size_t at = find_place(ls, name);
    if (ls->count == ls->cap) {
        ls->cap = ls->cap ? ls->cap * 2 : 16;
        ls->lanes = ia_realloc(ls->lanes, ls->cap, sizeof(struct ia_lane *));
    }
    struct ia_lane *lane = ia_calloc(1, sizeof(*lane));
    lane->name = ia_strdup(name);
    memmove(&ls->lanes[at + 1], &ls->lanes[at], (ls->count - at) * sizeof(struct ia_lane *));
    ls->lanes[at] = lane;
    ls->count++;
    return lane;
}

const char *ia_lane_name(const struct ia_lane *lane)
{
    return lane->name;
}

static void append(struct ia_lanes *ls, struct ia_lane *lane)
{
    lane->state = WAITING;
    lane->next = NULL;
    *ls->last = lane;
    ls->last = &lane->next;
}

void ia_lanes_wake(struct ia_lanes *ls, struct ia_lane *lane)
{
    /* WAITING needs nothing, and GATED is left to its time: what the gate waits for (another
     * process, the store, a due retry) is not settled by one more run in the queue. */
    if (lane->state == IDLE) {
        append(ls, lane);
    } else if (lane->state == ACTIVE) {
        /* Its worker may have asked the store already, before the run that this wake is
         * about was added. */
        lane->again = true;
    }
}

void ia_lanes_wake_all(struct ia_lanes *ls)
{
    for (size_t i = 0; i < ls->count; i++) {
        ia_lanes_wake(ls, ls->lanes[i]);
    }
}

/* The gated lane whose time comes first. */
static struct ia_lane *first_gated(const struct ia_lanes *ls)
{
    /* A scan and no heap: there are as many lanes as devices. */
    struct ia_lane *best = NULL;
    for (size_t i = 0; ls->gated > 0 && i < ls->count; i++) {
        struct ia_lane *lane = ls->lanes[i];
        if (lane->state == GATED && (!best || lane->until_ms < best->until_ms)) {
            best = lane;
        }
    }
    return best;
}

static void open_gates(struct ia_lanes *ls, int64_t now_ms)
{
    struct ia_lane *lane;
    /* Earliest gate first, so that lanes whose gates opened together line up in the order
     * they were due. */
    while ((lane = first_gated(ls)) != NULL && lane->until_ms <= now_ms) {
        ls->gated--;
        append(ls, lane);
    }
}

struct ia_lane *ia_lanes_next(struct ia_lanes *ls, int64_t now_ms)
{
    open_gates(ls, now_ms);
    struct ia_lane *lane = ls->first;
    if (!lane || ls->active >= ls->max_active) {
        return NULL;
    }
    ls->first = lane->next;
    if (!ls->first) {
        ls->last = &ls->first;
    }
    lane->state = ACTIVE;
    lane->again = false;
    ls->active++;
    return lane;
}

void ia_lanes_done(struct ia_lanes *ls, struct ia_lane *lane, enum ia_lane_left left,
                   int64_t until_ms)
{
    ls->active--;
    /* The gate wins over `again`: it will be asked anyway when it opens. */
    if (left == IA_LANE_GATED) {
        lane->state = GATED;
        lane->until_ms = until_ms;
        ls->gated++;
    } else if (left == IA_LANE_MORE || lane->again) {
        append(ls, lane);
    } else {
        lane->state = IDLE;
    }
}

bool ia_lanes_quiet(const struct ia_lanes *ls)
{
    return ls->active == 0 && ls->gated == 0 && !ls->first;
}

int64_t ia_lanes_due_ms(const struct ia_lanes *ls)
{
    const struct ia_lane *lane = first_gated(ls);
    return lane ? lane->until_ms : INT64_MAX;
}
