/* eval.c: an evaluation from its rows, its sums, and two of them side by side. */
#include "agent/eval/eval.h"

#include "agent/goal/goalfile.h"
#include "agent/goal/job.h"
#include "agent/run/run.h"
#include "json/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX = 1 << 20, SEEDS_SHOWN = 20 };

const char *ia_eval_kind_name(enum ia_eval_kind kind)
{
    static const char *const names[IA_EVAL_KINDS] = {"false pass", "false failure", "failure",
                                                     "error",      "open",          "success"};
    return names[kind];
}

/* ---- reading ----------------------------------------------------------------------------- */

struct reading {
    struct ia_eval *e;
    size_t cap, passed_over; /* goals without an oracle */
    enum ia_rc rc;
    struct ia_err *err;
};

static char *wrong_of(const json_t *judged)
{
    struct ia_buf b = IA_BUF(TEXT_MAX);
    size_t i;
    json_t *line;
    ia_buf_puts(&b, ia_json_text(judged, "error"));
    json_array_foreach(json_object_get(judged, "wrong"), i, line)
    {
        ia_buf_printf(&b, "%s%s", i > 0 ? "\n" : "", json_string_value(line));
    }
    return ia_buf_steal(&b);
}

static void fill_row(struct ia_eval_row *to, const struct ia_sweep_goal_row *row,
                     const struct ia_run_request *req, const json_t *eval, const json_t *judged)
{
    struct ia_buf task = IA_BUF(TEXT_MAX);
    ia_buf_printf(&task, "%s\n%s", row->eval, req->goal);
    *to = (struct ia_eval_row){
        .no = row->no,
        .line = row->line,
        .repeat = row->repeat,
        .difficulty = (int)json_integer_value(json_object_get(eval, "difficulty")),
        .wording = (int)json_integer_value(json_object_get(eval, "wording")),
        .seed = (int)json_integer_value(json_object_get(eval, "seed")),
        .name = ia_strdup(row->name),
        .goal = ia_strdup(ia_json_text(eval, "goal")),
        .file = ia_strdup(row->file),
        .text = ia_strdup(req->goal),
        .task = ia_buf_steal(&task),
        .run_id = ia_strdup(row->run_id ? row->run_id : ""),
        .state = ia_strdup(""),
        .said = ia_strdup(row->reason ? row->reason : ""),
        .wrong = wrong_of(judged),
        .impossible = req->fails != NULL,
        .holds = json_is_true(json_object_get(judged, "holds")),
        .says_no = json_is_true(json_object_get(judged, "says_no")),
        .kind = !judged                            ? IA_EVAL_OPEN
                : json_object_get(judged, "holds") ? IA_EVAL_FAILURE
                                                   : IA_EVAL_ERROR,
        .ms = row->ms,
        .usage.cost_known = true,
    };
}

static void take_seed(struct ia_eval *e, int seed)
{
    e->first_seed = e->count == 1 || seed < e->first_seed ? seed : e->first_seed;
    e->last_seed = seed > e->last_seed ? seed : e->last_seed;
}

static bool take_goal(void *ctx, const struct ia_sweep_goal_row *row)
{
    struct reading *r = ctx;
    struct ia_job *job = NULL;
    if (!row->eval) {
        r->passed_over++;
        return true;
    }
    if (r->e->count == r->cap) {
        r->cap = r->cap ? 2 * r->cap : 64;
        r->e->rows = ia_realloc(r->e->rows, r->cap, sizeof(*r->e->rows));
    }
    r->rc = ia_job_parse(ia_str(row->job), &job, r->err);
    if (r->rc == IA_OK) {
        json_t *eval = json_loads(row->eval, 0, NULL);
        json_t *judged = row->judged ? json_loads(row->judged, 0, NULL) : NULL;
        fill_row(&r->e->rows[r->e->count++], row, ia_job_request(job), eval, judged);
        r->e->demo = ia_job_request(job)->demo_brain;
        take_seed(r->e, r->e->rows[r->e->count - 1].seed);
        json_decref(eval);
        json_decref(judged);
    }
    ia_job_free(job);
    return r->rc == IA_OK;
}

