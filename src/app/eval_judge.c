/* eval_judge.c: from a run that ended to what the phone's state says of it.
 *
 *     row ─► its run's lane ─► the phone's log ─► state after the setup ┐
 *                                              └► state now            ┴─► oracle ─► row
 *
 * The phone is read from its log, without touching it. */
#include "app/eval_judge.h"

#include "agent/goal/job.h"
#include "agent/goal/oracle.h"
#include "agent/prompts/prompts.h"
#include "driver/registry/device_registry.h"
#include "json/json.h"

#include <stdlib.h>
#include <string.h>

enum { RULES_MAX = IA_JOB_EXPECTS_MAX, WRONG_MAX = 64 << 10, JUDGED_MAX = 256 << 10 };
#define STATE_MAX ((size_t)16 << 20)

/* A goal that is to be judged. */
struct task {
    int no;
    size_t setup;
    char run_id[IA_ID_SIZE];
    json_t *eval;
};

struct judging {
    struct ia_store *store;
    const struct ia_paths *paths;
    const char *sweep_id, *only; /* only: the run; NULL: all */
    struct task *tasks;
    size_t count, oracles;
};

/* What is found out about one. */
struct found {
    bool holds;
    bool says_no; /* the model's last call finished the run as failed or blocked */
    struct ia_buf before, after, seen, wrong;
    int64_t from, to;
};

/* ---- which ------------------------------------------------------------------------------- */

static bool take(void *ctx, const struct ia_sweep_goal_row *row)
{
    struct judging *j = ctx;
    struct ia_job *job = NULL;
    j->oracles += row->eval != NULL;
    bool other = !row->run_id || (j->only && strcmp(row->run_id, j->only) != 0);
    if (!row->eval || row->judged || other ||
        ia_job_parse(ia_str(row->job), &job, NULL) != IA_OK) {
        return true;
    }
    const struct ia_run_request *req = ia_job_request(job);
    struct task t = {.no = row->no, .eval = json_loads(row->eval, 0, NULL)};
    t.setup = req->setup_count;
    (void)snprintf(t.run_id, sizeof(t.run_id), "%s", row->run_id);
    j->tasks = ia_realloc(j->tasks, j->count + 1, sizeof(*j->tasks));
    j->tasks[j->count++] = t;
    ia_job_free(job);
    return true;
}

struct later {
    const struct ia_run_row *run;
    bool used;
};

static bool started_later(void *ctx, const struct ia_run_row *row)
{
    struct later *l = ctx;
    l->used =
        l->used || (strcmp(row->id, l->run->id) != 0 && row->started_ms > l->run->finished_ms);
    return !l->used;
}

/* ---- the phone --------------------------------------------------------------------------- */

static enum ia_rc read_state(struct ia_embedded_options opt, int64_t at, struct ia_buf *out,
                             struct ia_err *err)
{
    struct ia_jsonw w;
    opt.at = at;
    ia_jsonw_init(&w, out);
    enum ia_rc rc = ia_embedded_state_json(&opt, &w, err);
    return rc == IA_OK ? ia_buf_check(out, "the phone's state", err) : rc;
}

static enum ia_rc read_phone(const struct judging *j, const char *lane, size_t setup,
                             struct found *f, struct ia_err *err)
{
    struct ia_device_spec spec = {.kind = NULL};
    struct ia_embedded_options opt;
    char *folder = NULL;
    enum ia_rc rc = ia_device_spec_find(lane, j->paths, &spec, err);
    if (rc == IA_OK) {
        rc = ia_device_spec_embedded(&spec, &opt, &folder, err);
    }
    if (rc == IA_OK) {
        rc = ia_embedded_last_run(&opt, setup, &f->from, &f->to, err);
    }
    if (rc == IA_OK) {
        rc = read_state(opt, f->from, &f->before, err);
    }
    if (rc == IA_OK) {
        rc = read_state(opt, f->to, &f->after, err);
    }
    free(folder);
    ia_device_spec_fini(&spec);
    return rc;
}

static bool says_no(const struct ia_call_row *row)
{
    json_t *input = json_loadb(row->input.p, row->input.n, 0, NULL);
    const char *verdict = ia_json_text(input, "verdict");
    bool no = strcmp(row->name, ia_tool_name(IA_TOOL_FINISH)) == 0 &&
              (strcmp(verdict, "failed") == 0 || strcmp(verdict, "blocked") == 0);
    json_decref(input);
    return no;
}

static bool see(void *ctx, const struct ia_call_row *row)
{
    struct found *f = ctx;
    f->says_no = says_no(row);
    ia_buf_putstr(&f->seen, row->screen);
    ia_buf_putc(&f->seen, '\n');
    return ia_buf_ok(&f->seen);
}

static enum ia_rc check_unused(const struct judging *j, const struct ia_run_row *run,
                               struct ia_err *err)
{
    struct ia_run_filter filter = {.lane = run->lane, .limit = IA_RUN_LIST_MAX};
    struct later later = {.run = run};
    enum ia_rc rc =
        !j->only ? ia_store_runs(j->store, &filter, started_later, &later, err) : IA_OK;
    return rc == IA_OK && later.used
               ? ia_err_set(err, IA_E_STATE, "another run has used %s since", run->lane)
               : rc;
}

