/* plist.c: property lists in XML, by libxml2, as JSON values: what the rest of the program can read.
 *
 * libxml2 is loaded for screens of WebDriverAgent anyway, and is everywhere (macOS brings it); libplist
 * would be one more library that a computer may lack. A property list has a document type, which is
 * not followed; entities of its own are refused, so that nothing grows. */
#include "driver/usbmux/impl.h"

#include "base/xml_lib.h"
#include "json/json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { LEVELS_MAX = 16 };

static json_t *value(const xmlNode *n, int level);

/* The next element from here on; text between elements says nothing. */
static const xmlNode *element(const xmlNode *n)
{
    while (n && n->type != XML_ELEMENT_NODE) {
        n = n->next;
    }
    return n;
}

static bool is(const xmlNode *n, const char *name)
{
    return strcmp((const char *)n->name, name) == 0;
}

/* All text of an element, which libxml2 keeps in one piece; NULL where something else is in it. */
static const char *text(const xmlNode *n)
{
    const xmlNode *t = n->children;
    if (!t) {
        return "";
    }
    bool plain = t->type == XML_TEXT_NODE || t->type == XML_CDATA_SECTION_NODE;
    return plain && !t->next && t->content ? (const char *)t->content : NULL;
}

static json_t *dict(const xmlNode *n, int level)
{
    json_t *o = json_object();
    const xmlNode *key = element(n->children);
    while (o && key) {
        const xmlNode *of = element(key->next);
        const char *name = is(key, "key") ? text(key) : NULL;
        if (!name || !of || json_object_set_new(o, name, value(of, level)) != 0) {
            json_decref(o);
            return NULL;
        }
        key = element(of->next);
    }
    return o;
}

static json_t *array(const xmlNode *n, int level)
{
    json_t *a = json_array();
    for (const xmlNode *i = element(n->children); a && i; i = element(i->next)) {
        if (json_array_append_new(a, value(i, level)) != 0) {
            json_decref(a);
            return NULL;
        }
    }
    return a;
}

static json_t *number(const char *s, bool real)
{
    char *end = NULL;
    errno = 0;
    long long whole = real ? 0 : strtoll(s, &end, 10);
    double d = real ? strtod(s, &end) : 0;
    if (end == s || *end != '\0' || errno != 0) {
        return NULL;
    }
    return real ? json_real(d) : json_integer(whole); /* json_real has no NaN */
}

/* NULL for what no property list has; the containers pass that on. */
static json_t *value(const xmlNode *n, int level)
{
    if (level > LEVELS_MAX) {
        return NULL;
    }
    if (is(n, "dict")) {
        return dict(n, level + 1);
    }
    if (is(n, "array")) {
        return array(n, level + 1);
    }
    if (is(n, "true") || is(n, "false")) {
        return json_boolean(is(n, "true"));
    }
    const char *s = text(n);
    if (s && (is(n, "integer") || is(n, "real"))) {
        return number(s, is(n, "real"));
    }
    bool string = is(n, "string") || is(n, "data") || is(n, "date");
    return s && string ? json_string(s) : NULL;
}

static json_t *root(const struct ia_xml *lib, xmlDocPtr doc)
{
    const xmlNode *top = doc ? lib->xmlDocGetRootElement_(doc) : NULL;
    bool entities = doc && doc->intSubset && doc->intSubset->children;
    const xmlNode *first = top && is(top, "plist") && !entities ? element(top->children) : NULL;
    return first && !element(first->next) ? value(first, 1) : NULL;
}

enum ia_rc ia_plist_read(struct ia_str xml, json_t **ret, struct ia_err *err)
{
    const struct ia_xml *lib = ia_xml(err);
    if (!lib) {
        return IA_E_MISSING;
    }
    xmlDocPtr doc = lib->xmlReadMemory_(xml.p, (int)xml.n, NULL, NULL,
                                        XML_PARSE_NONET | XML_PARSE_NOCDATA |
                                            XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
    json_t *found = root(lib, doc);
    if (doc) {
        lib->xmlFreeDoc_(doc);
    }
    if (!found) {
        return ia_err_set(err, IA_E_PROTO, "%zu bytes that are no property list", xml.n);
    }
    *ret = found;
    return IA_OK;
}
