/* connection.c: one request over a Unix socket, and what is known of it when it fails.
 *
 *   nothing written                 not sent
 *   reset before the answer begins  not sent: a peer that goes away with bytes that it did not read
 *                                   resets the connection, and a request is begun when it was read
 *   anything else                   it may have been done
 */
#include "client/connection.h"

#include "base/cancel.h"
#include "base/clock.h"
#include "base/fd.h"
#include "base/paths.h"
#include "base/rand.h"
#include "client/answer.h"
#include "client/build.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { CHUNK = 64 << 10, CWD_MAX = 4096 };

bool ia_client_dial(struct ia_client *c, const struct ia_address *address)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    _Static_assert(sizeof(to.sun_path) > IA_ADDRESS_MAX, "an address fits");
    memcpy(to.sun_path, address->path, sizeof(address->path));
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (fd < 0) {
        return false;
    }
    (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
    if (connect(fd, (const struct sockaddr *)&to, sizeof(to)) != 0 ||
        ia_fd_nonblocking(fd) != IA_OK) {
        int saved = errno;
        close(fd);
        errno = saved;
        return false;
    }
    c->fd = fd;
    return true;
}

void ia_client_hang_up(struct ia_client *c)
{
    if (c->fd >= 0) {
        close(c->fd);
    }
    c->fd = -1;
}

/* ---- writing ------------------------------------------------------------------------------ */

/* A header's value has no control characters: one with any is left out. */
static void put_header(struct ia_buf *out, const char *name, const char *value)
{
    bool plain = value && *value != '\0';
    for (const char *p = value; plain && *p != '\0'; p++) {
        plain = (unsigned char)*p >= 0x20 && *p != 0x7f;
    }
    if (plain) {
        ia_buf_printf(out, "%s: %s\r\n", name, value);
    }
}

/* The daemon's environment is that of whoever started it. */
static void lend_environment(struct ia_buf *out, const char *cwd)
{
    const char *token = ia_env_get(NULL, "IOS_AGENT_DEVICE_TOKEN");
    const char *caps = ia_env_get(NULL, "IOS_AGENT_APPIUM_CAPS");
    char *line = token ? ia_strndup(token, strcspn(token, "\r\n")) : NULL;
    char *path = caps && *caps != '\0' && cwd ? ia_path_join(cwd, caps) : ia_strdup(caps);
    put_header(out, "Ios-Agent-Device-Token", line);
    put_header(out, "Ios-Agent-Appium-Caps", path);
    ia_free_wiped(line);
    free(path);
}

static void write_request(struct ia_client *c, const struct ia_client_request *q)
{
    char cwd[CWD_MAX], id[IA_ID_SIZE];
    struct ia_buf *out = &c->out;
    ia_id_new(ia_clock_system(), ia_rand_system(), id);
    ia_buf_reset(out);
    ia_buf_printf(out, "%s /v%d%s HTTP/1.1\r\nHost: localhost\r\nContent-Length: %zu\r\n",
                  q->method, ia_build_api(), q->path, q->body.n);
    put_header(out, "Content-Type", q->body.n > 0 ? "application/json" : NULL);
    put_header(out, "Accept", q->piece ? "application/json, text/event-stream" : NULL);
    put_header(out, "Ios-Agent-Build", ia_build_id());
    put_header(out, "Ios-Agent-Request-Id", id);
    ia_buf_printf(out, "Ios-Agent-Deadline-Ms: %lld\r\n", (long long)q->deadline_ms);
    const char *folder = getcwd(cwd, sizeof(cwd));
    put_header(out, "Ios-Agent-Cwd", folder);
    put_header(out, "Ios-Agent-Device", q->device);
    put_header(out, "Ios-Agent-Session", q->session);
    put_header(out, "Ios-Agent-Api-Base-Url", q->api_base_url);
    if (q->lends) {
        lend_environment(out, folder);
    }
    if (q->secret.name) {
        ia_buf_printf(out, "%s: ", q->secret.name);
        ia_buf_putstr(out, q->secret.value);
        ia_buf_puts(out, "\r\n");
    }
    ia_buf_puts(out, "\r\n");
    ia_buf_putstr(out, q->body);
}

static enum ia_rc wait_for(const struct ia_client *c, const struct ia_client_request *q,
                           short events, int64_t until_us)
{
    struct pollfd fd = {c->fd, events, 0};
    int ready;
    return ia_cancel_poll(q->cancel, &fd, 1, until_us, &ready);
}

static enum ia_rc cancelled(struct ia_err *err)
{
    return ia_err_set(err, IA_E_CANCELLED, "cancelled before the daemon answered");
}

