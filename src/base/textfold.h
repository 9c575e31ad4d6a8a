/* textfold.h: texts compared as a person would: without regard to case, to how a letter is composed,
 * and to which of many alike signs was typed. */
#ifndef IA_BASE_TEXTFOLD_H
#define IA_BASE_TEXTFOLD_H

#include "base/buf.h"

/* Appends the text in the form in which alike texts are equal:
 *
 *     letters                         NFKC, then case folding (Unicode 3.11 and 3.13), by glib
 *     quotation marks, apostrophes    nothing
 *     dashes and hyphens              -
 *     white space, no-break too       one space for all in a row, none at the ends
 *     soft hyphens, zero-width and direction marks, variation selectors, NUL    nothing
 *
 * So "…" is "...", a ligature its letters, a full-width letter a plain one. Bytes that are no UTF-8
 * are left out. Without glib only ASCII letters are folded. Any thread. */
void ia_text_fold(struct ia_buf *out, struct ia_str text);
/* Appends the text without regard to some of its letters alone: no_case, case folding; no_marks, each letter
 * without its accents (NFD without what has a combining class). The text is valid UTF-8 without NUL.
 * Without glib only ASCII letters are folded. Any thread. */
void ia_text_fold_letters(struct ia_buf *out, struct ia_str text, bool no_case, bool no_marks);
/* Appends the text in upper or in lower case, which may be of another length; the text as above. */
void ia_text_case(struct ia_buf *out, struct ia_str text, bool upper);

#endif
