/* http.c: a POST as two threads see it.
 *
 *   sending thread                      reactor's thread
 *   ia_http_post: options, start ─────► on_send, on_header, on_data
 *   waits on the pipe `wake`     ◄───── inbox filled, complete or ended: one byte into the pipe
 *   take_bytes: empties the inbox
 *   complete, or a limit: stop   ─────► handle removed
 *
 * The connection outlives the call: an answer that is complete waits IA_HTTP_TAIL_MS for its end,
 * so that the connection can be kept, and no longer. */
#include "net/http.h"

#include "base/clock.h"
#include "base/fd.h"

#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    RECEIVE_BUFFER = 4 * 1024, /* an event is some hundred bytes */
    SEND_BUFFER = 16 * 1024,
    KEEPALIVE_S = 60
};

struct ia_http {
    struct ia_curl_handle to;
    struct ia_reactor *reactor;
    struct ia_transfer_job job;
    struct ia_transfer_notice notice;
    struct ia_err callback_err;
    char message[CURL_ERROR_SIZE];
    struct curl_slist headers[IA_HTTP_HEADERS_MAX];
    int wake[2]; /* readable when there is something for the sending thread */
    /* Of the call under way. The reactor's thread writes these until the call has ended. */
    const struct ia_http_call *call;
    struct ia_http_answer *answer;
    enum ia_rc failed; /* what a callback found */
    bool body_began;   /* header lines are trailers from here on */
    size_t header_bytes;
    _Atomic int64_t activity_us; /* when the last byte went or came */
    pthread_mutex_t lock;        /* guards the rest */
    struct ia_buf inbox;         /* bytes for take, unless it is called directly */
    bool awake;                  /* the pipe holds a byte */
    bool complete;               /* take has all it needs */
    bool ended;
    CURLcode code;
};

/* Ends the sending thread's poll. Called with the lock held. */
static void wake_sender(struct ia_http *h)
{
    if (!h->awake) {
        ssize_t n = write(h->wake[1], "x", 1);
        h->awake = n == 1;
    }
}

void ia_http_ready(void *transfer)
{
    struct ia_http *h = transfer;
    pthread_mutex_lock(&h->lock);
    wake_sender(h);
    pthread_mutex_unlock(&h->lock);
}

void ia_http_done(void *transfer, CURLcode code)
{
    struct ia_http *h = transfer;
    pthread_mutex_lock(&h->lock);
    h->ended = true;
    h->code = code;
    wake_sender(h);
    pthread_mutex_unlock(&h->lock);
}

enum ia_rc ia_http_new(struct ia_reactor *reactor, struct ia_http **ret, struct ia_err *err)
{
    int wake[2];
    const struct ia_curl *curl = ia_curl(err);
    enum ia_rc rc = curl ? ia_pipe(wake, err) : IA_E_MISSING;
    if (rc) {
        return rc;
    }
    struct ia_http *h = ia_calloc(1, sizeof(*h));
    pthread_mutex_init(&h->lock, NULL);
    /* The reading end only: at most one byte is in the pipe, so a write never blocks. */
    (void)ia_fd_nonblocking(wake[0]);
    h->wake[0] = wake[0];
    h->wake[1] = wake[1];
    h->to.curl = curl;
    h->reactor = reactor;
    h->notice.transfer = h;
    h->to.easy = curl->curl_easy_init_();
    if (!h->to.easy) {
        ia_http_free(h);
        return ia_err_set(err, IA_E_INTERNAL, "libcurl cannot create a connection handle");
    }
    *ret = h;
    return IA_OK;
}

void ia_http_free(struct ia_http *h)
{
    if (!h) {
        return;
    }
    if (h->to.easy) {
        h->to.curl->curl_easy_cleanup_(h->to.easy);
    }
    close(h->wake[0]);
    close(h->wake[1]);
    pthread_mutex_destroy(&h->lock);
    ia_buf_fini(&h->inbox);
    free(h);
}

