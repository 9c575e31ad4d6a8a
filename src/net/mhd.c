/* mhd.c: loads libmicrohttpd once, for the whole process, and starts servers on loopback with it. */
#include "net/mhd.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    STACK_BYTES = 256 << 10, /* of a connection: reserved, touched only as far as it is used */
    BACKLOG = 1024
};

#define ROW(fn) IA_LAZY_ROW(struct ia_mhd, fn),

static const char *const names[] = {"libmicrohttpd.so.12", "libmicrohttpd.12.dylib",
                                    "libmicrohttpd.so", "libmicrohttpd.dylib", NULL};
static const struct ia_lazy_sym syms[] = {IA_MHD_SYMS(ROW)};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct ia_mhd table;
static struct ia_err load_err;
static enum ia_rc load_rc;

static void load(void)
{
    load_rc = ia_lazy_load(names, syms, IA_COUNTOF(syms), &table, &load_err);
}

const struct ia_mhd *ia_mhd(struct ia_err *err)
{
    pthread_once(&once, load);
    if (load_rc != IA_OK) {
        if (err) {
            *err = load_err;
        }
        return NULL;
    }
    return &table;
}

struct MHD_Daemon *ia_mhd_start(const struct ia_mhd *mhd, const struct ia_mhd_server *server)
{
    /* On failure the library closes what it was given, or does not: a copy. */
    int copy = fcntl(server->fd, F_DUPFD_CLOEXEC, 0);
    errno = 0;
    struct MHD_Daemon *daemon = mhd->MHD_start_daemon_(
        MHD_USE_THREAD_PER_CONNECTION | MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_POLL |
            MHD_USE_ITC,
        0, NULL, NULL, server->request, server->ctx, MHD_OPTION_LISTEN_SOCKET, (MHD_socket)copy,
        MHD_OPTION_THREAD_STACK_SIZE, (size_t)STACK_BYTES, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        server->connection_bytes, MHD_OPTION_CONNECTION_LIMIT, server->connections_max,
        MHD_OPTION_NOTIFY_COMPLETED, server->done, server->ctx, MHD_OPTION_NOTIFY_CONNECTION,
        server->connection, server->connection_ctx,
        server->line ? MHD_OPTION_URI_LOG_CALLBACK : MHD_OPTION_END, server->line, server->ctx,
        MHD_OPTION_END);
    if (daemon) {
        close(server->fd);
    }
    return daemon;
}

static bool listen_on(int fd, struct sockaddr_in *at)
{
    int on = 1;
    socklen_t size = sizeof(*at);
    (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
    (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    return bind(fd, (struct sockaddr *)at, sizeof(*at)) == 0 && listen(fd, BACKLOG) == 0 &&
           getsockname(fd, (struct sockaddr *)at, &size) == 0;
}

int ia_mhd_listen(int port, int *ret_port)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (fd >= 0 && !listen_on(fd, &at)) {
        int why = errno;
        close(fd);
        errno = why;
        return -1;
    }
    *ret_port = ntohs(at.sin_port);
    return fd;
}

int ia_mhd_fd(const struct ia_mhd *mhd, struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        mhd->MHD_get_connection_info_(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? (int)info->connect_fd : -1;
}
