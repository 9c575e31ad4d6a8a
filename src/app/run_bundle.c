/* run_bundle.c: a run as text, and back. Texts that were sent or shown are kept byte for byte, as strings. Events are
 * objects: they are parsed with the list of known events and written again. */
#include "app/run_bundle.h"

#include "base/clock.h"
#include "base/jsonw.h"
#include "store/fleet_runs.h"
#include "json/json.h"

#include <stdlib.h>
#include <string.h>

enum { VERSION = 1, DEPTH_MAX = 64, EVENTS_MAX = 20000, VALUES_MAX = 1000000 };

static const int64_t YEAR_10000_MS = INT64_C(253402300800000);

struct ia_run_bundle {
    json_t *doc;
    struct ia_event *events;
    size_t event_count;
    enum ia_run_state state;
    char (*blobs)[IA_SHA256_HEX_SIZE];
    size_t blob_count;
    char os[32];
    char recording[IA_ID_SIZE]; /* at the submitter; "": unknown */
};

/* ---- writing ----------------------------------------------------------------------------- */

struct writing {
    struct ia_jsonw w;
    int64_t last_id;
    int count;
};

static void put_usage(struct ia_jsonw *w, const struct ia_usage_row *u)
{
    ia_jsonw_kv_int(w, "input", u->input);
    ia_jsonw_kv_int(w, "cache_read", u->cache_read);
    ia_jsonw_kv_int(w, "cache_write", u->cache_write);
    ia_jsonw_kv_int(w, "output", u->output);
    ia_jsonw_kv_known(w, "cost_usd", u->cost_usd, u->cost_known);
}

static void put_str(struct ia_jsonw *w, const char *key, struct ia_str s)
{
    ia_jsonw_key(w, key);
    ia_jsonw_str(w, s);
}

static void put_row(struct ia_jsonw *w, const struct ia_run_row *r)
{
    const struct {
        const char *key, *value;
    } texts[] = {{"run", r->id},
                 {"state", ia_run_state_name(r->state)},
                 {"code", r->code},
                 {"summary", r->summary},
                 {"basis", r->basis},
                 {"result", r->result},
                 {"screenshot", r->screenshot},
                 {"outcome", r->outcome},
                 {"notes", r->notes},
                 {"lane", r->lane}};
    for (size_t i = 0; i < IA_COUNTOF(texts); i++) {
        ia_jsonw_kv(w, texts[i].key, texts[i].value);
    }
    ia_jsonw_kv_int(w, "steps", r->steps);
    ia_jsonw_kv_int(w, "started_ms", r->started_ms);
    ia_jsonw_kv_int(w, "finished_ms", r->finished_ms);
    put_usage(w, &r->usage);
}

static bool put_event(void *ctx, const struct ia_event_row *row)
{
    struct writing *x = ctx;
    ia_jsonw_raw(&x->w, row->json);
    x->last_id = row->id;
    x->count++;
    return true;
}

static bool put_message(void *ctx, const struct ia_message_row *m)
{
    struct writing *x = ctx;
    ia_jsonw_object(&x->w);
    ia_jsonw_kv_int(&x->w, "seq", m->seq);
    ia_jsonw_kv(&x->w, "role", m->role);
    ia_jsonw_kv(&x->w, "purpose", m->purpose);
    put_str(&x->w, "content", m->content);
    ia_jsonw_kv(&x->w, "stop_reason", m->stop_reason);
    ia_jsonw_kv(&x->w, "model", m->model);
    ia_jsonw_kv(&x->w, "request_id", m->request_id);
    put_usage(&x->w, &m->usage);
    ia_jsonw_kv_int(&x->w, "ms", m->ms);
    ia_jsonw_kv_int(&x->w, "created_ms", m->created_ms);
    ia_jsonw_end_object(&x->w);
    return true;
}

