/* The client against the very server that runs on a device: what a slow, a frozen and a
 * stopping main thread look like from here. */
#include "test.h"

#include "core/core.h"
#include "fixture.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static const struct ia_deadline for_ever = {NULL, IA_NO_DEADLINE};

/* A back end whose taps are counted, and whose trees can be frozen. */
struct fake {
    struct ia_bridge *bridge;
    struct ia_device *device;
    struct ia_err err;
    pthread_t thread;
    atomic_int taps;
    atomic_bool freeze;   /* a tree comes only when this ends */
    atomic_bool freezing; /* one is frozen now */
    atomic_bool gone;     /* the one that was frozen saw that nobody waits any more */
    atomic_bool crashed;  /* the app does not run */
    atomic_bool slow_tap;
};

static void tree(struct fake *f, const struct ia_bridge_call *deadline,
                 struct ia_wire_reply *reply)
{
    static const struct ia_wire_node node = {
        .type = 2, .flags = 1, .frame = {0, 0, 400, 800}, .label = "App"};
    while (atomic_load(&f->freeze)) {
        atomic_store(&f->freezing, true);
        if (ia_bridge_cancelled(deadline)) {
            atomic_store(&f->gone, true);
        }
        (void)sched_yield();
    }
    if (atomic_load(&f->crashed)) {
        ia_wire_reply_fail(reply, IA_WIRE_E_TREE_MALFORMED, IA_WIRE_NONE, false, "no snapshot");
        return;
    }
    reply->u.tree = (struct ia_wire_tree_reply){.app = "a.b", .nodes = &node, .nodes_n = 1};
    ia_wire_reply_ok(reply, false);
}

static void perform(void *ctx, const struct ia_wire_request *req,
                    const struct ia_bridge_call *deadline, struct ia_wire_reply *reply)
{
    struct fake *f = ctx;
    switch (req->op) {
    case IA_WIRE_OP_TREE:
        tree(f, deadline, reply);
        return;
    case IA_WIRE_OP_TAP_POINT:
        atomic_fetch_add(&f->taps, 1);
        while (atomic_load(&f->slow_tap)) {
            (void)sched_yield();
        }
        break;
    case IA_WIRE_OP_INFO:
        reply->u.info = (struct ia_wire_info_reply){
            .name = "fake", .width_pt = 400, .height_pt = 800, .scale = 2, .orientation = 1};
        break;
    case IA_WIRE_OP_NATIVE:
        reply->u.native.answer = "{}";
        break;
    case IA_WIRE_OP_STATE:
        reply->u.state.state =
            atomic_load(&f->crashed) ? IA_WIRE_APP_NOT_RUNNING : IA_WIRE_APP_FOREGROUND;
        break;
    default:
        break;
    }
    ia_wire_reply_ok(reply, ia_wire_has_effect(req));
}

static void *serve(void *arg)
{
    struct fake *f = arg;
    ia_bridge_run(f->bridge);
    return NULL;
}

static void start(struct fake *f, const char *token)
{
    struct ia_bridge_ops ops = {.ctx = f, .can = UINT64_MAX, .perform = perform};
    struct ia_bridge_options how = {.token = token, .server = "test", .udid = "UDID-1"};
    struct ia_bridge_client_options opt = {.place = {.address = "localhost"},
                                           .limits = fixture_patient};
    struct ia_wire_fault fault;
    *f = (struct fake){.bridge = NULL};
    assert_true(ia_bridge_open(&how, &ops, &f->bridge, &fault));
    assert_int_equal(pthread_create(&f->thread, NULL, serve, f), 0);
    opt.place.port = ia_bridge_port(f->bridge);
    (void)snprintf(opt.place.token, sizeof(opt.place.token), "%s", token ? token : "");
    assert_int_equal(ia_bridge_client_open(&opt, NULL, &f->device, &f->err), IA_OK);
}

static void stop(struct fake *f)
{
    ia_device_close(f->device);
    atomic_store(&f->freeze, false);
    atomic_store(&f->slow_tap, false);
    ia_bridge_stop(f->bridge);
    assert_int_equal(pthread_join(f->thread, NULL), 0);
    ia_bridge_close(f->bridge);
}

static enum ia_rc get_tree(struct fake *f, const struct ia_deadline *deadline)
{
    struct ia_tree *t = NULL;
    enum ia_rc rc = ia_device_tree(f->device, deadline, &t, &f->err);
    ia_tree_free(t);
    return rc;
}

static struct ia_deadline within(int64_t ms)
{
    return (struct ia_deadline){NULL, ia_mono_us(ia_clock_system()) + ms * 1000};
}

static void every_operation_passes_through_both_ends(void **state)
{
    (void)state;
    struct fake f;
    start(&f, "s3cret");
    for (size_t i = 0; i < fixture_ops_n; i++) {
        enum ia_rc rc = fixture_ops[i].run(f.device, &for_ever, &f.err);
        /* The fake draws no pictures. */
        enum ia_rc want = fixture_ops[i].op == IA_WIRE_OP_SCREENSHOT ? IA_E_PROTO : IA_OK;
        if (rc != want) {
            print_message("%s: %s\n", fixture_ops[i].name, f.err.msg);
        }
        assert_int_equal(rc, want);
    }
    assert_int_equal(atomic_load(&f.taps), 1);
    stop(&f);
}

