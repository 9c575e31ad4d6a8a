/* page_text_test.c: what of a page reaches the model, and what does not. */
#include "agent/core_tools/page_text.h"

#include "base/utf8.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

struct read {
    struct ia_buf title, text;
    enum ia_rc rc;
    struct ia_err err;
};

static struct read read_page(const char *type, const char *charset, struct ia_str bytes)
{
    struct read r = {.title = IA_BUF(IA_PAGE_TITLE_MAX + 1), .text = IA_BUF(IA_PAGE_TEXT_MAX)};
    const struct ia_page page = {.url = "https://example.com/docs/page?x=1",
                                 .type = type,
                                 .charset = charset,
                                 .bytes = bytes};
    r.rc = ia_page_read(&page, &r.title, &r.text, &r.err);
    assert_true(ia_utf8_printable(ia_buf_str(&r.text), "\n\t"));
    return r;
}

static void read_fini(struct read *r)
{
    ia_buf_fini(&r->title);
    ia_buf_fini(&r->text);
}

struct page_case {
    const char *html, *text;
};

static void check(const struct page_case *cases, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct read r = read_page("text/html", "utf-8", ia_str(cases[i].html));
        assert_int_equal(r.rc, IA_OK);
        assert_string_equal(ia_buf_cstr(&r.text), cases[i].text);
        read_fini(&r);
    }
}

static void pages_become_lines(void **state)
{
    (void)state;
    static const struct page_case cases[] = {
        {"<p>one  two\n three</p><p>four</p>", "one two three\nfour"},
        {"<h1>Title</h1><p>text</p><h2>Next</h2>", "# Title\n\ntext\n\n## Next"},
        {"<ul><li>a<li>b</ul>", "- a\n- b"},
        {"<table><tr><th>k<th>v<tr><td>1<td>2</table>", "k | v\n1 | 2"},
        {"<pre>  a\n    b</pre>c", "  a\n    b\nc"},
        {"a<br>b", "a\nb"},
        {"<b>bo</b>ld &amp; &lt;tag&gt; &eacute;&#8212;", "bold & <tag> \xc3\xa9\xe2\x80\x94"},
        {"<img alt='a cat'> <img>", "[image: a cat]"},
        {"", ""},
    };
    check(cases, IA_COUNTOF(cases));
}

static void links_lead_to_whole_web_addresses_or_are_no_links(void **state)
{
    (void)state;
    static const struct page_case cases[] = {
        {"<a href='other'>go</a>", "[go](https://example.com/docs/other)"},
        {"<a href='/top?a=1#b'>go</a>", "[go](https://example.com/top?a=1#b)"},
        {"<a href='//cdn.example.net/x'>go</a>", "[go](https://cdn.example.net/x)"},
        {"<a href='javascript:alert(1)'>go</a>", "go"},
        {"<a href='file:///etc/passwd'>go</a>", "go"},
        {"<a href='#here'>go</a>", "go"},
        {"<a href='data:text/html,x'>go</a>", "go"},
        {"<a href='https://e.com/)[x](y'>go</a>", "go"},
        {"x<a href='other'></a>y", "xy"},
        {"<a href='a'>one<a href='b'>two",
         "[one](https://example.com/docs/a)[two](https://example.com/docs/b)"},
    };
    check(cases, IA_COUNTOF(cases));
}

static void what_no_reader_sees_is_left_out(void **state)
{
    (void)state;
    static const struct page_case cases[] = {
        {"a<script>evil()</script><style>p{}</style><!-- note -->b", "ab"},
        {"<p hidden>secret orders</p>shown", "shown"},
        {"<p style='display:none'>secret orders</p>shown", "shown"},
        {"<div hidden><p>deep <b>orders</b></p><br></div><p>shown</p>", "shown"},
        {"<svg><text>drawn</text></svg><iframe>frame</iframe>shown", "shown"},
        {"a\xe2\x80\x8b\xe2\x80\xae"
         "b\xf3\xa0\x80\xa1"
         "c",
         "abc"},
        {"<template><p>t</p></template>x", "x"},
    };
    check(cases, IA_COUNTOF(cases));
}

