/* What a line keeps of a text that is too long for it. */
#include "test.h"

#include "draw.h"

#include "base/utf8.h"
#include "driver/snapshot/phrase.h"

#include <stdlib.h>

#define MAIL                                                                                   \
    "Hi Ada, the board moved the meeting to Thursday 14:30 in room 5B because the auditors "   \
    "need the Wednesday slot. Please bring the signed copies of the Q3 contract, the revised " \
    "budget of 48,200 EUR and your passport for the visitor desk. The taxi voucher code is "   \
    "QX-77391 and it expires on 2026-12-01. Dinner is at Osteria Mario, 19:45, booked under "  \
    "Lovelace."

static const struct {
    const char *text, *want;
} cases[] = {
    {"short, 12", "short, 12"},
    {MAIL, "Hi Ada, the board moved the meeting to Thursday 14:30 in room 5B because the "
           "auditors need the Wednesday slot. Please bring the signed copies of… Q3 … "
           "48,200 EUR … QX-77391 … 2026-12-01 … 19:45 …"},
    {"Nothing in this text has a number, so that all of the room that a line has is given to "
     "the beginning of it, up to the end of a word, and what follows is only counted, as it "
     "cannot be told from its words alone what of them will matter to whoever is reading.",
     "Nothing in this text has a number, so that all of the room that a line has is given to "
     "the beginning of it, up to the end of a word, and what follows is only counted, as it "
     "cannot be told from its words alone what of them will matter to…"},
    {"会議は木曜日の午後に変更になりました。監査の都合で水曜日の枠が使えないためです。第三四半"
     "期の契約"
     "書の署名済みコピー、改訂された予算案、受付で必要な身分証明書をお持ちください。タクシー券"
     "の番号は"
     "QX-77391で、有効期限は2026年12月1日です。夕食は19時45分に予約しています。",
     "会議は木曜日の午後に変更になりました。監査の都合で水曜日の枠が使えないためです。第三四半"
     "期の契約… "
     "QX-77391で … 2026年12月1日 … 19時45分 …"},
    {MAIL " Room 7",
     "Hi Ada, the board moved the meeting to Thursday 14:30 in room 5B because the "
     "auditors need the Wednesday slot. Please bring the signed copies of… Q3 … "
     "48,200 EUR … QX-77391 … 2026-12-01 … 19:45 … 7 …"},
};

static void a_long_text_keeps_its_beginning_and_its_numbers(void **state)
{
    (void)state;
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        struct ia_buf b = IA_BUF(4096);
        char *text = ia_strdup(cases[i].text); /* no byte more than it has */
        size_t rest = ia_phrase_excerpt(&b, text, IA_PHRASE_BYTES);
        free(text);
        assert_string_equal(ia_buf_cstr(&b), cases[i].want);
        assert_int_equal(rest > 0, i > 0);
        ia_buf_fini(&b);
    }
}

static void an_excerpt_is_short_and_valid_whatever_the_text(void **state)
{
    (void)state;
    static const char *const bits[] = {"9",  "a", " ", "年", "٣",  "€", "@",
                                       "-.", "…", "😀", "，", "x1", "(", "1.5 "};
    uint64_t seed = 7;
    for (int round = 0; round < 400; round++) {
        struct ia_buf text = IA_BUF(8192);
        struct ia_buf out = IA_BUF(8192);
        for (int k = 0; k < 40 + round; k++) {
            seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407U;
            ia_buf_puts(&text, bits[(seed >> 33) % IA_COUNTOF(bits)]);
        }
        size_t rest = ia_phrase_excerpt(&out, ia_buf_cstr(&text), 240);
        assert_true(out.len <= 240 + 8);
        assert_int_equal(rest > 0, text.len > 240);
        for (size_t i = 0; i < out.len;) {
            size_t n = ia_utf8_valid_len(out.p + i, out.len - i);
            assert_true(n > 0);
            i += n;
        }
        ia_buf_fini(&text);
        ia_buf_fini(&out);
    }
}

static void a_cut_line_says_how_much_is_left_and_where_to_read_it(void **state)
{
    (void)state;
    struct ia_refs *refs = ia_refs_new();
    struct ia_snapshot *s =
        draw("Application 0,0,400,800\n StaticText '" MAIL "' 10,100,300,300\n", refs);
    const char *line = strstr(lines_of(s), "… +");
    assert_non_null(line);
    assert_string_equal(line, "… +212 characters: read ref 1\n");
    struct ia_buf whole = IA_BUF(4096);
    ia_element_text_whole(ia_snapshot_at(s, 0), &whole);
    assert_string_equal(ia_buf_cstr(&whole), "1 text " MAIL);
    ia_buf_fini(&whole);
    ia_snapshot_free(s);
    ia_refs_free(refs);
}

static void a_change_behind_the_cut_is_a_change(void **state)
{
    (void)state;
    struct ia_refs *refs = ia_refs_new();
    char tree[2048];
    snprintf(tree, sizeof(tree),
             "Application 0,0,400,800\n TextField #note ='%s' 10,100,300,300\n", MAIL);
    struct ia_snapshot *a = draw(tree, refs);
    memcpy(strstr(tree, "Lovelace"), "Turingxx", 8);
    struct ia_snapshot *b = draw(tree, refs);
    struct ia_buf out = IA_BUF(4096);
    assert_true(ia_snapshot_diff(a, b, 0, &out));
    assert_true(ia_str_starts(ia_buf_str(&out), ia_str("~ 1 field")));
    ia_buf_fini(&out);
    ia_snapshot_free(a);
    ia_snapshot_free(b);
    ia_refs_free(refs);
}

static void a_row_of_many_texts_loses_none(void **state)
{
    (void)state;
    struct ia_refs *refs = ia_refs_new();
    struct ia_buf tree = IA_BUF(65536);
    ia_buf_puts(&tree, "Application 0,0,400,800\n Cell 0,100,400,600\n");
    for (int i = 0; i < 40; i++) {
        ia_buf_printf(&tree, "  StaticText 'part number %d of the whole' 10,%d,300,14\n", i,
                      105 + i * 14);
    }
    struct ia_snapshot *s = draw(ia_buf_cstr(&tree), refs);
    struct ia_buf whole = IA_BUF(65536);
    ia_element_text_whole(ia_snapshot_at(s, 0), &whole);
    assert_non_null(strstr(ia_buf_cstr(&whole), "part number 0 of"));
    assert_non_null(strstr(ia_buf_cstr(&whole), "part number 39 of"));
    ia_buf_fini(&whole);
    ia_buf_fini(&tree);
    ia_snapshot_free(s);
    ia_refs_free(refs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_long_text_keeps_its_beginning_and_its_numbers),
        cmocka_unit_test(an_excerpt_is_short_and_valid_whatever_the_text),
        cmocka_unit_test(a_cut_line_says_how_much_is_left_and_where_to_read_it),
        cmocka_unit_test(a_change_behind_the_cut_is_a_change),
        cmocka_unit_test(a_row_of_many_texts_loses_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
