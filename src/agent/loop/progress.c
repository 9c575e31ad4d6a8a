#include "agent/loop/progress.h"

#include <jansson.h>
#include <string.h>

/* The events of one run on their way into a progress. */
struct reading {
    struct ia_progress *p;
    int64_t before_ms; /* time of the event before, of the same attempt; 0 at its start */
};

static const char *text_of(const json_t *e, const char *key)
{
    const char *s = json_string_value(json_object_get(e, key));
    return s ? s : "";
}

static void take_refs(struct ia_progress *p, const json_t *e)
{
    json_int_t refs = json_integer_value(json_object_get(e, "refs"));
    if (refs > (json_int_t)p->last_ref && refs < UINT32_MAX) {
        p->last_ref = (uint32_t)refs;
    }
}

static void take_spent(struct ia_progress *p, const json_t *e)
{
    const json_t *spent = json_object_get(e, "spent");
    if (spent) {
        p->has_spent = true;
        p->spent = (struct ia_spent){
            .tokens = json_integer_value(json_object_get(spent, "tokens")),
            .usd = json_number_value(json_object_get(spent, "usd")),
            .usd_max = json_number_value(json_object_get(spent, "usd_max")),
            .cost_known = json_is_true(json_object_get(spent, "cost_known")),
        };
        json_t *ran = json_object_get(spent, "ran_ms");
        p->ran_ms = json_is_integer(ran) ? json_integer_value(ran) : p->ran_ms;
    }
}

static void on_started(struct ia_progress *p, const json_t *e)
{
    (void)e;
    p->running = true;
    p->clean = false;
}

static void on_looked(struct ia_progress *p, const json_t *e)
{
    p->begun = true;
    p->expects_held = json_is_true(json_object_get(e, "expects_held"));
    ia_buf_reset(&p->screen);
    ia_buf_puts(&p->screen, text_of(e, "screen"));
    (void)snprintf(p->continues, sizeof(p->continues), "%s", text_of(e, "continues"));
}

static void on_answer(struct ia_progress *p, const json_t *e)
{
    (void)e;
    p->turns++;
}

static void on_refused(struct ia_progress *p, const json_t *e)
{
    (void)e;
    p->refusals++;
}

/* A run that was only refused, as its device was busy, tells nothing of the attempt before. */
static void on_pause(struct ia_progress *p, const json_t *e)
{
    p->clean = p->running ? json_object_get(e, "spent") != NULL : p->clean;
    p->running = false;
}

static void on_rolled_back(struct ia_progress *p, const json_t *e)
{
    (void)e;
    p->begun = false;
    p->refusals = 0;
}

/* The events that an attempt writes while it runs, and what each tells. */
static const struct {
    const char *type;
    void (*take)(struct ia_progress *p, const json_t *e); /* NULL: only that it ran */
    bool starts, outside; /* an attempt begins; not written by a running attempt */
} rows[] = {
    {"run.started", on_started, true, false},
    {"run.resumed", on_started, true, false},
    {"run.looked", on_looked, false, false},
    {"request.retry", NULL, false, false},
    {"request.finished", on_answer, false, false},
    {"tool.started", NULL, false, false},
    {"tool.finished", NULL, false, false},
    {"finish.refused", on_refused, false, false},
    {"verifier.result", NULL, false, false},
    {"message.taken", NULL, false, false},
    {"run.retry_wait", on_pause, false, false},
    {"run.interrupted", on_pause, false, true},
    {"run.rolled_back", on_rolled_back, false, true},
};

static void count_time(struct reading *r, int64_t ts_ms, bool starts)
{
    if (!starts && r->before_ms > 0 && ts_ms > r->before_ms) {
        r->p->ran_ms += ts_ms - r->before_ms;
    }
    r->before_ms = ts_ms;
}

static bool take_event(void *ctx, const struct ia_event_row *row)
{
    struct reading *r = ctx;
    size_t i = 0;
    while (i < IA_COUNTOF(rows) && strcmp(rows[i].type, row->type) != 0) {
        i++;
    }
    if (i == IA_COUNTOF(rows)) {
        return true;
    }
    json_t *e = json_loadb(row->json.p, row->json.n, JSON_ALLOW_NUL, NULL);
    if (!rows[i].outside) {
        count_time(r, row->ts_ms, rows[i].starts);
    }
    take_refs(r->p, e);
    take_spent(r->p, e);
    if (rows[i].take) {
        rows[i].take(r->p, e);
    }
    json_decref(e);
    return true;
}

enum ia_rc ia_progress_read(struct ia_store *store, const char *run_id, struct ia_progress *ret,
                            struct ia_err *err)
{
    *ret = (struct ia_progress){.screen = IA_BUF(IA_EVENT_BYTES_MAX)};
    struct reading r = {.p = ret};
    int64_t last = 0, before;
    enum ia_rc rc;
    do {
        before = last;
        const struct ia_event_range range = {.run_id = run_id, .after_id = before};
        rc = ia_store_events(store, &range, take_event, &r, &last, err);
    } while (rc == IA_OK && last > before);
    return rc;
}

void ia_progress_fini(struct ia_progress *p)
{
    ia_buf_fini(&p->screen);
}
