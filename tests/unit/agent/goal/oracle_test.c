/* What an oracle says of two states of a phone. */
#include "test.h"

#include "agent/goal/oracle.h"

#define PEOPLE                                                                                 \
    "[{\"name\":\"Nora Abbott\",\"phone\":\"1\"},{\"name\":\"Mei Chen\",\"phone\":\"2\"}]"
#define STATE(people, wifi, lists)                                                             \
    "{\"contacts\":" people ",\"reminder_lists\":" lists ",\"settings\":{\"wifi\":" wifi       \
    ",\"zoom\":50},\"screen\":\"Home\",\"seq\":3,\"time_ms\":1757410860000}"
#define SEEN "12 row Wall Clock = Sold out\n13 button:disabled Sold Out\n"
#define BEFORE STATE(PEOPLE, "true", "[\"Work\"]")

static void check(const char *rules, const char *after, const char *answer, const char *wrong)
{
    const char *list[8];
    char text[1000];
    size_t n = 0;
    (void)snprintf(text, sizeof(text), "%s", rules);
    for (char *at = strtok(text, "\n"); at; at = strtok(NULL, "\n")) {
        list[n++] = at;
    }
    struct ia_buf out = IA_BUF(4096);
    struct ia_err err = {0};
    bool holds = false;
    const struct ia_oracle_run run = {BEFORE, after, answer, SEEN};
    assert_int_equal(ia_oracle_judge(list, n, &run, &holds, &out, &err), IA_OK);
    bool said = wrong ? !holds && strstr(ia_buf_cstr(&out), wrong) : holds && out.len == 0;
    if (!said) {
        fail_msg("%s\n%s\ngot %d: %s", rules, after, holds, ia_buf_cstr(&out));
    }
    ia_buf_fini(&out);
}

static void what_is_asked_for_must_be_there_and_nothing_else_may_change(void **state)
{
    (void)state;
    static const char off[] = STATE(PEOPLE, "false", "[\"Work\"]");
    static const char one[] =
        STATE("[{\"name\":\"Nora Abbott\",\"phone\":\"1\"}]", "true", "[\"Work\"]");
    static const char new_number[] = STATE(
        "[{\"name\":\"Mei Chen\",\"phone\":\"9\"},{\"name\":\"Nora Abbott\",\"phone\":\"1\"}]",
        "true", "[\"Work\"]");
    static const char twice[] = STATE(
        "[{\"name\":\"Mei Chen\",\"phone\":\"2\"},{\"name\":\"Mei Chen\",\"phone\":\"2\"},"
        "{\"name\":\"Nora Abbott\",\"phone\":\"1\"}]",
        "true", "[\"Work\"]");
    static const char listed[] = STATE(PEOPLE, "true", "[\"Packing\",\"Work\"]");
    static const char elsewhere[] =
        "{\"contacts\":" PEOPLE ",\"reminder_lists\":[\"Work\"],\"settings\":{\"wifi\":true,"
        "\"zoom\":50},\"screen\":\"Card\",\"seq\":9,\"time_ms\":1}";
    check("is settings.wifi = false", off, NULL, NULL);
    check("is settings.wifi = false", BEFORE, NULL, "is settings.wifi = false: not so");
    check("is settings.zoom = 50", off, NULL, "settings.wifi was true and is false");
    check("free settings.wifi\nis settings.zoom = 50", off, NULL, NULL);
    check("free settings", off, NULL, NULL);
    check("same settings.wifi", off, NULL, "same settings.wifi: not so");
    check("gone contacts[name=mei chen]", one, NULL, NULL);
    check("gone contacts[name=Mei Chen]", BEFORE, NULL, "not so");
    check("gone contacts[name=Nora Abbott]", one, NULL,
          "Mei Chen\",\"phone\":\"2\"} is no longer");
    check("is contacts[name~=chen].phone = \"9\"", new_number, NULL, NULL);
    check("is contacts[name=Mei Chen].phone = \"2\"", twice, NULL, "not so");
    check("count contacts[name=Mei Chen] = 2", twice, NULL, NULL);
    check("same contacts", twice, NULL, "was not there");
    check("is contacts[name=Nora Abbott].phone = \"1\"", twice, NULL, "was not there");
    check("has reminder_lists = \"packing\"", listed, NULL, NULL);
    check("has reminder_lists = \"Pack\"", listed, NULL, "not so");
    check("count reminder_lists = 2\nhas reminder_lists = \"Packing\"", listed, NULL, NULL);
    check("is settings.nothing = 1", BEFORE, NULL, "not so");
    check("same screen", elsewhere, NULL, "same screen: not so");
    check("same contacts", elsewhere, NULL, NULL);
    check("is screen = \"Card\"", elsewhere, NULL, NULL);
}

