/* share.c: the submitter gives the values of secrets to the workers that have its orders (fleet/ask.h). Only secrets that
 * fleet.share_secrets names, and that the run was granted, are given. */
#include "agent/run/run.h"
#include "app/fleet/submit_impl.h"
#include "app/secret_source.h"
#include "base/log.h"
#include "fleet/ask.h"

#include <sodium.h>
#include <string.h>

void ia_fleet_shared_names(const struct ia_fleet_submit *s, const struct ia_run_request *req,
                           struct ia_buf *out)
{
    for (size_t i = 0; i < req->secret_count; i++) {
        if (ia_fleet_names(s->opts.share, req->secrets[i])) {
            ia_buf_printf(out, "%s%s", out->len > 0 ? "," : "", req->secrets[i]);
        }
    }
}

static enum ia_rc put_value(const struct ia_fleet_submit *s, const char *name,
                            struct ia_buf *values, struct ia_err *err)
{
    const struct ia_secret_lookup lookup = ia_secret_source_lookup(s->opts.secrets);
    struct ia_buf value = IA_BUF(IA_SECRET_VALUE_BYTES_MAX + 1);
    enum ia_rc rc = ia_secret_value(&lookup, name, &value, err);
    if (rc == IA_OK) {
        ia_buf_put(values, name, strlen(name) + 1);
        ia_buf_putstr(values, ia_buf_str(&value));
        ia_buf_putc(values, '\0');
    }
    ia_secret_value_fini(&value);
    return rc;
}

static enum ia_rc put_values(const struct ia_fleet_submit *s, const char *run_id,
                             struct ia_buf *values, struct ia_err *err)
{
    struct ia_run_recalled r;
    enum ia_rc rc = ia_run_recall(s->opts.store, run_id, &r, err);
    if (rc == IA_OK && !r.job) {
        *err = r.unreadable;
        rc = err->code;
    }
    const struct ia_run_request *req = rc == IA_OK ? ia_job_request(r.job) : NULL;
    for (size_t i = 0; req && i < req->secret_count && rc == IA_OK; i++) {
        if (ia_fleet_names(s->opts.share, req->secrets[i])) {
            rc = put_value(s, req->secrets[i], values, err);
        }
    }
    ia_run_recalled_fini(&r);
    return rc;
}

static void answer(const struct ia_fleet_submit *s, const struct ia_fleet_ask *ask,
                   const struct ia_fleet_key *key)
{
    char subject[IA_FLEET_SUBJECT_SIZE];
    struct ia_buf values = IA_BUF(IA_FLEET_VALUES_MAX);
    struct ia_buf out = IA_BUF(IA_FLEET_ANSWER_MAX);
    struct ia_err err;
    /* All of it at once, so that no copy is left behind when the buffer grows. */
    void *room = ia_buf_reserve(&values, IA_FLEET_VALUES_MAX);
    enum ia_rc rc = put_values(s, ask->run, &values, &err);
    if (rc == IA_OK && ia_buf_ok(&values)) {
        ia_fleet_answer_write(ask, key, ia_buf_str(&values), &out);
        ia_fleet_subject(IA_FLEET_ANSWER, ask->worker, ask->batch, ask->run, subject);
        ia_bus_tell(s->opts.bus, subject, ia_buf_str(&out));
        IA_LOG(IA_LOG_INFO, "fleet.secrets_given", IA_S("run", ask->run),
               IA_S("worker", ask->worker));
    } else {
        IA_LOG(IA_LOG_WARN, "fleet.secrets_not_given", IA_S("run", ask->run),
               IA_S("why", rc == IA_OK ? "they are too large" : err.msg));
    }
    sodium_memzero(room, IA_FLEET_VALUES_MAX);
    ia_buf_fini(&values);
    ia_buf_fini(&out);
}

/* The key of a run that is out. */
static bool key_of(struct ia_fleet_submit *s, const char *run_id, struct ia_fleet_key *ret)
{
    pthread_mutex_lock(&s->mutex);
    const struct ia_fleet_slot *slot = ia_fleet_slot_of(s, run_id);
    if (slot) {
        *ret = slot->key;
    }
    pthread_mutex_unlock(&s->mutex);
    return slot != NULL;
}

/* On a thread of libnats. Whoever does not know the run's key gets no answer. */
static void on_ask(void *ctx, const char *subject, struct ia_str body)
{
    struct ia_fleet_submit *s = ctx;
    struct ia_fleet_ask ask;
    struct ia_fleet_key key;
    struct ia_err ignored;
    char code[IA_SHA256_HEX_SIZE];
    char expected[IA_FLEET_SUBJECT_SIZE];
    bool read = ia_fleet_ask_read(body, &ask, code, &ignored) == IA_OK;
    if (read) {
        ia_fleet_subject(IA_FLEET_ASK, ask.worker, s->opts.batch, ask.run, expected);
    }
    if (read && strcmp(expected, subject) == 0 && key_of(s, ask.run, &key) &&
        ia_fleet_ask_true(&ask, code, &key)) {
        answer(s, &ask, &key);
    } else {
        IA_LOG(IA_LOG_WARN, "fleet.ask_refused", IA_S("subject", subject));
    }
    sodium_memzero(&key, sizeof(key));
}

enum ia_rc ia_fleet_share(struct ia_fleet_submit *s, struct ia_err *err)
{
    char filter[IA_FLEET_SUBJECT_SIZE];
    if (!s->opts.share[0]) {
        return IA_OK;
    }
    ia_fleet_subject(IA_FLEET_ASK, "*", s->opts.batch, "*", filter);
    return ia_bus_listen(s->opts.bus, filter, on_ask, s, &s->asks, err);
}
