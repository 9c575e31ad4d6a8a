/* jsonw.h: a JSON writer that streams into a buffer, without a DOM.
 *
 * It places commas and escapes strings; the caller balances objects and arrays. Strings are
 * made valid UTF-8 (bad bytes become U+FFFD). Output is deterministic: same calls, same bytes;
 * reals are written with the fewest digits that read back equal. Failure is the buffer's (its
 * cap) or a nesting deeper than IA_JSONW_DEPTH, and is sticky. */
#ifndef IA_BASE_JSONW_H
#define IA_BASE_JSONW_H

#include "base/buf.h"

enum { IA_JSONW_DEPTH = 64 };

struct ia_jsonw {
    struct ia_buf *out;
    int depth;
    bool after_key;
    bool need_comma[IA_JSONW_DEPTH + 1];
};

void ia_jsonw_init(struct ia_jsonw *w, struct ia_buf *out);
void ia_jsonw_object(struct ia_jsonw *w);
void ia_jsonw_end_object(struct ia_jsonw *w);
void ia_jsonw_array(struct ia_jsonw *w);
void ia_jsonw_end_array(struct ia_jsonw *w);
void ia_jsonw_key(struct ia_jsonw *w, const char *key);
void ia_jsonw_string(struct ia_jsonw *w, const char *s); /* NULL is null */
void ia_jsonw_str(struct ia_jsonw *w, struct ia_str s);
void ia_jsonw_int(struct ia_jsonw *w, int64_t v);
void ia_jsonw_real(struct ia_jsonw *w, double v); /* NaN and infinities are null */
void ia_jsonw_bool(struct ia_jsonw *w, bool v);
void ia_jsonw_null(struct ia_jsonw *w);
/* Writes bytes that are already one JSON value, unchanged. */
void ia_jsonw_raw(struct ia_jsonw *w, struct ia_str json);

/* An error as one object, wherever one is shown to a program:
 * {"code":NAME,"message","hint","outcome","retry_safe":BOOL}; hint and outcome may be empty. */
void ia_jsonw_err(struct ia_jsonw *w, const struct ia_err *err);

/* Key and value in one call. */
void ia_jsonw_kv(struct ia_jsonw *w, const char *key, const char *s);
void ia_jsonw_kv_int(struct ia_jsonw *w, const char *key, int64_t v);
void ia_jsonw_kv_real(struct ia_jsonw *w, const char *key, double v);
/* null where the value is not known: a cost, a time that is not over. */
void ia_jsonw_kv_known(struct ia_jsonw *w, const char *key, double v, bool known);
void ia_jsonw_kv_bool(struct ia_jsonw *w, const char *key, bool v);

/* Writes a file's bytes as one base64 string, read and encoded piece by piece; the file is
 * never whole in memory apart from its encoded form in the output. */
enum ia_rc ia_jsonw_base64_file(struct ia_jsonw *w, const char *path, struct ia_err *err);
/* The same from memory. */
void ia_jsonw_base64(struct ia_jsonw *w, const void *bytes, size_t n);

/* Appends s as JSON string content without the quotes. */
void ia_json_escape(struct ia_buf *out, struct ia_str s);

#endif
