/* tree.c: the canonical tree of the screen, from WebDriverAgent's source as XML.
 *
 *   source ─► too deep for XCTest? a smaller depth ─► adapt
 *     ├─ no alert in it ─► is there one of the system? ─► the source of SpringBoard instead
 *     └─ a keyboard in it ─► whose frame has the focus
 *
 * The XML lacks the keyboard's focus (FBXPath.m has the attribute on tvOS only). A session without an app
 * never sees an alert of the system in its source (FBSession.m), but the alert requests look at
 * SpringBoard first (FBAlert.m). "visible" costs a request to the app for each element that XCTest's
 * snapshot does not know it of; a source that was slow is asked without it from then on. */
#include "driver/wda/impl.h"

#include "driver/adapt/adapt.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct ia_node *ia_wda_client_node(const struct ia_tree *t, enum ia_eltype type)
{
    struct ia_node *root = ia_tree_root(t), *n = root;
    while (n && n->type != type) {
        n = ia_node_next(n, root);
    }
    return n;
}

static bool has_alert(const struct ia_tree *t)
{
    return ia_wda_client_node(t, IA_EL_ALERT) || ia_wda_client_node(t, IA_EL_SHEET);
}

/* ---- the source ------------------------------------------------------------------------- */

/* XCTest gives no snapshot at all of a tree deeper than it can: WebDriverAgent then calls the application
 * stale. */
static bool surely_too_deep(const struct ia_err *err)
{
    return strstr(err->msg, "kAXErrorIllegalArgument");
}

/* An application that comes up or changes is called stale, too, for a moment. */
static bool too_deep(const struct ia_wda_client *w, const struct ia_err *err)
{
    return strcmp(w->error, "stale element reference") == 0 || surely_too_deep(err);
}

static int shallower(int depth)
{
    static const int depths[] = {50, 30};
    for (size_t i = 0; i < IA_COUNTOF(depths); i++) {
        if (depths[i] < depth) {
            return depths[i];
        }
    }
    return 0;
}

/* From the next source on. */
static void leave_visible_out(struct ia_wda_client *w, const struct ia_deadline *deadline)
{
    struct ia_err ignored = {.code = IA_OK};
    w->no_visible = true;
    if (w->dialect == IA_WDA_APPIUM) {
        (void)ia_wda_client_set(
            w, deadline, "{\"pageSourceExcludedAttributes\":\"accessible,visible\"}", &ignored);
    }
}

static enum ia_rc fetch_source(struct ia_wda_client *w, const struct ia_deadline *deadline,
                               struct ia_buf *ret, struct ia_err *err)
{
    const struct ia_wda_client_request r = {
        .kind = IA_WDA_ASK_SOURCE,
        .query = w->dialect == IA_WDA_APPIUM ? NULL
                 : w->no_visible ? "?format=xml&excluded_attributes=accessible,visible"
                                 : "?format=xml&excluded_attributes=accessible"};
    int64_t begun = ia_mono_us(w->clock);
    enum ia_rc rc = ia_wda_client_fetch(w, deadline, &r, ret, err);
    if (!w->no_visible && rc == IA_OK &&
        ia_mono_us(w->clock) - begun > INT64_C(1000) * IA_WDA_SLOW_MS) {
        leave_visible_out(w, deadline);
    }
    return rc;
}

static enum ia_rc set_depth(struct ia_wda_client *w, const struct ia_deadline *deadline,
                            int depth, struct ia_err *err)
{
    char text[64];
    (void)snprintf(text, sizeof(text), "{\"snapshotMaxDepth\":%d}", depth);
    enum ia_rc rc = ia_wda_client_set(w, deadline, text, err);
    w->depth = rc == IA_OK ? depth : w->depth;
    return rc;
}

/* A whole tree was not too deep. Not for ever: should it be the depth after all, each try costs three requests. */
static void raise_depth(struct ia_wda_client *w, const struct ia_deadline *deadline)
{
    struct ia_err ignored = {.code = IA_OK};
    if (w->depth < w->full_depth && w->raised < IA_WDA_RAISES_MAX) {
        w->raised++;
        (void)set_depth(w, deadline, w->full_depth, &ignored);
    }
}

