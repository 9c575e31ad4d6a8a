/* steps.c: a run's events put together as steps.
 *
 * Events come in the order of their commits: request.finished of a turn, tool.started of its
 * first call, then for each call tool.finished with tool.started of the next one. A picture
 * comes after its own step's tool.finished and before the next one, so a step waits for the
 * event that follows it. What the model said before a call is not an event; it is read from the
 * messages first, cut to IA_REP_REASON_MAX bytes a call.
 *
 * tool.started 4   ─► next                          (its verifier's answer and refusals go there)
 * tool.finished 4 ─► next becomes done              the step before is given away
 * picture 4       ─► done gets it, is given away */
#include "agent/report/escape.h"
#include "agent/report/model.h"
#include "base/hash.h"
#include "json/json.h"

#include <stdlib.h>
#include <string.h>

enum { BATCH = 64, ID_MAX = 80 };

/* ---- what was said ----------------------------------------------------------------------- */

struct reason {
    char id[ID_MAX]; /* of the tool_use */
    char *text;
};
struct reasons {
    struct reason *all;
    size_t n, cap, at; /* at: where the next one is looked for */
};

static void add_reason(struct reasons *r, const json_t *block, struct ia_str text)
{
    if (r->n == r->cap) {
        r->cap = r->cap ? r->cap * 2 : 64;
        r->all = ia_realloc(r->all, r->cap, sizeof(*r->all));
    }
    struct ia_buf cut = IA_BUF(IA_REP_REASON_MAX + 8);
    ia_cut(&cut, text, IA_REP_REASON_MAX);
    struct reason *one = &r->all[r->n++];
    /* An id that is longer is cut and not found again: the step then has no reason. */
    (void)snprintf(one->id, sizeof(one->id), "%s", ia_json_text(block, "id"));
    one->text = ia_buf_steal(&cut);
}

static bool keep_reasons(void *ctx, const struct ia_message_row *row)
{
    struct reasons *r = ctx;
    if (strcmp(row->role, "assistant") != 0) {
        return true;
    }
    json_t *content = json_loadb(row->content.p, row->content.n, JSON_ALLOW_NUL, NULL);
    struct ia_buf said = IA_BUF(IA_CONTENT_BYTES_MAX);
    size_t i = 0;
    const json_t *block = NULL;
    json_array_foreach(content, i, block)
    {
        const char *type = ia_json_text(block, "type");
        const json_t *text = json_object_get(block, "text");
        if (strcmp(type, "text") == 0 && json_is_string(text)) {
            ia_buf_puts(&said, said.len > 0 ? "\n" : "");
            ia_buf_put(&said, json_string_value(text), json_string_length(text));
        } else if (strcmp(type, "tool_use") == 0) {
            add_reason(r, block, ia_buf_str(&said));
            ia_buf_reset(&said);
        }
    }
    ia_buf_fini(&said);
    json_decref(content);
    return true;
}

/* Calls are asked for in order, so the search seldom goes further than one. */
static const char *reason_of(struct reasons *r, const char *id)
{
    for (size_t i = 0; i < r->n; i++) {
        const struct reason *one = &r->all[(r->at + i) % r->n];
        if (strcmp(one->id, id) == 0) {
            r->at = (r->at + i + 1) % r->n;
            return one->text;
        }
    }
    return "";
}

static void reasons_fini(struct reasons *r)
{
    for (size_t i = 0; i < r->n; i++) {
        free(r->all[i].text);
    }
    free(r->all);
}

/* ---- steps in the making ----------------------------------------------------------------- */

struct picture {
    char sha[IA_SHA256_HEX_SIZE];
    int width, height;
};

enum { TEXTS = 11 };

/* A step with its own texts. */
struct making {
    bool used;
    struct ia_rep_step s;
    struct ia_buf tool, element, input, reason, code, outcome, changes, missing, verifier,
        relaunched, replay;
    struct picture before, after;
};

