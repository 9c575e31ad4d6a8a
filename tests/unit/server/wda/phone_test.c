/* phone_test.c: what is the phone's own: its place and pasteboard, what its audit finds, errors it has. */
#include "made.h"

#include "base/base64.h"
#include "driver/image/image.h"

static void fill_small(const struct made *m, struct ia_tree *t, struct ia_node *window)
{
    (void)m;
    made_add(t, window, IA_EL_BUTTON, (struct ia_rect){10, 10, 12, 12}, "Small");
}

static enum ia_rc nowhere(struct ia_device *d, const struct ia_deadline *deadline,
                          const struct ia_location *place, struct ia_err *err)
{
    (void)d;
    (void)deadline;
    (void)place;
    return ia_err_set(err, IA_E_DEVICE, "nowhere to go");
}

static void a_place_is_told_while_it_is_set(void **state)
{
    (void)state;
#define PLACE "/wda/simulatedLocation"
    static const struct made_row unset = {"GET", PLACE, NULL, 200, "\"latitude\": null", ""};
    static const struct made_row set = {"GET", PLACE, NULL, 200, "\"latitude\": 1.5", ""};
    struct made m;
    made_open(&m, fill_small, 0);
    made_check(&m, &unset);
    made_check(&m, &(struct made_row){"POST", PLACE, "{\"latitude\":1.5,\"longitude\":2}", 200,
                                      "\"longitude\": 2", ""});
    made_check(&m, &set);
    enum ia_rc (*go)(struct ia_device *, const struct ia_deadline *, const struct ia_location *,
                     struct ia_err *) = m.s.device.ops.location;
    m.s.device.ops.location = nowhere;
    made_check(&m, &(struct made_row){"POST", PLACE, "{\"latitude\":3,\"longitude\":4}", 500,
                                      "nowhere", ""});
    made_check(&m, &(struct made_row){"DELETE", PLACE, NULL, 500, "nowhere", ""});
    made_check(&m, &set);
    m.s.device.ops.location = go;
    made_check(&m, &(struct made_row){"DELETE", PLACE, NULL, 200, "null", ""});
    made_check(&m, &unset);
    served_close(&m.s);
}

static enum ia_rc takes_any(struct ia_device *d, const struct ia_deadline *deadline,
                            struct ia_str text, struct ia_err *err)
{
    (void)d;
    (void)deadline;
    (void)text;
    (void)err;
    return IA_OK;
}

static enum ia_rc has_much(struct ia_device *d, const struct ia_deadline *deadline,
                           struct ia_buf *ret_text, struct ia_err *err)
{
    static char text[(256 << 10) + 2];
    (void)d;
    (void)deadline;
    (void)err;
    memset(text, 'x', sizeof(text) - 1);
    ia_buf_puts(ret_text, text);
    return IA_OK;
}

static void a_pasteboard_holds_so_much_text(void **state)
{
    (void)state;
    enum { GROUPS = (256 << 10) / 3, LESS = 100 };
    struct made m;
    char *body = malloc((GROUPS + LESS) * 4 + 64);
    made_open(&m, fill_small, 0);
    m.s.device.ops.set_pasteboard = takes_any;
    /* Groups of four letters, each of three bytes. */
    for (int more = 0; more < 2; more++) {
        int n = sprintf(body, "{\"content\":\"");
        size_t letters = (size_t)(more ? GROUPS + LESS : GROUPS - LESS) * 4;
        for (size_t i = 0; i < letters; i++) {
            body[(size_t)n + i] = 'Y';
        }
        (void)sprintf(body + n + letters, "\"}");
        served_says(&m.s, "POST", "/wda/setPasteboard", body, more ? 400 : 200,
                    more ? "256 KB" : "null");
    }
    free(body);
    m.s.device.ops.pasteboard = has_much;
    made_check(&m, &(struct made_row){"POST", "/wda/getPasteboard", "{}", 500, "LIMIT", ""});
    served_close(&m.s);
}

static void an_audit_finds_what_it_is_asked_for(void **state)
{
    (void)state;
#define AUDIT "/wda/performAccessibilityAudit"
#define TYPE(name) "{\"auditTypes\":[\"XCUIAccessibilityAuditType" name "\"]}"
    static const struct made_row rows[] = {
        {"POST", AUDIT, "{}", 200, "AuditTypeHitRegion", ""},
        {"POST", AUDIT, "{\"auditTypes\":[]}", 200, "AuditTypeHitRegion", ""},
        {"POST", AUDIT, TYPE("HitRegion"), 200, "AuditTypeHitRegion", ""},
        {"POST", AUDIT, TYPE("All"), 200, "AuditTypeHitRegion", ""},
        {"POST", AUDIT, TYPE("Contrast"), 200, "[]", ""},
    };
    made_run(fill_small, 0, rows, IA_COUNTOF(rows));
}

static void the_picture_of_an_element_is_its_frame_in_pixels(void **state)
{
    (void)state;
    struct made m;
    struct said r;
    struct ia_buf png = IA_BUF(1 << 20);
    struct ia_device_info info;
    char uid[64];
    char path[192];
    int width = 0;
    int height = 0;
    made_open(&m, fill_small, 0);
    assert_int_equal(ia_device_info(m.s.phone, &info, NULL), IA_OK);
    assert_true(info.scale > 1);
    made_find(&m, "Small", uid);
    (void)snprintf(path, sizeof(path), "/session/%s/element/%s/screenshot", m.s.session, uid);
    served_ask(&m.s, "GET", path, NULL, &r);
    assert_true(ia_base64_decode(ia_str(json_string_value(r.value)), &png));
    assert_int_equal(ia_png_size(ia_buf_str(&png), &width, &height, NULL), IA_OK);
    assert_int_equal(width, (int)(12 * info.scale));
    assert_int_equal(height, (int)(12 * info.scale));
    said_fini(&r);
    ia_buf_fini(&png);
    served_close(&m.s);
}

static enum ia_rc tap_rc;

static enum ia_rc failing_tap(struct ia_device *d, const struct ia_deadline *deadline,
                              struct ia_point at, struct ia_err *err)
{
    (void)d;
    (void)deadline;
    (void)at;
    return ia_err_set(err, tap_rc, "why");
}

static void each_failure_of_a_device_has_its_error(void **state)
{
    (void)state;
    static const struct {
        enum ia_rc rc;
        int status;
        const char *error;
    } rows[] = {
        {IA_E_NO_ALERT, 404, "no such alert"},     {IA_E_NO_KEYBOARD, 400, "element state"},
        {IA_E_NOT_FOUND, 400, "element state"},    {IA_E_APP_GONE, 400, "element state"},
        {IA_E_UNSUPPORTED, 500, "unsupported op"}, {IA_E_USAGE, 400, "invalid argument"},
        {IA_E_PARSE, 400, "invalid selector"},     {IA_E_TIMEOUT, 408, "timeout"},
        {IA_E_DEVICE_LOST, 500, "unknown error"},
    };
    struct made m;
    made_open(&m, fill_small, 0);
    m.s.device.ops.tap = failing_tap;
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        tap_rc = rows[i].rc;
        made_check(&m, &(struct made_row){"POST", "/wda/tap", "{\"x\":1,\"y\":1}",
                                          rows[i].status, rows[i].error, ""});
    }
    served_close(&m.s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_place_is_told_while_it_is_set),
        cmocka_unit_test(a_pasteboard_holds_so_much_text),
        cmocka_unit_test(an_audit_finds_what_it_is_asked_for),
        cmocka_unit_test(the_picture_of_an_element_is_its_frame_in_pixels),
        cmocka_unit_test(each_failure_of_a_device_has_its_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
