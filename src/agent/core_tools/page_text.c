/* page_text.c: libxml2's events of a page become lines.
 *
 *     element ─► its row in `elements`: a block begins a line, a skipped one hides all in it
 *     text    ─► blanks become one, unless it stands in <pre>
 *     a link  ─► "[" … "](where it leads)"
 *
 * The parser closes what a page leaves open and tells of it, so every start has its end. A page that nests
 * too deep, or gives too much text, is read no further. */
#include "agent/core_tools/page_text.h"

#include "agent/core_tools/charset.h"
#include "base/utf8.h"
#include "base/xml_lib.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { CHARSET_MAX = 64, BLANK_LINES_MAX = 2, URL_ATTRIBUTE_MAX = 2048, UTF8_MAX = 4 };

/* ---- what can be seen ------------------------------------------------------------------- */

/* Nothing that a person would see, or what turns text around: it could hide words from who reads the
 * same page. */
static bool unseen(uint32_t c)
{
    static const struct {
        uint32_t first, last;
    } rows[] = {{0x00, 0x08},       {0x0b, 0x1f},       {0x7f, 0x9f},       {0xad, 0xad},
                {0x61c, 0x61c},     {0x180e, 0x180e},   {0x200b, 0x200f},   {0x2028, 0x202e},
                {0x2060, 0x206f},   {0xfeff, 0xfeff},   {0xfff0, 0xfffb},   {0xfe00, 0xfe0f},
                {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff}, {0xf0000, 0x10ffff}};
    bool found = false;
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        found = found || (c >= rows[i].first && c <= rows[i].last);
    }
    return found;
}

void ia_page_visible(struct ia_buf *out, struct ia_str text)
{
    while (text.n > 0) {
        size_t n = ia_utf8_valid_len(text.p, text.n);
        if (n == 0) {
            ia_buf_puts(out, "\xef\xbf\xbd");
            n = 1;
        } else if (!unseen(ia_utf8_decode(text.p, n))) {
            ia_buf_put(out, text.p, n);
        }
        text.p += n;
        text.n -= n;
    }
}

/* ---- elements --------------------------------------------------------------------------- */

enum {
    BLOCK = 1,
    SKIPPED = 2,
    PRE = 4,
    ITEM = 8,
    CELL = 16,
    LINK = 32,
    TITLE = 64,
    BREAK = 128,
    IMAGE = 256,
    HEADING = 512
};

static const struct element {
    const char *name;
    unsigned what;
} elements[] = {
    {"a", LINK},
    {"address", BLOCK},
    {"article", BLOCK},
    {"aside", BLOCK},
    {"blockquote", BLOCK},
    {"body", BLOCK},
    {"br", BREAK},
    {"canvas", SKIPPED},
    {"caption", BLOCK},
    {"dd", BLOCK},
    {"details", BLOCK},
    {"div", BLOCK},
    {"dl", BLOCK},
    {"dt", BLOCK},
    {"fieldset", BLOCK},
    {"figcaption", BLOCK},
    {"figure", BLOCK},
    {"footer", BLOCK},
    {"form", BLOCK},
    {"h1", BLOCK | HEADING},
    {"h2", BLOCK | HEADING},
    {"h3", BLOCK | HEADING},
    {"h4", BLOCK | HEADING},
    {"h5", BLOCK | HEADING},
    {"h6", BLOCK | HEADING},
    {"header", BLOCK},
    {"hr", BLOCK},
    {"iframe", SKIPPED},
    {"img", IMAGE},
    {"legend", BLOCK},
    {"li", BLOCK | ITEM},
    {"main", BLOCK},
    {"math", SKIPPED},
    {"nav", BLOCK},
    {"object", SKIPPED},
    {"ol", BLOCK},
    {"option", BLOCK},
    {"p", BLOCK},
    {"pre", BLOCK | PRE},
    {"script", SKIPPED},
    {"section", BLOCK},
    {"select", BLOCK},
    {"style", SKIPPED},
    {"summary", BLOCK},
    {"svg", SKIPPED},
    {"table", BLOCK},
    {"td", CELL},
    {"template", SKIPPED},
    {"textarea", BLOCK | PRE},
    {"th", CELL},
    {"title", TITLE},
    {"tr", BLOCK},
    {"ul", BLOCK},
};