static void the_title_stands_apart_and_is_cut(void **state)
{
    (void)state;
    struct ia_buf page = IA_BUF(1 << 16);
    ia_buf_puts(&page, "<html><head><title>A page ");
    for (int i = 0; i < 1000; i++) {
        ia_buf_puts(&page, "\xc3\xa9");
    }
    ia_buf_puts(&page, "</title></head><body>text");
    struct read r = read_page("text/html", "", ia_buf_str(&page));
    assert_string_equal(ia_buf_cstr(&r.text), "text");
    assert_true(r.title.len <= IA_PAGE_TITLE_MAX && r.title.len > IA_PAGE_TITLE_MAX - 4);
    assert_true(ia_utf8_printable(ia_buf_str(&r.title), ""));
    read_fini(&r);
    ia_buf_fini(&page);
}

static void a_page_says_in_which_encoding_it_is(void **state)
{
    (void)state;
    static const struct {
        const char *charset;
        struct ia_str bytes;
        const char *text;
    } cases[] = {
        {"iso-8859-1", {"caf\xe9 \x80", 6}, "caf\xc3\xa9 \xe2\x82\xac"},
        {"", {"caf\xe9", 4}, "caf\xc3\xa9"},
        {"", {"caf\xc3\xa9", 5}, "caf\xc3\xa9"},
        {"", {"\xef\xbb\xbfhi", 5}, "hi"},
        {"", {"\xff\xfeh\0i\0", 6}, "hi"},
        {"shift_jis", {"\x93\xfa\x96{", 4}, "\xe6\x97\xa5\xe6\x9c\xac"},
        {"utf-8",
         {"a\xff\xfe"
          "b",
          4},
         "a\xef\xbf\xbd\xef\xbf\xbd"
         "b"},
        {"koi8-r", {"\xf0\xd2", 2}, "\xd0\x9f\xd1\x80"},
    };
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        struct read r = read_page("text/plain", cases[i].charset, cases[i].bytes);
        assert_int_equal(r.rc, IA_OK);
        assert_string_equal(ia_buf_cstr(&r.text), cases[i].text);
        read_fini(&r);
    }
    static const char meta[] = "<meta charset=\"windows-1251\"><p>\xcf\xf0";
    struct read r = read_page("text/html", "", ia_str(meta));
    assert_string_equal(ia_buf_cstr(&r.text), "\xd0\x9f\xd1\x80");
    read_fini(&r);
}

static void what_is_no_text_is_refused(void **state)
{
    (void)state;
    struct read r = read_page("", "", (struct ia_str){"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16});
    assert_int_equal(r.rc, IA_E_UNSUPPORTED);
    read_fini(&r);
    r = read_page("text/plain", "x-made-up", ia_str("hello"));
    assert_int_equal(r.rc, IA_E_UNSUPPORTED);
    assert_non_null(strstr(r.err.msg, "x-made-up"));
    read_fini(&r);
    static const struct {
        const char *type;
        bool text;
    } types[] = {{"text/html", true},        {"", true},
                 {"application/json", true}, {"application/ld+json", true},
                 {"image/svg+xml", false},   {"image/png", false},
                 {"application/pdf", false}, {"application/octet-stream", false},
                 {"video/mp4", false},       {"application/atom+xml", true}};
    for (size_t i = 0; i < IA_COUNTOF(types); i++) {
        if (ia_page_is_text(types[i].type) != types[i].text) {
            fail_msg("%s", types[i].type);
        }
    }
}

static void a_page_that_nests_without_end_is_read_no_further(void **state)
{
    (void)state;
    struct ia_buf page = IA_BUF(1 << 21);
    ia_buf_puts(&page, "<p>first</p>");
    for (int i = 0; i < 100000; i++) {
        ia_buf_puts(&page, "<div>");
    }
    ia_buf_puts(&page, "last");
    struct read r = read_page("text/html", "utf-8", ia_buf_str(&page));
    assert_int_equal(r.rc, IA_OK);
    assert_string_equal(ia_buf_cstr(&r.text), "first");
    read_fini(&r);
    ia_buf_fini(&page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_become_lines),
        cmocka_unit_test(links_lead_to_whole_web_addresses_or_are_no_links),
        cmocka_unit_test(what_no_reader_sees_is_left_out),
        cmocka_unit_test(the_title_stands_apart_and_is_cut),
        cmocka_unit_test(a_page_says_in_which_encoding_it_is),
        cmocka_unit_test(what_is_no_text_is_refused),
        cmocka_unit_test(a_page_that_nests_without_end_is_read_no_further),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
