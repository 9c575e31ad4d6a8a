/* The tree, the pixels and the touches are readings of one scene; this holds them together on
 * every screen. */
#include "phone_fixture.h"

#include <cairo.h>

#define CALENDAR "com.apple.mobilecal"
#define HOME "com.apple.Home"
#define DARK "url:prefs:root=DISPLAY|tap:dark_appearance|"
#define CATALOG "com.example.apple-samplecode.UICatalog"

/* Steps to a screen: "launch:B", "url:U", "tap:NAME", "type:T", "drag:DY", "turn:O" (an enum
 * ia_orientation), "ask:0" (for the calendar; 1: photos), separated by "|". */
static const char *const screens[] = {
    "",
    "launch:" SETTINGS,
    "launch:" SETTINGS "|drag:-60",
    "launch:" SETTINGS "|drag:-400",
    "launch:" SETTINGS "|tap:search",
    "launch:" SETTINGS "|tap:search|type:wi",
    "launch:" SETTINGS "|tap:search|type:qqq",
    "url:prefs:root=WIFI",
    "url:prefs:root=Bluetooth",
    "url:prefs:root=MOBILE_DATA_SETTINGS_ID",
    "url:prefs:root=NOTIFICATIONS_ID",
    "url:prefs:root=Sounds",
    "url:prefs:root=General",
    "url:prefs:root=General&path=About",
    "url:prefs:root=General&path=About|tap:device-name",
    "url:prefs:root=General&path=Reset",
    "url:prefs:root=DISPLAY",
    "url:prefs:root=DISPLAY|tap:dark_appearance",
    "url:prefs:root=DISPLAY|tap:auto_lock",
    "url:prefs:root=Privacy&path=LOCATION",
    "url:prefs:root=BATTERY_USAGE|tap:battery_percentage",
    "launch:" CONTACTS,
    "launch:" CONTACTS "|drag:-500",
    "launch:" CONTACTS "|tap:search|type:a",
    "launch:" CONTACTS "|tap:Nora Abbott",
    "launch:" SETTINGS "|turn:1",
    "launch:" SETTINGS "|turn:1|drag:-60",
    "launch:" SETTINGS "|turn:2|drag:-400",
    "launch:" SETTINGS "|turn:1|tap:search|type:wi",
    "url:prefs:root=DISPLAY|tap:dark_appearance|turn:1",
    "url:prefs:root=General&path=About|tap:device-name|turn:2",
    "launch:" REMINDERS "|turn:1",
    "launch:" REMINDERS "|tap:Groceries|turn:2",
    "launch:" CALENDAR,
    "launch:" CALENDAR "|turn:1",
    "launch:" CALENDAR "|tap:search|type:oslo",
    "launch:" CALENDAR "|tap:search|type:qqq",
    "launch:" CALENDAR "|tap:Nora's birthday",
    "url:shortcuts://",
    "url:shortcuts://|tap:Buy Later",
    "url:shortcuts://|tap:Good Morning|tap:run",
    "url:shortcuts://run-shortcut?name=Shout&input=text&text=a|tap:search|type:da",
    "launch:" HOME,
    "launch:" HOME "|tap:Front Door",
    "url:music://",
    "url:music://|tap:Relay",
    DARK "launch:" CALENDAR,
    DARK "launch:" CALENDAR "|tap:Nora's birthday",
    DARK "url:shortcuts://|tap:Good Morning|tap:run",
    DARK "launch:" HOME,
    DARK "url:music://|tap:Relay",
};