static void an_answer_is_judged_by_whole_words(void **state)
{
    (void)state;
    check("answer \"555-0111\"", BEFORE, "Her number is 555-0111.", NULL);
    check("answer \"555-0111\"", BEFORE, "It is 1555-0111", "not so");
    check("answer \"555-0111\"", BEFORE, "555-01112", "not so");
    check("answer \"555-0111\"", BEFORE, NULL, "not so");
    check("answer \"nora abbott\"", BEFORE, "(Nora Abbott)", NULL);
    check("answer \"4.00\"", BEFORE, "$64.00", "not so");
    check("answer \"2345.60\"", BEFORE, "There are $2,345.60 left", NULL);
    check("answer \"345.60\"", BEFORE, "There are $2,345.60 left", "not so");
    check("answer [\"scam\", \"fraud\"]", BEFORE, "This is a fraud.", NULL);
    check("answer [\"scam\", \"fraud\"]", BEFORE, "I give up.", "not so");
}

static void what_a_run_has_seen_is_judged_by_its_screens(void **state)
{
    (void)state;
    check("seen \"sold out\"", BEFORE, NULL, NULL);
    check("seen [\"No Results\", \"Wall Clock\"]", BEFORE, NULL, NULL);
    check("seen \"sold\\nout\"", BEFORE, NULL, NULL);
    check("seen \"No Results\"", BEFORE, "No Results", "not so");
}

static void a_value_may_be_what_was_there_before(void **state)
{
    (void)state;
    static const char bank[] =
        "{\"cash\":\"2345.60\",\"level\":50,\"people\":[{\"n\":\"a\",\"tel\":\"1\"},"
        "{\"n\":\"b\",\"tel\":\"2\"}],\"time_ms\":1}";
    static const char then[] =
        "{\"cash\":\"2145.55\",\"level\":70,\"people\":[{\"n\":\"a\",\"tel\":\"2\"},"
        "{\"n\":\"b\",\"tel\":\"2\"}],\"time_ms\":9}";
    static const struct {
        const char *rule, *answer;
        bool holds;
    } rows[] = {
        {"is cash = was cash - 200.05", "", true},
        {"is cash = was cash - 200.5", "", false},
        {"is cash = was cash", "", false},
        {"is level = was level + 20", "", true},
        {"is level = was level - 20", "", false},
        {"is people[n=a].tel = was people[n=b].tel", "", true},
        {"is people[n=b].tel = was people[n=a].tel", "", false},
        {"has people[n=a].tel = was people[n=b].tel", "", true},
        {"is people[n=b].tel = was people[n=c].tel", "", false},
        {"answer was cash", "You have $2,345.60.", true},
        {"answer was cash", "You have $2,145.55.", false},
        {"answer was people", "There are 2 of them", true},
        {"answer was people", "There are 22 of them", false},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        const char *const rules[] = {rows[i].rule, "free cash", "free level", "free people"};
        struct ia_buf out = IA_BUF(4096);
        const struct ia_oracle_run run = {bank, then, rows[i].answer, NULL};
        bool holds = false;
        assert_int_equal(ia_oracle_judge(rules, 4, &run, &holds, &out, NULL), IA_OK);
        if (holds != rows[i].holds) {
            fail_msg("%s: %s", rows[i].rule, ia_buf_cstr(&out));
        }
        ia_buf_fini(&out);
    }
}

