/* ctrf.c: Common Test Report Format (ctrf.io), specVersion 0.0.0.
 *
 * One object: the run, the tool, a summary and a test for each goal. A goal's last run is
 * the test's own; the ones before it are its retryAttempts. Times are milliseconds since
 * 1970. */
#include "agent/report/model.h"

#include "agent/report/out.h"
#include "base/jsonw.h"

#include <stdlib.h>
#include <string.h>

/* passed, failed, skipped, pending or other. What is not the app's fault is "other". */
static const char *status_of(enum ia_rep_state state)
{
    if (ia_rep_state_good(state)) {
        return "passed";
    }
    if (state == IA_REP_FAILED) {
        return "failed";
    }
    if (state == IA_REP_SKIPPED) {
        return "skipped";
    }
    return ia_rep_state_open(state) ? "pending" : "other";
}

static const char *status_of_goal(const struct ia_rep_goal *g)
{
    return status_of(ia_rep_refused(g) ? IA_REP_FAILED : g->state);
}

static int count(const struct ia_rep *r, const char *status)
{
    int n = 0;
    for (size_t i = 0; i < r->goal_count; i++) {
        n += strcmp(status_of_goal(&r->goals[i]), status) == 0;
    }
    return n;
}

static void put_summary(struct ia_jsonw *w, const struct ia_rep *r)
{
    static const char *const all[] = {"passed", "failed", "skipped", "pending", "other"};
    /* A sweep that is not over yet ends, for the report, now. */
    int64_t stop = r->finished_ms > 0 ? r->finished_ms : r->now_ms;
    int64_t start = r->started_ms > 0 ? r->started_ms : stop;
    ia_jsonw_key(w, "summary");
    ia_jsonw_object(w);
    ia_jsonw_kv_int(w, "tests", (int64_t)r->goal_count);
    for (size_t i = 0; i < IA_COUNTOF(all); i++) {
        ia_jsonw_kv_int(w, all[i], count(r, all[i]));
    }
    ia_jsonw_kv_int(w, "flaky", r->totals.count[IA_REP_FLAKY]);
    ia_jsonw_kv_int(w, "suites", 1);
    ia_jsonw_kv_int(w, "start", start);
    ia_jsonw_kv_int(w, "stop", stop);
    ia_jsonw_kv_int(w, "duration", stop > start ? stop - start : 0);
    ia_jsonw_end_object(w);
}

static void put_attempts(struct ia_jsonw *w, const struct ia_rep_goal *g)
{
    ia_jsonw_kv_int(w, "retries", g->run_count > 1 ? (int64_t)g->run_count - 1 : 0);
    if (g->run_count < 2) {
        return;
    }
    ia_jsonw_key(w, "retryAttempts");
    ia_jsonw_array(w);
    /* Without the last, which the test itself tells. */
    for (size_t i = 0; i + 1 < g->run_count; i++) {
        const struct ia_rep_run *run = &g->runs[i];
        ia_jsonw_object(w);
        ia_jsonw_kv_int(w, "attempt", (int64_t)i + 1);
        ia_jsonw_kv(w, "attemptId", run->row->id);
        ia_jsonw_kv(w, "status", status_of(ia_rep_run_state(run)));
        ia_jsonw_kv_int(w, "duration", run->ms);
        ia_jsonw_kv(w, "message", run->row->summary ? run->row->summary : "");
        ia_jsonw_end_object(w);
    }
    ia_jsonw_end_array(w);
}

static enum ia_rc put_extra(struct ia_jsonw *w, struct ia_store *store,
                            const struct ia_rep_goal *g, const struct ia_rep_run *last,
                            struct ia_err *err)
{
    enum ia_rc rc = IA_OK;
    bool known;
    double usd = ia_rep_goal_cost(g, &known);
    ia_jsonw_key(w, "extra");
    ia_jsonw_object(w);
    ia_jsonw_kv_int(w, "repeat", g->repeat);
    if (known) {
        ia_jsonw_kv_real(w, "cost_usd", usd);
    }
    if (last) {
        ia_jsonw_kv(w, "goal", last->row->goal);
        ia_jsonw_kv(w, "code", last->row->code);
        ia_jsonw_kv(w, "basis", last->row->basis);
        ia_jsonw_kv(w, "outcome", last->row->outcome);
        ia_jsonw_kv(w, "recording", last->row->recording);
        ia_jsonw_kv(w, "model", ia_run_model(last->row));
        ia_jsonw_kv_int(w, "steps", last->row->steps);
        ia_rep_put_expectations(w, last);
        ia_jsonw_kv_bool(w, "demo", last->row->demo);
        ia_jsonw_kv_bool(w, "simulated", last->simulated);
        rc = ia_rep_put_policy(w, store, last->row->id, err);
        rc = rc == IA_OK ? ia_rep_put_subtasks(w, store, last->row->id, err) : rc;
    }
    ia_jsonw_end_object(w);
    return rc;
}

