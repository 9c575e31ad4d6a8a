/* alert.c: alerts are answered by the name of a button, always.
 *
 * Without a name WebDriverAgent takes the last button of an alert as "accept" and the first as "dismiss", of
 * a sheet the reverse (FBAlert.m), so that "accept" presses "Don't Allow" where that stands last
 * (appium issue 9142, appium-xcuitest-driver issue 2530). Here the places on the screen decide, as people
 * read them: in a row the right button accepts and the left one dismisses, in a column the upper
 * one accepts and the last one dismisses. */
#include "driver/wda/impl.h"

#include "base/clean.h"

#include <stdlib.h>
#include <string.h>

enum { BUTTONS_MAX = 16 };

static const char *name_at(const json_t *names, size_t i)
{
    const char *name = json_string_value(json_array_get(names, i));
    return name ? name : "";
}

/* They are texts of an app: what they tell must not look like anything else. */
static void hint_names(const json_t *names, struct ia_err *err)
{
    struct ia_buf list = IA_BUF(600);
    for (size_t i = 0; i < json_array_size(names); i++) {
        ia_buf_puts(&list, i > 0 ? ", \"" : "\"");
        ia_clean(&list, ia_str(name_at(names, i)), IA_CLEAN_LINE);
        ia_buf_puts(&list, "\"");
    }
    ia_err_hint(err, "its buttons: %s", ia_buf_cstr(&list));
    ia_buf_fini(&list);
}

static bool has_name(const json_t *names, const char *label)
{
    size_t i = 0;
    while (i < json_array_size(names) && strcmp(name_at(names, i), label) != 0) {
        i++;
    }
    return i < json_array_size(names);
}

/* ---- which one accepts ------------------------------------------------------------------ */

static bool named(const struct ia_node *n, const char *name)
{
    return (n->label && strcmp(n->label, name) == 0) ||
           (n->identifier && strcmp(n->identifier, name) == 0);
}

/* The button of that name in the alert, or in the whole tree where that names no alert. */
static const struct ia_node *button_of(const struct ia_tree *t, const char *name)
{
    struct ia_node *alert = ia_wda_client_node(t, IA_EL_ALERT);
    alert = alert ? alert : ia_wda_client_node(t, IA_EL_SHEET);
    struct ia_node *root = alert ? alert : ia_tree_root(t), *found = NULL;
    for (struct ia_node *n = root; n; n = ia_node_next(n, root)) {
        found = n->type == IA_EL_BUTTON && named(n, name) ? n : found;
    }
    return found;
}

/* Below means after it, and beside it to the right, too. */
static bool after(const struct ia_rect *a, const struct ia_rect *b)
{
    bool row = a->y < b->y + b->h && b->y < a->y + a->h;
    return row ? a->x > b->x : a->y > b->y;
}

/* A button of the alert, and how it is called. */
struct button {
    struct ia_rect frame;
    const char *name;
};

/* The name of the button that a person takes for it; NULL where the screen does not tell. */
static const char *placed(const struct ia_tree *t, const json_t *names, bool accept)
{
    struct button first = {.name = NULL}, last = {.name = NULL};
    for (size_t i = 0; i < json_array_size(names); i++) {
        const struct ia_node *n = button_of(t, name_at(names, i));
        if (!n) {
            return NULL;
        }
        struct button b = {n->frame, name_at(names, i)};
        first = !first.name || after(&first.frame, &b.frame) ? b : first;
        last = !last.name || after(&b.frame, &last.frame) ? b : last;
    }
    bool row = first.frame.y < last.frame.y + last.frame.h &&
               last.frame.y < first.frame.y + first.frame.h;
    return accept == row ? last.name : first.name;
}

/* Which name stands for accept or dismiss. IA_E_USAGE where nobody can tell. */
static enum ia_rc choose(struct ia_wda_client *w, const struct ia_deadline *deadline,
                         const json_t *names, bool accept, char **ret, struct ia_err *err)
{
    size_t count = json_array_size(names);
    struct ia_tree *t = NULL;
    const char *name = count == 1 ? name_at(names, 0) : NULL;
    enum ia_rc rc = IA_OK;
    bool clear = count == 2 || (count <= BUTTONS_MAX && !accept);
    if (!name && clear) {
        rc = ia_wda_client_op_tree(&w->device, deadline, &t, err);
        name = rc == IA_OK ? placed(t, names, accept) : NULL;
    }
    if (rc == IA_OK && (!name || name[0] == '\0')) {
        rc = ia_wda_client_refuse(IA_E_USAGE, err,
                                  "which of %zu buttons %s this alert is not clear", count,
                                  accept ? "accepts" : "dismisses");
        hint_names(names, err);
    }
    if (rc == IA_OK) {
        *ret = ia_strdup(name);
    }
    ia_tree_free(t);
    return ia_wda_client_outcome(rc, IA_OUTCOME_NOT_SENT, rc == IA_OK ? NULL : err);
}

/* ---- the answer ------------------------------------------------------------------------- */

static enum ia_rc press(struct ia_wda_client *w, const struct ia_deadline *deadline,
                        bool accept, const char *name, struct ia_err *err)
{
    struct ia_buf args = IA_BUF(8192);
    struct ia_jsonw out;
    bool appium = w->dialect == IA_WDA_APPIUM;
    ia_jsonw_init(&out, &args);
    ia_jsonw_object(&out);
    if (appium) {
        ia_jsonw_kv(&out, "action", accept ? "accept" : "dismiss");
    }
    ia_jsonw_kv(&out, appium ? "buttonLabel" : "name", name);
    ia_jsonw_end_object(&out);
    const struct ia_wda_client_request r = {.kind = accept ? IA_WDA_ASK_ACCEPT
                                                           : IA_WDA_ASK_DISMISS};
    return ia_wda_client_args(w, deadline, r, &args, NULL, err);
}

enum ia_rc ia_wda_client_op_alert(struct ia_device *d, const struct ia_deadline *deadline,
                                  enum ia_alert_action action, const char *label,
                                  struct ia_err *err)
{
    struct ia_wda_client *w = (struct ia_wda_client *)d;
    struct ia_err local = {.code = IA_OK};
    struct ia_err *e = err ? err : &local;
    json_t *names = NULL;
    char *name = NULL;
    enum ia_rc rc = ia_wda_client_alert_buttons(w, deadline, &names, e);
    if (rc != IA_OK) {
        return ia_wda_client_outcome(rc, IA_OUTCOME_NOT_SENT, e);
    }
    if (action != IA_ALERT_BUTTON) {
        rc = choose(w, deadline, names, action == IA_ALERT_ACCEPT, &name, e);
    } else if (label && has_name(names, label)) {
        name = ia_strdup(label);
    } else {
        rc = ia_wda_client_refuse(IA_E_NOT_FOUND, e, "the alert has no button \"%.100s\"",
                                  label ? label : "");
        hint_names(names, e);
    }
    if (rc == IA_OK) {
        rc = press(w, deadline, action != IA_ALERT_DISMISS, name, e);
    }
    free(name);
    json_decref(names);
    return rc;
}
