/* names.c: accessibility roles and traits as Apple's frameworks spell them. */
#include "driver/adapt/impl.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Roles of the accessibility API (NSAccessibilityConstants.h, without their AX) that are not
 * names of an XCUIElementType. */
static const struct {
    const char *role;
    enum ia_eltype type;
} roles[] = {
    {"Heading", IA_EL_STATIC_TEXT},
    {"GenericElement", IA_EL_OTHER},
    {"ScrollArea", IA_EL_SCROLL_VIEW},
    {"TextArea", IA_EL_TEXT_VIEW},
    {"Row", IA_EL_TABLE_ROW},
    {"List", IA_EL_TABLE},
    {"WebArea", IA_EL_WEB_VIEW},
    {"Incrementor", IA_EL_STEPPER},
    {"DateTimeArea", IA_EL_DATE_PICKER},
    {"BusyIndicator", IA_EL_ACTIVITY_INDICATOR},
    {"PopUpMenu", IA_EL_MENU},
    {"SecureField", IA_EL_SECURE_TEXT_FIELD},
    {"TabButton", IA_EL_TAB},
    {"TextLink", IA_EL_LINK},
    {"KeyboardKey", IA_EL_KEY},
    {"NavBar", IA_EL_NAVIGATION_BAR},
    {"ToolBar", IA_EL_TOOLBAR},
    {"SegmentedButton", IA_EL_SEGMENTED_CONTROL},
};

enum ia_eltype ia_adapt_type(struct ia_str name)
{
    if (name.n > 2 && ia_str_starts(name, ia_str("AX"))) {
        name.p += 2;
        name.n -= 2;
    }
    for (size_t i = 0; i < IA_COUNTOF(roles); i++) {
        if (ia_str_is(name, roles[i].role)) {
            return roles[i].type;
        }
    }
    return ia_eltype_from_name(name);
}

/* UIAccessibilityTraits, as XCTest and AXe write them. A trait names a type only where the type
 * says nothing. */
static const struct {
    const char *name;
    enum ia_eltype type;
    uint16_t set, clear;
} traits[] = {
    {"Header", IA_EL_COUNT, IA_NODE_HEADER, 0},
    {"Selected", IA_EL_COUNT, IA_NODE_SELECTED, 0},
    {"NotEnabled", IA_EL_COUNT, 0, IA_NODE_ENABLED},
    {"Adjustable", IA_EL_COUNT, IA_NODE_ADJUSTABLE, 0},
    {"Button", IA_EL_BUTTON, 0, 0},
    {"Link", IA_EL_LINK, 0, 0},
    {"Toggle", IA_EL_SWITCH, 0, 0},
    {"SearchField", IA_EL_SEARCH_FIELD, 0, 0},
    {"KeyboardKey", IA_EL_KEY, 0, 0},
    {"TabBar", IA_EL_TAB_BAR, 0, 0},
};

/* Equal but for case and spaces. */
static bool alike(struct ia_str a, const char *b)
{
    size_t i = 0;
    for (size_t k = 0; k < a.n; k++) {
        if (a.p[k] == ' ') {
            continue;
        }
        if (b[i] == '\0' || strncasecmp(&a.p[k], &b[i], 1) != 0) {
            return false;
        }
        i++;
    }
    return b[i] == '\0';
}

void ia_adapt_trait(struct ia_node *n, struct ia_str trait)
{
    for (size_t i = 0; i < IA_COUNTOF(traits); i++) {
        if (!alike(trait, traits[i].name)) {
            continue;
        }
        n->flags = (uint16_t)((n->flags | traits[i].set) & ~(unsigned)traits[i].clear);
        if (n->type == IA_EL_OTHER && traits[i].type != IA_EL_COUNT) {
            n->type = (uint16_t)traits[i].type;
        }
        return;
    }
}

void ia_adapt_traits(struct ia_node *n, struct ia_str list)
{
    while (list.n > 0) {
        const char *comma = memchr(list.p, ',', list.n);
        size_t len = comma ? (size_t)(comma - list.p) : list.n;
        ia_adapt_trait(n, (struct ia_str){list.p, len});
        len += comma ? 1 : 0;
        list.p += len;
        list.n -= len;
    }
}

struct ia_rect ia_adapt_frame_text(const char *s)
{
    double v[4] = {0};
    for (size_t i = 0; s && i < IA_COUNTOF(v); i++) {
        s += strspn(s, "{, }");
        char *end = NULL;
        v[i] = strtod(s, &end);
        if (end == s) {
            return (struct ia_rect){0};
        }
        s = end;
    }
    return (struct ia_rect){v[0], v[1], v[2], v[3]};
}
