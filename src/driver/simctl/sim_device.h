/* sim_device.h: a simulator's own operations for a device that drives its screen: what needs
 * simctl and no touch. */
#ifndef IA_DRIVER_SIMCTL_SIM_DEVICE_H
#define IA_DRIVER_SIMCTL_SIM_DEVICE_H

#include "driver/device.h"

/* A device that adds the operations of driver/system.h to those of `inner`, which drives the
 * simulator with that UDID; its own pasteboard gives way to simctl's. Owns inner: closing the new
 * device closes it. Runs nothing yet. */
struct ia_device *ia_sim_device_new(struct ia_device *inner, const char *udid);

#endif
