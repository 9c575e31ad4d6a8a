/* make.c: a recording from the journal of a run.
 *
 *   passed by expectations that did not hold at first? ─► each call with an effect, in order ─► steps
 *
 * Calls that only read the screen are left out, as a replay reads it anyway, and so are calls that failed before
 * anything was sent. If a call may have been sent and failed, its effect is unknown and there is no recording. */
#include "agent/recording/make.h"

#include "agent/goal/expect.h"
#include "agent/recording/recording_vars.h"
#include "base/clock.h"
#include "base/utf8.h"
#include "events/basis.h"
#include "store/recordings.h"
#include "json/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { UNTILS = 3, WHY_BYTES = 200 };

struct making {
    const struct ia_run_request *req;
    json_t *steps;
    json_t *words;  /* the model's words, by tool_use_id */
    json_t *healed; /* the recording that the run replayed, or NULL */
    json_t *said;   /* the newest words since the last step; borrowed */
    json_t
        *screens; /* the screens that calls showed: {"at": number of steps before it, "text"} */
    int shown;    /* how many of their words were typed */
    enum ia_rc rc;
    struct ia_err *err;
};

static enum ia_rc refuse(struct ia_err *err, const char *why, const char *hint)
{
    enum ia_rc rc = ia_err_set(err, IA_E_STATE, "the run cannot be replayed: %s", why);
    ia_err_hint(err, "%s", hint);
    return rc;
}

static enum ia_rc check_run(const struct ia_run_row *row, struct ia_err *err)
{
    const char *basis = row->basis ? row->basis : "";
    if (row->state != IA_RUN_PASSED) {
        return refuse(err, "it did not pass", "only what passed once is done again");
    }
    bool by_code = strcmp(basis, ia_basis_name(IA_BASIS_BOTH)) == 0 ||
                   strcmp(basis, ia_basis_name(IA_BASIS_EXPECTATIONS)) == 0;
    return by_code
               ? IA_OK
               : refuse(err, "no expectation was false at first and true at the end",
                        "without a model only expectations say whether it passed: add expect = "
                        "['visible …'] to the goal and run it once more");
}

/* ---- what the model said ---------------------------------------------------------------- */

/* The text before a tool_use is its reason. */
static bool keep_words(void *ctx, const struct ia_message_row *message)
{
    struct making *m = ctx;
    json_t *blocks = json_loadb(message->content.p, message->content.n, 0, NULL);
    const char *text = "";
    size_t i;
    json_t *b;
    json_array_foreach(blocks, i, b)
    {
        const char *type = ia_json_text(b, "type");
        if (strcmp(type, "text") == 0) {
            text = ia_json_text(b, "text");
        } else if (strcmp(type, "tool_use") == 0 && *text) {
            int n = (int)ia_utf8_cut(text, strlen(text) < WHY_BYTES ? strlen(text) : WHY_BYTES);
            (void)json_object_set_new(m->words, ia_json_text(b, "id"),
                                      json_stringn(text, (size_t)n));
        }
    }
    json_decref(blocks);
    return true;
}

/* ---- steps ------------------------------------------------------------------------------ */

static void copy(json_t *to, const json_t *from, const char *key)
{
    json_t *value = json_object_get(from, key);
    if (value && !json_is_null(value)) {
        (void)json_object_set(to, key, value);
    }
}

static json_t *input_of(const struct ia_call_row *call)
{
    json_t *input = json_loadb(call->input.p, call->input.n, 0, NULL);
    (void)json_object_del(input, "ref");
    if (json_object_size(input) == 0) {
        json_decref(input);
        return NULL;
    }
    return input;
}

static json_t *step_of(const struct making *m, const struct ia_call_row *call,
                       const json_t *note)
{
    static const char *const noted[] = {"app",    "title",     "marks", "asked",
                                        "target", "app_after", "until", "changed"};
    bool asks = json_object_get(json_object_get(note, "target"), "question") ||
                strcmp(call->name, ia_tool_name(IA_TOOL_ALERT)) == 0;
    json_t *step = json_pack("{s:s, s:O*, s:o*, s:I, s:o*}", "act", call->name, "why", m->said,
                             "input", input_of(call), "ms", (json_int_t)call->ms, "commit",
                             asks ? json_true() : NULL);
    for (size_t i = 0; i < IA_COUNTOF(noted); i++) {
        copy(step, note, noted[i]);
    }
    return step;
}