static int by_name(const void *key, const void *row)
{
    return strcmp(key, ((const struct element *)row)->name);
}

static unsigned what_is(const xmlChar *name)
{
    const struct element *e =
        bsearch(name, elements, IA_COUNTOF(elements), sizeof(elements[0]), by_name);
    return e ? e->what : 0;
}

static const char *attribute(const xmlChar **atts, const char *name)
{
    for (size_t i = 0; atts && atts[i]; i += 2) {
        if (strcasecmp((const char *)atts[i], name) == 0) {
            return atts[i + 1] ? (const char *)atts[i + 1] : "";
        }
    }
    return NULL;
}

/* ---- writing ---------------------------------------------------------------------------- */

struct maker {
    const struct ia_xml *xml;
    const char *base;
    struct ia_buf *title, *text;
    int depth, skip_at, title_at,
        pre;        /* skip_at, title_at: the depth at which it began; 0: not */
    int lines;      /* line ends to write before the next text */
    bool blank;     /* a blank likewise */
    char *href;     /* of the link that is open */
    size_t link_at; /* where its words begin */
};

static void begin_text(struct maker *m)
{
    if (m->text->len > 0) {
        for (int i = 0; i < m->lines; i++) {
            ia_buf_putc(m->text, '\n');
        }
        if (m->lines == 0 && m->blank) {
            ia_buf_putc(m->text, ' ');
        }
    }
    m->lines = 0;
    m->blank = false;
}

