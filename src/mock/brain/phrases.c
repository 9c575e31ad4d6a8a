/* phrases.c: from a goal's text to steps, by a table of grammars.
 *
 *     goal ─► phrases (line ends, full stops, commas, "then", "and" + verb; not inside quotes)
 *               └► fillers dropped ─► words ─► first row that matches ─► kind, a, b, c
 *                                                  └ none: IA_STEP_UNKNOWN, and the run is blocked
 *
 * Matching backtracks: {a} takes as few words as let the rest of the pattern match. Phrases have at
 * most WORDS_MAX words and patterns at most three captures, so the work is bounded. */
#include "mock/brain/phrases.h"

#include "base/utf8.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* A pattern is words separated by spaces:
 *   word       that word, in any case
 *   (x|y_z)    one of the alternatives; _ stands for a space
 *   [x|y]      the same, or nothing
 *   {a}        one or more words, as few as possible, into a, b or c
 *   <b>        one word that is a number, into a, b or c
 *   =text      at the end: that text into a
 * It must match all of the phrase. */
#define THE "[the|a|an|my]"
#define CHECK "(check|verify|confirm|make_sure|ensure|assert|see|expect) [that|whether|if]"
#define ADD                                                                                    \
    "(add|create|make|save) [a|the] [new] contact [named|called|for|with_name|with_the_name]"
#define PHONE "(phone|telephone|mobile|number) [number]"
#define EMAIL "(email|e-mail|mail) [address]"
#define REMIND                                                                                 \
    "(add|create|make|set) [a|an|the] [new] reminder [named|called|titled|for|to|saying] {a}"
#define DUE "[that_is] (due|for) [on] {c}"
#define IN_LIST "(to|in|on) [the|my] [list]"
#define CART "[the|my] (cart|basket|bag)"
#define WITH "[with|and|whose] [the|a|an|his|her|their]"

