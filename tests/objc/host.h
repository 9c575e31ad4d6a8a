/* host.h: a host of the bridge for tests: starts the program, speaks the wire, ends it.
 *
 * BRIDGE_PROGRAM is the program; BRIDGE_WRAPPER, words before it (valgrind and its options).
 * Everything here fails the test rather than return. No wait has an end of its own: CTest's
 * time limit ends what hangs. */
#ifndef IA_TESTS_OBJC_HOST_H
#define IA_TESTS_OBJC_HOST_H

#include <sys/types.h>

#include "wire/wire.h"

#define HOST_TOKEN "a token of tests"
#define FAKE_APP "com.example.fake"

struct host {
    pid_t pid;
    int out; /* its stdout */
    uint16_t port;
};
struct link {
    int fd;
    uint32_t next_id, session;
    struct ia_wire_hello_reply hello; /* its texts are not kept */
    struct ia_wire_reader reader;
};

/* Starts it with those variables besides PATH and what sanitizers need; name, value, …, NULL.
 * It listens when this returns. */
void host_start(struct host *h, ...);
/* Asks it to end and returns its exit status: of a leak checker too. */
int host_stop(struct host *h);
void host_kill(struct host *h);

void link_open(struct link *l, const struct host *h);
/* Without hello. */
void link_connect(struct link *l, const struct host *h);
void link_close(struct link *l);
/* Sends a request with an id of its own, which is returned. */
uint32_t link_send(struct link *l, const struct ia_wire_request *req);
/* The next reply; give it to ia_wire_reply_fini. */
void link_receive(struct link *l, struct ia_wire_reply *ret);
void link_call(struct link *l, const struct ia_wire_request *req, struct ia_wire_reply *ret);

/* ---- requests that tests make often ---- */

/* It must succeed with that outcome. */
void must(struct link *l, const struct ia_wire_request *req, enum ia_wire_outcome outcome);
/* It must fail with that code and outcome, and say why. */
void refused(struct link *l, const struct ia_wire_request *req, enum ia_wire_code code,
             enum ia_wire_outcome outcome);

/* A fresh launch of the fake app; name, value, …, NULL of its environment. */
void launch_fake(struct link *l, ...);
/* The target's tree, default options; give it to ia_wire_reply_fini. */
void take_tree(struct link *l, struct ia_wire_reply *ret);
/* By identifier; NULL when there is none. */
const struct ia_wire_node *find_node(const struct ia_wire_reply *tree, const char *identifier);
/* The label (value where there is no label) of a node of a fresh tree, "" without the node. In
 * a buffer of its own until the next call. */
const char *label_of(struct link *l, const char *identifier);
const char *value_of(struct link *l, const char *identifier);
/* Touches that the fake app has counted since its launch. */
int taps_of(struct link *l);
/* The journal's last gesture without its number. */
const char *gesture_of(struct link *l);
/* A request by code alone; returns the reply's code. */
struct ia_wire_selector by_id(const char *identifier);
uint16_t act_on(struct link *l, const char *identifier, uint32_t timeout_ms);

#endif
