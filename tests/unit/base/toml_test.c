/* TOML as a row of visited keys with their places, and the limits that hold before anything is
 * built. */
#include "test.h"

#include "base/buf.h"
#include "base/toml.h"

/* Every visited key as a line: path type value @line:column. */
static void note(void *ctx, const struct ia_toml_value *v)
{
    struct ia_buf *b = ctx;
    ia_buf_printf(b, "%s %s", v->path, v->type_name);
    switch (v->type) {
    case IA_TOML_STRING:
        ia_buf_printf(b, " [%s]", v->s);
        break;
    case IA_TOML_INT:
        ia_buf_printf(b, " %lld", (long long)v->i);
        break;
    case IA_TOML_REAL:
        ia_buf_printf(b, " %g", v->r);
        break;
    case IA_TOML_BOOL:
        ia_buf_printf(b, " %d", v->b);
        break;
    case IA_TOML_LIST:
        for (size_t i = 0; i < v->count; i++) {
            ia_buf_printf(b, " [%s]", v->items[i]);
        }
        break;
    default:
        break;
    }
    ia_buf_printf(b, " @%u:%u\n", v->line, v->column);
}

struct row {
    const char *text, *want;
};

static const struct row rows[] = {
    {"", ""},
    {"# nothing but a comment", ""},
    {"a = 'x'\n", "a a string [x] @1:1\n"},
    {"\xef\xbb\xbf"
     "a = 1\n",
     "a an integer 1 @1:1\n"},
    {"a = -9223372036854775808", "a an integer -9223372036854775808 @1:1\n"},
    {"a = 0xff\n", "a an integer 255 @1:1\n"},
    {"a = 1.5e3\n", "a a number 1500 @1:1\n"},
    {"a = true\n", "a a boolean 1 @1:1\n"},
    {"a = []\n", "a a list of strings @1:1\n"},
    {"a = ['x', \"y\"]\n", "a a list of strings [x] [y] @1:1\n"},
    {"a = ['x', 1]\n", "a an array @1:1\n"},
    {"a = 07:32:00\n", "a a date or time @1:1\n"},
    {"a = \"x\\u0000y\"\n", "a a string with a NUL @1:1\n"},
    {"a = [\"x\\u0000y\"]\n", "a an array @1:1\n"},
    {"\n[s]\r\n  k = 1\n", "s a section @2:2\ns.k an integer 1 @3:3\n"},
    {"a.b.c = 1\n", "a a section @1:1\na.b a section @1:3\na.b.c an integer 1 @1:5\n"},
    {"a = {b = {c = 1}}\n", "a a section @1:1\na.b a section @1:6\na.b.c an integer 1 @1:11\n"},
    {"\"a.b\" = 1\n", "\"a.b\" an integer 1 @1:1\n"},
    {"\"\" = 1\n", "\"\" an integer 1 @1:1\n"},
    {"\"a\\n\\\"b\" = 1\n", "\"a??b\" an integer 1 @1:1\n"},
    {"[[t]]\nx = 1\n[[t]]\n", "t an array @1:3\n"},
    {"a = \"\xc3\xa9~\" # \xe2\x82\xac\n", "a a string [\xc3\xa9~] @1:1\n"},
    {"a = {b = '\xe2\x82\xac', c = '~7E'}\n",
     "a a section @1:1\na.b a string [\xe2\x82\xac] @1:6\na.c a string [~7E] @1:15\n"},
    {"\"\xc3\xa9\" = [\"\xc3\xa9\", \"\\u007EC3\"]\n",
     "\"\xc3\xa9\" a list of strings [\xc3\xa9] [~C3] @1:1\n"},
    {"a = \"\"\"x\\\n  \xc2\xa7\"\"\"\n", "a a string [x\xc2\xa7] @1:1\n"},
    {"a = \"\"\"\nx\ny\"\"\"\nb = 1\n", "a a string [x\ny] @1:1\nb an integer 1 @4:1\n"},
};

