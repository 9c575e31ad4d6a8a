#include "cli/view/event_log.h"

#include "base/fd.h"
#include "cli/view/clean.h"
#include "cli/view/labels.h"

#include <jansson.h>
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

/* A reader that is gone is no reason to stop the work. */
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

static const char *member(const json_t *e, const char *key)
{
    const char *text = json_string_value(json_object_get(e, key));
    return text ? text : "";
}

static void say_start(const json_t *e, const char *event, struct ia_buf *out)
{
    bool demo = json_is_true(json_object_get(e, "demo"));
    ia_buf_printf(out, "%s %s: ", member(e, "run"),
                  strcmp(event, "run.resumed") == 0 ? "resumed" : "started");
    ia_clean_cut(out, ia_str(member(e, "goal")), COL_TEXT);
    ia_buf_printf(out, " (%s)", demo ? IA_SAY_DEMO : member(e, "model"));
}

static void say_step(const json_t *e, struct ia_buf *out)
{
    long long step = json_integer_value(json_object_get(e, "step"));
    bool ok = json_is_true(json_object_get(e, "ok"));
    ia_buf_printf(out, "%3lld  %s ", step, member(e, "tool"));
    ia_clean_cut(out, ia_str(member(e, "element")), COL_TEXT);
    if (!ok) {
        ia_buf_printf(out, ": %s", member(e, "code"));
    }
}

static void say_retry(const json_t *e, struct ia_buf *out)
{
    ia_buf_puts(out, "waits for the next try, in ");
    ia_fmt_ms(out, json_integer_value(json_object_get(e, "wait_ms")));
    ia_buf_printf(out, ": %s", member(e, "message"));
}

static void describe(const char *event, const json_t *e, struct ia_buf *out)
{
    if (strcmp(event, "run.started") == 0 || strcmp(event, "run.resumed") == 0) {
        say_start(e, event, out);
    } else if (strcmp(event, "tool.finished") == 0) {
        say_step(e, out);
    } else if (strcmp(event, "run.retry_wait") == 0 || strcmp(event, "request.retry") == 0) {
        say_retry(e, out);
    }
}

void ia_event_log_event(struct ia_event_log *l, const char *lane, const char *event,
                        struct ia_str json)
{
    struct ia_buf out = IA_BUF(LINE_MAX_BYTES);
    json_t *e = json_loadb(json.p, json.n, JSON_ALLOW_NUL, NULL);
    describe(event, e, &out);
    if (out.len > 0) {
        put(l, lane, ia_buf_cstr(&out));
    }
    json_decref(e);
    ia_buf_fini(&out);
}

void ia_event_log_ended(struct ia_event_log *l, const char *lane, const struct ia_run_result *r,
                        const struct ia_err *refused)
{
    struct ia_buf out = IA_BUF(LINE_MAX_BYTES);
    ia_buf_printf(&out, "%s %s", r->id, r->state);
    const char *why = refused ? refused->msg : r->summary;
    if (why && why[0] != '\0') {
        ia_buf_puts(&out, ": ");
        ia_clean_cut(&out, ia_str(why), 2 * COL_TEXT);
    }
    put(l, lane, ia_buf_cstr(&out));
    ia_buf_fini(&out);
}

void ia_event_log_fired(struct ia_event_log *l, const struct ia_fired *fired)
{
    if (fired->retired) {
        ia_event_log_say(l, "schedule %s cannot fire any more: %s", fired->schedule,
                         fired->reason);
    } else if (fired->run_id) {
        ia_event_log_say(l, "schedule %s fired: run %s", fired->schedule, fired->run_id);
    } else {
        ia_event_log_say(l, "schedule %s skipped: %s", fired->schedule, fired->reason);
    }
}

void ia_event_log_notified(struct ia_event_log *l, const char *schedule, const char *problem,
                           bool last)
{
    if (problem) {
        ia_event_log_say(l, "schedule %s: its change of verdict was not told%s: %s", schedule,
                         last ? " and is not tried again" : "", problem);
    } else {
        ia_event_log_say(l, "schedule %s: its change of verdict was told", schedule);
    }
}
