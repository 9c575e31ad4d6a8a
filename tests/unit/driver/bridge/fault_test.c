/* The link is cut before, during and after every operation: a reading is asked for again, an
 * effect never is, and the device can be used again when the bridge is back. */
#include "test.h"

#include "fixture.h"

enum { SHORT_MS = 40 };

/* A cut, and what it means for an effect whose bridge is back. */
static const struct cut {
    const char *name;
    enum fake_does does;
    bool late;     /* it shows by the passing of time only */
    bool received; /* the bridge got the whole request */
} cuts[] = {
    {"in the middle of the request", FAKE_CUTS_REQUEST, false, false},
    {"instead of the answer", FAKE_SAYS_NOTHING, false, true},
    {"by a reset", FAKE_RESETS, false, true},
    {"in the middle of the answer", FAKE_CUTS_ANSWER, false, true},
    {"by a frame of nonsense", FAKE_GARBAGE, false, true},
    {"by noise", FAKE_NOISE, false, true},
    {"by the answer to another request", FAKE_WRONG_ID, false, true},
    {"by the answer to another operation", FAKE_WRONG_OP, false, true},
    {"by an answer beyond the cap", FAKE_TOO_LONG, false, true},
    {"by silence", FAKE_HANGS, true, true},
    {"by half an answer and silence", FAKE_HALF, true, true},
};

static const struct ia_deadline for_ever = {NULL, IA_NO_DEADLINE};

static void explain(const struct fixture_op *op, const struct cut *cut, enum ia_rc rc,
                    const struct ia_err *err)
{
    if (rc != IA_OK) {
        print_message("%s, cut %s: %s: %s (%s)\n", op->name, cut->name, ia_rc_name(rc),
                      err->msg, err->hint);
    }
}

/* ---- the bridge comes back --------------------------------------------------------------- */

static void effect_is_unknown(const struct fixture_op *op, const struct cut *cut,
                              struct fixture *r, uint8_t wire)
{
    enum ia_rc rc = op->run(r->device, &for_ever, &r->err);
    if (rc != (cut->late ? IA_E_TIMEOUT : IA_E_DEVICE)) {
        explain(op, cut, rc, &r->err);
    }
    assert_int_equal(rc, cut->late ? IA_E_TIMEOUT : IA_E_DEVICE);
    assert_int_equal(r->err.outcome, IA_OUTCOME_UNKNOWN);
    assert_false(r->err.retry_safe);
    assert_non_null(strstr(r->err.hint, "look"));
    assert_int_equal(fixture_ops[1].run(r->device, &for_ever, &r->err),
                     IA_OK); /* one can look */
    fake_stop(r->fake);
    assert_int_equal(fake_count(r->fake, wire), cut->received ? 1 : 0);
}

static void reading_is_resent(const struct fixture_op *op, const struct cut *cut,
                              struct fixture *r, uint8_t wire, int before)
{
    enum ia_rc rc = op->run(r->device, &for_ever, &r->err);
    struct ia_bridge_client_status status;
    explain(op, cut, rc, &r->err);
    assert_int_equal(rc, IA_OK);
    ia_bridge_client_status(r->client, &status);
    assert_int_equal(status.resent, 1);
    fake_stop(r->fake);
    assert_int_equal(fake_count(r->fake, wire) - before, cut->received ? 2 : 1);
}

static void cut_and_back(const struct fixture_op *op, const struct cut *cut, bool classic)
{
    struct fixture r;
    struct fake_script script = {.hello = classic ? FAKE_HELLO_UNKNOWN : FAKE_HELLO_GOOD};
    uint8_t wire = classic ? op->classic : op->op;
    fixture_start(&r, &script);
    int before = fake_count(r.fake, wire);
    script.op = wire;
    script.does = cut->does;
    script.times = 1;
    fake_script(r.fake, &script);
    if (cut->late) {
        fixture_hurry(&r, SHORT_MS);
    }
    if (op->effect) {
        effect_is_unknown(op, cut, &r, wire);
    } else {
        reading_is_resent(op, cut, &r, wire, before);
    }
    fixture_stop(&r);
}

static void a_cut_effect_is_unknown_and_a_cut_reading_is_resent(void **state)
{
    (void)state;
    for (size_t i = 0; i < fixture_ops_n; i++) {
        for (size_t k = 0; k < IA_COUNTOF(cuts); k++) {
            cut_and_back(&fixture_ops[i], &cuts[k], false);
        }
    }
}

/* A classic answer has neither id nor operation to be wrong. */
static void the_same_with_a_classic_agent(void **state)
{
    (void)state;
    for (size_t i = 0; i < fixture_ops_n; i++) {
        for (size_t k = 0; fixture_ops[i].classic != 0 && k < IA_COUNTOF(cuts); k++) {
            if (cuts[k].does != FAKE_WRONG_ID && cuts[k].does != FAKE_WRONG_OP) {
                cut_and_back(&fixture_ops[i], &cuts[k], true);
            }
        }
    }
}

/* ---- the bridge stays away --------------------------------------------------------------- */

