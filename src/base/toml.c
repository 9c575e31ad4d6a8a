#include "base/toml.h"

#include <string.h>

/* The lexical state that matters for finding keys: inside which kind of string we are. */
struct lexer {
    const char *p, *end;
    unsigned line;
};

static bool at(const struct lexer *lx, const char *text)
{
    size_t n = strlen(text);
    return (size_t)(lx->end - lx->p) >= n && memcmp(lx->p, text, n) == 0;
}

/* Skips to behind the delimiter. A string that never ends takes the rest; one of a single line
 * ends with its line, as the parser will see it. */
static void skip_string(struct lexer *lx, const char *delimiter)
{
    size_t n = strlen(delimiter);
    lx->p += n;
    while (lx->p < lx->end && !at(lx, delimiter)) {
        if (*lx->p == '\n') {
            if (n == 1) {
                return;
            }
            lx->line++;
        }
        bool escape = *lx->p == '\\' && delimiter[0] == '"' && lx->p + 1 < lx->end;
        lx->line += escape && lx->p[1] == '\n';
        lx->p += escape ? 2 : 1;
    }
    lx->p = lx->p < lx->end ? lx->p + n : lx->end;
    /* Up to two more quotes at its end still belong to a string of several lines. */
    for (int more = 0; n == 3 && more < 2 && lx->p < lx->end && *lx->p == delimiter[0];
         more++) {
        lx->p++;
    }
}

static void skip_comment(struct lexer *lx)
{
    while (lx->p < lx->end && *lx->p != '\n') {
        lx->p++;
    }
}

/* Skips a string or comment that starts here; false when none does. */
static bool skip_opaque(struct lexer *lx)
{
    static const char *const delimiters[] = {"\"\"\"", "'''", "\"", "'"};
    for (size_t i = 0; i < IA_COUNTOF(delimiters); i++) {
        if (at(lx, delimiters[i])) {
            skip_string(lx, delimiters[i]);
            return true;
        }
    }
    if (*lx->p == '#') {
        skip_comment(lx);
        return true;
    }
    return false;
}

bool ia_toml_depth_ok(struct ia_str text, size_t max, unsigned *ret_line)
{
    struct lexer lx = {text.p, text.p + text.n, 1};
    size_t parts = 1;
    while (lx.p < lx.end) {
        if (skip_opaque(&lx)) {
            continue;
        }
        char c = *lx.p++;
        if (c == '.') {
            parts++;
        } else if (strchr("=,[]{}\n", c)) {
            parts = 1;
        }
        if (parts > max) {
            *ret_line = lx.line;
            return false;
        }
        lx.line += c == '\n';
    }
    return true;
}

enum ia_rc ia_toml_each(struct ia_str text, ia_toml_visit *visit, void *ctx, unsigned *ret_line,
                        unsigned *ret_column, struct ia_err *err)
{
    unsigned line = 0;
    *ret_line = 0;
    *ret_column = 0;
    if (text.n > IA_TOML_BYTES_MAX) {
        return ia_err_set(err, IA_E_LIMIT, "larger than %d bytes", IA_TOML_BYTES_MAX);
    }
    if (!ia_toml_depth_ok(text, IA_TOML_DEPTH_MAX, &line)) {
        *ret_line = line;
        *ret_column = 1;
        return ia_err_set(err, IA_E_LIMIT, "a key has more than %d parts", IA_TOML_DEPTH_MAX);
    }
    return ia_toml_walk(text, visit, ctx, ret_line, ret_column, err);
}
