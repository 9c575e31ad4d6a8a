/* match.c: which nodes of a tree a selector or a signature means. Pure.
 *
 * A selector matches by its texts and its type. A signature names one element of an earlier
 * tree: it is the node at the same path if that still has the same identity, else the only one
 * with that identity, else the one with the same number among as many as there were. Anything
 * else would be a guess. */
#include "core/impl.h"

#include <stdlib.h>
#include <string.h>

/* ---- texts ---- */

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Ignores the case of ASCII letters only: other letters would need a table of Unicode. */
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

/* On a mismatch it goes back to the last star only, and lets that cover one character more:
 * linear in memory, and no pattern can make it exponential. */
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

/* ---- signatures ---- */

/* The node at the end of a path of child numbers, or NONE. */
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

static bool texts_equal(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "") == 0;
}

static bool has_identity(const struct ia_wire_signature *s, const struct ia_wire_node *node)
{
    return s->type == node->type && texts_equal(s->identifier, node->identifier) &&
           texts_equal(s->label, node->label);
}

int32_t ia_bridge_find_signature(struct ia_bridge_view v, const struct ia_wire_signature *s)
{
    int32_t first = IA_BRIDGE_NONE, nth = IA_BRIDGE_NONE;
    uint32_t count = 0;
    int32_t by_path = at_path(v, s->path, s->path_n);
    for (uint32_t i = 0; i < v.n; i++) {
        if (has_identity(s, &v.nodes[i])) {
            first = count == 0 ? (int32_t)i : first;
            nth = count == s->ordinal ? (int32_t)i : nth;
            count++;
        }
    }
    if (by_path != IA_BRIDGE_NONE && has_identity(s, &v.nodes[by_path]) &&
        (s->count == 0 || s->count == count)) {
        return by_path;
    }
    /* It moved in the tree. With more or fewer of its kind than before none can be told from
     * another. */
    if (count == 1 && s->count <= 1) {
        return first;
    }
    return count == s->count ? nth : IA_BRIDGE_NONE;
}
