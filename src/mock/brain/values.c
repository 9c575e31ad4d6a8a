/* values.c: see values.h. A value grows by one word at a time, so most types judge the word that was added
 * last. */
#include "mock/brain/values.h"

#include "mock/brain/grammar.h"
#include "mock/brain/know.h"
#include "mock/brain/pattern.h"

#include <ctype.h>
#include <string.h>

enum { NAME_WORDS_MAX = 4 };

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

/* True when some row begins with the word: what follows an "and" is then a clause of its own. */
static bool is_verb(struct ia_values *v, size_t i)
{
    const struct ia_word *w = &v->w->w[i];
    for (size_t r = 0; v->verb[i] == 0 && w->kind == IA_WORD_PLAIN && r < ia_row_count; r++) {
        v->verb[i] = ia_pattern_begins(ia_rows[r].pattern, w->s);
    }
    v->verb[i] = v->verb[i] > 0 ? 1 : -1;
    return v->verb[i] > 0;
}

static bool is_setting(struct ia_values *v, size_t from, size_t to)
{
    signed char *known = &v->known[from][to - from <= IA_KNOWN_WORDS_MAX ? to - from : 0];
    if (to - from > IA_KNOWN_WORDS_MAX) {
        return false;
    }
    if (*known == 0) {
        *known = ia_known_setting(ia_words_text(v->w, from, to)) ? 1 : -1;
    }
    return *known > 0;
}

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
static enum ia_fit fit_text(struct ia_values *v, size_t i, size_t end, char type)
{
    const struct ia_words *w = v->w;
    const struct ia_word *last = &w->w[end - 1];
    bool joint = ia_word_joins_clauses(last);
    if (type == 'U' && end - 1 == i &&
        ia_word_plain_in(last, "named called titled to")) { /* they lead to the text */
        return IA_FIT_NO;
    }
    if (last->kind == IA_WORD_PAUSE || last->kind == IA_WORD_STOP ||
        (joint && (end - 1 == i || type == 'U' || !ia_word_plain_in(last, "and"))) ||
        (joint && end < w->count && is_verb(v, end))) {
        return IA_FIT_NO;
    }
    bool named = type == 'S' && ia_word_plain_in(last, "not"); /* Do Not Disturb */
    if (type != 'L' && !named && (ia_word_plain_in(last, adverbs) || clock_time(last->s))) {
        return IA_FIT_NO;
    }
    return joint ? IA_FIT_MORE : IA_FIT_YES;
}

static enum ia_fit fit_phone(const struct ia_words *w, size_t i, size_t end)
{
    struct ia_str last = w->w[end - 1].s;
    bool digits = placeholder(&w->w[i]);
    for (size_t k = 0; !placeholder(&w->w[end - 1]) && k < last.n; k++) {
        if (!isdigit((unsigned char)last.p[k]) && !strchr("+-.,()/#*", last.p[k])) {
            return IA_FIT_NO;
        }
    }
    for (size_t k = i; k < end; k++) {
        struct ia_str word = w->w[k].s; /* "" between quotes is a word too */
        digits = digits || (word.n > 0 && isdigit((unsigned char)word.p[word.n - 1]));
    }
    return w->w[end - 1].kind == IA_WORD_STOP ? IA_FIT_NO : digits ? IA_FIT_YES : IA_FIT_MORE;
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
    bool counts = ia_word_number(w->w[i].s) >= 0 || ia_word_plain_in(&w->w[i], "a an the some");
    return (i == first && counts) || name_word(&w->w[i]) ||
           (i > first && ia_word_plain_in(&w->w[i], "of the"));
}

/* A list: by its last element. */
static enum ia_fit fit_list(struct ia_values *v, size_t i, size_t end, char type)
{
    const struct ia_words *w = v->w;
    const struct ia_word *last = &w->w[end - 1];
    size_t first = end - 1, most = type == 'I' ? NAME_WORDS_MAX + 2 : NAME_WORDS_MAX;
    if (ia_word_joins_items(last)) {
        bool twice = end - 1 == i || (end < w->count && is_verb(v, end));
        return twice ? IA_FIT_NO : IA_FIT_MORE;
    }
    while (first > i && !ia_word_joins_items(&w->w[first - 1])) {
        first--;
    }
    if (last->kind == IA_WORD_STOP || last->kind == IA_WORD_PAUSE || end - first > most) {
        return IA_FIT_NO;
    }
    bool ok = type == 'N' ? name_word(last) : thing_word(w, end - 1, first);
    bool counts = type == 'I' && end - 1 == first && last->kind != IA_WORD_QUOTED &&
                  (ia_word_number(last->s) >= 0 || ia_word_plain_in(last, "a an the some"));
    return !ok ? IA_FIT_NO : counts ? IA_FIT_MORE : IA_FIT_YES;
}

/* One setting is any words; of several each must be known. */
static enum ia_fit fit_settings(struct ia_values *v, size_t i, size_t end)
{
    const struct ia_words *w = v->w;
    size_t first = i;
    bool several = false, last_known = false;
    for (size_t k = i; k <= end; k++) {
        if (k < end && !ia_word_joins_items(&w->w[k])) {
            continue;
        }
        last_known = k > first && is_setting(v, first, k);
        if (k < end && !last_known) {
            return fit_text(v, i, end, 'S');
        }
        several = several || k < end;
        first = k + 1;
    }
    return several ? (last_known ? IA_FIT_YES : IA_FIT_MORE) : fit_text(v, i, end, 'S');
}

static enum ia_fit fit_known(struct ia_values *v, size_t i, size_t end, char type)
{
    const struct ia_words *w = v->w;
    struct ia_str text = ia_words_text(w, i, end);
    bool known = type == 'C'   ? ia_known_app(text) != NULL
                 : type == 'K' ? is_setting(v, i, end)
                               : ia_known_in("today|tomorrow|next week", text);
    if (w->w[end - 1].kind == IA_WORD_STOP || w->w[end - 1].kind == IA_WORD_PAUSE) {
        return IA_FIT_NO;
    }
    return known ? IA_FIT_YES : end - i < IA_KNOWN_WORDS_MAX ? IA_FIT_MORE : IA_FIT_NO;
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

enum ia_fit ia_value_fits(struct ia_values *v, size_t i, size_t end, char type)
{
    const struct ia_words *w = v->w;
    if (strchr("WE#%R", type)) {
        bool word = w->w[i].kind <= IA_WORD_QUOTED && end == i + 1;
        return word && one_word(&w->w[i], type) ? IA_FIT_YES : IA_FIT_NO;
    }
    if (end == i + 1 && w->w[i].kind == IA_WORD_QUOTED && !strchr("CKD", type)) {
        return IA_FIT_YES;
    }
    switch (type) {
    case 'P':
        return fit_phone(w, i, end);
    case 'N':
    case 'I':
        return fit_list(v, i, end, type);
    case 'S':
        return fit_settings(v, i, end);
    case 'C':
    case 'K':
    case 'D':
        return fit_known(v, i, end, type);
    default:
        return fit_text(v, i, end, type);
    }
}
