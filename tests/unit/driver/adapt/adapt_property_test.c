/* Any tree that is written in another tool's format is read back as it was, with the same
 * snapshot; any part of such a document, and any damaged one, is a tree or an error that says
 * what to do. */
#include "test.h"

#include "base/jsonw.h"
#include "base/rand.h"
#include "driver/adapt/adapt.h"
#include "driver/snapshot/snapshot.h"

enum { NODES = 60, DEPTH = 8, ROUNDS = 60 };

struct world {
    struct ia_rand rnd;
    struct ia_tree *tree;
    enum ia_source source;
    int left;
};

static unsigned pick(struct world *w, unsigned n)
{
    return (unsigned)(ia_rand_next(&w->rnd) % n);
}

static const char *text(struct world *w)
{
    static const char *const texts[] = {
        "Log in",    "a\nb", "<&>\"'", "]]>", "=",          "🙂", "アカウント",
        "{\"a\":1}", "\\",   "&amp;",  "0%",  "1 button x", "a, b", "checkbox, checked"};
    const char *s = texts[pick(w, IA_COUNTOF(texts))];
    return pick(w, 3) ? ia_tree_text(w->tree, s, strlen(s)) : NULL;
}

/* What the format can say about a node. */
static uint16_t flags(struct world *w)
{
    unsigned f = pick(w, 64) & ~(unsigned)IA_NODE_INVISIBLE;
    bool wda = w->source == IA_SOURCE_WDA_XML || w->source == IA_SOURCE_WDA_JSON;
    return (uint16_t)(f | (wda && pick(w, 9) == 0 ? IA_NODE_INVISIBLE : 0));
}

static void grow(struct world *w, struct ia_node *parent, int depth)
{
    for (unsigned i = pick(w, 4) + (depth == 1 ? 3 : 0); i > 0 && w->left-- > 0; i--) {
        unsigned type = 1 + pick(w, IA_EL_COUNT - 1);
        struct ia_rect r = {pick(w, 500) - 50.5, pick(w, 900) - 40.25, pick(w, 400),
                            pick(w, 100)};
        struct ia_node *n = ia_tree_add(w->tree, parent, (enum ia_eltype)type, r);
        char id[16];
        snprintf(id, sizeof(id), "id-%u", pick(w, 1000));
        n->label = text(w);
        n->label =
            n->label || type != IA_EL_STATIC_TEXT ? n->label : ia_tree_text(w->tree, "T", 1);
        n->value = text(w);
        n->identifier = pick(w, 2) ? ia_tree_text(w->tree, id, strlen(id)) : NULL;
        n->placeholder = pick(w, 6) ? NULL : text(w);
        n->flags = flags(w);
        if (depth < DEPTH) {
            grow(w, n, depth + 1);
        }
    }
}

static struct ia_tree *random_tree(enum ia_source source, uint64_t seed)
{
    struct world w = {
        .rnd = ia_rand_seeded(&seed), .tree = ia_tree_new(), .source = source, .left = NODES};
    struct ia_node *root =
        ia_tree_add(w.tree, NULL, IA_EL_APPLICATION, (struct ia_rect){0, 0, 400, 800});
    root->label = ia_tree_text(w.tree, "App", 3);
    grow(&w, root, 1);
    return w.tree;
}

/* ---- writers ---------------------------------------------------------------------------- */

static void put_traits(struct ia_buf *b, const struct ia_node *n, const char *between)
{
    static const struct {
        uint16_t flag;
        const char *name;
    } traits[] = {{IA_NODE_HEADER, "Header"},
                  {IA_NODE_ADJUSTABLE, "Adjustable"},
                  {IA_NODE_SELECTED, "Selected"}};
    bool any = false;
    for (size_t i = 0; i < IA_COUNTOF(traits); i++) {
        if (n->flags & traits[i].flag) {
            ia_buf_puts(b, any ? between : "");
            ia_buf_puts(b, traits[i].name);
            any = true;
        }
    }
}

static void json_frame(struct ia_jsonw *w, const char *key, struct ia_rect r)
{
    ia_jsonw_key(w, key);
    ia_jsonw_object(w);
    ia_jsonw_kv_real(w, "x", r.x);
    ia_jsonw_kv_real(w, "y", r.y);
    ia_jsonw_kv_real(w, "width", r.w);
    ia_jsonw_kv_real(w, "height", r.h);
    ia_jsonw_end_object(w);
}