static const struct row {
    enum ia_step_kind kind;
    const char *pattern;
} rows[] = {
    {IA_STEP_LOGIN, "(log|sign) (in|on) [to_the_shop|to_shop] (with|as) [the] [user] "
                    "[name|username] {a} [and] (with|and|using) [the] password {b}"},
    {IA_STEP_TAP, "(log|sign) out [of_the_shop] =Log Out"},
    {IA_STEP_ADD_TO_CART, "(add|put) <b> [of] [the] {a} (to|into|in) " CART},
    {IA_STEP_ADD_TO_CART, "(add|put) [the|a|an] {a} (to|into|in) " CART},
    {IA_STEP_TAP, "(check|go|proceed) [to|with] (out|checkout) =Check Out"},
    {IA_STEP_TAP, "place [the|my|an] order =Place Order"},
    {IA_STEP_COUPON, "(apply|use|redeem) [the] (coupon|voucher|code) [code] {a}"},
    {IA_STEP_ADD_REMINDER, REMIND " " IN_LIST " {b} [list] " DUE},
    {IA_STEP_ADD_REMINDER, REMIND " " DUE " " IN_LIST " {b} list"},
    {IA_STEP_ADD_REMINDER, REMIND " " DUE " " IN_LIST " {b}"},
    {IA_STEP_ADD_REMINDER, REMIND " " IN_LIST " {b} list"},
    {IA_STEP_ADD_REMINDER, REMIND " " DUE},
    {IA_STEP_ADD_REMINDER, REMIND},
    {IA_STEP_COMPLETE, "(mark|set|tick|check) [off] [the] [reminder|task] {a} as "
                       "(done|completed|complete|finished)"},
    {IA_STEP_COMPLETE, "(complete|finish) [the] (reminder|task) {a}"},
    {IA_STEP_COMPLETE, "(tick|check) off [the] [reminder|task] {a}"},
    {IA_STEP_ADD_CONTACT, ADD " {a} " WITH " " PHONE " [is] {b} " WITH " " EMAIL " [is] {c}"},
    {IA_STEP_ADD_CONTACT, ADD " {a} " WITH " " EMAIL " [is] {c} " WITH " " PHONE " [is] {b}"},
    {IA_STEP_ADD_CONTACT, ADD " {a} " WITH " " PHONE " [is] {b}"},
    {IA_STEP_ADD_CONTACT, ADD " {a} " WITH " " EMAIL " [is] {c}"},
    {IA_STEP_ADD_CONTACT, ADD " {a}"},
    {IA_STEP_SCREENSHOT, "(take|make|capture) " THE " (screenshot|picture|screen_shot) "
                         "[of_the_screen]"},
    {IA_STEP_SCREENSHOT, "screenshot"},
    {IA_STEP_HOME, "(go|return|navigate|press|tap) [back] [to] [the] home [screen|button]"},
    {IA_STEP_BACK, "(go|navigate|return|press|tap) [the] back [button]"},
    {IA_STEP_BACK, "(go|navigate|return) back to [the] {a}"},
    {IA_STEP_BACK, "back"},
    {IA_STEP_ACCEPT, "(accept|allow|confirm) " THE " (alert|dialog|prompt|popup)"},
    {IA_STEP_DISMISS, "(dismiss|cancel|deny|decline) " THE " (alert|dialog|prompt|popup)"},
    {IA_STEP_HOLD, "(long|long-press) [press|tap] [on] [the] {a} [button|row|icon|cell]"},
    {IA_STEP_HOLD, "(press|tap|touch) and hold [on] [the] {a} [button|row|icon|cell]"},
    {IA_STEP_SWITCH_ON, "(turn|switch|toggle) on [the] {a} [switch|setting|toggle]"},
    {IA_STEP_SWITCH_OFF, "(turn|switch|toggle) off [the] {a} [switch|setting|toggle]"},
    {IA_STEP_SWITCH_ON, "(turn|switch|set) [the] {a} [switch|setting|toggle] [to] on"},
    {IA_STEP_SWITCH_OFF, "(turn|switch|set) [the] {a} [switch|setting|toggle] [to] off"},
    {IA_STEP_SWITCH_ON, "enable [the] {a} [switch|setting|toggle]"},
    {IA_STEP_SWITCH_OFF, "disable [the] {a} [switch|setting|toggle]"},
    {IA_STEP_SCROLL, "scroll [down|up] (to|until_you_see) [the] {a}"},
    {IA_STEP_SCROLL, "find [the] {a}"},
    {IA_STEP_SWIPE, "swipe {a}"},
    {IA_STEP_SEARCH, "search [for] {a} [in_the_list]"},
    {IA_STEP_SEARCH, "look [for] {a}"},
    {IA_STEP_WAIT, "wait (for|until) [the] {a} [to] "
                   "(appear|appears|is_visible|is_shown|shows_up|be_visible|load|loads)"},
    {IA_STEP_WAIT, "wait for [the] {a}"},
    {IA_STEP_WAIT, "wait [a] [moment|bit|second]"},
    {IA_STEP_CLEAR, "(clear|empty) [the] {a} [field|box]"},
    {IA_STEP_TYPE, "fill [in|out] [the] {b} [field|box] with {a}"},
    {IA_STEP_TYPE, "set [the] {b} [field] to {a}"},
    {IA_STEP_TYPE, "(type|enter|write|input|put|fill) {a} (into|in|to) [the] {b} "
                   "[field|box|text_field]"},
    {IA_STEP_TYPE, "(type|enter|write|input) {a}"},
    {IA_STEP_TAKE_OUT, "(delete|remove|take) [the] {a} (from|out_of) " CART},
    {IA_STEP_DELETE, "(delete|remove) " THE " [contact|entry|item|row|reminder] {a}"},
    {IA_STEP_CHECK_GONE,
     CHECK " [the] {a} (is_not|isn't|is_no_longer) [in|on|visible|shown|there|listed] "
           "[the] [list|screen|page|contacts]"},
    {IA_STEP_CHECK_GONE, CHECK " [the] {a} (is_gone|is_deleted|is_removed|has_gone)"},
    {IA_STEP_CHECK_GONE, CHECK " there is no {a} [in|on] [the] [list|screen]"},
    {IA_STEP_CHECK_LIST, CHECK " [the] {a} (is|appears|stands|shows_up) [listed] (in|on) "
                               "[the|my] (list|contacts|contact_list|results)"},
    {IA_STEP_CHECK_LIST, CHECK " [the] {a} is listed"},
    {IA_STEP_CHECK_VISIBLE, CHECK " [the] {a} (is|appears|stands|shows_up) (in|on) [the|my] "
                                  "(screen|page)"},
    {IA_STEP_CHECK_VISIBLE, CHECK " [the] {a} is "
                                  "(visible|shown|displayed|there|present|open|opened)"},
    {IA_STEP_CHECK_VISIBLE, CHECK " [the] {a} (appears|exists|shows_up)"},
    {IA_STEP_CHECK_ON, CHECK " [the] {a} [switch|setting] is [turned|switched] "
                             "(on|enabled|checked)"},
    {IA_STEP_CHECK_OFF, CHECK " [the] {a} [switch|setting] is [turned|switched] "
                              "(off|disabled|unchecked)"},
    {IA_STEP_CHECK_VISIBLE, CHECK " " CART " is empty =Cart Is Empty"},
    {IA_STEP_CHECK_VALUE, CHECK " [the] [reminder] {a} is due [on] {b}"},
    {IA_STEP_CHECK_VALUE, CHECK " [the] {a} [field] (says|reads|shows|is_set_to|equals|"
                                "has_the_value|contains) {b}"},
    {IA_STEP_CHECK_VISIBLE, CHECK " there is " THE " [contact|entry|row|button|text] "
                                  "[named|called] {a} [in|on] [the] [list|screen]"},
    {IA_STEP_CHECK_VISIBLE, CHECK " you can see [the] {a}"},
    {IA_STEP_CHECK_VALUE, CHECK " [the] {a} is {b}"},
    {IA_STEP_CHECK_VISIBLE, CHECK " [for] [the] {a}"},
    {IA_STEP_CLOSE, "(close|quit|terminate|kill) [the] {a} [app|application]"},
    {IA_STEP_OPEN, "(open|launch|start|run|show) [up] [the|my] {a} [app|application]"},
    {IA_STEP_OPEN, "(go|switch|navigate) to [the|my] {a} [app|application|screen|page|tab]"},
    {IA_STEP_TAP, "(tap|press|select|choose|click|hit|pick|push|touch) [on] [the] {a} "
                  "[button|row|cell|icon|tab|link|item|option|key|category]"},
};

