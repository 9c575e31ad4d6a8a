/* impl.h: what the files of driver/wda share.
 *
 *   open.c ──► device.c, alert.c, tree.c     the operations of device.h
 *     │             │
 *     │             ▼
 *     └───────► call.c         one request with its answer: session, limits, repeats
 *                   │
 *                   ▼
 *               session.c      a session from nothing, what it changes, and its file
 *               hold.c         which process has that file meanwhile
 *                   │
 *                   ▼
 *                once.c        one request, one answer, nothing else
 *                   │
 *                   ▼
 *                calls.c       the table of requests in both dialects
 *                errors.c      what an answer means */
#ifndef IA_DRIVER_WDA_IMPL_H
#define IA_DRIVER_WDA_IMPL_H

#include "driver/wda/wda.h"

#include "base/jsonw.h"
#include "net/ask.h"
#include "json/json.h"

enum {
    IA_WDA_ID_MAX = 128,
    IA_WDA_DEPTH = 62, /* the most that iOS gives: above it XCTest's snapshot fails */
    IA_WDA_RAISES_MAX = 8,
    IA_WDA_SLOW_MS = 3000,
    IA_WDA_FREQUENCY = 60, /* characters a second: WebDriverAgent's own limit */
    IA_WDA_DURATION_MAX_MS = 60000,
    IA_WDA_PINCH_MS = 500,
    IA_WDA_DELETE_MAX = 4096,
    IA_WDA_TEXT_MAX = 16384,
    IA_WDA_JSON_DEPTH = 32,
    /* The only status of a success (W3C WebDriver, section "Processing model"). Any other one of 2xx, of
     * which some have no body, was said by something between here and there. */
    IA_WDA_GOOD = 200
};

/* One kind of request. */
enum ia_wda_client_kind {
    IA_WDA_ASK_STATUS,
    IA_WDA_ASK_BEGIN,
    IA_WDA_ASK_END,
    IA_WDA_ASK_SETTINGS,
    IA_WDA_ASK_SET,
    IA_WDA_ASK_SCREEN,
    IA_WDA_ASK_ABOUT,
    IA_WDA_ASK_SOURCE,
    IA_WDA_ASK_SCREENSHOT,
    IA_WDA_ASK_BUTTONS,
    IA_WDA_ASK_ACTIVE,
    IA_WDA_ASK_RECT,
    IA_WDA_ASK_APP_STATE,
    IA_WDA_ASK_TAP,
    IA_WDA_ASK_HOLD,
    IA_WDA_ASK_ACTIONS,
    IA_WDA_ASK_KEYS,
    IA_WDA_ASK_PRESS,
    IA_WDA_ASK_LOCK,
    IA_WDA_ASK_ACTIVATE,
    IA_WDA_ASK_TERMINATE,
    IA_WDA_ASK_URL,
    IA_WDA_ASK_ACCEPT,
    IA_WDA_ASK_DISMISS,
    IA_WDA_ASK_ORIENTATION,
    IA_WDA_ASK_PINCH,
    IA_WDA_ASK_PASTE_SET,
    IA_WDA_ASK_PASTE_GET,
    IA_WDA_ASK_PLACE,
    IA_WDA_ASK_UNPLACE,
    IA_WDA_ASK_KINDS
};

struct ia_wda_client_call_kind {
    const char *what; /* in messages */
    const char *method;
    const char *path; /* behind "/session/ID"; of a bare one behind the URL */
    /* Through Appium: "mobile: SCRIPT" of execute/sync, or another "/path"; NULL: the same path. */
    const char *script;
    int limit_ms;
    bool bare;   /* needs no session */
    bool effect; /* is never repeated */
    size_t answer_max;
};
const struct ia_wda_client_call_kind *ia_wda_client_call_kind(enum ia_wda_client_kind kind);

/* One request. */
struct ia_wda_client_request {
    enum ia_wda_client_kind kind;
    struct ia_str args; /* a JSON object; nothing stands for {} */
    const char *id;     /* of the element, where the path has a %s */
    const char *query;  /* behind the path, or NULL */
    int64_t more_ms;    /* beside the limit of its kind */
};

/* Sends a request and reads its answer: ia_ask, or what a test puts in its place. */
typedef enum ia_rc ia_wda_client_send_fn(void *ctx, const struct ia_ask_request *request,
                                         struct ia_ask_answer *ret, struct ia_err *err);

struct ia_wda_client {
    struct ia_device device; /* first */
    struct ia_device_ops ops;
    struct ia_device_info info;
    char *url, *udid, *capabilities, *session_file;
    const struct ia_clock *clock;
    bool take;
    enum ia_wda_dialect dialect; /* as it was asked for, until it is known */
    bool dialect_known;
    struct ia_ask_link *link;
    ia_wda_client_send_fn *send;
    void *send_ctx;
    char session[IA_WDA_ID_MAX + 1]; /* "": none */
    char latest[IA_WDA_ID_MAX + 1];  /* the session that was begun last, gone or not */
    char error[64];                  /* the name of the last error that was answered; "" */
    char *before;        /* the settings as they were, a JSON object; NULL: unknown */
    int depth;           /* snapshotMaxDepth in force */
    int full_depth;      /* what it is once a passing trouble is over */
    int raised;          /* how often it was */
    int pace;            /* characters a second; 0: IA_WDA_FREQUENCY */
    bool no_visible;     /* a source with "visible" takes too long */
    bool at_springboard; /* the setting may still name SpringBoard */
    bool hung;           /* the last request in the session was given up */
    bool released;       /* until acquire */
    int lock_fd;         /* of the session file's lock; -1: not held */
};

/* ---- once.c ---- */

