/* access.h: who may talk to the server.
 *
 * The Unix socket is for our own user (the peer's uid is checked) and asks for nothing else. On TCP
 * every request is checked in this order, before a byte of its body counts:
 *
 *   method          GET, HEAD, POST, PUT, PATCH or DELETE; OPTIONS is 403: no preflight succeeds
 *   Host            127.0.0.1:PORT, localhost:PORT, [::1]:PORT or one of allowed_hosts: 403 (a page of
 *                   a name that was rebound to this address has another)
 *   Origin          absent or http://HOST: 403
 *   Sec-Fetch-Site  absent, same-origin or none: 403; "/" may be come to from anywhere
 *   Authorization   Bearer TOKEN, but for the public paths (/, /app/..., /favicon.svg, POST /v1/login): 401
 *   scope           a token that may only look sends GET or HEAD: 403
 *   Content-Type    application/json with POST, PUT and PATCH: 415 (no form of a page can send it)
 *
 * A server of another protocol has no page and other rules: ia_access_opts.no_page.
 *
 * There are no cookies: a browser sends those of one port of an address to every other, so that any
 * local page could act with them. */
#ifndef IA_SERVER_HTTP_ACCESS_H
#define IA_SERVER_HTTP_ACCESS_H

#include "base/clock.h"
#include "base/err.h"
#include "server/http/http.h"

enum {
    IA_ACCESS_TOKEN_SIZE = 65, /* 32 random bytes in hexadecimal digits, and a NUL */
    IA_ACCESS_CODE_SIZE = 33,
    IA_ACCESS_TOKENS_MAX = 25, /* dashboards; a new one ends the one that is unused longest */
    IA_ACCESS_CODES_MAX = 8,   /* likewise the oldest */
    IA_ACCESS_TOKEN_H = 12,    /* a dashboard's token ends when it was not used for so long */
    IA_ACCESS_CODE_S = 60,
    IA_ACCESS_WRONG_MAX =
        10, /* wrong tokens and codes within a minute; every further one waits */
    IA_ACCESS_DELAY_MS = 1000
};

struct ia_access_opts {
    const char *token_file;    /* of token.h; NULL: no such token; both are copied */
    const char *allowed_hosts; /* "name" or "name:port" as a reverse proxy sends them, with
                                     commas or spaces between them; NULL: none */
    bool open; /* no token is asked for: for conformance tests, and protocols without one */
    /* Another protocol's clients, no page: nothing is public, every Origin is refused, the Host is any
     * loopback name with any port (one that is forwarded has another), a body may be of any type. */
    bool no_page;
    const struct ia_clock *clock; /* NULL: the system's; borrowed */
};
struct ia_access *ia_access_new(const struct ia_access_opts *opts);
void ia_access_free(struct ia_access *a); /* NULL is fine */

/* A one-time code that ia_access_trade takes for IA_ACCESS_CODE_S. */
void ia_access_code(struct ia_access *a, enum ia_http_scope scope,
                    char ret_code[IA_ACCESS_CODE_SIZE]);
/* Trades a code for a dashboard's token. IA_E_AUTH_REQUIRED when it is not known, used or too old;
 * the server delays an answer of 401 to those who guess. */
enum ia_rc ia_access_trade(struct ia_access *a, const char *code,
                           char ret_token[IA_ACCESS_TOKEN_SIZE], enum ia_http_scope *ret_scope,
                           struct ia_err *err);

/* The headers that count; NULL where one is absent. */
struct ia_access_request {
    enum ia_http_listener listener;
    int port; /* of our TCP listener */
    const char *method, *path;
    const char *host, *origin, *fetch_site, *authorization, *content_type;
    bool has_body;
};
struct ia_access_verdict {
    int status; /* 0: it may go on */
    enum ia_http_scope scope;
    char client[24]; /* "unix", "token", "dashboard-3", "open" or "public" */
};
/* err says why where ret->status is not 0. Any thread, as all of these. */
void ia_access_check(struct ia_access *a, const struct ia_access_request *r,
                     struct ia_access_verdict *ret, struct ia_err *err);
/* Counts a wrong token or code. How many milliseconds its answer has to wait. */
int64_t ia_access_wrong(struct ia_access *a);

#endif
