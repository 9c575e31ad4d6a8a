/* The table of versions, and its copy in docs/compatibility.md. With IA_COMPAT_DOC=1 in the environment
 * this program rewrites that copy. */
#include "cli/doctor/compat.h"

#include "base/fd.h"
#include "source_dir.h"
#include "test.h"

#define FILE_NAME IA_SOURCE_DIR "/docs/compatibility.md"
#define BEGIN "IA_COMPAT_DOC=1 cli_compat_test -->\n"
#define END "<!-- end -->"

static void versions_are_compared_number_by_number(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b;
        int order;
    } cases[] = {
        {"9", "10", -1},
        {"26.0", "26", 0},
        {"26.4.1", "26.4", 1},
        {"9.14.1", "9.14.10", -1},
        {"16.12.9", "16.7", 1},
        {"17.3.1", "17.4", -1},
        {"", "0", 0},
        {"", "1", -1},
        {"99999999999999999999", "1", 1},
        {"15beta", "15", 0},
    };
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        assert_int_equal(ia_compat_compare(cases[i].a, cases[i].b), cases[i].order);
        assert_int_equal(ia_compat_compare(cases[i].b, cases[i].a), -cases[i].order);
    }
}

struct here {
    enum ia_compat_part part;
    const char *version;
};

static void what_is_known_not_to_work_is_told(void **state)
{
    (void)state;
    static const struct {
        struct here here[4];
        size_t failing;
        const char *says; /* NULL: nothing */
    } cases[] = {
        {{{IA_COMPAT_XCODE, "26.2"}, {IA_COMPAT_SIMULATOR, "26.2"}}, 0, NULL},
        {{{IA_COMPAT_XCODE, "16.4"}, {IA_COMPAT_SIMULATOR, "18.5"}}, 0, NULL},
        {{{IA_COMPAT_XCODE, "16.4"},
          {IA_COMPAT_SIMULATOR, "18.5"},
          {IA_COMPAT_SIMULATOR, "26.0"}},
         1,
         "an Xcode before 26 cannot use simulators of iOS 26"},
        {{{IA_COMPAT_XCODE, "27.0"}, {IA_COMPAT_IOS, "16.7.2"}}, 1, "keep Xcode 26 for those"},
        {{{IA_COMPAT_XCODE, "27.0"}, {IA_COMPAT_SIMULATOR, "16.4"}}, 0, NULL},
        {{{IA_COMPAT_WDA, "16.12.9"}, {IA_COMPAT_IOS, "18.5"}}, 0, NULL},
        {{{IA_COMPAT_WDA, "9.2.1"}, {IA_COMPAT_IOS, "18.5"}}, 1, "before 9.3"},
        {{{IA_COMPAT_WDA, "13.2.3"}, {IA_COMPAT_IOS, "27.0"}},
         1,
         "iOS 27 needs WebDriverAgent 14"},
        {{{IA_COMPAT_WDA, "9.10"}, {IA_COMPAT_IOS, "26.4"}},
         2,
         "iOS 26 needs WebDriverAgent 9.14.1 or newer; iOS 26.4 needs WebDriverAgent 11.1.5"},
        {{{IA_COMPAT_WDA, "14.0"}, {IA_COMPAT_IOS, "14.8"}}, 1, "run on iOS 15 and newer"},
        {{{IA_COMPAT_WDA, "16.1"}, {IA_COMPAT_IOS, "18.5"}}, 0, "cannot be cancelled"},
        {{{IA_COMPAT_APPIUM, "1.22.3"}}, 1, "Appium 1 speaks an older protocol"},
        {{{IA_COMPAT_APPIUM, "3.8.0"}, {IA_COMPAT_DRIVER, "12.13.1"}}, 0, NULL},
        {{{IA_COMPAT_APPIUM, "3.8.0"}, {IA_COMPAT_DRIVER, "9.10.5"}},
         1,
         "Appium 3 needs driver 10"},
        {{{IA_COMPAT_APPIUM, "2.19.0"}, {IA_COMPAT_DRIVER, "10.0"}}, 1, "need Appium 3"},
        {{{IA_COMPAT_XCODE, "unknown"}, {IA_COMPAT_SIMULATOR, "27.0"}}, 0, NULL},
    };
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        struct ia_compat c = {.count = 0};
        struct ia_buf said = IA_BUF(4096);
        for (size_t k = 0; k < IA_COUNTOF(cases[i].here) && cases[i].here[k].version; k++) {
            ia_compat_add(&c, cases[i].here[k].part, cases[i].here[k].version);
        }
        size_t failing = ia_compat_check(&c, &said);
        bool right =
            cases[i].says ? strstr(ia_buf_cstr(&said), cases[i].says) != NULL : said.len == 0;
        if (failing != cases[i].failing || !right) {
            fail_msg("%zu: %zu fail: %s", i, failing, ia_buf_cstr(&said));
        }
        ia_buf_fini(&said);
    }
}

static void a_line_on_a_device_is_read(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        size_t count;
    } cases[] = {
        {"WebDriverAgent 16.12.9, iOS 18.5, no session", 2},
        {"Appium 3.8.0 at http://127.0.0.1:4723", 1},
        {"WebDriverAgent at http://127.0.0.1:8100, iOS 18.5", 1},
        {"iPhone, iOS beta", 0},
        {"WebDriverAgent 111111111111111111111111111111111111", 0},
        {"", 0},
    };
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        struct ia_compat c = {.count = 0};
        ia_compat_read(&c, cases[i].line);
        assert_int_equal(c.count, cases[i].count);
    }
    struct ia_compat c = {.count = 0};
    for (int i = 0; i < 100; i++) {
        ia_compat_read(&c, cases[0].line);
    }
    assert_int_equal(c.count, IA_COMPAT_SEEN_MAX);
    assert_int_equal(c.seen[0].part, IA_COMPAT_WDA);
    assert_string_equal(c.seen[0].version, "16.12.9");
    assert_string_equal(c.seen[1].version, "18.5");
}

static void the_document_has_this_table(void **state)
{
    (void)state;
    struct ia_buf file = IA_BUF(1 << 20), table = IA_BUF(1 << 20), all = IA_BUF(1 << 20);
    assert_int_equal(ia_file_read(FILE_NAME, &file, NULL), IA_OK);
    const char *text = ia_buf_cstr(&file), *begin = strstr(text, BEGIN),
               *end = strstr(text, END);
    assert_true(begin && end);
    begin += strlen(BEGIN);
    ia_compat_doc(&table);
    bool same = table.len == (size_t)(end - begin) &&
                memcmp(begin, ia_buf_cstr(&table), table.len) == 0;
    if (!same && getenv("IA_COMPAT_DOC")) {
        ia_buf_put(&all, text, (size_t)(begin - text));
        ia_buf_put(&all, ia_buf_cstr(&table), table.len);
        ia_buf_puts(&all, end);
        FILE *f = fopen(FILE_NAME, "w");
        assert_non_null(f);
        assert_int_equal(fwrite(ia_buf_cstr(&all), 1, all.len, f), all.len);
        assert_int_equal(fclose(f), 0);
    } else if (!same) {
        fail_msg(
            "docs/compatibility.md is not what compat.c says: IA_COMPAT_DOC=1 cli_compat_test");
    }
    ia_buf_fini(&file);
    ia_buf_fini(&table);
    ia_buf_fini(&all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(versions_are_compared_number_by_number),
        cmocka_unit_test(what_is_known_not_to_work_is_told),
        cmocka_unit_test(a_line_on_a_device_is_read),
        cmocka_unit_test(the_document_has_this_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
