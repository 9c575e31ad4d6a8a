/* fold.c: decides which items become elements.
 *
 *   wrappers           go; a labelled one without controls stands for the texts in it
 *   texts in a row     join the row's label, without what it already says
 *   a row, one switch  becomes that switch
 *   echoes             go: the same control again inside itself, or drawn twice
 *   what is invisible  goes, unless something visible is in it
 *
 * Owners collect their texts as pieces (pieces.c) while the tree is walked from the top, and are
 * labelled at the end, when all pieces are known.
 *
 * In this order: what is not seen goes; the controls and texts inside each item are counted,
 * from the leaves up; each item, from the root down, finds its owner and is folded into it
 * or not; labels are joined, and twins and captions go. */
#include "driver/snapshot/build.h"
#include "driver/snapshot/phrase.h"
#include "driver/snapshot/rect.h"

#include "base/hash.h"

#include <math.h>
#include <string.h>

/* A labelled wrapper taller than this is a region, not something to touch. */
enum { TOUCHABLE_HEIGHT_MAX = 200, CHEVRON_MAX = 24, ICON_WITHIN = 4 };
/* A scroll indicator's touch area is as wide as a finger, its thumb a few points. */
enum { INDICATOR_WIDTH_MAX = 32, INDICATOR_ASPECT_MIN = 4, THUMB_WIDTH_MAX = 8 };
/* A nameless leaf is an icon button when a finger could mean it and it is not a whole row. */
enum { ICON_SIZE_MIN = 20 };
static const double ICON_WIDTH_MAX = 0.9; /* of the screen */
/* A button that covers so much of its row is the row. */
static const double FILLS_ROW = 0.8;
/* A row this thin is a line between two others. */
static const double SEPARATOR_MAX_PT = 8;
static const double WHOLE_SCREEN = 0.9;
/* A row's mark stands in this share of its width, at the end, and in the middle of its height. */
static const double MARK_SHARE = 0.2, MARK_OFF_SHARE = 0.12;

/* What lies inside an item. */
struct inner {
    int32_t controls, texts;
    int32_t leaves; /* named others without anything inside: touched one by one */
    int32_t first;  /* index of its first text */
};

struct fold {
    struct ia_build *b;
    struct inner *inner;
    int32_t rows;
    bool empty_marks; /* some row has an empty circle or box to be ticked */
    bool icons;       /* some row begins with a picture that is no mark */
    uint32_t *twins;  /* open addressing: item index + 1 */
    uint32_t mask;
};

static bool dead(const struct ia_build_item *it)
{
    return ia_build_is(it, IA_IT_GONE | IA_IT_STATUS);
}

static bool has_text(const struct ia_build_item *it)
{
    return it->label || it->value;
}

static bool is_text(const struct ia_build_item *it)
{
    return it->part == IA_PART_TEXT && has_text(it) && it->role != IA_ROLE_PROGRESS;
}

static bool same_text(const char *a, const char *b)
{
    return a && b && strcmp(a, b) == 0;
}

/* UIKit's scroll indicators come as sliders or others that hug an edge of what scrolls, with a
 * bare thumb inside or a type of their own. */
static bool indicator(const struct ia_build *b, int32_t i)
{
    const struct ia_build_item *it = &b->items[i];
    if (it->node->type == IA_EL_SCROLL_BAR) {
        return true;
    }
    double thin = fmin(it->frame.w, it->frame.h);
    double tall = fmax(it->frame.w, it->frame.h);
    bool shape = thin <= INDICATOR_WIDTH_MAX && tall >= thin * INDICATOR_ASPECT_MIN &&
                 !it->own && it->value && it->parent >= 0;
    if (!shape || (it->role != IA_ROLE_SLIDER && it->role != IA_ROLE_OTHER)) {
        return false;
    }
    const struct ia_rect inner = b->items[i + (it->end > i + 1)].frame;
    bool thumb =
        it->end > i + 1 && !b->items[i + 1].label && fmin(inner.w, inner.h) <= THUMB_WIDTH_MAX;
    bool percent = strchr(it->value, '%') != NULL;
    const struct ia_build_item *p = &b->items[it->parent];
    return (thumb || it->role == IA_ROLE_OTHER) && percent && ia_build_is(p, IA_IT_SCROLLS);
}

