/* ask.c: a request on libcurl's multi handle, moved by the thread that waits for it.
 *
 *   perform ─► done? ─► cancelled, late? ─► curl_multi_poll: its sockets and the token's pipe ─┐
 *      ▲                                                                                       │
 *      └───────────────────────────────────────────────────────────────────────────────────────┘
 *
 * The multi handle keeps the connection between two requests. libcurl sends a request again by itself
 * when a kept connection breaks before the answer begins; a server may have read it by then. So the
 * body of a request with an effect is a stream that cannot be rewound, which libcurl gives up at. */
#include "net/ask.h"

#include "net/curl.h"
#include "net/url.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { HEADERS_MAX = 6 + IA_ASK_HEADERS_MAX, AUTHORIZATION_MAX = 4096 };

struct ia_ask_link {
    struct ia_curl_handle to;
    CURLM *multi;
    char *url, *unix_socket, *authorization; /* the last one is a whole header line */
    char *more[IA_ASK_HEADERS_MAX];          /* header lines */
    size_t more_count;
    bool local, plain_type; /* local: on this machine, no proxy */
    char message[CURL_ERROR_SIZE];
    struct curl_slist headers[HEADERS_MAX];
    /* Of the request under way. */
    const struct ia_ask_request *request;
    struct ia_ask_answer *answer;
    size_t body_sent, header_bytes;
    bool head_ended; /* libcurl takes an end in the middle of the header for an answer */
};

static enum ia_rc keep_authorization(struct ia_ask_link *l, const char *value,
                                     struct ia_err *err)
{
    size_t size = value ? strlen(value) + sizeof("Authorization: ") : 0;
    if (value && (strpbrk(value, "\r\n") || size > AUTHORIZATION_MAX)) {
        return ia_err_set(err, IA_E_USAGE,
                          "the authorization holds a line end or is longer than %d bytes",
                          AUTHORIZATION_MAX);
    }
    if (value) {
        l->authorization = ia_alloc(size);
        (void)snprintf(l->authorization, size, "Authorization: %s", value);
    }
    return IA_OK;
}

static enum ia_rc keep_headers(struct ia_ask_link *l, char *const *headers, struct ia_err *err)
{
    for (; headers && *headers; headers++) {
        if (strpbrk(*headers, "\r\n") || !strchr(*headers, ':') ||
            strlen(*headers) > AUTHORIZATION_MAX || l->more_count == IA_ASK_HEADERS_MAX) {
            return ia_err_set(
                err, IA_E_USAGE,
                "a header holds a line end, no colon or more than %d bytes, or there "
                "are more than %d of them",
                AUTHORIZATION_MAX, IA_ASK_HEADERS_MAX);
        }
        l->more[l->more_count++] = ia_strdup(*headers);
    }
    return IA_OK;
}

enum ia_rc ia_ask_open(const struct ia_ask_place *place, struct ia_ask_link **ret,
                       struct ia_err *err)
{
    const struct ia_curl *curl = ia_curl(err);
    if (!curl) {
        return IA_E_MISSING;
    }
    struct ia_ask_link *l = ia_calloc(1, sizeof(*l));
    l->to.curl = curl;
    l->url = ia_strdup(place->url);
    l->unix_socket = ia_strdup(place->unix_socket);
    l->local = place->unix_socket || ia_url_local(place->url);
    l->multi = curl->curl_multi_init_();
    l->to.easy = curl->curl_easy_init_();
    l->plain_type = place->plain_type;
    enum ia_rc rc = keep_authorization(l, place->authorization, err);
    if (rc == IA_OK) {
        rc = keep_headers(l, place->headers, err);
    }
    if (rc == IA_OK && (!l->multi || !l->to.easy)) {
        rc = ia_err_set(err, IA_E_INTERNAL, "libcurl cannot create a connection handle");
    }
    if (rc != IA_OK) {
        ia_ask_close(l);
        return rc;
    }
    *ret = l;
    return IA_OK;
}

const char *ia_ask_secret(const struct ia_ask_link *l)
{
    const char *value = l->authorization ? strchr(l->authorization, ' ') + 1 : NULL;
    const char *behind = value ? strrchr(value, ' ') : NULL;
    return behind && behind[1] != '\0' ? behind + 1 : value;
}

