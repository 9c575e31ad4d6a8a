/* fixture.c: the table of operations with what each puts on the wire. */
#include "test.h"

#include "fixture.h"

#include <poll.h>

enum { FOR_EVER_MS = 100000 };

const struct ia_bridge_client_limits fixture_patient = {.connect_ms = FOR_EVER_MS,
                                                        .hello_ms = FOR_EVER_MS,
                                                        .heartbeat_ms = FOR_EVER_MS,
                                                        .idle_ms = FOR_EVER_MS,
                                                        .action_ms = FOR_EVER_MS,
                                                        .read_ms = FOR_EVER_MS,
                                                        .respawn_ms = FOR_EVER_MS,
                                                        .total_ms = FOR_EVER_MS};

struct ia_bridge_client_options fixture_options(const struct fake_bridge *a)
{
    struct ia_bridge_client_options opt = {
        .place = {.address = "127.0.0.1", .port = fake_port(a)}, .limits = fixture_patient};
    return opt;
}

void fixture_start(struct fixture *r, const struct fake_script *script)
{
    *r = (struct fixture){.fake = fake_start(script)};
    struct ia_bridge_client_options opt = fixture_options(r->fake);
    enum ia_rc rc = ia_bridge_client_open(&opt, NULL, &r->device, &r->err);
    if (rc != IA_OK) {
        fail_msg("%s: %s", ia_rc_name(rc), r->err.msg);
    }
    r->client = ia_bridge_client_of(r->device);
}

void fixture_stop(struct fixture *r)
{
    ia_device_close(r->device);
    fake_free(r->fake);
}

void fixture_wait_readable(const struct fixture *r)
{
    struct pollfd p = {.fd = r->client->link.fd, .events = POLLIN};
    bool had = ia_wire_reader_midway(&r->client->link.in); /* it came with the answer */
    assert_true(had || poll(&p, 1, FOR_EVER_MS) == 1);
}

static enum ia_rc dial_patient(void *ctx, const struct ia_bridge_client_place *place,
                               const struct ia_limit *limit, int *ret_fd, struct ia_err *err)
{
    struct ia_bridge_client *h = ctx;
    h->limits = fixture_patient;
    return ia_dialer_tcp.dial(NULL, place, limit, ret_fd, err);
}

void fixture_hurry(struct fixture *r, uint32_t ms)
{
    r->client->limits.action_ms = r->client->limits.read_ms = ms;
    r->client->dialer = (struct ia_dialer){dial_patient, r->client};
}

/* ---- the operations ---------------------------------------------------------------------- */

static enum ia_rc run_info(struct ia_device *d, const struct ia_deadline *deadline,
                           struct ia_err *err)
{
    struct ia_device_info info;
    ((struct ia_bridge_client_device *)d)->known = false;
    return deadline->cancel ? IA_E_CANCELLED : ia_device_info(d, &info, err);
}

static enum ia_rc run_tree(struct ia_device *d, const struct ia_deadline *deadline,
                           struct ia_err *err)
{
    struct ia_tree *t = NULL;
    enum ia_rc rc = ia_device_tree(d, deadline, &t, err);
    assert_int_equal(t != NULL, rc == IA_OK);
    ia_tree_free(t);
    return rc;
}

static enum ia_rc run_screenshot(struct ia_device *d, const struct ia_deadline *deadline,
                                 struct ia_err *err)
{
    struct ia_buf b = IA_BUF(1 << 20);
    enum ia_rc rc = ia_device_screenshot(d, deadline, &b, err);
    assert_int_equal(b.len > 0, rc == IA_OK);
    ia_buf_fini(&b);
    return rc;
}

static enum ia_rc run_screenshot_pt(struct ia_device *d, const struct ia_deadline *deadline,
                                    struct ia_err *err)
{
    struct ia_buf b = IA_BUF(1 << 20);
    enum ia_rc rc = ia_device_screenshot_pt(d, deadline, &b, err);
    assert_int_equal(b.len > 0, rc == IA_OK);
    ia_buf_fini(&b);
    return rc;
}

static enum ia_rc run_tap(struct ia_device *d, const struct ia_deadline *deadline,
                          struct ia_err *err)
{
    return ia_device_tap(d, deadline, (struct ia_point){12.5, 30}, err);
}

static enum ia_rc run_long_press(struct ia_device *d, const struct ia_deadline *deadline,
                                 struct ia_err *err)
{
    return ia_device_long_press(d, deadline, (struct ia_point){3, 4}, 150, err);
}

static enum ia_rc run_drag(struct ia_device *d, const struct ia_deadline *deadline,
                           struct ia_err *err)
{
    return ia_device_drag(d, deadline, (struct ia_point){1, 2}, (struct ia_point){3, 4}, 250,
                          err);
}

static enum ia_rc run_type(struct ia_device *d, const struct ia_deadline *deadline,
                           struct ia_err *err)
{
    return ia_device_type_text(d, deadline, ia_str("h\xc3\xa9"), err);
}

