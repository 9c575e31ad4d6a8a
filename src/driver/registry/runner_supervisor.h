/* runner_supervisor.h: the XCTest runner of a simulator as who looks after a bridge: when its link breaks,
 * what is left is looked at, and the runner is started again. */
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
