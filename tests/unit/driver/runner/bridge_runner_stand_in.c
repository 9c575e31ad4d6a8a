/* The XCTest runner as far as its host can tell: the bridge's own core, with the environment of
 * the real one. FAKE_RUNNER_FAULT makes it go wrong:
 *
 *   die              ends at once, with a line on stderr
 *   crash            ends at once by a signal
 *   hang             runs and never listens
 *   no-answer        listens and never answers
 *   taken            says that its port is taken, and ends
 *   die-later        ends when the screen is first asked for
 *   other-token      wants another token than the one it was given
 *   ignore-sigterm   does not end when asked on the wire, nor by SIGTERM
 *   ignore-stop      does not end when asked on the wire */
#include "core/core.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static bool fault_is(const char *name)
{
    const char *fault = getenv("FAKE_RUNNER_FAULT");
    return fault && strcmp(fault, name) == 0;
}

static void wait_for_ever(void)
{
    for (;;) {
        (void)pause();
    }
}

static void listen_only(uint16_t port)
{
    struct sockaddr_in a = {.sin_family = AF_INET,
                            .sin_port = htons(port),
                            .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(fd, (const struct sockaddr *)&a, sizeof(a)) == 0 && listen(fd, 8) == 0) {
        wait_for_ever();
    }
}

static void go_wrong(uint16_t port)
{
    if (fault_is("die")) {
        (void)fprintf(stderr, "dyld: Library not loaded: @rpath/XCTest.framework/XCTest\n");
        exit(1);
    }
    if (fault_is("crash")) {
        (void)raise(SIGKILL);
    }
    if (fault_is("taken")) {
        (void)fprintf(stderr, "BRIDGE_FAILED port %u: Address already in use\n",
                      (unsigned)port);
        exit(0);
    }
    if (fault_is("hang")) {
        printf("Running tests...\nTest Suite 'All tests' started\n");
        (void)fflush(stdout);
        wait_for_ever();
    }
    if (fault_is("no-answer")) {
        listen_only(port);
    }
}

static void perform(void *ctx, const struct ia_wire_request *req,
                    const struct ia_bridge_call *call, struct ia_wire_reply *reply)
{
    static const struct ia_wire_node root = {
        .type = 2, .flags = 1, .frame = {0, 0, 393, 852}, .label = "Stand-in"};
    (void)ctx;
    (void)call;
    if (req->op == IA_WIRE_OP_INFO) {
        reply->u.info = (struct ia_wire_info_reply){.kind = "stand-in",
                                                    .name = "a stand-in",
                                                    .os = "iOS 26.2",
                                                    .width_pt = 393,
                                                    .height_pt = 852,
                                                    .scale = 3,
                                                    .orientation = 1};
        ia_wire_reply_ok(reply, false);
        return;
    }
    if (req->op == IA_WIRE_OP_TREE) {
        if (fault_is("die-later")) {
            _exit(1);
        }
        reply->u.tree = (struct ia_wire_tree_reply){
            .app = "com.example.stand-in", .visited = 1, .nodes = &root, .nodes_n = 1};
        ia_wire_reply_ok(reply, false);
        return;
    }
    ia_wire_reply_fail(reply, IA_WIRE_E_UNSUPPORTED, IA_WIRE_NOT_SENT, false, "a stand-in");
}

int main(void)
{
    const char *port = getenv("BRIDGE_PORT");
    const char *quiescence = getenv("BRIDGE_QUIESCENCE");
    const char *version = getenv("FAKE_RUNNER_VERSION");
    char server[128];
    struct ia_bridge *b = NULL;
    struct ia_wire_fault fault;
    struct ia_bridge_ops ops = {
        .can = IA_WIRE_BIT(IA_WIRE_OP_INFO) | IA_WIRE_BIT(IA_WIRE_OP_TREE), .perform = perform};
    struct ia_bridge_options opt = {.port = (uint16_t)strtoul(port ? port : "0", NULL, 10),
                                    .token = getenv("BRIDGE_TOKEN"),
                                    .server = server,
                                    .udid = getenv("SIMULATOR_UDID")};
    (void)snprintf(server, sizeof(server), "ios-agent %s xcuitest", version ? version : "0");
    if (opt.port == 0 || !opt.token || strlen(opt.token) != 64 || !quiescence) {
        (void)fprintf(stderr, "BRIDGE_FAILED the environment is not a runner's\n");
        return 1;
    }
    go_wrong(opt.port);
    if (fault_is("ignore-sigterm")) {
        struct sigaction ignore = {.sa_handler = SIG_IGN};
        (void)sigaction(SIGTERM, &ignore, NULL);
    }
    if (fault_is("other-token")) {
        opt.token = "another";
    }
    if (!ia_bridge_open(&opt, &ops, &b, &fault)) {
        (void)fprintf(stderr, "BRIDGE_FAILED %s\n", fault.text);
        return 1;
    }
    printf("BRIDGE_READY port=%u quiescence=%s\n", (unsigned)ia_bridge_port(b), quiescence);
    (void)fflush(stdout);
    ia_bridge_run(b);
    if (fault_is("ignore-sigterm") || fault_is("ignore-stop")) {
        wait_for_ever();
    }
    ia_bridge_close(b);
    return 0;
}