static void touch(struct ia_http *h)
{
    h->activity_us = ia_mono_us(ia_clock_system());
}

/* Hands "name: value" to the call, white space trimmed; any other line is ignored. */
static void pass_header(const struct ia_http_call *call, struct ia_str line)
{
    const char *colon = memchr(line.p, ':', line.n);
    if (!colon) {
        return;
    }
    struct ia_str name = {line.p, (size_t)(colon - line.p)};
    struct ia_str v = {colon + 1, line.n - name.n - 1};
    while (v.n > 0 && (*v.p == ' ' || *v.p == '\t')) {
        v.p++;
        v.n--;
    }
    while (v.n > 0 && (unsigned char)v.p[v.n - 1] <= ' ') {
        v.n--;
    }
    call->header(call->ctx, name, v);
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
    /* Interim answers and trailers count too: a server could send headers for ever. */
    h->header_bytes += line.n;
    if (h->header_bytes > IA_HTTP_HEADER_BYTES_MAX) {
        h->failed = ia_err_set(&h->callback_err, IA_E_API_PROTOCOL,
                               "the response headers are larger than %d bytes",
                               IA_HTTP_HEADER_BYTES_MAX);
        return 0;
    }
    if (h->body_began) {
        return line.n;
    }
    if (status > 0) {
        touch(h);
        h->answer->status = status;
        h->call->begin(h->call->ctx);
    } else {
        pass_header(h->call, line);
    }
    return line.n;
}

/* The call has all it needs. */
static void set_complete(struct ia_http *h)
{
    pthread_mutex_lock(&h->lock);
    h->complete = true;
    wake_sender(h);
    pthread_mutex_unlock(&h->lock);
}

/* Keeps the start of an error body, and waits for no more of it: it may have no end. */
static void keep_error_body(struct ia_http *h, const char *p, size_t n)
{
    struct ia_buf *b = &h->answer->error_body;
    size_t room = IA_HTTP_ERROR_BODY_MAX - b->len;
    ia_buf_put(b, p, n < room ? n : room);
    if (n >= room) {
        set_complete(h);
    }
}

static void take_on_reactor(struct ia_http *h, const char *p, size_t n)
{
    const struct ia_http_call *call = h->call;
    h->failed = call->take(call->ctx, p, n, &h->callback_err);
    if (!h->failed && call->complete(call->ctx)) {
        set_complete(h);
    }
}

/* Leaves bytes for the sending thread. */
static void leave_in_inbox(struct ia_http *h, const char *p, size_t n)
{
    pthread_mutex_lock(&h->lock);
    ia_buf_put(&h->inbox, p, n);
    h->failed = ia_buf_check(&h->inbox, "the answer", &h->callback_err);
    pthread_mutex_unlock(&h->lock);
    ia_reactor_notify(h->reactor, &h->notice);
}

static size_t on_data(char *p, size_t size, size_t count, void *ctx)
{
    struct ia_http *h = ctx;
    size_t n = size * count;
    h->body_began = true;
    if (h->answer->status != 200) {
        keep_error_body(h, p, n); /* no activity: it must be there within the idle time */
        return n;
    }
    touch(h);
    if (h->call->direct) {
        take_on_reactor(h, p, n);
    } else {
        leave_in_inbox(h, p, n);
    }
    return h->failed ? 0 : n;
}

static size_t on_send(char *p, size_t size, size_t count, void *ctx)
{
    struct ia_http *h = ctx;
    size_t n = 0;
    touch(h);
    h->failed = h->call->body.read(h->call->body.ctx, p, size * count, &n, &h->callback_err);
    return h->failed ? CURL_READFUNC_ABORT : n;
}

static int on_seek(void *ctx, curl_off_t offset, int origin)
{
    struct ia_http *h = ctx;
    /* curl asks for a rewind when it has to send the body again, for example on a new
     * connection. */
    if (offset != 0 || origin != SEEK_SET) {
        return CURL_SEEKFUNC_CANTSEEK;
    }
    h->call->body.rewind(h->call->body.ctx);
    return CURL_SEEKFUNC_OK;
}