/* Words that go on with the phrase before the comma. */
static const char *const continues[] = {"phone",  "email", "e-mail", "with",     "number",
                                        "mobile", "mail",  "whose",  "telephone"};
/* Words at the front of a phrase that say nothing. */
static const char *const fillers[] = {"please", "then",   "and",     "now",   "next",
                                      "also",   "first",  "finally", "after", "that",
                                      "you",    "should", "to",      "-",     "*"};

/* ---- words ---- */

enum { WORDS_MAX = 96 };

struct words {
    struct ia_str w[WORDS_MAX];
    size_t count;
};

static bool word_is(struct ia_str w, const char *s, size_t n)
{
    return w.n == n && strncasecmp(w.p, s, n) == 0;
}

static bool in_list(struct ia_str w, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (word_is(w, list[i], strlen(list[i]))) {
            return true;
        }
    }
    return false;
}

/* The closing mark for an opening quote at p, and its length; NULL for no quote. */
static const char *closing_quote(const char *p, size_t n)
{
    static const char *const pairs[][2] = {
        {"\"", "\""}, {"\xe2\x80\x9c", "\xe2\x80\x9d"}, {"\xc2\xab", "\xc2\xbb"}};
    for (size_t i = 0; i < IA_COUNTOF(pairs); i++) {
        size_t k = strlen(pairs[i][0]);
        if (n >= k && memcmp(p, pairs[i][0], k) == 0) {
            return pairs[i][1];
        }
    }
    return NULL;
}

/* Bytes of a quoted run at p with its marks, or 0 when none starts there. */
static size_t quoted_len(const char *p, size_t n)
{
    const char *close = closing_quote(p, n);
    size_t k = close ? strlen(close) : 0;
    for (size_t i = k; close && i + k <= n; i++) {
        if (memcmp(p + i, close, k) == 0) {
            return i + k;
        }
    }
    return 0;
}

static bool space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* A quoted run is one word, so that nothing inside it is read as grammar. */
static void split_words(struct ia_str s, struct words *ret)
{
    ret->count = 0;
    size_t i = 0;
    while (ret->count < WORDS_MAX) {
        while (i < s.n && space(s.p[i])) {
            i++;
        }
        if (i == s.n) {
            return;
        }
        size_t start = i;
        while (i < s.n && !space(s.p[i])) {
            size_t q = quoted_len(s.p + i, s.n - i);
            i += q ? q : 1;
        }
        ret->w[ret->count++] = (struct ia_str){s.p + start, i - start};
    }
}

