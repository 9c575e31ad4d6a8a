/* children.c: a thread for each device that a subtask waits on. Each child has a token of its own,
 * so that cancelling one leaves its siblings alone; the parent's fires all of them. The calling
 * thread waits for the parent's token and for the threads, each of which leaves a byte in a pipe. */
#include "app/children.h"

#include "agent/run/claim.h"
#include "app/executor_impl.h"
#include "app/runs.h"
#include "base/fd.h"
#include "store/children.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STACK_BYTES = 1 << 20 };

struct family;

struct child {
    char id[IA_ID_SIZE];
    char lane[IA_LANE_MAX + 1];
};

/* The children of one lane, done in order by one thread. */
struct line {
    struct family *family;
    const char *lane;
    struct ia_cancel *cancel; /* of the child in hand */
    struct ia_err failed;     /* code IA_OK: none */
    pthread_t thread;
    bool started;
};

struct family {
    struct ia_executor *x;
    const struct ia_execution *parent;
    ia_child_run_fn *run;
    struct child *children;
    size_t count;
    struct line *lines;
    size_t line_count;
    int ended[2]; /* pipe */
    pthread_mutex_t
        mutex; /* guards the tokens and the rest; held while the observer is called */
    pthread_cond_t answered;
    bool stopping;
    bool asking;        /* a person is being asked: events wait in `held` */
    struct event *held; /* oldest first */
    struct event **last;
};

struct event {
    struct event *next;
    enum ia_event_type type;
    char *json;
};

/* ---- one child --------------------------------------------------------------------------- */

static void hold(struct family *f, enum ia_event_type event, struct ia_str json)
{
    struct event *e = ia_calloc(1, sizeof(*e));
    e->type = event;
    e->json = ia_strndup(json.p, json.n);
    *f->last = e;
    f->last = &e->next;
}

static void show_held(struct family *f)
{
    while (f->held) {
        struct event *e = f->held;
        f->held = e->next;
        f->parent->observe_below(f->parent->observe_ctx, e->type, ia_str(e->json));
        free(e->json);
        free(e);
    }
    f->last = &f->held;
}

static void observe(void *ctx, enum ia_event_type event, struct ia_str json)
{
    struct family *f = ctx;
    pthread_mutex_lock(&f->mutex);
    if (f->asking) {
        hold(f, event, json);
    } else {
        f->parent->observe_below(f->parent->observe_ctx, event, json);
    }
    pthread_mutex_unlock(&f->mutex);
}

/* One question at a time. The siblings go on; what they would show comes after the answer. */
static enum ia_rc ask_person(void *ctx, const char *run_id, bool *ret_answered,
                             struct ia_err *err)
{
    struct family *f = ctx;
    pthread_mutex_lock(&f->mutex);
    while (f->asking) {
        pthread_cond_wait(&f->answered, &f->mutex);
    }
    f->asking = true;
    pthread_mutex_unlock(&f->mutex);
    enum ia_rc rc = f->parent->ask_person(f->parent->observe_ctx, run_id, ret_answered, err);
    pthread_mutex_lock(&f->mutex);
    f->asking = false;
    show_held(f);
    pthread_cond_broadcast(&f->answered);
    pthread_mutex_unlock(&f->mutex);
    return rc;
}

/* It cannot be done here: its row says so, as a worker would have it (workers.c). False where it
 * waits for somebody else all the same. */
static bool refuse(struct family *f, const char *id, const struct ia_err *why)
{
    enum ia_run_state state = IA_RUN_QUEUED;
    struct ia_err ignored;
    if (ia_store_run_state(f->x->store, id, &state, &ignored) != IA_OK ||
        ia_run_state_final(state)) {
        return true;
    }
    bool refused = ia_claim_take(f->x->store, id, &ignored) == IA_OK &&
                   ia_claim_refuse(f->x->store, id, why, &state, &ignored) == IA_OK;
    return refused && state != IA_RUN_QUEUED;
}

static bool stopped(enum ia_rc rc)
{
    return rc == IA_E_INTERRUPTED || rc == IA_E_CANCELLED;
}

/* Stopped, or a question of it or of a subtask is open: its row stays as it is. */
static bool rests(enum ia_rc rc)
{
    return stopped(rc) || rc == IA_E_ASK;
}

static void do_child(struct line *l, const char *id)
{
    struct family *f = l->family;
    struct ia_run_result result = {.steps = 0};
    struct ia_err err = {0};
    const struct ia_execution e = {.run_id = id,
                                   .patient = true,
                                   .cancel = l->cancel,
                                   .interrupt = f->parent->interrupt,
                                   .observe = f->parent->observe_below ? observe : NULL,
                                   .observe_below = f->parent->observe_below ? observe : NULL,
                                   .ask_person = f->parent->ask_person ? ask_person : NULL,
                                   .observe_ctx = f};
    enum ia_rc rc = f->run(f->x, &e, &result, &err);
    if (rc == IA_OK && result.asking) {
        rc = ia_run_unanswered(id, &err);
    }
    /* Refused with an error that can pass, it is tried again; then it does not end here. */
    while (rc != IA_OK && !rests(rc) && refuse(f, id, &err)) {
        ia_run_result_fini(&result);
        rc = f->run(f->x, &e, &result, &err);
    }
    if (rc != IA_OK && !stopped(rc)) {
        l->failed = err;
    }
    ia_run_result_fini(&result);
}

