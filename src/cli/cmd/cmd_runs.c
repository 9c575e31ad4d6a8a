/* runs: lists recorded runs, the newest first. */
#include "app/run_json.h"
#include "app/setup.h"
#include "cli/cmd/cmd.h"
#include "cli/view/labels.h"
#include "cli/view/table.h"
#include "driver/registry/device_registry.h"

#include <string.h>

enum { SHORT_ID = 8, GOAL_MIN = 24, LANE_MIN = 16 }; /* runs of a time share an id's start */

static const struct ia_table_column columns[] = {
    {.head = "ID"},
    {.head = "STATE"},
    {.head = "CREATED (UTC)"},
    {.head = "STEPS", .drop = 4, .right = true},
    {.head = "TIME", .drop = 1, .right = true},
    {.head = "COST", .drop = 3, .right = true},
    {.head = "DEVICE", .min = LANE_MIN, .drop = 2},
    {.head = "GOAL", .min = GOAL_MIN},
};

struct listing {
    struct ia_cli *c;
    struct ia_table *table;
    size_t count;
    bool demo, embedded; /* one of them is in the list */
};

static void add_cost(struct ia_table *t, const struct ia_run_row *row)
{
    struct ia_buf cost = IA_BUF(64);
    struct ia_label_figures f = ia_label_run_figures(row);
    if (row->demo) {
        ia_buf_puts(&cost, "demo");
    } else if (f.cost_known) {
        ia_label_cost(&cost, &f);
    } else {
        ia_buf_puts(&cost, "unknown");
    }
    ia_table_add(t, ia_buf_cstr(&cost));
    ia_buf_fini(&cost);
}

static void add_row(struct ia_table *t, const struct ia_run_row *row)
{
    char iso[IA_ISO_SIZE];
    size_t n = strlen(row->id);
    int64_t ms = ia_run_duration_ms(row);
    struct ia_buf time = IA_BUF(64);
    ia_iso_format(row->created_ms, iso);
    if (ms >= 0) {
        ia_fmt_ms(&time, ms);
    }
    ia_table_add(t, n > SHORT_ID ? row->id + n - SHORT_ID : row->id);
    ia_table_add(t, ia_run_json_word(row));
    ia_table_addf(t, "%.10s %.5s", iso, iso + 11);
    ia_table_addf(t, "%d", row->steps);
    ia_table_add(t, ia_buf_cstr(&time));
    add_cost(t, row);
    ia_table_add(t, row->lane);
    ia_table_add(t, row->name && row->name[0] != '\0' ? row->name : row->goal);
    ia_buf_fini(&time);
}

static bool on_run(void *ctx, const struct ia_run_row *row)
{
    struct listing *l = ctx;
    l->count++;
    l->demo = l->demo || row->demo;
    l->embedded = l->embedded || ia_device_lane_simulated(row->lane);
    add_row(l->table, row);
    ia_run_json(&l->c->w, row);
    return true;
}

static void put_footnotes(const struct listing *l)
{
    if (l->demo) {
        ia_buf_puts(&l->c->text, "demo: answered by the demo brain, which does not reason\n");
    }
    if (l->embedded) {
        ia_buf_puts(&l->c->text, "embedded: a phone simulated by this program\n");
    }
}

static enum ia_rc list(struct ia_cli *c, struct ia_store *store, struct ia_err *err)
{
    struct listing l = {.c = c, .table = ia_table_new(columns, IA_COUNTOF(columns))};
    struct ia_run_filter filter = {
        .limit = (int)ia_args_int(&c->args, "limit", 20),
        .state = ia_args_text(&c->args, "state"),
        .lane = ia_args_text(&c->args, "device"),
    };
    ia_jsonw_object(&c->w);
    ia_jsonw_key(&c->w, "runs");
    ia_jsonw_array(&c->w);
    enum ia_rc rc = ia_store_runs(store, &filter, on_run, &l, err);
    ia_table_write(l.table, ia_cli_width(c), &c->text);
    ia_table_free(l.table);
    if (rc != IA_OK) {
        return rc;
    }
    ia_jsonw_end_array(&c->w);
    ia_jsonw_end_object(&c->w);
    if (l.count == 0) {
        ia_buf_puts(&c->text, "no runs\n");
    }
    put_footnotes(&l);
    return IA_OK;
}

enum ia_rc ia_cmd_runs(struct ia_cli *c, struct ia_err *err)
{
    struct ia_setup setup;
    enum ia_rc rc = ia_setup_store(&setup, "ios-agent runs", err);
    if (rc == IA_OK) {
        rc = list(c, setup.store, err);
    }
    ia_setup_close(&setup);
    return rc;
}
