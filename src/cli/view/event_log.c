/* event_log.c: one line for each event, with time and device, as the daemon and `schedule tick`
 * print.
 *
 * A line is built first and written with one call under the mutex, so that lines of different
 * threads never mix. */
#include "cli/view/event_log.h"

#include "base/clean.h"
#include "base/fd.h"
#include "cli/view/labels.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_MAX_BYTES = 16384, TEXT_MAX = 4096, COL_LANE = 20, COL_TEXT = 100 };

struct ia_event_log {
    int fd;
    pthread_mutex_t mutex;
};

struct ia_event_log *ia_event_log_new(int fd)
{
    struct ia_event_log *l = ia_calloc(1, sizeof(*l));
    l->fd = fd;
    pthread_mutex_init(&l->mutex, NULL);
    return l;
}

void ia_event_log_free(struct ia_event_log *l)
{
    if (l) {
        pthread_mutex_destroy(&l->mutex);
        free(l);
    }
}

/* ---- one line ---------------------------------------------------------------------------- */

/* Write errors are ignored: the work continues even if its reader is gone. */
static void put(struct ia_event_log *l, const char *lane, const char *text)
{
    char time[IA_ISO_SIZE];
    struct ia_buf line = IA_BUF(LINE_MAX_BYTES);
    ia_iso_format(ia_wall_ms(ia_clock_system()), time);
    ia_buf_printf(&line, "%.19sZ  ", time);
    if (lane) {
        ia_buf_printf(&line, "%-*s  ", COL_LANE, lane);
    }
    ia_clean(&line, ia_str(text), IA_CLEAN_LINE);
    ia_buf_putc(&line, '\n');
    pthread_mutex_lock(&l->mutex);
    (void)ia_write_all(l->fd, line.p, line.len);
    pthread_mutex_unlock(&l->mutex);
    ia_buf_fini(&line);
}

void ia_event_log_say(struct ia_event_log *l, const char *fmt, ...)
{
    char text[TEXT_MAX];
    if (!l) {
        return;
    }
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    put(l, NULL, text);
}

/* ---- events ------------------------------------------------------------------------------ */

static void put_started(const struct ia_event *e, struct ia_buf *out)
{
    const struct ia_event_start *start = ia_event_start(e);
    ia_buf_printf(out, "%s %s: ", ia_event_text(e->run),
                  e->type == IA_EVENT_RUN_RESUMED ? "resumed" : "started");
    ia_clean_cut(out, start->goal, COL_TEXT);
    ia_buf_printf(out, " (%s)", start->demo ? IA_SAY_DEMO : ia_event_text(start->model));
}

static void put_step(const struct ia_event_tool_finished *step, struct ia_buf *out)
{
    ia_buf_printf(out, "%3lld  %s ", (long long)step->step, ia_event_text(step->tool));
    ia_clean_cut(out, step->element, COL_TEXT);
    if (!step->ok) {
        ia_buf_printf(out, ": %s", ia_event_text(step->code));
    }
}

static void put_retry(int64_t wait_ms, struct ia_str message, struct ia_buf *out)
{
    ia_buf_puts(out, "waits for a retry, in ");
    ia_fmt_ms(out, wait_ms);
    ia_buf_printf(out, ": %s", ia_event_text(message));
}

static void describe(const struct ia_event *e, struct ia_buf *out)
{
    switch (e->type) {
    case IA_EVENT_RUN_STARTED:
    case IA_EVENT_RUN_RESUMED:
        put_started(e, out);
        break;
    case IA_EVENT_TOOL_FINISHED:
        put_step(&e->tool_finished, out);
        break;
    case IA_EVENT_RUN_RETRY_WAIT:
        put_retry(e->run_retry_wait.wait_ms, e->run_retry_wait.message, out);
        break;
    case IA_EVENT_RUN_ASKED:
        ia_buf_puts(out, "asks a person: ");
        ia_clean(out, e->run_asked.text, IA_CLEAN_LINE);
        break;
    case IA_EVENT_RUN_PLANNED:
        ia_buf_printf(out, "made a plan of %zu steps", e->run_planned.plan.n);
        break;
    case IA_EVENT_REQUEST_RETRY:
        put_retry(e->request_retry.wait_ms, e->request_retry.message, out);
        break;
    default:
        break;
    }
}

void ia_event_log_event(struct ia_event_log *l, const char *lane, struct ia_str json)
{
    struct ia_buf out = IA_BUF(LINE_MAX_BYTES);
    struct ia_event e;
    if (ia_event_read(&e, json)) {
        describe(&e, &out);
    }
    if (out.len > 0) {
        put(l, lane, ia_buf_cstr(&out));
    }
    ia_event_fini(&e);
    ia_buf_fini(&out);
}

void ia_event_log_ended(struct ia_event_log *l, const char *lane, const struct ia_run_result *r,
                        const struct ia_err *refused)
{
    struct ia_buf out = IA_BUF(LINE_MAX_BYTES);
    ia_buf_printf(&out, "%s %s", r->id, r->outcome ? r->outcome : r->state);
    const char *reason = refused ? refused->msg : r->summary;
    if (reason && reason[0] != '\0') {
        ia_buf_puts(&out, ": ");
        ia_clean_cut(&out, ia_str(reason), 2 * COL_TEXT);
    }
    put(l, lane, ia_buf_cstr(&out));
    ia_buf_fini(&out);
}

void ia_event_log_fired(struct ia_event_log *l, const struct ia_fired *fired)
{
    if (fired->retired) {
        ia_event_log_say(l, "schedule %s can never run again: %s", fired->schedule,
                         fired->reason);
    } else if (fired->run_id) {
        ia_event_log_say(l, "schedule %s started run %s", fired->schedule, fired->run_id);
    } else {
        ia_event_log_say(l, "schedule %s was skipped: %s", fired->schedule, fired->reason);
    }
}

void ia_event_log_notified(struct ia_event_log *l, const char *schedule, const char *problem,
                           bool last)
{
    if (problem) {
        ia_event_log_say(l, "schedule %s: the notification was not delivered%s: %s", schedule,
                         last ? " and will not be retried" : "", problem);
    } else {
        ia_event_log_say(l, "schedule %s: the notification was delivered", schedule);
    }
}
