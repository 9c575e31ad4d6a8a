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
        cmocka_unit_test(an_ignored_hangup_stays_ignored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
