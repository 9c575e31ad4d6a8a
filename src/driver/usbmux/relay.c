/* relay.c: a listening socket of this computer, each of whose connections is one to a device's port.
 *
 *   client ──► accept ─► ia_usbmux_connect ─► pair: here ◄─buffers─► device
 *
 * One thread, which waits for everything at once. Connecting to the device is done in line, for all
 * pairs lead to the same port of the same device: where that hangs, so do they, and it ends after
 * IA_USBMUX_ANSWER_MS. A pair ends when one side has closed and the other has all it sent. */
#include "driver/usbmux/impl.h"

#include "base/paths.h"

#include <dirent.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/* A Unix socket's path has at most 104 bytes on macOS, 108 on Linux. */
enum {
    PAIRS_MAX = 16,
    CHUNK = 32 << 10,
    BACKLOG = 64,
    POLLS = 1 + 2 * PAIRS_MAX,
    FOLDER_SIZE = 96
};
/* Its process and six signs of chance follow. */
#define FOLDER "ios-agent-relay-"
_Static_assert((int)POLLS <= (int)IA_POLL_MAX, "one wait for all");

/* What goes one way. */
struct flow {
    uint8_t *bytes; /* CHUNK */
    size_t at, n;   /* bytes[at..n) are still to be sent */
    bool over;      /* nothing more comes, and all that came is sent */
};

/* Two connected sockets: [0] the client's, [1] the device's. flow[i] comes from side i. */
struct pair {
    int fd[2]; /* -1: the pair is free */
    struct flow flow[2];
};

struct ia_usbmux_relay {
    struct ia_usbmux_relay_options opt;
    char udid[IA_USBMUX_UDID_SIZE];
    char folder[FOLDER_SIZE]; /* "": TCP */
    char path[FOLDER_SIZE + sizeof("/port")];
    int port;
    int listener;
    struct ia_cancel *stop;
    pthread_t thread;
    struct pair pairs[PAIRS_MAX];
};

/* ---- pairs ------------------------------------------------------------------------------ */

static void end_pair(struct pair *p)
{
    for (int i = 0; i < 2; i++) {
        close(p->fd[i]);
        p->fd[i] = -1;
        free(p->flow[i].bytes);
    }
}

static void begin_pair(struct ia_usbmux_relay *r, int client)
{
    struct pair *p = r->pairs;
    struct ia_err err = {.code = IA_OK};
    struct ia_deadline deadline = {r->stop, IA_NO_DEADLINE};
    int device = -1;
    while (p->fd[0] >= 0) {
        p++; /* one is free: the listener is not looked at otherwise */
    }
    if (ia_usbmux_connect(r->udid, r->opt.port, &deadline, &device, &err) != IA_OK) {
        close(client);
        if (r->opt.problem && err.code != IA_E_CANCELLED) {
            r->opt.problem(r->opt.ctx, &err);
        }
        return;
    }
    *p = (struct pair){.fd = {client, device}};
    p->flow[0].bytes = ia_alloc(CHUNK);
    p->flow[1].bytes = ia_alloc(CHUNK);
}

/* What a side is waited for: to read into its flow once that is empty, to write the other one. */
static short wanted(const struct pair *p, int i)
{
    const struct flow *in = &p->flow[i], *out = &p->flow[1 - i];
    return (short)((in->at == in->n && !in->over ? POLLIN : 0) |
                   (out->at < out->n ? POLLOUT : 0));
}

/* The end of a stream, and an error, both say that nothing more comes. What came before is sent: else the side
 * is not read. */
static void take(int fd, struct flow *f)
{
    ssize_t n = recv(fd, f->bytes, CHUNK, 0);
    f->at = 0;
    f->n = n > 0 ? (size_t)n : 0;
    f->over = n == 0 || (n < 0 && !ia_stream_again());
}

/* False where the other side takes no more. */
static bool give(int fd, struct flow *f)
{
    struct ia_limit now = {NULL, 0};
    struct ia_err err;
    size_t sent;
    enum ia_rc rc = ia_stream_send(fd, &now, f->bytes + f->at, f->n - f->at, &sent, &err);
    f->at += sent;
    return rc == IA_OK || rc == IA_E_TIMEOUT;
}

