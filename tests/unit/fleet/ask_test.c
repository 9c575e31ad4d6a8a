/* What a worker asks for, and what it gets: nobody else asks, answers or opens. */
#include "fleet/ask.h"
#include "test.h"

#include <sodium.h>
#include <stdlib.h>

#define BATCH "01900000-0000-7000-8000-000000000001"
#define RUN "01900000-0000-7000-8000-000000000002"
static const char values[] = "PIN\0001234\0EMPTY\0\0PASSWORD\0correct horse";

struct pair {
    struct ia_fleet_ask ask;
    struct ia_fleet_key key;
    unsigned char secret[IA_FLEET_PUBLIC_SIZE];
    struct ia_buf answer;
};

static struct pair a_pair(void)
{
    struct pair p = {.ask = {.batch = BATCH, .run = RUN, .worker = "mac-1"},
                     .answer = IA_BUF(IA_FLEET_ANSWER_MAX)};
    ia_fleet_key_new(&p.key);
    ia_fleet_ask_new(&p.ask, p.secret);
    ia_fleet_answer_write(&p.ask, &p.key, (struct ia_str){values, sizeof(values)}, &p.answer);
    return p;
}

static bool opens(struct pair *p)
{
    struct ia_buf out = IA_BUF(IA_FLEET_VALUES_MAX);
    bool ok = ia_fleet_answer_read(ia_buf_str(&p->answer), &p->ask, p->secret, &p->key, &out);
    assert_true(!ok || (out.len == sizeof(values) && memcmp(out.p, values, out.len) == 0));
    assert_true(ok || out.len == 0);
    ia_buf_fini(&out);
    return ok;
}

static void an_ask_is_read_back_and_true_for_its_key_only(void **state)
{
    struct pair p = a_pair();
    struct ia_fleet_ask read;
    struct ia_fleet_key other;
    struct ia_buf text = IA_BUF(4096);
    struct ia_err err;
    char code[IA_SHA256_HEX_SIZE];
    (void)state;
    ia_fleet_key_new(&other);
    ia_fleet_ask_write(&p.ask, &p.key, &text);
    assert_int_equal(ia_fleet_ask_read(ia_buf_str(&text), &read, code, &err), IA_OK);
    assert_string_equal(read.batch, BATCH);
    assert_string_equal(read.run, RUN);
    assert_string_equal(read.worker, "mac-1");
    assert_memory_equal(read.public_key, p.ask.public_key, IA_FLEET_PUBLIC_SIZE);
    assert_true(ia_fleet_ask_true(&read, code, &p.key));
    assert_false(ia_fleet_ask_true(&read, code, &other));
    read.public_key[3] ^= 1;
    assert_false(ia_fleet_ask_true(&read, code, &p.key));
    for (size_t n = 0; n < text.len; n++) {
        assert_int_equal(ia_fleet_ask_read((struct ia_str){text.p, n}, &read, code, &err),
                         IA_E_PARSE);
    }
    ia_buf_fini(&text);
    ia_buf_fini(&p.answer);
}

static void an_answer_is_opened_by_who_asked(void **state)
{
    struct pair p = a_pair();
    unsigned char ignored[IA_FLEET_PUBLIC_SIZE];
    (void)state;
    assert_true(opens(&p));
    struct pair other_key = p;
    ia_fleet_key_new(&other_key.key);
    assert_false(opens(&other_key));
    struct pair other_secret = p;
    other_secret.secret[0] ^= 8;
    assert_false(opens(&other_secret));
    struct pair other_ask = p;
    ia_fleet_ask_new(&other_ask.ask, ignored);
    assert_false(opens(&other_ask));
    struct pair other_run = p;
    (void)snprintf(other_run.ask.run, sizeof(other_run.ask.run), "%s", BATCH);
    assert_false(opens(&other_run));
    ia_buf_fini(&p.answer);
}

static void a_changed_answer_is_refused(void **state)
{
    struct pair p = a_pair();
    struct pair changed = a_pair();
    struct ia_buf text = changed.answer;
    (void)state;
    changed = p;
    changed.answer = text;
    for (size_t i = 0; i < p.answer.len; i++) {
        ia_buf_reset(&changed.answer);
        ia_buf_putstr(&changed.answer, ia_buf_str(&p.answer));
        changed.answer.p[i] = changed.answer.p[i] == 'A' ? 'B' : 'A';
        assert_false(opens(&changed));
    }
    for (size_t n = 0; n < p.answer.len; n += 7) {
        ia_buf_reset(&changed.answer);
        ia_buf_put(&changed.answer, p.answer.p, n);
        assert_false(opens(&changed));
    }
    ia_buf_fini(&changed.answer);
    ia_buf_fini(&p.answer);
}

static void an_answer_shows_nothing_of_the_values(void **state)
{
    struct pair p = a_pair();
    (void)state;
    assert_null(strstr(ia_buf_cstr(&p.answer), "1234"));
    assert_null(strstr(ia_buf_cstr(&p.answer), "horse"));
    ia_buf_fini(&p.answer);
}

static void values_are_pairs(void **state)
{
    struct ia_str all = {values, sizeof(values)};
    struct ia_str name, value;
    (void)state;
    assert_true(ia_fleet_values_next(&all, &name, &value));
    assert_true(ia_str_is(name, "PIN") && ia_str_is(value, "1234"));
    assert_true(ia_fleet_values_next(&all, &name, &value));
    assert_true(ia_str_is(name, "EMPTY") && value.n == 0);
    assert_true(ia_fleet_values_next(&all, &name, &value));
    assert_true(ia_str_is(name, "PASSWORD") && ia_str_is(value, "correct horse"));
    assert_false(ia_fleet_values_next(&all, &name, &value));
    all = (struct ia_str){"\0value", 7};
    assert_false(ia_fleet_values_next(&all, &name, &value)); /* no name */
    for (size_t n = 0; n < 9; n++) {                         /* the first pair has nine bytes */
        all = (struct ia_str){values, n};
        assert_false(ia_fleet_values_next(&all, &name, &value));
    }
}

static void names_are_whole_words_of_a_list(void **state)
{
    (void)state;
    assert_true(ia_fleet_names("A, PIN,B", "PIN"));
    assert_true(ia_fleet_names("PIN", "PIN"));
    assert_true(ia_fleet_names("PINS PIN", "PIN"));
    assert_false(ia_fleet_names("PINS,XPIN,PI,pin", "PIN"));
    assert_false(ia_fleet_names("", "PIN"));
    assert_false(ia_fleet_names("PIN", ""));
    assert_false(ia_fleet_names("", ""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_ask_is_read_back_and_true_for_its_key_only),
        cmocka_unit_test(an_answer_is_opened_by_who_asked),
        cmocka_unit_test(a_changed_answer_is_refused),
        cmocka_unit_test(an_answer_shows_nothing_of_the_values),
        cmocka_unit_test(values_are_pairs),
        cmocka_unit_test(names_are_whole_words_of_a_list),
    };
    return sodium_init() < 0 ? 1 : cmocka_run_group_tests(tests, NULL, NULL);
}