static bool toggles(const struct ia_build_item *it)
{
    return it->role == IA_ROLE_SWITCH || it->role == IA_ROLE_CHECKBOX ||
           it->role == IA_ROLE_RADIO;
}

/* SwiftUI's switch holds another one, its knob. */
static bool knob(const struct ia_build_item *outer, const struct ia_build_item *it)
{
    return toggles(it) && outer->role == it->role &&
           (!it->label || same_text(it->label, outer->label));
}

static bool named_leaf(const struct ia_build_item *it, int32_t i)
{
    return it->end == i + 1 && it->node->type == IA_EL_OTHER && it->role == IA_ROLE_OTHER &&
           it->label;
}

static bool named_among(const struct ia_build_item *it, const char *const names[])
{
    bool found = false;
    for (; *names && !found; names++) {
        found = ia_build_identified(it, *names) || same_text(it->label, *names);
    }
    return found;
}

/* An image at the start of a row, where it is an icon or a box to be ticked. */
static bool leads_row(const struct ia_build *b, int32_t i)
{
    int32_t p = b->items[i].parent;
    for (int steps = 0; p >= 0 && steps < ICON_WITHIN; steps++, p = b->items[p].parent) {
        const struct ia_build_item *row = &b->items[p];
        if (row->role == IA_ROLE_ROW) {
            double at = ia_rect_center(b->items[i].frame).x - row->frame.x;
            return at <= row->frame.w * MARK_SHARE;
        }
    }
    return false;
}

static const char *const marks[] = {
    "checkmark",        "checkmark.circle",      "checkmark.circle.fill",
    "checkmark.square", "checkmark.square.fill", NULL};

static void survey_marks(struct fold *f, int32_t i)
{
    static const char *const empty[] = {"circle", "square", NULL};
    const struct ia_build_item *it = &f->b->items[i];
    f->rows += it->role == IA_ROLE_ROW;
    if (it->node->type == IA_EL_IMAGE) {
        bool box = named_among(it, empty);
        f->empty_marks |= box;
        f->icons |= !box && !named_among(it, marks) && leads_row(f->b, i);
    }
}

static void survey_inner(struct fold *f)
{
    for (int32_t i = f->b->n - 1; i > 0; i--) {
        const struct ia_build_item *it = &f->b->items[i];
        struct inner *in = &f->inner[i];
        struct inner *up = &f->inner[it->parent];
        bool counts = !dead(it) && !ia_rect_empty(it->frame);
        if (counts) {
            survey_marks(f, i);
        }
        bool control = it->part == IA_PART_CONTROL && !knob(&f->b->items[it->parent], it);
        up->controls += in->controls + (counts && control);
        up->leaves += in->leaves + (counts && named_leaf(it, i));
        bool text = counts && is_text(it) && in->texts == 0;
        up->texts += in->texts + text;
        up->first = text ? i : in->texts > 0 ? in->first : up->first;
    }
}

static bool invisible(const struct ia_build_item *it)
{
    return (it->node->flags & IA_NODE_INVISIBLE) && !ia_build_is(it, IA_IT_OFF);
}

/* WebDriverAgent calls a container invisible whose content it calls visible, such as a React
 * Native view with a test id: what shows something is seen. For each item, whether it does. */
static bool *shows_something(struct ia_build *b)
{
    bool *shows = ia_arena_get(&b->scratch, (size_t)b->n + 1, sizeof(*shows));
    for (int32_t i = b->n - 1; i > 0; i--) {
        const struct ia_build_item *it = &b->items[i];
        bool seen = !invisible(it) && !ia_rect_empty(it->frame) &&
                    !ia_build_is(it, IA_IT_OFF) &&
                    (has_text(it) || it->part == IA_PART_CONTROL);
        shows[it->parent] |= shows[i] || seen;
    }
    return shows;
}

/* WebDriverAgent also calls texts invisible that stand in a row it calls visible. For each item,
 * whether a control around it is on screen. */
static bool *inside_seen(struct ia_build *b)
{
    bool *seen = ia_arena_get(&b->scratch, (size_t)b->n + 1, sizeof(*seen));
    for (int32_t i = 1; i < b->n; i++) {
        const struct ia_build_item *p = &b->items[b->items[i].parent];
        bool shown = !invisible(p) && !ia_rect_empty(p->frame) && !ia_build_is(p, IA_IT_OFF);
        seen[i] = (p->part == IA_PART_CONTROL && shown) || seen[b->items[i].parent];
    }
    return seen;
}

