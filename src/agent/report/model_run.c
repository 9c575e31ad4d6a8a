/* model_run.c: the head of one run: what its row and its result say. */
#include "agent/report/model.h"

#include "events/basis.h"

#include <stdlib.h>
#include <string.h>

enum { EVIDENCE_MAX = 64 };

/* ---- reading ----------------------------------------------------------------------------- */

static json_t *load(const char *json)
{
    return json ? json_loads(json, JSON_ALLOW_NUL, NULL) : NULL;
}

struct ia_str ia_rep_text(const json_t *object, const char *key)
{
    const json_t *v = json_object_get(object, key);
    return json_is_string(v) ? (struct ia_str){json_string_value(v), json_string_length(v)}
                             : (struct ia_str){"", 0};
}

static void fill_evidence(struct ia_rep_run *run)
{
    const struct ia_event_evidence_list *list = &run->end.run_finished.result.evidence;
    size_t n = list->n > EVIDENCE_MAX ? EVIDENCE_MAX : list->n;
    run->evidence = ia_calloc(n + 1, sizeof(*run->evidence));
    for (size_t i = 0; i < n; i++) {
        run->evidence[i].quote = ia_event_text(list->items[i].quote);
        run->evidence[i].step = (int)list->items[i].step;
        run->evidence[i].pictured = list->items[i].pictured;
        run->evidence[i].unproven = list->items[i].unproven;
    }
    run->evidence_count = n;
}

static int64_t duration(const struct ia_run_row *row, int64_t now_ms)
{
    int64_t end = row->finished_ms > 0 ? row->finished_ms : now_ms;
    return row->started_ms > 0 && end > row->started_ms ? end - row->started_ms : 0;
}

void ia_rep_run_fill(struct ia_rep_run *run, struct ia_run_row *row, const char *device,
                     int64_t now_ms)
{
    json_t *options = load(row->options);
    json_t *job = json_object_get(options, "job");
    *run = (struct ia_rep_run){
        .row = row,
        .device = load(device ? device : row->device),
        .expect = load(row->expect),
        .job = json_incref(job ? job : options),
        .ms = duration(row, now_ms),
        .hint = "",
        .message = "",
    };
    json_decref(options);
    bool owned = row->state == IA_RUN_RUNNING || row->state == IA_RUN_CLAIMED;
    run->gone = owned && !ia_run_owner_alive(row);
    run->device_name = ia_rep_text(run->device, "name").p;
    run->os = ia_rep_text(run->device, "os").p;
    run->simulated = json_is_true(json_object_get(run->device, "simulated"));
    if (ia_event_read_body(&run->end, IA_EVENT_RUN_FINISHED, ia_str(row->result))) {
        run->hint = ia_event_text(run->end.run_finished.hint);
        run->message = ia_event_text(run->end.run_finished.message);
        fill_evidence(run);
    }
    if (row->summary && strcmp(row->summary, run->message) == 0) {
        run->message = "";
    }
}

void ia_rep_run_fini(struct ia_rep_run *run)
{
    free(run->evidence);
    ia_event_fini(&run->end);
    json_decref(run->device);
    json_decref(run->expect);
    json_decref(run->job);
    ia_run_row_free(run->row);
    *run = (struct ia_rep_run){0};
}

/* ---- telling ----------------------------------------------------------------------------- */

enum ia_rep_state ia_rep_run_state(const struct ia_rep_run *run)
{
    switch (run->row->state) {
    case IA_RUN_QUEUED:
    case IA_RUN_RETRY_WAIT:
        return IA_REP_WAITING;
    case IA_RUN_CLAIMED:
    case IA_RUN_RUNNING:
        return IA_REP_RUNNING;
    case IA_RUN_PASSED:
        return ia_outcome_healed(run->row->outcome) ? IA_REP_HEALED : IA_REP_PASSED;
    case IA_RUN_FAILED:
        return IA_REP_FAILED;
    case IA_RUN_BLOCKED:
    case IA_RUN_ASKING:
        return IA_REP_BLOCKED;
    case IA_RUN_CANCELLED:
        return IA_REP_CANCELLED;
    default:
        return IA_REP_ERROR;
    }
}

const struct ia_event_expects *ia_rep_checked(const struct ia_rep_run *run, const char *expect)
{
    const struct ia_event_expects_list *list = &run->end.run_finished.result.expects;
    for (size_t i = 0; run->end.type == IA_EVENT_RUN_FINISHED && i < list->n; i++) {
        if (ia_str_is(list->items[i].expect, expect)) {
            return &list->items[i];
        }
    }
    return NULL;
}

const char *ia_rep_checked_words(const struct ia_event_expects *checked)
{
    return !checked ? "not checked" : checked->held ? "holds" : "does not hold";
}

const char *ia_rep_basis(const struct ia_rep_run *run)
{
    return ia_basis_words(ia_basis_from_name(ia_str(run->row->basis ? run->row->basis : "")));
}

void ia_rep_replay(const struct ia_rep_run *run, struct ia_buf *out)
{
    if (run->end.type == IA_EVENT_RUN_FINISHED) {
        ia_replay_words(&run->end.run_finished.result.replay, (double)run->ms / 1000.0, out);
    }
}

bool ia_rep_run_usd(const struct ia_rep_run *run, double *ret_usd)
{
    const struct ia_usage_row *u = &run->row->usage;
    *ret_usd = (u->cost_known ? u->cost_usd : 0) + run->below.usd;
    return u->cost_known && (run->below.runs == 0 || run->below.cost_known);
}

void ia_rep_cost(const struct ia_rep_run *run, struct ia_buf *out)
{
    double usd;
    if (run->row->demo) {
        ia_buf_puts(out, "nothing billed");
    } else if (!ia_rep_run_usd(run, &usd)) {
        ia_buf_puts(out, "unknown");
    } else {
        ia_fmt_usd(out, usd);
    }
    if (run->below.runs > 0) {
        ia_buf_printf(out, ", with %lld subtask%s", (long long)run->below.runs,
                      run->below.runs == 1 ? "" : "s");
    }
}