static bool put_call(void *ctx, const struct ia_call_row *c)
{
    struct writing *x = ctx;
    ia_jsonw_object(&x->w);
    ia_jsonw_kv_int(&x->w, "message_seq", c->message_seq);
    ia_jsonw_kv_int(&x->w, "step", c->step);
    ia_jsonw_kv(&x->w, "id", c->tool_use_id);
    ia_jsonw_kv(&x->w, "name", c->name);
    put_str(&x->w, "input", c->input);
    ia_jsonw_kv_bool(&x->w, "has_effect", c->has_effect);
    ia_jsonw_kv_bool(&x->w, "done", c->state == IA_CALL_DONE);
    put_str(&x->w, "result", c->result);
    ia_jsonw_kv_bool(&x->w, "is_error", c->is_error);
    ia_jsonw_kv(&x->w, "code", c->code);
    ia_jsonw_kv(&x->w, "outcome", c->outcome);
    ia_jsonw_kv_int(&x->w, "ms", c->ms);
    put_str(&x->w, "screen", c->screen);
    put_str(&x->w, "recorded", c->recorded);
    ia_jsonw_kv_int(&x->w, "intent_ms", c->intent_ms);
    ia_jsonw_kv_int(&x->w, "done_ms", c->done_ms);
    ia_jsonw_end_object(&x->w);
    return true;
}

static enum ia_rc put_events(struct writing *x, struct ia_store *store, const char *run_id,
                             struct ia_err *err)
{
    enum ia_rc rc = IA_OK;
    do {
        x->count = 0;
        const struct ia_event_range range = {.run_id = run_id, .after_id = x->last_id};
        rc = ia_store_events(store, &range, put_event, x, NULL, err);
    } while (rc == IA_OK && x->count == IA_EVENT_BATCH_MAX);
    return rc;
}

static void open_list(struct writing *x, const char *key)
{
    ia_jsonw_key(&x->w, key);
    ia_jsonw_array(&x->w);
}

enum ia_rc ia_run_bundle_write(struct ia_store *store, const char *run_id, struct ia_buf *out,
                               struct ia_err *err)
{
    struct ia_run_row *row = NULL;
    struct writing x = {.count = 0};
    enum ia_rc rc = ia_store_run(store, run_id, &row, err);
    if (rc == IA_OK && !ia_run_state_final(row->state)) {
        rc = ia_err_set(err, IA_E_STATE, "run %s is not over", run_id);
    }
    if (rc != IA_OK) {
        ia_run_row_free(row);
        return rc;
    }
    ia_jsonw_init(&x.w, out);
    ia_jsonw_object(&x.w);
    ia_jsonw_kv_int(&x.w, "v", VERSION);
    put_row(&x.w, row);
    open_list(&x, "events");
    rc = put_events(&x, store, row->id, err);
    ia_jsonw_end_array(&x.w);
    open_list(&x, "messages");
    rc = rc == IA_OK ? ia_store_messages(store, row->id, NULL, put_message, &x, err) : rc;
    ia_jsonw_end_array(&x.w);
    open_list(&x, "calls");
    rc = rc == IA_OK ? ia_store_calls(store, row->id, put_call, &x, err) : rc;
    ia_jsonw_end_array(&x.w);
    ia_jsonw_end_object(&x.w);
    ia_run_row_free(row);
    return rc == IA_OK ? ia_buf_check(out, "the bundle of a run", err) : rc;
}

/* ---- reading ----------------------------------------------------------------------------- */

static int64_t number(const json_t *doc, const char *key)
{
    return (int64_t)json_integer_value(json_object_get(doc, key));
}

static const char *text(const json_t *doc, const char *key)
{
    return json_string_value(json_object_get(doc, key));
}

static void add_blob(struct ia_run_bundle *b, struct ia_str sha)
{
    bool fresh = ia_sha256_hex_ok(sha);
    for (size_t i = 0; fresh && i < b->blob_count; i++) {
        fresh = memcmp(b->blobs[i], sha.p, sha.n) != 0;
    }
    if (fresh && b->blob_count < IA_BUNDLE_BLOBS_MAX) {
        memcpy(b->blobs[b->blob_count], sha.p, sha.n);
        b->blobs[b->blob_count++][sha.n] = '\0';
    }
}

