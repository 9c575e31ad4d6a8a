/* gnustep_test.c: the embedded phone and the bridge's own Objective-C (on GNUstep, with its
 * fake app) get the same requests, each in the terms of that device. Everything in the replies
 * that does not depend on the screen is compared. A difference that is not listed in
 * gnustep.differences fails the test, and so does a listed one that no longer exists. */
#include "../objc/host.h"
#include "../unit/driver/embedded/serve/served.h"
#include "source_dir.h"

#include "base/fd.h"

enum { WAIT_MS = 5000, LINES_MAX = 256 };

/* The names of the same things on each device. */
struct cast {
    const char *app;
    const char *button, *disabled, *field, *toggle; /* identifiers, each on its own screen */
    const char *twins;                              /* a label of several elements */
    const char *offscreen;                          /* a label far below the screen */
    const char *url;
    void (*show)(struct client *c, const char *screen);
};

struct play {
    struct client *c;
    const struct cast *cast;
    struct ia_buf *out; /* one line for each request: "request | facts" */
};

/* ---- the embedded phone ---- */

static void ok(struct client *c, struct ia_wire_request req)
{
    struct ia_wire_reply r = client_ask(c, req);
    if (r.code != IA_WIRE_OK) {
        fail_msg("%s: %s", ia_wire_op_name(req.op), r.text);
    }
    ia_wire_reply_fini(&r);
}

static void launch_fresh(struct client *c, const char *app, const struct ia_wire_pair *env,
                         uint32_t env_n)
{
    ok(c, (struct ia_wire_request){
              .op = IA_WIRE_OP_LAUNCH,
              .u.launch = {
                  .bundle_id = app, .mode = IA_WIRE_LAUNCH_FRESH, .env = env, .env_n = env_n}});
}

static void show_on_phone(struct client *c, const char *screen)
{
    launch_fresh(c, CONTACTS, NULL, 0);
    if (strcmp(screen, "text") == 0) {
        client_tap(c, "add");
    } else if (strcmp(screen, "dialogs") == 0) {
        client_tap(c, "add");
        ok(c, (struct ia_wire_request){.op = IA_WIRE_OP_TYPE_TEXT, .u.type_text = {"Ada"}});
        client_tap(c, "cancel");
    } else if (strcmp(screen, "switches") == 0) {
        ok(c, (struct ia_wire_request){.op = IA_WIRE_OP_OPEN_URL,
                                       .u.open_url = {"prefs:root=Bluetooth"}});
    }
}

static const struct cast phone = {.app = CONTACTS,
                                  .button = "add",
                                  .disabled = "done",
                                  .field = "first-name",
                                  .toggle = "bluetooth",
                                  .twins = "Nora Abbott",
                                  .offscreen = "Adam Young",
                                  .url = "contacts://",
                                  .show = show_on_phone};

/* ---- the fake app ---- */

static void show_on_fake(struct client *c, const char *screen)
{
    bool plain = strcmp(screen, "switches") == 0 || strcmp(screen, "buttons") == 0;
    const struct ia_wire_pair env[] = {{"FAKE_SCREEN", plain ? "controls" : screen},
                                       {"FAKE_NODES", "300"}};
    launch_fresh(c, FAKE_APP, env, 2);
    if (strcmp(screen, "dialogs") == 0) {
        client_tap(c, "alert");
    }
}

static const struct cast fake = {.app = FAKE_APP,
                                 .button = "count",
                                 .disabled = "disabled",
                                 .field = "name",
                                 .toggle = "plain",
                                 .twins = "Same",
                                 .offscreen = "row 90",
                                 .url = "https://example.com/",
                                 .show = show_on_fake};

/* ---- the facts of a reply ---- */

static const char *state_name(unsigned state)
{
    static const char *const names[] = {"unknown", "not running", "suspended", "background",
                                        "in front"};
    return state < IA_COUNTOF(names) ? names[state] : "?";
}

