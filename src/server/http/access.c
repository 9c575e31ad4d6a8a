/* access.c: the checks before every handler, and what they know: tokens and codes.
 *
 * Tokens of dashboards and codes live in this memory alone and end with it. Secrets are compared in
 * constant time and with every candidate, so that the time of an answer tells nothing about them.
 * The token file is read for each request that brings a token: a new one counts at once. */
#include "server/http/access.h"

#include "server/http/token.h"

#include <pthread.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { US_PER_S = 1000000 };
static const char host_ends[] = ", \t";

struct grant { /* a dashboard's token */
    char token[IA_ACCESS_TOKEN_SIZE];
    enum ia_http_scope scope; /* NONE: this place is free */
    int64_t used_us;
    unsigned number;
};
struct code {
    char text[IA_ACCESS_CODE_SIZE];
    enum ia_http_scope scope; /* NONE: this place is free */
    int64_t until_us;
};
struct ia_access {
    const struct ia_clock *clock;
    bool open, no_page;
    char *token_file;
    char *hosts;          /* with host_ends between them */
    pthread_mutex_t lock; /* what follows */
    struct grant grants[IA_ACCESS_TOKENS_MAX];
    unsigned granted;
    struct code codes[IA_ACCESS_CODES_MAX];
    int64_t wrong_us[IA_ACCESS_WRONG_MAX]; /* when the last wrong ones came, as a ring */
    unsigned wrong;
};

struct ia_access *ia_access_new(const struct ia_access_opts *opts)
{
    struct ia_access *a = ia_calloc(1, sizeof(*a));
    a->clock = opts->clock ? opts->clock : ia_clock_system();
    a->open = opts->open;
    a->no_page = opts->no_page;
    a->token_file = ia_strdup(opts->token_file);
    a->hosts = ia_strdup(opts->allowed_hosts ? opts->allowed_hosts : "");
    pthread_mutex_init(&a->lock, NULL);
    return a;
}

void ia_access_free(struct ia_access *a)
{
    if (!a) {
        return;
    }
    free(a->hosts);
    free(a->token_file);
    pthread_mutex_destroy(&a->lock);
    sodium_memzero(a, sizeof(*a));
    free(a);
}

static bool same_secret(const char *known, size_t size, const char *given)
{
    return strlen(given) == size - 1 && sodium_memcmp(known, given, size - 1) == 0;
}

/* ---- codes and tokens of dashboards ------------------------------------------------------- */

/* A free place, one whose time is over, or the one that is due to go next. */
static struct code *code_place(struct ia_access *a, int64_t now)
{
    struct code *oldest = &a->codes[0];
    for (size_t i = 0; i < IA_ACCESS_CODES_MAX; i++) {
        struct code *c = &a->codes[i];
        if (c->scope == IA_HTTP_SCOPE_NONE || c->until_us <= now) {
            return c;
        }
        oldest = c->until_us < oldest->until_us ? c : oldest;
    }
    return oldest;
}

void ia_access_code(struct ia_access *a, enum ia_http_scope scope,
                    char ret_code[IA_ACCESS_CODE_SIZE])
{
    int64_t now = ia_mono_us(a->clock);
    ia_token_random(ret_code, IA_ACCESS_CODE_SIZE);
    pthread_mutex_lock(&a->lock);
    struct code *c = code_place(a, now);
    *c = (struct code){.scope = scope, .until_us = now + (int64_t)IA_ACCESS_CODE_S * US_PER_S};
    memcpy(c->text, ret_code, IA_ACCESS_CODE_SIZE);
    pthread_mutex_unlock(&a->lock);
}

static bool expired(const struct grant *g, int64_t now)
{
    return now - g->used_us >= (int64_t)IA_ACCESS_TOKEN_H * 3600 * US_PER_S;
}

static struct grant *grant_place(struct ia_access *a, int64_t now)
{
    struct grant *oldest = &a->grants[0];
    for (size_t i = 0; i < IA_ACCESS_TOKENS_MAX; i++) {
        struct grant *g = &a->grants[i];
        if (g->scope == IA_HTTP_SCOPE_NONE || expired(g, now)) {
            return g;
        }
        oldest = g->used_us < oldest->used_us ? g : oldest;
    }
    return oldest;
}

/* Uses up the code. NONE when there is none with that text. */
static enum ia_http_scope take_code(struct ia_access *a, const char *text, int64_t now)
{
    enum ia_http_scope scope = IA_HTTP_SCOPE_NONE;
    for (size_t i = 0; i < IA_ACCESS_CODES_MAX; i++) {
        struct code *c = &a->codes[i];
        if (c->scope != IA_HTTP_SCOPE_NONE && same_secret(c->text, sizeof(c->text), text)) {
            scope = now < c->until_us ? c->scope : IA_HTTP_SCOPE_NONE;
            *c = (struct code){0};
        }
    }
    return scope;
}

