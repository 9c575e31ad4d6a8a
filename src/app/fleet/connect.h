/* connect.h: the fleet's server as the configuration names it. */
#ifndef IA_APP_FLEET_CONNECT_H
#define IA_APP_FLEET_CONNECT_H

#include "base/config.h"
#include "fleet/layout.h"

/* Connects. url: from the command line, or NULL for that of the configuration; a password belongs into the
 * configuration or the environment, as others see a command line: IA_E_USAGE. name: of a worker, whose inbox is its
 * own; NULL: of nobody special. Errors as for ia_bus_open. */
enum ia_rc ia_fleet_connect(const struct ia_config *config, const char *url, const char *name,
                            struct ia_bus **ret, struct ia_err *err);

#endif
