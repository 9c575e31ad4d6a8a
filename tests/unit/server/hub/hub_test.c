/* Commands of one device take turns, keep their refs, and learn that somebody else drove it. Two hubs
 * stand for two processes: each opens the phone for itself and takes the same lock. */
#include "driver/wda/phone_double.h"
#include "tmpdir.h"

#include "base/clock.h"
#include "driver/registry/device_registry.h"
#include "server/hub/hub.h"
#include "store/store.h"

#include <pthread.h>

#define PHONE "embedded:hub"

struct world {
    char *home;
    struct ia_paths paths;
    struct ia_hub *hub, *other;
};

static struct ia_hub *hub_of(struct world *w, const char *command)
{
    return ia_hub_new(&(struct ia_hub_opts){.paths = &w->paths, .command = command});
}

static int begin(void **state)
{
    struct world *w = calloc(1, sizeof(*w));
    w->home = tmpdir_new();
    w->paths = (struct ia_paths){.home = w->home};
    w->hub = hub_of(w, "ios-agent daemon");
    w->other = hub_of(w, "ios-agent elsewhere");
    *state = w;
    return 0;
}

static int end(void **state)
{
    struct world *w = *state;
    /* A test that failed with a lane in hand must not wait for it. */
    if (ia_hub_busy(w->hub) + ia_hub_busy(w->other) > 0) {
        return -1;
    }
    ia_hub_free(w->hub);
    ia_hub_free(w->other);
    tmpdir_free(w->home);
    free(w);
    return 0;
}

static struct ia_deadline soon(int64_t ms, struct ia_cancel *cancel)
{
    return (struct ia_deadline){cancel, ia_mono_us(ia_clock_system()) + ms * 1000};
}

static struct ia_hub_lane *enter(struct ia_hub *hub, const char *device)
{
    struct ia_deadline deadline = soon(60000, NULL);
    struct ia_hub_lane *lane = NULL;
    struct ia_err err = {0};
    if (ia_hub_enter(hub, device, "cli", &deadline, &lane, &err) != IA_OK) {
        fail_msg("%s: %s", device, err.msg);
    }
    return lane;
}

/* The ref of the element with that label on a fresh screen. */
static uint32_t ref_of(struct ia_hub_lane *lane, const char *label)
{
    const struct ia_snapshot *s = NULL;
    assert_int_equal(ia_session_snapshot(lane->session, NULL, &s, NULL), IA_OK);
    struct ia_selector sel = {.label = (char *)label, .role = -1};
    const struct ia_element *e = ia_snapshot_find(s, &sel);
    assert_non_null(e);
    return e->ref;
}

static enum ia_rc tap(struct ia_hub_lane *lane, uint32_t ref, struct ia_err *err)
{
    struct ia_act_result result = {.changes = IA_BUF(1 << 16)};
    enum ia_rc rc = ia_session_tap(lane->session, NULL, ref, &result, err);
    ia_act_result_fini(&result);
    return rc;
}

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
    assert_int_equal(ia_hub_enter(w->hub, PHONE, "cli", &deadline, &lane, &err), IA_E_BUSY);
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
            rc = ia_hub_enter(o.w->hub, PHONE, "cli", &deadline, &lane, &err);
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

/* ---- watching ---------------------------------------------------------------------------- */

static enum ia_rc watch(struct ia_hub *hub, struct ia_hub_lane **ret,
                        struct ia_hub_holder *holder)
{
    struct ia_deadline deadline = soon(60000, NULL);
    struct ia_err err = {0};
    return ia_hub_watch(hub, PHONE, &deadline, ret, holder, &err);
}

/* The ref that a watcher is shown for the element with that label. */
static uint32_t look(struct ia_hub *hub, const char *label)
{
    struct ia_hub_lane *lane = NULL;
    struct ia_hub_holder holder;
    struct ia_snapshot *s = NULL;
    assert_int_equal(watch(hub, &lane, &holder), IA_OK);
    assert_int_equal(ia_session_look(lane->session, NULL, &s, NULL), IA_OK);
    struct ia_selector sel = {.label = (char *)label, .role = -1};
    const struct ia_element *e = ia_snapshot_find(s, &sel);
    assert_non_null(e);
    uint32_t ref = e->ref;
    ia_snapshot_free(s);
    ia_hub_leave(hub, lane);
    return ref;
}

static uint64_t generation(struct world *w)
{
    return ia_lane_generation(w->home, PHONE);
}

