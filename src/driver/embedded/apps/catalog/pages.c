/* pages.c: the catalogue's pages, alerts and fields as data. */
#include "driver/embedded/apps/catalog/catalog.h"

static const struct ia_catalog_item activity[] = {
    {IA_CATALOG_SPINNER, "Medium activity indicator", 20, 0, 0, 0, NULL},
    {IA_CATALOG_SPINNER, "Large activity indicator", 37, 0, 0, 0, NULL},
};

enum { SIMPLE, OKAY_CANCEL, OTHER, TEXT_ENTRY, SECURE_ENTRY, SHEET_OKAY, SHEET_OTHER };
static const struct ia_catalog_item alerts[] = {
    {IA_CATALOG_ALERT, "Simple", SIMPLE, 0, 0, 0, NULL},
    {IA_CATALOG_ALERT, "Okay / Cancel", OKAY_CANCEL, 0, 0, 0, NULL},
    {IA_CATALOG_ALERT, "Other", OTHER, 0, 0, 0, NULL},
    {IA_CATALOG_ALERT, "Text Entry", TEXT_ENTRY, 0, 0, 0, NULL},
    {IA_CATALOG_ALERT, "Secure Text Entry", SECURE_ENTRY, 0, 0, 0, NULL},
    {IA_CATALOG_SECTION, "ACTION SHEET STYLE", 0, 0, 0, 0, NULL},
    {IA_CATALOG_ALERT, "Okay / Cancel", SHEET_OKAY, 0, 0, 0, NULL},
    {IA_CATALOG_ALERT, "Other", SHEET_OTHER, 0, 0, 0, NULL},
};

#define TITLE "A Short Title Is Best"
#define MESSAGE "A message should be a short, complete sentence."
const struct ia_alert ia_catalog_alerts[] = {
    [SIMPLE] = {.title = TITLE, .message = MESSAGE, .buttons = {{"OK", IA_ALERT_CANCEL, NULL}}},
    [OKAY_CANCEL] = {.title = TITLE,
                     .message = MESSAGE,
                     .buttons = {{"Cancel", IA_ALERT_CANCEL, NULL},
                                 {"OK", IA_ALERT_DEFAULT, NULL}}},
    [OTHER] = {.title = TITLE,
               .message = MESSAGE,
               .buttons = {{"Choice One", IA_ALERT_DEFAULT, NULL},
                           {"Choice Two", IA_ALERT_DEFAULT, NULL},
                           {"Cancel", IA_ALERT_CANCEL, NULL}}},
    [TEXT_ENTRY] = {.title = TITLE,
                    .message = MESSAGE,
                    .field = IA_CATALOG_FIELD_ALERT,
                    .buttons = {{"Cancel", IA_ALERT_CANCEL, NULL},
                                {"OK", IA_ALERT_DEFAULT, NULL}}},
    [SECURE_ENTRY] = {.title = TITLE,
                      .message = MESSAGE,
                      .field = IA_CATALOG_FIELD_ALERT_SECURE,
                      .buttons = {{"Cancel", IA_ALERT_CANCEL, NULL},
                                  {"OK", IA_ALERT_DEFAULT, NULL}}},
    [SHEET_OKAY] = {.action_sheet = true,
                    .title = MESSAGE,
                    .buttons = {{"Confirm", IA_ALERT_DESTRUCTIVE, NULL},
                                {"Cancel", IA_ALERT_CANCEL, NULL}}},
    [SHEET_OTHER] = {.action_sheet = true,
                     .title = MESSAGE,
                     .buttons = {{"Destructive Choice", IA_ALERT_DESTRUCTIVE, NULL},
                                 {"Safe Choice", IA_ALERT_DEFAULT, NULL},
                                 {"Cancel", IA_ALERT_CANCEL, NULL}}},
};

static const struct ia_catalog_item buttons[] = {
    {IA_CATALOG_BUTTON, "Button", 0, 0, 0, 0, NULL},
    {IA_CATALOG_BUTTON, "X Button", IA_SYMBOL_CLEAR, 0, 0, 0, NULL},
    {IA_CATALOG_BUTTON, "Square Button", IA_SYMBOL_TRAY, 0, 0, 0, NULL},
    {IA_CATALOG_BUTTON, "Cart", IA_SYMBOL_CART, 0, 0, 0, NULL},
    {IA_CATALOG_BUTTON, "Contact Add", IA_SYMBOL_PLUS, 0, 0, 0, NULL},
    {IA_CATALOG_TOGGLE, "Toggle", 0, 0, 1, 1, NULL},
};

static const char *const months[] = {"January",  "February", "March",  "April",     "May",
                                     "June",     "July",     "August", "September", "October",
                                     "November", "December", NULL};
static const struct ia_catalog_item date[] = {
    {IA_CATALOG_WHEEL, NULL, 8, 0, 11, 1, months},
    {IA_CATALOG_WHEEL, NULL, 9, 1, 28, 1, NULL},
    {IA_CATALOG_WHEEL, NULL, 2025, 1970, 2040, 1, NULL},
};

static const struct ia_catalog_item image[] = {
    {IA_CATALOG_PICTURE, NULL, 0, 0, 0, 0, NULL},
};

static const struct ia_catalog_item pages[] = {
    {IA_CATALOG_PAGER, "Page Control", 1, 1, 10, 1, NULL},
};

static const struct ia_catalog_item colors[] = {
    {IA_CATALOG_WHEEL, "Red color component value", 65, 0, 255, 5, NULL},
    {IA_CATALOG_WHEEL, "Green color component value", 205, 0, 255, 5, NULL},
    {IA_CATALOG_WHEEL, "Blue color component value", 120, 0, 255, 5, NULL},
};

