/* client_impl.h: what the files of the client share. */
#ifndef IA_AGENT_MCP_CLIENT_CLIENT_IMPL_H
#define IA_AGENT_MCP_CLIENT_CLIENT_IMPL_H

#include "agent/mcp_client/client.h"

/* How messages travel. */
struct ia_mcp_wire {
    /* Whether notifications between two requests arrive. Otherwise the list is read before each call. */
    bool hears;
    enum ia_rc (*open)(struct ia_mcp_client *c, struct ia_err *err);
    /* Takes what has already come, without waiting. */
    enum ia_rc (*settle)(struct ia_mcp_client *c, struct ia_err *err);
    /* Sends a message. While c->asked is not 0, what comes goes to ia_mcp_client_take, until that has
     * the answer. Sets c->sent and c->written. */
    enum ia_rc (*exchange)(struct ia_mcp_client *c, struct ia_str message,
                           const struct ia_limit *limit, struct ia_err *err);
    /* Sends the answer to a request of the server. Called by ia_mcp_client_take. */
    void (*answer)(struct ia_mcp_client *c, struct ia_str message);
    void (*close)(struct ia_mcp_client *c);
};
extern const struct ia_mcp_wire ia_mcp_wire_stdio, ia_mcp_wire_http;

enum ia_mcp_client_state { IA_MCP_CLOSED, IA_MCP_OPEN, IA_MCP_DOUBTFUL };

/* The request in hand. */
struct ia_mcp_pending {
    int64_t asked;                 /* its id; 0: none */
    int64_t token;                 /* of its progress */
    bool sent;                     /* bytes of it may have left */
    bool written;                  /* all of it left */
    bool once;                     /* what was sent of it must not be sent again */
    json_t *answer;                /* to it, once it came */
    int messages, noise, requests; /* that came before the answer */
    size_t bytes;                  /* of these */
    double progress, total;        /* as it was last told; -1: not at all */
};

struct ia_mcp_client {
    char *name, *cwd, *url, *ca_bundle, *proxy, *program_version;
    char **argv, **env, **headers, **secrets; /* NULL-ended; NULL: none */
    const struct ia_mcp_wire *wire;
    void *link; /* the wire's */
    enum ia_mcp_client_state state;
    int64_t last_id, last_token;
    int64_t answered_us; /* when it last answered */
    struct ia_mcp_pending now;
    char version[16]; /* that initialize agreed on; "": not yet */
    struct ia_buf said;
    json_t *accepted, *listed; /* {tool: digest}; listed: as the list was read last */
    bool stale;                /* the list may have changed since */
};

/* messages.c */
/* Takes one message, or a batch. IA_E_PROTO ends the connection. Any bytes may come in. */
enum ia_rc ia_mcp_client_take(struct ia_mcp_client *c, struct ia_str bytes, struct ia_err *err);
/* {"jsonrpc":"2.0","id":…,"method":…,"params":…}; id 0: a notification. params as JSON. */
void ia_mcp_client_write(struct ia_buf *out, int64_t id, const char *method,
                         struct ia_str params);
/* The result of the answer, or its error as IA_E_FAILED. Borrowed. */
enum ia_rc ia_mcp_client_result(struct ia_mcp_client *c, const char *method, json_t **ret,
                                struct ia_err *err);
/* "; it had done 3 of 10", or nothing. */
void ia_mcp_client_put_progress(const struct ia_mcp_client *c, struct ia_buf *out);

/* hide.c */
/* The values that are not to be shown. Free with ia_mcp_free_list. */
char **ia_mcp_secrets(const struct ia_mcp_server *server);
char **ia_mcp_copy_list(const char *const *list); /* NULL stays NULL */
void ia_mcp_free_list(char **list);               /* wiped; NULL is fine */
/* Replaces the client's secrets by "[hidden]" in every string of a message. */
void ia_mcp_hide_json(const struct ia_mcp_client *c, json_t *value);
/* The same for a text that goes to an empty buffer, and in place for an error. */
void ia_mcp_hide(const struct ia_mcp_client *c, struct ia_str text, struct ia_buf *out);
void ia_mcp_hide_err(const struct ia_mcp_client *c, struct ia_err *err);

/* client.c */
/* Opens the connection where there is none, and pings one that is in doubt. */
enum ia_rc ia_mcp_client_open(struct ia_mcp_client *c, const struct ia_limit *limit,
                              struct ia_err *err);
/* One request over an open connection, and its answer, whose result is borrowed until the next. */
enum ia_rc ia_mcp_client_ask(struct ia_mcp_client *c, const char *method, struct ia_str params,
                             bool once, const struct ia_limit *limit, json_t **ret,
                             struct ia_err *err);

#endif
