#include "agent/claude/http.h"

#include "agent/claude/client.h"
#include "agent/claude/curl.h"
#include "base/clock.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
    RECEIVE_BUFFER = 4 * 1024, /* an event is some hundred bytes */
    SEND_BUFFER = 16 * 1024,
    KEEPALIVE_S = 60,
    POLL_MAX_MS = 60000
};

struct ia_http_share {
    CURLSH *handle;
    pthread_mutex_t locks[CURL_LOCK_DATA_LAST];
};

struct ia_http {
    const struct ia_curl *curl;
    CURL *easy;
    CURLM *multi;
    struct ia_http_share *share;
    char message[CURL_ERROR_SIZE];
    struct curl_slist headers[IA_HTTP_HEADERS_MAX];
    /* of the call under way */
    const struct ia_http_call *call;
    struct ia_http_answer *answer;
    struct ia_err *err;
    enum ia_rc failed;   /* what a callback found */
    int64_t activity_us; /* when the last byte went or came */
    int64_t complete_us; /* when the last byte that is needed came, or 0 */
};

static void lock(CURL *easy, curl_lock_data data, curl_lock_access access, void *ctx)
{
    (void)easy;
    (void)access;
    pthread_mutex_lock(&((struct ia_http_share *)ctx)->locks[data]);
}

static void unlock(CURL *easy, curl_lock_data data, void *ctx)
{
    (void)easy;
    pthread_mutex_unlock(&((struct ia_http_share *)ctx)->locks[data]);
}

enum ia_rc ia_http_share_new(struct ia_http_share **ret, struct ia_err *err)
{
    const struct ia_curl *curl = ia_curl(err);
    if (!curl) {
        return IA_E_MISSING;
    }
    struct ia_http_share *s = ia_calloc(1, sizeof(*s));
    for (size_t i = 0; i < IA_COUNTOF(s->locks); i++) {
        pthread_mutex_init(&s->locks[i], NULL);
    }
    s->handle = curl->curl_share_init_();
    curl->curl_share_setopt_(s->handle, CURLSHOPT_LOCKFUNC, lock);
    curl->curl_share_setopt_(s->handle, CURLSHOPT_UNLOCKFUNC, unlock);
    curl->curl_share_setopt_(s->handle, CURLSHOPT_USERDATA, s);
    curl->curl_share_setopt_(s->handle, CURLSHOPT_SHARE, CURL_LOCK_DATA_DNS);
    curl->curl_share_setopt_(s->handle, CURLSHOPT_SHARE, CURL_LOCK_DATA_SSL_SESSION);
    *ret = s;
    return IA_OK;
}

void ia_http_share_free(struct ia_http_share *s)
{
    if (!s) {
        return;
    }
    ia_curl(NULL)->curl_share_cleanup_(s->handle);
    for (size_t i = 0; i < IA_COUNTOF(s->locks); i++) {
        pthread_mutex_destroy(&s->locks[i]);
    }
    free(s);
}

enum ia_rc ia_http_new(struct ia_http_share *share, struct ia_http **ret, struct ia_err *err)
{
    const struct ia_curl *curl = ia_curl(err);
    if (!curl) {
        return IA_E_MISSING;
    }
    struct ia_http *h = ia_calloc(1, sizeof(*h));
    h->curl = curl;
    h->share = share;
    h->easy = curl->curl_easy_init_();
    h->multi = curl->curl_multi_init_();
    if (!h->easy || !h->multi) {
        ia_http_free(h);
        return ia_err_set(err, IA_E_INTERNAL, "libcurl cannot make a connection handle");
    }
    *ret = h;
    return IA_OK;
}

void ia_http_free(struct ia_http *h)
{
    if (!h) {
        return;
    }
    if (h->easy) {
        h->curl->curl_easy_cleanup_(h->easy);
    }
    if (h->multi) {
        h->curl->curl_multi_cleanup_(h->multi);
    }
    free(h);
}

static void touch(struct ia_http *h)
{
    h->activity_us = ia_mono_us(ia_clock_system());
}

/* The value of a header line when it has that name, with white space trimmed. */
static bool header_is(struct ia_str line, const char *name, struct ia_str *ret)
{
    size_t n = strlen(name);
    if (line.n <= n || strncasecmp(line.p, name, n) != 0 || line.p[n] != ':') {
        return false;
    }
    struct ia_str v = {line.p + n + 1, line.n - n - 1};
    while (v.n > 0 && (*v.p == ' ' || *v.p == '\t')) {
        v.p++;
        v.n--;
    }
    while (v.n > 0 && (unsigned char)v.p[v.n - 1] <= ' ') {
        v.n--;
    }
    *ret = v;
    return true;
}

