/* session_wait.c: conditions on the screen, and alerts.
 *
 * A wait polls fresh captures until its conditions hold. An alert that is in the tree is
 * answered by a tap on one of its buttons, like anything else; one that is not (the system's, on
 * some devices) by the device's own operation. */
#include "driver/session/session_impl.h"

#include "driver/snapshot/phrase.h"

#include <math.h>
#include <string.h>
#include <strings.h>

/* ---- conditions ------------------------------------------------------------------------- */

static bool value_is(const struct ia_element *e, const char *text)
{
    if (e->on != IA_UNSET) {
        return strcmp(ia_tristate_names[e->on], text) == 0;
    }
    return strcmp(e->value ? e->value : "", text) == 0;
}

static bool meant(const struct ia_condition *c, const struct ia_element *e)
{
    return e->listed && (c->ref ? e->ref == c->ref : ia_selector_matches(&c->sel, e));
}

static size_t count_meant(const struct ia_condition *c, const struct ia_snapshot *s)
{
    size_t n = 0;
    for (size_t i = 0; i < s->count; i++) {
        n += meant(c, &s->elements[i]);
    }
    return n;
}

/* True when at least one listed match has the property. */
static bool any_match(const struct ia_condition *c, const struct ia_snapshot *s)
{
    for (size_t i = 0; i < s->count; i++) {
        const struct ia_element *e = &s->elements[i];
        if (!meant(c, e)) {
            continue;
        }
        bool holds = c->kind == IA_WAIT_ENABLED   ? !e->disabled
                     : c->kind == IA_WAIT_FOCUSED ? e->focused
                                                  : value_is(e, c->text ? c->text : "");
        if (holds) {
            return true;
        }
    }
    return false;
}

bool ia_condition_holds(const struct ia_condition *c, const struct ia_snapshot *s)
{
    switch (c->kind) {
    case IA_WAIT_EXISTS:
        return count_meant(c, s) > 0;
    case IA_WAIT_GONE:
        return count_meant(c, s) == 0;
    case IA_WAIT_TEXT:
        return ia_snapshot_contains(s, ia_str(c->text));
    case IA_WAIT_COUNT:
        return c->count >= 0 && count_meant(c, s) == (size_t)c->count;
    case IA_WAIT_SETTLED:
        return true;
    case IA_WAIT_ENABLED:
    case IA_WAIT_FOCUSED:
    case IA_WAIT_VALUE:
        break;
    }
    return any_match(c, s);
}

struct waiting {
    const struct ia_condition *conds;
    size_t n;
    bool all;
    uint64_t motion;        /* of the last capture */
    int64_t still_since_us; /* since when motion has been the same */
    bool captured;          /* there was a capture before */
};

static void note_motion(const struct ia_session *s, struct waiting *w)
{
    bool same = w->captured && w->motion == s->latest->motion;
    w->motion = s->latest->motion;
    w->captured = true;
    if (!same) {
        w->still_since_us = -1;
    } else if (w->still_since_us < 0) {
        w->still_since_us = ia_mono_us(s->clock);
    }
}

static bool conditions_hold(void *ctx, const struct ia_session *s)
{
    struct waiting *w = ctx;
    size_t met = 0;
    note_motion(s, w);
    for (size_t i = 0; i < w->n; i++) {
        bool ok = ia_condition_holds(&w->conds[i], s->latest);
        /* About time, of which one snapshot knows nothing. */
        if (w->conds[i].kind == IA_WAIT_SETTLED) {
            ok = w->still_since_us >= 0 &&
                 (s->info.instant || ia_mono_us(s->clock) - w->still_since_us >= s->stable_us);
        }
        met += ok;
    }
    return w->all ? met == w->n : met > 0;
}

/* Whether the screen that was just captured is what is waited for. What another app shows is not. */
typedef bool holds_fn(void *ctx, const struct ia_session *s);

static bool allowed_and(const struct ia_session *s, holds_fn *holds, void *ctx)
{
    return ia_session_allowed(s, s->latest) && holds(ctx, s);
}

