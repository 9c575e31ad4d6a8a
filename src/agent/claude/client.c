/* client.c: makes a client from its options, and connections of it. Calls are in send.c. */
#include "agent/claude/client_impl.h"

#include "agent/claude/endpoint.h"

#include <stdlib.h>

enum { VERSION_BYTES_MAX = 64 };

static char *copy_or(const char *text, const char *fallback)
{
    return ia_strdup(text && text[0] ? text : fallback);
}

static void set_options(struct ia_claude *c, const struct ia_claude_options *opt, bool loopback)
{
    c->version = copy_or(opt->version, IA_CLAUDE_VERSION);
    c->user_agent = copy_or(opt->user_agent, "ios-agent");
    c->ca_bundle = copy_or(opt->ca_bundle, NULL);
    c->proxy = copy_or(opt->proxy, loopback ? "" : NULL);
    c->auth = opt->auth;
    c->secret = opt->secret;
    c->max_retries = opt->max_retries == 0  ? IA_DEFAULT_RETRIES
                     : opt->max_retries < 0 ? 0
                                            : opt->max_retries;
    c->idle_timeout_ms = opt->idle_timeout_ms > 0 ? opt->idle_timeout_ms : IA_CLAUDE_IDLE_MS;
    c->connect_timeout_ms =
        opt->connect_timeout_ms > 0 ? opt->connect_timeout_ms : IA_CLAUDE_CONNECT_MS;
    c->clock = opt->clock ? opt->clock : ia_clock_system();
    c->rand = opt->rand ? opt->rand : ia_rand_system();
}

/* It becomes a header line, and may come from a project's file. */
static enum ia_rc check_version(const char *version, struct ia_err *err)
{
    for (const char *p = version ? version : ""; *p; p++) {
        if ((unsigned char)*p <= ' ' || (unsigned char)*p >= 0x7F ||
            p - version >= VERSION_BYTES_MAX) {
            enum ia_rc rc = ia_err_set(err, IA_E_CONFIG,
                                       "api.version is not a version of the Messages API");
            ia_err_hint(err, "leave it out, or give a date like %s", IA_CLAUDE_VERSION);
            return rc;
        }
    }
    return IA_OK;
}

enum ia_rc ia_claude_new(const struct ia_claude_options *opt, struct ia_claude **ret,
                         struct ia_err *err)
{
    bool loopback = false;
    char *url = NULL;
    const char *base = opt->base_url && opt->base_url[0] ? opt->base_url : IA_CLAUDE_BASE_URL;
    if (!opt->secret.borrow) {
        return ia_err_set(err, IA_E_USAGE, "the client was given no API key");
    }
    enum ia_rc rc = check_version(opt->version, err);
    rc = rc ? rc : ia_endpoint_url(base, opt->allow_http, &url, &loopback, err);
    if (rc) {
        return rc;
    }
    struct ia_claude *c = ia_calloc(1, sizeof(*c));
    pthread_mutex_init(&c->lock, NULL);
    c->url = url;
    set_options(c, opt, loopback);
    rc = ia_models_load(opt->models_path, &c->models, err);
    if (rc) {
        ia_claude_free(c);
        return rc;
    }
    *ret = c;
    return IA_OK;
}

void ia_claude_free(struct ia_claude *c)
{
    if (!c) {
        return;
    }
    ia_reactor_free(c->reactor);
    ia_models_free(c->models);
    pthread_mutex_destroy(&c->lock);
    free(c->url);
    free(c->version);
    free(c->user_agent);
    free(c->ca_bundle);
    free(c->proxy);
    free(c);
}

const struct ia_models *ia_claude_models(const struct ia_claude *c)
{
    return c->models;
}

enum ia_rc ia_claude_conn_new(struct ia_claude *c, struct ia_claude_conn **ret,
                              struct ia_err *err)
{
    struct ia_http *http = NULL;
    pthread_mutex_lock(&c->lock);
    enum ia_rc rc =
        c->reactor ? IA_OK : ia_reactor_new(ia_http_ready, ia_http_done, &c->reactor, err);
    pthread_mutex_unlock(&c->lock);
    rc = rc ? rc : ia_http_new(c->reactor, &http, err);
    if (rc) {
        return rc;
    }
    struct ia_claude_conn *conn = ia_calloc(1, sizeof(*conn));
    conn->client = c;
    conn->http = http;
    *ret = conn;
    return IA_OK;
}

void ia_claude_conn_free(struct ia_claude_conn *conn)
{
    if (conn) {
        ia_http_free(conn->http);
        free(conn);
    }
}

void ia_claude_reply_fini(struct ia_claude_reply *r)
{
    ia_claude_message_fini(&r->message);
    *r = (struct ia_claude_reply){.message = {.usage = ia_claude_usage_none()}};
}
