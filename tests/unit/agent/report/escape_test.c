#include "agent/report/escape.h"

#include "test.h"

typedef void escape_fn(struct ia_buf *out, struct ia_str s);

struct row {
    const char *in, *out;
};

static void check(escape_fn *fn, const struct row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct ia_buf b = IA_BUF(4096);
        fn(&b, ia_str(rows[i].in));
        assert_string_equal(ia_buf_cstr(&b), rows[i].out);
        ia_buf_fini(&b);
    }
}
#define CHECK(fn, rows) check(fn, rows, sizeof(rows) / sizeof((rows)[0]))

static void markup_cannot_end_a_tag_an_attribute_or_the_text(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"", ""},
        {"a<b>&\"'", "a&lt;b&gt;&amp;&quot;&#39;"},
        {"]]>", "]]&gt;"},
        {"a\r\nb\tc", "a&#10;b&#9;c"},
        {"\x01\x1b[31m\x7f", "␁␛[31m␡"},
        {"\xff\xc0\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},
        {"\xe2\x80\xae"
         "abc",
         "\xEF\xBF\xBD"
         "abc"},
        {"\xef\xbf\xbe\xef\xbf\xbf", "\xEF\xBF\xBD\xEF\xBF\xBD"},
        {"\xed\xa0\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},
        {"Größe 😀", "Größe 😀"},
        {"👩\xe2\x80\x8d👧 \xd9\x85\xe2\x80\x8c\xd8\xae",
         "👩\xe2\x80\x8d👧 \xd9\x85\xe2\x80\x8c\xd8\xae"},
    };
    CHECK(ia_esc_markup, rows);
}

static void text_between_tags_keeps_its_lines(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"a\nb\r\nc<", "a\nb\nc&lt;"},
        {"::error::x\n \t::add-mask::y", "&#58;:error::x\n \t&#58;:add-mask::y"},
        {"a\n\xc2\xa0::x", "a\n\xc2\xa0&#58;:x"},
        {"a ::x\nb ##[error] ##vso[x] #1", "a ::x\nb &#35;#[error] &#35;#vso[x] #1"},
    };
    CHECK(ia_esc_markup_text, rows);
}

static void markdown_has_no_links_mentions_references_or_structure(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"plain words, here.", "plain words, here."},
        {"- a list", "&#45; a list"},
        {"1. a list", "&#49;&#46; a list"},
        {"@octocat", "&#64;\xE2\x80\x8Boctocat"},
        {"fixes #12", "fixes &#35;\xE2\x80\x8B"
                      "12"},
        {"http://x", "http&#58;\xE2\x80\x8B//x"},
        {"www.x", "w\xE2\x80\x8Bww.x"},
        {"a|b\nc", "a&#124;b c"},
        {"<b>*x*</b>", "&#60;b&#62;&#42;x&#42;&#60;/b&#62;"},
        {"[a](b)", "&#91;a&#93;&#40;b&#41;"},
    };
    CHECK(ia_esc_md, rows);
}

static void a_workflow_command_stays_one_line_and_one_command(void **state)
{
    (void)state;
    static const struct row message[] = {
        {"50 %\nnext\r\n::error::x", "50 %25%0Anext%0A::error::x"},
    };
    static const struct row property[] = {{"a,b:c%\n", "a%2Cb%3Ac%25%0A"}};
    CHECK(ia_esc_command, message);
    CHECK(ia_esc_command_property, property);
}

static void a_shell_word_is_one_harmless_word(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"", "''"},
        {"com.apple.Preferences", "com.apple.Preferences"},
        {"it's $(touch x) `y`", "'it'\\''s $(touch x) `y`'"},
        {"a\nb'\\\x1b", "$'a\\nb\\'\\\\\\033'"},
        {"\xe2\x80\xae", "$'\\342\\200\\256'"},
        {"Größe", "'Größe'"},
        {"a ##[error]b", "'a #''#[error]b'"},
        {"a\n##vso[b]", "$'a\\n#'$'#vso[b]'"},
    };
    CHECK(ia_esc_shell, rows);
}

static void a_zero_byte_is_seen_in_every_format(void **state)
{
    (void)state;
    struct ia_buf b = IA_BUF(64);
    ia_esc_shell(&b, (struct ia_str){"a\0b", 3});
    ia_esc_markup(&b, (struct ia_str){"\0", 1});
    assert_string_equal(ia_buf_cstr(&b), "$'a\\000b'␀");
    ia_buf_fini(&b);
}

static void a_path_in_a_url_keeps_only_its_slashes(void **state)
{
    (void)state;
    static const struct row rows[] = {{"a b/c#d?e%\".html", "a%20b/c%23d%3Fe%25%22.html"}};
    CHECK(ia_esc_url_path, rows);
}

static void a_cut_keeps_characters_whole(void **state)
{
    (void)state;
    struct ia_buf b = IA_BUF(64);
    ia_cut(&b, ia_str("aö"), 2);
    ia_buf_putc(&b, '|');
    ia_cut(&b, ia_str("aö"), 3);
    assert_string_equal(ia_buf_cstr(&b), "a…|aö");
    ia_buf_fini(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(markup_cannot_end_a_tag_an_attribute_or_the_text),
        cmocka_unit_test(text_between_tags_keeps_its_lines),
        cmocka_unit_test(markdown_has_no_links_mentions_references_or_structure),
        cmocka_unit_test(a_workflow_command_stays_one_line_and_one_command),
        cmocka_unit_test(a_shell_word_is_one_harmless_word),
        cmocka_unit_test(a_zero_byte_is_seen_in_every_format),
        cmocka_unit_test(a_path_in_a_url_keeps_only_its_slashes),
        cmocka_unit_test(a_cut_keeps_characters_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
