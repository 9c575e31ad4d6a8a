/* wda_impl.h: what the sources of the WebDriverAgent server share. */
#ifndef IA_SERVER_WDA_WDA_IMPL_H
#define IA_SERVER_WDA_WDA_IMPL_H

#include "base/jsonw.h"
#include "driver/image/image.h"
#include "server/http/http.h"
#include "server/wda/select/node.h"
#include "server/wda/wda_server.h"
#include "json/json.h"

#include <pthread.h>

/* X(id, the error as clients know it, HTTP status): FBExceptionHandler.m, FBCommandStatus.m. */
#define IA_WDA_ERROR_LIST(X)                                                                   \
    X(NO_SUCH_ELEMENT, "no such element", 404)                                                 \
    X(STALE, "stale element reference", 404)                                                   \
    X(NO_SUCH_ALERT, "no such alert", 404)                                                     \
    X(NO_SESSION, "invalid session id", 404)                                                   \
    X(UNKNOWN_COMMAND, "unknown command", 404)                                                 \
    X(ARGUMENT, "invalid argument", 400)                                                       \
    X(STATE, "invalid element state", 400)                                                     \
    X(SELECTOR, "invalid selector", 400)                                                       \
    X(TIMEOUT, "timeout", 408)                                                                 \
    X(UNKNOWN, "unknown error", 500)                                                           \
    X(NOT_CREATED, "session not created", 500)                                                 \
    X(NO_PICTURE, "unable to capture screen", 500)                                             \
    X(UNSUPPORTED, "unsupported operation", 500)

enum ia_wda_error {
    IA_WDA_OK,
#define IA_WDA_ERROR_ENUM(id, text, status) IA_WDA_E_##id,
    IA_WDA_ERROR_LIST(IA_WDA_ERROR_ENUM)
#undef IA_WDA_ERROR_ENUM
};

enum {
    IA_WDA_ARGS_MAX = 2,       /* captured segments of a path */
    IA_WDA_NUMS_MAX = 6,       /* numbers of a body */
    IA_WDA_PROCESS_ID = 4242,  /* of every app: no device tells */
    IA_WDA_APP_SIZE = 256,     /* of a bundle id */
    IA_WDA_ENVELOPE = 1 << 10, /* around a value, at most */
    /* Of a screenshot, whose base64 has to fit an answer. */
    IA_WDA_PNG_MAX = (IA_HTTP_ANSWER_MAX - IA_WDA_ENVELOPE) / 4 * 3
};

struct ia_wda_call;
typedef enum ia_wda_error ia_wda_fn(struct ia_wda_call *c);

/* What a route is; routes.c. */
enum {
    IA_WDA_FREE = 1 << 0,     /* also without a session in the path */
    IA_WDA_ASIDE = 1 << 1,    /* beside the queue, on the connection's thread: no device */
    IA_WDA_ENDS = 1 << 2,     /* ends the session before it queues */
    IA_WDA_TEXT_ONLY = 1 << 3 /* the answer is the bare text, not an envelope */
};
struct ia_wda_route {
    const char *method;
    const char *path; /* without the session; ":" is any one segment */
    ia_wda_fn *fn;
    int flags;
    const char *nums; /* the body's numbers, "x y duration?": "?" may be missing */
    int arg;          /* fn's */
};

/* One request. Until it is done the connection's thread waits, so that all of it lives there. */
struct ia_wda_call {
    struct ia_wda_server *s;
    const struct ia_http_request *http;
    const struct ia_wda_route *route;
    const char *session; /* that of the path; "" without one */
    json_t *body;        /* an object */
    char *path;          /* cut into segments */
    const char *args[IA_WDA_ARGS_MAX];
    double num[IA_WDA_NUMS_MAX]; /* in the order of route->nums */
    bool has[IA_WDA_NUMS_MAX];
    struct ia_deadline deadline;
    struct ia_buf *out; /* the answer's body */
    struct ia_jsonw w;  /* of its value; a handler that writes none answers null */
    struct ia_err err;  /* why it failed */
    bool acted;         /* an effect of it was done, whatever became of the next one */
    struct ia_tree *tree;
    struct ia_wda_screen *screen; /* of the tree; ia_wda_look takes both */

