/* The small things of base.h: allocation, strings, UTF-8, hashes, suggestions, embedded files. */
#include "test.h"

#include "base/base.h"
#include "base/embed.h"
#include "base/hash.h"
#include "base/suggest.h"
#include "base/utf8.h"

static void borrowed_strings_compare_by_bytes(void **state)
{
    (void)state;
    assert_true(ia_str_eq(ia_str(NULL), ia_str("")));
    assert_true(ia_str_eq((struct ia_str){"a\0b", 3}, (struct ia_str){"a\0b", 3}));
    assert_false(ia_str_eq((struct ia_str){"a\0b", 3}, (struct ia_str){"a\0c", 3}));
    assert_true(ia_str_is((struct ia_str){"run.x", 3}, "run"));
    assert_false(ia_str_is((struct ia_str){"run", 3}, "runs"));
    assert_true(ia_str_starts(ia_str("run"), ia_str("")));
    assert_true(ia_str_starts(ia_str("run"), ia_str("ru")));
    assert_false(ia_str_starts(ia_str("ru"), ia_str("run")));
}

static void copies_are_exact_and_terminated(void **state)
{
    (void)state;
    char *a = ia_strdup("abc");
    char *b = ia_strndup("abc", 2);
    char *c = ia_strndup(NULL, 0);
    assert_string_equal(a, "abc");
    assert_string_equal(b, "ab");
    assert_string_equal(c, "");
    assert_null(ia_strdup(NULL));
    free(a);
    free(b);
    free(c);
}

static void a_list_that_grows_keeps_what_it_holds(void **state)
{
    (void)state;
    int *list = NULL;
    for (int n = 0; n < 1000; n++) {
        list = ia_grow(list, (size_t)n, sizeof(*list));
        list[n] = n;
    }
    for (int n = 0; n < 1000; n++) {
        assert_int_equal(list[n], n);
    }
    free(list);
}

static void a_wipe_takes_just_what_it_is_told(void **state)
{
    (void)state;
    char secret[] = "hunter2!";
    ia_wipe(secret, 7);
    assert_memory_equal(secret, "\0\0\0\0\0\0\0!", 8);
    ia_wipe(NULL, 0);
    ia_free_wiped(ia_strdup("hunter2"));
    ia_free_wiped(NULL);
}

static void allocations_of_nothing_can_be_freed(void **state)
{
    (void)state;
    void *a = ia_alloc(0);
    int *b = ia_calloc(0, sizeof(int));
    assert_non_null(a);
    assert_non_null(b);
    b = ia_realloc(b, 4, sizeof(int));
    b[3] = 7;
    b = ia_realloc(b, 8, sizeof(int));
    assert_int_equal(b[3], 7);
    free(a);
    free(b);
}

struct utf8_row {
    const char *bytes;
    size_t n;
    size_t valid; /* bytes of the first sequence */
    uint32_t cp;
};

static const struct utf8_row utf8_rows[] = {
    {"", 0, 0, 0},
    {"A", 1, 1, 'A'},
    {"\x7f", 1, 1, 0x7f},
    {"\x80", 1, 0, 0},
    {"\xc2\x80", 2, 2, 0x80},
    {"\xc1\xbf", 2, 0, 0},
    {"\xc2", 1, 0, 0},
    {"\xc2\x41", 2, 0, 0},
    {"\xdf\xbf", 2, 2, 0x7ff},
    {"\xe0\x9f\xbf", 3, 0, 0},
    {"\xe0\xa0\x80", 3, 3, 0x800},
    {"\xed\x9f\xbf", 3, 3, 0xd7ff},
    {"\xed\xa0\x80", 3, 0, 0},
    {"\xed\xbf\xbf", 3, 0, 0},
    {"\xee\x80\x80", 3, 3, 0xe000},
    {"\xef\xbf\xbf", 3, 3, 0xffff},
    {"\xf0\x8f\xbf\xbf", 4, 0, 0},
    {"\xf0\x90\x80\x80", 4, 4, 0x10000},
    {"\xf4\x8f\xbf\xbf", 4, 4, 0x10ffff},
    {"\xf4\x90\x80\x80", 4, 0, 0},
    {"\xf5\x80\x80\x80", 4, 0, 0},
    {"\xff", 1, 0, 0},
    {"\xf0\x9f\x98", 3, 0, 0},
};

static void utf8_takes_what_rfc_3629_allows(void **state)
{
    (void)state;
    for (size_t i = 0; i < IA_COUNTOF(utf8_rows); i++) {
        const struct utf8_row *r = &utf8_rows[i];
        assert_int_equal(ia_utf8_valid_len(r->bytes, r->n), r->valid);
        if (r->valid > 0) {
            char back[4];
            assert_int_equal(ia_utf8_decode(r->bytes, r->valid), r->cp);
            assert_int_equal(ia_utf8_encode(r->cp, back), r->valid);
            assert_memory_equal(back, r->bytes, r->valid);
        }
    }
}

