#include "child.h"

#include "home.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

struct child child_start(int (*fn)(void *ctx, int in, int out), void *ctx)
{
    int down[2], up[2];
    assert_int_equal(pipe(down), 0);
    assert_int_equal(pipe(up), 0);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        close(down[1]);
        close(up[0]);
        _exit(fn(ctx, down[0], up[1]));
    }
    close(down[0]);
    close(up[1]);
    return (struct child){pid, down[1], up[0]};
}

void tell(int out, char c)
{
    while (write(out, &c, 1) < 0 && errno == EINTR) {
    }
}

int hear(int in)
{
    char c = 0;
    ssize_t n = 0;
    do {
        n = read(in, &c, 1);
    } while (n < 0 && errno == EINTR);
    return n == 1 ? (unsigned char)c : -1;
}

int child_byte(const struct child *c)
{
    return hear(c->from);
}

void child_go(const struct child *c)
{
    tell(c->to, 'g');
}

int child_wait(struct child *c)
{
    int status = 0;
    close(c->to);
    while (waitpid(c->pid, &status, 0) < 0 && errno == EINTR) {
    }
    close(c->from);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void child_kill(struct child *c)
{
    kill(c->pid, SIGKILL);
    (void)child_wait(c);
}
