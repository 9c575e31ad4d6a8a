/* changes.h: what changed after a step, on one line. */
#ifndef IA_CLI_VIEW_CHANGES_H
#define IA_CLI_VIEW_CHANGES_H

#include "base/buf.h"

/* Takes the first line off the text. */
struct ia_str ia_changes_line(struct ia_str *text);

/* Appends, in about `columns` columns and harmless to print, the name of the new screen; or the line
 * about the element that was acted on, else the first one, and how many more there are. element
 * begins with its ref. */
void ia_changes_put(struct ia_buf *out, struct ia_str changes, struct ia_str element,
                    size_t columns);

#endif
