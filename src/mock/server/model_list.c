/* model_list.c: see model_list.h. The list is cut by cursors: behind one id, or just before another. */
#include "mock/server/model_list.h"

#include "base/jsonw.h"
#include "mock/api/models.h"

#include <stdlib.h>
#include <string.h>

static void write_model(struct ia_jsonw *w, const struct ia_mock_model *m)
{
    ia_jsonw_object(w);
    ia_jsonw_kv(w, "type", "model");
    ia_jsonw_kv(w, "id", m->id);
    ia_jsonw_kv(w, "display_name", m->name);
    ia_jsonw_kv(w, "created_at", "2026-01-01T00:00:00Z");
    ia_jsonw_kv(w, "lifecycle", "active");
    ia_jsonw_kv_int(w, "max_input_tokens", m->context_tokens);
    ia_jsonw_kv_int(w, "max_tokens", m->output_tokens);
    ia_jsonw_end_object(w);
}

/* A part of the list of models: those from `from` up to `to`. */
struct page {
    size_t from, to;
    bool has_more;
};

static bool find_cursor(const char *name, const char *id, size_t *ret,
                        struct ia_mock_reject *reject)
{
    for (size_t i = 0; ia_mock_model_at(i); i++) {
        if (strcmp(ia_mock_model_at(i)->id, id) == 0) {
            *ret = i;
            return true;
        }
    }
    return ia_mock_refuse(reject, "page", "%s: no model has the id %.100s", name, id);
}

/* 20 at once unless `limit` (1 to 1000) says otherwise; behind after_id, or just before before_id. */
static bool choose_page(const struct ia_mock_headers *h, struct page *ret,
                        struct ia_mock_reject *reject)
{
    enum { LIMIT_DEFAULT = 20, LIMIT_MAX = 1000 };
    char *end = NULL;
    long limit = h->limit ? strtol(h->limit, &end, 10) : LIMIT_DEFAULT;
    size_t count = 0, from = 0;
    while (ia_mock_model_at(count)) {
        count++;
    }
    if (limit < 1 || limit > LIMIT_MAX || (end && *end != '\0')) {
        return ia_mock_refuse(reject, "page", "limit: Input should be an integer from 1 to %d",
                              LIMIT_MAX);
    }
    if (h->after_id && !find_cursor("after_id", h->after_id, &from, reject)) {
        return false;
    }
    from += h->after_id ? 1 : 0;
    if (h->before_id && !find_cursor("before_id", h->before_id, &count, reject)) {
        return false;
    }
    size_t all = count > from ? count - from : 0, n = all < (size_t)limit ? all : (size_t)limit;
    from = h->before_id ? from + all - n : from;
    *ret = (struct page){from, from + n, n < all};
    return true;
}

static void write_models(struct ia_jsonw *w, const struct page *p)
{
    ia_jsonw_object(w);
    ia_jsonw_key(w, "data");
    ia_jsonw_array(w);
    for (size_t i = p->from; i < p->to; i++) {
        write_model(w, ia_mock_model_at(i));
    }
    ia_jsonw_end_array(w);
    ia_jsonw_kv_bool(w, "has_more", p->has_more);
    ia_jsonw_kv(w, "first_id", p->to > p->from ? ia_mock_model_at(p->from)->id : NULL);
    ia_jsonw_kv(w, "last_id", p->to > p->from ? ia_mock_model_at(p->to - 1)->id : NULL);
    ia_jsonw_end_object(w);
}

bool ia_mock_model_list_write(const struct ia_mock_headers *h, const char *id,
                              struct ia_buf *out, struct ia_mock_reject *reject)
{
    struct ia_jsonw w;
    struct page page = {0};
    const struct ia_mock_model *m = *id == '/' ? ia_mock_model_find(id + 1) : NULL;
    if (*id && !m) {
        return ia_mock_refuse_as(reject, 404, "unknown_model", "model: %.200s", id + 1);
    }
    if (!m && !choose_page(h, &page, reject)) {
        return false;
    }
    ia_jsonw_init(&w, out);
    if (m) {
        write_model(&w, m);
    } else {
        write_models(&w, &page);
    }
    return true;
}
