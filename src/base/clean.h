/* clean.h: makes text from outside harmless to print.
 *
 * Labels, values and model text come from apps and servers. A control character in them could
 * move the cursor, rewrite earlier lines, set the clipboard or hide text, so none reaches a
 * terminal or a plain line: each becomes a visible mark. The log of a CI job obeys text, too: a line
 * that begins with "::" behind any blanks (GitHub), "##[" and "##vso[" anywhere (GitHub, Azure). Each
 * gets another first character that looks alike. */
#ifndef IA_BASE_CLEAN_H
#define IA_BASE_CLEAN_H

#include "base/buf.h"

enum ia_clean {
    IA_CLEAN_LINE, /* newlines and tabs become spaces: the result is one line */
    IA_CLEAN_TEXT, /* newlines and tabs stay */
    IA_CLEAN_PART  /* the same for a part of a text: what may go on to be a command is one */
};

/* Appends s with C0, DEL, C1, bidirectional controls, line separators, tags and invalid UTF-8
 * replaced: C0 and DEL by their control pictures (U+2400…), the others by U+FFFD. */
void ia_clean(struct ia_buf *out, struct ia_str s, enum ia_clean mode);

/* One line of at most `columns` columns of a terminal; a longer one ends in "…". */
void ia_clean_cut(struct ia_buf *out, struct ia_str s, size_t columns);

/* A JSON text with the same characters, DEL and the "#" of a command as \uXXXX: raw they are valid in JSON, but a
 * terminal obeys some and line readers break lines at others. json is valid. */
void ia_clean_json(struct ia_buf *out, struct ia_str json);

#endif
