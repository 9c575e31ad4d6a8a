/* sweep_create.c: the rows of a new sweep: one for the sweep with its options as JSON, one for each
 * repeat of each chosen goal.
 *
 * All rows are one transaction: a sweep is there whole or not at all. The requests are
 * written out in full (job), so that a resume does not read goal files, which may have
 * changed since. */
#include "agent/sweep/sweep_impl.h"

#include "base/jsonw.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OPTIONS_BYTES_MAX = 4 << 20, LIST_BYTES_MAX = 1 << 20, FOLDER_BYTES_MAX = 4096 };

static int pick(int given, int of_file, int fallback)
{
    if (given >= 0) {
        return given;
    }
    return of_file >= 0 ? of_file : fallback;
}

static int repeats_of(const struct ia_goal *g, const struct ia_sweep_opts *o)
{
    return pick(o->repeat > 0 ? o->repeat : -1, g->repeat, 1);
}

/* How many rows, or 0 when they are too many. */
static size_t count_rows(const struct ia_goals *goals, const bool *chosen,
                         const struct ia_sweep_opts *o)
{
    size_t n = 0;
    for (size_t i = 0; i < ia_goals_count(goals); i++) {
        n += chosen[i] ? (size_t)repeats_of(ia_goals_at(goals, i), o) : 0;
    }
    return n;
}

static void put_texts(struct ia_jsonw *w, const char *key, const char *const *texts, size_t n)
{
    ia_jsonw_key(w, key);
    ia_jsonw_array(w);
    for (size_t i = 0; i < n; i++) {
        ia_jsonw_string(w, texts[i]);
    }
    ia_jsonw_end_array(w);
}

/* From where the files of the sweep are named. */
static void put_folder(struct ia_jsonw *w)
{
    char folder[FOLDER_BYTES_MAX];
    if (getcwd(folder, sizeof(folder))) {
        ia_jsonw_kv(w, "folder", folder);
    }
}

/* What a resume or a report needs beside the rows. retries has a number for each row,
 * in order. */
static void put_options(const struct ia_goals *goals, const bool *chosen,
                        const struct ia_sweep_opts *o, struct ia_buf *out)
{
    struct ia_jsonw w;
    ia_jsonw_init(&w, out);
    ia_jsonw_object(&w);
    put_folder(&w);
    put_texts(&w, "lanes", o->lanes, o->lane_count);
    put_texts(&w, "vars", o->vars, o->var_count);
    ia_jsonw_kv_bool(&w, "fresh", o->fresh);
    ia_jsonw_kv_bool(&w, "fail_fast", o->fail_fast);
    ia_jsonw_kv_int(&w, "max_seconds", o->max_seconds);
    ia_jsonw_key(&w, "retries");
    ia_jsonw_array(&w);
    for (size_t i = 0; i < ia_goals_count(goals); i++) {
        const struct ia_goal *g = ia_goals_at(goals, i);
        int n = chosen[i] ? repeats_of(g, o) : 0;
        for (int k = 0; k < n; k++) {
            ia_jsonw_int(&w, pick(o->retries, g->retries, 0));
        }
    }
    ia_jsonw_end_array(&w);
    ia_jsonw_end_object(&w);
}

/* The JSON columns of a goal's rows. */
struct columns {
    struct ia_buf needs, tags, job, eval;
};

static void put_eval(const struct ia_goal *g, struct ia_buf *out)
{
    struct ia_jsonw w;
    if (g->oracle_count == 0) {
        return;
    }
    ia_jsonw_init(&w, out);
    ia_jsonw_object(&w);
    ia_jsonw_kv(&w, "goal", g->base_name);
    ia_jsonw_kv_int(&w, "difficulty", g->difficulty);
    ia_jsonw_kv_int(&w, "wording", g->wording);
    ia_jsonw_kv_int(&w, "seed", g->seed);
    put_texts(&w, "oracle", g->oracle, g->oracle_count);
    ia_jsonw_end_object(&w);
}

