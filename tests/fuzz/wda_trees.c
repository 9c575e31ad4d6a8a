/* wda_trees.c: rows become trees. */
#include "wda_trees.h"

#include "server/wda/select/find.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *text(struct ia_tree *t, const char *s)
{
    return s ? ia_tree_text(t, s, strlen(s)) : NULL;
}

static struct ia_node *add(struct ia_tree *t, struct ia_node *parent, const struct row *r)
{
    struct ia_node *n = ia_tree_add(t, parent, r->type, r->frame);
    if (n) {
        n->identifier = text(t, r->identifier);
        n->label = text(t, r->label);
        n->value = text(t, r->value);
        n->placeholder = text(t, r->placeholder);
        n->flags = (uint16_t)((n->flags | r->set) & ~r->clear);
    }
    return n;
}

struct ia_tree *tree_of(const struct row *rows, size_t n)
{
    struct ia_tree *t = ia_tree_new();
    struct ia_node *at[IA_TREE_DEPTH_MAX + 1] = {0};
    for (size_t i = 0; i < n; i++) {
        int level = rows[i].level;
        at[level] = add(t, level ? at[level - 1] : NULL, &rows[i]);
    }
    ia_tree_set_app(t, "com.example.settings");
    return t;
}

struct ia_tree *settings_tree(void)
{
    static const struct row rows[] = {
        {0, IA_EL_APPLICATION, NULL, "Settings", NULL, {0, 0, 393, 852}, 0, 0, NULL},
        {1, IA_EL_WINDOW, NULL, NULL, NULL, {0, 0, 393, 852}, 0, 0, NULL},
        {2, IA_EL_NAVIGATION_BAR, "Settings", NULL, NULL, {0, 59, 393, 44}, 0, 0, NULL},
        {3, IA_EL_BUTTON, "BackButton", "Back", NULL, {0, 59, 80, 44}, 0, 0, NULL},
        {3,
         IA_EL_STATIC_TEXT,
         NULL,
         "Settings",
         NULL,
         {150, 59, 90, 44},
         IA_NODE_HEADER,
         0,
         NULL},
        {2, IA_EL_TABLE, "list", NULL, NULL, {0, 103, 393, 300}, 0, 0, NULL},
        {3, IA_EL_CELL, "general", "General", NULL, {0, 103, 393, 44}, 0, 0, NULL},
        {4, IA_EL_STATIC_TEXT, NULL, "General", NULL, {16, 113, 100, 24}, 0, 0, NULL},
        {3, IA_EL_CELL, "wifi", "Wi-Fi", "1", {0, 147, 393, 44}, 0, 0, NULL},
        {4, IA_EL_STATIC_TEXT, NULL, "Wi-Fi", NULL, {16, 157, 100, 24}, 0, 0, NULL},
        {4, IA_EL_SWITCH, NULL, "Wi-Fi", "1", {320.25, 153.5, 51, 31}, 0, 0, NULL},
        {3, IA_EL_CELL, "below", "Café", NULL, {0, 420, 393, 44}, 0, 0, NULL},
        {4, IA_EL_STATIC_TEXT, NULL, "Café", "12", {16, 430, 100, 24}, 0, 0, NULL},
        {2,
         IA_EL_TEXT_FIELD,
         "search",
         NULL,
         NULL,
         {16, 500, 361, 36},
         IA_NODE_FOCUSED,
         0,
         "Search"},
        {2, IA_EL_BUTTON, NULL, "Save", NULL, {16, 600, 100, 44}, IA_NODE_SELECTED, 0, NULL},
        {2,
         IA_EL_BUTTON,
         "hidden",
         "Hidden",
         NULL,
         {16, 700, 100, 44},
         IA_NODE_INVISIBLE,
         IA_NODE_ENABLED,
         NULL},
        {1, IA_EL_ALERT, NULL, "Turn Off?", NULL, {60, 300, 270, 150}, 0, 0, NULL},
        {2, IA_EL_BUTTON, NULL, "Cancel", NULL, {60, 406, 135, 44}, 0, 0, NULL},
        {2, IA_EL_BUTTON, NULL, "Turn Off", NULL, {195, 406, 135, 44}, 0, 0, NULL},
    };
    return tree_of(rows, IA_COUNTOF(rows));
}