static void drop_dead(struct ia_build *b)
{
    const bool *shows = shows_something(b);
    const bool *inside = inside_seen(b);
    for (int32_t i = 0; i < b->n; i++) {
        struct ia_build_item *it = &b->items[i];
        bool unseen = invisible(it) && !shows[i] && !(inside[i] && is_text(it));
        if (indicator(b, i)) {
            ia_build_mark(b, i, IA_IT_GONE);
        } else if (it->part == IA_PART_NONE || ia_rect_empty(it->frame) || unseen) {
            it->flags |= IA_IT_GONE;
        }
    }
}

static bool folds_texts(const struct ia_build_item *it)
{
    return it->part == IA_PART_CONTROL && it->role != IA_ROLE_KEY;
}

/* A labelled wrapper without controls inside: it stands for its texts when there are several.
 * React Native names a container after all that is inside it; a part that is no text is then
 * something to touch. */
static bool wrapper_owns(const struct fold *f, int32_t i)
{
    const struct ia_build_item *it = &f->b->items[i];
    const struct inner *in = &f->inner[i];
    bool several = in->texts > 1 ||
                   (in->texts == 1 && !same_text(f->b->items[in->first].label, it->label));
    return it->role == IA_ROLE_OTHER && it->label && in->controls == 0 && several &&
           in->leaves == 0 && it->frame.h <= TOUCHABLE_HEIGHT_MAX;
}

/* Where an item stands in its owner: 0 where its texts begin, 1 where they end. */
static double place_in(const struct fold *f, const struct ia_build_item *it)
{
    const struct ia_build_item *o = &f->b->items[it->owner];
    double at = (ia_rect_center(it->frame).x - o->frame.x) / o->frame.w;
    int32_t first = f->inner[it->owner].texts > 0 ? f->inner[it->owner].first : it->owner;
    const char *label = f->b->items[first].label;
    return label && ia_phrase_rtl(label) ? 1 - at : at;
}

/* In the middle of its owner's height, or beside its first text. */
static bool in_line(const struct fold *f, const struct ia_build_item *it)
{
    const struct ia_build_item *o = &f->b->items[it->owner];
    const struct inner *in = &f->inner[it->owner];
    const struct ia_rect r = f->b->items[in->texts > 0 ? in->first : it->owner].frame;
    double y = ia_rect_center(it->frame).y;
    return (y >= r.y && y <= r.y + r.h) ||
           fabs(y - ia_rect_center(o->frame).y) <= o->frame.h * MARK_OFF_SHARE;
}

/* Apple's symbols that mark the chosen row of a list, by their names; UIKit's own accessory is a
 * button of that name. At the start of a row such a symbol may as well be its icon: unless others
 * have an empty box there, or, of a plain mark, no other has an icon. */
static bool marks_chosen(const struct fold *f, const struct ia_build_item *it)
{
    if ((it->role != IA_ROLE_IMAGE && it->role != IA_ROLE_BUTTON) || !named_among(it, marks)) {
        return false;
    }
    static const char *const plain[] = {"checkmark", NULL};
    const struct ia_build_item *o = &f->b->items[it->owner];
    bool row = o->role == IA_ROLE_ROW;
    if (!in_line(f, it)) {
        return false; /* beside another of its texts, as a receipt is */
    }
    bool alone = row && f->rows > 1 && !f->icons && named_among(it, plain);
    double at = place_in(f, it);
    return (row && at >= 1 - MARK_SHARE) || ((f->empty_marks || alone) && at <= MARK_SHARE);
}

/* A text, image or labelled other inside an owner. */
static void fold_text(struct fold *f, int32_t i)
{
    struct ia_build *b = f->b;
    struct ia_build_item *it = &b->items[i];
    it->flags |= IA_IT_GONE;
    it->selected = marks_chosen(f, it);
    b->items[it->owner].selected |= it->selected;
    if (!ia_role_is_field(b->items[it->owner].role) && has_text(it)) {
        ia_build_gather(b, it->owner, i);
    }
}

