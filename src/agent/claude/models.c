/* models.c: the table of models (models.json or the user's file): finding one, and what calls cost.
 *
 * A price has bands by the size of the prompt; a prompt that is cached counts in full. An answer
 * of several sampling passes is billed for each of them, by the model of each. */
#include "agent/claude/models.h"

#include "base/embed.h"
#include "base/fd.h"
#include "base/suggest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

extern const struct ia_embedded ia_claude_files[];

enum { DATE_DIGITS = 8 };

struct ia_models {
    struct ia_model *list;
    size_t count;
};

void ia_models_free(struct ia_models *m)
{
    if (m) {
        free(m->list);
        free(m);
    }
}

/* A member that is a whole number, 0 for null or absent, -1 for anything else. */
static int64_t read_count(const json_t *row, const char *key)
{
    const json_t *v = json_object_get(row, key);
    if (!v || json_is_null(v)) {
        return 0;
    }
    return json_is_integer(v) && json_integer_value(v) >= 0 ? json_integer_value(v) : -1;
}

static bool read_price(const json_t *band, const char *key, double *ret)
{
    const json_t *v = json_object_get(band, key);
    *ret = json_number_value(v);
    return json_is_number(v) && *ret >= 0 && isfinite(*ret);
}

static bool read_band(const json_t *band, struct ia_price *ret)
{
    int64_t limit = read_count(band, "up_to_prompt_tokens");
    ret->max_prompt_tokens = limit > 0 ? limit : INT64_MAX;
    return limit >= 0 && read_price(band, "input", &ret->input) &&
           read_price(band, "cache_write_5m", &ret->write_5m) &&
           read_price(band, "cache_write_1h", &ret->write_1h) &&
           read_price(band, "cache_read", &ret->read) &&
           read_price(band, "output", &ret->output);
}

/* Bands ascend, and only the last has no limit. */
static bool read_bands(const json_t *row, struct ia_model *m)
{
    const json_t *prices = json_object_get(row, "prices");
    size_t n = json_array_size(prices);
    int64_t below = 0;
    if ((prices && !json_is_array(prices)) || n > IA_MODEL_BANDS_MAX) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        struct ia_price *band = &m->bands[i];
        bool last = i + 1 == n;
        /* find_band takes the first band that is large enough, so the order is checked here. */
        if (!read_band(json_array_get(prices, i), band) || band->max_prompt_tokens <= below ||
            last != (band->max_prompt_tokens == INT64_MAX)) {
            return false;
        }
        below = band->max_prompt_tokens;
    }
    m->band_count = (int)n;
    return true;
}

/* Unless the table says otherwise, a model's conversation must not be edited. */
static bool signature_bound(const json_t *row)
{
    const json_t *v = json_object_get(row, "signature_bound");
    return !v || !json_is_false(v);
}

static bool read_model(const json_t *row, struct ia_model *m)
{
    const char *id = json_string_value(json_object_get(row, "id"));
    *m = (struct ia_model){.context_tokens = read_count(row, "context_tokens"),
                           .max_output_tokens = read_count(row, "max_output_tokens"),
                           .min_cacheable_tokens = read_count(row, "min_cacheable_tokens"),
                           .signature_bound = signature_bound(row),
                           .high_res = json_is_true(json_object_get(row, "high_res_images")),
                           .compaction = json_is_true(json_object_get(row, "compaction"))};
    if (!id || !id[0] || strlen(id) >= sizeof(m->id)) {
        return false;
    }
    memcpy(m->id, id, strlen(id) + 1);
    return m->context_tokens >= 0 && m->max_output_tokens >= 0 &&
           m->min_cacheable_tokens >= 0 && read_bands(row, m);
}

static enum ia_rc read_models(const json_t *root, const char *name, struct ia_models *m,
                              struct ia_err *err)
{
    const json_t *rows = json_object_get(root, "models");
    size_t n = json_array_size(rows);
    if (!json_is_array(rows) || n > IA_MODELS_MAX) {
        return ia_err_set(err, IA_E_CONFIG,
                          "%s: \"models\" must be a list of at most %d models", name,
                          IA_MODELS_MAX);
    }
    m->list = ia_calloc(n + 1, sizeof(*m->list));
    for (size_t i = 0; i < n; i++) {
        if (!read_model(json_array_get(rows, i), &m->list[i])) {
            return ia_err_set(err, IA_E_CONFIG, "%s: model %zu (%s) is malformed", name, i + 1,
                              m->list[i].id);
        }
        m->count++;
    }
    return IA_OK;
}

enum ia_rc ia_models_parse(struct ia_str json, const char *name, struct ia_models **ret,
                           struct ia_err *err)
{
    json_error_t e;
    /* A user's file: two prices of one name would be a trap. */
    json_t *root = json_loadb(json.p ? json.p : "", json.n, JSON_REJECT_DUPLICATES, &e);
    if (!root) {
        return ia_err_set(err, IA_E_CONFIG, "%s:%d:%d: %s", name, e.line, e.column, e.text);
    }
    struct ia_models *m = ia_calloc(1, sizeof(*m));
    enum ia_rc rc = read_models(root, name, m, err);
    json_decref(root);
    if (rc) {
        ia_err_hint(err, "see models.json in the source for the form");
        ia_models_free(m);
        return rc;
    }
    *ret = m;
    return IA_OK;
}

