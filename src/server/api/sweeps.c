/* sweeps.c: /v1/sweeps: batches of goals, read and stopped (sweep_start.c begins them). */
#include "app/sweep_json.h"
#include "server/api/handlers.h"

#include <limits.h>
#include <stdlib.h>

static struct ia_store *store_of(const struct ia_api_call *call)
{
    return call->api->opts.setup->store;
}

struct listing {
    struct ia_api_call *call;
    enum ia_rc rc;
    struct ia_err *err;
};

static bool put_sweep(void *ctx, const struct ia_sweep_row *row)
{
    struct listing *l = ctx;
    struct ia_sweep_tally sums;
    ia_sweep_tally_init(&sums);
    l->rc = ia_store_sweep_goals(store_of(l->call), row->id, ia_sweep_tally_add, &sums, l->err);
    ia_sweep_json(&l->call->w, row, &sums);
    return l->rc == IA_OK;
}

static enum ia_rc list(struct ia_api_call *call, struct ia_err *err)
{
    struct listing l = {.call = call, .err = err};
    ia_jsonw_key(&call->w, "sweeps");
    ia_jsonw_array(&call->w);
    int limit = (int)ia_args_int(&call->query, "limit", IA_API_PAGE);
    enum ia_rc rc = ia_store_sweeps(store_of(call), limit, put_sweep, &l, err);
    ia_jsonw_end_array(&call->w);
    return rc == IA_OK ? l.rc : rc;
}

enum ia_rc ia_api_sweeps(struct ia_api_call *call, struct ia_err *err)
{
    return ia_api_as_of(call, list, err);
}

struct showing {
    struct ia_jsonw *w;
    struct ia_sweep_tally sums;
};

static bool put_goal(void *ctx, const struct ia_sweep_goal_row *row)
{
    struct showing *s = ctx;
    ia_sweep_goal_json(s->w, row, false);
    return ia_sweep_tally_add(&s->sums, row);
}

static enum ia_rc show(struct ia_api_call *call, struct ia_err *err)
{
    struct showing s = {.w = &call->w};
    struct ia_sweep_row *row = NULL;
    enum ia_rc rc = ia_store_sweep(store_of(call), call->params[0], &row, err);
    if (rc != IA_OK) {
        return rc;
    }
    ia_sweep_tally_init(&s.sums);
    ia_jsonw_key(&call->w, "goals");
    ia_jsonw_array(&call->w);
    rc = ia_store_sweep_goals(store_of(call), row->id, put_goal, &s, err);
    ia_jsonw_end_array(&call->w);
    ia_jsonw_key(&call->w, "sweep");
    ia_sweep_json(&call->w, row, &s.sums);
    ia_sweep_row_free(row);
    return rc;
}

enum ia_rc ia_api_sweep(struct ia_api_call *call, struct ia_err *err)
{
    return ia_api_as_of(call, show, err);
}

struct seeking {
    struct ia_jsonw *w;
    int no;
    bool found;
};

static bool put_if_it_is(void *ctx, const struct ia_sweep_goal_row *row)
{
    struct seeking *s = ctx;
    s->found = row->no == s->no;
    if (s->found) {
        ia_jsonw_key(s->w, "goal");
        ia_sweep_goal_json(s->w, row, true);
    }
    return !s->found;
}

static enum ia_rc show_goal(struct ia_api_call *call, struct ia_err *err)
{
    struct ia_sweep_row *sweep = NULL;
    char *end = NULL;
    long no = strtol(call->params[1], &end, 10);
    struct seeking s = {.w = &call->w,
                        .no = *end == '\0' && no > 0 && no <= INT_MAX ? (int)no : 0};
    enum ia_rc rc = ia_store_sweep(store_of(call), call->params[0], &sweep, err);
    if (rc == IA_OK) {
        rc = ia_store_sweep_goals(store_of(call), sweep->id, put_if_it_is, &s, err);
    }
    if (rc == IA_OK && !s.found) {
        rc = ia_err_set(err, IA_E_NOT_FOUND, "sweep %s has no goal %.20s", sweep->id,
                        call->params[1]);
    }
    ia_sweep_row_free(sweep);
    return rc;
}

enum ia_rc ia_api_sweep_goal(struct ia_api_call *call, struct ia_err *err)
{
    return ia_api_as_of(call, show_goal, err);
}

enum ia_rc ia_api_sweep_cancel(struct ia_api_call *call, struct ia_err *err)
{
    enum ia_cancel_result result = IA_CANCEL_TOO_LATE;
    struct ia_sweep_row *row = NULL;
    enum ia_rc rc = ia_store_sweep(store_of(call), call->params[0], &row, err);
    if (rc == IA_OK) {
        rc = ia_runs_cancel_sweep(store_of(call), row, &result, err);
    }
    if (rc == IA_OK) {
        rc = ia_sweep_cancel_json(&call->w, row, result, err);
    }
    ia_sweep_row_free(row);
    return rc;
}