static void json_flags(struct ia_jsonw *w, enum ia_source source, const struct ia_node *n)
{
    struct ia_buf b = IA_BUF(256);
    ia_jsonw_key(w, "traits");
    if (source == IA_SOURCE_AXE) {
        ia_buf_puts(&b, "[\"");
        put_traits(&b, n, "\",\"");
        ia_buf_puts(&b, "\"]");
        ia_jsonw_raw(w, ia_buf_str(&b));
        ia_jsonw_kv_bool(w, "AXFocused", (n->flags & IA_NODE_FOCUSED) != 0);
    } else {
        put_traits(&b, n, ", ");
        ia_jsonw_str(w, ia_buf_str(&b));
        ia_jsonw_kv_bool(w, "focused", (n->flags & IA_NODE_FOCUSED) != 0);
        ia_jsonw_kv(w, "isFocused", n->flags & IA_NODE_FOCUSED ? "1" : "0");
        ia_jsonw_kv(w, "isVisible", n->flags & IA_NODE_INVISIBLE ? "0" : "1");
        ia_jsonw_kv(w, "isEnabled", n->flags & IA_NODE_ENABLED ? "1" : "0");
    }
    ia_jsonw_kv_bool(w, "enabled", (n->flags & IA_NODE_ENABLED) != 0);
    ia_buf_fini(&b);
}

static void json_node(struct ia_jsonw *w, enum ia_source source, const struct ia_node *n)
{
    bool wda = source == IA_SOURCE_WDA_JSON;
    ia_jsonw_object(w);
    ia_jsonw_kv(w, "type", ia_eltype_name((enum ia_eltype)n->type));
    ia_jsonw_kv(w, wda ? "label" : "AXLabel", n->label);
    ia_jsonw_kv(w, wda ? "value" : "AXValue", n->value);
    ia_jsonw_kv(w, wda ? "rawIdentifier" : "AXUniqueId", n->identifier);
    ia_jsonw_kv(w, source == IA_SOURCE_BRIDGE ? "placeholder" : "placeholderValue",
                n->placeholder);
    json_frame(w, wda ? "rect" : "frame", n->frame);
    json_flags(w, source, n);
    ia_jsonw_key(w, "children");
    ia_jsonw_array(w);
    for (const struct ia_node *c = n->first_child; c; c = c->next) {
        json_node(w, source, c);
    }
    ia_jsonw_end_array(w);
    ia_jsonw_end_object(w);
}

static void xml_text(struct ia_buf *b, const char *name, const char *s)
{
    if (!s) {
        return;
    }
    ia_buf_printf(b, " %s=\"", name);
    for (; *s; s++) {
        if (strchr("<&\"\n", *s)) {
            ia_buf_printf(b, "&#%d;", *s);
        } else {
            ia_buf_putc(b, *s);
        }
    }
    ia_buf_putc(b, '"');
}

static void xml_node(struct ia_buf *b, const struct ia_node *n)
{
    const char *type = ia_eltype_name((enum ia_eltype)n->type);
    ia_buf_printf(b, "<XCUIElementType%s", type);
    xml_text(b, "label", n->label);
    xml_text(b, "value", n->value);
    xml_text(b, "name", n->identifier ? n->identifier : n->label);
    xml_text(b, "placeholderValue", n->placeholder);
    xml_text(b, "enabled", n->flags & IA_NODE_ENABLED ? "true" : "false");
    xml_text(b, "visible", n->flags & IA_NODE_INVISIBLE ? "false" : "true");
    xml_text(b, "focused", n->flags & IA_NODE_FOCUSED ? "true" : "false");
    ia_buf_puts(b, " traits=\"");
    put_traits(b, n, ", ");
    ia_buf_printf(b, "\" x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\">", n->frame.x, n->frame.y,
                  n->frame.w, n->frame.h);
    for (const struct ia_node *c = n->first_child; c; c = c->next) {
        xml_node(b, c);
    }
    ia_buf_printf(b, "</XCUIElementType%s>", type);
}

