/* embed.h: files compiled into the program (prompts, model table, demo scripts). */
#ifndef IA_BASE_EMBED_H
#define IA_BASE_EMBED_H

#include "base/base.h"

struct ia_embedded {
    const char *name; /* path relative to its folder; NULL ends the table */
    const char *data; /* NUL-terminated */
    size_t size;      /* without the NUL */
};

/* The entry with that name, or NULL. */
const struct ia_embedded *ia_embedded_find(const struct ia_embedded *table, const char *name);

#endif
