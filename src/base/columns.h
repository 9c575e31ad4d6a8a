/* columns.h: how wide text is on a terminal. */
#ifndef IA_BASE_COLUMNS_H
#define IA_BASE_COLUMNS_H

#include "base/base.h"

/* Columns that s takes, which is valid UTF-8 without controls: two for what East Asian fonts
 * and emoji make wide, none for what combines with the character before it, else one. wcwidth
 * would need the process's locale, which is the user's and may be C. Source: Unicode 15.0,
 * EastAsianWidth.txt (W and F) and the general categories Mn and Me, the scripts in common use;
 * what is missing counts as one. */
size_t ia_columns(struct ia_str s);

#endif
