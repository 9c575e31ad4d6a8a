/* replay_impl.h: what the files of replay.h share.
 *
 *     replay.c         the next turn: settled? there? then the call
 *     replay_load.c    which recording, and how far an earlier attempt came
 *     replay_until.c   whether a step led to what it led to when it was recorded
 *     replay_find.c    the screen and the element of a step
 *     replay_heal.c    a model does a step of which the app has changed */
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

/* What is noted of a step that a model did. */
#define IA_REPLAY_HEALED "by a model"

/* As an event replay.strayed says that an element has the recorded identifier and another label. */
#define IA_REPLAY_RENAMED "renamed"
/* As an event step.replayed says that the call only scrolls to the step's element. */
#define IA_REPLAY_OFFSCREEN "offscreen"

/* ---- replay_load.c ---- */

/* Notes for people that the step, from 1, drifted or was healed. */
void ia_replay_note(struct ia_run_replay *r, size_t step, struct ia_str what);
/* A model begins to do the step that the event names. */
void ia_replay_heals(struct ia_run_replay *r, const struct ia_event_replay_strayed *event);
/* Puts what a step read, lines NAME=VALUE, into the steps of the recording. */
void ia_replay_fill(struct ia_run_ctx *run, struct ia_str captured);
/* Whether nobody knows what became of the last step, by the journal. */
bool ia_replay_unanswered(struct ia_run_ctx *run);

/* ---- replay_until.c ---- */

/* How long a step is waited for, by what it took when it was recorded. */
struct ia_deadline ia_replay_limit(struct ia_run_ctx *run, const json_t *step);
/* Waits for what the step before `at` led to. Where that does not come, the run has ended, or `at` is that step
 * again, as it was not made before an interruption. */
void ia_replay_settle(struct ia_run_ctx *run);
/* Whether the newest screen shows what the step led to, after a model did it; false for a step that led to nothing
 * that can be named. */
bool ia_replay_led(const struct ia_run_ctx *run, const json_t *step);
/* Whether a question is in front that can be answered in several ways and was not there when any of these steps was
 * recorded; it is appended. */
bool ia_replay_somebody_decides(const struct ia_run_ctx *run, size_t from, size_t to,
                                struct ia_buf *ret_asked);
/* Whether what the step leads to will tell that it was made: there is something, and it is not there before. */
bool ia_replay_tells(const json_t *step, const struct ia_snapshot *before);

/* ---- replay_find.c ---- */

struct ia_replay_sought {
    const json_t *step;
    struct ia_signature target;
    bool has_target;
    struct ia_match match; /* its elements are borrowed from the newest screen */
    bool by_title;         /* the screen's title says what was chosen */
    bool may_scroll;       /* it may be found where it cannot be seen */
    bool other_app, other_question, other_screen, offscreen;
    uint32_t ref;           /* of the element; 0: the step has none */
    struct ia_buf captured; /* what the step reads from the screen: lines NAME=VALUE */
    struct ia_buf unread;   /* why it could not be read; empty: it was */
};
/* What is not as it was recorded, of an element that was found all the same; NULL: nothing. */
static inline const char *ia_replay_differs(const struct ia_replay_sought *w)
{
    return w->match.class == IA_MATCH_DRIFTED && !w->offscreen ? w->match.best[0].differs
                                                               : NULL;
}
void ia_replay_sought_fini(struct ia_replay_sought *sought);
/* Why a step cannot be done as it was recorded, and what the run comes to by that. */
struct ia_replay_unlike {
    struct ia_err why;
    enum ia_run_state state;
    const char *match; /* as in the event replay.strayed */
    bool healable;     /* a person would do the step in another way */
};
/* Waits for the screen and the element of the step. IA_E_TIMEOUT: *unlike says why not. */
enum ia_rc ia_replay_find(struct ia_run_ctx *run, struct ia_replay_sought *sought,
                          struct ia_replay_unlike *unlike, struct ia_err *why);

/* Whether the step can be done on that screen as it was recorded, now. */
bool ia_replay_is_there(const json_t *step, const struct ia_snapshot *s);

/* ---- replay_heal.c ---- */

/* Gives the step to a model, where the request and the recording allow it; else the run has ended. */
enum ia_rc ia_replay_stray(struct ia_run_ctx *run, const json_t *step,
                           const struct ia_replay_unlike *unlike, bool *resumed,
                           struct ia_err *err);

#endif
