/* classic.c: translates classic requests into extensions, and the replies back into classic
 * answers. Pure.
 *
 * The texts of the answers are those that hosts of the classic protocol compare with, so they
 * keep their wording. A timeout of 0 means one snapshot and no check afterwards, which is what
 * the classic bridge did. */
#include "core/impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- requests ---- */

static uint32_t ms_of(struct ia_wire_ou64 timeout)
{
    if (!timeout.has) {
        return 0;
    }
    return timeout.v < IA_WIRE_DEADLINE_MAX_MS ? (uint32_t)timeout.v : IA_WIRE_DEADLINE_MAX_MS;
}

/* The host waits 30 s, and for its timeout and a margin when it names one. */
static uint32_t deadline_for(uint32_t timeout_ms)
{
    uint32_t with_more = timeout_ms + IA_BRIDGE_CLASSIC_MORE_MS;
    return with_more > IA_BRIDGE_CLASSIC_MS ? with_more : IA_BRIDGE_CLASSIC_MS;
}

/* "row[2]" is the third of those that are called "row". Brackets around anything but digits
 * belong to the text. An index beyond the last that the wire can say names nothing. */
static const char *split_index(struct ia_wire_arena *arena, const char *selector,
                               uint16_t *ret_index)
{
    size_t n = strlen(selector);
    const char *open = strrchr(selector, '[');
    size_t digits = open ? strspn(open + 1, "0123456789") : 0;
    *ret_index = 0;
    if (digits == 0 || open + 1 + digits != selector + n - 1 || selector[n - 1] != ']') {
        return selector;
    }
    unsigned long index = strtoul(open + 1, NULL, 10);
    *ret_index = (uint16_t)(index < IA_WIRE_UNIQUE ? index : IA_WIRE_UNIQUE - 1);
    return ia_wire_text(arena, selector, (size_t)(open - selector), IA_WIRE_TEXT_MAX);
}

/* The strings live in the arena of `to`. Type 0 is any. */
static void select_by(struct ia_wire_request *to, struct ia_wire_selector *s,
                      const char *selector, bool by_label, int type)
{
    *s = (struct ia_wire_selector){.match = IA_WIRE_EXACT, .type = (uint16_t)type};
    *(by_label ? &s->label : &s->identifier) = split_index(&to->arena, selector, &s->index);
}

/* ACT points at its selector, so that lives in the arena; FIND holds it in its body. */
static bool make_tap(struct ia_wire_request *to, const char *selector, bool by_label,
                     const char *type, struct ia_wire_ou64 timeout, char *error, size_t size)
{
    struct ia_wire_selector *s = ia_wire_alloc(&to->arena, sizeof(*s));
    if (!s) {
        snprintf(error, size, "out of memory");
        return false;
    }
    to->op = IA_WIRE_OP_ACT;
    to->u.act.target.selector = s;
    to->u.act.action = IA_WIRE_TAP;
    to->u.act.timeout_ms = ms_of(timeout);
    to->u.act.flags = to->u.act.timeout_ms == 0 ? IA_WIRE_ACT_UNVERIFIED : 0;
    to->deadline_ms = deadline_for(to->u.act.timeout_ms);
    int number = type ? ia_wire_type_number(type) : 0;
    if (number < 0) {
        snprintf(error, size, "Unknown element type '%.64s'", type);
        return false;
    }
    select_by(to, s, selector, by_label, number);
    return true;
}

/* The classic bridge refuses an unknown type only before a tap; reading, it takes any element. */
static bool make_find(struct ia_wire_request *to, const char *selector, bool by_label,
                      const char *type, struct ia_wire_ou64 timeout)
{
    int number = type ? ia_wire_type_number(type) : 0;
    to->op = IA_WIRE_OP_FIND;
    to->u.find.timeout_ms = ms_of(timeout);
    to->deadline_ms = deadline_for(to->u.find.timeout_ms);
    select_by(to, &to->u.find.selector, selector, by_label, number > 0 ? number : 0);
    return true;
}

static void make_swipe(const struct ia_wire_swipe *from, struct ia_wire_request *to)
{
    to->op = IA_WIRE_OP_DRAG;
    to->u.drag =
        (struct ia_wire_drag){.from = {from->x0, from->y0},
                              .to = {from->x1, from->y1},
                              .press_s = 0.05,
                              .duration_s = from->duration_s.has ? from->duration_s.v : 0.3};
}

