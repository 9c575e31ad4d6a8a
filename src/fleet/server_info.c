/* server_info.c: one short connection, read up to its first line. */
#include "fleet/server_info.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { WAIT_MS = 5000, HOST_MAX = 256, PORT_MAX = 8 };

struct place {
    char host[HOST_MAX], port[PORT_MAX];
};

/* scheme://[user[:password]@]host[:port][,…] */
static bool read_place(const char *url, struct place *ret)
{
    const char *p = strstr(url, "://");
    p = p ? p + 3 : url;
    size_t n = strcspn(p, ",/");
    const char *at = memchr(p, '@', n);
    for (const char *next = at; next; next = memchr(at + 1, '@', (size_t)(p + n - at - 1))) {
        at = next;
    }
    const char *host = at ? at + 1 : p;
    size_t left = (size_t)(p + n - host);
    bool bracket = left > 0 && host[0] == '[';
    const char *end = bracket ? memchr(host, ']', left) : NULL;
    const char *from = bracket ? host + 1 : host;
    const char *after = end ? end + 1 : host;
    const char *colon = memchr(after, ':', (size_t)(p + n - after));
    const char *stop = end ? end : colon ? colon : p + n;
    size_t host_n = (size_t)(stop - from);
    size_t port_n = colon ? (size_t)(p + n - colon - 1) : 0;
    if (host_n == 0 || host_n >= HOST_MAX || port_n >= PORT_MAX || (bracket && !end)) {
        return false;
    }
    (void)snprintf(ret->host, sizeof(ret->host), "%.*s", (int)host_n, from);
    (void)snprintf(ret->port, sizeof(ret->port), "%.*s", (int)port_n, colon ? colon + 1 : "");
    if (port_n == 0) {
        (void)snprintf(ret->port, sizeof(ret->port), "4222");
    }
    return true;
}

bool ia_server_is_local(const char *url)
{
    struct place place;
    return !strchr(url, ',') && read_place(url, &place) &&
           (strcmp(place.host, "localhost") == 0 || strncmp(place.host, "127.", 4) == 0 ||
            strcmp(place.host, "::1") == 0);
}

bool ia_version_at_least(const char *version, const char *least)
{
    for (int i = 0; i < 3; i++) {
        char *a;
        char *b;
        long have = strtol(version, &a, 10);
        long want = strtol(least, &b, 10);
        if (have != want || a == version) {
            return a != version && have > want;
        }
        version = *a == '.' ? a + 1 : a;
        least = *b == '.' ? b + 1 : b;
    }
    return true;
}

enum ia_rc ia_server_judge(struct ia_str line, const char *least, struct ia_err *err)
{
    enum ia_rc rc = IA_OK;
    bool info = line.n > 5 && memcmp(line.p, "INFO ", 5) == 0;
    json_t *doc = info ? json_loadb(line.p + 5, line.n - 5, 0, NULL) : NULL;
    const char *version = json_string_value(json_object_get(doc, "version"));
    if (!version) {
        rc = ia_err_set(err, IA_E_PARSE, "what answers there is not a NATS server");
    } else if (!ia_version_at_least(version, least)) {
        rc = ia_err_set(err, IA_E_UNSUPPORTED,
                        "the NATS server is of version %.40s; a fleet needs %s or newer",
                        version, least);
        ia_err_hint(err,
                    "older servers cannot sync to disk before they acknowledge. Homebrew and "
                    "`go install github.com/nats-io/nats-server/v2@latest` have a newer one");
    } else if (!json_is_true(json_object_get(doc, "jetstream"))) {
        rc = ia_err_set(err, IA_E_UNSUPPORTED, "the NATS server has no JetStream");
        ia_err_hint(err, "start it with a configuration as in docs/fleet.md");
    }
    json_decref(doc);
    return rc;
}

/* ---- the connection ---------------------------------------------------------------------- */

/* Waits for the socket; false on timeout. */
static bool wait_for(int fd, short what, int64_t until_us)
{
    struct pollfd p = {.fd = fd, .events = what};
    int64_t left = (until_us - ia_mono_us(ia_clock_system())) / 1000;
    int n;
    do {
        n = poll(&p, 1, left > 0 ? (int)left : 0);
    } while (n < 0 && errno == EINTR);
    return n > 0;
}

static int connect_one(const struct addrinfo *a, int64_t until_us)
{
    int error = 0;
    socklen_t n = sizeof(error);
    int fd = socket(a->ai_family, a->ai_socktype, a->ai_protocol);
    if (fd < 0) {
        return -1;
    }
    (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
    (void)fcntl(fd, F_SETFL, O_NONBLOCK);
    if ((connect(fd, a->ai_addr, a->ai_addrlen) == 0 || errno == EINPROGRESS) &&
        wait_for(fd, POLLOUT, until_us) &&
        getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &n) == 0 && error == 0) {
        return fd;
    }
    (void)close(fd);
    return -1;
}

static int connect_any(const struct place *place, int64_t until_us)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    struct addrinfo *list = NULL;
    int fd = -1;
    if (getaddrinfo(place->host, place->port, &hints, &list) != 0) {
        return -1;
    }
    for (const struct addrinfo *a = list; a && fd < 0; a = a->ai_next) {
        fd = connect_one(a, until_us);
    }
    freeaddrinfo(list);
    return fd;
}

static bool read_line(int fd, int64_t until_us, struct ia_buf *line)
{
    char piece[4096];
    while (ia_buf_ok(line) && wait_for(fd, POLLIN, until_us)) {
        ssize_t n = recv(fd, piece, sizeof(piece), 0);
        if (n <= 0) {
            return false;
        }
        ia_buf_put(line, piece, (size_t)n);
        if (memchr(piece, '\n', (size_t)n)) {
            return ia_buf_ok(line);
        }
    }
    return false;
}

enum ia_rc ia_server_check(const char *url, const char *least, struct ia_err *err)
{
    struct place place;
    struct ia_buf line = IA_BUF(IA_SERVER_INFO_MAX);
    int64_t until_us = ia_mono_us(ia_clock_system()) + INT64_C(1000) * WAIT_MS;
    if (!read_place(url, &place)) {
        return ia_err_set(err, IA_E_USAGE, "the address of the fleet server names no host");
    }
    enum ia_rc rc = IA_OK;
    int fd = connect_any(&place, until_us);
    if (fd < 0 || !read_line(fd, until_us, &line)) {
        rc = ia_err_set(err, IA_E_IO, "no NATS server answers at %.200s:%s", place.host,
                        place.port);
        ia_err_hint(err, "start one with a configuration as in docs/fleet.md");
    } else {
        char *end = memchr(line.p, '\n', line.len);
        rc = ia_server_judge((struct ia_str){line.p, (size_t)(end - line.p)}, least, err);
    }
    if (fd >= 0) {
        (void)close(fd);
    }
    ia_buf_fini(&line);
    return rc;
}
