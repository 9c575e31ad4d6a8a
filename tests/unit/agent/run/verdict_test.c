/* verdict_test.c: what a verdict rests on. */
#include "verdict_script.h"

#include <poll.h>
#include <pthread.h>
#include <unistd.h>

static const char *const listed[] = {"visible \"Ada Lovelace\""};
static const char *const in_contacts[] = {"app com.apple.MobileAddressBook"};

/* ---- who decides ------------------------------------------------------------------------- */

static void a_pass_is_verified_whatever_its_expectations(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, "add_contact", NULL);
    expect(&r, listed);
    rig_run(&r, GOAL);
    rig_expect(&r, "passed", IA_OK);
    assert_int_equal(r.result.basis, IA_BASIS_BOTH);
    assert_int_equal(asked(&r), 1);
    rig_close(&r);
}

static void without_a_verifier_code_alone_decides(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, "add_contact", NULL);
    expect(&r, listed);
    r.req.verify = IA_VERIFY_OFF;
    rig_run(&r, GOAL);
    rig_expect(&r, "passed", IA_OK);
    assert_int_equal(r.result.basis, IA_BASIS_EXPECTATIONS);
    assert_int_equal(asked(&r), 0);
    rig_close(&r);
}

static void what_held_from_the_start_shows_nothing_without_a_verifier(void **state)
{
    (void)state;
    static const char *const held[] = {"gone \"Nobody\""};
    struct rig r;
    rig_open(&r, "add_contact", NULL);
    expect(&r, held);
    r.req.verify = IA_VERIFY_OFF;
    rig_run(&r, GOAL);
    rig_expect(&r, "passed", IA_OK);
    assert_int_equal(r.result.basis, IA_BASIS_UNVERIFIED);
    rig_close(&r);
}

static void expectations_that_held_from_the_start_leave_it_to_the_verifier(void **state)
{
    (void)state;
    static const char *const held[] = {"gone \"Nobody\""};
    struct rig r;
    rig_open(&r, "add_contact", NULL);
    expect(&r, held);
    rig_run(&r, GOAL);
    rig_expect(&r, "passed", IA_OK);
    assert_int_equal(r.result.basis, IA_BASIS_VERIFIER);
    rig_close(&r);
}

static void expectations_against_the_verifier_are_a_dispute(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, SCRIPT(OPEN_CONTACTS ALWAYS(FINISH("passed", "Contacts")) "," SAYS_NO), NULL);
    expect(&r, in_contacts);
    rig_run(&r, GOAL);
    rig_expect(&r, "failed", IA_E_FAILED);
    assert_int_equal(r.result.basis, IA_BASIS_DISPUTED);
    assert_non_null(strstr(r.result.summary, "every expectation holds"));
    assert_non_null(strstr(r.result.summary, "Nobody was added."));
    assert_non_null(strstr(rig_event(&r, "run.finished"), "\"basis\":\"disputed\""));
    rig_close(&r);
}

static void what_code_sees_is_said_beside_a_model_that_gives_up(void **state)
{
    (void)state;
    static const struct {
        const char *verdict, *expect, *state;
        enum ia_basis basis;
        const char *summary;
    } cases[] = {
        {"failed", "app com.apple.MobileAddressBook", "failed", IA_BASIS_EXPECTATIONS_HOLD,
         "No."},
        {"blocked", "app com.apple.MobileAddressBook", "blocked", IA_BASIS_EXPECTATIONS_HOLD,
         "No."},
        {"failed", "visible \"Ada Lovelace\"", "failed", IA_BASIS_NONE,
         "An expectation does not hold: visible \"Ada Lovelace\". No."},
        {"blocked", "visible \"Ada Lovelace\"", "blocked", IA_BASIS_NONE, "No."},
        {"failed", NULL, "failed", IA_BASIS_NONE, "No."},
    };
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        struct rig r;
        char script[1024];
        (void)snprintf(
            script, sizeof(script),
            SCRIPT(OPEN_CONTACTS TURN(
                CALL("finish", "\"verdict\":\"%s\",\"summary\":\"No.\",\"evidence\":[]"))),
            cases[i].verdict);
        rig_open(&r, script, NULL);
        r.req.expect = &cases[i].expect;
        r.req.expect_count = cases[i].expect ? 1 : 0;
        rig_run(&r, GOAL);
        assert_string_equal(r.result.state, cases[i].state);
        assert_int_equal(r.result.basis, cases[i].basis);
        assert_string_equal(r.result.summary, cases[i].summary);
        rig_close(&r);
    }
}

/* ---- what a run cannot reach ------------------------------------------------------------- */

static void planted_bugs_are_out_of_the_models_reach(void **state)
{
    (void)state;
    static const struct ia_setup_step plant = {IA_SETUP_OPEN_URL,
                                               "embedded://?bugs=contacts-lost-phone"};
    static const char *const urls[] = {"embedded://?bugs=none", "EMBEDDED://?bugs=none",
                                       " embedded://?bugs=none", "embedded:?faults=crash@1"};
    for (size_t i = 0; i < 2 * IA_COUNTOF(urls); i++) {
        struct rig r;
        char script[1024];
        (void)snprintf(script, sizeof(script),
                       SCRIPT(TURN(CALL("open_url", "\"url\":\"%s\"")) "," TURN(
                           CALL("finish", "\"verdict\":\"failed\",\"summary\":\"No.\","
                                          "\"evidence\":[]"))),
                       urls[i / 2]);
        rig_open(&r, script, NULL);
        r.req.setup = &plant;
        r.req.setup_count = 1;
        r.req.app = i % 2 ? "com.apple.MobileAddressBook" : NULL;
        rig_run(&r, "open embedded://?bugs=none");
        rig_expect(&r, "failed", IA_E_FAILED);
        assert_non_null(strstr(ia_buf_cstr(&r.events), "\"tool\":\"open_url\",\"ok\":false"));
        assert_non_null(strstr(ia_buf_cstr(&r.events), "\"outcome\":\"not_sent\""));
        char *phone = rig_phone_state(&r);
        assert_non_null(strstr(phone, "\"bugs\":[\"contacts-lost-phone\"]"));
        free(phone);
        rig_close(&r);
    }
}

