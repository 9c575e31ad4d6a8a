/* api_headers.c: the response headers that decide about retries and help support. */
#include "agent/claude/retry.h"

#include <string.h>
#include <strings.h>

void ia_api_headers_reset(struct ia_api_headers *h)
{
    *h = (struct ia_api_headers){.should_retry = -1};
}

static bool named(struct ia_str name, const char *wanted)
{
    return name.n == strlen(wanted) && strncasecmp(name.p, wanted, name.n) == 0;
}

/* Copies a value of printable ASCII; anything else, or one too long, counts as absent. */
static void keep(char *dst, size_t size, struct ia_str v)
{
    if (v.n >= size) {
        return;
    }
    for (size_t i = 0; i < v.n; i++) {
        if ((unsigned char)v.p[i] < ' ' || (unsigned char)v.p[i] > '~') {
            return;
        }
    }
    memcpy(dst, v.p, v.n);
    dst[v.n] = '\0';
}

void ia_api_headers_take(struct ia_api_headers *h, struct ia_str name, struct ia_str value)
{
    if (named(name, "request-id") || (!h->request_id[0] && named(name, "x-request-id"))) {
        keep(h->request_id, sizeof(h->request_id), value);
    } else if (named(name, "retry-after")) {
        keep(h->retry_after, sizeof(h->retry_after), value);
    } else if (named(name, "retry-after-ms")) {
        keep(h->retry_after_ms, sizeof(h->retry_after_ms), value);
    } else if (named(name, "content-type")) {
        keep(h->content_type, sizeof(h->content_type), value);
    } else if (named(name, "x-should-retry")) {
        h->should_retry = ia_str_is(value, "true") ? 1 : ia_str_is(value, "false") ? 0 : -1;
    }
}
