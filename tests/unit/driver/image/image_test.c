/* Screenshots become small, and hostile ones are refused before they are decoded. */
#include "test.h"

#include "driver/embedded/embedded.h"
#include "driver/image/annotate.h"
#include "driver/image/image.h"
#include "driver/session/session.h"

static struct ia_buf screenshot(void)
{
    struct ia_embedded_options opt = {.name = "default", .fresh = true};
    struct ia_device *d = NULL;
    struct ia_err err;
    assert_int_equal(ia_embedded_open(&opt, &d, &err), IA_OK);
    struct ia_deadline deadline = {NULL, IA_NO_DEADLINE};
    struct ia_buf png = IA_BUF(IA_PNG_BYTES_MAX);
    enum ia_rc rc = ia_device_screenshot(d, &deadline, &png, &err);
    ia_device_close(d);
    if (rc == IA_E_MISSING) {
        skip();
    }
    assert_int_equal(rc, IA_OK);
    return png;
}

static void a_screenshot_is_scaled_to_points(void **state)
{
    (void)state;
    struct ia_embedded_options opt = {.name = "default", .fresh = true};
    struct ia_device *d = NULL;
    struct ia_err err;
    assert_int_equal(ia_embedded_open(&opt, &d, &err), IA_OK);
    struct ia_session *s = ia_session_new(d, NULL);
    struct ia_deadline deadline = {NULL, IA_NO_DEADLINE};
    struct ia_buf png = IA_BUF(IA_PNG_BYTES_MAX);
    enum ia_rc rc = ia_session_screenshot(s, &deadline, &png, &err);
    if (rc == IA_E_MISSING) {
        skip();
    }
    assert_int_equal(rc, IA_OK);
    struct ia_device_info info;
    assert_int_equal(ia_device_info(d, &info, &err), IA_OK);
    int w = 0;
    int h = 0;
    assert_int_equal(ia_png_size(ia_buf_str(&png), &w, &h, &err), IA_OK);
    assert_int_equal(w, info.width_pt);
    assert_int_equal(h, info.height_pt);
    ia_buf_fini(&png);
    ia_session_free(s);
    ia_device_close(d);
}

static void damaged_and_oversized_pictures_are_refused(void **state)
{
    (void)state;
    struct ia_buf png = screenshot();
    struct ia_err err;
    int w = 0;
    int h = 0;
    assert_int_equal(ia_png_size(ia_str("not a png"), &w, &h, &err), IA_E_PARSE);
    struct ia_buf out = IA_BUF(IA_PNG_BYTES_MAX);
    struct ia_str cut = {png.p, png.len / 2};
    assert_int_equal(ia_png_scale(cut, 40, 80, &out, &err), IA_E_PARSE);
    memcpy(png.p + 16, "\x00\x01\x00\x00\x00\x01\x00\x00", 8); /* 65536 by 65536 */
    assert_int_equal(ia_png_scale(ia_buf_str(&png), 40, 80, &out, &err), IA_E_LIMIT);
    memset(png.p + 16, 0, 8);
    assert_int_equal(ia_png_scale(ia_buf_str(&png), 40, 80, &out, &err), IA_E_LIMIT);
    ia_buf_fini(&out);
    ia_buf_fini(&png);
}

static void a_picture_of_the_right_size_is_not_touched(void **state)
{
    (void)state;
    struct ia_buf png = screenshot();
    struct ia_err err;
    int w = 0;
    int h = 0;
    assert_int_equal(ia_png_size(ia_buf_str(&png), &w, &h, &err), IA_OK);
    struct ia_buf out = IA_BUF(IA_PNG_BYTES_MAX);
    assert_int_equal(ia_png_scale(ia_buf_str(&png), w, h, &out, &err), IA_OK);
    assert_int_equal(out.len, png.len);
    assert_memory_equal(out.p, png.p, png.len);
    ia_buf_fini(&out);
    ia_buf_fini(&png);
}

/* A screen of 100 by 200 points with one button, and what annotating gives for a picture. */
static enum ia_rc annotated(struct ia_str png, struct ia_buf *out, struct ia_err *err)
{
    struct ia_tree *t = ia_tree_new();
    struct ia_node *root =
        ia_tree_add(t, NULL, IA_EL_APPLICATION, (struct ia_rect){0, 0, 100, 200});
    struct ia_node *n = ia_tree_add(t, root, IA_EL_BUTTON, (struct ia_rect){10, 20, 50, 40});
    n->label = ia_tree_text(t, "Go", 2);
    struct ia_refs *refs = ia_refs_new();
    struct ia_snapshot *s = ia_snapshot_new(t, refs, 0, 0);
    enum ia_rc rc = ia_snapshot_annotate(s, png, out, err);
    ia_snapshot_free(s);
    ia_refs_free(refs);
    ia_tree_free(t);
    return rc;
}

