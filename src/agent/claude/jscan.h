/* jscan.h: a strict JSON scanner without a DOM, for the paths that see every byte.
 *
 * It accepts exactly RFC 8259 in UTF-8 (lone surrogate escapes included, as the grammar allows
 * them) and hands out raw pieces of the input. Everything is bounded by the cursor's end and by
 * IA_JSCAN_DEPTH. Internal to this folder. */
#ifndef IA_AGENT_CLAUDE_JSCAN_H
#define IA_AGENT_CLAUDE_JSCAN_H

#include "base/buf.h"

#include <string.h>

enum { IA_JSCAN_DEPTH = 64 };

struct ia_jscan {
    const char *p;
    const char *end;
};

static inline struct ia_jscan ia_jscan(struct ia_str s)
{
    const char *p = s.p ? s.p : "";
    return (struct ia_jscan){p, p + s.n};
}

/* A scanned string: the bytes between the quotes, not unescaped. */
struct ia_jstr {
    struct ia_str raw;
    bool escaped;    /* holds a backslash */
    bool surrogates; /* holds an escape of U+D800 to U+DFFF */
};

static inline void ia_jscan_space(struct ia_jscan *s)
{
    while (s->p < s->end && (*s->p == ' ' || *s->p == '\n' || *s->p == '\r' || *s->p == '\t')) {
        s->p++;
    }
}

/* After optional whitespace: takes the character c, or leaves the cursor and returns false. */
static inline bool ia_jscan_take(struct ia_jscan *s, char c)
{
    ia_jscan_space(s);
    if (s->p == s->end || *s->p != c) {
        return false;
    }
    s->p++;
    return true;
}

/* Compares with a literal, whose length the compiler knows. */
#define IA_IS(str, literal)                                                                    \
    ((str).n == sizeof(literal) - 1 && memcmp((str).p, literal, sizeof(literal) - 1) == 0)
/* After optional whitespace: takes one string. */
bool ia_jscan_string(struct ia_jscan *s, struct ia_jstr *ret);
/* After optional whitespace: takes one value of any kind; *ret (may be NULL) is its bytes. */
bool ia_jscan_value(struct ia_jscan *s, struct ia_str *ret);
/* True when only whitespace is left. */
bool ia_jscan_end(struct ia_jscan *s);
/* True when the text is one JSON value and nothing else. */
bool ia_json_valid(struct ia_str json);

/* Walks the members of an object or the items of an array:
 *
 *     struct ia_jwalk w = ia_jwalk(text, '{');
 *     while (ia_jwalk_member(&w, &key)) { ia_jwalk_value(&w, &value) ... }
 *     if (w.bad) ...
 *
 * After ia_jwalk_member the caller takes the value with ia_jwalk_value, or itself from w.s. */
struct ia_jwalk {
    struct ia_jscan s;
    bool first;
    bool bad;
};
struct ia_jwalk ia_jwalk(struct ia_jscan s, char open);
bool ia_jwalk_member(struct ia_jwalk *w, struct ia_jstr *ret_key);
bool ia_jwalk_item(struct ia_jwalk *w); /* true: an item follows */
bool ia_jwalk_value(struct ia_jwalk *w, struct ia_str *ret);

/* The raw value of a member of an object (the last, should it repeat), or an empty string. Keys
 * with escapes never match. */
struct ia_str ia_json_get(struct ia_str object, const char *key);
/* The same, unescaped when it is a string, as a malloc'ed text; else NULL. */
char *ia_json_get_string(struct ia_str object, const char *key);
/* A value that is an integer of at most 18 digits, else fallback. */
int64_t ia_json_int(struct ia_str json, int64_t fallback);
/* The same of a member. */
int64_t ia_json_get_int(struct ia_str object, const char *key, int64_t fallback);

struct ia_jpair {
    struct ia_str key; /* raw, without quotes */
    struct ia_str value;
};
/* Appends the object `base` with members replaced by those of pairs, in base's order, and the
 * rest of pairs after them. False when base is not an object. */
bool ia_json_patch(struct ia_str base, const struct ia_jpair *pairs, size_t n,
                   struct ia_buf *out);
/* Reads the members of an object into pairs, at most max. Returns how many, or -1 when it is
 * not an object or has more. */
int ia_json_pairs(struct ia_str object, struct ia_jpair *pairs, size_t max);

/* Appends the string's text; lone surrogates become U+FFFD. */
void ia_jstr_decode(struct ia_jstr s, struct ia_buf *out);
/* Appends the raw bytes again with lone surrogate escapes replaced by \ufffd. */
void ia_jstr_fix_surrogates(struct ia_str raw, struct ia_buf *out);
/* Appends the longest beginning of a cut-off JSON text that holds only complete values, with its
 * open objects and arrays closed. False, with nothing appended, when there is none. */
bool ia_json_close(struct ia_str partial, struct ia_buf *out);

#endif
