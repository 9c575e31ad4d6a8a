/* sweep_start.c: POST /v1/sweeps: a sweep, in a process of its own as everywhere.
 *
 *   the command with --dry-run ─► refused? as it says ─► the command, on a thread that waits for its
 *   end ─► its first event names the sweep ─► answer
 *
 * The daemon does not end while one goes on. When it is stopped, sweeps are stopped as by SIGTERM, and
 * are resumed by `sweep --resume`. */
#include "server/api/sweep_start.h"

#include "app/key_source.h"
#include "events/events.h"
#include "server/api/handlers.h"
#include "server/api/own.h"
#include "json/json.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { CHECK_MS = 60000, START_MS = 30000, STEP_US = 20000, US_PER_MS = 1000 };

/* One process. Freed by its thread. */
struct started {
    struct started *next;
    struct ia_sweep_starts *home;
    struct ia_own own;
    char id[IA_ID_SIZE]; /* "" until the first event came */
    bool over;
    struct ia_err err; /* why it ended without one */
    bool awaited;      /* the request still looks at it */
};

struct ia_sweep_starts {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    struct ia_cancel *cancel;
    struct started *all;
    int running;
};

struct ia_sweep_starts *ia_sweep_starts_new(void)
{
    struct ia_sweep_starts *s = ia_calloc(1, sizeof(*s));
    struct ia_err ignored;
    pthread_mutex_init(&s->mutex, NULL);
    pthread_cond_init(&s->changed, NULL);
    s->cancel = ia_cancel_new(&ignored);
    return s;
}

int ia_sweep_starts_running(struct ia_sweep_starts *s)
{
    pthread_mutex_lock(&s->mutex);
    int n = s->running;
    pthread_mutex_unlock(&s->mutex);
    return n;
}

void ia_sweep_starts_free(struct ia_sweep_starts *s)
{
    if (!s) {
        return;
    }
    ia_cancel_fire(s->cancel);
    pthread_mutex_lock(&s->mutex);
    while (s->running > 0) {
        pthread_cond_wait(&s->changed, &s->mutex);
    }
    pthread_mutex_unlock(&s->mutex);
    ia_cancel_free(s->cancel);
    pthread_cond_destroy(&s->changed);
    pthread_mutex_destroy(&s->mutex);
    free(s);
}

/* ---- its process ------------------------------------------------------------------------- */

/* The mutex is held, as for the next. */
static void forget(struct started *t)
{
    struct started **at = &t->home->all;
    while (*at != t) {
        at = &(*at)->next;
    }
    *at = t->next;
    ia_own_fini(&t->own);
    free(t);
}

/* A line is {"event":"sweep.started","sweep":ID,…}. */
static int read_first_event(void *ctx, const struct ia_spawn_result *so_far)
{
    struct started *t = ctx;
    struct ia_str out = ia_buf_str(&so_far->out), line;
    pthread_mutex_lock(&t->home->mutex);
    if (t->id[0] == '\0' && memchr(out.p ? out.p : "", '\n', out.n) &&
        ia_str_line(&out, &line)) {
        json_t *event = json_loadb(line.p, line.n, 0, NULL);
        const char *name = ia_json_text(event, "event");
        if (strcmp(name, ia_event_name(IA_EVENT_SWEEP_STARTED)) == 0) {
            (void)ia_json_copy(event, "sweep", t->id, sizeof(t->id));
            pthread_cond_broadcast(&t->home->changed);
        }
        json_decref(event);
    }
    pthread_mutex_unlock(&t->home->mutex);
    return 0;
}

static void *run(void *ctx)
{
    struct started *t = ctx;
    struct ia_sweep_starts *home = t->home;
    struct ia_spawn spawn = ia_own_spawn(&t->own);
    struct ia_spawn_result r;
    struct ia_err err = {.code = IA_OK};
    spawn.cancel = home->cancel;
    spawn.watch = read_first_event;
    spawn.watch_ctx = t;
    enum ia_rc rc = ia_spawn_run(&spawn, &r, &err);
    if (rc == IA_OK) {
        (void)read_first_event(t, &r);
        (void)ia_spawn_check(&r, "ios-agent sweep", &err);
    }
    ia_spawn_result_fini(&r);
    pthread_mutex_lock(&home->mutex);
    t->over = true;
    t->err = err;
    home->running--;
    if (!t->awaited) {
        forget(t);
    }
    pthread_cond_broadcast(&home->changed);
    pthread_mutex_unlock(&home->mutex);
    return NULL;
}

