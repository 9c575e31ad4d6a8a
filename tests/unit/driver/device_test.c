/* Tables of operations, and devices that forward to another. */
#include "device_table.h"

#include "driver/bridge/impl.h"
#include "driver/device_forward.h"
#include "driver/embedded/embedded.h"
#include "driver/wda/impl.h"

static void every_device_has_all_that_is_required(void **state)
{
    (void)state;
    struct ia_embedded_options opt = {.name = "default"};
    struct ia_device *phone = NULL;
    struct ia_device_forward forward;
    assert_int_equal(ia_embedded_open(&opt, &phone, NULL), IA_OK);
    ia_device_forward_init(&forward, phone);
    assert_device_table("embedded", phone->ops);
    assert_device_table("forward", forward.device.ops);
    assert_device_table("bridge", &ia_bridge_client_ops);
    assert_device_table("classic bridge", &ia_classic_ops);
    assert_device_table("wda", &ia_wda_client_ops);
    ia_device_close(phone);
}

/* Every operation once, on device d; the arguments have the names that device.h gives them. */
#define CALL_ALL(CALL)                                                                         \
    do {                                                                                       \
        const struct ia_deadline *deadline = NULL;                                             \
        struct ia_device_info *ret = NULL;                                                     \
        struct ia_tree **ret_tree = NULL;                                                      \
        struct ia_buf *ret_png = NULL;                                                         \
        struct ia_point at = {0, 0}, from = {1, 2}, to = {3, 4};                               \
        struct ia_str text = {NULL, 0};                                                        \
        struct ia_rect in = {0, 0, 1, 1};                                                      \
        double scale = 2;                                                                      \
        int duration_ms = 0, count = 0, per_second = 8;                                        \
        enum ia_button button = IA_BUTTON_HOME;                                                \
        enum ia_alert_action action = IA_ALERT_ACCEPT;                                         \
        enum ia_orientation o = IA_PORTRAIT;                                                   \
        bool *ret_changed = NULL;                                                              \
        const struct ia_status_bar *bar = NULL;                                                \
        enum ia_privacy set = IA_PRIVACY_GRANT;                                                \
        const struct ia_location *place = NULL;                                                \
        struct ia_recording *ret_film = NULL;                                                  \
        struct ia_buf *ret_text = NULL, *ret_answer = NULL;                                    \
        enum ia_application_state *ret_state = NULL;                                           \
        const bool *set_dark = NULL;                                                           \
        bool *ret_dark = NULL, *ret_locked = NULL;                                             \
        struct ia_str payload = {NULL, 0}, json = {NULL, 0};                                   \
        enum ia_native native = IA_NATIVE_DEVICE_SERVICES;                                     \
        const char *service = NULL, *path = NULL;                                              \
        const char *label = NULL, *bundle_id = NULL, *url = NULL;                              \
        struct ia_err *err = &the_err;                                                         \
        IA_DEVICE_OPS(CALL)                                                                    \
    } while (0)

