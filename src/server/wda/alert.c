/* alert.c: alerts and action sheets of the tree (FBAlert.m, FBAlertViewCommands.m).
 *
 * Without a name, `accept` is the last button of an alert in the tree's order and the first of a sheet,
 * and `dismiss` the other end. */
#include "server/wda/wda_impl.h"

#include <string.h>

static enum ia_wda_error no_alert(struct ia_wda_call *c)
{
    return ia_wda_fail(
        c, IA_WDA_E_NO_SUCH_ALERT,
        "An attempt was made to operate on a modal dialog when one was not open");
}

/* The one in front is the last in the tree's order. */
static int32_t shown(const struct ia_wda_screen *s)
{
    for (int32_t i = s->count - 1; i >= 0; i--) {
        unsigned type = s->nodes[i].node->type;
        if ((type == IA_EL_ALERT || type == IA_EL_SHEET) &&
            (s->nodes[i].state & IA_WDA_IS_VISIBLE)) {
            return i;
        }
    }
    return -1;
}

static enum ia_wda_error find_alert(struct ia_wda_call *c, int32_t *ret)
{
    enum ia_wda_error error = ia_wda_look(c);
    if (error == IA_WDA_OK) {
        *ret = shown(c->screen);
        error = *ret < 0 ? no_alert(c) : IA_WDA_OK;
    }
    return error;
}

/* The next of that type below `top`, after `at`; -1: none. */
static int32_t next_of(const struct ia_wda_screen *s, int32_t top, int32_t at, unsigned type)
{
    for (int32_t i = at + 1; i < s->nodes[top].end; i++) {
        if (s->nodes[i].node->type == type) {
            return i;
        }
    }
    return -1;
}

/* ---- routes ------------------------------------------------------------------------------- */

enum ia_wda_error ia_wda_alert_text(struct ia_wda_call *c)
{
    struct ia_buf text = IA_BUF(IA_TREE_STRING_MAX * 4);
    int32_t top = 0;
    enum ia_wda_error error = find_alert(c, &top);
    for (int32_t i = top + 1; error == IA_WDA_OK && i < c->screen->nodes[top].end; i++) {
        const struct ia_wda_node *n = &c->screen->nodes[i];
        if (n->node->type == IA_EL_BUTTON) {
            i = n->end - 1; /* its own texts are no part of it */
        } else if (n->node->type == IA_EL_STATIC_TEXT && n->node->label) {
            ia_buf_puts(&text, text.len ? "\n" : "");
            ia_buf_puts(&text, n->node->label);
        }
    }
    if (error == IA_WDA_OK) {
        error = ia_wda_result(ia_buf_check(&text, "the alert's text", &c->err));
    }
    if (error == IA_WDA_OK) {
        const char *label = c->screen->nodes[top].node->label;
        ia_jsonw_string(&c->w, text.len || !label ? ia_buf_cstr(&text) : label);
    }
    ia_buf_fini(&text);
    return error;
}

enum ia_wda_error ia_wda_alert_buttons(struct ia_wda_call *c)
{
    int32_t top = 0;
    enum ia_wda_error error = find_alert(c, &top);
    if (error != IA_WDA_OK) {
        return error;
    }
    ia_jsonw_array(&c->w);
    for (int32_t i = top; (i = next_of(c->screen, top, i, IA_EL_BUTTON)) >= 0;) {
        const char *label = ia_wda_label(c->screen->nodes[i].node);
        ia_jsonw_string(&c->w, label ? label : "");
    }
    ia_jsonw_end_array(&c->w);
    return IA_WDA_OK;
}

enum ia_wda_error ia_wda_alert_type(struct ia_wda_call *c)
{
    int32_t top = 0;
    int32_t field = -1;
    int fields = 0;
    enum ia_wda_error error = find_alert(c, &top);
    for (int32_t i = top + 1; error == IA_WDA_OK && i < c->screen->nodes[top].end; i++) {
        if (ia_wda_takes_text(c->screen->nodes[i].node)) {
            field = i;
            fields++;
        }
    }
    if (error != IA_WDA_OK) {
        return error;
    }
    if (fields != 1) {
        return ia_wda_fail(c, IA_WDA_E_UNSUPPORTED, "The alert contains %s",
                           fields ? "more than one input field" : "no input fields");
    }
    char uid[IA_WDA_UID_SIZE];
    ia_wda_know(c, field, uid);
    return ia_wda_type_into(c, uid);
}

