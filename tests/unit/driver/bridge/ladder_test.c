/* From a broken link back to a bridge: reconnect, supervisor, respawn, target again; each with its
 * bound, and failures that cannot be fixed told apart. */
#include "test.h"

#include "fixture.h"

enum { SHORT_MS = 40 };

static const struct ia_deadline for_ever = {NULL, IA_NO_DEADLINE};

/* ---- a supervisor that is a struct ----------------------------------------------------------- */

struct supervisor {
    enum ia_bridge_client_life life;
    const char *last;
    enum ia_rc rc;            /* of respawn */
    bool waits;               /* respawn lets its time pass */
    struct fake_bridge *next; /* where the new runner listens */
    struct fake_script script;
    int looks, respawns, frees;
};

static void free_supervisor(void *ctx)
{
    ((struct supervisor *)ctx)->frees++;
}

static enum ia_bridge_client_life poll_runner(void *ctx, const struct ia_deadline *deadline,
                                              char *ret_last, size_t last_size)
{
    struct supervisor *o = ctx;
    (void)deadline;
    o->looks++;
    (void)snprintf(ret_last, last_size, "%s", o->last ? o->last : "");
    return o->life;
}

static enum ia_rc respawn(void *ctx, const struct ia_deadline *deadline,
                          struct ia_bridge_client_place *place, struct ia_err *err)
{
    struct supervisor *o = ctx;
    int ready = 0;
    o->respawns++;
    if (o->waits) {
        enum ia_rc rc = ia_cancel_poll(deadline->cancel, NULL, 0, deadline->at_us, &ready);
        return ia_err_set(err, rc, "not ready yet");
    }
    if (o->rc != IA_OK) {
        enum ia_rc rc = ia_err_set(err, o->rc, "xcodebuild said no");
        ia_err_hint(err, "the supervisor's hint");
        return rc;
    }
    o->next = fake_start(&o->script);
    place->port = fake_port(o->next);
    (void)snprintf(place->token, sizeof(place->token), "%s",
                   o->script.token ? o->script.token : "");
    return IA_OK;
}

static void adopt(struct fixture *r, struct supervisor *o)
{
    r->client->supervisor =
        (struct ia_bridge_client_supervisor){.ctx = o, .poll = poll_runner, .respawn = respawn};
}

/* The bridge ends at the next request of that opcode, and stays away. */
static void dies_at(struct fixture *r, uint8_t op)
{
    struct fake_script s = {.op = op, .does = FAKE_SAYS_NOTHING, .times = 1, .away = true};
    fake_script(r->fake, &s);
}

static enum ia_rc run(struct fixture *r, const char *name)
{
    for (size_t i = 0; i < fixture_ops_n; i++) {
        if (strcmp(fixture_ops[i].name, name) == 0) {
            return fixture_ops[i].run(r->device, &for_ever, &r->err);
        }
    }
    fail_msg("no operation %s", name);
    return IA_E_INTERNAL;
}

static bool says(const char *text, const char *part)
{
    if (!strstr(text, part)) {
        print_message("\"%s\" is not in \"%s\"\n", part, text);
        return false;
    }
    return true;
}

/* ---- respawn ----------------------------------------------------------------------------- */

static void a_dead_runner_is_started_again_and_gets_its_target(void **state)
{
    (void)state;
    struct fixture r;
    struct supervisor o = {.life = IA_BRIDGE_CLIENT_RUNNER_GONE, .script = {.token = "new"}};
    struct fake_script script = {.op = 0};
    struct ia_bridge_client_status status;
    fixture_start(&r, &script);
    adopt(&r, &o);
    assert_int_equal(run(&r, "launch"), IA_OK);
    dies_at(&r, IA_WIRE_OP_TREE);
    assert_int_equal(run(&r, "tree"), IA_OK);
    ia_bridge_client_status(r.client, &status);
    assert_int_equal(status.respawns, 1);
    assert_int_equal(o.respawns, 1);
    fake_stop(o.next);
    assert_string_equal(fake_order(o.next), "40 60 44"); /* hello, target, tree */
    assert_string_equal(fake_request(o.next, IA_WIRE_OP_TARGET)->u.bundle.bundle_id,
                        "com.example.app");
    assert_string_equal(fake_request(o.next, IA_WIRE_OP_HELLO)->u.hello.token, "new");
    fake_free(o.next);
    fixture_stop(&r);
}

