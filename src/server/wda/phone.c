/* phone.c: the device itself: buttons, lock, size, orientation, appearance, pasteboard, place
 * (FBCustomCommands.m, FBOrientationCommands.m). */
#include "server/wda/wda_impl.h"

#include "base/base64.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { PASTEBOARD_MAX = 256 << 10 };

/* ---- buttons and lock --------------------------------------------------------------------- */

static enum ia_wda_error push(struct ia_wda_call *c, enum ia_button button)
{
    return ia_wda_did(c, ia_device_press(c->s->device, &c->deadline, button, &c->err));
}

enum ia_wda_error ia_wda_button(struct ia_wda_call *c)
{
    static const struct {
        const char *name;
        enum ia_button button;
    } rows[] = {{"home", IA_BUTTON_HOME},
                {"volumeup", IA_BUTTON_VOLUME_UP},
                {"volumedown", IA_BUTTON_VOLUME_DOWN}};
    const char *name = ia_json_text(c->body, "name");
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        if (strcasecmp(name, rows[i].name) == 0) {
            return push(c, rows[i].button);
        }
    }
    return ia_wda_fail(
        c, IA_WDA_E_UNKNOWN,
        "The button '%.40s' is not supported. The device under test only supports "
        "the following buttons: home, volumeUp, volumeDown",
        name);
}

enum ia_wda_error ia_wda_locked(struct ia_wda_call *c)
{
    bool locked;
    enum ia_rc rc = ia_device_locked(c->s->device, &c->deadline, &locked, &c->err);
    if (rc == IA_OK) {
        ia_jsonw_bool(&c->w, locked);
    }
    return ia_wda_result(rc);
}

/* arg: whether it shall be. One that is so already stays so, as the button would wake it: a device that cannot
 * tell is not touched. */
enum ia_wda_error ia_wda_lock(struct ia_wda_call *c)
{
    bool want = c->route->arg != 0;
    bool locked;
    enum ia_rc rc = ia_device_locked(c->s->device, &c->deadline, &locked, &c->err);
    return rc != IA_OK || locked == want ? ia_wda_result(rc)
                                         : push(c, want ? IA_BUTTON_LOCK : IA_BUTTON_HOME);
}

/* ---- the screen --------------------------------------------------------------------------- */

static void put_size(struct ia_wda_call *c, double width, double height)
{
    ia_jsonw_object(&c->w);
    ia_jsonw_kv_real(&c->w, "width", width);
    ia_jsonw_kv_real(&c->w, "height", height);
    ia_jsonw_end_object(&c->w);
}

struct ia_device_info ia_wda_info(struct ia_wda_server *s)
{
    struct ia_device_info info;
    return ia_device_info(s->device, &info, NULL) == IA_OK ? info : s->info;
}

enum ia_wda_error ia_wda_window_size(struct ia_wda_call *c)
{
    enum ia_wda_error error = ia_wda_look(c);
    if (error == IA_WDA_OK) {
        struct ia_rect r = ia_wda_rect(ia_tree_root(c->tree));
        put_size(c, r.w, r.h);
    }
    return error;
}

enum ia_wda_error ia_wda_window_rect(struct ia_wda_call *c)
{
    enum ia_wda_error error = ia_wda_look(c);
    if (error == IA_WDA_OK) {
        ia_wda_put_rect(&c->w, ia_wda_rect(ia_tree_root(c->tree)));
    }
    return error;
}

/* Of a status bar that the tree has not: as high as on phones with a notch. */
static double status_bar(const struct ia_wda_screen *s)
{
    for (int32_t i = 0; i < s->count; i++) {
        if (s->nodes[i].node->type == IA_EL_STATUS_BAR) {
            return s->nodes[i].node->frame.h;
        }
    }
    return 54;
}

enum ia_wda_error ia_wda_screen_info(struct ia_wda_call *c)
{
    enum ia_wda_error error = ia_wda_look_at_device(c);
    if (error == IA_WDA_OK) {
        struct ia_device_info info = ia_wda_info(c->s);
        ia_jsonw_object(&c->w);
        ia_jsonw_key(&c->w, "screenSize");
        put_size(c, info.width_pt, info.height_pt);
        ia_jsonw_key(&c->w, "statusBarSize");
        put_size(c, info.width_pt, status_bar(c->screen));
        ia_jsonw_kv_int(&c->w, "displayId", 1);
        ia_jsonw_kv_real(&c->w, "scale", c->s->info.scale);
        ia_jsonw_end_object(&c->w);
    }
    return error;
}

