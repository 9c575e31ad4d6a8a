/* wda_xml.c: WebDriverAgent's source as XML, read by libxml2 event by event, without a document
 * in memory.
 *
 * A document type is refused, so there are no entities but XML's own five, and nothing is ever
 * loaded from elsewhere. Elements that are not XCUIElementType stand for what is in them.
 *
 *   level    0     1                2                     3
 *   XML      -     <AppiumAUT>      <XCUIElementType…>    <XCUIElementType…>
 *   at[]     NULL  NULL             node                  its child
 *   levels   0     0                1                     2
 *
 * What does not fit into the tree sets `skip` to its level, and everything up to its end is
 * passed over; the tree is marked as truncated. */
#include "driver/adapt/impl.h"

#include "base/xml_lib.h"

#include <stdlib.h>
#include <string.h>

/* libxml2 itself stops at 2048 levels. */
enum { LEVELS_MAX = 2048 };

struct reading {
    struct ia_adapting *a;
    const struct ia_xml *lib;
    xmlParserCtxtPtr ctxt;
    struct ia_node *at[LEVELS_MAX + 1]; /* by level: what its elements are children of */
    int levels[LEVELS_MAX + 1];         /* how deep that one lies in the tree */
    int level;
    int skip;     /* level of the element that did not fit; 0: none */
    size_t count; /* of all XML elements */
    bool doctype, any;
};

/* Attributes come as five pointers each: name, prefix, namespace,
 * first and end of the value. */
struct attributes {
    const xmlChar **all;
    int count;
};

static struct ia_str attribute(const struct attributes *at, const char *name)
{
    for (int i = 0; i < at->count; i++) {
        const xmlChar **row = at->all + (ptrdiff_t)i * 5;
        if (strcmp((const char *)row[0], name) == 0) {
            return (struct ia_str){(const char *)row[3], (size_t)(row[4] - row[3])};
        }
    }
    return (struct ia_str){NULL, 0};
}

static const char *text(struct ia_tree *t, const struct attributes *at, const char *name)
{
    struct ia_str s = attribute(at, name);
    return ia_tree_text(t, s.p, s.n);
}

static double number(const struct attributes *at, const char *name)
{
    char buf[40];
    struct ia_str s = attribute(at, name);
    if (s.n == 0 || s.n >= sizeof(buf)) {
        return 0;
    }
    memcpy(buf, s.p, s.n);
    buf[s.n] = '\0';
    return strtod(buf, NULL);
}

static void read_flags(struct ia_node *n, const struct attributes *at)
{
    if (ia_str_is(attribute(at, "enabled"), "false")) {
        n->flags &= (uint16_t)~IA_NODE_ENABLED;
    }
    n->flags |= ia_str_is(attribute(at, "visible"), "false") ? IA_NODE_INVISIBLE : 0;
    n->flags |= ia_str_is(attribute(at, "selected"), "true") ? IA_NODE_SELECTED : 0;
    n->flags |= ia_str_is(attribute(at, "focused"), "true") ? IA_NODE_FOCUSED : 0;
    ia_adapt_traits(n, attribute(at, "traits"));
}

static void read_texts(struct ia_tree *t, struct ia_node *n, const struct attributes *at)
{
    n->label = text(t, at, "label");
    n->value = text(t, at, "value");
    n->placeholder = text(t, at, "placeholderValue");
    const char *name = text(t, at, "name");
    bool echo = name && n->label && strcmp(name, n->label) == 0;
    n->identifier = echo ? NULL : name;
    /* A text always says something: without label and value its name is what it says. */
    if (n->type == IA_EL_STATIC_TEXT && !n->label && !n->value) {
        n->label = name;
        n->identifier = NULL;
    }
}

static struct ia_node *add(struct reading *r, enum ia_eltype type, const struct attributes *at)
{
    struct ia_tree *t = r->a->tree;
    struct ia_node *parent = r->at[r->level];
    struct ia_rect frame = {number(at, "x"), number(at, "y"), number(at, "width"),
                            number(at, "height")};
    /* A second application, as of a system alert, lies in front of the first. */
    parent = parent ? parent : ia_tree_root(t);
    struct ia_node *n = ia_tree_add(t, parent, type, frame);
    if (n) {
        read_texts(t, n, at);
        read_flags(n, at);
        if (type == IA_EL_APPLICATION && !ia_tree_app(t)) {
            ia_tree_set_app(t, text(t, at, "bundleId"));
        }
    }
    return n;
}

/* The library's signature. NOLINTNEXTLINE(readability-function-size) */
static void on_start(void *ctx, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri,
                     int nb_namespaces, const xmlChar **namespaces, int nb_attributes,
                     int nb_defaulted, const xmlChar **attributes)
{
    (void)prefix, (void)uri, (void)nb_namespaces, (void)namespaces, (void)nb_defaulted;
    struct reading *r = ctx;
    r->count++;
    if (r->skip || r->level >= LEVELS_MAX) {
        ia_tree_set_truncated(r->a->tree);
        r->skip = r->skip ? r->skip : r->level + 1;
        r->level++;
        return;
    }
    struct ia_str tag = ia_str((const char *)name);
    struct ia_node *n = r->at[r->level];
    int depth = r->levels[r->level];
    if (ia_str_starts(tag, ia_str("XCUIElementType"))) {
        struct attributes at = {attributes, nb_attributes};
        enum ia_eltype type = ia_eltype_from_name(tag);
        n = add(r, type == IA_EL_COUNT ? IA_EL_OTHER : type, &at);
        r->skip = n ? 0 : r->level + 1;
        depth++;
        r->any = true;
        r->a->deepest = n && depth > r->a->deepest ? depth : r->a->deepest;
    }
    r->level++;
    r->at[r->level] = n;
    r->levels[r->level] = depth;
}