/* Somebody else started the runner again: another token, or another simulator at the port. */
static void the_supervisor_knows_where_the_runner_went(void **state)
{
    (void)state;
    static const struct fake_script strangers[] = {{.token = "other"}, {.udid = "UDID-2"}};
    for (size_t i = 0; i < IA_COUNTOF(strangers); i++) {
        struct fixture r;
        struct supervisor o = {.life = IA_BRIDGE_CLIENT_RUNNER_UP, .script = {.token = "new"}};
        struct fake_script script = {.op = 0};
        fixture_start(&r, &script);
        adopt(&r, &o);
        script = strangers[i];
        script.op = IA_WIRE_OP_TREE;
        script.does = FAKE_SAYS_NOTHING;
        fake_script(r.fake, &script);
        assert_int_equal(run(&r, "tree"), IA_OK);
        assert_int_equal(o.respawns, 1);
        fake_free(o.next);
        fixture_stop(&r);
    }
}

static void an_effect_is_not_sent_to_the_new_runner(void **state)
{
    (void)state;
    struct fixture r;
    struct supervisor o = {.life = IA_BRIDGE_CLIENT_RUNNER_GONE};
    struct fake_script script = {.op = 0};
    fixture_start(&r, &script);
    adopt(&r, &o);
    dies_at(&r, IA_WIRE_OP_TAP_POINT);
    assert_int_equal(run(&r, "tap"), IA_E_DEVICE);
    assert_int_equal(r.err.outcome, IA_OUTCOME_UNKNOWN);
    assert_true(says(r.err.msg, "is back"));
    assert_int_equal(run(&r, "tree"), IA_OK);
    fake_stop(r.fake);
    fake_stop(o.next);
    assert_int_equal(fake_count(r.fake, IA_WIRE_OP_TAP_POINT), 1);
    assert_int_equal(fake_count(o.next, IA_WIRE_OP_TAP_POINT), 0);
    fake_free(o.next);
    fixture_stop(&r);
}

static void a_respawn_that_fails_or_takes_too_long_is_reported(void **state)
{
    (void)state;
    static const struct {
        enum ia_rc rc;
        bool waits;
        enum ia_rc want;
        const char *msg, *hint;
    } cases[] = {
        {IA_E_CHILD, false, IA_E_DEVICE_LOST, "xcodebuild said no", "the supervisor's hint"},
        {IA_E_CANCELLED, false, IA_E_CANCELLED, "xcodebuild said no", ""},
        {IA_OK, true, IA_E_TIMEOUT, "not ready yet", ""},
    };
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        struct fixture r;
        struct supervisor o = {
            .life = IA_BRIDGE_CLIENT_RUNNER_GONE, .rc = cases[i].rc, .waits = cases[i].waits};
        struct fake_script script = {.op = 0};
        fixture_start(&r, &script);
        adopt(&r, &o);
        r.client->limits.respawn_ms = SHORT_MS;
        dies_at(&r, IA_WIRE_OP_TREE);
        assert_int_equal(run(&r, "tree"), cases[i].want);
        assert_true(says(r.err.msg, cases[i].msg));
        assert_true(says(r.err.hint, cases[i].hint));
        assert_int_equal(o.respawns, 1);
        fixture_stop(&r);
    }
}

