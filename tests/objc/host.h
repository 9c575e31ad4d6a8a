/* host.h: a host for tests: starts the bridge, speaks the wire with it and stops it.
 *
 * BRIDGE_PROGRAM is the program, BRIDGE_WRAPPER what comes before it on the command line, such
 * as valgrind and its options. Functions here fail the test instead of returning an error. No
 * wait has a limit of its own: CTest's time limit ends a test that hangs. */
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
    struct ia_wire_hello_reply hello; /* without its texts */
    struct ia_wire_reader reader;
};

/* Starts it with the given variables (name, value, …, NULL) besides PATH and those of
 * sanitizers. It is listening when this returns. */
void host_start(struct host *h, ...);
/* Stops it by a request and returns its exit status, which may be that of a leak checker. */
int host_stop(struct host *h);
void host_kill(struct host *h);

void link_open(struct link *l, const struct host *h);
/* Without hello. */
void link_connect(struct link *l, const struct host *h);
void link_close(struct link *l);
/* Sends a request with a new id, which is returned. */
uint32_t link_send(struct link *l, const struct ia_wire_request *req);
/* Reads the next reply; free it with ia_wire_reply_fini. */
void link_receive(struct link *l, struct ia_wire_reply *ret);
void link_call(struct link *l, const struct ia_wire_request *req, struct ia_wire_reply *ret);

/* ---- frequent requests ---- */

/* The request must succeed with that outcome. */
void must(struct link *l, const struct ia_wire_request *req, enum ia_wire_outcome outcome);
/* The request must fail with that code and outcome, and with a text. */
void refused(struct link *l, const struct ia_wire_request *req, enum ia_wire_code code,
             enum ia_wire_outcome outcome);

/* Launches the fake app afresh, with the given environment (name, value, …, NULL). */
void launch_fake(struct link *l, ...);
/* The target's tree with default options; free it with ia_wire_reply_fini. */
void take_tree(struct link *l, struct ia_wire_reply *ret);
/* By identifier; NULL if there is none. */
const struct ia_wire_node *find_node(const struct ia_wire_reply *tree, const char *identifier);
/* The label or the value of a node in a fresh tree, "" if there is no such node. Valid until
 * the next call. */
const char *label_of(struct link *l, const char *identifier);
const char *value_of(struct link *l, const char *identifier);
/* How many touches the fake app has counted since its launch. */
int taps_of(struct link *l);
/* The last gesture in the journal, without its number. */
const char *gesture_of(struct link *l);
/* Selects by identifier. act_on taps and returns the code of the reply. */
struct ia_wire_selector by_id(const char *identifier);
uint16_t act_on(struct link *l, const char *identifier, uint32_t timeout_ms);

#endif
