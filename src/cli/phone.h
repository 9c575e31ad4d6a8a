/* phone.h: from the name of a device on the command line to the device. */
#ifndef IA_CLI_PHONE_H
#define IA_CLI_PHONE_H

#include "base/paths.h"
#include "driver/device.h"
#include "driver/embedded.h"

/* Where the simulated phone of that name lives. Free with ia_phone_fini. */
struct ia_phone {
    char *folder; /* <home>/embedded */
    char name[IA_DEVICE_NAME_MAX];
    char *query; /* what stands behind "?": planted bugs, faults, seed */
};

/* name is "embedded" (the phone "default") or "embedded:NAME", then perhaps "?bugs=…&faults=…"
 * (driver/embedded/knobs.h). IA_E_NO_DEVICE for every other kind of device, with what there is;
 * IA_E_USAGE for a bad query. Touches no file. */
enum ia_rc ia_phone_find(const char *name, const struct ia_paths *paths, struct ia_phone *ret,
                         struct ia_err *err);
void ia_phone_fini(struct ia_phone *p);

/* Opens it; fresh forgets everything that was done to it. */
enum ia_rc ia_phone_open(const struct ia_phone *p, bool fresh, struct ia_device **ret,
                         struct ia_err *err);

#endif