static void cut_for_good(const struct fixture_op *op, const struct cut *cut)
{
    struct fixture r;
    struct fake_script script = {.op = 0};
    fixture_start(&r, &script);
    int before = fake_count(r.fake, op->op);
    script = (struct fake_script){.op = op->op, .does = cut->does, .times = 1, .away = true};
    fake_script(r.fake, &script);
    if (cut->late) {
        fixture_hurry(&r, SHORT_MS);
    }
    enum ia_rc rc = op->run(r.device, &for_ever, &r.err);
    enum ia_rc want = op->effect && cut->late ? IA_E_TIMEOUT : IA_E_DEVICE_LOST;
    if (rc != want) {
        explain(op, cut, rc, &r.err);
    }
    assert_int_equal(rc, want);
    assert_int_equal(r.err.outcome, op->effect ? IA_OUTCOME_UNKNOWN : IA_OUTCOME_NONE);
    assert_true(r.err.hint[0] != '\0');
    fake_stop(r.fake);
    assert_int_equal(fake_count(r.fake, op->op) - before, cut->received ? 1 : 0);
    fixture_stop(&r);
}

static void a_bridge_that_stays_away_is_lost(void **state)
{
    (void)state;
    for (size_t i = 0; i < fixture_ops_n; i++) {
        for (size_t k = 0; k < IA_COUNTOF(cuts); k++) {
            cut_for_good(&fixture_ops[i], &cuts[k]);
        }
    }
}

/* ---- before ------------------------------------------------------------------------------ */

/* The end of the link is seen before anything is sent: then an effect is safe to send. */
static void closed_before(const struct fixture_op *op, bool away)
{
    struct fixture r;
    struct fake_script script = {.op = 0};
    fixture_start(&r, &script);
    script = (struct fake_script){
        .op = IA_WIRE_OP_STATE, .does = FAKE_CLOSES_AFTER, .times = 1, .away = away};
    fake_script(r.fake, &script);
    struct ia_wire_request req = {.op = IA_WIRE_OP_STATE};
    struct ia_wire_reply reply;
    assert_int_equal(ia_bridge_client_request(r.client, NULL, &req, &reply, &r.err), IA_OK);
    ia_wire_reply_fini(&reply);
    fixture_wait_readable(&r);
    int before = fake_count(r.fake, op->op);
    enum ia_rc rc = op->run(r.device, &for_ever, &r.err);
    assert_int_equal(rc, away ? IA_E_DEVICE_LOST : IA_OK);
    if (away) {
        assert_int_equal(r.err.outcome, op->effect ? IA_OUTCOME_NOT_SENT : IA_OUTCOME_NONE);
        assert_true(r.err.retry_safe);
    }
    fake_stop(r.fake);
    assert_int_equal(fake_count(r.fake, op->op) - before, away ? 0 : 1);
    fixture_stop(&r);
}

static void a_link_that_was_closed_before_costs_nothing(void **state)
{
    (void)state;
    for (size_t i = 0; i < fixture_ops_n; i++) {
        closed_before(&fixture_ops[i], false);
        closed_before(&fixture_ops[i], true);
    }
}

/* ---- after ------------------------------------------------------------------------------- */

/* What comes behind an answer belongs to no request: the next one gets a new stream. */
static void after(const struct fixture_op *op, enum fake_does does)
{
    struct fixture r;
    struct fake_script script = {.op = 0};
    fixture_start(&r, &script);
    int before = fake_count(r.fake, op->op);
    script = (struct fake_script){.op = op->op, .does = does, .times = 1};
    fake_script(r.fake, &script);
    assert_int_equal(op->run(r.device, &for_ever, &r.err), IA_OK);
    fixture_wait_readable(&r);
    enum ia_rc rc = op->run(r.device, &for_ever, &r.err);
    if (rc != IA_OK) {
        print_message("%s: %s\n", op->name, r.err.msg);
    }
    assert_int_equal(rc, IA_OK);
    fake_stop(r.fake);
    assert_int_equal(fake_count(r.fake, op->op) - before, 2);
    assert_int_equal(fake_connections(r.fake), 2);
    fixture_stop(&r);
}

static void what_comes_after_an_answer_is_for_nobody(void **state)
{
    (void)state;
    for (size_t i = 0; i < fixture_ops_n; i++) {
        after(&fixture_ops[i], FAKE_CLOSES_AFTER);
        after(&fixture_ops[i], FAKE_TWICE);
    }
}

/* ---- again and again --------------------------------------------------------------------- */

static void a_reading_is_resent_a_few_times_only(void **state)
{
    (void)state;
    struct fixture r;
    struct fake_script script = {.op = IA_WIRE_OP_TREE, .does = FAKE_SAYS_NOTHING};
    fixture_start(&r, &script);
    assert_int_equal(fixture_ops[1].run(r.device, &for_ever, &r.err), IA_E_DEVICE_LOST);
    assert_non_null(strstr(r.err.msg, "3 times"));
    fake_stop(r.fake);
    assert_int_equal(fake_count(r.fake, IA_WIRE_OP_TREE), 1 + IA_BRIDGE_CLIENT_RESENDS);
    fixture_stop(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cut_effect_is_unknown_and_a_cut_reading_is_resent),
        cmocka_unit_test(the_same_with_a_classic_agent),
        cmocka_unit_test(a_bridge_that_stays_away_is_lost),
        cmocka_unit_test(a_link_that_was_closed_before_costs_nothing),
        cmocka_unit_test(what_comes_after_an_answer_is_for_nobody),
        cmocka_unit_test(a_reading_is_resent_a_few_times_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
