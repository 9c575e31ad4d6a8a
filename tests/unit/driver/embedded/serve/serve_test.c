/* What a client of the wire gets from an embedded phone, primitive by primitive. */
#include "served.h"

static const struct ia_deadline no_limit = {.cancel = NULL, .at_us = IA_NO_DEADLINE};

static struct ia_wire_reply ask(struct pair *p, struct ia_wire_request req)
{
    return client_ask(&p->c, req);
}

static uint8_t state_of(struct pair *p, const char *app)
{
    struct ia_wire_reply r = ask(
        p, (struct ia_wire_request){.op = IA_WIRE_OP_STATE, .u.bundle = {.bundle_id = app}});
    assert_int_equal(r.code, IA_WIRE_OK);
    uint8_t state = r.u.state.state;
    ia_wire_reply_fini(&r);
    return state;
}

/* ---- who it is ---- */

static void hello_wants_the_token_and_says_that_the_phone_is_simulated(void **state)
{
    (void)state;
    struct served s = served_start(NULL, "the-token");
    struct client c = client_open(s.port);
    ask_for(&c, IA_WIRE_E_AUTH, IA_WIRE_NONE, .op = IA_WIRE_OP_LIST_APPS);
    struct ia_wire_reply r = client_hello(&c, "another");
    assert_int_equal(r.code, IA_WIRE_E_AUTH);
    ia_wire_reply_fini(&r);
    client_close(&c);
    c = client_open(s.port);
    r = client_hello(&c, "the-token");
    assert_int_equal(r.code, IA_WIRE_OK);
    assert_int_equal(r.u.hello.features, IA_WIRE_FEATURE_SIMULATED | IA_WIRE_FEATURE_INSTANT);
    assert_string_equal(r.u.hello.udid, "embedded:test");
    assert_string_equal(r.u.hello.server, "test");
    ia_wire_reply_fini(&r);
    client_close(&c);
    served_stop(&s);
    served_end(&s);
}

static void what_the_phone_has_not_is_not_served(void **state)
{
    (void)state;
    struct pair p = pair_open(NULL);
    struct ia_wire_reply r = client_hello(&p.c, "");
    static const uint8_t served[] = {
        IA_WIRE_OP_FIND,       IA_WIRE_OP_ACT,        IA_WIRE_OP_WAIT,
        IA_WIRE_OP_SET_TEXT,   IA_WIRE_OP_CLEAR,      IA_WIRE_OP_TYPE_TEXT,
        IA_WIRE_OP_ALERTS,     IA_WIRE_OP_ALERT_ACT,  IA_WIRE_OP_LIST_APPS,
        IA_WIRE_OP_APPEARANCE, IA_WIRE_OP_SCREENSHOT, IA_WIRE_OP_RESET};
    for (size_t i = 0; i < IA_COUNTOF(served); i++) {
        assert_true(r.u.hello.ops & IA_WIRE_BIT(served[i]));
    }
    static const uint8_t absent[] = {IA_WIRE_OP_AUDIT};
    for (size_t i = 0; i < IA_COUNTOF(absent); i++) {
        assert_false(r.u.hello.ops & IA_WIRE_BIT(absent[i]));
    }
    ia_wire_reply_fini(&r);
    ask_for(&p.c, IA_WIRE_E_UNSUPPORTED, IA_WIRE_NONE, .op = IA_WIRE_OP_AUDIT);
    pair_close(&p);
}

static void info_says_what_it_is_and_what_is_in_front(void **state)
{
    (void)state;
    struct pair p = pair_open(NULL);
    launch(&p, CONTACTS);
    struct ia_wire_reply r = ask(&p, (struct ia_wire_request){.op = IA_WIRE_OP_INFO});
    assert_string_equal(r.u.info.kind, "embedded");
    assert_string_equal(r.u.info.udid, "embedded:test");
    assert_true(r.u.info.width_pt == 393 && r.u.info.height_pt == 852 && r.u.info.scale == 3);
    assert_string_equal(r.u.info.bundle_id, CONTACTS);
    assert_string_equal(r.u.info.app_name, "Contacts");
    assert_int_equal(r.u.info.app_state, IA_WIRE_APP_FOREGROUND);
    assert_int_equal(r.u.info.orientation, IA_WIRE_PORTRAIT);
    assert_true(r.u.info.notes_n > 0);
    assert_non_null(strstr(r.u.info.notes[0], "simulated"));
    ia_wire_reply_fini(&r);
    pair_close(&p);
}

