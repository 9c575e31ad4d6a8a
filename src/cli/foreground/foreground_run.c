#include "cli/foreground/foreground_run.h"

#include "agent/run/claim.h"
#include "app/secret_env.h"
#include "base/fd.h"
#include "base/term.h"
#include "cli/foreground/interrupt.h"
#include "cli/view/clean.h"
#include "cli/view/github.h"
#include "store/queue.h"

#include <errno.h>
#include <jansson.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EVENT_MAX = 1 << 20, SHOWN_MAX = 64 << 20, LOOK_AGAIN_MS = 200 };

void ia_foreground_init(struct ia_foreground *f, struct ia_cli *c)
{
    *f = (struct ia_foreground){
        .c = c, .started = IA_BUF(EVENT_MAX), .finished = IA_BUF(EVENT_MAX)};
    f->events = ia_args_has(&c->args, "events");
}

static void close_display(struct ia_foreground *f)
{
    ia_run_view_free(f->render);
    ia_spinner_free(f->spinner);
    f->render = NULL;
    f->spinner = NULL;
}

static void close_device(struct ia_foreground *f)
{
    ia_device_close(f->device);
    f->device = NULL;
}

void ia_foreground_close_run(struct ia_foreground *f)
{
    ia_cancel_watch_stop(f->watch);
    f->watch = NULL;
    close_device(f);
}

void ia_foreground_fini(struct ia_foreground *f)
{
    ia_foreground_close_run(f);
    close_display(f);
    ia_interrupt_remove();
    ia_cancel_free(f->cancel);
    ia_buf_fini(&f->started);
    ia_buf_fini(&f->finished);
}

/* From the first moment, so that Ctrl-C ends a run that is only starting as any other. */
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

/* Without the watch a cancel from elsewhere is still seen, only later. */
static void start_watch(struct ia_foreground *f, struct ia_str json)
{
    struct ia_err ignored;
    json_t *e = json_loadb(json.p, json.n, JSON_ALLOW_NUL, NULL);
    const char *run = json_string_value(json_object_get(e, "run"));
    if (run && !f->watch) {
        f->watch = ia_cancel_watch_start(f->store, run, f->cancel, &ignored);
    }
    json_decref(e);
}

