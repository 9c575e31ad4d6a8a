/* session_act.c: the life of an action, and the simple ones.
 *
 *   begin: fresh capture ─► same element? reads the same? still? allowed? ─► effect, once
 *   end:   settle ─► what changed
 *
 * The fresh capture is the point: what the caller saw may be seconds old. Up to the effect a
 * failure leaves the device untouched (NOT_SENT) and may be repeated; from the effect on
 * nothing here is sent a second time, and a failure says so (SENT, or UNKNOWN when the
 * device does not tell).
 *
 * a->e points into the session's latest snapshot: every refresh makes it invalid and looks
 * it up again by its ref, and it is NULL when the element has gone. */
#include "driver/session/session_impl.h"

#include "base/utf8.h"
#include "driver/snapshot/phrase.h"
#include "driver/snapshot/refs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { CHANGES_MAX = 64 * 1024, VERIFY_US = 1000000 };

/* ---- failing ---------------------------------------------------------------------------- */

enum ia_rc ia_act_fail(struct ia_act *a, enum ia_rc rc)
{
    struct ia_err *err = a->err;
    if (err->outcome == IA_OUTCOME_NONE || err->outcome == IA_OUTCOME_NOT_SENT) {
        bool any = a->sent || a->touched;
        err->outcome = any ? IA_OUTCOME_SENT : IA_OUTCOME_NOT_SENT;
        /* A tap that only asked for the focus is touched, not sent: doing it again does no
         * harm. */
        err->retry_safe = !a->sent;
    }
    return ia_act_drop(a, rc);
}

enum ia_rc ia_act_sent(struct ia_act *a, enum ia_rc rc)
{
    if (rc == IA_OK) {
        a->sent = true;
    } else if (a->err->outcome == IA_OUTCOME_NONE) {
        a->err->outcome = IA_OUTCOME_UNKNOWN; /* the device does not tell */
    }
    return rc;
}

/* ---- beginning -------------------------------------------------------------------------- */

static void keep_acted(struct ia_session *s, const struct ia_snapshot *screen, uint32_t ref)
{
    ia_snapshot_free(s->acted);
    s->acted = screen ? ia_snapshot_ref(screen) : NULL;
    s->acted_ref = ref;
}

static void start(struct ia_act *a, struct ia_session *s, const struct ia_deadline *deadline,
                  struct ia_act_result *ret, struct ia_err *err)
{
    memset(a, 0, sizeof(*a));
    a->s = s;
    a->deadline = deadline;
    a->ret = ret;
    a->err = err ? err : &a->local_err;
    *a->err = (struct ia_err){.retry_after_ms = -1};
    *ret = (struct ia_act_result){.changes = IA_BUF(CHANGES_MAX)};
    /* The old snapshot moves to the action, as a capture frees the latest one and the end
     * compares with the old. ia_act_drop() gives it back when no capture succeeded. */
    a->before = s->latest;
    s->latest = NULL;
    keep_acted(s, NULL, 0);
}

enum ia_rc ia_act_refresh(struct ia_act *a)
{
    const struct ia_snapshot *now = NULL;
    a->e = NULL;
    enum ia_rc rc = ia_session_peek(a->s, a->deadline, &now, a->err);
    if (rc == IA_OK) {
        a->e = ia_snapshot_by_ref(now, a->ref);
    }
    return rc;
}

enum ia_rc ia_act_guard(struct ia_act *a)
{
    const struct ia_session *s = a->s;
    return s->guard ? s->guard(s->guard_ctx, s->latest, a->err) : IA_OK;
}

enum ia_rc ia_act_permit(struct ia_act *a)
{
    const struct ia_session *s = a->s;
    return s->permit ? s->permit(s->guard_ctx, s->latest, a->e, a->err) : IA_OK;
}

enum ia_rc ia_act_begin(struct ia_act *a, struct ia_session *s,
                        const struct ia_deadline *deadline, struct ia_act_result *ret,
                        struct ia_err *err)
{
    start(a, s, deadline, ret, err);
    enum ia_rc rc = ia_act_refresh(a);
    if (rc == IA_OK) {
        rc = ia_act_guard(a);
    }
    if (rc != IA_OK) {
        return ia_act_fail(a, rc);
    }
    ret->layout_before = s->latest->layout;
    keep_acted(s, s->latest, 0);
    return IA_OK;
}

static bool at_rest(struct ia_rect a, struct ia_rect b)
{
    return fabs(a.x - b.x) < 1 && fabs(a.y - b.y) < 1 && fabs(a.w - b.w) < 1 &&
           fabs(a.h - b.h) < 1;
}

