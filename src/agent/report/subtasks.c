/* subtasks.c: the runs that a run delegated, at any depth. */
#include "agent/report/model.h"

#include "agent/report/escape.h"
#include "base/jsonw.h"
#include "events/basis.h"

void ia_rep_subtask(const struct ia_tree_item *item, struct ia_buf *out)
{
    const struct ia_run_row *row = item->row;
    const char *why = row->state == IA_RUN_PASSED
                          ? ia_basis_words(ia_basis_from_name(ia_str(row->basis)))
                      : row->state == IA_RUN_FAILED ? row->summary
                                                    : row->code;
    ia_buf_printf(out, "%s, %s%s%s", ia_run_state_name(row->state),
                  row->agent ? row->agent : "", row->agent ? " on " : "", row->lane);
    if (row->usage.cost_known && !row->demo) {
        ia_buf_puts(out, ", ");
        ia_fmt_usd(out, row->usage.cost_usd);
    }
    ia_buf_puts(out, ": ");
    ia_cut(out, ia_str(row->goal), IA_REP_REASON_MAX);
    if (why && why[0] != '\0') {
        ia_buf_puts(out, " (");
        ia_cut(out, ia_str(why), IA_REP_REASON_MAX);
        ia_buf_putc(out, ')');
    }
    ia_buf_printf(out, ", run %s", row->id);
}

static bool put_subtask(void *ctx, const struct ia_tree_item *item)
{
    struct ia_jsonw *w = ctx;
    const struct ia_run_row *row = item->row;
    ia_jsonw_object(w);
    ia_jsonw_kv(w, "id", row->id);
    ia_jsonw_kv(w, "parent", row->parent_id);
    ia_jsonw_kv_int(w, "number", item->number);
    ia_jsonw_kv_int(w, "depth", item->depth);
    ia_jsonw_kv(w, "agent", row->agent);
    ia_jsonw_kv(w, "lane", row->lane);
    ia_jsonw_kv(w, "goal", row->goal);
    ia_jsonw_kv(w, "state", ia_run_state_name(row->state));
    ia_jsonw_kv(w, "code", row->code);
    ia_jsonw_kv(w, "basis", row->basis);
    ia_jsonw_kv(w, "summary", row->summary);
    ia_jsonw_kv_int(w, "step_count", row->steps);
    ia_jsonw_kv_known(w, "cost_usd", row->usage.cost_usd, row->usage.cost_known && !row->demo);
    ia_jsonw_end_object(w);
    return true;
}

enum ia_rc ia_rep_put_subtasks(struct ia_jsonw *w, struct ia_store *store, const char *run_id,
                               struct ia_err *err)
{
    ia_jsonw_key(w, "subtasks");
    ia_jsonw_array(w);
    enum ia_rc rc = ia_store_tree(store, run_id, put_subtask, w, err);
    ia_jsonw_end_array(w);
    return rc;
}
