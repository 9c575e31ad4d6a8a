/* totals.h: what all runs of a store came to so far, counted from its events (private to api/).
 *
 * Events are never changed or deleted, and their ids grow in the order of commits. So a sum is kept with the id of the last
 * event in it, and the next reading adds what came after that: a restart of the daemon counts once from the
 * beginning and arrives at the same numbers, and runs of other processes are in them, too. */
#ifndef IA_SERVER_API_TOTALS_H
#define IA_SERVER_API_TOTALS_H

#include "agent/prompts/prompts.h"
#include "base/clock.h"
#include "store/store.h"

/* Tools of this program that are not in IA_TOOL_LIST; all others, of skills and servers, count together, as does
 * a name that a model made up. */
enum ia_total_tool {
    IA_TOTAL_FETCH_URL = IA_TOOL_COUNT,
    IA_TOTAL_MEMORY,
    IA_TOTAL_USE_SKILL,
    IA_TOTAL_DELEGATE,
    IA_TOTAL_OTHER_TOOL,
    IA_TOTAL_TOOLS
};
enum ia_total_outcome {
    IA_TOTAL_TOOL_OK,
    IA_TOTAL_TOOL_ERROR,
    IA_TOTAL_TOOL_UNKNOWN, /* it failed, and may have had its effect */
    IA_TOTAL_OUTCOMES
};
enum ia_total_purpose {
    IA_TOTAL_ACT,
    IA_TOTAL_VERIFY,
    IA_TOTAL_PLAN,
    IA_TOTAL_COMPACT,
    IA_TOTAL_SEE,
    IA_TOTAL_OTHER_PURPOSE,
    IA_TOTAL_PURPOSES
};
enum ia_total_tokens {
    IA_TOTAL_INPUT, /* neither read from nor written to the cache */
    IA_TOTAL_CACHE_READ,
    IA_TOTAL_CACHE_WRITE,
    IA_TOTAL_OUTPUT,
    IA_TOTAL_TOKENS
};

struct ia_totals {
    int64_t queued, retries;          /* runs */
    int64_t runs[IA_RUN_STATE_COUNT]; /* that ended so */
    int64_t requests[IA_TOTAL_PURPOSES], request_ms;
    int64_t unpriced; /* requests whose cost is not known, as of the demo brain */
    int64_t request_retries[IA_RC_COUNT + 1]; /* the last: a code of another version */
    int64_t tokens[IA_TOTAL_TOKENS];
    double usd;
    int64_t tools[IA_TOTAL_TOOLS][IA_TOTAL_OUTCOMES], tool_ms, device_us;
};

/* A name for each value of the enums above. */
const char *ia_total_tool_name(enum ia_total_tool tool);
extern const char *const ia_total_purpose_names[IA_TOTAL_PURPOSES];
extern const char *const ia_total_token_names[IA_TOTAL_TOKENS];
extern const char *const ia_total_outcome_names[IA_TOTAL_OUTCOMES];

/* Adds one event. */
void ia_totals_add(struct ia_totals *t, const struct ia_event_row *row);

struct ia_totals_kept;
struct ia_totals_kept *ia_totals_new(void);
void ia_totals_free(struct ia_totals_kept *k); /* NULL is fine */
/* Counts what came since the last call, for at most budget_ms: then IA_E_BUSY, and the next call goes on from there, so
 * that no caller ever sees a part of the sum. Any thread; a second caller waits for the first. */
enum ia_rc ia_totals_read(struct ia_totals_kept *k, struct ia_store *store,
                          const struct ia_clock *clock, int64_t budget_ms,
                          struct ia_totals *ret, struct ia_err *err);

#endif
