/* Verbs of a device in this process: with --no-daemon, and for what only a command line can give them
 * (a tree from a file, a text from standard input). Otherwise main hands a verb to the daemon. */
#include "app/setup.h"
#include "base/clock.h"
#include "base/fd.h"
#include "cli/cmd/cmd.h"
#include "cli/sys/handover.h"
#include "cli/sys/interrupt.h"
#include "cli/sys/treefile.h"
#include "server/verbs/verb_look.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DEADLINE_S = 600 };

/* ---- what came of it --------------------------------------------------------------------- */

static const char *out_path(const struct ia_args *a)
{
    for (const struct ia_opt *o = a->opts; o->name; o++) {
        if (o->kind == IA_OPT_OUT) {
            return ia_args_has(a, o->name) ? ia_args_text(a, o->name) : o->fallback;
        }
    }
    return NULL;
}

/* Where the file goes to standard output, nothing else does. */
static enum ia_rc write_file(struct ia_cli *c, const struct ia_buf *file, struct ia_err *err)
{
    const char *path = out_path(&c->args);
    if (!path || file->len == 0) {
        return IA_OK;
    }
    if (strcmp(path, "-") != 0) {
        return ia_file_write_atomic(path, file->p, file->len, 0644, err);
    }
    c->printed = true;
    ia_buf_reset(&c->text);
    if (ia_write_all(STDOUT_FILENO, file->p, file->len) != IA_OK) {
        return ia_err_set(err, IA_E_IO, "cannot write to standard output");
    }
    return IA_OK;
}

static enum ia_rc put(struct ia_cli *c, struct ia_verb_result *r, enum ia_rc rc,
                      struct ia_err *err)
{
    c->verbatim = true;
    ia_buf_putstr(&c->text, ia_buf_str(&r->text));
    ia_buf_putstr(&c->result, ia_buf_str(&r->result));
    return rc == IA_OK ? write_file(c, &r->file, err) : rc;
}

/* ---- a device ---------------------------------------------------------------------------- */

static enum ia_rc on_device(struct ia_cli *c, const struct ia_verb *verb, struct ia_hub *hub,
                            struct ia_verb_result *ret, struct ia_err *err)
{
    struct ia_cancel *cancel = ia_cancel_new(err);
    if (!cancel) {
        return err->code;
    }
    struct ia_verb_request request = {
        .verb = verb,
        .args = &c->args,
        .actor = "cli",
        .device = getenv("IOS_AGENT_DEVICE"),
        .session = getenv("IOS_AGENT_SESSION"),
        .deadline = {cancel, ia_mono_us(ia_clock_system()) + DEADLINE_S * INT64_C(1000000)}};
    ia_interrupt_install(cancel, -1);
    enum ia_rc rc = ia_verb_run(hub, &request, ret, err);
    ia_interrupt_remove();
    ia_cancel_free(cancel);
    return rc;
}

static enum ia_rc do_verb(struct ia_cli *c, const char *name, struct ia_err *err)
{
    const struct ia_verb *verb = ia_verb_find(name);
    if (strcmp(name, "record") == 0 && !c->hub) {
        return ia_err_set(err, IA_E_USAGE,
                          "a film needs the daemon, which keeps the device open (or `batch`)");
    }
    struct ia_paths paths = {.home = NULL};
    struct ia_verb_result result;
    struct ia_buf text = IA_BUF(IA_VERB_WORD_MAX);
    ia_verb_result_init(&result);
    enum ia_rc rc = ia_paths_find(NULL, &paths, err);
    rc = rc == IA_OK ? ia_handover_stdin(&c->args, &text, err) : rc;
    if (rc == IA_OK && c->hub) {
        rc = on_device(c, verb, c->hub, &result, err);
    } else if (rc == IA_OK) {
        struct ia_hub *hub =
            ia_hub_new(&(struct ia_hub_opts){.paths = &paths, .command = "ios-agent"});
        rc = on_device(c, verb, hub, &result, err);
        ia_hub_free(hub);
    }
    if (!c->hub && (rc == IA_E_STALE_REF || rc == IA_E_NO_SNAPSHOT)) {
        ia_err_hint(err,
                    "the daemon keeps refs from one command to the next; in a process of its "
                    "own (--no-daemon) a command names elements: tap 'button \"Done\"'");
    }
    rc = put(c, &result, rc, err);
    ia_buf_fini(&text);
    ia_verb_result_fini(&result);
    ia_paths_fini(&paths);
    return rc;
}

/* ---- a tree from a file ------------------------------------------------------------------ */

static enum ia_rc from_file(struct ia_cli *c, struct ia_verb_result *ret, struct ia_err *err)
{
    struct ia_tree *t = NULL;
    enum ia_rc rc = ia_verb_check_snapshot(&c->args, err);
    rc = rc == IA_OK ? ia_treefile_read(&c->args, ia_args_text(&c->args, "from"), &t, err) : rc;
    if (rc == IA_OK) {
        struct ia_refs *refs = ia_refs_new();
        struct ia_snapshot *s = ia_snapshot_new(t, refs, 0, 0);
        ia_snapshot_name_containers(s, refs);
        ia_refs_free(refs);
        rc = ia_verb_put_snapshot(&c->args, s, ia_str(""), ret, err);
        ia_snapshot_free(s);
    }
    ia_tree_free(t);
    return rc;
}

static enum ia_rc do_snapshot(struct ia_cli *c, struct ia_err *err)
{
    bool file = ia_args_has(&c->args, "from");
    if (ia_args_has(&c->args, "screenshot") && (file || !c->json)) {
        return ia_err_set(err, IA_E_USAGE, "--screenshot needs %s",
                          file ? "a device: --from and --screenshot cannot be used together"
                               : "--json");
    }
    if (file && ia_args_has(&c->args, "device")) {
        return ia_err_set(err, IA_E_USAGE, "--from and --device cannot be used together");
    }
    if (ia_args_has(&c->args, "source") && !file) {
        return ia_err_set(err, IA_E_USAGE, "--source needs --from");
    }
    if (!file) {
        return do_verb(c, c->command->verb, err);
    }
    struct ia_verb_result result;
    ia_verb_result_init(&result);
    enum ia_rc rc = from_file(c, &result, err);
    rc = put(c, &result, rc, err);
    ia_verb_result_fini(&result);
    return rc;
}

enum ia_rc ia_cmd_verb(struct ia_cli *c, struct ia_err *err)
{
    bool snapshot = strcmp(c->command->verb, "snapshot") == 0;
    return snapshot ? do_snapshot(c, err) : do_verb(c, c->command->verb, err);
}

enum ia_rc ia_cli_verb(struct ia_cli *c, const char *verb, struct ia_err *err)
{
    return ia_handover_wanted(c) ? ia_handover(c, verb, err) : do_verb(c, verb, err);
}