static bool make_element(const struct ia_wire_request *from, struct ia_wire_request *to,
                         char *error, size_t size)
{
    static const struct ia_wire_ou64 none = {false, 0};
    const struct ia_wire_tap_element *tap = &from->u.tap_element;
    const struct ia_wire_tap_with_type *typed = &from->u.tap_with_type;
    const struct ia_wire_get_value *value = &from->u.get_value;
    const struct ia_wire_find_element *find = &from->u.find_element;
    switch (from->op) {
    case IA_WIRE_OP_TAP_ELEMENT:
        return make_tap(to, tap->selector, false, NULL, tap->timeout_ms, error, size);
    case IA_WIRE_OP_TAP_BY_LABEL:
        return make_tap(to, tap->selector, true, NULL, tap->timeout_ms, error, size);
    case IA_WIRE_OP_TAP_WITH_TYPE:
        return make_tap(to, typed->selector, typed->by_label, typed->type, typed->timeout_ms,
                        error, size);
    case IA_WIRE_OP_GET_VALUE:
        return make_find(to, value->selector, value->by_label, value->type, value->timeout_ms);
    default:
        to->u.find.whole = true;
        return make_find(to, find->selector, find->by_label, find->type, none);
    }
}

bool ia_bridge_from_classic(struct ia_wire_request *from, struct ia_wire_request *to,
                            char *ret_error, size_t error_size)
{
    *to = (struct ia_wire_request){.deadline_ms = IA_BRIDGE_CLASSIC_MS, .arena = from->arena};
    from->arena = (struct ia_wire_arena){0};
    switch (from->op) {
    case IA_WIRE_OP_TAP_COORD:
        to->op = IA_WIRE_OP_TAP_POINT;
        to->u.tap_point.at = (struct ia_wire_point){from->u.tap_coord.x, from->u.tap_coord.y};
        return true;
    case IA_WIRE_OP_CLASSIC_TYPE_TEXT:
        to->op = IA_WIRE_OP_TYPE_TEXT;
        to->u.type_text.text = from->u.classic_text.text;
        return true;
    case IA_WIRE_OP_SWIPE:
        make_swipe(&from->u.swipe, to);
        return true;
    case IA_WIRE_OP_LONG_PRESS:
        to->op = IA_WIRE_OP_LONG_PRESS_POINT;
        to->u.long_press_point.at =
            (struct ia_wire_point){from->u.long_press.x, from->u.long_press.y};
        to->u.long_press_point.duration_s = from->u.long_press.duration_s;
        return true;
    case IA_WIRE_OP_DUMP_TREE:
        to->op = IA_WIRE_OP_TREE;
        to->u.tree.app = "";
        to->deadline_ms = IA_BRIDGE_CLASSIC_TREE_MS;
        return true;
    case IA_WIRE_OP_CLASSIC_SCREENSHOT:
        to->op = IA_WIRE_OP_SCREENSHOT;
        return true;
    case IA_WIRE_OP_SET_TARGET:
        to->op = IA_WIRE_OP_TARGET;
        to->u.bundle.bundle_id = from->u.classic_text.text;
        return true;
    case IA_WIRE_OP_GET_TARGET_INFO:
        to->op = IA_WIRE_OP_INFO;
        return true;
    default:
        return make_element(from, to, ret_error, error_size);
    }
}

/* ---- answers ---- */

static void set_error(struct ia_wire_answer *a, const char *before, const char *text)
{
    char whole[2200];
    snprintf(whole, sizeof(whole), "%s%s", before, text ? text : "");
    a->kind = IA_WIRE_ANSWER_ERROR;
    a->text = ia_wire_str(&a->arena, whole);
}

static void set_not_found(const struct ia_wire_request *from, struct ia_wire_answer *a)
{
    char text[700] = "", with_type[96] = "";
    const char *selector = from->u.tap_element.selector, *type = NULL;
    bool by_label = from->op == IA_WIRE_OP_TAP_BY_LABEL;
    if (from->op == IA_WIRE_OP_TAP_WITH_TYPE) {
        selector = from->u.tap_with_type.selector;
        by_label = from->u.tap_with_type.by_label;
        type = from->u.tap_with_type.type;
    } else if (from->op == IA_WIRE_OP_GET_VALUE) {
        selector = from->u.get_value.selector;
        by_label = from->u.get_value.by_label;
        type = from->u.get_value.type;
    }
    if (type) {
        snprintf(with_type, sizeof(with_type), " and type '%.64s'", type);
    }
    snprintf(text, sizeof(text), "Element with %s '%.512s'%s not found",
             by_label ? "label" : "identifier", selector, with_type);
    set_error(a, "", text);
}