enum ia_wda_error ia_wda_screens(struct ia_wda_call *c)
{
    ia_jsonw_array(&c->w);
    ia_jsonw_object(&c->w);
    ia_jsonw_kv_int(&c->w, "displayId", 1);
    ia_jsonw_kv_real(&c->w, "scale", c->s->info.scale);
    ia_jsonw_kv_bool(&c->w, "isMain", true);
    ia_jsonw_end_object(&c->w);
    ia_jsonw_end_array(&c->w);
    return IA_WDA_OK;
}

/* ---- orientation -------------------------------------------------------------------------- */

/* As WebDriverAgent calls them, and by how many degrees they are turned. */
static const struct {
    const char *name;
    int z;
} turns[] = {[IA_PORTRAIT] = {"PORTRAIT", 0},
             [IA_LANDSCAPE_LEFT] = {"LANDSCAPE", 270},
             [IA_LANDSCAPE_RIGHT] = {"UIA_DEVICE_ORIENTATION_LANDSCAPERIGHT", 90},
             [IA_UPSIDE_DOWN] = {"UIA_DEVICE_ORIENTATION_PORTRAIT_UPSIDEDOWN", 180}};

static bool is_wide(enum ia_orientation o)
{
    return o == IA_LANDSCAPE_LEFT || o == IA_LANDSCAPE_RIGHT;
}

/* The screen says whether it is upright, and which way up only who turned it last. */
static enum ia_wda_error lies(struct ia_wda_call *c, enum ia_orientation *ret)
{
    enum ia_wda_error error = ia_wda_look(c);
    if (error == IA_WDA_OK) {
        struct ia_rect f = ia_tree_root(c->tree)->frame;
        enum ia_orientation any = f.w > f.h ? IA_LANDSCAPE_LEFT : IA_PORTRAIT;
        *ret = is_wide(c->s->turned) == is_wide(any) ? c->s->turned : any;
    }
    return error;
}

static enum ia_wda_error turn(struct ia_wda_call *c, enum ia_orientation o)
{
    ia_wda_unlook(c);
    enum ia_rc rc = ia_device_orientation(c->s->device, &c->deadline, o, &c->err);
    c->s->turned = rc == IA_OK ? o : c->s->turned;
    return rc == IA_E_UNSUPPORTED ? ia_wda_fail(c, IA_WDA_E_UNKNOWN, "Unable To Rotate Device")
                                  : ia_wda_result(rc);
}

enum ia_wda_error ia_wda_orientation_get(struct ia_wda_call *c)
{
    enum ia_orientation o = IA_PORTRAIT;
    enum ia_wda_error error = lies(c, &o);
    if (error == IA_WDA_OK) {
        ia_jsonw_string(&c->w, turns[o].name);
    }
    return error;
}

enum ia_wda_error ia_wda_orientation_set(struct ia_wda_call *c)
{
    const char *name = ia_json_text(c->body, "orientation");
    for (size_t i = 0; i < IA_COUNTOF(turns); i++) {
        if (strcasecmp(name, turns[i].name) == 0) {
            return turn(c, (enum ia_orientation)i);
        }
    }
    return ia_wda_fail(c, IA_WDA_E_ARGUMENT, "'%.60s' is no orientation", name);
}

enum ia_wda_error ia_wda_rotation_get(struct ia_wda_call *c)
{
    enum ia_orientation o = IA_PORTRAIT;
    enum ia_wda_error error = lies(c, &o);
    if (error == IA_WDA_OK) {
        ia_jsonw_object(&c->w);
        ia_jsonw_kv_int(&c->w, "x", 0);
        ia_jsonw_kv_int(&c->w, "y", 0);
        ia_jsonw_kv_int(&c->w, "z", turns[o].z);
        ia_jsonw_end_object(&c->w);
    }
    return error;
}

