/* daemon: the daemon of this home, in this terminal or, started by a command, in the background. */
#include "base/paths.h"
#include "cli/cmd/cmd.h"
#include "cli/cmd/daemon_calls.h"
#include "cli/docs/docs.h"
#include "cli/sys/interrupt.h"
#include "cli/view/event_log.h"
#include "client/address.h"
#include "server/daemon/daemon.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the log on stdout --------------------------------------------------------------------- */

static void say(void *ctx, const char *line)
{
    ia_event_log_say(ctx, "%s", line);
}

static void event(void *ctx, const struct ia_queue_task *task, enum ia_event_type type,
                  struct ia_str json)
{
    (void)type;
    ia_event_log_event(ctx, task->lane, json);
}

static void ended(void *ctx, const struct ia_queue_task *task, const struct ia_run_result *r,
                  const struct ia_err *refused)
{
    ia_event_log_ended(ctx, task->lane, r, refused);
}

static void fired(void *ctx, const struct ia_fired *f)
{
    ia_event_log_fired(ctx, f);
}

static void notified(void *ctx, const char *schedule, const char *problem, bool last)
{
    ia_event_log_notified(ctx, schedule, problem, last);
}

static void failed(void *ctx, const struct ia_err *err)
{
    ia_event_log_say(ctx, "%s", err->msg);
}

/* ---- running it ---------------------------------------------------------------------------- */

static void put_skills(const void *ctx, struct ia_jsonw *w)
{
    ia_docs_skills(ctx, w);
}

static enum ia_rc run_daemon(struct ia_cli *c, bool background, int port, struct ia_err *err)
{
    struct ia_cancel *cancel = ia_cancel_new(err);
    if (!cancel) {
        return err->code;
    }
    struct ia_event_log *log = background ? NULL : ia_event_log_new(STDOUT_FILENO);
    struct ia_daemon_opts opts = {.background = background,
                                  .http_port = port,
                                  .credentials = &c->credentials,
                                  .cancel = cancel,
                                  .skills = put_skills,
                                  .skills_ctx = c->commands};
    if (log) {
        opts.say = say;
        opts.runs = (struct ia_runs_observer){.event = event, .ended = ended, .ctx = log};
        opts.schedules = (struct ia_scheduler_observer){
            .fired = fired, .notified = notified, .failed = failed, .ctx = log};
        opts.ctx = log;
    }
    ia_interrupt_install(cancel, -1);
    enum ia_rc rc = ia_daemon_run(&opts, err);
    ia_interrupt_remove();
    ia_event_log_free(log);
    ia_cancel_free(cancel);
    return rc;
}

/* One that a command started makes way for one that a person started: its runs go on here. */
static bool takes_over(struct ia_err *err)
{
    struct ia_paths paths = {.home = NULL};
    struct ia_lock_note note = {.background = false};
    if (ia_paths_find(NULL, &paths, err) == IA_OK) {
        ia_lock_note_read(paths.home, &note);
    }
    bool gone = note.background && ia_daemon_call_stop(paths.home, false, err) == IA_OK;
    ia_paths_fini(&paths);
    return gone;
}

static enum ia_rc read_port(const struct ia_cli *c, int *ret, struct ia_err *err)
{
    const char *text = ia_args_operand(&c->args, 0);
    char *end = NULL;
    long port = text ? strtol(text, &end, 10) : 0;
    *ret = ia_args_has(&c->args, "http") ? (int)port : -1;
    if (text && (*end != '\0' || end == text) && !ia_args_has(&c->args, "http")) {
        struct ia_command portless = *c->command; /* it may be a misspelt "daemon install" */
        portless.operands_max = 0;
        return ia_command_check(c->commands, &portless, &c->args, err);
    }
    if (text && !ia_args_has(&c->args, "http")) {
        return ia_err_set(err, IA_E_USAGE, "a port needs --http: ios-agent daemon --http %.40s",
                          text);
    }
    if (text && (*end != '\0' || end == text || port < 0 || port > 65535)) {
        return ia_err_set(err, IA_E_USAGE, "a port is a number from 0 to 65535, not \"%.40s\"",
                          text);
    }
    return IA_OK;
}

enum ia_rc ia_cmd_daemon(struct ia_cli *c, struct ia_err *err)
{
    struct ia_err ignored;
    int port;
    enum ia_rc rc = read_port(c, &port, err);
    if (rc == IA_OK) {
        c->printed = true;
        rc = run_daemon(c, false, port, err);
    }
    return rc == IA_E_BUSY && takes_over(&ignored) ? run_daemon(c, false, port, err) : rc;
}

enum ia_rc ia_cmd_daemon_background(struct ia_cli *c, struct ia_err *err)
{
    return run_daemon(c, true, -1, err);
}
