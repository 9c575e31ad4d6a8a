/* runs.c: /v1/runs: what was run, what is being run, and what is to be. */
#include "agent/report/report.h"
#include "app/run_json.h"
#include "server/api/handlers.h"
#include "json/json.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* After so many a page ends early: one message alone may have pictures of megabytes. */
enum { PAGE_BYTES = 4 << 20 };

/* ---- reading ----------------------------------------------------------------------------- */

static struct ia_store *store_of(const struct ia_api_call *call)
{
    return call->api->opts.setup->store;
}

static enum ia_rc put_list(struct ia_api_call *call, const struct ia_run_filter *filter,
                           struct ia_err *err)
{
    int64_t total = 0;
    ia_jsonw_key(&call->w, "runs");
    enum ia_rc rc = ia_runs_list(store_of(call), filter, &call->w, err);
    if (rc == IA_OK) {
        rc = ia_store_runs_count(store_of(call), filter, &total, err);
    }
    ia_jsonw_kv_int(&call->w, "total", total);
    return rc;
}

static enum ia_rc list(struct ia_api_call *call, struct ia_err *err)
{
    const struct ia_args *q = &call->query;
    struct ia_run_filter filter = {.limit = (int)ia_args_int(q, "limit", IA_API_PAGE),
                                   .state = ia_args_text(q, "state"),
                                   .before_id = ia_args_text(q, "before"),
                                   .lane = ia_args_text(q, "device"),
                                   .agent = ia_args_text(q, "agent"),
                                   .schedule = ia_args_text(q, "schedule"),
                                   .goal = ia_args_text(q, "goal"),
                                   .text = ia_args_text(q, "text"),
                                   .skip = (int)ia_args_int(q, "skip", 0),
                                   .top = ia_args_has(q, "top")};
    const char *id = ia_args_text(q, "sweep");
    struct ia_sweep_row *sweep = NULL;
    enum ia_rc rc = id ? ia_store_sweep(store_of(call), id, &sweep, err) : IA_OK;
    if (rc == IA_OK) {
        filter.sweep_id = sweep ? sweep->id : NULL;
        rc = put_list(call, &filter, err);
    }
    ia_sweep_row_free(sweep);
    return rc;
}

enum ia_rc ia_api_runs(struct ia_api_call *call, struct ia_err *err)
{
    return ia_api_as_of(call, list, err);
}

/* What was asked for, as POST /v1/runs takes it: so it can be asked for again. */
static void put_job(struct ia_jsonw *w, const struct ia_run_row *row)
{
    json_t *options = json_loads(row->options ? row->options : "{}", JSON_ALLOW_NUL, NULL);
    char *job = json_dumps(json_object_get(options, "job"), JSON_COMPACT);
    ia_jsonw_key(w, "job");
    if (job) {
        ia_jsonw_raw(w, ia_str(job));
    } else {
        ia_jsonw_null(w);
    }
    free(job);
    json_decref(options);
}

static enum ia_rc show(struct ia_api_call *call, struct ia_err *err)
{
    struct ia_run_row *row = NULL;
    enum ia_rc rc = ia_store_run(store_of(call), call->params[0], &row, err);
    if (rc == IA_OK) {
        ia_jsonw_key(&call->w, "run");
        ia_run_json(&call->w, row);
        put_job(&call->w, row);
        rc = ia_runs_children(store_of(call), row->id, &call->w, err);
    }
    ia_run_row_free(row);
    return rc;
}

enum ia_rc ia_api_run(struct ia_api_call *call, struct ia_err *err)
{
    return ia_api_as_of(call, show, err);
}

/* A page of steps, messages or events: those after a number, until it is full. */
struct page {
    struct ia_api_call *call;
    int64_t after, limit, count, last;
    bool demo, more;
};

static bool takes(struct page *p, int64_t no)
{
    if (no <= p->after) {
        return false;
    }
    bool full = p->count > 0 && p->call->result.len > PAGE_BYTES;
    p->more = full || p->count == p->limit;
    p->count += !p->more;
    p->last = p->more ? p->last : no;
    return !p->more;
}

static bool put_step(void *ctx, const struct ia_call_row *row)
{
    struct page *p = ctx;
    if (takes(p, row->step)) {
        ia_call_json(&p->call->w, row);
    }
    return !p->more;
}

