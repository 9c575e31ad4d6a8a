/* Schedules that other machines have too: what is claimed, what is left to them, what is gone on with. */
#include "schedule_rig.h"

/* Claims of all machines, as one of them sees them. */
struct world {
    int64_t taken[64]; /* by others */
    int64_t ours[64];
    int taken_n, ours_n, asked;
    bool leads, away;
};

static bool has(const int64_t *list, int n, int64_t at)
{
    for (int i = 0; i < n; i++) {
        if (list[i] == at) {
            return true;
        }
    }
    return false;
}

static enum ia_rc claim(void *ctx, const char *schedule, int64_t due_ms, bool take,
                        enum ia_fire_owner *ret, struct ia_err *err)
{
    struct world *w = ctx;
    (void)schedule;
    w->asked++;
    if (w->away) {
        return ia_err_set(err, IA_E_IO, "away");
    }
    if (has(w->taken, w->taken_n, due_ms)) {
        *ret = IA_FIRE_TAKEN;
    } else if (has(w->ours, w->ours_n, due_ms)) {
        *ret = IA_FIRE_OURS;
    } else if (!w->leads) {
        *ret = IA_FIRE_WAITS;
    } else if (take) {
        w->ours[w->ours_n++] = due_ms;
        *ret = IA_FIRE_OURS;
    } else {
        *ret = IA_FIRE_FREE;
    }
    return IA_OK;
}

static void begin_world(struct rig *r, void **state, struct world *w,
                        const struct ia_schedule_row *row)
{
    *w = (struct world){.leads = false};
    open_rig(r, state);
    r->claim = claim;
    r->claim_ctx = w;
    add(r, row);
}

static int64_t next_of(struct rig *r)
{
    struct ia_schedule_row *row = NULL;
    assert_rc(IA_OK, ia_schedule_find(r->store, "hourly", &row, NULL));
    int64_t next_ms = row->next_ms;
    ia_schedule_row_free(row);
    return next_ms;
}

static void a_leader_claims_what_it_starts(void **state)
{
    struct rig r;
    struct world w;
    begin_world(&r, state, &w, &hourly);
    w.leads = true;
    advance(&r, HOUR);
    tick(&r);
    assert_int_equal(fires(&r, "hourly").runs, 1);
    assert_int_equal(w.ours_n, 1);
    assert_int_equal(w.ours[0], START_MS + HOUR);
    close_rig(&r);
}

static void another_machine_waits_without_a_trace_until_the_leader_has_claimed(void **state)
{
    struct rig r;
    struct world w;
    struct ia_schedule_row row = hourly;
    row.precheck = "exit 3"; /* it would leave a skipped row */
    begin_world(&r, state, &w, &row);
    advance(&r, HOUR);
    tick(&r);
    assert_int_equal(fires(&r, "hourly").n, 0);
    assert_int_equal(next_of(&r), START_MS + HOUR);
    assert_int_equal(r.next_ms, now(&r) + 1000); /* it looks again soon */
    w.taken[w.taken_n++] = START_MS + HOUR;
    tick(&r);
    assert_int_equal(fires(&r, "hourly").n, 0);
    assert_int_equal(r.told, 0);
    assert_int_equal(next_of(&r), START_MS + 2 * HOUR);
    close_rig(&r);
}

static void the_newest_that_another_took_settles_all_before_it(void **state)
{
    struct rig r;
    struct world w;
    struct ia_schedule_row row = hourly;
    row.missed = IA_MISSED_ALL;
    begin_world(&r, state, &w, &row);
    w.leads = true;
    advance(&r, 100 * HOUR);
    w.taken[w.taken_n++] = START_MS + 98 * HOUR;
    tick(&r);
    struct seen s = fires(&r, "hourly");
    assert_int_equal(s.runs, 2);
    assert_int_equal(s.n, 2);
    assert_int_equal(s.at[1], START_MS + 99 * HOUR);
    assert_int_equal(w.asked, IA_SCHEDULE_CATCH_UP + 2);
    close_rig(&r);
}

static void a_machine_goes_on_from_its_own_claim_although_it_leads_no_more(void **state)
{
    struct rig r;
    struct world w;
    struct ia_schedule_row row = hourly;
    row.missed = IA_MISSED_ALL;
    begin_world(&r, state, &w, &row);
    advance(&r, 5 * HOUR);
    w.taken[w.taken_n++] = START_MS + HOUR;
    w.ours[w.ours_n++] = START_MS + 2 * HOUR;
    w.taken[w.taken_n++] = START_MS + 3 * HOUR;
    tick(&r);
    struct seen s = fires(&r, "hourly");
    assert_int_equal(s.n, 1);
    assert_int_equal(s.runs, 1);
    assert_int_equal(s.at[0], START_MS + 2 * HOUR);
    assert_int_equal(next_of(&r), START_MS + 4 * HOUR);
    close_rig(&r);
}