/* nums: "x y z". */
enum ia_wda_error ia_wda_rotation_set(struct ia_wda_call *c)
{
    for (size_t i = 0; c->num[0] == 0 && c->num[1] == 0 && i < IA_COUNTOF(turns); i++) {
        if (c->num[2] == turns[i].z) {
            return turn(c, (enum ia_orientation)i);
        }
    }
    return ia_wda_fail(c, IA_WDA_E_ARGUMENT, "x and y must be 0, z 0, 90, 180 or 270");
}

/* ---- what it is --------------------------------------------------------------------------- */

/* What a device has told once it may know after it is lost: one without an appearance shows its screen. */
enum ia_wda_error ia_wda_device_info(struct ia_wda_call *c)
{
    bool dark = false;
    enum ia_rc rc = ia_device_appearance(c->s->device, &c->deadline, NULL, &dark, &c->err);
    bool known = rc == IA_OK;
    enum ia_wda_error error =
        rc == IA_E_UNSUPPORTED ? ia_wda_look_at_device(c) : ia_wda_result(rc);
    if (error != IA_WDA_OK) {
        return error;
    }
    bool ours = c->s->info.simulated; /* of others nobody tells */
    ia_jsonw_object(&c->w);
    ia_jsonw_kv(&c->w, "currentLocale", ours ? "en_US" : NULL);
    ia_jsonw_kv(&c->w, "timeZone", ours ? "UTC" : NULL);
    ia_jsonw_kv(&c->w, "name", c->s->info.name);
    ia_jsonw_kv(&c->w, "model", "iPhone");
    ia_jsonw_kv(&c->w, "uuid", c->s->info.id);
    ia_jsonw_kv_int(&c->w, "userInterfaceIdiom", 0);
    ia_jsonw_kv(&c->w, "userInterfaceStyle", !known ? "unsupported" : dark ? "dark" : "light");
    ia_jsonw_kv_bool(&c->w, "isSimulator", c->s->info.simulated);
    ia_jsonw_kv_int(&c->w, "thermalState", 0);
    ia_jsonw_end_object(&c->w);
    return IA_WDA_OK;
}

/* No device of ours tells: unknown, which clients have a word for (UIDeviceBatteryStateUnknown). */
enum ia_wda_error ia_wda_battery(struct ia_wda_call *c)
{
    ia_jsonw_object(&c->w);
    ia_jsonw_kv_int(&c->w, "level", -1);
    ia_jsonw_kv_int(&c->w, "state", 0);
    ia_jsonw_end_object(&c->w);
    return IA_WDA_OK;
}

enum ia_wda_error ia_wda_appearance(struct ia_wda_call *c)
{
    const char *name = ia_json_text(c->body, "name");
    bool dark = strcasecmp(name, "dark") == 0;
    bool now;
    if (!dark && strcasecmp(name, "light") != 0) {
        return ia_wda_fail(c, IA_WDA_E_ARGUMENT,
                           "The appearance name must be either 'light' or 'dark'");
    }
    return ia_wda_did(c,
                      ia_device_appearance(c->s->device, &c->deadline, &dark, &now, &c->err));
}

/* ---- pasteboard and place ----------------------------------------------------------------- */

static enum ia_wda_error check_plain(struct ia_wda_call *c)
{
    const char *type = ia_json_text(c->body, "contentType");
    return !type[0] || strcasecmp(type, "plaintext") == 0
               ? IA_WDA_OK
               : ia_wda_fail(c, IA_WDA_E_UNSUPPORTED, "The pasteboard holds plaintext alone");
}

enum ia_wda_error ia_wda_pasteboard_set(struct ia_wda_call *c)
{
    struct ia_str content = ia_json_field(c->body, "content");
    struct ia_buf text = IA_BUF(PASTEBOARD_MAX);
    enum ia_wda_error error = check_plain(c);
    if (error == IA_WDA_OK && (!content.p || !ia_base64_decode(content, &text))) {
        error = ia_wda_fail(c, IA_WDA_E_ARGUMENT,
                            "'content' must be base64 of at most 256 KB of text");
    }
    if (error == IA_WDA_OK) {
        error = ia_wda_result(
            ia_device_set_pasteboard(c->s->device, &c->deadline, ia_buf_str(&text), &c->err));
    }
    ia_buf_fini(&text);
    return error;
}

