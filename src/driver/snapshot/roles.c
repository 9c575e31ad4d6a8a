/* roles.c: what each item is: its role, what kind of part that is, its state and its texts.
 *
 * The type decides, then the parent's type (a button in a tab bar is a tab), then traits. React
 * Native has types for little else than views and texts: there the value's words and hints
 * decide. */
#include "driver/snapshot/build.h"
#include "driver/snapshot/phrase.h"

#include <string.h>

struct meaning {
    uint8_t role, part;
};

#define CONTROL(r)                                                                             \
    {                                                                                          \
        IA_ROLE_##r, IA_PART_CONTROL                                                           \
    }
#define TEXT(r)                                                                                \
    {                                                                                          \
        IA_ROLE_##r, IA_PART_TEXT                                                              \
    }
#define AREA(r)                                                                                \
    {                                                                                          \
        IA_ROLE_##r, IA_PART_AREA                                                              \
    }
#define OTHER                                                                                  \
    {                                                                                          \
        IA_ROLE_OTHER, IA_PART_TEXT                                                            \
    }

/* Types that are missing here are wrappers. A labelled OTHER is an element, see fold.c. */
static const struct meaning meanings[IA_EL_COUNT] = {
    [IA_EL_ANY] = OTHER,
    [IA_EL_OTHER] = OTHER,
    [IA_EL_GROUP] = OTHER,
    [IA_EL_SHEET] = AREA(SHEET),
    [IA_EL_DRAWER] = AREA(SHEET),
    [IA_EL_ALERT] = AREA(ALERT),
    [IA_EL_DIALOG] = AREA(ALERT),
    [IA_EL_BUTTON] = CONTROL(BUTTON),
    [IA_EL_RADIO_BUTTON] = CONTROL(RADIO),
    [IA_EL_CHECK_BOX] = CONTROL(CHECKBOX),
    [IA_EL_DISCLOSURE_TRIANGLE] = CONTROL(BUTTON),
    [IA_EL_POP_UP_BUTTON] = CONTROL(BUTTON),
    [IA_EL_COMBO_BOX] = CONTROL(BUTTON),
    [IA_EL_MENU_BUTTON] = CONTROL(BUTTON),
    [IA_EL_TOOLBAR_BUTTON] = CONTROL(BUTTON),
    [IA_EL_POPOVER] = AREA(SHEET),
    [IA_EL_KEYBOARD] = AREA(KEYBOARD),
    [IA_EL_KEY] = CONTROL(KEY),
    [IA_EL_TABLE] = AREA(LIST),
    [IA_EL_TABLE_ROW] = CONTROL(ROW),
    [IA_EL_OUTLINE] = AREA(LIST),
    [IA_EL_OUTLINE_ROW] = CONTROL(ROW),
    [IA_EL_COLLECTION_VIEW] = AREA(LIST),
    [IA_EL_SLIDER] = CONTROL(SLIDER),
    [IA_EL_PAGE_INDICATOR] = TEXT(PROGRESS),
    [IA_EL_PROGRESS_INDICATOR] = TEXT(PROGRESS),
    [IA_EL_ACTIVITY_INDICATOR] = TEXT(PROGRESS),
    [IA_EL_PICKER] = CONTROL(PICKER),
    [IA_EL_PICKER_WHEEL] = CONTROL(PICKER),
    [IA_EL_SWITCH] = CONTROL(SWITCH),
    [IA_EL_TOGGLE] = CONTROL(SWITCH),
    [IA_EL_LINK] = CONTROL(LINK),
    [IA_EL_IMAGE] = TEXT(IMAGE),
    [IA_EL_ICON] = CONTROL(ICON),
    [IA_EL_SEARCH_FIELD] = CONTROL(SEARCH),
    [IA_EL_SCROLL_VIEW] = AREA(SCROLL),
    [IA_EL_STATIC_TEXT] = TEXT(TEXT),
    [IA_EL_TEXT_FIELD] = CONTROL(FIELD),
    [IA_EL_SECURE_TEXT_FIELD] = CONTROL(SECURE),
    [IA_EL_DATE_PICKER] = CONTROL(PICKER),
    [IA_EL_TEXT_VIEW] = CONTROL(FIELD),
    [IA_EL_MENU] = AREA(SHEET),
    [IA_EL_MENU_ITEM] = CONTROL(MENU_ITEM),
    [IA_EL_MENU_BAR_ITEM] = CONTROL(MENU_ITEM),
    [IA_EL_MAP] = OTHER,
    [IA_EL_WEB_VIEW] = AREA(WEB),
    [IA_EL_INCREMENT_ARROW] = CONTROL(BUTTON),
    [IA_EL_DECREMENT_ARROW] = CONTROL(BUTTON),
    [IA_EL_RATING_INDICATOR] = TEXT(PROGRESS),
    [IA_EL_VALUE_INDICATOR] = TEXT(PROGRESS),
    [IA_EL_RELEVANCE_INDICATOR] = TEXT(PROGRESS),
    [IA_EL_COLOR_WELL] = CONTROL(BUTTON),
    [IA_EL_DOCK_ITEM] = CONTROL(BUTTON),
    [IA_EL_LEVEL_INDICATOR] = TEXT(PROGRESS),
    [IA_EL_CELL] = CONTROL(ROW),
    [IA_EL_LAYOUT_AREA] = OTHER,
    [IA_EL_LAYOUT_ITEM] = OTHER,
    [IA_EL_STEPPER] = CONTROL(STEPPER),
    [IA_EL_TAB] = CONTROL(TAB),
    [IA_EL_STATUS_ITEM] = CONTROL(BUTTON),
};

