/* budget.c: what the next request may cost. Two projections decide: the least that it costs
 * (input as estimated, the shortest useful answer) must fit, and max_tokens is chosen so that
 * the most fits.
 *
 * usd is what is known to be spent, usd_max an upper bound that also counts what cannot be
 * known (attempts that broke off, usage that a server did not tell). Limits are held against
 * the bound, reports show what is known. */
#include "agent/loop/budget.h"

static int64_t known(int64_t tokens)
{
    return tokens > 0 ? tokens : 0;
}

int64_t ia_usage_tokens(const struct ia_claude_tokens *t)
{
    return known(t->input) + known(t->cache_read) + known(t->cache_write) + known(t->output);
}

/* Iterations may be more than the whole, which leaves out compaction. */
static int64_t all_tokens(const struct ia_claude_usage *u)
{
    int64_t tokens = 0, whole = ia_usage_tokens(&u->total);
    for (size_t i = 0; i < u->iteration_count; i++) {
        tokens += ia_usage_tokens(&u->iterations[i]);
    }
    return tokens > whole ? tokens : whole;
}

static bool priced(const struct ia_models *models, const char *model)
{
    double usd;
    return ia_models_project(models, model, NULL, 1, 1, &usd);
}

static enum ia_rc need_price(const struct ia_models *models, const char *model,
                             struct ia_err *err)
{
    if (!model || priced(models, model)) {
        return IA_OK;
    }
    ia_err_set(err, IA_E_USAGE,
               "the price of model %.80s is not known, so a limit in USD cannot be enforced",
               model);
    ia_err_hint(err, "Leave out --max-usd and use --max-tokens, or choose a model with a known "
                     "price.");
    return IA_E_USAGE;
}

enum ia_rc ia_spending_start(struct ia_spending *s, const struct ia_budget *limit,
                             const struct ia_models *models, const char *model,
                             const char *verifier, int64_t now_us, struct ia_err *err)
{
    if (limit->max_steps < 0 || limit->max_seconds < 0 || limit->max_tokens < 0 ||
        !(limit->max_usd >= 0)) {
        return ia_err_set(err, IA_E_USAGE, "a budget must not be negative");
    }
    /* Refused at the start: a limit that cannot be enforced would be none. */
    if (limit->max_usd > 0) {
        enum ia_rc rc = need_price(models, model, err);
        rc = rc == IA_OK ? need_price(models, verifier, err) : rc;
        if (rc != IA_OK) {
            return rc;
        }
    }
    *s = (struct ia_spending){
        .limit = *limit, .models = models, .started_us = now_us, .cost_known = true};
    if (s->limit.max_steps == 0) {
        s->limit.max_steps = IA_STEPS_DEFAULT;
    }
    return IA_OK;
}

int64_t ia_spending_deadline(const struct ia_spending *s)
{
    return s->limit.max_seconds > 0 ? s->started_us + (int64_t)s->limit.max_seconds * 1000000
                                    : IA_NO_DEADLINE;
}

enum ia_rc ia_spending_check(const struct ia_spending *s, int64_t now_us, struct ia_err *err)
{
    if (now_us >= ia_spending_deadline(s)) {
        ia_err_set(err, IA_E_TIMEOUT, "the time budget of %d s is used up",
                   s->limit.max_seconds);
        ia_err_hint(err, "Allow more with --max-seconds.");
        return IA_E_TIMEOUT;
    }
    if (s->steps >= s->limit.max_steps) {
        ia_err_set(err, IA_E_BUDGET, "the budget of %d steps is used up", s->limit.max_steps);
        ia_err_hint(err, "Allow more with --max-steps, or give a smaller goal.");
        return IA_E_BUDGET;
    }
    return IA_OK;
}

/* What the next request sends, in tokens. */
static int64_t projected_input(const struct ia_claude_usage *last, int64_t added_tokens)
{
    /* The last answer is part of the next prompt, so its output counts too. */
    return (last ? ia_usage_tokens(&last->total) : 0) + added_tokens;
}

static enum ia_rc fit_tokens(const struct ia_spending *s, const struct ia_claude_usage *last,
                             int64_t added_tokens, int *max_tokens, struct ia_err *err)
{
    if (s->limit.max_tokens <= 0) {
        return IA_OK;
    }
    int64_t left = s->limit.max_tokens - s->tokens - projected_input(last, added_tokens);
    if (left < IA_ANSWER_TOKENS_MIN) {
        ia_err_set(err, IA_E_BUDGET,
                   "the budget of %lld tokens does not allow the next request: %lld are used, "
                   "about %lld more are needed",
                   (long long)s->limit.max_tokens, (long long)s->tokens,
                   (long long)projected_input(last, added_tokens) + IA_ANSWER_TOKENS_MIN);
        ia_err_hint(err, "Allow more with --max-tokens.");
        return IA_E_BUDGET;
    }
    *max_tokens = left < *max_tokens ? (int)left : *max_tokens;
    return IA_OK;
}