/* Screens with something in front of the rest: only what is in the front counts. */
static const struct {
    const char *steps;
    enum ia_eltype front;
    const char *name;
} covered[] = {
    {"launch:" SETTINGS "|tap:com.apple.settings.account", IA_EL_ALERT, "Sign In Unavailable"},
    {"url:prefs:root=Privacy&path=LOCATION|tap:location_services", IA_EL_ALERT,
     "Turn Off Location Services?"},
    {"url:prefs:root=General&path=Reset|tap:reset-all-settings", IA_EL_SHEET,
     "This will reset all settings. No data will be deleted."},
    {"launch:" CONTACTS "|tap:add", IA_EL_OTHER, "sheet"},
    {"launch:" CONTACTS "|tap:add|type:Ada", IA_EL_OTHER, "sheet"},
    {"launch:" CONTACTS "|tap:add|tap:phone", IA_EL_KEYBOARD, NULL},
    {"launch:" CONTACTS "|tap:add|type:Ada", IA_EL_KEYBOARD, NULL},
    {"launch:" CONTACTS "|tap:add|type:Ada|tap:more", IA_EL_KEYBOARD, NULL},
    {"launch:" CONTACTS "|tap:add|tap:email|type:x", IA_EL_KEYBOARD, NULL},
    {"launch:" CONTACTS "|tap:Nora Abbott|tap:edit", IA_EL_OTHER, "sheet"},
    {"launch:" CONTACTS "|tap:Nora Abbott|tap:edit|tap:delete-contact", IA_EL_SHEET,
     "Are you sure you want to delete this contact?"},
    {"launch:" SETTINGS "|turn:1|tap:com.apple.settings.account", IA_EL_ALERT,
     "Sign In Unavailable"},
    {"url:prefs:root=General&path=Reset|tap:reset-all-settings|turn:2", IA_EL_SHEET,
     "This will reset all settings. No data will be deleted."},
    {"launch:" REMINDERS "|turn:1|tap:Groceries|tap:new-reminder|type:Ada", IA_EL_OTHER,
     "sheet"},
    {"launch:" REMINDERS "|tap:add-list|type:a|turn:2", IA_EL_KEYBOARD, NULL},
    {"launch:" REMINDERS "|turn:1|tap:add-list|type:a|tap:more", IA_EL_KEYBOARD, NULL},
    {"launch:" CATALOG "|tap:Alert Views|tap:Secure Text Entry|turn:1", IA_EL_ALERT,
     "A Short Title Is Best"},
    {"ask:0", IA_EL_ALERT,
     "\xE2\x80\x9Cios-agent\xE2\x80\x9D Would Like Full Access to Your Calendar"},
    {DARK "ask:1", IA_EL_ALERT,
     "\xE2\x80\x9Cios-agent\xE2\x80\x9D Would Like to Access Your Photo Library"},
    {"url:shortcuts://run-shortcut?name=Nothing", IA_EL_ALERT, "Shortcut Not Found"},
};

static void step(struct ia_device *d, const char *text, size_t n)
{
    char s[128];
    snprintf(s, sizeof(s), "%.*s", (int)n, text);
    char *arg = strchr(s, ':');
    *arg++ = '\0';
    if (strcmp(s, "launch") == 0) {
        launch(d, arg);
    } else if (strcmp(s, "url") == 0) {
        assert_int_equal(d->ops->open_url(d, &no_limit, arg, NULL), IA_OK);
    } else if (strcmp(s, "tap") == 0) {
        tap(d, arg);
    } else if (strcmp(s, "type") == 0) {
        type(d, arg);
    } else if (strcmp(s, "ask") == 0) {
        struct ia_buf answer = IA_BUF(1000);
        enum ia_native asks = *arg == '0' ? IA_NATIVE_CALENDAR_READ : IA_NATIVE_PHOTO_ALBUMS;
        assert_int_equal(ia_device_native(d, &no_limit, asks, ia_str("{}"), &answer, NULL),
                         IA_E_FORBIDDEN);
        ia_buf_fini(&answer);
    } else if (strcmp(s, "turn") == 0) {
        assert_int_equal(
            d->ops->orientation(d, &no_limit, (enum ia_orientation)atoi(arg), NULL), IA_OK);
    } else {
        struct ia_device_info info;
        assert_int_equal(ia_device_info(d, &info, NULL), IA_OK);
        double y = info.height_pt - 152, to = y + atof(arg);
        drag(d, 150, y, 150, to > 0 ? to : 0);
    }
}

static struct ia_device *at(const char *steps)
{
    struct ia_device *d = phone_new();
    while (*steps) {
        size_t n = strcspn(steps, "|");
        step(d, steps, n);
        steps += n + (steps[n] == '|');
    }
    return d;
}

struct reader {
    const struct ia_buf *png;
    size_t at;
};

static cairo_status_t read_png(void *ctx, unsigned char *dst, unsigned n)
{
    struct reader *r = ctx;
    if (r->png->len - r->at < n) {
        return CAIRO_STATUS_READ_ERROR;
    }
    memcpy(dst, r->png->p + r->at, n);
    r->at += n;
    return CAIRO_STATUS_SUCCESS;
}

