/* hashes.c: three hashes, and what changes them.
 *
 *            an element appears, goes, changes role or name   moves   any value or state
 *   layout   yes (digits aside: a clock does not count)       no      no
 *   motion   yes (the same)                                   yes     no
 *   content  yes                                              no      yes, all that a line shows
 *
 * Layout names a screen, motion says when it is still, content whether anything happened. */
#include "driver/snapshot/build.h"
#include "driver/snapshot/phrase.h"

#include "base/hash.h"

#include <math.h>
#include <string.h>

static uint64_t number(uint64_t h, int64_t v)
{
    return ia_hash(h, &v, sizeof(v));
}

static uint64_t text(uint64_t h, const char *s)
{
    return s ? ia_hash(h, s, strlen(s) + 1) : number(h, 0);
}

static uint64_t layout_of(uint64_t h, const struct ia_element *e)
{
    h = number(h, e->role);
    h = text(h, e->identifier);
    return ia_phrase_hash(h, e->label);
}

/* A centred text that ticks changes its width and so its left edge, but not its line. */
static uint64_t place_of(uint64_t h, const struct ia_element *e)
{
    if (e->role == IA_ROLE_PROGRESS) {
        return h;
    }
    int64_t v[4] = {lrint(e->frame.y), lrint(e->frame.h), 0, 0};
    if (e->role != IA_ROLE_TEXT) {
        v[2] = lrint(e->frame.x);
        v[3] = lrint(e->frame.w);
    }
    return ia_hash(h, v, sizeof(v));
}

static uint64_t content_of(uint64_t h, const struct ia_element *e, uint32_t ref)
{
    h = number(h, (int64_t)ref * 256 + e->role * 8 + e->on);
    h = number(h, e->selected + e->disabled * 2 + e->focused * 4);
    return text(text(text(h, e->label), e->value), e->placeholder);
}

/* A key that is no letter counts like an element, though it has no line of its own. */
static bool special_key(const struct ia_snapshot *s, size_t i)
{
    return s->more[i].key && !s->more[i].letter && s->elements[i].reach == IA_REACH_OK;
}

void ia_build_hashes(struct ia_snapshot *s)
{
    s->layout = ia_phrase_hash(text(IA_HASH_SEED, s->app), s->screen);
    s->motion = s->layout;
    for (size_t i = 0; i < s->count; i++) {
        const struct ia_element *e = &s->elements[i];
        if (e->listed) {
            s->layout = layout_of(s->layout, e);
            s->motion = layout_of(s->motion, e);
        }
        if (e->listed || special_key(s, i)) {
            s->motion = place_of(s->motion, e);
        }
    }
}

static uint64_t content(const struct ia_snapshot *s, bool refs)
{
    uint64_t h = text(text(IA_HASH_SEED, s->app), s->screen);
    for (size_t i = 0; i < s->count; i++) {
        const struct ia_element *e = &s->elements[i];
        if (e->listed || special_key(s, i)) {
            h = content_of(h, e, refs ? e->ref : 0);
        }
    }
    for (size_t k = 0; k < s->outside_count; k++) {
        const struct ia_outside *o = &s->outsides[k];
        h = number(h, (int64_t)o->count * 8 + o->side);
    }
    return h;
}

void ia_build_content(struct ia_snapshot *s)
{
    s->content = content(s, true);
}

uint64_t ia_snapshot_layout_hash(const struct ia_snapshot *s)
{
    return s->layout;
}

uint64_t ia_snapshot_content_hash(const struct ia_snapshot *s)
{
    return s->content;
}

uint64_t ia_snapshot_motion_hash(const struct ia_snapshot *s)
{
    return s->motion;
}

uint64_t ia_snapshot_reading_hash(const struct ia_snapshot *s)
{
    return content(s, false);
}
