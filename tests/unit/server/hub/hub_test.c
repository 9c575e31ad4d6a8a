/* Commands of one device take turns, keep their refs, and learn that somebody else drove it. Two hubs
 * stand for two processes: each opens the phone for itself and takes the same lock. */
#include "driver/wda/phone_double.h"
#include "phone_hub.h"

#include <pthread.h>

static void a_ref_is_good_for_the_next_command(void **state)
{
    struct world *w = *state;
    struct ia_err err;
    struct ia_hub_lane *lane = enter(w->hub, PHONE);
    uint32_t ref = ref_of(lane, "Settings");
    ia_hub_leave(w->hub, lane);
    lane = enter(w->hub, PHONE);
    assert_null(lane->driven_by);
    assert_int_equal(tap(lane, ref, &err), IA_OK);
    ia_hub_leave(w->hub, lane);
}

static void after_somebody_else_had_the_device_a_ref_is_stale(void **state)
{
    struct world *w = *state;
    struct ia_err err;
    struct ia_hub_lane *lane = enter(w->hub, PHONE);
    uint32_t ref = ref_of(lane, "Settings");
    ia_hub_leave(w->hub, lane);
    lane = enter(w->other, PHONE);
    uint32_t theirs = ref_of(lane, "Settings");
    assert_true(theirs > ref);
    assert_int_equal(tap(lane, theirs, &err), IA_OK);
    ia_hub_leave(w->other, lane);

    lane = enter(w->hub, PHONE);
    assert_non_null(strstr(lane->driven_by, "ios-agent elsewhere"));
    /* The phone is where the other one left it, and a new ref is good. */
    assert_true(ref_of(lane, "Wi-Fi") > theirs);
    assert_int_equal(tap(lane, ref, &err), IA_E_STALE_REF);
    assert_int_equal(err.outcome, IA_OUTCOME_NOT_SENT);
    ia_hub_leave(w->hub, lane);
}

static void no_ref_means_another_element_in_a_later_process(void **state)
{
    struct world *w = *state;
    struct ia_err err;
    struct ia_hub_lane *lane = enter(w->hub, PHONE);
    uint32_t ref = ref_of(lane, "Settings");
    ia_hub_leave(w->hub, lane);
    ia_hub_free(w->hub);
    w->hub = hub_of(w, "ios-agent daemon");
    lane = enter(w->hub, PHONE);
    assert_true(ref_of(lane, "Settings") > ref);
    assert_int_equal(tap(lane, ref, &err), IA_E_STALE_REF);
    ia_hub_leave(w->hub, lane);
}

static void a_device_that_was_closed_keeps_its_refs_apart_too(void **state)
{
    struct world *w = *state;
    struct ia_hub_lane *lane = enter(w->hub, PHONE);
    uint32_t ref = ref_of(lane, "Settings");
    ia_hub_leave(w->hub, lane);
    assert_int_equal(ia_hub_trim(w->hub, INT64_C(3600000000)), 1);
    assert_int_equal(ia_hub_trim(w->hub, 0), 0);
    lane = enter(w->hub, PHONE);
    assert_int_equal(ia_hub_trim(w->hub, 0), 1);
    lane->keep_open = true;
    ia_hub_leave(w->hub, lane);
    assert_int_equal(ia_hub_trim(w->hub, 0), 1);
    lane = enter(w->hub, PHONE);
    lane->keep_open = false;
    assert_true(ref_of(lane, "Settings") > ref);
    ia_hub_lose(lane);
    ia_hub_leave(w->hub, lane);
    assert_int_equal(ia_hub_trim(w->hub, INT64_C(3600000000)), 0);
}