static enum ia_rc begin(struct ia_sweep_starts *s, struct started *t, struct ia_err *err)
{
    pthread_t thread;
    enum ia_rc rc = IA_OK;
    pthread_mutex_lock(&s->mutex);
    t->home = s;
    t->awaited = true;
    t->next = s->all;
    s->all = t;
    s->running++;
    if (pthread_create(&thread, NULL, run, t) == 0) {
        pthread_detach(thread);
    } else {
        rc = ia_err_set(err, IA_E_INTERNAL, "no thread is left for a sweep");
        s->running--;
        forget(t);
    }
    pthread_mutex_unlock(&s->mutex);
    return rc;
}

/* Until it has an id, or has ended. A sweep that takes longer to begin goes on. */
static enum ia_rc await(struct ia_api_call *call, struct started *t, struct ia_err *err)
{
    struct ia_sweep_starts *s = t->home;
    const struct ia_clock *clock = ia_clock_system();
    int64_t until_us = ia_mono_us(clock) + (int64_t)START_MS * US_PER_MS;
    enum ia_rc rc = IA_OK;
    pthread_mutex_lock(&s->mutex);
    while (t->id[0] == '\0' && !t->over && ia_mono_us(clock) < until_us) {
        pthread_mutex_unlock(&s->mutex);
        (void)ia_clock_wait(clock, NULL, ia_mono_us(clock) + STEP_US);
        pthread_mutex_lock(&s->mutex);
    }
    if (t->id[0] != '\0') {
        ia_jsonw_object(&call->w);
        ia_jsonw_kv(&call->w, "sweep", t->id);
        ia_jsonw_end_object(&call->w);
    } else if (t->over) {
        *err = t->err;
        rc = err->code != IA_OK ? err->code
                                : ia_err_set(err, IA_E_CHILD, "the sweep ended at once");
    } else {
        rc = ia_err_set(err, IA_E_TIMEOUT, "the sweep has not begun within %d s",
                        START_MS / 1000);
        err->outcome = IA_OUTCOME_UNKNOWN;
    }
    t->awaited = false;
    if (t->over) {
        forget(t);
    }
    pthread_mutex_unlock(&s->mutex);
    return rc;
}

/* ---- the request ------------------------------------------------------------------------- */

/* The members are the options of the command; "files" are its operands. */
static void add_options(struct ia_own *own, const struct ia_args *in)
{
    for (size_t i = 0; i < in->set_count; i++) {
        const struct ia_arg *a = &in->set[i];
        if (strcmp(a->opt->name, "files") != 0 && a->value) {
            ia_own_add(own, "--%s=%s", a->opt->name, a->value);
        } else if (strcmp(a->opt->name, "files") != 0) {
            ia_own_add(own, "--%s", a->opt->name);
        }
    }
    ia_own_add(own, "--");
    for (size_t i = 0; i < in->set_count; i++) {
        if (strcmp(in->set[i].opt->name, "files") == 0) {
            ia_own_add(own, "%s", in->set[i].value);
        }
    }
}

static enum ia_rc prepare(struct ia_api_call *call, struct ia_own *own, const char *mode,
                          struct ia_err *err)
{
    enum ia_rc rc = ia_own_init(own, call, "sweep", err);
    if (rc == IA_OK) {
        ia_own_add(own, "%s", mode);
        if (strcmp(mode, "--dry-run") == 0) {
            ia_own_add(own, "--json");
        }
        add_options(own, &call->input);
    }
    return rc;
}

/* What is wrong with it is said by the command, before anything starts. */
static enum ia_rc check(struct ia_api_call *call, struct ia_err *err)
{
    struct ia_own own;
    enum ia_rc rc = prepare(call, &own, "--dry-run", err);
    if (rc == IA_OK) {
        struct ia_spawn_result r;
        struct ia_spawn spawn = ia_own_spawn(&own);
        spawn.timeout_ms = CHECK_MS;
        spawn.cancel = ia_http_cancel(call->http);
        rc = ia_spawn_run(&spawn, &r, err);
        if (rc == IA_OK) {
            rc = ia_own_answer(call, &r, err);
        }
        ia_spawn_result_fini(&r);
        ia_buf_reset(&call->text);
        ia_buf_reset(&call->result);
    }
    ia_own_fini(&own);
    return rc;
}

enum ia_rc ia_api_sweep_create(struct ia_api_call *call, struct ia_err *err)
{
    struct started *t = NULL;
    enum ia_rc rc = ia_api_check_key(call, ia_args_has(&call->input, "demo"), err);
    if (rc == IA_OK) {
        rc = check(call, err);
    }
    if (rc == IA_OK) {
        t = ia_calloc(1, sizeof(*t));
        rc = prepare(call, &t->own, "--events", err);
        if (rc != IA_OK) {
            ia_own_fini(&t->own);
            free(t);
        }
    }
    if (rc == IA_OK) {
        rc = begin(call->api->sweeps, t, err);
    }
    return rc == IA_OK ? await(call, t, err) : rc;
}