static void observe(void *ctx, const char *event, struct ia_str json)
{
    struct ia_foreground *f = ctx;
    if (strcmp(event, "run.started") == 0 || strcmp(event, "run.resumed") == 0) {
        keep(&f->started, json);
        start_watch(f, json);
    } else if (strcmp(event, "run.finished") == 0) {
        keep(&f->finished, json);
    }
    if (f->events) {
        print_event(f, json);
    } else if (f->render) {
        ia_run_view_event(f->render, event, json);
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
    f->render = ia_run_view_new(&opt);
    return IA_OK;
}

/* The terminal whose colours a second Ctrl-C puts back, or -1. */
static int terminal(const struct ia_foreground *f)
{
    if (!f->spinner) {
        return -1;
    }
    return f->c->json ? STDERR_FILENO : STDOUT_FILENO;
}

/* ---- the phone -------------------------------------------------------------------------- */

struct holder {
    const char *lane;
    struct ia_err *err;
};

static bool name_holder(void *ctx, const struct ia_lease_row *row)
{
    struct holder *h = ctx;
    if (strcmp(row->lane, h->lane) != 0 || !row->owner_alive) {
        return true;
    }
    int64_t held_ms = ia_wall_ms(ia_clock_system()) - row->since_ms;
    (void)ia_err_set(h->err, IA_E_BUSY, "%s is busy: held by run %s (%s, pid %lld) for %lld s",
                     row->lane, row->run_id, row->owner_command, (long long)row->owner_pid,
                     (long long)(held_ms > 0 ? held_ms / 1000 : 0));
    ia_err_hint(h->err,
                "wait for it, stop it with ios-agent cancel %s, or take another phone: "
                "--device embedded:NAME",
                row->run_id);
    return false;
}

/* The phone only knows that it is busy; the store knows who holds it. */
static void explain_busy(struct ia_foreground *f, struct ia_err *err)
{
    struct ia_err ignored;
    struct ia_buf name = IA_BUF((size_t)2 * IA_DEVICE_NAME_MAX);
    ia_device_spec_lane(f->phone, &name);
    struct holder h = {.lane = ia_buf_cstr(&name), .err = err};
    (void)ia_store_leases(f->store, name_holder, &h, &ignored);
    ia_buf_fini(&name);
}

enum ia_rc ia_foreground_open_phone(struct ia_foreground *f, bool fresh, struct ia_err *err)
{
    struct ia_deadline deadline = {f->cancel, IA_NO_DEADLINE};
    enum ia_rc rc = ia_device_spec_open(f->phone, &deadline, fresh, &f->device, err);
    if (rc == IA_E_BUSY) {
        explain_busy(f, err);
    }
    return rc;
}

/* ---- the end ---------------------------------------------------------------------------- */

static json_t *load(const struct ia_buf *b)
{
    return json_loadb(ia_buf_cstr(b), b->len, JSON_ALLOW_NUL, NULL);
}

/* The envelope's result: the run.finished event, and what run.started says beyond it (goal,
 * app, device, model, budget). Its text: both as people see them. */
void ia_foreground_result(struct ia_foreground *f)
{
    if (f->finished.len == 0) {
        return;
    }
    struct ia_run_view_options opt = {.fd = -1, .out = &f->c->text};
    struct ia_run_view *plain = ia_run_view_new(&opt);
    ia_run_view_event(plain, "run.started", ia_buf_str(&f->started));
    ia_run_view_event(plain, "run.finished", ia_buf_str(&f->finished));
    ia_run_view_free(plain);
    json_t *result = load(&f->finished);
    json_t *started = load(&f->started);
    (void)json_object_update_missing(result, started);
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
    json_t *e = load(&f->finished);
    const char *message = json_string_value(json_object_get(e, "message"));
    const char *hint = json_string_value(json_object_get(e, "hint"));
    (void)ia_err_set(err, r->code, "%s", message && message[0] != '\0' ? message : r->summary);
    if (hint && hint[0] != '\0') {
        ia_err_hint(err, "%s", hint);
    } else {
        ia_err_hint(err, "ios-agent show %s tells what happened", r->id);
    }
    json_decref(e);
}

/* The run's end as this command's. Where people saw the verdict there is nothing to add. */
static enum ia_rc conclude(struct ia_foreground *f, const struct ia_run_result *r,
                           struct ia_err *err)
{
    if (r->code == IA_OK && (f->lost || (f->render && ia_run_view_lost(f->render)))) {
        enum ia_rc rc = ia_err_set(err, IA_E_IO, "cannot write to standard output");
        ia_err_hint(err, "the run itself passed: ios-agent show %s", r->id);
        return rc;
    }
    if (r->code == IA_OK) {
        return IA_OK;
    }
    *err = (struct ia_err){.code = r->code, .retry_after_ms = -1};
    if (f->c->json) {
        fill_error(f, r, err);
    }
    return r->code;
}

/* ---- the run ---------------------------------------------------------------------------- */

/* Between two tries nobody holds the phone, and anybody may do the next one: a daemon, a
 * `resume`. Then what comes of it is shown as if it were done here. */
struct waiting {
    struct ia_foreground *f;
    struct ia_run_result *r; /* id; state, code and summary where the run ends elsewhere */
    int64_t until_ms;        /* wall; when to look again */
    int64_t seen;            /* id of the last event that was shown */
    struct ia_buf shown;     /* a JSON array of events */
    bool asked;              /* to cancel it */
    bool over;
};

static bool keep_event(void *ctx, const struct ia_event_row *row)
{
    struct waiting *w = ctx;
    ia_buf_puts(&w->shown, w->shown.len > 0 ? "," : "[");
    ia_buf_putstr(&w->shown, row->json);
    return true;
}

static enum ia_rc read_events(struct waiting *w, ia_event_fn *fn, struct ia_err *err)
{
    int64_t last = w->seen, before;
    enum ia_rc rc;
    do {
        before = last;
        const struct ia_event_range range = {.run_id = w->r->id, .after_id = before};
        rc = ia_store_events(w->f->store, &range, fn, w, &last, err);
    } while (rc == IA_OK && last > before);
    w->seen = fn == keep_event ? last : w->seen;
    return rc;
}

/* What was shown here ends with the wait that begins now. */
static bool find_wait(void *ctx, const struct ia_event_row *row)
{
    struct waiting *w = ctx;
    w->seen = strcmp(row->type, "run.retry_wait") == 0 ? row->id : w->seen;
    return true;
}

static void show_events(struct waiting *w)
{
    size_t i;
    json_t *e;
    json_t *all = w->shown.len <= 1
                      ? NULL
                      : json_loadb(ia_buf_cstr(&w->shown), w->shown.len, JSON_ALLOW_NUL, NULL);
    json_array_foreach(all, i, e)
    {
        const char *type = json_string_value(json_object_get(e, "event"));
        char *json = json_dumps(e, JSON_COMPACT | JSON_REAL_PRECISION(15));
        if (type && json) {
            observe(w->f, type, ia_str(json));
        }
        free(json);
    }
    json_decref(all);
}

static void take_end(struct ia_run_result *r, const struct ia_run_row *row)
{
    enum ia_rc code = row->code ? ia_rc_from_name(row->code) : IA_OK;
    ia_run_result_fini(r);
    r->code = code == IA_RC_COUNT ? IA_E_INTERNAL : code;
    r->summary = ia_strdup(row->summary);
    (void)snprintf(r->state, sizeof(r->state), "%s", ia_run_state_name(row->state));
}

/* Shows what others did, and says when to look again: now where nobody has the run. */
static enum ia_rc look(struct waiting *w, struct ia_err *err)
{
    struct ia_run_row *row = NULL;
    int64_t now = ia_wall_ms(ia_clock_system());
    enum ia_rc rc = ia_store_recover(w->f->store, NULL, err);
    if (rc == IA_OK) {
        rc = ia_store_run(w->f->store, w->r->id, &row, err);
    }
    if (rc == IA_OK) {
        ia_buf_reset(&w->shown);
        rc = read_events(w, keep_event, err);
        ia_buf_putc(&w->shown, ']');
    }
    if (rc == IA_OK) {
        bool free = row->state == IA_RUN_QUEUED || row->state == IA_RUN_RETRY_WAIT;
        show_events(w);
        w->over = ia_run_state_final(row->state);
        w->until_ms = free ? row->retry_at_ms : now + LOOK_AGAIN_MS;
    }
    if (rc == IA_OK && w->over) {
        take_end(w->r, row);
    }
    ia_run_row_free(row);
    return rc;
}

/* Ctrl-C, or a request to cancel. */
static enum ia_rc stop_waiting(struct waiting *w, struct ia_err *err)
{
    struct ia_foreground *f = w->f;
    enum ia_cancel_result result;
    if (f->keep && atomic_load(ia_interrupt_flag())) {
        ia_err_set(err, IA_E_INTERRUPTED, "run %s still waits for its next try", w->r->id);
        ia_err_hint(err, "ios-agent resume %s goes on with it", w->r->id);
        return IA_E_INTERRUPTED;
    }
    w->asked = true;
    w->until_ms = 0;
    return ia_store_cancel_run(f->store, w->r->id, &result, err);
}

static enum ia_rc wait_until(struct waiting *w, struct ia_err *err)
{
    int ready = 0;
    int64_t wait_ms = w->until_ms - ia_wall_ms(ia_clock_system());
    int64_t until = ia_mono_us(ia_clock_system()) + (wait_ms > 0 ? wait_ms : 0) * 1000;
    struct ia_cancel *cancel = w->asked ? NULL : w->f->cancel;
    bool stop = ia_cancel_poll(cancel, NULL, 0, until, &ready) == IA_E_CANCELLED;
    return stop ? stop_waiting(w, err) : IA_OK;
}

/* The phone first: with a claim in hand it could only be given back. */
static enum ia_rc take(struct waiting *w, struct ia_err *err)
{
    enum ia_rc rc = ia_foreground_open_phone(w->f, false, err);
    if (rc == IA_OK) {
        rc = ia_claim_take(w->f->store, w->r->id, err);
    }
    if (rc != IA_OK) {
        close_device(w->f);
    }
    if (rc == IA_E_BUSY || rc == IA_E_STATE) { /* somebody was quicker, or has the phone */
        w->until_ms = ia_wall_ms(ia_clock_system()) + LOOK_AGAIN_MS;
        rc = IA_OK;
    } else if (rc == IA_E_CANCELLED && !w->asked) { /* which the next wait sees, and acts on */
        w->until_ms = 0;
        rc = IA_OK;
    }
    return rc;
}

/* Waits for the run's next try, and claims it (f->device is open then), or for its end. */
static enum ia_rc next_try(struct ia_foreground *f, struct ia_run_result *r, struct ia_err *err)
{
    struct waiting w = {.f = f, .r = r, .until_ms = r->retry_at_ms, .shown = IA_BUF(SHOWN_MAX)};
    close_device(f);
    enum ia_rc rc = read_events(&w, find_wait, err);
    while (rc == IA_OK && !f->device && !w.over) {
        rc = wait_until(&w, err);
        if (rc == IA_OK) {
            rc = look(&w, err);
        }
        bool due = w.until_ms <= ia_wall_ms(ia_clock_system());
        if (rc == IA_OK && !w.over && due) {
            rc = take(&w, err);
        }
    }
    ia_buf_fini(&w.shown);
    return rc;
}

/* The wall clock may have stood still meanwhile, or have been put back. */
static enum ia_rc claim(struct ia_foreground *f, struct ia_run_result *r, struct ia_err *err)
{
    enum ia_rc rc = ia_claim_take(f->store, r->id, err);
    if (rc == IA_E_STATE && err->retry_after_ms > 0) {
        r->retry_at_ms = ia_wall_ms(ia_clock_system()) + err->retry_after_ms;
        rc = next_try(f, r, err);
    }
    return rc;
}

static struct ia_run_env front_env(struct ia_foreground *f)
{
    return (struct ia_run_env){
        .store = f->store,
        .claude = f->brain->claude,
        .device = f->device,
        .prompts = f->prompts,
        .cancel = f->cancel,
        .interrupt = f->keep ? ia_interrupt_flag() : NULL,
        .observe = observe,
        .observe_ctx = f,
        .secrets = {.value = ia_secret_from_env},
    };
}

static bool waits(const struct ia_run_result *r)
{
    return strcmp(r->state, ia_run_state_name(IA_RUN_RETRY_WAIT)) == 0;
}

/* One try. req NULL: of the run that was claimed. */
static enum ia_rc one_try(struct ia_foreground *f, const struct ia_run_request *req,
                          struct ia_run_result *r, struct ia_err *err)
{
    char id[IA_ID_SIZE];
    struct ia_run_env env = front_env(f);
    memcpy(id, r->id, sizeof(id));
    ia_run_result_fini(r);
    return req ? ia_run_execute(&env, req, r, err) : ia_run_claimed(&env, id, r, err);
}

/* req NULL: the run of that id goes on. */
static enum ia_rc do_run(struct ia_foreground *f, const struct ia_run_request *req,
                         const char *run_id, struct ia_err *err)
{
    struct ia_run_result r = {.steps = 0};
    if (run_id) {
        memcpy(r.id, run_id, strnlen(run_id, sizeof(r.id) - 1));
    }
    enum ia_rc rc = run_id ? claim(f, &r, err) : IA_OK;
    ia_interrupt_install(f->cancel, terminal(f));
    if (rc == IA_OK && f->device) {
        rc = one_try(f, req, &r, err);
    }
    while (rc == IA_OK && waits(&r)) {
        rc = next_try(f, &r, err);
        if (rc == IA_OK && f->device) {
            rc = one_try(f, NULL, &r, err);
        }
    }
    ia_cancel_watch_stop(f->watch);
    f->watch = NULL;
    ia_spinner_hide(f->spinner);
    if (rc == IA_OK) {
        rc = conclude(f, &r, err);
        ia_cli_github(f->store, r.id);
    } else if (f->finished.len > 0 && !f->c->json) {
        *err = (struct ia_err){.code = rc, .retry_after_ms = -1}; /* people saw it */
    }
    ia_run_result_fini(&r);
    return rc;
}

enum ia_rc ia_foreground_run(struct ia_foreground *f, const struct ia_run_request *req,
                             struct ia_err *err)
{
    return do_run(f, req, NULL, err);
}

enum ia_rc ia_foreground_go_on(struct ia_foreground *f, const char *run_id, struct ia_err *err)
{
    ia_buf_reset(&f->started);
    ia_buf_reset(&f->finished);
    return do_run(f, NULL, run_id, err);
}

void ia_foreground_refusal(struct ia_foreground *f, const struct ia_err *err)
{
    struct ia_buf b = IA_BUF(1 << 16);
    struct ia_jsonw w;
    ia_jsonw_init(&w, &b);
    ia_jsonw_object(&w);
    ia_jsonw_kv(&w, "event", "run.refused");
    ia_jsonw_kv(&w, "code", ia_rc_name(err->code));
    ia_jsonw_kv(&w, "message", err->msg);
    ia_jsonw_kv(&w, "hint", err->hint);
    ia_jsonw_kv(&w, "outcome", ia_outcome_name(err->outcome));
    ia_jsonw_kv_bool(&w, "retry_safe", err->retry_safe);
    ia_jsonw_end_object(&w);
    print_event(f, ia_buf_str(&b));
    ia_buf_fini(&b);
}
