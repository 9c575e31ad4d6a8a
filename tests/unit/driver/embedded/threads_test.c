/* Many phones in one process, each driven by its own thread. */
#include "phone_fixture.h"

#include <pthread.h>

enum { THREADS = 8, ROUNDS = 20, PHOTOGRAPHERS = 3 };

struct worker {
    pthread_t thread;
    const char *folder;
    int number;
    bool good;
};

static bool drive(struct ia_device *d, bool picture)
{
    const struct ia_device_ops *ops = d->ops;
    bool good = ops->launch(d, &no_limit, CONTACTS, NULL) == IA_OK;
    for (int i = 0; good && i < ROUNDS; i++) {
        struct ia_tree *t = NULL;
        good = ops->tap(d, &no_limit, (struct ia_point){100, 250 + 20 * i}, NULL) == IA_OK &&
               ops->tree(d, &no_limit, &t, NULL) == IA_OK;
        ia_tree_free(t);
        if (good && picture && i == 0) {
            struct ia_buf png = IA_BUF((size_t)16 << 20);
            good = ops->screenshot(d, &no_limit, &png, NULL) == IA_OK;
            ia_buf_fini(&png);
        }
    }
    return good;
}

static void *work(void *arg)
{
    struct worker *w = arg;
    char name[16];
    snprintf(name, sizeof(name), "p%d", w->number);
    struct ia_embedded_options opt = {.folder = w->folder, .name = name};
    for (int i = 0; i < 2; i++) {
        struct ia_device *d = NULL;
        w->good =
            ia_embedded_open(&opt, &d, NULL) == IA_OK && drive(d, w->number < PHOTOGRAPHERS);
        ia_device_close(d);
    }
    return NULL;
}

static void phones_of_different_threads_do_not_meet(void **state)
{
    (void)state;
    char *folder = folder_new();
    struct worker workers[THREADS];
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){.folder = folder, .number = i};
        assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(workers[i].thread, NULL);
        assert_true(workers[i].good);
    }
    folder_remove(folder);
}

/* All threads want the same phone; whoever gets it has it alone. */
static void *contend(void *arg)
{
    struct worker *w = arg;
    struct ia_embedded_options opt = {.folder = w->folder, .name = "one"};
    for (int i = 0; i < ROUNDS; i++) {
        struct ia_device *d = NULL;
        enum ia_rc rc = ia_embedded_open(&opt, &d, NULL);
        w->good = rc == IA_E_BUSY || rc == IA_OK;
        if (rc == IA_OK) {
            w->good = d->ops->tap(d, &no_limit, (struct ia_point){1, 1}, NULL) == IA_OK;
            w->number++;
        }
        ia_device_close(d);
    }
    return NULL;
}

static void one_phone_is_driven_by_one_thread_at_a_time(void **state)
{
    (void)state;
    char *folder = folder_new();
    struct worker workers[THREADS];
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){.folder = folder};
        assert_int_equal(pthread_create(&workers[i].thread, NULL, contend, &workers[i]), 0);
    }
    int sum = 0;
    for (int i = 0; i < THREADS; i++) {
        pthread_join(workers[i].thread, NULL);
        assert_true(workers[i].good);
        sum += workers[i].number;
    }
    char seq[32];
    snprintf(seq, sizeof(seq), "\"seq\":%d,", sum);
    struct ia_device *d = phone_open(folder, "one");
    assert_true(sum > 0 && state_has(d, seq));
    ia_device_close(d);
    folder_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(phones_of_different_threads_do_not_meet),
        cmocka_unit_test(one_phone_is_driven_by_one_thread_at_a_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
