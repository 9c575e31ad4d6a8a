/* Clocks, cancel tokens, deadlines and ids: what waits, what ends a wait, and what is
 * reproducible. */
#include "test.h"

#include "base/cancel.h"
#include "base/clock.h"
#include "base/rand.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static void times_are_written_and_read_back(void **state)
{
    (void)state;
    static const struct {
        int64_t ms;
        const char *text;
    } rows[] = {
        {0, "1970-01-01T00:00:00.000Z"},
        {-1, "1969-12-31T23:59:59.999Z"},
        {1795228867123, "2026-11-21T02:41:07.123Z"},
        {951782400000, "2000-02-29T00:00:00.000Z"},
        {-62167219200000, "0000-01-01T00:00:00.000Z"},
        {-61978003200001, "0005-12-29T23:59:59.999Z"},
        {253402300799999, "9999-12-31T23:59:59.999Z"},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        char text[IA_ISO_SIZE];
        int64_t ms = 1;
        ia_iso_format(rows[i].ms, text);
        assert_string_equal(text, rows[i].text);
        assert_int_equal(ia_iso_parse(text, &ms), IA_OK);
        assert_true(ms == rows[i].ms);
    }
}

static void a_year_that_does_not_fit_is_all_zeros(void **state)
{
    (void)state;
    char text[IA_ISO_SIZE];
    ia_iso_format(253402300800000, text);
    assert_string_equal(text, "0000-00-00T00:00:00.000Z");
    ia_iso_format(INT64_MAX, text);
    assert_string_equal(text, "0000-00-00T00:00:00.000Z");
    ia_iso_format(INT64_MIN, text);
    assert_string_equal(text, "0000-00-00T00:00:00.000Z");
}

static void only_the_one_form_of_a_time_is_read(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",
        "2026-11-21",
        "2026-11-21T02:41:07",
        "2026-11-21T02:41:07.12Z",
        "2026-11-21T02:41:07.1234Z",
        "2026-11-21T02:41:07+01:00",
        "2026-11-21T02:41:07.123Zx",
        "2026-11-21 02:41:07.123Z",
        "2026-13-21T02:41:07.123Z",
        "2026-00-21T02:41:07.123Z",
        "2026-02-29T02:41:07.123Z",
        "2100-02-29T02:41:07.123Z",
        "2026-04-31T02:41:07.123Z",
        "2026-11-00T02:41:07.123Z",
        "2026-11-21T24:41:07.123Z",
        "2026-11-21T02:60:07.123Z",
        "2026-11-21T02:41:60.123Z",
        "-026-11-21T02:41:07.123Z",
    };
    int64_t ms = 42;
    for (size_t i = 0; i < IA_COUNTOF(bad); i++) {
        assert_int_equal(ia_iso_parse(bad[i], &ms), IA_E_PARSE);
    }
    assert_int_equal(ms, 42);
    assert_int_equal(ia_iso_parse("2024-02-29T00:00:00Z", &ms), IA_OK);
}

static void the_system_clock_goes_forward(void **state)
{
    (void)state;
    const struct ia_clock *clock = ia_clock_system();
    int64_t before = ia_mono_us(clock);
    assert_int_equal(ia_clock_wait(clock, NULL, before + 2000), IA_OK);
    assert_true(ia_mono_us(clock) >= before + 2000);
    assert_true(ia_wall_ms(clock) > 1700000000000);
    assert_int_equal(ia_clock_wait(clock, NULL, before), IA_OK);
}

static void a_virtual_wait_takes_no_time(void **state)
{
    (void)state;
    struct ia_vclock *vc = ia_vclock_new(1000);
    const struct ia_clock *clock = ia_vclock_clock(vc);
    assert_int_equal(ia_mono_us(clock), 0);
    assert_int_equal(ia_clock_wait(clock, NULL, 3600000000), IA_OK);
    assert_true(ia_mono_us(clock) == 3600000000);
    assert_true(ia_wall_ms(clock) == 1000 + 3600000);
    assert_int_equal(ia_clock_wait(clock, NULL, 5), IA_OK); /* the past: no step back */
    assert_true(ia_mono_us(clock) == 3600000000);
    ia_vclock_advance(vc, 1000);
    assert_true(ia_wall_ms(clock) == 1000 + 3600001);
    ia_vclock_free(vc);
    ia_vclock_free(NULL);
}

static void *fire(void *arg)
{
    ia_cancel_fire(arg);
    return NULL;
}

static void every_clock_is_woken_by_the_token(void **state)
{
    (void)state;
    struct ia_vclock *vc = ia_vclock_new(0);
    const struct ia_clock *clocks[] = {ia_clock_system(), ia_vclock_clock(vc)};
    for (size_t i = 0; i < IA_COUNTOF(clocks); i++) {
        struct ia_cancel *c = ia_cancel_new(NULL);
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, fire, c), 0);
        assert_int_equal(ia_clock_wait(clocks[i], c, IA_NO_DEADLINE), IA_E_CANCELLED);
        assert_int_equal(ia_clock_wait(clocks[i], c, 0), IA_E_CANCELLED);
        assert_int_equal(pthread_join(thread, NULL), 0);
        ia_cancel_free(c);
    }
    assert_int_equal(ia_mono_us(clocks[1]), 0);
    ia_vclock_free(vc);
}

