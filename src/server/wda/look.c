/* look.c: the tree that a call reads. */
#include "server/wda/wda_impl.h"

#include <string.h>

void ia_wda_unlook(struct ia_wda_call *c)
{
    ia_wda_screen_free(c->screen);
    ia_tree_free(c->tree);
    c->screen = NULL;
    c->tree = NULL;
}

enum ia_wda_error ia_wda_did(struct ia_wda_call *c, enum ia_rc rc)
{
    ia_wda_unlook(c);
    c->acted = c->acted || rc == IA_OK;
    return ia_wda_result(rc);
}

/* The app of the session has crashed when nobody ended it and it does not run. Only while another is in
 * front does the device have to be asked. */
static bool has_crashed(struct ia_wda_call *c)
{
    const struct ia_wda_server *s = c->s;
    const char *front = ia_tree_app(c->tree);
    enum ia_application_state state;
    return s->app[0] && s->app_expected && !(front && strcmp(front, s->app) == 0) &&
           ia_device_app_state(s->device, &c->deadline, s->app, &state, NULL) == IA_OK &&
           state == IA_APP_NOT_RUNNING;
}

enum ia_wda_error ia_wda_look_at_device(struct ia_wda_call *c)
{
    if (c->screen) {
        return IA_WDA_OK;
    }
    enum ia_rc rc = ia_device_tree(c->s->device, &c->deadline, &c->tree, &c->err);
    if (rc != IA_OK) {
        return ia_wda_result(rc);
    }
    c->screen = ia_wda_screen_new(c->tree);
    if (c->screen->count == 0) {
        ia_wda_unlook(c); /* what reads it looks for a root */
        return ia_wda_fail(c, IA_WDA_E_STALE, "the screen has no elements");
    }
    return IA_WDA_OK;
}

enum ia_wda_error ia_wda_look(struct ia_wda_call *c)
{
    if (c->screen) {
        return IA_WDA_OK;
    }
    enum ia_wda_error error = ia_wda_look_at_device(c);
    if (error == IA_WDA_OK && has_crashed(c)) {
        error = ia_wda_fail(c, IA_WDA_E_STATE,
                            "The application under test with bundle id '%s' is not running, "
                            "possibly crashed",
                            c->s->app);
    }
    return error;
}