/* ---- what was read from a screen --------------------------------------------------------- */

static void keep_screen(struct making *m, const struct ia_call_row *call)
{
    if (call->screen.n > 0) {
        (void)json_array_append_new(
            m->screens, json_pack("{s:i, s:o}", "at", (int)json_array_size(m->steps), "text",
                                  json_stringn(call->screen.p, call->screen.n)));
    }
}

/* True for a word with a digit that the goal does not give: it will differ the next time. */
static bool is_read(const struct making *m, const char *text)
{
    const char *hint = m->req->hint ? m->req->hint : "";
    return strlen(text) > 2 && strpbrk(text, "0123456789") && !strpbrk(text, " {\n") &&
           !strstr(m->req->goal, text) && !strstr(hint, text);
}

/* Finds the first screen that shows a word typed by the last step: the step done there captures it. Later screens may
 * show it only briefly, as a banner does. */
static void capture(struct making *m)
{
    json_t *last = json_array_get(m->steps, json_array_size(m->steps) - 1);
    char *text = ia_strdup(ia_json_text(json_object_get(last, "input"), "text"));
    char name[24];
    bool found = false;
    (void)snprintf(name, sizeof(name), m->shown ? "shown-%d" : "shown", m->shown + 1);
    for (size_t i = 0; is_read(m, text) && i < json_array_size(m->screens) && !found; i++) {
        const json_t *screen = json_array_get(m->screens, i);
        struct ia_buf pattern = IA_BUF(IA_EXPECT_BYTES_MAX);
        found = ia_recording_capture_of(ia_json_text(screen, "text"), text, name, &pattern);
        if (found) {
            ia_recording_name_shown(last, name, text);
            json_t *step = json_array_get(
                m->steps, (size_t)json_integer_value(json_object_get(screen, "at")));
            json_t *all = json_object_get(step, "capture");
            all = all ? json_incref(all) : json_object();
            (void)json_object_set_new(all, name, json_string(ia_buf_cstr(&pattern)));
            (void)json_object_set_new(step, "capture", all);
        }
        ia_buf_fini(&pattern);
    }
    m->shown += found;
    free(text);
}

static bool stop(struct making *m, const struct ia_call_row *call, const char *what,
                 const char *hint)
{
    char why[200];
    (void)snprintf(why, sizeof(why), "step %d, %s, %s", call->step, call->name, what);
    m->rc = refuse(m->err, why, hint);
    return false;
}

/* A step that was replayed keeps its words. */
static json_t *words_of(const struct making *m, const struct ia_call_row *call)
{
    static const char head[] = "replay_"; /* attempt, step and number of the call behind it */
    bool replayed = m->healed && strncmp(call->tool_use_id, head, sizeof(head) - 1) == 0;
    const char *n = replayed ? strchr(call->tool_use_id + sizeof(head) - 1, '_') : NULL;
    size_t step = n ? strtoul(n + 1, NULL, 10) : 0;
    return step > 0 ? json_object_get(ia_recording_step(m->healed, step - 1), "why")
                    : json_object_get(m->words, call->tool_use_id);
}

static bool add_step(void *ctx, const struct ia_call_row *call)
{
    struct making *m = ctx;
    json_t *words = words_of(m, call);
    m->said = words ? words : m->said;
    bool made = call->state == IA_CALL_DONE && !call->is_error;
    /* A scroll that finds nothing changes only the visible part. */
    bool harmless = call->state == IA_CALL_DONE &&
                    (strcmp(call->outcome, ia_outcome_name(IA_OUTCOME_NOT_SENT)) == 0 ||
                     strcmp(call->name, ia_tool_name(IA_TOOL_SCROLL_TO)) == 0);
    if (!call->has_effect || (!made && harmless)) {
        keep_screen(m, call);
        return true;
    }
    if (!made) {
        return stop(m, call, "failed after it may have been done", "run the goal once more");
    }
    json_t *note = json_loadb(call->recorded.p, call->recorded.n, 0, NULL);
    bool unnamed = json_object_get(note, "unnamed") != NULL;
    if (note && !unnamed) {
        (void)json_array_append_new(m->steps, step_of(m, call, note));
        m->said = NULL;
        capture(m);
        keep_screen(m, call);
    }
    json_decref(note);
    if (!note && ia_tool_from_name(ia_str(call->name)) == IA_TOOL_COUNT) {
        return stop(m, call, "is none of the device's own tools",
                    "a replay has only those: let an agent without skills do the goal");
    }
    if (!note) {
        return stop(m, call, "was not recorded", "run the goal once more");
    }
    if (unnamed) {
        return stop(m, call, "was done to an element without identifier and label",
                    "give it an accessibility identifier in the app");
    }
    if (json_array_size(m->steps) > IA_RECORDING_STEPS_MAX) {
        return stop(m, call, "is one too many", "make smaller goals of it");
    }
    return true;
}

