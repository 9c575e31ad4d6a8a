/* session.h: acting on a device by ref, safely.
 *
 * A session holds a device, its refs and the latest snapshot. Every action re-resolves its ref
 * in a fresh tree, waits for a moving element, checks that the action is listed and free, sends
 * it once, waits for the screen to settle, and returns what changed. One thread at a time. */
#ifndef IA_DRIVER_SESSION_SESSION_H
#define IA_DRIVER_SESSION_SESSION_H

#include "driver/device.h"
#include "driver/snapshot/audit.h"
#include "driver/snapshot/snapshot.h"

struct ia_session;

/* What one action may take, where its caller has no deadline of its own. */
enum { IA_ACTION_MS_MAX = 60000 };

struct ia_session_options {
    const struct ia_clock *clock; /* NULL: the system's */
    int settle_stable_ms;         /* 0: 100 */
    int settle_cap_ms;            /* 0: 2500 */
    int poll_ms;                  /* 0: 50 */
    /* Asked with the fresh snapshot before an effect is sent; anything but IA_OK refuses the
     * action with that error, outcome not_sent, and no condition of a wait holds there. May be
     * NULL. Not asked for launch, terminate, open_url and press. err may be NULL. */
    enum ia_rc (*guard)(void *ctx, const struct ia_snapshot *fresh, struct ia_err *err);
    void *guard_ctx;
    /* Asked once before the effect of an action on an element, and before an alert is answered (then target is the button,
     * or NULL where the tree does not show it): anything but IA_OK refuses the action with that error, outcome
     * not_sent. May be NULL; its ctx is guard_ctx. */
    enum ia_rc (*permit)(void *ctx, const struct ia_snapshot *fresh,
                         const struct ia_element *target, struct ia_err *err);
    uint32_t first_ref; /* refs are given from here on; those below were given by an earlier
                           session and are stale. 0: 1 */
};

/* What an action did. Owned by the caller; ia_act_result_fini. */
struct ia_act_result {
    struct ia_buf changes; /* diff lines, or "nothing changed" */
    bool changed;
    bool settled;       /* false: the cap was reached; changes names the moving refs */
    char element[160];  /* the element acted on, as text; "" when none */
    struct ia_rect box; /* its frame at the moment of acting; zero when none */
    uint64_t layout_before, layout_after;
};
void ia_act_result_fini(struct ia_act_result *r);

/* Does not take ownership of the device. opt may be NULL. */
struct ia_session *ia_session_new(struct ia_device *device,
                                  const struct ia_session_options *opt);
void ia_session_free(struct ia_session *s);
/* Other sessions gave refs up to that one meanwhile: this one gives none of them again. */
void ia_session_skip_refs(struct ia_session *s, uint32_t last_ref);
/* Tells a new session, before its first capture, what a screen of an earlier one showed (its
 * text form), so that the refusal of an old ref names it and the nearest candidates. */
void ia_session_recall(struct ia_session *s, struct ia_str text);

/* Captures a settled snapshot and makes it the latest. Borrowed until the next call. A device
 * that is `instant` is not waited for: it is still when two trees in a row are equal. */
enum ia_rc ia_session_snapshot(struct ia_session *s, const struct ia_deadline *deadline,
                               const struct ia_snapshot **ret, struct ia_err *err);
/* One fresh tree, not waiting for the screen to settle. Becomes the latest. */
enum ia_rc ia_session_peek(struct ia_session *s, const struct ia_deadline *deadline,
                           const struct ia_snapshot **ret, struct ia_err *err);
/* Looks for what hinders people on the settled screen, whose snapshot becomes the latest. Changes
 * nothing. Free *ret with ia_audit_fini. */
enum ia_rc ia_session_audit(struct ia_session *s, const struct ia_deadline *deadline,
                            struct ia_audit *ret, struct ia_err *err);
/* The same for who only watches: it does not become the latest, so that what an action is refused for
 * does not change by it. Its refs are good at once; containers have some, too. Free it with
 * ia_snapshot_free. */
enum ia_rc ia_session_look(struct ia_session *s, const struct ia_deadline *deadline,
                           struct ia_snapshot **ret, struct ia_err *err);