static void add_usage(struct ia_usage_row *to, const struct ia_usage_row *u)
{
    to->input += u->input;
    to->cache_read += u->cache_read;
    to->cache_write += u->cache_write;
    to->output += u->output;
    to->cost_usd += u->cost_usd;
    to->cost_known = to->cost_known && (u->cost_known || u->output == 0);
}

static void classify(struct ia_eval_row *row, const struct ia_run_row *run)
{
    enum ia_rc code = run->code ? ia_rc_from_name(run->code) : IA_OK;
    bool passed = run->state == IA_RUN_PASSED;
    if (row->kind != IA_EVAL_FAILURE) {
        return; /* not judged */
    }
    bool found_out = row->says_no && (code == IA_E_FAILED || code == IA_E_BLOCKED);
    if (!ia_run_counts(run->state, code)) {
        row->kind = IA_EVAL_ERROR;
    } else if (row->holds && (row->impossible ? found_out : passed)) {
        row->kind = IA_EVAL_SUCCESS;
    } else if (passed) {
        row->kind = IA_EVAL_FALSE_PASS;
    } else if (row->holds && !row->impossible) {
        row->kind = IA_EVAL_FALSE_FAILURE;
    }
}

static void put_text(char **to, const char *text)
{
    if (text) { /* else what is there stays */
        free(*to);
        *to = ia_strdup(text);
    }
}

static bool take_run(void *ctx, const struct ia_run_row *run)
{
    struct reading *r = ctx;
    struct ia_eval *e = r->e;
    for (size_t i = 0; i < e->count; i++) {
        struct ia_eval_row *row = &e->rows[i];
        if (row->no != run->sweep_no) {
            continue;
        }
        add_usage(&row->usage, &run->usage);
        row->usage.cost_known = row->usage.cost_known && !run->demo; /* nothing was paid */
        row->steps += run->steps;
        if (strcmp(row->run_id, run->id) == 0) {
            put_text(&row->state, ia_run_state_name(run->state));
            put_text(&row->said, run->summary);
            classify(row, run);
        }
    }
    if (!e->model) {
        e->model = ia_strdup(ia_run_model(run));
    }
    return true;
}

enum ia_rc ia_eval_read(struct ia_store *store, const char *id, struct ia_eval **ret,
                        struct ia_err *err)
{
    struct ia_sweep_row *sweep = NULL;
    enum ia_rc rc = ia_store_sweep(store, id, &sweep, err);
    if (rc != IA_OK) {
        return rc;
    }
    struct ia_eval *e = ia_calloc(1, sizeof(*e));
    struct reading r = {.e = e, .err = err};
    e->id = ia_strdup(sweep->id);
    e->title = ia_strdup(sweep->title);
    e->started_ms = sweep->created_ms;
    e->finished_ms = sweep->finished_ms;
    e->unfinished = sweep->state != IA_SWEEP_DONE;
    rc = ia_store_sweep_goals(store, e->id, take_goal, &r, err);
    rc = rc == IA_OK ? r.rc : rc;
    if (rc == IA_OK && e->count == 0) {
        rc =
            ia_err_set(err, IA_E_USAGE,
                       "sweep %s is not an evaluation: none of its goals has an oracle", e->id);
        ia_err_hint(err, "ios-agent eval makes one; docs/eval.md");
    }
    if (rc == IA_OK) {
        rc = ia_store_sweep_runs(store, e->id, 0, take_run, &r, err);
    }
    ia_sweep_row_free(sweep);
    if (rc != IA_OK) {
        ia_eval_free(e);
        return rc;
    }
    *ret = e;
    return IA_OK;
}

