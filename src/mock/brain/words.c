/* words.c: see words.h. A run between spaces is a word; its marks at both ends are split off. */
#include "mock/brain/words.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

enum { SLIP_LETTERS_MIN = 6, NUMBER_DIGITS_MAX = 6, AKIN_LETTERS_MIN = 3 };

static bool space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static bool word_byte(char c)
{
    return isalnum((unsigned char)c) || (unsigned char)c >= 0x80;
}

/* ---- quotes ---- */

static const char *const quotes[][2] = {{"\"", "\""},
                                        {"\xe2\x80\x9c", "\xe2\x80\x9d"},
                                        {"\xc2\xab", "\xc2\xbb"},
                                        {"\xe2\x80\x98", "\xe2\x80\x99"},
                                        {"'", "'"}};

/* Bytes of a quoted run at p with its marks, 0 for none; *ret_mark: of one mark. An apostrophe
 * inside a word closes nothing, and no quote goes beyond its line. */
static size_t quoted_len(const char *p, size_t n, size_t *ret_mark)
{
    for (size_t q = 0; q < IA_COUNTOF(quotes); q++) {
        size_t open = strlen(quotes[q][0]), close = strlen(quotes[q][1]);
        if (n < open || memcmp(p, quotes[q][0], open) != 0) {
            continue;
        }
        bool single = q >= 3;
        for (size_t i = open; i + close <= n && p[i] != '\n'; i++) {
            bool inside = single && i + close < n && word_byte(p[i + close]);
            if (memcmp(p + i, quotes[q][1], close) == 0 && !inside && i > open) {
                *ret_mark = open;
                return i + close;
            }
        }
    }
    return 0;
}

/* ---- splitting ---- */

static void add(struct ia_words *ret, const char *p, size_t n, enum ia_word_kind kind)
{
    if (ret->count == IA_WORDS_MAX) {
        ret->cut = true;
    } else if (n > 0) {
        ret->w[ret->count++] = (struct ia_word){{p, n}, kind, {p, n}};
    }
}

static enum ia_word_kind mark_kind(char c)
{
    return strchr(".;?!", c) ? IA_WORD_STOP : IA_WORD_PAUSE;
}

/* Bytes of "'s" at the end of a word that has more than that. */
static size_t possessive(const char *p, size_t n)
{
    static const char *const ends[] = {"'s", "\xe2\x80\x99s"};
    for (size_t i = 0; i < IA_COUNTOF(ends); i++) {
        size_t k = strlen(ends[i]);
        if (n > k && memcmp(p + n - k, ends[i], k) == 0) {
            return k;
        }
    }
    return 0;
}

/* A run between spaces: marks, the word, "'s", marks. */
static void add_run(struct ia_words *ret, const char *p, size_t n)
{
    while (n > 1 && strchr("([", *p)) {
        add(ret, p++, 1, IA_WORD_PAUSE);
        n--;
    }
    size_t end = n;
    while (end > 0 && strchr(".,;:!?)]", p[end - 1])) {
        end--;
    }
    bool dash =
        (end == 1 && (*p == '-' || *p == '*')) ||
        (end == 3 && memcmp(p, "\xe2\x80", 2) == 0 && (p[2] == '\x93' || p[2] == '\x94'));
    size_t owner = possessive(p, end);
    add(ret, p, end - owner, dash ? IA_WORD_PAUSE : IA_WORD_PLAIN);
    add(ret, p + end - owner, owner, IA_WORD_PLAIN);
    for (; end < n; end++) {
        add(ret, p + end, 1, mark_kind(p[end]));
    }
}

/* "{{secret:A B}}" is one run. */
static size_t run_len(const char *p, size_t n)
{
    size_t i = 0;
    while (i < n && !space(p[i])) {
        size_t close = i + 2;
        bool braces = n - i > 4 && memcmp(p + i, "{{", 2) == 0;
        while (braces && close + 2 <= n && p[close] != '\n' &&
               memcmp(p + close, "}}", 2) != 0) {
            close++;
        }
        i = braces && close + 2 <= n && p[close] == '}' ? close + 2 : i + 1;
    }
    return i;
}

