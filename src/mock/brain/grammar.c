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

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { WORK_MAX = 50000, NAME_WORDS_MAX = 4, KNOWN_WORDS_MAX = 6, LITERAL_BYTES = 24 };

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
    struct ia_clause now;
    struct start start[IA_WORDS_MAX + 1];
    size_t need; /* a start that has to be looked at first; IA_WORDS_MAX + 1: none */
    bool need_led;
    signed char verb[IA_WORDS_MAX + 1]; /* is_verb: 0 not asked yet, 1 yes, -1 no */
    signed char known[IA_WORDS_MAX + 1][KNOWN_WORDS_MAX + 1]; /* a setting of so many words */
    int work;
};

/* What follows a group. */
struct rest {
    const char *p;
    const struct rest *next;
};

static size_t skip_marks(const struct ia_words *w, size_t i);

struct ia_str ia_grammar_text(const struct ia_words *w, size_t from, size_t to)
{
    if (from >= to) {
        return (struct ia_str){"", 0};
    }
    if (to == from + 1) {
        return w->w[from].s;
    }
    const char *p = w->w[from].raw.p;
    return (struct ia_str){p, (size_t)(w->w[to - 1].raw.p + w->w[to - 1].raw.n - p)};
}

/* ---- words that are no value ---- */

/* How, when or whether: a value that swallowed one of these would leave part of the goal undone. */
static const char adverbs[] =
    "times twice thrice due tomorrow today tonight yesterday every each again if unless "
    "otherwise "
    "except but or nor until while instead without not never only both then else before once "
    "all don't "
    "dont monday tuesday wednesday thursday friday saturday sunday weekly daily monthly "
    "hour hours minute minutes noon midnight morning afternoon evening am pm o'clock weekend";
static const char prepositions[] =
    "with from to in on of for the a an my as is are and or called named contact contacts "
    "reminder reminders list phone number email his her their your this that by at into it all "
    "everything everyone anyone";
static const char joints[] = "and then but also plus";

/* 5pm, 17:30 */
static bool clock_time(struct ia_str w)
{
    size_t digits = 0;
    while (digits < w.n && isdigit((unsigned char)w.p[digits])) {
        digits++;
    }
    struct ia_str rest = {w.p + digits, w.n - digits};
    return digits > 0 && digits <= 2 &&
           (ia_word_in(rest, "am pm h") || (rest.n == 3 && *rest.p == ':'));
}

static bool plain_in(const struct ia_word *w, const char *list)
{
    return w->kind == IA_WORD_PLAIN && ia_word_in(w->s, list);
}

bool ia_grammar_joins(const struct ia_word *w)
{
    return (w->kind == IA_WORD_PAUSE && *w->s.p == ',') || plain_in(w, "and");
}

bool ia_grammar_ends(const struct ia_words *w, size_t i)
{
    return i >= w->count || w->w[i].kind == IA_WORD_PAUSE || w->w[i].kind == IA_WORD_STOP ||
           plain_in(&w->w[i], joints);
}

/* The end of a group that begins at p, or of the pattern. */
static const char *group_end(const char *p)
{
    int depth = 0;
    for (; *p; p++) {
        depth += *p == '(' || *p == '[';
        depth -= *p == ')' || *p == ']';
        if (depth == 0) {
            return p;
        }
    }
    return p;
}

static size_t literal_len(const char *p)
{
    return strcspn(p, " ()[]{}|");
}

/* Patterns are in lower case; a first letter that differs is the end of most comparisons. */
static bool may_be(struct ia_str w, const char *p)
{
    unsigned char c = (unsigned char)*w.p;
    return (char)tolower(c) == *p || c >= 0x80;
}

static bool is_literal(struct ia_str w, const char *p, size_t n)
{
    char known[LITERAL_BYTES];
    if (!may_be(w, p) || n == 0 || n >= sizeof(known)) {
        return false;
    }
    memcpy(known, p, n);
    known[n] = '\0';
    return ia_word_is(w, known);
}

