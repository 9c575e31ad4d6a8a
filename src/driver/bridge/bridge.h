/* bridge.h: the client's side of the wire: a device behind a bridge on a socket.
 *
 * One stream, one request in flight, one thread at a time (driver/device.h). It has no thread of
 * its own: an idle link is checked when it is used again. Whatever may have desynchronized the
 * stream (a timeout, a broken or foreign frame, a wrong id) ends it, and the next request
 * begins with a new one:
 *
 *   request ──► link is up? ──no──► connect + hello ──► supervisor: what is left? ──► respawn
 *      │             │yes              │ok                  │simulator gone              │
 *      │             ▼                 ▼                    ▼                            ▼
 *      │          send, wait      target again ◄──────  DEVICE_LOST             connect + hello
 *      │             │
 *      │             ├── answer of that id ──► done
 *      │             ├── cut, a read ────────► the ladder above, then sent again (at most
 *      │             │                         IA_BRIDGE_CLIENT_RESENDS times)
 *      │             └── cut, an effect ─────► outcome unknown; never sent again
 *
 * An effect of which no byte left this process is not_sent, and is sent after the ladder. Every
 * step has a limit, and all of them together end at the call's deadline, else after
 * limits.total_ms.
 *
 * A bridge that does not know hello is driven with the classic requests (opcodes 01-16): the
 * device's name says so, and what these cannot do is IA_E_UNSUPPORTED, with a hint.
 *
 * Errors beyond those of device.h:
 *   IA_E_DEVICE_LOST  the ladder ended without a bridge. msg says which of runner, simulator and
 *                     link is gone and what was seen, hint what starts it again
 *   IA_E_DEVICE       an effect's answer was lost, and the bridge is back: observe
 *   IA_E_APP_GONE     the app that was launched last does not run any more
 *   IA_E_AUTH         the token is missing or wrong
 *   IA_E_NO_DEVICE    nothing answers there from the start, or it is another device than was
 *                     asked for
 *   IA_E_PROTO        the bridge and this program do not understand each other
 *
 * Source: bridge-xcuitest/wire/PROTOCOL.md, for both kinds of agent. */
#ifndef IA_DRIVER_BRIDGE_BRIDGE_H
#define IA_DRIVER_BRIDGE_BRIDGE_H

#include "base/stream.h"
#include "driver/device.h"
#include "wire/wire.h"

enum { IA_BRIDGE_CLIENT_ADDRESS_MAX = 64, IA_BRIDGE_CLIENT_RESENDS = 2 };

/* Limits in milliseconds; 0: the default, which is named here. */
struct ia_bridge_client_limits {
    uint32_t connect_ms; /* 5000 */
    /* 3000: an agent that does not answer hello in that time may be a classic one. */
    uint32_t hello_ms;
    /* 5000: for the question whether a link is alive. */
    uint32_t heartbeat_ms;
    /* 20000: a link that was idle for so long is asked that before it carries a request; a
     * classic agent cuts it after 60000. */
    uint32_t idle_ms;
    /* 30000: the answer to an effect; typing has 150 ms a character more. */
    uint32_t action_ms;
    /* 30000: the answer to a reading; a tree has three times as much. */
    uint32_t read_ms;
    /* 180000: the supervisor's new runner (a cold start was seen to take 131 s). */
    uint32_t respawn_ms;
    /* 240000: one call without a deadline, ladder and resending included. */
    uint32_t total_ms;
    /* 120000: a main thread that is in one request for so long hangs, and the runner is started
     * again where there is a supervisor. */
    uint32_t hung_ms;
};

/* Where a bridge listens. The token is a secret: it is in no message. */
struct ia_bridge_client_place {
    char address[IA_BRIDGE_CLIENT_ADDRESS_MAX]; /* an IP address in digits, or "localhost" */
    uint16_t port;
    char token[IA_WIRE_TOKEN_MAX + 1]; /* "" where none is asked for */
};

/* What is left of a device whose link broke. */
enum ia_bridge_client_life {
    IA_BRIDGE_CLIENT_LIFE_UNKNOWN, /* nobody can tell */
    IA_BRIDGE_CLIENT_RUNNER_UP,    /* the runner's process is there */
    IA_BRIDGE_CLIENT_RUNNER_GONE,  /* the simulator runs, the runner does not */
    IA_BRIDGE_CLIENT_DEVICE_GONE   /* the simulator is shut down or gone */
};

/* What watches the runner and starts it again. Each function may be NULL. Called on the device's
 * thread; poll and respawn under the call's deadline and token. */
