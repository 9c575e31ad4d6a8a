/* Values of secrets: the environment first, then the store; what is listed, and what is refused. */
#include "tmpdir.h"

#include "app/secret_source.h"
#include "app/setup.h"
#include "store/secret.h"

#include <sodium.h>

struct world {
    char *home;
    struct ia_setup setup;
    struct ia_credentials credentials;
    const char *passphrase; /* what a person would type; NULL: there is nobody */
    int asked;
    struct ia_secret_source *from;
};

static enum ia_rc ask(void *ctx, struct ia_secret **ret, struct ia_err *err)
{
    struct world *w = ctx;
    w->asked++;
    return w->passphrase ? ia_secret_new(ia_str(w->passphrase), ret, err)
                         : ia_err_set(err, IA_E_KEY_PASSPHRASE, "there is no terminal");
}

static void world_open(struct world *w)
{
    struct ia_err err;
    *w = (struct world){.home = tmpdir_new()};
    assert_int_equal(setenv("IOS_AGENT_HOME", w->home, 1), 0);
    assert_int_equal(setenv("IOS_AGENT_CONFIG", "/dev/null", 1), 0);
    assert_int_equal(ia_setup_store(&w->setup, "test", &err), IA_OK);
    w->credentials = (struct ia_credentials){.passphrase = ask, .passphrase_ctx = w};
    w->from = ia_secret_source_new(w->setup.store, &w->credentials);
}

static void world_close(struct world *w)
{
    ia_secret_source_free(w->from);
    ia_setup_close(&w->setup);
    tmpdir_free(w->home);
}

static void put(struct world *w, const char *name, const char *value, const char *passphrase)
{
    struct ia_err err = {0};
    struct ia_seal_opts opts = {ia_str(passphrase), crypto_pwhash_OPSLIMIT_MIN,
                                crypto_pwhash_MEMLIMIT_MIN};
    if (ia_stored_secret_put(w->setup.store, name, ia_str(value), &opts, &err) != IA_OK) {
        fail_msg("%s", err.msg);
    }
}

static void expect_secret(struct world *w, const char *name, const char *want)
{
    const struct ia_secret_lookup lookup = ia_secret_source_lookup(w->from);
    struct ia_buf value;
    struct ia_err err = {0};
    if (ia_secret_value(&lookup, name, &value, &err) != IA_OK) {
        fail_msg("%s: %s", name, err.msg);
    }
    assert_string_equal(ia_buf_cstr(&value), want);
    ia_secret_value_fini(&value);
}

static enum ia_rc check(struct world *w, const char *name, const char *goal, struct ia_err *err)
{
    const struct ia_run_request req = {.goal = goal, .secrets = &name, .secret_count = 1};
    return ia_secrets_check(w->from, &req, err);
}

static void the_environment_goes_before_the_store(void **state)
{
    (void)state;
    struct world w;
    world_open(&w);
    expect_secret(&w, "TEST_PIN", "");
    put(&w, "TEST_PIN", "stored", NULL);
    expect_secret(&w, "TEST_PIN", "stored");
    assert_int_equal(setenv("TEST_PIN", "of the environment", 1), 0);
    expect_secret(&w, "TEST_PIN", "of the environment");
    assert_int_equal(unsetenv("TEST_PIN"), 0);
    put(&w, "TEST_PIN", "stored anew", NULL);
    expect_secret(&w, "TEST_PIN", "stored anew");
    assert_int_equal(w.asked, 0);
    world_close(&w);
}

static void a_person_is_asked_once_for_a_passphrase_and_again_for_a_new_value(void **state)
{
    (void)state;
    struct world w;
    world_open(&w);
    w.passphrase = "horse";
    put(&w, "TEST_PIN", "stored", "horse");
    expect_secret(&w, "TEST_PIN", "stored");
    expect_secret(&w, "TEST_PIN", "stored");
    assert_int_equal(w.asked, 1);
    struct ia_clock const *clock = ia_clock_system();
    (void)ia_clock_wait(clock, NULL, ia_mono_us(clock) + 2000); /* sealed at another time */
    put(&w, "TEST_PIN", "stored anew", "horse");
    expect_secret(&w, "TEST_PIN", "stored anew");
    assert_int_equal(w.asked, 2);
    world_close(&w);
}