static void move(struct pair *p, const struct pollfd polled[2])
{
    bool broken = false;
    for (int i = 0; i < 2; i++) {
        bool readable = (polled[i].revents & (POLLIN | POLLHUP | POLLERR)) != 0;
        if (readable && (polled[i].events & POLLIN)) {
            take(p->fd[i], &p->flow[i]);
        }
    }
    for (int i = 0; i < 2; i++) {
        struct flow *f = &p->flow[i];
        broken = broken || (f->at < f->n && !give(p->fd[1 - i], f));
        broken = broken || f->over;
    }
    if (broken) {
        end_pair(p);
    }
}

/* ---- the thread ------------------------------------------------------------------------- */

/* A descriptor that nothing is wanted of is left out: poll() would report its end without pause. */
static struct pollfd poll_for(int fd, short events)
{
    return (struct pollfd){.fd = events ? fd : -1, .events = events};
}

static size_t free_pairs(const struct ia_usbmux_relay *r)
{
    size_t n = 0;
    for (size_t i = 0; i < PAIRS_MAX; i++) {
        n += r->pairs[i].fd[0] < 0;
    }
    return n;
}

static void *relay(void *ctx)
{
    struct ia_usbmux_relay *r = ctx;
    struct pollfd fds[POLLS];
    int ready;
    for (;;) {
        fds[0] = poll_for(r->listener, free_pairs(r) > 0 ? POLLIN : 0);
        for (size_t i = 0; i < PAIRS_MAX; i++) {
            const struct pair *p = &r->pairs[i];
            for (int side = 0; side < 2; side++) {
                fds[1 + 2 * i + (size_t)side] =
                    poll_for(p->fd[side], p->fd[0] >= 0 ? wanted(p, side) : 0);
            }
        }
        if (ia_cancel_poll(r->stop, fds, POLLS, IA_NO_DEADLINE, &ready) != IA_OK) {
            return NULL;
        }
        for (size_t i = 0; i < PAIRS_MAX; i++) {
            if (r->pairs[i].fd[0] >= 0) {
                move(&r->pairs[i], fds + 1 + 2 * i);
            }
        }
        int client = fds[0].revents ? ia_stream_own(accept(r->listener, NULL, NULL)) : -1;
        if (client >= 0) {
            begin_pair(r, client);
        }
    }
}

/* ---- listening -------------------------------------------------------------------------- */

static enum ia_rc cannot_listen(struct ia_usbmux_relay *r, const char *where,
                                struct ia_err *err)
{
    bool taken = r->opt.tcp && errno == EADDRINUSE;
    enum ia_rc rc = ia_err_set(err, taken ? IA_E_EXISTS : IA_E_IO, "cannot listen on %s: %s",
                               where, strerror(errno));
    if (taken) {
        ia_err_hint(err, "name another local port, or none: the system chooses one");
    }
    return rc;
}

/* A folder of this user's to whose socket nobody listens, if it has one. */
static void remove_dead(const char *folder)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    struct stat st;
    int fd = ia_stream_own(socket(AF_UNIX, SOCK_STREAM, 0));
    int n = snprintf(at.sun_path, sizeof(at.sun_path), "%s/port", folder);
    bool ours = lstat(folder, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == getuid();
    if (fd >= 0 && ours && n > 0 && (size_t)n < sizeof(at.sun_path) &&
        connect(fd, (struct sockaddr *)&at, sizeof(at)) != 0 &&
        (errno == ECONNREFUSED || errno == ENOENT)) {
        (void)unlink(at.sun_path);
        (void)rmdir(folder);
    }
    if (fd >= 0) {
        close(fd);
    }
}

/* A relay whose process was killed leaves its folder. The folder of a process that lives is not looked at:
 * its relay may not listen yet. */
static void remove_left(const char *tmp)
{
    DIR *dir = opendir(tmp);
    char folder[FOLDER_SIZE];
    struct dirent *e;
    while (dir && (e = readdir(dir))) {
        long pid = strncmp(e->d_name, FOLDER, sizeof(FOLDER) - 1) == 0
                       ? strtol(e->d_name + sizeof(FOLDER) - 1, NULL, 10)
                       : 0;
        int n = snprintf(folder, sizeof(folder), "%s/%s", tmp, e->d_name);
        if (pid > 0 && n > 0 && (size_t)n < sizeof(folder) && kill((pid_t)pid, 0) != 0 &&
            errno == ESRCH) {
            remove_dead(folder);
        }
    }
    if (dir) {
        closedir(dir);
    }
}