/* ---- looking ---- */

static void same_node(const struct ia_node *n, const struct ia_wire_node *w)
{
    assert_int_equal(n->type, w->type);
    assert_int_equal(n->flags, w->flags & 0x7f);
    assert_memory_equal(&n->frame, &w->frame, sizeof(n->frame));
    const char *const ours[] = {n->identifier, n->label, n->value, n->placeholder};
    const char *const theirs[] = {w->identifier, w->label, w->value, w->placeholder};
    for (size_t i = 0; i < IA_COUNTOF(ours); i++) {
        assert_int_equal(ours[i] == NULL, theirs[i] == NULL);
        if (ours[i]) {
            assert_string_equal(ours[i], theirs[i]);
        }
    }
}

static void a_tree_is_that_of_the_phone_node_by_node(void **state)
{
    (void)state;
    struct pair p = pair_open(NULL);
    launch(&p, SETTINGS);
    struct ia_wire_reply r = ask(
        &p, (struct ia_wire_request){.op = IA_WIRE_OP_TREE,
                                     .u.tree = {.app = "", .flags = IA_WIRE_TREE_UNPRUNED}});
    assert_int_equal(r.code, IA_WIRE_OK);
    assert_int_equal(r.u.tree.cut, 0);
    assert_string_equal(r.u.tree.app, SETTINGS);
    served_stop(&p.s);
    struct ia_device *phone = ia_serve_phone(p.s.serve);
    struct ia_tree *t = NULL;
    assert_int_equal(phone->ops->tree(phone, &no_limit, &t, NULL), IA_OK);
    assert_int_equal(ia_tree_count(t), r.u.tree.nodes_n);
    struct ia_node *root = ia_tree_root(t), *n = root;
    for (uint32_t i = 0; i < r.u.tree.nodes_n; i++, n = ia_node_next(n, root)) {
        same_node(n, &r.u.tree.nodes[i]);
    }
    ia_tree_free(t);
    ia_wire_reply_fini(&r);
    client_close(&p.c);
    served_end(&p.s);
}

static void a_tree_of_an_app_behind_is_refused_and_never_anothers(void **state)
{
    (void)state;
    struct pair p = pair_open(NULL);
    launch(&p, CONTACTS);
    launch(&p, SETTINGS);
    ask_for(&p.c, IA_WIRE_E_TREE_EMPTY, IA_WIRE_NONE, .op = IA_WIRE_OP_TREE,
            .u.tree = {.app = CONTACTS});
    ask_for(&p.c, IA_WIRE_E_NO_APP, IA_WIRE_NONE, .op = IA_WIRE_OP_TREE,
            .u.tree = {.app = "com.example.nobody"});
    ask_for(&p.c, IA_WIRE_OK, IA_WIRE_NONE, .op = IA_WIRE_OP_TREE, .u.tree = {.app = SETTINGS});
    pair_close(&p);
}

static void the_systems_alert_stands_in_the_tree_of_the_system_too(void **state)
{
    (void)state;
    struct pair p = pair_open("faults=popup@2");
    launch(&p, CONTACTS);
    ask_for(&p.c, IA_WIRE_E_TREE_EMPTY, IA_WIRE_NONE, .op = IA_WIRE_OP_TREE,
            .u.tree = {.app = SPRINGBOARD});
    ask_for(&p.c, IA_WIRE_OK, IA_WIRE_SENT, .op = IA_WIRE_OP_PRESS_BUTTON,
            .u.press_button = {.button = IA_WIRE_BUTTON_VOLUME_UP});
    ask_for(&p.c, IA_WIRE_OK, IA_WIRE_NONE, .op = IA_WIRE_OP_TREE,
            .u.tree = {.app = SPRINGBOARD});
    pair_close(&p);
}

