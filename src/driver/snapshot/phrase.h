/* phrase.h: screen text made safe to stand in one line. The rules are in snapshot.h. */
#ifndef IA_DRIVER_SNAPSHOT_PHRASE_H
#define IA_DRIVER_SNAPSHOT_PHRASE_H

#include "base/buf.h"
#include "driver/snapshot/arena.h"

/* A copy of s (NULL allowed) with white space and control characters folded to single spaces,
 * trimmed, and without invisible or direction-changing characters;
 * NULL when nothing is left. */
const char *ia_phrase_fold(struct ia_arena *a, const char *s);
/* The same for n bytes, appended to out. */
void ia_phrase_fold_to(struct ia_buf *out, const char *s, size_t n);

/* What makes the writer put a phrase between quotes. */
enum ia_phrase_where {
    IA_PHRASE_LABEL, /* a word that is just "=", a leading quote or # */
    IA_PHRASE_VALUE, /* a leading quote */
    IA_PHRASE_NAME,  /* a name in a list: also a comma, or a leading digit */
    IA_PHRASE_WORD   /* one word: also any space or colon */
};
/* Appends a folded phrase, cut at max bytes with "…". */
void ia_phrase_write(struct ia_buf *out, const char *s, enum ia_phrase_where where, size_t max);

/* Appends at most about max bytes of a folded phrase: all of it, or its beginning and what in the
 * rest has numbers (excerpt.c). Returns how many characters follow that beginning. */
size_t ia_phrase_excerpt(struct ia_buf *out, const char *s, size_t max);

/* True when text holds part as whole words (part NULL or empty: true). */
bool ia_phrase_has(const char *text, const char *part);
/* True when text ends with part at the beginning of a word. */
bool ia_phrase_ends(const char *text, const char *part);
/* True when the first letter is of a script that is written from right to left. */
bool ia_phrase_rtl(const char *s);
/* True when the phrase is one character as a person counts them (one letter, one emoji). */
bool ia_phrase_single(const char *s);
/* Hash of a phrase in which every run of ASCII digits counts the same, so that a clock, a badge
 * or a counter does not change it. */
uint64_t ia_phrase_hash(uint64_t h, const char *s);
/* Equal in that sense; NULL equals only NULL. */
bool ia_phrase_alike(const char *a, const char *b);

#endif
