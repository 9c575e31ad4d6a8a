/* sweep, and sweep --watch: again and again, of what changed.
 *
 * Each round is a sweep of its own, from reading the files to the verdicts, so that a mistake in a file
 * is a message and the next change another try. What changes during a round is seen after it. */
#include "base/clean.h"
#include "base/fd.h"
#include "base/term.h"
#include "cli/cmd/cmd.h"
#include "cli/sweep/watch.h"
#include "cli/sys/interrupt.h"

#include <unistd.h>

enum { SAID_MAX = 8192 };

static enum ia_rc check_watch(const struct ia_args *a, struct ia_err *err)
{
    static const char *const others[] = {"json", "resume", "dry-run"};
    for (size_t i = 0; i < IA_COUNTOF(others); i++) {
        if (ia_args_has(a, others[i])) {
            return ia_err_set(err, IA_E_USAGE, "--watch and --%s cannot be used together",
                              others[i]);
        }
    }
    return IA_OK;
}

/* What it says of itself goes to standard error: standard output has the sweeps alone. On a terminal a
 * line that does not stay is erased by the next one. Frees the text. */
static void say(struct ia_buf *text, bool stays)
{
    bool tty = ia_term_is(STDERR_FILENO);
    struct ia_buf line = IA_BUF(4 * SAID_MAX);
    ia_buf_puts(&line, tty ? "\r\x1b[K" : "");
    ia_clean(&line, ia_buf_str(text), IA_CLEAN_LINE);
    ia_buf_puts(&line, stays || !tty ? "\n" : "");
    (void)ia_write_all(STDERR_FILENO, line.p, line.len);
    ia_buf_fini(&line);
    ia_buf_fini(text);
}

static void say_watching(const struct ia_watch *w)
{
    struct ia_buf text = IA_BUF(SAID_MAX);
    size_t n = ia_watch_files(w);
    ia_buf_printf(&text, "watching %zu file%s; Ctrl-C ends", n, n == 1 ? "" : "s");
    say(&text, false);
}

static void say_changed(const char *const *files, size_t n)
{
    struct ia_buf text = IA_BUF(SAID_MAX);
    ia_buf_printf(&text, "changed: %s", n > 0 ? files[0] : "a watched file");
    if (n > 1) {
        ia_buf_printf(&text, " and %zu more", n - 1);
    }
    say(&text, true);
}

/* Waits for a change; false when a signal or a failure ends it. */
static bool wait_for_change(struct ia_watch *w, enum ia_rc *ret_rc, struct ia_err *err)
{
    struct ia_cancel *cancel = ia_cancel_new(err);
    if (!cancel) {
        *ret_rc = err->code;
        return false;
    }
    ia_interrupt_install(cancel, -1);
    say_watching(w);
    *ret_rc = ia_watch_wait(w, cancel, err);
    ia_interrupt_remove();
    ia_cancel_free(cancel);
    return *ret_rc == IA_OK;
}

/* Prints what a round left, as main would, and makes room for the next. Returns the exit status. */
static int put_round(struct ia_cli *c, enum ia_rc rc, struct ia_err *err)
{
    int status = ia_cli_finish(c, rc, err);
    ia_buf_reset(&c->text);
    ia_buf_reset(&c->result);
    ia_jsonw_init(&c->w, &c->result);
    *err = (struct ia_err){.code = IA_OK};
    return status;
}

/* Everything once, then what changes, until a signal comes; then the exit status is the last
 * round's. */
static enum ia_rc watch(struct ia_cli *c, struct ia_watch *w, struct ia_err *err)
{
    const char *const *files = NULL;
    size_t n = 0;
    enum ia_rc rc;
    do {
        bool stopped = false, all = false;
        rc = ia_cmd_sweep_once(c, files, n, &stopped, err);
        bool command_line = rc == IA_E_USAGE || rc == IA_E_NOT_FOUND;
        if (stopped || (n == 0 && command_line)) { /* no change of a file corrects that */
            return rc;
        }
        c->exit_status = put_round(c, rc, err);
        if (!wait_for_change(w, &rc, err)) {
            break;
        }
        files = ia_watch_changed(w, &n, &all);
        say_changed(files, n);
        n = all ? 0 : n;
    } while (true);
    c->handed_over = rc == IA_E_CANCELLED; /* all was printed */
    if (ia_term_is(STDERR_FILENO)) {
        (void)ia_write_all(STDERR_FILENO, "\r\x1b[K", 4);
    }
    return c->handed_over ? IA_OK : rc;
}

static enum ia_rc watch_sweep(struct ia_cli *c, struct ia_err *err)
{
    const char *others[IA_ARGS_MAX];
    struct ia_watch *w = NULL;
    struct ia_watch_opts opts = {
        .goals = c->args.operands,
        .goal_count = c->args.operand_count,
        .others = others,
        .other_count = ia_args_list(&c->args, "watch-path", others, IA_COUNTOF(others)),
        .except = ia_args_text(&c->args, "report-dir"),
    };
    enum ia_rc rc = check_watch(&c->args, err);
    if (rc == IA_OK) {
        rc = ia_watch_new(&opts, &w, err);
    }
    rc = rc == IA_OK ? watch(c, w, err) : rc;
    ia_watch_free(w);
    return rc;
}

enum ia_rc ia_cmd_sweep(struct ia_cli *c, struct ia_err *err)
{
    bool stopped;
    bool watched = ia_args_has(&c->args, "watch") || ia_args_has(&c->args, "watch-path");
    return watched ? watch_sweep(c, err) : ia_cmd_sweep_once(c, NULL, 0, &stopped, err);
}
