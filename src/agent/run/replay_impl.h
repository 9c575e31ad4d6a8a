/* replay_impl.h: shared by the files behind replay.h. One thread a run.
 *
 *     replay.c         the next turn: wait for the effect of the last step, find the next target, call
 *     replay_load.c    reads the recording and the progress of an earlier attempt
 *     replay_until.c   whether a step had its recorded effect
 *     replay_touched.c what a model touched instead of the recorded element
 *     replay_screen.c  whether the screen is that of a step
 *     replay_find.c    finds the screen and the element of a step
 *     replay_heal.c    lets a model do a step that the app has changed */
#ifndef IA_AGENT_RUN_REPLAY_IMPL_H
#define IA_AGENT_RUN_REPLAY_IMPL_H

#include "agent/recording/recording.h"
#include "agent/run/replay.h"
#include "json/json.h"

#include <string.h>

static inline bool ia_replay_equal(const char *a, const char *b)
{
    return a && b && strcmp(a, b) == 0;
}

/* The note at a step that a model did. */
#define IA_REPLAY_HEALED "by a model"

/* A member of a step in memory: what a model touched for it that has its target's identifier, as text. */
#define IA_REPLAY_TOUCHED "touched"

/* The match in an event replay.strayed: the element has the recorded identifier and another label. */
#define IA_REPLAY_RENAMED "renamed"
/* The match in an event step.replayed: the call only scrolls to the step's element. */
#define IA_REPLAY_OFFSCREEN "offscreen"

/* ---- replay_load.c ---- */

/* Counts the step, from 1, as drifted, and notes for people what of it did. A step that is made again counts once. */
void ia_replay_drifted(struct ia_run_replay *r, size_t step, struct ia_str what);
/* Keeps what a model has touched for the next step, as text, if it has the identifier of the step's target; otherwise
 * "". */
void ia_replay_chose(struct ia_run_replay *r, const char *touched);
/* Notes that a model has done the next step; done is false if it has only led to where the recording can do it. */
void ia_replay_healed(struct ia_run_replay *r, bool done);
/* Notes that a model begins to do the step that the event names. */
void ia_replay_heals(struct ia_run_replay *r, const struct ia_event_replay_strayed *event);
/* Fills captured words, lines NAME=VALUE, into the steps of the recording. */
void ia_replay_fill(struct ia_run_ctx *run, struct ia_str captured);
/* True if the journal does not tell the outcome of the last step. */
bool ia_replay_unanswered(struct ia_run_ctx *run);

/* ---- replay_until.c ---- */

/* The deadline for a step's effect: a multiple of the time it took when recorded. */
struct ia_deadline ia_replay_limit(struct ia_run_ctx *run, const json_t *step);
/* Waits for the effect of the step before `at`. If it does not come, the run has ended, or `at` is that step again
 * because an interruption had prevented it. */
void ia_replay_settle(struct ia_run_ctx *run);
/* True if the newest screen shows the next step's recorded effect, after a model did it; false for a step whose effect
 * cannot be named. */
bool ia_replay_led(const struct ia_run_ctx *run);
/* True if the newest screen shows everything that the next step set: all its conditions but `visible`. What names the
 * recorded element must be there, too, where a model touched another one. */
bool ia_replay_set(const struct ia_run_ctx *run);
/* True if a question with several answers is in front that was not there when steps from to `to` were recorded;
 * appends the question. */
bool ia_replay_somebody_decides(const struct ia_run_ctx *run, size_t from, size_t to,
                                struct ia_buf *ret_asked);
/* True if the next step's effect will prove that it was done: there is one, and it does not hold before. */
bool ia_replay_tells(const struct ia_run_ctx *run, const struct ia_snapshot *before);

/* ---- replay_touched.c ---- */

/* The target of the model's last action, or of an earlier attempt's if this one has none; NULL if unknown. */
const struct ia_element *ia_replay_touched(const struct ia_run_ctx *run,
                                           const struct ia_snapshot *now);
/* Appends the element that a model's last action was done to, as text, if it has the identifier of the next step's
 * target. */
void ia_replay_same(const struct ia_run_ctx *run, struct ia_buf *out);
/* False if the target of the next step contains the value of a variable, and what a model's last action was done to does
 * not. */
bool ia_replay_keeps_vars(const struct ia_run_ctx *run);

/* ---- replay_screen.c ---- */

/* True if that screen is the one on which the step, from 0, was recorded. */
bool ia_replay_is_screen(const json_t *recording, size_t at, const struct ia_snapshot *s);

/* ---- replay_find.c ---- */

struct ia_replay_sought {
    const json_t *recording;
    size_t at;
    const json_t *step; /* that one of it */
    struct ia_signature target;
    bool has_target;
    struct ia_match match; /* its elements are borrowed from the newest screen */
    bool may_scroll;       /* elements outside the visible part may be found */
    bool other_app, other_question, other_screen, offscreen;
    uint32_t ref;           /* of the element; 0: the step has no target */
    struct ia_buf captured; /* words that the step reads from the screen: lines NAME=VALUE */
    struct ia_buf unread;   /* why they could not be read; empty: they were */
};
/* What differs from the recording in an element that was found nevertheless; NULL: nothing. */
static inline const char *ia_replay_differs(const struct ia_replay_sought *w)
{
    return w->match.class == IA_MATCH_DRIFTED && !w->offscreen ? w->match.best[0].differs
                                                               : NULL;
}
void ia_replay_sought_fini(struct ia_replay_sought *sought);
/* Why a step cannot be done as recorded, and the state in which the run then ends. */
struct ia_replay_unlike {
    struct ia_err why;
    enum ia_run_state state;
    const char *match; /* as in the event replay.strayed */
    bool healable;     /* a person could do the step in another way */
};
/* Waits for the screen and the element of the step. Free *sought with ia_replay_sought_fini. IA_E_TIMEOUT: *unlike says
 * what is missing. */
enum ia_rc ia_replay_find(struct ia_run_ctx *run, struct ia_replay_sought *sought,
                          struct ia_replay_unlike *unlike, struct ia_err *why);

/* True if the step, from 0, can be done on that screen as recorded. */
bool ia_replay_is_there(const json_t *recording, size_t at, const struct ia_snapshot *s);

/* ---- replay_heal.c ---- */

/* Gives the step to a model if the request and the recording allow it; otherwise ends the run. */
enum ia_rc ia_replay_stray(struct ia_run_ctx *run, const json_t *step,
                           const struct ia_replay_unlike *unlike, bool *resumed,
                           struct ia_err *err);

#endif