/* In a folder that nobody else can enter, and writable for this user alone besides. */
static enum ia_rc listen_unix(struct ia_usbmux_relay *r, struct ia_err *err)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    const char *tmp = ia_env_get(NULL, "TMPDIR");
    tmp = tmp ? tmp : "/tmp";
    remove_left(tmp);
    int n =
        snprintf(r->folder, sizeof(r->folder), "%s/" FOLDER "%ld-XXXXXX", tmp, (long)getpid());
    if (n < 0 || (size_t)n >= sizeof(r->folder)) {
        r->folder[0] = '\0';
        return ia_err_set(err, IA_E_USAGE, "TMPDIR is too long for a socket: %s", tmp);
    }
    if (!mkdtemp(r->folder)) {
        enum ia_rc rc = cannot_listen(r, r->folder, err);
        r->folder[0] = '\0';
        return rc;
    }
    (void)snprintf(r->path, sizeof(r->path), "%s/port", r->folder);
    memcpy(at.sun_path, r->path, sizeof(r->path));
    r->listener = ia_stream_own(socket(AF_UNIX, SOCK_STREAM, 0));
    if (r->listener < 0 || bind(r->listener, (struct sockaddr *)&at, sizeof(at)) != 0 ||
        chmod(r->path, 0600) != 0 || listen(r->listener, BACKLOG) != 0) {
        return cannot_listen(r, r->path, err);
    }
    return IA_OK;
}

static enum ia_rc listen_tcp(struct ia_usbmux_relay *r, struct ia_err *err)
{
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_port = htons(r->opt.local),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t n = sizeof(at);
    int on = 1;
    char where[32];
    (void)snprintf(where, sizeof(where), "127.0.0.1:%u", (unsigned)r->opt.local);
    r->listener = ia_stream_own(socket(AF_INET, SOCK_STREAM, 0));
    if (r->listener >= 0) {
        (void)setsockopt(r->listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    }
    if (r->listener < 0 || bind(r->listener, (struct sockaddr *)&at, sizeof(at)) != 0 ||
        listen(r->listener, BACKLOG) != 0 ||
        getsockname(r->listener, (struct sockaddr *)&at, &n) != 0) {
        return cannot_listen(r, where, err);
    }
    r->port = ntohs(at.sin_port);
    return IA_OK;
}

static void release(struct ia_usbmux_relay *r)
{
    for (size_t i = 0; i < PAIRS_MAX; i++) {
        if (r->pairs[i].fd[0] >= 0) {
            end_pair(&r->pairs[i]);
        }
    }
    if (r->listener >= 0) {
        close(r->listener);
    }
    if (r->folder[0] != '\0') {
        (void)unlink(r->path);
        (void)rmdir(r->folder);
    }
    ia_cancel_free(r->stop);
    free(r);
}

static enum ia_rc start(struct ia_usbmux_relay *r, struct ia_err *err)
{
    enum ia_rc rc = r->opt.tcp ? listen_tcp(r, err) : listen_unix(r, err);
    if (rc != IA_OK) {
        return rc;
    }
    r->stop = ia_cancel_new(err);
    if (!r->stop) {
        return err->code;
    }
    return pthread_create(&r->thread, NULL, relay, r) == 0
               ? IA_OK
               : ia_err_set(err, IA_E_LIMIT, "cannot start a thread for the relay");
}

enum ia_rc ia_usbmux_relay_open(const struct ia_usbmux_relay_options *opt,
                                struct ia_usbmux_relay **ret, struct ia_err *err)
{
    struct ia_err local;
    struct ia_usbmux_relay *r = ia_calloc(1, sizeof(*r));
    r->opt = *opt;
    r->listener = -1;
    (void)snprintf(r->udid, sizeof(r->udid), "%s", opt->udid);
    for (size_t i = 0; i < PAIRS_MAX; i++) {
        r->pairs[i].fd[0] = -1;
    }
    enum ia_rc rc = start(r, err ? err : &local);
    if (rc != IA_OK) {
        release(r);
        return rc;
    }
    *ret = r;
    return IA_OK;
}

const char *ia_usbmux_relay_path(const struct ia_usbmux_relay *r)
{
    return r->path;
}

int ia_usbmux_relay_port(const struct ia_usbmux_relay *r)
{
    return r->port;
}

void ia_usbmux_relay_close(struct ia_usbmux_relay *r)
{
    if (r) {
        ia_cancel_fire(r->stop);
        pthread_join(r->thread, NULL);
        release(r);
    }
}