static void watching_leaves_refs_good_here_and_in_other_processes(void **state)
{
    struct world *w = *state;
    struct ia_hub_lane *lane = enter(w->hub, PHONE);
    uint32_t ref = ref_of(lane, "Settings");
    ia_hub_leave(w->hub, lane);
    uint64_t before = generation(w);
    assert_int_equal(look(w->hub, "Settings"), ref); /* the same session: the same number */
    uint32_t theirs = look(w->other, "Settings");
    assert_true(theirs > ref);
    assert_true(generation(w) == before);
    lane = enter(w->hub, PHONE);
    assert_null(lane->driven_by);
    assert_int_equal(tap(lane, ref, NULL), IA_OK);
    assert_true(ref_of(lane, "Wi-Fi") > theirs); /* no number means two elements */
    ia_hub_leave(w->hub, lane);
}

/* Who watches names the device alone; how it was opened is the matter of who drives it. */
static void watching_leaves_a_device_as_it_was_opened(void **state)
{
    struct world *w = *state;
    struct ia_hub_lane *lane = enter(w->hub, PHONE "?seed=7");
    const struct ia_device *device = lane->device;
    uint32_t ref = ref_of(lane, "Settings");
    ia_hub_leave(w->hub, lane);
    assert_int_equal(look(w->hub, "Settings"), ref);
    lane = enter(w->hub, PHONE "?seed=7");
    assert_ptr_equal(lane->device, device);
    assert_int_equal(tap(lane, ref, NULL), IA_OK);
    ia_hub_leave(w->hub, lane);
}

static void a_ref_that_a_watcher_was_shown_is_good_for_the_next_command(void **state)
{
    struct world *w = *state;
    uint32_t ref = look(w->hub, "Settings");
    assert_int_equal(generation(w), 0);
    struct ia_hub_lane *lane = enter(w->hub, PHONE);
    assert_int_equal(lane->generation, 1);
    assert_int_equal(tap(lane, ref, NULL), IA_OK);
    ia_hub_leave(w->hub, lane);
}

static void what_a_watcher_was_shown_elsewhere_is_nothing_here(void **state)
{
    struct world *w = *state;
    struct ia_err err;
    struct ia_hub_lane *lane = enter(w->hub, PHONE);
    (void)ref_of(lane, "Settings");
    ia_hub_leave(w->hub, lane);
    uint32_t theirs = look(w->other, "Settings");
    lane = enter(w->hub, PHONE);
    assert_int_equal(tap(lane, theirs, &err), IA_E_STALE_REF);
    ia_hub_leave(w->hub, lane);
}

static void who_drove_is_told_to_the_next_command_though_a_watcher_came_first(void **state)
{
    struct world *w = *state;
    struct ia_err err;
    struct ia_hub_lane *lane = enter(w->hub, PHONE);
    uint32_t ref = ref_of(lane, "Settings");
    ia_hub_leave(w->hub, lane);
    lane = enter(w->other, PHONE);
    assert_int_equal(tap(lane, ref_of(lane, "Settings"), NULL), IA_OK);
    ia_hub_leave(w->other, lane);
    assert_true(look(w->hub, "Wi-Fi") > ref);
    lane = enter(w->hub, PHONE);
    assert_non_null(strstr(lane->driven_by, "ios-agent elsewhere"));
    assert_true(ref_of(lane, "Wi-Fi") > ref);
    assert_int_equal(tap(lane, ref, &err), IA_E_STALE_REF);
    ia_hub_leave(w->hub, lane);
    lane = enter(w->hub, PHONE);
    assert_null(lane->driven_by);
    ia_hub_leave(w->hub, lane);
}

static void a_watcher_waits_a_moment_and_hears_who_has_the_device(void **state)
{
    struct world *w = *state;
    struct ia_store_opts opts = {.home = w->home, .command = "ios-agent run"};
    struct ia_store *store = NULL;
    struct ia_lease *lease = NULL;
    struct ia_hub_lane *held = enter(w->hub, PHONE), *lane = NULL;
    struct ia_hub_holder holder;
    assert_int_equal(watch(w->hub, &lane, &holder), IA_E_BUSY);
    assert_true(!lane && !holder.run && strstr(holder.who, "ios-agent daemon, cli, pid "));
    assert_int_equal(watch(w->other, &lane, &holder), IA_E_BUSY);
    assert_true(!lane && !holder.run && strstr(holder.who, "ios-agent daemon, cli, pid "));
    ia_hub_leave(w->hub, held);
    assert_int_equal(ia_store_open(&opts, &store, NULL), IA_OK);
    assert_int_equal(ia_lease_take(store, PHONE, NULL, 60000, &lease, NULL), IA_OK);
    assert_int_equal(watch(w->hub, &lane, &holder), IA_E_BUSY);
    assert_true(!lane && holder.run && strstr(holder.who, "ios-agent run"));
    assert_string_equal(holder.lane, PHONE);
    ia_lease_release(lease);
    ia_store_close(store);
    assert_true(look(w->hub, "Settings") > 0);
}

