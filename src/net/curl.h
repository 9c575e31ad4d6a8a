/* curl.h: libcurl, loaded on first use. Internal. */
#ifndef IA_NET_CURL_H
#define IA_NET_CURL_H

#include "base/lazylib.h"

#include <curl/curl.h>

#define IA_CURL_SYMS(X)                                                                        \
    X(curl_global_init)                                                                        \
    X(curl_easy_init)                                                                          \
    X(curl_easy_cleanup)                                                                       \
    X(curl_easy_reset)                                                                         \
    X(curl_easy_perform)                                                                       \
    X(curl_easy_setopt)                                                                        \
    X(curl_easy_getinfo)                                                                       \
    X(curl_easy_strerror)                                                                      \
    X(curl_multi_init)                                                                         \
    X(curl_multi_cleanup)                                                                      \
    X(curl_multi_setopt)                                                                       \
    X(curl_multi_add_handle)                                                                   \
    X(curl_multi_remove_handle)                                                                \
    X(curl_multi_socket_action)                                                                \
    X(curl_multi_perform)                                                                      \
    X(curl_multi_poll)                                                                         \
    X(curl_multi_info_read)

struct ia_curl {
    IA_CURL_SYMS(IA_LAZY_FIELD)
};

/* The loaded library, or NULL with err (IA_E_MISSING). Any thread. */
const struct ia_curl *ia_curl(struct ia_err *err);

#endif
