/* borrow.c: a worker asks the submitter for the values of an order's shared secrets (fleet/ask.h). */
#include "app/fleet/work_impl.h"
#include "base/clock.h"
#include "fleet/ask.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>

enum { ASKS = 4, ASK_MS = 500, SILENT_US = 15000000 };

struct waiting {
    const struct ia_fleet_order *order;
    struct ia_fleet_ask ask;
    unsigned char secret[IA_FLEET_PUBLIC_SIZE];
    struct ia_fleet_loan *loan;
    pthread_mutex_t mutex; /* guards what follows, and the loan until it is done */
    pthread_cond_t answered;
    bool done;
};

/* Values that were not offered are left out. */
static void keep(struct waiting *w, struct ia_str values)
{
    struct ia_str name, value;
    struct ia_fleet_loan *l = w->loan;
    while (l->n < IA_JOB_SECRETS_MAX && ia_fleet_values_next(&values, &name, &value)) {
        struct ia_fleet_lent *lent = &l->items[l->n];
        if (!ia_secret_name_ok(name)) {
            continue;
        }
        (void)snprintf(lent->name, sizeof(lent->name), "%.*s", (int)name.n, name.p);
        if (ia_fleet_names(w->order->shared.p, lent->name) &&
            ia_secret_new(value, &lent->value, NULL) == IA_OK) {
            l->n++;
        }
    }
}

static void on_answer(void *ctx, const char *subject, struct ia_str body)
{
    struct waiting *w = ctx;
    struct ia_buf values = IA_BUF(IA_FLEET_VALUES_MAX);
    void *room = ia_buf_reserve(&values, IA_FLEET_VALUES_MAX);
    (void)subject;
    pthread_mutex_lock(&w->mutex);
    if (!w->done && ia_fleet_answer_read(body, &w->ask, w->secret, &w->order->key, &values)) {
        keep(w, ia_buf_str(&values));
        w->done = true;
        pthread_cond_signal(&w->answered);
    }
    pthread_mutex_unlock(&w->mutex);
    sodium_memzero(room, IA_FLEET_VALUES_MAX);
    ia_buf_fini(&values);
}

static bool wait_for_answer(struct waiting *w)
{
    int64_t wall_ms = ia_wall_ms(ia_clock_system()) + ASK_MS;
    const struct timespec until = {.tv_sec = wall_ms / 1000,
                                   .tv_nsec = (wall_ms % 1000) * 1000000};
    pthread_mutex_lock(&w->mutex);
    while (!w->done && pthread_cond_timedwait(&w->answered, &w->mutex, &until) == 0) {
    }
    bool done = w->done;
    pthread_mutex_unlock(&w->mutex);
    return done;
}

static enum ia_rc no_answer(const struct ia_fleet_order *order, struct ia_err *err)
{
    return ia_err_set(err, IA_E_TIMEOUT, "the submitter of run %s does not give its secrets",
                      order->run);
}

/* Messages without a stream may be lost: asks some times. */
static enum ia_rc ask(struct ia_fleet_work *work, struct waiting *w, struct ia_err *err)
{
    char subject[IA_FLEET_SUBJECT_SIZE];
    struct ia_buf body = IA_BUF(4096);
    struct ia_bus_watch *watch = NULL;
    bool done = false;
    const struct ia_fleet_order *o = w->order;
    ia_fleet_subject(IA_FLEET_ANSWER, work->opts.name, o->batch, o->run, subject);
    enum ia_rc rc = ia_bus_listen(work->opts.bus, subject, on_answer, w, &watch, err);
    ia_fleet_subject(IA_FLEET_ASK, work->opts.name, o->batch, o->run, subject);
    ia_fleet_ask_write(&w->ask, &o->key, &body);
    for (int i = 0; i < ASKS && rc == IA_OK && !done && !ia_cancel_fired(work->stop); i++) {
        ia_bus_tell(work->opts.bus, subject, ia_buf_str(&body));
        done = wait_for_answer(w);
    }
    ia_bus_unlisten(watch);
    ia_buf_fini(&body);
    return rc == IA_OK && !done ? no_answer(o, err) : rc;
}

