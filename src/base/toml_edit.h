/* toml_edit.h: one value in the text of a TOML document, changed without a change to any other byte. */
#ifndef IA_BASE_TOML_EDIT_H
#define IA_BASE_TOML_EDIT_H

#include "base/buf.h"

/* Appends the document to out with the key ("section.name") set to value, which is TOML, or (NULL) without
 * it. A value that is there is replaced where it stands, whether the section is a header, dotted keys or a
 * table in braces; a new one follows the last of its section, or a new section at the end. Of a line
 * that goes, the comment stays. The document must be one that ia_toml_each takes; the caller reads the
 * result, as a key whose quotes hide it behind escapes is not found. */
void ia_toml_edit(struct ia_str text, const char *key, const char *value, struct ia_buf *out);

#endif