static enum ia_rc judge(const struct judging *j, const struct task *t,
                        const struct ia_run_row *run, struct found *f, struct ia_err *err)
{
    const char *rules[RULES_MAX];
    const json_t *list = json_object_get(t->eval, "oracle");
    size_t n = json_array_size(list) < RULES_MAX ? json_array_size(list) : RULES_MAX;
    for (size_t i = 0; i < n; i++) {
        rules[i] = json_string_value(json_array_get(list, i));
    }
    enum ia_rc rc = check_unused(j, run, err);
    if (rc == IA_OK) {
        rc = read_phone(j, run->lane, t->setup, f, err);
    }
    if (rc == IA_OK) {
        rc = ia_store_calls(j->store, run->id, see, f, err);
    }
    if (rc == IA_OK) {
        rc = ia_buf_check(&f->seen, "what the run has seen", err);
    }
    const struct ia_oracle_run said = {.before = ia_buf_cstr(&f->before),
                                       .after = ia_buf_cstr(&f->after),
                                       .answer = run->summary,
                                       .seen = ia_buf_cstr(&f->seen)};
    return rc == IA_OK ? ia_oracle_judge(rules, n, &said, &f->holds, &f->wrong, err) : rc;
}

/* ---- what is kept ------------------------------------------------------------------------ */

static void put_wrong(struct ia_jsonw *w, const char *lines)
{
    ia_jsonw_key(w, "wrong");
    ia_jsonw_array(w);
    while (*lines != '\0') {
        size_t n = strcspn(lines, "\n");
        ia_jsonw_str(w, (struct ia_str){lines, n});
        lines += n + (lines[n] == '\n');
    }
    ia_jsonw_end_array(w);
}

static void put_judged(const struct found *f, const struct ia_run_row *run,
                       const struct ia_err *error, struct ia_buf *out)
{
    struct ia_jsonw w;
    ia_jsonw_init(&w, out);
    ia_jsonw_object(&w);
    if (error->code != IA_OK) {
        ia_jsonw_kv(&w, "error", error->msg);
    } else {
        ia_jsonw_kv_bool(&w, "holds", f->holds);
        ia_jsonw_kv_bool(&w, "says_no", f->says_no);
        put_wrong(&w, ia_buf_cstr(&f->wrong));
        ia_jsonw_kv(&w, "lane", run->lane);
        ia_jsonw_kv_int(&w, "before", f->from);
        ia_jsonw_kv_int(&w, "after", f->to);
    }
    ia_jsonw_end_object(&w);
}

static enum ia_rc keep(const struct judging *j, const struct task *t, const char *judged,
                       struct ia_err *err)
{
    struct ia_tx *tx = NULL;
    enum ia_rc rc = ia_tx_begin(j->store, &tx, err);
    if (rc == IA_OK) {
        ia_tx_judge_sweep_goal(tx, j->sweep_id, t->no, judged);
        rc = ia_tx_commit(tx, err);
    }
    return rc;
}

static enum ia_rc judge_one(const struct judging *j, const struct task *t, struct ia_err *err)
{
    struct ia_run_row *run = NULL;
    enum ia_rc rc = ia_store_run(j->store, t->run_id, &run, err);
    if (rc == IA_OK && ia_run_state_final(run->state)) {
        struct found f = {.before = IA_BUF(STATE_MAX),
                          .after = IA_BUF(STATE_MAX),
                          .seen = IA_BUF(IA_ORACLE_SEEN_MAX),
                          .wrong = IA_BUF(WRONG_MAX)};
        struct ia_buf judged = IA_BUF(JUDGED_MAX);
        struct ia_err error = {.code = IA_OK};
        error.code = judge(j, t, run, &f, &error);
        put_judged(&f, run, &error, &judged);
        rc = keep(j, t, ia_buf_cstr(&judged), err);
        ia_buf_fini(&f.before);
        ia_buf_fini(&f.after);
        ia_buf_fini(&f.seen);
        ia_buf_fini(&f.wrong);
        ia_buf_fini(&judged);
    }
    ia_run_row_free(run);
    return rc;
}

enum ia_rc ia_eval_judge(struct ia_store *store, const struct ia_paths *paths,
                         const char *sweep_id, const char *run_id, int *ret_oracles,
                         struct ia_err *err)
{
    struct judging j = {.store = store, .paths = paths, .sweep_id = sweep_id, .only = run_id};
    enum ia_rc rc = ia_store_sweep_goals(store, sweep_id, take, &j, err);
    for (size_t i = 0; i < j.count; i++) {
        rc = rc == IA_OK ? judge_one(&j, &j.tasks[i], err) : rc;
        json_decref(j.tasks[i].eval);
    }
    free(j.tasks);
    if (ret_oracles) {
        *ret_oracles = (int)j.oracles;
    }
    return rc;
}
