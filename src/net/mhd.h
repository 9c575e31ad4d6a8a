/* mhd.h: libmicrohttpd, loaded on first use (base/lazylib.h): what every HTTP server of the program
 * stands on. A server that needs another function adds a row. */
#ifndef IA_NET_MHD_H
#define IA_NET_MHD_H

#include "base/lazylib.h"

#include <microhttpd.h>

#define IA_MHD_SYMS(X)                                                                         \
    X(MHD_start_daemon)                                                                        \
    X(MHD_quiesce_daemon)                                                                      \
    X(MHD_stop_daemon)                                                                         \
    X(MHD_get_daemon_info)                                                                     \
    X(MHD_get_connection_info)                                                                 \
    X(MHD_get_connection_values)                                                               \
    X(MHD_lookup_connection_value)                                                             \
    X(MHD_create_response_from_buffer)                                                         \
    X(MHD_create_response_from_callback)                                                       \
    X(MHD_add_response_header)                                                                 \
    X(MHD_queue_response)                                                                      \
    X(MHD_destroy_response)

struct ia_mhd {
    IA_MHD_SYMS(IA_LAZY_FIELD)
};

/* The functions, or NULL and err when the library is missing. Thread-safe; never freed. */
const struct ia_mhd *ia_mhd(struct ia_err *err);

/* A server with a thread for each connection, which lives as long as that and may wait. The
 * callbacks are the library's, each with ctx; NULL where one is not wanted. */
struct ia_mhd_server {
    int fd; /* a listening socket; the server's once it runs */
    unsigned connections_max;
    size_t connection_bytes; /* for the headers and a block of the answer */
    MHD_AccessHandlerCallback request;
    void *(*line)(void *ctx, const char *target, struct MHD_Connection *connection);
    MHD_RequestCompletedCallback done;
    MHD_NotifyConnectionCallback connection;
    void *ctx, *connection_ctx;
};
/* NULL with errno, or 0 in it where the library does not say why; fd is open still. */
struct MHD_Daemon *ia_mhd_start(const struct ia_mhd *mhd, const struct ia_mhd_server *server);
/* A socket that listens on 127.0.0.1:port, 0: any; -1 with errno. */
int ia_mhd_listen(int port, int *ret_port);
/* The connection's socket; -1: none. */
int ia_mhd_fd(const struct ia_mhd *mhd, struct MHD_Connection *connection);

#endif