static void without_a_person_a_passphrase_says_what_to_do(void **state)
{
    (void)state;
    struct world w;
    struct ia_err err = {0};
    world_open(&w);
    put(&w, "TEST_PIN", "engine-1843", "horse");
    for (int i = 0; i < 2; i++) {
        assert_int_equal(check(&w, "TEST_PIN", "x", &err), IA_E_KEY_PASSPHRASE);
        assert_non_null(strstr(err.msg, "the secret TEST_PIN is sealed with a passphrase"));
        assert_non_null(strstr(err.hint, "ios-agent secret set TEST_PIN"));
        w.credentials.passphrase = NULL;
    }
    w.credentials.passphrase = ask;
    w.passphrase = "wrong";
    assert_int_equal(check(&w, "TEST_PIN", "x", &err), IA_E_KEY_PASSPHRASE);
    assert_string_equal(err.msg, "the passphrase is wrong");
    world_close(&w);
}

static void a_request_is_checked_against_stored_values_too(void **state)
{
    (void)state;
    struct world w;
    struct ia_err err = {0};
    world_open(&w);
    put(&w, "TEST_PIN", "engine-1843", NULL);
    assert_int_equal(check(&w, "TEST_PIN", "type {{secret:TEST_PIN}}", &err), IA_OK);
    assert_int_equal(check(&w, "TEST_PIN", "type Engine 1843", &err), IA_E_USAGE);
    assert_non_null(strstr(err.msg, "the goal contains the value of the secret TEST_PIN"));
    assert_null(strstr(err.msg, "1843"));
    assert_int_equal(check(&w, "TEST_NONE", "x", &err), IA_E_USAGE);
    assert_non_null(strstr(err.hint, "ios-agent secret set TEST_NONE"));
    world_close(&w);
}

static void a_text_that_somebody_typed_is_searched_for_values(void **state)
{
    (void)state;
    struct world w;
    world_open(&w);
    assert_false(ia_secret_in_text(w.setup.store, "engine-1843"));
    put(&w, "ENGINE", "engine-1843", "");
    put(&w, "LOCKED", "compiler-1952", "a passphrase");
    assert_true(ia_secret_in_text(w.setup.store, "engine-1843"));
    assert_true(ia_secret_in_text(w.setup.store, "it is Engine 1843, really"));
    assert_false(ia_secret_in_text(w.setup.store, "an engine"));
    assert_false(ia_secret_in_text(w.setup.store, "compiler-1952")); /* nobody is asked */
    assert_int_equal(w.asked, 0);
    world_close(&w);
}

