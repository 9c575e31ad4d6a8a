/* wda_trees.h: trees as rows of a table, and searches in them, for tests and fuzzers. */
#ifndef IA_TESTS_FUZZ_WDA_TREES_H
#define IA_TESTS_FUZZ_WDA_TREES_H

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

/* Numbers of elements of settings_tree(). */
enum { NAVIGATION = 2, BACK, TITLE, LIST, GENERAL, GENERAL_TEXT, WIFI, WIFI_TEXT, WIFI_SWITCH };
enum { BELOW = 11, BELOW_TEXT, FIELD, SAVE, HIDDEN, ALERT, CANCEL, TURN_OFF, COUNT };

struct fixture {
    struct ia_tree *tree;
    struct ia_wda_screen *screen;
};

/* *state is a struct fixture * between the two. For cmocka's tests. */
int open_screen(void **state);
int close_screen(void **state);
#define ON_SCREEN(test) cmocka_unit_test_setup_teardown(test, open_screen, close_screen)

/* For fuzzers: searches the settings tree by these bytes, everywhere and from an element, for all and for
 * the first, and aborts when an answer cannot be. */
void search_any(const char *using, const uint8_t *data, size_t size);

#endif
