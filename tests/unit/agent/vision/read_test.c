/* Text on the picture, and waiting for what it shows. */
#include "world.h"

static void text_is_read_with_its_place(void **state)
{
    (void)state;
    static const double scales[] = {0, 1, 2, 3};
    for (size_t i = 0; i < IA_COUNTOF(scales); i++) {
        struct world w;
        double x = 0, y = 0, width = 0, height = 0;
        int sure = 0;
        world_open(&w, "tree=off", SETTINGS);
        w.phone.scale = scales[i];
        if (call(&w, "read_text", "{}") == IA_E_MISSING) {
            world_close(&w);
            skip();
        }
        call_ok(&w, "read_text", "{}", "Accessibility");
        const char *line = strstr(said(&w), "% Accessibility");
        while (line && line[-1] != '\n') {
            line--;
        }
        assert_non_null(line);
        assert_int_equal(sscanf(line, "%lf,%lf %lfx%lf %d%%", &x, &y, &width, &height, &sure),
                         5);
        /* The row lies at 571 to 615, its text from 76 to 168 (from the tree and the pixels). */
        assert_true(x >= 74 && x <= 79 && y >= 580 && y + height <= 606);
        assert_true(width > 85 && width < 100 && sure >= 60);
        world_close(&w);
    }
}

static void what_was_read_is_kept_in_the_form_of_a_screen(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, "tree=off", SETTINGS);
    call_ok(&w, "read_text", "{}", "lines of text");
    const char *screen = ia_buf_cstr(&w.result.screen);
    assert_int_equal(strncmp(screen, "- picture\n0 text ", 17), 0);
    assert_non_null(strstr(screen, "\n0 text Accessibility\n"));
    world_close(&w);
}

static void a_region_is_read_alone(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, "tree=off", SETTINGS);
    call_ok(&w, "read_text", "{'region':{'x':60,'y':575,'width':200,'height':38}}",
            "Accessibility");
    assert_null(strstr(said(&w), "General"));
    assert_non_null(strstr(said(&w), "\n1 lines of text"));
    call_refused(&w, "read_text", "{'region':{'x':900,'y':900,'width':5,'height':5}}",
                 IA_E_USAGE, "nothing of the screenshot");
    world_close(&w);
}

static void a_language_without_data_says_what_to_install(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, "tree=off", SETTINGS);
    call_refused(&w, "read_text", "{'language':'qqq'}", IA_E_MISSING,
                 "no data for the language qqq");
    assert_non_null(strstr(w.err.hint, "tesseract-ocr-qqq"));
    assert_non_null(strstr(w.err.hint, "brew install tesseract-lang"));
    world_close(&w);
}

/* ---- watch_until ------------------------------------------------------------------------- */

/* Somebody draws a line before the third picture. */
static void open_busy(struct world *w)
{
    world_open(w, "tree=off", SKETCH);
    w->phone.touch_at = 3;
    w->phone.touch = (struct ia_point){100, 200};
    w->phone.touch_to = (struct ia_point){300, 400};
}

static void a_change_is_waited_for(void **state)
{
    (void)state;
    struct world w;
    open_busy(&w);
    call_ok(&w, "watch_until", "{'until':'changed','seconds':20}", NULL);
    assert_int_equal(w.phone.pictures, 3);
    assert_int_equal(call(&w, "watch_until", "{'until':'changed','seconds':1}"), IA_E_TIMEOUT);
    assert_non_null(strstr(w.err.msg, "until changed"));
    world_close(&w);
}

static void stillness_is_two_equal_pictures(void **state)
{
    (void)state;
    struct world w;
    open_busy(&w);
    w.phone.touch_at = 2;
    call_ok(&w, "watch_until", "{'until':'still'}", NULL);
    assert_int_equal(w.phone.pictures, 3);
    world_close(&w);
}

static void text_is_waited_for_and_read_only_of_new_pictures(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, "tree=off", SETTINGS);
    w.phone.touch_at = 5; /* pictures and sharp ones count alike */
    w.phone.touch = (struct ia_point){120, 549};
    call_ok(&w, "watch_until", "{'until':'text','text':'software update','seconds':60}", NULL);
    world_close(&w);
    world_open(&w, "tree=off", SETTINGS);
    assert_int_equal(call(&w, "watch_until", "{'until':'text','text':'Nowhere','seconds':3}"),
                     IA_E_TIMEOUT);
    world_close(&w);
}

static void a_question_is_asked_once_of_a_picture(void **state)
{
    (void)state;
    struct world w;
    open_busy(&w);
    w.answer = "{'answer':'not yet','holds':false}";
    assert_int_equal(
        call(&w, "watch_until", "{'until':'question','text':'Is there a line?','seconds':2}"),
        IA_E_TIMEOUT);
    assert_int_equal(w.asked, 2); /* of the empty page, and of the line */
    w.answer = "{'answer':'there is a line','holds':true}";
    call_ok(&w, "watch_until", "{'until':'question','text':'Is there a line?'}",
            "there is a line");
    assert_int_equal(w.asked, 3);
    world_close(&w);
}

static void waiting_ends_with_the_runs_own_time(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, "tree=off", SKETCH);
    w.env.limit.at_us = ia_mono_us(w.env.clock) + 500000;
    assert_int_equal(call(&w, "watch_until", "{'until':'changed','seconds':60}"), IA_E_TIMEOUT);
    assert_true(ia_mono_us(w.env.clock) < w.env.limit.at_us + 5000000);
    world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_read_with_its_place),
        cmocka_unit_test(what_was_read_is_kept_in_the_form_of_a_screen),
        cmocka_unit_test(a_region_is_read_alone),
        cmocka_unit_test(a_language_without_data_says_what_to_install),
        cmocka_unit_test(a_change_is_waited_for),
        cmocka_unit_test(stillness_is_two_equal_pictures),
        cmocka_unit_test(text_is_waited_for_and_read_only_of_new_pictures),
        cmocka_unit_test(a_question_is_asked_once_of_a_picture),
        cmocka_unit_test(waiting_ends_with_the_runs_own_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
