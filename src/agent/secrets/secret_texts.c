/* secret_texts.c: values of secrets that somebody wrote where their names belong.
 *
 * Goals, hints, names, expectations and setups are stored and sent to the model, so a value in one
 * of them would get past the device wrapper of secrets.c. A value counts as written where it
 * stands as it is, or where its letters and digits follow one another whatever is between
 * them. Short or ordinary values ("test") must be a word of their own, or they would be
 * found in any text; text inside {{secret:NAME}} is a name and never a value. */
#include "agent/secrets/secrets.h"

#include <string.h>

enum {
    EXACT_BYTES = 4,  /* a shorter value counts in its own case only */
    WORD_BYTES = 8,   /* a shorter one that is all letters counts as a word of its own only */
    LOOSE_LETTERS = 6 /* one of fewer letters and digits counts with its own punctuation only */
};

static const char open_mark[] = "{{secret:";
static const char close_mark[] = "}}";

/* ---- one value --------------------------------------------------------------------------- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return ia_secret_fold(c) && !is_digit(c);
}

/* Both are part of one word, or of one number. */
static bool together(char a, char b)
{
    return (is_letter(a) && is_letter(b)) || (is_digit(a) && is_digit(b));
}

static bool is_word(const char *value)
{
    size_t n = strlen(value), letters = 0;
    while (is_letter(value[letters])) {
        letters++;
    }
    return n < EXACT_BYTES || (n < WORD_BYTES && letters == n);
}

static bool same(char a, char b, bool exact)
{
    return a == b || (!exact && ia_secret_fold(a) && ia_secret_fold(a) == ia_secret_fold(b));
}

static bool stands_at(struct ia_str text, size_t at, const char *value)
{
    size_t n = strlen(value);
    if (n > text.n - at) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        if (!same(text.p[at + i], value[i], n < EXACT_BYTES)) {
            return false;
        }
    }
    bool inside = (at > 0 && together(text.p[at - 1], value[0])) ||
                  (at + n < text.n && together(text.p[at + n], value[n - 1]));
    return !inside || !is_word(value);
}

/* Its letters and digits follow one another there, whatever is between them. */
static bool spelled_at(struct ia_str text, size_t at, const char *value)
{
    int letters = 0;
    for (const char *v = value; *v; v++) {
        if (!ia_secret_fold(*v)) {
            continue;
        }
        while (at < text.n && !ia_secret_fold(text.p[at])) {
            at++;
        }
        if (at == text.n || ia_secret_fold(text.p[at]) != ia_secret_fold(*v)) {
            return false;
        }
        at++;
        letters++;
    }
    return letters >= LOOSE_LETTERS && !is_word(value);
}

static bool stands_in(struct ia_str text, const char *value)
{
    for (size_t at = 0; at < text.n; at++) {
        if (stands_at(text, at, value) || spelled_at(text, at, value)) {
            return true;
        }
    }
    return false;
}

/* ---- texts ------------------------------------------------------------------------------- */

/* Length of the name of a secret of the run, with its marks, where the text begins with one. */
static size_t mark_length(struct ia_str text, const struct ia_run_request *req)
{
    size_t from = strlen(open_mark);
    if (!ia_str_starts(text, ia_str(open_mark))) {
        return 0;
    }
    struct ia_str rest = {text.p + from, text.n - from};
    for (size_t i = 0; i < req->secret_count; i++) {
        size_t n = strlen(req->secrets[i]);
        bool named = ia_str_starts(rest, ia_str(req->secrets[i]));
        if (named &&
            ia_str_starts((struct ia_str){rest.p + n, rest.n - n}, ia_str(close_mark))) {
            return from + n + strlen(close_mark);
        }
    }
    return 0;
}

/* Whether the value stands between the names. */
static bool is_written(const char *text, const char *value, const struct ia_run_request *req)
{
    struct ia_str all = ia_str(text);
    size_t from = 0;
    /* The text is cut at the names, and each part is searched alone: a value cannot reach
     * across one. */
    for (size_t i = 0; i < all.n;) {
        size_t mark = mark_length((struct ia_str){all.p + i, all.n - i}, req);
        if (mark > 0 && stands_in((struct ia_str){all.p + from, i - from}, value)) {
            return true;
        }
        i += mark > 0 ? mark : 1;
        from = mark > 0 ? i : from;
    }
    return stands_in((struct ia_str){all.p + from, all.n - from}, value);
}

/* What of the request has the value in it, or NULL. */
static const char *place_of(const char *value, const struct ia_run_request *req)
{
    const struct {
        const char *text, *what;
    } texts[] = {{req->goal, "the goal"}, {req->hint, "the hint"}, {req->name, "the name"}};
    for (size_t i = 0; i < IA_COUNTOF(texts); i++) {
        if (texts[i].text && is_written(texts[i].text, value, req)) {
            return texts[i].what;
        }
    }
    for (size_t i = 0; i < req->expect_count; i++) {
        if (is_written(req->expect[i], value, req)) {
            return "an expectation";
        }
    }
    for (size_t i = 0; i < req->setup_count; i++) {
        if (req->setup[i].value && is_written(req->setup[i].value, value, req)) {
            return "the setup";
        }
    }
    return NULL;
}

enum ia_rc ia_secrets_check_texts(const struct ia_secret_lookup *lookup,
                                  const struct ia_run_request *req, struct ia_err *err)
{
    for (size_t i = 0; i < req->secret_count; i++) {
        const char *name = req->secrets[i];
        struct ia_buf value;
        enum ia_rc rc = ia_secret_value(lookup, name, &value, NULL);
        /* A value that cannot be used is refused elsewhere (secrets.c), with a better
         * message. */
        bool usable =
            rc == IA_OK && ia_secret_value_check(name, ia_buf_str(&value), NULL) == IA_OK;
        const char *place = usable ? place_of(ia_buf_cstr(&value), req) : NULL;
        ia_secret_value_fini(&value);
        if (place) {
            ia_err_set(err, IA_E_USAGE, "%s contains the value of the secret %.64s", place,
                       name);
            ia_err_hint(err,
                        "write {{secret:%.64s}} instead: %s is stored, but a value never is",
                        name, place);
            return IA_E_USAGE;
        }
    }
    return IA_OK;
}
