/* suspect.c: finds text that tries to give orders. A text is folded into up to three forms, and each is searched for
 * the patterns of orders.json.
 *
 *     folded         case, width, invisible characters          base/textfold.h
 *     look-alikes    letters of other alphabets, digits as letters
 *     squeezed       letters with spaces between them           only where the text is written so */
#include "agent/policy/suspect.h"

#include "agent/policy/words.h"
#include "base/hash.h"
#include "base/textfold.h"
#include "base/utf8.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum {
    TEXT_MAX = 16384,    /* of one text; what is longer is searched up to here */
    SHORTEST_BYTES = 9,  /* a shorter text gives no order */
    GAP_WORDS = 4,       /* for which "*" stands at most */
    GAP_BYTES = 60,      /* the same, in bytes, where words are not told apart */
    SPACED_LETTERS = 6,  /* single letters in a row */
    ADDRESSED_WORDS = 5, /* a shorter text with an assistant's name is a label */
};

/* ---- forms of a text --------------------------------------------------------------------- */

/* Letters of other alphabets that look like Latin ones, in lower case. Source: Unicode confusables.txt (15.0),
 * those of Cyrillic, Greek and Armenian that need no accent. */
static const struct {
    const char *from;
    char to;
} alike[] = {
    {"а", 'a'}, {"е", 'e'}, {"о", 'o'}, {"р", 'p'}, {"с", 'c'}, {"у", 'y'}, {"х", 'x'},
    {"і", 'i'}, {"ј", 'j'}, {"ѕ", 's'}, {"һ", 'h'}, {"ԁ", 'd'}, {"ԛ", 'q'}, {"ԝ", 'w'},
    {"ν", 'v'}, {"ο", 'o'}, {"ρ", 'p'}, {"α", 'a'}, {"ι", 'i'}, {"υ", 'u'}, {"γ", 'y'},
    {"τ", 't'}, {"κ", 'k'}, {"в", 'b'}, {"н", 'h'}, {"к", 'k'}, {"м", 'm'}, {"т", 't'},
    {"п", 'n'}, {"г", 'r'}, {"ո", 'n'}, {"ս", 'u'}, {"օ", 'o'}, {"հ", 'h'}, {"ց", 'g'},
    {"ɡ", 'g'}, {"ı", 'i'}, {"ℓ", 'l'}, {"ӏ", 'l'}, {"ʟ", 'l'}, {"ɴ", 'n'}, {"ɪ", 'i'},
};

static char digit_as_letter(char c)
{
    static const char from[] = "013457@$!", to[] = "oieastasi";
    const char *at = c ? strchr(from, c) : NULL;
    return at ? to[at - from] : c;
}

static size_t alike_at(const char *p, char *ret)
{
    for (size_t i = 0; i < IA_COUNTOF(alike); i++) {
        size_t n = strlen(alike[i].from);
        if (strncmp(p, alike[i].from, n) == 0) {
            *ret = alike[i].to;
            return n;
        }
    }
    return 0;
}

/* Text recognition takes a capital I for an l: "lgnore". No word that is known begins with l and one of these. */
static bool capital_i(const char *text, const char *p)
{
    return *p == 'l' && (p == text || !isalnum((unsigned char)p[-1])) && p[1] &&
           strchr("bcdfghjkmnpqrstvwxz", p[1]);
}

/* A digit stands for a letter only beside letters: "1gn0re", not "10 items". */
static void look_alikes(const char *text, struct ia_buf *out)
{
    for (const char *p = text; *p;) {
        char c = *p;
        size_t n = (unsigned char)c >= 0x80 ? alike_at(p, &c) : 0;
        bool beside =
            (p > text && isalpha((unsigned char)p[-1])) || isalpha((unsigned char)p[1]);
        ia_buf_putc(out, capital_i(text, p) ? 'i' : n || !beside ? c : digit_as_letter(c));
        p += n ? n : 1;
    }
}

/* "i g n o r e" and "i.g.n.o.r.e" without what is between; nothing where the text is not written so. */
static void squeeze(const char *text, struct ia_buf *out)
{
    int row = 0, longest = 0;
    for (const char *p = text; *p; p++) {
        bool single = isalpha((unsigned char)*p) &&
                      (p == text || !isalnum((unsigned char)p[-1])) &&
                      !isalnum((unsigned char)p[1]);
        row = single ? row + 1 : isalnum((unsigned char)*p) ? 0 : row;
        longest = row > longest ? row : longest;
        if (isalnum((unsigned char)*p)) {
            ia_buf_putc(out, *p);
        }
    }
    if (longest < SPACED_LETTERS) {
        ia_buf_reset(out);
    }
}

/* ---- patterns ---------------------------------------------------------------------------- */

static int words_between(const char *from, const char *to)
{
    int n = 0;
    for (; from < to; from++) {
        n += *from == ' ' && from[1] != ' ';
    }
    return n;
}

/* "ignore * previous": the parts in order, with a few words between. */
static bool has_parts(const char *text, const char *pattern, const char *star, bool squeezed)
{
    char first[TEXT_MAX / 64];
    size_t n = (size_t)(star - pattern);
    if (n == 0 || n >= sizeof(first)) {
        return false;
    }
    memcpy(first, pattern, n);
    first[n - (first[n - 1] == ' ')] = '\0';
    const char *last = star + 1 + (star[1] == ' ');
    size_t first_n = strlen(first), last_n = strlen(last);
    for (const char *a = strstr(text, first); a; a = strstr(a + 1, first)) {
        for (const char *b = strstr(a + first_n, last); b; b = strstr(b + 1, last)) {
            bool near = b - a - (ptrdiff_t)first_n <= GAP_BYTES &&
                        words_between(a + first_n, b) <= GAP_WORDS + 1;
            bool whole = squeezed || ((a == text || !isalnum((unsigned char)a[-1])) &&
                                      !isalnum((unsigned char)b[last_n]));
            if (near && whole) {
                return true;
            }
        }
    }
    return false;
}