struct ia_tree *long_tree(int n)
{
    struct ia_tree *t = ia_tree_new();
    struct ia_rect screen = {0, 0, 393, 852};
    struct ia_node *app = ia_tree_add(t, NULL, IA_EL_APPLICATION, screen);
    struct ia_node *list = ia_tree_add(t, app, IA_EL_TABLE, screen);
    for (int i = 0; (int)ia_tree_count(t) + 3 <= n; i++) {
        char name[32];
        snprintf(name, sizeof(name), "Row %d", i);
        struct ia_rect at = {0, i * 5.0, 393, 44};
        struct row rows[] = {
            {0, IA_EL_CELL, NULL, name, NULL, at, 0, 0, NULL},
            {0, IA_EL_STATIC_TEXT, NULL, name, NULL, at, 0, 0, NULL},
            {0, IA_EL_SWITCH, name, NULL, i % 2 ? "1" : "0", at, 0, 0, NULL},
        };
        struct ia_node *cell = add(t, list, &rows[0]);
        add(t, cell, &rows[1]);
        add(t, cell, &rows[2]);
    }
    return t;
}

const char *found(const struct ia_wda_screen *s, int32_t under, const char *using,
                  const char *value, bool first)
{
    static char out[64 * 1024];
    struct ia_wda_nodes list = {0};
    struct ia_err err;
    enum ia_rc rc = ia_wda_find(s, under, ia_str(using), ia_str(value), first, &list, &err);
    if (rc != IA_OK) {
        snprintf(out, sizeof(out), "%s: %s", ia_rc_name(rc), err.msg);
    }
    size_t len = 0;
    out[0] = rc == IA_OK ? '\0' : out[0];
    for (int32_t i = 0; rc == IA_OK && i < list.n; i++) {
        len += (size_t)snprintf(out + len, sizeof(out) - len, "%s%d", i ? " " : "", list.at[i]);
    }
    ia_wda_nodes_fini(&list);
    return out;
}

int open_screen(void **state)
{
    struct fixture *f = ia_calloc(1, sizeof(*f));
    f->tree = settings_tree();
    f->screen = ia_wda_screen_new(f->tree);
    *state = f;
    return 0;
}

int close_screen(void **state)
{
    struct fixture *f = *state;
    ia_wda_screen_free(f->screen);
    ia_tree_free(f->tree);
    free(f);
    return 0;
}

/* Elements below `under`, in pre-order, each once. */
static void check(const struct ia_wda_screen *s, int32_t under, const struct ia_wda_nodes *list)
{
    for (int32_t i = 0; i < list->n; i++) {
        bool inside = list->at[i] >= under && list->at[i] < s->nodes[under].end;
        if (!inside || (i > 0 && list->at[i] <= list->at[i - 1])) {
            abort();
        }
    }
}

static void search_below(const struct ia_wda_screen *s, int32_t under, const char *using,
                         struct ia_str value)
{
    struct ia_wda_nodes all = {0}, one = {0};
    struct ia_err err = {0};
    enum ia_rc rc = ia_wda_find(s, under, ia_str(using), value, false, &all, &err);
    enum ia_rc again = ia_wda_find(s, under, ia_str(using), value, true, &one, NULL);
    bool timed = rc == IA_E_TIMEOUT || again == IA_E_TIMEOUT;
    check(s, under, &all);
    if ((rc != IA_OK && (all.n > 0 || err.code != rc || !err.msg[0])) ||
        (rc != again && !timed)) {
        abort();
    }
    if (!timed && (one.n != (all.n > 0) || (one.n > 0 && one.at[0] != all.at[0]))) {
        abort();
    }
    ia_wda_nodes_fini(&all);
    ia_wda_nodes_fini(&one);
}

void search_any(const char *using, const uint8_t *data, size_t size)
{
    struct ia_str value = {(const char *)data, size};
    struct ia_tree *t = settings_tree();
    struct ia_wda_screen *s = ia_wda_screen_new(t);
    search_below(s, 0, using, value);
    search_below(s, LIST, using, value);
    ia_wda_screen_free(s);
    ia_tree_free(t);
}
