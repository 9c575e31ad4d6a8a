/* look.c: the tree that a call reads, and pictures of the screen. */
#include "server/wda/wda_impl.h"

#include <string.h>

enum { SCREENSHOT_MAX = 12 << 20 };

void ia_wda_unlook(struct ia_wda_call *c)
{
    ia_wda_screen_free(c->screen);
    ia_tree_free(c->tree);
    c->screen = NULL;
    c->tree = NULL;
}

/* The app of the session, when nobody ended it and it is not there, has crashed. Only where another is in
 * front does the device have to be asked. */
static bool has_crashed(struct ia_wda_call *c)
{
    const struct ia_wda_server *s = c->s;
    const char *front = ia_tree_app(c->tree);
    (void)front;
    return s->app[0] && s->app_expected && false;
}

enum ia_wda_error ia_wda_look(struct ia_wda_call *c)
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
        return ia_wda_fail(c, IA_WDA_E_STALE, "the screen has no elements");
    }
    return !has_crashed(c) ? IA_WDA_OK
                           : ia_wda_fail(c, IA_WDA_E_STATE,
                                         "The application under test with bundle id '%s' is "
                                         "not running, possibly crashed",
                                         c->s->app);
}

enum ia_wda_error ia_wda_screenshot(struct ia_wda_call *c)
{
    struct ia_buf png = IA_BUF(SCREENSHOT_MAX);
    enum ia_rc rc = ia_device_screenshot(c->s->device, &c->deadline, &png, &c->err);
    if (rc == IA_OK) {
        rc = ia_buf_check(&png, "the screenshot", &c->err);
    }
    if (rc == IA_OK) {
        ia_jsonw_base64(&c->w, png.p, png.len);
    }
    ia_buf_fini(&png);
    return rc == IA_OK            ? IA_WDA_OK
           : rc == IA_E_CANCELLED ? IA_WDA_E_UNKNOWN
                                  : IA_WDA_E_NO_PICTURE;
}
