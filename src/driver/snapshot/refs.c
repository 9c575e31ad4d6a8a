/* refs.c: the registry of refs: which element of a new snapshot is one that had a ref before.
 *
 *   element ─► entries with the same self (identity.c) ─► how like? by its identifier, or by its
 *              neighbours, its place and the screen's title
 *
 * First all exact matches, then loose ones among what is left, so that a near match never takes
 * the ref of an exact one; an element with two equally good entries gets neither. What has no
 * entry and is shown gets the next number. A number is never given twice: a wrong "same" would
 * tap another element than was read, a wrong "new" only costs a fresh look.
 *
 * Invariants: entries ascend by ref, so that an entry is found by bisection and the first
 * half was given first; an entry with `seen` equal to the current snapshot is claimed and
 * matches no second element. A chain is walked for CHAIN_MAX entries at most, newest first,
 * so that a screen full of like rows does not cost quadratic time. */
#include "driver/snapshot/refs.h"

#include "driver/snapshot/build.h"
#include "driver/snapshot/phrase.h"
#include "driver/snapshot/rect.h"

#include "base/hash.h"
#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 512, CHAIN_MAX = 64, LATELY = 16 /* snapshots */ };

struct ia_refs {
    struct ia_ref_entry *entries; /* ascending refs */
    size_t count, cap;
    int32_t buckets[BUCKETS]; /* entry index + 1, newest first */
    uint32_t next_ref;
    uint32_t snapshot;
    uint64_t screen;                       /* of the latest snapshot */
    char content_title[IA_REF_LABEL_SIZE]; /* its title, when that is content that scrolls */
};

struct ia_refs *ia_refs_new(void)
{
    struct ia_refs *r = ia_calloc(1, sizeof(*r));
    r->next_ref = 1;
    return r;
}

void ia_refs_free(struct ia_refs *r)
{
    if (r) {
        free(r->entries);
        free(r);
    }
}

bool ia_refs_given(const struct ia_refs *r, uint32_t ref)
{
    return ref > 0 && ref < r->next_ref;
}

const struct ia_ref_entry *ia_refs_entry(const struct ia_refs *r, uint32_t ref)
{
    size_t low = 0;
    size_t high = r->count;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (r->entries[mid].ref < ref) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    return low < r->count && r->entries[low].ref == ref ? &r->entries[low] : NULL;
}

static int32_t *bucket(struct ia_refs *r, uint64_t self)
{
    return &r->buckets[(self ^ (self >> 29)) % BUCKETS];
}

static void link_entry(struct ia_refs *r, int32_t i)
{
    int32_t *head = bucket(r, r->entries[i].self);
    r->entries[i].next = *head - 1;
    *head = i + 1;
}

/* Of the oldest half what was not on the screen lately: who watches a lively screen must not end the refs
 * of what stays on it. Many at once, as the chains hold indexes and have to be built anew. A forgotten
 * number is still not given again: next_ref only grows. */
static void forget_oldest(struct ia_refs *r)
{
    size_t half = r->count / 2, kept = 0;
    for (size_t i = 0; i < half; i++) {
        if (r->entries[i].seen + LATELY >= r->snapshot) {
            r->entries[kept++] = r->entries[i];
        }
    }
    kept = kept <= half / 2 ? kept : 0; /* a screen of thousands */
    memmove(r->entries + kept, r->entries + half, (r->count - half) * sizeof(*r->entries));
    r->count -= half - kept;
    memset(r->buckets, 0, sizeof(r->buckets));
    for (size_t i = 0; i < r->count; i++) {
        if (r->entries[i].self != 0) { /* recalled ones stay apart */
            link_entry(r, (int32_t)i);
        }
    }
}

static void keep_text(char dst[IA_REF_LABEL_SIZE], const char *s)
{
    size_t n = s ? strlen(s) : 0;
    n = n < IA_REF_LABEL_SIZE ? n : ia_utf8_cut(s, IA_REF_LABEL_SIZE - 1);
    if (n > 0) {
        memcpy(dst, s, n);
    }
    dst[n] = '\0';
}