static void every_key_is_visited_with_its_place(void **state)
{
    (void)state;
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct ia_buf b = IA_BUF(10000);
        struct ia_err err = {0};
        unsigned line, column;
        enum ia_rc rc = ia_toml_each(ia_str(rows[i].text), note, &b, &line, &column, &err);
        print_message("%s", err.msg);
        assert_int_equal(rc, IA_OK);
        assert_string_equal(ia_buf_cstr(&b), rows[i].want);
        ia_buf_fini(&b);
    }
}

struct bad {
    const char *text;
    unsigned line, column;
};

static const struct bad bads[] = {
    {"a", 1, 2},
    {"a =", 1, 4},
    {"a = 1 b = 2", 1, 7},
    {"\n\na = 'x\n", 3, 7},
    {"a = 1\na = 2\n", 2, 5},
    {"[a]\n[a]\n", 2, 1},
    {"= 1", 1, 1},
    {"[=", 1, 2},
    {"[[[a]]]", 1, 3},
    {"[[=", 1, 3},
    {"[\x01x]", 1, 2},
    {"[.a]", 1, 2},
    {"a = \"\x01\"", 1, 6},
    {"a = \"\xc0\x80\"", 1, 6},
    {"# \xc3\xa9\n\n # \xff\n", 3, 4},
    {"a = 1\xcb\xa0", 1, 6},
    {"\n\xc3\xa9 = 1", 2, 1},
    {"a = 1\xc2\xa0\n", 1, 6},
    {"a = \"\xc3\xa9\xc3\xa9\" b", 1, 10},
    {"a = \"\"\"\\\xc2\xa7\"\"\"", 1, 9},
    {"a = 1\"\xc2\xa0\"", 1, 6},
    {"r = 2\\B=\"\xef\xbb\xb3\"", 1, 6},
};

static void a_mistake_has_its_place_and_nothing_is_visited(void **state)
{
    (void)state;
    for (size_t i = 0; i < IA_COUNTOF(bads); i++) {
        struct ia_buf b = IA_BUF(10000);
        struct ia_err err = {0};
        unsigned line = 0, column = 0;
        assert_int_equal(ia_toml_each(ia_str(bads[i].text), note, &b, &line, &column, &err),
                         IA_E_PARSE);
        print_message("%u:%u: %s\n", line, column, err.msg);
        assert_int_equal(line, bads[i].line);
        assert_true(bads[i].column == 0 || column == bads[i].column);
        assert_true(err.msg[0] != '\0');
        assert_int_equal(b.len, 0);
        ia_buf_fini(&b);
    }
    struct ia_err err;
    unsigned line = 0, column = 0;
    assert_int_equal(
        ia_toml_each((struct ia_str){"a = 1\0\nb", 8}, note, NULL, &line, &column, &err),
        IA_E_PARSE);
}

static void deep_keys_are_refused_before_they_are_built(void **state)
{
    (void)state;
    static const struct {
        const char *before, *after;
    } places[] = {
        {"", " = 1"},
        {"[", "]"},
        {"[[", "]]"},
        {"a = {", " = 1}"},
        {"s = 'a.b.c' # a.b\n", " = 1"},
        {"s = '''\n''''\n", " = 1"},
        {"s = [\"\"\"x\"\"\"\"\", {", " = 1}]"},
        {"s = \"\\\"\"\n", " = 1"},
    };
    for (size_t i = 0; i < IA_COUNTOF(places); i++) {
        struct ia_buf b = IA_BUF(IA_TOML_BYTES_MAX);
        struct ia_err err;
        unsigned line = 0, column = 0;
        ia_buf_puts(&b, places[i].before);
        for (int n = 0; n < 100000; n++) {
            ia_buf_puts(&b, "a.");
        }
        ia_buf_printf(&b, "a%s\n", places[i].after);
        assert_int_equal(ia_toml_each(ia_buf_str(&b), note, NULL, &line, &column, &err),
                         IA_E_LIMIT);
        assert_non_null(strstr(err.msg, "parts"));
        assert_true(line > 0);
        ia_buf_fini(&b);
    }
}