enum ia_wda_error ia_wda_pasteboard_get(struct ia_wda_call *c)
{
    struct ia_buf text = IA_BUF(PASTEBOARD_MAX);
    enum ia_wda_error error = check_plain(c);
    if (error == IA_WDA_OK) {
        enum ia_rc rc = ia_device_pasteboard(c->s->device, &c->deadline, &text, &c->err);
        rc = rc == IA_OK ? ia_buf_check(&text, "the pasteboard", &c->err) : rc;
        error = ia_wda_result(rc);
    }
    if (error == IA_WDA_OK) {
        ia_jsonw_base64(&c->w, text.p, text.len);
    }
    ia_buf_fini(&text);
    return error;
}

/* A device is told its place and does not tell it. */
static void put_place(struct ia_wda_call *c)
{
    const struct ia_wda_server *s = c->s;
    ia_jsonw_object(&c->w);
    ia_jsonw_kv_known(&c->w, "latitude", s->place.latitude, s->placed);
    ia_jsonw_kv_known(&c->w, "longitude", s->place.longitude, s->placed);
    ia_jsonw_kv_known(&c->w, "altitude", 0, s->placed);
    ia_jsonw_end_object(&c->w);
}

enum ia_wda_error ia_wda_place_get(struct ia_wda_call *c)
{
    put_place(c);
    return IA_WDA_OK;
}

/* nums: "latitude longitude". */
enum ia_wda_error ia_wda_place_set(struct ia_wda_call *c)
{
    struct ia_location place = {c->num[0], c->num[1]};
    enum ia_rc rc = ia_device_location(c->s->device, &c->deadline, &place, &c->err);
    if (rc == IA_OK) {
        c->s->place = place;
        c->s->placed = true;
        put_place(c);
    }
    return ia_wda_result(rc);
}

enum ia_wda_error ia_wda_place_clear(struct ia_wda_call *c)
{
    enum ia_rc rc = ia_device_location(c->s->device, &c->deadline, NULL, &c->err);
    c->s->placed = c->s->placed && rc != IA_OK;
    return ia_wda_result(rc);
}

/* ---- pictures ----------------------------------------------------------------------------- */

static enum ia_wda_error put_picture(struct ia_wda_call *c, const struct ia_rect *part)
{
    struct ia_buf png = IA_BUF(IA_WDA_PNG_MAX);
    struct ia_buf cut = IA_BUF(IA_WDA_PNG_MAX);
    enum ia_rc rc = ia_device_screenshot(c->s->device, &c->deadline, &png, &c->err);
    if (rc == IA_OK) {
        rc = ia_buf_check(&png, "the screenshot", &c->err);
    }
    if (rc == IA_OK && part) {
        rc = ia_png_crop(ia_buf_str(&png), part, &cut, &c->err);
    }
    const struct ia_buf *from = part ? &cut : &png;
    if (rc == IA_OK) {
        ia_jsonw_base64(&c->w, from->p, from->len);
    }
    ia_buf_fini(&png);
    ia_buf_fini(&cut);
    return rc == IA_OK ? IA_WDA_OK : IA_WDA_E_NO_PICTURE;
}

enum ia_wda_error ia_wda_screenshot(struct ia_wda_call *c)
{
    return put_picture(c, NULL);
}

enum ia_wda_error ia_wda_element_screenshot(struct ia_wda_call *c)
{
    int32_t node = 0;
    double scale = c->s->info.scale;
    enum ia_wda_error error = ia_wda_element(c, c->args[0], &node);
    if (error != IA_WDA_OK) {
        return error;
    }
    struct ia_rect r = c->screen->nodes[node].seen;
    if (r.w <= 0 || r.h <= 0) {
        return ia_wda_fail(c, IA_WDA_E_NO_PICTURE, "the element is not visible on the screen");
    }
    r = (struct ia_rect){r.x * scale, r.y * scale, r.w * scale, r.h * scale};
    return put_picture(c, &r);
}
