/* One run in the foreground: the executor does it (app/executor.h); here its events are shown, signals
 * reach it, and its end becomes the command's. */
#include "cli/foreground/foreground_run.h"

#include "base/clean.h"
#include "base/fd.h"
#include "base/term.h"
#include "cli/foreground/question_prompt.h"
#include "cli/sys/interrupt.h"
#include "cli/view/github.h"
#include "json/json.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EVENT_MAX = 1 << 20 };

void ia_foreground_init(struct ia_foreground *f, struct ia_cli *c)
{
    *f = (struct ia_foreground){
        .c = c, .started = IA_BUF(EVENT_MAX), .finished = IA_BUF(EVENT_MAX)};
    f->events = ia_args_has(&c->args, "events");
}

void ia_foreground_fini(struct ia_foreground *f)
{
    ia_run_view_free(f->view);
    ia_spinner_free(f->spinner);
    ia_executor_free(f->executor);
    ia_interrupt_remove();
    ia_cancel_free(f->cancel);
    ia_buf_fini(&f->started);
    ia_buf_fini(&f->finished);
}

/* Installed first, so that Ctrl-C also ends a run that is still starting. */
enum ia_rc ia_foreground_signals(struct ia_foreground *f, struct ia_err *err)
{
    struct ia_cancel *before = f->cancel;
    f->cancel = ia_cancel_new(err);
    if (f->cancel) {
        ia_interrupt_install(f->cancel, -1);
    }
    ia_cancel_free(before);
    return f->cancel ? IA_OK : err->code;
}

enum ia_rc ia_foreground_open(struct ia_foreground *f, const struct ia_executor_opts *opts,
                              struct ia_err *err)
{
    f->store = opts->setup->store;
    return ia_executor_new(opts, &f->executor, err);
}

/* ---- what is shown --------------------------------------------------------------------- */

static void print_event(struct ia_foreground *f, struct ia_str json)
{
    struct ia_buf line = IA_BUF(6 * json.n + 1);
    ia_clean_json(&line, json);
    ia_buf_putc(&line, '\n');
    if (ia_write_all(STDOUT_FILENO, line.p, line.len) != IA_OK && errno != EPIPE) {
        f->lost = true;
    }
    ia_buf_fini(&line);
}

static void keep(struct ia_buf *b, struct ia_str json)
{
    ia_buf_reset(b);
    ia_buf_putstr(b, json);
}

/* The terminal whose colours a second Ctrl-C restores, or -1. */
static int terminal(const struct ia_foreground *f)
{
    if (!f->spinner) {
        return -1;
    }
    return f->c->json ? STDERR_FILENO : STDOUT_FILENO;
}

static void observe(void *ctx, enum ia_event_type event, struct ia_str json)
{
    struct ia_foreground *f = ctx;
    if (event == IA_EVENT_RUN_STARTED || event == IA_EVENT_RUN_RESUMED) {
        keep(&f->started, json);
    } else if (event == IA_EVENT_RUN_FINISHED || event == IA_EVENT_RUN_INTERRUPTED) {
        keep(&f->finished, json);
        f->over = event == IA_EVENT_RUN_FINISHED;
    }
    if (!f->shown) { /* from now on a signal may arrive in the middle of coloured text */
        ia_interrupt_install(f->cancel, terminal(f));
        f->shown = true;
    }
    if (f->events) {
        print_event(f, json);
    } else if (f->view) {
        ia_run_view_event(f->view, json);
    }
}

/* Subtasks; the end of this command is that of its own run. */
static void observe_below(void *ctx, enum ia_event_type event, struct ia_str json)
{
    struct ia_foreground *f = ctx;
    (void)event;
    if (f->events) {
        print_event(f, json);
    } else if (f->view) {
        ia_run_view_below(f->view, json);
    }
}