static bool mirrors(const struct ia_build *b, const struct ia_build_item *row,
                    const struct ia_build_item *inner)
{
    const char *first = row->pieces >= 0 ? b->items[row->pieces].label : NULL;
    const char *name = row->label ? row->label : first;
    return !inner->label || same_text(row->own, inner->own) ||
           (name && ia_phrase_has(name, inner->label));
}

/* A disabled little button without an action is the row's arrow. */
static bool arrow(const struct ia_build_item *it)
{
    return it->role == IA_ROLE_BUTTON && !(it->node->flags & IA_NODE_ENABLED) &&
           it->frame.w <= CHEVRON_MAX && it->frame.h <= CHEVRON_MAX;
}

/* The row stands for the button that fills it. */
static void become(struct ia_build_item *row, const struct ia_build_item *button)
{
    bool disabled = !(button->node->flags & IA_NODE_ENABLED);
    row->label = row->label ? row->label : button->label;
    row->value = row->value ? row->value : button->value;
    row->identifier = button->own;
    row->selected |= button->selected;
    row->flags |= disabled ? IA_IT_DISABLED : 0;
}

/* A control inside a row: the row's own echo goes;
 * a row with one switch becomes that switch. */
static void fold_into_row(struct fold *f, int32_t i)
{
    struct ia_build *b = f->b;
    struct ia_build_item *it = &b->items[i];
    struct ia_build_item *row = &b->items[it->owner];
    bool fills = ia_rect_area(it->frame) >= ia_rect_area(row->frame) * FILLS_ROW;
    if (arrow(it)) {
        row->selected |= marks_chosen(f, it);
        it->flags |= IA_IT_GONE;
    } else if (toggles(it) && f->inner[it->owner].controls == 1 && mirrors(b, row, it)) {
        row->flags |= IA_IT_GONE;
        row->owner = i;
        it->label = it->label ? it->label : row->label;
        it->identifier = row->own;
        it->pieces = row->pieces;
        it->last_piece = row->last_piece;
    } else if (it->role == IA_ROLE_BUTTON && fills && (mirrors(b, row, it) || !row->label)) {
        become(row, it);
        it->flags |= IA_IT_GONE;
    }
}

/* A nameless button inside another control, or one with its label and place, is its echo; so is
 * all inside a link that says what the link says. */
static void fold_into_control(struct ia_build *b, int32_t i)
{
    struct ia_build_item *it = &b->items[i];
    const struct ia_build_item *o = &b->items[it->owner];
    bool same = !has_text(it) || same_text(it->label, o->label);
    bool twin = it->role == o->role && ia_rect_near(it->frame, o->frame, 2);
    bool linked =
        o->role == IA_ROLE_LINK && (same || (!it->label && same_text(it->value, o->label)));
    bool echo = (same && twin) || linked;
    if (echo || arrow(it) || knob(o, it)) {
        it->flags |= IA_IT_GONE;
    }
}

static void set_owner(struct fold *f, int32_t i)
{
    struct ia_build_item *it = &f->b->items[i];
    if (it->parent >= 0) {
        const struct ia_build_item *p = &f->b->items[it->parent];
        it->owner = ia_build_is(p, IA_IT_OWNER) ? it->parent : p->owner;
    }
    /* A row that became its switch goes on collecting for it. */
    if (it->owner >= 0 && ia_build_is(&f->b->items[it->owner], IA_IT_GONE)) {
        it->owner = f->b->items[it->owner].owner;
    }
}

static void fold_area(struct ia_build *b, struct ia_build_item *it)
{
    bool named = it->label && !ia_build_is(it, IA_IT_KEYBOARD);
    if (it->role == IA_ROLE_ALERT || (it->role == IA_ROLE_SHEET && named) ||
        ia_build_is(it, IA_IT_SCROLLS)) {
        return;
    }
    if (it - b->items != b->keyboard_item) {
        it->flags |= IA_IT_GONE;
    }
}

/* A labelled OTHER or GROUP that owns nothing: it stays only as a leaf. A map is more than its pins:
 * it can be moved. */
static bool plain_wrapper(const struct fold *f, int32_t i)
{
    const struct ia_build_item *it = &f->b->items[i];
    return it->role == IA_ROLE_OTHER && it->node->type != IA_EL_MAP &&
           (f->inner[i].controls > 0 || f->inner[i].texts > 0);
}

