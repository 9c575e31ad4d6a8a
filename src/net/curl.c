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
