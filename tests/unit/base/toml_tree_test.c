/* TOML as a tree. */
#include "test.h"

#include "base/buf.h"
#include "base/toml_tree.h"

static void put_value(struct ia_buf *b, const struct ia_toml_node *n)
{
    switch (n->type) {
    case IA_TOML_STRING:
        ia_buf_printf(b, "[%s]", n->s);
        break;
    case IA_TOML_INT:
        ia_buf_printf(b, "%lld", (long long)n->i);
        break;
    case IA_TOML_REAL:
        ia_buf_printf(b, "%g", n->r);
        break;
    case IA_TOML_BOOL:
        ia_buf_puts(b, n->b ? "true" : "false");
        break;
    default:
        ia_buf_puts(b, n->type_name);
        break;
    }
}

/* One line a node: depth by indentation, key, value, place of key, place of value. */
static void put_tree(struct ia_buf *b, const struct ia_toml_node *node, int depth)
{
    for (const struct ia_toml_node *n = node->first; n; n = n->next) {
        assert_ptr_equal(n->up, node);
        ia_buf_printf(b, "%*s%s ", depth, "", n->key ? n->key : "-");
        put_value(b, n);
        ia_buf_printf(b, " %u:%u %u:%u\n", n->line, n->column, n->at_line, n->at_column);
        put_tree(b, n, depth + 1);
    }
}

static void everything_is_kept_with_its_place(void **state)
{
    (void)state;
    static const struct {
        const char *text, *want;
    } rows[] = {
        {"", ""},
        {"b = 1\na = 'x'\n", "b 1 1:1 1:5\na [x] 2:1 2:5\n"},
        {"a = ['x', 2, [3.5, true]]\n",
         "a a list 1:1 1:5\n - [x] 1:6 1:6\n - 2 1:11 1:11\n - a list 1:14 1:14\n"
         "  - 3.5 1:15 1:15\n  - true 1:20 1:20\n"},
        {"[[goal]]\nname = 'z'\n[[goal]]\nname = 'a'\n[s.t]\nk = 1\n",
         "goal a list 1:3 1:1\n - a section 1:1 1:1\n  name [z] 2:1 2:8\n"
         " - a section 3:1 3:1\n  name [a] 4:1 4:8\n"
         "s a section 5:2 5:1\n t a section 5:4 5:1\n  k 1 6:1 6:5\n"},
        {"'\xc3\xa4' = ['\xc3\xb6', { k = '\xe2\x82\xac' }]\n",
         "\xc3\xa4 a list 1:1 1:7\n - [\xc3\xb6] 1:8 1:8\n - a section 1:13 1:13\n"
         "  k [\xe2\x82\xac] 1:15 1:19\n"},
        {"a = \"x\\u0000\"\n\"k\\u0000\" = 1\n",
         "a a string with a NUL 1:1 1:5\n- 1 2:1 2:13\n"},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct ia_toml_node *root = NULL;
        struct ia_buf b = IA_BUF(1 << 16);
        unsigned line, column;
        print_message("%s", rows[i].text);
        assert_int_equal(ia_toml_parse(ia_str(rows[i].text), &root, &line, &column, NULL),
                         IA_OK);
        put_tree(&b, root, 0);
        assert_string_equal(ia_buf_cstr(&b), rows[i].want);
        ia_buf_fini(&b);
        ia_toml_free(root);
    }
}

static void keys_are_found_by_name(void **state)
{
    (void)state;
    struct ia_toml_node *root = NULL;
    unsigned line, column;
    assert_int_equal(ia_toml_parse(ia_str("a = 1\n[b]\nc = 2\n"), &root, &line, &column, NULL),
                     IA_OK);
    assert_int_equal(ia_toml_get(root, "a")->i, 1);
    assert_int_equal(ia_toml_get(ia_toml_get(root, "b"), "c")->i, 2);
    assert_null(ia_toml_get(root, "c"));
    assert_null(ia_toml_get(NULL, "c"));
    ia_toml_free(root);
    ia_toml_free(NULL);
}

static void a_mistake_has_its_place_and_no_tree(void **state)
{
    (void)state;
    struct ia_toml_node *root = NULL;
    struct ia_err err = {0};
    unsigned line = 0, column = 0;
    assert_int_equal(ia_toml_parse(ia_str("a = 1\nb = \n"), &root, &line, &column, &err),
                     IA_E_PARSE);
    assert_null(root);
    assert_int_equal(line, 2);
}

static void many_keys_are_sorted_in_a_moment(void **state)
{
    (void)state;
    enum { KEYS = 20000 };
    struct ia_buf text = IA_BUF(IA_TOML_BYTES_MAX);
    for (int i = KEYS; i > 0; i--) {
        ia_buf_printf(&text, "k%05d=%d\n", i, i);
    }
    struct ia_toml_node *root = NULL;
    unsigned line, column;
    assert_true(ia_buf_ok(&text));
    assert_int_equal(ia_toml_parse(ia_buf_str(&text), &root, &line, &column, NULL), IA_OK);
    int64_t want = KEYS;
    for (const struct ia_toml_node *n = root->first; n; n = n->next) {
        assert_int_equal(n->i, want--);
    }
    assert_int_equal(want, 0);
    ia_toml_free(root);
    ia_buf_fini(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_is_kept_with_its_place),
        cmocka_unit_test(keys_are_found_by_name),
        cmocka_unit_test(a_mistake_has_its_place_and_no_tree),
        cmocka_unit_test(many_keys_are_sorted_in_a_moment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
