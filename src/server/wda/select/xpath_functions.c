/* xpath_functions.c: what FBXPathExtensions.m adds to XPath 1.0, and a watch on the functions that can make
 * much work of few words. Arguments are popped from the parser's stack, the last one first. */
#include "server/wda/select/xpath_impl.h"

#include "base/buf.h"
#include "base/textfold.h"
#include "base/utf8.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* No text in an evaluation is longer. */
enum { TEXT_MAX = 65536 };
/* Between the tokens of a text that tokenize made (ASCII's record separator, as there). */
#define BETWEEN "\x1E"
/* About what a call costs with the longest texts. Translate's costs the product of two of them: the time
 * is looked at before each. */
enum { STEPS_A_CALL = 10000, STEPS_A_TRANSLATE = 100000 };
enum { ARGS_MAX = 4 };

static struct ia_wda_xpath_run *run_of(xmlXPathParserContextPtr p)
{
    return p->context->userData;
}

static void fail(xmlXPathParserContextPtr p, enum ia_rc rc, int code, const char *why)
{
    struct ia_wda_xpath_run *run = run_of(p);
    if (run->rc == IA_OK) {
        run->rc = rc;
        snprintf(run->why, sizeof(run->why), "%.*s", (int)sizeof(run->why) - 1, why);
    }
    run->xml->xmlXPathErr_(p, code);
}

/* ---- arguments and results ---- */

struct args {
    xmlXPathObjectPtr object[ARGS_MAX];
    struct ia_str text[ARGS_MAX]; /* "" where there is none */
    int n;
};

static void args_fini(xmlXPathParserContextPtr p, struct args *a)
{
    for (int i = 0; i < a->n; i++) {
        if (a->object[i]) {
            run_of(p)->xml->xmlXPathFreeObject_(a->object[i]);
        }
    }
}

/* Pops n of them, all as texts but, where it is asked for, the first. False: nothing is to be freed. */
static bool args_pop(xmlXPathParserContextPtr p, int n, int least, int most, bool raw_first,
                     struct args *a)
{
    const struct ia_xml *xml = run_of(p)->xml;
    *a = (struct args){.n = n};
    if (n < least || n > most) {
        fail(p, IA_E_PARSE, XPATH_INVALID_ARITY, "Invalid number of arguments");
        return false;
    }
    bool whole = true;
    for (int i = n - 1; i >= 0; i--) {
        xmlXPathObjectPtr object = xml->pop(p);
        bool raw = raw_first && i == 0;
        a->object[i] = object && !raw ? xml->xmlXPathConvertString_(object) : object;
        whole = whole && a->object[i] && (raw || a->object[i]->stringval);
        a->text[i] = whole && !raw ? ia_str((const char *)a->object[i]->stringval) : ia_str("");
    }
    if (!whole) {
        fail(p, IA_E_PARSE, XPATH_INVALID_OPERAND, "Invalid operand");
    } else if (!ia_wda_spend(run_of(p)->effort, STEPS_A_CALL)) {
        fail(p, IA_E_TIMEOUT, XPATH_EXPR_ERROR, "");
        whole = false;
    }
    if (!whole) {
        args_fini(p, a);
    }
    return whole;
}

static void give_truth(xmlXPathParserContextPtr p, bool truth)
{
    const struct ia_xml *xml = run_of(p)->xml;
    xml->push(p, xml->xmlXPathNewBoolean_(truth));
}

static void give_text(xmlXPathParserContextPtr p, struct ia_buf *text)
{
    const struct ia_xml *xml = run_of(p)->xml;
    if (ia_buf_ok(text)) {
        xml->push(p, xml->xmlXPathNewString_((const xmlChar *)ia_buf_cstr(text)));
    } else {
        fail(p, IA_E_PARSE, XPATH_EXPR_ERROR, "a text is too long");
    }
    ia_buf_fini(text);
}

/* ---- patterns ---- */

/* Most expressions have one, for all elements. NULL after a failure. */
static const struct ia_wda_pattern *pattern_of(xmlXPathParserContextPtr p, struct ia_str text,
                                               unsigned flags)
{
    struct ia_wda_xpath_run *run = run_of(p);
    if (run->pattern && run->pattern_flags == flags && ia_str_is(text, run->pattern_text)) {
        return run->pattern;
    }
    struct ia_err why;
    ia_wda_xpath_run_fini(run);
    enum ia_rc rc = ia_wda_pattern_new(text, flags, &run->pattern, &why);
    if (rc != IA_OK) {
        fail(p, rc, XPATH_EXPR_ERROR, why.msg);
        return NULL;
    }
    run->pattern_text = ia_strndup(text.p, text.n);
    run->pattern_flags = flags;
    return run->pattern;
}

void ia_wda_xpath_run_fini(struct ia_wda_xpath_run *run)
{
    ia_wda_pattern_free(run->pattern);
    free(run->pattern_text);
    run->pattern = NULL;
    run->pattern_text = NULL;
}

