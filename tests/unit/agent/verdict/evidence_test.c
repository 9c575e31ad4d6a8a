#include "test.h"

#include "agent/verdict/evidence.h"

static const char screen[] = "com.apple.MobileAddressBook 402x874 #3fa2: Contacts\n"
                             "3 search Search\n"
                             "4 row Ada Lovelace, 555-0100\n"
                             "5 text 7 items\n"
                             "6 text 5\n"
                             "7 field:focused Name = Grace Hopper\n"
                             "8 button Add\n"
                             "9 text 連絡先\n"
                             "10 switch:on Wi-Fi\n"
                             "11 image\n"
                             "28 image #order-placed\n"
                             "30 text The voucher… QX-77391 … +310 characters: read ref 30\n"
                             "29 field #\"note \\\" = Payment received\" = 42 crates\n"
                             "12 row Sinéad O’Brien\n"
                             "13 row Auto-Lock = 2 Minutes\n"
                             "14 switch:on Airplane Mode\n"
                             "15 text \"\\\"Quoted\\\" name\"\n"
                             "16 text C:\\dir\n"
                             "17 text Loading…\n"
                             "18 text 9:00 – 10:30\n"
                             "19 text week\xc2\xad"
                             "end in\xc2\xa0"
                             "Rome\n"
                             "20 button 人\n"
                             "21 button 👍\n"
                             "22 button A\n"
                             "23 text Total = $119.70\n"
                             "24 text Note: buy milk\n"
                             "25 tab:selected Cart\n"
                             "26 button +\n"
                             "27 text Ελένη\n"
                             "+3 below: Alan Turing, Edsger, …\n"
                             "40 keyboard 41 shift, 42 delete, 45 return\n";

struct quote_case {
    const char *quote;
    bool shown;
};

static const struct quote_case quote_cases[] = {
    {"Ada Lovelace", true},
    {"  Ada   Lovelace ", true},
    {"4 row Ada Lovelace, 555-0100", true},
    {"row Ada Lovelace", true},
    {"555-0100", true},
    {"Name = Grace Hopper", true},
    {"+ 8 button Add", true},
    {"連絡先", true},
    {"switch:on Wi-Fi", true},
    {"Contacts", true},
    {"Ada Lovelace, 555-0100\n7 items", true},
    {"text 5", true},       /* the whole of a short text, with what it is */
    {"Alan Turing", false}, /* only named as off the screen */
    {"ada lovelace", true},
    {"\"Ada Lovelace\"", true},
    {"“Ada Lovelace”.", true},
    {"'Ada Lovelace, 555-0100'", true},
    {"row \"Ada Lovelace, 555-0100\"", true},
    {"Ada Lovelace!", true},
    {"(7 items)", true},
    {"Sinead O'Brien", false}, /* an accent is a letter */
    {"Sinéad O'Brien", true},
    {"Sine\xcc\x81"
     "ad O’Brien",
     true},
    {"Sin", false}, /* not at a word boundary */
    {"Ελέν", false},
    {"ΕΛΈΝΗ", true},
    {"Auto-Lock: 2 Minutes", true},
    {"Auto-Lock = 2 minutes", true},
    {"\"Auto-Lock\": \"2 Minutes\"", true},
    {"Auto‑Lock: 2 Minutes.", true},
    {"Auto-Lock: 5 Minutes", false},
    {"2 Minutes: Auto-Lock", false},
    {"Airplane Mode = on", true},
    {"Airplane Mode: On", true},
    {"switch Airplane Mode = on", true},
    {"Airplane Mode = off", false},
    {"Airplane Mode: off", false},
    {"switch:off Airplane Mode", false},
    {"Mode", true},
    {"= on", false},
    {": on", false},
    {"on", false},
    {"Cart: selected", true},
    {"Wi-Fi: selected", false},
    {"\"Quoted\" name", true},
    {"Quoted name", true},
    {"C:\\dir", true},
    {"Loading...", true},
    {"9:00 - 10:30", true},
    {"weekend in Rome", true},
    {"weekend in Paris", false},
    {"人", true}, /* a whole label may be one sign */
    {"👍", true},
    {"👎", false},
    {"A", true},
    {"B", false},
    {"+", true},
    {"連", false},
    {"Total: $119.70", true},
    {"Total: $119.7", false},
    {"$119.70", true},
    {"119", true},
    {"Note: buy milk", true},
    {"note = buy milk", false},
    {"Ada Byron", false},
    {"da Lovelace", false}, /* not at a word boundary */
    {"Lovelac", false},
    {"17 items", false},
    {"items 7", false},
    {"5", true},
    {"7", false},
    {"14", false},
    {"", false},
    {" \n\t", false},
    {"\"\"", false},
    {"order-placed", false}, /* a developer's identifier is nothing that is seen */
    {"image #order-placed", false},
    {"Payment received", false},
    {"42 crates", true},
    {"QX-77391", true},
    {"310 characters", false}, /* what the form says of a text that it cut */
    {"read ref 30", false},
    {"row", false}, /* words of the form are no evidence */
    {"4 row", false},
    {"switch:on", false},
    {"field:focused", false},
    {"11 image", false},
    {"402x874", false},
    {"3fa2", false},
    {"shift", false}, /* keys of the keyboard */
    {"delete", false},
    {"Ada Lovelace 7 items", false}, /* across lines */
    {"Ada Lovelace\nnot there", false},
    {"- 4 row Ada Lovelace", false},
};

static void a_quote_holds_only_where_it_covers_text_of_the_screen(void **state)
{
    (void)state;
    for (size_t i = 0; i < IA_COUNTOF(quote_cases); i++) {
        if (ia_evidence_shown(ia_str(quote_cases[i].quote), ia_str(screen)) !=
            quote_cases[i].shown) {
            fail_msg("%s", quote_cases[i].quote);
        }
    }
}

static void too_short_quotes_are_trivial(void **state)
{
    (void)state;
    static const struct quote_case cases[] = {
        {"", true},      {" ", true},    {"a", true},     {"…", true},
        {"--", true},    {"a.", true},   {"ok", false},   {"42", false},
        {"連絡", false}, {"é!à", false}, {"！？", false},
    };
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        if (ia_evidence_trivial(ia_str(cases[i].quote)) != cases[i].shown) {
            fail_msg("%s", cases[i].quote);
        }
    }
}

static void nothing_is_shown_on_an_empty_screen(void **state)
{
    (void)state;
    assert_false(ia_evidence_shown(ia_str("Ada"), ia_str("")));
    assert_false(ia_evidence_shown(ia_str("Ada"), (struct ia_str){0}));
}

static void a_line_longer_than_the_cap_is_cut_not_overrun(void **state)
{
    (void)state;
    char big[10000];
    memset(big, 'x', sizeof(big) - 1);
    big[sizeof(big) - 1] = '\0';
    assert_false(ia_evidence_shown(ia_str("Ada Lovelace"), ia_str(big)));
    (void)ia_evidence_shown(ia_str(big), ia_str(big));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_quote_holds_only_where_it_covers_text_of_the_screen),
        cmocka_unit_test(too_short_quotes_are_trivial),
        cmocka_unit_test(nothing_is_shown_on_an_empty_screen),
        cmocka_unit_test(a_line_longer_than_the_cap_is_cut_not_overrun),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