static void on_end(void *ctx, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri)
{
    (void)name, (void)prefix, (void)uri;
    struct reading *r = ctx;
    r->skip = r->skip == r->level ? 0 : r->skip;
    r->level -= r->level > 0;
}

static void on_doctype(void *ctx, const xmlChar *name, const xmlChar *id, const xmlChar *system)
{
    (void)name, (void)id, (void)system;
    struct reading *r = ctx;
    r->doctype = true;
    r->lib->xmlStopParser_(r->ctxt);
}

static enum ia_rc broken(const struct reading *r, struct ia_err *err)
{
    if (r->doctype) {
        return ia_adapt_malformed(r->a, err, "it has a document type, which is not accepted");
    }
    const xmlError *e = r->lib->xmlCtxtGetLastError_(r->ctxt);
    const char *why = e && e->message ? e->message : "it is not XML";
    return ia_adapt_malformed(r->a, err, "line %d: %.*s", e ? e->line : 1,
                              (int)strcspn(why, "\n"), why);
}

static enum ia_rc parse(struct reading *r, struct ia_str bytes, struct ia_err *err)
{
    xmlSAXHandler sax = {.initialized = XML_SAX2_MAGIC,
                         .internalSubset = on_doctype,
                         .startElementNs = on_start,
                         .endElementNs = on_end};
    r->ctxt = r->lib->xmlCreatePushParserCtxt_(&sax, r, NULL, 0, NULL);
    if (!r->ctxt) {
        return ia_err_set(err, IA_E_INTERNAL, "libxml2 could not create a parser");
    }
    /* NOENT: &amp; in an attribute arrives as &. There are no other entities. */
    r->lib->xmlCtxtUseOptions_(r->ctxt, XML_PARSE_NOENT | XML_PARSE_NONET | XML_PARSE_HUGE |
                                            XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
    int bad = r->lib->xmlParseChunk_(r->ctxt, bytes.p, (int)bytes.n, 1);
    enum ia_rc rc = bad != 0 || r->doctype ? broken(r, err) : IA_OK;
    if (rc == IA_OK && !r->any && r->count > 1) { /* one alone is an empty wrapper */
        rc = ia_adapt_malformed(r->a, err, "it is XML without any XCUIElementType");
    }
    r->lib->xmlFreeParserCtxt_(r->ctxt);
    return rc;
}

static enum ia_rc read_once(struct ia_adapting *a, const struct ia_xml *lib,
                            struct ia_str bytes, struct ia_err *err)
{
    struct reading *r = ia_calloc(1, sizeof(*r));
    r->a = a;
    r->lib = lib;
    enum ia_rc rc = parse(r, bytes, err);
    free(r);
    return rc;
}

/* Once more after a repair, into a new tree: the first one holds what came before the mistake. */
static enum ia_rc read_xml(struct ia_adapting *a, struct ia_str bytes, struct ia_err *err)
{
    const struct ia_xml *lib = ia_xml(err);
    if (!lib) {
        return IA_E_MISSING;
    }
    enum ia_rc rc = read_once(a, lib, bytes, err);
    if (rc != IA_E_TREE_MALFORMED) {
        return rc;
    }
    struct ia_buf fixed = IA_BUF(bytes.n * 3);
    size_t count = ia_adapt_repair(bytes, false, &fixed);
    if (count > 0) {
        count += ia_tree_repaired(a->tree);
        ia_tree_free(a->tree);
        a->tree = ia_tree_new();
        a->deepest = 0;
        ia_tree_add_repaired(a->tree, count);
        rc = read_once(a, lib, ia_buf_str(&fixed), err);
    }
    ia_buf_fini(&fixed);
    return rc;
}

static struct ia_str trimmed(struct ia_str s)
{
    while (s.n > 0 && strchr(" \t\r\n", *s.p)) {
        s.p++;
        s.n--;
    }
    return s;
}

/* As it came over HTTP: {"value":"<?xml …","sessionId":…}. */
static enum ia_rc read_envelope(struct ia_adapting *a, struct ia_str bytes, struct ia_err *err)
{
    json_t *doc = NULL;
    json_t *value = NULL;
    enum ia_rc rc = ia_adapt_json(a, bytes, &doc, err);
    if (rc == IA_OK) {
        rc = ia_adapt_wda_value(doc, &value, err);
    }
    if (rc == IA_OK && json_is_string(value)) {
        struct ia_str xml = ia_json_str(value);
        rc = read_xml(a, trimmed(xml), err);
    } else if (rc == IA_OK) {
        rc = ia_adapt_malformed(a, err, "it is JSON without XML in it");
    }
    json_decref(doc);
    return rc;
}

enum ia_rc ia_adapt_wda_xml(struct ia_adapting *a, struct ia_str bytes, struct ia_err *err)
{
    struct ia_str body = trimmed(bytes);
    if (body.n == 0) {
        return ia_adapt_malformed(a, err, "it is empty");
    }
    return *body.p == '{' ? read_envelope(a, body, err) : read_xml(a, body, err);
}
