/* pictures_test.c: screenshots that are kept for people. */
#include "test.h"

#include "rig.h"
#include "store/blob.h"

#include <jansson.h>

#define GOAL "add a contact named Ada Lovelace"

/* Checks every picture event of the run: in order, its blob there. Returns how many. */
static int check_pictures(const struct rig *r)
{
    int n = 0, last = -1;
    for (const char *line = ia_buf_cstr(&r->events); *line; line += strcspn(line, "\n") + 1) {
        json_t *e = json_loadb(line, strcspn(line, "\n"), 0, NULL);
        if (strcmp(json_string_value(json_object_get(e, "event")), "picture") == 0) {
            struct ia_buf png = IA_BUF(1 << 24);
            int step = (int)json_integer_value(json_object_get(e, "step"));
            const char *sha = json_string_value(json_object_get(e, "image"));
            assert_true(step > last);
            assert_int_equal(ia_blob_read(r->store, sha, &png, NULL), IA_OK);
            assert_int_equal(json_integer_value(json_object_get(e, "width")), 393);
            assert_int_equal(json_integer_value(json_object_get(e, "height")), 852);
            ia_buf_fini(&png);
            last = step;
            n++;
        }
        json_decref(e);
    }
    return n;
}

static void each_step_that_acts_has_a_picture_and_so_has_the_first_screen(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, "add_contact", NULL);
    r.req.pictures = IA_PICTURES_STEPS;
    rig_run(&r, GOAL);
    rig_expect(&r, "passed", IA_OK);
    /* finish acts on nothing, and its screen is the last picture */
    assert_int_equal(check_pictures(&r), rig_count(&r, "tool.finished"));
    assert_non_null(r.result.screenshot_path);
    rig_close(&r);
}

static void without_being_asked_only_the_last_screen_is_kept(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, "add_contact", NULL);
    rig_run(&r, GOAL);
    assert_int_equal(rig_count(&r, "picture"), 0);
    assert_non_null(r.result.screenshot_path);
    rig_close(&r);
}

static void pictures_can_be_off(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, "add_contact", NULL);
    r.req.pictures = IA_PICTURES_OFF;
    rig_run(&r, GOAL);
    rig_expect(&r, "passed", IA_OK);
    assert_int_equal(rig_count(&r, "picture"), 0);
    assert_null(r.result.screenshot_path);
    rig_close(&r);
}

static void a_device_that_gives_no_pictures_fails_no_run(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, "add_contact", NULL);
    r.req.pictures = IA_PICTURES_STEPS;
    r.device.blind = true;
    rig_run(&r, GOAL);
    rig_expect(&r, "passed", IA_OK);
    assert_int_equal(rig_count(&r, "picture"), 0);
    assert_int_equal(rig_count(&r, "notice"), 1); /* once, not at every step */
    assert_non_null(strstr(rig_event(&r, "notice"), "no screenshots today"));
    rig_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_step_that_acts_has_a_picture_and_so_has_the_first_screen),
        cmocka_unit_test(without_being_asked_only_the_last_screen_is_kept),
        cmocka_unit_test(pictures_can_be_off),
        cmocka_unit_test(a_device_that_gives_no_pictures_fails_no_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
