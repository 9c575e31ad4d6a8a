/* progress.h: what the committed events of a run say about its earlier attempts.
 *
 * The transcript and the journal are rows of their own; here is what else an attempt needs that
 * goes on with them: what was spent, for how long it ran, what step 0 showed, which refs were
 * given out. */
#ifndef IA_AGENT_LOOP_PROGRESS_H
#define IA_AGENT_LOOP_PROGRESS_H

#include "base/buf.h"
#include "base/hash.h"
#include "store/store.h"

/* As struct ia_spending counts it. */
struct ia_spent {
    int64_t tokens;
    double usd, usd_max;
    bool cost_known;
};

enum { IA_APP_BYTES_MAX = 256 }; /* of a bundle id */
/* What the verifier last said. */
struct ia_opinion {
    char question[IA_SHA256_HEX_SIZE]; /* of what was asked; "": nothing was */
    bool agrees;
    char *reason;
};
void ia_opinion_set(struct ia_opinion *o, const char *question, bool agrees,
                    const char *reason);

struct ia_progress {
    bool begun;          /* it has a transcript: the first message was committed */
    bool running;        /* an attempt began, and nothing said that it was over */
    bool rested;         /* the last attempt ended to wait for subtasks */
    bool clean;          /* the last attempt ended by itself, so nothing was under way */
    int64_t ran_ms;      /* time spent running; the time between attempts is left out. What the
                             last event with that figure says, and wall time since then */
    int turns, refusals; /* requests answered, finishes refused */
    uint32_t last_ref;   /* the highest that was given out */
    bool disputed;       /* the last refused finish lacked the verifier's agreement alone */
    struct ia_opinion opinion;
    bool suspicious;      /* a screen showed text that gives orders */
    bool expects_held;    /* at step 0 */
    struct ia_buf screen; /* of step 0, text form */
    char **start;         /* for each expectation: what step 0 says of it */
    size_t start_count;
    char **unproven; /* quotes of the last finish that were not found, which was no failure */
    size_t unproven_count;
    char **pictured; /* likewise: those that were read on a picture */
    size_t pictured_count;
    char relaunch[IA_APP_BYTES_MAX]; /* the app that a finish in hand was launching again; "" */
    struct ia_buf plan; /* in lines (ia_compose_plan_lines); empty: none was made */
    bool has_spent;
    struct ia_spent spent;
    char continues[IA_ID_SIZE]; /* the run whose conversation this one goes on with, or "" */
};

/* Reads the events of the run. Free with ia_progress_fini, whatever it returns. */
enum ia_rc ia_progress_read(struct ia_store *store, const char *run_id, struct ia_progress *ret,
                            struct ia_err *err);
void ia_progress_fini(struct ia_progress *p);

#endif
