/* memory_list.h: what is in a folder of a memory. Private to src/agent/core_tools. */
#ifndef IA_AGENT_CORE_TOOLS_MEMORY_LIST_H
#define IA_AGENT_CORE_TOOLS_MEMORY_LIST_H

#include "agent/core_tools/memory_files.h"

/* Takes the descriptor of a folder, and closes it. Names that no path can have, links and the like are
 * left out. IA_E_LIMIT: there is more than a memory can have; IA_E_IO. */
enum ia_rc ia_memory_scan(int folder, int depth_max, struct ia_memory_list *ret,
                          struct ia_err *err);
/* A file, or a folder with all in it, as far as it can be removed. */
void ia_memory_remove_tree(int at, const char *name);

#endif
