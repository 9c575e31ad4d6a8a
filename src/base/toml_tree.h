/* toml_tree.h: a TOML document as a tree that remembers where everything stood. */
#ifndef IA_BASE_TOML_TREE_H
#define IA_BASE_TOML_TREE_H

#include "base/toml.h"

/* One value. Read-only, owned by its document. */
struct ia_toml_node {
    enum ia_toml_type type;      /* never IA_TOML_LIST: a list is IA_TOML_ARRAY */
    const char *type_name;       /* "a string", "a list" … for messages */
    char *key;                   /* NULL for the root, for elements, and for keys with a NUL */
    char *s;                     /* STRING */
    int64_t i;                   /* INT */
    double r;                    /* REAL */
    bool b;                      /* BOOL */
    unsigned line, column;       /* of the key, or of an element itself; 0 for the root */
    unsigned at_line, at_column; /* of the value */
    struct ia_toml_node *first;  /* TABLE: its keys by place; ARRAY: its elements in order */
    struct ia_toml_node *last, *next, *up;
    size_t count; /* of its keys or elements */
};

/* Parses a document; errors and places as ia_toml_each. Free with ia_toml_free. */
enum ia_rc ia_toml_parse(struct ia_str text, struct ia_toml_node **ret, unsigned *ret_line,
                         unsigned *ret_column, struct ia_err *err);
/* Frees a whole document by its root. NULL is fine. */
void ia_toml_free(struct ia_toml_node *root);

/* The value of a key of the table, or NULL; NULL also for a NULL table. */
const struct ia_toml_node *ia_toml_get(const struct ia_toml_node *table, const char *key);

#endif