void ia_eval_free(struct ia_eval *e)
{
    for (size_t i = 0; e && i < e->count; i++) {
        struct ia_eval_row *r = &e->rows[i];
        char *const texts[] = {r->name,   r->goal,  r->file, r->text, r->task,
                               r->run_id, r->state, r->said, r->wrong};
        for (size_t k = 0; k < IA_COUNTOF(texts); k++) {
            free(texts[k]);
        }
    }
    if (e) {
        free(e->rows);
        free(e->id);
        free(e->title);
        free(e->model);
        free(e);
    }
}

/* ---- sums -------------------------------------------------------------------------------- */

static bool counts(const struct ia_eval_row *r)
{
    return r->kind != IA_EVAL_ERROR && r->kind != IA_EVAL_OPEN;
}

/* A number for the goal that the i-th row is a wording, seed or repeat of. */
static size_t group_of(const struct ia_eval *e, size_t i)
{
    size_t k = 0;
    while (strcmp(e->rows[k].goal, e->rows[i].goal) != 0) {
        k++;
    }
    return k;
}

/* A value and a group for each of some rows. */
struct sample {
    const struct ia_eval *e;
    double *value;
    size_t *group, n;
};

static struct sample new_sample(const struct ia_eval *e)
{
    return (struct sample){e, ia_calloc(e->count, sizeof(double)),
                           ia_calloc(e->count, sizeof(size_t)), 0};
}

static void add_value(struct sample *s, size_t i, double value)
{
    s->value[s->n] = value;
    s->group[s->n++] = group_of(s->e, i);
}

/* Frees the sample. */
static double effect_of(struct sample *s)
{
    double effect = ia_eval_design_effect(s->value, s->group, s->n, s->e->count);
    free(s->value);
    free(s->group);
    return effect;
}

struct ia_eval_sum ia_eval_sum(const struct ia_eval *e, ia_eval_only *only, const void *ctx)
{
    struct ia_eval_sum sum = {.usage.cost_known = true};
    struct sample s = new_sample(e);
    for (size_t i = 0; i < e->count; i++) {
        const struct ia_eval_row *r = &e->rows[i];
        if (only && !only(r, ctx)) {
            continue;
        }
        sum.goals++;
        sum.kinds[r->kind]++;
        sum.steps += r->steps;
        sum.ms += r->ms;
        add_usage(&sum.usage, &r->usage);
        sum.usage.cost_known = sum.usage.cost_known && r->usage.cost_known;
        if (counts(r)) {
            sum.n++;
            sum.holds += r->holds;
            add_value(&s, i, r->kind == IA_EVAL_SUCCESS);
        }
    }
    double effect = effect_of(&s);
    sum.rate = ia_wilson_share(sum.kinds[IA_EVAL_SUCCESS] / effect, sum.n / effect);
    return sum;
}

static bool of_difficulty(const struct ia_eval_row *r, const void *ctx)
{
    return r->difficulty == *(const int *)ctx;
}

static bool of_seed(const struct ia_eval_row *r, const void *ctx)
{
    return r->seed == *(const int *)ctx;
}

/* The name of its file without folder and ".toml": what the goals are about. */
static struct ia_str area_of(const struct ia_eval_row *r)
{
    const char *slash = strrchr(r->file, '/');
    const char *name = slash ? slash + 1 : r->file;
    const char *dot = strrchr(name, '.');
    return (struct ia_str){name, dot ? (size_t)(dot - name) : strlen(name)};
}

static bool of_area(const struct ia_eval_row *r, const void *ctx)
{
    return ia_str_is(area_of(r), ctx);
}

static bool is_impossible(const struct ia_eval_row *r, const void *ctx)
{
    (void)ctx;
    return r->impossible;
}

/* The (*i)-th group of those with a number; counts *i down. */
static bool numbered(const struct ia_eval *e, const char *kind, ia_eval_only *only, int first,
                     int last, size_t *i, struct ia_eval_group *ret)
{
    ret->kind = kind;
    for (int n = first; n <= last; n++) {
        ret->sum = ia_eval_sum(e, only, &n);
        if (ret->sum.goals > 0 && (*i)-- == 0) {
            (void)snprintf(ret->name, sizeof(ret->name), "%d", n);
            return true;
        }
    }
    return false;
}