/* Pickers and steppers hold their parts; without a text of their own they are wrappers. One that
 * is off-screen stands for what is inside it. */
static bool hollow(const struct fold *f, int32_t i)
{
    const struct ia_build_item *it = &f->b->items[i];
    bool holder = it->role == IA_ROLE_PICKER || it->role == IA_ROLE_STEPPER ||
                  (it->role == IA_ROLE_ROW && !it->label && f->inner[i].texts == 0);
    return holder && !has_text(it) && f->inner[i].controls > 0 && !ia_build_is(it, IA_IT_OFF);
}

static bool alert_title(const struct ia_build *b, const struct ia_build_item *it)
{
    for (int32_t p = it->parent; p >= 0; p = b->items[p].parent) {
        if (b->items[p].role == IA_ROLE_ALERT || b->items[p].role == IA_ROLE_SHEET) {
            return same_text(b->items[p].label, it->label);
        }
        if (!ia_build_is(&b->items[p], IA_IT_MODAL)) {
            break;
        }
    }
    return false;
}

/* Inside an element that is off-screen nothing is an element; its texts still name it, or its
 * controls do. */
static void fold_hidden(struct ia_build *b, int32_t i)
{
    struct ia_build_item *it = &b->items[i];
    it->flags |= IA_IT_GONE;
    if (it->owner >= 0 && (is_text(it) || (it->part == IA_PART_CONTROL && has_text(it)))) {
        ia_build_gather(b, it->owner, i);
    }
}

/* A leaf that has only an identifier, of a size to be touched: React Native's icon buttons. */
static bool marked(const struct ia_build *b, int32_t i)
{
    const struct ia_build_item *it = &b->items[i];
    double small = fmin(it->frame.w, it->frame.h);
    return it->end == i + 1 && it->node->type == IA_EL_OTHER && it->own &&
           !ia_build_is(it, IA_IT_KEYBOARD) && small >= ICON_SIZE_MIN &&
           it->frame.h <= TOUCHABLE_HEIGHT_MAX && it->frame.w <= b->viewport.w * ICON_WIDTH_MAX;
}

static void fold_item(struct fold *f, int32_t i)
{
    struct ia_build *b = f->b;
    struct ia_build_item *it = &b->items[i];
    if (it->part == IA_PART_AREA) {
        fold_area(b, it);
    } else if (it->part == IA_PART_CONTROL) {
        if (hollow(f, i)) {
            it->flags |= IA_IT_GONE;
        } else if (it->owner >= 0 && b->items[it->owner].role == IA_ROLE_ROW) {
            fold_into_row(f, i);
        } else if (it->owner >= 0) {
            fold_into_control(b, i);
        }
        it->flags |= folds_texts(it) && !ia_build_is(it, IA_IT_GONE) ? IA_IT_OWNER : 0;
    } else if (it->owner >= 0) {
        fold_text(f, i);
    } else if (wrapper_owns(f, i)) {
        it->flags |= IA_IT_OWNER;
    } else if (plain_wrapper(f, i) ||
               (!has_text(it) && it->role != IA_ROLE_PROGRESS && !marked(b, i)) ||
               (it->role == IA_ROLE_IMAGE && !it->label) ||
               (ia_build_is(it, IA_IT_MODAL) && alert_title(b, it))) {
        it->flags |= IA_IT_GONE;
    }
}

/* A nameless row is what it holds, if it is on screen; one without height parts two others. */
static bool empty_row(const struct fold *f, int32_t i)
{
    const struct ia_build_item *it = &f->b->items[i];
    bool thin = fmin(it->frame.w, it->frame.h) < SEPARATOR_MAX_PT;
    bool holds = f->inner[i].controls > 0 && !ia_build_is(it, IA_IT_OFF);
    return it->role == IA_ROLE_ROW && !has_text(it) && (holds || thin);
}

/* SwiftUI's section headers are cells that hold a heading and nothing else. */
static bool heads_section(const struct fold *f, int32_t i)
{
    const struct ia_build_item *it = &f->b->items[i];
    bool headings = false;
    bool plain = false;
    for (int32_t k = it->pieces; k >= 0; k = f->b->items[k].next_piece) {
        headings |= f->b->items[k].role == IA_ROLE_HEADING;
        plain |= f->b->items[k].role == IA_ROLE_TEXT || f->b->items[k].role == IA_ROLE_OTHER;
    }
    bool header = (it->node->flags & IA_NODE_HEADER) != 0 || (headings && !plain);
    return it->role == IA_ROLE_ROW && header && f->inner[i].controls == 0;
}

