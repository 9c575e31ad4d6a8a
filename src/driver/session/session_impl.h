/* session_impl.h: what the session's files share.
 *
 *   session.c        captures, polling, settling
 *   session_act.c    the life of an action: begin ─► effect, once ─► end; taps and whole-device
 *                    actions
 *   session_type.c   typing, read back
 *   session_move.c   swiping, scrolling to a text, going back
 *   session_drag.c   dragging from spot to spot, pinching
 *   session_point.c  touches at points, for what the tree does not know
 *   session_wait.c   conditions, alerts
 *   session_image.c  screenshots in points */
#ifndef IA_DRIVER_SESSION_SESSION_IMPL_H
#define IA_DRIVER_SESSION_SESSION_IMPL_H

#include "driver/session/session.h"
#include "driver/snapshot/model.h"

enum { IA_SESSION_TITLES = 32, IA_SESSION_LOOKS = 16 };
struct ia_session {
    struct ia_device *device; /* not owned */
    const struct ia_clock *clock;
    int64_t stable_us, cap_us, poll_us;
    enum ia_rc (*guard)(void *ctx, const struct ia_snapshot *fresh, struct ia_err *err);
    void *guard_ctx;
    enum ia_rc (*permit)(void *ctx, const struct ia_snapshot *fresh,
                         const struct ia_element *target, struct ia_err *err);
    struct ia_refs *refs;
    struct ia_snapshot *latest; /* NULL before the first capture */
    /* The last capture and its tree, or NULL: most readings show an unchanged screen, and comparing two trees takes a
     * tenth of the time of building a snapshot. */
    struct ia_snapshot *captured;
    struct ia_tree *captured_tree;
    bool captured_has_refs; /* and no later snapshot has any */
    uint64_t looks_made;
    struct ia_snapshot *acted; /* the screen on which the last action was allowed, or NULL */
    uint32_t acted_ref;        /* its target; 0: none */
    /* What who only watches was shown last: each screen once, the newest first. */
    struct ia_snapshot *looks[IA_SESSION_LOOKS];
    const struct ia_snapshot *seen;     /* one of them that the next action goes by, or NULL */
    struct ia_buf moving;               /* refs that still moved in it, "12, 14" */
    uint64_t titles[IA_SESSION_TITLES]; /* hashes of the latest screens' titles, a ring */
    unsigned title_at;
    struct ia_device_info info;
    bool known; /* info was read */
};

/* A bounded series of captures. An instant device is never waited for: two equal captures end
 * the series. */
struct ia_poll {
    struct ia_session *s;
    const struct ia_deadline *deadline;
    int64_t until_us; /* of the session's clock */
    int count;
};
enum { IA_POLLS_MAX = 64 }; /* of an instant device */
struct ia_poll ia_poll_begin(struct ia_session *s, const struct ia_deadline *deadline,
                             int64_t cap_us);
/* Waits for the next capture. still: the last two were equal. IA_OK: go on; IA_E_TIMEOUT: the
 * cap or the call's deadline is reached, or nothing more will change; IA_E_CANCELLED. */
enum ia_rc ia_poll_next(struct ia_poll *p, bool still);

/* A fresh tree as a snapshot without refs; the caller frees or adopts it. IA_E_TREE_EMPTY when
 * the tree has no elements or no area. */
enum ia_rc ia_session_capture(struct ia_session *s, const struct ia_deadline *deadline,
                              struct ia_snapshot **ret, struct ia_err *err);
/* The same, or another reference to the last capture if nothing has changed since; that one may have refs already. */
enum ia_rc ia_session_capture_again(struct ia_session *s, const struct ia_deadline *deadline,
                                    struct ia_snapshot **ret, struct ia_err *err);
/* Gives the snapshot its refs and makes it the latest; the one before is freed. */
void ia_session_adopt(struct ia_session *s, struct ia_snapshot *fresh);
/* The element as the caller of an action was shown it: in the look that it goes by, else in `latest`
 * (may be NULL), else in the newest look that has it; NULL: in none. */
