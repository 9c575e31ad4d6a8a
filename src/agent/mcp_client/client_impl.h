/* client_impl.h: what the files of the client share. */
#ifndef IA_AGENT_MCP_CLIENT_CLIENT_IMPL_H
#define IA_AGENT_MCP_CLIENT_CLIENT_IMPL_H

#include "agent/mcp_client/client.h"

/* How messages travel. */
struct ia_mcp_wire {
    enum ia_rc (*open)(struct ia_mcp_client *c, struct ia_err *err);
    /* Sends a message. While c->asked is not 0, gives what comes to ia_mcp_client_take, until that
     * has the answer. */
    enum ia_rc (*exchange)(struct ia_mcp_client *c, struct ia_str message,
                           const struct ia_limit *limit, struct ia_err *err);
    void (*close)(struct ia_mcp_client *c);
};
extern const struct ia_mcp_wire ia_mcp_wire_stdio, ia_mcp_wire_http;

enum ia_mcp_client_state { IA_MCP_CLOSED, IA_MCP_OPEN, IA_MCP_DOUBTFUL };

struct ia_mcp_client {
    char *name, *cwd, *url, *program_version;
    char **argv, **env, **headers; /* NULL-ended; NULL: none */
    const struct ia_mcp_wire *wire;
    void *link; /* the wire's */
    enum ia_mcp_client_state state;
    int64_t last_id;
    int64_t asked;   /* id of the request in hand; 0: none */
    bool sent;       /* bytes of it may have left */
    bool once;       /* it must not be sent twice */
    json_t *answer;  /* to it, once it came */
    int before, noise;
    char version[16]; /* that initialize agreed on; "": not yet */
    struct ia_buf said;
};

/* messages.c */
/* Takes one message, or a batch. *reply gets what is to be sent back, or stays empty. IA_E_PROTO ends
 * the connection. Any bytes may come in. */
enum ia_rc ia_mcp_client_take(struct ia_mcp_client *c, struct ia_str bytes,
                              struct ia_buf *reply, struct ia_err *err);
/* {"jsonrpc":"2.0","id":…,"method":…,"params":…}; id 0: a notification. params as JSON. */
void ia_mcp_client_write(struct ia_buf *out, int64_t id, const char *method,
                         struct ia_str params);
/* The result of c->answer, or its error as IA_E_FAILED. Borrowed. */
enum ia_rc ia_mcp_client_result(struct ia_mcp_client *c, const char *method, json_t **ret,
                                struct ia_err *err);

#endif
