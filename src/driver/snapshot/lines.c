/* lines.c: the lines of the text form: listed elements in reading order, and between them what
 * scrolling would show ("+12 below: Ada, …"). Such a line stands where the content would come:
 * before the first line of its container for what lies above or left, else after the last.
 *
 *   Title                       the header, not a line
 *   +3 above: …                 before the first line of its container
 *   12 row Ada
 *   +9 below: Nora, …           after the last one
 *   keyboard                    always the last line
 *
 * An element with a line is at place 2i, an outside line before it at 2i too and one after
 * it at 2i+1, so that one sort and one merge put both kinds in order. */
#include "driver/snapshot/build.h"

#include <stdlib.h>

enum { OUTSIDES_MAX = 64, NESTED_MAX = 8 };

struct span {
    int32_t first, last; /* listed elements of a container, -1 */
};

struct lines {
    struct ia_snapshot *s;
    struct span *spans; /* by container element index + 1 */
    int32_t *of;        /* outside index + 1 of (container + 1) * 4 + side - 1 */
};

static bool has_line(const struct ia_snapshot *s, size_t i)
{
    return s->elements[i].listed && (int32_t)i != s->title;
}

static void find_spans(struct lines *l)
{
    const struct ia_snapshot *s = l->s;
    for (size_t c = 0; c <= s->count; c++) {
        l->spans[c] = (struct span){-1, -1};
    }
    for (size_t i = 0; i < s->count; i++) {
        if (!has_line(s, i) || (int32_t)i == s->keyboard) {
            continue;
        }
        int32_t c = s->more[i].scroll;
        for (int steps = 0; steps < NESTED_MAX; steps++) { /* a carousel is part of its page */
            struct span *span = &l->spans[c + 1];
            span->first = span->first < 0 ? (int32_t)i : span->first;
            span->last = (int32_t)i;
            if (c < 0) {
                break;
            }
            c = s->more[c].scroll;
        }
    }
}

static bool nearest_is_last(uint8_t side)
{
    return side == IA_SIDE_ABOVE || side == IA_SIDE_LEFT;
}

/* Keeps the nearest names: the first ones below, the last ones above. */
static void add_name(struct ia_outside *o, int32_t element)
{
    if (!nearest_is_last(o->side)) {
        if (o->name_count < IA_OUTSIDE_NAMES) {
            o->names[o->name_count++] = element;
        }
        return;
    }
    for (int32_t k = IA_OUTSIDE_NAMES - 1; k > 0; k--) {
        o->names[k] = o->names[k - 1];
    }
    o->names[0] = element;
    o->name_count += o->name_count < IA_OUTSIDE_NAMES;
}

static void count_outside(struct lines *l, int32_t i)
{
    struct ia_snapshot *s = l->s;
    const struct ia_element_more *m = &s->more[i];
    int32_t *slot = &l->of[(m->scroll + 1) * 4 + m->side - 1];
    if (*slot == 0) {
        if (s->outside_count == OUTSIDES_MAX) {
            return;
        }
        s->outsides[s->outside_count] =
            (struct ia_outside){.scroll = m->scroll, .side = m->side};
        *slot = (int32_t)++s->outside_count;
    }
    struct ia_outside *o = &s->outsides[*slot - 1];
    o->count++;
    if (s->elements[i].label) {
        add_name(o, i);
    }
}

/* Where an outside line stands: before or after an element's line. */
static int64_t place_of(const struct lines *l, const struct ia_outside *o)
{
    const struct span *span = &l->spans[o->scroll + 1];
    bool before = nearest_is_last(o->side);
    int32_t at = before ? span->first : span->last;
    if (at < 0) {
        at = o->scroll;
    }
    return (int64_t)at * 2 + (before ? 0 : 1);
}

struct placed {
    int64_t place;
    int32_t outside;
};

static int by_place(const void *a, const void *b)
{
    const struct placed *x = a;
    const struct placed *y = b;
    if (x->place != y->place) {
        return x->place < y->place ? -1 : 1;
    }
    return x->outside - y->outside;
}

static void name_containers(struct ia_snapshot *s)
{
    bool several = false;
    for (size_t k = 1; k < s->outside_count; k++) {
        several |= s->outsides[k].scroll != s->outsides[0].scroll;
    }
    for (size_t k = 0; k < s->outside_count; k++) {
        struct ia_outside *o = &s->outsides[k];
        o->named_scroll = o->scroll >= 0 && (several || o->scroll != s->main_scroll);
    }
}

static void put_line(struct ia_snapshot *s, enum ia_line_kind kind, int32_t index)
{
    s->lines[s->line_count++] = (struct ia_line){(uint8_t)kind, index};
}

static void merge(struct lines *l)
{
    struct ia_snapshot *s = l->s;
    struct placed placed[OUTSIDES_MAX];
    for (size_t k = 0; k < s->outside_count; k++) {
        placed[k] = (struct placed){place_of(l, &s->outsides[k]), (int32_t)k};
    }
    qsort(placed, s->outside_count, sizeof(placed[0]), by_place);
    size_t k = 0;
    for (size_t i = 0; i < s->count; i++) {
        for (; k < s->outside_count && placed[k].place <= (int64_t)i * 2; k++) {
            put_line(s, IA_LINE_OUTSIDE, placed[k].outside);
        }
        if (has_line(s, i) && (int32_t)i != s->keyboard) {
            put_line(s, IA_LINE_ELEMENT, (int32_t)i);
        }
    }
    for (; k < s->outside_count; k++) {
        put_line(s, IA_LINE_OUTSIDE, placed[k].outside);
    }
    if (s->keyboard >= 0) {
        put_line(s, IA_LINE_ELEMENT, s->keyboard);
    }
}

void ia_build_lines(struct ia_build *b)
{
    struct ia_snapshot *s = b->s;
    struct lines l = {.s = s};
    l.spans = ia_arena_get(&b->scratch, s->count + 1, sizeof(*l.spans));
    l.of = ia_arena_get(&b->scratch, (s->count + 1) * 4, sizeof(*l.of));
    s->outsides = ia_arena_get(&s->arena, OUTSIDES_MAX, sizeof(*s->outsides));
    find_spans(&l);
    for (size_t i = 0; i < s->count; i++) {
        if (s->more[i].outside && s->more[i].side != IA_SIDE_NONE) {
            count_outside(&l, (int32_t)i);
        }
    }
    s->lines = ia_arena_get(&s->arena, s->count + s->outside_count + 1, sizeof(*s->lines));
    name_containers(s);
    merge(&l);
}