/* A clock by which one waits until the look is over. */
struct look_clock {
    struct ia_hub *hub;
    struct ia_hub_lane *lane;
    int waits;
};

static int64_t look_mono_us(void *ctx)
{
    (void)ctx;
    return ia_mono_us(ia_clock_system());
}

static int64_t look_wall_ms(void *ctx)
{
    (void)ctx;
    return ia_wall_ms(ia_clock_system());
}

static enum ia_rc end_look(void *ctx, struct ia_cancel *cancel, int64_t until_us)
{
    struct look_clock *c = ctx;
    (void)cancel;
    (void)until_us;
    c->waits++;
    ia_hub_leave(c->hub, c->lane);
    c->lane = NULL;
    return IA_OK;
}

/* One that takes the device for itself waits for the moment that a look takes. */
static void a_run_takes_the_device_from_who_watches(void **state)
{
    struct world *w = *state;
    struct look_clock looking = {.hub = w->hub};
    const struct ia_clock clock = {look_mono_us, look_wall_ms, end_look, &looking};
    struct ia_store_opts opts = {.home = w->home, .command = "ios-agent run", .clock = &clock};
    struct ia_store *store = NULL;
    struct ia_lease *lease = NULL;
    struct ia_hub_holder holder;
    assert_int_equal(ia_store_open(&opts, &store, NULL), IA_OK);
    assert_int_equal(watch(w->hub, &looking.lane, &holder), IA_OK);
    assert_int_equal(ia_lease_take(store, PHONE, NULL, 60000, &lease, NULL), IA_OK);
    assert_int_equal(looking.waits, 1);
    ia_lease_release(lease);
    ia_store_close(store);
}

static void changes_are_counted_and_awaited(void **state)
{
    struct world *w = *state;
    uint64_t turns = 0;
    (void)look(w->hub, "Settings");
    uint64_t seen = ia_hub_changes(w->hub, PHONE);
    (void)look(w->hub, "Settings");
    assert_true(ia_hub_changes(w->hub, PHONE) == seen);
    ia_hub_leave(w->other, enter(w->other, PHONE));
    uint64_t after = ia_hub_changes(w->hub, PHONE);
    assert_true(after > seen);
    ia_hub_leave(w->hub, enter(w->hub, PHONE));
    assert_true(ia_hub_changes(w->hub, PHONE) > after);
    ia_hub_await(w->hub, &turns, NULL, INT64_MAX); /* something was: at once */
    int64_t before_us = ia_mono_us(ia_clock_system());
    ia_hub_await(w->hub, &turns, NULL, before_us + 20000);
    assert_true(ia_mono_us(ia_clock_system()) - before_us >= 20000);
    ia_hub_changed(w->hub, PHONE);
    ia_hub_await(w->hub, &turns, NULL, INT64_MAX);
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
    t->rc = ia_hub_enter(t->w->hub, PHONE, "cli", &deadline, &lane, NULL);
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
    assert_int_equal(ia_hub_enter(w->hub, PHONE, "mcp", &deadline, &lane, &err), IA_E_BUSY);
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
    assert_int_equal(ia_hub_enter(w->hub, name, "cli", &deadline, &lane, &err), IA_E_BUSY);
    assert_non_null(strstr(err.msg, DOUBLE_FOREIGN));
    assert_int_equal(peer_count(p.peer), 1);
    assert_int_equal(ia_hub_enter(w->hub, name, "cli", &deadline, &lane, NULL), IA_E_BUSY);
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
        T(watching_leaves_refs_good_here_and_in_other_processes),
        T(watching_leaves_a_device_as_it_was_opened),
        T(a_ref_that_a_watcher_was_shown_is_good_for_the_next_command),
        T(what_a_watcher_was_shown_elsewhere_is_nothing_here),
        T(who_drove_is_told_to_the_next_command_though_a_watcher_came_first),
        T(a_watcher_waits_a_moment_and_hears_who_has_the_device),
        T(a_run_takes_the_device_from_who_watches),
        T(changes_are_counted_and_awaited),
        T(a_damaged_note_does_not_end_the_refs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