/* Collects what the submitter needs from an event and removes what only applies to the worker's machine. */
static void note_event(struct ia_run_bundle *b, struct ia_event *e)
{
    const struct ia_event_start *start = ia_event_start(e);
    if (start && start->device.os.n > 0) {
        (void)snprintf(b->os, sizeof(b->os), "%.*s", (int)start->device.os.n,
                       start->device.os.p);
    } else if (e->type == IA_EVENT_PICTURE) {
        add_blob(b, e->picture.image);
    } else if (e->type == IA_EVENT_TOOL_FINISHED) {
        add_blob(b, e->tool_finished.image);
    } else if (e->type == IA_EVENT_RUN_FINISHED) {
        e->run_finished.record.screenshot = (struct ia_str){NULL, 0};
    }
}

static bool read_event(struct ia_run_bundle *b, json_t *json, struct ia_str run)
{
    struct ia_event *e = &b->events[b->event_count];
    bool ok = ia_event_take(e, json_incref(json)) && ia_str_eq(e->run, run);
    if (ok) {
        b->event_count++;
        note_event(b, e);
    } else {
        ia_event_fini(e);
    }
    return ok;
}

static bool read_events(struct ia_run_bundle *b)
{
    const struct ia_str run = ia_json_field(b->doc, "run");
    const json_t *list = json_object_get(b->doc, "events");
    size_t n = json_array_size(list);
    if (run.n == 0 || n == 0 || n > EVENTS_MAX) {
        return false;
    }
    b->events = ia_calloc(n, sizeof(*b->events));
    for (size_t i = 0; i < n; i++) {
        if (!read_event(b, json_array_get(list, i), run)) {
            return false;
        }
    }
    return b->events[n - 1].type == IA_EVENT_RUN_FINISHED;
}

enum ia_rc ia_run_bundle_read(struct ia_str json, const char *run_id,
                              struct ia_run_bundle **ret, struct ia_err *err)
{
    if (json.n > IA_BUNDLE_BYTES_MAX || !ia_json_count_ok(json, VALUES_MAX)) {
        return ia_err_set(err, IA_E_LIMIT, "the bundle of run %s is too large", run_id);
    }
    struct ia_run_bundle *b = ia_calloc(1, sizeof(*b));
    b->blobs = ia_calloc(IA_BUNDLE_BLOBS_MAX, sizeof(*b->blobs));
    b->doc = ia_json_depth_ok(json, DEPTH_MAX)
                 ? json_loadb(json.p, json.n, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, NULL)
                 : NULL;
    b->state = ia_run_state_from_name(text(b->doc, "state"));
    add_blob(b, ia_json_field(b->doc, "screenshot"));
    if (number(b->doc, "v") != VERSION || !ia_run_state_final(b->state) || !read_events(b)) {
        ia_run_bundle_free(b);
        return ia_err_set(err, IA_E_PARSE, "the bundle of run %s is not one of this version",
                          run_id);
    }
    *ret = b;
    return IA_OK;
}

void ia_run_bundle_free(struct ia_run_bundle *b)
{
    if (!b) {
        return;
    }
    for (size_t i = 0; i < b->event_count; i++) {
        ia_event_fini(&b->events[i]);
    }
    free(b->events);
    free(b->blobs);
    json_decref(b->doc);
    free(b);
}

static struct ia_usage_row usage_of(const json_t *doc)
{
    const json_t *cost = json_object_get(doc, "cost_usd");
    return (struct ia_usage_row){
        .input = number(doc, "input"),
        .cache_read = number(doc, "cache_read"),
        .cache_write = number(doc, "cache_write"),
        .output = number(doc, "output"),
        .cost_known = json_is_number(cost),
        .cost_usd = json_number_value(cost),
    };
}

enum ia_run_state ia_run_bundle_state(const struct ia_run_bundle *b)
{
    return b->state;
}

const char *ia_run_bundle_code(const struct ia_run_bundle *b)
{
    return ia_json_text(b->doc, "code");
}

struct ia_usage_row ia_run_bundle_usage(const struct ia_run_bundle *b)
{
    return usage_of(b->doc);
}

size_t ia_run_bundle_blobs(const struct ia_run_bundle *b,
                           const char (**ret)[IA_SHA256_HEX_SIZE])
{
    *ret = (const char(*)[IA_SHA256_HEX_SIZE])b->blobs;
    return b->blob_count;
}

