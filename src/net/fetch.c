/* fetch.c: one GET after the other until an answer is no redirect. Each gets a handle of its own, so that
 * no connection outlives the judgement of its address. libcurl reads URLs for both sides: what is
 * judged is what it will use. */
#include "net/fetch.h"

#include "net/address.h"
#include "net/curl.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { CONNECT_MS = 10000, KNOWN_NAMES_MAX = 16, ITEM_MAX = 256 };

/* ---- lists ------------------------------------------------------------------------------ */

/* The next item of a list, without blanks; false at its end. */
static bool next_item(const char **list, char ret[ITEM_MAX])
{
    const char *p = *list + strspn(*list, ", \t");
    size_t n = strcspn(p, ", \t");
    *list = p + n;
    n = n < ITEM_MAX - 1 ? n : ITEM_MAX - 1;
    memcpy(ret, p, n);
    ret[n] = '\0';
    return n > 0;
}

static bool is_in(const char *list, const char *text, bool (*fits)(const char *, const char *))
{
    char item[ITEM_MAX];
    bool found = false;
    for (const char *p = list ? list : ""; next_item(&p, item);) {
        found = found || fits(item, text);
    }
    return found;
}

static bool same(const char *item, const char *text)
{
    return strcasecmp(item, text) == 0;
}

/* The domain itself, or a name below it. */
static bool covers(const char *domain, const char *host)
{
    size_t d = strlen(domain), h = strlen(host);
    return h >= d && strcasecmp(host + h - d, domain) == 0 &&
           (h == d || host[h - d - 1] == '.');
}

bool ia_fetch_domain_ok(const struct ia_fetch_rules *rules, const char *host)
{
    char plain[ITEM_MAX];
    bool any = rules->allowed_domains &&
               rules->allowed_domains[strspn(rules->allowed_domains, ", \t")];
    size_t n = strlen(host);
    n -= n > 0 && host[n - 1] == '.'; /* "example.com." is the same host */
    if (n == 0 || n >= sizeof(plain)) {
        return false;
    }
    memcpy(plain, host, n);
    plain[n] = '\0';
    return (!any || is_in(rules->allowed_domains, plain, covers)) &&
           !is_in(rules->blocked_domains, plain, covers);
}

/* The item of the allow-list ends in that port. */
static bool has_port(const char *item, const char *port)
{
    const char *colon = strrchr(item, ':');
    return colon && strcmp(colon + 1, port) == 0;
}

static bool port_ok(const struct ia_fetch_rules *rules, const char *port)
{
    return is_in("80,443,8080,8443", port, same) || is_in(rules->allow, port, has_port);
}

/* ---- one URL ---------------------------------------------------------------------------- */

struct parts {
    char *scheme, *host, *port, *url;
};

static void free_parts(const struct ia_curl *curl, struct parts *p)
{
    curl->curl_free_(p->scheme);
    curl->curl_free_(p->host);
    curl->curl_free_(p->port);
    curl->curl_free_(p->url);
}

static enum ia_rc bad_url(struct ia_err *err, const char *why)
{
    (void)ia_err_set(err, IA_E_USAGE, "the URL cannot be fetched: %s", why);
    ia_err_hint(err, "Give a whole http or https URL, such as https://example.com/page.");
    return IA_E_USAGE;
}

/* Printable ASCII: a host with other letters has more than one spelling, and lists of domains know one. */
static bool plain_text(const char *url)
{
    size_t n = strlen(url);
    bool plain = n > 0 && n < IA_FETCH_URL_MAX;
    for (size_t i = 0; plain && i < n; i++) {
        plain = url[i] > ' ' && url[i] < 0x7f && url[i] != '\\';
    }
    return plain;
}

static enum ia_rc read_parts(const struct ia_curl *curl, const char *url, struct parts *ret,
                             struct ia_err *err)
{
    CURLU *u = curl->curl_url_();
    CURLUcode code = u ? curl->curl_url_set_(u, CURLUPART_URL, url, CURLU_DISALLOW_USER)
                       : CURLUE_OUT_OF_MEMORY;
    if (code == CURLUE_OK) {
        (void)curl->curl_url_get_(u, CURLUPART_SCHEME, &ret->scheme, 0);
        (void)curl->curl_url_get_(u, CURLUPART_HOST, &ret->host, 0);
        (void)curl->curl_url_get_(u, CURLUPART_PORT, &ret->port, CURLU_DEFAULT_PORT);
        code = curl->curl_url_get_(u, CURLUPART_URL, &ret->url, 0);
    }
    curl->curl_url_cleanup_(u);
    if (code == CURLUE_USER_NOT_ALLOWED) {
        return bad_url(err, "it holds a user name or a password");
    }
    if (code == CURLUE_UNSUPPORTED_SCHEME) {
        return bad_url(err, "only http and https are fetched");
    }
    return code == CURLUE_OK ? IA_OK : bad_url(err, curl->curl_url_strerror_(code));
}