static void a_screenshot_is_in_pixels_or_in_points(void **state)
{
    (void)state;
    static const struct {
        uint8_t scale;
        uint32_t w, h;
    } rows[] = {{IA_WIRE_SCALE_PIXELS, 1179, 2556}, {IA_WIRE_SCALE_POINTS, 393, 852}};
    struct pair p = pair_open(NULL);
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct ia_wire_reply r =
            ask(&p, (struct ia_wire_request){.op = IA_WIRE_OP_SCREENSHOT,
                                             .u.screenshot = {.scale = rows[i].scale}});
        assert_int_equal(r.code, IA_WIRE_OK);
        const struct ia_wire_screenshot_reply *shot = &r.u.screenshot;
        assert_int_equal(shot->width_px, rows[i].w);
        assert_int_equal(shot->height_px, rows[i].h);
        assert_true(shot->png_n > 24);
        const uint8_t *size = shot->png + 16; /* of IHDR, big-endian */
        assert_int_equal((uint32_t)size[2] << 8 | size[3], rows[i].w);
        assert_int_equal((uint32_t)size[6] << 8 | size[7], rows[i].h);
        ia_wire_reply_fini(&r);
    }
    pair_close(&p);
}

/* ---- apps ---- */

static void an_apps_state_is_reported_through_its_life(void **state)
{
    (void)state;
    struct pair p = pair_open(NULL);
    assert_int_equal(state_of(&p, ""), IA_WIRE_APP_FOREGROUND); /* the home screen */
    assert_int_equal(state_of(&p, CONTACTS), IA_WIRE_APP_NOT_RUNNING);
    assert_int_equal(state_of(&p, "com.example.nobody"), IA_WIRE_APP_UNKNOWN);
    launch(&p, CONTACTS);
    assert_int_equal(state_of(&p, ""), IA_WIRE_APP_FOREGROUND);
    assert_int_equal(state_of(&p, SPRINGBOARD), IA_WIRE_APP_BACKGROUND);
    launch(&p, SETTINGS);
    assert_int_equal(state_of(&p, CONTACTS), IA_WIRE_APP_SUSPENDED);
    ask_for(&p.c, IA_WIRE_OK, IA_WIRE_SENT, .op = IA_WIRE_OP_TARGET,
            .u.bundle = {.bundle_id = CONTACTS});
    assert_int_equal(state_of(&p, ""), IA_WIRE_APP_SUSPENDED);
    ask_for(&p.c, IA_WIRE_OK, IA_WIRE_SENT, .op = IA_WIRE_OP_TERMINATE,
            .u.bundle = {.bundle_id = CONTACTS});
    assert_int_equal(state_of(&p, CONTACTS), IA_WIRE_APP_NOT_RUNNING);
    ask_for(&p.c, IA_WIRE_E_NO_APP, IA_WIRE_NOT_SENT, .op = IA_WIRE_OP_TARGET,
            .u.bundle = {.bundle_id = "com.example.nobody"});
    ask_for(&p.c, IA_WIRE_E_NO_APP, IA_WIRE_NOT_SENT, .op = IA_WIRE_OP_LAUNCH,
            .u.launch = {.bundle_id = "com.example.nobody"});
    pair_close(&p);
}

static void name_target(struct pair *p, const char *app)
{
    ask_for(&p->c, IA_WIRE_OK, IA_WIRE_SENT, .op = IA_WIRE_OP_TARGET, .u.bundle = {app});
}

/* What a request without an app meets: looking, and every way of touching. */
static void expect_reach(struct pair *p, enum ia_wire_code code)
{
    bool ok = code == IA_WIRE_OK;
    struct ia_wire_point middle = {200, 838}; /* nothing is there */
    ask_for(&p->c, code, IA_WIRE_NONE, .op = IA_WIRE_OP_TREE, .u.tree = {.app = ""});
    ask_for(&p->c, code, ok ? IA_WIRE_SENT : IA_WIRE_NOT_SENT, .op = IA_WIRE_OP_TAP_POINT,
            .u.tap_point = {.at = middle});
    ask_for(&p->c, code, ok ? IA_WIRE_SENT : IA_WIRE_NOT_SENT, .op = IA_WIRE_OP_DRAG,
            .u.drag = {.from = middle, .to = {200, 830}});
    if (!ok) {
        ask_for(&p->c, code, IA_WIRE_NOT_SENT, .op = IA_WIRE_OP_TYPE_TEXT,
                .u.type_text = {.text = "x"});
        ask_for(&p->c, code, IA_WIRE_NOT_SENT, .op = IA_WIRE_OP_DELETE_TEXT,
                .u.delete_text = {.count = 1});
    }
}

