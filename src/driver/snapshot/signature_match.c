/* signature_match.c: finding an element by its signature.
 *
 *   exact: all that names it is equal ─► one? it ─► several? neighbours ─► order, while as many ─► ambiguous
 *     │ none
 *     ▼
 *   the best by points ─► no veto, AHEAD of the second, at least DRIFT ─► drifted
 *                      └► at least LIKELY ─► changed, else missing
 *
 * Points alone never make a match where something that names the element differs: an element that is gone
 * always has a neighbour that is a little like it. */
#include "driver/snapshot/signature_impl.h"

#include "base/textfold.h"
#include "base/utf8.h"
#include "driver/snapshot/model.h"
#include "driver/snapshot/phrase.h"

#include <stdlib.h>
#include <string.h>

/* Of 100 points. */
enum { DRIFT = 80, AHEAD = 20, LIKELY = 50 };

/* What each likeness is worth. */
enum {
    ID = 40,
    LABEL = 25,
    LABEL_FOLDED = 20,
    LABEL_WORDS = 10,
    ROLE = 10,
    PAIR = 5,
    IN = 10,
    BESIDE = 5
};
enum { ALL = ID + LABEL + ROLE + IN + 2 * BESIDE };

enum likeness { OTHER_WORDS, SOME_WORDS, FOLDED, ALIKE, EQUAL };

/* How an element compares with the signature. */
struct compared {
    bool role, pair, id, question, in, before, after;
    enum likeness label;
};

static bool equal(const char *a, const char *b)
{
    return a && b && strcmp(a, b) == 0;
}

static bool both(const char *a, const char *b)
{
    return (!a && !b) || equal(a, b);
}

/* ---- roles ------------------------------------------------------------------------------ */

/* What an app may make of a control without its being another one. */
static bool is_pair(int a, int b)
{
    static const int pairs[][2] = {{IA_ROLE_BUTTON, IA_ROLE_LINK},
                                   {IA_ROLE_BUTTON, IA_ROLE_MENU_ITEM},
                                   {IA_ROLE_BUTTON, IA_ROLE_ROW},
                                   {IA_ROLE_FIELD, IA_ROLE_SEARCH}};
    for (size_t i = 0; i < IA_COUNTOF(pairs); i++) {
        if ((pairs[i][0] == a && pairs[i][1] == b) || (pairs[i][0] == b && pairs[i][1] == a)) {
            return true;
        }
    }
    return false;
}

/* ---- labels ----------------------------------------------------------------------------- */

static bool folded_equal(const char *a, const char *b)
{
    struct ia_buf x = IA_BUF(4096), y = IA_BUF(4096);
    ia_text_fold(&x, ia_str(a));
    ia_text_fold(&y, ia_str(b));
    bool same = ia_buf_ok(&x) && ia_buf_ok(&y) && equal(ia_buf_cstr(&x), ia_buf_cstr(&y));
    ia_buf_fini(&x);
    ia_buf_fini(&y);
    return same;
}

/* Two thirds of the words of a are words of b. */
static bool words_shared(const char *a, const char *b)
{
    size_t words = 0, shared = 0;
    char word[64];
    while (*(a += strspn(a, " "))) {
        size_t n = strcspn(a, " ");
        if (n < sizeof(word)) {
            memcpy(word, a, n);
            word[n] = '\0';
            shared += ia_phrase_has(b, word);
        }
        words++;
        a += n;
    }
    return words > 0 && shared * 3 >= words * 2;
}

/* A currency sign of Latin-1, or of the block of them. */
static bool is_currency(uint32_t cp)
{
    return cp == '$' || (cp >= 0xA2 && cp <= 0xA5) || (cp >= 0x20A0 && cp <= 0x20CF);
}