static bool flags_of(xmlXPathParserContextPtr p, struct ia_str text, const char *among,
                     unsigned *ret)
{
    *ret = 0;
    for (size_t i = 0; i < text.n; i++) {
        if (!strchr(among, text.p[i])) {
            fail(p, IA_E_PARSE, XPATH_EXPR_ERROR, "Invalid regular expression flags");
            return false;
        }
        *ret |= text.p[i] == 'i' ? (unsigned)IA_WDA_PATTERN_NO_CASE : 0;
    }
    return true;
}

static void matches(xmlXPathParserContextPtr p, int n)
{
    struct args a;
    unsigned flags;
    struct ia_wda_span groups[IA_WDA_GROUPS_MAX];
    if (!args_pop(p, n, 2, 3, false, &a)) {
        return;
    }
    const struct ia_wda_pattern *pattern =
        flags_of(p, a.text[2], "imsx", &flags) ? pattern_of(p, a.text[1], flags) : NULL;
    if (pattern) {
        give_truth(p, ia_wda_pattern_find(pattern, a.text[0], 0, run_of(p)->effort, groups));
    }
    args_fini(p, &a);
}

/* $0 to $9 are groups; a backslash takes the next character as it is. */
static void put_template(struct ia_buf *out, struct ia_str with, struct ia_str text,
                         const struct ia_wda_span groups[IA_WDA_GROUPS_MAX])
{
    for (size_t i = 0; i < with.n; i++) {
        bool next = i + 1 < with.n;
        if (with.p[i] == '\\' && next) {
            ia_buf_putc(out, with.p[++i]);
        } else if (with.p[i] == '$' && next && with.p[i + 1] >= '0' && with.p[i + 1] <= '9') {
            struct ia_wda_span g = groups[with.p[++i] - '0'];
            ia_buf_put(out, text.p + g.from, g.to - g.from);
        } else {
            ia_buf_putc(out, with.p[i]);
        }
    }
}

/* The next match at or behind *at; an empty one takes a character along, which `skipped` has. */
static bool next_match(xmlXPathParserContextPtr p, const struct ia_wda_pattern *pattern,
                       struct ia_str text, size_t *at, struct ia_str *skipped,
                       struct ia_wda_span groups[IA_WDA_GROUPS_MAX])
{
    if (!ia_wda_pattern_find(pattern, text, *at, run_of(p)->effort, groups)) {
        return false;
    }
    *at = groups[0].to;
    size_t n = groups[0].to > groups[0].from || *at >= text.n
                   ? 0
                   : ia_utf8_valid_len(text.p + *at, text.n - *at);
    *skipped = (struct ia_str){text.p + *at, n};
    *at += n ? n : groups[0].to == groups[0].from;
    return true;
}

static void replace(xmlXPathParserContextPtr p, int n)
{
    struct args a;
    unsigned flags;
    if (!args_pop(p, n, 3, 4, false, &a)) {
        return;
    }
    const struct ia_wda_pattern *pattern =
        flags_of(p, a.text[3], "imsxq", &flags) ? pattern_of(p, a.text[1], flags) : NULL;
    struct ia_buf out = IA_BUF(TEXT_MAX);
    struct ia_wda_span groups[IA_WDA_GROUPS_MAX];
    struct ia_str text = a.text[0], skipped;
    size_t done = 0, at = 0;
    while (pattern && ia_buf_ok(&out) && next_match(p, pattern, text, &at, &skipped, groups)) {
        ia_buf_put(&out, text.p + done, groups[0].from - done);
        put_template(&out, a.text[2], text, groups);
        ia_buf_putstr(&out, skipped);
        done = at < text.n ? at : text.n;
    }
    if (pattern) {
        ia_buf_put(&out, text.p + done, text.n - done);
        give_text(p, &out);
    }
    ia_buf_fini(&out);
    args_fini(p, &a);
}

/* ---- lists of texts, as one text ---- */

static void put_token(struct ia_buf *out, const char *p, size_t n)
{
    if (n > 0) {
        ia_buf_puts(out, out->len ? BETWEEN : "");
        ia_buf_put(out, p, n);
    }
}

static void put_tokens(xmlXPathParserContextPtr p, const struct ia_wda_pattern *between,
                       struct ia_str text, struct ia_buf *out)
{
    struct ia_wda_span groups[IA_WDA_GROUPS_MAX];
    struct ia_str skipped;
    size_t done = 0, at = 0;
    while (next_match(p, between, text, &at, &skipped, groups)) {
        put_token(out, text.p + done, groups[0].from - done);
        done = groups[0].to;
    }
    put_token(out, text.p + done, text.n - done);
}

static void put_characters(struct ia_str text, struct ia_buf *out)
{
    size_t n = 1;
    for (size_t i = 0; i < text.n; i += n) {
        n = ia_utf8_valid_len(text.p + i, text.n - i);
        n = n ? n : 1;
        put_token(out, text.p + i, n);
    }
}