enum ia_rc ia_models_load(const char *path, struct ia_models **ret, struct ia_err *err)
{
    if (!path) {
        const struct ia_embedded *file = ia_embedded_find(ia_claude_files, "models.json");
        return ia_models_parse((struct ia_str){file->data, file->size}, file->name, ret, err);
    }
    struct ia_buf text = IA_BUF(IA_MODELS_FILE_MAX);
    enum ia_rc rc = ia_file_read(path, &text, err);
    rc = rc ? rc : ia_models_parse(ia_buf_str(&text), path, ret, err);
    ia_buf_fini(&text);
    return rc;
}

/* True for the id itself and for the id with a date: "-20251001". */
static bool matches_id(const char *id, const char *asked)
{
    size_t n = strlen(id);
    if (strncmp(id, asked, n) != 0) {
        return false;
    }
    const char *rest = asked + n;
    return !rest[0] || (rest[0] == '-' && strlen(rest + 1) == DATE_DIGITS &&
                        strspn(rest + 1, "0123456789") == DATE_DIGITS);
}

const struct ia_model *ia_models_find(const struct ia_models *m, const char *id)
{
    for (size_t i = 0; m && id && i < m->count; i++) {
        if (matches_id(m->list[i].id, id)) {
            return &m->list[i];
        }
    }
    return NULL;
}

const struct ia_model *ia_models_next(const struct ia_models *all, const struct ia_model *m)
{
    const struct ia_model *next = m ? m + 1 : all->list;
    return next < all->list + all->count ? next : NULL;
}

const char *ia_models_nearest(const struct ia_models *m, const char *id)
{
    const char *ids[IA_MODELS_MAX];
    for (size_t i = 0; i < m->count; i++) {
        ids[i] = m->list[i].id;
    }
    return ia_nearest(ia_str(id), ids, m->count);
}

static int64_t at_least_0(int64_t tokens)
{
    return tokens > 0 ? tokens : 0;
}

static const struct ia_price *find_band(const struct ia_model *m, int64_t prompt_tokens)
{
    int i = 0;
    while (i < m->band_count && prompt_tokens > m->bands[i].max_prompt_tokens) {
        i++;
    }
    return i < m->band_count ? &m->bands[i] : NULL;
}

/* Writes to the cache without a stated lifetime are the short ones. */
static int64_t short_writes(const struct ia_claude_tokens *t)
{
    int64_t split = at_least_0(t->cache_write_5m) + at_least_0(t->cache_write_1h);
    int64_t unassigned =
        at_least_0(t->cache_write) > split ? at_least_0(t->cache_write) - split : 0;
    return at_least_0(t->cache_write_5m) + unassigned;
}

/* Adds what one sampling pass cost. */
static bool add_cost(const struct ia_models *m, const char *model,
                     const struct ia_claude_tokens *t, double *usd)
{
    const struct ia_model *found = ia_models_find(m, t->model[0] ? t->model : model);
    int64_t write_5m = short_writes(t);
    int64_t write_1h = at_least_0(t->cache_write_1h);
    if (!found || t->input < 0 || t->output < 0) {
        return false;
    }
    const struct ia_price *p =
        find_band(found, t->input + at_least_0(t->cache_read) + write_5m + write_1h);
    if (!p) {
        return false;
    }
    *usd += ((double)t->input * p->input + (double)write_5m * p->write_5m +
             (double)write_1h * p->write_1h + (double)at_least_0(t->cache_read) * p->read +
             (double)t->output * p->output) /
            1e6;
    return true;
}

static int64_t tokens_of(const struct ia_claude_tokens *t)
{
    return at_least_0(t->input) + at_least_0(t->cache_read) + at_least_0(t->cache_write) +
           at_least_0(t->output);
}

bool ia_models_cost(const struct ia_models *m, const char *model,
                    const struct ia_claude_usage *usage, double *ret_usd)
{
    double usd = 0;
    int64_t tokens = 0;
    for (size_t i = 0; i < usage->iteration_count; i++) {
        if (!add_cost(m, model, &usage->iterations[i], &usd)) {
            return false;
        }
        tokens += tokens_of(&usage->iterations[i]);
    }
    /* Iterations are the whole in its parts, and more; where they are less, they are not all. */
    if (usage->iteration_count == 0 || tokens < tokens_of(&usage->total)) {
        usd = 0;
        if (!add_cost(m, model, &usage->total, &usd)) {
            return false;
        }
    }
    *ret_usd = usd + (double)at_least_0(usage->web_searches) * IA_WEB_SEARCH_USD;
    return true;
}

bool ia_models_project(const struct ia_models *m, const char *model,
                       const struct ia_claude_usage *last, int64_t added_tokens,
                       int64_t output_tokens, double *ret_usd)
{
    struct ia_claude_usage next = ia_claude_usage_none();
    next.total.input = 0;
    next.total.cache_write = added_tokens;
    next.total.output = output_tokens;
    if (last) {
        const struct ia_claude_tokens *t = &last->total;
        next.total.cache_read = at_least_0(t->input) + at_least_0(t->cache_read) +
                                at_least_0(t->cache_write) + at_least_0(t->output);
    }
    return ia_models_cost(m, model, &next, ret_usd);
}