/* ---- matching ---- */

struct match {
    const struct words *words;
    struct ia_str caught[3];
};

/* Words that an alternative takes at index i, or 0. `alt` uses _ for spaces. */
static size_t alternative_len(const struct words *w, size_t i, struct ia_str alt)
{
    size_t used = 0;
    while (alt.n > 0) {
        const char *gap = memchr(alt.p, '_', alt.n);
        size_t n = gap ? (size_t)(gap - alt.p) : alt.n;
        if (i + used >= w->count || !word_is(w->w[i + used], alt.p, n)) {
            return 0;
        }
        used++;
        alt.p += gap ? n + 1 : n;
        alt.n -= gap ? n + 1 : n;
    }
    return used;
}

static bool match_here(struct match *m, const char *pattern, size_t i);

/* Tries every alternative of "(x|y)" or "[x|y]" and goes on behind it. */
static bool match_group(struct match *m, const char *pattern, size_t i)
{
    bool optional = *pattern == '[';
    const char *end = strchr(pattern, optional ? ']' : ')');
    for (const char *p = pattern + 1; p < end;) {
        size_t n = strcspn(p, optional ? "|]" : "|)");
        size_t used = alternative_len(m->words, i, (struct ia_str){p, n});
        if (used > 0 && match_here(m, end + 1, i + used)) {
            return true;
        }
        p += n + 1;
    }
    return optional && match_here(m, end + 1, i);
}

static bool match_capture(struct match *m, const char *pattern, size_t i)
{
    size_t slot = (size_t)(pattern[1] - 'a');
    for (size_t end = i + 1; end <= m->words->count; end++) {
        const struct ia_str *first = &m->words->w[i];
        const struct ia_str *last = &m->words->w[end - 1];
        if (match_here(m, pattern + 3, end)) {
            m->caught[slot] = (struct ia_str){first->p, (size_t)(last->p + last->n - first->p)};
            return true;
        }
    }
    return false;
}

/* Digits, or a word for a small number. */
static bool is_number(struct ia_str w)
{
    static const char *const names[] = {"one", "two",   "three", "four", "five",
                                        "six", "seven", "eight", "nine"};
    size_t digits = 0;
    while (digits < w.n && isdigit((unsigned char)w.p[digits])) {
        digits++;
    }
    return (w.n > 0 && digits == w.n) || in_list(w, names, IA_COUNTOF(names));
}

static bool match_number(struct match *m, const char *pattern, size_t i)
{
    if (i == m->words->count || !is_number(m->words->w[i]) ||
        !match_here(m, pattern + 3, i + 1)) {
        return false;
    }
    m->caught[pattern[1] - 'a'] = m->words->w[i];
    return true;
}

static bool match_here(struct match *m, const char *pattern, size_t i)
{
    pattern += strspn(pattern, " ");
    if (*pattern == '\0' || *pattern == '=') {
        m->caught[0] = *pattern ? ia_str(pattern + 1) : m->caught[0];
        return i == m->words->count;
    }
    if (*pattern == '(' || *pattern == '[') {
        return match_group(m, pattern, i);
    }
    if (*pattern == '{') {
        return i < m->words->count && match_capture(m, pattern, i);
    }
    if (*pattern == '<') {
        return match_number(m, pattern, i);
    }
    size_t n = strcspn(pattern, " ");
    return i < m->words->count && word_is(m->words->w[i], pattern, n) &&
           match_here(m, pattern + n, i + 1);
}

/* ---- steps ---- */

static void copy_text(char dst[IA_STEP_TEXT_MAX], struct ia_str s)
{
    size_t n = s.n < IA_STEP_TEXT_MAX - 1 ? s.n : ia_utf8_cut(s.p, IA_STEP_TEXT_MAX - 1);
    memcpy(dst, s.n ? s.p : "", n);
    dst[n] = '\0';
}

static struct ia_str unquote(struct ia_str s)
{
    const char *close = closing_quote(s.p, s.n);
    size_t k = close ? strlen(close) : 0;
    if (close && quoted_len(s.p, s.n) == s.n) {
        s.p += k;
        s.n -= 2 * k;
    } else if (s.n > 2 && s.p[0] == '\'' && s.p[s.n - 1] == '\'') {
        s.p++;
        s.n -= 2;
    }
    return s;
}

