/* budget.h: what a run may spend, checked before each request.
 *
 * A request is allowed only when what it is projected to cost at least still fits; its
 * max_tokens is then chosen so that what it can cost at most fits too. So a run does not pass
 * its budget of tokens or USD even when the model writes as much as it may. The projection
 * takes the prompt cache as warm: only a cache that expired can make the one last request
 * dearer. Tokens are all tokens: input, read from and written to the cache, and output.
 * Attempts that broke off are counted with the input that they
 * announced and with what arrived of their output, and before each further attempt the budget is
 * asked again. One run owns it. */
#ifndef IA_AGENT_LOOP_BUDGET_H
#define IA_AGENT_LOOP_BUDGET_H

#include "agent/claude/client.h"
#include "agent/goal/request.h"

/* What is asked for where the budget does not bind, and the least that is worth asking for. */
enum { IA_ANSWER_TOKENS = IA_DEFAULT_ANSWER_TOKENS, IA_ANSWER_TOKENS_MIN = 512 };

struct ia_spending {
    struct ia_budget limit;
    const struct ia_models *models;
    int64_t started_us;
    int steps;
    int64_t tokens;
    double usd;     /* known cost */
    double usd_max; /* with an upper estimate for attempts that broke off, and for answers whose
                       cost is not known */
    double
        searches_usd; /* what searches of the next request can cost at most: kept free for them */
    int64_t asked_input, asked_output; /* what the last request was allowed with */
    bool cost_known;
};

/* IA_E_USAGE for negative limits, or a limit in USD when the price of a model is not known
 * (verifier may be NULL). now_us is monotonic. */
enum ia_rc ia_spending_start(struct ia_spending *s, const struct ia_budget *limit,
                             const struct ia_models *models, const char *model,
                             const char *verifier, int64_t now_us, struct ia_err *err);

/* Monotonic time at which the run must have ended, or IA_NO_DEADLINE. */
int64_t ia_spending_deadline(const struct ia_spending *s);

/* IA_E_TIMEOUT, or IA_E_BUDGET when steps are used up; both say how to allow more. */
enum ia_rc ia_spending_check(const struct ia_spending *s, int64_t now_us, struct ia_err *err);

/* Whether the next request fits, and with which max_tokens (at most want). last is the usage of
 * the conversation's last answer, NULL for its first; added_tokens is an estimate of what is
 * new since. IA_E_BUDGET names the limit and the projection. */
enum ia_rc ia_spending_next(struct ia_spending *s, const char *model,
                            const struct ia_claude_usage *last, int64_t added_tokens, int want,
                            int *ret_max_tokens, struct ia_err *err);

/* Counts an answer; reply may be NULL where only attempts broke off. What the server did not
 * say counts as what the request was allowed with, and a model that it calls by an unknown name
 * at the price of the one that was asked for. */
void ia_spending_add(struct ia_spending *s, const char *model,
                     const struct ia_claude_reply *reply,
                     const struct ia_claude_broken *broken);

/* All tokens of one answer; what the server did not say counts as 0. */
int64_t ia_usage_tokens(const struct ia_claude_tokens *t);

#endif
