/* rig.h: a device on a scripted agent, and every operation of the vtable as a row. */
#ifndef IA_TESTS_UNIT_HOST_RIG_H
#define IA_TESTS_UNIT_HOST_RIG_H

#include "agent.h"
#include "driver/bridge/impl.h"

struct rig {
    struct agent *agent;
    struct ia_device *device;
    struct ia_bridge_client *host;
    struct ia_err err;
};

/* Limits that no machine is too slow for. */
extern const struct ia_bridge_client_limits rig_patient;

struct ia_bridge_client_options rig_options(const struct agent *a);
/* Starts an agent and opens a device on it; both must work. */
void rig_start(struct rig *r, const struct agent_script *script);
void rig_stop(struct rig *r);
/* Waits until something, or the end, has come of the stream. */
void rig_wait_readable(const struct rig *r);
/* From now on an answer may take that long, until the next stream;
 * then it may take for ever. */
void rig_hurry(struct rig *r, uint32_t ms);

/* Every operation of the vtable. classic: the classic request that does it, 0 for none. */
struct rig_op {
    const char *name;
    uint8_t op, classic;
    bool effect;
    enum ia_rc (*run)(struct ia_device *d, const struct ia_deadline *deadline,
                      struct ia_err *err);
};
extern const struct rig_op rig_ops[];
extern const size_t rig_ops_n;

#endif