static struct ia_buf png_of(struct ia_device *d)
{
    struct ia_buf png = IA_BUF((size_t)16 << 20);
    struct ia_err err = {0};
    if (d->ops->screenshot(d, &no_limit, &png, &err) != IA_OK) {
        fail_msg("no screenshot: %s", err.msg);
    }
    return png;
}

static cairo_surface_t *pixels_of(struct ia_device *d)
{
    struct ia_buf png = png_of(d);
    struct reader r = {&png, 0};
    cairo_surface_t *s = cairo_image_surface_create_from_png_stream(read_png, &r);
    assert_int_equal(cairo_surface_status(s), CAIRO_STATUS_SUCCESS);
    struct ia_tree *t = tree_of(d);
    struct ia_rect f = ia_tree_root(t)->frame;
    ia_tree_free(t);
    assert_true((f.w == 393 && f.h == 852) || (f.w == 852 && f.h == 393));
    assert_int_equal(cairo_image_surface_get_width(s), (int)f.w * 3);
    assert_int_equal(cairo_image_surface_get_height(s), (int)f.h * 3);
    ia_buf_fini(&png);
    return s;
}

static struct ia_rect cut(struct ia_rect a, struct ia_rect b)
{
    double x = a.x > b.x ? a.x : b.x, y = a.y > b.y ? a.y : b.y;
    double right = a.x + a.w < b.x + b.w ? a.x + a.w : b.x + b.w;
    double foot = a.y + a.h < b.y + b.h ? a.y + a.h : b.y + b.h;
    return (struct ia_rect){x, y, right - x, foot - y};
}

/* What can be seen of a node: inside the screen, its tables, and above the keyboard. */
static struct ia_rect seen(const struct ia_tree *t, const struct ia_node *n)
{
    struct ia_rect screen = ia_tree_root(t)->frame, r = cut(n->frame, screen);
    bool in_keyboard = false;
    for (const struct ia_node *p = n; p; p = p->parent) {
        in_keyboard = in_keyboard || p->type == IA_EL_KEYBOARD;
        if (p->type == IA_EL_TABLE || p->type == IA_EL_NAVIGATION_BAR) {
            r = cut(r, p->frame);
        }
    }
    const struct ia_node *root = ia_tree_root(t);
    for (struct ia_node *k = ia_tree_root(t); k && !in_keyboard; k = ia_node_next(k, root)) {
        if (k->type == IA_EL_KEYBOARD) {
            r = cut(r, (struct ia_rect){0, 0, screen.w, k->frame.y});
        }
    }
    return r;
}

static bool drawn_type(const struct ia_node *n)
{
    switch (n->type) {
    case IA_EL_BUTTON:
    case IA_EL_STATIC_TEXT:
    case IA_EL_SWITCH:
    case IA_EL_IMAGE:
    case IA_EL_ICON:
    case IA_EL_KEY:
    case IA_EL_TEXT_FIELD:
    case IA_EL_SEARCH_FIELD:
    case IA_EL_SLIDER:
        return true;
    default:
        return false;
    }
}

static int luma(const unsigned char *p)
{
    return (p[0] + 6 * p[1] + 3 * p[2]) / 10; /* B, G, R */
}

/* The largest difference of brightness inside a rectangle of points. */
static int contrast(cairo_surface_t *s, struct ia_rect r)
{
    const unsigned char *data = cairo_image_surface_get_data(s);
    int stride = cairo_image_surface_get_stride(s), low = 255, high = 0;
    for (int y = (int)(r.y * 3); y < (int)((r.y + r.h) * 3); y++) {
        for (int x = (int)(r.x * 3); x < (int)((r.x + r.w) * 3); x++) {
            int l = luma(data + (ptrdiff_t)y * stride + (ptrdiff_t)x * 4);
            low = l < low ? l : low;
            high = l > high ? l : high;
        }
    }
    return high - low;
}

