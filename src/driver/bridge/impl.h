/* impl.h: what the files of driver/bridge share.
 *
 *   open.c ──► device.c, classic.c ──► common.c     the operations of device.h, twice
 *                  │
 *                  ▼
 *                ask.c        a request with its answer, resent or not
 *                  │
 *                  ▼
 *               ladder.c      from no stream to one whose bridge was greeted
 *                  │
 *                  ▼
 *                once.c       one request and its answer on the stream that is there
 *                  │
 *                  ▼
 *                link.c       a stream: bytes and frames
 *
 *   codes.c    codes of the wire as errors of this program, with what to do about them
 *   nodes.c    nodes of the wire as a canonical tree
 *   place.c    "HOST:PORT" */
#ifndef IA_DRIVER_BRIDGE_IMPL_H
#define IA_DRIVER_BRIDGE_IMPL_H

#include "driver/bridge/bridge.h"
#include "driver/bridge/link.h"

enum ia_bridge_client_mode {
    IA_BRIDGE_CLIENT_UNDECIDED,
    IA_BRIDGE_CLIENT_EXTENDED,
    IA_BRIDGE_CLIENT_CLASSIC
};

struct ia_bridge_client {
    struct ia_bridge_client_place place;
    struct ia_bridge_client_supervisor supervisor;
    struct ia_bridge_client_limits limits; /* none of them 0 */
    struct ia_dialer dialer;
    struct ia_link link;
    struct ia_wire_buf out; /* the request that is being sent */
    char client[IA_WIRE_NAME_MAX + 1];
    char wanted[IA_WIRE_NAME_MAX + 1]; /* UDID that must answer; "": the first one that does */
    char called[IA_WIRE_NAME_MAX + 1]; /* UDID of one that says none; "": not known */
    char target[IA_WIRE_NAME_MAX + 1]; /* the app launched last; "": none */
    enum ia_bridge_client_mode mode;   /* decided by the first bridge that answers, for good */
    struct ia_bridge_client_status status; /* without `up` */
    uint32_t last_id;
    bool suspect; /* a request was late: ask for its health before the next */
};

/* One request on its way. Exactly one of reply and answer is set. */
struct ia_ask {
    struct ia_wire_request *req;
    struct ia_wire_reply *reply;
    struct ia_wire_answer *answer;
    struct ia_limit limit; /* of the whole call */
    uint32_t answer_ms;    /* of one answer; 0: ia_bridge_client_answer_ms */
    bool effect;
    size_t sent; /* bytes of the request that left this process in the last try */
    bool *plain; /* not NULL: an answer of the classic protocol leaves the stream as it is,
                    sets this and is IA_E_PROTO */
};

/* ---- ladder.c ---- */

/* Afterwards there is a stream whose bridge was greeted. Nothing of a request has been sent. */
enum ia_rc ia_bridge_client_ready(struct ia_bridge_client *h, const struct ia_limit *limit,
                                  struct ia_err *err);

/* ---- once.c ---- */

/* One request, one answer, on the stream that is there: no ladder, nothing resent. Where the
 * stream can no longer be trusted it is dropped. IA_OK: the reply or answer is the caller's. */
enum ia_rc ia_bridge_client_once(struct ia_bridge_client *h, struct ia_ask *ask,
                                 struct ia_err *err);
/* How long the answer to a request may take. */
uint32_t ia_bridge_client_answer_ms(const struct ia_bridge_client *h,
                                    const struct ia_wire_request *req);
bool ia_bridge_client_serves(const struct ia_bridge_client *h, uint8_t op);

/* ---- ask.c ---- */

/* The limit of a call: its own deadline, else limits.total_ms from now. */
struct ia_limit ia_bridge_client_limit(const struct ia_bridge_client *h,
                                       const struct ia_deadline *deadline);
/* A request with the ladder, readings resent. The reply's code is not looked at. */
enum ia_rc ia_bridge_client_ask(struct ia_bridge_client *h, struct ia_ask *ask,
                                struct ia_err *err);

/* ---- codes.c ---- */

/* IA_E_UNSUPPORTED, not_sent: the bridge does not serve that. */
enum ia_rc ia_bridge_client_unsupported(const struct ia_bridge_client *h, const char *what,
                                        struct ia_err *err);
/* Sets the outcome; retry_safe where nothing can have happened. Returns rc. */
enum ia_rc ia_bridge_client_outcome(enum ia_rc rc, enum ia_outcome outcome, struct ia_err *err);
/* The classic agent's error text as a failure of this program. */
enum ia_rc ia_bridge_client_answer_err(const char *text, bool effect, struct ia_err *err);
/* "127.0.0.1:8100" */
void ia_bridge_client_where(const struct ia_bridge_client *h, char *dst, size_t size);
/* What starts such a bridge again, as a hint. */
void ia_bridge_client_fix(const struct ia_bridge_client *h, enum ia_bridge_client_life life,
                          struct ia_err *err);

/* ---- nodes.c ---- */

/* IA_E_TREE_EMPTY where nothing of it can be shown. */
enum ia_rc ia_bridge_client_tree(const struct ia_wire_tree_reply *reply, struct ia_tree **ret,
                                 struct ia_err *err);

/* ---- pinch.c ---- */

/* Names the innermost element of a tree that has this frame; false where none has. The texts are
 * the tree's. */
bool ia_bridge_client_sign(const struct ia_wire_tree_reply *tree, struct ia_rect frame,
                           struct ia_wire_signature *ret);

/* ---- open.c, device.c, classic.c, common.c ---- */

struct ia_bridge_client_device {
    struct ia_device device; /* first */
    struct ia_device_ops ops;
    struct ia_bridge_client client;
    struct ia_device_info info;
    /* Fills in info: by one request, or from what a classic agent shows. */
    enum ia_rc (*learn)(struct ia_bridge_client_device *d, const struct ia_deadline *deadline,
                        struct ia_err *err);
    bool known;     /* info is filled in */
    bool no_points; /* the bridge cannot draw a screenshot in points */
};

/* Opens with a dialer of one's own. */
enum ia_rc ia_bridge_client_open_with(const struct ia_bridge_client_options *opt,
                                      const struct ia_dialer *dialer,
                                      const struct ia_deadline *deadline,
                                      struct ia_device **ret, struct ia_err *err);
/* The two `learn`s. */
enum ia_rc ia_bridge_client_learn(struct ia_bridge_client_device *d,
                                  const struct ia_deadline *deadline, struct ia_err *err);
enum ia_rc ia_classic_learn(struct ia_bridge_client_device *d,
                            const struct ia_deadline *deadline, struct ia_err *err);
enum ia_rc ia_bridge_client_op_info(struct ia_device *d, struct ia_device_info *ret,
                                    struct ia_err *err);
void ia_bridge_client_op_close(struct ia_device *d);
bool ia_bridge_client_is_png(const uint8_t *p, size_t n);
/* The text as a string, to be freed. IA_E_USAGE, not_sent, for one that holds a NUL. */
enum ia_rc ia_bridge_client_typed(struct ia_str text, char **ret, struct ia_err *err);
extern const struct ia_device_ops ia_bridge_client_ops, ia_classic_ops;

#endif