void ia_words_split(struct ia_str s, struct ia_words *ret)
{
    ret->count = 0;
    ret->cut = false;
    for (size_t i = 0; i < s.n;) {
        size_t mark = 0, q = quoted_len(s.p + i, s.n - i, &mark);
        if (s.p[i] == '\n') {
            add(ret, s.p + i++, 1, IA_WORD_STOP);
        } else if (space(s.p[i])) {
            i++;
        } else if (q > 0) {
            add(ret, s.p + i + mark, q > 2 * mark ? q - mark - mark : 0, IA_WORD_QUOTED);
            ret->w[ret->count ? ret->count - 1 : 0].raw = (struct ia_str){s.p + i, q};
            i += q;
            for (; i < s.n && strchr(".,;:!?)]", s.p[i]); i++) {
                add(ret, s.p + i, 1, mark_kind(s.p[i]));
            }
        } else {
            size_t n = run_len(s.p + i, s.n - i);
            add_run(ret, s.p + i, n);
            i += n;
        }
    }
}

/* ---- comparing ---- */

/* Lower case, a curly apostrophe as a straight one. */
static size_t folded(struct ia_str w, char *out, size_t size)
{
    size_t n = 0;
    for (size_t i = 0; i < w.n && n < size; i++) {
        bool curly = w.n - i >= 3 && memcmp(w.p + i, "\xe2\x80\x99", 3) == 0;
        out[n++] = curly ? '\'' : (char)tolower((unsigned char)w.p[i]);
        i += curly ? 2 : 0;
    }
    return n;
}

enum { WORD_BYTES = 64 };

/* One letter missing, wrong, too many or swapped, away from both ends. */
static bool slipped(const char *a, size_t na, const char *b, size_t nb)
{
    size_t head = 0, tail = 0;
    size_t least = na < nb ? na : nb;
    while (head < least && a[head] == b[head]) {
        head++;
    }
    while (tail < least - head && a[na - 1 - tail] == b[nb - 1 - tail]) {
        tail++;
    }
    size_t left_a = na - head - tail, left_b = nb - head - tail;
    bool swapped =
        left_a == 2 && left_b == 2 && a[head] == b[head + 1] && a[head + 1] == b[head];
    bool letters = true;
    for (size_t i = head; i < na - tail; i++) {
        letters = letters && isalpha((unsigned char)a[i]);
    }
    for (size_t i = head; i < nb - tail; i++) {
        letters = letters && isalpha((unsigned char)b[i]);
    }
    return letters && head > 0 && tail > 0 && (swapped || (left_a <= 1 && left_b <= 1));
}

/* What nearly every comparison ends with: words that begin differently differ. */
static bool begin_alike(struct ia_str a, struct ia_str b)
{
    unsigned char x = a.n ? (unsigned char)*a.p : 0, y = b.n ? (unsigned char)*b.p : 0;
    return x && y && (tolower(x) == tolower(y) || x >= 0x80 || y >= 0x80);
}

bool ia_word_same(struct ia_str a, struct ia_str b)
{
    char fa[WORD_BYTES], fb[WORD_BYTES];
    if (!begin_alike(a, b)) {
        return false;
    }
    if (a.n >= WORD_BYTES || b.n >= WORD_BYTES) {
        return a.n == b.n && strncasecmp(a.p, b.p, a.n) == 0;
    }
    size_t na = folded(a, fa, sizeof(fa)), nb = folded(b, fb, sizeof(fb));
    return na == nb && memcmp(fa, fb, na) == 0;
}

bool ia_word_is(struct ia_str w, const char *known)
{
    struct ia_str k = ia_str(known);
    char fa[WORD_BYTES], fb[WORD_BYTES];
    if (!begin_alike(w, k) || w.n + 1 < k.n || w.n > k.n + 3 || w.n >= WORD_BYTES ||
        k.n >= WORD_BYTES) {
        return false;
    }
    size_t na = folded(w, fa, sizeof(fa)), nb = folded(k, fb, sizeof(fb));
    return (na == nb && memcmp(fa, fb, na) == 0) ||
           (na >= SLIP_LETTERS_MIN && nb >= SLIP_LETTERS_MIN && slipped(fa, na, fb, nb));
}

/* True when s is an ending that leaves the word the same. */
static bool ending(const char *s, size_t n)
{
    static const char *const ends[] = {"", "s", "es", "d", "ed", "ing"};
    for (size_t i = 0; i < IA_COUNTOF(ends); i++) {
        if (strlen(ends[i]) == n && memcmp(ends[i], s, n) == 0) {
            return true;
        }
    }
    return false;
}