/* The same for every look with the same elements, refs, places and texts. */
uint64_t ia_session_look_id(const struct ia_snapshot *look);
/* Whether one of these looks, of the last 16 different ones, has the ref. */
bool ia_session_look_has(const struct ia_session *s, uint32_t ref);
/* The actions to come are of somebody who goes by such a look, as a person who clicks on a picture:
 * their refs must be in it, the elements must still read as they did there, a drag from or to a
 * point wants them where they were, and an answer to an alert wants the same question. The latest snapshot, which the others go by, has no say then.
 * 0: the others act again. IA_E_STALE_REF: it is none of the last 16 different looks. */
enum ia_rc ia_session_go_by(struct ia_session *s, uint64_t look_id, struct ia_err *err);
/* The latest snapshot, or NULL. */
const struct ia_snapshot *ia_session_latest(const struct ia_session *s);
/* How often the screen was read. Reading an unchanged screen gives the same snapshot again. */
uint64_t ia_session_looks(const struct ia_session *s);
/* The screen on which the last action was checked, just before it was done; *ret_ref is the action's target, or 0
 * without one. NULL if that screen was not read. Borrowed until the next action. */
const struct ia_snapshot *ia_session_acted(const struct ia_session *s, uint32_t *ret_ref);
/* True if the guard allows actions on that screen; a screen that it does not allow must not be read either. */
bool ia_session_allowed(const struct ia_session *s, const struct ia_snapshot *screen);
/* The highest ref that was given out so far, by earlier sessions too. */
uint32_t ia_session_last_ref(const struct ia_session *s);
/* The refs that still moved when the latest snapshot was settled for at the cap, "12, 14"; ""
 * when it was still, or not waited for. Borrowed until the next call. */
const char *ia_session_moving(const struct ia_session *s);
const struct ia_refs *ia_session_refs(const struct ia_session *s);
/* Gives refs to the containers of the latest snapshot (ia_snapshot_name_containers). */
void ia_session_name_containers(struct ia_session *s);

/* Actions. ref is the number of an element (ia_ref_parse reads one). An effect is sent once and
 * never repeated. On failure err->outcome says whether anything was sent and err->retry_safe
 * whether the same call may be made again; the fresh capture is then the latest snapshot.
 * IA_E_STALE_REF also when the element reads differently from what the latest snapshot said, or, where
 * only who watches was shown it, from the newest look that had it. An
 * element that was shown keeps its ref while it is off-screen, as long as the tree has it: acting
 * on it is IA_E_NOT_VISIBLE then. */
enum ia_rc ia_session_tap(struct ia_session *s, const struct ia_deadline *deadline,
                          uint32_t ref, struct ia_act_result *ret, struct ia_err *err);
enum ia_rc ia_session_long_press(struct ia_session *s, const struct ia_deadline *deadline,
                                 uint32_t ref, int duration_ms, struct ia_act_result *ret,
                                 struct ia_err *err);
/* Focuses the field, types, reads back (IA_E_TEXT_MISMATCH names both texts; a secure field is
 * compared by length). replace clears it first; submit presses return after. */
enum ia_rc ia_session_type(struct ia_session *s, const struct ia_deadline *deadline,
                           uint32_t ref, struct ia_str text, bool replace, bool submit,
                           struct ia_act_result *ret, struct ia_err *err);
enum ia_rc ia_session_clear(struct ia_session *s, const struct ia_deadline *deadline,
                            uint32_t ref, struct ia_act_result *ret, struct ia_err *err);
enum ia_direction { IA_UP, IA_DOWN, IA_LEFT, IA_RIGHT };
/* The finger moves in that direction over `distance` (0 to 1] of the safe stroke. ref may be
 * 0: the largest scroll container, else the screen. */
enum ia_rc ia_session_swipe(struct ia_session *s, const struct ia_deadline *deadline,
                            uint32_t ref, enum ia_direction dir, double distance,
                            struct ia_act_result *ret, struct ia_err *err);