/* Copies a value of printable ASCII; anything else, or one too long, counts as absent. */
static void keep(char *dst, size_t size, struct ia_str v)
{
    if (v.n >= size) {
        return;
    }
    for (size_t i = 0; i < v.n; i++) {
        if ((unsigned char)v.p[i] < ' ' || (unsigned char)v.p[i] > '~') {
            return;
        }
    }
    memcpy(dst, v.p, v.n);
    dst[v.n] = '\0';
}

static void take_header(struct ia_api_headers *h, struct ia_str line)
{
    struct ia_str v;
    if (header_is(line, "request-id", &v) ||
        (!h->request_id[0] && header_is(line, "x-request-id", &v))) {
        keep(h->request_id, sizeof(h->request_id), v);
    } else if (header_is(line, "retry-after", &v)) {
        keep(h->retry_after, sizeof(h->retry_after), v);
    } else if (header_is(line, "retry-after-ms", &v)) {
        keep(h->retry_after_ms, sizeof(h->retry_after_ms), v);
    } else if (header_is(line, "content-type", &v)) {
        keep(h->content_type, sizeof(h->content_type), v);
    } else if (header_is(line, "x-should-retry", &v)) {
        h->should_retry = ia_str_is(v, "true") ? 1 : ia_str_is(v, "false") ? 0 : -1;
    }
}

/* "HTTP/1.1 200 OK": the status of the answer that begins here, or 0. */
static int status_line(struct ia_str line)
{
    const char *space =
        line.n > 5 && memcmp(line.p, "HTTP/", 5) == 0 ? memchr(line.p, ' ', line.n) : NULL;
    if (!space || line.p + line.n - space < 4) {
        return 0;
    }
    int status = 0;
    for (int i = 1; i <= 3; i++) {
        if (space[i] < '0' || space[i] > '9') {
            return 0;
        }
        status = status * 10 + (space[i] - '0');
    }
    return status;
}

static size_t on_header(char *p, size_t size, size_t count, void *ctx)
{
    struct ia_http *h = ctx;
    struct ia_str line = {p, size * count};
    int status = status_line(line);
    touch(h);
    if (status > 0) {
        h->answer->status = status;
        h->answer->headers = (struct ia_api_headers){.should_retry = -1};
    } else {
        take_header(&h->answer->headers, line);
    }
    return line.n;
}

/* Keeps the start of an error body; the rest is read and dropped. */
static void keep_error_body(struct ia_buf *b, const char *p, size_t n)
{
    size_t room = IA_CLAUDE_ERROR_BODY_MAX - b->len;
    ia_buf_put(b, p, n < room ? n : room);
}

static size_t on_data(char *p, size_t size, size_t count, void *ctx)
{
    struct ia_http *h = ctx;
    size_t n = size * count;
    touch(h);
    if (h->answer->status != 200) {
        keep_error_body(&h->answer->error_body, p, n);
        return n;
    }
    h->failed = h->call->take(h->call->ctx, p, n, h->err);
    if (!h->failed && !h->complete_us && h->call->complete(h->call->ctx)) {
        h->complete_us = h->activity_us;
    }
    return h->failed ? 0 : n;
}

static size_t on_send(char *p, size_t size, size_t count, void *ctx)
{
    struct ia_http *h = ctx;
    size_t n = 0;
    touch(h);
    h->failed = ia_body_read(h->call->body, p, size * count, &n, h->err);
    return h->failed ? CURL_READFUNC_ABORT : n;
}

/* curl starts over when a kept connection turns out to be dead. */
static int on_seek(void *ctx, curl_off_t offset, int origin)
{
    struct ia_http *h = ctx;
    if (offset != 0 || origin != SEEK_SET) {
        return CURL_SEEKFUNC_CANTSEEK;
    }
    ia_body_rewind(h->call->body);
    return CURL_SEEKFUNC_OK;
}

static void set_long(struct ia_http *h, CURLoption option, long value)
{
    h->curl->curl_easy_setopt_(h->easy, option, value);
}

static void set_ptr(struct ia_http *h, CURLoption option, const void *value)
{
    h->curl->curl_easy_setopt_(h->easy, option, value);
}

