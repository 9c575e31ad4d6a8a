/* xpath.c: a subtree becomes a document in memory, libxml2 evaluates, and the nodes of the result lead back
 * to their elements by the number that each carries. */
#include "server/wda/select/xpath.h"

#include "base/buf.h"
#include "base/utf8.h"
#include "server/wda/select/xpath_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if LIBXML_VERSION >= 21200
typedef const xmlError *xml_error_ptr;
#else
typedef xmlErrorPtr xml_error_ptr;
#endif

/* ---- the document ---- */

/* In WebDriverAgent's order. Parts of the rectangle have a name of their own. */
static const struct attribute {
    const char *name;
    enum ia_wda_attribute a;
    char part; /* x, y, w, h */
} attributes[] = {
    {"type", IA_WDA_TYPE, 0},
    {"value", IA_WDA_VALUE, 0},
    {"name", IA_WDA_NAME, 0},
    {"label", IA_WDA_LABEL, 0},
    {"enabled", IA_WDA_ENABLED, 0},
    {"visible", IA_WDA_VISIBLE, 0},
    {"accessible", IA_WDA_ACCESSIBLE, 0},
    {"nativeAccessibilityElement", IA_WDA_NATIVE_ELEMENT, 0},
    {"x", IA_WDA_RECT, 'x'},
    {"y", IA_WDA_RECT, 'y'},
    {"width", IA_WDA_RECT, 'w'},
    {"height", IA_WDA_RECT, 'h'},
    {"index", IA_WDA_INDEX, 0},
    {"hittable", IA_WDA_HITTABLE, 0},
    {"placeholderValue", IA_WDA_PLACEHOLDER, 0},
    {"traits", IA_WDA_TRAITS, 0},
    {"nativeFrame", IA_WDA_NATIVE_FRAME, 0},
};

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '_' || (unsigned char)c >= 0x80;
}

/* "@name" between two characters that are no part of a word, as WebDriverAgent looks for it. */
static bool mentions(const char *text, const char *name)
{
    size_t n = strlen(name);
    for (const char *p = strchr(text, '@'); p; p = strchr(p + 1, '@')) {
        bool before = p > text && !is_word(p[-1]) && p[-1] != '@';
        if (before && strncmp(p + 1, name, n) == 0 && p[1 + n] && !is_word(p[1 + n])) {
            return true;
        }
    }
    return false;
}

/* One bit for each row of attributes. */
static unsigned mentioned(const char *text)
{
    unsigned set = 0;
    bool all = mentions(text, "*");
    for (size_t i = 0; i < IA_COUNTOF(attributes); i++) {
        set |= all || mentions(text, attributes[i].name) ? 1U << i : 0;
    }
    return set;
}

static double part_of(struct ia_rect r, char part)
{
    return part == 'x' ? r.x : part == 'y' ? r.y : part == 'w' ? r.w : r.h;
}

/* As XML has it, in room or borrowed; NULL: absent. */
static const char *show(const struct ia_wda_value *v, char part, char *room, size_t size)
{
    switch (v->is) {
    case IA_WDA_BOOL:
        return v->truth ? "true" : "false";
    case IA_WDA_TEXT:
        return v->text.p;
    case IA_WDA_NUMBER:
        snprintf(room, size, "%.0f", v->number);
        return room;
    case IA_WDA_RECT_OF:
        if (part) {
            snprintf(room, size, "%.0f", part_of(v->rect, part));
        } else {
            snprintf(room, size, "{{%g, %g}, {%g, %g}}", v->rect.x, v->rect.y, v->rect.w,
                     v->rect.h);
        }
        return room;
    case IA_WDA_NULL:
        break;
    }
    return NULL;
}

static void set_attributes(const struct ia_xml *lib, const struct ia_wda_screen *s, int32_t at,
                           unsigned which, xmlNodePtr node)
{
    char room[128];
    struct ia_wda_value v;
    for (size_t i = 0; i < IA_COUNTOF(attributes); i++) {
        const struct attribute *row = &attributes[i];
        bool wanted = which & (1U << i) &&
                      (row->a != IA_WDA_PLACEHOLDER || ia_wda_takes_text(s->nodes[at].node));
        if (wanted) {
            ia_wda_get(s, at, row->a, &v);
            const char *text = show(&v, row->part, room, sizeof(room));
            if (text) {
                (void)lib->xmlNewProp_(node, (const xmlChar *)row->name, (const xmlChar *)text);
            }
        }
    }
}

