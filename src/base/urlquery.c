#include "base/urlquery.h"

#include <string.h>

static bool plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c != '\0' && strchr("-._~", c) != NULL);
}

void ia_url_escape(struct ia_buf *out, struct ia_str text)
{
    for (size_t i = 0; i < text.n; i++) {
        if (plain(text.p[i])) {
            ia_buf_putc(out, text.p[i]);
        } else {
            ia_buf_printf(out, "%%%02X", (unsigned)(unsigned char)text.p[i]);
        }
    }
}

static int hex(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

bool ia_url_unescape(struct ia_buf *out, struct ia_str text)
{
    size_t before = out->len;
    for (size_t i = 0; i < text.n; i++) {
        int c = (unsigned char)text.p[i];
        if (c == '%') {
            int high = text.n - i > 2 ? hex(text.p[i + 1]) : -1;
            int low = text.n - i > 2 ? hex(text.p[i + 2]) : -1;
            c = high < 0 || low < 0 ? 0 : high * 16 + low;
            i += 2;
        }
        if (c == 0) {
            ia_buf_cut(out, before);
            return false;
        }
        ia_buf_putc(out, (char)c);
    }
    return true;
}

bool ia_url_query(struct ia_str url, const char *name, struct ia_buf *out)
{
    const char *mark = memchr(url.p, '?', url.n), *end = url.p + url.n;
    const char *hash = memchr(url.p, '#', url.n);
    size_t n = strlen(name);
    end = hash ? hash : end;
    for (const char *p = mark && mark < end ? mark + 1 : end; p < end;) {
        const char *amp = memchr(p, '&', (size_t)(end - p));
        const char *stop = amp ? amp : end;
        if ((size_t)(stop - p) > n && memcmp(p, name, n) == 0 && p[n] == '=') {
            return ia_url_unescape(out, (struct ia_str){p + n + 1, (size_t)(stop - p) - n - 1});
        }
        p = stop + 1;
    }
    return false;
}

void ia_url_server(struct ia_buf *out, const char *url)
{
    const char *host = strstr(url, "://");
    if (!host) {
        ia_buf_puts(out, "…");
        return;
    }
    host += strlen("://");
    size_t n = strcspn(host, "/?#");
    for (size_t i = 0; i < n; i++) { /* what stands before the last @ names a user */
        if (host[i] == '@') {
            host += i + 1;
            n -= i + 1;
            i = (size_t)-1;
        }
    }
    ia_buf_put(out, url, (size_t)(strstr(url, "://") - url) + strlen("://"));
    ia_buf_put(out, host, n);
    ia_buf_puts(out, host[n] != '\0' ? "/…" : "");
}
