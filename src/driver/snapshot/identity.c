/* identity.c: what makes an element the same element in another snapshot.
 *
 * A unique identifier does, with the role and the screen; else role, label, the containers
 * around it and the labels next to it. Labels count exactly here: "Item 1" is not "Item 2". */
#include "driver/snapshot/build.h"

#include "base/hash.h"
#include "driver/snapshot/phrase.h"

#include <stdlib.h>
#include <string.h>

enum { QUESTION_WITHIN = 8 };

/* Counts equal hashes: open addressing over the elements of one snapshot. */
struct tally {
    uint64_t *keys;
    uint32_t *counts;
    size_t mask;
};

static uint32_t *tally_at(struct tally *t, uint64_t key)
{
    size_t i = (size_t)key & t->mask;
    while (t->counts[i] && t->keys[i] != key) {
        i = (i + 1) & t->mask;
    }
    t->keys[i] = key;
    return &t->counts[i];
}

static struct tally tally_new(size_t n)
{
    struct tally t = {.mask = 63};
    while (t.mask < n * 2) {
        t.mask = t.mask * 2 + 1;
    }
    t.keys = ia_calloc(t.mask + 1, sizeof(*t.keys));
    t.counts = ia_calloc(t.mask + 1, sizeof(*t.counts));
    return t;
}

static void tally_free(struct tally *t)
{
    free(t->keys);
    free(t->counts);
}

static uint64_t mix(uint64_t h, uint64_t v)
{
    h ^= v + UINT64_C(0x9e3779b97f4a7c15) + (h << 6) + (h >> 2);
    h *= UINT64_C(0xff51afd7ed558ccd);
    return h ^ (h >> 32);
}

static uint64_t text_hash(uint64_t h, const char *s)
{
    return s ? ia_hash(h, s, strlen(s)) : mix(h, 1);
}

static uint64_t by_identifier(const struct ia_element *e, uint64_t app)
{
    return text_hash(mix(app, e->role), e->identifier);
}

/* The containing element, where that tells elements apart; -1. */
static int32_t container_of(const struct ia_snapshot *s, const struct ia_element *e)
{
    for (int32_t p = e->parent; p >= 0; p = s->elements[p].parent) {
        if (!(s->elements[p].actions == IA_ACT_SWIPE) || s->elements[p].role == IA_ROLE_SHEET) {
            return p;
        }
    }
    return -1;
}

static uint64_t container_key(const struct ia_snapshot *s, const struct ia_element *e)
{
    int32_t p = container_of(s, e);
    return p >= 0 ? s->more[p].self : 0;
}

/* What an alert asks is part of what it is: its buttons read the same in every one. */
static bool asks(const struct ia_element *p)
{
    return p->role == IA_ROLE_ALERT || p->type == IA_EL_SHEET;
}

/* The alert or action sheet around element i, -1. */
static int32_t question_of(const struct ia_snapshot *s, size_t i)
{
    int32_t p = s->elements[i].parent;
    for (int steps = 0; p >= 0 && steps < QUESTION_WITHIN; steps++) {
        if (asks(&s->elements[p])) {
            return p;
        }
        p = s->elements[p].parent;
    }
    return -1;
}

static void set_questions(struct ia_snapshot *s)
{
    for (size_t i = 0; i < s->count; i++) {
        int32_t p = question_of(s, i);
        if (p < 0) {
            continue;
        }
        s->more[i].asked = true;
        if (s->elements[i].role == IA_ROLE_TEXT) {
            s->more[p].question = ia_phrase_hash(s->more[p].question, s->elements[i].label);
        }
    }
}

static uint64_t by_label(const struct ia_snapshot *s, size_t i, uint64_t app)
{
    const struct ia_element *e = &s->elements[i];
    uint64_t h = mix(mix(app, e->role), container_key(s, e));
    h = text_hash(text_hash(h, e->identifier), e->label);
    return e->label ? h : text_hash(h, e->placeholder);
}

static void set_neighbours(struct ia_snapshot *s)
{
    uint64_t before = 0;
    for (size_t i = 0; i < s->count; i++) {
        s->more[i].before = before;
        if (s->elements[i].label && !s->more[i].key) {
            before = text_hash(s->elements[i].role, s->elements[i].label);
        }
    }
    uint64_t after = 0;
    for (size_t i = s->count; i-- > 0;) {
        s->more[i].after = after;
        if (s->elements[i].label && !s->more[i].key) {
            after = text_hash(s->elements[i].role, s->elements[i].label);
        }
    }
}

void ia_build_identity(struct ia_snapshot *s)
{
    struct tally ids = tally_new(s->count);
    struct tally selves = tally_new(s->count);
    uint64_t app = text_hash(IA_HASH_SEED, s->app);
    for (size_t i = 0; i < s->count; i++) {
        if (s->elements[i].identifier) {
            ++*tally_at(&ids, by_identifier(&s->elements[i], app));
        }
    }
    set_questions(s);
    for (size_t i = 0; i < s->count; i++) {
        /* In reading order, in which a container precedes what is inside it: container_key()
         * reads its self. */
        struct ia_element_more *m = &s->more[i];
        const struct ia_element *e = &s->elements[i];
        bool unique = e->identifier && *tally_at(&ids, by_identifier(e, app)) == 1;
        m->by_identifier = unique && !m->asked;
        m->self = m->by_identifier ? by_identifier(e, app) : by_label(s, i, app);
        m->self = m->question ? mix(m->self, m->question) : m->self;
        ++*tally_at(&selves, m->self);
    }
    for (size_t i = 0; i < s->count; i++) {
        s->more[i].alike = *tally_at(&selves, s->more[i].self);
        s->more[i].twin = s->more[i].alike > 1;
    }
    for (size_t i = 0; i < s->count; i++) {
        int32_t p = s->more[i].place ? container_of(s, &s->elements[i]) : -1;
        s->more[i].housed = p >= 0 && s->elements[p].label && !s->more[p].twin;
    }
    set_neighbours(s);
    tally_free(&ids);
    tally_free(&selves);
}
