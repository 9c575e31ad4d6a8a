/* bus.c: JetStream through libnats. ia_bus_fail maps the library's statuses to error codes. */
#include "fleet/bus_impl.h"

#include "base/clock.h"
#include "base/log.h"
#include "fleet/server_info.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
    CONNECT_MS = 5000,
    RECONNECT_WAIT_MS = 250,
    PING_MS = 2000, /* a frozen server is noticed after three */
    PINGS_MAX = 3,
    PUBLISH_WAIT_MS = 4000,
    UNLISTEN_MS = 2000,
};
static const int64_t NS_PER_S = 1000000000;

struct ia_bus_watch {
    struct ia_bus *bus;
    natsSubscription *subscription;
    ia_bus_heard *fn;
    void *ctx;
    pthread_mutex_t mutex; /* held while fn runs */
    pthread_cond_t ended;
    bool closed, complete; /* guarded by mutex; complete: the library makes no more calls */
};

/* ---- errors ------------------------------------------------------------------------------ */

/* The server has one code for everything that its store refuses; text: its message. */
static enum ia_rc code_of(natsStatus status, int js, const char *text)
{
    switch (js) {
    case JSStreamWrongLastSequenceErr:
    case JSStreamNameExistErr:
        return IA_E_STATE;
    case JSStreamStoreFailedErr:
        return text && strstr(text, "per subject") ? IA_E_STATE : IA_E_IO;
    case JSConsumerNotFoundErr:
    case JSStreamNotFoundErr:
    case JSNoMessageFoundErr:
        return IA_E_NOT_FOUND;
    default:
        break;
    }
    switch (status) {
    case NATS_OK:
        return IA_OK;
    case NATS_CONNECTION_AUTH_FAILED:
    case NATS_NOT_PERMITTED:
    case NATS_SSL_ERROR:
        return IA_E_AUTH;
    case NATS_NOT_FOUND:
        return IA_E_NOT_FOUND;
    case NATS_MAX_PAYLOAD:
        return IA_E_LIMIT;
    case NATS_NO_RESPONDERS:
    case NATS_TIMEOUT:
    case NATS_CONNECTION_DISCONNECTED:
    case NATS_CONNECTION_CLOSED:
    case NATS_NO_SERVER:
    case NATS_INSUFFICIENT_BUFFER: /* too much is buffered for the reconnect */
        return IA_E_TIMEOUT;
    default:
        return IA_E_IO;
    }
}

enum ia_rc ia_bus_fail(struct ia_bus *bus, natsStatus status, int js, const char *what,
                       struct ia_err *err)
{
    if (status == NATS_OK) {
        return IA_OK;
    }
    const char *more = bus->nats->nats_GetLastError_(NULL);
    enum ia_rc rc = code_of(status, js, more);
    /* A refused permission looks like a timeout; only the connection's last error tells. */
    if (rc == IA_E_TIMEOUT && atomic_exchange(&bus->denied, false)) {
        rc = IA_E_AUTH;
    }
    rc = ia_err_set(err, rc, "fleet server %s: cannot %s: %.200s%s%.200s", bus->shown_url, what,
                    bus->nats->natsStatus_GetText_(status), more && more[0] ? ": " : "",
                    more ? more : "");
    if (rc == IA_E_AUTH && err) {
        ia_err_hint(err, "check the permissions of this user in the server's configuration "
                         "(docs/fleet.md lists them)");
    }
    return rc;
}

static void on_error(natsConnection *nc, natsSubscription *sub, natsStatus status, void *ctx)
{
    struct ia_bus *bus = ctx;
    (void)nc;
    (void)sub;
    if (status == NATS_NOT_PERMITTED) {
        atomic_store(&bus->denied, true);
    }
    IA_LOG(IA_LOG_WARN, "fleet.connection",
           IA_S("why", bus->nats->natsStatus_GetText_(status)));
}

/* ---- the connection ---------------------------------------------------------------------- */

void ia_bus_hide(const char *url, struct ia_buf *out)
{
    const char *host = strstr(url, "://");
    const char *at = strrchr(url, '@');
    if (!at || !host || at < host) {
        ia_buf_puts(out, url);
        return;
    }
    ia_buf_put(out, url, (size_t)(host - url) + 3);
    ia_buf_puts(out, "***");
    ia_buf_puts(out, at);
}

static bool given(const char *text)
{
    return text && text[0] != '\0';
}