static void put_tags(struct ia_jsonw *w, const struct ia_rep_goal *g)
{
    size_t i = 0;
    const json_t *tag = NULL;
    ia_jsonw_key(w, "tags");
    ia_jsonw_array(w);
    json_array_foreach(g->tags, i, tag)
    {
        if (json_is_string(tag)) {
            ia_jsonw_string(w, json_string_value(tag));
        }
    }
    ia_jsonw_end_array(w);
}

static void put_run(struct ia_jsonw *w, const struct ia_rep_run *last)
{
    ia_jsonw_kv(w, "executionId", last->row->id);
    if (last->row->started_ms > 0) {
        ia_jsonw_kv_int(w, "start", last->row->started_ms);
    }
    if (last->row->finished_ms > 0) {
        ia_jsonw_kv_int(w, "stop", last->row->finished_ms);
    }
    if (last->device_name[0] != '\0') {
        ia_jsonw_kv(w, "device", last->device_name);
    }
}

static enum ia_rc put_test(struct ia_jsonw *w, const struct ia_rep *r,
                           const struct ia_rep_goal *g, struct ia_err *err)
{
    const struct ia_rep_run *last = ia_rep_last(g);
    ia_jsonw_object(w);
    ia_jsonw_kv(w, "name", g->name[0] != '\0' ? g->name : "goal");
    ia_jsonw_kv(w, "status", status_of_goal(g));
    ia_jsonw_kv_int(w, "duration", ia_rep_goal_ms(g));
    ia_jsonw_kv(w, "rawStatus", ia_rep_state_name(g->state));
    ia_jsonw_kv(w, "type", "e2e");
    ia_jsonw_kv_bool(w, "flaky", g->state == IA_REP_FLAKY);
    ia_jsonw_key(w, "suite");
    ia_jsonw_array(w);
    ia_jsonw_string(w, r->title);
    ia_jsonw_end_array(w);
    if (g->file) {
        ia_jsonw_kv(w, "filePath", g->file);
        ia_jsonw_kv_int(w, "line", g->line);
    }
    if (!ia_rep_state_good(g->state) || ia_rep_refused(g)) {
        ia_jsonw_kv(w, "message", ia_rep_goal_story(g));
    }
    if (last) {
        put_run(w, last);
    }
    put_tags(w, g);
    put_attempts(w, g);
    enum ia_rc rc = put_extra(w, r->store, g, last, err);
    ia_jsonw_end_object(w);
    return rc;
}

static void put_tool(struct ia_jsonw *w, const char *program)
{
    const char *space = strchr(program, ' ');
    ia_jsonw_key(w, "tool");
    ia_jsonw_object(w);
    ia_jsonw_kv(w, "name", "ios-agent");
    ia_jsonw_kv(w, "version", space ? space + 1 : "");
    ia_jsonw_end_object(w);
}

enum ia_rc ia_rep_ctrf(const struct ia_rep *r, struct ia_out *out, struct ia_err *err)
{
    struct ia_jsonw w;
    char iso[IA_ISO_SIZE];
    enum ia_rc rc = IA_OK;
    ia_iso_format(r->now_ms, iso);
    ia_jsonw_init(&w, &out->buf);
    ia_jsonw_object(&w);
    ia_jsonw_kv(&w, "reportFormat", "CTRF");
    ia_jsonw_kv(&w, "specVersion", "0.0.0");
    ia_jsonw_kv(&w, "runId", r->id);
    ia_jsonw_kv(&w, "timestamp", iso);
    ia_jsonw_kv(&w, "generatedBy", r->program);
    ia_jsonw_key(&w, "results");
    ia_jsonw_object(&w);
    put_tool(&w, r->program);
    put_summary(&w, r);
    ia_jsonw_key(&w, "tests");
    ia_jsonw_array(&w);
    for (size_t i = 0; rc == IA_OK && i < r->goal_count; i++) {
        rc = put_test(&w, r, &r->goals[i], err);
        ia_out_flush(out);
    }
    ia_jsonw_end_array(&w);
    ia_jsonw_end_object(&w);
    ia_jsonw_end_object(&w);
    ia_buf_putc(&out->buf, '\n');
    return rc;
}
