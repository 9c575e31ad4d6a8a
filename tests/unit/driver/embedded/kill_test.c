/* Killed around the writing of an operation: it either never was, or it is done. This program's
 * own process never drives a phone with a log, because a kill point reads its setting once. */
#include "phone_fixture.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

/* Opens Contacts, then Settings, in a process that is killed at the given pass of the point. */
static void run_and_be_killed(const char *folder, const char *kill_at)
{
    pid_t pid = fork();
    if (pid == 0) {
        setenv("IOS_AGENT_KILL_AT", kill_at, 1);
        struct ia_embedded_options opt = {.folder = folder, .name = "a"};
        struct ia_device *d = NULL;
        if (ia_embedded_open(&opt, &d, NULL) == IA_OK) {
            (void)d->ops->launch(d, &no_limit, CONTACTS, NULL);
            (void)d->ops->launch(d, &no_limit, SETTINGS, NULL);
        }
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

static void a_killed_operation_is_done_or_never_was(void **state)
{
    (void)state;
    static const struct {
        const char *kill_at, *screen;
    } rows[] = {
        {"embedded.log.before:1", "\"screen\":\"Home Screen\""},
        {"embedded.log.after:1", "\"screen\":\"Contacts\""},
        {"embedded.log.before:2", "\"screen\":\"Contacts\""},
        {"embedded.log.after:2", "\"screen\":\"Settings\""},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        char *folder = folder_new();
        run_and_be_killed(folder, rows[i].kill_at);
        struct ia_device *d = phone_open(folder, "a");
        assert_true(state_has(d, rows[i].screen));
        ia_device_close(d);
        folder_remove(folder);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_killed_operation_is_done_or_never_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