/* The limit of a request: the caller's deadline, or that of its kind if it is earlier. */
struct ia_deadline ia_wda_client_limit(const struct ia_wda_client *w,
                                       const struct ia_wda_client_request *r,
                                       const struct ia_deadline *deadline);
/* Sends it once. *ret_body holds the answer's bytes, which are good ones by their status. Everything
 * else is an error with its outcome: that of an effect, or none. */
enum ia_rc ia_wda_client_once(struct ia_wda_client *w, const struct ia_wda_client_request *r,
                              const struct ia_deadline *limit, struct ia_buf *ret_body,
                              bool *ret_broken, struct ia_err *err);

/* ---- errors.c ---- */

/* An answer of any status: IA_OK for a good one, IA_WDA_GOOD with a value; ret_value gets its value, to be json_decref'ed, where
 * it is not NULL. w->error becomes the name of WebDriver's error, or "". A login of ours in it is in no message. */
enum ia_rc ia_wda_client_read(struct ia_wda_client *w, enum ia_wda_client_kind kind, int status,
                              struct ia_str body, json_t **ret_value, struct ia_err *err);
/* Sets the outcome, and retry_safe where nothing can have happened. Returns rc. */
enum ia_rc ia_wda_client_outcome(enum ia_rc rc, enum ia_outcome outcome, struct ia_err *err);
/* IA_E_USAGE, or another code, before anything was sent. */
enum ia_rc ia_wda_client_refuse(enum ia_rc rc, struct ia_err *err, const char *fmt, ...)
    IA_PRINTF(3, 4);

/* ---- session.c ---- */

/* Asks who answers, and begins a session: the rules of wda.h. */
enum ia_rc ia_wda_client_begin(struct ia_wda_client *w, const struct ia_deadline *deadline,
                               struct ia_err *err);
/* Puts the settings back and ends the session; quick, and never fails. */
void ia_wda_client_end(struct ia_wda_client *w);
/* GET /status: settles the dialect, and says which session WebDriverAgent has ("": none). *ret is its
 * value, to be json_decref'ed. IA_E_NO_DEVICE where something else answers. */
enum ia_rc ia_wda_client_look(struct ia_wda_client *w, const struct ia_deadline *deadline,
                              char ret_session[IA_WDA_ID_MAX + 1], json_t **ret,
                              struct ia_err *err);
/* Copies an id that may stand in a path; false, and nothing copied, for any other text. */
bool ia_wda_client_id(struct ia_str text, char dst[IA_WDA_ID_MAX + 1]);

/* What a server says of itself, behind `before`, as much of it as there is room for; nothing changes dst. */
void ia_wda_client_text(char *dst, size_t size, const char *before, const char *text);

/* Whether the session file still names this session; true where there is no file to look at. */
bool ia_wda_client_in_file(const struct ia_wda_client *w);

/* ---- hold.c ---- */

/* Takes the lock of the session file, where there is one, without waiting. IA_E_BUSY: another process of
 * this program, or another device of this one, holds it. */
enum ia_rc ia_wda_client_hold(struct ia_wda_client *w, struct ia_err *err);
void ia_wda_client_let_go(struct ia_wda_client *w);

/* ---- call.c ---- */

/* A request in a session, begun again if it is gone. A reading whose connection broke, or whose session
 * was gone, is sent once more. *ret_value, where it is wanted, is to be json_decref'ed. */
enum ia_rc ia_wda_client_call(struct ia_wda_client *w, const struct ia_deadline *deadline,
                              const struct ia_wda_client_request *r, json_t **ret_value,
                              struct ia_err *err);
/* The same, and the answer's bytes as they came. */
enum ia_rc ia_wda_client_fetch(struct ia_wda_client *w, const struct ia_deadline *deadline,
                               const struct ia_wda_client_request *r, struct ia_buf *ret_body,
                               struct ia_err *err);

/* Sends them as the request's arguments and frees them. IA_E_LIMIT, and nothing is sent, where they did not
 * fit: WebDriverAgent takes a body that was cut off for an empty one. */
enum ia_rc ia_wda_client_args(struct ia_wda_client *w, const struct ia_deadline *deadline,
                              struct ia_wda_client_request r, struct ia_buf *args,
                              json_t **ret_value, struct ia_err *err);

/* Changes settings of the session; text is a JSON object. */
enum ia_rc ia_wda_client_set(struct ia_wda_client *w, const struct ia_deadline *deadline,
                             const char *text, struct ia_err *err);
/* ---- tree.c, alert.c, device.c, open.c ---- */

enum ia_rc ia_wda_client_op_tree(struct ia_device *d, const struct ia_deadline *deadline,
                                 struct ia_tree **ret_tree, struct ia_err *err);
/* Without the look for an alert of the system, and without the focus. */
enum ia_rc ia_wda_client_source(struct ia_wda_client *w, const struct ia_deadline *deadline,
                                struct ia_tree **ret, struct ia_err *err);
/* The names of an alert's buttons, to be json_decref'ed. IA_E_NO_ALERT. */
enum ia_rc ia_wda_client_alert_buttons(struct ia_wda_client *w,
                                       const struct ia_deadline *deadline, json_t **ret,
                                       struct ia_err *err);
/* The first node of that type, or NULL. */
struct ia_node *ia_wda_client_node(const struct ia_tree *t, enum ia_eltype type);
enum ia_rc ia_wda_client_op_alert(struct ia_device *d, const struct ia_deadline *deadline,
                                  enum ia_alert_action action, const char *label,
                                  struct ia_err *err);
extern const struct ia_device_ops ia_wda_client_ops;

/* Opens with a transport of one's own. */
enum ia_rc ia_wda_client_open_with(const struct ia_wda_options *opt,
                                   ia_wda_client_send_fn *send, void *ctx,
                                   const struct ia_deadline *deadline, struct ia_device **ret,
                                   struct ia_err *err);

#endif
