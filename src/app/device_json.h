/* device_json.h: the devices of this machine, as JSON: the same on every surface. */
#ifndef IA_APP_DEVICE_JSON_H
#define IA_APP_DEVICE_JSON_H

#include "base/jsonw.h"
#include "base/paths.h"
#include "driver/simctl/simctl.h"
#include "driver/usbmux/lockdown.h"

/* What a listing does beside the JSON; each function may be NULL. */
struct ia_device_listing {
    void (*iphone)(void *ctx, const struct ia_usbmux_phone *phone,
                   const struct ia_lockdown *says);
    void (*iphones_problem)(void *ctx, const struct ia_err *why); /* why none are listed */
    void (*simulator)(void *ctx, const struct ia_sim *sim);
    void (*phone)(void *ctx, const char *name);
    void *ctx;
    bool all;             /* also simulators that are unavailable or not iOS */
    size_t shown, hidden; /* simulators; set by ia_devices_json */
};

/* Writes the members "simulators", booted ones first, "problem" (null, or why there are none),
 * "iphones" (those that are plugged in), "iphones_problem" (null, or why there are none; a machine without
 * usbmuxd is no problem) and "embedded" into an object that is open. Returns what kept the simulators from being listed, with the rest written; IA_E_MISSING is a
 * machine without Xcode. */
enum ia_rc ia_devices_json(struct ia_jsonw *w, const struct ia_paths *paths,
                           const struct ia_deadline *deadline, struct ia_device_listing *l,
                           struct ia_err *err);

#endif
