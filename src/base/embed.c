/* embed.c: looks up files that are compiled into the program. Tables are short: a search from the
 * start is enough. */
#include "base/embed.h"

#include <string.h>

const struct ia_embedded *ia_embedded_find(const struct ia_embedded *table, const char *name)
{
    for (; table->name; table++) {
        if (strcmp(table->name, name) == 0) {
            return table;
        }
    }
    return NULL;
}
