/* recordings list|show|accept|reject|export|import: runs that can be replayed. */
#include "agent/recording/recording_file.h"
#include "agent/run/replay.h"
#include "app/recording_json.h"
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
    ia_recording_json(&l->c->w, r, false);
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
    enum ia_rc rc =
        ia_store_recordings(store, ia_args_operand(&c->args, 0), NULL, on_row, &l, err);
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
    ia_recording_json(&c->w, row, true);
    return IA_OK;
}

static enum ia_rc decide(struct ia_cli *c, struct ia_store *store,
                         const struct ia_recording_row *row, bool accept, struct ia_err *err)
{
    struct ia_recording_row *now = NULL;
    const char *by = ia_args_text(&c->args, "from");
    enum ia_rc rc = ia_recording_decide(store, row->id, accept, by ? by : "cli", &now, err);
    if (rc == IA_OK) {
        ia_buf_printf(&c->text, "%s: %s\n", now->name, ia_recording_state_name(now->state));
        ia_recording_json(&c->w, now, false);
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

/* Whoever commits a file trusts it. */
static enum ia_rc check_state(const struct ia_recording_row *row, struct ia_err *err)
{
    if (row->state == IA_RECORDING_CANDIDATE || row->state == IA_RECORDING_TRUSTED) {
        return IA_OK;
    }
    enum ia_rc rc = ia_err_set(err, IA_E_STATE, "the recording of \"%.100s\" is %s", row->name,
                               ia_recording_state_name(row->state));
    ia_err_hint(err, "look at it with ios-agent recordings show %s; accept makes it trusted",
                row->id);
    return rc;
}

/* Only an earlier recording of the goal is overwritten: two names may give the same file. */
static enum ia_rc check_place(const char *file, const struct ia_recording_row *row,
                              struct ia_err *err)
{
    json_t *there = NULL;
    enum ia_rc rc = ia_recording_open(file, &there, NULL);
    if (rc == IA_E_NOT_FOUND) {
        rc = IA_OK;
    } else if (rc != IA_OK) {
        rc = ia_err_set(err, IA_E_EXISTS, "%s exists and is not a recording", file);
        ia_err_hint(err, "name another file");
    } else if (strcmp(ia_json_text(there, "goal"), row->name) != 0) {
        rc = ia_err_set(err, IA_E_EXISTS, "%s is the recording of another goal, \"%.100s\"",
                        file, ia_json_text(there, "goal"));
        ia_err_hint(err, "name another file");
    }
    json_decref(there);
    return rc;
}

static enum ia_rc export_one(struct ia_cli *c, struct ia_store *store,
                             const struct ia_recording_row *row, struct ia_err *err)
{
    const char *named = ia_args_operand(&c->args, 1);
    char *file = named ? ia_strdup(named) : NULL;
    enum ia_rc rc = check_state(row, err);
    if (rc == IA_OK && !named) {
        rc = ia_recording_place(store, row, &file, err);
    }
    if (rc == IA_OK) {
        rc = check_place(file, row, err);
    }
    if (rc == IA_OK) {
        rc = ia_file_write_atomic(file, row->body, strlen(row->body), SHARED_MODE, err);
    }
    if (rc == IA_OK) {
        ia_buf_printf(&c->text, "%s\n", file);
        ia_jsonw_object(&c->w);
        ia_jsonw_kv(&c->w, "file", file);
        ia_recording_members(&c->w, row);
        ia_jsonw_end_object(&c->w);
    }
    free(file);
    return rc;
}

static enum ia_rc with_one(struct ia_cli *c, one_fn *fn, struct ia_err *err)
{
    struct ia_setup setup;
    struct ia_recording_row *row = NULL;
    struct ia_job *job = NULL;
    enum ia_rc rc = ia_setup_store(&setup, "ios-agent recordings", err);
    if (rc == IA_OK) {
        rc = ia_replay_named(setup.store, ia_args_operand(&c->args, 0), &row, &job, err);
    }
    if (rc == IA_OK) {
        rc = fn(c, setup.store, row, err);
    }
    ia_job_free(job);
    ia_recording_row_free(row);
    ia_setup_close(&setup);
    return rc;
}

/* The files of one command are all of them taken: seen has file and document by the goal's hash. */
static enum ia_rc check_seen(json_t *seen, const char *file, json_t *doc, struct ia_err *err)
{
    const char *hash = ia_json_text(doc, "goal_hash");
    const json_t *other = json_object_get(seen, hash);
    if (!other) {
        (void)json_object_set_new(seen, hash, json_pack("[s, O]", file, doc));
    }
    if (!other || json_equal(json_array_get(other, 1), doc)) {
        return IA_OK;
    }
    enum ia_rc rc = ia_err_set(err, IA_E_USAGE, "%.200s and %.200s are both of \"%.100s\"",
                               json_string_value(json_array_get(other, 0)), file,
                               ia_json_text(doc, "goal"));
    ia_err_hint(err, "a goal has one recording: import the file that is to be used");
    return rc;
}

static enum ia_rc import_one(struct ia_cli *c, struct ia_tx *tx, json_t *seen, const char *file,
                             struct ia_err *err)
{
    char id[IA_ID_SIZE] = {0};
    json_t *doc = NULL;
    enum ia_rc rc = ia_recording_open(file, &doc, err);
    if (rc == IA_OK) {
        rc = check_seen(seen, file, doc, err);
    }
    if (rc == IA_OK) {
        rc = ia_recording_import(tx, doc, true, id, err);
    }
    if (rc == IA_OK) {
        ia_buf_printf(&c->text, "%s: %zu steps of \"%s\"\n", file, ia_recording_count(doc),
                      ia_json_text(doc, "goal"));
        ia_jsonw_object(&c->w);
        ia_jsonw_kv(&c->w, "file", file);
        ia_jsonw_kv(&c->w, "id", id);
        ia_jsonw_kv(&c->w, "goal", ia_json_text(doc, "goal"));
        ia_jsonw_end_object(&c->w);
    }
    json_decref(doc);
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

/* All of them, or none. */
enum ia_rc ia_cmd_recordings_import(struct ia_cli *c, struct ia_err *err)
{
    struct ia_setup setup;
    struct ia_tx *tx = NULL;
    json_t *seen = json_object();
    enum ia_rc rc = ia_setup_store(&setup, "ios-agent recordings", err);
    rc = rc == IA_OK ? ia_tx_begin(setup.store, &tx, err) : rc;
    ia_jsonw_object(&c->w);
    ia_jsonw_key(&c->w, "recordings");
    ia_jsonw_array(&c->w);
    for (size_t i = 0; i < c->args.operand_count && rc == IA_OK; i++) {
        rc = import_one(c, tx, seen, c->args.operands[i], err);
    }
    if (tx && rc == IA_OK) {
        rc = ia_tx_commit(tx, err);
    } else {
        ia_tx_rollback(tx);
    }
    ia_jsonw_end_array(&c->w);
    ia_jsonw_end_object(&c->w);
    json_decref(seen);
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
