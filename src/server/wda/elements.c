/* elements.c: the elements that a client was told of, and finding them again (FBElementCache.m).
 *
 *   found ──► id (the same for the same element) ──► cache: kind, place, ordinal
 *               (another one when there are more or fewer like it)
 *   used  ──► a fresh tree: as many of its kind as then, and
 *               none or itself lies where it lay   the one with the same ordinal
 *               else                               stale, and forgotten
 *
 * Another one in its place tells that something came or went before it: of those that are alike nobody knows
 * then which it was. */
#include "server/wda/wda_impl.h"

#include "base/hash.h"
#include "server/wda/select/find.h"

#include <stdlib.h>
#include <string.h>

enum { KNOWN_MAX = 1024 };

struct known {
    char uid[IA_WDA_UID_SIZE];
    uint64_t kind, path;
    int32_t ordinal, alike;
    uint64_t used;
};
struct ia_wda_elements {
    uint64_t keys[KNOWN_MAX]; /* of the ids; 0: free */
    struct known known[KNOWN_MAX];
    uint64_t clock;
};

struct ia_wda_elements *ia_wda_elements_new(void)
{
    return ia_calloc(1, sizeof(struct ia_wda_elements));
}

void ia_wda_elements_free(struct ia_wda_elements *e)
{
    free(e);
}

/* ---- the cache ---------------------------------------------------------------------------- */

static uint64_t key_of(const char *uid)
{
    uint64_t key = ia_hash(IA_HASH_SEED, uid, strlen(uid));
    return key ? key : 1;
}

static struct known *find_known(struct ia_wda_elements *e, const char *uid)
{
    uint64_t key = key_of(uid);
    for (size_t i = 0; i < KNOWN_MAX; i++) {
        if (e->keys[i] == key && strcmp(e->known[i].uid, uid) == 0) {
            e->known[i].used = ++e->clock;
            return &e->known[i];
        }
    }
    return NULL;
}

/* A free place, or that of the one that was used longest ago. */
static struct known *place(struct ia_wda_elements *e, const char *uid)
{
    size_t oldest = 0;
    for (size_t i = 0; i < KNOWN_MAX; i++) {
        if (e->keys[i] == 0 || e->known[i].used < e->known[oldest].used) {
            oldest = i;
        }
        if (e->keys[i] == 0) {
            break;
        }
    }
    e->keys[oldest] = key_of(uid);
    memcpy(e->known[oldest].uid, uid, IA_WDA_UID_SIZE);
    e->known[oldest].used = ++e->clock;
    return &e->known[oldest];
}

void ia_wda_know(struct ia_wda_call *c, int32_t node, char ret_uid[IA_WDA_UID_SIZE])
{
    const struct ia_wda_node *n = &c->screen->nodes[node];
    ia_wda_uid(c->screen, node, ret_uid);
    struct known *k = find_known(c->s->elements, ret_uid);
    k = k ? k : place(c->s->elements, ret_uid);
    k->kind = n->kind;
    k->path = n->path;
    k->ordinal = n->ordinal;
    k->alike = n->alike;
}

/* Its number on the screen, or -1. */
static int32_t find_again(const struct ia_wda_screen *s, const struct known *k)
{
    int32_t at_ordinal = -1;
    int32_t at_path = -1;
    for (int32_t i = 0; i < s->count; i++) {
        const struct ia_wda_node *n = &s->nodes[i];
        if (n->kind != k->kind) {
            continue;
        }
        if (n->alike != k->alike) {
            return -1;
        }
        at_path = n->path == k->path ? i : at_path;
        at_ordinal = n->ordinal == k->ordinal ? i : at_ordinal;
    }
    return at_path < 0 || at_path == at_ordinal ? at_ordinal : -1;
}