static bool area(const struct ia_eval *e, size_t *i, struct ia_eval_group *ret)
{
    ret->kind = "area";
    for (size_t k = 0; k < e->count; k++) {
        size_t first = 0;
        struct ia_str name = area_of(&e->rows[k]);
        (void)snprintf(ret->name, sizeof(ret->name), "%.*s", (int)name.n, name.p);
        while (!of_area(&e->rows[first], ret->name)) {
            first++;
        }
        if (first == k && (*i)-- == 0) {
            ret->sum = ia_eval_sum(e, of_area, ret->name);
            return true;
        }
    }
    return false;
}

bool ia_eval_group(const struct ia_eval *e, size_t i, struct ia_eval_group *ret)
{
    int seeds = e->last_seed - e->first_seed;
    bool few = seeds > 0 && seeds < SEEDS_SHOWN;
    if (numbered(e, "difficulty", of_difficulty, 1, IA_GOALFILE_DIFFICULTY_MAX, &i, ret) ||
        area(e, &i, ret) ||
        (few && numbered(e, "seed", of_seed, e->first_seed, e->last_seed, &i, ret))) {
        return true;
    }
    ret->kind = "kind";
    (void)snprintf(ret->name, sizeof(ret->name), "%s", "cannot be done");
    ret->sum = ia_eval_sum(e, is_impossible, NULL);
    return i == 0 && ret->sum.goals > 0;
}

void ia_eval_group_name(const struct ia_eval_group *g, struct ia_buf *out)
{
    bool number = strcmp(g->kind, "difficulty") == 0 || strcmp(g->kind, "seed") == 0;
    ia_buf_printf(out, "%s%s%s", number ? g->kind : "", number ? " " : "", g->name);
}

bool ia_eval_usd_per_success(const struct ia_eval_sum *s, double *ret)
{
    bool known = s->usage.cost_known && s->kinds[IA_EVAL_SUCCESS] > 0;
    *ret = known ? s->usage.cost_usd / s->kinds[IA_EVAL_SUCCESS] : 0;
    return known;
}

/* ---- two of them ------------------------------------------------------------------------- */

static const struct ia_eval_row *partner(const struct ia_eval *e, const struct ia_eval_row *of)
{
    for (size_t i = 0; i < e->count; i++) {
        const struct ia_eval_row *r = &e->rows[i];
        if (r->repeat == of->repeat && strcmp(r->name, of->name) == 0) {
            return r;
        }
    }
    return NULL;
}

struct ia_eval_compared ia_eval_compare(const struct ia_eval *a, const struct ia_eval *b,
                                        ia_eval_pair_fn *pair, void *ctx)
{
    struct ia_eval_compared c = {0};
    struct sample s = new_sample(a);
    int of_b = 0;
    for (size_t i = 0; i < a->count; i++) {
        const struct ia_eval_row *x = &a->rows[i], *y = partner(b, x);
        of_b += y != NULL;
        if (!y || strcmp(x->task, y->task) != 0 || !counts(x) || !counts(y)) {
            c.left_out++;
            continue;
        }
        bool in_a = x->kind == IA_EVAL_SUCCESS, in_b = y->kind == IA_EVAL_SUCCESS;
        c.pairs++;
        c.both += in_a && in_b;
        c.only_a += in_a && !in_b;
        c.only_b += in_b && !in_a;
        c.neither += !in_a && !in_b;
        add_value(&s, i, in_b - in_a);
        if (pair && x->kind != y->kind) {
            pair(ctx, x, y);
        }
    }
    c.left_out += (int)b->count - of_b;
    double effect = effect_of(&s), n = c.pairs > 0 ? c.pairs : 1;
    c.rate_a = (c.both + c.only_a) / n;
    c.rate_b = (c.both + c.only_b) / n;
    c.difference = (c.only_b - c.only_a) / n;
    c.interval = ia_eval_difference(c.only_b / effect, c.only_a / effect, c.pairs / effect);
    return c;
}