static void the_whole_ladder_ends_at_the_calls_deadline(void **state)
{
    (void)state;
    struct fixture r;
    struct supervisor o = {.life = IA_BRIDGE_CLIENT_RUNNER_GONE, .waits = true};
    struct fake_script script = {.op = 0};
    fixture_start(&r, &script);
    adopt(&r, &o);
    dies_at(&r, IA_WIRE_OP_TREE);
    struct ia_deadline deadline = {NULL, ia_mono_us(ia_clock_system()) + 300000};
    struct ia_tree *t = NULL;
    assert_int_equal(ia_device_tree(r.device, &deadline, &t, &r.err), IA_E_TIMEOUT);
    assert_true(ia_mono_us(ia_clock_system()) >= deadline.at_us);
    fixture_stop(&r);
}

/* ---- who has ended ----------------------------------------------------------------------- */

static void runner_simulator_and_link_are_told_apart(void **state)
{
    (void)state;
    static const struct {
        enum ia_bridge_client_life life;
        const char *last, *msg, *hint;
    } cases[] = {
        {IA_BRIDGE_CLIENT_LIFE_UNKNOWN, NULL, "its runner or simulator", "bridge start"},
        {IA_BRIDGE_CLIENT_RUNNER_UP, NULL, "the runner is running", "bridge stop"},
        {IA_BRIDGE_CLIENT_RUNNER_GONE, "Crash: 7", "its last line: Crash: 7", "bridge start"},
        {IA_BRIDGE_CLIENT_DEVICE_GONE, NULL, "the simulator of the bridge",
         "ios-agent boot UDID-1"},
    };
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        struct fixture r;
        struct supervisor o = {.life = cases[i].life, .last = cases[i].last};
        struct fake_script script = {.op = 0};
        fixture_start(&r, &script);
        adopt(&r, &o);
        if (cases[i].life != IA_BRIDGE_CLIENT_DEVICE_GONE) {
            r.client->supervisor.respawn = NULL;
        }
        dies_at(&r, IA_WIRE_OP_SCREENSHOT);
        assert_int_equal(run(&r, "screenshot"), IA_E_DEVICE_LOST);
        assert_true(says(r.err.msg, cases[i].msg));
        assert_true(says(r.err.hint, cases[i].hint));
        assert_int_equal(o.respawns, 0); /* a simulator is not for the ladder to boot */
        fixture_stop(&r);
    }
}

static void a_simulated_phone_is_served_again_by_this_program(void **state)
{
    (void)state;
    struct fixture r;
    struct fake_script script = {.features = IA_WIRE_FEATURE_SIMULATED};
    fixture_start(&r, &script);
    dies_at(&r, IA_WIRE_OP_TREE);
    assert_int_equal(run(&r, "tree"), IA_E_DEVICE_LOST);
    assert_true(says(r.err.hint, "embedded serve --port"));
    fixture_stop(&r);
}

static void an_app_that_ended_is_the_reason(void **state)
{
    (void)state;
    static const struct {
        bool launched, terminated;
        uint8_t state;
        enum ia_rc want;
    } cases[] = {
        {true, false, IA_WIRE_APP_NOT_RUNNING, IA_E_APP_GONE},
        {true, false, IA_WIRE_APP_FOREGROUND, IA_E_TREE_MALFORMED},
        {true, true, IA_WIRE_APP_NOT_RUNNING, IA_E_TREE_MALFORMED},
        {false, false, IA_WIRE_APP_NOT_RUNNING, IA_E_TREE_MALFORMED},
    };
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        struct fixture r;
        struct fake_script script = {.op = IA_WIRE_OP_TREE,
                                     .does = FAKE_FAILS,
                                     .code = IA_WIRE_E_TREE_MALFORMED,
                                     .text = "kAXErrorServerFailed",
                                     .app_state = cases[i].state};
        fixture_start(&r, &script);
        assert_int_equal(cases[i].launched ? run(&r, "launch") : IA_OK, IA_OK);
        assert_int_equal(cases[i].terminated ? run(&r, "terminate") : IA_OK, IA_OK);
        assert_int_equal(run(&r, "tree"), cases[i].want);
        assert_true(says(r.err.msg, "kAXErrorServerFailed"));
        if (cases[i].want == IA_E_APP_GONE) {
            assert_true(says(r.err.msg, "com.example.app is no longer running"));
            assert_true(says(r.err.hint, "launch it again"));
        }
        fixture_stop(&r);
    }
}