static void tokenize(xmlXPathParserContextPtr p, int n)
{
    struct args a;
    if (!args_pop(p, n, 1, 2, false, &a)) {
        return;
    }
    struct ia_buf out = IA_BUF(TEXT_MAX);
    if (n == 2 && a.text[1].n == 0) {
        put_characters(a.text[0], &out);
        give_text(p, &out);
    } else {
        const struct ia_wda_pattern *between =
            pattern_of(p, n == 2 ? a.text[1] : ia_str("\\s+"), 0);
        if (between) {
            put_tokens(p, between, a.text[0], &out);
            give_text(p, &out);
        }
    }
    ia_buf_fini(&out);
    args_fini(p, &a);
}

/* Of the nodes of our document attributes alone have a text. */
static struct ia_str text_of(const xmlNode *node)
{
    bool has = node->type == XML_ATTRIBUTE_NODE && node->children;
    return ia_str(has ? (const char *)node->children->content : "");
}

static void join_nodes(const xmlNodeSet *set, struct ia_str between, struct ia_buf *out)
{
    for (int i = 0; set && i < set->nodeNr; i++) {
        ia_buf_putstr(out, i ? between : ia_str(""));
        ia_buf_putstr(out, text_of(set->nodeTab[i]));
    }
}

static void join_tokens(struct ia_str tokens, struct ia_str between, struct ia_buf *out)
{
    for (size_t i = 0; i < tokens.n; i++) {
        if (tokens.p[i] == BETWEEN[0]) {
            ia_buf_putstr(out, between);
        } else {
            ia_buf_putc(out, tokens.p[i]);
        }
    }
}

static void string_join(xmlXPathParserContextPtr p, int n)
{
    struct args a;
    if (!args_pop(p, n, 2, 2, true, &a)) {
        return;
    }
    struct ia_buf out = IA_BUF(TEXT_MAX);
    if (a.object[0]->type == XPATH_NODESET) {
        join_nodes(a.object[0]->nodesetval, a.text[1], &out);
    } else {
        a.object[0] = run_of(p)->xml->xmlXPathConvertString_(a.object[0]);
        const xmlChar *tokens = a.object[0] ? a.object[0]->stringval : NULL;
        join_tokens(ia_str((const char *)tokens), a.text[1], &out);
    }
    give_text(p, &out);
    args_fini(p, &a);
}

/* ---- the rest ---- */

static void ends_with(xmlXPathParserContextPtr p, int n)
{
    struct args a;
    if (!args_pop(p, n, 2, 2, false, &a)) {
        return;
    }
    struct ia_str text = a.text[0], end = a.text[1];
    bool fits = text.n >= end.n;
    give_truth(p, fits && ia_str_eq((struct ia_str){text.p + text.n - end.n, end.n}, end));
    args_fini(p, &a);
}

static void change_case(xmlXPathParserContextPtr p, int n, bool upper)
{
    struct args a;
    if (!args_pop(p, n, 1, 1, false, &a)) {
        return;
    }
    struct ia_buf out = IA_BUF(TEXT_MAX);
    ia_text_case(&out, a.text[0], upper);
    give_text(p, &out);
    args_fini(p, &a);
}

static void lower_case(xmlXPathParserContextPtr p, int n)
{
    change_case(p, n, false);
}

static void upper_case(xmlXPathParserContextPtr p, int n)
{
    change_case(p, n, true);
}

/* One of XPath's own: not when the time is over, and nothing that goes on growing. */
static void watched(xmlXPathParserContextPtr p, int n, xmlXPathFunction function)
{
    bool translates = function == run_of(p)->xml->xmlXPathTranslateFunction_;
    if (!ia_wda_spend(run_of(p)->effort, translates ? STEPS_A_TRANSLATE : STEPS_A_CALL)) {
        fail(p, IA_E_TIMEOUT, XPATH_EXPR_ERROR, "");
        return;
    }
    function(p, n);
    const xmlXPathObject *result = p->value;
    if (result && result->type == XPATH_STRING && result->stringval &&
        strnlen((const char *)result->stringval, TEXT_MAX) >= TEXT_MAX) {
        fail(p, IA_E_PARSE, XPATH_EXPR_ERROR, "a text is too long");
    }
}

#define WATCHED(name, function)                                                                \
    static void watched_##function(xmlXPathParserContextPtr p, int n)                          \
    {                                                                                          \
        watched(p, n, run_of(p)->xml->xmlXPath##function##Function_);                          \
    }
IA_WDA_XPATH_TEXT_FUNCTIONS(WATCHED)
#undef WATCHED

void ia_wda_xpath_functions(xmlXPathContextPtr ctxt)
{
    static const struct {
        const char *name;
        xmlXPathFunction function;
    } functions[] = {{"matches", matches},
                     {"replace", replace},
                     {"tokenize", tokenize},
                     {"string-join", string_join},
                     {"ends-with", ends_with},
                     {"lower-case", lower_case},
                     {"upper-case", upper_case},
#define ROW(name, function) {IA_WDA_XPATH_WATCHED name, watched_##function},
                     IA_WDA_XPATH_TEXT_FUNCTIONS(ROW)
#undef ROW
    };
    const struct ia_wda_xpath_run *run = ctxt->userData;
    for (size_t i = 0; i < IA_COUNTOF(functions); i++) {
        run->xml->xmlXPathRegisterFunc_(ctxt, (const xmlChar *)functions[i].name,
                                        functions[i].function);
    }
}
