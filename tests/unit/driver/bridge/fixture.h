/* fixture.h: a device on a fake bridge, and every operation of device.h as a row. */
#ifndef IA_TESTS_UNIT_DRIVER_BRIDGE_FIXTURE_H
#define IA_TESTS_UNIT_DRIVER_BRIDGE_FIXTURE_H

#include "driver/bridge/impl.h"
#include "fake_bridge.h"

struct fixture {
    struct fake_bridge *fake;
    struct ia_device *device;
    struct ia_bridge_client *client;
    struct ia_err err;
};

/* Limits that no machine is too slow for. */
extern const struct ia_bridge_client_limits fixture_patient;

struct ia_bridge_client_options fixture_options(const struct fake_bridge *a);
/* Starts a bridge and opens a device on it; both must work. */
void fixture_start(struct fixture *r, const struct fake_script *script);
void fixture_stop(struct fixture *r);
/* Waits until something, or the end, has come of the stream. */
void fixture_wait_readable(const struct fixture *r);
/* From now on an answer may take that long, until the next stream;
 * then it may take for ever. */
void fixture_hurry(struct fixture *r, uint32_t ms);

/* Every operation of device.h. classic: the classic request that does it, 0 for none. */
struct fixture_op {
    const char *name;
    uint8_t op, classic;
    bool effect;
    enum ia_rc (*run)(struct ia_device *d, const struct ia_deadline *deadline,
                      struct ia_err *err);
};
extern const struct fixture_op fixture_ops[];
extern const size_t fixture_ops_n;

#endif