void ia_ask_close(struct ia_ask_link *l)
{
    if (!l) {
        return;
    }
    if (l->to.easy) {
        l->to.curl->curl_easy_cleanup_(l->to.easy);
    }
    if (l->multi) {
        l->to.curl->curl_multi_cleanup_(l->multi);
    }
    ia_free_wiped(l->authorization);
    for (size_t i = 0; i < l->more_count; i++) {
        ia_free_wiped(l->more[i]);
    }
    free(l->unix_socket);
    free(l->url);
    free(l);
}

/* ---- what libcurl calls ----------------------------------------------------------------- */

static size_t on_send(char *p, size_t size, size_t count, void *ctx)
{
    struct ia_ask_link *l = ctx;
    size_t left = l->request->body.n - l->body_sent;
    size_t n = left < size * count ? left : size * count;
    if (n > 0) {
        memcpy(p, l->request->body.p + l->body_sent, n);
        l->body_sent += n;
        l->answer->sent = true;
    }
    return n;
}

static int on_rewind(void *ctx, curl_off_t offset, int origin)
{
    struct ia_ask_link *l = ctx;
    if (offset != 0 || origin != SEEK_SET || l->request->once) {
        return CURL_SEEKFUNC_FAIL;
    }
    l->body_sent = 0;
    return CURL_SEEKFUNC_OK;
}

static size_t on_data(char *p, size_t size, size_t count, void *ctx)
{
    struct ia_ask_link *l = ctx;
    ia_buf_put(&l->answer->body, p, size * count);
    return ia_buf_ok(&l->answer->body) ? size * count : 0; /* less than was given ends it */
}

/* Interim answers and trailers count too: a server could send headers for ever. */
static size_t on_header(char *p, size_t size, size_t count, void *ctx)
{
    struct ia_ask_link *l = ctx;
    bool empty = size * count > 0 && strchr("\r\n", p[0]);
    bool first = size * count > 5 && memcmp(p, "HTTP/", 5) == 0;
    l->head_ended = !first && (l->head_ended || empty);
    l->header_bytes += size * count;
    return l->header_bytes > IA_ASK_HEADER_BYTES_MAX ? 0 : size * count;
}

/* ---- options ---------------------------------------------------------------------------- */

static void set_connection(struct ia_ask_link *l)
{
    ia_curl_long(&l->to, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1);
    ia_curl_long(&l->to, CURLOPT_PATH_AS_IS, 1); /* ".." is sent, not resolved */
    ia_curl_long(&l->to, CURLOPT_CONNECTTIMEOUT_MS, IA_ASK_CONNECT_MS);
    ia_curl_ptr(&l->to, CURLOPT_PROXY, l->local ? "" : NULL);
    if (l->unix_socket) {
        ia_curl_ptr(&l->to, CURLOPT_UNIX_SOCKET_PATH, l->unix_socket);
    }
}

static void set_callbacks(struct ia_ask_link *l)
{
    l->to.curl->curl_easy_setopt_(l->to.easy, CURLOPT_READFUNCTION, on_send);
    l->to.curl->curl_easy_setopt_(l->to.easy, CURLOPT_SEEKFUNCTION, on_rewind);
    l->to.curl->curl_easy_setopt_(l->to.easy, CURLOPT_WRITEFUNCTION, on_data);
    l->to.curl->curl_easy_setopt_(l->to.easy, CURLOPT_HEADERFUNCTION, on_header);
    ia_curl_ptr(&l->to, CURLOPT_READDATA, l);
    ia_curl_ptr(&l->to, CURLOPT_SEEKDATA, l);
    ia_curl_ptr(&l->to, CURLOPT_WRITEDATA, l);
    ia_curl_ptr(&l->to, CURLOPT_HEADERDATA, l);
    ia_curl_ptr(&l->to, CURLOPT_ERRORBUFFER, l->message);
}

/* WebDriverAgent knows neither "Expect: 100-continue" nor chunked bodies. The list is in place: libcurl
 * only reads it. */