/* Where a finger goes: to an element, or to a point of the screen where ref is 0. */
struct ia_spot {
    uint32_t ref;
    struct ia_point at;
};
struct ia_drag {
    struct ia_spot from, to;
    int duration_ms; /* of the movement; 0: 500 */
};
/* Drags from one spot to another, both of which are on the screen now. It never begins at the
 * screen's edge, where the system's own gestures begin: such a point is IA_E_USAGE, and an element
 * is taken hold of further inside. */
enum ia_rc ia_session_drag(struct ia_session *s, const struct ia_deadline *deadline,
                           const struct ia_drag *drag, struct ia_act_result *ret,
                           struct ia_err *err);
/* Two fingers in the middle of an element, or of the screen where ref is 0, move apart (scale
 * above 1) or together (below 1); IA_E_USAGE outside of IA_PINCH_MIN to IA_PINCH_MAX, and for 1. */
#define IA_PINCH_MIN 0.1
#define IA_PINCH_MAX 10.0
enum ia_rc ia_session_pinch(struct ia_session *s, const struct ia_deadline *deadline,
                            uint32_t ref, double scale, struct ia_act_result *ret,
                            struct ia_err *err);
/* Touches at points that were chosen on a picture, for what the tree does not know. The guard is asked
 * as for any action. What the tree does have under the point is the element acted on: it is told in
 * *ret, one that is disabled is refused, and ia_session_acted has its ref. */
struct ia_aim {
    /* Asked last, with the fresh tree read and before the effect: whether the picture still shows what
     * it was chosen by. Anything but IA_OK refuses the action, not sent. May be NULL. */
    enum ia_rc (*check)(void *ctx, struct ia_err *err);
    void *ctx;
    /* By what element it was chosen, where `bound`: another one under the point now (0: none) is
     * IA_E_STALE_REF. */
    uint32_t ref;
    bool bound;
};
/* The element that lies under the point: of those that can be acted on or read, the smallest; NULL: none. */
const struct ia_element *ia_session_under(const struct ia_snapshot *s, struct ia_point at);
/* IA_E_USAGE outside of the screen, also for what is no number. */
enum ia_rc ia_session_tap_at(struct ia_session *s, const struct ia_deadline *deadline,
                             struct ia_point at, const struct ia_aim *aim,
                             struct ia_act_result *ret, struct ia_err *err);
/* A line from point to point, each part a drag of its own; after each the guard is asked again. It
 * never begins at the screen's edge (IA_E_USAGE), as drags do not. The aim is checked for the first
 * part. A failure says how many parts were drawn; with one drawn its outcome is sent. */
enum { IA_PATH_POINTS_MAX = 64 };
struct ia_path {
    const struct ia_point *points;
    size_t count;    /* from 2 on */
    int duration_ms; /* of each part; 0: 300 */
};
enum ia_rc ia_session_draw(struct ia_session *s, const struct ia_deadline *deadline,
                           const struct ia_path *path, const struct ia_aim *aim,
                           struct ia_act_result *ret, struct ia_err *err);
/* The element that has the keyboard; NULL: the tree does not tell. */
const struct ia_element *ia_session_focused(const struct ia_snapshot *s);
/* Types into whatever has the keyboard, where the tree does not say what that is; submit presses
 * return after. Nothing is read back. Of the aim only its check counts. IA_E_NO_KEYBOARD. */
enum ia_rc ia_session_type_focused(struct ia_session *s, const struct ia_deadline *deadline,
                                   struct ia_str text, bool submit, const struct ia_aim *aim,
                                   struct ia_act_result *ret, struct ia_err *err);
/* Scrolls (down first, then up; at most max_swipes) until an element whose label contains text
 * is on screen and tappable or readable. *ret_element is borrowed from the latest snapshot. */
enum ia_rc ia_session_scroll_to(struct ia_session *s, const struct ia_deadline *deadline,
                                struct ia_str text, int max_swipes,
                                const struct ia_element **ret_element,
                                struct ia_act_result *ret, struct ia_err *err);
/* Taps the navigation bar's back control, else swipes from the left edge: what may be another
 * command, such as Edit, is never tapped. IA_E_NO_BACK when the swipe changed nothing on a screen
 * that shows something. */
enum ia_rc ia_session_back(struct ia_session *s, const struct ia_deadline *deadline,
                           struct ia_act_result *ret, struct ia_err *err);
