/* curl.h: libcurl, loaded on first use. Internal. */
#ifndef IA_NET_CURL_H
#define IA_NET_CURL_H

#include "base/cancel.h"
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
    X(curl_url)                                                                                \
    X(curl_url_cleanup)                                                                        \
    X(curl_url_set)                                                                            \
    X(curl_url_get)                                                                            \
    X(curl_url_strerror)                                                                       \
    X(curl_free)                                                                               \
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

/* A connection handle with its library. */
struct ia_curl_handle {
    const struct ia_curl *curl;
    CURL *easy;
};
void ia_curl_long(const struct ia_curl_handle *h, CURLoption option, long value);
void ia_curl_ptr(const struct ia_curl_handle *h, CURLoption option, const void *value);
/* Takes every option back, and sets those of every request: http or https, and nowhere else than it was
 * sent to. */
void ia_curl_begin(const struct ia_curl_handle *h);
/* Moves the one transfer of a multi handle, on the caller's thread, until it has ended: IA_OK and how.
 * IA_E_CANCELLED, IA_E_TIMEOUT as soon as the token and the deadline (monotonic; IA_NO_DEADLINE: none)
 * say; IA_E_INTERNAL where libcurl cannot wait. */
enum ia_rc ia_curl_wait(const struct ia_curl *curl, CURLM *multi, struct ia_cancel *cancel,
                        int64_t deadline_us, CURLcode *ret, struct ia_err *err);

#endif
