/* client.c: a call: connect or start, exchange, and what two builds do about each other.
 *
 *   answer                  ─► done
 *   answer "again"          ─► a daemon that ends, or of another version: nothing was done there, so
 *                              the call is made again, at its successor, for a while
 *   failed, nothing sent    ─► the connection had been closed meanwhile: once more on a new one
 *   failed, sent            ─► never again; err->outcome is unknown
 */
#include "base/clock.h"
#include "base/fd.h"
#include "base/paths.h"
#include "client/build.h"
#include "client/connection.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SPARE_MS = 2000, AGAIN_MAX_MS = 10000, AGAIN_PAUSE_MS = 20, LOST_MAX = 5 };

struct ia_client *ia_client_new(const struct ia_client_opts *opts, struct ia_err *err)
{
    struct ia_paths paths = {.home = NULL};
    if (!opts->home && ia_paths_find(NULL, &paths, err) != IA_OK) {
        return NULL;
    }
    struct ia_client *c = ia_calloc(1, sizeof(*c));
    *c = (struct ia_client){.opts = *opts,
                            .home = ia_strdup(opts->home ? opts->home : paths.home),
                            .fd = -1,
                            .out = IA_BUF(IA_CLIENT_ANSWER_MAX)};
    c->opts.home = c->home;
    ia_paths_fini(&paths);
    return c;
}

void ia_client_free(struct ia_client *c)
{
    if (c) {
        ia_client_hang_up(c);
        ia_buf_fini(&c->out);
        free(c->home);
        free(c);
    }
}

bool ia_client_unwanted(void)
{
    const char *no = ia_env_get(NULL, "IOS_AGENT_NO_DAEMON");
    return no && strcmp(no, "0") != 0;
}

static enum ia_rc nobody(const struct ia_client *c, struct ia_err *err)
{
    enum ia_rc rc = ia_err_set(err, IA_E_NOT_FOUND, "no daemon runs for %s", c->home);
    ia_err_hint(err, "commands that need one start it; ios-agent daemon runs it here");
    return rc;
}

static enum ia_rc connect_or_start(struct ia_client *c, struct ia_err *err)
{
    struct ia_address address;
    enum ia_rc rc = ia_address_find(c->home, false, &address, err);
    if (rc != IA_OK || ia_client_dial(c, &address)) {
        return rc;
    }
    /* Nobody listens (whatever lies there); anything else, such as a lack of descriptors, is not
     * helped by a daemon. */
    if (errno != ENOENT && errno != ECONNREFUSED && errno != ENOTSOCK && errno != ENOTDIR) {
        return ia_err_set(err, IA_E_IO, "cannot connect to the daemon at %s: %s", address.path,
                          strerror(errno));
    }
    return c->opts.start ? ia_client_start(c, err) : nobody(c, err);
}

/* Once a client: a person learns why a command was slower, a script nothing that it would obey. */
static void tell_of_builds(struct ia_client *c, const struct ia_client_answer *a)
{
    char line[256] = "";
    int order = a->build[0] != '\0' ? ia_build_compare(a->build, ia_build_id()) : 0;
    if (a->drains) {
        (void)snprintf(line, sizeof(line),
                       "ios-agent: the daemon is an older build (%s): it ends when its work is "
                       "done, and the next command starts this one\n",
                       a->build);
    } else if (order > 0 && isatty(STDERR_FILENO)) {
        (void)snprintf(line, sizeof(line),
                       "ios-agent: the daemon is a newer build (%s) than this command (%s)\n",
                       a->build, ia_build_id());
    }
    if (line[0] != '\0' && !c->told && !c->opts.quiet) {
        c->told = true;
        (void)ia_write_all(STDERR_FILENO, line, strlen(line));
    }
}

static enum ia_rc other_version(const struct ia_client_answer *a, struct ia_err *err)
{
    int order = ia_build_compare(a->build, ia_build_id());
    enum ia_rc rc =
        order == 0
            ? ia_err_set(err, IA_E_DAEMON_VERSION,
                         "the daemon was told to stop, and a command is still in its hand")
            : ia_err_set(err, IA_E_DAEMON_VERSION,
                         "the daemon (build %s) still works for another version of "
                         "ios-agent than this one (%s)",
                         a->build, ia_build_id());
    ia_err_hint(err, order > 0
                         ? "it is newer: use the ios-agent that started it, or upgrade this one"
                         : "try again when its work is done (ios-agent daemon status), or end "
                           "it: ios-agent daemon stop --now");
    if (err) {
        err->outcome = IA_OUTCOME_NOT_SENT;
    }
    return rc;
}

static void pause_for(int64_t ms)
{
    const struct ia_clock *clock = ia_clock_system();
    (void)ia_clock_wait(clock, NULL, ia_mono_us(clock) + ms * 1000);
}

enum ia_rc ia_client_call(struct ia_client *c, const struct ia_client_request *request,
                          struct ia_client_answer *ret, struct ia_err *err)
{
    const struct ia_clock *clock = ia_clock_system();
    struct ia_client_request q = *request;
    q.deadline_ms = q.deadline_ms > 0 ? q.deadline_ms : IA_CLIENT_DEADLINE_MS;
    int64_t give_up_us = ia_mono_us(clock) + AGAIN_MAX_MS * INT64_C(1000);
    *ret = (struct ia_client_answer){.body = IA_BUF(IA_CLIENT_ANSWER_MAX), .exit_status = -1};
    for (int lost = 0;;) {
        enum ia_rc rc = c->fd >= 0 ? IA_OK : connect_or_start(c, err);
        if (rc != IA_OK) {
            return rc;
        }
        enum ia_client_sent sent;
        int64_t until_us = ia_mono_us(clock) + (q.deadline_ms + SPARE_MS) * 1000;
        ia_client_answer_fini(ret);
        *ret =
            (struct ia_client_answer){.body = IA_BUF(IA_CLIENT_ANSWER_MAX), .exit_status = -1};
        rc = ia_client_exchange(c, &q, until_us, ret, &sent, err);
        if (rc == IA_OK && !ret->again) {
            tell_of_builds(c, ret);
            return IA_OK;
        }
        bool retry = rc == IA_OK
                         ? ia_mono_us(clock) < give_up_us
                         : sent == IA_CLIENT_NOTHING_SENT && rc == IA_E_IO && lost++ < LOST_MAX;
        if (!retry) {
            return rc == IA_OK ? other_version(ret, err) : rc;
        }
        if (rc == IA_OK) {
            ia_client_hang_up(c);
            pause_for(AGAIN_PAUSE_MS);
        }
    }
}