enum ia_rc ia_session_press(struct ia_session *s, const struct ia_deadline *deadline,
                            enum ia_button button, struct ia_act_result *ret,
                            struct ia_err *err);
enum ia_rc ia_session_launch(struct ia_session *s, const struct ia_deadline *deadline,
                             const char *bundle_id, struct ia_act_result *ret,
                             struct ia_err *err);
enum ia_rc ia_session_terminate(struct ia_session *s, const struct ia_deadline *deadline,
                                const char *bundle_id, struct ia_act_result *ret,
                                struct ia_err *err);
/* IA_E_USAGE for a link that sets up the simulated phone: who drives a session uses the phone, and
 * whoever set it up decides what is wrong with it. */
enum ia_rc ia_session_open_url(struct ia_session *s, const struct ia_deadline *deadline,
                               const char *url, struct ia_act_result *ret, struct ia_err *err);
enum ia_rc ia_session_alert(struct ia_session *s, const struct ia_deadline *deadline,
                            enum ia_alert_action action, const char *button,
                            struct ia_act_result *ret, struct ia_err *err);

/* What is no touch: neither guard nor screen is asked. As ia_device_native, _pasteboard and _info. */
enum ia_rc ia_session_native(struct ia_session *s, const struct ia_deadline *deadline,
                             enum ia_native native, struct ia_str json,
                             struct ia_buf *ret_answer, struct ia_err *err);
enum ia_rc ia_session_pasteboard(struct ia_session *s, const struct ia_deadline *deadline,
                                 struct ia_buf *ret_text, struct ia_err *err);
enum ia_rc ia_session_info(struct ia_session *s, struct ia_device_info *ret,
                           struct ia_err *err);

/* A condition on the screen. GONE holds on every screen that does not show the element, another
 * app's too: to mean "gone from this screen", also wait for something that only this screen has. */
enum ia_wait_kind {
    IA_WAIT_EXISTS,
    IA_WAIT_GONE,
    IA_WAIT_ENABLED,
    IA_WAIT_FOCUSED,
    IA_WAIT_TEXT,  /* any listed text contains `text` */
    IA_WAIT_VALUE, /* the selected element's value is `text` */
    IA_WAIT_COUNT, /* exactly `count` elements match */
    IA_WAIT_SETTLED
};
struct ia_condition {
    enum ia_wait_kind kind;
    uint32_t ref;           /* the element that has this ref; 0: what sel selects */
    struct ia_selector sel; /* unused by TEXT and SETTLED */
    const char *text;
    int count;
};
/* True when the condition holds in the snapshot; SETTLED is always true here. */
bool ia_condition_holds(const struct ia_condition *c, const struct ia_snapshot *s);
/* Waits until any (or all) of the conditions hold. IA_E_TIMEOUT when the call's deadline came
 * first. The last capture is the latest snapshot either way. */
enum ia_rc ia_session_wait(struct ia_session *s, const struct ia_deadline *deadline,
                           const struct ia_condition *conds, size_t n, bool all,
                           struct ia_act_result *ret, struct ia_err *err);

/* The same for any condition: holds is called with each fresh capture that the guard allows. */
enum ia_rc ia_session_await(struct ia_session *s, const struct ia_deadline *deadline,
                            bool (*holds)(void *ctx, const struct ia_snapshot *fresh),
                            void *ctx, struct ia_err *err);

/* A PNG scaled to points (1 pixel = 1 point), for the model. */
enum ia_rc ia_session_screenshot(struct ia_session *s, const struct ia_deadline *deadline,
                                 struct ia_buf *ret_png, struct ia_err *err);
/* The same where it is another picture than that with *hash (0: any), which becomes its own; else
 * appends nothing. Scaling costs more than all the rest of a look. */
enum ia_rc ia_session_screenshot_unless(struct ia_session *s,
                                        const struct ia_deadline *deadline, uint64_t *hash,
                                        struct ia_buf *ret_png, struct ia_err *err);
/* A PNG in the device's own pixels, for people. */
enum ia_rc ia_session_picture(struct ia_session *s, const struct ia_deadline *deadline,
                              struct ia_buf *ret_png, struct ia_err *err);

#endif
