/* runner_supervisor.h: looks after the XCTest runner of a simulator for the bridge's client: when
 * the link breaks it says what is left, and starts the runner again. */
#ifndef IA_DRIVER_REGISTRY_RUNNER_SUPERVISOR_H
#define IA_DRIVER_REGISTRY_RUNNER_SUPERVISOR_H

#include "base/paths.h"
#include "driver/bridge/bridge.h"

/* Fills opt->place (port 0 while no runner lives), opt->udid and opt->supervisor, which is freed
 * with the device. Starts nothing: opening the device does, where no runner lives. udid is
 * borrowed until then. Errors of the configuration. */
enum ia_rc ia_runner_supervisor_take(const struct ia_paths *paths, const char *udid,
                                     struct ia_bridge_client_options *opt, struct ia_err *err);

#endif