struct reader {
    ia_rep_step_fn *fn;
    void *ctx;
    bool ended;
    struct reasons reasons;
    struct picture last;     /* the newest that was seen */
    struct making done;      /* has its result and waits for its picture */
    struct making next;      /* was started */
    struct ia_buf replay;    /* the source of the next calls */
    bool healing;            /* until the replay continues */
    struct ia_rep_step turn; /* what the answer used; goes to its first call */
    struct ia_buf batch;     /* texts of events, one after another */
    size_t ends[BATCH];
    size_t count;
};

static void bufs(struct making *m, struct ia_buf *ret[TEXTS])
{
    ret[0] = &m->tool;
    ret[1] = &m->element;
    ret[2] = &m->input;
    ret[3] = &m->reason;
    ret[4] = &m->code;
    ret[5] = &m->outcome;
    ret[6] = &m->changes;
    ret[7] = &m->missing;
    ret[8] = &m->verifier;
    ret[9] = &m->relaunched;
    ret[10] = &m->replay;
}

static void making_init(struct making *m)
{
    struct ia_buf *all[TEXTS];
    *m = (struct making){0};
    bufs(m, all);
    for (size_t i = 0; i < IA_COUNTOF(all); i++) {
        *all[i] = IA_BUF(2 * (size_t)IA_REP_TEXT_MAX + 16);
    }
}

static void making_fini(struct making *m)
{
    struct ia_buf *all[TEXTS];
    bufs(m, all);
    for (size_t i = 0; i < IA_COUNTOF(all); i++) {
        ia_buf_fini(all[i]);
    }
}

static void set(struct ia_buf *b, struct ia_str text)
{
    ia_buf_reset(b);
    ia_cut(b, text, IA_REP_TEXT_MAX);
}

static struct ia_rep_picture view(const struct picture *p)
{
    return (struct ia_rep_picture){p->sha[0] ? p->sha : NULL, p->width, p->height};
}

/* Gives the finished step away. */
static void emit(struct reader *r)
{
    struct making *m = &r->done;
    if (!m->used || r->ended) {
        return;
    }
    m->s.tool = ia_buf_cstr(&m->tool);
    m->s.element = ia_buf_cstr(&m->element);
    m->s.input = ia_buf_cstr(&m->input);
    m->s.reason = ia_buf_cstr(&m->reason);
    m->s.code = ia_buf_cstr(&m->code);
    m->s.outcome = ia_buf_cstr(&m->outcome);
    m->s.changes = ia_buf_cstr(&m->changes);
    m->s.missing = ia_buf_cstr(&m->missing);
    m->s.verifier = ia_buf_cstr(&m->verifier);
    m->s.relaunched = ia_buf_cstr(&m->relaunched);
    m->s.replay = ia_buf_cstr(&m->replay);
    m->s.before = view(&m->before);
    m->s.after = view(&m->after);
    r->ended = !r->fn(r->ctx, &m->s);
    m->used = false;
}

/* ---- events ------------------------------------------------------------------------------ */

static void on_request(struct reader *r, const struct ia_event_request_finished *e)
{
    const struct ia_event_usage *u = &e->usage;
    bool verify = ia_str_is(e->purpose, "verify");
    /* The verifier is asked within a call of finish, so its cost belongs to that step; any
     * other answer's goes to the first call that follows. */
    struct ia_rep_step *s = verify && r->next.used ? &r->next.s : &r->turn;
    s->turn = verify ? s->turn : (int)e->turn;
    s->model_ms += e->ms;
    s->tokens_in += u->input + u->cache_read + u->cache_write;
    s->tokens_cached += u->cache_read;
    s->tokens_out += u->output;
    s->cost_known = e->cost_usd.known;
    s->cost_usd += e->cost_usd.usd;
}

