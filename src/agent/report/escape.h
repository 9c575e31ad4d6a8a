/* escape.h: hostile text as plain text in each format a report has.
 *
 * Every function appends s so that it can be nothing but text there. Bytes that are not UTF-8
 * become U+FFFD, and so do characters that hide or reorder their neighbours (bidirectional
 * controls, zero width); control characters other than tab and newline become their visible
 * pictures (U+2400…), except where a format says otherwise. What the log of a CI job would take for a
 * command ("::" before anything else on a line, "##[", "##vso[") is written in another way. */
#ifndef IA_AGENT_REPORT_ESCAPE_H
#define IA_AGENT_REPORT_ESCAPE_H

#include "base/buf.h"

/* Text or a quoted attribute of HTML, and of XML 1.0: a newline becomes &#10;, so that an
 * attribute keeps it. Characters that XML does not allow (U+FFFE, U+FFFF) become U+FFFD. */
void ia_esc_markup(struct ia_buf *out, struct ia_str s);
/* The same with newlines as they are, for text between tags. */
void ia_esc_markup_text(struct ia_buf *out, struct ia_str s);
/* One line of GitHub's Markdown that fits a table cell: nothing in it is a link, a mention, a
 * reference to an issue, emphasis or HTML. */
void ia_esc_md(struct ia_buf *out, struct ia_str s);
/* The message, and a property, of a workflow command (::error …). */
void ia_esc_command(struct ia_buf *out, struct ia_str s);
void ia_esc_command_property(struct ia_buf *out, struct ia_str s);
/* One word of a POSIX shell; where it holds control characters, the $'…' that bash and zsh
 * know, so that what is pasted is harmless. */
void ia_esc_shell(struct ia_buf *out, struct ia_str s);
/* A path as a relative reference of a URL (RFC 3986): "/" stays. */
void ia_esc_url_path(struct ia_buf *out, struct ia_str s);

/* Appends at most max bytes of s, cut at a character, and "…" where it was cut. */
void ia_cut(struct ia_buf *out, struct ia_str s, size_t max);

#endif
