/* source.c: the tree as text: GET /source as xml, json or description, and GET /wda/accessibleSource
 * (FBXPath.m, XCUIApplication+FBHelpers.m). */
#include "server/wda/wda_impl.h"

#include "base/xml.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { SOURCE_MAX = 14 << 20 };

struct source {
    const struct ia_wda_screen *screen;
    struct ia_buf *out;
    bool excluded[IA_WDA_ATTRIBUTE_COUNT];
    bool hittable; /* setting includeHittableInPageSource */
};

static void exclude(struct source *src, const char *list)
{
    for (const char *p = list; p && *p;) {
        size_t n = strcspn(p, ",");
        for (int a = 0; a < IA_WDA_ATTRIBUTE_COUNT; a++) {
            const char *name = ia_wda_attribute_name((enum ia_wda_attribute)a);
            if (strlen(name) == n && strncasecmp(p, name, n) == 0) {
                src->excluded[a] = true;
            }
        }
        p += n + (p[n] == ',');
    }
}

/* ---- xml ---------------------------------------------------------------------------------- */

/* Without the characters that XML cannot hold; line breaks survive as references. */
static void put_text(struct ia_buf *out, struct ia_str text)
{
    for (size_t i = 0; i < text.n;) {
        size_t plain = 0;
        while (i + plain < text.n && (unsigned char)text.p[i + plain] >= ' ' &&
               (unsigned char)text.p[i + plain] != 0xEF) {
            plain++;
        }
        ia_xml_escape(out, (struct ia_str){text.p + i, plain});
        i += plain;
        if (i == text.n) {
            break;
        }
        char c = text.p[i];
        bool none = text.n - i >= 3 && memcmp(text.p + i, "\xEF\xBF", 2) == 0 &&
                    (unsigned char)text.p[i + 2] >= 0xBE; /* U+FFFE, U+FFFF */
        if (c == '\t' || c == '\n' || c == '\r') {
            ia_buf_printf(out, "&#%d;", c);
        } else if ((unsigned char)c == 0xEF && !none) {
            ia_buf_putc(out, c);
        }
        i += none ? 3 : 1;
    }
}

static void put_attribute(const struct source *src, const char *name,
                          const struct ia_wda_value *v)
{
    if (v->is == IA_WDA_NULL) {
        return;
    }
    ia_buf_printf(src->out, " %s=\"", name);
    switch (v->is) {
    case IA_WDA_BOOL:
        ia_buf_puts(src->out, v->truth ? "true" : "false");
        break;
    case IA_WDA_NUMBER:
        ia_buf_printf(src->out, "%.0f", v->number);
        break;
    case IA_WDA_TEXT:
        put_text(src->out, v->text);
        break;
    default:
        break;
    }
    ia_buf_putc(src->out, '"');
}

static void put_xml_rect(const struct source *src, const struct ia_node *n)
{
    struct ia_rect r = ia_wda_rect(n);
    ia_buf_printf(src->out, " x=\"%.0f\" y=\"%.0f\" width=\"%.0f\" height=\"%.0f\"", r.x, r.y,
                  r.w, r.h);
}

/* The order is WebDriverAgent's. */
static void put_xml_tag(const struct source *src, int32_t at)
{
    static const enum ia_wda_attribute order[] = {
        IA_WDA_TYPE,    IA_WDA_VALUE,    IA_WDA_NAME,        IA_WDA_LABEL,
        IA_WDA_ENABLED, IA_WDA_VISIBLE,  IA_WDA_ACCESSIBLE,  IA_WDA_RECT,
        IA_WDA_INDEX,   IA_WDA_HITTABLE, IA_WDA_PLACEHOLDER, IA_WDA_TRAITS};
    const struct ia_node *n = src->screen->nodes[at].node;
    ia_buf_printf(src->out, "<%s", ia_eltype_full_name((enum ia_eltype)n->type));
    for (size_t i = 0; i < IA_COUNTOF(order); i++) {
        enum ia_wda_attribute a = order[i];
        struct ia_wda_value v;
        if (a == IA_WDA_RECT) {
            put_xml_rect(src, n);
        } else if (!src->excluded[a] && (a != IA_WDA_HITTABLE || src->hittable) &&
                   (a != IA_WDA_PLACEHOLDER || ia_wda_takes_text(n))) {
            ia_wda_get(src->screen, at, a, &v);
            put_attribute(src, ia_wda_attribute_name(a), &v);
        }
    }
    if (n->type == IA_EL_APPLICATION && ia_tree_app(src->screen->tree)) {
        ia_buf_printf(src->out, " processId=\"%d\" bundleId=\"", IA_WDA_PROCESS_ID);
        put_text(src->out, ia_str(ia_tree_app(src->screen->tree)));
        ia_buf_putc(src->out, '"');
    }
}

static void indent(struct ia_buf *out, int depth)
{
    ia_buf_printf(out, "%*s", 2 * depth, "");
}