/* Digits may differ beside words, as in "Cart, 2 items". A number alone, or an amount, is what the label is about. */
static bool digits_may_differ(const char *label)
{
    bool letters = false;
    for (size_t i = 0, n = strlen(label); i < n;) {
        size_t len = ia_utf8_valid_len(label + i, n - i);
        uint32_t cp = len ? ia_utf8_decode(label + i, len) : 0;
        if (is_currency(cp)) {
            return false;
        }
        letters = letters || cp >= 0xC0 || (cp >= 'A' && cp <= 'Z') || (cp >= 'a' && cp <= 'z');
        i += len ? len : 1;
    }
    return letters;
}

static enum likeness label_likeness(const struct ia_signature *sig, const struct ia_element *e)
{
    const char *want =
        sig->text[IA_SIGN_LABEL] ? sig->text[IA_SIGN_LABEL] : sig->text[IA_SIGN_PLACEHOLDER];
    const char *is = e->label ? e->label : e->placeholder;
    if (both(want, is)) {
        return EQUAL;
    }
    if (!want || !is) {
        return OTHER_WORDS;
    }
    if (ia_phrase_alike(want, is) && digits_may_differ(want)) {
        return ALIKE;
    }
    return folded_equal(want, is) ? FOLDED : words_shared(want, is) ? SOME_WORDS : OTHER_WORDS;
}

/* ---- one element ------------------------------------------------------------------------ */

static bool text_is(const struct ia_snapshot *s, const struct ia_element *e,
                    const struct ia_signature *sig, enum ia_sign which)
{
    char *text = ia_sign_text(s, e, which);
    bool same = both(text, sig->text[which]);
    free(text);
    return same;
}

static struct compared compare(const struct ia_snapshot *s, const struct ia_signature *sig,
                               const struct ia_element *e)
{
    struct compared c = {.role = e->role == sig->role,
                         .pair = is_pair(e->role, sig->role),
                         .id = equal(sig->text[IA_SIGN_ID], e->identifier),
                         .label = label_likeness(sig, e)};
    /* What is around it costs more to find out. */
    if ((c.role || c.pair) && (c.id || c.label != OTHER_WORDS || !sig->text[IA_SIGN_ID])) {
        c.question = text_is(s, e, sig, IA_SIGN_QUESTION);
        c.in = text_is(s, e, sig, IA_SIGN_IN);
        c.before = text_is(s, e, sig, IA_SIGN_BEFORE);
        c.after = text_is(s, e, sig, IA_SIGN_AFTER);
    }
    return c;
}

static int points(const struct compared *c, bool has_id)
{
    static const int label[] = {[OTHER_WORDS] = 0,
                                [SOME_WORDS] = LABEL_WORDS,
                                [FOLDED] = LABEL_FOLDED,
                                [ALIKE] = LABEL_FOLDED,
                                [EQUAL] = LABEL};
    int sum = (c->id ? ID : 0) + label[c->label] +
              (c->role   ? ROLE
               : c->pair ? PAIR
                         : 0) +
              (c->in ? IN : 0) + (c->before ? BESIDE : 0) + (c->after ? BESIDE : 0);
    return sum * 100 / (has_id ? ALL : ALL - ID);
}

/* Why it cannot be the one. */
static const char *veto(const struct ia_signature *sig, const struct ia_element *e,
                        const struct compared *c, bool id_elsewhere)
{
    if (!c->role && !c->pair) {
        return "another role";
    }
    if (id_elsewhere && !c->id) {
        return "another element has the identifier";
    }
    if (sig->text[IA_SIGN_ID] && !c->id && e->identifier) {
        return "another identifier";
    }
    if (c->label < FOLDED || (c->label == ALIKE && sig->alike > 1)) {
        return "another label";
    }
    if (!c->question) {
        return "another question";
    }
    return sig->on != IA_UNSET && e->on != sig->on ? "another state" : NULL;
}

/* The first that is not as it was recorded. */
static const char *difference(const struct ia_signature *sig, const struct compared *c)
{
    return sig->text[IA_SIGN_ID] && !c->id ? "identifier"
           : c->label != EQUAL             ? "label"
           : !c->role                      ? "role"
           : !c->in                        ? "container"
           : !c->before || !c->after       ? "neighbours"
                                           : NULL;
}

