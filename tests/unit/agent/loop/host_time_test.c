/* The device and the clock that measure how much of a run is ours. */
#include "test.h"

#include "agent/loop/host_time.h"
#include "driver/device_table.h"

enum { SLOW_US = 20000 };

static enum ia_rc slow_press(struct ia_device *d, const struct ia_deadline *deadline,
                             enum ia_button button, struct ia_err *err)
{
    int ready = 0;
    (void)d, (void)deadline, (void)button, (void)err;
    (void)ia_cancel_poll(NULL, NULL, 0, ia_host_time_now() + SLOW_US, &ready);
    return IA_OK;
}

static void the_device_has_every_operation_and_its_time_is_away(void **state)
{
    (void)state;
    static const struct ia_device_ops ops = {.press = slow_press};
    struct ia_device inner = {&ops};
    struct ia_host_time t;
    ia_host_time_init(&t, &inner, ia_clock_system());
    struct ia_device *d = &t.forward.device;
    assert_device_table("host_time", d->ops);
    assert_int_equal(ia_device_press(d, NULL, IA_BUTTON_HOME, NULL), IA_OK);
    assert_true(t.away_us >= SLOW_US);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_device_has_every_operation_and_its_time_is_away),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
