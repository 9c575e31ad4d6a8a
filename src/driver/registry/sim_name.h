/* sim_name.h: devices as people name them as names of devices: simulators ("iPhone 17", "booted"), and iPhones
 * ("iphone:Ada's iPhone"). */
#ifndef IA_DRIVER_REGISTRY_SIM_NAME_H
#define IA_DRIVER_REGISTRY_SIM_NAME_H

#include "base/buf.h"
#include "base/err.h"
#include "driver/device.h"

/* Appends the name itself where a kind of device has it, "iphone:UDID" of the iPhone that is plugged in and calls
 * itself so, else "bridge:UDID" of the simulator with that name. Asks the iPhones, or simctl, only then, until
 * the deadline; NULL: for a minute. IA_E_NO_DEVICE, IA_E_AMBIGUOUS. */
enum ia_rc ia_sim_device_name(const char *name, const struct ia_deadline *deadline,
                              struct ia_buf *ret, struct ia_err *err);

/* The device of a command that names none, where none was configured: the simulator that is booted, else
 * the simulated phone, as on every machine without Xcode. Asks simctl at most every few seconds. Any
 * thread. IA_E_AMBIGUOUS names the booted ones. */
enum ia_rc ia_sim_device_default(const struct ia_deadline *deadline, struct ia_buf *ret,
                                 struct ia_err *err);

#endif
