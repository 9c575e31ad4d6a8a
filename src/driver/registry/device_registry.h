/* device_registry.h: from the name of a device on the command line to the device. */
#ifndef IA_DRIVER_REGISTRY_DEVICE_REGISTRY_H
#define IA_DRIVER_REGISTRY_DEVICE_REGISTRY_H

#include "base/paths.h"
#include "driver/bridge/bridge.h"
#include "driver/embedded.h"

/* A simulated phone of this program, or whatever a bridge listens for.
 * Free with ia_device_spec_fini. */
struct ia_device_spec {
    char name[IA_DEVICE_NAME_MAX]; /* "default"; of a bridge "127.0.0.1:8100" */
    bool bridge;
    /* of a simulated phone */
    char *folder; /* <home>/embedded */
    char *query;  /* what stands behind "?": planted bugs, faults, seed */
    /* of a bridge; with a UDID for its name, of the runner of that simulator */
    bool runner;
    const struct ia_paths *paths;        /* borrowed */
    struct ia_bridge_client_place place; /* without the token */
    char *token_file;                    /* NULL: IOS_AGENT_DEVICE_TOKEN, if that is set */
};

/* name is "embedded" (the phone "default") or "embedded:NAME", then perhaps "?bugs=…&faults=…"
 * (driver/embedded/knobs.h); or "bridge:HOST:PORT", then perhaps "?token-file=FILE",
 * or "bridge:UDID", whose runner is found, or started when it is opened. paths outlives *ret.
 * IA_E_NO_DEVICE for every other kind of device, with what there is; IA_E_USAGE for a bad query
 * or address. Touches no file and no network. */
enum ia_rc ia_device_spec_find(const char *name, const struct ia_paths *paths,
                               struct ia_device_spec *ret, struct ia_err *err);
void ia_device_spec_fini(struct ia_device_spec *p);

/* "embedded:NAME" or "bridge:HOST:PORT": the lane, which is the name without its query. */
void ia_device_spec_lane(const struct ia_device_spec *p, struct ia_buf *out);

/* Opens it; fresh forgets everything that was done to it: for a bridge, resets its device. The
 * runner of a simulator may have to be built and started first, which takes minutes: `call`
 * ends that; NULL: only limits of its own do. */
enum ia_rc ia_device_spec_open(const struct ia_device_spec *p,
                               const struct ia_deadline *deadline, bool fresh,
                               struct ia_device **ret, struct ia_err *err);

#endif
