/* lex.c: signs and words are tables; a word that is in none is a key. */
#include "server/wda/select/lex.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct row {
    const char *word;
    enum ia_wda_token_kind kind;
    enum ia_wda_op op;
    bool truth;
};

/* A longer sign before its beginning. */
static const struct row signs[] = {
    {"==", IA_WDA_T_OP, IA_WDA_EQUAL, false},
    {"=>", IA_WDA_T_OP, IA_WDA_AT_LEAST, false},
    {"=<", IA_WDA_T_OP, IA_WDA_AT_MOST, false},
    {"=", IA_WDA_T_OP, IA_WDA_EQUAL, false},
    {"!=", IA_WDA_T_OP, IA_WDA_UNEQUAL, false},
    {"!", IA_WDA_T_NOT, 0, false},
    {"<>", IA_WDA_T_OP, IA_WDA_UNEQUAL, false},
    {"<=", IA_WDA_T_OP, IA_WDA_AT_MOST, false},
    {"<", IA_WDA_T_OP, IA_WDA_LESS, false},
    {">=", IA_WDA_T_OP, IA_WDA_AT_LEAST, false},
    {">", IA_WDA_T_OP, IA_WDA_MORE, false},
    {"&&", IA_WDA_T_AND, 0, false},
    {"||", IA_WDA_T_OR, 0, false},
    {"(", IA_WDA_T_OPEN, 0, false},
    {")", IA_WDA_T_CLOSE, 0, false},
    {"{", IA_WDA_T_BRACE, 0, false},
    {"}", IA_WDA_T_UNBRACE, 0, false},
    {",", IA_WDA_T_COMMA, 0, false},
};

static const struct row words[] = {
    {"AND", IA_WDA_T_AND, 0, false},
    {"OR", IA_WDA_T_OR, 0, false},
    {"NOT", IA_WDA_T_NOT, 0, false},
    {"TRUEPREDICATE", IA_WDA_T_ALWAYS, 0, true},
    {"FALSEPREDICATE", IA_WDA_T_ALWAYS, 0, false},
    {"TRUE", IA_WDA_T_TRUTH, 0, true},
    {"YES", IA_WDA_T_TRUTH, 0, true},
    {"FALSE", IA_WDA_T_TRUTH, 0, false},
    {"NO", IA_WDA_T_TRUTH, 0, false},
    {"NULL", IA_WDA_T_NULL, 0, false},
    {"NIL", IA_WDA_T_NULL, 0, false},
    {"IN", IA_WDA_T_OP, IA_WDA_IN, false},
    {"BETWEEN", IA_WDA_T_OP, IA_WDA_BETWEEN, false},
    {"BEGINSWITH", IA_WDA_T_OP, IA_WDA_BEGINSWITH, false},
    {"CONTAINS", IA_WDA_T_OP, IA_WDA_CONTAINS, false},
    {"ENDSWITH", IA_WDA_T_OP, IA_WDA_ENDSWITH, false},
    {"LIKE", IA_WDA_T_OP, IA_WDA_LIKE, false},
    {"MATCHES", IA_WDA_T_OP, IA_WDA_MATCHES, false},
    /* reserved there, unknown here */
    {"ANY", IA_WDA_T_BAD, 0, false},
    {"SOME", IA_WDA_T_BAD, 0, false},
    {"ALL", IA_WDA_T_BAD, 0, false},
    {"NONE", IA_WDA_T_BAD, 0, false},
    {"SELF", IA_WDA_T_BAD, 0, false},
};

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '@';
}

static void skip_spaces(struct ia_str text, size_t *at)
{
    while (*at < text.n && is_space(text.p[*at])) {
        (*at)++;
    }
}

static struct ia_wda_token of_row(const struct row *row, const char *p, size_t n)
{
    return (struct ia_wda_token){row->kind, row->op, row->truth, 0, {p, n}};
}

/* Up to the same quote, which a backslash hides. */
static size_t quoted(struct ia_str rest, struct ia_wda_token *ret)
{
    size_t n = 1;
    while (n < rest.n && rest.p[n] != rest.p[0]) {
        n += rest.p[n] == '\\' ? 2 : 1;
    }
    if (n >= rest.n) {
        *ret = (struct ia_wda_token){.kind = IA_WDA_T_BAD, .source = rest};
        return rest.n;
    }
    *ret = (struct ia_wda_token){.kind = IA_WDA_T_TEXT, .source = {rest.p + 1, n - 1}};
    return n + 1;
}