struct ia_bridge_client_supervisor {
    void *ctx;
    /* What is left. Fills ret_last, when it knows it, with the runner's last line (no newline). */
    enum ia_bridge_client_life (*poll)(void *ctx, const struct ia_deadline *deadline,
                                       char *ret_last, size_t last_size);
    /* Ends what is left of the runner, starts it and returns when it listens. *place holds the
     * last place and receives the new one. IA_E_TIMEOUT when the time is over; the next call
     * continues the start that this one began. */
    enum ia_rc (*respawn)(void *ctx, const struct ia_deadline *deadline,
                          struct ia_bridge_client_place *place, struct ia_err *err);
    /* Frees ctx: when the device is closed, or when opening it has failed. */
    void (*free)(void *ctx);
};

/* How a stream is had: over USB, say; a test brings its own. *ret_fd is non-blocking and the client's. */
struct ia_dialer {
    enum ia_rc (*dial)(void *ctx, const struct ia_bridge_client_place *place,
                       const struct ia_limit *limit, int *ret_fd, struct ia_err *err);
    void *ctx;
};

struct ia_bridge_client_options {
    struct ia_bridge_client_place
        place;                      /* its address is the dialer's own where there is one */
    const struct ia_dialer *dialer; /* copied; NULL: TCP */
    const char *udid;               /* the device that must answer; NULL or "": any */
    const char
        *called; /* its UDID where it does not say one; NULL or "": its place is its name */
    const char *client; /* for the bridge's log, "ios-agent 0.2.0"; NULL: "ios-agent" */
    struct ia_bridge_client_supervisor supervisor;
    struct ia_bridge_client_limits limits;
};

/* "HOST:PORT", "[::1]:PORT" or "PORT" into address and port; the token is left alone.
 * IA_E_USAGE says what is wrong. */
enum ia_rc ia_bridge_client_place_parse(const char *text, struct ia_bridge_client_place *ret,
                                        struct ia_err *err);

/* Connects, says hello and asks what the device is; the ladder holds here too. *ret is closed
 * with ia_device_close. deadline may be NULL. */
enum ia_rc ia_bridge_client_open(const struct ia_bridge_client_options *opt,
                                 const struct ia_deadline *deadline, struct ia_device **ret,
                                 struct ia_err *err);

/* ---- beyond device.h; d must come from ia_bridge_client_open ----------------------------- */

struct ia_bridge_client;
struct ia_bridge_client *ia_bridge_client_of(struct ia_device *d);

/* Any request of the extensions, but HELLO, under the rules above. `req` needs op and body; id
 * and deadline_ms are set here. On IA_OK *ret is the whole reply, to be given to
 * ia_wire_reply_fini. A reply with a code other than OK is an error with its outcome, and
 * nothing is to be freed. IA_E_UNSUPPORTED, nothing sent, when the bridge does not serve it. */
enum ia_rc ia_bridge_client_request(struct ia_bridge_client *h,
                                    const struct ia_deadline *deadline,
                                    struct ia_wire_request *req, struct ia_wire_reply *ret,
                                    struct ia_err *err);
/* A classic request, with an answer that is not an ERROR. Works with both kinds of agent, under
 * the same rules; IA_E_DEVICE with the agent's text when it answers with an error. */
enum ia_rc ia_bridge_client_classic(struct ia_bridge_client *h,
                                    const struct ia_deadline *deadline,
                                    const struct ia_wire_request *req,
                                    struct ia_wire_answer *ret, struct ia_err *err);

struct ia_bridge_client_status {
    bool up;           /* a stream is open */
    bool classic;      /* driven with the classic requests */
    uint16_t version;  /* of the extensions; 0 for a classic agent */
    uint32_t session;  /* the bridge's number for the stream */
    uint64_t ops;      /* IA_WIRE_BIT of what is served */
    uint32_t features; /* IA_WIRE_FEATURE_* */
    uint32_t connects; /* streams that were opened */
    uint32_t respawns; /* runners that were started */
    uint32_t resent;   /* readings that were sent again */
    char udid[IA_WIRE_NAME_MAX + 1];
    char server[IA_WIRE_NAME_MAX + 1];
    uint8_t cut; /* IA_WIRE_CUT_* of the last tree */
};
void ia_bridge_client_status(const struct ia_bridge_client *h,
                             struct ia_bridge_client_status *ret);
/* "too many elements (more than the bridge delivers), …"; "" for 0. */
void ia_bridge_client_cut_text(uint8_t cut, char *dst, size_t size);

/* The code of this program for a code of the wire; IA_E_DEVICE for one that is not known. */
enum ia_rc ia_bridge_client_rc(unsigned code);
/* Fills err from a failed reply to a request with or without an effect: code, text, outcome,
 * hint. Returns the code. */
enum ia_rc ia_bridge_client_reply_err(const struct ia_wire_reply *reply, bool effect,
                                      struct ia_err *err);

#endif