static enum ia_rc poll_until(struct ia_act *a, holds_fn *holds, void *ctx)
{
    /* No cap of its own: the caller's deadline is the limit of the wait. */
    struct ia_poll poll = ia_poll_begin(a->s, a->deadline, INT64_MAX);
    uint64_t before = 0;
    for (;;) {
        enum ia_rc rc = ia_act_refresh(a);
        /* A screen may be empty for a moment between two others: that is one more reason to
         * wait. */
        if (rc != IA_OK && rc != IA_E_TREE_EMPTY) {
            return rc;
        }
        if (rc == IA_OK && allowed_and(a->s, holds, ctx)) {
            return IA_OK;
        }
        bool still = a->s->latest && before == a->s->latest->content;
        before = a->s->latest ? a->s->latest->content : 0;
        rc = ia_poll_next(&poll, still);
        if (rc != IA_OK) {
            return ia_err_set(a->err, rc,
                              rc == IA_E_CANCELLED ? "cancelled while waiting"
                                                   : "the condition did not hold in time");
        }
    }
}

static enum ia_rc wait_until(struct ia_session *s, const struct ia_deadline *deadline,
                             holds_fn *holds, void *ctx, struct ia_act_result *ret,
                             struct ia_err *err)
{
    struct ia_act a;
    ia_act_begin_blind(&a, s, deadline, ret, err);
    enum ia_rc rc = poll_until(&a, holds, ctx);
    if (rc != IA_OK) {
        ia_err_hint(a.err, "take a snapshot to see what is there instead");
        /* A wait sends nothing, so there is no outcome to report. */
        a.err->outcome = IA_OUTCOME_NONE;
        return ia_act_drop(&a, rc);
    }
    return ia_act_report(&a);
}

enum ia_rc ia_session_wait(struct ia_session *s, const struct ia_deadline *deadline,
                           const struct ia_condition *conds, size_t n, bool all,
                           struct ia_act_result *ret, struct ia_err *err)
{
    struct waiting w = {conds, n, all, 0, -1, false};
    return wait_until(s, deadline, conditions_hold, &w, ret, err);
}

struct awaited {
    bool (*holds)(void *ctx, const struct ia_snapshot *fresh);
    void *ctx;
};

static bool awaited_holds(void *ctx, const struct ia_session *s)
{
    const struct awaited *w = ctx;
    return w->holds(w->ctx, s->latest);
}

enum ia_rc ia_session_await(struct ia_session *s, const struct ia_deadline *deadline,
                            bool (*holds)(void *ctx, const struct ia_snapshot *fresh),
                            void *ctx, struct ia_err *err)
{
    struct awaited w = {holds, ctx};
    struct ia_act_result result = {.changes = IA_BUF(0)};
    enum ia_rc rc = wait_until(s, deadline, awaited_holds, &w, &result, err);
    ia_act_result_fini(&result);
    return rc;
}

/* ---- alerts ----------------------------------------------------------------------------- */

struct buttons {
    const struct ia_element *all[16];
    size_t n;
};

static bool inside(const struct ia_snapshot *s, const struct ia_element *e, int32_t outer)
{
    for (int32_t p = e->parent; p >= 0; p = s->elements[p].parent) {
        if (p == outer) {
            return true;
        }
    }
    return false;
}

static struct buttons buttons_of(const struct ia_snapshot *s, int32_t alert)
{
    struct buttons b = {.n = 0};
    for (size_t i = 0; i < s->count && b.n < IA_COUNTOF(b.all); i++) {
        const struct ia_element *e = &s->elements[i];
        if (e->role == IA_ROLE_BUTTON && (e->actions & IA_ACT_TAP) && inside(s, e, alert)) {
            b.all[b.n++] = e;
        }
    }
    return b;
}

/* Side by side the trailing button accepts; below each other the top one accepts and the bottom
 * one dismisses (UIAlertController, Human Interface Guidelines "Alerts"). */
