/* next.c: what would probably be tried next, from roles, places and states alone.
 *
 * Advice, never a filter: everything that is valid stays in the snapshot. Texts are not read,
 * except that a long or composed label tells a row of content from a command; identifiers are,
 * because they are the same in every language. */
#include "driver/snapshot/build.h"
#include "driver/snapshot/phrase.h"

#include <string.h>
#include <strings.h>

enum { TAPS_MAX = 2, RICH_BYTES = 24 };
enum { TOP_BAND_PT = 130, CORNER_HEIGHT_PT = 60, CORNER_WIDTH_PT = 140 };

/* How soon a tap is suggested. */
enum rank { RANK_CONTENT, RANK_PLAIN, RANK_LEAVES, RANK_CLOSES, RANK_NEVER };

struct advice {
    const struct ia_snapshot *s;
    double top; /* of the topmost element in front */
};

/* Words in identifiers of controls that dismiss or destroy, as Apple's symbols and most
 * developers spell them. */
static bool closes_by_identifier(const char *id)
{
    static const char *const words[] = {"xmark", "trash",  "minus.circle", "close",  "cancel",
                                        "clear", "delete", "remove",       "dismiss"};
    for (size_t i = 0; id && i < IA_COUNTOF(words); i++) {
        if (strcasestr(id, words[i])) {
            return true;
        }
    }
    return false;
}

/* One character that is no digit: an operator, a cross. */
static bool symbol(const char *label)
{
    return ia_phrase_single(label) && !(*label >= '0' && *label <= '9');
}

/* A small control in a top corner leads away from the screen, whatever it says. */
static bool in_corner(const struct advice *a, const struct ia_element *e)
{
    double w = a->s->width;
    bool high = e->frame.y < (a->s->modal ? a->top + CORNER_HEIGHT_PT : TOP_BAND_PT);
    bool side = e->frame.x + e->frame.w <= w * 0.4 || e->frame.x >= w * 0.6;
    return high && side && e->frame.h <= CORNER_HEIGHT_PT && e->frame.w <= CORNER_WIDTH_PT;
}

static bool rich(const struct ia_element *e)
{
    return e->role == IA_ROLE_ROW || strlen(e->label) >= RICH_BYTES || strstr(e->label, ", ");
}

static bool tappable(const struct ia_element *e)
{
    switch (e->role) {
    case IA_ROLE_BUTTON:
    case IA_ROLE_LINK:
    case IA_ROLE_ROW:
    case IA_ROLE_TAB:
    case IA_ROLE_ICON:
    case IA_ROLE_MENU_ITEM:
        return true;
    default: /* fields, what changes a state, what only says something */
        return false;
    }
}

static enum rank rank_of(const struct advice *a, size_t i)
{
    const struct ia_element *e = &a->s->elements[i];
    bool offered = e->listed && e->ref && e->reach == IA_REACH_OK && (e->actions & IA_ACT_TAP);
    bool stateful = e->on != IA_UNSET || e->selected;
    if (!offered || stateful || !tappable(e) || !e->label || (int32_t)i == a->s->title) {
        return RANK_NEVER;
    }
    if (closes_by_identifier(e->identifier) || symbol(e->label)) {
        return RANK_CLOSES;
    }
    if ((int32_t)i == a->s->back || e->role == IA_ROLE_TAB || a->s->more[i].fixed ||
        in_corner(a, e)) {
        return a->s->modal && in_corner(a, e) ? RANK_CLOSES : RANK_LEAVES;
    }
    return rich(e) ? RANK_CONTENT : RANK_PLAIN;
}

static size_t best_taps(const struct advice *a, uint32_t refs[TAPS_MAX])
{
    size_t n = 0;
    for (int rank = RANK_CONTENT; rank < RANK_NEVER; rank++) {
        if (rank > RANK_PLAIN && n > 0) {
            break; /* what leads away is named only where there is nothing else */
        }
        for (size_t i = 0; i < a->s->count && n < TAPS_MAX; i++) {
            if (rank_of(a, i) == (enum rank)rank) {
                refs[n++] = a->s->elements[i].ref;
            }
        }
    }
    return n;
}

/* The focused field that waits for text, or 0. */
static uint32_t field_of(const struct ia_snapshot *s)
{
    for (size_t i = 0; i < s->count; i++) {
        const struct ia_element *e = &s->elements[i];
        if (e->listed && e->focused && (e->actions & IA_ACT_TYPE)) {
            return e->ref;
        }
    }
    return 0;
}

/* What scrolling shows most of; NULL when there is nothing. */
static const struct ia_outside *best_outside(const struct ia_snapshot *s)
{
    const struct ia_outside *best = NULL;
    for (size_t k = 0; k < s->outside_count; k++) {
        const struct ia_outside *o = &s->outsides[k];
        bool down = o->side == IA_SIDE_BELOW;
        bool better = !best || (down && best->side != IA_SIDE_BELOW) ||
                      (down == (best->side == IA_SIDE_BELOW) && o->count > best->count);
        best = better ? o : best;
    }
    return best;
}

static bool put_touch(const struct advice *a, struct ia_buf *out)
{
    uint32_t field = field_of(a->s);
    if (field) {
        ia_buf_printf(out, "next: type into %u\n", (unsigned)field);
        return true;
    }
    uint32_t refs[TAPS_MAX];
    size_t n = best_taps(a, refs);
    for (size_t i = 0; i < n; i++) {
        ia_buf_printf(out, "%s%u", i == 0 ? "next: tap " : " or ", (unsigned)refs[i]);
    }
    ia_buf_puts(out, n > 0 ? "\n" : "");
    return n > 0;
}

static bool put_swipe(const struct ia_snapshot *s, struct ia_buf *out)
{
    static const char *const fingers[] = {"", "up", "down", "left", "right"};
    const struct ia_outside *o = best_outside(s);
    if (!o) {
        return false;
    }
    ia_buf_printf(out, "next: swipe %s", fingers[o->side]);
    if (o->named_scroll) {
        ia_buf_printf(out, " in %u", (unsigned)s->elements[o->scroll].ref);
    }
    ia_buf_printf(out, " for %d more\n", (int)o->count);
    return true;
}

void ia_snapshot_next(const struct ia_snapshot *s, struct ia_buf *out)
{
    struct advice a = {.s = s, .top = s->height};
    for (size_t i = 0; i < s->count; i++) {
        const struct ia_element *e = &s->elements[i];
        a.top = e->listed && e->frame.y < a.top ? e->frame.y : a.top;
    }
    bool touch = put_touch(&a, out);
    bool swipe = put_swipe(s, out);
    if (!touch && !swipe && s->keyboard < 0) {
        ia_buf_puts(out, "next: screenshot\n");
    }
}