static void dots_in_text_are_no_depth(void **state)
{
    (void)state;
    static const char *const fine[] = {
        "a = '........................................'\n",
        "# ............................................\n",
        "a = \"\"\"\n....................................\n\"\"\"\n",
        "a = [1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0]\n",
        "a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p = 1\n",
        "a = '\xc3\xa9' # \xc3\xa9\n",
        "a = \"\"\"\\\n x\xc3\xa9\\t\xc3\xa9\"\"\"\n",
        "a = \"\\t\xc3\xa9\"\n",
    };
    for (size_t i = 0; i < IA_COUNTOF(fine); i++) {
        struct ia_buf b = IA_BUF(100000);
        unsigned line, column;
        assert_int_equal(ia_toml_each(ia_str(fine[i]), note, &b, &line, &column, NULL), IA_OK);
        ia_buf_fini(&b);
    }
}

static void a_document_without_a_free_mark_is_refused_only_beyond_ascii(void **state)
{
    (void)state;
    static const char *const texts[] = {"a = '~^`|%@!&*$?<>;/()'\n",
                                        "a = '~^`|%@!&*$?<>;/()\xc3\xa9'\n"};
    struct ia_buf b = IA_BUF(1000);
    struct ia_err err;
    unsigned line, column;
    assert_int_equal(ia_toml_each(ia_str(texts[0]), note, &b, &line, &column, &err), IA_OK);
    assert_int_equal(ia_toml_each(ia_str(texts[1]), note, &b, &line, &column, &err),
                     IA_E_LIMIT);
    assert_int_equal(line, 0);
    ia_buf_fini(&b);
}

static void nested_values_are_refused_beyond_the_cap(void **state)
{
    (void)state;
    struct ia_buf b = IA_BUF(300000);
    struct ia_err err;
    unsigned line, column;
    ia_buf_puts(&b, "a = ");
    for (int i = 0; i < 200000; i++) {
        ia_buf_putc(&b, '[');
    }
    assert_int_equal(ia_toml_each(ia_buf_str(&b), note, NULL, &line, &column, &err),
                     IA_E_PARSE);
    ia_buf_fini(&b);
}

static void too_many_bytes_or_items_are_refused(void **state)
{
    (void)state;
    static char big[IA_TOML_BYTES_MAX + 1];
    struct ia_buf b = IA_BUF(100000);
    struct ia_err err;
    unsigned line, column;
    memset(big, '\n', sizeof(big));
    assert_int_equal(
        ia_toml_each((struct ia_str){big, sizeof(big)}, note, NULL, &line, &column, &err),
        IA_E_LIMIT);
    struct ia_buf text = IA_BUF(100000);
    ia_buf_puts(&text, "a = [");
    for (int i = 0; i <= IA_TOML_ITEMS_MAX; i++) {
        ia_buf_puts(&text, "'x',");
    }
    ia_buf_puts(&text, "]\n");
    assert_int_equal(ia_toml_each(ia_buf_str(&text), note, &b, &line, &column, &err), IA_OK);
    assert_string_equal(ia_buf_cstr(&b), "a an array @1:1\n");
    ia_buf_fini(&text);
    ia_buf_fini(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_key_is_visited_with_its_place),
        cmocka_unit_test(a_mistake_has_its_place_and_nothing_is_visited),
        cmocka_unit_test(deep_keys_are_refused_before_they_are_built),
        cmocka_unit_test(dots_in_text_are_no_depth),
        cmocka_unit_test(a_document_without_a_free_mark_is_refused_only_beyond_ascii),
        cmocka_unit_test(nested_values_are_refused_beyond_the_cap),
        cmocka_unit_test(too_many_bytes_or_items_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