static void another_device_behind_the_port_is_refused(void **state)
{
    (void)state;
    struct fixture r;
    struct fake_script script = {.op = 0};
    fixture_start(&r, &script);
    script = (struct fake_script){
        .op = IA_WIRE_OP_TAP_POINT, .does = FAKE_SAYS_NOTHING, .times = 1, .udid = "UDID-2"};
    fake_script(r.fake, &script);
    assert_int_equal(run(&r, "tap"), IA_E_NO_DEVICE);
    assert_int_equal(r.err.outcome, IA_OUTCOME_UNKNOWN);
    assert_true(says(r.err.msg, "UDID-2"));
    assert_int_equal(run(&r, "tap"), IA_E_NO_DEVICE);
    assert_int_equal(r.err.outcome, IA_OUTCOME_NOT_SENT);
    fixture_stop(&r);
}

/* ---- a frozen main thread ---------------------------------------------------------------- */

static void a_frozen_main_thread_is_named_and_at_last_replaced(void **state)
{
    (void)state;
    struct fixture r;
    struct supervisor o = {.life = IA_BRIDGE_CLIENT_RUNNER_UP};
    struct fake_script script = {.op = 0};
    fixture_start(&r, &script);
    script = (struct fake_script){
        .op = IA_WIRE_OP_TREE, .does = FAKE_FAILS, .code = IA_WIRE_E_TIMEOUT, .busy_ms = 5000};
    fake_script(r.fake, &script);
    assert_int_equal(run(&r, "tree"), IA_E_TIMEOUT);
    assert_true(says(r.err.hint, "main thread has been in tree for 5.0 s"));
    adopt(&r, &o);
    assert_int_equal(run(&r, "tree"), IA_E_TIMEOUT); /* not for long enough yet */
    assert_int_equal(o.respawns, 0);
    r.client->limits.hung_ms = 5000;
    assert_int_equal(run(&r, "tree"), IA_OK);
    assert_int_equal(o.respawns, 1);
    fake_free(o.next);
    fixture_stop(&r);
}

/* ---- idle -------------------------------------------------------------------------------- */

static void an_idle_link_is_checked_before_it_is_used(void **state)
{
    (void)state;
    for (int classic = 0; classic <= 1; classic++) {
        struct fixture r;
        struct fake_script script = {.hello = classic ? FAKE_HELLO_UNKNOWN : FAKE_HELLO_GOOD};
        uint8_t heart = classic ? IA_WIRE_OP_HEARTBEAT : IA_WIRE_OP_HEALTH;
        uint8_t tap = classic ? IA_WIRE_OP_TAP_COORD : IA_WIRE_OP_TAP_POINT;
        fixture_start(&r, &script);
        int before = fake_count(r.fake, heart);
        assert_int_equal(run(&r, "tap"), IA_OK);
        assert_int_equal(fake_count(r.fake, heart), before); /* not idle: no question */
        r.client->link.used_us -= (int64_t)r.client->limits.idle_ms * 1000;
        assert_int_equal(run(&r, "tap"), IA_OK);
        assert_int_equal(fake_count(r.fake, heart), before + 1);
        /* A dead link is noticed by the question, and the effect goes over a new one. */
        script.op = heart;
        script.does = FAKE_HANGS;
        script.times = 1;
        fake_script(r.fake, &script);
        fixture_hurry(&r, fixture_patient.action_ms);
        r.client->limits.heartbeat_ms = SHORT_MS; /* until the next stream */
        r.client->link.used_us -= (int64_t)r.client->limits.idle_ms * 1000;
        assert_int_equal(run(&r, "tap"), IA_OK);
        fake_stop(r.fake);
        assert_int_equal(fake_count(r.fake, tap), 3);
        assert_int_equal(fake_connections(r.fake), 2);
        fixture_stop(&r);
    }
}