static struct ia_str strip(struct ia_str s)
{
    while (s.n > 0 && (space(s.p[0]) || s.p[0] == ',')) {
        s.p++;
        s.n--;
    }
    while (s.n > 0 && (space(s.p[s.n - 1]) || strchr(".,;!", s.p[s.n - 1]))) {
        s.n--;
    }
    return s;
}

static bool only_digits(struct ia_str w)
{
    size_t n = 0;
    while (n < w.n && isdigit((unsigned char)w.p[n])) {
        n++;
    }
    return n > 0 && n == w.n;
}

static bool is_number_mark(struct ia_str w)
{
    return w.n > 1 && strchr(".):", w.p[w.n - 1]) && only_digits((struct ia_str){w.p, w.n - 1});
}

static struct ia_str drop_fillers(struct ia_str s)
{
    for (;;) {
        s = strip(s);
        size_t n = 0;
        while (n < s.n && !space(s.p[n]) && s.p[n] != ',') {
            n++;
        }
        struct ia_str first = {s.p, n};
        if (n == 0 ||
            !(in_list(first, fillers, IA_COUNTOF(fillers)) || is_number_mark(first))) {
            return s;
        }
        s.p += n;
        s.n -= n;
    }
}

void ia_phrase_parse(struct ia_str phrase, struct ia_step *ret)
{
    struct words words;
    phrase = drop_fillers(phrase);
    split_words(phrase, &words);
    memset(ret, 0, sizeof(*ret));
    copy_text(ret->text, phrase);
    for (size_t i = 0; i < IA_COUNTOF(rows) && words.count < WORDS_MAX; i++) {
        struct match m = {.words = &words};
        if (match_here(&m, rows[i].pattern, 0)) {
            ret->kind = rows[i].kind;
            copy_text(ret->a, unquote(strip(m.caught[0])));
            copy_text(ret->b, unquote(strip(m.caught[1])));
            copy_text(ret->c, unquote(strip(m.caught[2])));
            return;
        }
    }
}

/* ---- splitting a goal ---- */

static struct ia_str next_word(struct ia_str s)
{
    size_t start = 0;
    while (start < s.n && space(s.p[start])) {
        start++;
    }
    size_t n = 0;
    while (start + n < s.n && !space(s.p[start + n]) && s.p[start + n] != ',') {
        n++;
    }
    return (struct ia_str){s.p + start, n};
}

/* True when the word begins some row of the table. */
static bool is_verb(struct ia_str w)
{
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        const char *p = rows[i].pattern;
        if (*p != '(') {
            if (word_is(w, p, strcspn(p, " "))) {
                return true;
            }
            continue;
        }
        for (p++; *p && *p != ')';) {
            size_t n = strcspn(p, "|_)");
            if (word_is(w, p, n)) {
                return true;
            }
            p += strcspn(p, "|)");
            p += *p == '|';
        }
    }
    return false;
}

/* True when text starts with the word and a space follows. */
static bool at_word(struct ia_str s, const char *word)
{
    size_t n = strlen(word);
    return s.n > n && strncasecmp(s.p, word, n) == 0 && space(s.p[n]);
}

/* Bytes of a separator at s, or 0. before: the byte in front of it. */
static size_t separator_len(struct ia_str s, char before)
{
    struct ia_str rest = {s.p + 1, s.n - 1};
    char c = s.p[0];
    if (c == '\n' || c == ';') {
        return 1;
    }
    bool ends_word = rest.n == 0 || space(rest.p[0]);
    if (c == '.' && ends_word) {
        return 1;
    }
    if (c == ',' && ends_word) {
        return in_list(next_word(rest), continues, IA_COUNTOF(continues)) ? 0 : 1;
    }
    if (!space(before)) {
        return 0;
    }
    if (at_word(s, "then")) {
        return 4;
    }
    struct ia_str after = {s.p + 3, s.n > 3 ? s.n - 3 : 0};
    return at_word(s, "and") && (is_verb(next_word(after)) || at_word(strip(after), "then"))
               ? 3
               : 0;
}

static bool blank(struct ia_str s)
{
    return drop_fillers(s).n == 0;
}

