/* recordings list|show|accept|reject|export|import: runs that can be replayed. */
#include "agent/recording/recording.h"
#include "app/setup.h"
#include "base/fd.h"
#include "cli/cmd/cmd.h"
#include "cli/view/table.h"
#include "store/recordings.h"
#include "json/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHORT_ID = 8, SHARED_MODE = 0644 };

/* ---- what there is ---------------------------------------------------------------------- */

static void put_json(struct ia_jsonw *w, const struct ia_recording_row *r, bool whole)
{
    char iso[IA_ISO_SIZE];
    ia_iso_format(r->created_ms, iso);
    ia_jsonw_object(w);
    ia_jsonw_kv(w, "id", r->id);
    ia_jsonw_kv(w, "goal", r->name);
    ia_jsonw_kv(w, "state", ia_recording_state_name(r->state));
    ia_jsonw_kv_int(w, "passes", r->passes);
    ia_jsonw_kv(w, "run", r->run_id);
    ia_jsonw_kv(w, "parent", r->parent);
    ia_jsonw_kv(w, "decided_by", r->decided_by);
    ia_jsonw_kv(w, "created_at", iso);
    if (whole) {
        ia_jsonw_kv(w, "toml", r->body);
    }
    ia_jsonw_end_object(w);
}

struct listing {
    struct ia_cli *c;
    struct ia_table *table;
    int count;
};

static bool on_row(void *ctx, const struct ia_recording_row *r)
{
    struct listing *l = ctx;
    char iso[IA_ISO_SIZE];
    ia_iso_format(r->created_ms, iso);
    l->count++;
    ia_table_add(l->table, r->id + strlen(r->id) - SHORT_ID);
    ia_table_add(l->table, ia_recording_state_name(r->state));
    ia_table_addf(l->table, "%d", r->passes);
    ia_table_addf(l->table, "%.10s %.5s", iso, iso + 11);
    ia_table_add(l->table, r->name);
    put_json(&l->c->w, r, false);
    return true;
}

static enum ia_rc list(struct ia_cli *c, struct ia_store *store, struct ia_err *err)
{
    static const struct ia_table_column columns[] = {{.head = "ID"},
                                                     {.head = "STATE"},
                                                     {.head = "PASSES", .right = true},
                                                     {.head = "CREATED (UTC)", .drop = 1},
                                                     {.head = "GOAL", .min = 20}};
    struct listing l = {.c = c, .table = ia_table_new(columns, IA_COUNTOF(columns))};
    ia_jsonw_object(&c->w);
    ia_jsonw_key(&c->w, "recordings");
    ia_jsonw_array(&c->w);
    enum ia_rc rc = ia_store_recordings(store, ia_args_operand(&c->args, 0), on_row, &l, err);
    if (rc == IA_OK) {
        ia_jsonw_end_array(&c->w);
        ia_jsonw_end_object(&c->w);
        ia_table_write(l.table, ia_cli_width(c), &c->text);
        ia_buf_puts(&c->text, l.count == 0
                                  ? "no recordings: a run that passed becomes one when it "
                                    "is replayed\n"
                                  : "");
    }
    ia_table_free(l.table);
    return rc;
}

/* ---- one of them ------------------------------------------------------------------------ */

typedef enum ia_rc one_fn(struct ia_cli *c, struct ia_store *store,
                          const struct ia_recording_row *row, struct ia_err *err);

static enum ia_rc show(struct ia_cli *c, struct ia_store *store,
                       const struct ia_recording_row *row, struct ia_err *err)
{
    (void)store;
    (void)err;
    ia_buf_printf(&c->text, "# %s, %s, %d replays in a row passed\n%s", row->id,
                  ia_recording_state_name(row->state), row->passes, row->body);
    put_json(&c->w, row, true);
    return IA_OK;
}

static enum ia_rc decide(struct ia_cli *c, struct ia_store *store,
                         const struct ia_recording_row *row, bool accept, struct ia_err *err)
{
    struct ia_tx *tx = NULL;
    struct ia_recording_row *now = NULL;
    const char *by = ia_args_text(&c->args, "from");
    enum ia_rc rc = ia_tx_begin(store, &tx, err);
    if (rc == IA_OK) {
        ia_tx_decide_recording(tx, row->id, accept, by ? by : "cli");
        rc = ia_tx_commit(tx, err);
    }
    if (rc == IA_OK) {
        rc = ia_store_recording(store, row->id, &now, err);
    }
    if (rc == IA_OK) {
        ia_buf_printf(&c->text, "%s: %s\n", now->name, ia_recording_state_name(now->state));
        put_json(&c->w, now, false);
    }
    ia_recording_row_free(now);
    return rc;
}

static enum ia_rc accept_one(struct ia_cli *c, struct ia_store *store,
                             const struct ia_recording_row *row, struct ia_err *err)
{
    return decide(c, store, row, true, err);
}

static enum ia_rc reject_one(struct ia_cli *c, struct ia_store *store,
                             const struct ia_recording_row *row, struct ia_err *err)
{
    return decide(c, store, row, false, err);
}

/* To a file, or to standard output. */
static enum ia_rc export_one(struct ia_cli *c, struct ia_store *store,
                             const struct ia_recording_row *row, struct ia_err *err)
{
    const char *file = ia_args_operand(&c->args, 1);
    (void)store;
    if (!file) {
        ia_buf_puts(&c->text, row->body);
        put_json(&c->w, row, true);
        return IA_OK;
    }
    enum ia_rc rc = ia_file_write_atomic(file, row->body, strlen(row->body), SHARED_MODE, err);
    if (rc == IA_OK) {
        ia_buf_printf(&c->text, "%s\n", file);
        put_json(&c->w, row, false);
    }
    return rc;
}

static enum ia_rc with_one(struct ia_cli *c, one_fn *fn, struct ia_err *err)
{
    struct ia_setup setup;
    struct ia_recording_row *row = NULL;
    enum ia_rc rc = ia_setup_store(&setup, "ios-agent recordings", err);
    if (rc == IA_OK) {
        rc = ia_store_recording(setup.store, ia_args_operand(&c->args, 0), &row, err);
    }
    if (rc == IA_OK) {
        rc = fn(c, setup.store, row, err);
    }
    ia_recording_row_free(row);
    ia_setup_close(&setup);
    return rc;
}

/* ---- the commands ----------------------------------------------------------------------- */

enum ia_rc ia_cmd_recordings_list(struct ia_cli *c, struct ia_err *err)
{
    struct ia_setup setup;
    enum ia_rc rc = ia_setup_store(&setup, "ios-agent recordings", err);
    if (rc == IA_OK) {
        rc = list(c, setup.store, err);
    }
    ia_setup_close(&setup);
    return rc;
}

enum ia_rc ia_cmd_recordings_show(struct ia_cli *c, struct ia_err *err)
{
    return with_one(c, show, err);
}

enum ia_rc ia_cmd_recordings_accept(struct ia_cli *c, struct ia_err *err)
{
    return with_one(c, accept_one, err);
}

enum ia_rc ia_cmd_recordings_reject(struct ia_cli *c, struct ia_err *err)
{
    return with_one(c, reject_one, err);
}

enum ia_rc ia_cmd_recordings_export(struct ia_cli *c, struct ia_err *err)
{
    return with_one(c, export_one, err);
}
