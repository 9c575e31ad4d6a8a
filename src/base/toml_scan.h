/* toml_scan.h: just enough of TOML to tell strings and comments from keys (private to base/toml*.c). Up to
 * the parser's first error both see the same. */
#ifndef IA_BASE_TOML_SCAN_H
#define IA_BASE_TOML_SCAN_H

#include "base/base.h"

struct ia_toml_scan {
    const char *p, *end;
};

/* Whether the text stands here. */
bool ia_toml_scan_at(const struct ia_toml_scan *s, const char *text);
/* Skips a string or comment that starts here; false when none does. A string that never ends takes the
 * rest; one of a single line ends with its line. p must be below end. */
bool ia_toml_scan_opaque(struct ia_toml_scan *s);

#endif
