/* request.h: what a run is asked to do: the goal with its limits, its proof and its setup.
 *
 * The same struct comes from the command line, from a goal file and from the JSON that a queued
 * run keeps (job.h). Borrowed strings, no state; the names of the words that users and files
 * write are here too. */
#ifndef IA_AGENT_GOAL_REQUEST_H
#define IA_AGENT_GOAL_REQUEST_H

#include "base/base.h"
#include "base/defaults.h"
#include "base/hash.h"

/* 0 means no limit, except steps, where 0 means IA_STEPS_DEFAULT. A step is one tool call. */
enum { IA_STEPS_DEFAULT = IA_DEFAULT_STEPS };
struct ia_budget {
    int max_steps;
    int max_seconds;
    int64_t max_tokens;
    double max_usd;
};

enum ia_verify { IA_VERIFY_AUTO, IA_VERIFY_ALWAYS, IA_VERIFY_OFF };

/* Which screenshots are kept for people. END: the last screen. STEPS: also the screen before
 * the first tool and after each one that acted. SHARP: the same, in the device's own pixels, which
 * takes several times the space and the time; the others have one pixel a point. */
enum ia_pictures {
    IA_PICTURES_END,
    IA_PICTURES_STEPS,
    IA_PICTURES_OFF,
    IA_PICTURES_SHARP,
    IA_PICTURES_COUNT
};
/* "end", "steps", "off", "sharp". */
const char *ia_pictures_name(enum ia_pictures pictures);
/* The one with that name, or IA_PICTURES_COUNT; NULL has none. */
enum ia_pictures ia_pictures_from_name(const char *name);

/* What is done before the first look. Each may be done twice without harm, so a run that is
 * started again does them again. */
enum ia_setup_kind {
    IA_SETUP_RESET,     /* "reset": the device as if new (embedded: factory state) */
    IA_SETUP_LAUNCH,    /* "launch": bundle id */
    IA_SETUP_TERMINATE, /* "terminate": bundle id */
    IA_SETUP_OPEN_URL   /* "open-url": URL */
};
struct ia_setup_step {
    enum ia_setup_kind kind;
    const char *value; /* NULL for reset */
};

/* Rules of the policy (agent/policy/policy.h) that the project or the environment in which the request was made answers
 * with "ask" or "deny"; NULL: they say nothing. Whatever does the run adds them to the user's policy, so that they can make
 * it stricter only; another word counts as "deny". */
#define IA_STRICTER_LIST(X)                                                                    \
    X(buy) X(send) X(delete) X(permissions) X(external_links) X(secret_fields) X(suspicious)
struct ia_stricter {
#define IA_STRICTER_MEMBER(name) const char *name;
    IA_STRICTER_LIST(IA_STRICTER_MEMBER)
#undef IA_STRICTER_MEMBER
};

/* What the user asked for. All strings are borrowed for the call. */
struct ia_run_request {
    const char *goal;
    const char *name; /* of the goal, for reports and history, or NULL */
    const char
        *device;     /* as the user named it, so that a resume opens the same; NULL: the lane */
    const char *app; /* bundle id the run is locked to, or NULL */
    const char *hint;  /* or NULL */
    const char *fails; /* why it is known to fail, for sweeps; or NULL */
    const char *agent; /* name of a configured agent, or NULL */
    const char *model; /* id of the model, required; the configuration's run.model by default */
    const char *verifier_model; /* NULL: the same model */
    const char *effort;         /* NULL unless asked for */
    enum ia_verify verify;
    const char *const *expect; /* expectation texts, parsed before anything starts */
    size_t expect_count;
    struct ia_budget budget;
    struct ia_stricter policy;
    enum ia_pictures pictures;
    int answer_tokens;  /* most tokens of one answer; 0: the default */
    int context_tokens; /* a summary replaces a larger conversation (compact.h); 0: never */
    bool
        fresh; /* the device is in factory state, put there by who opened it; for who repeats it */
    bool demo_brain; /* the answers come from the demo brain, which does not reason */
    const struct ia_setup_step *setup;
    size_t setup_count;
    const char *const *secrets; /* names that type_text may name, never values */
    size_t secret_count;
    const char *const *vars; /* "NAME=VALUE": the variables that its texts used */
    size_t var_count;
    const char *const *known; /* "NAME=VALUE": values in the goal's file; not in a job */
    size_t known_count;
    const char *
        goal_hash; /* of its texts with the variables' names (ia_goal_hash); NULL: of the texts as they are */
    const char *recording; /* id of the recording to replay, or NULL */
    /* "auto": replays a recording of this goal if there is one; a model takes over where the app has changed.
     * "only": without a model. NULL: the model does the goal. */
    const char *replay;
    /* "show": a plan is made and shown before anything is touched. "ask": a person has to approve it, too. NULL: none. */
    const char *plan;
    bool strict;           /* a healed run is no success: exit status, JUnit */
    bool continue_session; /* goes on with the agent's conversation */
    int tries; /* most tries, the first included, where an error can pass; 0: IA_TRIES_MAX for a
                  run that waits in a queue (ia_runs_start), 1 for ia_run_execute */
};

/* The hash by which recordings belong to a goal: of its text, app, setup and expectations as in the goal file. */
enum { IA_GOAL_HASH_SIZE = sizeof("sha256:") + IA_SHA256_HEX_SIZE };
void ia_goal_hash(const struct ia_run_request *req, char dst[IA_GOAL_HASH_SIZE]);

/* False for a run that only replays, which needs no client of a model. */
bool ia_run_asks_model(const struct ia_run_request *req);

/* "reset", "launch", "terminate", "open-url". */
const char *ia_setup_kind_name(enum ia_setup_kind kind);
/* False for any other word. */
bool ia_setup_kind_from_name(struct ia_str name, enum ia_setup_kind *ret);
enum { IA_SECRET_NAME_MAX = 64 };
/* Whether it can name a secret: A-Z a-z 0-9 _, not beginning with a digit. */
bool ia_secret_name_ok(struct ia_str name);

#endif