enum ia_rc ia_wda_client_source(struct ia_wda_client *w, const struct ia_deadline *deadline,
                                struct ia_tree **ret, struct ia_err *err)
{
    struct ia_buf body = IA_BUF(0);
    enum ia_rc rc = fetch_source(w, deadline, &body, err);
    for (int depth; rc != IA_OK && too_deep(w, err) && (depth = shallower(w->depth)) > 0;) {
        w->full_depth = surely_too_deep(err) ? depth : w->full_depth;
        rc = set_depth(w, deadline, depth, err);
        rc = rc == IA_OK ? fetch_source(w, deadline, &body, err) : rc;
    }
    if (rc == IA_OK) {
        rc = ia_adapt_limited(IA_SOURCE_WDA_XML, ia_buf_str(&body), w->depth, ret, err);
        (void)ia_wda_client_outcome(rc, IA_OUTCOME_NONE, rc == IA_OK ? NULL : err);
    }
    if (rc == IA_OK && !ia_tree_truncated(*ret)) {
        raise_depth(w, deadline);
    }
    ia_buf_fini(&body);
    return rc;
}

/* ---- alerts of the system --------------------------------------------------------------- */

enum ia_rc ia_wda_client_alert_buttons(struct ia_wda_client *w,
                                       const struct ia_deadline *deadline, json_t **ret,
                                       struct ia_err *err)
{
    const struct ia_wda_client_request r = {.kind = IA_WDA_ASK_BUTTONS,
                                            .args = ia_str("{\"action\":\"getButtons\"}")};
    json_t *names = NULL;
    enum ia_rc rc = ia_wda_client_call(w, deadline, &r, &names, err);
    if (rc == IA_OK && (!json_is_array(names) || json_array_size(names) == 0)) {
        rc = ia_wda_client_refuse(IA_E_NO_ALERT, err, "no alert is on the screen");
    }
    if (rc != IA_OK) {
        json_decref(names);
        return rc;
    }
    *ret = names;
    return IA_OK;
}

static enum ia_rc look_at(struct ia_wda_client *w, const struct ia_deadline *deadline,
                          const char *app, struct ia_err *err)
{
    char text[100];
    (void)snprintf(text, sizeof(text), "{\"defaultActiveApplication\":\"%s\"}", app);
    return ia_wda_client_set(w, deadline, text, err);
}

/* The setting must not stay: every later source would be SpringBoard's. */
static enum ia_rc look_back(struct ia_wda_client *w, const struct ia_deadline *deadline,
                            struct ia_err *err)
{
    enum ia_rc rc = w->at_springboard ? look_at(w, deadline, "auto", err) : IA_OK;
    w->at_springboard = w->at_springboard && rc != IA_OK;
    return rc;
}

/* Puts SpringBoard's tree in the place of *tree if that shows an alert. */
static enum ia_rc system_alert(struct ia_wda_client *w, const struct ia_deadline *deadline,
                               struct ia_tree **tree, struct ia_err *err)
{
    struct ia_tree *system = NULL;
    w->at_springboard = true;
    enum ia_rc rc = look_at(w, deadline, "com.apple.springboard", err);
    rc = rc == IA_OK ? ia_wda_client_source(w, deadline, &system, err) : rc;
    struct ia_err ignored = {.code = IA_OK};
    enum ia_rc back = look_back(w, deadline, rc == IA_OK ? err : &ignored);
    rc = rc == IA_OK ? back : rc;
    if (rc == IA_OK && has_alert(system)) {
        struct ia_tree *other = *tree;
        *tree = system;
        system = other;
    }
    ia_tree_free(system);
    return rc;
}

/* What may go wrong there without making the tree worthless. */
static bool tolerable(enum ia_rc rc)
{
    return rc != IA_E_CANCELLED && rc != IA_E_TIMEOUT && rc != IA_E_DEVICE_LOST;
}