static void set_callbacks(struct ia_http *h)
{
    h->to.curl->curl_easy_setopt_(h->to.easy, CURLOPT_HEADERFUNCTION, on_header);
    h->to.curl->curl_easy_setopt_(h->to.easy, CURLOPT_WRITEFUNCTION, on_data);
    h->to.curl->curl_easy_setopt_(h->to.easy, CURLOPT_READFUNCTION, on_send);
    h->to.curl->curl_easy_setopt_(h->to.easy, CURLOPT_SEEKFUNCTION, on_seek);
    ia_curl_ptr(&h->to, CURLOPT_HEADERDATA, h);
    ia_curl_ptr(&h->to, CURLOPT_WRITEDATA, h);
    ia_curl_ptr(&h->to, CURLOPT_READDATA, h);
    ia_curl_ptr(&h->to, CURLOPT_SEEKDATA, h);
    ia_curl_ptr(&h->to, CURLOPT_ERRORBUFFER, h->message);
    ia_curl_ptr(&h->to, CURLOPT_PRIVATE, h);
}

static void set_connection(struct ia_http *h, const struct ia_http_call *call)
{
    ia_curl_ptr(&h->to, CURLOPT_URL, call->url);
    ia_curl_ptr(&h->to, CURLOPT_PROXY, call->proxy);
    if (call->ca_bundle) { /* NULL would take away the bundle that libcurl was built with */
        ia_curl_ptr(&h->to, CURLOPT_CAINFO, call->ca_bundle);
    }
    ia_curl_long(&h->to, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS);
    ia_curl_long(&h->to, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1);
    ia_curl_long(&h->to, CURLOPT_BUFFERSIZE, RECEIVE_BUFFER);
    ia_curl_long(&h->to, CURLOPT_UPLOAD_BUFFERSIZE, SEND_BUFFER);
    ia_curl_long(&h->to, CURLOPT_CONNECTTIMEOUT_MS, (long)call->connect_timeout_ms);
    ia_curl_long(&h->to, CURLOPT_TCP_KEEPALIVE, 1);
    ia_curl_long(&h->to, CURLOPT_TCP_KEEPIDLE, KEEPALIVE_S);
    ia_curl_long(&h->to, CURLOPT_TCP_KEEPINTVL, KEEPALIVE_S);
}

static void set_request(struct ia_http *h, const struct ia_http_call *call)
{
    size_t n = 0;
    for (; n < IA_HTTP_HEADERS_MAX && call->headers[n]; n++) {
        /* A list in place: curl only reads it, and it lives as long as the handle. */
        h->headers[n] = (struct curl_slist){.data = call->headers[n]};
        if (n > 0) {
            h->headers[n - 1].next = &h->headers[n];
        }
    }
    ia_curl_ptr(&h->to, CURLOPT_HTTPHEADER, n ? h->headers : NULL);
    if (call->method) {
        ia_curl_long(&h->to, CURLOPT_HTTPGET, 1);
        ia_curl_ptr(&h->to, CURLOPT_CUSTOMREQUEST, call->method);
        return;
    }
    ia_curl_long(&h->to, CURLOPT_POST, 1);
    h->to.curl->curl_easy_setopt_(h->to.easy, CURLOPT_POSTFIELDSIZE_LARGE,
                                  (curl_off_t)call->body.size_bytes);
}

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* What the sending thread keeps track of while it waits. */
struct wait {
    bool complete;
    bool ended;
    int64_t complete_us; /* when it was seen to be complete */
    int64_t beat_us;     /* when the next beat is due */
};

/* When to check the limits again if nothing happens. */
static int64_t next_limit(const struct ia_http *h, const struct wait *w)
{
    int64_t idle = h->activity_us + h->call->idle_timeout_ms * 1000;
    int64_t limit = earlier(earlier(idle, w->beat_us), h->call->deadline_us);
    int64_t tail = w->complete_us + INT64_C(1000) * IA_HTTP_TAIL_MS;
    return w->complete ? earlier(limit, tail) : limit;
}

