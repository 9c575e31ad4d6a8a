/* fake_bridge.h: a scripted bridge on a real socket: it answers as a good one does, until its script
 * says otherwise, and counts what it was sent. */
#ifndef IA_TESTS_UNIT_DRIVER_BRIDGE_FAKE_BRIDGE_H
#define IA_TESTS_UNIT_DRIVER_BRIDGE_FAKE_BRIDGE_H

#include "base/cancel.h"
#include "wire/wire.h"

enum fake_does {
    FAKE_ANSWERS,
    FAKE_CLOSES_AFTER, /* answers, then closes between two frames */
    FAKE_CUTS_REQUEST, /* closes when a part of the request was read */
    FAKE_CUTS_ANSWER,  /* closes in the middle of the answer */
    FAKE_SAYS_NOTHING, /* closes instead of answering */
    FAKE_RESETS,       /* the same, with a reset */
    FAKE_HANGS,        /* never answers */
    FAKE_HALF,         /* sends half of the answer, then nothing */
    FAKE_GARBAGE,      /* a whole frame of nonsense */
    FAKE_NOISE,        /* bytes that are no frame, then closes */
    FAKE_WRONG_ID,     /* the answer to another request */
    FAKE_WRONG_OP,     /* the right id, another operation */
    FAKE_TOO_LONG,     /* announces more than the cap */
    FAKE_TWICE,        /* sends the answer two times */
    FAKE_FAILS,        /* a failure with code, outcome and text */
    FAKE_DOES
};

enum fake_hello {
    FAKE_HELLO_GOOD,
    FAKE_HELLO_UNKNOWN, /* classic: an A0 error */
    FAKE_HELLO_BARE,    /* classic: a 99 error */
    FAKE_HELLO_SILENT,  /* classic: no answer, as to an empty frame */
    FAKE_HELLO_CLOSES,  /* classic: hangs up */
    FAKE_HELLO_VERSION,
    FAKE_HELLO_GARBAGE
};

struct fake_script {
    uint8_t op; /* the request that is treated so; others are answered */
    enum fake_does does;
    int times;     /* how often; 0: always */
    bool away;     /* after that nobody listens any more */
    uint16_t code; /* of FAKE_FAILS */
    uint8_t outcome;
    const char *text; /* of FAKE_FAILS, of both kinds of agent; NULL: "it did not work" */
    struct ia_cancel *cancel; /* fired when such a request was read; NULL: none */
    enum fake_hello hello;
    const char *token; /* that is wanted; NULL: none */
    const char *udid;  /* NULL: "UDID-1" */
    uint64_t without;  /* IA_WIRE_BIT of what is not served */
    uint32_t features;
    uint8_t app_state; /* enum ia_wire_app_state; 0: foreground */
    uint32_t busy_ms;  /* in health: the main thread is in TREE for so long; 0: it is free */
    uint8_t cut;       /* of the tree */
    const char *json;  /* the classic tree, and what a native action answers; NULL: good ones */
};

struct fake_bridge;
struct fake_bridge *fake_start(const struct fake_script *script);
/* Ends it. What was counted stays. */
void fake_stop(struct fake_bridge *a);
void fake_free(struct fake_bridge *a);
uint16_t fake_port(const struct fake_bridge *a);
/* From now on it follows another script. */
void fake_script(struct fake_bridge *a, const struct fake_script *script);

/* Whole requests of that opcode that arrived; all connections together. */
int fake_count(struct fake_bridge *a, uint8_t op);
int fake_connections(struct fake_bridge *a);
/* The last request of that opcode, NULL when there was none. Only after fake_stop. */
const struct ia_wire_request *fake_request(struct fake_bridge *a, uint8_t op);
/* The opcodes in their order, "40 43 44". Only after fake_stop. */
const char *fake_order(struct fake_bridge *a);

#endif