static void the_token_counts_and_stays_fired(void **state)
{
    (void)state;
    struct ia_cancel *c = ia_cancel_new(NULL);
    assert_false(ia_cancel_fired(c));
    for (int i = 1; i <= 100000; i++) { /* more than a pipe holds */
        ia_cancel_fire(c);
    }
    assert_int_equal(ia_cancel_count(c), 100000);
    struct pollfd fd = {ia_cancel_fd(c), POLLIN, 0};
    assert_int_equal(poll(&fd, 1, 0), 1);
    ia_cancel_free(c);
    ia_cancel_free(NULL);
    ia_cancel_fire(NULL);
    assert_int_equal(ia_cancel_count(NULL), 0);
    assert_int_equal(ia_cancel_fd(NULL), -1);
}

static void a_poll_ends_by_data_deadline_or_token(void **state)
{
    (void)state;
    struct ia_cancel *c = ia_cancel_new(NULL);
    int fds[2];
    int ready = 0;
    assert_int_equal(pipe(fds), 0);
    struct pollfd fd = {fds[0], POLLIN, 0};
    int64_t now = ia_mono_us(ia_clock_system());
    assert_int_equal(ia_cancel_poll(c, &fd, 1, now + 2000, &ready), IA_E_TIMEOUT);
    assert_true(ia_mono_us(ia_clock_system()) >= now + 2000);
    assert_int_equal(ia_cancel_poll(c, &fd, 1, 0, &ready), IA_E_TIMEOUT);
    assert_int_equal(write(fds[1], "x", 1), 1);
    assert_int_equal(ia_cancel_poll(c, &fd, 1, IA_NO_DEADLINE, &ready), IA_OK);
    assert_int_equal(ready, 1);
    assert_int_equal(fd.revents, POLLIN);
    assert_int_equal(ia_cancel_poll(NULL, &fd, 1, 0, &ready),
                     IA_OK); /* data beats a late look */
    ia_cancel_fire(c);
    assert_int_equal(ia_cancel_poll(c, &fd, 1, IA_NO_DEADLINE, &ready), IA_E_CANCELLED);
    struct pollfd many[IA_POLL_MAX + 1] = {{0}};
    assert_int_equal(ia_cancel_poll(c, many, IA_POLL_MAX + 1, 0, &ready), IA_E_LIMIT);
    close(fds[0]);
    close(fds[1]);
    ia_cancel_free(c);
}

static void a_patient_token_waits_for_its_grace_while_it_is_held(void **state)
{
    (void)state;
    _Atomic(bool) hold = true;
    int ready = 0;
    struct ia_cancel *parent = ia_cancel_new(NULL);
    struct ia_cancel *c = ia_cancel_new_patient(parent, &hold, 60000);
    struct ia_cancel *hasty = ia_cancel_new_patient(parent, &hold, 0);
    struct ia_cancel *plain = ia_cancel_new_patient(parent, NULL, 60000);
    assert_false(ia_cancel_fired(c));
    int64_t soon = ia_mono_us(ia_clock_system()) + 2000;
    assert_int_equal(ia_cancel_poll(c, NULL, 0, soon, &ready), IA_E_TIMEOUT);
    ia_cancel_fire(parent);
    soon = ia_mono_us(ia_clock_system()) + 2000;
    assert_int_equal(ia_cancel_poll(c, NULL, 0, soon, &ready), IA_E_TIMEOUT);
    assert_false(ia_cancel_fired(c));
    assert_true(ia_cancel_fired(hasty) && ia_cancel_fired(plain));
    assert_int_equal(ia_cancel_poll(plain, NULL, 0, IA_NO_DEADLINE, &ready), IA_E_CANCELLED);
    hold = false;
    assert_true(ia_cancel_fired(c));
    assert_int_equal(ia_cancel_poll(c, NULL, 0, IA_NO_DEADLINE, &ready), IA_E_CANCELLED);
    ia_cancel_free(c);
    ia_cancel_free(hasty);
    ia_cancel_free(plain);
    c = ia_cancel_new_patient(NULL, NULL, 0);
    assert_false(ia_cancel_fired(c));
    ia_cancel_fire(c);
    assert_int_equal(ia_cancel_poll(c, NULL, 0, IA_NO_DEADLINE, &ready), IA_E_CANCELLED);
    ia_cancel_free(c);
    ia_cancel_free(parent);
}