/* True when a pattern can begin with the word. */
static bool begins(const char *p, struct ia_str w)
{
    for (;;) {
        p += strspn(p, " ");
        if (*p != '(' && *p != '[') {
            return is_literal(w, p, literal_len(p));
        }
        const char *end = group_end(p);
        for (const char *alt = p + 1; alt < end;) {
            if (may_be(w, alt) && is_literal(w, alt, literal_len(alt))) {
                return true;
            }
            while (alt < end && *alt != '|') {
                alt = *alt == '(' || *alt == '[' ? group_end(alt) + 1 : alt + 1;
            }
            alt++;
        }
        if (*p == '(') {
            return false;
        }
        p = end + 1;
    }
}

/* True when some row begins with the word: what follows an "and" is then a clause of its own. */
static bool is_verb(struct match *m, size_t i)
{
    const struct ia_word *w = &m->w->w[i];
    for (size_t r = 0; m->verb[i] == 0 && w->kind == IA_WORD_PLAIN && r < ia_row_count; r++) {
        m->verb[i] = begins(ia_rows[r].pattern, w->s);
    }
    m->verb[i] = m->verb[i] > 0 ? 1 : -1;
    return m->verb[i] > 0;
}

static bool is_setting(struct match *m, size_t from, size_t to)
{
    signed char *known = &m->known[from][to - from <= KNOWN_WORDS_MAX ? to - from : 0];
    if (to - from > KNOWN_WORDS_MAX) {
        return false;
    }
    if (*known == 0) {
        *known = ia_known_setting(ia_grammar_text(m->w, from, to)) ? 1 : -1;
    }
    return *known > 0;
}

/* ---- values ---- */

/* Whether the words are a value; no: nor with more words behind them. */
enum fit { FIT_NO, FIT_MORE, FIT_YES };

static bool has(struct ia_str s, const char *part)
{
    size_t n = strlen(part);
    for (size_t i = 0; i + n <= s.n; i++) {
        if (memcmp(s.p + i, part, n) == 0) {
            return true;
        }
    }
    return false;
}

static bool placeholder(const struct ia_word *w)
{
    return has(w->s, "{{") && has(w->s, "}}");
}

/* A text: by the word that was added last. */
static enum fit fit_text(struct match *m, size_t i, size_t end, char type)
{
    const struct ia_words *w = m->w;
    const struct ia_word *last = &w->w[end - 1];
    bool joint = plain_in(last, joints);
    if (type == 'U' && end - 1 == i &&
        plain_in(last, "named called titled to")) { /* they lead to the text */
        return FIT_NO;
    }
    if (last->kind == IA_WORD_PAUSE || last->kind == IA_WORD_STOP ||
        (joint && (end - 1 == i || type == 'U' || !plain_in(last, "and"))) ||
        (joint && end < w->count && is_verb(m, end))) {
        return FIT_NO;
    }
    bool named = type == 'S' && plain_in(last, "not"); /* Do Not Disturb */
    if (type != 'L' && !named && (plain_in(last, adverbs) || clock_time(last->s))) {
        return FIT_NO;
    }
    return joint ? FIT_MORE : FIT_YES;
}

static enum fit fit_phone(const struct ia_words *w, size_t i, size_t end)
{
    struct ia_str last = w->w[end - 1].s;
    bool digits = placeholder(&w->w[i]);
    for (size_t k = 0; !placeholder(&w->w[end - 1]) && k < last.n; k++) {
        if (!isdigit((unsigned char)last.p[k]) && !strchr("+-.,()/#*", last.p[k])) {
            return FIT_NO;
        }
    }
    for (size_t k = i; k < end; k++) {
        struct ia_str word = w->w[k].s; /* "" between quotes is a word too */
        digits = digits || (word.n > 0 && isdigit((unsigned char)word.p[word.n - 1]));
    }
    return w->w[end - 1].kind == IA_WORD_STOP ? FIT_NO : digits ? FIT_YES : FIT_MORE;
}

