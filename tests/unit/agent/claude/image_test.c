/* The size that a screenshot is sent in, and what it costs in tokens. */
#include "source_dir.h"
#include "test.h"

#include "agent/claude/models.h"

static int number(const json_t *o, const char *key)
{
    json_t *v = json_object_get(o, key);
    assert_true(json_is_integer(v));
    return (int)json_integer_value(v);
}

static void check(const json_t *row, const char *tier, bool high_res)
{
    const json_t *want = json_object_get(row, tier);
    struct ia_image_size got = ia_image_tokens(number(row, "w"), number(row, "h"), high_res);
    assert_int_equal(got.width_px, number(want, "w"));
    assert_int_equal(got.height_px, number(want, "h"));
    assert_int_equal(got.tokens, number(want, "tokens"));
}

static void sizes_and_tokens_are_those_of_the_documented_arithmetic(void **state)
{
    (void)state;
    json_error_t e;
    json_t *rows = json_load_file(IA_TEST_DATA "/claude/image-resize-vectors.json", 0, &e);
    assert_true(json_array_size(rows) >= 20);
    for (size_t i = 0; i < json_array_size(rows); i++) {
        check(json_array_get(rows, i), "standard", false);
        check(json_array_get(rows, i), "high_res", true);
    }
    json_decref(rows);
}

static void a_screenshot_at_point_size_costs_an_eighth(void **state)
{
    (void)state;
    assert_int_equal(ia_image_tokens(1179, 2556, true).tokens, 3956);
    assert_int_equal(ia_image_tokens(393, 852, true).tokens, 465);
    assert_int_equal(ia_image_tokens(393, 852, true).width_px, 393);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_and_tokens_are_those_of_the_documented_arithmetic),
        cmocka_unit_test(a_screenshot_at_point_size_costs_an_eighth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
