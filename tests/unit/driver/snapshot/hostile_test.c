/* Trees that try to cost too much: the budget holds, nothing breaks, and the time stays far below
 * that of anything quadratic, in the debug build with sanitizers too. */
#include "test.h"

#include "draw.h"

#include "base/clock.h"

#include <math.h>

enum { NODES = 5000, TEXT_MAX = 4000, CPU_US_MAX = 3000000 };

static const char *text_of(struct ia_tree *t, const char *s)
{
    return ia_tree_text(t, s, strlen(s));
}

static struct ia_node *add(struct ia_tree *t, struct ia_node *parent, enum ia_eltype type,
                           struct ia_rect r, const char *label)
{
    struct ia_node *n = ia_tree_add(t, parent, type, r);
    assert_non_null(n);
    n->label = text_of(t, label);
    return n;
}

static struct ia_tree *screen(void)
{
    struct ia_tree *t = ia_tree_new();
    (void)ia_tree_add(t, NULL, IA_EL_APPLICATION, (struct ia_rect){0, 0, 400, 800});
    return t;
}

/* Buttons over each other: each has to find a free point under all that follow. */
static struct ia_tree *piled(void)
{
    struct ia_tree *t = screen();
    for (int i = 0; i < NODES; i++) {
        struct ia_rect r = {i % 7, i % 11, 390 - i % 13, 780 - i % 17};
        (void)add(t, ia_tree_root(t), IA_EL_BUTTON, r, i % 2 ? "a" : "b");
    }
    return t;
}

/* Pages over each other, each with enough to be one. */
static struct ia_tree *pages(void)
{
    struct ia_tree *t = screen();
    for (int i = 0; i < NODES / 50; i++) {
        struct ia_node *page =
            add(t, ia_tree_root(t), IA_EL_OTHER, (struct ia_rect){0, 0, 400, 800}, "");
        for (int k = 0; k < 49; k++) {
            (void)add(t, page, IA_EL_BUTTON, (struct ia_rect){0, k * 16, 400, 16}, "x");
        }
    }
    return t;
}

/* A chain as deep as a tree may be, with full pages at every level. */
static struct ia_tree *deep(void)
{
    struct ia_tree *t = screen();
    struct ia_node *at = ia_tree_root(t);
    for (int i = 0; i < IA_TREE_DEPTH_MAX - 2; i++) {
        for (int k = 0; k < 24; k++) {
            (void)add(t, at, IA_EL_BUTTON, (struct ia_rect){0, k * 33, 400, 33}, "x");
        }
        at = add(t, at, IA_EL_OTHER, (struct ia_rect){0, 0, 400, 800}, "");
    }
    return t;
}

/* Identifiers that are all separators, as long as a text may be. */
static struct ia_tree *stems(void)
{
    static char dashes[IA_TREE_STRING_MAX];
    memset(dashes, '-', sizeof(dashes) - 1);
    struct ia_tree *t = screen();
    for (int i = 0; i < 190; i++) {
        struct ia_node *n =
            add(t, ia_tree_root(t), IA_EL_BUTTON, (struct ia_rect){0, i * 2, 400, 40}, "x");
        n->identifier = text_of(t, dashes);
    }
    struct ia_node *marker =
        add(t, ia_tree_root(t), IA_EL_OTHER, (struct ia_rect){0, 0, 400, 800}, "");
    marker->identifier = text_of(t, dashes);
    return t;
}

/* One row that holds thousands of long texts, and a label that repeats itself. */
static struct ia_tree *talkative(void)
{
    static char word[9000];
    struct ia_tree *t = screen();
    struct ia_node *table =
        add(t, ia_tree_root(t), IA_EL_TABLE, (struct ia_rect){0, 0, 400, 800}, "");
    struct ia_node *row = add(t, table, IA_EL_CELL, (struct ia_rect){0, 0, 400, 700}, "");
    memset(word, 'a', sizeof(word) - 1);
    row->value = text_of(t, word);
    for (int i = 0; i < 2000; i++) {
        word[4000 + i] = 'b';
        (void)add(t, row, IA_EL_STATIC_TEXT, (struct ia_rect){0, i % 700, 400, 20}, word);
    }
    return t;
}

/* Everything is called the same, has the same identifier, and is listed. */
static struct ia_tree *namesakes(void)
{
    struct ia_tree *t = screen();
    for (int i = 0; i < NODES; i++) {
        int line = i / 100;
        struct ia_rect r = {i % 100 * 4, line * 16, 4, 16};
        struct ia_node *n = add(t, ia_tree_root(t), IA_EL_STATIC_TEXT, r, "same");
        n->identifier = text_of(t, "id");
    }
    return t;
}

