/* mcp: tools for coding agents over standard input and output.
 *
 * Only messages go to stdout. What is not answered from memory is done in the daemon, which owns the
 * devices and the runs; with --no-daemon in this process, which opens devices and the database when
 * the first tool needs them. */
#include "app/runs.h"
#include "cli/cmd/cmd.h"
#include "cli/sys/interrupt.h"
#include "client/build.h"
#include "client/client.h"
#include "server/hub/hub.h"
#include "server/mcp/core/stdio.h"
#include "server/mcp/mcp_server.h"
#include "server/mcp/relay.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RUNS_GRACE_MS = 100 };

/* What the tools of this process work with. */
struct here {
    struct ia_cli *c;
    struct ia_paths paths;
    struct ia_hub *hub; /* NULL: all is done in the daemon */
    struct ia_mcp_server *server;
    pthread_mutex_t mutex; /* guards what follows: opened by the first tool that needs it */
    struct ia_setup setup;
    struct ia_runs *runs;
};

static enum ia_rc open_runs(struct here *h, struct ia_err *err)
{
    enum ia_rc rc = ia_setup_store(&h->setup, "ios-agent mcp", err);
    if (rc == IA_OK) {
        const struct ia_runs_opts opts = {.setup = &h->setup,
                                          .credentials = &h->c->credentials};
        rc = ia_runs_open(&opts, &h->runs, err);
    }
    if (rc != IA_OK) {
        ia_setup_close(&h->setup);
        h->setup = (struct ia_setup){.store = NULL};
    }
    return rc;
}

static enum ia_rc get_runs(void *ctx, struct ia_runs **ret, const struct ia_setup **ret_setup,
                           struct ia_err *err)
{
    struct here *h = ctx;
    pthread_mutex_lock(&h->mutex);
    enum ia_rc rc = h->runs ? IA_OK : open_runs(h, err);
    *ret = h->runs;
    *ret_setup = &h->setup;
    pthread_mutex_unlock(&h->mutex);
    return rc;
}

static enum ia_rc open_here(struct here *h, struct ia_err *err)
{
    pthread_mutex_init(&h->mutex, NULL);
    /* Nobody is there to type one: standard input speaks the protocol. */
    h->c->credentials.passphrase = NULL;
    bool alone = ia_args_has(&h->c->args, "no-daemon") || ia_client_unwanted();
    enum ia_rc rc = ia_paths_find(NULL, &h->paths, err);
    if (rc == IA_OK && alone) {
        h->hub =
            ia_hub_new(&(struct ia_hub_opts){.paths = &h->paths, .command = "ios-agent mcp"});
    }
    if (rc == IA_OK) {
        const struct ia_mcp_host host = {
            .hub = h->hub, .runs = get_runs, .ctx = h, .version = ia_build_version()};
        rc = ia_mcp_server_new(&host, &h->server, err);
    }
    return rc;
}

/* A run in hand goes back to the queue, where it can be resumed. One that does not stop in time is
 * recovered at the next start. */
static void close_here(struct here *h)
{
    struct ia_err err;
    if (h->runs && ia_runs_close(h->runs, RUNS_GRACE_MS, &err) != IA_OK) {
        _exit(0);
    }
    ia_mcp_server_free(h->server);
    ia_hub_free(h->hub);
    ia_setup_close(&h->setup);
    ia_paths_fini(&h->paths);
    pthread_mutex_destroy(&h->mutex);
}

static struct ia_mcp_peer peer_of(const struct ia_args *a)
{
    const char *tools = ia_args_text(a, "tools");
    bool full = tools && strcmp(tools, "full") == 0;
    return (struct ia_mcp_peer){
        .device = getenv("IOS_AGENT_DEVICE"),
        .without = (full ? 0 : (unsigned)IA_MCP_TOOL_MORE) |
                   (ia_args_has(a, "read-only") ? (unsigned)IA_MCP_TOOL_ACTS : 0),
        .demo = ia_args_has(a, "demo"),
        .structured = ia_args_has(a, "structured"),
    };
}

static enum ia_rc serve(struct here *h, struct ia_err *err)
{
    const struct ia_mcp_peer peer = peer_of(&h->c->args);
    struct ia_cancel *stop = ia_cancel_new(err);
    if (!stop) {
        return err->code;
    }
    struct ia_mcp *mcp = ia_mcp_server_core(h->server);
    struct ia_mcp_relay *relay =
        h->hub ? NULL : ia_mcp_relay_new(mcp, &peer, &h->c->credentials);
    const struct ia_mcp_stdio_opts opts = {.mcp = mcp,
                                           .peer = &peer,
                                           .in = STDIN_FILENO,
                                           .out = STDOUT_FILENO,
                                           .stop = stop,
                                           .forward = relay ? ia_mcp_relay_forward : NULL,
                                           .forward_ctx = relay};
    ia_interrupt_install(stop, -1);
    enum ia_rc rc = ia_mcp_stdio(&opts, err);
    if (rc == IA_E_TIMEOUT) {
        _exit(0); /* a call uses what would be freed */
    }
    ia_mcp_relay_free(relay);
    ia_interrupt_remove();
    ia_cancel_free(stop);
    return rc;
}

enum ia_rc ia_cmd_mcp(struct ia_cli *c, struct ia_err *err)
{
    struct here h = {.c = c};
    c->printed = true;
    enum ia_rc rc = open_here(&h, err);
    if (rc == IA_OK) {
        rc = serve(&h, err);
    }
    close_here(&h);
    return rc;
}