static enum ia_rc check_parts(const struct ia_fetch_rules *rules, const struct parts *p,
                              struct ia_err *err)
{
    if (!p->scheme || !p->host || !p->port || !p->url ||
        (strcmp(p->scheme, "http") != 0 && strcmp(p->scheme, "https") != 0)) {
        return bad_url(err, "only http and https are fetched");
    }
    if (!port_ok(rules, p->port)) {
        return bad_url(err, "only ports 80, 443, 8080 and 8443 are fetched from");
    }
    if (!plain_text(p->host) || !ia_fetch_domain_ok(rules, p->host)) {
        (void)ia_err_set(err, IA_E_FORBIDDEN, "the domain of %.200s is not allowed", p->host);
        ia_err_hint(err, "fetch.allowed_domains and fetch.blocked_domains of the "
                         "configuration say which are.");
        return IA_E_FORBIDDEN;
    }
    return IA_OK;
}

/* ---- one request ------------------------------------------------------------------------ */

struct hop {
    const struct ia_fetch *fetch;
    struct ia_fetch_answer *answer;
    struct ia_curl_handle to;
    size_t *header_bytes;
    bool begun, redirected, unwanted, cut;
    char refused[IA_ADDRESS_TEXT_SIZE]; /* the address that was not connected to */
    char message[CURL_ERROR_SIZE];
};

