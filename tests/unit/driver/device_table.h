/* device_table.h: that a device has every operation that device.h calls required. */
#ifndef IA_TESTS_UNIT_DRIVER_DEVICE_TABLE_H
#define IA_TESTS_UNIT_DRIVER_DEVICE_TABLE_H

#include "test.h"

#include "driver/device.h"

static inline void assert_device_table(const char *device, const struct ia_device_ops *ops)
{
#define CHECK_SLOT(name, what, params, args)                                                   \
    if (!ops->name) {                                                                          \
        fail_msg("%s: its table has no %s", device, #name);                                    \
    }
    IA_DEVICE_REQUIRED_OPS(CHECK_SLOT)
#undef CHECK_SLOT
    assert_non_null(ops->close);
}

#endif
