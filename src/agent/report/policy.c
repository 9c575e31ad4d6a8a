/* policy.c: what a run asked a person, and the text that tried to give it orders. */
#include "agent/report/model.h"

#include "base/jsonw.h"
#include "store/questions.h"

struct suspects {
    ia_rep_suspect_fn *fn;
    void *ctx;
};

static bool each_text(void *ctx, const struct ia_event_row *row)
{
    const struct suspects *s = ctx;
    struct ia_event e;
    bool more = true;
    if (row->type != IA_EVENT_SCREEN_SUSPICIOUS) {
        return true;
    }
    if (ia_event_read(&e, row->json)) {
        const struct ia_event_texts *texts = &e.screen_suspicious.texts;
        for (size_t i = 0; more && i < texts->n; i++) {
            more = s->fn(s->ctx, (int)e.screen_suspicious.step, texts->items[i]);
        }
    }
    ia_event_fini(&e);
    return more;
}

enum ia_rc ia_rep_suspicious(struct ia_store *store, const char *run_id, ia_rep_suspect_fn *fn,
                             void *ctx, struct ia_err *err)
{
    struct suspects s = {fn, ctx};
    int64_t last = -1, next = 0;
    enum ia_rc rc = IA_OK;
    /* The same position twice: there are no more. */
    while (rc == IA_OK && next != last) {
        last = next;
        const struct ia_event_range range = {.run_id = run_id, .after_id = last};
        rc = ia_store_events(store, &range, each_text, &s, &next, err);
    }
    return rc;
}

void ia_rep_answer(const struct ia_question_row *q, struct ia_buf *out)
{
    ia_buf_puts(out, ia_question_state_name(q->state));
    if (q->answered_by) {
        ia_buf_printf(out, " by %s", q->answered_by);
    }
    if (q->note && q->note[0] != '\0') {
        ia_buf_printf(out, ": %s", q->note);
    }
}

/* ---- as JSON ----------------------------------------------------------------------------- */

static void put_time(struct ia_jsonw *w, const char *key, int64_t wall_ms)
{
    char iso[IA_ISO_SIZE];
    ia_iso_format(wall_ms, iso);
    ia_jsonw_kv(w, key, wall_ms > 0 ? iso : NULL);
}

static bool put_question(void *ctx, const struct ia_question_row *q)
{
    struct ia_jsonw *w = ctx;
    ia_jsonw_object(w);
    ia_jsonw_kv(w, "id", q->id);
    ia_jsonw_kv(w, "rule", q->rule);
    ia_jsonw_kv(w, "text", q->text);
    ia_jsonw_kv(w, "state", ia_question_state_name(q->state));
    put_time(w, "asked", q->asked_ms);
    put_time(w, "expires", q->expires_ms);
    put_time(w, "answered", q->answered_ms);
    ia_jsonw_kv(w, "by", q->answered_by);
    ia_jsonw_kv(w, "note", q->note);
    ia_jsonw_end_object(w);
    return true;
}

static bool put_suspect(void *ctx, int step, struct ia_str text)
{
    struct ia_jsonw *w = ctx;
    ia_jsonw_object(w);
    ia_jsonw_kv_int(w, "step", step);
    ia_jsonw_key(w, "text");
    ia_jsonw_str(w, text);
    ia_jsonw_end_object(w);
    return true;
}

enum ia_rc ia_rep_put_policy(struct ia_jsonw *w, struct ia_store *store, const char *run_id,
                             struct ia_err *err)
{
    ia_jsonw_key(w, "questions");
    ia_jsonw_array(w);
    enum ia_rc rc = ia_store_questions(store, true, run_id, put_question, w, err);
    ia_jsonw_end_array(w);
    ia_jsonw_key(w, "suspicious");
    ia_jsonw_array(w);
    if (rc == IA_OK) {
        rc = ia_rep_suspicious(store, run_id, put_suspect, w, err);
    }
    ia_jsonw_end_array(w);
    return rc;
}
