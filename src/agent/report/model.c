/* model.c: a run or a sweep with the heads of its runs, read from the store.
 *
 * Ids are listed first and rows read one by one, because a callback of a listing must not call
 * the store again. A run alone is a report of one goal, so that the formats need not tell them
 * apart. */
#include "agent/report/model.h"

#include "agent/run/run.h"

#include <stdlib.h>
#include <string.h>

enum { TITLE_MAX = 200, START_EVENTS = 8 };

/* ---- states ------------------------------------------------------------------------------ */

static const char *const state_names[IA_REP_STATE_COUNT] = {
    "waiting", "running",   "passed",  "flaky",    "failed", "blocked",
    "error",   "cancelled", "skipped", "expected", "healed",
};

const char *ia_rep_state_name(enum ia_rep_state state)
{
    return state_names[state];
}

enum ia_rep_state ia_rep_state_from_name(const char *name)
{
    for (int i = 0; name && i < IA_REP_STATE_COUNT; i++) {
        if (strcmp(name, state_names[i]) == 0) {
            return (enum ia_rep_state)i;
        }
    }
    return IA_REP_ERROR;
}

bool ia_rep_state_good(enum ia_rep_state state)
{
    return state == IA_REP_PASSED || state == IA_REP_FLAKY || state == IA_REP_HEALED;
}

bool ia_rep_state_open(enum ia_rep_state state)
{
    return state == IA_REP_WAITING || state == IA_REP_RUNNING;
}

bool ia_rep_state_bad(enum ia_rep_state state)
{
    return !ia_rep_state_good(state) && !ia_rep_state_open(state) && state != IA_REP_SKIPPED &&
           state != IA_REP_EXPECTED;
}

/* ---- goals ------------------------------------------------------------------------------- */

static char *copy(const char *s)
{
    return s ? ia_strdup(s) : NULL;
}

/* Ids first: a listing's callback must not read more. */
struct ids {
    char (*id)[IA_ID_SIZE];
    size_t n;
};

static bool keep_id(void *ctx, const struct ia_run_row *row)
{
    struct ids *l = ctx;
    l->id = ia_realloc(l->id, l->n + 1, sizeof(*l->id));
    (void)strncpy(l->id[l->n], row->id, IA_ID_SIZE - 1);
    l->id[l->n][IA_ID_SIZE - 1] = '\0';
    l->n++;
    return l->n < IA_REP_RUNS_MAX;
}

static bool keep_device(void *ctx, const struct ia_event_row *row)
{
    struct ia_buf *device = ctx;
    struct ia_event e;
    if (row->type != IA_EVENT_RUN_STARTED) {
        return true;
    }
    if (ia_event_read(&e, row->json) && e.run_started.start.device.has) {
        ia_event_write_part(device, IA_EVENT_PART(&e.run_started.start.device));
    }
    ia_event_fini(&e);
    return device->len == 0;
}

/* The row of a run that waited does not say which device did it; its start does. */
static enum ia_rc add_started(struct ia_rep *r, struct ia_rep_run *run, struct ia_run_row *row,
                              struct ia_err *err)
{
    const struct ia_event_range range = {.run_id = row->id, .limit = START_EVENTS};
    struct ia_buf device = IA_BUF(IA_EVENT_BYTES_MAX);
    enum ia_rc rc = ia_store_events(r->store, &range, keep_device, &device, NULL, err);
    if (rc == IA_OK) {
        ia_rep_run_fill(run, row, device.len > 0 ? ia_buf_cstr(&device) : NULL, r->now_ms);
        rc = ia_store_below(r->store, run->row->id, &run->below, err);
    } else {
        ia_run_row_free(row);
    }
    ia_buf_fini(&device);
    return rc;
}

static enum ia_rc add_run(struct ia_rep *r, struct ia_rep_goal *g, const char *id,
                          struct ia_err *err)
{
    struct ia_run_row *row = NULL;
    enum ia_rc rc = ia_store_run(r->store, id, &row, err);
    if (rc != IA_OK) {
        return rc;
    }
    g->runs = ia_realloc(g->runs, g->run_count + 1, sizeof(*g->runs));
    rc = add_started(r, &g->runs[g->run_count], row, err);
    g->run_count += rc == IA_OK ? 1 : 0;
    return rc;
}

static enum ia_rc read_goal_runs(struct ia_rep *r, struct ia_rep_goal *g, struct ia_err *err)
{
    struct ids ids = {0};
    enum ia_rc rc = ia_store_sweep_runs(r->store, r->id, g->no, keep_id, &ids, err);
    for (size_t i = 0; rc == IA_OK && i < ids.n; i++) {
        rc = add_run(r, g, ids.id[i], err);
    }
    free(ids.id);
    return rc;
}