/* Recursion ends with IA_TREE_DEPTH_MAX. */
static void put_xml(const struct source *src, int32_t at, int depth)
{
    const struct ia_wda_node *n = &src->screen->nodes[at];
    indent(src->out, depth);
    put_xml_tag(src, at);
    if (n->end == at + 1) {
        ia_buf_puts(src->out, "/>\n");
        return;
    }
    ia_buf_puts(src->out, ">\n");
    for (int32_t child = at + 1; child < n->end; child = src->screen->nodes[child].end) {
        put_xml(src, child, depth + 1);
    }
    indent(src->out, depth);
    ia_buf_printf(src->out, "</%s>\n", ia_eltype_full_name((enum ia_eltype)n->node->type));
}

static void put_document(const struct source *src, const char *scope)
{
    ia_buf_puts(src->out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    if (scope) {
        ia_buf_printf(src->out, "<%s>\n", scope);
    }
    put_xml(src, 0, scope ? 1 : 0);
    if (scope) {
        ia_buf_printf(src->out, "</%s>\n", scope);
    }
}

/* ---- json --------------------------------------------------------------------------------- */

static void put_kv(struct ia_jsonw *w, const char *key, const struct ia_wda_value *v)
{
    ia_jsonw_key(w, key);
    if (v->is == IA_WDA_TEXT) {
        ia_jsonw_str(w, v->text);
    } else if (v->is == IA_WDA_BOOL) {
        ia_jsonw_string(w, v->truth ? "1" : "0");
    } else {
        ia_jsonw_null(w);
    }
}

static void put_json_rect(const struct source *src, const struct ia_node *n, struct ia_jsonw *w)
{
    struct ia_rect r = ia_wda_rect(n);
    char text[160];
    ia_jsonw_key(w, "rect");
    ia_wda_put_rect(w, r);
    if (!src->excluded[IA_WDA_FRAME]) {
        (void)snprintf(text, sizeof(text), "{{%.0f, %.0f}, {%.0f, %.0f}}", r.x, r.y, r.w, r.h);
        ia_jsonw_kv(w, "frame", text);
    }
    if (!src->excluded[IA_WDA_NATIVE_FRAME]) {
        (void)snprintf(text, sizeof(text), "{{%.6g, %.6g}, {%.6g, %.6g}}", n->frame.x,
                       n->frame.y, n->frame.w, n->frame.h);
        ia_jsonw_kv(w, "nativeFrame", text);
    }
}

/* What both JSON forms have of an element. */
static void put_names(const struct source *src, int32_t at, struct ia_jsonw *w)
{
    const struct ia_node *n = src->screen->nodes[at].node;
    ia_jsonw_kv(w, "type", ia_eltype_name((enum ia_eltype)n->type));
    ia_jsonw_kv(w, "rawIdentifier", n->identifier);
    ia_jsonw_kv(w, "name", ia_wda_name(n));
}

static void put_texts(const struct source *src, int32_t at, struct ia_jsonw *w)
{
    const struct ia_node *n = src->screen->nodes[at].node;
    ia_jsonw_kv(w, "value", ia_wda_text_value(n));
    ia_jsonw_kv(w, "label", ia_wda_label(n));
}

/* Each element has a writer of its own: a tree may be deeper than one writer goes. */
static void put_json(const struct source *src, int32_t at)
{
    static const struct {
        enum ia_wda_attribute a;
        const char *key;
    } rows[] = {
        {IA_WDA_ENABLED, "isEnabled"},
        {IA_WDA_VISIBLE, "isVisible"},
        {IA_WDA_ACCESSIBLE, "isAccessible"},
        {IA_WDA_NATIVE_ELEMENT, "isNativeAccessibilityElement"},
        {IA_WDA_FOCUSED, "isFocused"},
        {IA_WDA_PLACEHOLDER, "placeholderValue"},
        {IA_WDA_TRAITS, "traits"},
        {IA_WDA_MIN, "minValue"},
        {IA_WDA_MAX, "maxValue"},
        {IA_WDA_ACTIONS, "customActions"},
    };
    const struct ia_wda_node *n = &src->screen->nodes[at];
    struct ia_jsonw w;
    ia_jsonw_init(&w, src->out);
    ia_jsonw_object(&w);
    put_names(src, at, &w);
    put_texts(src, at, &w);
    put_json_rect(src, n->node, &w);
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct ia_wda_value v;
        if (!src->excluded[rows[i].a] &&
            (rows[i].a != IA_WDA_PLACEHOLDER || ia_wda_takes_text(n->node))) {
            ia_wda_get(src->screen, at, rows[i].a, &v);
            put_kv(&w, rows[i].key, &v);
        }
    }
    if (n->end > at + 1) {
        ia_buf_puts(src->out, ",\"children\":[");
        for (int32_t child = at + 1; child < n->end; child = src->screen->nodes[child].end) {
            ia_buf_puts(src->out, child == at + 1 ? "" : ",");
            put_json(src, child);
        }
        ia_buf_putc(src->out, ']');
    }
    ia_jsonw_end_object(&w);
}

