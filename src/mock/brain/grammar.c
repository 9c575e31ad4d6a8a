/* grammar.c: a goal's words against the rows, with backtracking over the whole goal: a value takes
 * no more words than the clauses behind it can spare, and a goal that has a word too many matches
 * nothing.
 *
 *     clauses ─► look(i): each row at i ─► values ─► row_end ─► does the rest fit? ─► look(next)
 *
 * What begins at a word is found out once and remembered, and all work is counted, so that no text
 * takes long. The recursion ends with a clause; clauses wait for those behind them on a stack of
 * their own, so that no text is too deep. */
#include "mock/brain/grammar.h"

#include "mock/brain/know.h"
#include "mock/brain/pattern.h"
#include "mock/brain/values.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { WORK_MAX = 50000 };

enum { NO_NEED = IA_WORDS_MAX + 1 };
enum state { UNSEEN, DEAD, ALIVE };

/* What is known of the words from one on, as the beginning of a clause. */
struct start {
    enum state state;
    bool led;                /* behind a word that says nothing, so the clause began before */
    size_t row;              /* the rows before this one do not match */
    size_t next;             /* of one that is alive: where the next clause begins */
    size_t length;           /* in clauses, to the end of the goal */
    struct ia_clause clause; /* without a row where only a word that says nothing stands */
};

struct match {
    struct ia_clauses *g;
    const struct ia_words *w;
    struct ia_values values;
    struct ia_clause now;
    struct start start[IA_WORDS_MAX + 1];
    size_t need; /* a start that has to be looked at first; IA_WORDS_MAX + 1: none */
    bool need_led;
    int work;
};

/* What follows a group. */
struct rest {
    const char *p;
    const struct rest *next;
};

static size_t skip_marks(const struct ia_words *w, size_t i);

/* ---- patterns ---- */

static bool here(struct match *m, const char *p, size_t i, const struct rest *next);

static size_t skip_pauses(const struct match *m, size_t i)
{
    while (i > m->now.from && i < m->w->count && m->w->w[i].kind == IA_WORD_PAUSE) {
        i++;
    }
    return i;
}

static bool group(struct match *m, const char *p, size_t i, const struct rest *next)
{
    const char *end = ia_pattern_group_end(p);
    const struct rest after = {end + 1, next};
    for (const char *alt = p + 1; alt < end; alt = ia_pattern_next_alternative(alt, end)) {
        if (here(m, alt, i, &after)) {
            return true;
        }
    }
    return *p == '[' && here(m, end + 1, i, next);
}

static bool value(struct match *m, const char *p, size_t i, const struct rest *next)
{
    size_t slot = (size_t)(p[1] - 'a');
    if (m->now.slot[slot].to > 0) {
        return false; /* said twice */
    }
    i = skip_pauses(m, i);
    for (size_t end = i + 1; end <= m->w->count; end++) {
        enum ia_fit fit = ia_value_fits(&m->values, i, end, p[2]);
        if (fit == IA_FIT_NO) {
            return false;
        }
        m->now.slot[slot].from = i;
        m->now.slot[slot].to = end;
        m->now.slot[slot].type = p[2];
        if (fit == IA_FIT_YES && here(m, p + 4, end, next)) {
            return true;
        }
        m->now.slot[slot].from = m->now.slot[slot].to = 0;
    }
    return false;
}

static bool literal(struct match *m, const char *p, size_t i, const struct rest *next)
{
    if (i >= m->w->count ||
        (m->w->w[i].kind == IA_WORD_PLAIN && !ia_pattern_may_be(m->w->w[i].s, p))) {
        return false;
    }
    size_t n = ia_pattern_literal_len(p);
    char mark = n == 6 && memcmp(p, "lparen", n) == 0  ? '('
                : n == 5 && memcmp(p, "comma", n) == 0 ? ','
                                                       : '\0';
    for (; i < m->w->count; i++) {
        const struct ia_word *w = &m->w->w[i];
        bool same = mark ? w->kind == IA_WORD_PAUSE && *w->s.p == mark
                         : w->kind == IA_WORD_PLAIN && ia_pattern_is_literal(w->s, p, n);
        if (same && here(m, p + n, i + 1, next)) {
            return true;
        }
        if (w->kind != IA_WORD_PAUSE || i == m->now.from) {
            return false;
        }
    }
    return false;
}