static bool would_block(void)
{
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

static enum ia_rc lost(struct ia_err *err, const char *what)
{
    return ia_err_set(err, IA_E_IO, "%s the daemon: %s", what, strerror(errno));
}

static enum ia_rc send_all(struct ia_client *c, const struct ia_client_request *q,
                           int64_t until_us, size_t *ret_sent, struct ia_err *err)
{
    enum ia_rc rc = IA_OK;
    *ret_sent = 0;
    while (*ret_sent < c->out.len) {
        ssize_t n = send(c->fd, c->out.p + *ret_sent, c->out.len - *ret_sent, 0);
        if (n > 0) {
            *ret_sent += (size_t)n;
        } else if (!would_block()) {
            return lost(err, "cannot write to");
        } else if ((rc = wait_for(c, q, POLLOUT, until_us)) == IA_E_CANCELLED) {
            return cancelled(err);
        } else if (rc == IA_E_TIMEOUT) {
            return ia_err_set(err, IA_E_TIMEOUT, "the daemon does not read");
        }
    }
    return IA_OK;
}

/* ---- reading ------------------------------------------------------------------------------ */

static enum ia_rc no_answer(int64_t deadline_ms, struct ia_err *err)
{
    enum ia_rc rc = ia_err_set(err, IA_E_TIMEOUT, "the daemon did not answer within %lld s",
                               (long long)(deadline_ms / 1000));
    ia_err_hint(err, "ios-agent daemon status; if that hangs too, ios-agent daemon restart");
    return rc;
}

static void hand_over(const struct ia_client_request *q, const struct ia_answer_reader *r,
                      struct ia_client_answer *ret)
{
    if (r->chunked && ret->body.len > 0) {
        q->piece(q->piece_ctx, ia_buf_str(&ret->body));
        ia_buf_reset(&ret->body);
    }
}

/* *ret_reset: the connection was reset before the answer began. */
static enum ia_rc read_answer(struct ia_client *c, const struct ia_client_request *q,
                              int64_t until_us, struct ia_answer_reader *r,
                              struct ia_client_answer *ret, bool *ret_reset, struct ia_err *err)
{
    static _Thread_local char chunk[CHUNK];
    enum ia_rc rc = IA_OK;
    while (rc == IA_OK && !r->done) {
        ssize_t n = recv(c->fd, chunk, sizeof(chunk), 0);
        if (n > 0) {
            rc = ia_answer_feed(r, (struct ia_str){chunk, (size_t)n}, ret, err);
            hand_over(q, r, ret);
        } else if (n == 0) {
            rc = ia_err_set(err, IA_E_IO, "the daemon ended before it answered");
            ia_err_hint(err, "it may have been done: look at the screen before you try again");
        } else if (!would_block()) {
            *ret_reset = errno == ECONNRESET && r->in.len == 0;
            rc = lost(err, "cannot read from");
        } else if ((rc = wait_for(c, q, POLLIN, until_us)) == IA_E_TIMEOUT) {
            rc = no_answer(q->deadline_ms, err);
        } else if (rc == IA_E_CANCELLED) {
            rc = cancelled(err);
        }
    }
    return rc;
}

enum ia_rc ia_client_exchange(struct ia_client *c, const struct ia_client_request *request,
                              int64_t until_us, struct ia_client_answer *ret,
                              enum ia_client_sent *ret_sent, struct ia_err *err)
{
    struct ia_answer_reader reader;
    size_t sent;
    bool reset = false;
    write_request(c, request);
    ia_answer_reader_init(&reader);
    reader.pieces = request->piece != NULL;
    enum ia_rc rc = send_all(c, request, until_us, &sent, err);
    /* What went away while it was written may have answered: "stopping". */
    if (rc != IA_E_TIMEOUT && rc != IA_E_CANCELLED && sent > 0) {
        rc = read_answer(c, request, until_us, &reader, ret, &reset, err);
    }
    if (request->secret.name || request->lends) {
        ia_wipe(c->out.p, c->out.cap);
        ia_buf_reset(&c->out);
    }
    *ret_sent = sent == 0 || reset ? IA_CLIENT_NOTHING_SENT : IA_CLIENT_SENT;
    if (rc != IA_OK && err) {
        err->outcome = *ret_sent == IA_CLIENT_SENT ? IA_OUTCOME_UNKNOWN : IA_OUTCOME_NOT_SENT;
    }
    if (rc != IA_OK || reader.close) {
        ia_client_hang_up(c);
    }
    ia_answer_reader_fini(&reader);
    return rc;
}