/* Only what is one for VoiceOver, with what holds it. Writes nothing and returns false where there is
 * none. */
static bool put_accessible(const struct source *src, int32_t at)
{
    const struct ia_wda_node *n = &src->screen->nodes[at];
    bool is = (n->state & IA_WDA_IS_ACCESSIBLE) != 0;
    size_t before = src->out->len;
    bool any = is;
    struct ia_jsonw w;
    if (is && !(n->state & IA_WDA_IS_VISIBLE)) {
        return false;
    }
    ia_jsonw_init(&w, src->out);
    ia_jsonw_object(&w);
    put_names(src, at, &w);
    if (is) {
        put_texts(src, at, &w);
    } else {
        ia_buf_puts(src->out, ",\"children\":[");
        for (int32_t child = at + 1; child < n->end; child = src->screen->nodes[child].end) {
            size_t start = src->out->len;
            ia_buf_puts(src->out, any ? "," : "");
            if (put_accessible(src, child)) {
                any = true;
            } else {
                ia_buf_cut(src->out, start);
            }
        }
        ia_buf_putc(src->out, ']');
    }
    ia_jsonw_end_object(&w);
    if (!any) {
        ia_buf_cut(src->out, before);
    }
    return any;
}

/* ---- description -------------------------------------------------------------------------- */

static void put_description(const struct source *src)
{
    const struct ia_wda_screen *s = src->screen;
    for (int32_t at = 1; at < s->count; at++) {
        const struct ia_node *n = s->nodes[at].node;
        int depth = 0;
        for (int32_t up = s->nodes[at].parent; up > 0; up = s->nodes[up].parent) {
            depth++;
        }
        indent(src->out, depth);
        ia_buf_printf(src->out, "%s, {{%.1f, %.1f}, {%.1f, %.1f}}",
                      ia_eltype_name((enum ia_eltype)n->type), n->frame.x, n->frame.y,
                      n->frame.w, n->frame.h);
        if (n->identifier) {
            ia_buf_printf(src->out, ", identifier: '%s'", n->identifier);
        }
        if (n->label) {
            ia_buf_printf(src->out, ", label: '%s'", n->label);
        }
        if (n->value) {
            ia_buf_printf(src->out, ", value: %s", n->value);
        }
        ia_buf_putc(src->out, '\n');
    }
}

/* ---- routes ------------------------------------------------------------------------------- */

/* The name of the element around the document. */
static bool is_tag(const char *scope)
{
    return strspn(scope, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_") ==
               strlen(scope) &&
           scope[0];
}

static enum ia_wda_error put_string(struct ia_wda_call *c, struct source *src,
                                    const char *scope)
{
    struct ia_buf text = IA_BUF(SOURCE_MAX);
    src->out = &text;
    if (scope) {
        put_document(src, scope[0] ? scope : NULL);
    } else {
        put_description(src);
    }
    bool ok = ia_buf_ok(&text);
    ia_jsonw_str(&c->w, ia_buf_str(&text));
    ia_buf_fini(&text);
    src->out = c->out;
    return ok ? IA_WDA_OK : ia_wda_fail(c, IA_WDA_E_UNKNOWN, "the source is too large");
}

enum ia_wda_error ia_wda_source(struct ia_wda_call *c)
{
    const char *format = ia_http_query(c->http, "format");
    const char *scope = ia_http_query(c->http, "scope");
    format = format ? format : "xml";
    scope = scope ? scope : "";
    bool xml = strcasecmp(format, "xml") == 0;
    bool json = strcasecmp(format, "json") == 0;
    if (!xml && !json && strcasecmp(format, "description") != 0) {
        return ia_wda_fail(c, IA_WDA_E_ARGUMENT,
                           "Unknown source format '%.40s'. Only (\n    xml,\n    json,\n    "
                           "description\n) source formats are supported.",
                           format);
    }
    if (scope[0] && !is_tag(scope)) {
        return ia_wda_fail(c, IA_WDA_E_ARGUMENT, "'scope' must be the name of an XML element");
    }
    enum ia_wda_error error = ia_wda_look(c);
    if (error != IA_WDA_OK) {
        return error;
    }
    struct source src = {.screen = c->screen,
                         .out = c->out,
                         .hittable = ia_wda_setting(c->s, "includeHittableInPageSource")};
    exclude(&src, ia_http_query(c->http, "excluded_attributes"));
    if (json) {
        put_json(&src, 0);
        return IA_WDA_OK;
    }
    return put_string(c, &src, xml ? scope : NULL);
}

enum ia_wda_error ia_wda_accessible_source(struct ia_wda_call *c)
{
    enum ia_wda_error error = ia_wda_look(c);
    struct source src = {.screen = c->screen, .out = c->out};
    if (error == IA_WDA_OK && !put_accessible(&src, 0)) {
        ia_buf_puts(c->out, "{}");
    }
    return error;
}