/* True when the words from *i on are the literal words of p; *i is then behind them. */
static bool words_are(const struct ia_words *w, size_t *i, const char *p)
{
    size_t k = *i;
    while (*p) {
        if (k >= w->count || !ia_pattern_may_be(w->w[k].s, p)) {
            return false;
        }
        size_t n = strcspn(p, " ");
        if (w->w[k].kind != IA_WORD_PLAIN || !ia_pattern_is_literal(w->w[k].s, p, n)) {
            return false;
        }
        k++;
        p += n + (p[n] == ' ');
    }
    *i = k;
    return true;
}

/* "in my Contacts app", at the end of a clause. */
static bool place(struct match *m, size_t *i, struct ia_str *ret_app)
{
    const struct ia_words *w = m->w;
    size_t k = *i;
    if (k >= w->count ||
        !ia_word_plain_in(&w->w[k], "in on from of to at inside using via for")) {
        return false;
    }
    k++;
    k += k < w->count && ia_word_plain_in(&w->w[k], "the my this");
    for (size_t end = k + 1; end <= w->count && end <= k + 3; end++) {
        struct ia_str name = ia_words_text(w, k, end);
        if (ia_known_app(name)) {
            *ret_app = name;
            *i = end;
            (void)(words_are(w, i, "app") || words_are(w, i, "application"));
            return true;
        }
    }
    return false;
}

/* False when the rest of the goal from i on is no sequence of clauses. Where that is not known yet, the
 * match is left, with true, and made again when it is (see clauses). */
static bool rest_fits(struct match *m, size_t i, bool led)
{
    if (m->start[i].state == UNSEEN) {
        m->need = i;
        m->need_led = led;
        return true;
    }
    return m->start[i].state == ALIVE && m->start[i].length < IA_CLAUSES_MAX;
}

static bool commit(struct match *m, size_t i)
{
    struct start *s = &m->start[m->now.from];
    size_t next = skip_marks(m->w, i);
    if (next <= m->now.from || !rest_fits(m, next, false)) {
        return false;
    }
    m->now.to = i;
    s->clause = m->now;
    s->next = next;
    s->length = m->start[next].length + 1;
    return true;
}

/* True where a clause may end. */
static bool clause_ends(const struct ia_words *w, size_t i)
{
    return i >= w->count || w->w[i].kind == IA_WORD_PAUSE || w->w[i].kind == IA_WORD_STOP ||
           ia_word_joins_clauses(&w->w[i]);
}

/* Behind all of a row: "please", the place, and then the end of the clause. */
static bool row_end(struct match *m, size_t i)
{
    static const char *const polite[] = {"please",    "for me", "now",
                                         "right now", "thanks", "thank you"};
    for (bool more = true; more;) {
        if (((m->now.row->flags & IA_ROW_GLUED) || clause_ends(m->w, i)) && commit(m, i)) {
            return true;
        }
        more = false;
        for (size_t k = 0; !more && k < IA_COUNTOF(polite); k++) {
            more = words_are(m->w, &i, polite[k]);
        }
        more = more || (!(m->now.row->flags & IA_ROW_STAYS) && m->now.app.n == 0 &&
                        place(m, &i, &m->now.app));
    }
    m->now.app = (struct ia_str){0};
    return false;
}

static bool here(struct match *m, const char *p, size_t i, const struct rest *next)
{
    if (++m->work > WORK_MAX) {
        return false;
    }
    p += strspn(p, " ");
    switch (*p) {
    case '\0':
    case '|':
    case ')':
    case ']':
        return next ? here(m, next->p, i, next->next) : row_end(m, i);
    case '(':
    case '[':
        return group(m, p, i, next);
    case '{':
        return value(m, p, i, next);
    default:
        return literal(m, p, i, next);
    }
}

/* ---- a goal ---- */

