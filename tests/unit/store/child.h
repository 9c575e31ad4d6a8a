/* child.h: a forked process that a test talks to over pipes. Fork before the parent opens a
 * store of its own: SQLite connections must not cross a fork. */
#ifndef IA_TESTS_UNIT_STORE_CHILD_H
#define IA_TESTS_UNIT_STORE_CHILD_H

#include <sys/types.h>

struct child {
    pid_t pid;
    int to;   /* write end: the child's `in` */
    int from; /* read end: the child's `out` */
};

/* Runs fn(ctx, in, out) in a child, whose exit status is what fn returns. */
struct child child_start(int (*fn)(void *ctx, int in, int out), void *ctx);
/* Waits for a byte from the child; -1 when it ended instead. */
int child_byte(const struct child *c);
void child_go(const struct child *c); /* sends it a byte */
void child_kill(struct child *c);     /* SIGKILL, and waits */
int child_wait(struct child *c);      /* exit status, or 128 + signal */

/* For the child: tells the parent, waits for the parent (false when it is gone). */
void tell(int out, char c);
int hear(int in);

#endif
