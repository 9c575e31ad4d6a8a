/* kit.h: the widgets that screens of apps are made of. Declarative: a screen says what is on
 * it, the kit lays it out, names it for accessibility and connects the touches.
 *
 *     static void build(struct ia_kit *k)
 *     {
 *         ia_kit_begin(k, &(struct ia_kit_nav){.large = true}, IA_LIST_GROUPED);
 *         ia_kit_section(k, "NETWORK");
 *         ia_kit_row(k, &(struct ia_kit_row){.label = "Wi-Fi", .ident = "wifi", …});
 *         ia_kit_footer(k, "Known networks will be joined automatically.");
 *         ia_kit_end(k);
 *     }
 *
 * The title and the back button come from the navigation stack. */
#ifndef IA_DRIVER_EMBEDDED_UI_KIT_H
#define IA_DRIVER_EMBEDDED_UI_KIT_H

#include "driver/embedded/phone/phone.h"

/* Measures in points that screens may count on. */
enum {
    IA_KIT_ROW_H = 44,
    IA_KIT_MARGIN = 16, /* of the cards of a grouped list */
    IA_KIT_CARD_RADIUS = 10,
    IA_KIT_PLAIN_HEADER_H = 32,
    IA_KIT_LARGE_H = 52,
    IA_KIT_SEARCH_H = 52,
    IA_KIT_BANNER_H = 48 /* of the banner that stands over a list while the phone is shifted */
};

enum ia_list_style { IA_LIST_GROUPED, IA_LIST_PLAIN };

struct ia_kit_button {
    const char *label, *ident; /* label NULL: no button */
    uint8_t symbol;            /* drawn instead of the label */
    bool bold, disabled;
    const char *value; /* of a tab: "2 items"; its first word is drawn as a badge */
    ia_touch_fn *tap;
    int32_t arg;
};

struct ia_kit_nav {
    bool large;        /* a large title that collapses when the list is scrolled */
    bool search;       /* the app's search field (field 0) under the title */
    bool hidden_title; /* the title is not drawn */
    bool
        scroll_bars; /* the list's scroll bars are elements, invisible ones, as UIKit has them */
    struct ia_kit_button left, right; /* left replaces the back button */
    const struct ia_kit_button *tabs; /* a tab bar at the foot, or NULL */
    int tab_count, tab_selected;
    float bar_h; /* room at the foot for a bar that the screen draws, above the keyboard */
};

enum ia_accessory { IA_ROW_PLAIN, IA_ROW_CHEVRON, IA_ROW_SWITCH, IA_ROW_CHECK };

struct ia_kit_row {
    const char *label, *ident;
    const char *detail;   /* at the right */
    const char *subtitle; /* under the label */
    uint8_t symbol, tile; /* a symbol on a square of that colour, left of the label */
    uint8_t accessory;    /* enum ia_accessory */
    uint8_t color;        /* enum ia_color of the label; IA_COLOR_LABEL is black */
    uint8_t unread;       /* drawn as a badge; the row's value is then "2 unread" */
    bool on;              /* of a switch or a check mark */
    bool button;          /* a Button that looks like a row */
    bool centered;
    bool disabled;
    ia_touch_fn *tap; /* of the row, or of its switch */
    int32_t arg;
};

struct ia_kit {
    const struct ia_phone *phone;
    const struct ia_app_state *app;
    const struct ia_nav_entry *entry;
    struct ia_scene *scene;
    int index; /* of entry in the stack */
    bool sheet;
    float left, width; /* of what is between the safe areas at the sides */
    float top;     /* of this screen's area; it is as wide as the phone and reaches its foot */
    float bar_top; /* of the navigation bar */
    float bar;     /* its height without large title and search */
    /* of the list being built: */
    const struct ia_kit_nav *nav;
    uint8_t style;     /* enum ia_list_style */
    int32_t table;     /* its view */
    int32_t last_card; /* the card of the last row in this section, -1 */
    int rows_in_section;
    float y; /* where the next row goes, in content coordinates */
};

/* Builds one entry of the navigation stack into its area. */
void ia_kit_screen(const struct ia_phone *p, struct ia_scene *s, int entry);

void ia_kit_begin(struct ia_kit *k, const struct ia_kit_nav *nav, enum ia_list_style style);
/* Starts a section; header may be NULL. */
void ia_kit_section(struct ia_kit *k, const char *header);
/* The ground of one row of height h with the line above it, which begins at inset. Returns the
 * row's frame in content coordinates. */
