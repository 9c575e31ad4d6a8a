/* buf.c: the growable buffer.
 *
 * Memory doubles, so appending n bytes one by one costs O(n). The NUL behind the content is kept
 * up to date by every append and is not counted in len. A failed append leaves what was there
 * before and sets `failed`, which stops all later ones: callers check once, at the end. */
#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_CAP = 64 };

void ia_buf_fini(struct ia_buf *b)
{
    free(b->p);
    *b = IA_BUF(b->max);
}

void ia_buf_reset(struct ia_buf *b)
{
    b->len = 0;
    b->failed = false;
    if (b->p) {
        b->p[0] = '\0';
    }
}

bool ia_buf_ok(const struct ia_buf *b)
{
    return !b->failed;
}

enum ia_rc ia_buf_check(const struct ia_buf *b, const char *what, struct ia_err *err)
{
    if (!b->failed) {
        return IA_OK;
    }
    return ia_err_set(err, IA_E_LIMIT, "%s is larger than %zu bytes", what, b->max);
}

void *ia_buf_reserve(struct ia_buf *b, size_t n)
{
    /* The cap leaves room for the NUL, so that no sum below can wrap. */
    size_t max = b->max < SIZE_MAX ? b->max : SIZE_MAX - 1;
    if (b->failed || n > max || b->len > max - n) {
        b->failed = true;
        return NULL;
    }
    size_t need = b->len + n + 1;
    if (need > b->cap) {
        size_t cap = b->cap ? b->cap : FIRST_CAP;
        while (cap < need) {
            cap = cap > SIZE_MAX / 2 ? need : cap * 2;
        }
        b->p = ia_realloc(b->p, cap, 1);
        b->cap = cap;
    }
    return b->p + b->len;
}

void ia_buf_grew(struct ia_buf *b, size_t n)
{
    b->len += n;
    b->p[b->len] = '\0';
}

void ia_buf_put(struct ia_buf *b, const void *bytes, size_t n)
{
    void *dst = ia_buf_reserve(b, n);
    if (!dst) {
        return;
    }
    if (n > 0) {
        memcpy(dst, bytes, n);
    }
    ia_buf_grew(b, n);
}

void ia_buf_puts(struct ia_buf *b, const char *s)
{
    ia_buf_put(b, s, s ? strlen(s) : 0);
}

void ia_buf_putc(struct ia_buf *b, char c)
{
    ia_buf_put(b, &c, 1);
}

void ia_buf_putstr(struct ia_buf *b, struct ia_str s)
{
    ia_buf_put(b, s.p, s.n);
}

void ia_buf_printf(struct ia_buf *b, const char *fmt, ...)
{
    va_list ap;
    if (b->failed) {
        return;
    }
    /* Most texts fit into what is there; only the others are formatted twice. */
    size_t room = b->cap - b->len;
    va_start(ap, fmt);
    int n = vsnprintf(b->p ? b->p + b->len : NULL, room, fmt, ap);
    va_end(ap);
    char *dst = n < 0 ? NULL : ia_buf_reserve(b, (size_t)n);
    if (dst && (size_t)n >= room) {
        va_start(ap, fmt);
        (void)vsnprintf(dst, (size_t)n + 1, fmt, ap);
        va_end(ap);
    }
    if (dst) {
        ia_buf_grew(b, (size_t)n);
        return;
    }
    b->failed = true;
    if (b->p) {
        b->p[b->len] = '\0';
    }
}

void ia_buf_cut(struct ia_buf *b, size_t n)
{
    if (n < b->len) {
        b->len = n;
        b->p[n] = '\0';
    }
}

void ia_buf_consume(struct ia_buf *b, size_t n)
{
    if (n == 0 || b->len == 0) {
        return;
    }
    n = n > b->len ? b->len : n;
    memmove(b->p, b->p + n, b->len - n + 1);
    b->len -= n;
}

struct ia_str ia_buf_str(const struct ia_buf *b)
{
    return (struct ia_str){b->p, b->len};
}

const char *ia_buf_cstr(const struct ia_buf *b)
{
    return b->p ? b->p : "";
}

char *ia_buf_steal(struct ia_buf *b)
{
    char *p = b->p ? b->p : ia_strndup("", 0);
    *b = IA_BUF(b->max);
    return p;
}