/* That every shared secret came. */
static enum ia_rc check(const struct ia_fleet_order *order, const struct ia_run_request *req,
                        const struct ia_fleet_loan *loan, struct ia_err *err)
{
    for (size_t i = 0; i < req->secret_count; i++) {
        if (ia_fleet_names(order->shared.p, req->secrets[i]) &&
            !ia_fleet_loan_value(loan, req->secrets[i])) {
            return ia_err_set(err, IA_E_POLICY, "the submitter has no value of the secret %s",
                              req->secrets[i]);
        }
    }
    return IA_OK;
}

/* Whether the order's submitter did not answer a short time ago. Waiting for it again would hold up other orders, since the
 * server delivers returned orders first. */
static bool is_silent(const struct ia_fleet_work *work, const struct ia_fleet_order *order)
{
    bool silent = false;
    for (size_t i = 0; i < IA_COUNTOF(work->silent); i++) {
        silent = silent || (strcmp(work->silent[i].batch, order->batch) == 0 &&
                            ia_mono_us(ia_clock_system()) < work->silent[i].until_us);
    }
    return silent;
}

static void note_silent(struct ia_fleet_work *work, const struct ia_fleet_order *order)
{
    struct ia_fleet_silent *s = &work->silent[work->silent_next++ % IA_COUNTOF(work->silent)];
    memcpy(s->batch, order->batch, sizeof(s->batch));
    s->until_us = ia_mono_us(ia_clock_system()) + SILENT_US;
}

enum ia_rc ia_fleet_borrow(struct ia_fleet_work *work, const struct ia_fleet_order *order,
                           const struct ia_run_request *req, struct ia_fleet_loan *ret,
                           struct ia_err *err)
{
    if (is_silent(work, order)) {
        return no_answer(order, err);
    }
    struct waiting w = {.order = order, .loan = ret};
    memcpy(w.ask.batch, order->batch, sizeof(w.ask.batch));
    memcpy(w.ask.run, order->run, sizeof(w.ask.run));
    (void)snprintf(w.ask.worker, sizeof(w.ask.worker), "%s", work->opts.name);
    pthread_mutex_init(&w.mutex, NULL);
    pthread_cond_init(&w.answered, NULL);
    ia_fleet_ask_new(&w.ask, w.secret);
    enum ia_rc rc = ask(work, &w, err);
    sodium_memzero(w.secret, sizeof(w.secret));
    pthread_cond_destroy(&w.answered);
    pthread_mutex_destroy(&w.mutex);
    if (rc == IA_E_TIMEOUT) {
        note_silent(work, order);
    }
    return rc == IA_OK ? check(order, req, ret, err) : rc;
}

const struct ia_secret *ia_fleet_loan_value(const struct ia_fleet_loan *loan, const char *name)
{
    for (size_t i = 0; i < loan->n; i++) {
        if (strcmp(loan->items[i].name, name) == 0) {
            return loan->items[i].value;
        }
    }
    return NULL;
}

void ia_fleet_loan_give(struct ia_fleet_loan *loan, struct ia_lent_secrets *to,
                        const char *run_id)
{
    for (size_t i = 0; i < loan->n; i++) {
        ia_lent_secrets_give(to, run_id, loan->items[i].name, loan->items[i].value);
    }
    loan->n = 0;
}

void ia_fleet_forget_secrets(struct ia_fleet_work *w, const char *run_id)
{
    ia_lent_secrets_end(ia_executor_lent_secrets(ia_workers_executor(w->workers)), run_id);
}

void ia_fleet_loan_fini(struct ia_fleet_loan *loan)
{
    for (size_t i = 0; i < loan->n; i++) {
        ia_secret_free(loan->items[i].value);
    }
    loan->n = 0;
}