static void set_headers(struct ia_ask_link *l)
{
    static char accept[] = "Accept: application/json", agent[] = "User-Agent: ios-agent",
                type[] = "Content-Type: application/json; charset=utf-8",
                expect[] = "Expect:", plain_type[] = "Content-Type: application/json";
    char *lines[HEADERS_MAX] = {accept, agent, expect};
    size_t n = 3;
    if (l->request->body.n > 0) {
        lines[n++] = l->plain_type ? plain_type : type;
    }
    if (l->authorization) {
        lines[n++] = l->authorization;
    }
    for (size_t i = 0; i < l->more_count; i++) {
        lines[n++] = l->more[i];
    }
    for (size_t i = 0; i < n; i++) {
        l->headers[i] = (struct curl_slist){.data = lines[i],
                                            .next = i + 1 < n ? &l->headers[i + 1] : NULL};
    }
    ia_curl_ptr(&l->to, CURLOPT_HTTPHEADER, l->headers);
}

static void set_request(struct ia_ask_link *l)
{
    const struct ia_ask_request *r = l->request;
    struct ia_buf url = IA_BUF(1 << 16);
    ia_buf_printf(&url, "%s%s", l->url, r->path);
    ia_curl_ptr(&l->to, CURLOPT_URL, ia_buf_cstr(&url)); /* copied */
    ia_buf_fini(&url);
    set_headers(l);
    if (r->body.n > 0) {
        ia_curl_long(&l->to, CURLOPT_POST, 1);
        l->to.curl->curl_easy_setopt_(l->to.easy, CURLOPT_POSTFIELDSIZE_LARGE,
                                      (curl_off_t)r->body.n);
    } else {
        ia_curl_long(&l->to, CURLOPT_HTTPGET, 1);
        ia_curl_long(&l->to, CURLOPT_FRESH_CONNECT,
                     r->once); /* no body that could not be rewound */
    }
    ia_curl_ptr(&l->to, CURLOPT_CUSTOMREQUEST, r->method);
}

/* ---- one request ------------------------------------------------------------------------ */

static enum ia_rc result_of(struct ia_ask_link *l, CURLcode code, struct ia_err *err)
{
    const char *why = l->message[0] ? l->message : l->to.curl->curl_easy_strerror_(code);
    if (code == CURLE_OK && l->head_ended) {
        long status = 0;
        l->to.curl->curl_easy_getinfo_(l->to.easy, CURLINFO_RESPONSE_CODE, &status);
        l->answer->status = (int)status;
        return IA_OK;
    }
    if (l->header_bytes > IA_ASK_HEADER_BYTES_MAX) {
        return ia_err_set(err, IA_E_LIMIT, "the answer's header is larger than %d bytes",
                          IA_ASK_HEADER_BYTES_MAX);
    }
    if (!ia_buf_ok(&l->answer->body)) {
        return ia_err_set(err, IA_E_LIMIT, "the answer is larger than %zu bytes",
                          l->request->bytes_max);
    }
    if (code == CURLE_OK || code == CURLE_SEND_FAIL_REWIND) {
        why = "the connection broke before the answer was complete";
    }
    return ia_err_set(err, IA_E_IO, "%s", why);
}

enum ia_rc ia_ask(struct ia_ask_link *l, const struct ia_ask_request *request,
                  struct ia_ask_answer *ret, struct ia_err *err)
{
    CURLcode code = CURLE_OK;
    *ret = (struct ia_ask_answer){.body = IA_BUF(request->bytes_max)};
    l->request = request;
    l->answer = ret;
    l->body_sent = l->header_bytes = 0;
    l->head_ended = false;
    l->message[0] = '\0';
    ia_curl_begin(&l->to);
    set_connection(l);
    set_callbacks(l);
    set_request(l);
    ret->sent = request->body.n == 0;
    (void)l->to.curl->curl_multi_add_handle_(l->multi, l->to.easy);
    enum ia_rc rc =
        ia_curl_wait(l->to.curl, l->multi, request->cancel, request->deadline_us, &code, err);
    (void)l->to.curl->curl_multi_remove_handle_(l->multi, l->to.easy);
    return rc == IA_OK ? result_of(l, code, err) : rc;
}