/* ---- the verifier is part of the call ------------------------------------------------------ */

/* The verifier's request is the third: open, finish, verify. */
static void interrupt_the_verifier(struct rig *r, enum ia_event_type event, struct ia_str json)
{
    (void)json;
    if (event == IA_EVENT_REQUEST_STARTED && rig_count(r, "request.started") == 3) {
        r->interrupt = true;
        ia_cancel_fire(r->cancel);
    }
}

#define SLOW_YES                                                                               \
    SCRIPT(OPEN_CONTACTS TURN(FINISH("passed", "Contacts")) "," VERIFIER(                      \
        "\"latency_ms\":300,\"blocks\":[" VERDICT("true", "Contacts is open.") "]"))

static void an_interruption_waits_for_the_verifier_like_for_a_device(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, SLOW_YES, NULL);
    r.on_event = interrupt_the_verifier;
    rig_run(&r, "open Contacts");
    rig_expect(&r, "passed", IA_OK);
    rig_close(&r);
}

static bool find_open(void *ctx, const struct ia_call_row *row)
{
    bool *open = ctx;
    *open = *open || (row->state == IA_CALL_INTENT && strcmp(row->name, "finish") == 0);
    return true;
}

static void an_interruption_that_cuts_the_verifier_leaves_finish_undone(void **state)
{
    (void)state;
    struct rig r;
    bool open = false;
    rig_open(&r, SLOW_YES, NULL);
    r.on_event = interrupt_the_verifier;
    r.tool_grace_ms = 1;
    rig_run(&r, "open Contacts");
    assert_string_equal(r.result.state, "queued");
    assert_int_equal(ia_store_calls(r.store, r.result.id, find_open, &open, NULL), IA_OK);
    assert_true(open);
    r.on_event = NULL;
    rig_go_on(&r, r.result.id);
    rig_expect(&r, "passed", IA_OK);
    assert_int_equal(r.result.basis, IA_BASIS_VERIFIER);
    assert_int_equal(asked(&r), 1);
    rig_close(&r);
}

/* Interrupts the run when its command has made that file. */
struct interrupter {
    struct rig *rig;
    char file[128];
};

static void *interrupt_the_command(void *arg)
{
    struct interrupter *i = arg;
    for (int tries = 0; tries < 2000 && access(i->file, F_OK) != 0; tries++) {
        (void)poll(NULL, 0, 5);
    }
    i->rig->interrupt = true;
    ia_cancel_fire(i->rig->cancel);
    return NULL;
}

/* A command that was cut says nothing about the phone. */
static void an_interruption_that_cuts_a_command_leaves_finish_undone(void **state)
{
    (void)state;
    char text[512];
    const char *const expect[] = {text};
    struct rig r;
    struct interrupter i = {.rig = &r};
    pthread_t thread;
    bool open = false;
    rig_open(&r, SCRIPT(OPEN_CONTACTS TURN(FINISH("passed", "Contacts"))), NULL);
    (void)snprintf(i.file, sizeof(i.file), "%s/begun", r.home);
    (void)snprintf(text, sizeof(text),
                   "command \"sh -c 'test -e %s || { touch %s; sleep 60; }'\"", i.file, i.file);
    r.allow_commands = true;
    r.req.expect = expect;
    r.req.expect_count = 1;
    r.req.verify = IA_VERIFY_OFF;
    r.tool_grace_ms = 1;
    assert_int_equal(pthread_create(&thread, NULL, interrupt_the_command, &i), 0);
    rig_run(&r, "open Contacts");
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_string_equal(r.result.state, "queued");
    assert_int_equal(ia_store_calls(r.store, r.result.id, find_open, &open, NULL), IA_OK);
    assert_true(open);
    rig_go_on(&r, r.result.id);
    rig_expect(&r, "passed", IA_OK);
    rig_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pass_is_verified_whatever_its_expectations),
        cmocka_unit_test(without_a_verifier_code_alone_decides),
        cmocka_unit_test(what_held_from_the_start_shows_nothing_without_a_verifier),
        cmocka_unit_test(expectations_that_held_from_the_start_leave_it_to_the_verifier),
        cmocka_unit_test(expectations_against_the_verifier_are_a_dispute),
        cmocka_unit_test(what_code_sees_is_said_beside_a_model_that_gives_up),
        cmocka_unit_test(planted_bugs_are_out_of_the_models_reach),
        cmocka_unit_test(an_interruption_waits_for_the_verifier_like_for_a_device),
        cmocka_unit_test(an_interruption_that_cuts_the_verifier_leaves_finish_undone),
        cmocka_unit_test(an_interruption_that_cuts_a_command_leaves_finish_undone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