/* The server's word comes before our own time is over, so the stream stays in step; and health
 * is answered although the main thread is not. */
static void a_frozen_main_thread_is_a_timeout_and_named(void **state)
{
    (void)state;
    struct fake f;
    struct ia_bridge_client_status before, after;
    start(&f, "s3cret");
    ia_bridge_client_status(ia_bridge_client_of(f.device), &before);
    atomic_store(&f.freeze, true);
    struct ia_deadline deadline = within(2000);
    assert_int_equal(get_tree(&f, &deadline), IA_E_TIMEOUT);
    assert_int_equal(f.err.outcome, IA_OUTCOME_NONE);
    ia_bridge_client_status(ia_bridge_client_of(f.device), &after);
    if (after.connects == before.connects) { /* as it is, unless this machine stood still */
        assert_non_null(strstr(f.err.hint, "main thread has been in tree"));
    }
    /* A tap that has to wait behind it has certainly not been made. */
    deadline = within(2000);
    assert_int_equal(ia_device_tap(f.device, &deadline, (struct ia_point){1, 1}, &f.err),
                     IA_E_TIMEOUT);
    assert_int_equal(atomic_load(&f.taps), 0);
    ia_bridge_client_status(ia_bridge_client_of(f.device), &after);
    if (after.connects == before.connects) {
        assert_int_equal(f.err.outcome, IA_OUTCOME_NOT_SENT);
    }
    atomic_store(&f.freeze, false);
    assert_int_equal(get_tree(&f, &for_ever), IA_OK);
    assert_int_equal(atomic_load(&f.taps), 0); /* nor is it later */
    stop(&f);
}

static void a_tap_whose_answer_is_late_is_made_once(void **state)
{
    (void)state;
    struct fake f;
    start(&f, NULL);
    atomic_store(&f.slow_tap, true);
    struct ia_deadline deadline = within(4000);
    assert_int_equal(ia_device_tap(f.device, &deadline, (struct ia_point){1, 1}, &f.err),
                     IA_E_TIMEOUT);
    assert_int_equal(f.err.outcome, IA_OUTCOME_UNKNOWN);
    assert_false(f.err.retry_safe);
    atomic_store(&f.slow_tap, false);
    assert_int_equal(get_tree(&f, &for_ever), IA_OK);
    assert_int_equal(atomic_load(&f.taps), 1);
    stop(&f);
}

struct canceller {
    struct fake *f;
    struct ia_cancel *cancel;
};

static void *cancel_when_frozen(void *arg)
{
    struct canceller *c = arg;
    while (!atomic_load(&c->f->freezing)) {
        (void)sched_yield();
    }
    ia_cancel_fire(c->cancel);
    return NULL;
}

static void a_cancel_reaches_the_main_thread(void **state)
{
    (void)state;
    struct fake f;
    struct canceller c = {&f, ia_cancel_new(NULL)};
    pthread_t thread;
    start(&f, "s3cret");
    atomic_store(&f.freeze, true);
    assert_int_equal(pthread_create(&thread, NULL, cancel_when_frozen, &c), 0);
    struct ia_deadline deadline = {c.cancel, IA_NO_DEADLINE};
    assert_int_equal(get_tree(&f, &deadline), IA_E_CANCELLED);
    assert_int_equal(pthread_join(thread, NULL), 0);
    while (!atomic_load(&f.gone)) {
        (void)sched_yield();
    }
    stop(&f);
    ia_cancel_free(c.cancel);
}

static void an_app_that_crashed_is_told_from_a_bad_tree(void **state)
{
    (void)state;
    struct fake f;
    start(&f, "s3cret");
    assert_int_equal(ia_device_launch(f.device, &for_ever, "a.b", &f.err), IA_OK);
    atomic_store(&f.crashed, true);
    assert_int_equal(get_tree(&f, &for_ever), IA_E_APP_GONE);
    stop(&f);
}

static void a_bridge_that_was_stopped_is_lost_and_nothing_was_sent(void **state)
{
    (void)state;
    struct fake f;
    start(&f, "s3cret");
    ia_bridge_stop(f.bridge);
    assert_int_equal(pthread_join(f.thread, NULL), 0);
    ia_bridge_close(f.bridge);
    assert_int_equal(ia_device_tap(f.device, &for_ever, (struct ia_point){1, 1}, &f.err),
                     IA_E_DEVICE_LOST);
    assert_int_equal(f.err.outcome, IA_OUTCOME_NOT_SENT);
    assert_int_equal(atomic_load(&f.taps), 0);
    ia_device_close(f.device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_operation_passes_through_both_ends),
        cmocka_unit_test(a_frozen_main_thread_is_a_timeout_and_named),
        cmocka_unit_test(a_tap_whose_answer_is_late_is_made_once),
        cmocka_unit_test(a_cancel_reaches_the_main_thread),
        cmocka_unit_test(an_app_that_crashed_is_told_from_a_bad_tree),
        cmocka_unit_test(a_bridge_that_was_stopped_is_lost_and_nothing_was_sent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
