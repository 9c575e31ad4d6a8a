/* catalog.c: the app: its menu, its pages, and what it remembers. */
#include "driver/embedded/apps/catalog/catalog.h"

#include <stdlib.h>

/* ---- the menu ---- */

static const struct ia_screen page_screen;

static void open_page(struct ia_phone *p, const struct ia_touch *t)
{
    struct ia_catalog *c = ia_catalog_of(p);
    const struct ia_catalog_page *page = &ia_catalog_pages[t->arg];
    c->page = t->arg;
    for (int i = 0; i < page->count; i++) {
        bool counts = page->items[i].kind == IA_CATALOG_BUTTON;
        c->values[i] = counts ? 0 : page->items[i].value;
    }
    ia_nav_push(p, &page_screen, t->arg);
}

static void menu_row(struct ia_kit *k, int i)
{
    struct ia_rect f = ia_catalog_cell(k, IA_KIT_ROW_H, open_page, i);
    (void)ia_scene_label(k->scene, ia_catalog_pages[i].name, (float)f.x + IA_KIT_MARGIN,
                         (float)f.y + 11.5F, 300, IA_INK(17, IA_COLOR_LABEL, 0));
    struct ia_view *v =
        ia_scene_add(k->scene, IA_EL_IMAGE, (float)(f.x + f.w) - 24, (float)f.y + 15.5F, 8, 13);
    v->paint = IA_PAINT_SYMBOL;
    v->symbol = IA_SYMBOL_CHEVRON;
    v->color = IA_COLOR_TERTIARY;
    v->flags = IA_VIEW_INVISIBLE;
    ia_scene_pop(k->scene);
}

static void build_menu(struct ia_kit *k)
{
    static const struct ia_kit_nav nav = {.scroll_bars = true};
    ia_kit_begin(k, &nav, IA_LIST_GROUPED);
    ia_kit_section(k, NULL);
    for (int i = 0; i < IA_CATALOG_PAGES; i++) {
        menu_row(k, i);
    }
    ia_kit_end(k);
}

/* ---- a page ---- */

/* The page Search finds pages by their names; it opens none, as a page has no pages. */
static void found_pages(struct ia_kit *k)
{
    for (int i = 0; i < IA_CATALOG_PAGES; i++) {
        if (ia_kit_matches(ia_catalog_pages[i].name, ia_kit_query(k))) {
            struct ia_rect f = ia_catalog_cell(k, IA_KIT_ROW_H, NULL, 0);
            (void)ia_scene_label(k->scene, ia_catalog_pages[i].name, (float)f.x + IA_KIT_MARGIN,
                                 (float)f.y + 11.5F, 300, IA_INK(17, IA_COLOR_LABEL, 0));
            ia_scene_pop(k->scene);
        }
    }
}

static void build_page(struct ia_kit *k)
{
    const struct ia_catalog_page *page = &ia_catalog_pages[k->entry->arg];
    const struct ia_kit_nav nav = {.scroll_bars = true, .search = !page->items};
    ia_kit_begin(k, &nav, IA_LIST_GROUPED);
    ia_kit_section(k, NULL);
    for (int i = 0; i < page->count;) {
        i = ia_catalog_build_item(k, i);
    }
    if (nav.search) {
        found_pages(k);
    }
    ia_kit_end(k);
}

static const char *page_title(const struct ia_phone *p, const struct ia_nav_entry *e)
{
    (void)p;
    return ia_catalog_pages[e->arg].name;
}

static const struct ia_screen page_screen = {"Page", build_page, page_title, NULL};
static const struct ia_screen menu_screen = {"UIKitCatalog", build_menu, NULL, NULL};

/* ---- the app ---- */

static void *create(uint64_t seed)
{
    (void)seed;
    struct ia_catalog *c = ia_calloc(1, sizeof(*c));
    c->page = -1;
    return c;
}

static void started(struct ia_phone *p)
{
    ia_catalog_of(p)->page = -1;
}

/* What was typed on a page goes with it. */
static void left(struct ia_phone *p, const struct ia_nav_entry *e)
{
    (void)e;
    ia_edit_end_search(p);
    for (int i = IA_CATALOG_FIELD_TEXT; i < IA_CATALOG_FIELDS; i++) {
        ia_edit_set(p, i, "");
    }
    ia_catalog_of(p)->page = -1;
}

static bool takes_url(struct ia_str url)
{
    return ia_str_starts(url, ia_str("uikitcatalog:"));
}

/* "catalog":{"page":"Steppers"|null,"values":[3,5]} */
static void state_json(const void *data, struct ia_jsonw *w)
{
    const struct ia_catalog *c = data;
    ia_jsonw_key(w, "catalog");
    ia_jsonw_object(w);
    ia_jsonw_kv(w, "page", c->page >= 0 ? ia_catalog_pages[c->page].name : NULL);
    ia_jsonw_key(w, "values");
    ia_jsonw_array(w);
    for (int i = 0; c->page >= 0 && i < ia_catalog_pages[c->page].count; i++) {
        ia_jsonw_int(w, c->values[i]);
    }
    ia_jsonw_end_array(w);
    ia_jsonw_end_object(w);
}

const struct ia_app ia_app_catalog = {
    .bundle_id = "com.example.apple-samplecode.UICatalog",
    .name = "UIKitCatalog",
    .icon = IA_ICON_CATALOG,
    .rotates = true,
    .off_home = true,
    .root = &menu_screen,
    .fields = ia_catalog_fields,
    .create = create,
    .destroy = free,
    .takes_url = takes_url,
    .started = started,
    .left = left,
    .state_json = state_json,
};