static bool gives_order(const char *text, bool squeezed)
{
    for (const char *const *w = ia_words(IA_WORDS_ORDER); *w; w++) {
        const char *star = strchr(*w, '*');
        bool found = star       ? has_parts(text, *w, star, squeezed)
                     : squeezed ? false
                                : ia_words_in(text, *w, false);
        if (found) {
            return true;
        }
    }
    return false;
}

/* A text that only mentions an assistant ("Claude", "Ask the assistant") tells it nothing. */
static bool addresses(const char *text)
{
    return ia_words_count(text) >= ADDRESSED_WORDS &&
           ia_words_any(IA_WORDS_NAMES_AI, text, false) &&
           ia_words_any(IA_WORDS_COMMAND, text, false);
}

static bool has_markup(const char *text)
{
    for (const char *const *w = ia_words(IA_WORDS_MARKUP); *w; w++) {
        const char *at = strstr(text, *w);
        bool sign = at && !isalpha((unsigned char)**w);
        bool heads = at && (at == text || strchr(" ><\"'", at[-1]));
        if (sign || heads) {
            return true;
        }
    }
    return false;
}

static const char *judge(const char *text)
{
    return has_markup(text)           ? "markup"
           : gives_order(text, false) ? "order"
           : addresses(text)          ? "addressed"
                                      : NULL;
}

const char *ia_suspect_text(struct ia_str text)
{
    if (text.n < SHORTEST_BYTES) {
        return NULL;
    }
    text.n = text.n > TEXT_MAX / 4 ? TEXT_MAX / 4 : text.n;
    struct ia_buf folded = IA_BUF(TEXT_MAX), other = IA_BUF(TEXT_MAX);
    ia_text_fold(&folded, text);
    const char *why = judge(ia_buf_cstr(&folded));
    if (!why) {
        look_alikes(ia_buf_cstr(&folded), &other);
        bool differs = strcmp(ia_buf_cstr(&folded), ia_buf_cstr(&other)) != 0;
        why = differs ? judge(ia_buf_cstr(&other)) : NULL;
    }
    if (!why) {
        struct ia_buf squeezed = IA_BUF(TEXT_MAX);
        squeeze(ia_buf_cstr(&other), &squeezed);
        why = squeezed.len > 0 && gives_order(ia_buf_cstr(&squeezed), true) ? "order" : NULL;
        ia_buf_fini(&squeezed);
    }
    ia_buf_fini(&folded);
    ia_buf_fini(&other);
    return why;
}

/* ---- a screen ---------------------------------------------------------------------------- */

static bool is_new(struct ia_suspects *s, struct ia_str text)
{
    uint64_t hash = ia_hash(0, text.p, text.n);
    uint64_t *at = &s->seen[hash % IA_SUSPECT_SEEN];
    bool fresh = *at != hash;
    *at = hash;
    return fresh;
}

struct finding {
    struct ia_suspects *s;
    struct ia_suspect *ret;
    size_t n, max;
};

static bool take(struct finding *f, uint32_t ref, struct ia_str text)
{
    const char *why = NULL;
    if (f->n < f->max && text.n >= SHORTEST_BYTES && is_new(f->s, text)) {
        why = ia_suspect_text(text);
    }
    if (why) {
        struct ia_suspect *r = &f->ret[f->n++];
        *r = (struct ia_suspect){.ref = ref, .why = why};
        (void)snprintf(r->text, sizeof(r->text), "%.*s", (int)text.n, text.p);
        r->text[ia_utf8_cut(r->text, strlen(r->text))] = '\0';
        f->s->any = true;
    }
    return why != NULL;
}

static bool take_text(struct finding *f, uint32_t ref, const char *text)
{
    return text && take(f, ref, ia_str(text));
}

size_t ia_suspects_take(struct ia_suspects *s, struct ia_str text, struct ia_suspect *ret,
                        size_t max)
{
    struct finding f = {s, ret, 0, max};
    return take(&f, 0, text);
}

/* One order in two labels. */
static void take_both(struct finding *f, const struct ia_element *before,
                      const struct ia_element *e)
{
    struct ia_buf both = IA_BUF(TEXT_MAX);
    if (before && before->label && e->label) {
        ia_buf_printf(&both, "%s %s", before->label, e->label);
        (void)take(f, e->ref, ia_buf_str(&both));
    }
    ia_buf_fini(&both);
}

size_t ia_suspects_find(struct ia_suspects *s, const struct ia_snapshot *screen,
                        struct ia_suspect *ret, size_t max)
{
    struct finding f = {s, ret, 0, max};
    const struct ia_element *e, *before = NULL;
    (void)take_text(&f, 0, ia_snapshot_screen(screen));
    for (size_t i = 0; (e = ia_snapshot_at(screen, i)) != NULL; i++) {
        if (!e->listed) {
            continue;
        }
        bool found = take_text(&f, e->ref, e->label);
        found = take_text(&f, e->ref, e->value) || found;
        found = take_text(&f, e->ref, e->placeholder) || found;
        found = (!e->label && take_text(&f, e->ref, e->identifier)) || found;
        if (!found) {
            take_both(&f, before, e);
        }
        before = found ? NULL : e;
    }
    return f.n;
}