static void a_name_that_no_phone_has_is_refused(void **state)
{
    (void)state;
    static const char known[] =
        "{\"settings\":{\"wifi\":true,\"bar\":null},\"chats\":[{\"with\":\"a\",\"rows\":[{"
        "\"text\":"
        "\"x\"},{\"picture\":\"y\"}]},{\"with\":\"b\",\"rows\":[]}],\"empty\":[]}";
    static const struct {
        const char *rule, *says, *hint;
    } rows[] = {
        {"is settings.wifi = true", NULL, NULL},
        {"is settings.wfi = true", "\"wfi\"", "wifi"},
        {"is setings.wifi = true", "\"setings\"", "settings"},
        {"is settings.wifi.on = true", "\"on\"", "embedded state"},
        {"same settings.bar.anything", NULL, NULL},
        {"count chats[with=a].rows[picture=y] = 1", NULL, NULL},
        {"gone chats[whit=a]", "\"whit\"", "with"},
        {"count chats[with=nobody].rows[txt=x] = 1", "\"txt\"", "text"},
        {"gone chats[with=a].raws", "\"raws\"", "rows"},
        {"gone empty[anything=a].at", NULL, NULL},
        {"is settings.wifi = was settings.wfi", "\"wfi\"", "wifi"},
        {"answer was chats[with=a].wiht", "\"wiht\"", "with"},
        {"answer \"yes\"", NULL, NULL},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct ia_err err = {0};
        enum ia_rc rc = ia_oracle_check(rows[i].rule, known, &err);
        bool right = rows[i].says ? rc == IA_E_PARSE && strstr(err.msg, rows[i].says) &&
                                        strstr(err.hint, rows[i].hint)
                                  : rc == IA_OK;
        if (!right) {
            fail_msg("%s: %s %s (%s)", rows[i].rule, ia_rc_name(rc), err.msg, err.hint);
        }
    }
}

static void a_day_is_counted_from_the_day_of_the_run(void **state)
{
    (void)state;
    static const char before[] =
        "{\"r\":[{\"t\":\"a\",\"due\":\"\"}],\"time_ms\":1757410860000}";
    static const char after[] =
        "{\"r\":[{\"t\":\"a\",\"due\":\"2025-09-16\"}],\"time_ms\":1758410860000}";
    static const char *const rules[] = {"is r[t=a].due = day 7", "is r[t=a].due = day 1"};
    for (size_t i = 0; i < 2; i++) {
        struct ia_buf out = IA_BUF(4096);
        bool holds;
        const struct ia_oracle_run run = {.before = before, .after = after};
        assert_int_equal(ia_oracle_judge(&rules[i], 1, &run, &holds, &out, NULL), IA_OK);
        assert_int_equal(holds, i == 0);
        ia_buf_fini(&out);
    }
}

static void a_rule_that_is_none_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *rule, *says;
    } rows[] = {
        {"", "is not a rule"},
        {"was a = 1", "is not a rule"},
        {"is a = was", "is not a text"},
        {"is a = was ", "is not was PATH"},
        {"is a = was b +1", "is not was PATH"},
        {"is a = was b + x", "is not was PATH"},
        {"is a = was b + 1 + 1", "is not was PATH"},
        {"count a = was b", "is not was PATH"},
        {"seen was b", "is not was PATH"},
        {"seen []", "list"},
        {"answer [\"a\", 1]", "list"},
        {"has a = [\"a\"]", "double quotes"},
        {"is", "is not a rule"},
        {"is  a = 1", "is not a path"},
        {"is a.b", "write \" = \""},
        {"is a..b = 1", "is not a path"},
        {"is a[b = 1", "is not a path"},
        {"is a[=c].d = 1", "is not a path"},
        {"is a[b=c]d = 1", "write \" = \""},
        {"is a = [1]", "is not a text"},
        {"is a = {}", "is not a text"},
        {"is a = yes", "is not a text"},
        {"is a = day x", "whole number"},
        {"has a = 1", "double quotes"},
        {"has a = \"\"", "double quotes"},
        {"has a = day 1", "double quotes"},
        {"count a = \"1\"", "whole number"},
        {"count a = day 1", "is not"},
        {"gone a = 1", "must end"},
        {"answer 5", "double quotes"},
        {"free a.b.c.d.e.f.g", "must end"},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct ia_err err = {0};
        enum ia_rc rc = ia_oracle_check(rows[i].rule, NULL, &err);
        if (rc != IA_E_PARSE || !strstr(err.msg, rows[i].says)) {
            fail_msg("%s: %s %s", rows[i].rule, ia_rc_name(rc), err.msg);
        }
    }
    assert_int_equal(ia_oracle_check("is a_1.b[c~=d e].f = null", NULL, NULL), IA_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_asked_for_must_be_there_and_nothing_else_may_change),
        cmocka_unit_test(an_answer_is_judged_by_whole_words),
        cmocka_unit_test(what_a_run_has_seen_is_judged_by_its_screens),
        cmocka_unit_test(a_value_may_be_what_was_there_before),
        cmocka_unit_test(a_name_that_no_phone_has_is_refused),
        cmocka_unit_test(a_day_is_counted_from_the_day_of_the_run),
        cmocka_unit_test(a_rule_that_is_none_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
