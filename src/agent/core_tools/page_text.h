/* page_text.h: what a page says, as plain text for a model.
 *
 *     bytes ─► UTF-8 (charset: header, mark, meta, else guessed) ─► HTML: its text and its links
 *
 * A page is hostile: its text is data, characters that cannot be seen are left out, and its depth, its
 * links and the text that comes of it are limited. HTML is read by libxml2 without a tree in memory.
 * Any thread. */
#ifndef IA_AGENT_CORE_TOOLS_PAGE_TEXT_H
#define IA_AGENT_CORE_TOOLS_PAGE_TEXT_H

#include "base/buf.h"
#include "base/err.h"

enum { IA_PAGE_DEPTH_MAX = 512, IA_PAGE_LINK_MAX = 300, IA_PAGE_TITLE_MAX = 300 };
#define IA_PAGE_TEXT_MAX ((size_t)4 << 20)

struct ia_page {
    const char *url;     /* links are relative to it */
    const char *type;    /* "text/html"; "" is guessed from the bytes */
    const char *charset; /* "" likewise */
    struct ia_str bytes;
};

/* Whether a type ("text/html", lower case; "": not said) can be text. */
bool ia_page_is_text(const char *type);

/* Appends valid UTF-8 to text and title, without control characters but line ends and tabs. Links of
 * HTML are "[words](URL)", headings begin with "#", items with "-". IA_E_UNSUPPORTED: bytes that are
 * no text, or a charset that is not known; IA_E_MISSING without libxml2 (HTML) or glib (charsets). */
enum ia_rc ia_page_read(const struct ia_page *page, struct ia_buf *title, struct ia_buf *text,
                        struct ia_err *err);

/* Appends what can be seen of valid or broken UTF-8: no controls but line end and tab, no marks of
 * direction, no characters of no width, no tags. What is no UTF-8 becomes U+FFFD. */
void ia_page_visible(struct ia_buf *out, struct ia_str text);

#endif