/* ---- deadlines and cancel ---------------------------------------------------------------- */

static void the_bridge_gets_a_little_less_time(void **state)
{
    (void)state;
    struct fixture r;
    struct fake_script script = {.op = 0};
    fixture_start(&r, &script);
    struct ia_deadline deadline = {NULL, ia_mono_us(ia_clock_system()) + 60000000};
    assert_int_equal(ia_device_tap(r.device, &deadline, (struct ia_point){1, 1}, &r.err),
                     IA_OK);
    fake_stop(r.fake);
    uint32_t told = fake_request(r.fake, IA_WIRE_OP_TAP_POINT)->deadline_ms;
    assert_in_range(told, 1, 59500);
    fixture_stop(&r);
}

static void a_call_that_is_late_or_cancelled_from_the_start_sends_nothing(void **state)
{
    (void)state;
    struct ia_cancel *fired = ia_cancel_new(NULL);
    ia_cancel_fire(fired);
    const struct {
        struct ia_deadline deadline;
        enum ia_rc want;
    } cases[] = {{{fired, IA_NO_DEADLINE}, IA_E_CANCELLED}, {{NULL, 1}, IA_E_TIMEOUT}};
    for (size_t c = 0; c < IA_COUNTOF(cases); c++) {
        for (size_t i = 1; i < fixture_ops_n; i++) {
            struct fixture r;
            struct fake_script script = {.op = 0};
            fixture_start(&r, &script);
            enum ia_rc rc = fixture_ops[i].run(r.device, &cases[c].deadline, &r.err);
            assert_int_equal(rc, cases[c].want);
            assert_int_equal(r.err.outcome,
                             fixture_ops[i].effect ? IA_OUTCOME_NOT_SENT : IA_OUTCOME_NONE);
            fake_stop(r.fake);
            assert_int_equal(fake_count(r.fake, fixture_ops[i].op), 0);
            fixture_stop(&r);
        }
    }
    ia_cancel_free(fired);
}

static void a_cancel_ends_the_wait_for_an_answer(void **state)
{
    (void)state;
    for (size_t i = 1; i < fixture_ops_n; i++) {
        struct fixture r;
        struct ia_cancel *cancel = ia_cancel_new(NULL);
        struct fake_script script = {.op = 0};
        fixture_start(&r, &script);
        script = (struct fake_script){
            .op = fixture_ops[i].op, .does = FAKE_HANGS, .times = 1, .cancel = cancel};
        fake_script(r.fake, &script);
        struct ia_deadline deadline = {cancel, IA_NO_DEADLINE};
        assert_int_equal(fixture_ops[i].run(r.device, &deadline, &r.err), IA_E_CANCELLED);
        assert_int_equal(r.err.outcome,
                         fixture_ops[i].effect ? IA_OUTCOME_UNKNOWN : IA_OUTCOME_NONE);
        assert_int_equal(run(&r, "tree"), IA_OK); /* over a new stream */
        fake_stop(r.fake);
        fixture_stop(&r);
        ia_cancel_free(cancel);
    }
}

static void an_effect_is_late_at_the_calls_deadline(void **state)
{
    (void)state;
    struct fixture r;
    struct fake_script script = {.op = 0};
    fixture_start(&r, &script);
    script = (struct fake_script){.op = IA_WIRE_OP_TAP_POINT, .does = FAKE_HANGS};
    fake_script(r.fake, &script);
    struct ia_deadline deadline = {NULL, ia_mono_us(ia_clock_system()) + 2000000};
    assert_int_equal(ia_device_tap(r.device, &deadline, (struct ia_point){1, 1}, &r.err),
                     IA_E_TIMEOUT);
    assert_int_equal(r.err.outcome, IA_OUTCOME_UNKNOWN);
    fixture_stop(&r);
}

/* ---- opening ----------------------------------------------------------------------------- */

