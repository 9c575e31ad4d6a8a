/* sweep_recordings.c: the recordings that stand beside the goal files of a sweep.
 *
 * They are read with the goals, so a broken one is found before anything runs; in the store they then go before
 * whatever else was recorded of their goals. One of a goal that was changed since is not used. */
#include "agent/recording/recording_file.h"
#include "cli/sweep/sweep_plan.h"

#include <jansson.h>
#include <stdlib.h>
#include <unistd.h>

/* Text for people: the goal is done without its file. */
static void note(struct ia_cli *c, const struct ia_err *why)
{
    if (!ia_args_has(&c->args, "events")) {
        ia_buf_printf(&c->text, "note: %s; %s\n", why->msg, why->hint);
    }
}

static enum ia_rc take_file(struct ia_cli *c, struct ia_tx *tx, const struct ia_goal *g,
                            const char *path, struct ia_err *err)
{
    char id[IA_ID_SIZE];
    json_t *doc = NULL;
    struct ia_err why;
    enum ia_rc rc = ia_recording_open(path, &doc, err);
    if (rc == IA_OK && ia_recording_check_goal(path, doc, &g->req, &why) != IA_OK) {
        note(c, &why);
    } else if (rc == IA_OK && tx) {
        rc = ia_recording_import(tx, doc, false, id, err);
    }
    json_decref(doc);
    return rc;
}

static enum ia_rc take_all(const struct ia_sweep_plan *p, struct ia_cli *c, struct ia_tx *tx,
                           struct ia_err *err)
{
    enum ia_rc rc = IA_OK;
    for (size_t i = 0; i < ia_goals_count(p->goals) && rc == IA_OK; i++) {
        const struct ia_goal *g = ia_goals_at(p->goals, i);
        char *path = ia_recording_path(g->file, g->req.name);
        if (p->chosen[i] && g->req.replay && access(path, F_OK) == 0) {
            rc = take_file(c, tx, g, path, err);
        }
        free(path);
    }
    return rc;
}

enum ia_rc ia_sweep_plan_recordings(const struct ia_sweep_plan *p, struct ia_cli *c,
                                    struct ia_store *store, struct ia_err *err)
{
    struct ia_tx *tx = NULL;
    if (p->left_out > 0 && !ia_args_has(&c->args, "events")) {
        ia_buf_printf(
            &c->text,
            "note: %zu goal%s known to fail, and left out: only what passed is replayed\n",
            p->left_out, p->left_out == 1 ? " is" : "s are");
    }
    enum ia_rc rc = store && p->base.replay ? ia_tx_begin(store, &tx, err) : IA_OK;
    if (rc == IA_OK) {
        rc = take_all(p, c, tx, err);
    }
    if (rc == IA_OK && tx) {
        return ia_tx_commit(tx, err);
    }
    ia_tx_rollback(tx);
    return rc;
}