static bool name_word(const struct ia_word *w)
{
    unsigned char c = (unsigned char)*w->s.p;
    return w->kind == IA_WORD_QUOTED || placeholder(w) ||
           (w->kind == IA_WORD_PLAIN && !has(w->s, "@") && (isalpha(c) || c >= 0x80) &&
            !ia_word_in(w->s, prepositions) && !ia_word_in(w->s, adverbs) &&
            ia_word_number(w->s) < 0 && *w->s.p != '\'');
}

/* Things may begin with a number or an article. */
static bool thing_word(const struct ia_words *w, size_t i, size_t first)
{
    bool counts = ia_word_number(w->w[i].s) >= 0 || plain_in(&w->w[i], "a an the some");
    return (i == first && counts) || name_word(&w->w[i]) ||
           (i > first && plain_in(&w->w[i], "of the"));
}

/* A list: by its last element. */
static enum fit fit_list(struct match *m, size_t i, size_t end, char type)
{
    const struct ia_words *w = m->w;
    const struct ia_word *last = &w->w[end - 1];
    size_t first = end - 1, most = type == 'I' ? NAME_WORDS_MAX + 2 : NAME_WORDS_MAX;
    if (ia_grammar_joins(last)) {
        bool twice = end - 1 == i || (end < w->count && is_verb(m, end));
        return twice ? FIT_NO : FIT_MORE;
    }
    while (first > i && !ia_grammar_joins(&w->w[first - 1])) {
        first--;
    }
    if (last->kind == IA_WORD_STOP || last->kind == IA_WORD_PAUSE || end - first > most) {
        return FIT_NO;
    }
    bool ok = type == 'N' ? name_word(last) : thing_word(w, end - 1, first);
    bool counts = type == 'I' && end - 1 == first && last->kind != IA_WORD_QUOTED &&
                  (ia_word_number(last->s) >= 0 || plain_in(last, "a an the some"));
    return !ok ? FIT_NO : counts ? FIT_MORE : FIT_YES;
}

/* One setting is any words; of several each must be known. */
static enum fit fit_settings(struct match *m, size_t i, size_t end)
{
    const struct ia_words *w = m->w;
    size_t first = i;
    bool several = false, last_known = false;
    for (size_t k = i; k <= end; k++) {
        if (k < end && !ia_grammar_joins(&w->w[k])) {
            continue;
        }
        last_known = k > first && is_setting(m, first, k);
        if (k < end && !last_known) {
            return fit_text(m, i, end, 'S');
        }
        several = several || k < end;
        first = k + 1;
    }
    return several ? (last_known ? FIT_YES : FIT_MORE) : fit_text(m, i, end, 'S');
}

static enum fit fit_known(struct match *m, size_t i, size_t end, char type)
{
    const struct ia_words *w = m->w;
    struct ia_str text = ia_grammar_text(w, i, end);
    bool known = type == 'C'   ? ia_known_app(text) != NULL
                 : type == 'K' ? is_setting(m, i, end)
                               : ia_known_in("today|tomorrow|next week", text);
    if (w->w[end - 1].kind == IA_WORD_STOP || w->w[end - 1].kind == IA_WORD_PAUSE) {
        return FIT_NO;
    }
    return known ? FIT_YES : end - i < KNOWN_WORDS_MAX ? FIT_MORE : FIT_NO;
}

