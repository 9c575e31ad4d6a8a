/* The app Sketch of the phone: what is drawn is in the pixels and not in the tree. */
#include "phone_fixture.h"

#define SKETCH "com.example.sketch"

static struct ia_device *at_board(void)
{
    struct ia_device *d = phone_new();
    launch(d, SKETCH);
    return d;
}

static struct ia_buf picture(struct ia_device *d)
{
    struct ia_buf png = IA_BUF((size_t)16 << 20);
    assert_int_equal(d->ops->screenshot_pt(d, &no_limit, &png, NULL), IA_OK);
    return png;
}

static void the_tree_has_one_element_for_all_of_it(void **state)
{
    (void)state;
    struct ia_device *d = at_board();
    drag(d, 100, 200, 300, 500);
    struct ia_tree *t = tree_of(d);
    const struct ia_node *board = find(t, IA_EL_OTHER, "Drawing board");
    assert_non_null(board);
    assert_null(board->first_child);
    assert_null(find(t, IA_EL_BUTTON, "Clear"));
    ia_tree_free(t);
    ia_device_close(d);
}

static void only_the_pixels_show_what_was_drawn(void **state)
{
    (void)state;
    struct ia_device *d = at_board();
    char *tree = tree_text(d);
    struct ia_buf before = picture(d);
    drag(d, 100, 200, 300, 500);
    char *tree_after = tree_text(d);
    struct ia_buf after = picture(d);
    assert_string_equal(tree, tree_after);
    assert_false(ia_str_eq(ia_buf_str(&before), ia_buf_str(&after)));
    assert_true(state_has(d, "\"sketch\":[{\"ink\":\"black\",\"x\":100,\"y\":200,\"to_x\":300,"
                             "\"to_y\":500}]"));
    ia_buf_fini(&before);
    ia_buf_fini(&after);
    free(tree);
    free(tree_after);
    ia_device_close(d);
}

static void the_bar_chooses_the_ink_and_clears(void **state)
{
    (void)state;
    struct ia_device *d = at_board();
    struct ia_buf empty = picture(d);
    tap_at(d, 104, 780);
    tap_at(d, 50, 300);
    assert_true(state_has(d, "\"sketch\":[{\"ink\":\"red\",\"x\":50,\"y\":300,\"to_x\":50,"
                             "\"to_y\":300}]"));
    drag(d, 50, 300, 60, 800);
    assert_true(state_has(d, "\"to_y\":751"));
    tap_at(d, 330, 780);
    assert_true(state_has(d, "\"sketch\":[]"));
    tap_at(d, 44, 780);
    struct ia_buf cleared = picture(d);
    assert_true(ia_str_eq(ia_buf_str(&empty), ia_buf_str(&cleared)));
    ia_buf_fini(&empty);
    ia_buf_fini(&cleared);
    ia_device_close(d);
}

static void a_drawing_is_found_as_it_was_left(void **state)
{
    (void)state;
    char *folder = folder_new();
    struct ia_device *d = phone_open(folder, "a");
    launch(d, SKETCH);
    drag(d, 100, 500, 300, 200);
    drag(d, 300, 500, 100, 200);
    struct ia_buf before = picture(d);
    ia_device_close(d);
    d = phone_open(folder, "a");
    struct ia_buf after = picture(d);
    assert_true(ia_str_eq(ia_buf_str(&before), ia_buf_str(&after)));
    ia_buf_fini(&before);
    ia_buf_fini(&after);
    ia_device_close(d);
    folder_remove(folder);
}

static void pinch(struct ia_device *d, double x, double y, double scale)
{
    struct ia_rect in = {x - 10, y - 10, 20, 20};
    assert_int_equal(ia_device_pinch(d, &no_limit, in, scale, NULL), IA_OK);
}

static void a_pinch_zooms_the_paper_and_what_is_drawn_lands_where_it_is_seen(void **state)
{
    (void)state;
    struct ia_device *d = at_board();
    drag(d, 100, 200, 300, 500);
    struct ia_buf before = picture(d);
    pinch(d, 200, 400, 2);
    assert_value(d, "Drawing board", "200%");
    assert_true(state_has(d, "\"sketch_zoom_percent\":200"));
    struct ia_buf zoomed = picture(d);
    assert_false(ia_str_eq(ia_buf_str(&before), ia_buf_str(&zoomed)));
    tap_at(d, 296.5, 505.5); /* 100 points right and below the middle are 50 on the paper */
    assert_true(state_has(d, "{\"ink\":\"black\",\"x\":246,\"y\":456"));
    pinch(d, 200, 400, 10);
    assert_value(d, "Drawing board", "400%");
    pinch(d, 200, 400, 0.1);
    assert_value(d, "Drawing board", NULL);
    ia_buf_fini(&before);
    ia_buf_fini(&zoomed);
    ia_device_close(d);
}

static void a_pinch_elsewhere_changes_nothing(void **state)
{
    (void)state;
    struct ia_device *d = at_board();
    pinch(d, 44, 780, 2); /* the bar */
    assert_true(state_has(d, "\"sketch_zoom_percent\":100"));
    assert_true(state_has(d, "\"sketch\":[]"));
    launch(d, SETTINGS);
    char *tree = tree_text(d);
    pinch(d, 200, 400, 2);
    char *after = tree_text(d);
    assert_string_equal(tree, after);
    struct ia_err err = {0};
    struct ia_rect outside = {400, 400, 100, 100}, inside = {100, 100, 100, 100};
    assert_int_equal(ia_device_pinch(d, &no_limit, outside, 2, &err), IA_E_USAGE);
    assert_int_equal(ia_device_pinch(d, &no_limit, inside, 11, &err), IA_E_USAGE);
    assert_int_equal(err.outcome, IA_OUTCOME_NOT_SENT);
    free(tree);
    free(after);
    ia_device_close(d);
}

static void a_zoomed_drawing_is_found_as_it_was_left(void **state)
{
    (void)state;
    char *folder = folder_new();
    struct ia_device *d = phone_open(folder, "a");
    launch(d, SKETCH);
    pinch(d, 200, 400, 1.5);
    drag(d, 100, 200, 300, 500);
    char *live = state_of(d);
    ia_device_close(d);
    d = phone_open(folder, "a");
    char *again = state_of(d);
    assert_string_equal(live, again);
    free(live);
    free(again);
    ia_device_close(d);
    folder_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_tree_has_one_element_for_all_of_it),
        cmocka_unit_test(only_the_pixels_show_what_was_drawn),
        cmocka_unit_test(the_bar_chooses_the_ink_and_clears),
        cmocka_unit_test(a_drawing_is_found_as_it_was_left),
        cmocka_unit_test(a_pinch_zooms_the_paper_and_what_is_drawn_lands_where_it_is_seen),
        cmocka_unit_test(a_pinch_elsewhere_changes_nothing),
        cmocka_unit_test(a_zoomed_drawing_is_found_as_it_was_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