    /* Of the queue. */
    struct ia_wda_call *next;
    bool ended, done; /* ended: its session was, while it ran */
    enum ia_wda_error error;
    pthread_cond_t wake;
};

struct ia_wda_elements; /* elements.c */
struct ia_access;

/* The live picture; mjpeg.c. */
struct ia_wda_film {
    struct ia_wda_viewer *viewers;
    struct ia_buf png; /* the newest frame; empty: none */
    uint64_t number;   /* its own */
    int64_t taken_us;  /* when it was there */
    int64_t every_us;  /* how long after that the next one is due */
    int64_t asked_us;  /* the shortest that it may be */
    bool wanted;       /* by a viewer, now */
};

struct ia_wda_server {
    struct ia_device *device;
    struct ia_device_info info; /* at its start; read by any thread */
    struct ia_access *access;
    struct ia_http_server *http, *mjpeg; /* mjpeg NULL: no pictures */
    struct ia_cancel *stop;              /* fires when the server stops */

    pthread_mutex_t lock; /* what follows */
    pthread_cond_t work;
    struct ia_wda_call *first, *last, *running;
    struct ia_wda_film film;
    bool stopping;
    char session[IA_WDA_UID_SIZE]; /* "": none; a UUID as IA_ID_SIZE has it */

    pthread_t worker; /* what follows is its own */
    bool started;
    json_t *settings;
    struct ia_wda_elements *elements;
    char app[IA_WDA_APP_SIZE]; /* of the session; "": none */
    bool app_expected;         /* nobody ended it: its absence is a crash */
    bool app_ends;             /* with the session */
    struct ia_location place;  /* that a client set */
    bool placed;
    enum ia_orientation turned; /* as a client turned it last */
};

/* ---- routes.c ----------------------------------------------------------------------------- */

/* Finds the route of the request and cuts its path; UNKNOWN_COMMAND, NO_SESSION, ARGUMENT. */
enum ia_wda_error ia_wda_route(struct ia_wda_call *c);
/* All of them, for tests. */
const struct ia_wda_route *ia_wda_routes(size_t *ret_count);

/* ---- reply.c ------------------------------------------------------------------------------ */

/* Sets why the call failed, as ia_err_set does, and is `error`. */
#define ia_wda_fail(c, error, ...)                                                             \
    ((void)ia_err_set(&(c)->err, IA_E_FAILED, __VA_ARGS__), (enum ia_wda_error)(error))
/* What a result of a device, or of a selector, is to a client; its reason is in the err of the call. */
enum ia_wda_error ia_wda_result(enum ia_rc rc);
void ia_wda_reply(struct ia_wda_call *c, enum ia_wda_error error, const char *session,
                  struct ia_http_reply *reply);
/* For what the HTTP server refuses. */
void ia_wda_refusal(struct ia_http_reply *reply, const struct ia_err *err);
/* {"y","x","width","height"} */
void ia_wda_put_rect(struct ia_jsonw *w, struct ia_rect r);

/* ---- request.c ---------------------------------------------------------------------------- */

/* Of the HTTP server; ctx is a struct ia_wda_server. */
ia_http_handler ia_wda_handle;

/* ---- queue.c ------------------------------------------------------------------------------ */

enum ia_rc ia_wda_worker_start(struct ia_wda_server *s, struct ia_err *err);
/* After the last request. */
void ia_wda_worker_stop(struct ia_wda_server *s);
/* Whether the call's session is the one that runs, or it has none. Ends it where the route says so. */
bool ia_wda_enter(struct ia_wda_call *c);
/* Runs the handler: on this thread, or on the worker when its turn has come, under deadline.cancel. */
enum ia_wda_error ia_wda_perform(struct ia_wda_call *c);
enum ia_wda_error ia_wda_queue(struct ia_wda_call *c);
/* Another session runs now, or none (""). What waits for an earlier one fails. */
void ia_wda_session_set(struct ia_wda_server *s, const char id[IA_WDA_UID_SIZE]);