static void a_cut_never_splits_a_sequence(void **state)
{
    (void)state;
    static const char text[] = "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80z";
    static const size_t want[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11};
    for (size_t n = 0; n < IA_COUNTOF(want); n++) {
        assert_int_equal(ia_utf8_cut(text, n), want[n]);
    }
    assert_int_equal(ia_utf8_cut("\x80\x80\x80\x80\x80", 5), 5);
    assert_int_equal(ia_utf8_cut("\x80\x80", 2), 2);
}

static void sha256_and_fnv_give_the_published_values(void **state)
{
    (void)state;
    char hex[IA_SHA256_HEX_SIZE];
    ia_sha256_hex("abc", 3, hex); /* FIPS 180-2, B.1 */
    assert_string_equal(hex,
                        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    ia_sha256_hex("", 0, hex);
    assert_string_equal(hex,
                        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    const struct ia_str whole = ia_str(hex);
    assert_true(ia_sha256_hex_ok(whole));
    assert_false(ia_sha256_hex_ok((struct ia_str){whole.p, whole.n - 1}));
    assert_false(ia_sha256_hex_ok((struct ia_str){whole.p, whole.n + 1}));
    for (int c = 0; c < 256; c++) {
        hex[9] = (char)c;
        assert_int_equal(ia_sha256_hex_ok(whole),
                         c > 0 && strchr("0123456789abcdef", c) != NULL);
    }
    assert_true(ia_hash(IA_HASH_SEED, "", 0) == IA_HASH_SEED);
    assert_true(ia_hash(IA_HASH_SEED, "a", 1) == UINT64_C(0xaf63dc4c8601ec8c));
    assert_true(ia_hash(ia_hash(IA_HASH_SEED, "foo", 3), "bar", 3) ==
                UINT64_C(0x85944171f73967e8));
}

static void embedded_files_are_found_by_their_full_name(void **state)
{
    (void)state;
    static const struct ia_embedded table[] = {{"a/b", "x", 1}, {"a/bc", "yz", 2}, {0}};
    assert_ptr_equal(ia_embedded_find(table, "a/bc"), &table[1]);
    assert_null(ia_embedded_find(table, "a"));
    assert_null(ia_embedded_find(table, ""));
}

static void edits_are_counted(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b;
        size_t distance;
    } rows[] = {
        {"", "", 0},          {"", "abc", 3},         {"abc", "", 3},
        {"run", "run", 0},    {"run", "RUN", 0},      {"model", "modle", 1},
        {"model", "mdel", 1}, {"model", "mmodel", 1}, {"kitten", "sitting", 3},
        {"abcd", "badc", 2},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        assert_int_equal(ia_edit_distance(ia_str(rows[i].a), ia_str(rows[i].b)),
                         rows[i].distance);
    }
    char big[IA_SUGGEST_MAX + 2];
    memset(big, 'a', sizeof(big));
    assert_true(ia_edit_distance((struct ia_str){big, IA_SUGGEST_MAX + 1}, ia_str("a")) ==
                SIZE_MAX);
    assert_int_equal(ia_edit_distance((struct ia_str){big, IA_SUGGEST_MAX}, ia_str("a")),
                     IA_SUGGEST_MAX - 1);
}

static void only_a_near_word_is_suggested(void **state)
{
    (void)state;
    static const char *const words[] = {"run", "runs", "screenshot", "is"};
    static const char *const cases[][2] = {
        {"rnu", "run"},     {"run", "run"}, {"screnshoot", "screenshot"},
        {"snapshot", NULL}, {"ix", "is"},   {"zz", NULL},
        {"", NULL},         {"quit", NULL},
    };
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        const char *near = ia_nearest(ia_str(cases[i][0]), words, IA_COUNTOF(words));
        if (cases[i][1]) {
            assert_string_equal(near, cases[i][1]);
        } else {
            assert_null(near);
        }
    }
    assert_null(ia_nearest(ia_str("run"), words, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(borrowed_strings_compare_by_bytes),
        cmocka_unit_test(copies_are_exact_and_terminated),
        cmocka_unit_test(a_list_that_grows_keeps_what_it_holds),
        cmocka_unit_test(a_wipe_takes_just_what_it_is_told),
        cmocka_unit_test(allocations_of_nothing_can_be_freed),
        cmocka_unit_test(utf8_takes_what_rfc_3629_allows),
        cmocka_unit_test(a_cut_never_splits_a_sequence),
        cmocka_unit_test(sha256_and_fnv_give_the_published_values),
        cmocka_unit_test(embedded_files_are_found_by_their_full_name),
        cmocka_unit_test(edits_are_counted),
        cmocka_unit_test(only_a_near_word_is_suggested),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
