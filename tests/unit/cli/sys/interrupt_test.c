#include "test.h"

#include "cli/sys/interrupt.h"

#include <signal.h>

static void (*handler_of(int signo))(int)
{
    struct sigaction sa;
    assert_int_equal(sigaction(signo, NULL, &sa), 0);
    return sa.sa_handler;
}

static void a_signal_cancels_and_is_given_back_afterwards(void **state)
{
    (void)state;
    struct ia_cancel *cancel = ia_cancel_new(NULL);
    ia_interrupt_install(cancel, -1);
    raise(SIGTERM);
    assert_true(ia_cancel_fired(cancel));
    ia_interrupt_remove();
    assert_true(handler_of(SIGTERM) == SIG_DFL);
    ia_cancel_free(cancel);
}

static void ctrl_c_ends_the_work_and_other_signals_leave_it_for_later(void **state)
{
    (void)state;
    static const struct {
        int signo;
        bool later;
    } cases[] = {{SIGINT, false}, {SIGTERM, true}, {SIGHUP, true}};
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        struct ia_cancel *cancel = ia_cancel_new(NULL);
        ia_interrupt_install(cancel, -1);
        raise(cases[i].signo);
        assert_true(*ia_interrupt_flag());
        assert_int_equal(*ia_interrupt_later_flag(), cases[i].later);
        ia_interrupt_remove();
        assert_false(*ia_interrupt_later_flag());
        ia_cancel_free(cancel);
    }
}

/* The system sends one when the terminal closes, and its shell another. */
static void a_second_hangup_does_not_end_the_process(void **state)
{
    (void)state;
    struct ia_cancel *cancel = ia_cancel_new(NULL);
    ia_interrupt_install(cancel, -1);
    raise(SIGTERM);
    raise(SIGHUP);
    raise(SIGHUP);
    assert_int_equal(ia_cancel_count(cancel), 1);
    ia_interrupt_remove();
    ia_cancel_free(cancel);
}

/* As under nohup(1). */
static void an_ignored_hangup_stays_ignored(void **state)
{
    (void)state;
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    assert_int_equal(sigaction(SIGHUP, &ignore, NULL), 0);
    struct ia_cancel *cancel = ia_cancel_new(NULL);
    ia_interrupt_install(cancel, -1);
    raise(SIGHUP);
    assert_false(ia_cancel_fired(cancel));
    ia_interrupt_remove();
    assert_true(handler_of(SIGHUP) == SIG_IGN);
    ia_cancel_free(cancel);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_signal_cancels_and_is_given_back_afterwards),
        cmocka_unit_test(ctrl_c_ends_the_work_and_other_signals_leave_it_for_later),
        cmocka_unit_test(a_second_hangup_does_not_end_the_process),
        cmocka_unit_test(an_ignored_hangup_stays_ignored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
