/* stuck.c: points for steps that lead nowhere new. Screens and calls are compared by hash:
 * content for what is shown, layout for where a call was made.
 *
 * new screen, new call        points go back to 0
 * new screen, call repeated   + IA_STUCK_REPEAT      such as scrolling on: little, but not nothing
 * known screen, new call      + IA_STUCK_KNOWN
 * known screen, repeated      + IA_STUCK_SAME
 *
 * Points lead from a nudge to a demand to the end of the run; from the demand on, a call
 * that was made on this layout before is refused without being made. */
#include "agent/loop/stuck.h"

#include "base/hash.h"

#include <stdlib.h>

/* True when it was there. Beyond the cap nothing new is kept, so everything counts as known:
 * a run of that length has no claim to more. */
static bool seen_before(const struct ia_seen *s, uint64_t h)
{
    for (size_t i = 0; i < s->count; i++) {
        if (s->hashes[i] == h) {
            return true;
        }
    }
    return s->count >= IA_STUCK_SEEN_MAX;
}

static bool see(struct ia_seen *s, uint64_t h)
{
    if (seen_before(s, h)) {
        return true;
    }
    if (s->count == s->cap) {
        s->cap = s->cap ? s->cap * 2 : 16;
        s->hashes = ia_realloc(s->hashes, s->cap, sizeof(*s->hashes));
    }
    s->hashes[s->count++] = h;
    return false;
}

void ia_stuck_fini(struct ia_stuck *s)
{
    free(s->contents.hashes);
    free(s->calls.hashes);
    *s = (struct ia_stuck){0};
}

uint64_t ia_stuck_call(struct ia_str tool, struct ia_str input)
{
    uint64_t h = ia_hash(IA_HASH_SEED, tool.p, tool.n);
    /* A NUL between them: a tool's name cannot run into its input. */
    h = ia_hash(h, "", 1);
    return ia_hash(h, input.p, input.n);
}

static uint64_t on_layout(uint64_t layout, uint64_t call)
{
    return ia_hash(call, &layout, sizeof(layout));
}

void ia_stuck_saw(struct ia_stuck *s, uint64_t content)
{
    (void)see(&s->contents, content);
}

static enum ia_stuck_level level(const struct ia_stuck *s)
{
    return s->points >= IA_STUCK_AT_STOP     ? IA_STUCK_STOP
           : s->points >= IA_STUCK_AT_DEMAND ? IA_STUCK_DEMAND
           : s->points >= IA_STUCK_AT_NUDGE  ? IA_STUCK_NUDGE
                                             : IA_STUCK_NO;
}

enum ia_stuck_level ia_stuck_step(struct ia_stuck *s, uint64_t layout_before, uint64_t call,
                                  uint64_t content_after)
{
    bool known = see(&s->contents, content_after);
    bool again = see(&s->calls, on_layout(layout_before, call));
    if (known) {
        s->points += again ? IA_STUCK_SAME : IA_STUCK_KNOWN;
    } else if (again) {
        s->points += IA_STUCK_REPEAT;
    } else {
        s->points = 0;
    }
    return level(s);
}

bool ia_stuck_refuses(struct ia_stuck *s, uint64_t layout, uint64_t call,
                      enum ia_stuck_level *ret_level)
{
    if (s->points < IA_STUCK_AT_DEMAND || !seen_before(&s->calls, on_layout(layout, call))) {
        return false;
    }
    s->points += IA_STUCK_SAME;
    *ret_level = level(s);
    return true;
}