/* Scroll containers inside each other, each overflowing in every direction. */
static struct ia_tree *scrolls(void)
{
    struct ia_tree *t = screen();
    for (int i = 0; i < NODES / 10; i++) {
        struct ia_rect r = {i % 5, i % 7, 390, 790};
        struct ia_node *s = add(t, ia_tree_root(t), IA_EL_SCROLL_VIEW, r, "");
        for (int k = 0; k < 9; k++) {
            (void)add(t, s, IA_EL_CELL, (struct ia_rect){(k - 4) * 300, (k - 4) * 600, 390, 90},
                      "row");
        }
    }
    return t;
}

/* Frames that are no frames. */
static struct ia_tree *frames(void)
{
    static const double odd[] = {NAN,   INFINITY, -INFINITY, -1,  -1e308,
                                 1e308, 0,        5e-324,    400, 1e6};
    struct ia_tree *t = screen();
    for (int i = 0; i < NODES; i++) {
        struct ia_rect r = {odd[i % 10], odd[i / 10 % 10], odd[i / 100 % 10],
                            odd[i / 1000 % 10]};
        (void)add(t, ia_tree_root(t), (enum ia_eltype)(i % IA_EL_COUNT), r, "odd");
    }
    return t;
}

static struct ia_tree *flood(void)
{
    struct ia_tree *t = screen();
    for (int i = 0; i < IA_TREE_NODES_MAX - 1; i++) {
        struct ia_rect r = {i % 20 * 20, i / 20 % 40 * 20, 20, 20};
        char label[16];
        snprintf(label, sizeof(label), "n%d", i);
        (void)add(t, ia_tree_root(t), i % 3 ? IA_EL_BUTTON : IA_EL_STATIC_TEXT, r, label);
    }
    return t;
}

static void use(struct ia_tree *t, struct ia_tree *other)
{
    struct ia_refs *refs = ia_refs_new();
    struct ia_snapshot *a = ia_snapshot_new(t, refs, 400, 800);
    struct ia_snapshot *b = ia_snapshot_new(other, refs, 400, 800);
    struct ia_snapshot *c = ia_snapshot_new(t, refs, 400, 800);
    struct ia_buf out = IA_BUF(1 << 20);
    ia_snapshot_text(c, TEXT_MAX, &out);
    assert_in_range(out.len, 1, TEXT_MAX);
    ia_buf_reset(&out);
    (void)ia_snapshot_diff(a, b, TEXT_MAX, &out);
    assert_in_range(out.len, 1, TEXT_MAX);
    ia_buf_reset(&out);
    (void)ia_snapshot_diff(a, c, TEXT_MAX, &out);
    ia_buf_reset(&out);
    ia_snapshot_next(c, &out);
    assert_true(ia_buf_ok(&out));
    for (size_t i = 0; i < ia_snapshot_count(c); i++) {
        const struct ia_element *e = ia_snapshot_at(c, i);
        assert_true(isfinite(e->activation.x) && isfinite(e->activation.y));
        assert_true(isfinite(e->frame.w) && isfinite(e->frame.h));
    }
    const struct ia_element *e = NULL;
    struct ia_err err;
    assert_int_equal(ia_snapshot_resolve(c, refs, 999999999, &e, &err), IA_E_NOT_FOUND);
    (void)ia_snapshot_resolve(b, refs, 1, &e, &err);
    ia_buf_fini(&out);
    ia_snapshot_free(a);
    ia_snapshot_free(b);
    ia_snapshot_free(c);
    ia_refs_free(refs);
}

static void the_worst_trees_can_be_used(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        struct ia_tree *(*make)(void);
    } cases[] = {{"piled", piled},     {"pages", pages},         {"deep", deep},
                 {"stems", stems},     {"talkative", talkative}, {"namesakes", namesakes},
                 {"scrolls", scrolls}, {"frames", frames},       {"flood", flood}};
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        struct ia_tree *t = cases[i].make();
        struct ia_tree *other = pages();
        int64_t start = ia_thread_cpu_us();
        use(t, other);
        int64_t took = ia_thread_cpu_us() - start;
        if (took > CPU_US_MAX) {
            fail_msg("%s took %.1f ms of CPU", cases[i].name, (double)took / 1000);
        }
        ia_tree_free(t);
        ia_tree_free(other);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_worst_trees_can_be_used),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
