#include "test.h"

#include "base/textfold.h"

struct pair {
    const char *a, *b;
    bool alike;
};

static void alike_texts_become_equal(void **state)
{
    (void)state;
    static const struct pair pairs[] = {
        {"Ada Lovelace", "ada  lovelace", true},
        {" \tAda\r\n", "ADA", true},
        {"Sinead O'Brien", "Sinead O’Brien", true},
        {"\"Quoted\" name", "“Quoted” name", true},
        {"«Quoted» name", "Quoted name", true},
        {"5-7", "5–7", true},
        {"5-7", "5‑7", true},
        {"-3", "−3", true},
        {"a b",
         "a\xc2\xa0"
         "b",
         true},
        {"a b",
         "a\xe2\x80\xaf"
         "b",
         true},
        {"weekend",
         "week\xc2\xad"
         "end",
         true},
        {"ab",
         "a\xe2\x80\x8b"
         "b",
         true},
        {"...", "…", true},
        {"caf\xc3\xa9", "cafe\xcc\x81", true}, /* composed or not */
        {"CAF\xc3\x89", "caf\xc3\xa9", true},
        {"office",
         "o\xef\xac\x83"
         "ce",
         true}, /* a ligature */
        {"STRASSE", "straße", true},
        {"ABC 12", "ＡＢＣ　１２", true},
        {"連絡先", "連絡先", true},
        {"❤", "❤️", true},
        {"Σίσυφος", "σίσυφοσ", true},
        {"", "\xff", true},
        {"Ada", "Adam", false},
        {"ada lovelace", "adalovelace", false},
        {"cafe", "caf\xc3\xa9", false},
        {"連絡先", "連絡", false},
        {"1", "２", false},
        {"a-b", "a b", false},
        {"👍", "👎", false},
    };
    for (size_t i = 0; i < IA_COUNTOF(pairs); i++) {
        struct ia_buf a = IA_BUF(1000), b = IA_BUF(1000);
        ia_text_fold(&a, ia_str(pairs[i].a));
        ia_text_fold(&b, ia_str(pairs[i].b));
        bool alike = strcmp(ia_buf_cstr(&a), ia_buf_cstr(&b)) == 0;
        if (alike != pairs[i].alike) {
            fail_msg("%s / %s: %s / %s", pairs[i].a, pairs[i].b, ia_buf_cstr(&a),
                     ia_buf_cstr(&b));
        }
        ia_buf_fini(&a);
        ia_buf_fini(&b);
    }
}

static void what_is_folded_stays_when_it_is_folded_again(void **state)
{
    (void)state;
    static const char *const texts[] = {"İstanbul", "ﬁne ½ ①", "\xc2\xb4 x",
                                        "ǅ",        "ᾈ",       "한국어"};
    for (size_t i = 0; i < IA_COUNTOF(texts); i++) {
        struct ia_buf a = IA_BUF(1000), b = IA_BUF(1000);
        ia_text_fold(&a, ia_str(texts[i]));
        ia_text_fold(&b, ia_buf_str(&a));
        assert_string_equal(ia_buf_cstr(&a), ia_buf_cstr(&b));
        ia_buf_fini(&a);
        ia_buf_fini(&b);
    }
}

static void letters_are_folded_by_case_and_by_accent_apart(void **state)
{
    (void)state;
    static const struct {
        const char *text, *no_case, *no_marks, *neither;
    } rows[] = {
        {"", "", "", ""},
        {"Wi-Fi \"x\"  y", "wi-fi \"x\"  y", "Wi-Fi \"x\"  y",
         "wi-fi \"x\"  y"}, /* letters alone */
        {"Café", "café", "Cafe", "cafe"},
        {"Cafe\xcc\x81", "cafe\xcc\x81", "Cafe", "cafe"},
        {"ÀÉÎ", "àéî", "AEI", "aei"},
        {"Straße", "strasse", "Straße", "strasse"},
        {"あア", "あア", "あア", "あア"},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        const char *want[] = {rows[i].text, rows[i].no_case, rows[i].no_marks, rows[i].neither};
        for (unsigned how = 0; how < 4; how++) {
            struct ia_buf b = IA_BUF(1000);
            ia_text_fold_letters(&b, ia_str(rows[i].text), how & 1, how & 2);
            assert_string_equal(ia_buf_cstr(&b), want[how]);
            ia_buf_fini(&b);
        }
    }
}

static void letters_have_two_cases(void **state)
{
    (void)state;
    static const struct {
        const char *text, *lower, *upper;
    } rows[] = {
        {"", "", ""},
        {"Wi-Fi [@`{z]", "wi-fi [@`{z]", "WI-FI [@`{Z]"},
        {"Straße Éa", "straße éa", "STRASSE ÉA"},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        for (int upper = 0; upper < 2; upper++) {
            struct ia_buf b = IA_BUF(1000);
            ia_text_case(&b, ia_str(rows[i].text), upper);
            assert_string_equal(ia_buf_cstr(&b), upper ? rows[i].upper : rows[i].lower);
            ia_buf_fini(&b);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(alike_texts_become_equal),
        cmocka_unit_test(what_is_folded_stays_when_it_is_folded_again),
        cmocka_unit_test(letters_are_folded_by_case_and_by_accent_apart),
        cmocka_unit_test(letters_have_two_cases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