static void what_is_a_machines_own_goes_by_its_policy(void **state)
{
    static const struct {
        enum ia_missed missed;
        int runs, skips;
    } cases[] = {{IA_MISSED_ALL, 2, 0}, {IA_MISSED_LATEST, 1, 1}, {IA_MISSED_SKIP, 0, 1}};
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        struct rig r;
        struct world w;
        struct ia_schedule_row row = hourly;
        row.missed = cases[i].missed;
        begin_world(&r, state, &w, &row);
        w.leads = true;
        advance(&r, 4 * HOUR + 30 * MINUTE);
        w.taken[w.taken_n++] = START_MS + HOUR;
        w.taken[w.taken_n++] = START_MS + 2 * HOUR;
        tick(&r);
        struct seen s = fires(&r, "hourly");
        print_message("%s\n", ia_missed_name(cases[i].missed));
        assert_int_equal(s.runs, cases[i].runs);
        assert_int_equal(s.skips, cases[i].skips);
        assert_int_equal(next_of(&r), START_MS + 5 * HOUR);
        assert_rc(IA_OK, ia_schedule_remove(r.store, "hourly", NULL, NULL));
        close_rig(&r);
    }
}

/* Its leadership ended, or the other was faster, between the question and the claim. */
static void a_claim_that_came_too_late_starts_nothing(void **state)
{
    struct rig r;
    struct world w;
    begin_world(&r, state, &w, &hourly);
    w.leads = true;
    advance(&r, HOUR);
    w.away = true;
    struct ia_err err = {0};
    assert_rc(IA_E_IO, try_tick(&r, &err));
    assert_int_equal(fires(&r, "hourly").n, 0);
    assert_int_equal(next_of(&r), START_MS + HOUR);
    w.away = false;
    tick(&r);
    assert_int_equal(fires(&r, "hourly").runs, 1);
    close_rig(&r);
}

static enum ia_rc claim_late(void *ctx, const char *schedule, int64_t due_ms, bool take,
                             enum ia_fire_owner *ret, struct ia_err *err)
{
    (void)schedule;
    (void)due_ms;
    (void)err;
    *ret = take ? *(enum ia_fire_owner *)ctx : IA_FIRE_FREE;
    return IA_OK;
}

static void who_loses_the_claim_itself_starts_nothing(void **state)
{
    static const enum ia_fire_owner owners[] = {IA_FIRE_WAITS, IA_FIRE_TAKEN};
    struct rig r;
    open_rig(&r, state);
    add(&r, &hourly);
    advance(&r, HOUR);
    for (size_t i = 0; i < IA_COUNTOF(owners); i++) {
        enum ia_fire_owner owner = owners[i];
        r.claim = claim_late;
        r.claim_ctx = &owner;
        tick(&r);
        assert_int_equal(fires(&r, "hourly").n, 0);
        assert_int_equal(r.told, 0);
        assert_int_equal(next_of(&r), START_MS + (owner == IA_FIRE_TAKEN ? 2 : 1) * HOUR);
    }
    close_rig(&r);
}

static void intervals_mean_the_same_times_on_all_machines(void **state)
{
    struct rig r;
    struct world w;
    struct ia_schedule_row row = hourly;
    row.kind = IA_SCHEDULE_EVERY;
    row.spec = "3600";
    w = (struct world){.leads = true};
    open_rig(&r, state);
    r.claim = claim;
    r.claim_ctx = &w;
    advance(&r, 17 * MINUTE + 345);
    add(&r, &row);
    assert_int_equal(next_of(&r), START_MS + HOUR + 17 * MINUTE + 345);
    tick(&r);
    assert_int_equal(next_of(&r), START_MS + HOUR);
    advance(&r, 2 * HOUR);
    tick(&r);
    assert_int_equal(w.ours_n, 2); /* what is left out is claimed like what runs */
    assert_int_equal(fires(&r, "hourly").at[0], START_MS + 2 * HOUR);
    assert_int_equal(next_of(&r), START_MS + 3 * HOUR);
    close_rig(&r);
}

/* It would begin with a time from before anybody wanted it. */
static void
an_interval_that_is_put_on_the_common_grid_skips_no_further_than_to_its_next_time(void **state)
{
    struct rig r;
    struct world w = {.leads = true};
    struct ia_schedule_row row = hourly;
    row.kind = IA_SCHEDULE_EVERY;
    row.spec = "3600";
    open_rig(&r, state);
    advance(&r, 50 * MINUTE);
    add(&r, &row);
    advance(&r, 30 * MINUTE); /* 01:20; it was due at 01:50 */
    r.claim = claim;
    r.claim_ctx = &w;
    tick(&r);
    assert_int_equal(fires(&r, "hourly").n, 0);
    assert_int_equal(next_of(&r), START_MS + 2 * HOUR);
    close_rig(&r);
}

#define T(name) cmocka_unit_test_setup_teardown(name, home_make, home_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(a_leader_claims_what_it_starts),
        T(another_machine_waits_without_a_trace_until_the_leader_has_claimed),
        T(the_newest_that_another_took_settles_all_before_it),
        T(a_machine_goes_on_from_its_own_claim_although_it_leads_no_more),
        T(what_is_a_machines_own_goes_by_its_policy),
        T(a_claim_that_came_too_late_starts_nothing),
        T(who_loses_the_claim_itself_starts_nothing),
        T(intervals_mean_the_same_times_on_all_machines),
        T(an_interval_that_is_put_on_the_common_grid_skips_no_further_than_to_its_next_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