/* A nameless leaf over the whole screen, beside other controls, only catches what misses them. */
static bool catches_all(const struct fold *f, int32_t i)
{
    const struct ia_build_item *it = &f->b->items[i];
    return it->role == IA_ROLE_BUTTON && !has_text(it) && !it->own && it->end == i + 1 &&
           f->inner[0].controls > 1 &&
           ia_rect_area(it->vis) >= ia_rect_area(f->b->viewport) * WHOLE_SCREEN;
}

static uint64_t twin_hash(const struct ia_build_item *it)
{
    int32_t place[4] = {(int32_t)lrint(it->frame.x), (int32_t)lrint(it->frame.y), it->role, 0};
    uint64_t h = ia_hash(IA_HASH_SEED, place, sizeof(place));
    return it->label ? ia_hash(h, it->label, strlen(it->label)) : h;
}

static bool twins(const struct ia_build_item *a, const struct ia_build_item *b)
{
    return a->role == b->role && ia_rect_near(a->frame, b->frame, 0.5) &&
           ((a->flags ^ b->flags) & (IA_IT_BEHIND | IA_IT_OFF | IA_IT_KEYBOARD)) == 0 &&
           (same_text(a->label, b->label) || (!a->label && !b->label)) &&
           (same_text(a->value, b->value) || (!a->value && !b->value));
}

/* The same element delivered twice: the later one goes. */
static void drop_twin(struct fold *f, int32_t i)
{
    struct ia_build_item *it = &f->b->items[i];
    uint32_t slot = (uint32_t)twin_hash(it) & f->mask;
    for (int tries = 0; f->twins[slot] && tries < 16; tries++, slot = (slot + 1) & f->mask) {
        if (twins(&f->b->items[f->twins[slot] - 1], it)) {
            it->flags |= IA_IT_GONE;
            return;
        }
    }
    /* After the last try an older item gives up its slot: at worst a twin stays. */
    f->twins[slot] = (uint32_t)i + 1;
}

/* A text right before a control, with its label and on its line, is the control's caption. */
static void drop_caption(struct ia_build_item *before, const struct ia_build_item *it)
{
    if (!before || before->role != IA_ROLE_TEXT || it->part != IA_PART_CONTROL ||
        !same_text(before->label, it->label)) {
        return;
    }
    double top = fmax(before->frame.y, it->frame.y);
    double bottom = fmin(before->frame.y + before->frame.h, it->frame.y + it->frame.h);
    if (bottom > top) {
        before->flags |= IA_IT_GONE;
    }
}

static void finish(struct fold *f)
{
    struct ia_build *b = f->b;
    struct ia_build_item *before = NULL;
    for (int32_t i = 0; i < b->n; i++) {
        struct ia_build_item *it = &b->items[i];
        if (dead(it)) {
            continue;
        }
        if (it->pieces >= 0) {
            ia_build_join(b, it);
        }
        if (empty_row(f, i) || catches_all(f, i)) {
            it->flags |= IA_IT_GONE;
            continue;
        }
        if (heads_section(f, i)) {
            it->role = IA_ROLE_HEADING;
            it->part = IA_PART_TEXT;
        }
        drop_twin(f, i);
        drop_caption(before, it);
        before = it;
    }
}

void ia_build_fold(struct ia_build *b)
{
    struct fold f = {.b = b, .mask = 63};
    while ((int32_t)f.mask < b->n * 2) {
        f.mask = f.mask * 2 + 1;
    }
    f.inner = ia_arena_get(&b->scratch, (size_t)b->n + 1, sizeof(*f.inner));
    f.twins = ia_arena_get(&b->scratch, (size_t)f.mask + 1, sizeof(*f.twins));
    drop_dead(b);
    survey_inner(&f);
    for (int32_t i = 0; i < b->n; i++) {
        set_owner(&f, i);
        if (dead(&b->items[i])) {
            continue;
        }
        if (ia_build_is(&b->items[i], IA_IT_HIDDEN)) {
            fold_hidden(b, i);
        } else {
            fold_item(&f, i);
        }
    }
    finish(&f);
}