static natsStatus read_options(const struct ia_nats *nats, natsOptions *o,
                               const struct ia_bus_opts *opts, struct ia_bus *bus)
{
    natsStatus s = nats->natsOptions_SetURL_(o, opts->url);
    s = s ? s : nats->natsOptions_SetName_(o, opts->name ? opts->name : "ios-agent");
    s = s ? s : nats->natsOptions_SetTimeout_(o, CONNECT_MS);
    s = s ? s : nats->natsOptions_SetMaxReconnect_(o, -1);
    s = s ? s : nats->natsOptions_SetReconnectWait_(o, RECONNECT_WAIT_MS);
    /* No buffering while disconnected: a publish fails at once, and the caller retries it with the same id. */
    s = s ? s : nats->natsOptions_SetReconnectBufSize_(o, 1);
    s = s ? s : nats->natsOptions_SetPingInterval_(o, PING_MS);
    s = s ? s : nats->natsOptions_SetMaxPingsOut_(o, PINGS_MAX);
    s = s ? s : nats->natsOptions_SetErrorHandler_(o, on_error, bus);
    if (!s && given(opts->inbox)) {
        s = nats->natsOptions_SetCustomInboxPrefix_(o, opts->inbox);
    }
    if (!s && given(opts->creds)) {
        s = nats->natsOptions_SetUserCredentialsFromFiles_(o, opts->creds, NULL);
    }
    return s;
}

static bool first_line(const char *path, char *dst, size_t size)
{
    FILE *f = fopen(path, "re");
    bool ok = f && fgets(dst, (int)size, f);
    if (f) {
        (void)fclose(f);
    }
    if (ok) {
        dst[strcspn(dst, "\r\n")] = '\0';
    }
    return ok;
}

/* The library needs the public key as well, which is read from the file beside the seed, PATH.pub. */
static natsStatus read_nkey(const struct ia_nats *nats, natsOptions *o, const char *path)
{
    char line[128];
    char public_path[4096];
    (void)snprintf(public_path, sizeof(public_path), "%s.pub", path);
    return first_line(public_path, line, sizeof(line))
               ? nats->natsOptions_SetNKeyFromSeed_(o, line, path)
               : NATS_NOT_FOUND;
}

static natsStatus read_tls(const struct ia_nats *nats, natsOptions *o,
                           const struct ia_bus_opts *opts)
{
    natsStatus s = NATS_OK;
    if (strncmp(opts->url, "tls://", 6) == 0 || given(opts->ca) || given(opts->cert)) {
        s = nats->natsOptions_SetSecure_(o, true);
    }
    if (!s && given(opts->ca)) {
        s = nats->natsOptions_LoadCATrustedCertificates_(o, opts->ca);
    }
    if (!s && given(opts->cert)) {
        s = nats->natsOptions_LoadCertificatesChain_(o, opts->cert, opts->key);
    }
    return s;
}

static enum ia_rc connect_to(struct ia_bus *bus, const struct ia_bus_opts *opts,
                             struct ia_err *err)
{
    const struct ia_nats *nats = bus->nats;
    natsOptions *o = NULL;
    natsStatus s = nats->natsOptions_Create_(&o);
    s = s ? s : read_options(nats, o, opts, bus);
    if (!s && given(opts->nkey)) {
        s = read_nkey(nats, o, opts->nkey);
    }
    s = s ? s : read_tls(nats, o, opts);
    s = s ? s : nats->natsConnection_Connect_(&bus->connection, o);
    nats->natsOptions_Destroy_(o);
    s = s ? s : nats->natsConnection_JetStream_(&bus->js, bus->connection, NULL);
    enum ia_rc rc = ia_bus_fail(bus, s, 0, "connect", err);
    return rc == IA_E_TIMEOUT ? (err ? (err->code = IA_E_IO) : IA_E_IO) : rc;
}

/* Messages contain the text of goals, so connections to other machines must be encrypted. */
static enum ia_rc check_url(const struct ia_bus_opts *opts, struct ia_err *err)
{
    bool plain = strncmp(opts->url, "nats://", 7) == 0;
    if (!plain && strncmp(opts->url, "tls://", 6) != 0) {
        enum ia_rc rc = ia_err_set(err, IA_E_USAGE,
                                   "%.200s is not the address of a NATS server", opts->url);
        ia_err_hint(err, "nats://HOST:PORT on this machine, tls://HOST:PORT elsewhere");
        return rc;
    }
    if (plain && !given(opts->ca) && !ia_server_is_local(opts->url)) {
        enum ia_rc rc = ia_err_set(
            err, IA_E_USAGE, "a fleet server on another machine must be reached over TLS");
        ia_err_hint(err,
                    "tls://HOST:PORT; fleet.ca names the authority of a private certificate");
        return rc;
    }
    return IA_OK;
}

