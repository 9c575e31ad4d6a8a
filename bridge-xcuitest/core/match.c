/* match.c: which nodes of a tree are meant. Pure. */
#include "core/impl.h"

#include <stdlib.h>
#include <string.h>

struct ia_bridge_view ia_bridge_view(const struct ia_wire_reply *tree)
{
    return (struct ia_bridge_view){tree->u.tree.nodes, tree->u.tree.nodes_n};
}

/* ---- texts ---- */

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool contains(const char *text, const char *part)
{
    for (;; text++) {
        size_t i = 0;
        while (part[i] && lower(text[i]) == lower(part[i])) {
            i++;
        }
        if (!part[i]) {
            return true;
        }
        if (!*text) {
            return false;
        }
    }
}

/* The end of the UTF-8 character at s. */
static const char *next_char(const char *s)
{
    do {
        s++;
    } while (((unsigned char)*s & 0xc0) == 0x80);
    return s;
}

static bool glob(const char *pattern, const char *text)
{
    const char *star = NULL, *retry = NULL;
    while (*text) {
        if (*pattern == '*') {
            star = ++pattern;
            retry = text;
        } else if (*pattern == '?') {
            pattern++;
            text = next_char(text);
        } else if (*pattern == *text) {
            pattern++;
            text++;
        } else if (star) {
            pattern = star;
            retry = next_char(retry);
            text = retry;
        } else {
            return false;
        }
    }
    while (*pattern == '*') {
        pattern++;
    }
    return *pattern == 0;
}

bool ia_bridge_text_matches(uint8_t match, const char *pattern, const char *text)
{
    text = text ? text : "";
    switch (match) {
    case IA_WIRE_CONTAINS:
        return contains(text, pattern);
    case IA_WIRE_GLOB:
        return glob(pattern, text);
    default:
        return strcmp(pattern, text) == 0;
    }
}

bool ia_bridge_matches(const struct ia_wire_selector *s, const struct ia_wire_node *node)
{
    const struct {
        const char *pattern, *text;
    } rows[] = {
        {s->identifier, node->identifier}, {s->label, node->label}, {s->value, node->value}};
    if (s->type != 0 && s->type != node->type) {
        return false;
    }
    for (size_t i = 0; i < IA_BRIDGE_COUNTOF(rows); i++) {
        if (rows[i].pattern &&
            !ia_bridge_text_matches(s->match, rows[i].pattern, rows[i].text)) {
            return false;
        }
    }
    return !s->text || ia_bridge_text_matches(s->match, s->text, node->identifier) ||
           ia_bridge_text_matches(s->match, s->text, node->label);
}

uint32_t ia_bridge_select(struct ia_bridge_view v, const struct ia_wire_selector *s,
                          int32_t *ret_at)
{
    uint32_t count = 0, wanted = s->index == IA_WIRE_UNIQUE ? 0 : s->index;
    *ret_at = IA_BRIDGE_NONE;
    for (uint32_t i = 0; i < v.n; i++) {
        if (ia_bridge_matches(s, &v.nodes[i])) {
            if (count == wanted) {
                *ret_at = (int32_t)i;
            }
            count++;
        }
    }
    return count;
}

/* ---- places in a tree ---- */

int32_t ia_bridge_parent(struct ia_bridge_view v, int32_t at)
{
    for (int32_t i = at - 1; i >= 0; i--) {
        if (v.nodes[i].depth < v.nodes[at].depth) {
            return i;
        }
    }
    return IA_BRIDGE_NONE;
}

uint32_t ia_bridge_subtree_end(struct ia_bridge_view v, uint32_t at)
{
    uint32_t i = at + 1;
    while (i < v.n && v.nodes[i].depth > v.nodes[at].depth) {
        i++;
    }
    return i;
}

uint32_t ia_bridge_path(struct ia_bridge_view v, int32_t at, uint16_t path[IA_WIRE_DEPTH_MAX])
{
    uint32_t depth = v.nodes[at].depth;
    uint32_t want = depth;
    for (uint32_t i = 0; i < depth; i++) {
        path[i] = 0;
    }
    for (int32_t i = at - 1; i >= 0 && want > 0; i--) {
        if (v.nodes[i].depth == want) {
            path[want - 1]++;
        } else if (v.nodes[i].depth < want) {
            want = v.nodes[i].depth;
        }
    }
    return depth;
}

static int32_t at_path(struct ia_bridge_view v, const uint16_t *path, uint32_t n)
{
    uint32_t at = 0;
    if (v.n == 0) {
        return IA_BRIDGE_NONE;
    }
    for (uint32_t level = 0; level < n; level++) {
        uint32_t end = ia_bridge_subtree_end(v, at), child = at + 1;
        for (uint32_t k = 0; k < path[level] && child < end; k++) {
            child = ia_bridge_subtree_end(v, child);
        }
        if (child >= end) {
            return IA_BRIDGE_NONE;
        }
        at = child;
    }
    return (int32_t)at;
}

static bool same_text(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "") == 0;
}

static bool same(const struct ia_wire_signature *s, const struct ia_wire_node *node)
{
    return s->type == node->type && same_text(s->identifier, node->identifier) &&
           same_text(s->label, node->label);
}

int32_t ia_bridge_recognise(struct ia_bridge_view v, const struct ia_wire_signature *s)
{
    int32_t first = IA_BRIDGE_NONE, nth = IA_BRIDGE_NONE;
    uint32_t count = 0;
    int32_t there = at_path(v, s->path, s->path_n);
    for (uint32_t i = 0; i < v.n; i++) {
        if (same(s, &v.nodes[i])) {
            first = count == 0 ? (int32_t)i : first;
            nth = count == s->ordinal ? (int32_t)i : nth;
            count++;
        }
    }
    if (there != IA_BRIDGE_NONE && same(s, &v.nodes[there]) &&
        (s->count == 0 || s->count == count)) {
        return there;
    }
    if (count == 1 && s->count <= 1) {
        return first;
    }
    return count == s->count ? nth : IA_BRIDGE_NONE;
}

static const char *copy(struct ia_wire_arena *arena, const char *s)
{
    return s ? ia_wire_text(arena, s, strlen(s), IA_WIRE_TEXT_MAX) : NULL;
}

void ia_bridge_copy_node(struct ia_bridge_view v, int32_t at, struct ia_wire_arena *arena,
                         struct ia_wire_node *to)
{
    const struct ia_wire_node *from = &v.nodes[at];
    struct ia_wire_point point;
    bool hittable = ia_bridge_seen(v, at, &point) == IA_WIRE_OK;
    *to = *from;
    to->depth = 0;
    to->flags |= IA_WIRE_NODE_HITTABLE_KNOWN;
    to->flags = (uint16_t)(hittable ? to->flags | IA_WIRE_NODE_HITTABLE
                                    : to->flags & ~IA_WIRE_NODE_HITTABLE);
    to->identifier = copy(arena, from->identifier);
    to->label = copy(arena, from->label);
    to->value = copy(arena, from->value);
    to->placeholder = copy(arena, from->placeholder);
}