/* What may stand before a clause and says nothing. */
static const char *const leads[] = {"please",
                                    "kindly",
                                    "now",
                                    "next",
                                    "also",
                                    "first",
                                    "finally",
                                    "then",
                                    "after that",
                                    "afterwards",
                                    "just",
                                    "could you",
                                    "can you",
                                    "would you",
                                    "will you",
                                    "i want you to",
                                    "i want to",
                                    "i would like to",
                                    "i'd like to",
                                    "i need to",
                                    "i need you to",
                                    "help me to",
                                    "help me",
                                    "let 's",
                                    "go ahead and",
                                    "you should",
                                    "to",
                                    "that",
                                    "hey",
                                    "hi",
                                    "hello",
                                    "ok",
                                    "okay",
                                    "so",
                                    "try to",
                                    "i would like you to",
                                    "i'd like you to",
                                    "do me a favor and",
                                    "you must",
                                    "make sure you",
                                    "and",
                                    "but",
                                    "plus"};

/* Marks, and the number of an item in a list of steps. */
static size_t skip_marks(const struct ia_words *w, size_t i)
{
    for (; i < w->count; i++) {
        bool numbered = w->w[i].kind == IA_WORD_PLAIN && isdigit((unsigned char)*w->w[i].s.p) &&
                        ia_word_number(w->w[i].s) >= 0 && i + 1 < w->count &&
                        w->w[i + 1].kind >= IA_WORD_PAUSE;
        if (w->w[i].kind < IA_WORD_PAUSE && !numbered) {
            break;
        }
    }
    return i;
}

/* One that is UNSEEN still needs another. */
static enum state look(struct match *m, size_t i)
{
    struct start *s = &m->start[i];
    m->need = NO_NEED;
    for (; s->row < ia_row_count && m->work <= WORK_MAX; s->row++) {
        m->now = (struct ia_clause){.row = &ia_rows[s->row], .from = i};
        if (here(m, ia_rows[s->row].pattern, i, NULL)) {
            return m->need == NO_NEED ? ALIVE : UNSEEN;
        }
    }
    for (size_t k = 0; k < IA_COUNTOF(leads); k++) {
        size_t next = i;
        if (words_are(m->w, &next, leads[k])) {
            next = skip_marks(m->w, next);
            if (rest_fits(m, next, true)) {
                s->clause.row = NULL;
                s->next = next;
                s->length = m->start[next].length;
                return m->need == NO_NEED ? ALIVE : UNSEEN;
            }
        }
    }
    return DEAD;
}

/* Finds out what can begin at `first`. A start needs later ones, which wait on a stack of our own: a
 * long goal would overflow the thread's. */
static void clauses(struct match *m, size_t first)
{
    size_t stack[IA_WORDS_MAX + 1], n = 0;
    stack[n++] = first;
    while (n > 0) {
        size_t i = stack[n - 1];
        struct start *s = &m->start[i];
        s->state = s->state == UNSEEN ? look(m, i) : s->state;
        if (s->state == UNSEEN) {
            m->start[m->need].led = m->need_led;
            stack[n++] = m->need;
            continue;
        }
        if (s->state == DEAD && !s->led && (i > m->g->unknown || m->g->unknown > m->w->count)) {
            m->g->unknown = i;
        }
        n--;
    }
}

void ia_grammar_match(struct ia_str goal, struct ia_clauses *ret)
{
    struct match *m = ia_calloc(1, sizeof(*m));
    ia_words_split(goal, &ret->words);
    ret->count = 0;
    ret->unknown = SIZE_MAX;
    m->g = ret;
    m->w = m->values.w = &ret->words;
    m->start[m->w->count].state = ALIVE;
    size_t first = skip_marks(m->w, 0);
    clauses(m, first);
    if (m->start[first].state == ALIVE) {
        ret->unknown = ret->words.count;
        for (size_t i = first; i < m->w->count; i = m->start[i].next) {
            if (m->start[i].clause.row) {
                ret->c[ret->count++] = m->start[i].clause;
            }
        }
    }
    free(m);
}
