/* Transactions of several threads share one COMMIT, and nothing else. */
#include "home.h"

#include "store/impl.h"

#include <pthread.h>
#include <sched.h>
#include <sqlite3.h>

enum { THREADS = 6 };

/* What a thread does with its transaction. */
enum what { KEEP, FAIL, ABANDON, BEGIN_TWICE };

struct member {
    struct ia_store *store;
    char run[IA_ID_SIZE];
    enum what what;
    pthread_t thread;
    enum ia_rc rc;
    struct ia_err err;
};

static const struct ia_event_notice notice = {.text = {"test", 4}};

/* No cmocka in here: it runs on threads. */
static void *take_part(void *arg)
{
    struct member *m = arg;
    struct ia_tx *tx = NULL, *second = NULL;
    m->rc = ia_tx_begin(m->store, &tx, &m->err);
    if (m->rc != IA_OK) {
        return NULL;
    }
    ia_tx_add_event(tx, m->run, IA_EVENT(&notice), NULL);
    if (m->what == BEGIN_TWICE && ia_tx_begin(m->store, &second, NULL) == IA_OK) {
        ia_tx_add_event(tx, m->run, IA_EVENT(&notice), NULL);
    }
    if (m->what == FAIL) {
        ia_run_move(tx, "nobody", IA_RUN_CLAIMED, NULL, NULL);
    }
    if (m->what == ABANDON) {
        ia_tx_rollback(tx);
        return NULL;
    }
    m->rc = ia_tx_commit(tx, &m->err);
    return NULL;
}

static void *end_of_line(struct ia_ticket *t)
{
    pthread_mutex_lock(&t->mutex);
    void *last = t->last;
    pthread_mutex_unlock(&t->mutex);
    return last;
}

/* Starts the threads, one after the other, behind the transaction that is open. */
static void line_up(struct ia_store *s, struct member *m, int n)
{
    for (int i = 0; i < n; i++) {
        void *before = end_of_line(&s->ticket);
        assert_int_equal(pthread_create(&m[i].thread, NULL, take_part, &m[i]), 0);
        while (end_of_line(&s->ticket) == before) {
            sched_yield();
        }
    }
}

static void join_all(struct member *m, int n)
{
    for (int i = 0; i < n; i++) {
        pthread_join(m[i].thread, NULL);
    }
}

static int count_commit(void *ctx)
{
    ++*(int *)ctx;
    return 0;
}

static int refuse_commit(void *ctx)
{
    ++*(int *)ctx;
    return 1;
}

/* This thread opens a transaction, the others line up behind it, all is let go. */
static void run_batch(struct ia_store *s, struct member m[THREADS], const enum what what[],
                      struct member *self)
{
    for (int i = 0; i < THREADS; i++) {
        m[i] = (struct member){.store = s, .what = what ? what[i] : KEEP};
        add_run(s, "a", m[i].run);
    }
    *self = (struct member){.store = s};
    add_run(s, "a", self->run);
    struct ia_tx *tx = begin(s);
    s->batch.until_us = INT64_MAX; /* a slow machine must not split it */
    ia_tx_add_event(tx, self->run, IA_EVENT(&notice), NULL);
    line_up(s, m, THREADS);
    self->rc = ia_tx_commit(tx, &self->err);
    join_all(m, THREADS);
}

static int64_t events_of(const struct home *h, const char *run)
{
    char sql[200];
    snprintf(sql, sizeof(sql),
             "SELECT count(*) FROM events WHERE type = 'notice' "
             "AND run_id = '%s'",
             run);
    return raw_int(h->db, sql);
}

static void threads_that_wait_share_one_commit(void **state)
{
    struct home *h = *state;
    struct ia_store *s = home_open(h);
    struct member m[THREADS], self;
    run_batch(s, m, NULL, &self); /* opens what is opened once */
    struct member again[THREADS];
    int commits = 0;
    sqlite3_commit_hook(s->writer.conn, count_commit, &commits);
    run_batch(s, again, NULL, &self);
    assert_int_equal(commits, THREADS + 1 + 1); /* of which one for each run that was added */
    for (int i = 0; i < THREADS; i++) {
        assert_rc(IA_OK, again[i].rc);
        assert_int_equal(events_of(h, again[i].run), 1);
    }
    ia_store_close(s);
}

static void a_thread_alone_commits_at_once(void **state)
{
    struct ia_store *s = home_open(*state);
    char run[IA_ID_SIZE];
    int commits = 0;
    add_run(s, "a", run);
    sqlite3_commit_hook(s->writer.conn, count_commit, &commits);
    for (int i = 1; i <= 5; i++) {
        struct ia_tx *tx = begin(s);
        ia_tx_add_event(tx, run, IA_EVENT(&notice), NULL);
        commit(tx);
        assert_int_equal(commits, i);
    }
    ia_store_close(s);
}