static enum ia_rc fit_usd(const struct ia_spending *s, const char *model,
                          const struct ia_claude_usage *last, int64_t added_tokens,
                          int *max_tokens, struct ia_err *err)
{
    double least = 0, most = 0;
    if (s->limit.max_usd <= 0 ||
        !ia_models_project(s->models, model, last, added_tokens, IA_ANSWER_TOKENS_MIN,
                           &least) ||
        !ia_models_project(s->models, model, last, added_tokens, *max_tokens, &most)) {
        return IA_OK; /* that prices are known was checked at the start */
    }
    double left = s->limit.max_usd - s->usd_max - s->searches_usd;
    if (least > left) {
        ia_err_set(
            err, IA_E_BUDGET,
            "the budget of $%.4f does not allow the next request: $%.4f are spent, about "
            "$%.4f more are needed",
            s->limit.max_usd, s->usd_max, least + s->searches_usd);
        ia_err_hint(err, "Allow more with --max-usd, or choose a cheaper model.");
        return IA_E_BUDGET;
    }
    /* Cost grows evenly with the answer's length, so the length that just fits lies between
     * the two projections. */
    if (most > left) {
        double per_token = (most - least) / (*max_tokens - IA_ANSWER_TOKENS_MIN);
        *max_tokens = IA_ANSWER_TOKENS_MIN + (int)((left - least) / per_token);
    }
    return IA_OK;
}

enum ia_rc ia_spending_next(struct ia_spending *s, const char *model,
                            const struct ia_claude_usage *last, int64_t added_tokens, int want,
                            int *ret_max_tokens, struct ia_err *err)
{
    int max_tokens = want;
    const struct ia_model *m = ia_models_find(s->models, model);
    if (m && m->max_output_tokens > 0 && m->max_output_tokens < max_tokens) {
        max_tokens = (int)m->max_output_tokens;
    }
    enum ia_rc rc = fit_tokens(s, last, added_tokens, &max_tokens, err);
    if (rc == IA_OK) {
        rc = fit_usd(s, model, last, added_tokens, &max_tokens, err);
    }
    if (rc == IA_OK) {
        s->asked_input = projected_input(last, added_tokens);
        s->asked_output = max_tokens;
        *ret_max_tokens = max_tokens;
    }
    return rc;
}

static void add_broken(struct ia_spending *s, const char *model,
                       const struct ia_claude_broken *broken)
{
    if (broken->turns == 0) {
        return;
    }
    double usd = 0;
    s->tokens += known(broken->input_tokens) + known(broken->output_tokens);
    /* How much of it is billed, nobody tells. */
    s->cost_known = false;
    if (ia_models_project(s->models, model, NULL, known(broken->input_tokens),
                          known(broken->output_tokens), &usd)) {
        s->usd_max += usd;
    }
}

/* The usage of an answer, with the projection in place of what the server did not say. */
static struct ia_claude_usage at_most(const struct ia_spending *s,
                                      const struct ia_claude_tokens *said)
{
    struct ia_claude_usage u = {.total = *said};
    int64_t cached = known(said->cache_read) + known(said->cache_write);
    /* Priced as the model that was asked. */
    u.total.model[0] = '\0';
    if (said->input < 0) {
        u.total.input = known(s->asked_input - cached);
    }
    if (said->output < 0) {
        u.total.output = s->asked_output;
    }
    return u;
}

void ia_spending_add(struct ia_spending *s, const char *model,
                     const struct ia_claude_reply *reply, const struct ia_claude_broken *broken)
{
    if (broken) {
        add_broken(s, model, broken);
    }
    if (!reply) {
        return;
    }
    struct ia_claude_usage most = at_most(s, &reply->message.usage.total);
    double usd = 0;
    int64_t billed = all_tokens(&reply->message.usage), asked = ia_usage_tokens(&most.total);
    s->tokens += billed > asked ? billed : asked;
    if (reply->cost_known) {
        s->usd += reply->cost_usd;
        s->usd_max += reply->cost_usd;
        return;
    }
    s->cost_known = false;
    if (ia_models_cost(s->models, model, &most, &usd)) {
        s->usd_max += usd;
    }
}