struct ia_rect ia_kit_card(struct ia_kit *k, float h, float inset);
void ia_kit_row(struct ia_kit *k, const struct ia_kit_row *row);
/* A row without a touch; detail may be NULL. */
void ia_kit_fact(struct ia_kit *k, const char *label, const char *ident, const char *detail);
/* A row that is a text field of the app. */
void ia_kit_field(struct ia_kit *k, int field);
void ia_kit_slider(struct ia_kit *k, const char *label, const char *ident, int level,
                   ia_touch_fn *tap, int32_t arg);
/* A wide coloured button, as the one that ends a form. */
void ia_kit_action(struct ia_kit *k, const struct ia_kit_button *button);
/* A row with a label, small text under it, and "- n +" at its right end. name goes into the
 * buttons' labels when there are several steppers on a screen; NULL otherwise. What is touched
 * gets `arg * 2` for one less and `arg * 2 + 1` for one more. With remove the row ends with a
 * button that takes it away; it gets arg. */
struct ia_kit_stepper {
    const char *label, *subtitle, *ident, *name;
    int value, min, max;
    ia_touch_fn *step, *remove;
    int32_t arg;
};
void ia_kit_stepper(struct ia_kit *k, const struct ia_kit_stepper *row);
/* A line of small round buttons, one of them chosen. */
void ia_kit_chips(struct ia_kit *k, const struct ia_kit_button *chips, int count, int selected);
/* What is shown while the app in front is busy. */
void ia_kit_progress(struct ia_kit *k, const char *label);
/* A line of text under the last section in a colour of its own, as an error has. */
void ia_kit_message(struct ia_kit *k, const char *text, const char *ident, enum ia_color color);
/* Small grey text under a section, wrapped. */
void ia_kit_footer(struct ia_kit *k, const char *text);
/* Grey text in the middle of an empty list. */
void ia_kit_empty(struct ia_kit *k, const char *text, const char *detail);
/* Room for something that the screen draws itself, at the returned content height. */
float ia_kit_space(struct ia_kit *k, float h);
/* The y at which the list's visible part ends and the screen's own bar, the tab bar or the keyboard begins. */
float ia_kit_foot(const struct ia_kit *k);
/* Draws a number on a coloured ground, centred at x. */
void ia_kit_badge(struct ia_scene *s, const char *number, float x, float y,
                  enum ia_color color);
/* Closes the list, places it by the scroll position and draws the navigation bar. */
void ia_kit_end(struct ia_kit *k);
/* What was typed into the search field while searching, else "". */
const char *ia_kit_query(const struct ia_kit *k);
/* True when needle occurs in hay, ASCII letters compared without case. "" occurs everywhere. */
bool ia_kit_matches(const char *hay, const char *needle);

/* Parts of the kit and of the shell. */
/* A symbol that fills the box, as a decoration: accessibility does not see it. */
void ia_kit_symbol(struct ia_scene *s, enum ia_symbol which, enum ia_color color,
                   struct ia_rect box);
/* Draws the navigation bar for a list that is scrolled by `offset`; returns where it ends. */
float ia_kit_nav_bar(struct ia_kit *k, float offset);
void ia_kit_tab_bar(struct ia_kit *k);
/* Height of large title and search field under the bar; 0 while searching. */
float ia_kit_bar_extra(const struct ia_kit *k);
bool ia_kit_searching(const struct ia_kit *k);
/* Opens the view of a button, which the caller draws into and pops. */
struct ia_view *ia_kit_push_button(struct ia_kit *k, const struct ia_kit_button *b,
                                   const struct ia_rect *frame);
/* Lines of text broken to w, from y down; one StaticText. Returns the height. */
float ia_kit_text(struct ia_scene *s, const char *text, struct ia_rect box, struct ia_ink ink);
/* What a field shows of its text: the text, or dots. Lives as long as the scene. */
const char *ia_kit_field_text(struct ia_scene *s, const struct ia_app_state *a,
                              const struct ia_field *spec, int field);
/* Opens the view of a text field, which the caller draws into and pops. */
struct ia_view *ia_kit_push_field(struct ia_scene *s, const struct ia_app_state *a,
                                  const struct ia_field *spec, int field, struct ia_rect box);
/* A text field's inside: text or placeholder, caret and, when it clears, the button Clear. box is the
 * field's, or what is left of it inside a margin. */
void ia_kit_field_content(struct ia_scene *s, const struct ia_app_state *a,
                          const struct ia_field *spec, int field, struct ia_rect box,
                          bool clears);

#endif
