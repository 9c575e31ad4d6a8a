/* base.c: string views, and memory that cannot run out quietly.
 *
 * The caps on what comes from outside are checked before anything is allocated, so an allocation
 * that fails means that the machine is out of memory. No caller could do better than stop: every
 * step of a run is in the database, and the next start resumes it. */
#include "base/base.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct ia_str ia_str(const char *s)
{
    return (struct ia_str){s, s ? strlen(s) : 0};
}

bool ia_str_eq(struct ia_str a, struct ia_str b)
{
    return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

bool ia_str_is(struct ia_str a, const char *b)
{
    return ia_str_eq(a, ia_str(b));
}

bool ia_str_starts(struct ia_str a, struct ia_str b)
{
    return a.n >= b.n && (b.n == 0 || memcmp(a.p, b.p, b.n) == 0);
}

const char *ia_str_find(struct ia_str text, const char *part)
{
    size_t n = strlen(part);
    for (size_t i = 0; i + n <= text.n; i++) {
        if (memcmp(text.p + i, part, n) == 0) {
            return text.p + i;
        }
    }
    return NULL;
}

bool ia_str_line(struct ia_str *text, struct ia_str *ret)
{
    if (text->n == 0) {
        return false;
    }
    const char *end = memchr(text->p, '\n', text->n);
    size_t n = end ? (size_t)(end - text->p) : text->n;
    size_t used = end ? n + 1 : n;
    *ret = (struct ia_str){text->p, n};
    *text = (struct ia_str){text->p + used, text->n - used};
    return true;
}

static void *check(void *p)
{
    if (!p) {
        fputs("ios-agent: out of memory\n", stderr);
        abort();
    }
    return p;
}

void *ia_alloc(size_t size)
{
    return check(malloc(size ? size : 1));
}

void *ia_calloc(size_t count, size_t size)
{
    return check(calloc(count ? count : 1, size ? size : 1));
}

void *ia_realloc(void *p, size_t count, size_t size)
{
    size_t bytes = 0;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        return check(NULL);
    }
    return check(realloc(p, bytes ? bytes : 1));
}

void *ia_grow(void *p, size_t n, size_t size)
{
    bool full = (n & (n - 1)) == 0; /* at 0 and at each power of two */
    return full ? ia_realloc(p, n > 0 ? 2 * n : 1, size) : p;
}

char *ia_strdup(const char *s)
{
    return s ? ia_strndup(s, strlen(s)) : NULL;
}

char *ia_strndup(const char *s, size_t n)
{
    char *copy = ia_alloc(n + 1);
    if (n > 0) {
        memcpy(copy, s, n);
    }
    copy[n] = '\0';
    return copy;
}

void ia_wipe(void *p, size_t n)
{
    volatile unsigned char *bytes = p;
    for (size_t i = 0; i < n; i++) {
        bytes[i] = 0;
    }
}

void ia_free_wiped(char *s)
{
    ia_wipe(s, s ? strlen(s) : 0);
    free(s);
}
