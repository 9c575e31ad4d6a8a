/* escape.c: hostile text as plain text of each format.
 *
 * All formats but a shell's word go through next(), which reads one character at a time and
 * replaces those that would hide or reorder their neighbours; what is left to each is what it
 * must quote. */
#include "agent/report/escape.h"

#include "base/utf8.h"
#include "base/xml.h"

#include <string.h>

/* ---- one character at a time ------------------------------------------------------------- */

enum { REPLACEMENT = 0xFFFD, DEL = 0x7F, PICTURE_DEL = 0x2421, PICTURES = 0x2400 };

/* Not the joiners: emoji and several scripts are made with them. */
static bool is_hidden(uint32_t cp)
{
    return (cp >= 0x80 && cp <= 0x9F) ||                   /* C1 */
           cp == 0x200B || cp == 0x200E || cp == 0x200F || /* zero width, marks of direction */
           (cp >= 0x2028 && cp <= 0x202E) || /* separators, embeddings, overrides */
           (cp >= 0x2060 && cp <= 0x2069) || /* joiners, isolates */
           cp == 0xFEFF || cp == 0xFFFE || cp == 0xFFFF;
}

/* The next character that may be shown, as a code point; s moves on. */
static uint32_t next(struct ia_str *s)
{
    unsigned char c = (unsigned char)s->p[0];
    size_t len = ia_utf8_valid_len(s->p, s->n);
    uint32_t cp = len > 0 ? ia_utf8_decode(s->p, len) : REPLACEMENT;
    len = len > 0 ? len : 1;
    s->p += len;
    s->n -= len;
    if (c == DEL) {
        return PICTURE_DEL;
    }
    if (c < 0x20 && c != '\n' && c != '\t') {
        return PICTURES + (uint32_t)c;
    }
    return is_hidden(cp) ? REPLACEMENT : cp;
}

static void put(struct ia_buf *out, uint32_t cp)
{
    char bytes[4];
    ia_buf_put(out, bytes, ia_utf8_encode(cp, bytes));
}

/* Whether a CI job's log would take what stands there for a command: GitHub one that begins a line,
 * both GitHub and Azure those with number signs anywhere. */
static bool is_command(struct ia_str s, bool start)
{
    return (start && ia_str_starts(s, ia_str("::"))) || ia_str_starts(s, ia_str("##[")) ||
           ia_str_starts(s, ia_str("##vso["));
}

/* ---- markup ------------------------------------------------------------------------------ */

static void put_markup(struct ia_buf *out, uint32_t cp)
{
    const char *entity = cp == '\'' ? "&#39;" : cp < 0x80 ? ia_xml_entity((char)cp) : NULL;
    if (entity) {
        ia_buf_puts(out, entity);
    } else {
        put(out, cp);
    }
}

/* "\r\n" is one end of a line. */
static void skip_return(struct ia_str *s)
{
    if (s->n > 1 && s->p[0] == '\r' && s->p[1] == '\n') {
        s->p++;
        s->n--;
    }
}

/* Reports are printed, too. */
static void put_text(struct ia_buf *out, struct ia_str s, const char *plain)
{
    bool start = true; /* nothing but blanks on this line so far */
    while (s.n > 0) {
        skip_return(&s);
        bool command = is_command(s, start);
        uint32_t cp = next(&s);
        bool blank = cp <= ' ' || cp >= DEL; /* beyond ASCII there are more of them */
        start = cp == '\n' || (start && blank);
        if (command || (cp < DEL && strchr("\n\t", (int)cp) && !strchr(plain, (int)cp))) {
            ia_buf_printf(out, "&#%u;", (unsigned)cp);
        } else {
            put_markup(out, cp);
        }
    }
}

void ia_esc_markup(struct ia_buf *out, struct ia_str s)
{
    put_text(out, s, "");
}

void ia_esc_markup_text(struct ia_buf *out, struct ia_str s)
{
    put_text(out, s, "\n\t");
}

/* ---- Markdown ---------------------------------------------------------------------------- */

/* References and links are found in the text after entities were resolved, so they are broken
 * by a character of no width; everything else that has a meaning becomes an entity. */