static void what_is_in_front_and_is_not_the_target_is_not_reached(void **state)
{
    (void)state;
    struct pair p = pair_open(NULL);
    name_target(&p, CONTACTS);
    expect_reach(&p, IA_WIRE_OK); /* it can be started from the home screen */
    launch(&p, CONTACTS);
    launch(&p, SETTINGS);
    expect_reach(&p, IA_WIRE_OK);
    name_target(&p, CONTACTS);
    expect_reach(&p, IA_WIRE_E_TREE_EMPTY);
    ask_for(&p.c, IA_WIRE_OK, IA_WIRE_SENT, .op = IA_WIRE_OP_PRESS_BUTTON,
            .u.press_button = {.button = IA_WIRE_BUTTON_HOME});
    expect_reach(&p, IA_WIRE_OK); /* the home screen is in front of every app */
    assert_int_equal(state_of(&p, ""), IA_WIRE_APP_SUSPENDED);
    client_tap(&p.c, "Settings");
    expect_reach(&p, IA_WIRE_OK); /* the host opened it itself */
    assert_int_equal(state_of(&p, ""), IA_WIRE_APP_FOREGROUND);
    pair_close(&p);
}

static void a_target_that_crashes_leaves_the_home_screen(void **state)
{
    (void)state;
    struct pair p = pair_open("faults=crash@3");
    launch(&p, CONTACTS);
    for (int i = 0; i < 4; i++) {
        ask_for(&p.c, IA_WIRE_OK, IA_WIRE_SENT, .op = IA_WIRE_OP_TAP_POINT,
                .u.tap_point = {.at = {200, 838}});
    }
    assert_int_equal(state_of(&p, CONTACTS), IA_WIRE_APP_NOT_RUNNING);
    expect_reach(&p, IA_WIRE_OK);
    pair_close(&p);
}

static void a_fresh_launch_ends_the_app_first(void **state)
{
    (void)state;
    struct pair p = pair_open(NULL);
    launch(&p, CONTACTS);
    client_tap(&p.c, "add");
    launch(&p, CONTACTS);
    (void)client_find(&p.c, "first-name");
    ask_for(&p.c, IA_WIRE_OK, IA_WIRE_SENT, .op = IA_WIRE_OP_LAUNCH,
            .u.launch = {.bundle_id = CONTACTS, .mode = IA_WIRE_LAUNCH_FRESH});
    (void)client_find(&p.c, "Nora Abbott");
    ask_for(&p.c, IA_WIRE_OK, IA_WIRE_NONE, .op = IA_WIRE_OP_WAIT,
            .u.wait = {.condition = IA_WIRE_WAIT_GONE,
                       .selector = {.identifier = "first-name"},
                       .text = ""});
    pair_close(&p);
}

static void arguments_of_a_launch_are_refused_rather_than_lost(void **state)
{
    (void)state;
    struct pair p = pair_open(NULL);
    const char *args[] = {"-demo"};
    ask_for(&p.c, IA_WIRE_E_UNSUPPORTED, IA_WIRE_NOT_SENT, .op = IA_WIRE_OP_LAUNCH,
            .u.launch = {.bundle_id = CONTACTS, .args = args, .args_n = 1});
    assert_int_equal(state_of(&p, CONTACTS), IA_WIRE_APP_NOT_RUNNING);
    pair_close(&p);
}

static void apps_are_listed_with_their_states(void **state)
{
    (void)state;
    struct pair p = pair_open(NULL);
    launch(&p, SHOP);
    struct ia_wire_reply r = ask(&p, (struct ia_wire_request){.op = IA_WIRE_OP_LIST_APPS});
    assert_int_equal(r.u.apps.apps_n, 12);
    for (uint32_t i = 0; i < r.u.apps.apps_n; i++) {
        const struct ia_wire_app *a = &r.u.apps.apps[i];
        bool shop = strcmp(a->bundle_id, SHOP) == 0;
        assert_int_equal(a->state, shop ? IA_WIRE_APP_FOREGROUND : IA_WIRE_APP_NOT_RUNNING);
        assert_true(a->name[0] != '\0');
    }
    ia_wire_reply_fini(&r);
    pair_close(&p);
}