static void a_run_and_a_command_never_have_the_device_at_once(void **state)
{
    struct world *w = *state;
    struct ia_store_opts opts = {.home = w->home, .command = "ios-agent run"};
    struct ia_store *store = NULL;
    struct ia_lease *lease = NULL;
    struct ia_hub_lane *lane = NULL;
    struct ia_err err;
    struct ia_deadline deadline = soon(60000, NULL);
    assert_int_equal(ia_store_open(&opts, &store, &err), IA_OK);
    assert_int_equal(ia_lease_take(store, PHONE, NULL, 60000, &lease, &err), IA_OK);
    assert_int_equal(ia_hub_enter(w->hub, PHONE, NULL, "cli", &deadline, &lane, &err),
                     IA_E_BUSY);
    assert_null(lane);
    assert_non_null(strstr(err.msg, "ios-agent run"));
    assert_int_equal(err.outcome, IA_OUTCOME_NOT_SENT);
    ia_lease_release(lease);
    ia_hub_leave(w->hub, enter(w->hub, PHONE));
    ia_store_close(store);
}

/* A film that nobody asks for at the moment is being made all the same. */
static void a_device_that_films_is_not_closed_for_others(void **state)
{
    enum { MORE_THAN_A_HUB_KEEPS = 70 };
    struct world *w = *state;
    char device[32];
    struct ia_hub_lane *lane = enter(w->hub, PHONE);
    const struct ia_device *films = lane->device;
    lane->keep_open = true;
    ia_hub_leave(w->hub, lane);
    for (int i = 0; i < MORE_THAN_A_HUB_KEEPS; i++) {
        (void)snprintf(device, sizeof(device), "embedded:n%d", i);
        ia_hub_leave(w->hub, enter(w->hub, device));
    }
    lane = enter(w->hub, PHONE);
    assert_true(lane->keep_open && lane->device == films);
    ia_hub_leave(w->hub, lane);
}

/* ---- who opens the device before taking its lane, as a run does -------------------------------- */

struct opener {
    struct world *w;
    struct ia_device *device;
    struct ia_store *store;
    struct ia_lease *lease;
    bool takes_lane;
};

static void open_first(struct opener *o)
{
    struct ia_device_spec spec = {.kind = NULL};
    struct ia_store_opts opts = {.home = o->w->home, .command = "ios-agent run"};
    assert_int_equal(ia_store_open(&opts, &o->store, NULL), IA_OK);
    assert_int_equal(ia_device_spec_find(PHONE, &o->w->paths, &spec, NULL), IA_OK);
    assert_int_equal(ia_device_spec_open(&spec, NULL, false, &o->device, NULL), IA_OK);
    ia_device_spec_fini(&spec);
}

static void *go_on(void *ctx)
{
    struct opener *o = ctx;
    (void)usleep(100000);
    if (o->takes_lane) {
        (void)ia_lease_take(o->store, PHONE, NULL, 60000, &o->lease, NULL);
    } else {
        ia_device_close(o->device);
        o->device = NULL;
    }
    return NULL;
}

static void a_command_lets_a_run_that_opened_the_device_take_its_lane(void **state)
{
    enum { OPEN_TRIED_US = 1000000 }; /* hub.c */
    for (int takes = 0; takes < 2; takes++) {
        struct opener o = {.w = *state, .takes_lane = takes};
        struct ia_deadline deadline = soon(60000, NULL);
        struct ia_hub_lane *lane = NULL;
        struct ia_err err = {0};
        pthread_t thread;
        open_first(&o);
        assert_int_equal(pthread_create(&thread, NULL, go_on, &o), 0);
        enum ia_rc rc = IA_E_BUSY;
        int64_t began = 0;
        do { /* again where the other one did nothing for as long as a command tries */
            began = ia_mono_us(ia_clock_system());
            rc = ia_hub_enter(o.w->hub, PHONE, NULL, "cli", &deadline, &lane, &err);
        } while (rc == IA_E_BUSY && !strstr(err.msg, "ios-agent run") &&
                 ia_mono_us(ia_clock_system()) - began >= OPEN_TRIED_US);
        pthread_join(thread, NULL);
        assert_int_equal(rc, takes ? IA_E_BUSY : IA_OK);
        assert_true(!takes || (o.lease && strstr(err.msg, "ios-agent run")));
        ia_hub_leave(o.w->hub, lane);
        ia_lease_release(o.lease);
        ia_device_close(o.device);
        ia_store_close(o.store);
    }
}