static void what_no_run_can_type_is_not_stored(void **state)
{
    (void)state;
    static const struct {
        const char *name, *value;
        size_t n;
    } bad[] = {
        {"1PIN", "1843", 4},
        {"", "1843", 4},
        {"A-B", "1843", 4},
        {"run:PIN", "1843", 4},
        {"PIN", "ab", 2},
        {"PIN", "", 0},
        {"PIN", "a\0bc", 4},
        {"PIN", "abc\xff", 4},
        {"P\xc3\xb6T", "1843", 4},
        {"A23456789012345678901234567890123456789012345678901234567890123456", "1843", 4},
    };
    struct world w;
    struct ia_err err = {0};
    world_open(&w);
    for (size_t i = 0; i < IA_COUNTOF(bad); i++) {
        const struct ia_str value = {bad[i].value, bad[i].n};
        assert_int_equal(ia_stored_secret_put(w.setup.store, bad[i].name, value, NULL, &err),
                         IA_E_USAGE);
        assert_null(strstr(err.msg, "1843"));
    }
    char *long_value = ia_calloc(1, IA_SECRET_VALUE_BYTES_MAX + 2);
    memset(long_value, 'x', IA_SECRET_VALUE_BYTES_MAX + 1);
    assert_int_equal(ia_stored_secret_put(w.setup.store, "PIN", ia_str(long_value), NULL, &err),
                     IA_E_USAGE);
    long_value[IA_SECRET_VALUE_BYTES_MAX] = '\0';
    put(&w, "TEST_PIN", long_value, NULL);
    expect_secret(&w, "TEST_PIN", long_value);
    put(&w, "TEST_PIN", "\xc3\xbc \"'\\\n\xf0\x9f\x99\x82", NULL);
    expect_secret(&w, "TEST_PIN", "\xc3\xbc \"'\\\n\xf0\x9f\x99\x82");
    assert_int_equal(ia_stored_secret_remove(w.setup.store, "PIN", &err), IA_E_NOT_FOUND);
    assert_int_equal(ia_stored_secret_remove(w.setup.store, "anthropic-api-key", &err),
                     IA_E_USAGE);
    free(long_value);
    world_close(&w);
}

static void add_entry(void *ctx, const struct ia_secret_entry *e)
{
    ia_buf_printf(ctx, "%s%s%s ", e->name, e->stored ? " stored" : "",
                  e->in_environment ? " environment" : "");
}

/* Names of variables are nobody's business unless somebody wrote them into a goal. */
static void of_the_environment_only_what_a_run_names_is_listed(void **state)
{
    (void)state;
    struct world w;
    struct ia_err err = {0};
    struct ia_buf list = IA_BUF(10000);
    struct ia_tx *tx = NULL;
    char id[IA_ID_SIZE];
    world_open(&w);
    assert_int_equal(setenv("TEST_ENV", "of the environment", 1), 0);
    assert_int_equal(setenv("TEST_BOTH", "of the environment", 1), 0);
    put(&w, "TEST_PIN", "1843", NULL);
    put(&w, "TEST_BOTH", "1843", NULL);
    assert_int_equal(ia_secrets_each(w.setup.store, NULL, add_entry, &list, &err), IA_OK);
    assert_string_equal(ia_buf_cstr(&list), "TEST_BOTH stored environment TEST_PIN stored ");
    const struct ia_run_new run = {
        .goal = "g",
        .model = "m",
        .lane = "l",
        .options = ia_str("{\"secrets\":[\"TEST_ENV\",\"TEST_NONE\",\"TEST_PIN\"]}")};
    assert_int_equal(ia_tx_begin(w.setup.store, &tx, &err), IA_OK);
    ia_tx_add_run(tx, &run, id);
    assert_int_equal(ia_tx_commit(tx, &err), IA_OK);
    ia_buf_reset(&list);
    assert_int_equal(ia_secrets_each(w.setup.store, NULL, add_entry, &list, &err), IA_OK);
    assert_string_equal(ia_buf_cstr(&list), "TEST_BOTH stored environment TEST_ENV environment "
                                            "TEST_PIN stored ");
    ia_buf_reset(&list);
    assert_int_equal(ia_secrets_each(w.setup.store, "TEST_PIN", add_entry, &list, &err), IA_OK);
    assert_string_equal(ia_buf_cstr(&list), "TEST_PIN stored ");
    ia_buf_fini(&list);
    world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_environment_goes_before_the_store),
        cmocka_unit_test(a_person_is_asked_once_for_a_passphrase_and_again_for_a_new_value),
        cmocka_unit_test(without_a_person_a_passphrase_says_what_to_do),
        cmocka_unit_test(a_request_is_checked_against_stored_values_too),
        cmocka_unit_test(a_text_that_somebody_typed_is_searched_for_values),
        cmocka_unit_test(what_no_run_can_type_is_not_stored),
        cmocka_unit_test(of_the_environment_only_what_a_run_names_is_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
