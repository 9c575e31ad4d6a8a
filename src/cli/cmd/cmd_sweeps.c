/* sweeps: lists recorded sweeps, the newest first; and one of them for `show`. */
#include "agent/sweep/sweep.h"
#include "app/setup.h"
#include "base/format.h"
#include "cli/cmd/cmd.h"
#include "cli/view/labels.h"
#include "cli/view/table.h"
#include "store/sweeps.h"

#include <string.h>

enum { SHORT_ID = 8 };

static const char *short_id(const char *id)
{
    size_t n = strlen(id);
    return n > SHORT_ID ? id + n - SHORT_ID : id;
}

/* A sweep whose process is gone is still marked as running until it is resumed. */
static const char *state_of(const struct ia_sweep_row *row)
{
    bool orphaned = row->state == IA_SWEEP_RUNNING && !row->owner_alive;
    return orphaned ? "interrupted" : ia_sweep_state_name(row->state);
}

/* ---- sums -------------------------------------------------------------------------------- */

struct sums {
    int by_state[IA_SWEEP_GOAL_STATE_COUNT];
    int expected; /* failed as their files say; not among the failed */
    double cost_usd;
    bool cost_known;
};

static bool add_goal(void *ctx, const struct ia_sweep_goal_row *row)
{
    struct sums *s = ctx;
    if (ia_sweep_row_expected(row)) {
        s->expected++;
    } else if (row->state < IA_SWEEP_GOAL_STATE_COUNT) {
        s->by_state[row->state]++;
    }
    s->cost_usd += row->cost_usd;
    s->cost_known = s->cost_known && row->cost_known;
    return true;
}

/* "17 passed, 3 failed". Nothing runs in a sweep whose process has stopped. */
static void put_counts(struct ia_buf *out, const struct ia_sweep_row *row, const struct sums *s)
{
    bool runs = row->state == IA_SWEEP_RUNNING && row->owner_alive;
    for (int i = 0; i < IA_SWEEP_GOAL_STATE_COUNT; i++) {
        const char *name = ia_sweep_goal_state_name((enum ia_sweep_goal_state)i);
        if (s->by_state[i] > 0) {
            ia_buf_printf(out, "%s%d %s", out->len > 0 ? ", " : "", s->by_state[i],
                          i == IA_SWEEP_GOAL_RUNNING && !runs ? "unfinished" : name);
        }
    }
    if (s->expected > 0) {
        ia_buf_printf(out, "%s%d failed as expected", out->len > 0 ? ", " : "", s->expected);
    }
}

static void kv_time(struct ia_jsonw *w, const char *key, int64_t ms)
{
    char iso[IA_ISO_SIZE];
    ia_iso_format(ms, iso);
    ia_jsonw_kv(w, key, ms == 0 ? NULL : iso);
}

/* The members of a sweep, without the braces. */
static void put_json(struct ia_jsonw *w, const struct ia_sweep_row *row, const struct sums *s)
{
    ia_jsonw_kv(w, "id", row->id);
    ia_jsonw_kv(w, "title", row->title);
    ia_jsonw_kv(w, "state", state_of(row));
    ia_jsonw_kv(w, "why", row->why);
    kv_time(w, "created", row->created_ms);
    kv_time(w, "finished", row->finished_ms);
    ia_jsonw_kv_int(w, "goals", row->goals);
    for (int i = 0; i < IA_SWEEP_GOAL_STATE_COUNT; i++) {
        ia_jsonw_kv_int(w, ia_sweep_goal_state_name((enum ia_sweep_goal_state)i),
                        s->by_state[i]);
    }
    ia_jsonw_kv_int(w, "expected", s->expected);
    ia_jsonw_kv_known(w, "cost_usd", s->cost_usd, s->cost_known);
}

/* ---- the list ---------------------------------------------------------------------------- */

static const struct ia_table_column columns[] = {
    {.head = "ID"},
    {.head = "STATE"},
    {.head = "CREATED (UTC)"},
    {.head = "RUNS", .right = true, .drop = 1},
    {.head = "RESULT", .min = 20},
    {.head = "TITLE", .min = 10},
};

struct listing {
    struct ia_cli *c;
    struct ia_store *store;
    struct ia_table *table;
    int count;
    enum ia_rc rc;
    struct ia_err *err;
};

static bool on_sweep(void *ctx, const struct ia_sweep_row *row)
{
    struct listing *l = ctx;
    struct sums s = {.cost_known = true};
    struct ia_buf counts = IA_BUF(1000);
    char iso[IA_ISO_SIZE];
    l->rc = ia_store_sweep_goals(l->store, row->id, add_goal, &s, l->err);
    put_counts(&counts, row, &s);
    ia_iso_format(row->created_ms, iso);
    l->count++;
    ia_table_add(l->table, short_id(row->id));
    ia_table_add(l->table, state_of(row));
    ia_table_addf(l->table, "%.10s %.5s", iso, iso + 11);
    ia_table_addf(l->table, "%d", row->goals);
    ia_table_add(l->table, ia_buf_cstr(&counts));
    ia_table_add(l->table, row->title);
    ia_jsonw_object(&l->c->w);
    put_json(&l->c->w, row, &s);
    ia_jsonw_end_object(&l->c->w);
    ia_buf_fini(&counts);
    return l->rc == IA_OK;
}

