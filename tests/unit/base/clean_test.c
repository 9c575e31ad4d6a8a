#include "test.h"

#include "base/clean.h"

static void controls_become_visible_marks(void **state)
{
    (void)state;
    static const struct {
        const char *in;
        enum ia_clean mode;
        const char *out;
    } rows[] = {
        {"Ada", IA_CLEAN_LINE, "Ada"},
        {"Grüße 🙂", IA_CLEAN_LINE, "Grüße 🙂"},
        {"\x1b[2J\x1b]52;c;ZWNobw==\x07", IA_CLEAN_LINE, "␛[2J␛]52;c;ZWNobw==␇"},
        {"a\nb\tc\rd", IA_CLEAN_LINE, "a b c d"},
        {"a\nb\tc\rd", IA_CLEAN_TEXT, "a\nb\tc d"},
        {"x\x7f", IA_CLEAN_TEXT, "x␡"},
        {"c1 \xc2\x9b"
         "31m",
         IA_CLEAN_TEXT,
         "c1 \xef\xbf\xbd"
         "31m"},
        {"bidi \xe2\x80\xae"
         "evil",
         IA_CLEAN_TEXT,
         "bidi \xef\xbf\xbd"
         "evil"},
        {"tag\xf3\xa0\x81\x81", IA_CLEAN_LINE, "tag\xef\xbf\xbd"},
        {"line\xe2\x80\xa8sep", IA_CLEAN_LINE, "line\xef\xbf\xbdsep"},
        {"raw \x9b and \xff", IA_CLEAN_TEXT, "raw \xef\xbf\xbd and \xef\xbf\xbd"},
        {"cut \xe2\x82", IA_CLEAN_TEXT, "cut \xef\xbf\xbd\xef\xbf\xbd"},
        {"::error::x", IA_CLEAN_LINE, "∶:error::x"},
        {" \t::add-mask::x", IA_CLEAN_LINE, "  ∶:add-mask::x"},
        {"a\n  ::stop-commands::x\nb", IA_CLEAN_TEXT, "a\n  ∶:stop-commands::x\nb"},
        {"a\xc2\xa0::error::x", IA_CLEAN_TEXT, "a\xc2\xa0∶:error::x"},
        {"a\xe3\x80\x80::error::x", IA_CLEAN_TEXT, "a\xe3\x80\x80∶:error::x"},
        {":::error::x", IA_CLEAN_LINE, "∶::error::x"},
        {"std::string: 10:30", IA_CLEAN_TEXT, "std::string: 10:30"},
        {"x ##[error]y ##vso[task.x]z", IA_CLEAN_LINE, "x ♯#[error]y ♯#vso[task.x]z"},
        {"###[error]", IA_CLEAN_TEXT, "#♯#[error]"},
        {"## Title, C# :)", IA_CLEAN_TEXT, "## Title, C# :)"},
        {"a\n:", IA_CLEAN_PART, "a\n∶"},
        {"a ##vs", IA_CLEAN_PART, "a ♯#vs"},
        {"a: b", IA_CLEAN_PART, "a: b"},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct ia_buf b = IA_BUF(1000);
        ia_clean(&b, ia_str(rows[i].in), rows[i].mode);
        assert_string_equal(ia_buf_cstr(&b), rows[i].out);
        ia_buf_fini(&b);
    }
}

static void no_byte_below_space_survives_in_a_line(void **state)
{
    (void)state;
    char all[256];
    for (int i = 0; i < 256; i++) {
        all[i] = (char)i;
    }
    struct ia_buf b = IA_BUF(4096);
    ia_clean(&b, (struct ia_str){all, sizeof(all)}, IA_CLEAN_LINE);
    for (size_t i = 0; i < b.len; i++) {
        unsigned char c = (unsigned char)b.p[i];
        assert_true(c >= 0x20 && c != 0x7f);
    }
    ia_buf_fini(&b);
}

static void a_long_line_is_cut_at_a_character(void **state)
{
    (void)state;
    static const struct {
        const char *in;
        size_t columns;
        const char *out;
    } rows[] = {
        {"abcdef", 6, "abcdef"},
        {"abcdefg", 6, "abcde…"},
        {"äöüß", 3, "äö…"},
        {"a\x1b"
         "b",
         3, "a␛b"},
        {"", 3, ""},
        {"ab", 1, "…"},
        {"漢字漢字", 8, "漢字漢字"},
        {"漢字漢字", 7, "漢字漢…"},
        {"漢字漢字", 6, "漢字…"}, /* half a character is none */
        {"👍👍", 3, "👍…"},
        {"e\xcc\x81"
         "e\xcc\x81"
         "e\xcc\x81",
         3,
         "e\xcc\x81"
         "e\xcc\x81"
         "e\xcc\x81"},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct ia_buf b = IA_BUF(1000);
        ia_clean_cut(&b, ia_str(rows[i].in), rows[i].columns);
        assert_string_equal(ia_buf_cstr(&b), rows[i].out);
        ia_buf_fini(&b);
    }
}

static void json_is_escaped_where_a_terminal_or_a_line_reader_would_trip(void **state)
{
    (void)state;
    static const struct {
        const char *in, *out;
    } rows[] = {
        {"{\"a\":\"Gr\xc3\xbc\xc3\x9f"
         "e\"}",
         "{\"a\":\"Gr\xc3\xbc\xc3\x9f"
         "e\"}"},
        {"\"\xc2\x9b"
         "31m\"",
         "\"\\u009b31m\""},
        {"\"\xf3\xa0\x81\x81\"", "\"\\udb40\\udc41\""},
        {"\"\xc2\x85\xe2\x80\xa8\xe2\x80\xae\"", "\"\\u0085\\u2028\\u202e\""},
        {"\"\x7f\"", "\"\\u007f\""},
        {"{\"a#\":\"##[add-mask]x ##vso[x] ::x\"}",
         "{\"a#\":\"\\u0023#[add-mask]x \\u0023#vso[x] ::x\"}"},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct ia_buf b = IA_BUF(1000);
        ia_clean_json(&b, ia_str(rows[i].in));
        assert_string_equal(ia_buf_cstr(&b), rows[i].out);
        ia_buf_fini(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_is_escaped_where_a_terminal_or_a_line_reader_would_trip),
        cmocka_unit_test(controls_become_visible_marks),
        cmocka_unit_test(no_byte_below_space_survives_in_a_line),
        cmocka_unit_test(a_long_line_is_cut_at_a_character),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