static enum ia_rc add_alert(struct ia_wda_client *w, const struct ia_deadline *deadline,
                            struct ia_tree **tree, struct ia_err *err)
{
    json_t *names = NULL;
    if (has_alert(*tree)) {
        return IA_OK;
    }
    enum ia_rc rc = ia_wda_client_alert_buttons(w, deadline, &names, err);
    json_decref(names);
    rc = rc == IA_OK ? system_alert(w, deadline, tree, err) : rc;
    return tolerable(rc) ? IA_OK : rc;
}

/* ---- focus ------------------------------------------------------------------------------ */

static bool same_frame(struct ia_rect a, struct ia_rect b)
{
    return fabs(a.x - b.x) < 1 && fabs(a.y - b.y) < 1 && fabs(a.w - b.w) < 1 &&
           fabs(a.h - b.h) < 1;
}

static bool takes_text(const struct ia_node *n)
{
    return n->type == IA_EL_TEXT_FIELD || n->type == IA_EL_SECURE_TEXT_FIELD ||
           n->type == IA_EL_SEARCH_FIELD || n->type == IA_EL_TEXT_VIEW;
}

/* Of elements with one frame the field itself, else the innermost. */
static void mark_focus(struct ia_tree *t, struct ia_rect frame)
{
    struct ia_node *root = ia_tree_root(t), *found = NULL;
    for (struct ia_node *n = root; n; n = ia_node_next(n, root)) {
        bool better = !found || takes_text(n) || !takes_text(found);
        found = same_frame(n->frame, frame) && better ? n : found;
    }
    if (found) {
        found->flags |= IA_NODE_FOCUSED;
    }
}

static double number(const json_t *rect, const char *key)
{
    return json_number_value(json_object_get(rect, key));
}

/* The element's id in W3C's form, or in the older one. */
static bool element_id(const json_t *value, char dst[IA_WDA_ID_MAX + 1])
{
    return ia_wda_client_id(ia_json_field(value, "element-6066-11e4-a52e-4f735466cecf"), dst) ||
           ia_wda_client_id(ia_json_field(value, "ELEMENT"), dst);
}

static enum ia_rc add_focus(struct ia_wda_client *w, const struct ia_deadline *deadline,
                            struct ia_tree *t, struct ia_err *err)
{
    char id[IA_WDA_ID_MAX + 1];
    const struct ia_wda_client_request active = {.kind = IA_WDA_ASK_ACTIVE};
    const struct ia_wda_client_request frame = {.kind = IA_WDA_ASK_RECT, .id = id};
    json_t *value = NULL, *rect = NULL;
    if (!ia_wda_client_node(t, IA_EL_KEYBOARD)) {
        return IA_OK;
    }
    enum ia_rc rc = ia_wda_client_call(w, deadline, &active, &value, err);
    if (rc == IA_OK && element_id(value, id)) {
        rc = ia_wda_client_call(w, deadline, &frame, &rect, err);
    }
    if (rc == IA_OK && rect) {
        mark_focus(t, (struct ia_rect){number(rect, "x"), number(rect, "y"),
                                       number(rect, "width"), number(rect, "height")});
    }
    json_decref(value);
    json_decref(rect);
    return tolerable(rc) ? IA_OK : rc;
}

enum ia_rc ia_wda_client_op_tree(struct ia_device *d, const struct ia_deadline *deadline,
                                 struct ia_tree **ret_tree, struct ia_err *err)
{
    struct ia_wda_client *w = (struct ia_wda_client *)d;
    struct ia_err local = {.code = IA_OK};
    struct ia_err *e = err ? err : &local;
    struct ia_tree *t = NULL;
    enum ia_rc rc = look_back(w, deadline, e);
    rc = rc == IA_OK ? ia_wda_client_source(w, deadline, &t, e) : rc;
    rc = rc == IA_OK ? add_alert(w, deadline, &t, e) : rc;
    rc = rc == IA_OK ? add_focus(w, deadline, t, e) : rc;
    if (rc != IA_OK) {
        ia_tree_free(t);
        return rc;
    }
    *ret_tree = t;
    return IA_OK;
}
