/* elements.c: the items that are left become elements, in reading order. Folded items stay in
 * the array, so that an element's parent is its nearest ancestor that became one.
 *
 * Two rounds: first the indexes, in reading order; then the contents, in the order of the
 * tree, because an element names its parent and its scroll container by their indexes. */
#include "driver/app_sdk.h"
#include "driver/snapshot/build.h"
#include "driver/snapshot/phrase.h"
#include "driver/snapshot/rect.h"

#include "base/hash.h"

static bool stays(const struct ia_build_item *it)
{
    return !ia_build_is(it, IA_IT_GONE | IA_IT_STATUS | IA_IT_HIDDEN);
}

/* The part of the keyboard that an item is, when it is in one. */
static uint8_t role_of(const struct ia_build *b, const struct ia_build_item *it)
{
    if (it - b->items == b->keyboard_item) {
        return IA_ROLE_KEYBOARD;
    }
    bool key = ia_build_is(it, IA_IT_KEYBOARD) && !ia_role_is_field(it->role) &&
               it->role != IA_ROLE_HEADING && it->part != IA_PART_AREA;
    return key ? IA_ROLE_KEY : it->role;
}

/* Keys stand in the keyboard's line; a lone one elsewhere is an element like others. */
static bool is_key(const struct ia_build_item *it, const struct ia_element *e)
{
    return e->role == IA_ROLE_KEY && ia_build_is(it, IA_IT_KEYBOARD);
}

static bool area_unseen(const struct ia_build_item *it)
{
    bool shown =
        it->role == IA_ROLE_ALERT || it->role == IA_ROLE_SHEET || it->role == IA_ROLE_KEYBOARD;
    return it->part == IA_PART_AREA && !shown;
}

static int32_t nearest_element(const struct ia_build *b, int32_t i)
{
    for (int32_t p = b->items[i].parent; p >= 0; p = b->items[p].parent) {
        if (b->items[p].element >= 0) {
            return b->items[p].element;
        }
    }
    return -1;
}

static void fill(struct ia_build *b, int32_t i, struct ia_element *e)
{
    const struct ia_build_item *it = &b->items[i];
    const char *identifier = it->own ? it->own : it->identifier;
    *e = (struct ia_element){
        .role = role_of(b, it),
        .on = it->on,
        .type = it->node->type,
        .selected = it->selected,
        .disabled = !(it->node->flags & IA_NODE_ENABLED) || ia_build_is(it, IA_IT_DISABLED),
        .focused = (it->node->flags & IA_NODE_FOCUSED) != 0,
        .label = it->label,
        .value = it->value,
        .placeholder = ia_phrase_fold(&b->s->arena, it->node->placeholder),
        .identifier = ia_phrase_fold(&b->s->arena, identifier),
        .frame = it->frame,
        .parent = nearest_element(b, i),
    };
    bool off = ia_build_is(it, IA_IT_OFF);
    bool behind = ia_build_is(it, IA_IT_BEHIND);
    e->reach = (uint8_t)(behind ? IA_REACH_COVERED : off ? IA_REACH_OFFSCREEN : IA_REACH_OK);
    e->listed = !off && !behind && !area_unseen(it) && !is_key(it, e);
    if (e->role == IA_ROLE_KEYBOARD) {
        e->frame = b->keyboard;
        e->label = e->value = e->identifier = NULL;
        e->listed = true;
        e->reach = IA_REACH_OK;
    }
}

/* Counted as reachable by scrolling: off-screen inside something that is partly on screen. What
 * is parked outside as a whole is not. */
static bool counted_outside(const struct ia_build *b, const struct ia_build_item *it,
                            const struct ia_element *e)
{
    bool reads = it->part == IA_PART_CONTROL || (it->part == IA_PART_TEXT && e->label);
    if (e->reach != IA_REACH_OFFSCREEN || !reads || e->role == IA_ROLE_KEY) {
        return false;
    }
    return it->clipper >= 0 || it->parent < 0 || !ia_rect_empty(b->items[it->parent].vis);
}

static void fill_more(const struct ia_build *b, int32_t i, const struct ia_element *e,
                      struct ia_element_more *m)
{
    const struct ia_build_item *it = &b->items[i];
    *m = (struct ia_element_more){
        .scroll = it->clipper >= 0 ? b->items[it->clipper].element : -1,
        .side = it->side,
        .vis = it->vis,
        .place = ia_sdk_place(it->node->identifier),
        .key = is_key(it, e),
        .scrolls = it->clipper >= 0,
        .outside = counted_outside(b, it, e),
        .fixed = ia_build_is(it, IA_IT_TABBAR | IA_IT_KEYBOARD),
    };
    m->letter = m->key && (!e->label || ia_phrase_single(e->label));
}

static void note_special(struct ia_build *b, int32_t index, const struct ia_element *e)
{
    struct ia_snapshot *s = b->s;
    if (e->role == IA_ROLE_KEYBOARD) {
        s->keyboard = index;
    } else if (e->role == IA_ROLE_ALERT && e->listed) {
        s->alert = index;
    }
    bool scroll =
        e->role == IA_ROLE_LIST || e->role == IA_ROLE_SCROLL || e->role == IA_ROLE_WEB;
    if (scroll && e->reach == IA_REACH_OK) {
        double best = s->main_scroll < 0 ? 0 : ia_rect_area(s->elements[s->main_scroll].frame);
        s->main_scroll = ia_rect_area(e->frame) > best ? index : s->main_scroll;
    }
}

void ia_build_elements(struct ia_build *b)
{
    struct ia_snapshot *s = b->s;
    const int32_t *order = ia_build_order(b);
    size_t count = 0;
    for (int32_t k = 0; k < b->n; k++) {
        bool keep = stays(&b->items[order[k]]) || order[k] == b->keyboard_item;
        b->items[order[k]].element = keep ? (int32_t)count++ : -1;
    }
    s->count = count;
    s->elements = ia_arena_get(&s->arena, count + 1, sizeof(*s->elements));
    s->more = ia_arena_get(&s->arena, count + 1, sizeof(*s->more));
    for (int32_t i = 0; i < b->n; i++) {
        int32_t k = b->items[i].element;
        if (k >= 0) {
            fill(b, i, &s->elements[k]);
            fill_more(b, i, &s->elements[k], &s->more[k]);
            note_special(b, k, &s->elements[k]);
        }
    }
}