static struct ia_buf write_tree(enum ia_source source, const struct ia_tree *t)
{
    struct ia_buf b = IA_BUF(1 << 22);
    if (source == IA_SOURCE_WDA_XML) {
        ia_buf_puts(&b, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<AppiumAUT>");
        xml_node(&b, ia_tree_root(t));
        ia_buf_puts(&b, "</AppiumAUT>");
    } else {
        struct ia_jsonw w;
        ia_jsonw_init(&w, &b);
        json_node(&w, source, ia_tree_root(t));
    }
    assert_true(ia_buf_ok(&b));
    return b;
}

/* ---- properties ------------------------------------------------------------------------- */

static bool same(const char *a, const char *b)
{
    return (!a && !b) || (a && b && strcmp(a, b) == 0);
}

static void assert_same_trees(const struct ia_tree *a, const struct ia_tree *b,
                              const struct ia_buf *document)
{
    const struct ia_node *x = ia_tree_root(a);
    const struct ia_node *y = ia_tree_root(b);
    for (; x && y; x = ia_node_next(x, ia_tree_root(a)), y = ia_node_next(y, ia_tree_root(b))) {
        /* A trait that names a type fills in where the type says nothing; none is written. */
        if (x->type != y->type || x->flags != y->flags || !same(x->label, y->label) ||
            !same(x->value, y->value) || !same(x->identifier, y->identifier) ||
            !same(x->placeholder, y->placeholder) ||
            memcmp(&x->frame, &y->frame, sizeof(x->frame)) != 0) {
            fail_msg("%s '%s' %x became %s '%s' %x in\n%s",
                     ia_eltype_name((enum ia_eltype)x->type), x->label, x->flags,
                     ia_eltype_name((enum ia_eltype)y->type), y->label, y->flags,
                     ia_buf_cstr(document));
        }
    }
    assert_true(!x && !y);
}

static void assert_same_snapshots(const struct ia_tree *a, const struct ia_tree *b)
{
    struct ia_buf texts[2] = {IA_BUF(1 << 20), IA_BUF(1 << 20)};
    const struct ia_tree *trees[2] = {a, b};
    for (int i = 0; i < 2; i++) {
        struct ia_refs *refs = ia_refs_new();
        struct ia_snapshot *s = ia_snapshot_new(trees[i], refs, 0, 0);
        ia_snapshot_text(s, 0, &texts[i]);
        ia_snapshot_free(s);
        ia_refs_free(refs);
    }
    assert_string_equal(ia_buf_cstr(&texts[0]), ia_buf_cstr(&texts[1]));
    ia_buf_fini(&texts[0]);
    ia_buf_fini(&texts[1]);
}

static void any_tree_is_read_back_from_every_format(void **state)
{
    (void)state;
    for (int source = 0; source < IA_SOURCE_COUNT; source++) {
        for (uint64_t round = 1; round <= ROUNDS; round++) {
            struct ia_tree *t = random_tree((enum ia_source)source, round);
            struct ia_buf document = write_tree((enum ia_source)source, t);
            struct ia_tree *back = NULL;
            struct ia_err err = {0};
            if (ia_adapt((enum ia_source)source, ia_buf_str(&document), &back, &err)) {
                fail_msg("%s: %s\n%s", ia_source_name((enum ia_source)source), err.msg,
                         ia_buf_cstr(&document));
            }
            assert_same_trees(t, back, &document);
            assert_same_snapshots(t, back);
            ia_tree_free(back);
            ia_tree_free(t);
            ia_buf_fini(&document);
        }
    }
}

static void tree_or_hint(enum ia_source source, struct ia_str bytes, bool whole)
{
    struct ia_tree *t = NULL;
    struct ia_err err = {0};
    enum ia_rc rc = ia_adapt(source, bytes, &t, &err);
    if (rc == IA_OK) {
        assert_true(whole && t);
        ia_tree_free(t);
        return;
    }
    assert_null(t);
    assert_true(err.msg[0] != '\0' && err.hint[0] != '\0');
}

static void a_part_of_a_document_is_never_taken_for_the_whole(void **state)
{
    (void)state;
    for (int source = 0; source < IA_SOURCE_COUNT; source++) {
        struct ia_tree *t = random_tree((enum ia_source)source, 7);
        struct ia_buf document = write_tree((enum ia_source)source, t);
        for (size_t n = 0; n < document.len; n += 1 + n / 60) {
            tree_or_hint((enum ia_source)source, (struct ia_str){document.p, n}, false);
        }
        ia_tree_free(t);
        ia_buf_fini(&document);
    }
}

static void damage_is_survived(void **state)
{
    (void)state;
    uint64_t seed = 3;
    struct world w = {.rnd = ia_rand_seeded(&seed)};
    for (int source = 0; source < IA_SOURCE_COUNT; source++) {
        struct ia_tree *t = random_tree((enum ia_source)source, 11);
        struct ia_buf document = write_tree((enum ia_source)source, t);
        for (int round = 0; round < 300; round++) {
            char *at = &document.p[pick(&w, (unsigned)document.len)];
            char was = *at;
            *at = (char)pick(&w, 256);
            tree_or_hint((enum ia_source)source, ia_buf_str(&document), true);
            *at = was;
        }
        ia_tree_free(t);
        ia_buf_fini(&document);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_tree_is_read_back_from_every_format),
        cmocka_unit_test(a_part_of_a_document_is_never_taken_for_the_whole),
        cmocka_unit_test(damage_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
