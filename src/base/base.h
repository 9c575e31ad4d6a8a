/* base.h: the few attributes and helpers that every module uses. */
#ifndef IA_BASE_BASE_H
#define IA_BASE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define IA_PRINTF(fmt_index, first_arg) __attribute__((format(printf, fmt_index, first_arg)))
#define IA_MUST_USE __attribute__((warn_unused_result))
#define IA_NOT_NULL __attribute__((returns_nonnull))
#define IA_COUNTOF(array) (sizeof(array) / sizeof((array)[0]))

/* A borrowed run of bytes. Not NUL-terminated; p may be NULL when n is 0. */
struct ia_str {
    const char *p;
    size_t n;
};

/* Views a NUL-terminated string; NULL becomes the empty string. */
struct ia_str ia_str(const char *s);
bool ia_str_eq(struct ia_str a, struct ia_str b);
bool ia_str_is(struct ia_str a, const char *b);
/* True when a starts with b. */
bool ia_str_starts(struct ia_str a, struct ia_str b);
/* The first place of part in text, or NULL; an empty part is at its start. */
const char *ia_str_find(struct ia_str text, const char *part);
/* Takes the first line off text, into *ret without its newline. False at the end. */
bool ia_str_line(struct ia_str *text, struct ia_str *ret);

/* malloc, calloc, realloc and strdup that never return NULL: out of memory writes one line to
 * stderr and aborts. Everything that matters is in the database, so a restart resumes.
 * Sizes are multiplied with an overflow check. free() releases. Any thread. */
void *ia_alloc(size_t size) IA_MUST_USE IA_NOT_NULL;
void *ia_calloc(size_t count, size_t size) IA_MUST_USE IA_NOT_NULL;
void *ia_realloc(void *p, size_t count, size_t size) IA_MUST_USE IA_NOT_NULL;
/* p, a list of n elements that only this grew, with room for one more: it doubles. */
void *ia_grow(void *p, size_t n, size_t size) IA_MUST_USE IA_NOT_NULL;
char *ia_strdup(const char *s) IA_MUST_USE;                        /* NULL stays NULL */
char *ia_strndup(const char *s, size_t n) IA_MUST_USE IA_NOT_NULL; /* n bytes, and a NUL */

/* Overwrites n bytes of a secret; the compiler may not leave it out. p may be NULL where n is 0. */
void ia_wipe(void *p, size_t n);
/* free() of a NUL-terminated secret, overwritten first; NULL is allowed. */
void ia_free_wiped(char *s);

#endif
