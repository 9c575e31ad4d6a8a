/* trees.h: trees as rows of a table, for tests. */
#ifndef IA_TESTS_SERVER_WDA_TREES_H
#define IA_TESTS_SERVER_WDA_TREES_H

#include "server/wda/select/node.h"

/* One element; level 0 is the root, and each lies in the nearest one before it with a level less. */
struct row {
    int level;
    enum ia_eltype type;
    const char *identifier, *label, *value;
    struct ia_rect frame;
    unsigned set;   /* IA_NODE_* beside ENABLED */
    unsigned clear; /* IA_NODE_ENABLED: disabled */
    const char *placeholder;
};

struct ia_tree *tree_of(const struct row *rows, size_t n);
/* A settings app with a list of three cells, a field, a button and an alert: 19 elements. */
struct ia_tree *settings_tree(void);
/* n elements: cells of a list with texts and switches in them. */
struct ia_tree *long_tree(int n);

/* What ia_wda_find finds, as "3 14 17", "" for nothing, or the code and message of its error: "PARSE: …".
 * Valid until the next call. */
const char *found(const struct ia_wda_screen *s, int32_t under, const char *using,
                  const char *value, bool first);

#endif