static void on_started(struct reader *r, const struct ia_event_tool_started *e)
{
    struct making *m = &r->next;
    struct ia_buf *all[TEXTS];
    bufs(m, all);
    for (size_t i = 0; i < IA_COUNTOF(all); i++) {
        ia_buf_reset(all[i]);
    }
    m->used = true;
    m->s = r->turn;
    m->s.step = (int)e->step;
    /* Handed over: the further calls of the turn cost nothing of their own. */
    r->turn = (struct ia_rep_step){.turn = r->turn.turn};
    char *input = json_dumps(e->input.value, JSON_COMPACT | JSON_ENCODE_ANY);
    set(&m->tool, e->tool);
    set(&m->element, e->element);
    set(&m->input, ia_str(input));
    set(&m->reason, ia_str(reason_of(&r->reasons, ia_event_text(e->id))));
    free(input);
    set(&m->replay, ia_buf_str(&r->replay));
    if (!r->healing) {
        ia_buf_reset(&r->replay);
    }
    m->before = m->after = (struct picture){0};
}

static void on_picture(struct reader *r, struct ia_str sha, int64_t step, int width, int height)
{
    struct picture p = {.width = width, .height = height};
    (void)snprintf(p.sha, sizeof(p.sha), "%s", ia_event_text(sha));
    r->last = p;
    if (r->done.used && r->done.s.step == step) {
        r->done.after = p;
        emit(r);
    }
}

static void on_finished(struct reader *r, const struct ia_event_tool_finished *e)
{
    emit(r);
    struct making *m = &r->next;
    m->used = true;
    m->s.step = (int)e->step;
    m->s.done = true;
    m->s.ok = e->ok;
    m->s.changed = e->changed;
    m->s.ms = e->ms;
    set(&m->tool, e->tool);
    if (e->element.n > 0) {
        set(&m->element, e->element);
    }
    set(&m->code, e->code);
    set(&m->outcome, e->outcome);
    set(&m->changes, e->changes);
    m->s.has_box = e->box.has;
    m->s.x = e->box.x;
    m->s.y = e->box.y;
    m->s.w = e->box.w;
    m->s.h = e->box.h;
    m->before = r->last;
    /* Swapped and not copied: each keeps its buffers for the next step. */
    struct making other = r->done;
    r->done = r->next;
    r->next = other;
    r->next.used = false;
    /* A screenshot that the model asked for is the step's picture too. */
    if (e->image.p) {
        on_picture(r, e->image, r->done.s.step, r->last.width, r->last.height);
    }
}

static void on_missing(struct reader *r, const struct ia_event_texts *missing)
{
    struct ia_buf all = IA_BUF(IA_EVENT_BYTES_MAX);
    for (size_t i = 0; i < missing->n; i++) {
        ia_buf_puts(&all, all.len > 0 ? "\n" : "");
        ia_buf_puts(&all, ia_event_text(missing->items[i]));
    }
    set(&r->next.missing, ia_buf_str(&all));
    ia_buf_fini(&all);
}

/* The verdict is one more step, which the recording does not have. */
static void on_replayed(struct reader *r, const struct ia_event_step_replayed *e)
{
    ia_buf_reset(&r->replay);
    if (e->step <= e->of) {
        ia_buf_printf(&r->replay, "step %lld of the recording", (long long)e->step);
        ia_buf_puts(&r->replay, e->differs.n > 0 ? "; not as recorded: " : "");
        ia_buf_putstr(&r->replay, e->differs);
    }
}

static void on_strayed(struct reader *r, const struct ia_event_replay_strayed *e)
{
    ia_buf_reset(&r->replay);
    ia_buf_puts(&r->replay, "by a model: ");
    ia_buf_putstr(&r->replay, e->why);
    r->healing = true;
}

static void on_rejoined(struct reader *r)
{
    ia_buf_reset(&r->replay);
    r->healing = false;
}