/* Whether the goal's file says that it fails. */
static bool known_to_fail(const char *job)
{
    json_t *j = job ? json_loads(job, 0, NULL) : NULL;
    bool known = json_is_string(json_object_get(j, "fails"));
    json_decref(j);
    return known;
}

/* A goal that failed as its file says; one that passed against it is stored as failed, too. */
static void mark_expected(struct ia_rep_goal *g)
{
    const struct ia_rep_run *last = ia_rep_last(g);
    if (g->fails && g->state == IA_REP_FAILED && last && last->row->state == IA_RUN_FAILED) {
        g->state = IA_REP_EXPECTED;
    }
}

static bool keep_goal(void *ctx, const struct ia_sweep_goal_row *row)
{
    struct ia_rep *r = ctx;
    r->has_oracles = r->has_oracles || row->eval;
    r->goals = ia_realloc(r->goals, r->goal_count + 1, sizeof(*r->goals));
    r->goals[r->goal_count++] = (struct ia_rep_goal){
        .no = row->no,
        .name = ia_strdup(row->name ? row->name : ""),
        .file = copy(row->file),
        .line = row->line,
        .repeat = row->repeat,
        .state = ia_rep_state_from_name(ia_sweep_goal_state_name(row->state)),
        .reason = copy(row->reason),
        .fails = known_to_fail(row->job),
        .tags = row->tags ? json_loads(row->tags, 0, NULL) : NULL,
    };
    return true;
}

/* ---- repeats ----------------------------------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
    const struct ia_rep_goal *const *x = a, *const *y = b;
    int order = strcmp((*x)->name, (*y)->name);
    /* By number within a name, as qsort is not stable. */
    return order != 0 ? order : (*x)->no - (*y)->no;
}

/* As in the sweep itself (ia_run_counts). */
static bool counts(const struct ia_rep_goal *g)
{
    const struct ia_rep_run *last = ia_rep_last(g);
    const char *code = last ? last->row->code : NULL;
    return last && !ia_rep_state_open(g->state) && g->state != IA_REP_HEALED &&
           ia_run_counts(last->row->state, code ? ia_rc_from_name(code) : IA_OK);
}

/* Sets in all n goals of one name how often it passed. Healed runs count as neither. */
static void rate(struct ia_rep_goal **same, size_t n)
{
    int done = 0, passed = 0;
    for (size_t i = 0; i < n; i++) {
        bool good = ia_rep_state_good(same[i]->state) && same[i]->state != IA_REP_HEALED;
        passed += good ? 1 : 0;
        done += counts(same[i]) ? 1 : 0;
    }
    for (size_t i = 0; i < n; i++) {
        same[i]->repeats = (int)n;
        same[i]->repeats_done = done;
        same[i]->repeats_passed = passed;
        same[i]->rate = ia_wilson(passed, done);
    }
}

static void rate_all(struct ia_rep *r)
{
    if (r->goal_count == 0) {
        return;
    }
    struct ia_rep_goal **sorted = ia_alloc(r->goal_count * sizeof(struct ia_rep_goal *));
    for (size_t i = 0; i < r->goal_count; i++) {
        sorted[i] = &r->goals[i];
    }
    qsort(sorted, r->goal_count, sizeof(struct ia_rep_goal *), by_name);
    for (size_t i = 0, from = 0; i < r->goal_count; i++) {
        if (i + 1 == r->goal_count || strcmp(sorted[i]->name, sorted[i + 1]->name) != 0) {
            rate(sorted + from, i + 1 - from);
            from = i + 1;
        }
    }
    free(sorted);
}

/* ---- totals ------------------------------------------------------------------------------ */

static void add_usage(struct ia_rep_totals *t, const struct ia_rep_run *run)
{
    const struct ia_usage_row *u = &run->row->usage;
    t->runs++;
    t->steps += run->row->steps;
    t->tokens_in += u->input + u->cache_read + u->cache_write;
    t->tokens_cached += u->cache_read;
    t->tokens_out += u->output;
    t->run_ms += run->ms;
    t->demo = t->demo || run->row->demo;
    t->simulated = t->simulated || run->simulated;
    /* Demo runs cost nothing, and must not make the sum unknown. */
    if (!run->row->demo) {
        double usd;
        t->cost_known = ia_rep_run_usd(run, &usd) && t->cost_known;
        t->cost_usd += usd;
    }
}

