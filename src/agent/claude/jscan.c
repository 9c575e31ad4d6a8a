/* jscan.c: the JSON scanner. No recursion: the open containers are a small stack of the characters
 * that will close them.
 *
 *     value    take_start: a scalar, or "{" "[" pushed
 *              take_first: after an opening, its closing or the first key
 *              take_after: closings, then a comma and the next key
 *
 * Strings take most of the time, so their plain bytes are skipped eight at a time. The lowest mark
 * in a word is exact; marks above it may be false, because a subtraction borrows upwards. */
#include "agent/claude/jscan.h"

#include "base/utf8.h"

#include <string.h>

#define ONES UINT64_C(0x0101010101010101)
#define HIGH UINT64_C(0x8080808080808080)

/* Nonzero when one of the eight bytes at p is a control, a quote, a backslash or not ASCII. */
static uint64_t special(const char *p)
{
    uint64_t x;
    memcpy(&x, p, sizeof(x));
    uint64_t control = x - ONES * 0x20;
    uint64_t quote = (x ^ ONES * '"') - ONES;
    uint64_t slash = (x ^ ONES * '\\') - ONES;
    return (control | quote | slash | x) & HIGH;
}

static bool plain(unsigned char c)
{
    return c >= 0x20 && c < 0x80 && c != '"' && c != '\\';
}

