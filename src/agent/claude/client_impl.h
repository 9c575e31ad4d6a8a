/* client_impl.h: the insides of the client. Internal. */
#ifndef IA_AGENT_CLAUDE_CLIENT_IMPL_H
#define IA_AGENT_CLAUDE_CLIENT_IMPL_H

#include "agent/claude/client.h"
#include "net/http.h"

#include <pthread.h>

struct ia_claude {
    char *url;
    char *version;
    char *user_agent;
    char *ca_bundle; /* or NULL */
    char *proxy;     /* "" for none, NULL from the environment */
    enum ia_claude_auth auth;
    struct ia_claude_secret secret;
    int max_retries; /* as ia_retry_start takes it */
    int64_t idle_timeout_ms;
    int64_t connect_timeout_ms;
    const struct ia_clock *clock;
    const struct ia_rand *rand;
    struct ia_models *models;
    struct ia_reactor *reactor; /* made by the first connection */
    pthread_mutex_t lock;       /* guards its making */
};

struct ia_claude_conn {
    struct ia_claude *client;
    struct ia_http *http;
    struct ia_claude_repairs repairs; /* learned in this session */
    struct ia_claude_broken broken;   /* of the last call */
};

#endif
