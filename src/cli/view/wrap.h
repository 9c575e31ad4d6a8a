/* wrap.h: text that breaks between words at the terminal's width. */
#ifndef IA_CLI_VIEW_WRAP_H
#define IA_CLI_VIEW_WRAP_H

#include "base/buf.h"

/* Appends one paragraph, which begins in column `at` of a line and goes on in column `indent` of
 * the next ones. Blanks where it breaks are left out; a word that is wider than a line stays
 * where it is. width 0: it does not break. No newline at its end. */
void ia_wrap(struct ia_buf *out, struct ia_str text, size_t width, size_t at, size_t indent);

/* Appends lines, of which those that are wider than `width` break: what continues stands under
 * the text behind the line's label ("goal    open …") or behind its indent. width 0: as they are. */
void ia_wrap_lines(struct ia_buf *out, struct ia_str lines, size_t width);

/* Appends prose: lines follow each other as one paragraph unless one begins with a blank or is
 * empty; such a line stays as it is. Ends with a newline. */
void ia_wrap_prose(struct ia_buf *out, const char *text, size_t width);

/* Columns of the terminal fd, or 0 where it is none: nothing is to be broken or cut then. */
size_t ia_wrap_width(int fd);

#endif