static void a_reset_phone_is_as_new(void **state)
{
    (void)state;
    struct pair p = pair_open(NULL);
    launch(&p, CONTACTS);
    ask_for(&p.c, IA_WIRE_OK, IA_WIRE_SENT, .op = IA_WIRE_OP_RESET);
    assert_int_equal(state_of(&p, CONTACTS), IA_WIRE_APP_NOT_RUNNING);
    assert_int_equal(state_of(&p, ""), IA_WIRE_APP_FOREGROUND);
    pair_close(&p);
}

/* ---- touching and typing ---- */

static void a_touch_outside_the_screen_is_not_sent(void **state)
{
    (void)state;
    struct pair p = pair_open(NULL);
    struct ia_wire_point in = {10, 10}, out = {10, 900};
    ask_for(&p.c, IA_WIRE_E_USAGE, IA_WIRE_NOT_SENT, .op = IA_WIRE_OP_TAP_POINT,
            .u.tap_point = {.at = out});
    ask_for(&p.c, IA_WIRE_E_USAGE, IA_WIRE_NOT_SENT, .op = IA_WIRE_OP_DRAG,
            .u.drag = {.from = in, .to = out});
    ask_for(&p.c, IA_WIRE_E_USAGE, IA_WIRE_NOT_SENT, .op = IA_WIRE_OP_LONG_PRESS_POINT,
            .u.long_press_point = {.at = in, .duration_s = 1e9});
    ask_for(&p.c, IA_WIRE_E_UNSUPPORTED, IA_WIRE_NOT_SENT, .op = IA_WIRE_OP_PRESS_BUTTON,
            .u.press_button = {.button = IA_WIRE_BUTTON_CAMERA});
    pair_close(&p);
}

static void several_taps_are_as_many_operations(void **state)
{
    (void)state;
    struct pair p = pair_open(NULL);
    ask_for(&p.c, IA_WIRE_OK, IA_WIRE_SENT, .op = IA_WIRE_OP_TAP_POINT,
            .u.tap_point = {.at = {1, 1}, .taps = 3});
    served_stop(&p.s);
    struct ia_buf json = IA_BUF(1 << 20);
    struct ia_jsonw w;
    ia_jsonw_init(&w, &json);
    ia_embedded_device_state_json(ia_serve_phone(p.s.serve), &w);
    assert_non_null(strstr(ia_buf_cstr(&json), "\"seq\":3,"));
    ia_buf_fini(&json);
    client_close(&p.c);
    served_end(&p.s);
}

static void typing_counts_characters_and_needs_a_keyboard(void **state)
{
    (void)state;
    struct pair p = pair_open(NULL);
    ask_for(&p.c, IA_WIRE_E_NO_KEYBOARD, IA_WIRE_NOT_SENT, .op = IA_WIRE_OP_TYPE_TEXT,
            .u.type_text = {.text = "x"});
    launch(&p, CONTACTS);
    client_tap(&p.c, "add");
    struct ia_wire_reply r = ask(&p, (struct ia_wire_request){.op = IA_WIRE_OP_TYPE_TEXT,
                                                              .u.type_text = {.text = "Zoé"}});
    assert_int_equal(r.code, IA_WIRE_OK);
    assert_int_equal(r.u.typed.count, 3);
    ia_wire_reply_fini(&r);
    r = ask(&p, (struct ia_wire_request){.op = IA_WIRE_OP_DELETE_TEXT,
                                         .u.delete_text = {.count = 1}});
    assert_int_equal(r.code, IA_WIRE_OK);
    assert_int_equal(r.u.typed.count, 1);
    ia_wire_reply_fini(&r);
    ask_for(&p.c, IA_WIRE_OK, IA_WIRE_NONE, .op = IA_WIRE_OP_WAIT,
            .u.wait = {.condition = IA_WIRE_WAIT_VALUE,
                       .selector = {.identifier = "first-name"},
                       .text = "Zo"});
    pair_close(&p);
}