/* All that names it is equal. Digits may differ where nothing else was like it when it was recorded. */
static bool is_exact(const struct ia_signature *sig, const struct ia_element *e,
                     const struct compared *c)
{
    bool label = c->label == EQUAL || (c->label == ALIKE && sig->alike == 1);
    bool where = sig->text[IA_SIGN_ID] ? c->id : c->in;
    return c->role && label && where && c->question &&
           (sig->on == IA_UNSET || e->on == sig->on);
}

/* ---- all -------------------------------------------------------------------------------- */

/* Elements that cannot be told apart by what names them. */
struct exact {
    const struct ia_element *first, *beside, *nth;
    int count, beside_count;
};

static void add_exact(struct exact *x, const struct ia_signature *sig,
                      const struct ia_element *e, const struct compared *c)
{
    x->first = x->first ? x->first : e;
    x->count++;
    if (c->before && c->after && (sig->text[IA_SIGN_BEFORE] || sig->text[IA_SIGN_AFTER])) {
        x->beside = e;
        x->beside_count++;
    }
    x->nth = x->count == sig->nth && (c->before || c->after) ? e : x->nth;
}

static void keep_best(struct ia_match *m, struct ia_match_candidate c)
{
    for (size_t i = 0; i < IA_MATCH_BEST; i++) {
        if (i == m->count) {
            m->best[m->count++] = c;
            return;
        }
        if (c.score > m->best[i].score) {
            struct ia_match_candidate moved = m->best[i];
            m->best[i] = c;
            c = moved;
        }
    }
}

static bool take_exact(struct ia_match *m, const struct ia_signature *sig,
                       const struct exact *x)
{
    if (x->count == 0) {
        return false;
    }
    /* One that is left of several may be another one of them. */
    int of = sig->text[IA_SIGN_ID] ? 1 : sig->of;
    m->e = x->count == 1 && of <= 1 ? x->first
           : x->beside_count == 1   ? x->beside
           : x->count == of         ? x->nth
                                    : NULL;
    m->class = m->e ? IA_MATCH_EXACT : IA_MATCH_AMBIGUOUS;
    return true;
}

static void take_best(struct ia_match *m)
{
    const struct ia_match_candidate *best = &m->best[0];
    int second = m->count > 1 ? m->best[1].score : 0;
    int score = m->count > 0 ? best->score : 0;
    m->class = score >= LIKELY ? IA_MATCH_CHANGED : IA_MATCH_MISSING;
    if (score >= DRIFT && !best->veto && score - second >= AHEAD) {
        m->class = IA_MATCH_DRIFTED;
        m->e = best->e;
    } else if (second >= DRIFT && !best->veto && !m->best[1].veto) {
        m->class = IA_MATCH_AMBIGUOUS;
    }
}

static bool has_id(const struct ia_snapshot *s, const char *id)
{
    size_t i = 0;
    while (i < s->count && !equal(s->elements[i].identifier, id)) {
        i++;
    }
    return i < s->count;
}

void ia_signature_match(const struct ia_snapshot *s, const struct ia_signature *sig,
                        struct ia_match *ret)
{
    struct exact exact = {.count = 0};
    bool id_there = has_id(s, sig->text[IA_SIGN_ID]);
    *ret = (struct ia_match){.class = IA_MATCH_MISSING};
    for (size_t i = 0; i < s->count; i++) {
        const struct ia_element *e = &s->elements[i];
        struct compared c = compare(s, sig, e);
        int score = points(&c, sig->text[IA_SIGN_ID]);
        if (score > 0 && (e->listed || e->ref)) {
            keep_best(ret, (struct ia_match_candidate){e, score, veto(sig, e, &c, id_there),
                                                       difference(sig, &c)});
        }
        if (is_exact(sig, e, &c)) {
            add_exact(&exact, sig, e, &c);
        }
    }
    if (!take_exact(ret, sig, &exact)) {
        take_best(ret);
    }
}