void ia_esc_md(struct ia_buf *out, struct ia_str s)
{
    static const char breakers[] = "@#:", special[] = "\\`*_{}[]<>()!|~&$^";
    static const char leading[] = "+-=.0123456789";
    bool start = true; /* only here would it begin a list, a rule or a heading */
    while (s.n > 0) {
        bool www = s.n >= 4 && memcmp(s.p, "www.", 4) == 0;
        uint32_t cp = next(&s);
        if (cp == '\n' || cp == '\t') {
            ia_buf_putc(out, ' ');
        } else if (cp < DEL && strchr(breakers, (int)cp)) {
            ia_buf_printf(out, "&#%u;\xE2\x80\x8B", (unsigned)cp);
        } else if (cp < DEL &&
                   (strchr(special, (int)cp) || (start && strchr(leading, (int)cp)))) {
            ia_buf_printf(out, "&#%u;", (unsigned)cp);
        } else {
            put(out, cp);
        }
        start = start && (cp == ' ' || (cp >= '0' && cp <= '9'));
        if (www) {
            ia_buf_puts(out, "\xE2\x80\x8B");
        }
    }
}

/* ---- workflow commands ------------------------------------------------------------------- */

static void put_command(struct ia_buf *out, struct ia_str s, const char *special)
{
    while (s.n > 0) {
        skip_return(&s);
        uint32_t cp = next(&s);
        if (cp < DEL && (cp == '%' || cp == '\n' || strchr(special, (int)cp))) {
            ia_buf_printf(out, "%%%02X", (unsigned)cp);
        } else {
            put(out, cp);
        }
    }
}

void ia_esc_command(struct ia_buf *out, struct ia_str s)
{
    put_command(out, s, "\r");
}

void ia_esc_command_property(struct ia_buf *out, struct ia_str s)
{
    put_command(out, s, "\r:,");
}

/* ---- shell ------------------------------------------------------------------------------- */

static bool is_plain(unsigned char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c != '\0' && strchr("_./:=@%+,-", c));
}

static bool is_control(unsigned char c)
{
    return c < 0x20 || c == DEL;
}

static bool any(struct ia_str s, bool (*is)(unsigned char c), bool wanted)
{
    for (size_t i = 0; i < s.n; i++) {
        if (is((unsigned char)s.p[i]) == wanted) {
            return true;
        }
    }
    return false;
}

/* Whether it holds a character that would be shown as another one. */
static bool has_hidden(struct ia_str s)
{
    while (s.n > 0) {
        size_t len = ia_utf8_valid_len(s.p, s.n);
        if (len == 0 || is_hidden(ia_utf8_decode(s.p, len))) {
            return true;
        }
        s.p += len;
        s.n -= len;
    }
    return false;
}

static void put_ansi_c(struct ia_buf *out, struct ia_str s)
{
    ia_buf_puts(out, "$'");
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        if (c == '\n') {
            ia_buf_puts(out, "\\n");
        } else if (is_control(c) || c >= 0x80) {
            ia_buf_printf(out, "\\%03o", (unsigned)c);
        } else {
            ia_buf_puts(out, c == '\'' || c == '\\' ? "\\" : "");
            ia_buf_putc(out, (char)c);
            ia_buf_puts(out, is_command((struct ia_str){s.p + i, s.n - i}, false) ? "'$'" : "");
        }
    }
    ia_buf_putc(out, '\'');
}

void ia_esc_shell(struct ia_buf *out, struct ia_str s)
{
    if (s.n > 0 && !any(s, is_plain, false)) {
        ia_buf_putstr(out, s);
    } else if (any(s, is_control, true) || has_hidden(s)) {
        put_ansi_c(out, s);
    } else {
        ia_buf_putc(out, '\'');
        for (size_t i = 0; i < s.n; i++) {
            if (s.p[i] == '\'') {
                ia_buf_puts(out, "'\\''");
            } else {
                ia_buf_putc(out, s.p[i]);
                ia_buf_puts(out,
                            is_command((struct ia_str){s.p + i, s.n - i}, false) ? "''" : "");
            }
        }
        ia_buf_putc(out, '\'');
    }
}

/* ---- the rest ---------------------------------------------------------------------------- */

void ia_esc_url_path(struct ia_buf *out, struct ia_str s)
{
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                     (c >= '0' && c <= '9') || (c != '\0' && strchr("-._~/", c));
        if (plain) {
            ia_buf_putc(out, (char)c);
        } else {
            ia_buf_printf(out, "%%%02X", (unsigned)c);
        }
    }
}

void ia_cut(struct ia_buf *out, struct ia_str s, size_t max)
{
    if (s.n <= max) {
        ia_buf_putstr(out, s);
        return;
    }
    ia_buf_put(out, s.p, ia_utf8_cut(s.p, max));
    ia_buf_puts(out, "…");
}
