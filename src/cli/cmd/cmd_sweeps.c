/* sweeps: lists recorded sweeps, the newest first; and one of them for `show`. */
#include "agent/sweep/sweep.h"
#include "app/setup.h"
#include "app/sweep_json.h"
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

/* ---- sums -------------------------------------------------------------------------------- */

/* "17 passed, 3 failed". Nothing runs in a sweep whose process has stopped. */
static void put_counts(struct ia_buf *out, const struct ia_sweep_row *row,
                       const struct ia_sweep_tally *s)
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
    struct ia_sweep_tally s;
    struct ia_buf counts = IA_BUF(1000);
    char iso[IA_ISO_SIZE];
    ia_sweep_tally_init(&s);
    l->rc = ia_store_sweep_goals(l->store, row->id, ia_sweep_tally_add, &s, l->err);
    put_counts(&counts, row, &s);
    ia_iso_format(row->created_ms, iso);
    l->count++;
    ia_table_add(l->table, short_id(row->id));
    ia_table_add(l->table, ia_sweep_json_state(row));
    ia_table_addf(l->table, "%.10s %.5s", iso, iso + 11);
    ia_table_addf(l->table, "%d", row->goals);
    ia_table_add(l->table, ia_buf_cstr(&counts));
    ia_table_add(l->table, row->title);
    ia_sweep_json(&l->c->w, row, &s);
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
    struct ia_sweep_tally sums;
};

static bool on_goal(void *ctx, const struct ia_sweep_goal_row *row)
{
    struct showing *s = ctx;
    struct ia_buf time = IA_BUF(64);
    bool passed = row->state == IA_SWEEP_GOAL_PASSED;
    if (row->tries > 0) {
        ia_fmt_ms(&time, row->ms);
    }
    (void)ia_sweep_tally_add(&s->sums, row);
    bool expected = ia_sweep_row_expected(row);
    ia_table_add(s->table, expected ? IA_SAY_EXPECTED : ia_sweep_goal_state_name(row->state));
    ia_table_add(s->table, row->name);
    ia_table_addf(s->table, "%d", row->tries);
    ia_table_add(s->table, ia_buf_cstr(&time));
    ia_table_add(s->table, row->run_id ? short_id(row->run_id) : "");
    if (!passed && row->reason && row->reason[0] != '\0') {
        ia_table_note(s->table, row->reason);
    }
    ia_sweep_goal_json(&s->c->w, row, false);
    ia_buf_fini(&time);
    return true;
}

static void put_head(struct ia_cli *c, const struct ia_sweep_row *row,
                     const struct ia_sweep_tally *s)
{
    struct ia_buf counts = IA_BUF(1000);
    put_counts(&counts, row, s);
    ia_buf_printf(&c->text, "\nsweep   %s\nstate   %s%s%s\nresult  %s\n", row->id,
                  ia_sweep_json_state(row), row->why ? ": " : "", row->why ? row->why : "",
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
    struct showing s = {.c = c, .table = ia_table_new(goal_columns, IA_COUNTOF(goal_columns))};
    ia_sweep_tally_init(&s.sums);
    ia_jsonw_object(&c->w);
    ia_jsonw_key(&c->w, "goals");
    ia_jsonw_array(&c->w);
    enum ia_rc rc = ia_store_sweep_goals(store, row->id, on_goal, &s, err);
    if (rc == IA_OK) {
        ia_jsonw_end_array(&c->w);
        ia_jsonw_key(&c->w, "sweep");
        ia_sweep_json(&c->w, row, &s.sums);
        ia_jsonw_end_object(&c->w);
        ia_table_write(s.table, ia_cli_width(c), &c->text);
        put_head(c, row, &s.sums);
    }
    ia_table_free(s.table);
    return rc;
}
