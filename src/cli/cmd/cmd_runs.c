/* runs: lists recorded runs, the newest first. */
#include "app/run_json.h"
#include "app/setup.h"
#include "cli/cmd/cmd.h"
#include "cli/view/clean.h"
#include "cli/view/columns.h"
#include "cli/view/labels.h"
#include "driver/registry/device_registry.h"

#include "base/term.h"

#include <string.h>
#include <unistd.h>

enum {
    SHORT_ID = 8, /* the end of an id: runs of the same time share its start */
    LANE_COLUMNS = 18
};

struct listing {
    struct ia_cli *c;
    size_t goal_columns;
    size_t count;
    bool demo, embedded; /* one of them is in the list */
};

static void put_cost(struct ia_buf *out, const struct ia_run_row *row)
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
    ia_buf_printf(out, "%8s  ", ia_buf_cstr(&cost));
    ia_buf_fini(&cost);
}

static void put_line(struct listing *l, const struct ia_run_row *row)
{
    struct ia_buf *out = &l->c->text;
    char iso[IA_ISO_SIZE];
    size_t n = strlen(row->id);
    int64_t ms = ia_run_duration_ms(row);
    struct ia_buf time = IA_BUF(64);
    ia_iso_format(row->created_ms, iso);
    if (ms >= 0) {
        ia_fmt_ms(&time, ms);
    }
    ia_buf_printf(out, "%s  %-10s %.10s %.8s  %5d  %10s  ",
                  n > SHORT_ID ? row->id + n - SHORT_ID : row->id, ia_run_json_state(row), iso,
                  iso + 11, row->steps, ia_buf_cstr(&time));
    put_cost(out, row);
    size_t start = out->len;
    ia_clean_cut(out, ia_str(row->lane), LANE_COLUMNS);
    size_t used = ia_columns((struct ia_str){out->p + start, out->len - start});
    ia_buf_printf(out, "%*s  ", (int)(LANE_COLUMNS - used), "");
    ia_clean_cut(out, ia_str(row->goal), l->goal_columns);
    ia_buf_putc(out, '\n');
    ia_buf_fini(&time);
}

static bool on_run(void *ctx, const struct ia_run_row *row)
{
    struct listing *l = ctx;
    if (l->count == 0) {
        ia_buf_printf(&l->c->text, "%-8s  %-10s %-19s  %5s  %10s  %8s  %-*s  %s\n", "ID",
                      "STATE", "CREATED (UTC)", "STEPS", "TIME", "COST", LANE_COLUMNS, "DEVICE",
                      "GOAL");
    }
    l->count++;
    l->demo = l->demo || row->demo;
    l->embedded = l->embedded || ia_device_lane_simulated(row->lane);
    put_line(l, row);
    ia_run_json(&l->c->w, row);
    return true;
}

/* Goals are cut to the terminal's width, or not at all without a terminal. */
static size_t goal_columns(void)
{
    enum { OTHERS = 76 + LANE_COLUMNS };
    if (!ia_term_is(STDOUT_FILENO)) {
        return 4096;
    }
    int width = ia_term_width(STDOUT_FILENO);
    return width > OTHERS + 24 ? (size_t)(width - OTHERS) : 24;
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
    struct listing l = {.c = c, .goal_columns = goal_columns()};
    struct ia_run_filter filter = {
        .limit = (int)ia_args_int(&c->args, "limit", 20),
        .state = ia_args_text(&c->args, "state"),
        .lane = ia_args_text(&c->args, "device"),
    };
    ia_jsonw_object(&c->w);
    ia_jsonw_key(&c->w, "runs");
    ia_jsonw_array(&c->w);
    enum ia_rc rc = ia_store_runs(store, &filter, on_run, &l, err);
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
