/* connect.h: connects to the fleet's server that the configuration names. */
#ifndef IA_APP_FLEET_CONNECT_H
#define IA_APP_FLEET_CONNECT_H

#include "base/config.h"
#include "fleet/layout.h"

/* Connects. url: from the command line, or NULL for the configuration's. IA_E_USAGE for a password in url: other users
 * can read a command line, so a password belongs in the configuration or the environment. name: of a worker, which gets an
 * inbox of its own; NULL for other members. Errors as for ia_bus_open. */
enum ia_rc ia_fleet_connect(const struct ia_config *config, const char *url, const char *name,
                            struct ia_bus **ret, struct ia_err *err);

#endif