static void set_failure(const struct ia_wire_request *from, const struct ia_wire_reply *r,
                        struct ia_wire_answer *a)
{
    static const struct {
        uint8_t op;
        const char *before;
    } rows[] = {{IA_WIRE_OP_TAP_COORD, "Tap failed: "},
                {IA_WIRE_OP_TAP_ELEMENT, "Tap failed: "},
                {IA_WIRE_OP_TAP_BY_LABEL, "Tap failed: "},
                {IA_WIRE_OP_TAP_WITH_TYPE, "Tap failed: "},
                {IA_WIRE_OP_CLASSIC_TYPE_TEXT, "TypeText failed: "},
                {IA_WIRE_OP_SWIPE, "Swipe failed: "},
                {IA_WIRE_OP_LONG_PRESS, "Long press failed: "},
                {IA_WIRE_OP_GET_VALUE, "GetValue failed: "},
                {IA_WIRE_OP_CLASSIC_SCREENSHOT, "Screenshot failed: "},
                {IA_WIRE_OP_FIND_ELEMENT, "FindElement failed: "},
                {IA_WIRE_OP_DUMP_TREE, "Failed to capture accessibility tree: "}};
    if (r->code == IA_WIRE_E_NOT_FOUND) {
        set_not_found(from, a);
        return;
    }
    if (r->code == IA_WIRE_E_NO_KEYBOARD) {
        set_error(a, "", "No keyboard visible; tap a text field first");
        return;
    }
    const char *before = "";
    for (size_t i = 0; i < IA_BRIDGE_COUNTOF(rows); i++) {
        before = rows[i].op == from->op ? rows[i].before : before;
    }
    set_error(a, before, r->text);
}

/* The text of the answer stays in the buffer, which lives until the answer is sent. */
static void set_json(struct ia_wire_buf *json, uint8_t kind, struct ia_wire_answer *a)
{
    ia_wire_buf_put(json, "", 1);
    a->kind = kind;
    a->text = (const char *)json->p;
    /* The encoder refuses an answer whose text is incomplete. */
    a->arena.failed = json->failed;
}

static void set_value(const struct ia_wire_request *from,
                      const struct ia_wire_find_reply *found, struct ia_wire_answer *a)
{
    const struct ia_wire_node *n = found->nodes_n > 0 ? &found->nodes[0] : NULL;
    if (!n) {
        set_not_found(from, a);
        return;
    }
    a->kind = IA_WIRE_ANSWER_VALUE;
    const char *text = n->value && n->value[0] ? n->value : n->label;
    a->text = text && text[0] ? ia_wire_str(&a->arena, text) : NULL;
}

void ia_bridge_to_classic(const struct ia_wire_request *from, const struct ia_wire_reply *r,
                          struct ia_wire_buf *json, struct ia_wire_answer *a)
{
    if (r->code != IA_WIRE_OK) {
        set_failure(from, r, a);
        return;
    }
    switch (from->op) {
    case IA_WIRE_OP_DUMP_TREE:
        ia_bridge_json_tree(json, r->u.tree.nodes, r->u.tree.nodes_n);
        set_json(json, IA_WIRE_ANSWER_TREE, a);
        break;
    case IA_WIRE_OP_FIND_ELEMENT:
        ia_bridge_json_element(json, r->u.find.nodes, r->u.find.nodes_n);
        set_json(json, IA_WIRE_ANSWER_ELEMENT, a);
        break;
    case IA_WIRE_OP_GET_TARGET_INFO:
        ia_bridge_json_info(json, &r->u.info);
        set_json(json, IA_WIRE_ANSWER_TARGET_INFO, a);
        break;
    case IA_WIRE_OP_GET_VALUE:
        set_value(from, &r->u.find, a);
        break;
    case IA_WIRE_OP_CLASSIC_SCREENSHOT:
        a->kind = IA_WIRE_ANSWER_SCREENSHOT;
        a->png = r->u.screenshot.png;
        a->png_n = r->u.screenshot.png_n;
        break;
    default:
        a->kind = IA_WIRE_ANSWER_OK;
        break;
    }
}