enum ia_rc ia_bus_open(const struct ia_bus_opts *opts, struct ia_bus **ret, struct ia_err *err)
{
    struct ia_buf shown = IA_BUF(4096);
    enum ia_rc rc = check_url(opts, err);
    if (rc != IA_OK) {
        return rc;
    }
    const struct ia_nats *nats = ia_nats(err);
    if (!nats) {
        return IA_E_MISSING;
    }
    ia_bus_hide(opts->url, &shown);
    struct ia_bus *bus = ia_calloc(1, sizeof(*bus));
    bus->nats = nats;
    bus->shown_url = ia_buf_steal(&shown);
    rc = ia_server_check(opts->url, IA_BUS_SERVER_MIN, err);
    rc = rc == IA_OK ? connect_to(bus, opts, err) : rc;
    if (rc != IA_OK) {
        ia_bus_close(bus);
        return rc;
    }
    *ret = bus;
    return IA_OK;
}

void ia_bus_close(struct ia_bus *bus)
{
    if (!bus) {
        return;
    }
    bus->nats->jsCtx_Destroy_(bus->js);
    bus->nats->natsConnection_Destroy_(bus->connection);
    free(bus->shown_url);
    free(bus);
}

bool ia_bus_connected(const struct ia_bus *bus)
{
    return bus->nats->natsConnection_Status_(bus->connection) == NATS_CONN_STATUS_CONNECTED;
}

const char *ia_bus_shown_url(const struct ia_bus *bus)
{
    return bus->shown_url;
}

/* ---- streams ----------------------------------------------------------------------------- */

enum ia_rc ia_bus_add_stream(struct ia_bus *bus, const struct ia_bus_stream *stream,
                             struct ia_err *err)
{
    jsStreamConfig c;
    jsStreamInfo *info = NULL;
    jsErrCode js = 0;
    const char *subjects[] = {stream->subjects};
    (void)bus->nats->jsStreamConfig_Init_(&c);
    c.Name = stream->name;
    c.Subjects = subjects;
    c.SubjectsLen = 1;
    c.Retention = stream->work_queue ? js_WorkQueuePolicy : js_LimitsPolicy;
    c.Storage = js_FileStorage;
    c.DenyDelete = c.DenyPurge = stream->keeps;
    c.MaxAge = stream->max_age_s * NS_PER_S;
    c.MaxBytes = stream->max_bytes > 0 ? stream->max_bytes : -1;
    c.MaxMsgSize = stream->message_max;
    c.Replicas = stream->replicas;
    c.Duplicates = 600 * NS_PER_S;
    c.Discard = js_DiscardNew;
    if (stream->per_subject > 0) {
        c.MaxMsgsPerSubject = stream->per_subject;
        c.DiscardNewPerSubject = true;
    }
    natsStatus s = bus->nats->js_AddStream_(&info, bus->js, &c, NULL, &js);
    bus->nats->jsStreamInfo_Destroy_(info);
    enum ia_rc rc = ia_bus_fail(bus, s, (int)js, "make the stream", err);
    if (rc == IA_E_STATE) {
        ia_err_hint(err,
                    "another version made the stream %s; `nats stream rm` removes it once "
                    "no sweep is under way",
                    stream->name);
    }
    return rc;
}

enum ia_rc ia_bus_count(struct ia_bus *bus, const char *stream, struct ia_bus_count *ret,
                        struct ia_err *err)
{
    jsStreamInfo *info = NULL;
    jsErrCode js = 0;
    natsStatus s = bus->nats->js_GetStreamInfo_(&info, bus->js, stream, NULL, &js);
    if (s == NATS_OK) {
        *ret = (struct ia_bus_count){info->State.Msgs, info->State.Bytes};
    }
    bus->nats->jsStreamInfo_Destroy_(info);
    return ia_bus_fail(bus, s, (int)js, "read the stream", err);
}

enum ia_rc ia_bus_purge(struct ia_bus *bus, const char *stream, const char *subject,
                        struct ia_err *err)
{
    jsOptions o;
    jsErrCode js = 0;
    (void)bus->nats->jsOptions_Init_(&o);
    o.Stream.Purge.Subject = subject;
    natsStatus s = bus->nats->js_PurgeStream_(bus->js, stream, &o, &js);
    return ia_bus_fail(bus, s, (int)js, "take back what waits", err);
}

enum ia_rc ia_bus_publish(struct ia_bus *bus, const char *subject, struct ia_str body,
                          const char *id, bool once, enum ia_bus_put *ret, struct ia_err *err)
{
    jsPubOptions o;
    jsPubAck *ack = NULL;
    jsErrCode js = 0;
    if (body.n > INT32_MAX ||
        (int64_t)body.n > bus->nats->natsConnection_GetMaxPayload_(bus->connection)) {
        return ia_err_set(err, IA_E_LIMIT,
                          "a message of %zu bytes is more than the server takes", body.n);
    }
    (void)bus->nats->jsPubOptions_Init_(&o);
    o.MsgId = id;
    o.ExpectNoMessage = once;
    o.MaxWait = PUBLISH_WAIT_MS;
    natsStatus s = bus->nats->js_Publish_(&ack, bus->js, subject, body.p, (int)body.n, &o, &js);
    if (s == NATS_OK) {
        *ret = ack->Duplicate ? IA_BUS_DUPLICATE : IA_BUS_STORED;
    } else if (s != NATS_OK &&
               code_of(s, (int)js, bus->nats->nats_GetLastError_(NULL)) == IA_E_STATE) {
        *ret = IA_BUS_TAKEN;
        s = NATS_OK;
    }
    bus->nats->jsPubAck_Destroy_(ack);
    return ia_bus_fail(bus, s, (int)js, "publish", err);
}