static const char *or_none(const char *s)
{
    return s ? s : "none";
}

static void report_body(const struct play *p, const struct ia_wire_reply *r)
{
    struct ia_buf *out = p->out;
    switch (r->op) {
    case IA_WIRE_OP_TREE:
        ia_buf_printf(out, ", of %s, root %s, cut %x",
                      strcmp(r->u.tree.app, p->cast->app) == 0 ? "the app" : r->u.tree.app,
                      ia_wire_type_name(r->u.tree.nodes[0].type), r->u.tree.cut);
        break;
    case IA_WIRE_OP_FIND:
        ia_buf_printf(out, ", %s, %s",
                      r->u.find.count > 1 ? "several"
                      : r->u.find.count   ? "one"
                                          : "none",
                      ia_wire_code_name(r->u.find.reason));
        break;
    case IA_WIRE_OP_ACT:
        ia_buf_printf(out, ", value %s", or_none(r->u.act.value));
        break;
    case IA_WIRE_OP_WAIT:
        ia_buf_printf(out, ", element %s", r->u.wait.element ? "told" : "not told");
        break;
    case IA_WIRE_OP_SET_TEXT:
    case IA_WIRE_OP_CLEAR:
        ia_buf_printf(out, ", reads '%s'", or_none(r->u.text.value));
        break;
    case IA_WIRE_OP_TYPE_TEXT:
    case IA_WIRE_OP_DELETE_TEXT:
        ia_buf_printf(out, ", %u characters", r->u.typed.count);
        break;
    case IA_WIRE_OP_STATE:
    case IA_WIRE_OP_LAUNCH:
    case IA_WIRE_OP_TERMINATE:
    case IA_WIRE_OP_TARGET:
        ia_buf_printf(out, ", %s", state_name(r->u.state.state));
        break;
    case IA_WIRE_OP_ORIENTATION:
    case IA_WIRE_OP_APPEARANCE:
        ia_buf_printf(out, ", mode %u", r->u.mode.mode);
        break;
    case IA_WIRE_OP_ALERTS:
        ia_buf_printf(out, ", %u", r->u.alerts.alerts_n);
        for (uint32_t i = 0; i < r->u.alerts.alerts_n; i++) {
            const struct ia_wire_alert *a = &r->u.alerts.alerts[i];
            ia_buf_printf(out, ", of %u with %u buttons", a->owner, a->buttons_n);
        }
        break;
    case IA_WIRE_OP_BATCH:
        ia_buf_printf(out, ", %u items", r->u.batch.items_n);
        break;
    case IA_WIRE_OP_SCREENSHOT:
        ia_buf_printf(out, ", %s", r->u.screenshot.png_n > 8 ? "a picture" : "nothing");
        break;
    default:
        break;
    }
}

static void play(const struct play *p, const char *what, struct ia_wire_request req)
{
    static const char *const outcomes[] = {"none", "not sent", "sent", "unknown"};
    struct ia_wire_reply r = client_ask(p->c, req);
    ia_buf_printf(p->out, "%s %s | %s, %s, %s", ia_wire_op_name(req.op), what,
                  ia_wire_code_name(r.code), outcomes[r.outcome],
                  r.retry_safe ? "may be repeated" : "once");
    if (r.has_body) {
        report_body(p, &r);
    }
    ia_buf_putc(p->out, '\n');
    ia_wire_reply_fini(&r);
}

