/* curl.c: loads libcurl once per process, at the first connection. */
#include "net/curl.h"

#include <pthread.h>

static const char *const names[] = {"libcurl.so.4", "libcurl.4.dylib", "libcurl-gnutls.so.4",
                                    "libcurl.so",   "libcurl.dylib",   NULL};

#define ROW(fn) IA_LAZY_ROW(struct ia_curl, fn),
static const struct ia_lazy_sym syms[] = {IA_CURL_SYMS(ROW)};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct ia_curl table;
static struct ia_err load_err;
static bool loaded;

static void load(void)
{
    if (ia_lazy_load(names, syms, IA_COUNTOF(syms), &table, &load_err)) {
        return;
    }
    loaded = table.curl_global_init_(CURL_GLOBAL_DEFAULT) == CURLE_OK;
    if (!loaded) {
        (void)ia_err_set(&load_err, IA_E_INTERNAL, "cannot initialise libcurl");
    }
}

const struct ia_curl *ia_curl(struct ia_err *err)
{
    pthread_once(&once, load);
    if (!loaded && err) {
        *err = load_err;
    }
    return loaded ? &table : NULL;
}

void ia_curl_long(const struct ia_curl_handle *h, CURLoption option, long value)
{
    h->curl->curl_easy_setopt_(h->easy, option, value);
}

void ia_curl_ptr(const struct ia_curl_handle *h, CURLoption option, const void *value)
{
    h->curl->curl_easy_setopt_(h->easy, option, value);
}

void ia_curl_begin(const struct ia_curl_handle *h)
{
    h->curl->curl_easy_reset_(h->easy);
#if LIBCURL_VERSION_NUM >= 0x075500
    ia_curl_ptr(h, CURLOPT_PROTOCOLS_STR, "http,https");
#else
    ia_curl_long(h, CURLOPT_PROTOCOLS, CURLPROTO_HTTP | CURLPROTO_HTTPS);
#endif
    ia_curl_long(h, CURLOPT_FOLLOWLOCATION, 0); /* it could take a key to another host */
    ia_curl_long(h, CURLOPT_NOSIGNAL, 1);
#if LIBCURL_VERSION_NUM >= 0x075700
    ia_curl_long(h, CURLOPT_QUICK_EXIT, 1); /* a cancelled call waits for no name server */
#endif
}
