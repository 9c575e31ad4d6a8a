/* headers.c: "name=value,name=value", percent-encoded, into header lines. */
#include "telemetry/headers.h"

#include "base/urlquery.h"

#include <stdlib.h>
#include <string.h>

enum { LINE_BYTES_MAX = 4096 };

static struct ia_str trimmed(struct ia_str s)
{
    while (s.n > 0 && (s.p[0] == ' ' || s.p[0] == '\t')) {
        s.p++;
        s.n--;
    }
    while (s.n > 0 && (s.p[s.n - 1] == ' ' || s.p[s.n - 1] == '\t')) {
        s.n--;
    }
    return s;
}

/* The characters of a token of RFC 9110. */
static bool is_name(struct ia_str s)
{
    static const char others[] = "!#$%&'*+-.^_`|~";
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (!plain && (c == '\0' || !strchr(others, c))) {
            return false;
        }
    }
    return s.n > 0;
}

/* The line in new memory, or NULL: it is no header. */
static char *line_of(struct ia_str member)
{
    const char *equals = memchr(member.p, '=', member.n);
    size_t n = equals ? (size_t)(equals - member.p) : 0;
    struct ia_str name = trimmed((struct ia_str){member.p, n});
    struct ia_buf line = IA_BUF(LINE_BYTES_MAX);
    bool ok = equals && is_name(name);
    if (ok) {
        struct ia_str value = trimmed((struct ia_str){equals + 1, member.n - n - 1});
        ia_buf_putstr(&line, name);
        ia_buf_puts(&line, ": ");
        ok = ia_url_unescape(&line, value) && ia_buf_ok(&line) &&
             !strpbrk(ia_buf_cstr(&line), "\r\n");
    }
    if (ok) {
        return ia_buf_steal(&line);
    }
    ia_free_wiped(ia_buf_steal(&line));
    return NULL;
}

enum ia_rc ia_otlp_headers_parse(struct ia_str text, char *ret[IA_OTLP_HEADERS_MAX + 1],
                                 struct ia_err *err)
{
    size_t count = 0;
    memset(ret, 0, sizeof(*ret) * (IA_OTLP_HEADERS_MAX + 1));
    while (text.n > 0) {
        const char *comma = memchr(text.p, ',', text.n);
        size_t n = comma ? (size_t)(comma - text.p) : text.n;
        struct ia_str member = trimmed((struct ia_str){text.p, n});
        text.p += n + (comma != NULL);
        text.n -= n + (comma != NULL);
        if (member.n == 0) {
            continue;
        }
        char *line = count < IA_OTLP_HEADERS_MAX ? line_of(member) : NULL;
        if (!line) {
            ia_otlp_headers_free(ret);
            enum ia_rc rc =
                ia_err_set(err, IA_E_USAGE,
                           "member %zu of OTEL_EXPORTER_OTLP_HEADERS is no header", count + 1);
            ia_err_hint(err, "at most %d members, \"name=value\", with commas between them",
                        IA_OTLP_HEADERS_MAX);
            return rc;
        }
        ret[count++] = line;
    }
    return IA_OK;
}

void ia_otlp_headers_free(char *headers[IA_OTLP_HEADERS_MAX + 1])
{
    for (size_t i = 0; headers[i]; i++) {
        ia_free_wiped(headers[i]);
        headers[i] = NULL;
    }
}
