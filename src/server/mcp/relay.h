/* relay.h: passes calls on to the daemon, which owns the devices and the runs: one POST of the message to
 * /mcp, on a connection that is kept for the next one.
 *
 * A cancelled call closes its connection, and the daemon cancels what it did for it. */
#ifndef IA_SERVER_MCP_RELAY_H
#define IA_SERVER_MCP_RELAY_H

#include "app/credentials.h"
#include "server/mcp/core/stdio.h"

struct ia_mcp_relay;

/* What the peer may do is the same there as here; keys of the environment go along with a run alone.
 * Borrows all. Starts no daemon before the first call. */
struct ia_mcp_relay *ia_mcp_relay_new(const struct ia_mcp *mcp, const struct ia_mcp_peer *peer,
                                      const struct ia_credentials *keys);
/* No call may be under way. NULL is fine. */
void ia_mcp_relay_free(struct ia_mcp_relay *relay);
/* An ia_mcp_forward_fn; ctx is the relay. */
ia_mcp_forward_fn ia_mcp_relay_forward;

#endif