#define PLAY(p, what, code, ...)                                                               \
    play((p), (what), (struct ia_wire_request){.op = IA_WIRE_OP_##code, __VA_ARGS__})

/* ---- the requests ---- */

#define BY_ID(id) ((struct ia_wire_selector){.identifier = (id), .index = IA_WIRE_UNIQUE})
#define BY_LABEL(l) ((struct ia_wire_selector){.label = (l), .index = IA_WIRE_UNIQUE})
#define NOBODY "com.example.nobody"

static void act(const struct play *p, const char *what, struct ia_wire_selector s,
                enum ia_wire_action action, uint32_t ms)
{
    PLAY(p, what, ACT,
         .u.act = {.target = {.selector = &s}, .action = (uint8_t)action, .timeout_ms = ms});
}

static void apps(const struct play *p)
{
    const char *app = p->cast->app;
    PLAY(p, "the app before its launch", STATE, .u.bundle = {app});
    p->cast->show(p->c, "buttons");
    PLAY(p, "the app in front", STATE, .u.bundle = {app});
    PLAY(p, "the target", STATE, .u.bundle = {""});
    PLAY(p, "nobody", STATE, .u.bundle = {NOBODY});
    PLAY(p, "nobody", LAUNCH, .u.launch = {.bundle_id = NOBODY});
    PLAY(p, "nobody", TARGET, .u.bundle = {NOBODY});
    PLAY(p, "the app", TARGET, .u.bundle = {app});
    PLAY(p, "again", LAUNCH, .u.launch = {.bundle_id = app});
    PLAY(p, "no name", LAUNCH, .u.launch = {.bundle_id = ""});
    PLAY(p, "of the target", TREE, .u.tree = {.app = ""});
    PLAY(p, "of the app", TREE, .u.tree = {.app = app});
    PLAY(p, "home", PRESS_BUTTON, .u.press_button = {IA_WIRE_BUTTON_HOME});
    PLAY(p, "of what is in front after home", TREE, .u.tree = {.app = ""});
    PLAY(p, "without a field", TYPE_TEXT, .u.type_text = {"x"});
    PLAY(p, "to the front", LAUNCH, .u.launch = {.bundle_id = app});
    PLAY(p, "of two nodes", TREE, .u.tree = {.app = "", .max_nodes = 2});
    PLAY(p, "of two levels", TREE, .u.tree = {.app = "", .max_depth = 2});
    PLAY(p, "apps", LIST_APPS, .id = 0);
    PLAY(p, "a link", OPEN_URL, .u.open_url = {p->cast->url});
    PLAY(p, "no link", OPEN_URL, .u.open_url = {""});
    PLAY(p, "the app", TERMINATE, .u.bundle = {app});
    PLAY(p, "the app again", TERMINATE, .u.bundle = {app});
    PLAY(p, "the app after its end", STATE, .u.bundle = {app});
}

static void touches(const struct play *p)
{
    const struct cast *k = p->cast;
    k->show(p->c, "buttons");
    PLAY(p, "a button", FIND, .u.find = {.selector = BY_ID(k->button)});
    PLAY(p, "what is not there", FIND, .u.find = {.selector = BY_ID("no-such")});
    PLAY(p, "without a part", FIND, .u.find = {.selector = {.index = 0}});
    act(p, "a button", BY_ID(k->button), IA_WIRE_TAP, WAIT_MS);
    k->show(p->c, "buttons");
    act(p, "a button, one look", BY_ID(k->button), IA_WIRE_TAP, 0);
    k->show(p->c, "buttons");
    act(p, "a button, twice", BY_ID(k->button), IA_WIRE_DOUBLE_TAP, WAIT_MS);
    k->show(p->c, "buttons");
    act(p, "a button, long", BY_ID(k->button), IA_WIRE_LONG_PRESS, WAIT_MS);
    k->show(p->c, "buttons");
    act(p, "what is not there", BY_ID("no-such"), IA_WIRE_TAP, 0);
    PLAY(p, "nothing named", ACT, .id = 0);
    PLAY(p, "in the screen", TAP_POINT, .u.tap_point = {.at = {200, 5}});
    PLAY(p, "outside the screen", TAP_POINT, .u.tap_point = {.at = {5000, 5}});
    PLAY(p, "a point", LONG_PRESS_POINT,
         .u.long_press_point = {.at = {200, 5}, .duration_s = 0.1});
    PLAY(p, "a negative time", LONG_PRESS_POINT,
         .u.long_press_point = {.at = {200, 5}, .duration_s = -1});
    PLAY(p, "up", DRAG, .u.drag = {.from = {200, 500}, .to = {200, 400}});
    PLAY(p, "volume up", PRESS_BUTTON, .u.press_button = {IA_WIRE_BUTTON_VOLUME_UP});
    PLAY(p, "camera", PRESS_BUTTON, .u.press_button = {IA_WIRE_BUTTON_CAMERA});
    PLAY(p, "everything", PINCH, .u.pinch = {.scale = 2, .velocity = 1});
    k->show(p->c, "list");
    PLAY(p, "far below", FIND, .u.find = {.selector = {.label = k->offscreen, .index = 0}});
    act(p, "far below", (struct ia_wire_selector){.label = k->offscreen}, IA_WIRE_TAP, 0);
}

static void twins_and_switches(const struct play *p)
{
    const struct cast *k = p->cast;
    k->show(p->c, "buttons");
    PLAY(p, "twins", FIND, .u.find = {.selector = BY_LABEL(k->twins)});
    PLAY(p, "the first twin", FIND, .u.find = {.selector = {.label = k->twins}});
    act(p, "twins", BY_LABEL(k->twins), IA_WIRE_TAP, 0);
    k->show(p->c, strcmp(k->app, CONTACTS) == 0 ? "text" : "buttons");
    PLAY(p, "what is disabled", FIND, .u.find = {.selector = BY_ID(k->disabled)});
    act(p, "what is disabled", BY_ID(k->disabled), IA_WIRE_TAP, 0);
    k->show(p->c, "switches");
    PLAY(p, "a switch", FIND, .u.find = {.selector = BY_ID(k->toggle)});
    PLAY(p, "the switch holds still", WAIT,
         .u.wait = {.condition = IA_WIRE_WAIT_STILL,
                    .selector = BY_ID(k->toggle),
                    .text = "",
                    .timeout_ms = WAIT_MS});
}

static void wait_for(const struct play *p, const char *what, enum ia_wire_condition condition,
                     const char *id, const char *text, uint32_t count)
{
    PLAY(p, what, WAIT,
         .u.wait = {.condition = (uint8_t)condition,
                    .selector = BY_ID(id),
                    .text = text,
                    .count = count,
                    .timeout_ms = 0});
}

static void texts(const struct play *p)
{
    struct ia_wire_selector field = BY_ID(p->cast->field), missing = BY_ID("no-such");
    struct ia_wire_target in_field = {.selector = &field}, nowhere = {.selector = &missing};
    p->cast->show(p->c, "text");
    act(p, "a field", field, IA_WIRE_TAP, WAIT_MS);
    wait_for(p, "focused", IA_WIRE_WAIT_FOCUSED, p->cast->field, "", 0);
    PLAY(p, "into the field", TYPE_TEXT, .u.type_text = {"Zo\xc3\xa9 1"});
    PLAY(p, "of two", DELETE_TEXT, .u.delete_text = {2});
    wait_for(p, "the text", IA_WIRE_WAIT_VALUE, p->cast->field, "Zo\xc3\xa9", 0);
    wait_for(p, "another text", IA_WIRE_WAIT_VALUE, p->cast->field, "x", 0);
    PLAY(p, "anew", SET_TEXT,
         .u.set_text = {.target = in_field, .text = "Ada", .timeout_ms = WAIT_MS});
    PLAY(p, "behind it", SET_TEXT,
         .u.set_text = {.target = in_field,
                        .text = " L.",
                        .timeout_ms = WAIT_MS,
                        .flags = IA_WIRE_TEXT_APPEND});
    PLAY(p, "nowhere", SET_TEXT, .u.set_text = {.target = nowhere, .text = "x"});
    PLAY(p, "the field", CLEAR, .u.clear = {.target = in_field, .timeout_ms = WAIT_MS});
    PLAY(p, "what has the keyboard", SET_TEXT, .u.set_text = {.text = "B"});
    wait_for(p, "exists", IA_WIRE_WAIT_EXISTS, p->cast->field, "", 0);
    wait_for(p, "gone", IA_WIRE_WAIT_GONE, p->cast->field, "", 0);
    wait_for(p, "gone, of nothing", IA_WIRE_WAIT_GONE, "no-such", "", 0);
    wait_for(p, "hidden", IA_WIRE_WAIT_HIDDEN, p->cast->field, "", 0);
    wait_for(p, "enabled", IA_WIRE_WAIT_ENABLED, p->cast->field, "", 0);
    wait_for(p, "hittable", IA_WIRE_WAIT_HITTABLE, p->cast->field, "", 0);
    wait_for(p, "one", IA_WIRE_WAIT_COUNT, p->cast->field, "", 1);
    wait_for(p, "settled", IA_WIRE_WAIT_SETTLED, "", "", 0);
    wait_for(p, "a text that is nowhere", IA_WIRE_WAIT_TEXT, "", "no such text", 0);
}

static void alerts(const struct play *p)
{
    p->cast->show(p->c, "buttons");
    PLAY(p, "without one", ALERTS, .id = 0);
    PLAY(p, "without one", ALERT_ACT, .u.alert_act = {.button = ""});
    p->cast->show(p->c, "dialogs");
    PLAY(p, "of the app", ALERTS, .id = 0);
    PLAY(p, "of the system", ALERT_ACT,
         .u.alert_act = {.owner = IA_WIRE_OWNER_SYSTEM, .button = ""});
    PLAY(p, "a button that it has not", ALERT_ACT,
         .u.alert_act = {.action = IA_WIRE_ALERT_BUTTON, .button = "Nobody"});
    PLAY(p, "no button", ALERT_ACT,
         .u.alert_act = {.action = IA_WIRE_ALERT_BUTTON, .button = ""});
    PLAY(p, "dismiss", ALERT_ACT,
         .u.alert_act = {
             .owner = IA_WIRE_OWNER_APP, .action = IA_WIRE_ALERT_DISMISS, .button = ""});
    PLAY(p, "after it", ALERTS, .id = 0);
}

static void the_device(const struct play *p)
{
    p->cast->show(p->c, "buttons");
    PLAY(p, "read", APPEARANCE, .u.appearance = {IA_WIRE_APPEARANCE_READ});
    PLAY(p, "dark", APPEARANCE, .u.appearance = {IA_WIRE_DARK});
    PLAY(p, "light", APPEARANCE, .u.appearance = {IA_WIRE_LIGHT});
    PLAY(p, "read", ORIENTATION, .u.orientation = {IA_WIRE_ORIENTATION_READ});
    PLAY(p, "portrait", ORIENTATION, .u.orientation = {IA_WIRE_PORTRAIT});
    PLAY(p, "in pixels", SCREENSHOT, .u.screenshot = {IA_WIRE_SCALE_PIXELS});
    PLAY(p, "in points", SCREENSHOT, .u.screenshot = {IA_WIRE_SCALE_POINTS});
    PLAY(p, "write", PASTEBOARD, .u.pasteboard = {IA_WIRE_PASTEBOARD_WRITE, "x"});
    PLAY(p, "all", AUDIT, .u.audit = {0});
    struct ia_wire_selector button = BY_ID(p->cast->button), missing = BY_ID("no-such");
    const struct ia_wire_request items[] = {
        {.op = IA_WIRE_OP_FIND, .id = 1, .u.find = {.selector = button}},
        {.op = IA_WIRE_OP_ACT, .id = 2, .u.act = {.target = {.selector = &missing}}},
        {.op = IA_WIRE_OP_FIND, .id = 3, .u.find = {.selector = button}}};
    PLAY(p, "up to what fails", BATCH, .u.batch = {.items = items, .items_n = 3});
    const char *const args[] = {"-demo"};
    PLAY(p, "with an argument", LAUNCH,
         .u.launch = {.bundle_id = p->cast->app, .args = args, .args_n = 1});
    PLAY(p, "as new", RESET, .id = 0);
}

static void play_all(struct client *c, const struct cast *cast, struct ia_buf *out)
{
    const struct play p = {c, cast, out};
    apps(&p);
    touches(&p);
    twins_and_switches(&p);
    texts(&p);
    alerts(&p);
    the_device(&p);
}

/* ---- both ---- */

static void play_on_phone(struct ia_buf *out)
{
    struct served s = served_start(NULL, NULL);
    struct client c = client_open(s.port);
    play_all(&c, &phone, out);
    client_close(&c);
    served_stop(&s);
    served_end(&s);
}

static void play_on_fake(struct ia_buf *out)
{
    struct host h;
    host_start(&h, NULL);
    struct client c = client_open(h.port);
    struct ia_wire_reply hello = client_hello(&c, HOST_TOKEN);
    assert_int_equal(hello.code, IA_WIRE_OK);
    ia_wire_reply_fini(&hello);
    play_all(&c, &fake, out);
    client_close(&c);
    assert_int_equal(host_stop(&h), 0);
}

struct lines {
    char *line[LINES_MAX];
    size_t n;
};

/* Cuts the text in place. */
static struct lines lines_of(char *text)
{
    struct lines l = {.n = 0};
    char *rest = NULL;
    for (char *p = strtok_r(text, "\n", &rest); p; p = strtok_r(NULL, "\n", &rest)) {
        assert_true(l.n < LINES_MAX);
        l.line[l.n++] = p;
    }
    return l;
}

static bool has(const struct lines *l, const char *line)
{
    for (size_t i = 0; i < l->n; i++) {
        if (strcmp(l->line[i], line) == 0) {
            return true;
        }
    }
    return false;
}

/* "request | facts of the phone | facts of the bridge" for each line that differs. */
static void compare(const struct lines *a, const struct lines *b, struct ia_buf *out)
{
    assert_int_equal(a->n, b->n);
    for (size_t i = 0; i < a->n; i++) {
        size_t what = strcspn(a->line[i], "|");
        assert_int_equal(strncmp(a->line[i], b->line[i], what), 0);
        if (strcmp(a->line[i], b->line[i]) != 0) {
            ia_buf_printf(out, "%s %s\n", a->line[i], b->line[i] + what);
        }
    }
}

static void every_difference_of_the_phone_to_the_bridge_is_reviewed(void **state)
{
    (void)state;
    struct ia_buf a = IA_BUF(1 << 20), b = a, found = a, known = a;
    struct ia_err err = {0};
    if (!getenv("BRIDGE_PROGRAM")) {
        skip();
    }
    play_on_phone(&a);
    play_on_fake(&b);
    struct lines la = lines_of(ia_buf_steal(&a)), lb = lines_of(ia_buf_steal(&b));
    compare(&la, &lb, &found);
    if (ia_file_read(IA_SOURCE_DIR "/tests/parity/gnustep.differences", &known, &err) !=
        IA_OK) {
        fail_msg("%s", err.msg);
    }
    ia_buf_puts(&found, "");
    char *found_text = ia_buf_steal(&found), *known_text = ia_buf_steal(&known);
    struct lines now = lines_of(found_text), reviewed = lines_of(known_text);
    int bad = 0;
    for (size_t i = 0; i < now.n; i++) {
        if (!has(&reviewed, now.line[i])) {
            fprintf(stderr, "not reviewed: %s\n", now.line[i]);
            bad++;
        }
    }
    for (size_t i = 0; i < reviewed.n; i++) {
        if (reviewed.line[i][0] != '#' && !has(&now, reviewed.line[i])) {
            fprintf(stderr, "no difference any more: %s\n", reviewed.line[i]);
            bad++;
        }
    }
    free(la.line[0]);
    free(lb.line[0]);
    free(found_text);
    free(known_text);
    assert_int_equal(bad, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_difference_of_the_phone_to_the_bridge_is_reviewed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