enum ia_wda_error ia_wda_element(struct ia_wda_call *c, const char *uid, int32_t *ret)
{
    struct known *k = find_known(c->s->elements, uid);
    if (!k) {
        return ia_wda_fail(c, IA_WDA_E_STALE,
                           "The element identified by \"%.40s\" is either not present or it "
                           "has expired from the internal cache. Try to find it again",
                           uid);
    }
    enum ia_wda_error error = ia_wda_look(c);
    if (error != IA_WDA_OK) {
        return error;
    }
    *ret = find_again(c->screen, k);
    if (*ret >= 0) {
        return IA_WDA_OK;
    }
    c->s->elements->keys[k - c->s->elements->known] = 0;
    return ia_wda_fail(c, IA_WDA_E_STALE,
                       "The previously found element \"%.40s\" is not present in the current "
                       "view anymore. Make sure the application UI has the expected state",
                       uid);
}

/* ---- what is told of one ------------------------------------------------------------------ */

void ia_wda_put_attribute(struct ia_wda_call *c, int32_t node, enum ia_wda_attribute a)
{
    struct ia_wda_value v;
    ia_wda_get(c->screen, node, a, &v);
    switch (v.is) {
    case IA_WDA_BOOL:
        ia_jsonw_bool(&c->w, v.truth);
        break;
    case IA_WDA_NUMBER:
        ia_jsonw_real(&c->w, v.number);
        break;
    case IA_WDA_TEXT:
        ia_jsonw_str(&c->w, v.text);
        break;
    case IA_WDA_RECT_OF:
        ia_wda_put_rect(&c->w, v.rect);
        break;
    default:
        ia_jsonw_null(&c->w);
    }
}

static void put_text(struct ia_wda_call *c, const struct ia_node *n)
{
    const char *value = ia_wda_text_value(n);
    const char *label = ia_wda_label(n);
    ia_jsonw_string(&c->w, value ? value : label ? label : "");
}

/* One of the setting elementResponseAttributes. */
static void put_field(struct ia_wda_call *c, int32_t node, const char *name, size_t n)
{
    static const struct {
        const char *name;
        enum ia_wda_attribute a;
    } rows[] = {{"name", IA_WDA_TYPE},        {"type", IA_WDA_TYPE},
                {"label", IA_WDA_LABEL},      {"rect", IA_WDA_RECT},
                {"enabled", IA_WDA_ENABLED},  {"displayed", IA_WDA_VISIBLE},
                {"selected", IA_WDA_SELECTED}};
    static const char attribute[] = "attribute/";
    struct ia_str word = {name, n};
    char *key = ia_strndup(name, n);
    enum ia_wda_attribute a;
    bool named = ia_str_starts(word, ia_str(attribute));
    struct ia_str rest = {name + sizeof(attribute) - 1, n - (sizeof(attribute) - 1)};
    if (strcmp(key, "text") == 0) {
        ia_jsonw_key(&c->w, key);
        put_text(c, c->screen->nodes[node].node);
    } else if (named && ia_wda_attribute(rest, &a, NULL) == IA_OK) {
        ia_jsonw_key(&c->w, key);
        ia_wda_put_attribute(c, node, a);
    }
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        if (strcmp(key, rows[i].name) == 0) {
            ia_jsonw_key(&c->w, key);
            ia_wda_put_attribute(c, node, rows[i].a);
        }
    }
    free(key);
}

static void put_element(struct ia_wda_call *c, int32_t node)
{
    char uid[IA_WDA_UID_SIZE];
    ia_wda_know(c, node, uid);
    ia_jsonw_object(&c->w);
    ia_jsonw_kv(&c->w, IA_WDA_ELEMENT_KEY, uid);
    ia_jsonw_kv(&c->w, "ELEMENT", uid);
    if (!ia_wda_setting(c->s, "shouldUseCompactResponses")) {
        for (const char *p = ia_wda_setting_text(c->s, "elementResponseAttributes");
             *p && ia_buf_ok(c->out);) {
            size_t n = strcspn(p, ",");
            put_field(c, node, p, n);
            p += n + (p[n] == ',');
        }
    }
    ia_jsonw_end_object(&c->w);
}

/* ---- finding ------------------------------------------------------------------------------ */

static enum ia_wda_error none(struct ia_wda_call *c, const char *using, const char *value)
{
    return ia_wda_fail(c, IA_WDA_E_NO_SUCH_ELEMENT,
                       "unable to find an element using '%.60s', value '%.400s'", using, value);
}

