/* buf.h: a growable byte buffer with a hard cap and sticky failure.
 *
 * Append as often as needed and check ia_buf_ok() once at the end. After a failure (cap
 * reached) appends do nothing. The content is always NUL-terminated once anything was appended,
 * and the NUL is not counted. Not thread-safe. */
#ifndef IA_BASE_BUF_H
#define IA_BASE_BUF_H

#include "base/base.h"
#include "base/err.h"

struct ia_buf {
    char *p;
    size_t len;
    size_t cap; /* bytes allocated */
    size_t max; /* most bytes that len may reach */
    bool failed;
};

/* A ready buffer that allocates on first use. max is in bytes. */
#define IA_BUF(max_bytes) ((struct ia_buf){.max = (max_bytes)})

void ia_buf_fini(struct ia_buf *b);  /* frees; the buffer is empty and usable again */
void ia_buf_reset(struct ia_buf *b); /* empties and clears failure; keeps the memory */
bool ia_buf_ok(const struct ia_buf *b);
/* IA_OK, or IA_E_LIMIT with a message that names `what` and the cap. */
enum ia_rc ia_buf_check(const struct ia_buf *b, const char *what, struct ia_err *err);

/* The bytes must not lie in the buffer itself. */
void ia_buf_put(struct ia_buf *b, const void *bytes, size_t n);
void ia_buf_puts(struct ia_buf *b, const char *s); /* NULL is the empty string */
void ia_buf_putc(struct ia_buf *b, char c);
void ia_buf_putstr(struct ia_buf *b, struct ia_str s);
void ia_buf_printf(struct ia_buf *b, const char *fmt, ...) IA_PRINTF(2, 3);
/* Makes room for n more bytes and returns where they go, or NULL on failure. The caller writes
 * at most n bytes there and adds what it wrote with ia_buf_grew. */
void *ia_buf_reserve(struct ia_buf *b, size_t n);
void ia_buf_grew(struct ia_buf *b, size_t n);
/* Shortens to n bytes; n beyond len is ignored. */
void ia_buf_cut(struct ia_buf *b, size_t n);
/* Removes n bytes from the front. */
void ia_buf_consume(struct ia_buf *b, size_t n);
struct ia_str ia_buf_str(const struct ia_buf *b); /* borrowed until the next append */
const char *ia_buf_cstr(const struct ia_buf *b);  /* never NULL; borrowed likewise */
/* Moves the bytes out as a malloc'ed, NUL-terminated string; the buffer is empty after. */
char *ia_buf_steal(struct ia_buf *b);

#endif
