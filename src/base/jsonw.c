/* jsonw.c: the JSON writer: commas by level, escapes, shortest reals, base64.
 *
 * need_comma[depth] says whether the level has a value already; after_key suppresses the comma
 * between a key's colon and its value. Text below U+0020 is escaped; everything else that is valid
 * UTF-8 is copied, so a screen's text stays readable. */
#include "base/jsonw.h"

#include "base/base64.h"
#include "base/fd.h"
#include "base/utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void ia_jsonw_init(struct ia_jsonw *w, struct ia_buf *out)
{
    *w = (struct ia_jsonw){.out = out};
}

/* Writes the comma that separates this value from the one before it. */
static void begin_value(struct ia_jsonw *w)
{
    if (w->after_key) {
        w->after_key = false;
        return;
    }
    if (w->need_comma[w->depth]) {
        ia_buf_putc(w->out, ',');
    }
    w->need_comma[w->depth] = true;
}

static void open_level(struct ia_jsonw *w, char c)
{
    begin_value(w);
    ia_buf_putc(w->out, c);
    if (w->depth == IA_JSONW_DEPTH) {
        /* The whole text is given up: callers check the buffer once, at the end. */
        w->out->failed = true;
        return;
    }
    w->need_comma[++w->depth] = false;
}

static void close_level(struct ia_jsonw *w, char c)
{
    ia_buf_putc(w->out, c);
    if (w->depth > 0) {
        w->depth--;
    }
}

void ia_jsonw_object(struct ia_jsonw *w)
{
    open_level(w, '{');
}

void ia_jsonw_end_object(struct ia_jsonw *w)
{
    close_level(w, '}');
}

void ia_jsonw_array(struct ia_jsonw *w)
{
    open_level(w, '[');
}

void ia_jsonw_end_array(struct ia_jsonw *w)
{
    close_level(w, ']');
}

void ia_jsonw_key(struct ia_jsonw *w, const char *key)
{
    ia_jsonw_string(w, key);
    ia_buf_putc(w->out, ':');
    w->after_key = true;
}

static void escape_byte(struct ia_buf *out, unsigned char c)
{
    static const char short_forms[] = "\b\t\n\f\r\"\\";
    static const char letters[] = "btnfr\"\\";
    const char *at = c ? strchr(short_forms, c) : NULL;
    if (at) {
        ia_buf_putc(out, '\\');
        ia_buf_putc(out, letters[at - short_forms]);
    } else {
        ia_buf_printf(out, "\\u%04x", c);
    }
}

static bool plain(unsigned char c)
{
    return c >= 0x20 && c < 0x7F && c != '"' && c != '\\';
}

void ia_json_escape(struct ia_buf *out, struct ia_str s)
{
    size_t i = 0;
    while (i < s.n) {
        size_t start = i;
        while (i < s.n && plain((unsigned char)s.p[i])) {
            i++;
        }
        ia_buf_put(out, s.p + start, i - start);
        if (i == s.n) {
            return;
        }
        unsigned char c = (unsigned char)s.p[i];
        if (c < 0x80) {
            escape_byte(out, c);
            i++;
            continue;
        }
        size_t n = ia_utf8_valid_len(s.p + i, s.n - i);
        if (n == 0) {
            ia_buf_puts(out, "\xEF\xBF\xBD");
            n = 1;
        } else {
            ia_buf_put(out, s.p + i, n);
        }
        i += n;
    }
}

void ia_jsonw_str(struct ia_jsonw *w, struct ia_str s)
{
    begin_value(w);
    ia_buf_putc(w->out, '"');
    ia_json_escape(w->out, s);
    ia_buf_putc(w->out, '"');
}

void ia_jsonw_string(struct ia_jsonw *w, const char *s)
{
    if (s) {
        ia_jsonw_str(w, ia_str(s));
    } else {
        ia_jsonw_null(w);
    }
}

void ia_jsonw_int(struct ia_jsonw *w, int64_t v)
{
    begin_value(w);
    ia_buf_printf(w->out, "%" PRId64, v);
}