/* IA_OK while the call may go on. */
static enum ia_rc check_limits(const struct ia_http *h, struct ia_err *err)
{
    int64_t now = ia_mono_us(ia_clock_system());
    /* The caller's wish before the clock's, so that a cancelled run never ends as timed out. */
    if (ia_cancel_fired(h->call->cancel)) {
        return ia_err_set(err, IA_E_CANCELLED, "the request was cancelled");
    }
    if (now >= h->call->deadline_us) {
        return ia_err_set(err, IA_E_TIMEOUT,
                          "the time ran out before the server finished its answer");
    }
    if (now - h->activity_us >= h->call->idle_timeout_ms * 1000) {
        return ia_err_set(err, IA_E_API_TIMEOUT, "the server sent nothing for %lld seconds",
                          (long long)(h->call->idle_timeout_ms / 1000));
    }
    return IA_OK;
}

/* Takes over what the reactor's thread left. */
static struct ia_buf empty_inbox(struct ia_http *h, struct wait *w)
{
    char bytes[8];
    pthread_mutex_lock(&h->lock);
    if (h->awake) {
        ssize_t n = read(h->wake[0], bytes, sizeof(bytes));
        (void)n;
        h->awake = false;
    }
    struct ia_buf got = h->inbox;
    h->inbox = IA_BUF(h->call->bytes_max);
    w->ended = h->ended;
    w->complete = w->complete || h->complete;
    pthread_mutex_unlock(&h->lock);
    return got;
}

/* Hands the bytes that arrived to the call, and notes what else happened. */
static enum ia_rc take_bytes(struct ia_http *h, struct wait *w, struct ia_err *err)
{
    const struct ia_http_call *call = h->call;
    bool was_complete = w->complete;
    struct ia_buf got = empty_inbox(h, w);
    enum ia_rc rc = IA_OK;
    /* Outside the lock: take may be slow, and the reactor serves others. */
    if (got.len > 0) {
        rc = call->take(call->ctx, got.p, got.len, err);
        w->complete = !rc && call->complete(call->ctx);
    }
    ia_buf_fini(&got);
    if (w->complete && !was_complete) {
        w->complete_us = ia_mono_us(ia_clock_system());
    }
    return rc;
}

static void beat(const struct ia_http *h, struct wait *w)
{
    int64_t now = ia_mono_us(ia_clock_system());
    if (now >= w->beat_us) {
        w->beat_us = now + INT64_C(1000) * IA_HTTP_BEAT_MS;
        h->call->beat(h->call->ctx);
    }
}

/* Whether a complete answer is no longer worth waiting for the end of its transfer, which only
 * saves the connection: it is late, or the caller has been asked to stop. */
static bool tail_lags(const struct ia_http *h, const struct wait *w)
{
    if (!w->complete) {
        return false;
    }
    return ia_cancel_fired(h->call->cancel) ||
           ia_mono_us(ia_clock_system()) - w->complete_us >= INT64_C(1000) * IA_HTTP_TAIL_MS;
}

/* Waits until the transfer ended, its answer is complete and its end is late, or it must stop. */
static enum ia_rc wait_for_end(struct ia_http *h, struct wait *w, struct ia_err *err)
{
    for (;;) {
        enum ia_rc rc = take_bytes(h, w, err);
        if (rc || w->ended || tail_lags(h, w)) {
            return rc;
        }
        /* A complete answer is kept even if the deadline passes while its tail is waited
         * for. */
        rc = w->complete ? IA_OK : check_limits(h, err);
        if (rc) {
            return rc;
        }
        if (h->call->beat) {
            beat(h, w);
        }
        struct pollfd fd = {.fd = h->wake[0], .events = POLLIN};
        int ready;
        (void)ia_cancel_poll(h->call->cancel, &fd, 1, next_limit(h, w), &ready);
    }
}

