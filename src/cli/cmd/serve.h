/* serve.h: what the two commands that serve a device share. */
#ifndef IA_CLI_CMD_SERVE_H
#define IA_CLI_CMD_SERVE_H

#include "cli/command/command.h"

/* Serves the device with WebDriverAgent's protocol until a signal arrives. device NULL: that of --device, else
 * the configured one. fresh: resets the device first. */
enum ia_rc ia_cli_serve_wda(struct ia_cli *c, const char *device, bool fresh,
                            struct ia_err *err);

#endif