static void total(struct ia_rep *r)
{
    r->totals.cost_known = true;
    for (size_t i = 0; i < r->goal_count; i++) {
        struct ia_rep_goal *g = &r->goals[i];
        r->totals.count[g->state]++;
        for (size_t j = 0; j < g->run_count; j++) {
            add_usage(&r->totals, &g->runs[j]);
            g->strict =
                json_is_true(json_object_get(g->runs[j].job, "strict")); /* the last's */
        }
        r->totals.replayed += ia_rep_replayed(g);
    }
}

/* ---- a run alone ------------------------------------------------------------------------- */

static char *short_text(const char *s)
{
    struct ia_buf b = IA_BUF(TITLE_MAX + 8);
    for (; *s != '\0' && b.len < TITLE_MAX; s++) {
        ia_buf_putc(&b, *s == '\n' ? ' ' : *s);
    }
    return ia_buf_steal(&b);
}

struct place {
    struct ia_rep_goal *g;
    int no;
};

static bool keep_place(void *ctx, const struct ia_sweep_goal_row *row)
{
    struct place *p = ctx;
    if (row->no != p->no) {
        return true;
    }
    p->g->file = copy(row->file);
    p->g->line = row->line;
    return false;
}

/* A run of a sweep is done again as its file says. A sweep that is gone says nothing. */
static void find_place(struct ia_rep *r, struct ia_rep_goal *g, const struct ia_run_row *row)
{
    struct ia_sweep_row *sweep = NULL;
    struct ia_err ignored;
    struct place p = {g, row->sweep_no};
    if (!row->sweep_id || ia_store_sweep(r->store, row->sweep_id, &sweep, &ignored) != IA_OK) {
        return;
    }
    r->options = sweep->options ? json_loads(sweep->options, 0, NULL) : NULL;
    ia_sweep_row_free(sweep);
    (void)ia_store_sweep_goals(r->store, row->sweep_id, keep_place, &p, &ignored);
}

static enum ia_rc wrap_run(struct ia_rep *r, struct ia_run_row *row, struct ia_err *err)
{
    struct ia_rep_goal *g = ia_calloc(1, sizeof(*g));
    g->no = 1;
    g->name = ia_strdup(row->name && row->name[0] ? row->name : row->goal);
    g->runs = ia_calloc(1, sizeof(*g->runs));
    r->goals = g;
    r->goal_count = 1;
    r->id = ia_strdup(row->id);
    r->title = short_text(g->name);
    r->state = ia_strdup(ia_run_state_name(row->state));
    r->started_ms = row->started_ms;
    r->finished_ms = row->finished_ms;
    find_place(r, g, row);
    /* Takes the row over, also when it fails. */
    enum ia_rc rc = add_started(r, &g->runs[0], row, err);
    if (rc == IA_OK) {
        g->run_count = 1;
        g->state = ia_rep_run_state(&g->runs[0]);
    }
    return rc;
}

/* ---- a sweep ----------------------------------------------------------------------------- */

/* How much of a that is a whole path above it or itself is shared with b. */
static size_t shared(const char *a, size_t n, const char *b)
{
    size_t same = 0, whole = 0;
    while (same < n && a[same] == b[same]) {
        whole = a[same] == '/' ? same : whole;
        same++;
    }
    bool at_end = same == n && (b[same] == '\0' || b[same] == '/');
    return at_end ? n : whole;
}

static void find_common(struct ia_rep *r)
{
    const char *first = r->goal_count > 0 ? r->goals[0].file : NULL;
    size_t n = first ? strlen(first) : 0;
    for (size_t i = 1; i < r->goal_count; i++) {
        n = r->goals[i].file ? shared(first, n, r->goals[i].file) : 0;
    }
    r->common = n > 0 ? ia_strndup(first, n) : NULL;
}

static enum ia_rc read_sweep(struct ia_rep *r, const struct ia_sweep_row *row,
                             struct ia_err *err)
{
    r->sweep = true;
    r->id = ia_strdup(row->id);
    r->title = short_text(row->title && row->title[0] ? row->title : "sweep");
    r->state = ia_strdup(ia_sweep_state_name(row->state));
    r->why = copy(row->why);
    r->options = row->options ? json_loads(row->options, 0, NULL) : NULL;
    r->started_ms = row->created_ms;
    r->finished_ms = row->finished_ms;
    enum ia_rc rc = ia_store_sweep_goals(r->store, r->id, keep_goal, r, err);
    find_common(r);
    for (size_t i = 0; rc == IA_OK && i < r->goal_count; i++) {
        rc = read_goal_runs(r, &r->goals[i], err);
        mark_expected(&r->goals[i]);
    }
    return rc == IA_OK && r->has_oracles ? ia_eval_read(r->store, r->id, &r->eval, err) : rc;
}

/* ---- both -------------------------------------------------------------------------------- */