static enum ia_rc certificate_error(struct ia_http *h, const char *what, struct ia_err *err)
{
    enum ia_rc rc = ia_err_set(err, IA_E_API_NETWORK, "the connection to %s is not trusted: %s",
                               h->call->url, what);
    ia_err_hint(err, "if a gateway with its own certificate is in the way, set its CA bundle "
                     "in the configuration (api.ca_bundle)");
    return rc;
}

/* What a curl failure means. */
static enum ia_rc transfer_error(struct ia_http *h, CURLcode code, bool *ret_final,
                                 struct ia_err *err)
{
    const char *what = h->message[0] ? h->message : h->to.curl->curl_easy_strerror_(code);
    *ret_final = false;
    switch (code) {
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CERTPROBLEM:
        *ret_final = true;
        return certificate_error(h, what, err);
    case CURLE_UNSUPPORTED_PROTOCOL:
        /* Also curl's code for an answer that is no HTTP; the scheme was checked before. */
        *ret_final = true;
        return ia_err_set(err, IA_E_API_PROTOCOL, "%s does not answer as the API does: %s",
                          h->call->url, what);
    case CURLE_URL_MALFORMAT:
        *ret_final = true;
        return ia_err_set(err, IA_E_CONFIG, "cannot use the base URL %s: %s", h->call->url,
                          what);
    case CURLE_OPERATION_TIMEDOUT:
        return ia_err_set(err, IA_E_API_TIMEOUT, "%s: %s", h->call->url, what);
    default:
        break;
    }
    /* The server had begun to answer, so it is the stream that broke and not the way to the
     * server. */
    if (h->answer->status == 200) {
        return ia_err_set(err, IA_E_API_STREAM, "the answer was cut off: %s", what);
    }
    return ia_err_set(err, IA_E_API_NETWORK, "cannot reach %s: %s", h->call->url, what);
}

static enum ia_rc run_transfer(struct ia_http *h, bool *ret_final, struct ia_err *err)
{
    struct wait w = {.beat_us = h->call->beat ? ia_mono_us(ia_clock_system()) : INT64_MAX};
    ia_reactor_start(h->reactor, &h->job, h->to.easy);
    enum ia_rc rc = wait_for_end(h, &w, err);
    /* Waited for: after it no callback of this call can run, so h is this thread's alone. */
    if (!w.ended) {
        struct ia_transfer_job stop;
        ia_reactor_stop(h->reactor, &stop, h->to.easy);
    }
    if (rc) {
        return rc;
    }
    if (h->failed) {
        if (err) {
            *err = h->callback_err;
        }
        return h->failed;
    }
    return w.complete || h->code == CURLE_OK ? IA_OK
                                             : transfer_error(h, h->code, ret_final, err);
}

/* Forgets the call before, and its header lines with it; the connection stays. */
static void reset(struct ia_http *h)
{
    ia_curl_begin(&h->to);
    h->failed = IA_OK;
    h->body_began = false;
    h->header_bytes = 0;
    h->complete = h->ended = false;
    h->code = CURLE_OK;
    h->message[0] = '\0';
    ia_buf_fini(&h->inbox);
    h->inbox = IA_BUF(h->call->bytes_max);
    touch(h);
}

enum ia_rc ia_http_post(struct ia_http *h, const struct ia_http_call *call,
                        struct ia_http_answer *answer, bool *ret_final, struct ia_err *err)
{
    *answer = (struct ia_http_answer){.error_body = IA_BUF(IA_HTTP_ERROR_BODY_MAX)};
    call->begin(call->ctx);
    *ret_final = false;
    h->call = call;
    h->answer = answer;
    /* Before the first use and after the last: curl must not keep pointers into a call that
     * is over. */
    reset(h);
    set_callbacks(h);
    set_connection(h, call);
    set_request(h, call);
    enum ia_rc rc = run_transfer(h, ret_final, err);
    reset(h);
    return rc;
}
