/* json.c: the JSON of classic answers. An element has AXUniqueId, AXLabel, AXValue, type,
 * frame, children and hittable. What is unknown is left out, except children. placeholder,
 * enabled, selected and focused are additions of this bridge, written only when they differ
 * from the default. */
#include "core/impl.h"

#include <stdio.h>
#include <string.h>

static void put(struct ia_wire_buf *out, const char *s)
{
    ia_wire_buf_put(out, s, strlen(s));
}

static void put_string(struct ia_wire_buf *out, const char *s)
{
    put(out, "\"");
    for (const char *from = s;; s++) {
        unsigned char c = (unsigned char)*s;
        if (c >= 0x20 && c != '"' && c != '\\') {
            continue;
        }
        ia_wire_buf_put(out, from, (size_t)(s - from));
        if (c == 0) {
            break;
        }
        char escape[8];
        snprintf(escape, sizeof(escape), c < 0x20 ? "\\u%04x" : "\\%c", c);
        put(out, escape);
        from = s + 1;
    }
    put(out, "\"");
}

/* At most three decimals, and a decimal point whatever the locale says. */
static void put_number(struct ia_wire_buf *out, double v)
{
    char text[352];
    int n = snprintf(text, sizeof(text), "%.3f", v);
    for (int i = 0; i < n; i++) {
        text[i] = text[i] == ',' ? '.' : text[i];
    }
    while (n > 0 && text[n - 1] == '0') {
        text[--n] = 0;
    }
    if (n > 0 && text[n - 1] == '.') {
        text[--n] = 0;
    }
    put(out, text);
}

static void put_frame(struct ia_wire_buf *out, struct ia_wire_rect f)
{
    const struct {
        const char *key;
        double v;
    } rows[] = {
        {"{\"x\":", f.x}, {",\"y\":", f.y}, {",\"width\":", f.w}, {",\"height\":", f.h}};
    put(out, "\"frame\":");
    for (size_t i = 0; i < IA_BRIDGE_COUNTOF(rows); i++) {
        put(out, rows[i].key);
        put_number(out, rows[i].v);
    }
    put(out, "}");
}

static void put_text_key(struct ia_wire_buf *out, const char *key, const char *text)
{
    if (text && text[0]) {
        put(out, ",");
        put_string(out, key);
        put(out, ":");
        put_string(out, text);
    }
}

/* Everything but the children and the closing brace. */
static void put_head(struct ia_wire_buf *out, const struct ia_wire_node *n)
{
    put(out, "{\"type\":");
    put_string(out, ia_wire_type_name(n->type));
    put_text_key(out, "AXUniqueId", n->identifier);
    put_text_key(out, "AXLabel", n->label);
    put_text_key(out, "AXValue", n->value);
    put_text_key(out, "placeholder", n->placeholder);
    put(out, ",");
    put_frame(out, n->frame);
    if (!(n->flags & IA_WIRE_NODE_ENABLED)) {
        put(out, ",\"enabled\":false");
    }
    if (n->flags & IA_WIRE_NODE_SELECTED) {
        put(out, ",\"selected\":true");
    }
    if (n->flags & IA_WIRE_NODE_FOCUSED) {
        put(out, ",\"focused\":true");
    }
    if (n->flags & IA_WIRE_NODE_HITTABLE_KNOWN) {
        put(out,
            n->flags & IA_WIRE_NODE_HITTABLE ? ",\"hittable\":true" : ",\"hittable\":false");
    }
    put(out, ",\"children\":[");
}

static void put_nodes(struct ia_wire_buf *out, const struct ia_wire_node *nodes, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        put_head(out, &nodes[i]);
        /* The depths of a pre-order say how many elements end between two nodes. */
        uint32_t next = i + 1 < n ? nodes[i + 1].depth : 0;
        for (uint32_t depth = nodes[i].depth + 1U; depth > next; depth--) {
            put(out, "]}");
        }
        if (i + 1 < n && next <= nodes[i].depth) {
            put(out, ",");
        }
    }
}

void ia_bridge_json_tree(struct ia_wire_buf *out, const struct ia_wire_node *nodes, uint32_t n)
{
    put(out, "[");
    put_nodes(out, nodes, n);
    put(out, "]");
}

void ia_bridge_json_element(struct ia_wire_buf *out, const struct ia_wire_node *nodes,
                            uint32_t n)
{
    if (n == 0) {
        put(out, "null");
    }
    put_nodes(out, nodes, n);
}

void ia_bridge_json_info(struct ia_wire_buf *out, const struct ia_wire_info_reply *info)
{
    static const char *const states[] = {"unknown", "not_running", "suspended",
                                         "running_background", "running_foreground"};
    put(out, "{\"state\":");
    put_string(out, states[info->app_state <= IA_WIRE_APP_FOREGROUND ? info->app_state : 0]);
    put_text_key(out, "bundle_id", info->bundle_id);
    put_text_key(out, "display_name", info->app_name);
    put_text_key(out, "version", info->app_version);
    put_text_key(out, "build", info->app_build);
    put(out, "}");
}