static enum ia_rc read_either(struct ia_rep *r, const char *id, struct ia_err *err)
{
    struct ia_run_row *run = NULL;
    struct ia_sweep_row *sweep = NULL;
    enum ia_rc rc = ia_store_run_or_sweep(r->store, id, &run, &sweep, err);
    if (rc == IA_OK && run) {
        rc = wrap_run(r, run, err);
        run = NULL;
    } else if (rc == IA_OK) {
        rc = read_sweep(r, sweep, err);
    }
    ia_run_row_free(run);
    ia_sweep_row_free(sweep);
    return rc;
}

enum ia_rc ia_rep_read(struct ia_store *store, const struct ia_report_opts *opts,
                       struct ia_rep *ret, struct ia_err *err)
{
    const struct ia_clock *clock = opts->clock ? opts->clock : ia_clock_system();
    struct ia_err local;
    *ret = (struct ia_rep){
        .store = store,
        .now_ms = ia_wall_ms(clock),
        .program = opts->program ? opts->program : "ios-agent",
    };
    enum ia_rc rc = read_either(ret, opts->id, err ? err : &local);
    if (rc != IA_OK) {
        ia_rep_fini(ret);
        return rc;
    }
    rate_all(ret);
    total(ret);
    return IA_OK;
}

static void goal_fini(struct ia_rep_goal *g)
{
    for (size_t i = 0; i < g->run_count; i++) {
        ia_rep_run_fini(&g->runs[i]);
    }
    free(g->runs);
    free(g->name);
    free(g->file);
    free(g->reason);
    json_decref(g->tags);
}

void ia_rep_fini(struct ia_rep *r)
{
    for (size_t i = 0; i < r->goal_count; i++) {
        goal_fini(&r->goals[i]);
    }
    free(r->goals);
    ia_eval_free(r->eval);
    free(r->id);
    free(r->title);
    free(r->state);
    free(r->why);
    free(r->common);
    json_decref(r->options);
    *r = (struct ia_rep){0};
}

/* ---- questions --------------------------------------------------------------------------- */

bool ia_rep_unfinished(const struct ia_rep *r)
{
    const int *n = r->totals.count;
    return n[IA_REP_WAITING] + n[IA_REP_RUNNING] > 0 || strcmp(r->state, "running") == 0;
}

int ia_rep_goals_bad(const struct ia_rep *r)
{
    int n = 0;
    for (int i = 0; i < IA_REP_STATE_COUNT; i++) {
        n += ia_rep_state_bad((enum ia_rep_state)i) ? r->totals.count[i] : 0;
    }
    return n;
}

const struct ia_rep_run *ia_rep_last(const struct ia_rep_goal *g)
{
    return g->run_count > 0 ? &g->runs[g->run_count - 1] : NULL;
}

bool ia_rep_replayed(const struct ia_rep_goal *g)
{
    const struct ia_rep_run *last = ia_rep_last(g);
    bool passed = g->state == IA_REP_PASSED || g->state == IA_REP_FLAKY;
    return passed && last && last->row->outcome;
}

bool ia_rep_refused(const struct ia_rep_goal *g)
{
    return g->strict && g->state == IA_REP_HEALED;
}

int64_t ia_rep_goal_ms(const struct ia_rep_goal *g)
{
    int64_t ms = 0;
    for (size_t i = 0; i < g->run_count; i++) {
        ms += g->runs[i].ms;
    }
    return ms;
}

double ia_rep_goal_cost(const struct ia_rep_goal *g, bool *ret_known)
{
    double usd = 0;
    *ret_known = g->run_count > 0;
    for (size_t i = 0; i < g->run_count; i++) {
        double one;
        *ret_known = ia_rep_run_usd(&g->runs[i], &one) && *ret_known && !g->runs[i].row->demo;
        usd += one;
    }
    return usd;
}

/* What a run says of itself is not why its goal counts as it does, where the file says that the goal
 * fails: a failure is good there, and a pass is not. */
static bool told_by_reason(const struct ia_rep_goal *g)
{
    const struct ia_rep_run *last = ia_rep_last(g);
    bool passed = last && last->row->state == IA_RUN_PASSED;
    return g->reason && (g->state == IA_REP_EXPECTED || (passed && g->state == IA_REP_FAILED));
}

const char *ia_rep_goal_story(const struct ia_rep_goal *g)
{
    const struct ia_rep_run *last = ia_rep_last(g);
    if (told_by_reason(g)) {
        return g->reason;
    }
    if (last && last->row->summary && last->row->summary[0] != '\0') {
        return last->row->summary;
    }
    if (last && last->message[0] != '\0') {
        return last->message;
    }
    return g->reason ? g->reason : "";
}
