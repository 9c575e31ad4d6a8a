/* Members of parsed JSON that are there, missing, of another type, empty, or hold NUL. */
#include "json/json.h"

#include "test.h"

#include <string.h>

static const char document[] =
    "{\"text\":\"Save\",\"empty\":\"\",\"number\":7,\"null\":null,\"nul\":\"a\\u0000b\"}";

static json_t *parsed(void)
{
    json_t *object = json_loads(document, JSON_ALLOW_NUL, NULL);
    assert_non_null(object);
    return object;
}

static void text_is_empty_for_whatever_is_no_string(void **state)
{
    (void)state;
    json_t *object = parsed();
    static const char *const keys[] = {"empty", "number", "null", "missing"};
    for (size_t i = 0; i < IA_COUNTOF(keys); i++) {
        assert_string_equal(ia_json_text(object, keys[i]), "");
        assert_int_equal(ia_json_field(object, keys[i]).n, 0);
    }
    assert_string_equal(ia_json_text(object, "text"), "Save");
    assert_string_equal(ia_json_text(NULL, "text"), "");
    assert_null(ia_json_str(NULL).p);
    json_decref(object);
}

static void a_field_has_its_bytes_beyond_a_nul(void **state)
{
    (void)state;
    json_t *object = parsed();
    struct ia_str field = ia_json_field(object, "nul");
    assert_int_equal(field.n, 3);
    assert_memory_equal(field.p, "a\0b", 3);
    assert_string_equal(ia_json_text(object, "nul"), "a");
    json_decref(object);
}

static void a_copy_is_whole_or_not_made(void **state)
{
    (void)state;
    json_t *object = parsed();
    char fits[5] = "same";
    char small[4] = "old";
    assert_true(ia_json_copy(object, "text", fits, sizeof(fits)));
    assert_string_equal(fits, "Save");
    assert_false(ia_json_copy(object, "text", small, sizeof(small)));
    assert_false(ia_json_copy(object, "number", small, sizeof(small)));
    assert_false(ia_json_copy(object, "missing", small, sizeof(small)));
    assert_string_equal(small, "old");
    assert_true(ia_json_copy(object, "empty", small, sizeof(small)));
    assert_string_equal(small, "");
    json_decref(object);
}

static void stored_json_is_passed_on_and_damaged_json_is_null(void **state)
{
    (void)state;
    static const struct {
        const char *stored, *written;
    } cases[] = {{"{\"a\":1.0}", "{\"a\":1.0}"},
                 {"[", "null"},
                 {"", "null"},
                 {"{\"a\":", "null"},
                 {"1}", "null"},
                 {"7", "7"}};
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        struct ia_buf out = IA_BUF(100);
        struct ia_jsonw w;
        ia_jsonw_init(&w, &out);
        ia_json_put(&w, ia_str(cases[i].stored));
        assert_string_equal(ia_buf_cstr(&out), cases[i].written);
        ia_buf_fini(&out);
    }
}

/* Brackets in strings are text. */
static void depth_is_counted_before_anything_is_parsed(void **state)
{
    (void)state;
    assert_true(ia_json_depth_ok(ia_str("[\"[[[\\\"[[\"]"), 1));
    assert_false(ia_json_depth_ok(ia_str("[[\"a\"]]"), 1));
    assert_true(ia_json_depth_ok(ia_str("[{}]"), 2));
    assert_true(ia_json_depth_ok(ia_str("[[],[],{}]"), 2));
    assert_false(ia_json_depth_ok(ia_str("[[[[[["), 5));
    assert_true(ia_json_depth_ok(ia_str("]]]]"), 1));
}

static void values_are_counted_before_anything_is_parsed(void **state)
{
    (void)state;
    assert_true(ia_json_count_ok(ia_str("[1,2,\"a,b,[\"]"), 4));
    assert_false(ia_json_count_ok(ia_str("[1,2,\"a,b,[\"]"), 3));
    assert_true(ia_json_count_ok(ia_str("{\"a\":{\"b\":[]}}"), 4));
    assert_false(ia_json_count_ok(ia_str("[[[["), 4));
    assert_true(ia_json_count_ok(ia_str(""), 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_empty_for_whatever_is_no_string),
        cmocka_unit_test(a_field_has_its_bytes_beyond_a_nul),
        cmocka_unit_test(a_copy_is_whole_or_not_made),
        cmocka_unit_test(stored_json_is_passed_on_and_damaged_json_is_null),
        cmocka_unit_test(depth_is_counted_before_anything_is_parsed),
        cmocka_unit_test(values_are_counted_before_anything_is_parsed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
