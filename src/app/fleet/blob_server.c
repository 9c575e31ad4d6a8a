/* blob_server.c: one request. */
#include "app/fleet/blob_server.h"

#include "fleet/message.h"
#include "net/mhd.h"
#include "store/blob.h"
#include "store/fleet_runs.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CONNECTIONS_MAX = 32, CONNECTION_BYTES = 16 << 10, HOST_MAX = 64, BACKLOG = 64 };
static const char path_begin[] = "/fleet/blobs/";

struct ia_fleet_blobs {
    struct ia_store *store;
    const struct ia_mhd *mhd;
    struct MHD_Daemon *daemon;
    char *url;
};

/* ---- one request ------------------------------------------------------------------------- */

static bool copy_key(void *ctx, const struct ia_fleet_run_row *row)
{
    memcpy(((struct ia_fleet_key *)ctx)->bytes, row->key, IA_FLEET_KEY_SIZE);
    return false;
}

/* Whoever has no code learns nothing, not even whether the run is known. */
static unsigned find(const struct ia_fleet_blobs *b, struct MHD_Connection *c, const char *sha,
                     struct ia_buf *out)
{
    struct ia_fleet_key key;
    char code[IA_SHA256_HEX_SIZE];
    struct ia_buf blob = IA_BUF(IA_BLOB_BYTES_MAX);
    bool known = false;
    const char *run = b->mhd->MHD_lookup_connection_value_(c, MHD_GET_ARGUMENT_KIND, "run");
    const char *given = b->mhd->MHD_lookup_connection_value_(c, MHD_GET_ARGUMENT_KIND, "code");
    if (!run || !given || strlen(given) != sizeof(code) - 1 || !ia_id_valid(run) ||
        ia_store_fleet_order(b->store, run, copy_key, &key, &known, NULL) != IA_OK || !known) {
        return MHD_HTTP_FORBIDDEN;
    }
    ia_fleet_blob_code(&key, run, sha, code);
    if (sodium_memcmp(code, given, sizeof(code)) != 0) {
        return MHD_HTTP_FORBIDDEN;
    }
    enum ia_rc rc = ia_blob_read(b->store, sha, &blob, NULL);
    if (rc == IA_OK) {
        ia_fleet_seal(&key, ia_buf_str(&blob), out);
    }
    ia_buf_fini(&blob);
    return rc == IA_OK && ia_buf_ok(out) ? MHD_HTTP_OK : MHD_HTTP_NOT_FOUND;
}

static enum MHD_Result answer(void *ctx, struct MHD_Connection *c, const char *url,
                              const char *method, const char *version, const char *upload,
                              size_t *upload_size, void **request)
{
    const struct ia_fleet_blobs *b = ctx;
    struct ia_buf body = IA_BUF(IA_BLOB_BYTES_MAX + 64);
    size_t n = sizeof(path_begin) - 1;
    (void)version;
    (void)upload;
    (void)upload_size;
    (void)request;
    unsigned status = strcmp(method, "GET") == 0 && strncmp(url, path_begin, n) == 0
                          ? find(b, c, url + n, &body)
                          : MHD_HTTP_NOT_FOUND;
    struct MHD_Response *r = b->mhd->MHD_create_response_from_buffer_(
        body.len, body.p ? body.p : (void *)"", MHD_RESPMEM_MUST_COPY);
    enum MHD_Result result = b->mhd->MHD_queue_response_(c, status, r);
    b->mhd->MHD_destroy_response_(r);
    ia_buf_fini(&body);
    return result;
}

/* ---- the server -------------------------------------------------------------------------- */

static int bind_one(const struct addrinfo *a)
{
    int on = 1;
    int fd = socket(a->ai_family, a->ai_socktype, a->ai_protocol);
    if (fd < 0) {
        return -1;
    }
    (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
    (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    if (bind(fd, a->ai_addr, a->ai_addrlen) == 0 && listen(fd, BACKLOG) == 0) {
        return fd;
    }
    int saved = errno;
    (void)close(fd);
    errno = saved;
    return -1;
}

static int port_of(int fd)
{
    struct sockaddr_storage at = {.ss_family = AF_UNSPEC};
    struct sockaddr_in in;
    struct sockaddr_in6 in6;
    socklen_t size = sizeof(at);
    if (getsockname(fd, (struct sockaddr *)&at, &size) != 0) {
        return 0;
    }
    memcpy(&in, &at, sizeof(in));
    memcpy(&in6, &at, sizeof(in6));
    return ntohs(at.ss_family == AF_INET6 ? in6.sin6_port : in.sin_port);
}

static int listen_at(const char *place, char host[HOST_MAX], int *ret_port)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE};
    struct addrinfo *list = NULL;
    const char *colon = strrchr(place, ':');
    if (!colon || colon == place || (size_t)(colon - place) >= HOST_MAX) {
        errno = EINVAL;
        return -1;
    }
    (void)snprintf(host, HOST_MAX, "%.*s", (int)(colon - place), place);
    if (getaddrinfo(host, colon + 1, &hints, &list) != 0) {
        errno = EINVAL;
        return -1;
    }
    int fd = bind_one(list);
    freeaddrinfo(list);
    if (fd >= 0) {
        *ret_port = port_of(fd);
    }
    return fd;
}

static char *make_url(const char *given, const char *host, int port)
{
    struct ia_buf url = IA_BUF(512);
    if (given) {
        ia_buf_puts(&url, given);
    } else {
        ia_buf_printf(&url, "http://%s:%d", host, port);
    }
    return ia_buf_steal(&url);
}

enum ia_rc ia_fleet_blobs_open(struct ia_store *store, const char *listen, const char *url,
                               struct ia_fleet_blobs **ret, struct ia_err *err)
{
    char host[HOST_MAX];
    int port = 0;
    const struct ia_mhd *mhd = ia_mhd(err);
    if (!mhd) {
        return IA_E_MISSING;
    }
    struct ia_fleet_blobs *b = ia_calloc(1, sizeof(*b));
    *b = (struct ia_fleet_blobs){.store = store, .mhd = mhd};
    struct ia_mhd_server server = {.fd = listen_at(listen, host, &port),
                                   .connections_max = CONNECTIONS_MAX,
                                   .connection_bytes = CONNECTION_BYTES,
                                   .request = answer,
                                   .ctx = b};
    b->daemon = server.fd >= 0 ? ia_mhd_start(mhd, &server) : NULL;
    if (!b->daemon) {
        enum ia_rc rc =
            ia_err_set(err, IA_E_IO, "cannot listen at %.80s: %s", listen, strerror(errno));
        ia_err_hint(err, "--listen ADDRESS:PORT, an address of this machine");
        free(b);
        return rc;
    }
    b->url = make_url(url, host, port);
    *ret = b;
    return IA_OK;
}

const char *ia_fleet_blobs_url(const struct ia_fleet_blobs *b)
{
    return b ? b->url : "";
}

void ia_fleet_blobs_close(struct ia_fleet_blobs *b)
{
    if (b) {
        b->mhd->MHD_stop_daemon_(b->daemon);
        free(b->url);
        free(b);
    }
}