/* Waits until the element has the same frame in two captures in a row. The guard is asked about
 * each of them: what it allowed, an alert on the home screen for example, may have gone. */
static enum ia_rc await_rest(struct ia_act *a, struct ia_rect before)
{
    struct ia_poll poll = ia_poll_begin(a->s, a->deadline, a->s->cap_us);
    while (a->e && !at_rest(a->e->frame, before)) {
        before = a->e->frame;
        enum ia_rc rc = ia_poll_next(&poll, false);
        if (rc == IA_E_TIMEOUT) {
            ia_err_set(a->err, IA_E_MOVING, "element %u does not stop moving", a->ref);
            ia_err_hint(a->err, "wait until the screen has settled, then try again");
            return IA_E_MOVING;
        }
        if (rc != IA_OK) {
            return ia_err_set(a->err, rc, "cancelled while element %u was moving", a->ref);
        }
        rc = ia_act_refresh(a);
        if (rc == IA_OK) {
            rc = ia_act_guard(a);
        }
        if (rc != IA_OK) {
            return rc;
        }
    }
    return IA_OK;
}

/* An element that is known by its identifier keeps its ref when its label changes. The caller
 * chose it by what it read, so acting on it now could be a mistake. */
static enum ia_rc check_reading(struct ia_act *a, const struct ia_element *before,
                                const struct ia_element *e)
{
    const char *label = before && before->listed ? before->label : NULL;
    bool reads = e->role == IA_ROLE_TEXT || e->role == IA_ROLE_HEADING;
    if (reads || !label || ia_phrase_alike(label, e->label)) {
        return IA_OK;
    }
    struct ia_buf now = IA_BUF(1024);
    ia_element_text(e, &now);
    ia_err_set(a->err, IA_E_STALE_REF, "element %u used to read \"%s\" and has changed", e->ref,
               label);
    ia_err_hint(a->err, "it is now: %s; if that is what you mean, do it again",
                ia_buf_cstr(&now));
    ia_buf_fini(&now);
    return IA_E_STALE_REF;
}

/* What the caller chose the element by; NULL is fine unless it goes by one picture. */
static enum ia_rc as_shown(const struct ia_act *a, uint32_t ref, const struct ia_element **ret)
{
    *ret = ia_session_was_shown(a->s, a->before, ref);
    if (*ret || !a->s->seen) {
        return IA_OK;
    }
    ia_err_set(a->err, IA_E_STALE_REF, "element %u is not in the frame that was seen", ref);
    ia_err_hint(a->err, "use a ref of that frame, or look at the newest one");
    return IA_E_STALE_REF;
}

/* Finds the element of the ref in a fresh capture and waits until it rests. An element that was
 * gone may be back by now: the fresh capture decides. */
static enum ia_rc find_again(struct ia_act *a, uint32_t ref)
{
    const struct ia_element *before = NULL;
    enum ia_rc rc = as_shown(a, ref, &before);
    if (rc == IA_OK) {
        rc = ia_act_refresh(a);
    }
    if (rc == IA_OK) {
        rc = ia_act_guard(a);
    }
    if (rc == IA_OK) {
        rc = ia_snapshot_resolve(a->s->latest, a->s->refs, ref, &a->e, a->err);
    }
    if (rc != IA_OK) {
        return rc;
    }
    a->ref = a->e->ref;
    rc = check_reading(a, before, a->e);
    if (rc == IA_OK && before) {
        rc = await_rest(a, before->frame);
    }
    if (rc == IA_OK && !a->e) { /* it went while it moved */
        rc = ia_snapshot_resolve(a->s->latest, a->s->refs, ref, &a->e, a->err);
    }
    return rc;
}

enum ia_rc ia_act_other(struct ia_act *a, uint32_t ref, unsigned action,
                        const struct ia_element **ret)
{
    const struct ia_element *before = NULL, *e = NULL;
    enum ia_rc rc = as_shown(a, ref, &before);
    if (rc == IA_OK) {
        rc = ia_snapshot_resolve(a->s->latest, a->s->refs, ref, &e, a->err);
    }
    if (rc == IA_OK) {
        rc = check_reading(a, before, e);
    }
    if (rc == IA_OK) {
        rc = ia_snapshot_check(a->s->latest, e, action, a->err);
    }
    if (rc == IA_OK) {
        *ret = e;
    }
    return rc;
}

void ia_act_note(struct ia_act *a)
{
    struct ia_buf text = IA_BUF(2048);
    ia_element_text(a->e, &text);
    snprintf(a->ret->element, sizeof(a->ret->element), "%s", ia_buf_cstr(&text));
    a->ret->element[ia_utf8_cut(a->ret->element, strlen(a->ret->element))] = '\0';
    ia_buf_fini(&text);
    a->ret->box = a->e->frame;
}

