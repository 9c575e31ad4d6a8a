/* result.h: what a run came to, for its caller. */
#ifndef IA_AGENT_RUN_RESULT_H
#define IA_AGENT_RUN_RESULT_H

#include "agent/loop/run_env.h"

struct ia_run_ctx;

struct ia_run_result {
    char id[IA_ID_SIZE]; /* written before the first event of a new run */
    char state[12];      /* passed, failed, blocked, error, cancelled; see ia_run_claimed */
    enum ia_rc code;     /* IA_OK for passed; else decides the exit status */
    enum ia_basis basis;
    const char *outcome;   /* of a passed replay: "replayed", "healed"; else NULL */
    bool asking;           /* state blocked, until a person answers */
    bool strict;           /* a healed run is no success */
    char *summary;         /* never NULL after ia_run_execute */
    char *screenshot_path; /* PNG of the last screen, or NULL */
    int steps;
    int64_t duration_ms;
    int64_t tokens_input, tokens_cache_read, tokens_cache_write, tokens_output;
    double cost_usd; /* meaningful only when cost_known */
    bool cost_known;
    int64_t retry_at_ms;    /* wall time, with state retry_wait */
    bool rests;             /* with state queued: until its subtasks are over */
    int64_t host_us_median; /* per step: neither model nor device, durable commits included */
};
void ia_run_result_fini(struct ia_run_result *r);
/* The code that decides the exit status. */
enum ia_rc ia_run_result_code(const struct ia_run_result *r);
/* Fills the result of the run from how it ended so far; the screenshot is not touched. */
void ia_run_result_fill(struct ia_run_ctx *run);

#endif
