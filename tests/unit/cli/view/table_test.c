/* Tables and text that fit a terminal. */
#include "test.h"

#include "base/columns.h"
#include "cli/view/table.h"
#include "cli/view/wrap.h"

static const struct ia_table_column columns[] = {
    {.head = "ID"},
    {.head = "COST", .drop = 2, .right = true},
    {.head = "DEVICE", .min = 8, .drop = 1},
    {.head = "GOAL", .min = 12},
};

static struct ia_table *sample(void)
{
    struct ia_table *t = ia_table_new(columns, IA_COUNTOF(columns));
    ia_table_add(t, "1234abcd");
    ia_table_addf(t, "$%.4f", 0.0123);
    ia_table_add(t, "embedded:default");
    ia_table_add(t, "open Contacts, add a contact named Ada");
    ia_table_add(t, "5");
    ia_table_add(t, NULL);
    ia_table_add(t, "phone");
    ia_table_add(t, "設定を開く、機内モードをオンにする");
    ia_table_note(t, "the device is gone, and nobody knows where it went");
    return t;
}

/* The longest line. */
static size_t widest(const struct ia_buf *b)
{
    size_t most = 0;
    for (const char *p = ia_buf_cstr(b); *p != '\0';) {
        size_t n = strcspn(p, "\n");
        size_t columns_here = ia_columns((struct ia_str){p, n});
        most = columns_here > most ? columns_here : most;
        p += n + (p[n] == '\n');
    }
    return most;
}

static void without_a_terminal_nothing_is_cut(void **state)
{
    (void)state;
    struct ia_buf out = IA_BUF(10000);
    struct ia_table *t = sample();
    ia_table_write(t, 0, &out);
    assert_string_equal(
        ia_buf_cstr(&out),
        "ID           COST  DEVICE            GOAL\n"
        "1234abcd  $0.0123  embedded:default  open Contacts, add a contact named "
        "Ada\n"
        "5                  phone             設定を開く、機内モードをオンにする\n"
        "    the device is gone, and nobody knows where it went\n");
    ia_table_free(t);
    ia_buf_fini(&out);
}

static void a_table_is_never_wider_than_the_terminal(void **state)
{
    (void)state;
    for (size_t width = 22; width <= 130; width++) {
        struct ia_buf out = IA_BUF(10000);
        struct ia_table *t = sample();
        ia_table_write(t, width, &out);
        if (widest(&out) > width) {
            fail_msg("%zu columns: %s", width, ia_buf_cstr(&out));
        }
        assert_non_null(strstr(ia_buf_cstr(&out), "GOAL"));
        ia_table_free(t);
        ia_buf_fini(&out);
    }
}

static void cells_are_cut_before_columns_are_left_out(void **state)
{
    (void)state;
    static const struct {
        size_t width;
        const char *first_lines;
    } rows[] = {
        {60, "ID           COST  DEVICE            GOAL\n"
             "1234abcd  $0.0123  embedded:default  open Contacts, add a c…\n"
             "5                  phone             設定を開く、機内モード…\n"},
        {45, "ID           COST  DEVICE        GOAL\n"
             "1234abcd  $0.0123  embedded:de…  open Contac…\n"
             "5                  phone         設定を開く…\n"},
        {36, "ID        DEVICE        GOAL\n"
             "1234abcd  embedded:de…  open Contac…\n"
             "5         phone         設定を開く…\n"},
        {24, "ID        GOAL\n"
             "1234abcd  open Contacts…\n"
             "5         設定を開く、…\n"},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct ia_buf out = IA_BUF(10000);
        struct ia_table *t = sample();
        ia_table_write(t, rows[i].width, &out);
        ia_buf_cut(&out, strlen(rows[i].first_lines));
        assert_string_equal(ia_buf_cstr(&out), rows[i].first_lines);
        ia_table_free(t);
        ia_buf_fini(&out);
    }
}

static void an_empty_table_is_nothing(void **state)
{
    (void)state;
    struct ia_buf out = IA_BUF(1000);
    struct ia_table *t = ia_table_new(columns, IA_COUNTOF(columns));
    ia_table_write(t, 80, &out);
    assert_int_equal(out.len, 0);
    ia_table_free(t);
}

static void long_lines_break_between_words(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t width;
        const char *want;
    } rows[] = {
        {"short\n", 20, "short\n"},
        {"goal    open Contacts and add a contact\n", 24,
         "goal    open Contacts\n        and add a\n        contact\n"},
        {"  hint: say what it is to do\n", 20, "  hint: say what it\n  is to do\n"},
        {"a-word-that-is-far-too-long-for-it and more\n", 20,
         "a-word-that-is-far-too-long-for-it\nand more\n"},
        {"\x1b[31mfailed\x1b[0m    it is not there any more\n", 26,
         "\x1b[31mfailed\x1b[0m    it is not there\n          any more\n"},
        {"機内 モード を オン に する\n", 12, "機内 モード\nを オン に\nする\n"},
        {"goal    設定を開いて、機内モード\n", 24,
         "goal    設定を開いて、機\n        内モード\n"},
        {"no newline at the end of it", 12, "no newline\nat the end\nof it"},
        {"as wide as it is, without a terminal\n", 0, "as wide as it is, without a terminal\n"},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct ia_buf out = IA_BUF(10000);
        ia_wrap_lines(&out, ia_str(rows[i].text), rows[i].width);
        assert_string_equal(ia_buf_cstr(&out), rows[i].want);
        ia_buf_fini(&out);
    }
}

static void prose_is_filled_and_indented_lines_stay(void **state)
{
    (void)state;
    struct ia_buf out = IA_BUF(10000);
    ia_wrap_prose(&out, "One line\nand the next one.\n  --as it is\n\nThen more.\n", 20);
    assert_string_equal(ia_buf_cstr(&out),
                        "One line and the\nnext one.\n  --as it is\n\nThen more.\n");
    ia_buf_fini(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_terminal_nothing_is_cut),
        cmocka_unit_test(a_table_is_never_wider_than_the_terminal),
        cmocka_unit_test(cells_are_cut_before_columns_are_left_out),
        cmocka_unit_test(an_empty_table_is_nothing),
        cmocka_unit_test(long_lines_break_between_words),
        cmocka_unit_test(prose_is_filled_and_indented_lines_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