static bool put_message(void *ctx, const struct ia_message_row *row)
{
    struct page *p = ctx;
    if (takes(p, row->seq)) {
        ia_message_json(&p->call->w, row, p->demo);
    }
    return !p->more;
}

/* What to ask for as `after` next. */
static void put_next(const struct page *p, bool more)
{
    ia_jsonw_key(&p->call->w, "next");
    if (more) {
        ia_jsonw_int(&p->call->w, p->last);
    } else {
        ia_jsonw_null(&p->call->w);
    }
}

/* {"run","steps"|"messages":[…],"next"|null} */
static enum ia_rc put_page(struct ia_api_call *call, bool messages, struct ia_err *err)
{
    struct ia_run_row *row = NULL;
    struct page p = {.call = call,
                     .after = ia_args_int(&call->query, "after", 0),
                     .limit = ia_args_int(&call->query, "limit", IA_API_PAGE)};
    enum ia_rc rc = ia_store_run(store_of(call), call->params[0], &row, err);
    if (rc != IA_OK) {
        return rc;
    }
    p.demo = row->demo;
    ia_jsonw_kv(&call->w, "run", row->id);
    ia_jsonw_key(&call->w, messages ? "messages" : "steps");
    ia_jsonw_array(&call->w);
    rc = messages ? ia_store_messages(store_of(call), row->id, NULL, put_message, &p, err)
                  : ia_store_calls(store_of(call), row->id, put_step, &p, err);
    ia_jsonw_end_array(&call->w);
    put_next(&p, p.more);
    ia_run_row_free(row);
    return rc;
}

static bool put_event(void *ctx, const struct ia_event_row *row)
{
    struct page *p = ctx;
    if (ia_json_ok(row->json)) { /* a damaged one would make the whole page unreadable */
        ia_jsonw_raw(&p->call->w, row->json);
    }
    p->last = row->seq;
    return p->call->result.len < PAGE_BYTES;
}

/* {"run","events":[…],"next"|null}: the events as they are stored. */
static enum ia_rc put_events(struct ia_api_call *call, struct ia_err *err)
{
    struct ia_run_row *row = NULL;
    struct page p = {.call = call, .last = ia_args_int(&call->query, "after", 0)};
    enum ia_rc rc = ia_store_run(store_of(call), call->params[0], &row, err);
    if (rc != IA_OK) {
        return rc;
    }
    struct ia_event_range range = {.run_id = row->id,
                                   .after_seq = p.last,
                                   .limit =
                                       (int)ia_args_int(&call->query, "limit", IA_API_PAGE)};
    int rest = 0;
    ia_jsonw_kv(&call->w, "run", row->id);
    ia_jsonw_key(&call->w, "events");
    ia_jsonw_array(&call->w);
    rc = ia_store_events(store_of(call), &range, put_event, &p, NULL, err);
    ia_jsonw_end_array(&call->w);
    if (rc == IA_OK) {
        range.after_seq = p.last;
        range.limit = 1;
        rc = ia_store_events_count(store_of(call), &range, &rest, err);
    }
    put_next(&p, rest > 0);
    ia_run_row_free(row);
    return rc;
}

enum ia_rc ia_api_run_events(struct ia_api_call *call, struct ia_err *err)
{
    return ia_api_as_of(call, put_events, err);
}

static enum ia_rc put_steps(struct ia_api_call *call, struct ia_err *err)
{
    return put_page(call, false, err);
}

static enum ia_rc put_messages(struct ia_api_call *call, struct ia_err *err)
{
    return put_page(call, true, err);
}

enum ia_rc ia_api_run_steps(struct ia_api_call *call, struct ia_err *err)
{
    return ia_api_as_of(call, put_steps, err);
}

enum ia_rc ia_api_run_messages(struct ia_api_call *call, struct ia_err *err)
{
    return ia_api_as_of(call, put_messages, err);
}

/* ---- a new run --------------------------------------------------------------------------- */

