/* post.c: the webhook's POST, on the caller's thread. curl's progress callback checks the cancel
 * token about once a second; of the answer only the status matters. */
#include "net/post.h"

#include "net/curl.h"

enum { ANSWER_MAX = 64 << 10 };

struct answer {
    struct ia_cancel *cancel;
    size_t bytes;
};

/* The body is of no interest, and one without an end must not hold the call. */
static size_t discard(char *p, size_t size, size_t count, void *ctx)
{
    struct answer *a = ctx;
    (void)p;
    a->bytes += size * count;
    /* Less than was given makes curl end the transfer. */
    return a->bytes > ANSWER_MAX ? 0 : size * count;
}

static int on_progress(void *ctx, curl_off_t all, curl_off_t now, curl_off_t up_all,
                       curl_off_t up)
{
    const struct answer *a = ctx;
    (void)all;
    (void)now;
    (void)up_all;
    (void)up;
    return ia_cancel_fired(a->cancel) ? 1 : 0;
}

static void set_options(const struct ia_curl_handle *h, const struct ia_post *post,
                        struct curl_slist *headers, struct answer *answer)
{
    ia_curl_begin(h);
    ia_curl_ptr(h, CURLOPT_URL, post->url);
    ia_curl_long(h, CURLOPT_TIMEOUT_MS, (long)post->timeout_ms);
    ia_curl_ptr(h, CURLOPT_HTTPHEADER, headers);
    h->curl->curl_easy_setopt_(h->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)post->json.n);
    ia_curl_ptr(h, CURLOPT_POSTFIELDS, post->json.p);
    ia_curl_ptr(h, CURLOPT_PROXY, post->proxy);
    if (post->ca_bundle) { /* NULL would take away the bundle that libcurl was built with */
        ia_curl_ptr(h, CURLOPT_CAINFO, post->ca_bundle);
    }
    h->curl->curl_easy_setopt_(h->easy, CURLOPT_WRITEFUNCTION, discard);
    ia_curl_ptr(h, CURLOPT_WRITEDATA, answer);
    h->curl->curl_easy_setopt_(h->easy, CURLOPT_XFERINFOFUNCTION, on_progress);
    ia_curl_ptr(h, CURLOPT_XFERINFODATA, answer);
    ia_curl_long(h, CURLOPT_NOPROGRESS, 0);
}

/* curl's message may contain the host, never the path, which may hold a secret. */
static enum ia_rc result_of(const struct ia_curl *curl, CURL *h, CURLcode code,
                            const struct ia_post *post, struct ia_err *err)
{
    long status = 0;
    curl->curl_easy_getinfo_(h, CURLINFO_RESPONSE_CODE, &status);
    if (code == CURLE_ABORTED_BY_CALLBACK) {
        return ia_err_set(err, IA_E_CANCELLED, "the webhook call was cancelled");
    }
    if (code == CURLE_OPERATION_TIMEDOUT) {
        return ia_err_set(err, IA_E_TIMEOUT, "the webhook did not answer within %lld s",
                          (long long)(post->timeout_ms / 1000));
    }
    if (code == CURLE_OK || code == CURLE_WRITE_ERROR) { /* a long answer is an answer too */
        return status >= 200 && status < 300
                   ? IA_OK
                   : ia_err_set(err, IA_E_API_PROTOCOL, "the webhook answered with status %ld",
                                status);
    }
    return ia_err_set(err, IA_E_API_NETWORK, "cannot reach the webhook: %s",
                      curl->curl_easy_strerror_(code));
}

enum ia_rc ia_post_json(const struct ia_post *post, struct ia_err *err)
{
    static char type[] = "Content-Type: application/json";
    static char agent[] = "User-Agent: ios-agent";
    struct curl_slist headers[2] = {{.data = type, .next = &headers[1]}, {.data = agent}};
    struct answer answer = {.cancel = post->cancel};
    const struct ia_curl *curl = ia_curl(err);
    if (!curl) {
        return IA_E_MISSING;
    }
    CURL *h = curl->curl_easy_init_();
    if (!h) {
        return ia_err_set(err, IA_E_INTERNAL, "libcurl cannot create a connection handle");
    }
    set_options(&(struct ia_curl_handle){curl, h}, post, headers, &answer);
    enum ia_rc rc = result_of(curl, h, curl->curl_easy_perform_(h), post, err);
    curl->curl_easy_cleanup_(h);
    return rc;
}