void ia_act_about(struct ia_act *a, const struct ia_element *e)
{
    a->e = e;
    a->ref = e ? e->ref : 0;
    if (e) {
        keep_acted(a->s, a->s->latest, e->ref);
        ia_act_note(a);
    }
}

enum ia_rc ia_act_begin_on(struct ia_act *a, struct ia_session *s,
                           const struct ia_deadline *deadline, uint32_t ref, unsigned action,
                           struct ia_act_result *ret, struct ia_err *err)
{
    start(a, s, deadline, ret, err);
    if (!a->before && !ia_session_look_has(s, ref)) {
        ia_err_set(a->err, IA_E_NO_SNAPSHOT,
                   "no snapshot has been taken yet, so there are no refs");
        ia_err_hint(a->err, "take a snapshot first");
        return ia_act_fail(a, IA_E_NO_SNAPSHOT);
    }
    enum ia_rc rc = find_again(a, ref);
    if (rc == IA_OK) {
        rc = ia_snapshot_check(s->latest, a->e, action, a->err);
    }
    if (rc == IA_OK) {
        rc = ia_act_permit(a);
    }
    if (rc != IA_OK) {
        return ia_act_fail(a, rc);
    }
    ret->layout_before = s->latest->layout;
    keep_acted(s, s->latest, a->ref);
    ia_act_note(a);
    return IA_OK;
}

/* ---- ending ----------------------------------------------------------------------------- */

static void report_changes(struct ia_act *a)
{
    struct ia_act_result *ret = a->ret;
    if (a->before) {
        ret->changed = ia_snapshot_diff(a->before, a->s->latest, 0, &ret->changes);
    } else {
        ret->changed = true;
        ia_buf_puts(&ret->changes, "new screen\n");
        ia_snapshot_text(a->s->latest, 0, &ret->changes);
    }
    if (!ret->settled && a->s->moving.len > 0) {
        ia_buf_printf(&ret->changes, "still moving: %s\n", ia_session_moving(a->s));
    }
}

enum ia_rc ia_act_drop(struct ia_act *a, enum ia_rc rc)
{
    if (!a->s->latest) {
        a->s->latest = a->before;
        a->before = NULL;
    }
    ia_snapshot_free(a->before);
    a->before = NULL;
    return rc;
}

static enum ia_rc report(struct ia_act *a)
{
    a->ret->layout_after = a->s->latest->layout;
    report_changes(a);
    return ia_act_drop(a, IA_OK);
}

enum ia_rc ia_act_report(struct ia_act *a)
{
    a->ret->settled = true;
    return report(a);
}

enum ia_rc ia_act_end(struct ia_act *a)
{
    enum ia_rc rc = ia_session_settle(a->s, a->deadline, &a->ret->settled, a->err);
    if (rc == IA_OK) {
        return report(a);
    }
    /* The effect has happened, whatever reading the screen says: repeating it could do it
     * twice. */
    ia_err_wrap(a->err, rc, "the action was done, but the screen could not be read after it");
    a->err->outcome = IA_OUTCOME_SENT;
    a->err->retry_safe = false;
    return ia_act_drop(a, rc);
}

/* ---- tap and long press ----------------------------------------------------------------- */

static bool unchanged_switch(const struct ia_act *a, uint8_t on)
{
    const struct ia_element *e = ia_snapshot_by_ref(a->s->latest, a->ref);
    return e && e->reach == IA_REACH_OK && e->on == on;
}

/* A switch must read differently after a tap, unless something stands in front of it now. */
static enum ia_rc verify_switch(struct ia_act *a, uint8_t on)
{
    struct ia_poll poll = ia_poll_begin(a->s, a->deadline, VERIFY_US);
    uint64_t before = 0;
    enum ia_rc go = IA_OK;
    while (go == IA_OK) {
        enum ia_rc rc = ia_act_refresh(a);
        if (rc != IA_OK || !unchanged_switch(a, on)) {
            return rc;
        }
        go = ia_poll_next(&poll, before == a->s->latest->content);
        before = a->s->latest->content;
    }
    if (go == IA_E_CANCELLED) {
        return ia_err_set(a->err, go, "cancelled while the switch was read back");
    }
    ia_err_set(a->err, IA_E_NOT_MET, "%s was tapped and still reads %s", a->ret->element,
               on == IA_ON ? "on" : "off");
    ia_err_hint(a->err, "the app refused the change: look at the screen before you try again");
    return IA_E_NOT_MET;
}