static void a_text_is_set_and_read_back_by_the_core(void **state)
{
    (void)state;
    struct pair p = pair_open(NULL);
    launch(&p, CONTACTS);
    client_tap(&p.c, "add");
    struct ia_wire_selector field = {.identifier = "phone", .index = IA_WIRE_UNIQUE};
    struct ia_wire_reply r =
        ask(&p, (struct ia_wire_request){.op = IA_WIRE_OP_SET_TEXT,
                                         .u.set_text = {.target = {.selector = &field},
                                                        .text = "555-0100",
                                                        .timeout_ms = 2000}});
    assert_int_equal(r.code, IA_WIRE_OK);
    assert_string_equal(r.u.text.value, "555-0100");
    ia_wire_reply_fini(&r);
    pair_close(&p);
}

/* ---- alerts and settings ---- */

static void ask_to_discard(struct pair *p)
{
    launch(p, CONTACTS);
    client_tap(&p->c, "add");
    ask_for(&p->c, IA_WIRE_OK, IA_WIRE_SENT, .op = IA_WIRE_OP_TYPE_TEXT,
            .u.type_text = {.text = "Ada"});
    client_tap(&p->c, "cancel");
}

static void an_alert_is_reported_and_answered_by_its_owner_and_button(void **state)
{
    (void)state;
    struct pair p = pair_open(NULL);
    ask_for(&p.c, IA_WIRE_E_NO_ALERT, IA_WIRE_NOT_SENT, .op = IA_WIRE_OP_ALERT_ACT,
            .u.alert_act = {.action = IA_WIRE_ALERT_ACCEPT, .button = ""});
    ask_to_discard(&p);
    struct ia_wire_reply r = ask(&p, (struct ia_wire_request){.op = IA_WIRE_OP_ALERTS});
    assert_int_equal(r.u.alerts.alerts_n, 1);
    const struct ia_wire_alert *a = &r.u.alerts.alerts[0];
    assert_int_equal(a->owner, IA_WIRE_OWNER_APP);
    assert_string_equal(a->title, "Are you sure you want to discard this new contact?");
    assert_int_equal(a->buttons_n, 2);
    assert_string_equal(a->buttons[0], "Discard Changes");
    assert_string_equal(a->buttons[1], "Keep Editing");
    assert_true(a->frame.w > 0 && a->frame.h > 0);
    ia_wire_reply_fini(&r);
    ask_for(&p.c, IA_WIRE_E_NO_ALERT, IA_WIRE_NOT_SENT, .op = IA_WIRE_OP_ALERT_ACT,
            .u.alert_act = {
                .owner = IA_WIRE_OWNER_SYSTEM, .action = IA_WIRE_ALERT_ACCEPT, .button = ""});
    ask_for(&p.c, IA_WIRE_E_NOT_FOUND, IA_WIRE_NOT_SENT, .op = IA_WIRE_OP_ALERT_ACT,
            .u.alert_act = {.action = IA_WIRE_ALERT_BUTTON, .button = "Maybe"});
    r = ask(&p, (struct ia_wire_request){.op = IA_WIRE_OP_ALERT_ACT,
                                         .u.alert_act = {.owner = IA_WIRE_OWNER_APP,
                                                         .action = IA_WIRE_ALERT_DISMISS,
                                                         .button = ""}});
    assert_int_equal(r.code, IA_WIRE_OK);
    assert_string_equal(r.u.alert_act.button, "Keep Editing");
    ia_wire_reply_fini(&r);
    r = ask(&p, (struct ia_wire_request){.op = IA_WIRE_OP_ALERTS});
    assert_int_equal(r.u.alerts.alerts_n, 0);
    ia_wire_reply_fini(&r);
    pair_close(&p);
}