/* The first byte of a string's content that is not a plain character. */
static const char *plain_end(const char *p, const char *end)
{
    while (end - p >= 8) {
        uint64_t mark = special(p);
        /* The lowest mark is the first byte in memory on little-endian machines only. */
        if (mark) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
            return p + (__builtin_ctzll(mark) >> 3);
#else
            break;
#endif
        }
        p += 8;
    }
    while (p < end && plain((unsigned char)*p)) {
        p++;
    }
    return p;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    char lower = (char)(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/* The code unit of four hexadecimal digits, or -1. */
static int hex4(const char *p, const char *end)
{
    int unit = 0;
    if (end - p < 4) {
        return -1;
    }
    for (int i = 0; i < 4; i++) {
        int digit = hex_digit(p[i]);
        if (digit < 0) {
            return -1;
        }
        unit = unit * 16 + digit;
    }
    return unit;
}

static bool is_surrogate(int unit)
{
    return (unit & 0xF800) == 0xD800;
}

/* s->p is at a backslash. */
static bool take_escape(struct ia_jscan *s, struct ia_jstr *str)
{
    str->escaped = true;
    if (s->end - s->p < 2) {
        return false;
    }
    char c = s->p[1];
    s->p += 2;
    if (c != 'u') {
        return c && strchr("\"\\/bfnrt", c);
    }
    int unit = hex4(s->p, s->end);
    if (unit < 0) {
        return false;
    }
    s->p += 4;
    str->surrogates = str->surrogates || is_surrogate(unit);
    return true;
}

bool ia_jscan_string(struct ia_jscan *s, struct ia_jstr *ret)
{
    if (!ia_jscan_take(s, '"')) {
        return false;
    }
    *ret = (struct ia_jstr){.raw = {s->p, 0}};
    for (;;) {
        s->p = plain_end(s->p, s->end);
        if (s->p == s->end) {
            return false;
        }
        unsigned char c = (unsigned char)*s->p;
        if (c == '"') {
            ret->raw.n = (size_t)(s->p++ - ret->raw.p);
            return true;
        }
        if (c == '\\') {
            if (!take_escape(s, ret)) {
                return false;
            }
            continue;
        }
        size_t n = c < 0x20 ? 0 : ia_utf8_valid_len(s->p, (size_t)(s->end - s->p));
        if (n == 0) {
            return false;
        }
        s->p += n;
    }
}

static bool take_digits(struct ia_jscan *s)
{
    const char *start = s->p;
    while (s->p < s->end && *s->p >= '0' && *s->p <= '9') {
        s->p++;
    }
    return s->p > start;
}

static bool at(const struct ia_jscan *s, char c)
{
    return s->p < s->end && *s->p == c;
}

static bool take_number(struct ia_jscan *s)
{
    s->p += at(s, '-');
    if (at(s, '0')) {
        s->p++;
    } else if (!take_digits(s)) {
        return false;
    }
    if (at(s, '.')) {
        s->p++;
        if (!take_digits(s)) {
            return false;
        }
    }
    if (at(s, 'e') || at(s, 'E')) {
        s->p++;
        if (at(s, '+') || at(s, '-')) {
            s->p++;
        }
        return take_digits(s);
    }
    return true;
}

static bool take_word(struct ia_jscan *s, const char *word)
{
    size_t n = strlen(word);
    if ((size_t)(s->end - s->p) < n || memcmp(s->p, word, n) != 0) {
        return false;
    }
    s->p += n;
    return true;
}

static bool take_scalar(struct ia_jscan *s)
{
    struct ia_jstr unused;
    switch (*s->p) {
    case '"':
        return ia_jscan_string(s, &unused);
    case 't':
        return take_word(s, "true");
    case 'f':
        return take_word(s, "false");
    case 'n':
        return take_word(s, "null");
    default:
        return take_number(s);
    }
}

/* The open containers around the cursor, innermost last, as their closing characters. */
struct nest {
    char close[IA_JSCAN_DEPTH];
    int depth;
};

/* Takes what comes before a value inside the innermost container: the key of a member. */
static bool take_key(struct ia_jscan *s, const struct nest *n)
{
    struct ia_jstr key;
    return n->close[n->depth - 1] == ']' || (ia_jscan_string(s, &key) && ia_jscan_take(s, ':'));
}

/* Takes one scalar or the opening of a container. *ret_open says which. */
static bool take_start(struct ia_jscan *s, struct nest *n, bool *ret_open)
{
    ia_jscan_space(s);
    if (s->p == s->end) {
        return false;
    }
    *ret_open = *s->p == '{' || *s->p == '[';
    if (!*ret_open) {
        return take_scalar(s);
    }
    if (n->depth == IA_JSCAN_DEPTH) {
        return false;
    }
    n->close[n->depth++] = *s->p++ == '{' ? '}' : ']';
    return true;
}

/* After a value: closes every container that ends here, then takes the comma and key before the
 * next value. False on malformed text; n->depth is 0 when the outermost value is complete. */
static bool take_after(struct ia_jscan *s, struct nest *n)
{
    while (n->depth > 0 && ia_jscan_take(s, n->close[n->depth - 1])) {
        n->depth--;
    }
    return n->depth == 0 || (ia_jscan_take(s, ',') && take_key(s, n));
}

/* After an opening: takes the closing of an empty container, or the key of its first member. */
static bool take_first(struct ia_jscan *s, struct nest *n)
{
    if (!ia_jscan_take(s, n->close[n->depth - 1])) {
        return take_key(s, n);
    }
    n->depth--;
    return n->depth == 0 || take_after(s, n);
}

bool ia_jscan_value(struct ia_jscan *s, struct ia_str *ret)
{
    struct nest n = {.depth = 0};
    ia_jscan_space(s);
    const char *start = s->p;
    do {
        bool open;
        if (!take_start(s, &n, &open) || !(open ? take_first(s, &n) : take_after(s, &n))) {
            return false;
        }
    } while (n.depth > 0);
    if (ret) {
        *ret = (struct ia_str){start, (size_t)(s->p - start)};
    }
    return true;
}

bool ia_jscan_end(struct ia_jscan *s)
{
    ia_jscan_space(s);
    return s->p == s->end;
}

bool ia_json_valid(struct ia_str json)
{
    struct ia_jscan s = ia_jscan(json);
    return ia_jscan_value(&s, NULL) && ia_jscan_end(&s);
}

struct ia_jwalk ia_jwalk(struct ia_jscan s, char open)
{
    struct ia_jwalk w = {.s = s, .first = true};
    w.bad = !ia_jscan_take(&w.s, open);
    return w;
}

/* True when another member or item follows; false at the closing character. */
static bool walk_on(struct ia_jwalk *w, char close)
{
    if (w->bad || ia_jscan_take(&w->s, close)) {
        return false;
    }
    w->bad = !w->first && !ia_jscan_take(&w->s, ',');
    w->first = false;
    return !w->bad;
}

bool ia_jwalk_member(struct ia_jwalk *w, struct ia_jstr *ret_key)
{
    if (!walk_on(w, '}')) {
        return false;
    }
    w->bad = !ia_jscan_string(&w->s, ret_key) || !ia_jscan_take(&w->s, ':');
    return !w->bad;
}

bool ia_jwalk_item(struct ia_jwalk *w)
{
    return walk_on(w, ']');
}

bool ia_jwalk_value(struct ia_jwalk *w, struct ia_str *ret)
{
    w->bad = w->bad || !ia_jscan_value(&w->s, ret);
    return !w->bad;
}

static struct ia_str get_raw(struct ia_str object, struct ia_str key)
{
    struct ia_str found = {NULL, 0};
    struct ia_str value;
    struct ia_jstr name;
    struct ia_jwalk w = ia_jwalk(ia_jscan(object), '{');
    while (ia_jwalk_member(&w, &name) && ia_jwalk_value(&w, &value)) {
        /* The last of several members of one name counts, as in most parsers. */
        if (ia_str_eq(name.raw, key)) {
            found = value;
        }
    }
    return w.bad ? (struct ia_str){NULL, 0} : found;
}

struct ia_str ia_json_get(struct ia_str object, const char *key)
{
    return get_raw(object, ia_str(key));
}

char *ia_json_get_string(struct ia_str object, const char *key)
{
    struct ia_jscan s = ia_jscan(ia_json_get(object, key));
    struct ia_jstr str;
    if (s.p == s.end || !ia_jscan_string(&s, &str)) {
        return NULL;
    }
    struct ia_buf text = IA_BUF(str.raw.n + 1), safe = IA_BUF(str.raw.n + 1);
    ia_jstr_decode(str, &text);
    /* A NUL would end the text for who reads it: "finish" and "finish\0" are two names. It took six
     * bytes as an escape, so U+FFFD fits. */
    for (size_t i = 0; i < text.len; i++) {
        ia_buf_put(&safe, text.p[i] ? &text.p[i] : "\xef\xbf\xbd", text.p[i] ? 1 : 3);
    }
    ia_buf_fini(&text);
    return safe.p ? ia_buf_steal(&safe) : ia_strdup("");
}

int64_t ia_json_int(struct ia_str json, int64_t fallback)
{
    size_t i = json.n > 0 && json.p[0] == '-';
    int64_t v = 0;
    /* 18 digits always fit into 64 bits. */
    if (json.n == i || json.n - i > 18) {
        return fallback;
    }
    for (size_t k = i; k < json.n; k++) {
        if (json.p[k] < '0' || json.p[k] > '9') {
            return fallback;
        }
        v = v * 10 + (json.p[k] - '0');
    }
    return i ? -v : v;
}

int64_t ia_json_get_int(struct ia_str object, const char *key, int64_t fallback)
{
    return ia_json_int(ia_json_get(object, key), fallback);
}

static void put_member(struct ia_buf *out, struct ia_str key, struct ia_str value, bool *first)
{
    ia_buf_puts(out, *first ? "\"" : ",\"");
    ia_buf_putstr(out, key);
    ia_buf_puts(out, "\":");
    ia_buf_putstr(out, value);
    *first = false;
}

static const struct ia_jpair *pair_find(const struct ia_jpair *pairs, size_t n,
                                        struct ia_str key)
{
    for (size_t i = 0; i < n; i++) {
        if (ia_str_eq(pairs[i].key, key)) {
            return &pairs[i];
        }
    }
    return NULL;
}

bool ia_json_patch(struct ia_str base, const struct ia_jpair *pairs, size_t n,
                   struct ia_buf *out)
{
    struct ia_jwalk w = ia_jwalk(ia_jscan(base), '{');
    struct ia_jstr key;
    struct ia_str value;
    bool first = true;
    ia_buf_putc(out, '{');
    while (ia_jwalk_member(&w, &key) && ia_jwalk_value(&w, &value)) {
        const struct ia_jpair *pair = pair_find(pairs, n, key.raw);
        put_member(out, key.raw, pair ? pair->value : value, &first);
    }
    /* What the base does not have comes behind it, in the order of the pairs. */
    for (size_t i = 0; i < n; i++) {
        if (get_raw(base, pairs[i].key).n == 0) {
            put_member(out, pairs[i].key, pairs[i].value, &first);
        }
    }
    ia_buf_putc(out, '}');
    return !w.bad;
}

int ia_json_pairs(struct ia_str object, struct ia_jpair *pairs, size_t max)
{
    struct ia_jwalk w = ia_jwalk(ia_jscan(object), '{');
    struct ia_jstr key;
    struct ia_str value;
    size_t n = 0;
    while (ia_jwalk_member(&w, &key) && ia_jwalk_value(&w, &value)) {
        if (n == max) {
            return -1;
        }
        pairs[n++] = (struct ia_jpair){key.raw, value};
    }
    return w.bad ? -1 : (int)n;
}

/* The code unit of a \u escape at p, or -1. */
static int unit_at(const char *p, const char *end)
{
    return end - p >= 6 && p[0] == '\\' && p[1] == 'u' ? hex4(p + 2, end) : -1;
}

static void put_code_point(struct ia_buf *out, uint32_t cp)
{
    char bytes[4];
    ia_buf_put(out, bytes, ia_utf8_encode(cp, bytes));
}

/* p is at a \u escape; returns how many bytes it takes, with its pair. *ret is its code point,
 * U+FFFD for a lone surrogate. */
static size_t code_point(const char *p, const char *end, uint32_t *ret)
{
    int unit = unit_at(p, end);
    *ret = unit < 0 || is_surrogate(unit) ? 0xFFFD : (uint32_t)unit;
    if (unit >= 0xD800 && unit < 0xDC00) {
        int low = unit_at(p + 6, end);
        if (low >= 0xDC00 && low < 0xE000) {
            *ret = 0x10000 + ((uint32_t)(unit - 0xD800) << 10) + (uint32_t)(low - 0xDC00);
            return 12;
        }
    }
    return 6;
}

/* Decodes the escape at p and returns its length. */
static size_t decode_escape(const char *p, const char *end, struct ia_buf *out)
{
    static const char letters[] = "bfnrt";
    static const char controls[] = "\b\f\n\r\t";
    if (p[1] == 'u') {
        uint32_t cp;
        size_t n = code_point(p, end, &cp);
        put_code_point(out, cp);
        return n;
    }
    const char *letter = strchr(letters, p[1]);
    ia_buf_putc(out, letter ? controls[letter - letters] : p[1]);
    return 2;
}

void ia_jstr_decode(struct ia_jstr s, struct ia_buf *out)
{
    const char *p = s.raw.p ? s.raw.p : "";
    const char *end = p + s.raw.n;
    while (p < end) {
        const char *slash = s.escaped ? memchr(p, '\\', (size_t)(end - p)) : NULL;
        const char *stop = slash ? slash : end;
        ia_buf_put(out, p, (size_t)(stop - p));
        p = stop;
        if (slash) {
            p += decode_escape(p, end, out);
        }
    }
}

void ia_jstr_fix_surrogates(struct ia_str raw, struct ia_buf *out)
{
    const char *p = raw.p ? raw.p : "";
    const char *end = p + raw.n;
    while (p < end) {
        if (*p != '\\') {
            ia_buf_putc(out, *p++);
            continue;
        }
        uint32_t cp = 0;
        size_t n = p[1] == 'u' ? code_point(p, end, &cp) : 2;
        if (n == 6 && is_surrogate(unit_at(p, end))) {
            ia_buf_puts(out, "\\ufffd");
        } else {
            ia_buf_put(out, p, n);
        }
        p += n;
    }
}

bool ia_json_close(struct ia_str partial, struct ia_buf *out)
{
    struct ia_jscan s = ia_jscan(partial);
    struct nest n = {.depth = 0};
    struct nest complete = n;
    const char *cut = NULL;
    bool open;
    do {
        if (!take_start(&s, &n, &open)) {
            break;
        }
        /* More digits may have been meant where the text was cut. */
        if (s.p == s.end && s.p[-1] >= '0' && s.p[-1] <= '9') {
            break;
        }
        cut = s.p;
        complete = n;
    } while ((open ? take_first(&s, &n) : take_after(&s, &n)) && n.depth > 0);
    if (!cut) {
        return false;
    }
    ia_buf_put(out, partial.p, (size_t)(cut - partial.p));
    for (int i = complete.depth; i > 0; i--) {
        ia_buf_putc(out, complete.close[i - 1]);
    }
    return true;
}
