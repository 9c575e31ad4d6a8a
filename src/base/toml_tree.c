/* toml_tree.c: builds a tree from the sequence of keys that toml.h delivers.
 *
 * A key carries its depth; `open` is the table or array that takes the next one:
 *
 *     depth of key   0        1         1          0
 *     key            [run]    steps     goals[]    [api]
 *     open after     run      run       goals      api        (up by as many levels as depth fell)
 *
 * Neither sorting nor freeing recurses: a document may be as deep as IA_TOML_DEPTH_MAX, but a
 * tree may be as wide as its 256 KB allow, and `next` must not become a call. */
#include "base/toml_tree.h"

#include <stdlib.h>
#include <string.h>

struct builder {
    struct ia_toml_node *open; /* the innermost table or array */
    unsigned depth;            /* of what is put into it */
};

static int by_place(const void *a, const void *b)
{
    const struct ia_toml_node *x = *(struct ia_toml_node *const *)a;
    const struct ia_toml_node *y = *(struct ia_toml_node *const *)b;
    int lines = (x->line > y->line) - (x->line < y->line);
    return lines != 0 ? lines : (x->column > y->column) - (x->column < y->column);
}

/* Keys come in the order of their bytes and are sorted by place, so that of two errors the upper
 * one is reported. */
static void sort_keys(struct ia_toml_node *table)
{
    struct ia_toml_node **all = ia_calloc(table->count, sizeof(void *));
    size_t n = 0;
    for (struct ia_toml_node *node = table->first; node; node = node->next) {
        all[n++] = node;
    }
    qsort(all, n, sizeof(void *), by_place);
    table->first = table->last = NULL;
    for (size_t i = 0; i < n; i++) {
        all[i]->next = NULL;
        *(table->last ? &table->last->next : &table->first) = all[i];
        table->last = all[i];
    }
    free(all);
}

/* The node that follows in the order of a reader, or NULL behind the last. */
static struct ia_toml_node *following(struct ia_toml_node *node)
{
    if (node->first) {
        return node->first;
    }
    while (node && !node->next) {
        node = node->up;
    }
    return node ? node->next : NULL;
}

static void sort_all(struct ia_toml_node *root)
{
    for (struct ia_toml_node *node = root; node; node = following(node)) {
        if (node->type == IA_TOML_TABLE && node->count > 1) {
            sort_keys(node);
        }
    }
}

static void build(void *ctx, const struct ia_toml_value *v)
{
    struct builder *b = ctx;
    /* A shallower key closes what was open below it. */
    for (; b->depth > v->depth; b->depth--) {
        b->open = b->open->up;
    }
    struct ia_toml_node *node = ia_calloc(1, sizeof(*node));
    *node = (struct ia_toml_node){
        .type = v->type,
        .type_name = v->type_name,
        .key = ia_strdup(v->key),
        .s = v->type == IA_TOML_STRING ? ia_strdup(v->s) : NULL,
        .i = v->i,
        .r = v->type == IA_TOML_INT ? (double)v->i : v->r,
        .b = v->b,
        .line = v->line,
        .column = v->column,
        .at_line = v->value_line,
        .at_column = v->value_column,
    };
    struct ia_toml_node *up = b->open;
    node->up = up;
    *(up->last ? &up->last->next : &up->first) = node;
    up->last = node;
    up->count++;
    if (v->type == IA_TOML_TABLE || v->type == IA_TOML_ARRAY) {
        b->open = node;
        b->depth++;
    }
}

enum ia_rc ia_toml_parse(struct ia_str text, struct ia_toml_node **ret, unsigned *ret_line,
                         unsigned *ret_column, struct ia_err *err)
{
    struct ia_toml_node *root = ia_calloc(1, sizeof(*root));
    root->type = IA_TOML_TABLE;
    root->type_name = "a file";
    struct builder b = {root, 0};
    enum ia_rc rc = ia_toml_each_deep(text, build, &b, ret_line, ret_column, err);
    if (rc != IA_OK) {
        ia_toml_free(root);
        return rc;
    }
    sort_all(root);
    *ret = root;
    return IA_OK;
}

/* Without recursion: down to a leaf, then on to what follows it. */
void ia_toml_free(struct ia_toml_node *root)
{
    struct ia_toml_node *node = root;
    while (node) {
        if (node->first) {
            node = node->first;
            continue;
        }
        struct ia_toml_node *up = node == root ? NULL : node->up;
        if (up) {
            /* The parent forgets its first child, so that coming back to it leads to the
             * next one, and to the parent itself after the last. */
            up->first = node->next;
        }
        free(node->key);
        free(node->s);
        free(node);
        node = up;
    }
}

const struct ia_toml_node *ia_toml_get(const struct ia_toml_node *table, const char *key)
{
    const struct ia_toml_node *n = table ? table->first : NULL;
    while (n && (!n->key || strcmp(n->key, key) != 0)) {
        n = n->next;
    }
    return n;
}
