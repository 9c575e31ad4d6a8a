/* secret_values.c: values of secrets in texts: whole, in another form, or what is left of one.
 *
 *     as it is         replaced where it stands
 *     folded           letters and digits in lower case: the whole text is replaced
 *     alike            bytes in a row that a value has too: for fields that are watched */
#include "agent/secrets/secrets_impl.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

enum { CUT = 0xFF }; /* between what stays of a text; no byte of UTF-8, and kept by folding */
enum { RUN_BYTES = 3, RUN_BYTES_ORDINARY = 4 };

/* ---- values ------------------------------------------------------------------------------ */

enum ia_rc ia_secret_value(const struct ia_secret_lookup *from, const char *name,
                           struct ia_buf *ret, struct ia_err *err)
{
    *ret = IA_BUF(IA_SECRET_VALUE_BYTES_MAX);
    /* At once, as memory that grows leaves copies behind. */
    (void)ia_buf_reserve(ret, IA_SECRET_VALUE_BYTES_MAX);
    ia_buf_puts(ret, "");
    enum ia_rc rc = from->value ? from->value(from->ctx, name, ret, err) : IA_OK;
    return rc == IA_OK ? ia_buf_check(ret, name, err) : rc;
}

void ia_secret_value_fini(struct ia_buf *value)
{
    if (value->p) {
        sodium_memzero(value->p, value->cap);
    }
    ia_buf_fini(value);
}

/* A shorter value would be found in ordinary texts and hide them. */
enum ia_rc ia_secret_value_check(const char *name, struct ia_str value, struct ia_err *err)
{
    if (value.n < IA_SECRET_VALUE_BYTES_MIN || value.n > IA_SECRET_VALUE_BYTES_MAX) {
        return ia_err_set(err, IA_E_USAGE, "the secret %.64s must have %d to %d bytes", name,
                          IA_SECRET_VALUE_BYTES_MIN, IA_SECRET_VALUE_BYTES_MAX);
    }
    return IA_OK;
}

char ia_secret_fold(char c)
{
    if (c >= 'A' && c <= 'Z') {
        return (char)(c + 32);
    }
    bool kept = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (unsigned char)c >= 0x80;
    return kept ? c : '\0';
}

/* Letters, digits and what is beyond ASCII, in lower case. */
char *ia_secret_folded(struct ia_str s)
{
    char *out = ia_alloc(s.n + 1);
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++) {
        char c = ia_secret_fold(s.p[i]);
        if (c) {
            out[n++] = c;
        }
    }
    out[n] = '\0';
    return out;
}

/* ---- out: from values to names ----------------------------------------------------------- */

static bool same_letter(char a, char b)
{
    return a == b || (ia_secret_fold(a) && ia_secret_fold(a) == ia_secret_fold(b));
}

static bool stands_at(const char *p, size_t left, const char *value)
{
    size_t n = strlen(value);
    if (n > left) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        if (!same_letter(p[i], value[i])) {
            return false;
        }
    }
    return true;
}

/* The secret whose value stands there; the longest, as one may begin as another does. */
static const struct ia_secret_item *find_at(const struct ia_secrets *s, const char *p,
                                            size_t left)
{
    const struct ia_secret_item *best = NULL;
    for (size_t i = 0; i < s->count; i++) {
        const struct ia_secret_item *item = &s->items[i];
        bool longer = !best || strlen(item->value) > strlen(best->value);
        best = longer && stands_at(p, left, item->value) ? item : best;
    }
    return best;
}

/* Which secrets the text has with other punctuation, a bit each. */
static unsigned find_folded(const struct ia_secrets *s, struct ia_str text)
{
    unsigned found = 0;
    char *letters = ia_secret_folded(text);
    for (size_t i = 0; i < s->count; i++) {
        const char *want = s->items[i].folded;
        bool there = strlen(want) >= IA_SECRET_VALUE_BYTES_MIN && strstr(letters, want);
        found |= there ? 1U << i : 0;
    }
    ia_free_wiped(letters);
    return found;
}

/* Writes the text with names for the values that stand in it as they are, and the rest of it with a
 * CUT for each; which secrets those were. Values that overlap are replaced together. */
static unsigned replace_values(const struct ia_secrets *s, struct ia_str text,
                               struct ia_buf *plain, struct ia_buf *rest)
{
    unsigned found = 0;
    size_t covered = 0,
           named = 0; /* up to where a value reaches; where the last named one ends */
    for (size_t i = 0; i < text.n; i++) {
        const struct ia_secret_item *item = find_at(s, text.p + i, text.n - i);
        size_t end = item ? i + strlen(item->value) : 0;
        if (item && i >= named) {
            ia_buf_putstr(plain, ia_buf_str(&item->shown));
            ia_buf_putc(rest, (char)CUT);
            found |= 1U << (item - s->items);
            named = end;
        }
        covered = end > covered ? end : covered;
        if (i >= covered) {
            ia_buf_putc(plain, text.p[i]);
            ia_buf_putc(rest, text.p[i]);
        }
    }
    return found;
}

