/* memory_path.h: a path of the memory tool as names.
 *
 *     /memories/notes/shop.md  ─►  "notes", "shop.md"
 *
 * Whatever could lead out of the folder, or look like another name, is no path: "..", hidden names, names
 * with anything but ASCII letters, digits and a few signs. So no decoding, no normal form of Unicode and
 * no file system can make another path of it. Pure; any thread. */
#ifndef IA_AGENT_CORE_TOOLS_MEMORY_PATH_H
#define IA_AGENT_CORE_TOOLS_MEMORY_PATH_H

#include "base/base.h"
#include "base/err.h"

#define IA_MEMORY_ROOT "/memories"
enum { IA_MEMORY_DEPTH_MAX = 6, IA_MEMORY_NAME_MAX = 80 };

/* No names: the folder itself. */
struct ia_memory_path {
    char names[IA_MEMORY_DEPTH_MAX][IA_MEMORY_NAME_MAX + 1];
    size_t count;
};

/* IA_E_USAGE says what is wrong, for the model. */
enum ia_rc ia_memory_path_read(const char *text, struct ia_memory_path *ret,
                               struct ia_err *err);

#endif