enum ia_rc ia_bus_last(struct ia_bus *bus, const char *stream, const char *subject,
                       struct ia_buf *ret_body, bool *ret_found, struct ia_err *err)
{
    natsMsg *m = NULL;
    jsErrCode js = 0;
    natsStatus s = bus->nats->js_GetLastMsg_(&m, bus->js, stream, subject, NULL, &js);
    *ret_found = s == NATS_OK;
    if (s == NATS_OK) {
        ia_buf_put(ret_body, bus->nats->natsMsg_GetData_(m),
                   (size_t)bus->nats->natsMsg_GetDataLength_(m));
        bus->nats->natsMsg_Destroy_(m);
    }
    enum ia_rc rc = ia_bus_fail(bus, s, (int)js, "read the last message", err);
    return rc == IA_E_NOT_FOUND && js != JSStreamNotFoundErr ? IA_OK : rc;
}

/* ---- telling ----------------------------------------------------------------------------- */

void ia_bus_tell(struct ia_bus *bus, const char *subject, struct ia_str body)
{
    (void)bus->nats->natsConnection_Publish_(bus->connection, subject, body.p, (int)body.n);
}

void ia_bus_flush(struct ia_bus *bus, int64_t ms)
{
    (void)bus->nats->natsConnection_FlushTimeout_(bus->connection, ms);
}

static void on_message(natsConnection *nc, natsSubscription *sub, natsMsg *m, void *ctx)
{
    struct ia_bus_watch *w = ctx;
    (void)nc;
    (void)sub;
    pthread_mutex_lock(&w->mutex);
    if (!w->closed) {
        const struct ia_str body = {w->bus->nats->natsMsg_GetData_(m),
                                    (size_t)w->bus->nats->natsMsg_GetDataLength_(m)};
        w->fn(w->ctx, w->bus->nats->natsMsg_GetSubject_(m), body);
    }
    pthread_mutex_unlock(&w->mutex);
    w->bus->nats->natsMsg_Destroy_(m);
}

static void on_complete(void *ctx)
{
    struct ia_bus_watch *w = ctx;
    pthread_mutex_lock(&w->mutex);
    w->complete = true;
    pthread_cond_signal(&w->ended);
    pthread_mutex_unlock(&w->mutex);
}

static void watch_free(struct ia_bus_watch *w)
{
    pthread_cond_destroy(&w->ended);
    pthread_mutex_destroy(&w->mutex);
    free(w);
}

enum ia_rc ia_bus_listen(struct ia_bus *bus, const char *subject, ia_bus_heard *fn, void *ctx,
                         struct ia_bus_watch **ret, struct ia_err *err)
{
    struct ia_bus_watch *w = ia_calloc(1, sizeof(*w));
    w->bus = bus;
    w->fn = fn;
    w->ctx = ctx;
    pthread_mutex_init(&w->mutex, NULL);
    pthread_cond_init(&w->ended, NULL);
    natsStatus s = bus->nats->natsConnection_Subscribe_(&w->subscription, bus->connection,
                                                        subject, on_message, w);
    if (s != NATS_OK) {
        watch_free(w);
        return ia_bus_fail(bus, s, 0, "listen", err);
    }
    (void)bus->nats->natsSubscription_SetOnCompleteCB_(w->subscription, on_complete, w);
    *ret = w;
    return IA_OK;
}

void ia_bus_unlisten(struct ia_bus_watch *watch)
{
    if (!watch) {
        return;
    }
    int64_t wall_ms = ia_wall_ms(ia_clock_system()) + UNLISTEN_MS;
    const struct timespec until = {.tv_sec = wall_ms / 1000,
                                   .tv_nsec = (wall_ms % 1000) * 1000000};
    pthread_mutex_lock(&watch->mutex);
    watch->closed = true;
    pthread_mutex_unlock(&watch->mutex);
    watch->bus->nats->natsSubscription_Destroy_(watch->subscription);
    pthread_mutex_lock(&watch->mutex);
    while (!watch->complete &&
           pthread_cond_timedwait(&watch->ended, &watch->mutex, &until) == 0) {
    }
    bool complete = watch->complete;
    pthread_mutex_unlock(&watch->mutex);
    if (complete) { /* otherwise the library may still call and finds it closed */
        watch_free(watch);
    }
}
