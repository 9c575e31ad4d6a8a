/* textfold.c: a text on its way to the form in which alike texts are equal.
 *
 *     text ─► signs that glib keeps apart ─► NFKC ─► case folding ─► spaces
 *             (quotes, dashes, invisible)
 *
 * What is ASCII, as most texts are, takes a short cut through none of it. glib is loaded when the
 * first other text comes. The signs go first, because NFKC tears some of them into a space and a mark
 * (U+00B4). */
#include "base/textfold.h"

#include "base/glib_lib.h"
#include "base/utf8.h"

#include <string.h>

/* What stands for the signs of a range; 0: nothing. Source: Unicode 15, General Punctuation and
 * the properties Dash, Quotation_Mark, Default_Ignorable_Code_Point. */
static const struct {
    uint32_t from, to;
    char as;
} signs[] = {
    {0x00, 0x00, 0},       {0x22, 0x22, 0},       {0x27, 0x27, 0},       {0x60, 0x60, 0},
    {0xa0, 0xa0, ' '},     {0xab, 0xab, 0},       {0xad, 0xad, 0},       {0xb4, 0xb4, 0},
    {0xbb, 0xbb, 0},       {0x2b9, 0x2bf, 0},     {0x2c8, 0x2cb, 0},     {0x61c, 0x61c, 0},
    {0x1680, 0x1680, ' '}, {0x180e, 0x180e, 0},   {0x2000, 0x200a, ' '}, {0x200b, 0x200f, 0},
    {0x2010, 0x2015, '-'}, {0x2018, 0x201f, 0},   {0x2028, 0x2029, ' '}, {0x202a, 0x202e, 0},
    {0x202f, 0x202f, ' '}, {0x2032, 0x2037, 0},   {0x2039, 0x203a, 0},   {0x2043, 0x2043, '-'},
    {0x205f, 0x205f, ' '}, {0x2060, 0x206f, 0},   {0x2212, 0x2212, '-'}, {0x275b, 0x275e, 0},
    {0x2e3a, 0x2e3b, '-'}, {0x3000, 0x3000, ' '}, {0x300c, 0x300f, 0},   {0x301d, 0x301f, 0},
    {0xfe00, 0xfe0f, 0},   {0xfe58, 0xfe58, '-'}, {0xfe63, 0xfe63, '-'}, {0xfeff, 0xfeff, 0},
    {0xff02, 0xff02, 0},   {0xff07, 0xff07, 0},   {0xff0d, 0xff0d, '-'},
};

/* One sign: what stands for it, or itself. */
static void put_sign(struct ia_buf *out, const char *p, size_t n)
{
    uint32_t cp = ia_utf8_decode(p, n);
    for (size_t i = 0; i < IA_COUNTOF(signs) && signs[i].from <= cp; i++) {
        if (cp <= signs[i].to) {
            if (signs[i].as) {
                ia_buf_putc(out, signs[i].as);
            }
            return;
        }
    }
    ia_buf_put(out, p, n);
}

static void put_signs(struct ia_buf *out, struct ia_str text)
{
    for (size_t i = 0; i < text.n;) {
        size_t n = ia_utf8_valid_len(text.p + i, text.n - i);
        if (n > 0) {
            put_sign(out, text.p + i, n);
        }
        i += n ? n : 1;
    }
}

/* ASCII letters to lower case, white space to single spaces. */
static void put_plain(struct ia_buf *out, const char *p, size_t n)
{
    bool gap = false, any = false;
    for (size_t i = 0; i < n; i++) {
        char c = p[i];
        if (c == ' ' || (c >= '\t' && c <= '\r')) {
            gap = any;
            continue;
        }
        if (gap) {
            ia_buf_putc(out, ' ');
        }
        gap = false;
        any = true;
        ia_buf_putc(out, (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c));
    }
}

static bool is_ascii(struct ia_str text)
{
    for (size_t i = 0; i < text.n; i++) {
        if ((unsigned char)text.p[i] >= 0x80) {
            return false;
        }
    }
    return true;
}

/* NULL for what is ASCII, and where glib is missing. */
static const struct ia_glib *glib_for(struct ia_str text)
{
    return is_ascii(text) ? NULL : ia_glib(NULL);
}

void ia_text_fold(struct ia_buf *out, struct ia_str text)
{
    struct ia_buf b = IA_BUF(SIZE_MAX / 2);
    put_signs(&b, text);
    const struct ia_glib *glib = glib_for(ia_buf_str(&b));
    char *normal = glib ? glib->g_utf8_normalize_(b.p, (gssize)b.len, G_NORMALIZE_NFKC) : NULL;
    if (normal) {
        char *folded = glib->g_utf8_casefold_(normal, -1);
        put_plain(out, folded, strlen(folded));
        glib->g_free_(folded);
        glib->g_free_(normal);
    } else {
        put_plain(out, b.p, b.len);
    }
    ia_buf_fini(&b);
}

static void put_without_marks(const struct ia_glib *glib, struct ia_buf *out,
                              struct ia_str text)
{
    char *parts = glib->g_utf8_normalize_(text.p, (gssize)text.n, G_NORMALIZE_NFD);
    size_t n = 0;
    for (const char *p = parts; p && *p; p += n) {
        n = ia_utf8_valid_len(p, 4);
        if (glib->g_unichar_combining_class_(ia_utf8_decode(p, n)) == 0) {
            ia_buf_put(out, p, n);
        }
    }
    glib->g_free_(parts);
}

static void put_ascii_case(struct ia_buf *out, struct ia_str text, bool upper)
{
    char first = upper ? 'a' : 'A';
    for (size_t i = 0; i < text.n; i++) {
        char c = text.p[i];
        ia_buf_putc(out, (char)(c >= first && c <= first + 25 ? c ^ 0x20 : c));
    }
}

void ia_text_case(struct ia_buf *out, struct ia_str text, bool upper)
{
    const struct ia_glib *glib = glib_for(text);
    if (!glib) {
        put_ascii_case(out, text, upper);
        return;
    }
    gssize n = (gssize)text.n;
    char *cased = upper ? glib->g_utf8_strup_(text.p, n) : glib->g_utf8_strdown_(text.p, n);
    ia_buf_puts(out, cased);
    glib->g_free_(cased);
}

void ia_text_fold_letters(struct ia_buf *out, struct ia_str text, bool no_case, bool no_marks)
{
    struct ia_buf bare = IA_BUF(SIZE_MAX / 2);
    const struct ia_glib *glib = glib_for(text);
    if (glib && no_marks) {
        put_without_marks(glib, &bare, text);
        text = ia_buf_str(&bare);
    }
    if (!no_case) {
        ia_buf_putstr(out, text);
    } else if (!glib) {
        put_ascii_case(out, text, false);
    } else {
        char *folded = glib->g_utf8_casefold_(text.p ? text.p : "", (gssize)text.n);
        ia_buf_puts(out, folded);
        glib->g_free_(folded);
    }
    ia_buf_fini(&bare);
}