static void remember(struct ia_refs *r, struct ia_ref_entry *en, const struct ia_snapshot *s,
                     size_t i)
{
    const struct ia_element_more *m = &s->more[i];
    en->screen = m->screen ? m->screen : en->screen; /* a title that is away for now stays */
    en->before = m->before;
    en->after = m->after;
    en->place = m->place;
    en->alike = m->alike;
    en->frame = s->elements[i].frame;
    en->scrolls = m->scrolls;
    en->seen = r->snapshot;
    keep_text(en->label, s->elements[i].label);
    keep_text(en->identifier, s->elements[i].identifier);
}

static void give_new(struct ia_refs *r, struct ia_snapshot *s, size_t i)
{
    if (r->count == IA_REFS_MAX) {
        forget_oldest(r);
    }
    if (r->count == r->cap) {
        r->cap = r->cap ? r->cap * 2 : 16;
        r->entries = ia_realloc(r->entries, r->cap, sizeof(*r->entries));
    }
    struct ia_ref_entry *en = &r->entries[r->count];
    *en = (struct ia_ref_entry){
        .self = s->more[i].self, .ref = r->next_ref++, .role = s->elements[i].role};
    remember(r, en, s, i);
    s->elements[i].ref = en->ref;
    link_entry(r, (int32_t)r->count++);
}

/* An identifier made from a row's number moves to another row when a list scrolls or loses one;
 * the label then tells, exactly: "Order 11" is not "Order 12". Texts and values may change at
 * will. */
static bool renumbered(const struct ia_ref_entry *en, const struct ia_element *e)
{
    bool reads = e->role == IA_ROLE_TEXT || e->role == IA_ROLE_HEADING ||
                 ia_role_is_field(e->role) || e->role == IA_ROLE_PROGRESS;
    char label[IA_REF_LABEL_SIZE];
    keep_text(label, e->label);
    bool moves = en->scrolls || (e->identifier && strpbrk(e->identifier, "0123456789"));
    return !reads && moves && strcmp(en->label, label) != 0;
}

enum likeness { UNLIKE, LOOSE, EXACT };

/* Without an identifier the neighbours tell; what does not scroll may also stay in place. */
static enum likeness by_neighbours(const struct ia_ref_entry *en, const struct ia_snapshot *s,
                                   size_t i)
{
    const struct ia_element_more *m = &s->more[i];
    bool in_place = !m->scrolls && ia_rect_near(en->frame, s->elements[i].frame, 2);
    bool before = en->before == m->before;
    bool after = en->after == m->after;
    /* What reads the same within a row is told apart by the SDK's identifiers, as long as there are as many:
     * where one goes, the next takes its identifier. */
    bool placed = m->place && en->place == m->place && en->alike == m->alike;
    if (m->twin && placed && (m->housed || (before && after))) {
        return EXACT;
    }
    if (m->twin) { /* the place alone is not enough: another row may stand there now */
        return before && after ? (in_place ? EXACT : LOOSE) : UNLIKE;
    }
    if (before && after) {
        return EXACT;
    }
    return before || after || in_place ? LOOSE : UNLIKE;
}

/* A field that takes the focus may change all around it: bars go, a keyboard comes. */
static bool carried_over(const struct ia_refs *r, const struct ia_ref_entry *en,
                         const struct ia_snapshot *s, size_t i)
{
    uint8_t role = s->elements[i].role;
    return ia_role_is_field(role) && !s->more[i].twin && en->seen + 1 == r->snapshot;
}

/* All that there is to see, as on a canvas: the same in the snapshot before, and in its place. */
static bool alone(const struct ia_refs *r, const struct ia_ref_entry *en,
                  const struct ia_snapshot *s, size_t i)
{
    const struct ia_element_more *m = &s->more[i];
    bool no_others = !en->before && !en->after && !m->before && !m->after && !m->twin;
    return no_others && en->screen == m->screen && en->seen + 1 == r->snapshot &&
           ia_rect_near(en->frame, s->elements[i].frame, 2);
}

