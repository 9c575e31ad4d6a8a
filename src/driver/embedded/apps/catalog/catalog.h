/* catalog.h: a catalogue of the platform's controls, one page for each kind. Its labels, its bundle
 * id and its tree are those that Apple's sample UIKitCatalog shows and that the tests of Appium's
 * XCUITest driver expect; the pages are data (pages.c). */
#ifndef IA_DRIVER_EMBEDDED_APPS_CATALOG_CATALOG_H
#define IA_DRIVER_EMBEDDED_APPS_CATALOG_CATALOG_H

#include "driver/embedded/ui/kit.h"

extern const struct ia_app ia_app_catalog;

enum {
    IA_CATALOG_PAGES = 19,
    IA_CATALOG_ITEMS_MAX = 8,
    IA_CATALOG_SEGMENTS_MAX = 16, /* of one control; what is touched is item * this + segment */
    IA_CATALOG_WHEEL_H = 216
};

enum ia_catalog_kind {
    IA_CATALOG_SECTION, /* label: its header */
    IA_CATALOG_ALERT,   /* a row; value: index in ia_catalog_alerts */
    IA_CATALOG_BUTTON, /* value: enum ia_symbol before the label; counts how often it was touched */
    IA_CATALOG_TOGGLE,
    IA_CATALOG_STEPPER,
    IA_CATALOG_SEGMENTS, /* names */
    IA_CATALOG_SLIDER,
    IA_CATALOG_SWITCH,
    IA_CATALOG_SPINNER,
    IA_CATALOG_PROGRESS,
    IA_CATALOG_PAGER, /* dots, one for each page from min to max */
    IA_CATALOG_WHEEL, /* those that follow each other are one picker; names, or the numbers */
    IA_CATALOG_FIELD, /* value: the app's field */
    IA_CATALOG_TEXT,
    IA_CATALOG_LONG_TEXT,
    IA_CATALOG_PICTURE,
    IA_CATALOG_TOOLBAR, /* names */
    IA_CATALOG_WEB
};

/* One control of a page: from min to max by step, at first at value. */
struct ia_catalog_item {
    uint8_t kind;
    const char *label;
    int16_t value, min, max, step;
    const char *const *names; /* NULL at the end */
};

struct ia_catalog_page {
    const char *name;
    const struct ia_catalog_item *items;
    int count;
    uint8_t picker; /* enum ia_eltype of what holds its wheels */
};
extern const struct ia_catalog_page ia_catalog_pages[IA_CATALOG_PAGES];
extern const struct ia_alert ia_catalog_alerts[];

enum {
    IA_CATALOG_FIELD_SEARCH,
    IA_CATALOG_FIELD_TEXT, /* the first of six on a page */
    IA_CATALOG_FIELD_ALERT = IA_CATALOG_FIELD_TEXT + 6,
    IA_CATALOG_FIELD_ALERT_SECURE,
    IA_CATALOG_FIELDS
};
extern const struct ia_field ia_catalog_fields[IA_CATALOG_FIELDS];

/* What the controls of the open page show; a page that is opened shows its first values. */
struct ia_catalog {
    int page; /* -1: the menu */
    int16_t values[IA_CATALOG_ITEMS_MAX];
};

/* While the app is in front. */
struct ia_catalog *ia_catalog_of(struct ia_phone *p);
const struct ia_catalog *ia_catalog_of_const(const struct ia_phone *p);
/* A cell without a label of its own, as the platform's are; what is touched in it does tap. The caller
 * pops it. */
struct ia_rect ia_catalog_cell(struct ia_kit *k, float h, ia_touch_fn *tap, int32_t arg);
/* Builds item i of the open page, and those that belong to the same control; returns the next one. */
int ia_catalog_build_item(struct ia_kit *k, int i);

#endif
