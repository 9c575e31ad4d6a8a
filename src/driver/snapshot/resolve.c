/* resolve.c: from a ref to its element, and whether it can be acted on. A refusal names what is
 * nearest, so that the caller can choose again without another look.
 *
 * Two steps, both before anything is sent, so that every refusal here carries the outcome
 * NOT_SENT:
 *
 *   ia_snapshot_resolve   ref ─► element    never given: NOT_FOUND   given, not there: STALE_REF
 *   ia_snapshot_check     may it be acted on?   NOT_VISIBLE, COVERED, DISABLED, NOT_ACTIONABLE */
#include "driver/snapshot/phrase.h"
#include "driver/snapshot/refs.h"

#include <math.h>
#include <string.h>

enum { CANDIDATES = 5 };

const struct ia_element *ia_snapshot_by_ref(const struct ia_snapshot *s, uint32_t ref)
{
    for (size_t i = 0; ref > 0 && i < s->count; i++) {
        if (s->elements[i].ref == ref) {
            return &s->elements[i];
        }
    }
    return NULL;
}

uint32_t ia_ref_parse(struct ia_str t)
{
    size_t i = t.n > 0 && t.p[0] == '@';
    i += i < t.n && (t.p[i] == 'e' || t.p[i] == 'E');
    uint32_t ref = 0;
    size_t digits = 0;
    for (; i < t.n && t.p[i] >= '0' && t.p[i] <= '9' && digits < 9; i++, digits++) {
        ref = ref * 10 + (uint32_t)(t.p[i] - '0');
    }
    return i == t.n && digits > 0 ? ref : 0;
}

/* An identifier outweighs a label, a label the role; the distance only orders those that are
 * otherwise equal, as it takes off less than the role gives. */
static double likeness(const struct ia_ref_entry *en, const struct ia_element *e)
{
    double score = e->role == en->role ? 20 : 0;
    if (en->identifier[0] && e->identifier && strcmp(en->identifier, e->identifier) == 0) {
        score += 100;
    }
    if (en->label[0] && e->label) {
        bool same = strcmp(en->label, e->label) == 0;
        bool near = ia_phrase_alike(en->label, e->label) ||
                    ia_phrase_has(e->label, en->label) || ia_phrase_has(en->label, e->label);
        score += same ? 60 : near ? 40 : 0;
    }
    double far = fabs(e->frame.x - en->frame.x) + fabs(e->frame.y - en->frame.y);
    return score - fmin(far / 50, 19);
}

struct candidate {
    const struct ia_element *e;
    double score;
};

static void keep_best(struct candidate best[CANDIDATES], struct candidate c)
{
    for (int k = 0; k < CANDIDATES; k++) {
        if (!best[k].e || c.score > best[k].score) {
            struct candidate moved = best[k];
            best[k] = c;
            c = moved;
        }
        if (!c.e) {
            return;
        }
    }
}

static void hint_candidates(const struct ia_snapshot *s, const struct ia_ref_entry *en,
                            struct ia_err *err)
{
    struct candidate best[CANDIDATES] = {{0}};
    for (size_t i = 0; en && i < s->count; i++) {
        const struct ia_element *e = &s->elements[i];
        double score = e->listed && e->ref ? likeness(en, e) : 0;
        if (score > 0) {
            keep_best(best, (struct candidate){e, score});
        }
    }
    struct ia_buf b = IA_BUF(sizeof(err->hint) * 2);
    for (int k = 0; k < CANDIDATES && best[k].e; k++) {
        ia_buf_puts(&b, k ? "; " : "nearest: ");
        ia_element_text(best[k].e, &b);
    }
    ia_err_hint(err, "%s", b.len ? ia_buf_cstr(&b) : "take a fresh snapshot and use its refs");
    ia_buf_fini(&b);
}

static enum ia_rc refuse(struct ia_err *err, enum ia_rc rc)
{
    if (err) {
        err->outcome = IA_OUTCOME_NOT_SENT;
    }
    return rc;
}

enum ia_rc ia_snapshot_resolve(const struct ia_snapshot *s, const struct ia_refs *refs,
                               uint32_t ref, const struct ia_element **ret, struct ia_err *err)
{
    const struct ia_element *e = ia_snapshot_by_ref(s, ref);
    if (e) {
        *ret = e;
        return IA_OK;
    }
    struct ia_err local_err;
    err = err ? err : &local_err;
    if (!ia_refs_given(refs, ref)) {
        ia_err_set(err, IA_E_NOT_FOUND,
                   "there is no element %u: a ref is the number at the start of a line of the "
                   "snapshot",
                   ref);
        ia_err_hint(err, "take a snapshot and use a number from it");
        return refuse(err, IA_E_NOT_FOUND);
    }
    const struct ia_ref_entry *en = ia_refs_entry(refs, ref);
    ia_err_set(err, IA_E_STALE_REF, "element %u (%s%s%s) is no longer on the screen", ref,
               en ? ia_role_name(en->role) : "forgotten", en && en->label[0] ? " " : "",
               en ? en->label : "");
    hint_candidates(s, en, err);
    return refuse(err, IA_E_STALE_REF);
}

static const char *action_name(unsigned action)
{
    switch (action) {
    case IA_ACT_TAP:
        return "tapped";
    case IA_ACT_LONG_PRESS:
        return "long-pressed";
    case IA_ACT_TYPE:
        return "typed into";
    case IA_ACT_SWIPE:
        return "swiped";
    default:
        return "adjusted";
    }
}

static enum ia_rc unreachable(const struct ia_snapshot *s, const struct ia_element *e,
                              const char *what, struct ia_err *err)
{
    static const char *const sides[] = {"", " (below)", " (above)", " (to the right)",
                                        " (to the left)"};
    switch (e->reach) {
    case IA_REACH_OFFSCREEN:
        ia_err_set(err, IA_E_NOT_VISIBLE, "%s is off-screen%s", what,
                   sides[s->more[e - s->elements].side]);
        ia_err_hint(err, "scroll it into view first");
        return refuse(err, IA_E_NOT_VISIBLE);
    case IA_REACH_COVERED:
        ia_err_set(err, IA_E_COVERED, "%s is covered by something in front of it", what);
        ia_err_hint(err, "first deal with what is in front: the elements of the snapshot");
        return refuse(err, IA_E_COVERED);
    case IA_REACH_DISABLED:
        ia_err_set(err, IA_E_DISABLED, "%s is disabled", what);
        ia_err_hint(err, "find out what enables it, such as a field that must be filled in");
        return refuse(err, IA_E_DISABLED);
    default:
        return IA_OK;
    }
}

enum ia_rc ia_snapshot_check(const struct ia_snapshot *s, const struct ia_element *e,
                             unsigned action, struct ia_err *err)
{
    struct ia_buf what = IA_BUF(400);
    ia_element_text(e, &what);
    enum ia_rc rc = unreachable(s, e, ia_buf_cstr(&what), err);
    if (rc == IA_OK && (e->actions & action) != action) {
        rc = ia_err_set(err, IA_E_NOT_ACTIONABLE, "%s cannot be %s", ia_buf_cstr(&what),
                        action_name(action));
        ia_err_hint(err, "choose an element whose role allows it");
        (void)refuse(err, rc);
    }
    ia_buf_fini(&what);
    return rc;
}
