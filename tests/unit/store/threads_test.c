/* Threads and processes write to one database without losing anything or starving anyone. */
#include "child.h"
#include "home.h"

#include "store/impl.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { THREADS = 8, TURNS = 40, PROCESSES = 3 };

/* ---- the ticket -------------------------------------------------------------------------- */

struct queue {
    struct ia_ticket ticket;
    int order[THREADS];
    int n; /* guarded by the ticket */
};

struct waiter {
    struct queue *queue;
    int number;
};

static void *wait_for_ticket(void *arg)
{
    struct waiter *w = arg;
    (void)ia_ticket_lock(&w->queue->ticket);
    w->queue->order[w->queue->n++] = w->number;
    ia_ticket_unlock(&w->queue->ticket);
    return NULL;
}

/* Where the next waiter will be linked: changes when one more waits. */
static void *end_of_line(struct ia_ticket *t)
{
    pthread_mutex_lock(&t->mutex);
    void *last = t->last;
    pthread_mutex_unlock(&t->mutex);
    return last;
}

static void the_ticket_goes_round_in_the_order_of_asking(void **state)
{
    (void)state;
    struct queue queue = {.n = 0};
    struct waiter waiters[THREADS];
    pthread_t threads[THREADS];
    ia_ticket_init(&queue.ticket);
    assert_true(ia_ticket_lock(&queue.ticket));
    assert_false(ia_ticket_lock(&queue.ticket));
    for (int i = 0; i < THREADS; i++) {
        void *before = end_of_line(&queue.ticket);
        waiters[i] = (struct waiter){&queue, i};
        assert_int_equal(pthread_create(&threads[i], NULL, wait_for_ticket, &waiters[i]), 0);
        while (end_of_line(&queue.ticket) == before) {
            sched_yield();
        }
    }
    ia_ticket_unlock(&queue.ticket);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(queue.order[i], i);
    }
    assert_true(ia_ticket_lock(&queue.ticket));
    ia_ticket_unlock(&queue.ticket);
    ia_ticket_fini(&queue.ticket);
}

/* ---- turns ------------------------------------------------------------------------------- */

/* The two commits of a step with one tool. No cmocka in here: it runs on threads. */
static enum ia_rc do_turn(struct ia_store *s, const char *run, int step)
{
    char id[20];
    struct ia_tx *tx = NULL;
    struct ia_message_row answer = {.role = "assistant", .content = ia_str("[{}]")};
    struct ia_message_row results = {.role = "user", .content = ia_str("[{}]")};
    struct ia_call_row call = {.step = step,
                               .name = "tap",
                               .input = ia_str("{}"),
                               .has_effect = true,
                               .result = ia_str("[]")};
    snprintf(id, sizeof(id), "toolu_%d", step);
    call.tool_use_id = id;
    enum ia_rc rc = ia_tx_begin(s, &tx, NULL);
    if (rc != IA_OK) {
        return rc;
    }
    ia_tx_add_message(tx, run, &answer, &call.message_seq);
    ia_tx_add_call(tx, run, &call);
    ia_tx_add_event(tx, run, IA_EVENT(&(struct ia_event_tool_started){.step = 1}), NULL);
    rc = ia_tx_commit(tx, NULL);
    if (rc == IA_OK) {
        rc = ia_tx_begin(s, &tx, NULL);
    }
    if (rc != IA_OK) {
        return rc;
    }
    ia_tx_set_result(tx, run, &call);
    ia_tx_add_message(tx, run, &results, NULL);
    ia_tx_add_event(tx, run, IA_EVENT(&(struct ia_event_tool_finished){.step = 1}), NULL);
    ia_tx_set_usage(tx, run, step, &(struct ia_usage_row){.output = step});
    ia_tx_heartbeat(tx, run, NULL);
    return ia_tx_commit(tx, NULL);
}

struct worker {
    struct ia_store *store;
    char run[IA_ID_SIZE];
    enum ia_rc rc;
    atomic_int *left; /* turns that all workers share, or NULL: TURNS each */
    int done;
};

static void *work(void *arg)
{
    struct worker *w = arg;
    while (w->rc == IA_OK && (w->left ? atomic_fetch_sub(w->left, 1) > 0 : w->done < TURNS)) {
        bool cancel = false;
        w->rc = do_turn(w->store, w->run, w->done + 1);
        if (w->rc == IA_OK) {
            w->rc = ia_store_cancel_requested(w->store, w->run, &cancel, NULL);
        }
        w->done++;
    }
    return NULL;
}

struct tally {
    int calls, done;
    int64_t seq;
};

static bool tally_call(void *ctx, const struct ia_call_row *row)
{
    struct tally *t = ctx;
    t->calls++;
    t->done += row->state == IA_CALL_DONE;
    return true;
}

static bool tally_event(void *ctx, const struct ia_event_row *row)
{
    struct tally *t = ctx;
    assert_true(row->seq == t->seq + 1);
    t->seq = row->seq;
    return true;
}

static void expect_turns(struct ia_store *s, const char *run, int turns)
{
    struct tally t = {0};
    assert_rc(IA_OK, ia_store_calls(s, run, tally_call, &t, NULL));
    assert_int_equal(t.calls, turns);
    assert_int_equal(t.done, turns);
    assert_rc(IA_OK, ia_store_events(s, &(struct ia_event_range){.run_id = run}, tally_event,
                                     &t, NULL, NULL));
    assert_true(t.seq == 3 + 2 * turns);
}