/* Each node's _private is the number of its element, from 1. */
static xmlDocPtr document_of(const struct ia_xml *lib, const struct ia_wda_screen *s,
                             int32_t under, unsigned which)
{
    xmlDocPtr doc = lib->xmlNewDoc_((const xmlChar *)"1.0");
    int32_t end = s->nodes[under].end;
    xmlNodePtr *made = ia_calloc((size_t)(end - under), sizeof(xmlNodePtr));
    for (int32_t i = under; i < end; i++) {
        enum ia_eltype type = (enum ia_eltype)s->nodes[i].node->type;
        const xmlChar *name = (const xmlChar *)ia_eltype_full_name(type);
        xmlNodePtr node = lib->xmlNewDocNode_(doc, NULL, name, NULL);
        node->_private = (void *)(intptr_t)(i + 1);
        set_attributes(lib, s, i, which, node);
        made[i - under] = node;
        if (i == under) {
            (void)lib->xmlDocSetRootElement_(doc, node);
        } else {
            (void)lib->xmlAddChild_(made[s->nodes[i].parent - under], node);
        }
    }
    free(made);
    (void)lib->xmlXPathOrderDocElems_(doc);
    return doc;
}

/* ---- the expression ---- */

/* XCUIElementTypeAny is *, everywhere. */
static char *with_star(struct ia_str text)
{
    static const char any[] = "XCUIElementTypeAny";
    struct ia_buf b = IA_BUF(text.n + 1);
    for (size_t i = 0; i < text.n; i++) {
        struct ia_str rest = {text.p + i, text.n - i};
        bool is = ia_str_starts(rest, ia_str(any));
        ia_buf_putc(&b, is ? '*' : text.p[i]);
        i += is ? sizeof(any) - 2 : 0;
    }
    ia_buf_puts(&b, "");
    return ia_buf_steal(&b);
}

/* Of a name, which may have a dash in it, or of a number, which may not: 0 for other signs. */
static size_t name_length(const char *p)
{
    size_t n = strspn(p, "0123456789");
    bool number = n > 0;
    while (!number && (is_word(p[n]) || (n && (p[n] == '-' || p[n] == '.' || p[n] == ':')))) {
        n++;
    }
    return n;
}

/* A text in quotes, a name or number, or one sign. */
static size_t word_length(const char *p)
{
    if (*p == '"' || *p == '\'') {
        const char *end = strchr(p + 1, *p);
        return end ? (size_t)(end - p) + 1 : strlen(p);
    }
    size_t n = name_length(p);
    return n ? n : 1;
}

static bool is_watched(struct ia_str word, const char *behind)
{
    static const char *const names[] = {
#define NAME(name, function) name,
        IA_WDA_XPATH_TEXT_FUNCTIONS(NAME)
#undef NAME
    };
    for (size_t i = 0; i < IA_COUNTOF(names); i++) {
        if (ia_str_is(word, names[i])) {
            return behind[strspn(behind, " \t\r\n")] == '(';
        }
    }
    return false;
}

/* With watched functions. False: more than what libxml2 can do on a stack that may be small. */
static bool prepare(const char *text, struct ia_buf *out)
{
    int depth = 0, words = 0;
    size_t n = 0;
    for (const char *p = text; *p; p += n) {
        n = word_length(p);
        depth += *p == '(' || *p == '[';
        depth -= *p == ')' || *p == ']';
        words += !strchr(" \t\r\n", *p);
        if (depth > IA_WDA_XPATH_DEPTH_MAX || words > IA_WDA_XPATH_WORDS_MAX) {
            return false;
        }
        ia_buf_puts(out, is_watched((struct ia_str){p, n}, p + n) ? IA_WDA_XPATH_WATCHED : "");
        ia_buf_put(out, p, n);
    }
    return true;
}

/* How many nodes and operations one evaluation may look at: some tenths of a second. */
enum { OPERATIONS_MAX = 5000000 };

