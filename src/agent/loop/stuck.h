/* stuck.h: notices when a run goes in circles.
 *
 * Each step is judged by what it brought: a screen that was never seen before is progress, and
 * forgives what was before; a known screen costs points, more when the same call was already
 * made on the same layout. So A→B→A→B, a call that keeps failing, and actions without effect
 * all add up, whatever their period, while going back through known screens on the way to a new
 * one does not. A screen that never looks the same twice (a clock, an advertisement) cannot
 * hide repeats of the same call. wait_for is not judged, but a
 * malformed call is. Pure; one run owns it. */
#ifndef IA_AGENT_LOOP_STUCK_H
#define IA_AGENT_LOOP_STUCK_H

#include "base/base.h"

/* Points: for the same call on the same layout with a known screen after it; for another call
 * that leads to a known screen; for the same call that shows something new. */
enum { IA_STUCK_SAME = 8, IA_STUCK_KNOWN = 4, IA_STUCK_REPEAT = 1 };
/* At so many points the model gets a warning, has to change its strategy, and the run ends. */
enum { IA_STUCK_AT_NUDGE = 16, IA_STUCK_AT_DEMAND = 28, IA_STUCK_AT_STOP = 40 };
enum { IA_STUCK_SEEN_MAX = 4096 };

enum ia_stuck_level { IA_STUCK_NO, IA_STUCK_NUDGE, IA_STUCK_DEMAND, IA_STUCK_STOP };

struct ia_seen {
    uint64_t *hashes;
    size_t count, cap;
};

struct ia_stuck {
    struct ia_seen contents; /* content hashes of screens */
    struct ia_seen calls;    /* call on layout */
    int points;
};

void ia_stuck_fini(struct ia_stuck *s);

/* A call's identity: tool name and input as given. */
uint64_t ia_stuck_call(struct ia_str tool, struct ia_str input);

/* A screen that was shown without judging the step (the first one, after wait_for). */
void ia_stuck_saw(struct ia_stuck *s, uint64_t content);

/* Judges a step: the layout that the call was made on, and the content after it. */
enum ia_stuck_level ia_stuck_step(struct ia_stuck *s, uint64_t layout_before, uint64_t call,
                                  uint64_t content_after);

/* True when the call must not be made because another strategy is required. The refusal counts
 * as a step; *ret_level is the level after it. */
bool ia_stuck_refuses(struct ia_stuck *s, uint64_t layout, uint64_t call,
                      enum ia_stuck_level *ret_level);

#endif
