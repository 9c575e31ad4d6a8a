/* show ID --tree: a run and the runs that it delegated, as a tree.
 *
 *     ID            STATE   PROOF         AGENT  DEVICE          STEPS  TIME  GOAL
 *     a1b2c3d4      passed  verifier      lead   embedded            3   4 s  both turn on …
 *     ├─ 1 e5f6a7b8 passed  expectations  hand   embedded:alice      5   2 s  turn on …
 *     └─ 2 c9d0e1f2 failed                hand   embedded:bob        6   3 s  turn on …
 *     all           2 runs below                                    14   $0.0123 */
#include "app/run_json.h"
#include "app/runs.h"
#include "cli/cmd/cmd.h"
#include "cli/view/labels.h"
#include "cli/view/table.h"
#include "store/children.h"

#include <string.h>

enum { SHORT_ID = 8, GOAL_MIN = 20, LANE_MIN = 10, AGENT_MIN = 8 };

static const struct ia_table_column columns[] = {
    {.head = "ID"},
    {.head = "STATE"},
    {.head = "PROOF", .drop = 3},
    {.head = "AGENT", .min = AGENT_MIN, .drop = 4},
    {.head = "DEVICE", .min = LANE_MIN, .drop = 5},
    {.head = "STEPS", .drop = 2, .right = true},
    {.head = "TIME", .drop = 1, .right = true},
    {.head = "GOAL", .min = GOAL_MIN},
};

struct drawing {
    struct ia_table *table;
    bool last[IA_DELEGATE_DEPTH_MAX]; /* whether the branch at that depth has ended */
};

/* The branches that go on beside an item, its own, its number, and the end of its id. */
static void put_branch(struct drawing *d, const struct ia_tree_item *item, struct ia_buf *out)
{
    size_t n = strlen(item->row->id);
    d->last[item->depth] = item->last;
    for (int i = 0; i < item->depth; i++) {
        ia_buf_puts(out, d->last[i] ? "   " : "│  ");
    }
    ia_buf_printf(out, "%s %d ", item->last ? "└─" : "├─", item->number);
    ia_buf_puts(out, n > SHORT_ID ? item->row->id + n - SHORT_ID : item->row->id);
}

static void add_row(struct drawing *d, const char *id, const struct ia_run_row *row)
{
    int64_t ms = ia_run_duration_ms(row);
    struct ia_buf time = IA_BUF(64);
    if (ms >= 0) {
        ia_fmt_ms(&time, ms);
    }
    const char *proof = row->state == IA_RUN_PASSED   ? row->basis
                        : row->state == IA_RUN_FAILED ? NULL
                                                      : row->code;
    ia_table_add(d->table, id);
    ia_table_add(d->table, ia_run_json_word(row));
    ia_table_add(d->table, proof);
    ia_table_add(d->table, row->agent);
    ia_table_add(d->table, row->lane);
    ia_table_addf(d->table, "%d", row->steps);
    ia_table_add(d->table, ia_buf_cstr(&time));
    ia_table_add(d->table, row->name && row->name[0] ? row->name : row->goal);
    ia_buf_fini(&time);
}

static bool on_item(void *ctx, const struct ia_tree_item *item)
{
    struct drawing *d = ctx;
    struct ia_buf id = IA_BUF(256);
    put_branch(d, item, &id);
    add_row(d, ia_buf_cstr(&id), item->row);
    ia_buf_fini(&id);
    return true;
}

/* What all of them used together. */
static void put_sum(struct ia_cli *c, const struct ia_run_row *run,
                    const struct ia_below *below)
{
    ia_buf_printf(&c->text, "\n%lld run%s below, %lld steps in all", (long long)below->runs,
                  below->runs == 1 ? "" : "s", (long long)run->steps + below->steps);
    if (run->demo) {
        ia_buf_puts(&c->text, ", nothing billed\n");
    } else if (run->usage.cost_known && below->cost_known) {
        ia_buf_printf(&c->text, ", $%.4f\n", run->usage.cost_usd + below->usd);
    } else {
        ia_buf_puts(&c->text, ", cost unknown\n");
    }
}

enum ia_rc ia_cmd_show_tree(struct ia_cli *c, struct ia_store *store,
                            const struct ia_run_row *run, struct ia_err *err)
{
    struct ia_below below;
    size_t n = strlen(run->id);
    struct drawing d = {.table = ia_table_new(columns, IA_COUNTOF(columns))};
    add_row(&d, n > SHORT_ID ? run->id + n - SHORT_ID : run->id, run);
    ia_jsonw_object(&c->w);
    enum ia_rc rc = ia_runs_tree(store, run, on_item, &d, &c->w, err);
    ia_jsonw_end_object(&c->w);
    ia_table_write(d.table, ia_cli_width(c), &c->text);
    ia_table_free(d.table);
    if (rc == IA_OK) {
        rc = ia_store_below(store, run->id, &below, err);
    }
    if (rc == IA_OK) {
        put_sum(c, run, &below);
    }
    return rc;
}