static void assert_size(const struct ia_buf *png, int w, int h)
{
    int width = 0;
    int height = 0;
    struct ia_err err;
    assert_int_equal(ia_png_size(ia_buf_str(png), &width, &height, &err), IA_OK);
    assert_int_equal(width, w);
    assert_int_equal(height, h);
}

static void refs_are_drawn_on_a_picture_of_any_scale_beside_a_legend(void **state)
{
    (void)state;
    struct ia_err err;
    struct ia_buf blank = IA_BUF(IA_PNG_BYTES_MAX);
    enum ia_rc rc = annotated(ia_str(""), &blank, &err);
    if (rc == IA_E_MISSING) {
        skip();
    }
    assert_int_equal(rc, IA_OK);
    assert_size(&blank, 100 + 260, 200); /* the legend is 260 points wide */
    struct ia_buf at_three = IA_BUF(IA_PNG_BYTES_MAX);
    assert_int_equal(ia_png_scale(ia_buf_str(&blank), 300, 600, &at_three, &err), IA_OK);
    struct ia_buf marked = IA_BUF(IA_PNG_BYTES_MAX);
    assert_int_equal(annotated(ia_buf_str(&at_three), &marked, &err), IA_OK);
    assert_size(&marked, 1080, 600);
    struct ia_buf again = IA_BUF(IA_PNG_BYTES_MAX);
    assert_int_equal(annotated(ia_buf_str(&at_three), &again, &err), IA_OK);
    assert_true(ia_str_eq(ia_buf_str(&marked), ia_buf_str(&again)));
    ia_buf_fini(&again);
    ia_buf_fini(&marked);
    ia_buf_fini(&at_three);
    ia_buf_fini(&blank);
}

static void what_is_not_a_picture_is_not_drawn_on(void **state)
{
    (void)state;
    struct ia_err err;
    struct ia_buf out = IA_BUF(IA_PNG_BYTES_MAX);
    enum ia_rc rc = annotated(ia_str("GIF89a"), &out, &err);
    if (rc == IA_E_MISSING) {
        skip();
    }
    assert_int_equal(rc, IA_E_PARSE);
    struct ia_buf cut = screenshot();
    ia_buf_cut(&cut, cut.len / 2);
    assert_int_equal(annotated(ia_buf_str(&cut), &out, &err), IA_E_PARSE);
    assert_int_equal(out.len, 0);
    ia_buf_fini(&cut);
    ia_buf_fini(&out);
}

static void a_part_of_a_picture_is_cut_out_and_outside_there_is_none(void **state)
{
    (void)state;
    static const struct {
        struct ia_rect part;
        int width, height;
    } rows[] = {
        {{10, 20, 30, 40}, 30, 40},     {{10.5, 20.5, 30, 40}, 31, 41},
        {{-10, -10, 20, 20}, 10, 10},   {{0, 0, 5000, 5000}, 1179, 2556},
        {{1170, 2550, 100, 100}, 9, 6}, {{1179, 0, 10, 10}, 0, 0},
        {{0, 0, 0, 10}, 0, 0},          {{-20, 0, 10, 10}, 0, 0},
    };
    struct ia_buf png = screenshot();
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct ia_buf out = IA_BUF(IA_PNG_BYTES_MAX);
        int w = 0;
        int h = 0;
        enum ia_rc rc = ia_png_crop(ia_buf_str(&png), &rows[i].part, &out, NULL);
        assert_int_equal(rc, rows[i].width ? IA_OK : IA_E_USAGE);
        if (rc == IA_OK) {
            assert_int_equal(ia_png_size(ia_buf_str(&out), &w, &h, NULL), IA_OK);
        }
        assert_int_equal(w, rows[i].width);
        assert_int_equal(h, rows[i].height);
        ia_buf_fini(&out);
    }
    ia_buf_fini(&png);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refs_are_drawn_on_a_picture_of_any_scale_beside_a_legend),
        cmocka_unit_test(what_is_not_a_picture_is_not_drawn_on),
        cmocka_unit_test(a_part_of_a_picture_is_cut_out_and_outside_there_is_none),
        cmocka_unit_test(a_screenshot_is_scaled_to_points),
        cmocka_unit_test(damaged_and_oversized_pictures_are_refused),
        cmocka_unit_test(a_picture_of_the_right_size_is_not_touched),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