static void a_patient_wait_notices_data_and_the_end_of_its_grace(void **state)
{
    (void)state;
    _Atomic(bool) hold = true;
    int fds[2], ready = 0;
    assert_int_equal(pipe(fds), 0);
    struct pollfd fd = {fds[0], POLLIN, 0};
    struct ia_cancel *parent = ia_cancel_new(NULL);
    struct ia_cancel *c = ia_cancel_new_patient(parent, &hold, 30);
    ia_cancel_fire(parent);
    assert_int_equal(write(fds[1], "x", 1), 1);
    assert_int_equal(ia_cancel_poll(c, &fd, 1, IA_NO_DEADLINE, &ready), IA_OK);
    assert_int_equal(ia_cancel_poll(c, NULL, 0, IA_NO_DEADLINE, &ready), IA_E_CANCELLED);
    close(fds[0]);
    close(fds[1]);
    ia_cancel_free(c);
    ia_cancel_free(parent);
}

static struct ia_cancel *on_alarm;

static void fire_on_alarm(int signo)
{
    (void)signo;
    ia_cancel_fire(on_alarm);
}

static void a_signal_handler_may_fire_the_token(void **state)
{
    (void)state;
    struct sigaction action = {.sa_handler = fire_on_alarm};
    struct sigaction before;
    on_alarm = ia_cancel_new(NULL);
    assert_int_equal(sigaction(SIGALRM, &action, &before), 0);
    (void)alarm(1);
    assert_int_equal(ia_clock_wait(ia_clock_system(), on_alarm, IA_NO_DEADLINE),
                     IA_E_CANCELLED);
    assert_int_equal(sigaction(SIGALRM, &before, NULL), 0);
    ia_cancel_free(on_alarm);
}

static void the_token_is_not_inherited(void **state)
{
    (void)state;
    struct ia_cancel *c = ia_cancel_new(NULL);
    assert_true((fcntl(ia_cancel_fd(c), F_GETFD) & FD_CLOEXEC) != 0);
    assert_true(ia_cancel_fd(c) > 2);
    ia_cancel_free(c);
}

static void ids_sort_by_time_and_repeat_with_a_seed(void **state)
{
    (void)state;
    struct ia_vclock *vc = ia_vclock_new(1795228867123);
    uint64_t s1 = 7, s2 = 7;
    struct ia_rand r1 = ia_rand_seeded(&s1);
    struct ia_rand r2 = ia_rand_seeded(&s2);
    char a[IA_ID_SIZE], b[IA_ID_SIZE], c[IA_ID_SIZE];
    ia_id_new(ia_vclock_clock(vc), &r1, a);
    ia_id_new(ia_vclock_clock(vc), &r2, b);
    ia_vclock_advance(vc, 1000);
    ia_id_new(ia_vclock_clock(vc), &r1, c);
    assert_string_equal(a, b);
    assert_true(strcmp(a, c) < 0);
    assert_memory_equal(a, "01a1fbfa-9a33-7", 15); /* the milliseconds, then the version */
    assert_non_null(strchr("89ab", a[19]));
    assert_true(ia_id_valid(a) && ia_id_valid(c));
    ia_vclock_free(vc);
}

static void malformed_ids_are_invalid(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",
        "01a4f6d9-c6f3-7abc-8def-0123456789a",
        "01a4f6d9-c6f3-7abc-8def-0123456789abc",
        "01a4f6d9-c6f3-7abc-8def_0123456789ab",
        "01A4f6d9-c6f3-7abc-8def-0123456789ab",
        "g1a4f6d9-c6f3-7abc-8def-0123456789ab",
    };
    for (size_t i = 0; i < IA_COUNTOF(bad); i++) {
        assert_false(ia_id_valid(bad[i]));
    }
    assert_false(ia_id_valid(NULL));
    assert_true(ia_id_valid("01a4f6d9-c6f3-7abc-8def-0123456789ab"));
}

static void seeded_numbers_are_the_published_ones(void **state)
{
    (void)state;
    uint64_t seed = 1234567; /* the sequence in the SplitMix64 reference program */
    struct ia_rand r = ia_rand_seeded(&seed);
    assert_true(ia_rand_next(&r) == UINT64_C(6457827717110365317));
    assert_true(ia_rand_next(&r) == UINT64_C(3203168211198807973));
    assert_true(ia_rand_next(ia_rand_system()) != ia_rand_next(ia_rand_system()));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_are_written_and_read_back),
        cmocka_unit_test(a_year_that_does_not_fit_is_all_zeros),
        cmocka_unit_test(only_the_one_form_of_a_time_is_read),
        cmocka_unit_test(the_system_clock_goes_forward),
        cmocka_unit_test(a_virtual_wait_takes_no_time),
        cmocka_unit_test(every_clock_is_woken_by_the_token),
        cmocka_unit_test(the_token_counts_and_stays_fired),
        cmocka_unit_test(a_poll_ends_by_data_deadline_or_token),
        cmocka_unit_test(a_patient_token_waits_for_its_grace_while_it_is_held),
        cmocka_unit_test(a_patient_wait_notices_data_and_the_end_of_its_grace),
        cmocka_unit_test(a_signal_handler_may_fire_the_token),
        cmocka_unit_test(the_token_is_not_inherited),
        cmocka_unit_test(ids_sort_by_time_and_repeat_with_a_seed),
        cmocka_unit_test(malformed_ids_are_invalid),
        cmocka_unit_test(seeded_numbers_are_the_published_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