const struct ia_element *ia_session_was_shown(const struct ia_session *s,
                                              const struct ia_snapshot *latest, uint32_t ref);
/* True when a screen of that title was seen in this session, not too many titles ago. */
bool ia_session_saw_title(const struct ia_session *s, const char *title);
/* Captures until the screen is still or the cap is reached, and adopts the last capture. What
 * still moved is then in s->moving. */
enum ia_rc ia_session_settle(struct ia_session *s, const struct ia_deadline *deadline,
                             bool *ret_settled, struct ia_err *err);

/* Strokes keep this far from the edges of the screen, where the system's own gestures begin. */
#define IA_EDGE_PT 24.0

/* One action from its check to its report. It is about one element; one that needs another finds it
 * with ia_act_other. */
struct ia_act {
    struct ia_session *s;
    const struct ia_deadline *deadline;
    struct ia_act_result *ret;
    struct ia_err *err;
    struct ia_err local_err;    /* when the caller passed none */
    struct ia_snapshot *before; /* owned: what the caller saw last; NULL when nothing */
    const struct ia_element *e; /* in the latest snapshot; NULL when the action has none */
    uint32_t ref;
    bool sent;    /* the effect reached the device */
    bool touched; /* something harmless did, such as the tap that focuses a field */
};

/* Begins an action without an element: takes a fresh capture. */
enum ia_rc ia_act_begin(struct ia_act *a, struct ia_session *s,
                        const struct ia_deadline *deadline, struct ia_act_result *ret,
                        struct ia_err *err);
/* Begins one on an element: found again in a fresh capture, still, reading as it did, and the
 * action (IA_ACT_*, 0 for one that every element allows) possible: ia_snapshot_check. */
enum ia_rc ia_act_begin_on(struct ia_act *a, struct ia_session *s,
                           const struct ia_deadline *deadline, uint32_t ref, unsigned action,
                           struct ia_act_result *ret, struct ia_err *err);
/* Another element of an action that has begun: in the latest capture, reading as it did, and what
 * ia_snapshot_check asks for. Borrowed from that capture. */
enum ia_rc ia_act_other(struct ia_act *a, uint32_t ref, unsigned action,
                        const struct ia_element **ret);
/* The element of an action that began without one, in the latest capture; NULL: none. */
void ia_act_about(struct ia_act *a, const struct ia_element *e);
/* Begins one without a capture: launching an app or pressing home must also work while the
 * screen cannot be read. */
void ia_act_begin_blind(struct ia_act *a, struct ia_session *s,
                        const struct ia_deadline *deadline, struct ia_act_result *ret,
                        struct ia_err *err);
/* Writes the element acted on into the result. */
void ia_act_note(struct ia_act *a);
/* Captures again and finds the element again; a->e is NULL when it is gone. */
enum ia_rc ia_act_refresh(struct ia_act *a);
/* Whether the guard allows actions on the screen that is there now (the app lock). */
enum ia_rc ia_act_guard(struct ia_act *a);
/* Whether the effect may be sent: on a->e, or without an element. */
enum ia_rc ia_act_permit(struct ia_act *a);
/* To be called with the result of the one effect: records whether it was sent. Returns rc. */
enum ia_rc ia_act_sent(struct ia_act *a, enum ia_rc rc);
/* Waits until the screen is still, fills the result and releases the action. Every action that
 * began ends here or in ia_act_fail. */
enum ia_rc ia_act_end(struct ia_act *a);
/* The same for the screen as it is, without waiting. */
enum ia_rc ia_act_report(struct ia_act *a);
/* Ends an action that failed: completes a->err and returns rc. */
enum ia_rc ia_act_fail(struct ia_act *a, enum ia_rc rc);
/* Releases the action; the latest snapshot stays the latest. Returns rc. */
enum ia_rc ia_act_drop(struct ia_act *a, enum ia_rc rc);

/* The finger's path inside a rectangle; false when it is too short to count as a swipe. */
bool ia_stroke(const struct ia_session *s, struct ia_rect inside, enum ia_direction dir,
               double distance, struct ia_point *ret_from, struct ia_point *ret_to);

#endif