/* ---- session.c ---------------------------------------------------------------------------- */

/* As new: no session, WebDriverAgent's settings. */
void ia_wda_session_reset(struct ia_wda_server *s);
void ia_wda_session_fini(struct ia_wda_server *s);

/* ---- apps.c ------------------------------------------------------------------------------- */

/* `error` for arguments or an environment, which no device takes with a launch (device.h). */
enum ia_wda_error ia_wda_launch_is_plain(struct ia_wda_call *c, const json_t *asked,
                                         enum ia_wda_error error);

/* ---- settings.c ---------------------------------------------------------------------------- */

/* WebDriverAgent's own. */
json_t *ia_wda_settings_new(void);
bool ia_wda_setting(const struct ia_wda_server *s, const char *name);
/* A name that WebDriverAgent does not know is ignored there, in silence; `error` for a value that is none. */
enum ia_wda_error ia_wda_set(struct ia_wda_call *c, const char *name, json_t *value,
                             enum ia_wda_error error);
const char *ia_wda_setting_text(const struct ia_wda_server *s, const char *name);

/* ---- look.c ------------------------------------------------------------------------------- */

/* Takes the tree, unless the call has one that no effect followed. STATE when the session's app has
 * crashed. */
enum ia_wda_error ia_wda_look(struct ia_wda_call *c);
/* The same for what is asked of the device and not of an app, which no crash fails. */
enum ia_wda_error ia_wda_look_at_device(struct ia_wda_call *c);
/* An effect was sent: the tree is no longer true. */
void ia_wda_unlook(struct ia_wda_call *c);
/* What the device is now: width and height change places when it is turned. The worker's thread. */
struct ia_device_info ia_wda_info(struct ia_wda_server *s);
/* The same; remembers what was done, so that a later failure of the call is none before which nothing was sent. */
enum ia_wda_error ia_wda_did(struct ia_wda_call *c, enum ia_rc rc);

/* ---- elements.c --------------------------------------------------------------------------- */

/* The W3C name of an element's id. */
#define IA_WDA_ELEMENT_KEY "element-6066-11e4-a52e-4f735466cecf"
/* Of ia_wda_find_element. */
enum { IA_WDA_ALL = 1, IA_WDA_UNDER = 2 };

struct ia_wda_elements *ia_wda_elements_new(void);
void ia_wda_elements_free(struct ia_wda_elements *e);
/* Gives an element of the screen its id, under which it is found again. */
void ia_wda_know(struct ia_wda_call *c, int32_t node, char ret_uid[IA_WDA_UID_SIZE]);
/* Looks, and finds it on the screen; STALE. */
enum ia_wda_error ia_wda_element(struct ia_wda_call *c, const char *uid, int32_t *ret);
/* select/find.h on the screen that was looked at. */
enum ia_wda_error ia_wda_search(struct ia_wda_call *c, int32_t under, const char *using,
                                const char *value, bool first, struct ia_wda_nodes *ret);
void ia_wda_put_attribute(struct ia_wda_call *c, int32_t node, enum ia_wda_attribute a);

/* ---- touch.c, text.c ---------------------------------------------------------------------- */

/* Scrolls what is around it until it is seen, where something does scroll. *node is its number on the
 * screen after that. */
enum ia_wda_error ia_wda_into_view(struct ia_wda_call *c, const char *uid, int32_t *node);
/* The same, and a tap. STATE when it cannot be seen. */
enum ia_wda_error ia_wda_tap_element(struct ia_wda_call *c, const char *uid);
/* STATE: it cannot be seen. */
enum ia_wda_error ia_wda_not_visible(struct ia_wda_call *c, int32_t node);
struct ia_point ia_wda_middle(struct ia_rect r);
/* One finger. The tree that was taken before is given up. */
enum ia_wda_error ia_wda_finger_tap(struct ia_wda_call *c, struct ia_point at, int taps);
enum ia_wda_error ia_wda_finger_press(struct ia_wda_call *c, struct ia_point at,
                                      double seconds);