void ia_secrets_hide(const struct ia_secrets *s, struct ia_str text, struct ia_buf *out)
{
    struct ia_buf plain = IA_BUF(out->max), rest = IA_BUF(out->max);
    unsigned found = replace_values(s, text, &plain, &rest);
    unsigned other = find_folded(s, ia_buf_str(&rest));
    /* Of a value in another form nobody can say where it begins and ends. */
    for (size_t i = 0, n = 0; other && i < s->count; i++) {
        if ((found | other) & (1U << i)) {
            ia_buf_puts(out, n++ > 0 ? " " : "");
            ia_buf_putstr(out, ia_buf_str(&s->items[i].shown));
        }
    }
    ia_buf_putstr(out, other ? (struct ia_str){NULL, 0} : ia_buf_str(&plain));
    ia_buf_fini(&plain);
    ia_buf_fini(&rest);
}

/* ---- what is left of a value ------------------------------------------------------------- */

/* Whether they have n bytes in a row in common. */
static bool share_run(const char *text, const char *value, size_t n)
{
    char run[IA_SECRET_VALUE_BYTES_MAX + 1];
    bool found = false;
    size_t len = strlen(value);
    for (size_t i = 0; !found && i + n <= len; i++) {
        memcpy(run, value + i, n);
        run[n] = '\0';
        found = strstr(text, run) != NULL;
    }
    sodium_memzero(run, sizeof(run));
    return found;
}

static bool like_value(const struct ia_secret_item *item, struct ia_str text, bool closely)
{
    bool marks = strlen(item->folded) < IA_SECRET_VALUE_BYTES_MIN; /* nearly no letters */
    char *have = marks ? ia_strndup(text.p, text.n) : ia_secret_folded(text);
    const char *value = marks ? item->value : item->folded;
    size_t half = strlen(value) / 2;
    size_t n = closely ? RUN_BYTES : half > RUN_BYTES_ORDINARY ? half : RUN_BYTES_ORDINARY;
    n = n < strlen(value) ? n : strlen(value);
    bool like = share_run(have, value, n) || (closely && have[0] && strstr(value, have));
    ia_free_wiped(have);
    return like;
}

bool ia_secrets_like(void *ctx, const char *text, bool closely)
{
    const struct ia_secrets *s = ctx;
    bool like = false;
    for (size_t i = 0; i < s->count; i++) {
        like = like || like_value(&s->items[i], ia_str(text), closely);
    }
    return like;
}

/* Writes a CUT over each value in a folded text. */
static void cut_out(char *text, const char *value)
{
    size_t n = strlen(value);
    for (char *p = text; n >= IA_SECRET_VALUE_BYTES_MIN && (p = strstr(p, value)) != NULL;) {
        memset(p, CUT, n);
        p += n;
    }
}

/* Whether the text has whole values, and nothing beside them that may be what is left of another. */
bool ia_secrets_whole(const struct ia_secrets *s, const char *text)
{
    struct ia_buf plain = IA_BUF(IA_SECRET_TEXT_MAX), rest = IA_BUF(IA_SECRET_TEXT_MAX);
    bool whole = replace_values(s, ia_str(text), &plain, &rest) != 0 ||
                 find_folded(s, ia_str(text)) != 0;
    char *left = ia_secret_folded(ia_buf_str(&rest));
    static const char cut[] = {(char)CUT, '\0'};
    for (size_t i = 0; i < s->count; i++) {
        cut_out(left, s->items[i].folded);
    }
    const char *p = left;
    for (size_t n; whole && *p; p += n + (p[n] != '\0')) {
        n = strcspn(p, cut);
        for (size_t i = 0; i < s->count; i++) {
            whole = whole && !like_value(&s->items[i], (struct ia_str){p, n}, n > 1);
        }
    }
    ia_free_wiped(left);
    if (rest.p) {
        sodium_memzero(rest.p, rest.len);
    }
    ia_buf_fini(&plain);
    ia_buf_fini(&rest);
    return whole;
}

bool ia_secrets_hold(const struct ia_secrets *s, const char *text)
{
    struct ia_str all = ia_str(text);
    for (size_t i = 0; i < all.n; i++) {
        if (find_at(s, all.p + i, all.n - i)) {
            return true;
        }
    }
    return all.n > 0 && find_folded(s, all) != 0;
}
