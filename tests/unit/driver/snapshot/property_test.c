/* Any tree in: no crash, every offered ref resolves, every activation point lies in its
 * element, on the screen and uncovered, the text keeps its budget, the same tree gives the same
 * bytes. */
#include "test.h"

#include "draw.h"

#include "base/rand.h"

struct world {
    struct ia_rand rnd;
    struct ia_tree *tree;
    int left;
};

static unsigned pick(struct world *w, unsigned n)
{
    return (unsigned)(ia_rand_next(&w->rnd) % n);
}

static double coordinate(struct world *w)
{
    static const double odd[] = {0, -1, 400, 800, -402, 1206, 1e9, -1e9, 0.5, 0.0 / 1.0};
    return pick(w, 8) == 0 ? odd[pick(w, IA_COUNTOF(odd))] : (double)pick(w, 900) - 50;
}

static struct ia_rect frame(struct world *w)
{
    switch (pick(w, 6)) {
    case 0:
        return (struct ia_rect){0, 0, 400, 800};
    case 1:
        return (struct ia_rect){0, (double)pick(w, 20) * 50, 400, 50};
    case 2:
        return (struct ia_rect){0, 300, 400, 500};
    default:
        return (struct ia_rect){coordinate(w), coordinate(w), (double)pick(w, 300),
                                (double)pick(w, 120)};
    }
}

static const char *text(struct world *w)
{
    static const char *const texts[] = {"Log in",
                                        "Delete",
                                        "=",
                                        "\"",
                                        "a\nb",
                                        "🙂",
                                        "1 button x",
                                        "Clock: 12:30",
                                        "checkbox, checked",
                                        "0%",
                                        "1",
                                        "dictation",
                                        "row-1",
                                        "Return",
                                        "\xE2\x80\xAE",
                                        " ",
                                        "Back, forward"};
    return pick(w, 3) ? texts[pick(w, IA_COUNTOF(texts))] : NULL;
}

static const char *copy(struct world *w)
{
    const char *s = text(w);
    return s ? ia_tree_text(w->tree, s, strlen(s)) : NULL;
}

static void grow(struct world *w, struct ia_node *parent, int depth)
{
    int children = depth == 0 ? 6 : (int)pick(w, 5);
    for (int i = 0; i < children && w->left-- > 0; i++) {
        static const uint16_t common[] = {IA_EL_BUTTON,      IA_EL_CELL,  IA_EL_TABLE,
                                          IA_EL_STATIC_TEXT, IA_EL_OTHER, IA_EL_SWITCH,
                                          IA_EL_TEXT_FIELD};
        unsigned type = pick(w, 2) ? common[pick(w, IA_COUNTOF(common))] : pick(w, IA_EL_COUNT);
        struct ia_node *n = ia_tree_add(w->tree, parent, (enum ia_eltype)type, frame(w));
        if (!n) {
            return;
        }
        n->label = copy(w);
        n->value = copy(w);
        n->identifier = copy(w);
        n->placeholder = pick(w, 5) ? NULL : copy(w);
        n->flags = (uint16_t)(pick(w, 8) ? IA_NODE_ENABLED : pick(w, 64));
        if (depth < 8) {
            grow(w, n, depth + 1);
        }
    }
}

static struct ia_tree *random_tree(uint64_t *seed)
{
    struct world w = {.rnd = ia_rand_seeded(seed), .tree = ia_tree_new(), .left = 400};
    struct ia_node *root =
        ia_tree_add(w.tree, NULL, IA_EL_APPLICATION, (struct ia_rect){0, 0, 400, 800});
    grow(&w, root, 0);
    return w.tree;
}

static bool has(struct ia_rect r, struct ia_point p)
{
    return p.x >= r.x && p.y >= r.y && p.x <= r.x + r.w && p.y <= r.y + r.h;
}

static void check_element(const struct ia_snapshot *s, const struct ia_refs *refs,
                          const struct ia_element *e)
{
    static const struct ia_rect screen = {0, 0, 400, 800};
    if (e->listed) {
        const struct ia_element *found = NULL;
        struct ia_err err;
        assert_int_equal(ia_snapshot_resolve(s, refs, e->ref, &found, &err), IA_OK);
        assert_ptr_equal(found, e);
    }
    if (e->actions & IA_ACT_TAP) {
        assert_int_equal(e->reach, IA_REACH_OK);
        bool plain =
            e->role == IA_ROLE_TEXT || e->role == IA_ROLE_HEADING || e->role == IA_ROLE_IMAGE;
        assert_true(plain || !e->disabled);
        assert_true(has(e->frame, e->activation));
        assert_true(has(screen, e->activation));
    }
    assert_true(e->parent >= -1 && e->parent < (int32_t)ia_snapshot_count(s));
}