/* By the class chain of a setting, or by its place. */
static int32_t button(struct ia_wda_call *c, int32_t top, bool accept)
{
    const char *chain = ia_wda_setting_text(c->s, accept ? "acceptAlertButtonSelector"
                                                         : "dismissAlertButtonSelector");
    struct ia_wda_nodes found = {0};
    int32_t at = -1;
    if (chain[0] && ia_wda_search(c, top, "class chain", chain, true, &found) == IA_WDA_OK &&
        found.n > 0) {
        at = found.at[0];
    }
    ia_wda_nodes_fini(&found);
    if (at >= 0) {
        return at;
    }
    bool last = accept == (c->screen->nodes[top].node->type == IA_EL_ALERT);
    for (int32_t i = top; (i = next_of(c->screen, top, i, IA_EL_BUTTON)) >= 0;) {
        if (at < 0 || last) {
            at = i;
        }
    }
    return at;
}

static int32_t button_named(const struct ia_wda_screen *s, int32_t top, const char *name)
{
    for (int32_t i = top; (i = next_of(s, top, i, IA_EL_BUTTON)) >= 0;) {
        const char *label = ia_wda_label(s->nodes[i].node);
        if (label && strcmp(label, name) == 0) {
            return i;
        }
    }
    return -1;
}

/* By its name, for which a device waits until the alert stands still; by a tap where that knows no such
 * button. */
static enum ia_wda_error press(struct ia_wda_call *c, int32_t at)
{
    const char *label = ia_wda_label(c->screen->nodes[at].node);
    enum ia_rc rc = IA_E_NOT_FOUND;
    if (label) {
        rc = ia_device_alert(c->s->device, &c->deadline, IA_ALERT_BUTTON, label, &c->err);
    }
    if (rc == IA_E_NOT_FOUND || rc == IA_E_NO_ALERT || rc == IA_E_UNSUPPORTED) {
        char uid[IA_WDA_UID_SIZE];
        ia_wda_know(c, at, uid);
        return ia_wda_tap_element(c, uid);
    }
    return ia_wda_did(c, rc);
}

/* An alert that the tree does not show, as those of the system on some devices. */
static enum ia_wda_error act_unseen(struct ia_wda_call *c, bool accept, const char *name)
{
    enum ia_alert_action action = name[0]  ? IA_ALERT_BUTTON
                                  : accept ? IA_ALERT_ACCEPT
                                           : IA_ALERT_DISMISS;
    enum ia_rc rc =
        ia_device_alert(c->s->device, &c->deadline, action, name[0] ? name : NULL, &c->err);
    return rc == IA_E_NO_ALERT ? no_alert(c) : ia_wda_result(rc);
}

/* arg: whether it is accepted. */
enum ia_wda_error ia_wda_alert_act(struct ia_wda_call *c)
{
    const char *name = ia_json_text(c->body, "name");
    bool accept = c->route->arg != 0;
    int32_t top = 0;
    enum ia_wda_error error = find_alert(c, &top);
    if (error != IA_WDA_OK) {
        return error == IA_WDA_E_NO_SUCH_ALERT ? act_unseen(c, accept, name) : error;
    }
    int32_t at = name[0] ? button_named(c->screen, top, name) : button(c, top, accept);
    if (at < 0) {
        return ia_wda_fail(c, IA_WDA_E_STATE, "Failed to find %s button%s%.100s%s for alert",
                           accept ? "accept" : "dismiss", name[0] ? " with label '" : "", name,
                           name[0] ? "'" : "");
    }
    return press(c, at);
}

void ia_wda_alert_default(struct ia_wda_call *c)
{
    const char *action = ia_wda_setting_text(c->s, "defaultAlertAction");
    bool accept = strcmp(action, "accept") == 0;
    int32_t top = 0;
    if (strstr(c->route->path, "alert") || (!accept && strcmp(action, "dismiss") != 0)) {
        return;
    }
    if (find_alert(c, &top) == IA_WDA_OK) {
        int32_t at = button(c, top, accept);
        (void)(at < 0 ? IA_WDA_OK : press(c, at));
    }
    ia_wda_unlook(c);
}