/* ---- conditions ------------------------------------------------------------------------- */

static int rank(const char *line, const json_t *next)
{
    const json_t *target = json_object_get(next, "target");
    const char *id = ia_json_text(target, "id"), *label = ia_json_text(target, "label");
    bool names_next = (*id && strstr(line, id)) || (*label && strstr(line, label));
    return strncmp(line, "value ", 6) == 0 ? 0 : names_next ? 1 : 2;
}

/* Chooses the best effects of the step: values that it set, then what the next step needs, then what appeared first. */
static void choose_until(json_t *step, const json_t *next)
{
    json_t *all = json_object_get(step, "until"), *best = json_array();
    for (int wanted = 0; wanted < 3; wanted++) {
        size_t i;
        json_t *line;
        json_array_foreach(all, i, line)
        {
            if (json_array_size(best) < UNTILS &&
                rank(json_string_value(line), next) == wanted) {
                (void)json_array_append(best, line);
            }
        }
    }
    if (json_array_size(best) > 0) { /* more specific */
        (void)json_object_del(step, "changed");
    } else if (!json_object_get(step, "changed")) {
        (void)json_object_set_new(step, "changed", json_false());
    }
    (void)json_object_set_new(step, "until", best);
}

/* ---- all of it -------------------------------------------------------------------------- */

/* As at the start of the run, which may be later than its row. */
static json_t *device_of(struct ia_store *store, const struct ia_run_row *row)
{
    struct ia_buf json = IA_BUF(IA_EVENT_BYTES_MAX);
    struct ia_event e = {.type = IA_EVENT_COUNT};
    (void)ia_store_newest_event(store, row->id, IA_EVENT_RUN_STARTED, &json, NULL);
    bool read = ia_event_read(&e, ia_buf_str(&json)) && e.type == IA_EVENT_RUN_STARTED;
    const struct ia_event_device *d = read ? &e.run_started.start.device : NULL;
    json_t *device = json_pack("{s:s, s:s}", "kind", d ? ia_event_text(d->kind) : "", "os",
                               d ? ia_event_text(d->os) : "");
    ia_event_fini(&e);
    ia_buf_fini(&json);
    return device;
}

static json_t *recorded_of(const struct ia_run_row *row)
{
    char at[IA_ISO_SIZE];
    ia_iso_format(row->finished_ms, at);
    return json_pack("{s:s, s:s, s:s, s:s}", "run", row->id, "at", at, "program", IA_VERSION,
                     "model", ia_run_model(row));
}

/* Names replace values last, when nothing else is added. */
static enum ia_rc document(struct ia_store *store, const struct ia_run_row *row,
                           const struct ia_run_request *req, json_t *steps, json_t **ret,
                           struct ia_err *err)
{
    char hash[IA_GOAL_HASH_SIZE];
    size_t n = json_array_size(steps);
    ia_goal_hash(req, hash);
    for (size_t i = 0; i < n; i++) {
        choose_until(json_array_get(steps, i), json_array_get(steps, i + 1));
    }
    json_t *doc =
        json_pack("{s:i, s:s, s:s, s:i, s:o, s:o, s:O}", "format", IA_RECORDING_FORMAT, "goal",
                  req->name ? req->name : req->goal, "goal_hash", hash, "steps", (int)n,
                  "recorded", recorded_of(row), "device", device_of(store, row), "step", steps);
    enum ia_rc rc = doc ? ia_recording_name_vars(doc, req, err)
                        : refuse(err, "its goal is no UTF-8", "write it in UTF-8");
    if (rc == IA_OK) {
        *ret = json_incref(doc);
    }
    json_decref(doc);
    return rc;
}

static enum ia_rc read_healed(struct ia_store *store, const char *id, json_t **ret,
                              struct ia_err *err)
{
    struct ia_recording_row *row = NULL;
    enum ia_rc rc = ia_store_recording(store, id, &row, err);
    if (rc == IA_OK) {
        rc = ia_recording_read(row->id, ia_str(row->body), ret, err);
    }
    ia_recording_row_free(row);
    return rc;
}

