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

#endif
