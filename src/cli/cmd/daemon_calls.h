/* daemon_calls.h: what the commands about the daemon ask it. */
#ifndef IA_CLI_CMD_DAEMON_CALLS_H
#define IA_CLI_CMD_DAEMON_CALLS_H

#include "client/client.h"

#include <jansson.h>

/* One request; *ret is the envelope's result (a reference of the caller's). IA_E_NOT_FOUND when no
 * daemon runs and none is to be started; what the envelope says otherwise. */
enum ia_rc ia_daemon_call(struct ia_client *c, const struct ia_client_request *request,
                          json_t **ret, struct ia_err *err);
/* Asks the daemon of the home to end, when nothing is in hand (drain) or soon, and waits until it has.
 * IA_E_NOT_FOUND when there is none; IA_E_TIMEOUT when it still works. */
enum ia_rc ia_daemon_call_stop(const char *home, bool drain, struct ia_err *err);

#endif
