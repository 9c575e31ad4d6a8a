/* attribute.c: what each attribute of an element is, and its name. */
#include "server/wda/select/node.h"

#include "base/buf.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static void put_text(struct ia_wda_value *v, const char *s)
{
    v->is = s ? IA_WDA_TEXT : IA_WDA_NULL;
    v->text = ia_str(s);
}

static void put_truth(struct ia_wda_value *v, bool truth)
{
    v->is = IA_WDA_BOOL;
    v->truth = truth;
}

static void put_rect(struct ia_wda_value *v, struct ia_rect rect)
{
    v->is = IA_WDA_RECT_OF;
    v->rect = rect;
}

bool ia_wda_takes_text(const struct ia_node *n)
{
    return n->type == IA_EL_TEXT_FIELD || n->type == IA_EL_SECURE_TEXT_FIELD ||
           n->type == IA_EL_TEXT_VIEW || n->type == IA_EL_SEARCH_FIELD;
}

const char *ia_wda_name(const struct ia_node *n)
{
    return n->identifier ? n->identifier : n->label;
}

const char *ia_wda_label(const struct ia_node *n)
{
    bool field = n->type == IA_EL_TEXT_FIELD || n->type == IA_EL_SECURE_TEXT_FIELD;
    return n->label || !field ? n->label : "";
}

static bool on(const char *value)
{
    static const char *const words[] = {"1", "on", "true", "yes"};
    for (size_t i = 0; value && i < IA_COUNTOF(words); i++) {
        if (strcasecmp(value, words[i]) == 0) {
            return true;
        }
    }
    return false;
}

const char *ia_wda_text_value(const struct ia_node *n)
{
    if (n->type == IA_EL_SWITCH) {
        return on(n->value) ? "1" : "0";
    }
    if (n->value) {
        return n->value;
    }
    if (n->type == IA_EL_STATIC_TEXT) {
        return n->label;
    }
    if (n->type == IA_EL_BUTTON) {
        return n->flags & IA_NODE_SELECTED ? "1" : NULL;
    }
    return ia_wda_takes_text(n) ? n->placeholder : NULL;
}

struct ia_rect ia_wda_rect(const struct ia_node *n)
{
    static const double far_pt = 1e9;
    double x = fmin(n->frame.x, n->frame.x + n->frame.w);
    double y = fmin(n->frame.y, n->frame.y + n->frame.h);
    double right = x + fabs(n->frame.w);
    double bottom = y + fabs(n->frame.h);
    if (!(x > -far_pt && y > -far_pt && right < far_pt && bottom < far_pt)) {
        return (struct ia_rect){-1, -1, 0, 0};
    }
    /* + 0: no number is written as -0. */
    x = floor(x) + 0.0;
    y = floor(y) + 0.0;
    return (struct ia_rect){x, y, ceil(right) - x + 0.0, ceil(bottom) - y + 0.0};
}

enum ia_eltype ia_wda_type_from_name(struct ia_str name)
{
    static const struct ia_str prefix = {"XCUIElementType", 15};
    if (!ia_str_starts(name, prefix) || name.n == prefix.n) {
        return IA_EL_COUNT;
    }
    enum ia_eltype type = ia_eltype_from_name(name);
    return type == IA_EL_COUNT ? IA_EL_OTHER : type;
}

/* UIAccessibilityTraits, by what shows them here: a type or a flag that is set, or one that is not. */
static const struct {
    const char *name;
    enum ia_eltype type;
    uint16_t set, clear;
} traits[] = {
    {"Button", IA_EL_BUTTON, 0, 0},
    {"Link", IA_EL_LINK, 0, 0},
    {"Header", IA_EL_COUNT, IA_NODE_HEADER, 0},
    {"SearchField", IA_EL_SEARCH_FIELD, 0, 0},
    {"Image", IA_EL_IMAGE, 0, 0},
    {"Selected", IA_EL_COUNT, IA_NODE_SELECTED, 0},
    {"KeyboardKey", IA_EL_KEY, 0, 0},
    {"StaticText", IA_EL_STATIC_TEXT, 0, 0},
    {"NotEnabled", IA_EL_COUNT, 0, IA_NODE_ENABLED},
    {"Adjustable", IA_EL_COUNT, IA_NODE_ADJUSTABLE, 0},
    {"TabBar", IA_EL_TAB_BAR, 0, 0},
    {"ToggleButton", IA_EL_SWITCH, 0, 0},
};