static size_t digits(struct ia_str rest, size_t n)
{
    while (n < rest.n && is_digit(rest.p[n])) {
        n++;
    }
    return n;
}

/* [sign] digits [ "." digits ] [ "e" [sign] digits ]; 0 when there is none. */
static size_t number(struct ia_str rest, struct ia_wda_token *ret)
{
    size_t sign = rest.p[0] == '-' || rest.p[0] == '+';
    size_t n = digits(rest, sign);
    if (n == sign) {
        return 0;
    }
    if (n + 1 < rest.n && rest.p[n] == '.' && is_digit(rest.p[n + 1])) {
        n = digits(rest, n + 1);
    }
    if (n + 1 < rest.n && (rest.p[n] | 0x20) == 'e') {
        size_t from = n + 1 + (rest.p[n + 1] == '-' || rest.p[n + 1] == '+');
        size_t to = digits(rest, from);
        n = to > from ? to : n;
    }
    char room[64];
    size_t len = n < sizeof(room) ? n : sizeof(room) - 1;
    memcpy(room, rest.p, len);
    room[len] = '\0';
    *ret = (struct ia_wda_token){
        .kind = IA_WDA_T_NUMBER, .number = strtod(room, NULL), .source = {rest.p, n}};
    return n;
}

static size_t word(struct ia_str rest, struct ia_wda_token *ret)
{
    size_t n = 0;
    while (n < rest.n && (is_letter(rest.p[n]) || is_digit(rest.p[n]) || rest.p[n] == '.')) {
        n++;
    }
    *ret = (struct ia_wda_token){.kind = IA_WDA_T_KEY, .source = {rest.p, n}};
    for (size_t i = 0; i < IA_COUNTOF(words); i++) {
        if (strlen(words[i].word) == n && strncasecmp(words[i].word, rest.p, n) == 0) {
            *ret = of_row(&words[i], rest.p, n);
        }
    }
    return n;
}

static size_t sign(struct ia_str rest, struct ia_wda_token *ret)
{
    for (size_t i = 0; i < IA_COUNTOF(signs); i++) {
        if (ia_str_starts(rest, ia_str(signs[i].word))) {
            size_t n = strlen(signs[i].word);
            *ret = of_row(&signs[i], rest.p, n);
            return n;
        }
    }
    *ret = (struct ia_wda_token){.kind = IA_WDA_T_BAD, .source = {rest.p, rest.n ? 1 : 0}};
    return rest.n ? 1 : 0;
}

struct ia_wda_token ia_wda_lex(struct ia_str text, size_t *at)
{
    struct ia_wda_token token = {.kind = IA_WDA_T_END};
    skip_spaces(text, at);
    struct ia_str rest = {text.p + *at, text.n - *at};
    if (rest.n == 0) {
        token.source = rest;
        return token;
    }
    size_t n = 0;
    if (rest.p[0] == '"' || rest.p[0] == '\'') {
        n = quoted(rest, &token);
    } else if (is_letter(rest.p[0])) {
        n = word(rest, &token);
    } else {
        n = number(rest, &token);
        n = n ? n : sign(rest, &token);
    }
    *at += n;
    return token;
}

bool ia_wda_lex_options(struct ia_str text, size_t *at, bool *ret_no_case, bool *ret_no_marks)
{
    *ret_no_case = *ret_no_marks = false;
    size_t i = *at;
    skip_spaces(text, &i);
    if (i >= text.n || text.p[i] != '[') {
        return true;
    }
    size_t first = ++i;
    for (; i < text.n && strchr("cdnlCDNL", text.p[i]); i++) {
        *ret_no_case = *ret_no_case || (text.p[i] | 0x20) == 'c';
        *ret_no_marks = *ret_no_marks || (text.p[i] | 0x20) == 'd';
    }
    *at = i + 1;
    return i > first && i < text.n && text.p[i] == ']';
}

void ia_wda_unescape(struct ia_buf *out, struct ia_str source)
{
    for (size_t i = 0; i < source.n; i++) {
        char c = source.p[i];
        if (c == '\\' && i + 1 < source.n) {
            c = source.p[++i];
            c = (char)(c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c);
        }
        ia_buf_putc(out, c);
    }
}