/* libxml2 prints nothing, and WebDriverAgent has no words for what it says. */
static void on_error(void *ctx, xml_error_ptr e)
{
    struct ia_wda_xpath_run *run = ctx;
    if (run->rc != IA_OK || !e) {
        return;
    }
    bool limit = e->code == XML_XPATH_EXPRESSION_OK + XPATH_OP_LIMIT_EXCEEDED;
    run->rc = limit ? IA_E_TIMEOUT : IA_E_PARSE;
}

/* The place of an unknown function goes past that handler. */
static void keep_silent(void *ctx, const char *format, ...)
{
    (void)ctx, (void)format;
}

static enum ia_rc failed(const struct ia_wda_xpath_run *run, struct ia_str text,
                         struct ia_err *err)
{
    if (run->rc == IA_E_TIMEOUT || run->effort->spent) {
        struct ia_wda_effort spent = {.spent = true};
        return ia_wda_effort_check(&spent, err);
    }
    if (run->rc == IA_E_MISSING) {
        return ia_err_set(err, run->rc, "%s", run->why);
    }
    int n = (int)(text.n <= 400 ? text.n : ia_utf8_cut(text.p, 400));
    return ia_err_set(err, IA_E_PARSE,
                      "Cannot evaluate results for XPath expression \"%.*s\"%s%s", n, text.p,
                      run->why[0] ? ": " : "", run->why);
}

static void collect(const xmlXPathObject *result, struct ia_wda_nodes *ret)
{
    struct ia_wda_nodes list = {0};
    const xmlNodeSet *set = result->type == XPATH_NODESET ? result->nodesetval : NULL;
    for (int i = 0; set && i < set->nodeNr; i++) {
        const xmlNode *node = set->nodeTab[i];
        if (node->type == XML_ELEMENT_NODE) {
            ia_wda_nodes_add(&list, (int32_t)(intptr_t)node->_private - 1);
        }
    }
    ia_wda_nodes_append(ret, &list);
    ia_wda_nodes_fini(&list);
}

static void evaluate(struct ia_wda_xpath_run *run, xmlDocPtr doc, const char *text,
                     struct ia_wda_nodes *ret)
{
    const struct ia_xml *lib = run->xml;
    xmlXPathContextPtr ctxt = lib->xmlXPathNewContext_(doc);
    ctxt->node = doc->children;
    ctxt->userData = run;
    ctxt->error = on_error;
    ctxt->opLimit = OPERATIONS_MAX;
    ia_wda_xpath_functions(ctxt);
    lib->xmlSetGenericErrorFunc_(NULL, keep_silent);
    xmlXPathObjectPtr result = lib->xmlXPathEvalExpression_((const xmlChar *)text, ctxt);
    lib->xmlSetGenericErrorFunc_(NULL, NULL);
    run->rc = result || run->rc != IA_OK ? run->rc : IA_E_PARSE;
    if (result && run->rc == IA_OK) {
        collect(result, ret);
    }
    if (result) {
        lib->xmlXPathFreeObject_(result);
    }
    lib->xmlXPathFreeContext_(ctxt);
}

enum ia_rc ia_wda_xpath_find(const struct ia_wda_screen *s, int32_t under, struct ia_str text,
                             struct ia_wda_effort *effort, struct ia_wda_nodes *ret,
                             struct ia_err *err)
{
    struct ia_wda_xpath_run run = {.xml = ia_xml(err), .effort = effort};
    if (!run.xml) {
        return IA_E_MISSING;
    }
    char *expression = with_star(text);
    struct ia_buf prepared = IA_BUF(text.n * 16 + 16);
    if (prepare(expression, &prepared)) {
        xmlDocPtr doc = document_of(run.xml, s, under, mentioned(expression));
        evaluate(&run, doc, ia_buf_cstr(&prepared), ret);
        run.xml->xmlFreeDoc_(doc);
    } else {
        run.rc = IA_E_PARSE;
        snprintf(run.why, sizeof(run.why),
                 "it is too long, or has too many brackets in each other");
    }
    ia_buf_fini(&prepared);
    ia_wda_xpath_run_fini(&run);
    free(expression);
    bool bad = run.rc != IA_OK || effort->spent;
    return bad ? failed(&run, text, err) : IA_OK;
}