enum ia_rc ia_session_tap(struct ia_session *s, const struct ia_deadline *deadline,
                          uint32_t ref, struct ia_act_result *ret, struct ia_err *err)
{
    struct ia_act a;
    enum ia_rc rc = ia_act_begin_on(&a, s, deadline, ref, IA_ACT_TAP, ret, err);
    if (rc != IA_OK) {
        return rc;
    }
    uint8_t on = a.e->on;
    bool toggles =
        on != IA_UNSET && (a.e->role == IA_ROLE_SWITCH || a.e->role == IA_ROLE_CHECKBOX);
    rc = ia_act_sent(&a, ia_device_tap(s->device, deadline, a.e->activation, a.err));
    if (rc == IA_OK && toggles) {
        rc = verify_switch(&a, on);
    }
    return rc == IA_OK ? ia_act_end(&a) : ia_act_fail(&a, rc);
}

enum ia_rc ia_session_long_press(struct ia_session *s, const struct ia_deadline *deadline,
                                 uint32_t ref, int duration_ms, struct ia_act_result *ret,
                                 struct ia_err *err)
{
    enum { SHORTEST_MS = 500, LONGEST_MS = 10000 };
    int ms = duration_ms < SHORTEST_MS ? SHORTEST_MS : duration_ms;
    ms = ms > LONGEST_MS ? LONGEST_MS : ms;
    struct ia_act a;
    enum ia_rc rc = ia_act_begin_on(&a, s, deadline, ref, IA_ACT_LONG_PRESS, ret, err);
    if (rc != IA_OK) {
        return rc;
    }
    rc = ia_act_sent(&a, ia_device_long_press(s->device, deadline, a.e->activation, ms, a.err));
    return rc == IA_OK ? ia_act_end(&a) : ia_act_fail(&a, rc);
}

/* ---- the device as a whole -------------------------------------------------------------- */

/* None of these needs a readable screen before: they are what fixes an unreadable one. */
void ia_act_begin_blind(struct ia_act *a, struct ia_session *s,
                        const struct ia_deadline *deadline, struct ia_act_result *ret,
                        struct ia_err *err)
{
    start(a, s, deadline, ret, err);
    ret->layout_before = a->before ? a->before->layout : 0;
    keep_acted(s, a->before, 0);
}

static enum ia_rc finish(struct ia_act *a, enum ia_rc rc)
{
    rc = ia_act_sent(a, rc);
    return rc == IA_OK ? ia_act_end(a) : ia_act_fail(a, rc);
}

enum ia_rc ia_session_press(struct ia_session *s, const struct ia_deadline *deadline,
                            enum ia_button button, struct ia_act_result *ret,
                            struct ia_err *err)
{
    struct ia_act a;
    ia_act_begin_blind(&a, s, deadline, ret, err);
    return finish(&a, ia_device_press(s->device, deadline, button, a.err));
}

enum ia_rc ia_session_launch(struct ia_session *s, const struct ia_deadline *deadline,
                             const char *bundle_id, struct ia_act_result *ret,
                             struct ia_err *err)
{
    struct ia_act a;
    ia_act_begin_blind(&a, s, deadline, ret, err);
    return finish(&a, ia_device_launch(s->device, deadline, bundle_id, a.err));
}

enum ia_rc ia_session_terminate(struct ia_session *s, const struct ia_deadline *deadline,
                                const char *bundle_id, struct ia_act_result *ret,
                                struct ia_err *err)
{
    struct ia_act a;
    ia_act_begin_blind(&a, s, deadline, ret, err);
    return finish(&a, ia_device_terminate(s->device, deadline, bundle_id, a.err));
}

/* A link to the simulated phone itself, which plants and removes bugs (driver/embedded/fault/knobs.h). */
static bool goes_to_device(const char *url)
{
    while (*url != '\0' && (unsigned char)*url <= ' ') {
        url++;
    }
    return strncasecmp(url, "embedded:", strlen("embedded:")) == 0;
}

enum ia_rc ia_session_open_url(struct ia_session *s, const struct ia_deadline *deadline,
                               const char *url, struct ia_act_result *ret, struct ia_err *err)
{
    struct ia_act a;
    if (goes_to_device(url)) {
        ia_err_set(err, IA_E_USAGE,
                   "links to the simulated phone itself are not opened as a person opens one");
        ia_err_hint(err, "ios-agent embedded bugs --set LIST plants bugs");
        if (err) {
            err->outcome = IA_OUTCOME_NOT_SENT;
        }
        return IA_E_USAGE;
    }
    ia_act_begin_blind(&a, s, deadline, ret, err);
    return finish(&a, ia_device_open_url(s->device, deadline, url, a.err));
}