static void opening_says_what_is_wrong(void **state)
{
    (void)state;
    static const struct {
        struct fake_script script;
        const char *token, *udid;
        enum ia_rc want;
        const char *msg, *hint;
    } cases[] = {
        {{.token = "right"}, "wr0ng-secret", NULL, IA_E_AUTH, "not the token", "token"},
        {{.token = "right"}, "", NULL, IA_E_AUTH, "not the token", "token"},
        {{.hello = FAKE_HELLO_VERSION}, "", NULL, IA_E_UNSUPPORTED, "version 9", "build"},
        {{.udid = "A"}, "", "B", IA_E_NO_DEVICE, "belongs to device A, not B", "bridge status"},
        {{.hello = FAKE_HELLO_GARBAGE}, "", NULL, IA_E_NO_DEVICE, "opcode is 77", "bridge"},
        {{.op = IA_WIRE_OP_INFO, .does = FAKE_FAILS, .code = IA_WIRE_E_DEVICE_LOST},
         "",
         NULL,
         IA_E_DEVICE_LOST,
         "it did not work",
         "simulator"},
    };
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        struct fake_bridge *a = fake_start(&cases[i].script);
        struct ia_bridge_client_options opt = fixture_options(a);
        struct ia_device *d = NULL;
        struct ia_err err = {.code = IA_OK};
        (void)snprintf(opt.place.token, sizeof(opt.place.token), "%s", cases[i].token);
        opt.udid = cases[i].udid;
        assert_int_equal(ia_bridge_client_open(&opt, NULL, &d, &err), cases[i].want);
        assert_null(d);
        assert_true(says(err.msg, cases[i].msg));
        assert_true(says(err.hint, cases[i].hint));
        assert_null(strstr(err.msg, "wr0ng"));
        assert_null(strstr(err.hint, "wr0ng"));
        assert_int_equal(fake_connections(a), 1);
        fake_free(a);
    }
}

/* A way of one's own to the device, whose address TCP does not know. */
static enum ia_rc dial_by_udid(void *ctx, const struct ia_bridge_client_place *place,
                               const struct ia_limit *limit, int *ret_fd, struct ia_err *err)
{
    assert_string_equal(place->address, "00008110-000A1B2C3D4E5F60");
    return ia_stream_dial_tcp("127.0.0.1", *(const uint16_t *)ctx, limit, ret_fd, err);
}

static void a_device_that_says_no_udid_is_called_by_the_one_it_was_reached_by(void **state)
{
    (void)state;
    static const struct {
        const char *says, *id;
    } cases[] = {{"", "bridge:00008110-000A1B2C3D4E5F60"}, {"UDID-1", "bridge:UDID-1"}};
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        struct fake_script script = {.udid = cases[i].says};
        struct fake_bridge *a = fake_start(&script);
        struct ia_bridge_client_options opt = fixture_options(a);
        uint16_t port = opt.place.port;
        const struct ia_dialer dialer = {dial_by_udid, &port};
        struct ia_device *d = NULL;
        struct ia_device_info info;
        struct ia_err err = {.code = IA_OK};
        opt.dialer = &dialer;
        opt.called = "00008110-000A1B2C3D4E5F60";
        (void)snprintf(opt.place.address, sizeof(opt.place.address), "%s", opt.called);
        assert_int_equal(ia_bridge_client_open(&opt, NULL, &d, &err), IA_OK);
        assert_int_equal(ia_device_info(d, &info, &err), IA_OK);
        assert_string_equal(info.id, cases[i].id);
        ia_device_close(d);
        fake_free(a);
    }
}

static void nobody_there_is_no_device(void **state)
{
    (void)state;
    struct fake_script script = {.op = 0};
    struct fake_bridge *a = fake_start(&script);
    struct ia_bridge_client_options opt = fixture_options(a);
    struct ia_device *d = NULL;
    struct ia_err err = {.code = IA_OK};
    fake_stop(a);
    assert_int_equal(ia_bridge_client_open(&opt, NULL, &d, &err), IA_E_NO_DEVICE);
    assert_true(says(err.msg, "127.0.0.1:"));
    assert_true(says(err.hint, "bridge start"));
    fake_free(a);
}

