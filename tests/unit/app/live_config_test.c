/* A configuration that is read anew when its files have changed, under who reads it. */
#include "tmpdir.h"

#include "app/live_config.h"

#include <pthread.h>
#include <stdatomic.h>

struct world {
    char *dir, *file;
    struct ia_setup setup;
    int heard;
    int64_t heard_steps;
};

static void hear(void *ctx, const struct ia_config *config)
{
    struct world *w = ctx;
    w->heard++;
    w->heard_steps = ia_config_int(config, IA_CFG_RUN_MAX_STEPS);
}

static void world_open(struct world *w, const char *text)
{
    struct ia_err err;
    *w = (struct world){.dir = tmpdir_new()};
    w->file = ia_path_join(w->dir, "config.toml");
    if (text) {
        free(tmpdir_file(w->dir, "config.toml", text));
    }
    assert_int_equal(setenv("IOS_AGENT_HOME", w->dir, 1), 0);
    assert_int_equal(unsetenv("IOS_AGENT_CONFIG"), 0);
    assert_int_equal(setenv("XDG_CONFIG_HOME", w->dir, 1), 0);
    assert_int_equal(ia_setup_config_in(&w->setup, w->dir, &err), IA_OK);
    free(w->setup.paths.user_config);
    w->setup.paths.user_config = ia_strdup(w->file);
    ia_setup_follow(&w->setup);
    ia_setup_hear(&w->setup, hear, w);
    assert_int_equal(w->heard, 1);
    w->heard = 0;
}

static void world_close(struct world *w)
{
    ia_setup_unfollow(&w->setup);
    ia_setup_close(&w->setup);
    tmpdir_free(w->dir);
    free(w->file);
}

static int64_t steps_now(const struct ia_setup *s)
{
    const struct ia_config *config = ia_config_take(s);
    int64_t steps = ia_config_int(config, IA_CFG_RUN_MAX_STEPS);
    ia_config_give_back(s, config);
    return steps;
}

static void set_steps(struct world *w, const char *value)
{
    bool changed;
    assert_int_equal(
        ia_config_edit(&w->setup.paths, IA_CFG_RUN_MAX_STEPS, value, &changed, NULL), IA_OK);
}

static void a_change_is_seen_by_who_takes_it_next(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, NULL);
    assert_int_equal(steps_now(&w.setup), 40);
    assert_int_equal(w.heard, 0);
    set_steps(&w, "7");
    assert_int_equal(steps_now(&w.setup), 7);
    assert_int_equal(steps_now(&w.setup), 7);
    assert_true(w.heard == 1 && w.heard_steps == 7);
    set_steps(&w, NULL);
    assert_int_equal(steps_now(&w.setup), 40);
    assert_int_equal(unlink(w.file), 0);
    assert_int_equal(steps_now(&w.setup), 40);
    free(tmpdir_file(w.dir, "ios-agent.toml", "[run]\nmax_steps = 9\n"));
    assert_int_equal(steps_now(&w.setup), 9);
    world_close(&w);
}

static void what_was_taken_stays_as_it_was(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, "[run]\nmax_steps = 5\nmodel = \"before\"\n");
    const struct ia_config *before = ia_config_take(&w.setup);
    const struct ia_config *again = ia_config_take(&w.setup);
    const char *model = ia_config_str(before, IA_CFG_RUN_MODEL);
    for (int i = 1; i <= 20; i++) {
        set_steps(&w, i % 2 ? "6" : "7");
        assert_int_equal(steps_now(&w.setup), i % 2 ? 6 : 7);
    }
    ia_config_give_back(&w.setup, again);
    assert_int_equal(steps_now(&w.setup), 7);
    assert_string_equal(model, "before");
    assert_int_equal(ia_config_int(before, IA_CFG_RUN_MAX_STEPS), 5);
    ia_config_give_back(&w.setup, before);
    world_close(&w);
}

static void a_file_that_does_not_load_changes_nothing(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, "[run]\nmax_steps = 5\n");
    assert_int_equal(steps_now(&w.setup), 5);
    free(tmpdir_file(w.dir, "config.toml", "[run\n"));
    assert_int_equal(steps_now(&w.setup), 5);
    free(tmpdir_file(w.dir, "config.toml", "[run]\nmax_steps = 0\n"));
    assert_int_equal(steps_now(&w.setup), 5);
    free(tmpdir_file(w.dir, "config.toml", "[run]\nmax_steps = 6\n"));
    assert_int_equal(steps_now(&w.setup), 6);
    world_close(&w);
}

static void a_setup_that_is_not_followed_stays_as_it_was_loaded(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, NULL);
    ia_setup_unfollow(&w.setup);
    set_steps(&w, "7");
    assert_int_equal(steps_now(&w.setup), 40);
    assert_ptr_equal(ia_config_take(&w.setup), w.setup.config);
    ia_setup_unfollow(&w.setup);
    world_close(&w);
}

struct reader {
    struct world *w;
    atomic_bool *stop;
};

/* Model and steps are written together, so who reads one version sees a pair. */
static void *read_pairs(void *ctx)
{
    const struct reader *r = ctx;
    while (!atomic_load(r->stop)) {
        const struct ia_config *config = ia_config_take(&r->w->setup);
        char steps[32];
        (void)snprintf(steps, sizeof(steps), "%lld",
                       (long long)ia_config_int(config, IA_CFG_RUN_MAX_STEPS));
        assert_string_equal(ia_config_str(config, IA_CFG_RUN_MODEL), steps);
        ia_config_give_back(&r->w->setup, config);
    }
    return NULL;
}

static void many_threads_read_while_it_changes(void **state)
{
    (void)state;
    struct world w;
    atomic_bool stop = false;
    pthread_t threads[4];
    world_open(&w, "[run]\nmax_steps = 1\nmodel = \"1\"\n");
    struct reader r = {&w, &stop};
    for (size_t i = 0; i < IA_COUNTOF(threads); i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, read_pairs, &r), 0);
    }
    for (int i = 2; i <= 100; i++) {
        char text[64];
        (void)snprintf(text, sizeof(text), "[run]\nmax_steps = %d\nmodel = \"%d\"\n", i, i);
        free(tmpdir_file(w.dir, "config.toml", text));
    }
    atomic_store(&stop, true);
    for (size_t i = 0; i < IA_COUNTOF(threads); i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    }
    assert_int_equal(steps_now(&w.setup), 100);
    world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_change_is_seen_by_who_takes_it_next),
        cmocka_unit_test(what_was_taken_stays_as_it_was),
        cmocka_unit_test(a_file_that_does_not_load_changes_nothing),
        cmocka_unit_test(a_setup_that_is_not_followed_stays_as_it_was_loaded),
        cmocka_unit_test(many_threads_read_while_it_changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