/* libcurl is about to connect: the one place that sees the address that is used. */
static curl_socket_t on_socket(void *ctx, curlsocktype purpose, struct curl_sockaddr *address)
{
    struct hop *h = ctx;
    char text[IA_ADDRESS_TEXT_SIZE];
    ia_address_text(&address->addr, (socklen_t)address->addrlen, text);
    if (purpose != CURLSOCKTYPE_IPCXN ||
        (!ia_address_public(&address->addr, (socklen_t)address->addrlen) &&
         !is_in(h->fetch->rules.allow, text, same))) {
        (void)snprintf(h->refused, sizeof(h->refused), "%s", text);
        return CURL_SOCKET_BAD;
    }
    int fd = socket(address->family, address->socktype, address->protocol);
    if (fd >= 0) {
        (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
    }
    return fd;
}

static size_t on_header(char *p, size_t size, size_t count, void *ctx)
{
    struct hop *h = ctx;
    (void)p;
    *h->header_bytes += size * count;
    return *h->header_bytes > IA_FETCH_HEADER_BYTES_MAX ? 0 : size * count;
}

/* Lower case, up to a character that no type and no charset has. */
static void copy_token(const char *text, char ret[IA_FETCH_TYPE_MAX])
{
    static const char extra[] = "/+-._:";
    size_t n = 0;
    text += strspn(text, " \t\"'");
    while (n + 1 < IA_FETCH_TYPE_MAX && text[n] &&
           (isalnum((unsigned char)text[n]) || strchr(extra, text[n]))) {
        ret[n] = (char)tolower((unsigned char)text[n]);
        n++;
    }
    ret[n] = '\0';
}

static void read_type(struct hop *h)
{
    const char *value = NULL;
    (void)h->to.curl->curl_easy_getinfo_(h->to.easy, CURLINFO_CONTENT_TYPE, &value);
    h->answer->type[0] = h->answer->charset[0] = '\0';
    if (!value) {
        return;
    }
    copy_token(value, h->answer->type);
    for (const char *p = strchr(value, ';'); p; p = strchr(p + 1, ';')) {
        const char *name = p + 1 + strspn(p + 1, " \t");
        if (strncasecmp(name, "charset=", 8) == 0) {
            copy_token(name + 8, h->answer->charset);
        }
    }
}

static bool is_redirect(const struct hop *h, const char **ret_url)
{
    long status = 0;
    *ret_url = NULL;
    (void)h->to.curl->curl_easy_getinfo_(h->to.easy, CURLINFO_RESPONSE_CODE, &status);
    (void)h->to.curl->curl_easy_getinfo_(h->to.easy, CURLINFO_REDIRECT_URL, ret_url);
    h->answer->status = (int)status;
    return status >= 300 && status < 400 && *ret_url;
}

/* Judged once, before the first byte of a body counts. */
static bool begin_body(struct hop *h)
{
    const char *url;
    h->begun = true;
    h->redirected = is_redirect(h, &url);
    read_type(h);
    h->unwanted = !h->redirected && !h->fetch->wants(h->answer->type);
    return !h->redirected && !h->unwanted;
}

static size_t on_data(char *p, size_t size, size_t count, void *ctx)
{
    struct hop *h = ctx;
    size_t n = size * count, room = h->fetch->bytes_max - h->answer->body.len;
    if (!h->begun && !begin_body(h)) {
        return 0; /* less than was given ends the transfer */
    }
    h->cut = n > room;
    ia_buf_put(&h->answer->body, p, h->cut ? room : n);
    return h->cut ? 0 : n;
}

static void set_callbacks(struct hop *h)
{
    CURL *easy = h->to.easy;
    h->to.curl->curl_easy_setopt_(easy, CURLOPT_OPENSOCKETFUNCTION, on_socket);
    h->to.curl->curl_easy_setopt_(easy, CURLOPT_WRITEFUNCTION, on_data);
    h->to.curl->curl_easy_setopt_(easy, CURLOPT_HEADERFUNCTION, on_header);
    ia_curl_ptr(&h->to, CURLOPT_OPENSOCKETDATA, h);
    ia_curl_ptr(&h->to, CURLOPT_WRITEDATA, h);
    ia_curl_ptr(&h->to, CURLOPT_HEADERDATA, h);
    ia_curl_ptr(&h->to, CURLOPT_ERRORBUFFER, h->message);
}

static void set_options(struct hop *h, const char *url)
{
    const struct ia_fetch_rules *rules = &h->fetch->rules;
    ia_curl_begin(&h->to);
    set_callbacks(h);
    ia_curl_ptr(&h->to, CURLOPT_URL, url);
    ia_curl_ptr(&h->to, CURLOPT_PROXY, ""); /* also none of the environment */
    ia_curl_ptr(&h->to, CURLOPT_USERAGENT, "ios-agent");
    ia_curl_ptr(&h->to, CURLOPT_ACCEPT_ENCODING, "gzip, deflate");
    ia_curl_long(&h->to, CURLOPT_CONNECTTIMEOUT_MS, CONNECT_MS);
    if (rules->ca_bundle && *rules->ca_bundle) {
        ia_curl_ptr(&h->to, CURLOPT_CAINFO, rules->ca_bundle);
    }
}

static enum ia_rc too_late(struct hop *h, CURLcode code, struct ia_err *err)
{
    const char *why = h->message[0] ? h->message : h->to.curl->curl_easy_strerror_(code);
    if (h->refused[0]) {
        (void)ia_err_set(err, IA_E_FORBIDDEN,
                         "the host is at %s, which is no public address: not connected",
                         h->refused);
        ia_err_hint(err,
                    "fetch.allow_addresses of the configuration names addresses that may be "
                    "reached all the same.");
        return IA_E_FORBIDDEN;
    }
    if (*h->header_bytes > IA_FETCH_HEADER_BYTES_MAX) {
        return ia_err_set(err, IA_E_LIMIT, "the answer's header is larger than %d bytes",
                          IA_FETCH_HEADER_BYTES_MAX);
    }
    if (h->unwanted) {
        return ia_err_set(err, IA_E_UNSUPPORTED,
                          "the answer is of type %.100s, and only text can be read",
                          h->answer->type);
    }
    return ia_err_set(err, IA_E_IO, "the page could not be read: %.300s", why);
}

/* IA_OK: *ret_next is where to go next, or NULL; it is libcurl's. */
static enum ia_rc result_of(struct hop *h, CURLcode code, const char **ret_next,
                            struct ia_err *err)
{
    bool whole = code == CURLE_OK;
    if (whole && !h->begun) { /* no body */
        (void)begin_body(h);
        h->unwanted = false;
    }
    (void)is_redirect(h, ret_next);
    *ret_next = h->redirected ? *ret_next : NULL;
    h->answer->cut = h->cut;
    return whole || h->cut || h->redirected ? IA_OK : too_late(h, code, err);
}

static enum ia_rc run(struct hop *h, const char *url, struct curl_slist *known, char **ret_next,
                      struct ia_err *err)
{
    const struct ia_curl *curl = h->to.curl;
    const char *next = NULL;
    CURLcode code = CURLE_OK;
    CURLM *multi = curl->curl_multi_init_();
    h->to.easy = curl->curl_easy_init_();
    enum ia_rc rc = IA_OK;
    if (!multi || !h->to.easy) {
        rc = ia_err_set(err, IA_E_INTERNAL, "libcurl cannot create a connection handle");
    } else {
        set_options(h, url);
        ia_curl_ptr(&h->to, CURLOPT_RESOLVE, known);
        (void)curl->curl_multi_add_handle_(multi, h->to.easy);
        rc = ia_curl_wait(curl, multi, h->fetch->cancel, h->fetch->deadline_us, &code, err);
        rc = rc == IA_OK ? result_of(h, code, &next, err) : rc;
        *ret_next = rc == IA_OK ? ia_strdup(next) : NULL;
        (void)curl->curl_multi_remove_handle_(multi, h->to.easy);
    }
    if (h->to.easy) {
        curl->curl_easy_cleanup_(h->to.easy);
    }
    if (multi) {
        (void)curl->curl_multi_cleanup_(multi);
    }
    return rc;
}

/* ---- from one to the next --------------------------------------------------------------- */

struct journey {
    const struct ia_fetch *fetch;
    const struct ia_curl *curl;
    struct ia_fetch_answer *answer;
    struct curl_slist known[KNOWN_NAMES_MAX];
    size_t header_bytes;
    bool secure; /* the hop before was https */
};

static struct curl_slist *known_names(struct journey *j)
{
    size_t n = 0;
    const char *const *names = j->fetch->rules.known_names;
    while (names && names[n] && n < KNOWN_NAMES_MAX) {
        j->known[n] = (struct curl_slist){.data = (char *)(uintptr_t)names[n]};
        if (n > 0) {
            j->known[n - 1].next = &j->known[n];
        }
        n++;
    }
    return n ? j->known : NULL;
}

/* One URL; *ret_next is where it redirects to, or NULL. */
static enum ia_rc go(struct journey *j, const char *url, char **ret_next, struct ia_err *err)
{
    struct parts p = {0};
    struct hop h = {.fetch = j->fetch,
                    .answer = j->answer,
                    .to = {.curl = j->curl},
                    .header_bytes = &j->header_bytes};
    *ret_next = NULL;
    enum ia_rc rc = plain_text(url) ? read_parts(j->curl, url, &p, err)
                                    : bad_url(err, "it is empty, too long, or has other "
                                                   "characters than printable ASCII");
    rc = rc == IA_OK ? check_parts(&j->fetch->rules, &p, err) : rc;
    if (rc == IA_OK && j->secure && strcmp(p.scheme, "https") != 0) {
        rc = ia_err_set(err, IA_E_FORBIDDEN,
                        "the page redirects from https to http, which is not followed");
    }
    if (rc == IA_OK) {
        j->secure = strcmp(p.scheme, "https") == 0;
        free(j->answer->url);
        j->answer->url = ia_strdup(p.url);
        ia_buf_reset(&j->answer->body);
        rc = run(&h, p.url, known_names(j), ret_next, err);
    }
    free_parts(j->curl, &p);
    return rc;
}

enum ia_rc ia_fetch(const struct ia_fetch *fetch, struct ia_fetch_answer *ret,
                    struct ia_err *err)
{
    struct journey j = {.fetch = fetch, .curl = ia_curl(err), .answer = ret};
    *ret = (struct ia_fetch_answer){.body = IA_BUF(fetch->bytes_max + 1)};
    if (!j.curl) {
        return IA_E_MISSING;
    }
    char *url = ia_strdup(fetch->url), *next = NULL;
    enum ia_rc rc = go(&j, url, &next, err);
    for (int n = 0; rc == IA_OK && next; n++) {
        free(url);
        url = next;
        next = NULL;
        rc = n < IA_FETCH_REDIRECTS_MAX
                 ? go(&j, url, &next, err)
                 : ia_err_set(err, IA_E_LIMIT, "the page redirects more than %d times",
                              IA_FETCH_REDIRECTS_MAX);
    }
    free(next);
    free(url);
    return rc;
}

void ia_fetch_answer_fini(struct ia_fetch_answer *a)
{
    ia_buf_fini(&a->body);
    free(a->url);
    a->url = NULL;
}
