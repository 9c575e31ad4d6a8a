/* The XCTest runner on a simulator that is a simulated phone: what is launched there by simctl's
 * stand-in, and what is tapped over the wire, is one screen.
 *
 *   fakexcode launch ─► the file FAKE_RUNNER_FRONT: a bundle id ─► read before each request
 *
 * The one app that is no app of the phone, com.example.App, is its Settings under another name. */
#include "driver/embedded/serve/impl.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define APP "com.example.App"
#define REALLY "com.apple.Preferences"
enum { NAME_CAP = 256 };

static struct ia_bridge *bridge;
static char front[NAME_CAP];

static const char *env(const char *name)
{
    const char *text = getenv(name);
    return text ? text : "";
}

static void read_front(char ret[NAME_CAP])
{
    FILE *f = fopen(env("FAKE_RUNNER_FRONT"), "re");
    ret[0] = '\0';
    if (f) {
        if (!fgets(ret, NAME_CAP, f)) {
            ret[0] = '\0';
        }
        (void)fclose(f);
    }
}

/* What simctl launched since the last request comes to the front. */
static void follow(struct ia_serve *s)
{
    char now[NAME_CAP];
    struct ia_err err;
    read_front(now);
    if (strcmp(now, front) != 0 && now[0] != '\0') {
        memcpy(front, now, sizeof(front));
        (void)ia_device_launch(s->phone, NULL, strcmp(now, APP) == 0 ? REALLY : now, &err);
        ia_serve_set_target(s, "");
    }
}

static void rename_to(const char **name, const char *from, const char *to)
{
    if (*name && strcmp(*name, from) == 0) {
        *name = to;
    }
}

static void perform(void *ctx, const struct ia_wire_request *req,
                    const struct ia_bridge_call *call, struct ia_wire_reply *reply)
{
    struct ia_wire_request meant = *req;
    follow(ctx);
    switch (req->op) {
    case IA_WIRE_OP_LAUNCH:
        rename_to(&meant.u.launch.bundle_id, APP, REALLY);
        break;
    case IA_WIRE_OP_TERMINATE:
    case IA_WIRE_OP_STATE:
    case IA_WIRE_OP_TARGET:
        rename_to(&meant.u.bundle.bundle_id, APP, REALLY);
        break;
    case IA_WIRE_OP_TREE:
        rename_to(&meant.u.tree.app, APP, REALLY);
        break;
    default:
        break;
    }
    ia_serve_perform(ctx, &meant, call, reply);
    if (strcmp(front, APP) != 0) {
        return; /* Settings as itself */
    }
    if (req->op == IA_WIRE_OP_TREE && reply->has_body) {
        rename_to(&reply->u.tree.app, REALLY, APP);
    } else if (req->op == IA_WIRE_OP_INFO && reply->has_body) {
        rename_to(&reply->u.info.bundle_id, REALLY, APP);
    }
}

static void stop(int signo)
{
    (void)signo;
    ia_bridge_stop(bridge);
}

int main(void)
{
    struct ia_serve_options phone = {
        .phone = {.folder = (char *)env("FAKE_RUNNER_PHONES"), .name = "sim"},
        .server = "the phone of a stand-in"};
    struct ia_serve *serve = NULL;
    struct ia_err err;
    struct ia_wire_fault fault;
    char server[NAME_CAP];
    (void)snprintf(server, sizeof(server), "ios-agent %s xcuitest", env("FAKE_RUNNER_VERSION"));
    if (ia_serve_open(&phone, &serve, &err) != IA_OK) {
        (void)fprintf(stderr, "BRIDGE_FAILED %s\n", err.msg);
        return 1;
    }
    struct ia_bridge_ops ops = {.ctx = serve,
                                .can = ia_serve_can,
                                .features = IA_WIRE_FEATURE_SIMULATED | IA_WIRE_FEATURE_INSTANT,
                                .perform = perform};
    struct ia_bridge_options opt = {.port = (uint16_t)strtoul(env("BRIDGE_PORT"), NULL, 10),
                                    .token = env("BRIDGE_TOKEN"),
                                    .server = server,
                                    .udid = env("SIMULATOR_UDID")};
    if (!ia_bridge_open(&opt, &ops, &bridge, &fault)) {
        (void)fprintf(stderr, "BRIDGE_FAILED %s\n", fault.text);
        return 1;
    }
    (void)signal(SIGTERM, stop);
    printf("BRIDGE_READY port=%u quiescence=%s\n", (unsigned)ia_bridge_port(bridge),
           env("BRIDGE_QUIESCENCE"));
    (void)fflush(stdout);
    ia_bridge_run(bridge);
    ia_bridge_close(bridge);
    ia_serve_close(serve);
    return 0;
}