const char *ia_run_bundle_os(const struct ia_run_bundle *b)
{
    return b->os;
}

static struct ia_event_result *result_event_of(const struct ia_run_bundle *b)
{
    return &b->events[b->event_count - 1].run_finished.result; /* it ends with that event */
}

const struct ia_event_replay *ia_run_bundle_replay(const struct ia_run_bundle *b)
{
    return result_event_of(b)->replay.has ? &result_event_of(b)->replay : NULL;
}

void ia_run_bundle_set_recording(struct ia_run_bundle *b, const char *id)
{
    (void)snprintf(b->recording, sizeof(b->recording), "%s", id);
    result_event_of(b)->replay.recording = ia_str(b->recording);
}

/* ---- taking it over ---------------------------------------------------------------------- */

static enum ia_rc damaged(const char *run_id, const char *what, struct ia_err *err)
{
    return ia_err_set(err, IA_E_PARSE, "the bundle of run %s has %s that no run has", run_id,
                      what);
}

static struct ia_event_ref ref_of(const struct ia_event *e)
{
    /* All members of the union begin where it begins. */
    return (struct ia_event_ref){e->type, &e->run_queued};
}

static void set_time(struct ia_tx *tx, int64_t ms)
{
    if (ms > 0 && ms < YEAR_10000_MS) {
        ia_tx_set_time(tx, ms);
    }
}

/* NULL, or a code that this program knows. */
static const char *known_code(const char *name)
{
    enum ia_rc rc = name ? ia_rc_from_name(name) : IA_OK;
    return name ? ia_rc_name(rc == IA_RC_COUNT ? IA_E_PROTO : rc) : NULL;
}

/* The result without the path of a file on the other machine and with the recording's id here; NULL if there is none. */
static char *result_of(const struct ia_run_bundle *b)
{
    json_t *result = json_loads(text(b->doc, "result") ? text(b->doc, "result") : "", 0, NULL);
    if (json_object_get(result, "screenshot")) {
        json_object_set_new(result, "screenshot", json_null());
    }
    json_t *replay = json_object_get(result, "replay");
    if (json_is_object(replay)) {
        json_object_set_new(replay, "recording", json_string(b->recording));
    }
    char *out = result ? json_dumps(result, JSON_COMPACT) : NULL;
    json_decref(result);
    return out;
}

static void move_end(struct ia_tx *tx, const char *run_id, const struct ia_run_bundle *b,
                     const struct ia_event *e)
{
    char *result = result_of(b);
    const struct ia_run_moved moved = {
        .event = ref_of(e),
        .code = known_code(text(b->doc, "code")),
        .summary = text(b->doc, "summary"),
        .basis = text(b->doc, "basis"),
        .result = ia_str(result),
        .screenshot = b->blob_count > 0 ? text(b->doc, "screenshot") : NULL,
        .outcome = text(b->doc, "outcome"),
    };
    const struct ia_usage_row usage = ia_run_bundle_usage(b);
    ia_tx_set_usage(tx, run_id, (int)number(b->doc, "steps"), &usage);
    if (text(b->doc, "notes")) {
        ia_tx_set_run_notes(tx, run_id, ia_json_field(b->doc, "notes"));
    }
    ia_run_move(tx, run_id, b->state, &moved, NULL);
    free(result);
}

/* The worker's events, without those that say that the run was queued and claimed there. */
static void take_event(struct ia_tx *tx, const char *run_id, const struct ia_run_bundle *b,
                       const struct ia_event *e, bool *runs)
{
    int64_t ms;
    if (ia_iso_parse(e->ts.p, &ms) == IA_OK) {
        set_time(tx, ms);
    }
    if (e->type == IA_EVENT_RUN_QUEUED || e->type == IA_EVENT_RUN_CLAIMED) {
        return;
    }
    if (e->type == IA_EVENT_RUN_FINISHED) {
        move_end(tx, run_id, b, e);
    } else if (ia_event_start(e) && !*runs) {
        const struct ia_run_moved moved = {.event = ref_of(e)};
        ia_run_move(tx, run_id, IA_RUN_RUNNING, &moved, NULL);
        *runs = true;
    } else {
        ia_tx_add_event(tx, run_id, ref_of(e), NULL);
    }
}