bool ia_word_akin(struct ia_str a, struct ia_str b)
{
    char fa[WORD_BYTES], fb[WORD_BYTES];
    if (a.n >= WORD_BYTES || b.n >= WORD_BYTES || !begin_alike(a, b)) {
        return ia_word_same(a, b);
    }
    size_t na = folded(a, fa, sizeof(fa)), nb = folded(b, fb, sizeof(fb)), head = 0;
    while (head < na && head < nb && fa[head] == fb[head]) {
        head++;
    }
    return (head == na && head == nb) ||
           (head >= AKIN_LETTERS_MIN && ending(fa + head, na - head) &&
            ending(fb + head, nb - head));
}

bool ia_word_next(struct ia_str *s, struct ia_str *ret)
{
    size_t i = 0, n = 0;
    while (i < s->n && !word_byte(s->p[i])) {
        i++;
    }
    while (i + n < s->n && (word_byte(s->p[i + n]) || s->p[i + n] == '\'')) {
        n++;
    }
    *ret = (struct ia_str){s->p + i, n};
    *s = (struct ia_str){s->p + i + n, s->n - i - n};
    return n > 0;
}

bool ia_text_same(struct ia_str a, const char *b)
{
    struct ia_str rest = ia_str(b), wa, wb;
    for (;;) {
        bool more_a = ia_word_next(&a, &wa), more_b = ia_word_next(&rest, &wb);
        if (!more_a || !more_b) {
            return more_a == more_b;
        }
        char known[WORD_BYTES];
        size_t n = folded(wb, known, sizeof(known) - 1);
        known[n] = '\0';
        if (!ia_word_is(wa, known)) {
            return false;
        }
    }
}

bool ia_text_tells(const char *text, struct ia_str part)
{
    static const char empty[] = "the a an my of to for from in on at and or is it its that "
                                "already just reminder task item one piece pieces";
    struct ia_str word, other;
    size_t told = 0;
    while (ia_word_next(&part, &word)) {
        struct ia_str rest = ia_str(text);
        bool found = false;
        while (!found && ia_word_next(&rest, &other)) {
            found = ia_word_akin(word, other);
        }
        bool says = !ia_word_in(word, empty);
        if (says && !found) {
            return false;
        }
        told += says;
    }
    return told > 0;
}

struct ia_str ia_text_key(struct ia_str s)
{
    struct ia_str best = {0}, word;
    while (ia_word_next(&s, &word)) {
        best = word.n > best.n ? word : best;
    }
    for (size_t cut = 3; cut > 0; cut--) {
        if (best.n > cut + AKIN_LETTERS_MIN && ending(best.p + best.n - cut, cut)) {
            best.n -= cut;
            break;
        }
    }
    return best;
}

bool ia_word_in(struct ia_str w, const char *list)
{
    struct ia_str rest = ia_str(list);
    while (rest.n > 0) {
        const char *gap = memchr(rest.p, ' ', rest.n);
        size_t n = gap ? (size_t)(gap - rest.p) : rest.n;
        if (ia_word_same(w, (struct ia_str){rest.p, n})) {
            return true;
        }
        rest.p += gap ? n + 1 : n;
        rest.n -= gap ? n + 1 : n;
    }
    return false;
}

struct ia_str ia_words_text(const struct ia_words *w, size_t from, size_t to)
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

bool ia_word_plain_in(const struct ia_word *w, const char *list)
{
    return w->kind == IA_WORD_PLAIN && ia_word_in(w->s, list);
}

bool ia_word_joins_items(const struct ia_word *w)
{
    return (w->kind == IA_WORD_PAUSE && *w->s.p == ',') || ia_word_plain_in(w, "and");
}

bool ia_word_joins_clauses(const struct ia_word *w)
{
    return ia_word_plain_in(w, "and then but also plus");
}

long ia_word_number(struct ia_str w)
{
    static const char *const names[] = {"zero", "one",    "two",   "three", "four",
                                        "five", "six",    "seven", "eight", "nine",
                                        "ten",  "eleven", "twelve"};
    long v = 0;
    size_t i = 0;
    for (; i < w.n && i < NUMBER_DIGITS_MAX && isdigit((unsigned char)w.p[i]); i++) {
        v = v * 10 + (w.p[i] - '0');
    }
    if (i > 0 && i == w.n) {
        return v;
    }
    for (size_t n = 0; n < IA_COUNTOF(names); n++) {
        if (ia_word_same(w, ia_str(names[n]))) {
            return (long)n;
        }
    }
    return -1;
}
