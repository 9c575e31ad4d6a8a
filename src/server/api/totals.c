/* totals.c: adds up events.
 *
 *   id 0 ──────────► last ─────────────► newest
 *        in the sum       read now, in
 *                         batches
 *
 * Every label has a value of a fixed list, whatever a model or a folder calls its tools: who stores series by label
 * must not get one more for each goal. */
#include "server/api/totals.h"

#include "agent/core_tools/core_tools.h"
#include "agent/skills/skills.h"
#include "agent/verdict/subtasks.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

const char *const ia_total_purpose_names[IA_TOTAL_PURPOSES] = {
    [IA_TOTAL_ACT] = "act",   [IA_TOTAL_VERIFY] = "verify",
    [IA_TOTAL_PLAN] = "plan", [IA_TOTAL_COMPACT] = "compact",
    [IA_TOTAL_SEE] = "see",   [IA_TOTAL_OTHER_PURPOSE] = "other",
};
const char *const ia_total_token_names[IA_TOTAL_TOKENS] = {
    [IA_TOTAL_INPUT] = "input",
    [IA_TOTAL_CACHE_READ] = "cache_read",
    [IA_TOTAL_CACHE_WRITE] = "cache_write",
    [IA_TOTAL_OUTPUT] = "output",
};
const char *const ia_total_outcome_names[IA_TOTAL_OUTCOMES] = {
    [IA_TOTAL_TOOL_OK] = "ok",
    [IA_TOTAL_TOOL_ERROR] = "error",
    [IA_TOTAL_TOOL_UNKNOWN] = "unknown",
};

const char *ia_total_tool_name(enum ia_total_tool tool)
{
    static const char *const own[] = {
        [IA_TOTAL_FETCH_URL - IA_TOOL_COUNT] = IA_TOOL_FETCH_URL,
        [IA_TOTAL_MEMORY - IA_TOOL_COUNT] = IA_TOOL_MEMORY,
        [IA_TOTAL_USE_SKILL - IA_TOOL_COUNT] = IA_USE_SKILL,
        [IA_TOTAL_DELEGATE - IA_TOOL_COUNT] = IA_DELEGATE,
        [IA_TOTAL_OTHER_TOOL - IA_TOOL_COUNT] = "other",
    };
    return (int)tool < IA_TOOL_COUNT ? ia_tool_name((enum ia_tool)tool)
                                     : own[tool - IA_TOOL_COUNT];
}

/* ---- one event --------------------------------------------------------------------------- */

static enum ia_total_tool tool_of(const struct ia_event_tool_finished *e)
{
    int tool = 0;
    if (e->skill.n > 0) { /* a skill may call its tool as it likes */
        return IA_TOTAL_OTHER_TOOL;
    }
    while (tool < IA_TOTAL_OTHER_TOOL &&
           !ia_str_is(e->tool, ia_total_tool_name((enum ia_total_tool)tool))) {
        tool++;
    }
    return (enum ia_total_tool)tool;
}

static void add_tool(struct ia_totals *t, const struct ia_event_tool_finished *e)
{
    enum ia_total_outcome outcome = e->ok                              ? IA_TOTAL_TOOL_OK
                                    : ia_str_is(e->outcome, "unknown") ? IA_TOTAL_TOOL_UNKNOWN
                                                                       : IA_TOTAL_TOOL_ERROR;
    t->tools[tool_of(e)][outcome]++;
    t->tool_ms += e->ms;
    t->device_us += e->device_us;
}

static void add_request(struct ia_totals *t, const struct ia_event_request_finished *e)
{
    int purpose = 0;
    while (purpose < IA_TOTAL_OTHER_PURPOSE &&
           !ia_str_is(e->purpose, ia_total_purpose_names[purpose])) {
        purpose++;
    }
    t->requests[purpose]++;
    t->request_ms += e->ms;
    t->unpriced += !e->cost_usd.known;
    t->usd += e->cost_usd.known ? e->cost_usd.usd : 0;
    t->tokens[IA_TOTAL_INPUT] += e->usage.input;
    t->tokens[IA_TOTAL_CACHE_READ] += e->usage.cache_read;
    t->tokens[IA_TOTAL_CACHE_WRITE] += e->usage.cache_write;
    t->tokens[IA_TOTAL_OUTPUT] += e->usage.output;
}