/* Of a type there is one at most, so the longest list has five names. */
static void put_traits(const struct ia_node *n, struct ia_wda_value *v)
{
    size_t len = 0;
    v->room[0] = '\0';
    for (size_t i = 0; i < IA_COUNTOF(traits); i++) {
        bool typed = traits[i].type == n->type && n->type < IA_EL_COUNT;
        if (typed || (n->flags & traits[i].set) || (traits[i].clear & ~(unsigned)n->flags)) {
            int wrote = snprintf(v->room + len, sizeof(v->room) - len, "%s%s", len ? ", " : "",
                                 traits[i].name);
            len += wrote > 0 ? (size_t)wrote : 0;
        }
    }
    put_text(v, v->room);
}

/* The truth values, by the bits that show them. */
static const struct {
    uint16_t flags; /* of the element in the tree */
    uint16_t state; /* IA_WDA_IS_* */
} truths[IA_WDA_ATTRIBUTE_COUNT] = {
    [IA_WDA_ENABLED] = {IA_NODE_ENABLED, 0},
    [IA_WDA_FOCUSED] = {IA_NODE_FOCUSED, 0},
    [IA_WDA_SELECTED] = {IA_NODE_SELECTED, 0},
    [IA_WDA_VISIBLE] = {0, IA_WDA_IS_VISIBLE},
    [IA_WDA_HITTABLE] = {0, IA_WDA_IS_VISIBLE},
    [IA_WDA_ACCESSIBLE] = {0, IA_WDA_IS_ACCESSIBLE},
    [IA_WDA_CONTAINER] = {0, IA_WDA_IS_CONTAINER},
    [IA_WDA_NATIVE_ELEMENT] = {0, IA_WDA_IS_ELEMENT},
};

void ia_wda_get(const struct ia_wda_screen *s, int32_t node, enum ia_wda_attribute a,
                struct ia_wda_value *v)
{
    const struct ia_wda_node *w = &s->nodes[node];
    const struct ia_node *n = w->node;
    v->is = IA_WDA_NULL;
    switch (a) {
    case IA_WDA_UID:
        ia_wda_uid(s, node, v->room);
        put_text(v, v->room);
        break;
    case IA_WDA_FRAME:
    case IA_WDA_RECT:
        put_rect(v, ia_wda_rect(n));
        break;
    case IA_WDA_NATIVE_FRAME:
        put_rect(v, n->frame);
        break;
    case IA_WDA_INDEX:
        v->is = IA_WDA_NUMBER;
        v->number = w->index;
        break;
    case IA_WDA_LABEL:
        put_text(v, ia_wda_label(n));
        break;
    case IA_WDA_NAME:
        put_text(v, ia_wda_name(n));
        break;
    case IA_WDA_PLACEHOLDER:
        put_text(v, n->placeholder);
        break;
    case IA_WDA_TRAITS:
        put_traits(n, v);
        break;
    case IA_WDA_TYPE:
        put_text(v, ia_eltype_full_name((enum ia_eltype)n->type));
        break;
    case IA_WDA_VALUE:
        put_text(v, ia_wda_text_value(n));
        break;
    default: /* no tree of ours tells minValue, maxValue, customActions */
        if (truths[a].flags | truths[a].state) {
            put_truth(v, (n->flags & truths[a].flags) | (w->state & truths[a].state));
        }
        break;
    }
}

static const char *const names[] = {
#define NAME(id, name) name,
    IA_WDA_ATTRIBUTE_LIST(NAME)
#undef NAME
};

const char *ia_wda_attribute_name(enum ia_wda_attribute a)
{
    return names[a];
}

/* "Name" is the rest of wdName. */
static bool is_capitalised(struct ia_str rest, const char *name)
{
    size_t n = strlen(name);
    return rest.n == n && rest.p[0] == (name[0] & ~0x20) &&
           memcmp(rest.p + 1, name + 1, n - 1) == 0;
}

static enum ia_rc unknown(struct ia_str name, struct ia_err *err)
{
    struct ia_buf all = IA_BUF(1024);
    for (size_t i = 0; i < IA_COUNTOF(names); i++) {
        ia_buf_printf(&all, "%s%s", i ? ", " : "", names[i]);
    }
    enum ia_rc rc = ia_err_set(
        err, IA_E_NOT_FOUND, "The attribute '%.*s' is unknown. Valid attribute names are: (%s)",
        (int)(name.n > 200 ? 200 : name.n), name.p ? name.p : "", ia_buf_cstr(&all));
    ia_buf_fini(&all);
    return rc;
}

enum ia_rc ia_wda_attribute(struct ia_str name, enum ia_wda_attribute *ret, struct ia_err *err)
{
    struct ia_str rest = {0};
    if (ia_str_starts(name, ia_str("wd"))) {
        rest = (struct ia_str){name.p + 2, name.n - 2};
    }
    for (size_t i = 0; i < IA_COUNTOF(names); i++) {
        if (ia_str_is(name, names[i]) || is_capitalised(rest, names[i])) {
            *ret = (enum ia_wda_attribute)i;
            return IA_OK;
        }
    }
    return unknown(name, err);
}