static struct meaning meaning_of(const struct ia_build *b, const struct ia_build_item *it)
{
    unsigned type = it->node->type < IA_EL_COUNT ? it->node->type : IA_EL_OTHER;
    struct meaning m = meanings[type];
    if (m.part == IA_PART_TEXT && (it->node->flags & IA_NODE_HEADER)) {
        return (struct meaning)TEXT(HEADING);
    }
    if (m.role != IA_ROLE_BUTTON || it->parent < 0) {
        return m;
    }
    switch (b->items[it->parent].node->type) {
    case IA_EL_TAB_BAR:
    case IA_EL_TAB_GROUP:
        return (struct meaning)CONTROL(TAB);
    case IA_EL_SEGMENTED_CONTROL:
        return (struct meaning)CONTROL(SEGMENT);
    case IA_EL_RADIO_GROUP:
        return (struct meaning)CONTROL(RADIO);
    default:
        return m;
    }
}

/* React Native gives the role and state of a custom control only in its value, as words: "radio
 * button, checked". A value with an unknown word stays as it is. */
struct cue {
    const char *word;
    uint8_t role, on;
    bool selected, disabled;
    bool stays; /* no state of ours: stays to be read as the value */
};

static const struct cue cues[] = {
    {"checkbox", IA_ROLE_CHECKBOX, IA_UNSET, false, false, false},
    {"radio button", IA_ROLE_RADIO, IA_UNSET, false, false, false},
    {"switch", IA_ROLE_SWITCH, IA_UNSET, false, false, false},
    {"togglebutton", IA_ROLE_SWITCH, IA_UNSET, false, false, false},
    {"button", IA_ROLE_BUTTON, IA_UNSET, false, false, false},
    {"link", IA_ROLE_LINK, IA_UNSET, false, false, false},
    {"tab", IA_ROLE_TAB, IA_UNSET, false, false, false},
    {"menuitem", IA_ROLE_MENU_ITEM, IA_UNSET, false, false, false},
    {"menu item", IA_ROLE_MENU_ITEM, IA_UNSET, false, false, false},
    {"combobox", IA_ROLE_BUTTON, IA_UNSET, false, false, false},
    {"combo box", IA_ROLE_BUTTON, IA_UNSET, false, false, false},
    {"spin button", IA_ROLE_STEPPER, IA_UNSET, false, false, false},
    {"expanded", IA_ROLE_OTHER, IA_UNSET, false, false, true},
    {"collapsed", IA_ROLE_OTHER, IA_UNSET, false, false, true},
    {"busy", IA_ROLE_OTHER, IA_UNSET, false, false, true},
    {"checked", IA_ROLE_OTHER, IA_ON, false, false, false},
    {"not checked", IA_ROLE_OTHER, IA_OFF, false, false, false},
    {"unchecked", IA_ROLE_OTHER, IA_OFF, false, false, false},
    {"mixed", IA_ROLE_OTHER, IA_MIXED, false, false, false},
    {"selected", IA_ROLE_OTHER, IA_UNSET, true, false, false},
};

static const struct cue *cue_of(struct ia_str word)
{
    for (size_t i = 0; i < IA_COUNTOF(cues); i++) {
        if (ia_str_is(word, cues[i].word)) {
            return &cues[i];
        }
    }
    return NULL;
}

static void apply_cue(struct ia_build_item *it, const struct cue *c)
{
    if (c->role != IA_ROLE_OTHER) {
        it->role = c->role;
        it->part = IA_PART_CONTROL;
    }
    it->on = c->on != IA_UNSET ? c->on : it->on;
    it->selected |= c->selected;
}

/* Applies the cues only when every word of the value is one. Words that stay come last. */
static void read_cues(struct ia_build_item *it)
{
    const struct cue *found[4];
    const char *rest = NULL;
    size_t n = 0;
    for (const char *p = it->value; *p;) {
        const char *comma = strstr(p, ", ");
        size_t len = comma ? (size_t)(comma - p) : strlen(p);
        const struct cue *c = cue_of((struct ia_str){p, len});
        if (!c || n == IA_COUNTOF(found) || (rest && !c->stays)) {
            return;
        }
        rest = c->stays && !rest ? p : rest;
        found[n++] = c;
        p += len + (comma ? 2 : 0);
    }
    for (size_t i = 0; i < n; i++) {
        apply_cue(it, found[i]);
    }
    it->value = rest;
}