enum ia_rc ia_api_run_create(struct ia_api_call *call, struct ia_err *err)
{
    struct ia_api_request r;
    struct ia_lent own = {.base_url = ia_api_own_key(call, IA_HTTP_BASE_URL_HEADER)};
    char id[IA_ID_SIZE];
    enum ia_rc rc =
        ia_credentials_of(ia_api_own_key(call, IA_HTTP_API_KEY_HEADER),
                          ia_api_own_key(call, IA_HTTP_AUTH_TOKEN_HEADER), &own.keys, err);
    if (rc == IA_OK) {
        rc = ia_api_request(call, NULL, &r, err);
        if (rc == IA_OK) {
            rc = ia_runs_start_with(call->api->opts.runs, &r.request, &own, id, err);
        }
        ia_api_request_fini(&r);
    }
    ia_credentials_fini(&own.keys);
    if (rc == IA_OK) {
        ia_jsonw_object(&call->w);
        ia_jsonw_key(&call->w, "run");
        rc = ia_runs_show(store_of(call), id, &call->w, err);
        ia_jsonw_end_object(&call->w);
    }
    return rc;
}

/* ---- what is done to one ----------------------------------------------------------------- */

static enum ia_rc tree(struct ia_api_call *call, struct ia_err *err)
{
    struct ia_run_row *row = NULL;
    enum ia_rc rc = ia_store_run(store_of(call), call->params[0], &row, err);
    if (rc == IA_OK) {
        rc = ia_runs_tree(store_of(call), row, NULL, NULL, &call->w, err);
    }
    ia_run_row_free(row);
    return rc;
}

enum ia_rc ia_api_run_tree(struct ia_api_call *call, struct ia_err *err)
{
    return ia_api_as_of(call, tree, err);
}

enum ia_rc ia_api_run_cancel(struct ia_api_call *call, struct ia_err *err)
{
    enum ia_cancel_result result = IA_CANCEL_TOO_LATE;
    struct ia_run_row *row = NULL;
    enum ia_rc rc = ia_store_run(store_of(call), call->params[0], &row, err);
    if (rc == IA_OK) {
        rc = ia_runs_stop(call->api->opts.runs, row->id, &result, err);
    }
    if (rc == IA_OK) {
        rc = ia_run_cancel_json(&call->w, row, result, err);
    }
    ia_run_row_free(row);
    return rc;
}

static void put_state(struct ia_api_call *call, const struct ia_run_row *row)
{
    ia_jsonw_object(&call->w);
    ia_jsonw_kv(&call->w, "run", row->id);
    ia_jsonw_kv(&call->w, "state", ia_run_state_name(row->state));
    ia_jsonw_end_object(&call->w);
}

enum ia_rc ia_api_run_say(struct ia_api_call *call, struct ia_err *err)
{
    struct ia_run_row *row = NULL;
    enum ia_rc rc =
        ia_runs_say(store_of(call), call->params[0], ia_args_text(&call->input, "sender"),
                    ia_args_text(&call->input, "text"), &row, err);
    if (rc == IA_OK) {
        put_state(call, row);
    }
    ia_run_row_free(row);
    return rc;
}

enum ia_rc ia_api_run_resume(struct ia_api_call *call, struct ia_err *err)
{
    struct ia_run_row *row = NULL;
    enum ia_rc rc = ia_runs_resume(call->api->opts.runs, call->params[0], &row, err);
    if (rc == IA_OK) {
        put_state(call, row);
    }
    ia_run_row_free(row);
    return rc;
}

/* ---- reports ----------------------------------------------------------------------------- */

static const char *type_of(enum ia_report_format format)
{
    switch (format) {
    case IA_REPORT_JUNIT:
        return "application/xml; charset=utf-8";
    case IA_REPORT_MD:
        return "text/markdown; charset=utf-8";
    default:
        return NULL;
    }
}

/* The report itself, as a file: an envelope around it would have to be taken off by everybody. */
enum ia_rc ia_api_report(struct ia_api_call *call, struct ia_err *err)
{
    const char *name = ia_args_text(&call->query, "format");
    const struct ia_report_opts opts = {.id = call->params[0],
                                        .format =
                                            ia_report_format_from_name(name ? name : "json"),
                                        .program = call->api->opts.version,
                                        .clock = call->api->opts.clock};
    struct ia_report_done done = {0};
    enum ia_rc rc = ia_report_write(store_of(call), &opts, &done, err);
    if (rc == IA_OK) {
        ia_buf_putstr(&call->reply->body, ia_buf_str(&done.text));
        rc = ia_buf_check(&call->reply->body, "the report", err);
    }
    if (rc == IA_OK) {
        call->reply->content_type = type_of(opts.format);
        call->answered = true;
    }
    ia_report_done_fini(&done);
    return rc;
}