enum ia_rc ia_foreground_display(struct ia_foreground *f, struct ia_err *err)
{
    int fd = f->c->json ? STDERR_FILENO : STDOUT_FILENO;
    bool tty = ia_term_is(fd);
    if (f->events || (f->c->json && !tty)) {
        return IA_OK;
    }
    if (tty) {
        f->spinner = ia_spinner_new(fd, err);
        if (!f->spinner) {
            return err->code;
        }
    }
    struct ia_run_view_options opt = {
        .fd = fd,
        .color = tty && ia_term_colors(fd),
        .width = tty ? ia_term_width(fd) : 0,
        .stream = tty,
        .spinner = f->spinner,
    };
    f->view = ia_run_view_new(&opt);
    return IA_OK;
}

/* ---- the end ---------------------------------------------------------------------------- */

static json_t *load(const struct ia_buf *b)
{
    return json_loadb(ia_buf_cstr(b), b->len, JSON_ALLOW_NUL, NULL);
}

/* The envelope's result: the event that ended or interrupted the run, and what run.started says beyond it (goal,
 * app, device, model, budget). Its text: both as people see them. */
void ia_foreground_result(struct ia_foreground *f)
{
    if (f->finished.len == 0) {
        return;
    }
    struct ia_run_view_options opt = {.fd = -1, .out = &f->c->text};
    struct ia_run_view *plain = ia_run_view_new(&opt);
    ia_run_view_event(plain, ia_buf_str(&f->started));
    ia_run_view_event(plain, ia_buf_str(&f->finished));
    ia_run_view_free(plain);
    json_t *result = load(&f->finished);
    json_t *started = load(&f->started);
    (void)json_object_update_missing(result, started);
    struct ia_buf planned = IA_BUF(EVENT_MAX);
    const char *id = ia_json_text(result, "run");
    if (ia_store_newest_event(f->store, id, IA_EVENT_RUN_PLANNED, &planned, NULL) == IA_OK &&
        planned.len > 0) {
        json_t *event = load(&planned);
        (void)json_object_set(result, "plan", json_object_get(event, "plan"));
        json_decref(event);
    }
    ia_buf_fini(&planned);
    if (!json_object_get(result, "state")) { /* interrupted */
        json_object_set_new(result, "state", json_string(ia_run_state_name(IA_RUN_QUEUED)));
    }
    char *text = json_dumps(result, JSON_COMPACT | JSON_REAL_PRECISION(15));
    if (text) {
        ia_jsonw_raw(&f->c->w, ia_str(text));
    }
    free(text);
    json_decref(started);
    json_decref(result);
}

/* The run's own error as the envelope's. */
static void fill_error(struct ia_foreground *f, const struct ia_run_result *r,
                       struct ia_err *err)
{
    struct ia_event e;
    bool known = ia_event_read(&e, ia_buf_str(&f->finished)) && e.type == IA_EVENT_RUN_FINISHED;
    const char *message = known ? ia_event_text(e.run_finished.message) : "";
    const char *hint = known ? ia_event_text(e.run_finished.hint) : "";
    (void)ia_err_set(err, ia_run_result_code(r), "%s",
                     message[0] != '\0' ? message : r->summary);
    if (ia_outcome_healed(r->outcome)) {
        ia_err_hint(err,
                    "a healed run is no success (--strict); look at it with ios-agent show "
                    "%s, then ios-agent recordings accept or reject",
                    r->id);
    } else if (r->code == IA_E_INTERRUPTED) {
        ia_err_hint(err, "ios-agent resume %s continues it", r->id);
    } else if (r->asking) {
        ia_err_hint(
            err,
            "ios-agent approve %s or ios-agent deny %s answers, then ios-agent resume %s "
            "goes on",
            r->id, r->id, r->id);
    } else if (hint[0] != '\0') {
        ia_err_hint(err, "%s", hint);
    } else {
        ia_err_hint(err, "ios-agent show %s shows what happened", r->id);
    }
    ia_event_fini(&e);
}

bool ia_foreground_can_ask(const struct ia_foreground *f)
{
    return f->view && !f->c->json && ia_term_is(STDIN_FILENO) && ia_term_is(STDOUT_FILENO);
}