enum ia_rc ia_access_trade(struct ia_access *a, const char *code,
                           char ret_token[IA_ACCESS_TOKEN_SIZE], enum ia_http_scope *ret_scope,
                           struct ia_err *err)
{
    int64_t now = ia_mono_us(a->clock);
    pthread_mutex_lock(&a->lock);
    enum ia_http_scope scope = take_code(a, code, now);
    if (scope != IA_HTTP_SCOPE_NONE) {
        struct grant *g = grant_place(a, now);
        *g = (struct grant){.scope = scope, .used_us = now, .number = ++a->granted};
        ia_token_random(g->token, sizeof(g->token));
        memcpy(ret_token, g->token, sizeof(g->token));
        *ret_scope = scope;
    }
    pthread_mutex_unlock(&a->lock);
    if (scope == IA_HTTP_SCOPE_NONE) {
        enum ia_rc rc = ia_err_set(err, IA_E_AUTH_REQUIRED,
                                   "this code is not known, was used, or is older than %d s",
                                   IA_ACCESS_CODE_S);
        ia_err_hint(err, "open the dashboard again: each opening makes a new code");
        return rc;
    }
    return IA_OK;
}

/* ---- the token of a request --------------------------------------------------------------- */

static bool take_token(struct ia_access *a, const char *token, struct ia_access_verdict *v)
{
    int64_t now = ia_mono_us(a->clock);
    char known[IA_ACCESS_TOKEN_SIZE];
    if (a->token_file && ia_token_read(a->token_file, known, NULL) == IA_OK &&
        same_secret(known, sizeof(known), token)) {
        v->scope = IA_HTTP_SCOPE_ACT;
        (void)snprintf(v->client, sizeof(v->client), "token");
    }
    pthread_mutex_lock(&a->lock);
    for (size_t i = 0; i < IA_ACCESS_TOKENS_MAX; i++) {
        struct grant *g = &a->grants[i];
        if (g->scope != IA_HTTP_SCOPE_NONE && same_secret(g->token, sizeof(g->token), token) &&
            !expired(g, now)) {
            g->used_us = now;
            v->scope = g->scope;
            (void)snprintf(v->client, sizeof(v->client), "dashboard-%u", g->number);
        }
    }
    pthread_mutex_unlock(&a->lock);
    return v->scope != IA_HTTP_SCOPE_NONE;
}

int64_t ia_access_wrong(struct ia_access *a)
{
    int64_t now = ia_mono_us(a->clock);
    pthread_mutex_lock(&a->lock);
    int64_t *oldest = &a->wrong_us[a->wrong % IA_ACCESS_WRONG_MAX];
    bool many = a->wrong >= IA_ACCESS_WRONG_MAX && now - *oldest < (int64_t)60 * US_PER_S;
    *oldest = now;
    a->wrong++;
    pthread_mutex_unlock(&a->lock);
    return many ? IA_ACCESS_DELAY_MS : 0;
}

/* ---- the checks --------------------------------------------------------------------------- */

static bool is_one_of(const char *text, const char *const list[])
{
    for (size_t i = 0; list[i]; i++) {
        if (strcmp(text, list[i]) == 0) {
            return true;
        }
    }
    return false;
}

static bool reads(const struct ia_access_request *r)
{
    return is_one_of(r->method, (const char *const[]){"GET", "HEAD", NULL});
}

static bool writes_body(const struct ia_access_request *r)
{
    return is_one_of(r->method, (const char *const[]){"POST", "PUT", "PATCH", NULL});
}

/* ":8100" is the port, which without a page may be any or missing. */
static bool is_port(const struct ia_access *a, const struct ia_access_request *r,
                    const char *text)
{
    char ours[16];
    (void)snprintf(ours, sizeof(ours), ":%d", r->port);
    bool any = text[0] == '\0' ||
               (text[0] == ':' && strspn(text + 1, "0123456789") == strlen(text + 1));
    return strcmp(text, ours) == 0 || (a->no_page && any);
}

/* Whether the Host is this machine under one of its own names. */
static bool is_loopback(const struct ia_access *a, const struct ia_access_request *r)
{
    static const char *const names[] = {"127.0.0.1", "localhost", "[::1]"};
    for (size_t i = 0; i < IA_COUNTOF(names); i++) {
        size_t n = strlen(names[i]);
        if (strncasecmp(r->host, names[i], n) == 0 && is_port(a, r, r->host + n)) {
            return true;
        }
    }
    return false;
}

static bool is_allowed_host(const struct ia_access *a, const char *host)
{
    size_t n;
    for (const char *p = a->hosts + strspn(a->hosts, host_ends); *p; p += n) {
        n = strcspn(p, host_ends);
        if (n == strlen(host) && strncasecmp(host, p, n) == 0) {
            return true;
        }
        n += strspn(p + n, host_ends);
    }
    return false;
}

/* A page behind a reverse proxy may have come over TLS; one from here never has. */
static bool is_own_origin(const struct ia_access *a, const struct ia_access_request *r)
{
    struct ia_str origin = ia_str(r->origin);
    struct ia_str scheme =
        ia_str(!is_loopback(a, r) && ia_str_starts(origin, ia_str("https://")) ? "https://"
                                                                               : "http://");
    return ia_str_starts(origin, scheme) && strcasecmp(r->origin + scheme.n, r->host) == 0;
}