/* A note that anybody may damage cannot make a number mean two elements, nor end them. */
static void a_damaged_note_does_not_end_the_refs(void **state)
{
    struct world *w = *state;
    char path[512];
    static const char note[] = "7 c 4294967295 who\n";
    ia_hub_leave(w->hub, enter(w->hub, PHONE));
    ia_hub_free(w->hub);
    snprintf(path, sizeof(path), "%s/lanes/embedded%%3Ahub.lock", w->home);
    assert_int_equal(ia_file_write_atomic(path, note, sizeof(note) - 1, 0600, NULL), IA_OK);
    w->hub = hub_of(w, "ios-agent daemon");
    struct ia_hub_lane *lane = enter(w->hub, PHONE);
    uint32_t ref = ref_of(lane, "Settings");
    assert_in_range(ref, 1, 1000);
    assert_int_equal(tap(lane, ref, NULL), IA_OK);
    ia_hub_leave(w->hub, lane);
}

/* ---- turns ------------------------------------------------------------------------------- */

enum { THREADS = IA_HUB_WAITING_MAX + 1 };
struct turn {
    struct world *w;
    pthread_t thread;
    int *order, *next;
    int mine;
    enum ia_rc rc;
    struct ia_cancel *cancel;
};

static void *take_turn(void *ctx)
{
    struct turn *t = ctx;
    struct ia_hub_lane *lane = NULL;
    struct ia_deadline deadline = soon(60000, t->cancel);
    t->rc = ia_hub_enter(t->w->hub, PHONE, NULL, "cli", &deadline, &lane, NULL);
    if (t->rc == IA_OK) {
        t->order[(*t->next)++] = t->mine;
        ia_hub_leave(t->w->hub, lane);
    }
    return NULL;
}

static int waiting(struct world *w)
{
    return ia_hub_waiting(w->hub, PHONE);
}

static void commands_of_a_device_come_in_order_of_arrival(void **state)
{
    struct world *w = *state;
    struct turn turns[THREADS];
    int order[THREADS], next = 0;
    struct ia_hub_lane *lane = enter(w->hub, PHONE);
    for (int i = 0; i < THREADS; i++) {
        turns[i] = (struct turn){.w = w, .order = order, .next = &next, .mine = i};
        assert_int_equal(pthread_create(&turns[i].thread, NULL, take_turn, &turns[i]), 0);
        while (i < IA_HUB_WAITING_MAX && waiting(w) < i + 1) {
            (void)usleep(1000);
        }
    }
    pthread_join(turns[THREADS - 1].thread, NULL);
    assert_int_equal(turns[THREADS - 1].rc, IA_E_BUSY);
    ia_hub_leave(w->hub, lane);
    for (int i = 0; i < THREADS - 1; i++) {
        pthread_join(turns[i].thread, NULL);
        assert_int_equal(turns[i].rc, IA_OK);
        assert_int_equal(order[i], i);
    }
}

static void a_command_that_is_cancelled_leaves_the_queue_at_once(void **state)
{
    struct world *w = *state;
    int order[1], next = 0;
    struct turn turn = {.w = w, .order = order, .next = &next, .cancel = ia_cancel_new(NULL)};
    struct ia_hub_lane *lane = enter(w->hub, PHONE);
    assert_int_equal(pthread_create(&turn.thread, NULL, take_turn, &turn), 0);
    while (waiting(w) < 1) {
        (void)usleep(1000);
    }
    ia_cancel_fire(turn.cancel);
    pthread_join(turn.thread, NULL);
    assert_int_equal(turn.rc, IA_E_CANCELLED);
    assert_int_equal(waiting(w), 0);
    ia_hub_leave(w->hub, lane);
    ia_hub_leave(w->hub, enter(w->hub, PHONE));
    ia_cancel_free(turn.cancel);
}