static const struct ia_catalog_item progress[] = {
    {IA_CATALOG_PROGRESS, "Default progress", 50, 0, 100, 1, NULL},
    {IA_CATALOG_PROGRESS, "Tinted progress", 80, 0, 100, 1, NULL},
};

static const char *const tools[] = {"Check", "Search", "Tools", NULL};
static const struct ia_catalog_item segments[] = {
    {IA_CATALOG_SEGMENTS, "Default", 0, 0, 2, 1, tools},
    {IA_CATALOG_SEGMENTS, "Tinted", 1, 0, 2, 1, tools},
};

static const struct ia_catalog_item sliders[] = {
    {IA_CATALOG_SLIDER, "Default slider", 42, 0, 100, 1, NULL},
    {IA_CATALOG_SLIDER, "Tinted slider", 60, 0, 100, 1, NULL},
};

static const struct ia_catalog_item stack[] = {
    {IA_CATALOG_TEXT, "Detail", 0, 0, 0, 0, NULL},
    {IA_CATALOG_TEXT, "Further Detail", 0, 0, 0, 0, NULL},
    {IA_CATALOG_TEXT, "Footer", 0, 0, 0, 0, NULL},
};

static const struct ia_catalog_item steppers[] = {
    {IA_CATALOG_STEPPER, "Default", 0, 0, 10, 1, NULL},
    {IA_CATALOG_STEPPER, "Tinted", 5, 0, 10, 1, NULL},
};

static const struct ia_catalog_item switches[] = {
    {IA_CATALOG_SWITCH, "Default", 1, 0, 1, 1, NULL},
    {IA_CATALOG_SWITCH, "Tinted", 0, 0, 1, 1, NULL},
};

#define FIELD(i)                                                                               \
    {                                                                                          \
        IA_CATALOG_FIELD, NULL, IA_CATALOG_FIELD_TEXT + (i), 0, 0, 0, NULL                     \
    }
static const struct ia_catalog_item fields[] = {FIELD(0), FIELD(1), FIELD(2),
                                                FIELD(3), FIELD(4), FIELD(5)};

static const struct ia_catalog_item text_view[] = {
    {IA_CATALOG_LONG_TEXT,
     "This is a text view that shows several lines. It holds a paragraph or two, scrolls when "
     "there "
     "is more, and selects what is touched.",
     0, 0, 0, 0, NULL},
};

static const char *const bar[] = {"Delete", "Title", "Add", NULL};
static const struct ia_catalog_item toolbars[] = {
    {IA_CATALOG_TOOLBAR, NULL, -1, 0, 2, 1, bar},
};

static const struct ia_catalog_item effect[] = {
    {IA_CATALOG_PICTURE, NULL, 0, 0, 0, 0, NULL},
    {IA_CATALOG_TEXT, "A picture with a caption", 0, 0, 0, 0, NULL},
};

static const struct ia_catalog_item web[] = {
    {IA_CATALOG_WEB, "This is HTML content inside a web view.", 0, 0, 0, 0, NULL},
};

#define PAGE(name, items)                                                                      \
    {                                                                                          \
        name, items, IA_COUNTOF(items), IA_EL_PICKER                                           \
    }
const struct ia_catalog_page ia_catalog_pages[IA_CATALOG_PAGES] = {
    PAGE("Activity Indicators", activity),
    PAGE("Alert Views", alerts),
    PAGE("Buttons", buttons),
    {"Date Picker", date, IA_COUNTOF(date), IA_EL_DATE_PICKER},
    PAGE("Image View", image),
    PAGE("Page Control", pages),
    PAGE("Picker View", colors),
    PAGE("Progress Views", progress),
    {"Search", NULL, 0, 0},
    PAGE("Segmented Controls", segments),
    PAGE("Sliders", sliders),
    PAGE("Stack Views", stack),
    PAGE("Steppers", steppers),
    PAGE("Switches", switches),
    PAGE("Text Fields", fields),
    PAGE("Text View", text_view),
    PAGE("Toolbars", toolbars),
    PAGE("Visual Effect", effect),
    PAGE("Web View", web),
};

/* As in the sample, no field has a label. */
#define HOLD "Placeholder text"
const struct ia_field ia_catalog_fields[IA_CATALOG_FIELDS] = {
    [IA_CATALOG_FIELD_SEARCH] = {"search", "Search", "Search", IA_KEYBOARD_TEXT, -1, "search"},
    [IA_CATALOG_FIELD_TEXT] = {NULL, NULL, HOLD, IA_KEYBOARD_TEXT, -1, "done"},
    {NULL, NULL, HOLD, IA_KEYBOARD_TEXT, -1, "done"},
    {NULL, NULL, HOLD, IA_KEYBOARD_SECURE, -1, "done"},
    {NULL, NULL, HOLD, IA_KEYBOARD_EMAIL, -1, "done"},
    {NULL, NULL, HOLD, IA_KEYBOARD_WORDS, -1, "done"},
    {NULL, NULL, HOLD, IA_KEYBOARD_TEXT, -1, "done"},
    [IA_CATALOG_FIELD_ALERT] = {NULL, NULL, "", IA_KEYBOARD_TEXT, -1, "done"},
    [IA_CATALOG_FIELD_ALERT_SECURE] = {NULL, NULL, "", IA_KEYBOARD_SECURE, -1, "done"},
};