static void columns_init(struct columns *c, const struct ia_goals *goals,
                         const struct ia_goal *g, bool demo)
{
    struct ia_run_request req = g->req;
    struct ia_jsonw w;
    *c = (struct columns){IA_BUF(LIST_BYTES_MAX), IA_BUF(LIST_BYTES_MAX),
                          IA_BUF(IA_JOB_BYTES_MAX), IA_BUF(LIST_BYTES_MAX)};
    ia_jsonw_init(&w, &c->needs);
    ia_jsonw_array(&w);
    for (size_t i = 0; i < g->need_count; i++) {
        ia_jsonw_string(&w, ia_goals_at(goals, g->needs[i])->req.name);
    }
    ia_jsonw_end_array(&w);
    ia_jsonw_init(&w, &c->tags);
    ia_jsonw_array(&w);
    for (size_t i = 0; i < g->tag_count; i++) {
        ia_jsonw_string(&w, g->tags[i]);
    }
    ia_jsonw_end_array(&w);
    put_eval(g, &c->eval);
    req.demo_brain = demo;
    ia_job_write(&req, g->device, &c->job);
}

static void columns_fini(struct columns *c)
{
    ia_buf_fini(&c->needs);
    ia_buf_fini(&c->tags);
    ia_buf_fini(&c->job);
    ia_buf_fini(&c->eval);
}

static enum ia_rc add_goal(struct ia_tx *tx, const char *id, const struct ia_goals *goals,
                           const struct ia_goal *g, const struct ia_sweep_opts *o,
                           struct ia_err *err)
{
    struct columns c;
    int repeats = repeats_of(g, o);
    columns_init(&c, goals, g, o->demo);
    enum ia_rc rc = ia_buf_check(&c.job, "a goal of the sweep", err);
    for (int i = 1; i <= repeats && rc == IA_OK; i++) {
        struct ia_sweep_goal_row row = {
            .name = g->req.name,
            .file = g->file,
            .line = (int)g->line,
            .repeat = i,
            .needs = ia_buf_cstr(&c.needs),
            .tags = ia_buf_cstr(&c.tags),
            .job = ia_buf_cstr(&c.job),
            .eval = c.eval.len > 0 ? ia_buf_cstr(&c.eval) : NULL,
            .state = IA_SWEEP_GOAL_WAITING,
        };
        ia_tx_add_sweep_goal(tx, id, &row, NULL);
    }
    columns_fini(&c);
    return rc;
}

static enum ia_rc write_rows(struct ia_tx *tx, const struct ia_goals *goals, const bool *chosen,
                             const struct ia_sweep_opts *o, char ret_id[IA_ID_SIZE],
                             struct ia_err *err)
{
    struct ia_buf options = IA_BUF(OPTIONS_BYTES_MAX);
    ret_id[0] = '\0';
    put_options(goals, chosen, o, &options);
    struct ia_sweep_row row = {
        .title = o->title, .options = ia_buf_cstr(&options), .max_usd = o->max_usd};
    ia_tx_add_sweep(tx, &row, ret_id);
    enum ia_rc rc = IA_OK;
    /* Rows of one goal stand together: sweep_open.c and the pass rates rely on it. */
    for (size_t i = 0; i < ia_goals_count(goals) && rc == IA_OK && !ia_tx_failed(tx); i++) {
        const struct ia_goal *g = ia_goals_at(goals, i);
        rc = chosen[i] ? add_goal(tx, ret_id, goals, g, o, err) : IA_OK;
    }
    ia_buf_fini(&options);
    return rc;
}

enum ia_rc ia_sweep_create(struct ia_store *store, const struct ia_goals *goals,
                           const bool *chosen, const struct ia_sweep_opts *opts,
                           char ret_id[IA_ID_SIZE], struct ia_err *err)
{
    size_t rows = count_rows(goals, chosen, opts);
    if (rows == 0) {
        enum ia_rc rc = ia_err_set(err, IA_E_USAGE, "none of the %zu goals is selected",
                                   ia_goals_count(goals));
        ia_err_hint(err, "--tag and --shard select; ios-agent sweep --dry-run shows the goals");
        return rc;
    }
    /* Before anything is written, as repeats multiply quickly. */
    if (rows > IA_SWEEP_ROWS_MAX) {
        return ia_err_set(err, IA_E_USAGE,
                          "the sweep has %zu goals including repeats; the limit is %d", rows,
                          IA_SWEEP_ROWS_MAX);
    }
    struct ia_tx *tx = NULL;
    enum ia_rc rc = ia_tx_begin(store, &tx, err);
    if (rc != IA_OK) {
        return rc;
    }
    rc = write_rows(tx, goals, chosen, opts, ret_id, err);
    if (rc != IA_OK) {
        ia_tx_rollback(tx);
        return rc;
    }
    return ia_tx_commit(tx, err);
}