static void a_batch_whose_time_is_over_ends_although_others_wait(void **state)
{
    struct ia_store *s = home_open(*state);
    struct member m[THREADS];
    int commits = 0;
    for (int i = 0; i < THREADS; i++) {
        m[i] = (struct member){.store = s};
        add_run(s, "a", m[i].run);
    }
    sqlite3_commit_hook(s->writer.conn, count_commit, &commits);
    struct ia_tx *tx = begin(s);
    line_up(s, m, THREADS);
    s->batch.until_us = 0; /* its time is up although others wait */
    commit(tx);
    join_all(m, THREADS);
    for (int i = 0; i < THREADS; i++) {
        assert_rc(IA_OK, m[i].rc);
    }
    assert_true(commits >= 2);
    ia_store_close(s);
}

static void a_part_that_fails_undoes_only_itself(void **state)
{
    struct home *h = *state;
    struct ia_store *s = home_open(h);
    struct member m[THREADS], self;
    static const enum what what[THREADS] = {FAIL, KEEP, ABANDON, BEGIN_TWICE, FAIL, ABANDON};
    run_batch(s, m, what, &self);
    assert_rc(IA_OK, self.rc);
    assert_int_equal(events_of(h, self.run), 1);
    for (int i = 0; i < THREADS; i++) {
        bool kept = what[i] == KEEP || what[i] == BEGIN_TWICE;
        assert_rc(what[i] == FAIL ? IA_E_NOT_FOUND : IA_OK, m[i].rc);
        assert_int_equal(events_of(h, m[i].run), kept);
    }
    assert_contains(m[0].err.msg, "nobody");
    assert_rc(IA_OK, ia_store_check(s, NULL));
    ia_store_close(s);
}

static void when_the_first_part_fails_the_others_are_kept(void **state)
{
    struct home *h = *state;
    struct ia_store *s = home_open(h);
    struct member m[2];
    for (int i = 0; i < 2; i++) {
        m[i] = (struct member){.store = s};
        add_run(s, "a", m[i].run);
    }
    struct ia_tx *tx = begin(s);
    line_up(s, m, 2);
    ia_run_move(tx, "nobody", IA_RUN_CLAIMED, NULL, NULL);
    assert_rc(IA_E_NOT_FOUND, ia_tx_commit(tx, NULL));
    join_all(m, 2);
    for (int i = 0; i < 2; i++) {
        assert_rc(IA_OK, m[i].rc);
        assert_int_equal(events_of(h, m[i].run), 1);
    }
    ia_store_close(s);
}

static void a_commit_that_fails_fails_for_all_and_says_that_it_was_shared(void **state)
{
    struct home *h = *state;
    struct ia_store *s = home_open(h);
    struct member m[THREADS], self;
    int commits = 0;
    run_batch(s, m, NULL, &self);
    struct member fresh[THREADS];
    for (int i = 0; i < THREADS; i++) {
        fresh[i] = (struct member){.store = s};
        memcpy(fresh[i].run, m[i].run, IA_ID_SIZE);
    }
    struct ia_tx *tx = begin(s);
    s->batch.until_us = INT64_MAX;
    line_up(s, fresh, THREADS);
    sqlite3_commit_hook(s->writer.conn, refuse_commit, &commits);
    enum ia_rc rc = ia_tx_commit(tx, &self.err);
    join_all(fresh, THREADS);
    for (int i = 0; i < THREADS; i++) {
        assert_rc(rc, fresh[i].rc);
        assert_contains(fresh[i].err.msg, "7 transactions");
        assert_true(fresh[i].err.retry_safe);
        assert_int_equal(events_of(h, fresh[i].run), 1); /* of the first batch */
    }
    assert_true(rc != IA_OK && self.err.retry_safe);
    assert_int_equal(commits, 1);
    sqlite3_commit_hook(s->writer.conn, NULL, NULL);
    run_batch(s, m, NULL, &self);
    assert_rc(IA_OK, self.rc);
    assert_rc(IA_OK, ia_store_check(s, NULL));
    ia_store_close(s);
}

#define T(name) cmocka_unit_test_setup_teardown(name, home_make, home_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(threads_that_wait_share_one_commit),
        T(a_thread_alone_commits_at_once),
        T(a_batch_whose_time_is_over_ends_although_others_wait),
        T(a_part_that_fails_undoes_only_itself),
        T(when_the_first_part_fails_the_others_are_kept),
        T(a_commit_that_fails_fails_for_all_and_says_that_it_was_shared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