static void check_pixels(struct ia_device *d, const struct ia_tree *t,
                         const struct ia_node *top, const char *steps)
{
    cairo_surface_t *s = pixels_of(d);
    int checked = 0;
    for (struct ia_node *n = top->first_child; n; n = ia_node_next(n, top)) {
        struct ia_rect r = seen(t, n);
        bool whole = r.w >= n->frame.w - 1 && r.h >= n->frame.h - 1;
        if (drawn_type(n) && whole && r.w > 3 && r.h > 3) {
            if (contrast(s, r) < 20) {
                fail_msg("[%s]: %s \"%s\" has no pixels", steps,
                         ia_eltype_name((enum ia_eltype)n->type),
                         n->label ? n->label : n->identifier);
            }
            checked++;
        }
    }
    assert_true(checked > 0);
    cairo_surface_destroy(s);
}

static struct ia_node *front_of(const struct ia_tree *t, enum ia_eltype type, const char *name)
{
    struct ia_node *root = ia_tree_root(t), *found = NULL;
    for (struct ia_node *n = root; n; n = ia_node_next(n, root)) {
        if (n->type == type && (!name || (n->identifier && strcmp(n->identifier, name) == 0))) {
            found = n;
        }
    }
    assert_non_null(found);
    return found;
}

static void what_the_tree_lists_is_drawn_there(void **state)
{
    (void)state;
    for (size_t i = 0; i < IA_COUNTOF(screens); i++) {
        struct ia_device *d = at(screens[i]);
        struct ia_tree *t = tree_of(d);
        check_pixels(d, t, ia_tree_root(t), screens[i]);
        ia_tree_free(t);
        ia_device_close(d);
    }
    for (size_t i = 0; i < IA_COUNTOF(covered); i++) {
        struct ia_device *d = at(covered[i].steps);
        struct ia_tree *t = tree_of(d);
        check_pixels(d, t, front_of(t, covered[i].front, covered[i].name), covered[i].steps);
        ia_tree_free(t);
        ia_device_close(d);
    }
}

static bool control(const struct ia_node *n)
{
    switch (n->type) {
    case IA_EL_BUTTON:
    case IA_EL_SWITCH:
    case IA_EL_CELL:
    case IA_EL_ICON:
    case IA_EL_KEY:
    case IA_EL_TEXT_FIELD:
    case IA_EL_SEARCH_FIELD:
    case IA_EL_SLIDER:
        return (n->flags & IA_NODE_ENABLED) != 0;
    default:
        return false;
    }
}

static bool has_child(const struct ia_node *n, enum ia_eltype type, const char *label)
{
    for (const struct ia_node *c = n->first_child; c; c = c->next) {
        if (c->type == type && (!label || (c->label && strcmp(c->label, label) == 0))) {
            return true;
        }
    }
    return false;
}

/* Taps that change nothing, as on the real thing. */
static bool no_op(const struct ia_node *n)
{
    switch (n->type) {
    case IA_EL_CELL: /* a row with a switch or field, one that only shows a value, the chosen option */
        return !n->label || has_child(n, IA_EL_SWITCH, NULL) || (n->flags & IA_NODE_SELECTED) ||
               (n->value && !has_child(n, IA_EL_BUTTON, "chevron"));
    case IA_EL_TEXT_FIELD:
    case IA_EL_SEARCH_FIELD:
        return (n->flags & IA_NODE_FOCUSED) != 0;
    case IA_EL_SLIDER:
        return strcmp(n->value, "50%") == 0;
    case IA_EL_KEY: /* deleting from an empty field; the page key of a field is never one */
        return strcmp(n->label, "delete") == 0;
    default:
        return false;
    }
}

/* Everything about the phone but its clock. */
static char *fingerprint(struct ia_device *d)
{
    char *tree = tree_text(d), *oracle = state_of(d);
    char *seq = strstr(oracle, "\"seq\":");
    *seq = '\0';
    struct ia_buf out = IA_BUF((size_t)4 << 20);
    ia_buf_printf(&out, "%s%s", tree, oracle);
    free(tree);
    free(oracle);
    return ia_buf_steal(&out);
}