enum ia_wda_error ia_wda_search(struct ia_wda_call *c, int32_t under, const char *using,
                                const char *value, bool first, struct ia_wda_nodes *ret)
{
    enum ia_rc rc =
        ia_wda_find(c->screen, under, ia_str(using), ia_str(value), first, ret, &c->err);
    return rc == IA_E_NOT_FOUND ? IA_WDA_E_UNKNOWN : ia_wda_result(rc);
}

/* arg: IA_WDA_ALL, IA_WDA_UNDER. */
enum ia_wda_error ia_wda_find_element(struct ia_wda_call *c)
{
    bool all = (c->route->arg & IA_WDA_ALL) != 0;
    const char *using = json_string_value(json_object_get(c->body, "using"));
    const char *value = json_string_value(json_object_get(c->body, "value"));
    struct ia_wda_nodes found = {0};
    int32_t under = 0;
    if (!using || !value) {
        return ia_wda_fail(c, IA_WDA_E_ARGUMENT, "'using' and 'value' must be strings");
    }
    enum ia_wda_error error =
        c->route->arg & IA_WDA_UNDER ? ia_wda_element(c, c->args[0], &under) : ia_wda_look(c);
    if (error == IA_WDA_OK) {
        error = ia_wda_search(c, under, using, value, !all, &found);
    }
    if (error == IA_WDA_OK && !all) {
        if (found.n == 0) {
            error = none(c, using, value);
        } else {
            put_element(c, found.at[0]);
        }
    } else if (error == IA_WDA_OK) {
        ia_jsonw_array(&c->w);
        for (int32_t i = 0; i < found.n; i++) {
            put_element(c, found.at[i]);
        }
        ia_jsonw_end_array(&c->w);
    }
    ia_wda_nodes_fini(&found);
    return error;
}

enum ia_wda_error ia_wda_active(struct ia_wda_call *c)
{
    enum ia_wda_error error = ia_wda_look(c);
    for (int32_t i = 0; error == IA_WDA_OK && i < c->screen->count; i++) {
        if (c->screen->nodes[i].node->flags & IA_NODE_FOCUSED) {
            put_element(c, i);
            return IA_WDA_OK;
        }
    }
    return error != IA_WDA_OK ? error : none(c, "predicate string", "hasKeyboardFocus == YES");
}

enum ia_wda_error ia_wda_visible_cells(struct ia_wda_call *c)
{
    int32_t node = 0;
    enum ia_wda_error error = ia_wda_element(c, c->args[0], &node);
    if (error != IA_WDA_OK) {
        return error;
    }
    ia_jsonw_array(&c->w);
    for (int32_t i = node + 1; i < c->screen->nodes[node].end; i++) {
        const struct ia_wda_node *n = &c->screen->nodes[i];
        if (n->node->type == IA_EL_CELL && (n->state & IA_WDA_IS_VISIBLE)) {
            put_element(c, i);
        }
    }
    ia_jsonw_end_array(&c->w);
    return IA_WDA_OK;
}

/* ---- reading ------------------------------------------------------------------------------ */

/* arg: the attribute. */
enum ia_wda_error ia_wda_read(struct ia_wda_call *c)
{
    int32_t node = 0;
    enum ia_wda_error error = ia_wda_element(c, c->args[0], &node);
    if (error == IA_WDA_OK) {
        ia_wda_put_attribute(c, node, (enum ia_wda_attribute)c->route->arg);
    }
    return error;
}

enum ia_wda_error ia_wda_read_named(struct ia_wda_call *c)
{
    enum ia_wda_attribute a;
    int32_t node = 0;
    enum ia_wda_error error = ia_wda_element(c, c->args[0], &node);
    if (error == IA_WDA_OK && ia_wda_attribute(ia_str(c->args[1]), &a, &c->err) != IA_OK) {
        return IA_WDA_E_UNKNOWN;
    }
    if (error == IA_WDA_OK) {
        ia_wda_put_attribute(c, node, a);
    }
    return error;
}

enum ia_wda_error ia_wda_read_text(struct ia_wda_call *c)
{
    int32_t node = 0;
    enum ia_wda_error error = ia_wda_element(c, c->args[0], &node);
    if (error == IA_WDA_OK) {
        put_text(c, c->screen->nodes[node].node);
    }
    return error;
}