static void deadline_and_error_may_be_null(void **state)
{
    (void)state;
    struct fake_script script = {.token = "right"};
    struct fake_bridge *a = fake_start(&script);
    struct ia_bridge_client_options opt = fixture_options(a);
    struct ia_device *d = NULL;
    assert_int_equal(ia_bridge_client_open(&opt, NULL, &d, NULL), IA_E_AUTH);
    (void)snprintf(opt.place.token, sizeof(opt.place.token), "right");
    assert_int_equal(ia_bridge_client_open(&opt, NULL, &d, NULL), IA_OK);
    script = (struct fake_script){.op = IA_WIRE_OP_TAP_POINT, .does = FAKE_SAYS_NOTHING};
    fake_script(a, &script);
    assert_int_equal(ia_device_tap(d, NULL, (struct ia_point){1, 1}, NULL), IA_E_DEVICE);
    ia_device_close(d);
    fake_free(a);
}

/* A device whose runner does not run yet is opened by starting it. */
static void opening_starts_a_runner_where_there_is_a_supervisor(void **state)
{
    (void)state;
    static const enum ia_rc starts[] = {IA_OK, IA_E_MISSING};
    for (size_t i = 0; i < IA_COUNTOF(starts); i++) {
        struct supervisor o = {
            .life = IA_BRIDGE_CLIENT_RUNNER_GONE, .rc = starts[i], .script = {.token = "t"}};
        struct ia_bridge_client_options opt = {
            .place = {.address = "127.0.0.1"},
            .limits = fixture_patient,
            .supervisor = {
                .ctx = &o, .poll = poll_runner, .respawn = respawn, .free = free_supervisor}};
        struct ia_device *d = NULL;
        struct ia_err err = {.code = IA_OK};
        assert_int_equal(ia_bridge_client_open(&opt, NULL, &d, &err), starts[i]);
        assert_int_equal(o.respawns, 1);
        if (d) {
            assert_int_equal(o.frees, 0);
            ia_device_close(d);
            fake_free(o.next);
        } else {
            assert_true(says(err.hint, "the supervisor's hint"));
        }
        assert_int_equal(o.frees, 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_dead_runner_is_started_again_and_gets_its_target),
        cmocka_unit_test(the_supervisor_knows_where_the_runner_went),
        cmocka_unit_test(an_effect_is_not_sent_to_the_new_runner),
        cmocka_unit_test(a_respawn_that_fails_or_takes_too_long_is_reported),
        cmocka_unit_test(the_whole_ladder_ends_at_the_calls_deadline),
        cmocka_unit_test(runner_simulator_and_link_are_told_apart),
        cmocka_unit_test(a_simulated_phone_is_served_again_by_this_program),
        cmocka_unit_test(an_app_that_ended_is_the_reason),
        cmocka_unit_test(another_device_behind_the_port_is_refused),
        cmocka_unit_test(a_frozen_main_thread_is_named_and_at_last_replaced),
        cmocka_unit_test(an_idle_link_is_checked_before_it_is_used),
        cmocka_unit_test(the_bridge_gets_a_little_less_time),
        cmocka_unit_test(a_call_that_is_late_or_cancelled_from_the_start_sends_nothing),
        cmocka_unit_test(a_cancel_ends_the_wait_for_an_answer),
        cmocka_unit_test(an_effect_is_late_at_the_calls_deadline),
        cmocka_unit_test(opening_says_what_is_wrong),
        cmocka_unit_test(a_device_that_says_no_udid_is_called_by_the_one_it_was_reached_by),
        cmocka_unit_test(nobody_there_is_no_device),
        cmocka_unit_test(opening_starts_a_runner_where_there_is_a_supervisor),
        cmocka_unit_test(deadline_and_error_may_be_null),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