static void run_workers(struct ia_store *s, struct worker *workers, atomic_int *left)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        char lane[20];
        snprintf(lane, sizeof(lane), "lane%d", i);
        workers[i] = (struct worker){.store = s, .left = left};
        start_run(s, lane, workers[i].run);
    }
    struct ia_tx *tx = begin(s); /* until all of them wait for their first turn */
    for (int i = 0; i < THREADS; i++) {
        void *before = end_of_line(&s->ticket);
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
        while (end_of_line(&s->ticket) == before) {
            sched_yield();
        }
    }
    commit(tx);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
}

static void threads_lose_nothing_and_number_without_gaps(void **state)
{
    struct ia_store *s = home_open(*state);
    struct worker workers[THREADS];
    run_workers(s, workers, NULL);
    for (int i = 0; i < THREADS; i++) {
        assert_rc(IA_OK, workers[i].rc);
        expect_turns(s, workers[i].run, TURNS);
    }
    assert_rc(IA_OK, ia_store_check(s, NULL));
    ia_store_close(s);
}

/* With busy_timeout alone one of eight threads gets almost nothing. */
static void no_thread_starves(void **state)
{
    struct ia_store *s = home_open(*state);
    struct worker workers[THREADS];
    atomic_int left = THREADS * TURNS;
    run_workers(s, workers, &left);
    int done = 0;
    for (int i = 0; i < THREADS; i++) {
        assert_rc(IA_OK, workers[i].rc);
        done += workers[i].done;
    }
    assert_int_equal(done, THREADS * TURNS);
    for (int i = 0; i < THREADS; i++) {
        assert_true(workers[i].done > 0);
        assert_true(workers[i].done < done / 2);
    }
    ia_store_close(s);
}

/* ---- processes --------------------------------------------------------------------------- */

static int work_in_process(void *ctx, int in, int out)
{
    struct worker w = {.store = home_open_as(ctx, NULL, 20000)};
    char lane[20];
    (void)hear(in);
    snprintf(lane, sizeof(lane), "p%d", (int)out);
    start_run(w.store, lane, w.run);
    (void)work(&w);
    ia_store_close(w.store);
    return w.rc == IA_OK ? 0 : 1;
}

static bool expect_all_turns(void *ctx, const struct ia_run_row *row)
{
    struct worker *w = ctx;
    memcpy(w[w->done + 1].run, row->id, IA_ID_SIZE);
    w->done++;
    return true;
}

static void processes_share_the_database(void **state)
{
    struct child c[PROCESSES];
    struct worker runs[PROCESSES + 1] = {{0}};
    for (int i = 0; i < PROCESSES; i++) {
        c[i] = child_start(work_in_process, *state);
    }
    for (int i = 0; i < PROCESSES; i++) {
        child_go(&c[i]);
    }
    for (int i = 0; i < PROCESSES; i++) {
        assert_int_equal(child_wait(&c[i]), 0);
    }
    struct ia_store *s = home_open(*state);
    assert_rc(IA_OK, ia_store_runs(s, NULL, expect_all_turns, runs, NULL));
    assert_int_equal(runs[0].done, PROCESSES);
    for (int i = 1; i <= PROCESSES; i++) {
        expect_turns(s, runs[i].run, TURNS);
    }
    assert_rc(IA_OK, ia_store_check(s, NULL));
    ia_store_close(s);
}

/* ---- a foreign lock ---------------------------------------------------------------------- */

enum { BUSY_MS = 300 };

static int hold_transaction(void *ctx, int in, int out)
{
    struct ia_store *s = home_open(ctx);
    struct ia_tx *tx = begin(s);
    tell(out, 'y');
    (void)hear(in);
    ia_tx_rollback(tx);
    ia_store_close(s);
    return 0;
}

static void *try_once(void *arg)
{
    struct worker *w = arg;
    struct ia_tx *tx = NULL;
    w->rc = ia_tx_begin(w->store, &tx, NULL);
    ia_tx_rollback(tx);
    return NULL;
}

static void threads_wait_for_another_process_together_not_one_after_the_other(void **state)
{
    struct worker w[THREADS];
    pthread_t threads[THREADS];
    struct child c = child_start(hold_transaction, *state);
    assert_int_equal(child_byte(&c), 'y');
    struct ia_store *s = home_open_as(*state, NULL, BUSY_MS);
    int64_t start = ia_mono_us(ia_clock_system());
    for (int i = 0; i < THREADS; i++) {
        w[i] = (struct worker){.store = s};
        assert_int_equal(pthread_create(&threads[i], NULL, try_once, &w[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        assert_rc(IA_E_DB_LOCKED, w[i].rc);
    }
    int64_t ms = (ia_mono_us(ia_clock_system()) - start) / 1000;
    assert_true(ms >= BUSY_MS && ms < BUSY_MS * THREADS / 2);
    child_go(&c);
    assert_int_equal(child_wait(&c), 0);
    commit(begin(s));
    ia_store_close(s);
}

#define T(name) cmocka_unit_test_setup_teardown(name, home_make, home_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(the_ticket_goes_round_in_the_order_of_asking),
        T(processes_share_the_database), /* before this process has threads */
        T(threads_wait_for_another_process_together_not_one_after_the_other),
        T(threads_lose_nothing_and_number_without_gaps),
        T(no_thread_starves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