static void check_taps(const char *steps, enum ia_eltype front, const char *name)
{
    struct ia_device *d = at(steps);
    struct ia_tree *t = tree_of(d);
    char *before = fingerprint(d);
    ia_device_close(d);
    struct ia_node *top = front == IA_EL_ANY ? ia_tree_root(t) : front_of(t, front, name);
    for (struct ia_node *n = top; n; n = ia_node_next(n, top)) {
        struct ia_rect r = seen(t, n);
        double x = n->frame.x + n->frame.w / 2, y = n->frame.y + n->frame.h / 2;
        bool free_centre = r.w > 0 && r.h > 0 && y > r.y && y < r.y + r.h;
        if (!control(n) || no_op(n) || !free_centre) {
            continue;
        }
        d = at(steps);
        tap_at(d, x, y);
        char *after = fingerprint(d);
        if (strcmp(before, after) == 0) {
            fail_msg("[%s]: tapping %s \"%s\" changes nothing", steps,
                     ia_eltype_name((enum ia_eltype)n->type), n->label ? n->label : "");
        }
        free(after);
        ia_device_close(d);
    }
    free(before);
    ia_tree_free(t);
}

static void every_enabled_control_does_something(void **state)
{
    (void)state;
    for (size_t i = 0; i < IA_COUNTOF(screens); i++) {
        check_taps(screens[i], IA_EL_ANY, NULL);
    }
    for (size_t i = 0; i < IA_COUNTOF(covered); i++) {
        check_taps(covered[i].steps, covered[i].front, covered[i].name);
    }
}

static void the_same_steps_give_the_same_tree_and_picture(void **state)
{
    (void)state;
    static const char steps[] = "launch:" CONTACTS "|tap:add|type:Ada";
    struct ia_device *a = at(steps), *b = at(steps);
    char *ta = tree_text(a), *tb = tree_text(b);
    assert_string_equal(ta, tb);
    struct ia_buf pa = png_of(a), pb = png_of(b);
    assert_int_equal(pa.len, pb.len);
    assert_memory_equal(pa.p, pb.p, pa.len);
    ia_buf_fini(&pa);
    ia_buf_fini(&pb);
    free(ta);
    free(tb);
    ia_device_close(a);
    ia_device_close(b);
}

/* A walk that a seeded generator chooses; one phone is looked at after each step, one never. */
static void looking_never_changes_a_phone(void **state)
{
    (void)state;
    static const char *const bundles[] = {SETTINGS, CONTACTS};
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct ia_device *watched = phone_new(), *alone = phone_new();
        uint64_t s = seed * 0x9E3779B97F4A7C15U;
        for (int i = 0; i < 60; i++) {
            s = s * 6364136223846793005U + 1442695040888963407U;
            struct ia_point p = {(double)(s >> 33 & 0x1FF) * 0.76,
                                 (double)(s >> 43 & 0x3FF) * 0.83};
            struct ia_point q = {p.x, 851 - p.y};
            struct ia_device *both[] = {watched, alone};
            for (int k = 0; k < 2; k++) {
                const struct ia_device_ops *ops = both[k]->ops;
                switch (s >> 60) {
                case 0:
                    assert_int_equal(
                        ops->launch(both[k], &no_limit, bundles[s >> 59 & 1], NULL), IA_OK);
                    break;
                case 1:
                case 2:
                    assert_int_equal(ops->drag(both[k], &no_limit, p, q, 100, NULL), IA_OK);
                    break;
                case 3:
                    (void)ops->type_text(both[k], &no_limit, ia_str("ab\n"), NULL);
                    break;
                default:
                    assert_int_equal(ops->tap(both[k], &no_limit, p, NULL), IA_OK);
                    break;
                }
            }
            free(tree_text(watched));
        }
        char *a = tree_text(watched), *b = tree_text(alone);
        char *oa = state_of(watched), *ob = state_of(alone);
        assert_string_equal(a, b);
        assert_string_equal(oa, ob);
        free(a);
        free(b);
        free(oa);
        free(ob);
        ia_device_close(watched);
        ia_device_close(alone);
    }
}

static void a_screenshot_that_does_not_fit_is_an_error(void **state)
{
    (void)state;
    struct ia_device *d = phone_new();
    struct ia_buf png = IA_BUF(1000);
    struct ia_err err = {0};
    assert_int_equal(d->ops->screenshot(d, &no_limit, &png, &err), IA_E_LIMIT);
    ia_buf_fini(&png);
    ia_device_close(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_the_tree_lists_is_drawn_there),
        cmocka_unit_test(every_enabled_control_does_something),
        cmocka_unit_test(the_same_steps_give_the_same_tree_and_picture),
        cmocka_unit_test(looking_never_changes_a_phone),
        cmocka_unit_test(a_screenshot_that_does_not_fit_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