static enum ia_rc take_messages(struct ia_tx *tx, const char *run_id, const json_t *list,
                                struct ia_err *err)
{
    for (size_t i = 0; i < json_array_size(list) && !ia_tx_failed(tx); i++) {
        const json_t *m = json_array_get(list, i);
        const struct ia_message_row row = {
            .role = text(m, "role"),
            .purpose = text(m, "purpose"),
            .content = ia_json_field(m, "content"),
            .stop_reason = text(m, "stop_reason"),
            .model = text(m, "model"),
            .request_id = text(m, "request_id"),
            .usage = usage_of(m),
            .ms = number(m, "ms"),
        };
        int seq = 0;
        if (!row.role || !row.purpose || !ia_json_ok(row.content)) {
            return damaged(run_id, "a message", err);
        }
        set_time(tx, number(m, "created_ms"));
        ia_tx_add_message(tx, run_id, &row, &seq);
        if (!ia_tx_failed(tx) && seq != number(m, "seq")) {
            return damaged(run_id, "an order of messages", err);
        }
    }
    return IA_OK;
}

static enum ia_rc take_calls(struct ia_tx *tx, const char *run_id, const json_t *list,
                             struct ia_err *err)
{
    for (size_t i = 0; i < json_array_size(list) && !ia_tx_failed(tx); i++) {
        const json_t *c = json_array_get(list, i);
        const struct ia_call_row row = {
            .message_seq = (int)number(c, "message_seq"),
            .step = (int)number(c, "step"),
            .tool_use_id = text(c, "id"),
            .name = text(c, "name"),
            .input = ia_json_field(c, "input"),
            .has_effect = json_is_true(json_object_get(c, "has_effect")),
            .result = ia_json_field(c, "result"),
            .is_error = json_is_true(json_object_get(c, "is_error")),
            .code = text(c, "code"),
            .outcome = text(c, "outcome"),
            .ms = number(c, "ms"),
            .screen = ia_json_field(c, "screen"),
            .recorded = ia_json_field(c, "recorded"),
        };
        if (!row.tool_use_id || !row.name || !ia_json_ok(row.input)) {
            return damaged(run_id, "a call", err);
        }
        set_time(tx, number(c, "intent_ms"));
        ia_tx_add_call(tx, run_id, &row);
        if (json_is_true(json_object_get(c, "done"))) {
            set_time(tx, number(c, "done_ms"));
            ia_tx_set_result(tx, run_id, &row);
        }
    }
    return IA_OK;
}

enum ia_rc ia_run_bundle_take(struct ia_tx *tx, const char *run_id, const char *worker,
                              int attempt, const struct ia_run_bundle *b, struct ia_err *err)
{
    char lane[IA_LANE_MAX + 1];
    bool runs = false;
    const char *there = text(b->doc, "lane");
    (void)snprintf(lane, sizeof(lane), "%s/%s", worker, there ? there : "");
    for (char *p = lane; *p; p++) { /* it is written into tables as it stands */
        *p = *p > ' ' && *p < 0x7f ? *p : '?';
    }
    ia_tx_set_run_lane(tx, run_id, lane);
    const struct ia_event_run_placed placed = {
        .worker = ia_str(worker), .attempt = attempt, .device = ia_str(there ? there : "")};
    ia_tx_add_event(tx, run_id, IA_EVENT(&placed), NULL);
    enum ia_rc rc = take_messages(tx, run_id, json_object_get(b->doc, "messages"), err);
    rc = rc == IA_OK ? take_calls(tx, run_id, json_object_get(b->doc, "calls"), err) : rc;
    for (size_t i = 0; i < b->event_count && rc == IA_OK && !ia_tx_failed(tx); i++) {
        /* One end, the last. */
        if (b->events[i].type == IA_EVENT_RUN_FINISHED && i + 1 < b->event_count) {
            return damaged(run_id, "an end", err);
        }
        take_event(tx, run_id, b, &b->events[i], &runs);
    }
    return rc;
}