void ia_jsonw_real(struct ia_jsonw *w, double v)
{
    if (!isfinite(v)) {
        ia_jsonw_null(w);
        return;
    }
    char text[32];
    bool integral = fabs(v) < 1e15 && v == floor(v);
    if (integral) {
        (void)snprintf(text, sizeof(text), "%.0f", v);
    }
    /* The fewest digits that read back as the same number; 17 always do. %g leaves out the zeros that 15
     * have at their end where fewer would do. */
    for (int digits = fabs(v) < DBL_MIN ? 1 : 15; !integral && digits <= 17; digits++) {
        (void)snprintf(text, sizeof(text), "%.*g", digits, v);
        if (strtod(text, NULL) == v) {
            break;
        }
    }
    begin_value(w);
    ia_buf_puts(w->out, text);
}

void ia_jsonw_bool(struct ia_jsonw *w, bool v)
{
    begin_value(w);
    ia_buf_puts(w->out, v ? "true" : "false");
}

void ia_jsonw_null(struct ia_jsonw *w)
{
    begin_value(w);
    ia_buf_puts(w->out, "null");
}

void ia_jsonw_raw(struct ia_jsonw *w, struct ia_str json)
{
    begin_value(w);
    ia_buf_putstr(w->out, json);
}

void ia_jsonw_kv(struct ia_jsonw *w, const char *key, const char *s)
{
    ia_jsonw_key(w, key);
    ia_jsonw_string(w, s);
}

void ia_jsonw_kv_int(struct ia_jsonw *w, const char *key, int64_t v)
{
    ia_jsonw_key(w, key);
    ia_jsonw_int(w, v);
}

void ia_jsonw_kv_real(struct ia_jsonw *w, const char *key, double v)
{
    ia_jsonw_key(w, key);
    ia_jsonw_real(w, v);
}

void ia_jsonw_kv_known(struct ia_jsonw *w, const char *key, double v, bool known)
{
    ia_jsonw_kv_real(w, key, known ? v : (double)NAN);
}

void ia_jsonw_kv_bool(struct ia_jsonw *w, const char *key, bool v)
{
    ia_jsonw_key(w, key);
    ia_jsonw_bool(w, v);
}

void ia_jsonw_err(struct ia_jsonw *w, const struct ia_err *err)
{
    ia_jsonw_object(w);
    ia_jsonw_kv(w, "code", ia_rc_name(err->code));
    ia_jsonw_kv(w, "message", err->msg);
    ia_jsonw_kv(w, "hint", err->hint);
    ia_jsonw_kv(w, "outcome", ia_outcome_name(err->outcome));
    ia_jsonw_kv_bool(w, "retry_safe", err->retry_safe);
    ia_jsonw_end_object(w);
}

/* n must be a multiple of 3 except in the last call of a string. */
static void put_base64(struct ia_buf *out, const void *bytes, size_t n)
{
    char *dst = ia_buf_reserve(out, IA_BASE64_SIZE(n));
    if (dst) {
        ia_buf_grew(out, ia_base64_encode(bytes, n, dst));
    }
}

void ia_jsonw_base64(struct ia_jsonw *w, const void *bytes, size_t n)
{
    begin_value(w);
    ia_buf_putc(w->out, '"');
    put_base64(w->out, bytes, n);
    ia_buf_putc(w->out, '"');
}

enum ia_rc ia_jsonw_base64_file(struct ia_jsonw *w, const char *path, struct ia_err *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return ia_err_set(err, IA_E_IO, "cannot open %s: %s", path, strerror(errno));
    }
    unsigned char chunk[3 * 4096];
    ssize_t n = 0;
    begin_value(w);
    ia_buf_putc(w->out, '"');
    while (ia_buf_ok(w->out) && (n = ia_read_full(fd, chunk, sizeof(chunk))) > 0) {
        put_base64(w->out, chunk, (size_t)n);
    }
    ia_buf_putc(w->out, '"');
    int saved = errno;
    close(fd);
    if (n < 0) {
        return ia_err_set(err, IA_E_IO, "cannot read %s: %s", path, strerror(saved));
    }
    return ia_buf_check(w->out, path, err);
}
