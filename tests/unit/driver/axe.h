/* axe.h: loads accessibility trees that AXe printed, for tests. */
#ifndef IA_TESTS_UNIT_DRIVER_AXE_H
#define IA_TESTS_UNIT_DRIVER_AXE_H

#include "driver/tree.h"

/* NULL when the file cannot be read as AXe's JSON. The caller frees the tree. */
struct ia_tree *axe_load(const char *path);

#endif