static enum ia_rc list(struct ia_cli *c, struct ia_store *store, struct ia_err *err)
{
    struct listing l = {.c = c,
                        .store = store,
                        .table = ia_table_new(columns, IA_COUNTOF(columns)),
                        .err = err};
    ia_jsonw_object(&c->w);
    ia_jsonw_key(&c->w, "sweeps");
    ia_jsonw_array(&c->w);
    enum ia_rc rc =
        ia_store_sweeps(store, (int)ia_args_int(&c->args, "limit", 20), on_sweep, &l, err);
    rc = rc == IA_OK ? l.rc : rc;
    if (rc == IA_OK) {
        ia_jsonw_end_array(&c->w);
        ia_jsonw_end_object(&c->w);
        ia_table_write(l.table, ia_cli_width(c), &c->text);
        ia_buf_puts(&c->text, l.count == 0 ? "no sweeps\n" : "");
    }
    ia_table_free(l.table);
    return rc;
}

enum ia_rc ia_cmd_sweeps(struct ia_cli *c, struct ia_err *err)
{
    struct ia_setup setup;
    enum ia_rc rc = ia_setup_store(&setup, "ios-agent sweeps", err);
    if (rc == IA_OK) {
        rc = list(c, setup.store, err);
    }
    ia_setup_close(&setup);
    return rc;
}

/* ---- one sweep --------------------------------------------------------------------------- */

static const struct ia_table_column goal_columns[] = {
    {.head = "STATE"},
    {.head = "GOAL", .min = 20},
    {.head = "TRIES", .right = true, .drop = 1},
    {.head = "TIME", .right = true},
    {.head = "RUN"},
};

struct showing {
    struct ia_cli *c;
    struct ia_table *table;
    struct sums sums;
};

static bool on_goal(void *ctx, const struct ia_sweep_goal_row *row)
{
    struct showing *s = ctx;
    struct ia_jsonw *w = &s->c->w;
    struct ia_buf time = IA_BUF(64);
    bool passed = row->state == IA_SWEEP_GOAL_PASSED;
    if (row->tries > 0) {
        ia_fmt_ms(&time, row->ms);
    }
    (void)add_goal(&s->sums, row);
    bool expected = ia_sweep_row_expected(row);
    ia_table_add(s->table, expected ? IA_SAY_EXPECTED : ia_sweep_goal_state_name(row->state));
    ia_table_add(s->table, row->name);
    ia_table_addf(s->table, "%d", row->tries);
    ia_table_add(s->table, ia_buf_cstr(&time));
    ia_table_add(s->table, row->run_id ? short_id(row->run_id) : "");
    if (!passed && row->reason && row->reason[0] != '\0') {
        ia_table_note(s->table, row->reason);
    }
    ia_jsonw_object(w);
    ia_jsonw_kv_int(w, "no", row->no);
    ia_jsonw_kv(w, "name", row->name);
    ia_jsonw_kv(w, "state", ia_sweep_goal_state_name(row->state));
    ia_jsonw_kv_bool(w, "expected", expected);
    ia_jsonw_kv(w, "reason", row->reason);
    ia_jsonw_kv_int(w, "repeat", row->repeat);
    ia_jsonw_kv_int(w, "tries", row->tries);
    ia_jsonw_kv_int(w, "ms", row->ms);
    ia_jsonw_kv(w, "run", row->run_id);
    ia_jsonw_end_object(w);
    ia_buf_fini(&time);
    return true;
}

static void put_head(struct ia_cli *c, const struct ia_sweep_row *row, const struct sums *s)
{
    struct ia_buf counts = IA_BUF(1000);
    put_counts(&counts, row, s);
    ia_buf_printf(&c->text, "\nsweep   %s\nstate   %s%s%s\nresult  %s\n", row->id,
                  state_of(row), row->why ? ": " : "", row->why ? row->why : "",
                  ia_buf_cstr(&counts));
    bool unfinished = s->by_state[IA_SWEEP_GOAL_WAITING] + s->by_state[IA_SWEEP_GOAL_RUNNING] +
                          s->by_state[IA_SWEEP_GOAL_SKIPPED] >
                      0;
    if (unfinished && !row->owner_alive) {
        ia_buf_printf(&c->text, "next    ios-agent sweep --resume %s continues it\n", row->id);
    }
    ia_buf_fini(&counts);
}

enum ia_rc ia_cmd_show_sweep(struct ia_cli *c, struct ia_store *store,
                             const struct ia_sweep_row *row, struct ia_err *err)
{
    struct showing s = {.c = c,
                        .table = ia_table_new(goal_columns, IA_COUNTOF(goal_columns)),
                        .sums = {.cost_known = true}};
    ia_jsonw_object(&c->w);
    ia_jsonw_key(&c->w, "goals");
    ia_jsonw_array(&c->w);
    enum ia_rc rc = ia_store_sweep_goals(store, row->id, on_goal, &s, err);
    if (rc == IA_OK) {
        ia_jsonw_end_array(&c->w);
        ia_jsonw_key(&c->w, "sweep");
        ia_jsonw_object(&c->w);
        put_json(&c->w, row, &s.sums);
        ia_jsonw_end_object(&c->w);
        ia_jsonw_end_object(&c->w);
        ia_table_write(s.table, ia_cli_width(c), &c->text);
        put_head(c, row, &s.sums);
    }
    ia_table_free(s.table);
    return rc;
}
