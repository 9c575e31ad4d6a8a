/* sdk.c: what the SDK (driver/app_sdk.h, sdk/) of the app in front adds to the tree: identifiers of its
 * views by the SDK's rules, and its state.
 *
 *   window ─► a screen's view begins a path: "CartView"
 *               ├► type and number among siblings of it: "CartView/Table0"
 *               ├► a cell by section and row:            "CartView/Table0/cell[0,3]"
 *               └► a view that the app has named:        "CartView/#total" */
#include "driver/embedded/impl.h"

#include "driver/app_sdk.h"

#include <ctype.h>
#include <stdlib.h>

enum { STATE_BYTES_MAX = 4096 };

static const struct ia_app *app_in_front(const struct ia_embedded *e)
{
    return e->phone->locked ? NULL : ia_phone_app(e->phone);
}

/* ---- identifiers ------------------------------------------------------------------------- */

/* The views of the app's window, which is the first of all windows: [1, s->views[1].end). */
enum { WINDOW = 1 };

static bool in_tree(const struct ia_view *v)
{
    return v->type != IA_EL_ANY;
}

static int32_t parent_in_tree(const struct ia_scene *s, int32_t i)
{
    do {
        i = s->views[i].parent;
    } while (i > WINDOW && !in_tree(&s->views[i]));
    return i;
}

/* What counts as of one kind among siblings: the type, and for cells their section. */
static bool same_kind(const struct ia_view *a, const struct ia_view *b)
{
    return a->type == b->type && (a->type != IA_EL_CELL || a->section == b->section);
}

/* How many of its kind stand before it under the same parent. */
static int number_of(const struct ia_scene *s, int32_t i, int32_t parent)
{
    int n = 0;
    for (int32_t k = parent + 1; k < i; k++) {
        n += in_tree(&s->views[k]) && same_kind(&s->views[k], &s->views[i]) &&
             parent_in_tree(s, k) == parent;
    }
    return n;
}

/* "NewContactView": the screen's name as a class of it would be called. */
static const char *screen_step(struct ia_scene *s, const struct ia_nav_entry *entry)
{
    struct ia_buf name = IA_BUF(100);
    for (const char *c = entry->screen->name; *c; c++) {
        if (isalnum((unsigned char)*c)) {
            ia_buf_putc(&name, *c);
        }
    }
    const char *step = ia_scene_printf(s, "%sView", ia_buf_cstr(&name));
    ia_buf_fini(&name);
    return step;
}

/* The view of a screen: a wrapper right in the window. The last one is the screen in front. */
static bool is_screen(const struct ia_scene *s, int32_t i, int32_t parent)
{
    return parent == WINDOW && s->views[i].type == IA_EL_OTHER && s->views[i].end > i + 1;
}

static const char *step_of(const struct ia_phone *p, struct ia_scene *s, int32_t i,
                           int32_t parent)
{
    const struct ia_app_state *a = ia_phone_front_const(p);
    const struct ia_view *v = &s->views[i];
    int n = number_of(s, i, parent);
    if (is_screen(s, i, parent)) {
        bool last = v->end == s->views[WINDOW].end;
        return screen_step(s, &a->nav[last || a->depth < 2 ? a->depth - 1 : a->depth - 2]);
    }
    if (v->type == IA_EL_CELL) {
        return ia_scene_printf(s, "cell[%d,%d]", v->section > 0 ? v->section - 1 : 0, n);
    }
    return v->ident ? ia_scene_printf(s, "#%s", v->ident)
                    : ia_scene_printf(s, "%s%d", ia_eltype_name((enum ia_eltype)v->type), n);
}

/* What the SDK would call: no wrappers and bars, and no pictures that say nothing. */
static bool wants_identifier(const struct ia_view *v)
{
    switch (v->type) {
    case IA_EL_WINDOW:
    case IA_EL_NAVIGATION_BAR:
    case IA_EL_TAB_BAR:
    case IA_EL_TOOLBAR:
        return false;
    case IA_EL_OTHER:
    case IA_EL_IMAGE:
        return v->label != NULL;
    default:
        return true;
    }
}

static void name_views(const struct ia_phone *p, struct ia_scene *s)
{
    int32_t end = s->views[WINDOW].end;
    const char **paths = ia_calloc((size_t)end + 1, sizeof(*paths));
    for (int32_t i = WINDOW + 1; i < end; i++) {
        struct ia_view *v = &s->views[i];
        if (!in_tree(v)) {
            continue;
        }
        int32_t parent = parent_in_tree(s, i);
        const char *step = step_of(p, s, i, parent);
        paths[i] = paths[parent] && !is_screen(s, i, parent)
                       ? ia_scene_printf(s, "%s/%s", paths[parent], step)
                       : step;
    }
    for (int32_t i = WINDOW + 1; i < end; i++) {
        struct ia_view *v = &s->views[i];
        if (in_tree(v) && !v->ident && wants_identifier(v)) {
            v->ident =
                ia_scene_printf(s, IA_SDK_GENERATED "%.*s", IA_SDK_IDENTIFIER_MAX, paths[i]);
        }
    }
    free(paths);
}

/* Pixels and touches go by the same views; only the tree leaves them out. */
static void withhold(struct ia_scene *s)
{
    for (int32_t i = 1; i < s->count; i++) {
        s->views[i].type = IA_EL_ANY;
    }
}

void ia_embedded_identify(const struct ia_embedded *e, struct ia_scene *s)
{
    if (e->knobs.no_tree && app_in_front(e) && !e->phone->system_alert) {
        withhold(s);
        return;
    }
    if (!e->knobs.ids || !app_in_front(e)) {
        return;
    }
    for (int32_t i = WINDOW; e->knobs.ids & IA_IDS_BARE && i < s->views[WINDOW].end; i++) {
        s->views[i].ident = NULL;
    }
    if (e->knobs.ids & IA_IDS_SDK) {
        name_views(e->phone, s);
    }
}

/* ---- state ------------------------------------------------------------------------------- */

static void put_state(const struct ia_phone *p, const struct ia_app *app, struct ia_buf *out)
{
    struct ia_jsonw w;
    ia_jsonw_init(&w, out);
    ia_jsonw_object(&w);
    ia_jsonw_kv_int(&w, "v", 1);
    ia_jsonw_key(&w, "state");
    ia_jsonw_object(&w);
    app->tell(p->apps[p->foreground].data, p->bugs, &w);
    ia_jsonw_end_object(&w);
    ia_jsonw_end_object(&w);
}

void ia_embedded_tell(const struct ia_embedded *e, struct ia_tree *t)
{
    const struct ia_app *app = app_in_front(e);
    struct ia_node *root = ia_tree_root(t);
    if (!app || !app->tell || !root || e->knobs.no_tree) {
        return;
    }
    /* The last thing in the app's window. */
    struct ia_rect corner = {0, 0, 1, 1};
    struct ia_node *n = ia_tree_add(t, root->first_child, IA_EL_OTHER, corner);
    struct ia_buf json = IA_BUF(STATE_BYTES_MAX);
    if (n) {
        put_state(e->phone, app, &json);
        n->identifier = ia_tree_text(t, IA_SDK_STATE, sizeof(IA_SDK_STATE) - 1);
        n->value = ia_tree_text(t, ia_buf_cstr(&json), json.len);
    }
    ia_buf_fini(&json);
}