static void any_tree_gives_a_sound_snapshot(void **state)
{
    (void)state;
    for (uint64_t round = 1; round <= 1500; round++) {
        uint64_t seed = round;
        struct ia_tree *t = random_tree(&seed);
        struct ia_refs *refs = ia_refs_new();
        struct ia_refs *others = ia_refs_new();
        struct ia_snapshot *s = ia_snapshot_new(t, refs, 400, 800);
        struct ia_snapshot *again = ia_snapshot_new(t, others, 400, 800);
        for (size_t i = 0; i < ia_snapshot_count(s); i++) {
            check_element(s, refs, ia_snapshot_at(s, i));
        }
        struct ia_buf a = IA_BUF(1 << 20);
        struct ia_buf b = IA_BUF(1 << 20);
        size_t max = round % 900 + 1;
        ia_snapshot_text(s, max, &a);
        ia_snapshot_text(again, max, &b);
        assert_true(a.len <= max);
        assert_string_equal(ia_buf_cstr(&a), ia_buf_cstr(&b));
        assert_int_equal(ia_snapshot_content_hash(s), ia_snapshot_content_hash(again));
        ia_buf_fini(&a);
        ia_buf_fini(&b);
        ia_snapshot_free(s);
        ia_snapshot_free(again);
        ia_refs_free(refs);
        ia_refs_free(others);
        ia_tree_free(t);
    }
}

/* Buttons drawn over each other in order: no point of a listed one lies under a later one, and
 * one that is not listed has no free spot of the size that the search looks for. */
static void no_activation_point_is_covered(void **state)
{
    (void)state;
    for (uint64_t round = 1; round <= 300; round++) {
        uint64_t seed = round;
        struct world w = {.rnd = ia_rand_seeded(&seed), .tree = ia_tree_new()};
        struct ia_node *root =
            ia_tree_add(w.tree, NULL, IA_EL_APPLICATION, (struct ia_rect){0, 0, 400, 800});
        int count = 2 + (int)pick(&w, 40);
        for (int i = 0; i < count; i++) {
            struct ia_rect r = {pick(&w, 350), pick(&w, 750), 10 + pick(&w, 150),
                                10 + pick(&w, 150)};
            char label[16];
            snprintf(label, sizeof(label), "B%d", i);
            ia_tree_add(w.tree, root, IA_EL_BUTTON, r)->label =
                ia_tree_text(w.tree, label, strlen(label));
        }
        struct ia_refs *refs = ia_refs_new();
        struct ia_snapshot *s = ia_snapshot_new(w.tree, refs, 400, 800);
        for (size_t i = 0; i < ia_snapshot_count(s); i++) {
            const struct ia_element *e = ia_snapshot_at(s, i);
            for (size_t k = 0; k < ia_snapshot_count(s); k++) {
                const struct ia_element *o = ia_snapshot_at(s, k);
                if ((e->actions & IA_ACT_TAP) && atoi(o->label + 1) > atoi(e->label + 1)) {
                    struct ia_point p = e->activation;
                    assert_false(p.x >= o->frame.x && p.y >= o->frame.y &&
                                 p.x < o->frame.x + o->frame.w &&
                                 p.y < o->frame.y + o->frame.h);
                }
            }
        }
        ia_snapshot_free(s);
        ia_refs_free(refs);
        ia_tree_free(w.tree);
    }
}

static void a_session_of_random_screens_never_gives_a_ref_twice(void **state)
{
    (void)state;
    struct ia_refs *refs = ia_refs_new();
    struct ia_snapshot *before = NULL;
    for (uint64_t round = 1; round <= 400; round++) {
        uint64_t seed = round % 7 + 1;
        struct ia_tree *t = random_tree(&seed);
        struct ia_snapshot *s = ia_snapshot_new(t, refs, 400, 800);
        for (size_t i = 0; i < ia_snapshot_count(s); i++) {
            uint32_t ref = ia_snapshot_at(s, i)->ref;
            for (size_t k = i + 1; ref > 0 && k < ia_snapshot_count(s); k++) {
                assert_int_not_equal(ref, ia_snapshot_at(s, k)->ref);
            }
        }
        if (before) {
            struct ia_buf d = IA_BUF(1 << 20);
            size_t max = round * 5 + 60;
            (void)ia_snapshot_diff(before, s, max, &d);
            assert_true(d.len <= max + 40);
            ia_buf_fini(&d);
        }
        ia_snapshot_free(before);
        before = s;
        ia_tree_free(t);
    }
    ia_snapshot_free(before);
    ia_refs_free(refs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_tree_gives_a_sound_snapshot),
        cmocka_unit_test(no_activation_point_is_covered),
        cmocka_unit_test(a_session_of_random_screens_never_gives_a_ref_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
