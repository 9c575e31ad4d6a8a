/* endpoint.c: the URL, the header lines and the key: what may leave, and what must not remain.
 *
 * The key is written into one block of memory that is reserved at its full size, so that growing
 * never leaves a copy behind, and that is wiped when the call ends. Plain http is refused except
 * to this machine. */
#include "agent/claude/endpoint.h"
#include "net/url.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

enum { URL_MAX = 1024, HEADERS_MAX = 2000, SECRET_MAX = 1000, REDACT_MIN = 8 };

static enum ia_rc bad_url(const char *base, const char *reason, struct ia_err *err)
{
    enum ia_rc rc =
        ia_err_set(err, IA_E_CONFIG, "cannot use the base URL \"%s\": %s", base, reason);
    ia_err_hint(err,
                "write it as https://host[:port][/prefix], for example in ANTHROPIC_BASE_URL");
    return rc;
}

static bool well_formed(const char *url)
{
    for (const char *p = url; *p; p++) {
        if ((unsigned char)*p <= ' ' || (unsigned char)*p >= 0x7F || strchr("?#@\\\"<>", *p)) {
            return false;
        }
    }
    return true;
}

/* The length of the URL without trailing slashes and without a trailing /v1. */
static size_t length_without_version(const char *url)
{
    size_t n = strlen(url);
    while (n > 0 && url[n - 1] == '/') {
        n--;
    }
    return n > 3 && strncmp(url + n - 3, "/v1", 3) == 0 ? n - 3 : n;
}

enum ia_rc ia_endpoint_url(const char *base, bool allow_http, char **ret_url,
                           bool *ret_loopback, struct ia_err *err)
{
    bool tls = strncmp(base, "https://", 8) == 0;
    bool plain = strncmp(base, "http://", 7) == 0;
    if (strlen(base) > URL_MAX || !well_formed(base)) {
        return bad_url(base, "it must not contain credentials, a query, a fragment or spaces",
                       err);
    }
    if (!tls && !plain) {
        return bad_url(base, "it must begin with https:// or http://", err);
    }
    if (strcspn(base + (tls ? 8 : 7), ":/") == 0) {
        return bad_url(base, "it has no host", err);
    }
    bool loopback = ia_url_local(base);
    if (plain && !loopback && !allow_http) {
        enum ia_rc rc = bad_url(base, "the key would be sent unencrypted", err);
        ia_err_hint(err,
                    "use https, or allow plain http in the configuration (api.allow_http)");
        return rc;
    }
    struct ia_buf url = IA_BUF(URL_MAX + 16);
    ia_buf_put(&url, base, length_without_version(base));
    ia_buf_puts(&url, "/v1/messages");
    *ret_url = ia_buf_steal(&url);
    *ret_loopback = loopback;
    return IA_OK;
}

void ia_header_add(struct ia_header_lines *h, const char *prefix, struct ia_str value)
{
    if (h->count == IA_COUNTOF(h->at)) {
        return;
    }
    /* Reserved at once, so that growing never leaves a copy of the key behind. */
    if (!h->text.p) {
        h->text = IA_BUF(HEADERS_MAX);
        (void)ia_buf_reserve(&h->text, HEADERS_MAX);
    }
    h->at[h->count++] = h->text.len;
    ia_buf_puts(&h->text, prefix);
    ia_buf_putstr(&h->text, value);
    ia_buf_put(&h->text, "", 1);
}

char *ia_header_line(const struct ia_header_lines *h, size_t i)
{
    return i < h->count ? h->text.p + h->at[i] : NULL;
}

void ia_header_fini(struct ia_header_lines *h)
{
    if (h->text.p) {
        sodium_memzero(h->text.p, h->text.cap);
    }
    ia_buf_fini(&h->text);
    h->count = 0;
}

enum ia_rc ia_secret_check(struct ia_str secret, struct ia_err *err)
{
    if (secret.n == 0) {
        enum ia_rc rc = ia_err_set(err, IA_E_KEY_MISSING, "there is no API key");
        ia_err_hint(err, "set one with `ios-agent key set`, or in ANTHROPIC_API_KEY");
        return rc;
    }
    for (size_t i = 0; i < secret.n; i++) {
        if ((unsigned char)secret.p[i] <= ' ' || (unsigned char)secret.p[i] >= 0x7F) {
            enum ia_rc rc = ia_err_set(
                err, IA_E_CONFIG, "the API key contains a space or another invalid character");
            ia_err_hint(err, "set it again with `ios-agent key set`");
            return rc;
        }
    }
    if (secret.n > SECRET_MAX) {
        return ia_err_set(err, IA_E_CONFIG, "the API key is longer than %d bytes", SECRET_MAX);
    }
    return IA_OK;
}

static const char redacted[] = "[key]";

/* The beginning of the secret at the end of a text that was cut there. */
static void redact_cut(char *text, size_t n, struct ia_str secret)
{
    size_t most = n < secret.n ? n : secret.n;
    for (size_t k = most; k >= REDACT_MIN; k--) {
        if (memcmp(text + n - k, secret.p, k) == 0) {
            memcpy(text + n - k, redacted, sizeof(redacted));
            return;
        }
    }
}

void ia_secret_redact(char *text, struct ia_str secret)
{
    size_t n = strlen(text);
    for (size_t i = 0; secret.n >= REDACT_MIN && i + secret.n <= n; i++) {
        if (memcmp(text + i, secret.p, secret.n) == 0) {
            memcpy(text + i, redacted, sizeof(redacted) - 1);
            memmove(text + i + sizeof(redacted) - 1, text + i + secret.n, n - i - secret.n + 1);
            n -= secret.n - (sizeof(redacted) - 1);
        }
    }
    redact_cut(text, n, secret);
}