static enum ia_rc run_delete(struct ia_device *d, const struct ia_deadline *deadline,
                             struct ia_err *err)
{
    return ia_device_delete_text(d, deadline, 3, err);
}

static enum ia_rc run_press(struct ia_device *d, const struct ia_deadline *deadline,
                            struct ia_err *err)
{
    return ia_device_press(d, deadline, IA_BUTTON_VOLUME_UP, err);
}

static enum ia_rc run_launch(struct ia_device *d, const struct ia_deadline *deadline,
                             struct ia_err *err)
{
    return ia_device_launch(d, deadline, "com.example.app", err);
}

static enum ia_rc run_terminate(struct ia_device *d, const struct ia_deadline *deadline,
                                struct ia_err *err)
{
    return ia_device_terminate(d, deadline, "com.example.app", err);
}

static enum ia_rc run_open_url(struct ia_device *d, const struct ia_deadline *deadline,
                               struct ia_err *err)
{
    return ia_device_open_url(d, deadline, "https://example.com", err);
}

static enum ia_rc run_alert(struct ia_device *d, const struct ia_deadline *deadline,
                            struct ia_err *err)
{
    return ia_device_alert(d, deadline, IA_ALERT_BUTTON, "Allow", err);
}

static enum ia_rc run_orientation(struct ia_device *d, const struct ia_deadline *deadline,
                                  struct ia_err *err)
{
    return ia_device_orientation(d, deadline, IA_LANDSCAPE_RIGHT, err);
}

static enum ia_rc run_reset(struct ia_device *d, const struct ia_deadline *deadline,
                            struct ia_err *err)
{
    return ia_device_reset(d, deadline, err);
}

static enum ia_rc run_pinch(struct ia_device *d, const struct ia_deadline *deadline,
                            struct ia_err *err)
{
    return ia_device_pinch(d, deadline, (struct ia_rect){0, 0, 1000, 2000}, 0.5, err);
}

static enum ia_rc run_copy(struct ia_device *d, const struct ia_deadline *deadline,
                           struct ia_err *err)
{
    return ia_device_set_pasteboard(d, deadline, ia_str("copied"), err);
}

static enum ia_rc run_native(struct ia_device *d, const struct ia_deadline *deadline,
                             struct ia_err *err)
{
    struct ia_buf answer = IA_BUF(1000);
    enum ia_rc rc = ia_device_native(d, deadline, IA_NATIVE_CALENDAR_DELETE,
                                     ia_str("{\"id\":\"8\"}"), &answer, err);
    ia_buf_fini(&answer);
    return rc;
}

const struct fixture_op fixture_ops[] = {
    {"info", IA_WIRE_OP_INFO, 0, false, run_info},
    {"tree", IA_WIRE_OP_TREE, IA_WIRE_OP_DUMP_TREE, false, run_tree},
    {"screenshot", IA_WIRE_OP_SCREENSHOT, IA_WIRE_OP_CLASSIC_SCREENSHOT, false, run_screenshot},
    {"screenshot_pt", IA_WIRE_OP_SCREENSHOT, 0, false, run_screenshot_pt},
    {"tap", IA_WIRE_OP_TAP_POINT, IA_WIRE_OP_TAP_COORD, true, run_tap},
    {"long_press", IA_WIRE_OP_LONG_PRESS_POINT, IA_WIRE_OP_LONG_PRESS, true, run_long_press},
    {"drag", IA_WIRE_OP_DRAG, IA_WIRE_OP_SWIPE, true, run_drag},
    {"type_text", IA_WIRE_OP_TYPE_TEXT, IA_WIRE_OP_CLASSIC_TYPE_TEXT, true, run_type},
    {"delete_text", IA_WIRE_OP_DELETE_TEXT, IA_WIRE_OP_CLASSIC_TYPE_TEXT, true, run_delete},
    {"press", IA_WIRE_OP_PRESS_BUTTON, 0, true, run_press},
    {"launch", IA_WIRE_OP_LAUNCH, IA_WIRE_OP_SET_TARGET, true, run_launch},
    {"terminate", IA_WIRE_OP_TERMINATE, 0, true, run_terminate},
    {"open_url", IA_WIRE_OP_OPEN_URL, 0, true, run_open_url},
    {"alert", IA_WIRE_OP_ALERT_ACT, 0, true, run_alert},
    {"orientation", IA_WIRE_OP_ORIENTATION, 0, true, run_orientation},
    {"reset", IA_WIRE_OP_RESET, 0, true, run_reset},
    {"pinch", IA_WIRE_OP_PINCH, 0, true, run_pinch},
    {"set_pasteboard", IA_WIRE_OP_PASTEBOARD, 0, true, run_copy},
    {"native", IA_WIRE_OP_NATIVE, 0, true, run_native},
};
const size_t fixture_ops_n = IA_COUNTOF(fixture_ops);