/* Bytes of the first phrase of s; *ret_skip: of the separator behind it. */
static size_t phrase_len(struct ia_str s, size_t *ret_skip)
{
    for (size_t i = 0; i < s.n;) {
        size_t q = quoted_len(s.p + i, s.n - i);
        size_t sep =
            q ? 0 : separator_len((struct ia_str){s.p + i, s.n - i}, i ? s.p[i - 1] : ' ');
        /* "1." is no phrase of its own. */
        if (sep && !only_digits(strip((struct ia_str){s.p, i}))) {
            *ret_skip = sep;
            return i;
        }
        i += q ? q : 1;
    }
    *ret_skip = 0;
    return s.n;
}

/* "turn on Bluetooth in Settings" names where it is done: {a} the step, {b} the app. */
static const char *const places[] = {
    "{a} in [the|my] {b} app",
    "{a} in [the|my] (settings|contacts|reminders|shop)",
    "in [the|my] {b} app {a}",
    "in [the|my] (settings|contacts|reminders|shop) {a}",
};

/* Checks keep their place: "is in Contacts" says what is checked, not where to go. */
static bool moves(enum ia_step_kind kind)
{
    return kind == IA_STEP_TAP || kind == IA_STEP_SWITCH_ON || kind == IA_STEP_SWITCH_OFF ||
           kind == IA_STEP_ADD_CONTACT || kind == IA_STEP_SEARCH || kind == IA_STEP_SCROLL ||
           kind == IA_STEP_DELETE || kind == IA_STEP_OPEN || kind == IA_STEP_LOGIN ||
           kind == IA_STEP_ADD_TO_CART || kind == IA_STEP_TAKE_OUT || kind == IA_STEP_COUPON ||
           kind == IA_STEP_ADD_REMINDER || kind == IA_STEP_COMPLETE;
}

/* The app that a place without the word "app" names: the phrase's word that is one. */
static struct ia_str named_app(const struct words *w, bool first)
{
    static const char *const apps[] = {"settings", "contacts", "reminders", "shop"};
    for (size_t i = 0; i < w->count; i++) {
        struct ia_str word = w->w[first ? i : w->count - 1 - i];
        if (in_list(word, apps, IA_COUNTOF(apps))) {
            return word;
        }
    }
    return (struct ia_str){0};
}

/* Splits off the place as a step of its own in front. False when the phrase names none. */
static bool parse_placed(struct ia_str phrase, struct ia_step ret[2])
{
    struct words words;
    phrase = drop_fillers(phrase);
    split_words(phrase, &words);
    for (size_t i = 0; i < IA_COUNTOF(places) && words.count < WORDS_MAX; i++) {
        struct match m = {.words = &words};
        if (!match_here(&m, places[i], 0)) {
            continue;
        }
        ia_phrase_parse(m.caught[0], &ret[1]);
        struct ia_str app = m.caught[1].n ? m.caught[1] : named_app(&words, i == 3);
        memset(&ret[0], 0, sizeof(ret[0]));
        ret[0].kind = IA_STEP_OPEN;
        copy_text(ret[0].a, unquote(app));
        (void)snprintf(ret[0].text, IA_STEP_TEXT_MAX, "open %.200s", ret[0].a);
        return moves(ret[1].kind);
    }
    return false;
}

size_t ia_goal_parse(struct ia_str goal, struct ia_step *ret)
{
    size_t count = 0;
    goal.n = goal.n > IA_GOAL_BYTES_MAX ? ia_utf8_cut(goal.p, IA_GOAL_BYTES_MAX) : goal.n;
    while (goal.n > 0 && count < IA_STEPS_MAX) {
        size_t skip;
        size_t n = phrase_len(goal, &skip);
        struct ia_str phrase = {goal.p, n};
        struct ia_step placed[2];
        if (count + 2 <= IA_STEPS_MAX && parse_placed(phrase, placed)) {
            memcpy(&ret[count], placed, sizeof(placed));
            count += 2;
        } else if (!blank(phrase)) {
            ia_phrase_parse(phrase, &ret[count++]);
        }
        goal.p += n + skip;
        goal.n -= n + skip;
    }
    if (!blank(goal)) {
        memset(&ret[IA_STEPS_MAX - 1], 0, sizeof(*ret));
        copy_text(ret[IA_STEPS_MAX - 1].text, strip(goal));
    }
    return count;
}