/* The run's result becomes this command's. If the verdict was displayed, nothing is added. */
static enum ia_rc conclude(struct ia_foreground *f, const struct ia_run_result *r,
                           struct ia_err *err)
{
    if (r->code == IA_OK && (f->lost || (f->view && ia_run_view_lost(f->view)))) {
        enum ia_rc rc = ia_err_set(err, IA_E_IO, "cannot write to standard output");
        ia_err_hint(err, "the run itself passed: ios-agent show %s", r->id);
        return rc;
    }
    enum ia_rc rc = ia_run_result_code(r);
    if (rc == IA_OK) {
        return IA_OK;
    }
    *err = (struct ia_err){.code = rc, .retry_after_ms = -1};
    /* An interruption has no verdict that was displayed, and people need the command that goes on. */
    bool unfinished = r->code == IA_E_INTERRUPTED || (r->asking && !ia_foreground_can_ask(f));
    if (f->c->json || (unfinished && !f->events)) {
        fill_error(f, r, err);
    }
    return rc;
}

/* A run that could not be done may be done later: then running the command again would do
 * everything twice. */
static void say_how_to_go_on(const struct ia_foreground *f, const char *id, struct ia_err *err)
{
    struct ia_run_row *row = NULL;
    bool says_so = err->code == IA_E_BUSY || err->code == IA_E_STATE ||
                   err->code == IA_E_INTERRUPTED || err->code == IA_E_CANCELLED;
    if (!says_so && id[0] != '\0' && ia_store_run(f->store, id, &row, NULL) == IA_OK &&
        !ia_run_state_final(row->state)) {
        ia_err_go_on(err, "ios-agent resume %s continues it", id);
    }
    ia_run_row_free(row);
}

/* ---- the run ---------------------------------------------------------------------------- */

static enum ia_rc ask_person(void *ctx, const char *run_id, bool *ret_answered,
                             struct ia_err *err)
{
    struct ia_foreground *f = ctx;
    const struct ia_question_prompt prompt = {
        .store = f->store, .cancel = f->cancel, .in = STDIN_FILENO, .out = STDOUT_FILENO};
    ia_spinner_hide(f->spinner);
    return ia_question_prompt(&prompt, run_id, ret_answered, err);
}

enum ia_rc ia_foreground_run(struct ia_foreground *f, const struct ia_foreground_task *task,
                             struct ia_err *err)
{
    struct ia_run_result r = {.steps = 0};
    const struct ia_execution e = {.run_id = task->run_id,
                                   .request = task->request,
                                   .fresh = task->fresh,
                                   .cancel = f->cancel,
                                   .interrupt = task->run_id ? ia_interrupt_flag()
                                                             : ia_interrupt_later_flag(),
                                   .observe = observe,
                                   .observe_below = observe_below,
                                   .ask_person = ia_foreground_can_ask(f) ? ask_person : NULL,
                                   .observe_ctx = f};
    ia_buf_reset(&f->started);
    ia_buf_reset(&f->finished);
    f->shown = f->over = false;
    enum ia_rc rc = ia_executor_run(f->executor, &e, &r, err);
    ia_spinner_hide(f->spinner);
    if (rc == IA_OK) {
        rc = conclude(f, &r, err);
        ia_cli_github(f->store, r.id);
    } else if (f->over && !f->c->json) {
        *err = (struct ia_err){.code = rc, .retry_after_ms = -1}; /* people saw it */
    } else {
        say_how_to_go_on(f, r.id, err);
    }
    ia_run_result_fini(&r);
    return rc;
}

void ia_foreground_refusal(struct ia_foreground *f, const struct ia_err *err)
{
    struct ia_buf b = IA_BUF(1 << 16);
    const struct ia_event_start_refused refused = {
        .code = ia_str(ia_rc_name(err->code)),
        .message = ia_str(err->msg),
        .hint = ia_str(err->hint),
        .outcome = ia_str(ia_outcome_name(err->outcome)),
        .retry_safe = err->retry_safe,
    };
    ia_event_write(&b, IA_EVENT(&refused), NULL);
    print_event(f, ia_buf_str(&b));
    ia_buf_fini(&b);
}
