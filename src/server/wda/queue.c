/* queue.c: one call at a time, on the thread that owns the device, and a frame of the live picture while
 * none waits; and the session, which ends what waits.
 *
 *   connection's thread             worker
 *   ───────────────────             ──────
 *   ia_wda_queue: waits             takes the first
 *                                   body, numbers, handler
 *   goes on    ◄──────────────────  done
 *
 * The worker's stack is larger than a connection's: XPath and predicates of a client recurse. */
#include "server/wda/wda_impl.h"

#include "base/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STACK_BYTES = 8 << 20, DEADLINE_US = 120000000, BODY_DEPTH_MAX = 64 };

/* ---- one call ----------------------------------------------------------------------------- */

/* Bodies that are no JSON object count as empty, as in WebDriverAgent. */
static json_t *read_body(struct ia_str text)
{
    json_t *body = text.n && ia_json_depth_ok(text, BODY_DEPTH_MAX)
                       ? json_loadb(text.p, text.n, 0, NULL)
                       : NULL;
    if (!json_is_object(body)) {
        json_decref(body);
        body = json_object();
    }
    return body;
}

/* The body's numbers, which clients also send as texts. */
static enum ia_wda_error read_nums(struct ia_wda_call *c)
{
    struct ia_str rest = ia_str(c->route->nums ? c->route->nums : "");
    for (size_t i = 0; rest.n > 0; i++) {
        size_t n = strcspn(rest.p, " ?");
        char name[32];
        (void)snprintf(name, sizeof(name), "%.*s", (int)n, rest.p);
        const json_t *value = json_object_get(c->body, name);
        char *end = NULL;
        const char *text = json_string_value(value);
        c->num[i] = text ? strtod(text, &end) : json_number_value(value);
        c->has[i] = text ? end != text && *end == '\0' : json_is_number(value);
        bool optional = rest.p[n] == '?';
        if ((!c->has[i] && (!optional || (value && !json_is_null(value)))) ||
            !(c->num[i] > -1e9 && c->num[i] < 1e9)) {
            return ia_wda_fail(c, IA_WDA_E_ARGUMENT, "'%s' must be a number", name);
        }
        n += optional;
        n += rest.p[n] == ' ';
        rest = (struct ia_str){rest.p + n, rest.n - n};
    }
    return IA_WDA_OK;
}

enum ia_wda_error ia_wda_perform(struct ia_wda_call *c)
{
    enum ia_wda_error error = IA_WDA_OK;
    c->body = read_body(c->http->body);
    error = read_nums(c);
    if (error == IA_WDA_OK) {
        if (!(c->route->flags & IA_WDA_TEXT_ONLY)) {
            ia_buf_puts(c->out, "{\"value\":");
        }
        size_t before = c->out->len;
        ia_jsonw_init(&c->w, c->out);
        if (c->session[0] && !(c->route->flags & IA_WDA_ASIDE)) {
            ia_wda_alert_default(c);
        }
        error = c->route->fn(c);
        if (c->acted && c->err.outcome == IA_OUTCOME_NOT_SENT) {
            c->err.outcome = IA_OUTCOME_SENT; /* those before it were */
        }
        if (error == IA_WDA_OK && c->out->len == before) {
            ia_buf_reset(c->out);
        }
    }
    ia_wda_unlook(c);
    json_decref(c->body);
    return error;
}

/* ---- the queue ---------------------------------------------------------------------------- */

/* The lock is held. */
static void finish(struct ia_wda_call *c, enum ia_wda_error error)
{
    c->error = c->ended && error != IA_WDA_OK ? IA_WDA_E_NO_SESSION : error;
    c->done = true;
    pthread_cond_signal(&c->wake);
}

