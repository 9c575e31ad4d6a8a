/* agent.h: a scripted bridge on a real socket: it answers as a good one does, until its script
 * says otherwise, and counts what it was sent. */
#ifndef IA_TESTS_UNIT_HOST_AGENT_H
#define IA_TESTS_UNIT_HOST_AGENT_H

#include "base/cancel.h"
#include "wire/wire.h"

enum agent_does {
    AGENT_ANSWERS,
    AGENT_CLOSES_AFTER, /* answers, then closes between two frames */
    AGENT_CUTS_REQUEST, /* closes when a part of the request was read */
    AGENT_CUTS_ANSWER,  /* closes in the middle of the answer */
    AGENT_SAYS_NOTHING, /* closes instead of answering */
    AGENT_RESETS,       /* the same, with a reset */
    AGENT_HANGS,        /* never answers */
    AGENT_HALF,         /* sends half of the answer, then nothing */
    AGENT_GARBAGE,      /* a whole frame of nonsense */
    AGENT_NOISE,        /* bytes that are no frame, then closes */
    AGENT_WRONG_ID,     /* the answer to another request */
    AGENT_WRONG_OP,     /* the right id, another operation */
    AGENT_TOO_LONG,     /* announces more than the cap */
    AGENT_TWICE,        /* sends the answer two times */
    AGENT_FAILS,        /* a failure with code, outcome and text */
    AGENT_DOES
};

enum agent_hello {
    AGENT_HELLO_GOOD,
    AGENT_HELLO_UNKNOWN, /* classic: an A0 error */
    AGENT_HELLO_BARE,    /* classic: a 99 error */
    AGENT_HELLO_SILENT,  /* classic: no answer, as to an empty frame */
    AGENT_HELLO_CLOSES,  /* classic: hangs up */
    AGENT_HELLO_VERSION,
    AGENT_HELLO_GARBAGE
};

struct agent_script {
    uint8_t op; /* the request that is treated so; others are answered */
    enum agent_does does;
    int times;     /* how often; 0: always */
    bool away;     /* after that nobody listens any more */
    uint16_t code; /* of AGENT_FAILS */
    uint8_t outcome;
    const char *text; /* of AGENT_FAILS, of both kinds of agent; NULL: "it did not work" */
    struct ia_cancel *cancel; /* fired when such a request was read; NULL: none */
    enum agent_hello hello;
    const char *token; /* that is wanted; NULL: none */
    const char *udid;  /* NULL: "UDID-1" */
    uint64_t without;  /* IA_WIRE_BIT of what is not served */
    uint32_t features;
    uint8_t app_state; /* enum ia_wire_app_state; 0: foreground */
    uint32_t busy_ms;  /* in health: the main thread is in TREE for so long; 0: it is free */
    uint8_t cut;       /* of the tree */
    const char *json;  /* the classic tree; NULL: a good one */
};

struct agent;
struct agent *agent_start(const struct agent_script *script);
/* Ends it. What was counted stays. */
void agent_stop(struct agent *a);
void agent_free(struct agent *a);
uint16_t agent_port(const struct agent *a);
/* From now on it follows another script. */
void agent_script(struct agent *a, const struct agent_script *script);

/* Whole requests of that opcode that arrived; all connections together. */
int agent_count(struct agent *a, uint8_t op);
int agent_connections(struct agent *a);
/* The last request of that opcode, NULL when there was none. Only after agent_stop. */
const struct ia_wire_request *agent_request(struct agent *a, uint8_t op);
/* The opcodes in their order, "40 43 44". Only after agent_stop. */
const char *agent_order(struct agent *a);

#endif
