/* The text on the pictures of every app of the simulated iPhone, in light and dark, against what their trees
 * say. */
#include "test.h"

#include "base/textfold.h"
#include "driver/embedded/embedded.h"
#include "driver/image/image.h"
#include "driver/image/ocr.h"
#include "driver/session/session.h"
#include "driver/snapshot/rect.h"

static const struct ia_deadline no_limit = {NULL, IA_NO_DEADLINE};

static bool has(const struct ia_ocr *o, const char *text, struct ia_rect near)
{
    struct ia_buf want = IA_BUF(4096), line = IA_BUF(4096);
    bool found = false;
    ia_text_fold(&want, ia_str(text));
    for (size_t i = 0; i < o->count && !found; i++) {
        ia_buf_reset(&line);
        ia_text_fold(&line, ia_str(o->lines[i].text));
        found = strstr(ia_buf_cstr(&line), ia_buf_cstr(&want)) &&
                ia_rect_has(near, ia_rect_center(o->lines[i].box));
    }
    ia_buf_fini(&want);
    ia_buf_fini(&line);
    return found;
}

static void take(struct ia_session *s, struct ia_ocr *o)
{
    struct ia_buf png = IA_BUF(IA_PNG_BYTES_MAX);
    struct ia_err err = {0};
    assert_int_equal(ia_session_picture(s, &no_limit, &png, &err), IA_OK);
    const struct ia_ocr_request r = {.png = ia_buf_str(&png), .width_pt = 393};
    enum ia_rc rc = ia_ocr_read(&r, o, &err);
    ia_buf_fini(&png);
    if (rc == IA_E_MISSING) {
        skip();
    }
    assert_int_equal(rc, IA_OK);
}

/* The first text of a row, which may have several; NULL where there is none that is all on the screen. */
static char *text_of(const struct ia_element *e)
{
    bool text = e->role == IA_ROLE_TEXT || e->role == IA_ROLE_ROW || e->role == IA_ROLE_HEADING;
    bool there = e->listed && e->reach == IA_REACH_OK && e->frame.y > 54 &&
                 e->frame.y + e->frame.h < 830;
    char *label = text && there && e->label && *e->label ? strdup(e->label) : NULL;
    char *comma = label ? strchr(label, ',') : NULL;
    if (comma) {
        *comma = '\0';
    }
    return label;
}

static void count_read(struct ia_session *s, const char *app, int *ret_all, int *ret_read)
{
    struct ia_act_result r;
    struct ia_err err;
    const struct ia_snapshot *now = NULL;
    const struct ia_element *e;
    struct ia_ocr o;
    assert_int_equal(ia_session_launch(s, &no_limit, app, &r, &err), IA_OK);
    ia_act_result_fini(&r);
    assert_int_equal(ia_session_snapshot(s, &no_limit, &now, &err), IA_OK);
    take(s, &o);
    for (size_t i = 0; (e = ia_snapshot_at(now, i)) != NULL; i++) {
        char *text = text_of(e);
        bool read = text && has(&o, text, e->frame);
        *ret_all += text != NULL;
        *ret_read += read;
        if (text && !read) {
            print_message("%s: not read: %s\n", app, text);
        }
        free(text);
    }
    ia_ocr_fini(&o);
}

/* In both, as white on black is another task for Tesseract. */
static void the_text_of_every_app_is_read_in_light_and_dark(void **state)
{
    (void)state;
    struct ia_embedded_options opt = {.name = "default", .fresh = true};
    struct ia_device *d = NULL;
    struct ia_err err;
    struct ia_embedded_app app;
    assert_int_equal(ia_embedded_open(&opt, &d, &err), IA_OK);
    struct ia_session *s = ia_session_new(d, NULL);
    for (int dark = 0; dark < 2; dark++) {
        int all = 0, read = 0;
        assert_int_equal(ia_embedded_device_set_dark(d, &no_limit, dark, &err), IA_OK);
        /* Each app once. */
        for (int i = dark; ia_embedded_device_app(d, i, &app); i += 2) {
            count_read(s, app.bundle_id, &all, &read);
        }
        print_message("%s: %d of %d texts read\n", dark ? "dark" : "light", read, all);
        assert_true(all >= 35 && read * 100 >= all * 90);
    }
    ia_session_free(s);
    ia_device_close(d);
}

static void what_is_no_language_or_no_picture_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *png, *language;
        enum ia_rc code;
    } bad[] = {
        {"", "a", IA_E_USAGE}, {"", "../eng", IA_E_USAGE},        {"", "eng;rm", IA_E_USAGE},
        {"", "", IA_E_USAGE},  {"no picture", "eng", IA_E_PARSE}, {"", NULL, IA_E_PARSE}};
    for (size_t i = 0; i < IA_COUNTOF(bad); i++) {
        struct ia_ocr o;
        struct ia_err err = {0};
        const struct ia_ocr_request r = {
            .png = ia_str(bad[i].png), .width_pt = 393, .language = bad[i].language};
        enum ia_rc rc = ia_ocr_read(&r, &o, &err);
        if (rc == IA_E_MISSING) {
            skip();
        }
        assert_int_equal(rc, bad[i].code);
        assert_true(o.count == 0 && !o.lines);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_text_of_every_app_is_read_in_light_and_dark),
        cmocka_unit_test(what_is_no_language_or_no_picture_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
