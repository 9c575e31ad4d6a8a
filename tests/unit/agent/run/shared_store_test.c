/* shared_store_test.c: runs over a store that another process holds locked. */
#include "test.h"

#include "rig.h"

#include <pthread.h>
#include <stdatomic.h>

enum { SHORT_BUSY_MS = 100, BUDGET_S = 6 };

/* A second connection to the run's database, as another process has one. */
static struct {
    struct ia_store *store;
    struct ia_tx *tx;
    int at_request;
    atomic_llong locked_us; /* when it took the lock; 0 before */
} other;

static void open_with_other(struct rig *r, const char *script, const char *faults)
{
    rig_open(r, script, faults);
    ia_store_close(r->store);
    struct ia_store_opts opts = {.home = r->home, .busy_ms = SHORT_BUSY_MS};
    assert_int_equal(ia_store_open(&opts, &r->store, NULL), IA_OK);
    assert_int_equal(ia_store_open(&opts, &other.store, NULL), IA_OK);
    other.tx = NULL;
    atomic_store(&other.locked_us, 0);
}

static void close_with_other(struct rig *r)
{
    ia_tx_rollback(other.tx);
    ia_store_close(other.store);
    rig_close(r);
}

static void lock_at_request(struct rig *r, enum ia_event_type event, struct ia_str json)
{
    (void)json;
    if (event == IA_EVENT_REQUEST_STARTED &&
        rig_count(r, "request.started") == other.at_request) {
        assert_int_equal(ia_tx_begin(other.store, &other.tx, NULL), IA_OK);
        atomic_store(&other.locked_us, ia_mono_us(ia_clock_system()));
    }
}

static void a_store_that_fails_during_the_verifier_ends_the_run(void **state)
{
    (void)state;
    struct rig r;
    struct ia_err err = {0};
    open_with_other(&r, "add_contact", NULL);
    other.at_request = 7;
    r.on_event = lock_at_request;
    assert_int_equal(rig_try(&r, "add a contact named Ada Lovelace", &err), IA_E_DB_LOCKED);
    assert_non_null(strstr(err.msg, "is locked"));
    assert_int_equal(rig_count(&r, "tool.finished"), 5); /* the model was told nothing */
    close_with_other(&r);
}

/* Unlocks when the lock has stood over a heartbeat, which is due 2 s after the last write. */
static void *unlock_later(void *arg)
{
    const struct ia_clock *clock = ia_clock_system();
    int64_t give_up_us = ia_mono_us(clock) + BUDGET_S * INT64_C(1000000);
    (void)arg;
    while (!atomic_load(&other.locked_us) && ia_mono_us(clock) < give_up_us) {
        (void)ia_clock_wait(clock, NULL, ia_mono_us(clock) + 10000);
    }
    if (!atomic_load(&other.locked_us)) {
        return NULL;
    }
    (void)ia_clock_wait(clock, NULL, atomic_load(&other.locked_us) + 2500000);
    ia_tx_rollback(other.tx);
    other.tx = NULL;
    return NULL;
}

static void a_heartbeat_that_cannot_be_written_does_not_end_the_run(void **state)
{
    (void)state;
    struct rig r;
    struct ia_err err = {0};
    pthread_t thread;
    open_with_other(&r, "add_contact", "stall@2");
    other.at_request = 2;
    r.on_event = lock_at_request;
    r.req.budget.max_seconds = BUDGET_S;
    assert_int_equal(pthread_create(&thread, NULL, unlock_later, NULL), 0);
    enum ia_rc rc = rig_try(&r, "add a contact named Ada Lovelace", &err);
    pthread_join(thread, NULL);
    if (rc != IA_OK) {
        fail_msg("%s %s", ia_rc_name(rc), err.msg);
    }
    assert_true(atomic_load(&other.locked_us));
    rig_expect(&r, "error", IA_E_TIMEOUT);
    close_with_other(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_store_that_fails_during_the_verifier_ends_the_run),
        cmocka_unit_test(a_heartbeat_that_cannot_be_written_does_not_end_the_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
