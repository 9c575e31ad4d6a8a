/* fake.h: a back end of a few nodes, its server in a thread of its own, and a host that speaks
 * the wire over a real socket. */
#ifndef IA_TEST_BRIDGE_FAKE_H
#define IA_TEST_BRIDGE_FAKE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <pthread.h>
#include <stdatomic.h>

#include "core/core.h"

enum { FAKE_NODES = 16, FAKE_TEXT = 1024 };

/* Members below `lock` are shared by both threads. The rest belongs to the server's thread
 * while it runs; a test may access it before the start, in hooks, and while no request is in
 * flight. */
struct fake {
    struct ia_wire_node nodes[FAKE_NODES];
    uint32_t n;
    int snapshots, taps, presses, drags, targets;
    struct ia_wire_point at; /* of the last touch */
    uint8_t taps_of_last;
    double press_s;
    struct ia_wire_drag drag;
    char target[64];
    char field[FAKE_TEXT]; /* the text of the field, if the test has one */
    int type_failures;     /* this many attempts to type find no keyboard */
    int chunks, deletes;
    bool drops_characters; /* every second character is lost */
    bool no_result;        /* perform returns no result */
    int pumps, sleeps;
    void (*on_snapshot)(struct fake *f); /* before a tree is taken; snapshots counts from 1 */
    void (*on_tap)(struct fake *f);
    enum ia_wire_code tree_code; /* not OK: no tree can be taken */

    pthread_mutex_t lock;
    pthread_cond_t changed;
    uint8_t hang_at;      /* this opcode hangs until it is released */
    bool stops_on_cancel; /* or until it is cancelled */
    bool hanging;         /* it hangs now */
    atomic_bool release;

    struct ia_bridge_ops ops;
    struct ia_bridge_options opt;
    struct ia_bridge *bridge;
    pthread_t thread;
    bool running;
};

struct fake *fake_new(void);
/* Adds a node; depth is that of its parent + 1. Strings are borrowed. */
struct ia_wire_node *fake_add(struct fake *f, uint16_t depth, uint16_t type, const char *id,
                              const char *label, struct ia_wire_rect frame);
void fake_start(struct fake *f);
/* Stops, joins, frees. */
void fake_free(struct fake *f);
/* Waits until an operation hangs. */
void fake_await_hang(struct fake *f);
void fake_release(struct fake *f);

/* ---- a host ---- */

struct host {
    int fd;
    struct ia_wire_reader reader;
    struct ia_wire_frame frame; /* the last one received */
};
void host_open(struct host *h, const struct fake *f);
void host_close(struct host *h);
void host_send(struct host *h, const void *bytes, size_t n);
void host_send_hex(struct host *h, const char *hex);
/* The next frame in h->frame; false when the bridge closed the connection. */
bool host_next(struct host *h);
/* The next frame, including its length, must be these bytes. */
void host_expect_hex(struct host *h, const char *hex);
void host_expect_closed(struct host *h);
void host_send_request(struct host *h, const struct ia_wire_request *r);
/* Reads a reply; free it with ia_wire_reply_fini. */
void host_reply(struct host *h, struct ia_wire_reply *ret);
/* Both; the id of the reply must be that of the request. */
void host_do(struct host *h, const struct ia_wire_request *r, struct ia_wire_reply *ret);
/* Sends a request and expects that code and outcome. */
void host_expect(struct host *h, const struct ia_wire_request *r, enum ia_wire_code code,
                 enum ia_wire_outcome outcome);
/* Sends a classic request and reads its answer. */
void host_classic(struct host *h, const struct ia_wire_request *r, struct ia_wire_answer *ret);
void host_health(struct host *h, struct ia_wire_health_reply *ret);
void host_hello(struct host *h, const char *token, struct ia_wire_reply *ret);

#endif