static enum likeness compare(const struct ia_refs *r, const struct ia_ref_entry *en,
                             const struct ia_snapshot *s, size_t i)
{
    const struct ia_element_more *m = &s->more[i];
    bool one_untitled = en->screen == 0 || m->screen == 0;
    if (en->screen != m->screen && !one_untitled) {
        /* Taking the focus may hide the bar that held the title. */
        return s->elements[i].focused && carried_over(r, en, s, i) ? LOOSE : UNLIKE;
    }
    bool near_same =
        (m->before != 0 && en->before == m->before) || (m->after != 0 && en->after == m->after);
    /* Without a title on one side, the screens may differ. A neighbour that is the same
     * speaks for the same screen; so does having been seen in the snapshot just before, in
     * an alert or an action sheet. */
    if (one_untitled && !near_same && !(m->asked && en->seen + 1 == r->snapshot)) {
        return carried_over(r, en, s, i) || alone(r, en, s, i) ? LOOSE : UNLIKE;
    }
    if (m->by_identifier) {
        return renumbered(en, &s->elements[i]) ? UNLIKE : EXACT;
    }
    enum likeness like = by_neighbours(en, s, i);
    return like == UNLIKE && carried_over(r, en, s, i) ? LOOSE : like;
}

/* The one unclaimed entry that is as like as asked; none when there are two. */
static struct ia_ref_entry *find(struct ia_refs *r, const struct ia_snapshot *s, size_t i,
                                 enum likeness asked)
{
    struct ia_ref_entry *found = NULL;
    int steps = 0;
    for (int32_t k = *bucket(r, s->more[i].self) - 1; k >= 0 && steps < CHAIN_MAX; steps++) {
        struct ia_ref_entry *en = &r->entries[k];
        k = en->next;
        if (en->self != s->more[i].self || en->seen == r->snapshot ||
            compare(r, en, s, i) < asked) {
            continue;
        }
        /* Two that are equally good: tapping the wrong one of them is worse than a new
         * number. */
        if (found) {
            return NULL;
        }
        found = en;
    }
    return found;
}

static void match(struct ia_refs *r, struct ia_snapshot *s, enum likeness asked)
{
    for (size_t i = 0; i < s->count; i++) {
        struct ia_ref_entry *en = s->elements[i].ref == 0 ? find(r, s, i, asked) : NULL;
        if (en) {
            s->elements[i].ref = en->ref;
            remember(r, en, s, i);
        }
    }
}

static void name_shown(struct ia_refs *r, struct ia_snapshot *s)
{
    for (size_t i = 0; i < s->count; i++) {
        const struct ia_element *e = &s->elements[i];
        bool reads = e->reach == IA_REACH_OK || e->reach == IA_REACH_DISABLED;
        bool key = s->more[i].key && !s->more[i].letter && reads;
        if (e->ref == 0 && (e->listed || key)) {
            give_new(r, s, i);
        }
    }
    for (size_t k = 0; k < s->outside_count; k++) {
        /* The outside line names its container by ref, though the container itself may not
         * be listed. */
        const struct ia_outside *o = &s->outsides[k];
        if (o->named_scroll && s->elements[o->scroll].ref == 0) {
            give_new(r, s, (size_t)o->scroll);
        }
    }
}

static bool holds(const struct ia_element *e)
{
    return e->role == IA_ROLE_LIST || e->role == IA_ROLE_SCROLL || e->role == IA_ROLE_WEB;
}

void ia_snapshot_name_containers(struct ia_snapshot *s, struct ia_refs *r)
{
    for (size_t i = s->count; i-- > 0;) {
        for (int32_t p = s->elements[i].parent; s->elements[i].ref && p >= 0;
             p = s->elements[p].parent) {
            if (s->elements[p].ref == 0 && holds(&s->elements[p])) {
                give_new(r, s, (size_t)p);
            }
        }
    }
}

/* Whether the title that scrolls with the content is still somewhere on this screen, on view or
 * not. */
static bool has_content_title(const struct ia_refs *r, const struct ia_snapshot *s)
{
    char label[IA_REF_LABEL_SIZE];
    for (size_t i = 0; r->content_title[0] && i < s->count; i++) {
        if (s->elements[i].role == IA_ROLE_HEADING) {
            keep_text(label, s->elements[i].label);
            if (ia_phrase_alike(label, r->content_title)) {
                return true;
            }
        }
    }
    return false;
}

/* Tells screens of an app apart by their titles: "Call" on Ada's page is not "Call" on Nora's.
 * While a title that is part of the content can be found, its screen stays the same one,
 * whichever heading has become the first. */