static bool one_word(const struct ia_word *w, char type)
{
    struct ia_str s = w->s;
    bool number = ia_word_number(s) >= 0;
    bool percent =
        s.n > 1 && s.p[s.n - 1] == '%' && ia_word_number((struct ia_str){s.p, s.n - 1}) >= 0;
    switch (type) {
    case 'E':
        return has(s, "@") || placeholder(w);
    case '#':
        return number || placeholder(w);
    case '%':
        return number || percent || placeholder(w) ||
               ia_word_in(s, "max maximum full half min minimum");
    case 'R':
        return ia_word_in(s, "up down left right");
    default:
        return w->kind == IA_WORD_QUOTED ||
               (!ia_word_in(s, prepositions) && !ia_word_in(s, adverbs));
    }
}

static enum fit fits(struct match *m, size_t i, size_t end, char type)
{
    const struct ia_words *w = m->w;
    if (strchr("WE#%R", type)) {
        bool word = w->w[i].kind <= IA_WORD_QUOTED && end == i + 1;
        return word && one_word(&w->w[i], type) ? FIT_YES : FIT_NO;
    }
    if (end == i + 1 && w->w[i].kind == IA_WORD_QUOTED && !strchr("CKD", type)) {
        return FIT_YES;
    }
    switch (type) {
    case 'P':
        return fit_phone(w, i, end);
    case 'N':
    case 'I':
        return fit_list(m, i, end, type);
    case 'S':
        return fit_settings(m, i, end);
    case 'C':
    case 'K':
    case 'D':
        return fit_known(m, i, end, type);
    default:
        return fit_text(m, i, end, type);
    }
}

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
    const char *end = group_end(p);
    const struct rest after = {end + 1, next};
    for (const char *alt = p + 1; alt < end;) {
        if (here(m, alt, i, &after)) {
            return true;
        }
        while (alt < end && *alt != '|') {
            alt = *alt == '(' || *alt == '[' ? group_end(alt) + 1 : alt + 1;
        }
        alt++;
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
        enum fit fit = fits(m, i, end, p[2]);
        if (fit == FIT_NO) {
            return false;
        }
        m->now.slot[slot].from = i;
        m->now.slot[slot].to = end;
        m->now.slot[slot].type = p[2];
        if (fit == FIT_YES && here(m, p + 4, end, next)) {
            return true;
        }
        m->now.slot[slot].from = m->now.slot[slot].to = 0;
    }
    return false;
}

static bool literal(struct match *m, const char *p, size_t i, const struct rest *next)
{
    if (i >= m->w->count || (m->w->w[i].kind == IA_WORD_PLAIN && !may_be(m->w->w[i].s, p))) {
        return false;
    }
    size_t n = literal_len(p);
    char mark = n == 6 && memcmp(p, "lparen", n) == 0  ? '('
                : n == 5 && memcmp(p, "comma", n) == 0 ? ','
                                                       : '\0';
    for (; i < m->w->count; i++) {
        const struct ia_word *w = &m->w->w[i];
        bool same = mark ? w->kind == IA_WORD_PAUSE && *w->s.p == mark
                         : w->kind == IA_WORD_PLAIN && is_literal(w->s, p, n);
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
        if (k >= w->count || !may_be(w->w[k].s, p)) {
            return false;
        }
        size_t n = strcspn(p, " ");
        if (w->w[k].kind != IA_WORD_PLAIN || !is_literal(w->w[k].s, p, n)) {
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
    if (k >= w->count || !plain_in(&w->w[k], "in on from of to at inside using via for")) {
        return false;
    }
    k++;
    k += k < w->count && plain_in(&w->w[k], "the my this");
    for (size_t end = k + 1; end <= w->count && end <= k + 3; end++) {
        struct ia_str name = ia_grammar_text(w, k, end);
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

/* Behind all of a row: "please", the place, and then the end of the clause. */
static bool row_end(struct match *m, size_t i)
{
    static const char *const polite[] = {"please",    "for me", "now",
                                         "right now", "thanks", "thank you"};
    for (bool more = true; more;) {
        if (((m->now.row->flags & IA_ROW_GLUED) || ia_grammar_ends(m->w, i)) && commit(m, i)) {
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
    m->w = &ret->words;
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