static void what_a_device_lacks_is_unsupported_and_nothing_was_sent(void **state)
{
    (void)state;
    static const struct ia_device_ops none = {.close = NULL};
    struct ia_device device = {&none};
    struct ia_err the_err;
#define CALL(name, what, params, args)                                                         \
    the_err = (struct ia_err){.outcome = IA_OUTCOME_UNKNOWN};                                  \
    assert_int_equal(ia_device_##name(&device, IA_DEVICE_LIST args), IA_E_UNSUPPORTED);        \
    assert_string_equal(the_err.msg, "this device cannot " what);                              \
    assert_int_equal(the_err.outcome, IA_OUTCOME_NOT_SENT);
    CALL_ALL(CALL);
#undef CALL
}

/* A device that remembers which operation reached it. */
struct recorder {
    struct ia_device device;
    const char *called;
};

static void ignore(const void *first, ...)
{
    (void)first;
}

#define RECORD(name, what, params, args)                                                       \
    static enum ia_rc record_##name(struct ia_device *d, IA_DEVICE_LIST params)                \
    {                                                                                          \
        ignore(d, IA_DEVICE_LIST args);                                                        \
        ((struct recorder *)d)->called = #name;                                                \
        return ia_err_set(err, IA_E_MOVING, "recorded");                                       \
    }
IA_DEVICE_OPS(RECORD)

#define ROW(name, what, params, args) .name = record_##name,
static const struct ia_device_ops recorder_ops = {IA_DEVICE_OPS(ROW).close = NULL};

struct wrapper {
    struct ia_device_forward forward;
    int begun, ended;
};

static void before(struct ia_device_forward *f)
{
    ((struct wrapper *)f)->begun++;
}

static enum ia_rc after(struct ia_device_forward *f, enum ia_rc rc, struct ia_err *err)
{
    assert_int_equal(rc, IA_E_MOVING);
    ((struct wrapper *)f)->ended++;
    return ia_err_set(err, IA_E_BUSY, "after");
}

static void a_wrapper_forwards_every_operation_between_its_hooks(void **state)
{
    (void)state;
    struct recorder inner = {.device = {&recorder_ops}};
    struct wrapper w = {.begun = 0};
    struct ia_err the_err;
    int calls = 0;
    ia_device_forward_init(&w.forward, &inner.device);
    w.forward.before = before;
    w.forward.after = after;
#define CALL(name, what, params, args)                                                         \
    inner.called = NULL;                                                                       \
    assert_int_equal(ia_device_##name(&w.forward.device, IA_DEVICE_LIST args), IA_E_BUSY);     \
    assert_string_equal(inner.called, #name);                                                  \
    calls++;                                                                                   \
    assert_int_equal(w.begun, calls);                                                          \
    assert_int_equal(w.ended, calls);
    CALL_ALL(CALL);
#undef CALL
    ia_device_close(&w.forward.device); /* the recorder's NULL is not called */
}

static enum ia_rc refuse(void *ctx, struct ia_err *err)
{
    ++*(int *)ctx;
    return ia_err_set(err, IA_E_STATE, "not now");
}

static void what_the_gate_refuses_is_not_sent_and_readings_pass_it(void **state)
{
    (void)state;
    struct recorder inner = {.device = {&recorder_ops}};
    struct ia_device_forward f;
    struct ia_err the_err;
    int asked = 0, sent = 0, calls = 0;
    ia_device_forward_init(&f, &inner.device);
    f.gate = refuse;
    f.gate_ctx = &asked;
#define CALL(name, what, params, args)                                                         \
    inner.called = NULL;                                                                       \
    the_err = (struct ia_err){0};                                                              \
    if (ia_device_##name(&f.device, IA_DEVICE_LIST args) == IA_E_STATE) {                      \
        assert_null(inner.called);                                                             \
        assert_int_equal(the_err.outcome, IA_OUTCOME_NOT_SENT);                                \
    }                                                                                          \
    sent += inner.called != NULL;                                                              \
    calls++;
    CALL_ALL(CALL);
#undef CALL
    assert_int_equal(sent, 4); /* info, tree and the two screenshots */
    assert_int_equal(asked, calls - sent);
}

/* Two arguments of one type in a row. */
static enum ia_rc check_drag(struct ia_device *d, const struct ia_deadline *deadline,
                             struct ia_point from, struct ia_point to, int duration_ms,
                             struct ia_err *err)
{
    (void)d, (void)deadline, (void)err;
    assert_true(from.x == 1 && to.x == 3);
    assert_int_equal(duration_ms, 5);
    return IA_OK;
}

static void forwarded_arguments_keep_their_order(void **state)
{
    (void)state;
    struct ia_device_ops ops = {.drag = check_drag};
    struct ia_device inner = {&ops};
    struct ia_device_forward f;
    ia_device_forward_init(&f, &inner);
    assert_int_equal(ia_device_drag(&f.device, NULL, (struct ia_point){1, 2},
                                    (struct ia_point){3, 4}, 5, NULL),
                     IA_OK);
}

static void a_wrapper_lacks_the_optional_operations_that_the_inner_device_lacks(void **state)
{
    (void)state;
    struct ia_device_ops ops = recorder_ops;
    struct recorder inner = {.device = {&ops}};
    struct ia_device_forward f;
#define LACK(name, what, params, args)                                                         \
    ops = recorder_ops;                                                                        \
    ops.name = NULL;                                                                           \
    ia_device_forward_init(&f, &inner.device);                                                 \
    assert_null(f.device.ops->name);
    IA_DEVICE_OPTIONAL_OPS(LACK)
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_device_has_all_that_is_required),
        cmocka_unit_test(what_a_device_lacks_is_unsupported_and_nothing_was_sent),
        cmocka_unit_test(a_wrapper_forwards_every_operation_between_its_hooks),
        cmocka_unit_test(what_the_gate_refuses_is_not_sent_and_readings_pass_it),
        cmocka_unit_test(forwarded_arguments_keep_their_order),
        cmocka_unit_test(a_wrapper_lacks_the_optional_operations_that_the_inner_device_lacks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
