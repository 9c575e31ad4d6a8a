/* sdk.c: what the SDK (driver/app_sdk.h, sdk/) of the app in front adds to the tree. */
#include "driver/embedded/impl.h"

#include "driver/app_sdk.h"

enum { STATE_BYTES_MAX = 4096 };

static void put_state(const struct ia_phone *p, const struct ia_app *app, struct ia_buf *out)
{
    struct ia_jsonw w;
    ia_jsonw_init(&w, out);
    ia_jsonw_object(&w);
    ia_jsonw_kv_int(&w, "v", 1);
    ia_jsonw_key(&w, "state");
    ia_jsonw_object(&w);
    app->tell(p->apps[p->foreground].data, p->bugs, &w);
    ia_jsonw_end_object(&w);
    ia_jsonw_end_object(&w);
}

/* The last thing in the app's window, which is the first of all windows. */
static void add_state(const struct ia_phone *p, const struct ia_app *app, struct ia_tree *t)
{
    struct ia_node *root = ia_tree_root(t);
    struct ia_rect corner = {0, 0, 1, 1};
    struct ia_node *n = root ? ia_tree_add(t, root->first_child, IA_EL_OTHER, corner) : NULL;
    struct ia_buf json = IA_BUF(STATE_BYTES_MAX);
    if (n) {
        put_state(p, app, &json);
        n->identifier = ia_tree_text(t, IA_SDK_STATE, sizeof(IA_SDK_STATE) - 1);
        n->value = ia_tree_text(t, ia_buf_cstr(&json), json.len);
    }
    ia_buf_fini(&json);
}

void ia_embedded_sdk(const struct ia_embedded *e, struct ia_tree *t)
{
    const struct ia_app *app = e->phone->locked ? NULL : ia_phone_app(e->phone);
    if (app && app->tell) {
        add_state(e->phone, app, t);
    }
}
