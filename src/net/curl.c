/* curl.c: loads libcurl once per process, at the first connection. */
#include "net/curl.h"

#include "base/clock.h"

#include <pthread.h>

enum { TOKEN_POLL_MS = 50, POLL_MAX_MS = 10000 };

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

/* ---- the wait --------------------------------------------------------------------------- */

/* How long to sleep if nothing comes. A token without a pipe is looked at now and then. */
static int wait_ms(bool unseen, int64_t deadline_us, int64_t now_us)
{
    int64_t most_us = INT64_C(1000) * (unseen ? TOKEN_POLL_MS : POLL_MAX_MS);
    int64_t left_us = deadline_us == IA_NO_DEADLINE ? most_us : deadline_us - now_us;
    return (int)(((left_us < most_us ? left_us : most_us) + 999) / 1000);
}

static bool ended(const struct ia_curl *curl, CURLM *multi, CURLcode *ret)
{
    int left;
    const CURLMsg *m = curl->curl_multi_info_read_(multi, &left);
    if (m && m->msg == CURLMSG_DONE) {
        *ret = m->data.result;
        return true;
    }
    return false;
}

enum ia_rc ia_curl_wait(const struct ia_curl *curl, CURLM *multi, struct ia_cancel *cancel,
                        int64_t deadline_us, CURLcode *ret, struct ia_err *err)
{
    struct curl_waitfd token = {.fd = ia_cancel_fd(cancel), .events = CURL_WAIT_POLLIN};
    for (;;) {
        int running;
        int64_t now_us = ia_mono_us(ia_clock_system());
        CURLMcode mc = curl->curl_multi_perform_(multi, &running);
        if (ended(curl, multi, ret)) {
            return IA_OK;
        }
        if (ia_cancel_fired(cancel)) {
            return ia_err_set(err, IA_E_CANCELLED, "cancelled while waiting for the answer");
        }
        if (deadline_us != IA_NO_DEADLINE && now_us >= deadline_us) {
            return ia_err_set(err, IA_E_TIMEOUT, "no answer came in time");
        }
        if (mc == CURLM_OK) {
            int ms = wait_ms(cancel && token.fd < 0, deadline_us, now_us);
            mc = curl->curl_multi_poll_(multi, &token, token.fd >= 0, ms, NULL);
        }
        if (mc != CURLM_OK) {
            return ia_err_set(err, IA_E_INTERNAL, "libcurl cannot wait for an answer: %d",
                              (int)mc);
        }
    }
}