static void set_screen(struct ia_refs *r, struct ia_snapshot *s)
{
    bool content = s->screen == NULL || s->title_scrolls;
    if (!content || !has_content_title(r, s)) {
        r->screen = s->screen ? ia_phrase_hash(IA_HASH_SEED, s->screen) : 0;
        keep_text(r->content_title, content ? s->screen : NULL);
    }
    for (size_t i = 0; i < s->count; i++) {
        s->more[i].screen = s->more[i].fixed ? 1 : r->screen;
    }
}

/* ---- refs of an earlier session ---- */

void ia_refs_skip(struct ia_refs *r, uint32_t first)
{
    r->next_ref = first > r->next_ref ? first : r->next_ref;
}

uint32_t ia_refs_last(const struct ia_refs *r)
{
    return r->next_ref - 1;
}

static struct ia_str cut_at(struct ia_str s, const char *stops)
{
    size_t n = 0;
    while (n < s.n && !strchr(stops, s.p[n])) {
        n++;
    }
    return (struct ia_str){s.p, n};
}

/* The label of "Name = Ada" and of "\"a = b\" = c": plain up to " = ", or between quotes. */
static struct ia_str label_of(struct ia_str rest)
{
    if (rest.n > 0 && rest.p[0] == '"') {
        return cut_at((struct ia_str){rest.p + 1, rest.n - 1}, "\"");
    }
    size_t n = 0;
    while (n < rest.n &&
           !ia_str_starts((struct ia_str){rest.p + n, rest.n - n}, ia_str(" = "))) {
        n++;
    }
    return (struct ia_str){rest.p, n};
}

/* "12 button:disabled Edit" as an entry that no element matches. False for other lines. */
static bool read_line(struct ia_str line, struct ia_ref_entry *ret)
{
    struct ia_str digits = cut_at(line, " ");
    uint32_t ref = 0;
    for (size_t i = 0; i < digits.n; i++) {
        if (digits.p[i] < '0' || digits.p[i] > '9' || digits.n > 9) {
            return false;
        }
        ref = ref * 10 + (uint32_t)(digits.p[i] - '0');
    }
    size_t at = digits.n + 1;
    struct ia_str rest = {line.p + at, at < line.n ? line.n - at : 0};
    struct ia_str role = cut_at(rest, ": ");
    struct ia_str word = cut_at(rest, " ");
    size_t skip = word.n + (word.n < rest.n);
    struct ia_str label = label_of((struct ia_str){rest.p + skip, rest.n - skip});
    *ret =
        (struct ia_ref_entry){.ref = ref, .role = (uint8_t)ia_role_from_name(role), .next = -1};
    size_t n =
        label.n < IA_REF_LABEL_SIZE ? label.n : ia_utf8_cut(label.p, IA_REF_LABEL_SIZE - 1);
    memcpy(ret->label, label.p, n);
    return ref > 0 && ret->role < IA_ROLE_COUNT;
}

static int by_ref(const void *a, const void *b)
{
    uint32_t x = ((const struct ia_ref_entry *)a)->ref;
    uint32_t y = ((const struct ia_ref_entry *)b)->ref;
    return (x > y) - (x < y);
}

/* Before the first snapshot only: the sorting at the end moves entries, and chains hold
 * indexes. Half of the room is left to the elements of this session. */
void ia_refs_recall(struct ia_refs *r, struct ia_str text)
{
    while (text.n > 0 && r->count < IA_REFS_MAX / 2) {
        struct ia_str line = cut_at(text, "\n");
        struct ia_ref_entry entry;
        if (read_line(line, &entry) && entry.ref < r->next_ref) {
            if (r->count == r->cap) {
                r->cap = r->cap ? r->cap * 2 : 16;
                r->entries = ia_realloc(r->entries, r->cap, sizeof(*r->entries));
            }
            r->entries[r->count++] = entry; /* not linked: nothing on a screen is like it */
        }
        size_t used = line.n + (line.n < text.n);
        text = (struct ia_str){text.p + used, text.n - used};
    }
    if (r->count > 1) {
        qsort(r->entries, r->count, sizeof(*r->entries), by_ref);
    }
}

void ia_refs_assign(struct ia_refs *r, struct ia_snapshot *s)
{
    r->snapshot++;
    /* First, as every comparison asks whether the screen is the same. */
    set_screen(r, s);
    match(r, s, EXACT);
    match(r, s, LOOSE);
    name_shown(r, s);
}