static void want_lines(struct maker *m, int n)
{
    m->lines = m->lines > n ? m->lines : n;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

/* Words with one blank between them, the rest as it is. */
static void put_words(struct maker *m, struct ia_str s)
{
    while (s.n > 0) {
        size_t n = 0;
        for (; n < s.n && is_blank(s.p[n]); n++) {
        }
        m->blank = m->blank || n > 0;
        s.p += n;
        s.n -= n;
        for (n = 0; n < s.n && !is_blank(s.p[n]); n++) {
        }
        if (n > 0) {
            begin_text(m);
            ia_page_visible(m->text, (struct ia_str){s.p, n});
        }
        s.p += n;
        s.n -= n;
    }
}

/* Character by character, as one byte that is no UTF-8 becomes three. */
static void put_title(struct maker *m, struct ia_str s)
{
    while (s.n > 0 && m->title->len + UTF8_MAX <= IA_PAGE_TITLE_MAX) {
        size_t n = ia_utf8_valid_len(s.p, s.n);
        n = n > 0 ? n : 1;
        ia_page_visible(m->title, (struct ia_str){s.p, n});
        s.p += n;
        s.n -= n;
    }
}

static void put_text(struct maker *m, struct ia_str s)
{
    if (m->skip_at > 0) {
        return;
    }
    if (m->title_at > 0) {
        put_title(m, s);
    } else if (m->pre > 0) {
        begin_text(m);
        ia_page_visible(m->text, s);
    } else {
        put_words(m, s);
    }
}

/* ---- links ------------------------------------------------------------------------------ */

/* Where it leads, as a whole http or https URL of printable ASCII; NULL for all else. */
static char *resolve(struct maker *m, const char *href)
{
    char *url = NULL;
    if (href[0] == '\0' || href[0] == '#' || strlen(href) > URL_ATTRIBUTE_MAX) {
        return NULL;
    }
    xmlChar *made = m->xml->xmlBuildURI_((const xmlChar *)href, (const xmlChar *)m->base);
    const char *p = (const char *)made;
    size_t n = p ? strlen(p) : 0;
    bool good = n > 0 && n <= IA_PAGE_LINK_MAX &&
                (strncasecmp(p, "http://", 7) == 0 || strncasecmp(p, "https://", 8) == 0);
    for (size_t i = 0; good && i < n; i++) {
        good = p[i] > ' ' && p[i] < 0x7f && !strchr("()[]<>\"", p[i]);
    }
    url = good ? ia_strdup(p) : NULL;
    if (made) {
        (*m->xml->xmlFree_)(made);
    }
    return url;
}

static void end_link(struct maker *m)
{
    if (!m->href) {
        return;
    }
    if (m->text->len == m->link_at) {
        ia_buf_cut(m->text, m->link_at - 1); /* no words: the bracket goes, too */
    } else {
        ia_buf_printf(m->text, "](%s)", m->href);
    }
    free(m->href);
    m->href = NULL;
}

static void begin_link(struct maker *m, const char *href)
{
    end_link(m);
    m->href = href ? resolve(m, href) : NULL;
    if (m->href) {
        begin_text(m);
        ia_buf_putc(m->text, '[');
        m->link_at = m->text->len;
    }
}

/* ---- libxml2's events ------------------------------------------------------------------- */

static void put_mark(struct maker *m, const xmlChar *name, unsigned what)
{
    if (what & HEADING) {
        want_lines(m, 2);
        begin_text(m);
        for (int i = 0; i < name[1] - '0'; i++) {
            ia_buf_putc(m->text, '#');
        }
        m->blank = true;
    } else if (what & ITEM) {
        begin_text(m);
        ia_buf_puts(m->text, "-");
        m->blank = true;
    }
}

static bool hidden(const xmlChar **atts)
{
    const char *style = attribute(atts, "style");
    return attribute(atts, "hidden") ||
           (style && (strstr(style, "display:none") || strstr(style, "display: none")));
}

static void seen(struct maker *m, const xmlChar *name, unsigned what, const xmlChar **atts)
{
    const char *alt = what & IMAGE ? attribute(atts, "alt") : NULL;
    if (what & (BLOCK | BREAK)) {
        want_lines(m, 1);
    }
    put_mark(m, name, what);
    if (what & CELL && m->lines == 0 && m->text->len > 0) {
        begin_text(m);
        ia_buf_puts(m->text, " |");
        m->blank = true;
    }
    if (what & LINK) {
        begin_link(m, attribute(atts, "href"));
    }
    if (alt && *alt) {
        put_words(m, ia_str("[image:"));
        m->blank = true;
        put_words(m, ia_str(alt));
        put_words(m, ia_str("]"));
    }
    m->pre += (what & PRE) != 0;
    m->title_at = what & TITLE ? m->depth : m->title_at;
}

static void on_start(void *ctx, const xmlChar *name, const xmlChar **atts)
{
    xmlParserCtxt *parser = ctx;
    struct maker *m = parser->_private;
    unsigned what = what_is(name);
    m->depth++;
    if (m->depth > IA_PAGE_DEPTH_MAX || m->text->len >= IA_PAGE_TEXT_MAX) {
        m->xml->xmlStopParser_(parser);
    } else if (m->skip_at == 0 && (what & SKIPPED || hidden(atts))) {
        m->skip_at = m->depth;
    } else if (m->skip_at == 0) {
        seen(m, name, what, atts);
    }
}

static void on_end(void *ctx, const xmlChar *name)
{
    const xmlParserCtxt *parser = ctx;
    struct maker *m = parser->_private;
    unsigned what = what_is(name);
    if (m->skip_at == 0) {
        if (what & LINK) {
            end_link(m);
        }
        want_lines(m, what & HEADING ? BLANK_LINES_MAX : what & BLOCK ? 1 : 0);
        m->pre -= (what & PRE) && m->pre > 0;
    }
    m->title_at = m->title_at == m->depth ? 0 : m->title_at;
    m->skip_at = m->skip_at == m->depth ? 0 : m->skip_at;
    m->depth -= m->depth > 0;
}

static void on_text(void *ctx, const xmlChar *text, int n)
{
    const xmlParserCtxt *parser = ctx;
    put_text(parser->_private, (struct ia_str){(const char *)text, n > 0 ? (size_t)n : 0});
}

/* What scripts and styles hold. */
static void on_data(void *ctx, const xmlChar *text, int n)
{
    (void)ctx;
    (void)text;
    (void)n;
}

static enum ia_rc read_html(const char *url, struct ia_str html, struct ia_buf *title,
                            struct ia_buf *text, struct ia_err *err)
{
    const struct ia_xml *xml = ia_xml(err);
    struct maker m = {.xml = xml, .base = url, .title = title, .text = text};
    if (!xml) {
        return IA_E_MISSING;
    }
    xmlParserCtxt *parser = xml->htmlNewParserCtxt_();
    if (!parser || !parser->sax) {
        return ia_err_set(err, IA_E_INTERNAL, "libxml2 cannot make a parser");
    }
    *parser->sax = (xmlSAXHandler){.startElement = on_start,
                                   .endElement = on_end,
                                   .characters = on_text,
                                   .ignorableWhitespace = on_text,
                                   .cdataBlock = on_data,
                                   .initialized = 1};
    parser->_private = &m;
    xmlDoc *doc = xml->htmlCtxtReadMemory_(
        parser, html.p, (int)html.n, NULL, "UTF-8",
        HTML_PARSE_RECOVER | HTML_PARSE_NOERROR | HTML_PARSE_NOWARNING | HTML_PARSE_NONET |
            HTML_PARSE_NODEFDTD | HTML_PARSE_IGNORE_ENC | HTML_PARSE_COMPACT);
    if (doc) {
        xml->xmlFreeDoc_(doc);
    }
    end_link(&m);
    xml->htmlFreeParserCtxt_(parser);
    return IA_OK;
}

/* ---- a page ----------------------------------------------------------------------------- */

static bool is_html(const char *type)
{
    return strcmp(type, "text/html") == 0 || strcmp(type, "application/xhtml+xml") == 0;
}

static bool ends_in(const char *text, const char *end)
{
    size_t n = strlen(text), e = strlen(end);
    return n >= e && strcmp(text + n - e, end) == 0;
}

bool ia_page_is_text(const char *type)
{
    static const char *const types[] = {"",
                                        "application/json",
                                        "application/xml",
                                        "application/javascript",
                                        "application/x-ndjson",
                                        "application/yaml",
                                        "application/toml"};
    bool found = strncmp(type, "text/", 5) == 0 || ends_in(type, "+json") ||
                 (ends_in(type, "+xml") && strncmp(type, "image/", 6) != 0);
    for (size_t i = 0; i < IA_COUNTOF(types); i++) {
        found = found || strcmp(type, types[i]) == 0;
    }
    return found;
}

/* A page without a type: HTML begins with "<" and one of these names. */
static bool looks_html(struct ia_str text)
{
    static const char *const starts[] = {"<!doctype html", "<html", "<head", "<body", "<!--"};
    while (text.n > 0 && is_blank(text.p[0])) {
        text.p++;
        text.n--;
    }
    bool found = false;
    for (size_t i = 0; i < IA_COUNTOF(starts); i++) {
        size_t n = strlen(starts[i]);
        found = found || (text.n >= n && strncasecmp(text.p, starts[i], n) == 0);
    }
    return found;
}

/* Pictures and archives have NUL bytes near their start, text has none. */
static bool looks_binary(struct ia_str text)
{
    return text.n > 0 && memchr(text.p, '\0', text.n < 1024 ? text.n : 1024) != NULL;
}

enum ia_rc ia_page_read(const struct ia_page *page, struct ia_buf *title, struct ia_buf *text,
                        struct ia_err *err)
{
    char charset[CHARSET_MAX];
    struct ia_buf utf8 = IA_BUF(2 * IA_PAGE_TEXT_MAX);
    ia_charset_of(page->charset, page->bytes, charset, sizeof(charset));
    enum ia_rc rc = ia_charset_decode(charset, page->bytes, &utf8, err);
    struct ia_str s = ia_buf_str(&utf8);
    if (rc == IA_OK && looks_binary(s)) {
        rc = ia_err_set(err, IA_E_UNSUPPORTED, "the answer is no text");
    } else if (rc == IA_OK && (is_html(page->type) || (!*page->type && looks_html(s)))) {
        rc = read_html(page->url, s, title, text, err);
    } else if (rc == IA_OK) {
        ia_page_visible(text, s);
    }
    ia_buf_fini(&utf8);
    return rc;
}