static bool begin_child(struct line *l)
{
    struct ia_cancel *next = ia_cancel_new(&l->failed);
    pthread_mutex_lock(&l->family->mutex);
    ia_cancel_free(l->cancel);
    l->cancel = next;
    bool go_on = next && !l->family->stopping;
    pthread_mutex_unlock(&l->family->mutex);
    return go_on;
}

/* A sibling that asks does not have the device. */
static bool may_go_on(const struct line *l)
{
    return l->failed.code == IA_OK || l->failed.code == IA_E_ASK;
}

static void *drive(void *arg)
{
    struct line *l = arg;
    struct family *f = l->family;
    for (size_t i = 0; i < f->count && may_go_on(l); i++) {
        if (strcmp(f->children[i].lane, l->lane) == 0 && begin_child(l)) {
            do_child(l, f->children[i].id);
        }
    }
    (void)!write(f->ended[1], "", 1);
    return NULL;
}

/* ---- all of them ------------------------------------------------------------------------- */

static bool keep_open(void *ctx, const struct ia_run_row *row)
{
    struct family *f = ctx;
    if (!ia_run_state_final(row->state) && f->count < IA_DELEGATE_RUNS_MAX) {
        struct child *c = &f->children[f->count++];
        (void)snprintf(c->id, sizeof(c->id), "%s", row->id);
        (void)snprintf(c->lane, sizeof(c->lane), "%s", row->lane);
    }
    return true;
}

static void make_lines(struct family *f)
{
    for (size_t i = 0; i < f->count; i++) {
        size_t at = 0;
        while (at < f->line_count && strcmp(f->lines[at].lane, f->children[i].lane) != 0) {
            at++;
        }
        if (at == f->line_count) {
            f->lines[f->line_count++] = (struct line){.family = f, .lane = f->children[i].lane};
        }
    }
}

static enum ia_rc start_lines(struct family *f, struct ia_err *err)
{
    pthread_attr_t attr;
    enum ia_rc rc = IA_OK;
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, STACK_BYTES);
    for (size_t i = 0; rc == IA_OK && i < f->line_count; i++) {
        struct line *l = &f->lines[i];
        l->started = pthread_create(&l->thread, &attr, drive, l) == 0;
        if (!l->started) {
            rc = ia_err_set(err, IA_E_IO, "cannot start a thread for a subtask");
        }
    }
    pthread_attr_destroy(&attr);
    return rc;
}

static void stop_lines(struct family *f)
{
    pthread_mutex_lock(&f->mutex);
    f->stopping = true;
    for (size_t i = 0; i < f->line_count; i++) {
        ia_cancel_fire(f->lines[i].cancel);
    }
    pthread_mutex_unlock(&f->mutex);
}

static void await_lines(struct family *f)
{
    size_t running = 0, ended = 0;
    for (size_t i = 0; i < f->line_count; i++) {
        running += f->lines[i].started;
    }
    while (ended < running && !f->stopping) {
        struct pollfd fd = {.fd = f->ended[0], .events = POLLIN};
        char byte;
        int ready = 0;
        enum ia_rc rc = ia_cancel_poll(f->parent->cancel, &fd, 1, IA_NO_DEADLINE, &ready);
        if (rc != IA_OK) {
            stop_lines(f);
        } else if (read(f->ended[0], &byte, 1) == 1) {
            ended++;
        }
    }
    for (size_t i = 0; i < f->line_count; i++) {
        if (f->lines[i].started) {
            pthread_join(f->lines[i].thread, NULL);
        }
        ia_cancel_free(f->lines[i].cancel);
    }
}

/* The first that could not be done here, or else one that asks. */
static enum ia_rc first_failure(const struct family *f, const char *parent_id,
                                struct ia_err *err)
{
    const struct ia_err *first = NULL;
    for (size_t i = 0; i < f->line_count; i++) {
        const struct ia_err *failed = &f->lines[i].failed;
        if (failed->code != IA_OK && (!first || first->code == IA_E_ASK)) {
            first = failed;
        }
    }
    if (!first) {
        return IA_OK;
    }
    *err = *first;
    return ia_err_wrap(err, err->code, "a subtask of run %s", parent_id);
}

static enum ia_rc do_family(struct family *f, const char *parent_id, struct ia_err *err)
{
    enum ia_rc rc = ia_pipe(f->ended, err);
    if (rc != IA_OK) {
        return rc;
    }
    make_lines(f);
    rc = start_lines(f, err);
    if (rc != IA_OK) {
        stop_lines(f);
    }
    await_lines(f);
    (void)close(f->ended[0]);
    (void)close(f->ended[1]);
    return rc == IA_OK ? first_failure(f, parent_id, err) : rc;
}

enum ia_rc ia_children_run(struct ia_executor *x, const struct ia_execution *parent,
                           const char *parent_id, ia_child_run_fn *run, struct ia_err *err)
{
    struct family f = {.x = x, .parent = parent, .run = run};
    f.children = ia_calloc(IA_DELEGATE_RUNS_MAX, sizeof(*f.children));
    f.last = &f.held;
    pthread_mutex_init(&f.mutex, NULL);
    pthread_cond_init(&f.answered, NULL);
    enum ia_rc rc = ia_store_children(x->store, parent_id, keep_open, &f, err);
    f.lines = ia_calloc(f.count + 1, sizeof(*f.lines));
    if (rc == IA_OK && f.count > 0) {
        rc = do_family(&f, parent_id, err);
    }
    pthread_cond_destroy(&f.answered);
    pthread_mutex_destroy(&f.mutex);
    free(f.lines);
    free(f.children);
    return rc;
}
