/* run_text.c: a run as a model reads it: our own lines first, then, fenced, what its screens and its
 * model said. */
#include "app/run_json.h"
#include "events/basis.h"
#include "events/events.h"
#include "server/mcp/run_tools.h"
#include "json/json.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { SAID_MAX = 16 << 10, EVIDENCE_MAX = 12 };

int ia_mcp_run_max_steps(const struct ia_run_row *row)
{
    json_t *budget = json_loads(row->budget ? row->budget : "{}", 0, NULL);
    int steps = (int)json_integer_value(json_object_get(budget, "max_steps"));
    json_decref(budget);
    return steps;
}

/* "passed" as "PASSED"; a passed replay is REPLAYED or HEALED. */
static void put_state(struct ia_buf *out, const struct ia_run_row *row)
{
    for (const char *p = ia_run_word(row->state, row->outcome); *p; p++) {
        ia_buf_putc(out, (char)(*p == '_' ? ' ' : toupper((unsigned char)*p)));
    }
}

static void put_seconds(struct ia_buf *out, int64_t ms)
{
    if (ms >= 0) {
        ia_buf_printf(out, ", %lld s", (long long)((ms + 500) / 1000));
    }
}

/* ---- a run that goes on ------------------------------------------------------------------- */

static void put_unfinished(struct ia_buf *out, const struct ia_run_row *row, int64_t now_ms)
{
    int max = ia_mcp_run_max_steps(row);
    put_state(out, row);
    if (row->steps > 0 || row->state == IA_RUN_RUNNING) {
        ia_buf_printf(out, " step %d", row->steps);
        if (max > 0) {
            ia_buf_printf(out, " of %d", max);
        }
    }
    put_seconds(out, row->started_ms > 0 ? now_ms - row->started_ms : -1);
    if (row->state == IA_RUN_RETRY_WAIT && row->code) {
        ia_buf_printf(out, ", after %s", row->code);
    }
    if (row->state == IA_RUN_ASKING) {
        ia_buf_printf(out,
                      "\na person must decide, and you cannot: tell your user to answer with "
                      "ios-agent approve %s "
                      "or ios-agent deny %s; the run then goes on",
                      row->id, row->id);
    }
    ia_buf_printf(out, "\nask run_status with id %s, wait_seconds 45", row->id);
}

/* ---- a run that has ended ----------------------------------------------------------------- */

static void put_evidence(struct ia_buf *out, const json_t *list)
{
    size_t i = 0;
    const json_t *e = NULL;
    json_array_foreach(list, i, e)
    {
        json_int_t step = json_integer_value(json_object_get(e, "step"));
        if (i < EVIDENCE_MAX) {
            ia_buf_printf(out, "evidence: \"%s\"", ia_json_text(e, "quote"));
            if (json_object_get(e, "step")) {
                ia_buf_printf(out, " (step %lld)", (long long)step);
            }
            ia_buf_putc(out, '\n');
        }
    }
}

static void put_missed(struct ia_buf *out, const json_t *list)
{
    size_t i = 0;
    const json_t *e = NULL;
    json_array_foreach(list, i, e)
    {
        if (!json_is_true(json_object_get(e, "held"))) {
            ia_buf_printf(out, "does not hold: %s; found: %s\n", ia_json_text(e, "expect"),
                          ia_json_text(e, "found"));
        }
    }
}

/* What the run's screens and its model said. */
static void put_said(struct ia_mcp_result *ret, const struct ia_run_row *row,
                     const json_t *result)
{
    struct ia_buf said = IA_BUF(SAID_MAX);
    if (row->summary && *row->summary) {
        ia_buf_printf(&said, "summary: %s\n", row->summary);
    }
    put_missed(&said, json_object_get(result, "expects"));
    put_evidence(&said, json_object_get(result, "evidence"));
    if (said.len > 0) {
        ia_mcp_put_text(ret, ia_buf_str(&said), true);
    }
    ia_buf_fini(&said);
}

/* What a replay did, and what is to be decided. */
static void put_replay(struct ia_buf *out, const struct ia_run_row *row)
{
    struct ia_event e;
    struct ia_buf words = IA_BUF(SAID_MAX);
    if (ia_event_read_body(&e, IA_EVENT_RUN_FINISHED, ia_str(row->result))) {
        ia_replay_words(&e.run_finished.result.replay, e.run_finished.result.seconds, &words);
    }
    ia_event_fini(&e);
    if (words.len > 0) {
        ia_buf_printf(out, "\n%s", ia_buf_cstr(&words));
    }
    if (ia_outcome_healed(row->outcome)) {
        ia_buf_puts(
            out, "\nhealed, not passed: a person decides with ios-agent recordings accept or "
                 "reject");
    }
    ia_buf_fini(&words);
}

static void put_what_next(struct ia_buf *out, const struct ia_run_row *row)
{
    if (row->state == IA_RUN_BLOCKED) {
        ia_buf_printf(
            out,
            "\na person must do what the summary says; then it goes on with: ios-agent "
            "resume %s",
            row->id);
    }
}

static void put_finished(struct ia_mcp_result *ret, const struct ia_run_row *row)
{
    json_t *result = row->result ? json_loads(row->result, 0, NULL) : NULL;
    const char *words =
        row->basis ? ia_basis_words(ia_basis_from_name(ia_str(row->basis))) : "";
    bool passed = row->state == IA_RUN_PASSED;
    put_state(&ret->text, row);
    ia_buf_printf(&ret->text, " in %d step%s", row->steps, row->steps == 1 ? "" : "s");
    put_seconds(&ret->text, ia_run_duration_ms(row));
    if (row->usage.cost_known && !row->demo) {
        ia_buf_printf(&ret->text, ", $%.3f", row->usage.cost_usd);
    }
    if (row->demo) {
        ia_buf_puts(&ret->text, "\nthe demo brain answered, which does not reason");
    }
    if (!passed && row->code && *row->code) {
        ia_buf_printf(&ret->text, "\ncode: %s", row->code);
    }
    if (*words) {
        ia_buf_printf(&ret->text, "\nbasis: %s", words);
    }
    put_replay(&ret->text, row);
    ia_buf_printf(&ret->text, "\nrun %s", row->id);
    put_what_next(&ret->text, row);
    put_said(ret, row, result);
    json_decref(result);
}

void ia_mcp_put_run(struct ia_mcp_result *ret, const struct ia_run_row *row, int64_t now_ms)
{
    if (ia_run_state_final(row->state)) {
        put_finished(ret, row);
        ret->failed = row->state != IA_RUN_PASSED && row->state != IA_RUN_BLOCKED;
    } else {
        put_unfinished(&ret->text, row, now_ms);
        if (row->state == IA_RUN_ASKING) {
            put_said(ret, row, NULL);
        }
    }
}