static const struct ia_element *by_place(const struct buttons *b, enum ia_alert_action action)
{
    const struct ia_element *first = b->all[0];
    const struct ia_element *last = b->all[b->n - 1];
    bool row = fabs(first->frame.y - last->frame.y) < 2;
    bool accept = action == IA_ALERT_ACCEPT;
    return accept == row ? last : first;
}

static const struct ia_element *by_label(const struct buttons *b, const char *label)
{
    for (size_t i = 0; i < b->n; i++) {
        if (b->all[i]->label && strcasecmp(b->all[i]->label, label) == 0) {
            return b->all[i];
        }
    }
    return NULL;
}

static enum ia_rc no_such_button(struct ia_act *a, const struct buttons *b, const char *label)
{
    struct ia_buf names = IA_BUF(300);
    for (size_t i = 0; i < b->n; i++) {
        ia_buf_puts(&names, i ? ", " : "");
        ia_buf_puts(&names, b->all[i]->label);
    }
    ia_err_set(a->err, IA_E_NOT_FOUND, "the alert has no button \"%.100s\"", label);
    ia_err_hint(a->err, "its buttons: %s", ia_buf_cstr(&names));
    ia_buf_fini(&names);
    return IA_E_NOT_FOUND;
}

static enum ia_rc press_in_tree(struct ia_act *a, enum ia_alert_action action,
                                const char *label)
{
    struct ia_session *s = a->s;
    struct buttons b = buttons_of(s->latest, s->latest->alert);
    /* An alert whose buttons cannot be tapped in the tree: the device's own operation is
     * left. */
    if (b.n == 0) {
        enum ia_rc rc = ia_act_permit(a);
        return rc != IA_OK ? rc
                           : ia_device_alert(s->device, a->deadline, action, label, a->err);
    }
    bool named = action == IA_ALERT_BUTTON;
    a->e = named ? by_label(&b, label ? label : "") : by_place(&b, action);
    if (!a->e) {
        return no_such_button(a, &b, label ? label : "");
    }
    a->ref = a->e->ref;
    ia_act_note(a);
    enum ia_rc rc = ia_act_permit(a);
    return rc != IA_OK ? rc
                       : ia_act_sent(a, ia_device_tap(s->device, a->deadline, a->e->activation,
                                                      a->err));
}

/* Of its title and its texts; 0: there is no alert. */
static uint64_t question_of(const struct ia_snapshot *s)
{
    return s->alert >= 0
               ? ia_phrase_hash(s->more[s->alert].question, s->elements[s->alert].label)
               : 0;
}

/* Who answers by a picture answers the question that it showed. */
static enum ia_rc check_question(struct ia_act *a)
{
    const struct ia_snapshot *seen = a->s->seen;
    if (!seen || question_of(seen) == question_of(a->s->latest)) {
        return IA_OK;
    }
    (void)ia_err_set(a->err, IA_E_STALE_REF,
                     "the alert is another one than in the frame that was seen, or has gone");
    ia_err_hint(a->err, "look at the newest frame, and answer what it asks");
    return IA_E_STALE_REF;
}

enum ia_rc ia_session_alert(struct ia_session *s, const struct ia_deadline *deadline,
                            enum ia_alert_action action, const char *button,
                            struct ia_act_result *ret, struct ia_err *err)
{
    struct ia_act a;
    enum ia_rc rc = ia_act_begin(&a, s, deadline, ret, err);
    if (rc != IA_OK) {
        return rc;
    }
    rc = check_question(&a);
    if (rc == IA_OK && s->latest->alert >= 0) {
        rc = press_in_tree(&a, action, button);
    } else if (rc == IA_OK) {
        rc = ia_act_permit(&a);
        rc = rc == IA_OK
                 ? ia_act_sent(&a, ia_device_alert(s->device, deadline, action, button, a.err))
                 : rc;
    }
    return rc == IA_OK ? ia_act_end(&a) : ia_act_fail(&a, rc);
}