enum ia_wda_error ia_wda_finger_drag(struct ia_wda_call *c, struct ia_point from,
                                     struct ia_point to, int ms);
/* w3c.c: one after the other, until one fails. */
struct ia_wda_acts;
enum ia_wda_error ia_wda_do(struct ia_wda_call *c, const struct ia_wda_acts *acts);
/* The body's text into the field. */
enum ia_wda_error ia_wda_type_into(struct ia_wda_call *c, const char *uid);

/* ---- alert.c ------------------------------------------------------------------------------ */

/* Answers an alert that is shown before the call does anything, where the session wants that (setting
 * defaultAlertAction). WebDriverAgent looks for one every two seconds. */
void ia_wda_alert_default(struct ia_wda_call *c);

/* ---- mjpeg.c ------------------------------------------------------------------------------ */

ia_http_handler ia_wda_mjpeg;
/* On the worker: takes a frame for all viewers. */
void ia_wda_film_take(struct ia_wda_server *s);
/* Something was done: the screen may have changed. On the worker; the lock is held. */
void ia_wda_film_stir(struct ia_wda_server *s);

/* ---- handlers, by file; what they read of a route stands above each ------------------------ */

/* session.c */
ia_wda_fn ia_wda_health, ia_wda_nothing, ia_wda_status;
ia_wda_fn ia_wda_session_create, ia_wda_session_get, ia_wda_session_end;
/* settings.c */
ia_wda_fn ia_wda_settings_get, ia_wda_settings_set;
/* source.c */
ia_wda_fn ia_wda_source, ia_wda_accessible_source;
/* elements.c */
ia_wda_fn ia_wda_find_element, ia_wda_active, ia_wda_visible_cells;
ia_wda_fn ia_wda_read, ia_wda_read_named, ia_wda_read_text;
/* touch.c */
ia_wda_fn ia_wda_tap, ia_wda_taps, ia_wda_press, ia_wda_one_finger, ia_wda_pinch;
ia_wda_fn ia_wda_drag, ia_wda_drag_velocity, ia_wda_swipe, ia_wda_scroll, ia_wda_scroll_here;
/* w3c.c */
ia_wda_fn ia_wda_actions;
/* text.c */
ia_wda_fn ia_wda_value, ia_wda_clear, ia_wda_keys, ia_wda_keyboard_input;
ia_wda_fn ia_wda_keyboard_dismiss, ia_wda_pick;
/* alert.c */
ia_wda_fn ia_wda_alert_text, ia_wda_alert_type, ia_wda_alert_buttons, ia_wda_alert_act;
/* apps.c */
ia_wda_fn ia_wda_app_launch, ia_wda_app_terminate, ia_wda_app_state, ia_wda_app_list;
ia_wda_fn ia_wda_app_active, ia_wda_home, ia_wda_deactivate, ia_wda_open_url;
/* phone.c */
ia_wda_fn ia_wda_button, ia_wda_lock, ia_wda_locked;
ia_wda_fn ia_wda_window_size, ia_wda_window_rect, ia_wda_screen_info, ia_wda_screens;
ia_wda_fn ia_wda_orientation_get, ia_wda_orientation_set;
ia_wda_fn ia_wda_rotation_get, ia_wda_rotation_set;
ia_wda_fn ia_wda_device_info, ia_wda_battery, ia_wda_appearance;
ia_wda_fn ia_wda_pasteboard_get, ia_wda_pasteboard_set;
ia_wda_fn ia_wda_place_get, ia_wda_place_set, ia_wda_place_clear;
ia_wda_fn ia_wda_screenshot, ia_wda_element_screenshot;
/* audit.c */
ia_wda_fn ia_wda_audit;

#endif
