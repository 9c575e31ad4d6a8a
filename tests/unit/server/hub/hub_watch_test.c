/* hub_watch_test.c: who only looks at a device leaves it to those who drive it. */
#include "phone_hub.h"

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

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        T(watching_leaves_refs_good_here_and_in_other_processes),
        T(watching_leaves_a_device_as_it_was_opened),
        T(a_ref_that_a_watcher_was_shown_is_good_for_the_next_command),
        T(what_a_watcher_was_shown_elsewhere_is_nothing_here),
        T(who_drove_is_told_to_the_next_command_though_a_watcher_came_first),
        T(a_watcher_waits_a_moment_and_hears_who_has_the_device),
        T(a_run_takes_the_device_from_who_watches),
        T(changes_are_counted_and_awaited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