static void on_event(struct reader *r, const struct ia_event *e)
{
    const struct ia_event_picture *picture = &e->picture;
    switch (e->type) {
    case IA_EVENT_REQUEST_FINISHED:
        on_request(r, &e->request_finished);
        break;
    case IA_EVENT_STEP_REPLAYED:
        on_replayed(r, &e->step_replayed);
        break;
    case IA_EVENT_REPLAY_STRAYED:
        on_strayed(r, &e->replay_strayed);
        break;
    case IA_EVENT_REPLAY_REJOINED:
        on_rejoined(r);
        break;
    case IA_EVENT_TOOL_STARTED:
        on_started(r, &e->tool_started);
        break;
    case IA_EVENT_TOOL_FINISHED:
        on_finished(r, &e->tool_finished);
        break;
    case IA_EVENT_PICTURE:
        on_picture(r, picture->image, picture->step, (int)picture->width, (int)picture->height);
        break;
    case IA_EVENT_FINISH_REFUSED:
        on_missing(r, &e->finish_refused.missing);
        break;
    case IA_EVENT_FINISH_CHECKED:
        set(&r->next.relaunched, e->finish_checked.relaunch);
        break;
    case IA_EVENT_VERIFIER_RESULT:
        set(&r->next.verifier, e->verifier_result.reason);
        r->next.s.verifier_agrees = e->verifier_result.agrees;
        break;
    default:
        break;
    }
}

/* ---- reading ----------------------------------------------------------------------------- */

static bool keep_event(void *ctx, const struct ia_event_row *row)
{
    struct reader *r = ctx;
    ia_buf_putstr(&r->batch, row->json);
    r->ends[r->count++] = r->batch.len;
    return r->count < BATCH;
}

static void work_off(struct reader *r)
{
    size_t from = 0;
    /* Outside the listing, as a step's receiver may read from the store. */
    for (size_t i = 0; i < r->count && !r->ended; i++) {
        struct ia_event e;
        if (ia_event_read(&e, (struct ia_str){r->batch.p + from, r->ends[i] - from})) {
            on_event(r, &e);
        }
        ia_event_fini(&e);
        from = r->ends[i];
    }
    ia_buf_reset(&r->batch);
    r->count = 0;
}

static enum ia_rc read_events(struct reader *r, struct ia_store *store, const char *run_id,
                              struct ia_err *err)
{
    int64_t last = -1, next = 0;
    enum ia_rc rc = IA_OK;
    /* The same position twice: there are no more. */
    while (rc == IA_OK && next != last && !r->ended) {
        last = next;
        const struct ia_event_range range = {
            .run_id = run_id, .after_id = last, .limit = BATCH};
        rc = ia_store_events(store, &range, keep_event, r, &next, err);
        if (rc == IA_OK) {
            work_off(r);
        }
    }
    return rc;
}

/* A call without a result: the run still runs, or died there. */
static void emit_open(struct reader *r)
{
    if (r->next.used && !r->next.s.done) {
        struct making other = r->done;
        r->done = r->next;
        r->next = other;
        r->done.before = r->last;
        emit(r);
    }
}

enum ia_rc ia_rep_steps(struct ia_store *store, const char *run_id, ia_rep_step_fn *fn,
                        void *ctx, struct ia_err *err)
{
    struct reader r = {
        .fn = fn, .ctx = ctx, .batch = IA_BUF((size_t)BATCH * (IA_EVENT_BYTES_MAX + 1024))};
    r.replay = IA_BUF(2 * (size_t)IA_REP_TEXT_MAX);
    making_init(&r.done);
    making_init(&r.next);
    enum ia_rc rc = ia_store_messages(store, run_id, "act", keep_reasons, &r.reasons, err);
    if (rc == IA_OK) {
        rc = read_events(&r, store, run_id, err);
    }
    if (rc == IA_OK) {
        emit(&r);
        emit_open(&r);
    }
    reasons_fini(&r.reasons);
    making_fini(&r.done);
    making_fini(&r.next);
    ia_buf_fini(&r.batch);
    ia_buf_fini(&r.replay);
    return rc;
}