static void *worker_main(void *ctx)
{
    struct ia_wda_server *s = ctx;
    pthread_mutex_lock(&s->lock);
    for (;;) {
        while (!s->first && !s->stopping && !s->film.wanted) {
            pthread_cond_wait(&s->work, &s->lock);
        }
        struct ia_wda_call *c = s->first;
        if (!c && s->stopping) {
            break;
        }
        if (!c) {
            pthread_mutex_unlock(&s->lock);
            ia_wda_film_take(s);
            pthread_mutex_lock(&s->lock);
            continue;
        }
        s->first = c->next;
        s->last = s->first ? s->last : NULL;
        s->running = c;
        pthread_mutex_unlock(&s->lock);
        enum ia_wda_error error = ia_wda_perform(c);
        pthread_mutex_lock(&s->lock);
        s->running = NULL;
        ia_wda_film_stir(s);
        finish(c, error);
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

/* Ends the session of everything that waits or runs: the first is answered at once, the other when the
 * device lets go. The lock is held. */
static void end_calls(struct ia_wda_server *s)
{
    struct ia_wda_call **at = &s->first;
    s->last = NULL;
    while (*at) {
        struct ia_wda_call *c = *at;
        if (c->session[0]) {
            *at = c->next;
            finish(c, IA_WDA_E_NO_SESSION);
        } else {
            s->last = c;
            at = &c->next;
        }
    }
    if (s->running && s->running->session[0]) {
        s->running->ended = true;
        ia_cancel_fire(s->running->deadline.cancel);
    }
}

void ia_wda_session_set(struct ia_wda_server *s, const char id[IA_WDA_UID_SIZE])
{
    pthread_mutex_lock(&s->lock);
    memcpy(s->session, id, IA_WDA_UID_SIZE);
    end_calls(s);
    pthread_mutex_unlock(&s->lock);
}

/* The lock is held. */
static bool is_current(const struct ia_wda_call *c)
{
    return c->session[0] == '\0' || strcmp(c->session, c->s->session) == 0;
}

bool ia_wda_enter(struct ia_wda_call *c)
{
    struct ia_wda_server *s = c->s;
    pthread_mutex_lock(&s->lock);
    bool ok = is_current(c);
    if (ok && (c->route->flags & IA_WDA_ENDS)) {
        s->session[0] = '\0';
        end_calls(s);
        c->session = "";
    }
    pthread_mutex_unlock(&s->lock);
    return ok;
}

/* Of what ran the trace says what became of it; what only waited has the answer of a session that never was
 * (FBWebServer.m, FBRoute.m). */
static enum ia_wda_error say_ended(struct ia_wda_call *c)
{
    if (!c->ended) {
        return ia_wda_fail(c, IA_WDA_E_NO_SESSION, "Session does not exist");
    }
    (void)snprintf(c->err.msg, sizeof(c->err.msg),
                   "Session %s was deleted while this request was still pending", c->session);
    return IA_WDA_E_NO_SESSION;
}

enum ia_wda_error ia_wda_queue(struct ia_wda_call *c)
{
    struct ia_wda_server *s = c->s;
    c->deadline.at_us = ia_mono_us(ia_clock_system()) + DEADLINE_US;
    pthread_cond_init(&c->wake, NULL);
    pthread_mutex_lock(&s->lock);
    if (is_current(c)) {
        *(s->first ? &s->last->next : &s->first) = c;
        s->last = c;
        pthread_cond_signal(&s->work);
    } else { /* ended since it came in */
        finish(c, IA_WDA_E_NO_SESSION);
    }
    while (!c->done) {
        pthread_cond_wait(&c->wake, &s->lock);
    }
    pthread_mutex_unlock(&s->lock);
    pthread_cond_destroy(&c->wake);
    return c->error == IA_WDA_E_NO_SESSION ? say_ended(c) : c->error;
}

/* ---- its life ----------------------------------------------------------------------------- */

enum ia_rc ia_wda_worker_start(struct ia_wda_server *s, struct ia_err *err)
{
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    (void)pthread_attr_setstacksize(&attr, STACK_BYTES);
    s->started = pthread_create(&s->worker, &attr, worker_main, s) == 0;
    pthread_attr_destroy(&attr);
    return s->started
               ? IA_OK
               : ia_err_set(err, IA_E_IO, "cannot start the thread that owns the device");
}

void ia_wda_worker_stop(struct ia_wda_server *s)
{
    pthread_mutex_lock(&s->lock);
    s->stopping = true;
    pthread_cond_signal(&s->work);
    pthread_mutex_unlock(&s->lock);
    if (s->started) {
        pthread_join(s->worker, NULL);
    }
}
