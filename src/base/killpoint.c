/* killpoint.c: sends the process a signal at the asked pass of a named point. SIGKILL where nothing
 * else is asked for, because no handler, no buffer and no destructor may run: what is not on the
 * disk by then is lost. */
#include "base/killpoint.h"

#include "base/base.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char *wanted; /* NULL: no point kills */
static atomic_long passes_left;
static int signo = SIGKILL;

static void read_signal(const char *name)
{
    static const struct {
        const char *name;
        int signo;
    } asking[] = {{"TERM", SIGTERM}, {"HUP", SIGHUP}, {"INT", SIGINT}, {"STOP", SIGSTOP}};
    for (size_t i = 0; name && i < IA_COUNTOF(asking); i++) {
        signo = strcmp(name, asking[i].name) == 0 ? asking[i].signo : signo;
    }
}

static void read_environment(void)
{
    const char *value = getenv("IOS_AGENT_KILL_AT");
    if (!value || !*value) {
        return;
    }
    const char *colon = strrchr(value, ':');
    size_t n = colon ? (size_t)(colon - value) : strlen(value);
    long count = colon ? strtol(colon + 1, NULL, 10) : 1;
    atomic_store(&passes_left, count);
    read_signal(getenv("IOS_AGENT_KILL_WITH"));
    wanted = ia_strndup(value, n);
}

void ia_kill_point(const char *name)
{
    pthread_once(&once, read_environment);
    if (wanted && strcmp(wanted, name) == 0 && atomic_fetch_sub(&passes_left, 1) == 1) {
        /* To this thread: it has been handled when raise returns. */
        (void)raise(signo);
        if (signo == SIGKILL) {
            (void)pause();
        }
    }
}
