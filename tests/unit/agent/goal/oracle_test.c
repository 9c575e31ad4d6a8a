/* What an oracle says of two states of a phone. */
#include "test.h"

#include "agent/goal/oracle.h"

#define PEOPLE                                                                                 \
    "[{\"name\":\"Nora Abbott\",\"phone\":\"1\"},{\"name\":\"Mei Chen\",\"phone\":\"2\"}]"
#define STATE(people, wifi, lists)                                                             \
    "{\"contacts\":" people ",\"reminder_lists\":" lists ",\"settings\":{\"wifi\":" wifi       \
    ",\"zoom\":50},\"screen\":\"Home\",\"seq\":3,\"time_ms\":1757410860000}"
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
    assert_int_equal(ia_oracle_judge(list, n, BEFORE, after, answer, &holds, &out, &err),
                     IA_OK);
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
        assert_int_equal(ia_oracle_judge(&rules[i], 1, before, after, NULL, &holds, &out, NULL),
                         IA_OK);
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
        enum ia_rc rc = ia_oracle_check(rows[i].rule, &err);
        if (rc != IA_E_PARSE || !strstr(err.msg, rows[i].says)) {
            fail_msg("%s: %s %s", rows[i].rule, ia_rc_name(rc), err.msg);
        }
    }
    assert_int_equal(ia_oracle_check("is a_1.b[c~=d e].f = null", NULL), IA_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_asked_for_must_be_there_and_nothing_else_may_change),
        cmocka_unit_test(an_answer_is_judged_by_whole_words),
        cmocka_unit_test(a_day_is_counted_from_the_day_of_the_run),
        cmocka_unit_test(a_rule_that_is_none_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