static void add_read(struct ia_totals *t, const struct ia_event *e)
{
    if (e->type == IA_EVENT_RUN_FINISHED) {
        enum ia_run_state state = ia_run_state_from_name(ia_event_text(e->run_finished.state));
        if (state < IA_RUN_STATE_COUNT) {
            t->runs[state]++;
        }
    } else if (e->type == IA_EVENT_REQUEST_FINISHED) {
        add_request(t, &e->request_finished);
    } else if (e->type == IA_EVENT_REQUEST_RETRY) {
        t->request_retries[ia_rc_from_name(ia_event_text(e->request_retry.code))]++;
    } else if (e->type == IA_EVENT_TOOL_FINISHED) {
        add_tool(t, &e->tool_finished);
    }
}

/* Most events are of no interest, and only those that are get parsed. */
void ia_totals_add(struct ia_totals *t, const struct ia_event_row *row)
{
    struct ia_event e;
    switch (row->type) {
    case IA_EVENT_RUN_QUEUED:
        t->queued++;
        return;
    case IA_EVENT_RUN_RETRY_WAIT:
        t->retries++;
        return;
    case IA_EVENT_RUN_FINISHED:
    case IA_EVENT_REQUEST_FINISHED:
    case IA_EVENT_REQUEST_RETRY:
    case IA_EVENT_TOOL_FINISHED:
        if (ia_event_read(&e, row->json)) {
            add_read(t, &e);
        }
        ia_event_fini(&e);
        return;
    default:
        return;
    }
}

/* ---- all of them ------------------------------------------------------------------------- */

struct ia_totals_kept {
    pthread_mutex_t mutex; /* guards the others; held while the store is read */
    struct ia_totals sum;
    int64_t last; /* id of the newest event in it */
    int batch;    /* events of the batch in hand */
};

struct ia_totals_kept *ia_totals_new(void)
{
    struct ia_totals_kept *k = ia_calloc(1, sizeof(*k));
    pthread_mutex_init(&k->mutex, NULL);
    return k;
}

void ia_totals_free(struct ia_totals_kept *k)
{
    if (k) {
        pthread_mutex_destroy(&k->mutex);
        free(k);
    }
}

/* Moves on with each event, so that a batch that breaks off counts none twice. */
static bool add_row(void *ctx, const struct ia_event_row *row)
{
    struct ia_totals_kept *k = ctx;
    ia_totals_add(&k->sum, row);
    k->last = row->id;
    k->batch++;
    return true;
}

static enum ia_rc still_counting(const struct ia_totals_kept *k, struct ia_err *err)
{
    enum ia_rc rc = ia_err_set(err, IA_E_BUSY, "still counting the history: %lld events so far",
                               (long long)k->last);
    ia_err_hint(err, "ask again: counting goes on where it stopped");
    return rc;
}

enum ia_rc ia_totals_read(struct ia_totals_kept *k, struct ia_store *store,
                          const struct ia_clock *clock, int64_t budget_ms,
                          struct ia_totals *ret, struct ia_err *err)
{
    enum ia_rc rc = IA_OK;
    pthread_mutex_lock(&k->mutex);
    int64_t until_us = ia_mono_us(clock) + budget_ms * 1000;
    do {
        const struct ia_event_range range = {.after_id = k->last};
        k->batch = 0;
        rc = ia_store_events(store, &range, add_row, k, NULL, err);
        if (rc == IA_OK && k->batch == IA_EVENT_BATCH_MAX && ia_mono_us(clock) >= until_us) {
            rc = still_counting(k, err);
        }
    } while (rc == IA_OK && k->batch == IA_EVENT_BATCH_MAX);
    if (rc == IA_OK) {
        *ret = k->sum;
    }
    pthread_mutex_unlock(&k->mutex);
    return rc;
}