static int refuse(int status, struct ia_err *err, enum ia_rc rc, const char *what)
{
    (void)ia_err_set(err, rc, "%s", what);
    return status;
}

/* The page itself may be come to from anywhere, as by a link or from a file: it has no data, its code is
 * behind "#", and no other page may hold it in a frame. */
static bool is_front_door(const struct ia_access_request *r)
{
    return reads(r) && strcmp(r->path, "/") == 0;
}

static int check_site(const struct ia_access *a, const struct ia_access_request *r,
                      struct ia_err *err)
{
    if (!r->host || !(is_loopback(a, r) || is_allowed_host(a, r->host))) {
        int status = refuse(403, err, IA_E_FORBIDDEN, "the request's Host is not this server");
        ia_err_hint(err, a->no_page ? "only 127.0.0.1, localhost and [::1] are taken"
                                    : "a reverse proxy's name belongs into http.allowed_hosts");
        return status;
    }
    if (r->origin && (a->no_page || !is_own_origin(a, r))) {
        return refuse(403, err, IA_E_FORBIDDEN,
                      "the request comes from a page of another origin");
    }
    const char *const *sites = a->no_page ? (const char *const[]){"none", NULL}
                                          : (const char *const[]){"same-origin", "none", NULL};
    if (r->fetch_site && (a->no_page || !is_front_door(r)) &&
        !is_one_of(r->fetch_site, sites)) {
        return refuse(403, err, IA_E_FORBIDDEN,
                      "the request comes from a page of another site");
    }
    return 0;
}

static bool is_public(const struct ia_access_request *r)
{
    return reads(r) ? is_one_of(r->path, (const char *const[]){"/", "/favicon.svg", NULL}) ||
                          ia_str_starts(ia_str(r->path), ia_str("/app/"))
                    : strcmp(r->method, "POST") == 0 && strcmp(r->path, "/v1/login") == 0;
}

static int check_token(struct ia_access *a, const struct ia_access_request *r,
                       struct ia_access_verdict *v, struct ia_err *err)
{
    static const char bearer[] = "Bearer ";
    if (a->open) {
        v->scope = IA_HTTP_SCOPE_ACT;
        (void)snprintf(v->client, sizeof(v->client), "open");
        return 0;
    }
    bool given =
        r->authorization && strncasecmp(r->authorization, bearer, sizeof(bearer) - 1) == 0;
    if (given && take_token(a, r->authorization + sizeof(bearer) - 1, v)) {
        return v->scope == IA_HTTP_SCOPE_ACT || reads(r)
                   ? 0
                   : refuse(403, err, IA_E_FORBIDDEN, "this token may look, not act");
    }
    if (!a->no_page && is_public(r)) {
        (void)snprintf(v->client, sizeof(v->client), "public");
        return 0;
    }
    int status = refuse(401, err, IA_E_AUTH_REQUIRED,
                        given ? "the bearer token is not one of this server's"
                              : "the request needs \"Authorization: Bearer TOKEN\"");
    ia_err_hint(
        err,
        a->no_page
            ? "the token is in the file that the server names in its first line"
            : "`ios-agent daemon token` prints the token; a dashboard's ends with the daemon");
    return status;
}

/* A caller on the Unix socket is a program of ours: it may leave the type out where there is no body. */
static int check_type(const struct ia_access_request *r, struct ia_err *err)
{
    static const char json[] = "application/json";
    const char *type = r->content_type;
    size_t n = sizeof(json) - 1;
    bool is_json = type && strncasecmp(type, json, n) == 0 && strchr("; \t", type[n]);
    bool needless = !type && !r->has_body && r->listener == IA_HTTP_UNIX;
    return !writes_body(r) || is_json || needless
               ? 0
               : refuse(415, err, IA_E_USAGE,
                        "the request needs \"Content-Type: application/json\"");
}

static int check_method(const struct ia_access_request *r, struct ia_err *err)
{
    if (strcmp(r->method, "OPTIONS") == 0) {
        return refuse(403, err, IA_E_FORBIDDEN,
                      "pages of other origins may not use this server");
    }
    return reads(r) || writes_body(r) || strcmp(r->method, "DELETE") == 0
               ? 0
               : refuse(405, err, IA_E_USAGE, "the request's method is not taken here");
}

void ia_access_check(struct ia_access *a, const struct ia_access_request *r,
                     struct ia_access_verdict *ret, struct ia_err *err)
{
    *ret = (struct ia_access_verdict){.status = check_method(r, err)};
    if (r->listener == IA_HTTP_UNIX) {
        ret->scope = IA_HTTP_SCOPE_ACT;
        (void)snprintf(ret->client, sizeof(ret->client), "unix");
    } else {
        ret->status = ret->status ? ret->status : check_site(a, r, err);
        ret->status = ret->status ? ret->status : check_token(a, r, ret, err);
    }
    ret->status = ret->status || a->no_page ? ret->status : check_type(r, err);
}