static void a_command_whose_time_ends_in_the_queue_hears_who_has_the_device(void **state)
{
    struct world *w = *state;
    struct ia_hub_lane *held = enter(w->hub, PHONE), *lane = NULL;
    struct ia_deadline deadline = soon(20, NULL);
    struct ia_err err = {0};
    assert_int_equal(ia_hub_enter(w->hub, PHONE, NULL, "mcp", &deadline, &lane, &err),
                     IA_E_BUSY);
    assert_null(lane);
    assert_non_null(strstr(err.msg, "held by a command (ios-agent daemon, cli, pid "));
    assert_int_equal(err.outcome, IA_OUTCOME_NOT_SENT);
    assert_int_equal(waiting(w), 0);
    ia_hub_leave(w->hub, held);
}

/* Waiting for it is of no use, and asks WebDriverAgent again and again. */
static void a_phone_that_a_stranger_drives_is_refused_at_once(void **state)
{
    struct world *w = *state;
    struct phone_double p;
    char name[80];
    struct ia_hub_lane *lane = NULL;
    struct ia_deadline deadline = soon(60000, NULL);
    struct ia_err err = {0};
    double_start(&p, false);
    (void)snprintf(p.session, sizeof(p.session), "%s", DOUBLE_FOREIGN);
    (void)snprintf(name, sizeof(name), "wda:%s", peer_url(p.peer));
    assert_int_equal(ia_hub_enter(w->hub, name, NULL, "cli", &deadline, &lane, &err),
                     IA_E_BUSY);
    assert_non_null(strstr(err.msg, DOUBLE_FOREIGN));
    assert_int_equal(peer_count(p.peer), 1);
    assert_int_equal(ia_hub_enter(w->hub, name, NULL, "cli", &deadline, &lane, NULL),
                     IA_E_BUSY);
    assert_int_equal(peer_count(p.peer), 2);
    double_stop(&p);
}

static void devices_do_not_wait_for_each_other(void **state)
{
    struct world *w = *state;
    struct ia_hub_lane *one = enter(w->hub, "embedded:one");
    struct ia_hub_lane *two = enter(w->hub, "embedded:two");
    assert_int_equal(ia_hub_busy(w->hub), 2);
    ia_hub_leave(w->hub, one);
    ia_hub_leave(w->hub, two);
    assert_int_equal(ia_hub_busy(w->hub), 0);
}

static void a_hub_goes_on_after_any_number_of_devices(void **state)
{
    enum { MORE_THAN_A_HUB_KEEPS = 150 };
    struct world *w = *state;
    struct ia_err err;
    char device[32];
    struct ia_hub_lane *lane = enter(w->hub, "embedded:first");
    uint32_t first = ref_of(lane, "Settings");
    ia_hub_leave(w->hub, lane);
    struct ia_hub_lane *held = enter(w->hub, PHONE);
    uint32_t ref = ref_of(held, "Settings");
    for (int i = 0; i < MORE_THAN_A_HUB_KEEPS; i++) {
        (void)snprintf(device, sizeof(device), "embedded:n%d", i);
        ia_hub_leave(w->hub, enter(w->hub, device));
    }
    assert_int_equal(tap(held, ref, &err), IA_OK); /* what is in hand was left alone */
    ia_hub_leave(w->hub, held);

    lane = enter(w->hub, "embedded:first"); /* it had been forgotten */
    assert_true(ref_of(lane, "Settings") > first);
    assert_int_equal(tap(lane, first, &err), IA_E_STALE_REF);
    ia_hub_leave(w->hub, lane);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        T(a_ref_is_good_for_the_next_command),
        T(after_somebody_else_had_the_device_a_ref_is_stale),
        T(no_ref_means_another_element_in_a_later_process),
        T(a_device_that_was_closed_keeps_its_refs_apart_too),
        T(a_run_and_a_command_never_have_the_device_at_once),
        T(commands_of_a_device_come_in_order_of_arrival),
        T(a_command_that_is_cancelled_leaves_the_queue_at_once),
        T(a_command_whose_time_ends_in_the_queue_hears_who_has_the_device),
        T(a_phone_that_a_stranger_drives_is_refused_at_once),
        T(devices_do_not_wait_for_each_other),
        T(a_hub_goes_on_after_any_number_of_devices),
        T(a_device_that_films_is_not_closed_for_others),
        T(a_command_lets_a_run_that_opened_the_device_take_its_lane),
        T(a_damaged_note_does_not_end_the_refs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