enum ia_rc ia_recording_make(struct ia_store *store, const struct ia_run_row *row,
                             const struct ia_run_request *req, json_t **ret, struct ia_err *err)
{
    struct making m = {.req = req,
                       .steps = json_array(),
                       .words = json_object(),
                       .screens = json_array(),
                       .err = err};
    enum ia_rc rc = check_run(row, err);
    if (rc == IA_OK && row->recording) {
        rc = read_healed(store, row->recording, &m.healed, err);
    }
    if (rc == IA_OK) {
        rc = ia_store_messages(store, row->id, "act", keep_words, &m, err);
    }
    if (rc == IA_OK) {
        rc = ia_store_calls(store, row->id, add_step, &m, err);
    }
    rc = rc == IA_OK ? m.rc : rc;
    if (rc == IA_OK && json_array_size(m.steps) == 0) {
        rc = refuse(err, "it did nothing", "a goal that holds already needs no recording");
    }
    if (rc == IA_OK) {
        rc = document(store, row, req, m.steps, ret, err);
    }
    json_decref(m.steps);
    json_decref(m.healed);
    json_decref(m.words);
    json_decref(m.screens);
    return rc;
}

/* The actions and their targets, without times and the model's words. */
static void hash_steps(const json_t *doc, char hex[IA_SHA256_HEX_SIZE])
{
    static const char *const said[] = {"act", "target", "input"};
    json_t *all = json_array();
    for (size_t i = 0; i < ia_recording_count(doc); i++) {
        json_t *step = json_object();
        for (size_t k = 0; k < IA_COUNTOF(said); k++) {
            copy(step, ia_recording_step(doc, i), said[k]);
        }
        (void)json_array_append_new(all, step);
    }
    char *text = json_dumps(all, JSON_COMPACT);
    ia_sha256_hex(text, strlen(text), hex);
    free(text);
    json_decref(all);
}

static enum ia_rc insert(struct ia_store *store, const struct ia_recording_row *row,
                         char ret_id[IA_ID_SIZE], struct ia_err *err)
{
    struct ia_tx *tx = NULL;
    bool rejected = false;
    enum ia_rc rc = ia_tx_begin(store, &tx, err);
    if (rc == IA_OK && row->parent) {
        ia_tx_recording_rejected(tx, row, &rejected);
        if (!rejected && ia_tx_recording_same_heal(tx, row, ret_id)) {
            return ia_tx_commit(tx, err);
        }
    }
    if (rejected) {
        ia_tx_rollback(tx);
        return refuse(err, "somebody rejected the same change before",
                      "run the goal with --replay off to record it anew");
    }
    if (rc == IA_OK) {
        ia_tx_add_recording(tx, row, ret_id);
        rc = ia_tx_commit(tx, err);
    }
    return rc;
}

enum ia_rc ia_recording_put(const json_t *recording, struct ia_recording_put *ret,
                            struct ia_err *err)
{
    *ret = (struct ia_recording_put){.body = IA_BUF(IA_RECORDING_BYTES_MAX)};
    hash_steps(recording, ret->steps_hash);
    ia_recording_write(recording, &ret->body);
    ret->row = (struct ia_recording_row){.name = ia_json_text(recording, "goal"),
                                         .goal_hash = ia_json_text(recording, "goal_hash"),
                                         .steps_hash = ret->steps_hash,
                                         .body = ia_buf_cstr(&ret->body)};
    return ia_buf_check(&ret->body, "the recording", err);
}

enum ia_rc ia_recording_keep(struct ia_store *store, const struct ia_run_row *row,
                             const struct ia_run_request *req, char ret_id[IA_ID_SIZE],
                             struct ia_err *err)
{
    json_t *doc = NULL;
    struct ia_recording_put put = {.row = {.id = NULL}};
    enum ia_rc rc = ia_recording_make(store, row, req, &doc, err);
    if (rc == IA_OK) {
        rc = ia_recording_put(doc, &put, err);
    }
    if (rc == IA_OK) {
        put.row.run_id = row->id;
        put.row.parent = row->outcome ? row->recording : NULL;
        put.row.state = put.row.parent ? IA_RECORDING_QUARANTINED : IA_RECORDING_CANDIDATE;
        rc = insert(store, &put.row, ret_id, err);
    }
    json_decref(doc);
    ia_buf_fini(&put.body);
    return rc;
}