static void set_callbacks(struct ia_http *h)
{
    h->curl->curl_easy_setopt_(h->easy, CURLOPT_HEADERFUNCTION, on_header);
    h->curl->curl_easy_setopt_(h->easy, CURLOPT_WRITEFUNCTION, on_data);
    h->curl->curl_easy_setopt_(h->easy, CURLOPT_READFUNCTION, on_send);
    h->curl->curl_easy_setopt_(h->easy, CURLOPT_SEEKFUNCTION, on_seek);
    set_ptr(h, CURLOPT_HEADERDATA, h);
    set_ptr(h, CURLOPT_WRITEDATA, h);
    set_ptr(h, CURLOPT_READDATA, h);
    set_ptr(h, CURLOPT_SEEKDATA, h);
    set_ptr(h, CURLOPT_ERRORBUFFER, h->message);
}

static void set_protocols(struct ia_http *h)
{
#if LIBCURL_VERSION_NUM >= 0x075500
    set_ptr(h, CURLOPT_PROTOCOLS_STR, "http,https");
#else
    set_long(h, CURLOPT_PROTOCOLS, CURLPROTO_HTTP | CURLPROTO_HTTPS);
#endif
    set_long(h, CURLOPT_FOLLOWLOCATION, 0);
    set_long(h, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS);
    set_long(h, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1);
#if LIBCURL_VERSION_NUM >= 0x075700
    set_long(h, CURLOPT_QUICK_EXIT, 1); /* a cancelled call does not wait for a name server */
#endif
}

static void set_connection(struct ia_http *h, const struct ia_http_call *call)
{
    set_ptr(h, CURLOPT_SHARE, h->share->handle);
    set_ptr(h, CURLOPT_URL, call->url);
    set_ptr(h, CURLOPT_PROXY, call->proxy);
    set_ptr(h, CURLOPT_CAINFO, call->ca_bundle);
    set_long(h, CURLOPT_NOSIGNAL, 1);
    set_long(h, CURLOPT_BUFFERSIZE, RECEIVE_BUFFER);
    set_long(h, CURLOPT_UPLOAD_BUFFERSIZE, SEND_BUFFER);
    set_long(h, CURLOPT_CONNECTTIMEOUT_MS, (long)call->connect_timeout_ms);
    set_long(h, CURLOPT_TCP_KEEPALIVE, 1);
    set_long(h, CURLOPT_TCP_KEEPIDLE, KEEPALIVE_S);
    set_long(h, CURLOPT_TCP_KEEPINTVL, KEEPALIVE_S);
}

static void set_request(struct ia_http *h, const struct ia_http_call *call)
{
    size_t n = 0;
    for (; n < IA_HTTP_HEADERS_MAX && call->headers[n]; n++) {
        h->headers[n] = (struct curl_slist){.data = call->headers[n]};
        if (n > 0) {
            h->headers[n - 1].next = &h->headers[n];
        }
    }
    set_ptr(h, CURLOPT_HTTPHEADER, n ? h->headers : NULL);
    set_long(h, CURLOPT_POST, 1);
    h->curl->curl_easy_setopt_(h->easy, CURLOPT_POSTFIELDSIZE_LARGE,
                               (curl_off_t)ia_body_size(call->body));
}

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* When the wait must end if nothing happens. */
static int64_t next_limit(const struct ia_http *h)
{
    int64_t idle = h->activity_us + h->call->idle_timeout_ms * 1000;
    int64_t tail =
        h->complete_us ? h->complete_us + INT64_C(1000) * IA_HTTP_TAIL_MS : INT64_MAX;
    return earlier(earlier(idle, tail), h->call->deadline_us);
}

/* IA_OK while the call may go on. */
static enum ia_rc check_limits(const struct ia_http *h, struct ia_err *err)
{
    int64_t now = ia_mono_us(ia_clock_system());
    if (ia_cancel_fired(h->call->cancel)) {
        return ia_err_set(err, IA_E_CANCELLED, "the call of the API was cancelled");
    }
    if (now >= h->call->deadline_us) {
        return ia_err_set(err, IA_E_TIMEOUT, "the time is up while the API answers");
    }
    if (now - h->activity_us >= h->call->idle_timeout_ms * 1000) {
        return ia_err_set(err, IA_E_API_TIMEOUT, "the API sent nothing for %lld seconds",
                          (long long)(h->call->idle_timeout_ms / 1000));
    }
    return IA_OK;
}

static void wait_for_traffic(struct ia_http *h)
{
    struct curl_waitfd extra = {.fd = ia_cancel_fd(h->call->cancel),
                                .events = CURL_WAIT_POLLIN};
    int64_t left_ms = (next_limit(h) - ia_mono_us(ia_clock_system()) + 999) / 1000;
    left_ms = left_ms < 0 ? 0 : earlier(left_ms, POLL_MAX_MS);
    h->curl->curl_multi_poll_(h->multi, &extra, extra.fd >= 0 ? 1 : 0, (int)left_ms, NULL);
}