static void appearance_and_orientation_are_read_and_set(void **state)
{
    (void)state;
    static const struct {
        uint8_t op, mode, now;
        enum ia_wire_code code;
        enum ia_wire_outcome outcome;
    } rows[] = {
        {IA_WIRE_OP_APPEARANCE, IA_WIRE_APPEARANCE_READ, IA_WIRE_LIGHT, IA_WIRE_OK,
         IA_WIRE_NONE},
        {IA_WIRE_OP_APPEARANCE, IA_WIRE_DARK, IA_WIRE_DARK, IA_WIRE_OK, IA_WIRE_SENT},
        {IA_WIRE_OP_APPEARANCE, IA_WIRE_APPEARANCE_READ, IA_WIRE_DARK, IA_WIRE_OK,
         IA_WIRE_NONE},
        {IA_WIRE_OP_ORIENTATION, IA_WIRE_ORIENTATION_READ, IA_WIRE_PORTRAIT, IA_WIRE_OK,
         IA_WIRE_NONE},
        {IA_WIRE_OP_ORIENTATION, IA_WIRE_PORTRAIT, IA_WIRE_PORTRAIT, IA_WIRE_OK, IA_WIRE_SENT},
        {IA_WIRE_OP_ORIENTATION, IA_WIRE_LANDSCAPE_LEFT, 0, IA_WIRE_E_UNSUPPORTED,
         IA_WIRE_NOT_SENT},
    };
    struct pair p = pair_open(NULL);
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct ia_wire_request req = {.op = rows[i].op};
        if (req.op == IA_WIRE_OP_APPEARANCE) {
            req.u.appearance.mode = rows[i].mode;
        } else {
            req.u.orientation.mode = rows[i].mode;
        }
        struct ia_wire_reply r = ask(&p, req);
        assert_int_equal(r.code, rows[i].code);
        assert_int_equal(r.outcome, rows[i].outcome);
        assert_int_equal(r.u.mode.mode, rows[i].now);
        ia_wire_reply_fini(&r);
    }
    pair_close(&p);
}

static void a_turned_phone_tells_how_it_lies(void **state)
{
    (void)state;
    struct pair p = pair_open(NULL);
    launch(&p, SETTINGS);
    ask_for(&p.c, IA_WIRE_OK, IA_WIRE_SENT, .op = IA_WIRE_OP_ORIENTATION,
            .u.orientation.mode = IA_WIRE_LANDSCAPE_RIGHT);
    struct ia_wire_reply r = ask(&p, (struct ia_wire_request){.op = IA_WIRE_OP_ORIENTATION});
    assert_int_equal(r.u.mode.mode, IA_WIRE_LANDSCAPE_RIGHT);
    ia_wire_reply_fini(&r);
    r = ask(&p, (struct ia_wire_request){.op = IA_WIRE_OP_INFO});
    assert_true(r.u.info.width_pt == 852 && r.u.info.height_pt == 393);
    assert_int_equal(r.u.info.orientation, IA_WIRE_LANDSCAPE_RIGHT);
    ia_wire_reply_fini(&r);
    ask_for(&p.c, IA_WIRE_E_UNSUPPORTED, IA_WIRE_NOT_SENT, .op = IA_WIRE_OP_ORIENTATION,
            .u.orientation.mode = IA_WIRE_UPSIDE_DOWN);
    pair_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hello_wants_the_token_and_says_that_the_phone_is_simulated),
        cmocka_unit_test(what_the_phone_has_not_is_not_served),
        cmocka_unit_test(info_says_what_it_is_and_what_is_in_front),
        cmocka_unit_test(a_tree_is_that_of_the_phone_node_by_node),
        cmocka_unit_test(a_tree_of_an_app_behind_is_refused_and_never_anothers),
        cmocka_unit_test(the_systems_alert_stands_in_the_tree_of_the_system_too),
        cmocka_unit_test(a_screenshot_is_in_pixels_or_in_points),
        cmocka_unit_test(an_apps_state_is_reported_through_its_life),
        cmocka_unit_test(what_is_in_front_and_is_not_the_target_is_not_reached),
        cmocka_unit_test(a_target_that_crashes_leaves_the_home_screen),
        cmocka_unit_test(a_fresh_launch_ends_the_app_first),
        cmocka_unit_test(arguments_of_a_launch_are_refused_rather_than_lost),
        cmocka_unit_test(apps_are_listed_with_their_states),
        cmocka_unit_test(a_reset_phone_is_as_new),
        cmocka_unit_test(a_touch_outside_the_screen_is_not_sent),
        cmocka_unit_test(several_taps_are_as_many_operations),
        cmocka_unit_test(typing_counts_characters_and_needs_a_keyboard),
        cmocka_unit_test(a_text_is_set_and_read_back_by_the_core),
        cmocka_unit_test(an_alert_is_reported_and_answered_by_its_owner_and_button),
        cmocka_unit_test(appearance_and_orientation_are_read_and_set),
        cmocka_unit_test(a_turned_phone_tells_how_it_lies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
