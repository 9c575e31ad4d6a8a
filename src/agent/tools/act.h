/* act.h: the tools that look at a device and act on it.
 *
 * Everything a tool needs comes in a struct, and nothing of it is a run: the agent loop, a
 * server for other programs and a command line can all call the same tools. Checking the input
 * (ia_prompts_check_input), rules about what may be touched (applock.h), the journal and
 * `finish` are the caller's. One call at a time for each session. */
#ifndef IA_AGENT_TOOLS_ACT_H
#define IA_AGENT_TOOLS_ACT_H

#include "agent/prompts/fence.h"
#include "agent/prompts/prompts.h"
#include "base/clock.h"
#include "base/hash.h"
#include "driver/session/session.h"

/* Where a screenshot was kept. */
struct ia_tool_image {
    char sha[IA_SHA256_HEX_SIZE]; /* of the PNG; "" without one */
    char path[128];               /* as the keeper says it; may be "" */
    int width_px, height_px;      /* 1 pixel is 1 point */
};

/* A question about a picture, for another model request than the conversation's. Borrowed. */
struct ia_tool_question {
    struct ia_str text;
    struct ia_str png;
    struct ia_str system; /* what the other model is told of its task */
    struct ia_str tool;   /* JSON of the one tool that it answers by */
    const json_t *schema; /* of that tool's input: another answer is none */
    const char *name;     /* of that tool */
};

/* What a call works with. All borrowed; the caller keeps it from one call to the next. */
struct ia_tool_env {
    struct ia_session *session;
    const struct ia_clock *clock; /* the one that limit counts by */
    struct ia_deadline limit; /* of the caller. Each action also has its own: IA_ACTION_MS_MAX,
                                     or the seconds that wait_for was given */
    const char *boundary;     /* fences what the screen says (agent/prompts/fence.h) */
    /* The screen that the reader of the results saw last, so that the next result can say what
     * changed. *shown may be NULL: nothing yet. Calls replace it; the caller frees the last. */
    struct ia_snapshot **shown;
    /* Whether a screen must not be shown to the reader, and not be photographed: another app's,
     * under a lock. Then only the name of that app is told. NULL: all are shown. */
    bool (*hides)(void *ctx, const struct ia_snapshot *s);
    void *hides_ctx;
    /* Whether an app that is not in front may be used, under such a lock. NULL: every one. */
    bool (*allows)(void *ctx, const char *bundle_id);
    const char *call;     /* id of the tool_use block, for what is remembered by it; or NULL */
    struct ia_buf *notes; /* remember appends a line here. NULL: there is no memory */
    /* Keeps the PNG of a screenshot and fills *ret. NULL: there are no screenshots. */
    enum ia_rc (*keep)(void *ctx, struct ia_str png, struct ia_tool_image *ret,
                       struct ia_err *err);
    void *keep_ctx;
    /* Asks it, within the caller's budget. *ret_answer is the tool's checked input, which the caller
     * releases. IA_E_BUDGET, IA_E_API_STOP where no answer came, or the request's error. NULL: nobody
     * can be asked. */
    enum ia_rc (*ask)(void *ctx, const struct ia_tool_question *q, json_t **ret_answer,
                      struct ia_err *err);
    void *ask_ctx;
};

/* What a call came to. Release with ia_tool_result_fini. */
struct ia_tool_result {
    enum ia_rc code; /* code and outcome are the caller's to fill */
    enum ia_outcome outcome;
    struct ia_buf text;    /* for the reader, already fenced; begins with a line end */
    struct ia_buf screen;  /* text form of the screen after, empty when it was not read */
    struct ia_buf changes; /* against what was shown before */
    bool changed;
    char element[160];  /* acted on, as text; "" when none */
    struct ia_rect box; /* its frame */
    bool has_box;
    bool remembered; /* notes has a new line */
    struct ia_tool_image image;
    uint64_t picture; /* hash of what the picture showed after; 0: it was not looked at */
};
void ia_tool_result_init(struct ia_tool_result *r);
void ia_tool_result_fini(struct ia_tool_result *r);

/* Does what the checked input says, an effect at most once. On failure err->outcome says
 * whether anything was sent; where that is sure or possible, the screen was read again and is
 * the session's latest. IA_E_UNSUPPORTED for what env has no place for, and for `finish`, which
 * only a run can judge. *ret was initialized; what was learnt is in it also on failure. */
enum ia_rc ia_tool_act(const struct ia_tool_env *env, enum ia_tool tool, const json_t *input,
                       struct ia_tool_result *ret, struct ia_err *err);

/* Puts the session's latest snapshot into the result: all of it, or what changed since the
 * reader was last shown something. Nothing where there is none. */
void ia_tool_show(const struct ia_tool_env *env, struct ia_tool_result *ret, bool whole);
/* IA_E_APP_LOCK for a screen that must not be shown to the reader. */
enum ia_rc ia_tool_may_show(const struct ia_tool_env *env, const struct ia_snapshot *s,
                            struct ia_err *err);
/* IA_E_APP_LOCK, nothing sent, where the caller may not use that app; "": none is used. */
enum ia_rc ia_tool_may_use(const struct ia_tool_env *env, const char *bundle_id,
                           struct ia_err *err);
/* The token, and the deadline of one action within the caller's limit. */
struct ia_deadline ia_tool_deadline(const struct ia_tool_env *env);

#endif