static bool tail_lags(const struct ia_http *h)
{
    return h->complete_us &&
           ia_mono_us(ia_clock_system()) - h->complete_us >= INT64_C(1000) * IA_HTTP_TAIL_MS;
}

/* Runs the transfer until it ends, fails or is stopped. */
static enum ia_rc drive(struct ia_http *h, bool *ret_ended, struct ia_err *err)
{
    int running = 1;
    enum ia_rc rc = IA_OK;
    while (!rc && !tail_lags(h)) {
        if (h->curl->curl_multi_perform_(h->multi, &running) != CURLM_OK) {
            return ia_err_set(err, IA_E_INTERNAL, "libcurl cannot drive the transfer");
        }
        if (running == 0) {
            *ret_ended = true;
            return IA_OK;
        }
        rc = h->complete_us ? IA_OK : check_limits(h, err);
        if (!rc) {
            wait_for_traffic(h);
        }
    }
    return rc;
}

static CURLcode result_of(struct ia_http *h)
{
    int left;
    CURLMsg *m;
    CURLcode code = CURLE_OK;
    while ((m = h->curl->curl_multi_info_read_(h->multi, &left))) {
        if (m->msg == CURLMSG_DONE) {
            code = m->data.result;
        }
    }
    return code;
}

static enum ia_rc certificate_error(struct ia_http *h, const char *what, struct ia_err *err)
{
    enum ia_rc rc = ia_err_set(err, IA_E_API_NETWORK, "the connection to %s is not trusted: %s",
                               h->call->url, what);
    ia_err_hint(err,
                "if a gateway with its own certificate is in between, name its CA bundle in "
                "the configuration (api.ca_bundle)");
    return rc;
}

/* What a curl failure means. */
static enum ia_rc transfer_error(struct ia_http *h, CURLcode code, bool *ret_final,
                                 struct ia_err *err)
{
    const char *what = h->message[0] ? h->message : h->curl->curl_easy_strerror_(code);
    *ret_final = false;
    switch (code) {
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CERTPROBLEM:
        *ret_final = true;
        return certificate_error(h, what, err);
    case CURLE_URL_MALFORMAT:
    case CURLE_UNSUPPORTED_PROTOCOL:
        *ret_final = true;
        return ia_err_set(err, IA_E_CONFIG, "the base URL %s cannot be used: %s", h->call->url,
                          what);
    case CURLE_OPERATION_TIMEDOUT:
        return ia_err_set(err, IA_E_API_TIMEOUT, "%s: %s", h->call->url, what);
    default:
        break;
    }
    if (h->answer->status == 200) {
        return ia_err_set(err, IA_E_API_STREAM, "the answer broke off: %s", what);
    }
    return ia_err_set(err, IA_E_API_NETWORK, "cannot reach %s: %s", h->call->url, what);
}

static enum ia_rc run_transfer(struct ia_http *h, bool *ret_final, struct ia_err *err)
{
    bool ended = false;
    if (h->curl->curl_multi_add_handle_(h->multi, h->easy) != CURLM_OK) {
        return ia_err_set(err, IA_E_INTERNAL, "libcurl cannot start the transfer");
    }
    enum ia_rc rc = drive(h, &ended, err);
    CURLcode code = ended ? result_of(h) : CURLE_OK;
    h->curl->curl_multi_remove_handle_(h->multi, h->easy);
    if (rc || h->failed) {
        return rc ? rc : h->failed;
    }
    return code == CURLE_OK || h->complete_us ? IA_OK : transfer_error(h, code, ret_final, err);
}

enum ia_rc ia_http_post(struct ia_http *h, const struct ia_http_call *call,
                        struct ia_http_answer *answer, bool *ret_final, struct ia_err *err)
{
    *answer = (struct ia_http_answer){.headers = {.should_retry = -1},
                                      .error_body = IA_BUF(IA_CLAUDE_ERROR_BODY_MAX)};
    *ret_final = false;
    h->call = call;
    h->answer = answer;
    h->err = err;
    h->failed = IA_OK;
    h->complete_us = 0;
    h->message[0] = '\0';
    touch(h);
    /* Also forgets the header lines of the last call; the connection stays. */
    h->curl->curl_easy_reset_(h->easy);
    set_callbacks(h);
    set_protocols(h);
    set_connection(h, call);
    set_request(h, call);
    enum ia_rc rc = run_transfer(h, ret_final, err);
    h->curl->curl_easy_reset_(h->easy);
    return rc;
}