static void read_switch(struct ia_build_item *it)
{
    static const struct {
        const char *text;
        uint8_t on;
    } states[] = {{"0", IA_OFF},   {"1", IA_ON},    {"2", IA_MIXED}, {"false", IA_OFF},
                  {"true", IA_ON}, {"off", IA_OFF}, {"on", IA_ON}};
    for (size_t i = 0; i < IA_COUNTOF(states); i++) {
        if (strcmp(it->value, states[i].text) == 0) {
            it->on = states[i].on;
            it->value = NULL;
            return;
        }
    }
}

/* Empties values that only repeat the label or the placeholder. */
static void drop_echo(struct ia_build_item *it)
{
    if (ia_role_is_field(it->role)) {
        /* An empty field's value is its placeholder; one that is not told apart by name is often
         * the label too. */
        const char *p = it->node->placeholder ? it->node->placeholder : it->node->label;
        bool typing = !it->node->placeholder && (it->node->flags & IA_NODE_FOCUSED);
        if (p && it->node->value && strcmp(p, it->node->value) == 0 && !typing) {
            it->value = NULL;
        }
    } else if (ia_phrase_ends(it->label, it->value)) {
        it->value = NULL;
    }
}

/* What has a hint but no role of its own can be pressed: hints say what a touch does (Apple,
 * "accessibilityHint"). */
static void read_hint(struct ia_build_item *it)
{
    bool plain = it->role == IA_ROLE_OTHER && it->part == IA_PART_TEXT;
    if (plain && it->label && (it->node->flags & IA_NODE_HINTED)) {
        it->role = IA_ROLE_BUTTON;
        it->part = IA_PART_CONTROL;
    }
}

static bool any_chosen(const struct ia_node *bar)
{
    int among = 16; /* a bar has fewer */
    for (const struct ia_node *n = bar ? bar->first_child : NULL; n && among > 0; n = n->next) {
        if (n->flags & IA_NODE_SELECTED) {
            return true;
        }
        among--;
    }
    return false;
}

/* XCTest's value of a tab or segment says whether it is chosen, "1" or "0"; beside another that
 * has the trait, a "1" is the badge. */
static void read_choice(struct ia_build_item *it)
{
    bool one = strcmp(it->value, "1") == 0;
    bool zero = strcmp(it->value, "0") == 0;
    if (zero || (one && (it->selected || !any_chosen(it->node->parent)))) {
        it->selected |= one;
        it->value = NULL;
    }
}

static void read_state(struct ia_build_item *it)
{
    it->selected = (it->node->flags & IA_NODE_SELECTED) != 0;
    if (!it->value) {
        return;
    }
    if (it->role == IA_ROLE_OTHER && it->part == IA_PART_TEXT) {
        read_cues(it);
    } else if (it->role == IA_ROLE_SWITCH || it->role == IA_ROLE_CHECKBOX ||
               it->role == IA_ROLE_RADIO) {
        read_switch(it);
    } else if (it->role == IA_ROLE_TAB || it->role == IA_ROLE_SEGMENT) {
        read_choice(it);
    }
    if (it->node->type == IA_EL_ACTIVITY_INDICATOR && it->value &&
        strcmp(it->value, "1") == 0) {
        it->value = NULL; /* XCTest's "it turns", which its label says */
    }
    if (it->value) {
        drop_echo(it);
    }
}

static unsigned inherited(const struct ia_build_item *it)
{
    switch (it->node->type) {
    case IA_EL_NAVIGATION_BAR:
        return IA_IT_BAR | IA_IT_NAVBAR;
    case IA_EL_TAB_BAR:
    case IA_EL_TAB_GROUP:
        return IA_IT_BAR | IA_IT_TABBAR;
    case IA_EL_TOOLBAR:
        return IA_IT_BAR;
    case IA_EL_ALERT:
    case IA_EL_DIALOG:
    case IA_EL_SHEET:
    case IA_EL_POPOVER:
    case IA_EL_DRAWER:
    case IA_EL_MENU:
        return IA_IT_MODAL;
    default:
        return 0;
    }
}

void ia_build_roles(struct ia_build *b)
{
    static const unsigned down = IA_IT_BAR | IA_IT_NAVBAR | IA_IT_TABBAR | IA_IT_MODAL;
    for (int32_t i = 0; i < b->n; i++) {
        struct ia_build_item *it = &b->items[i];
        struct meaning m = meaning_of(b, it);
        it->role = m.role;
        it->part = m.part;
        /* From the root down, so that the parent's flags are complete. */
        it->flags = (uint16_t)inherited(it);
        if (it->parent >= 0) {
            it->flags |= (uint16_t)(b->items[it->parent].flags & down);
        }
        if (m.part != IA_PART_NONE) {
            it->label = ia_phrase_fold(&b->s->arena, it->node->label);
            it->value = ia_phrase_fold(&b->s->arena, it->node->value);
            read_state(it);
            read_hint(it);
        }
    }
}
