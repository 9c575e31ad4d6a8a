/* fault_test.c: every operation while every request of it goes wrong in every way. What comes of it is the table
 * faults.table beside this file, which is read by people: code, outcome, and how often the request
 * was sent. WDA_FAULTS_TABLE=1 writes it anew.
 *
 * What must hold for every row, whatever the table says, is checked here: a failure has a message, an
 * effect is sent once, "not_sent" only where nothing can have happened, and a device that was left in
 * peace works again. */
#include "phone_double.h"

#include "source_dir.h"
#include "test.h"
#include "tmpdir.h"

#define TABLE IA_SOURCE_DIR "/tests/unit/driver/wda/faults.table"
#define HTML "<html><head><title>Bad</title></head><body>nope</body></html>"
#define KEYBOARD                                                                               \
    "<XCUIElementTypeApplication type='XCUIElementTypeApplication' x='0' y='0' width='390' "   \
    "height='844'><XCUIElementTypeTextField type='XCUIElementTypeTextField' label='Name' "     \
    "x='10' y='100' width='300' height='40'/>"                                                 \
    "<XCUIElementTypeKeyboard type='XCUIElementTypeKeyboard' x='0' y='500' width='390' "       \
    "height='344'/></XCUIElementTypeApplication>"

enum { LATE_MS = 120 };

/* ---- what goes wrong -------------------------------------------------------------------- */

static const struct fault {
    const char *name;
    enum peer_how how;
    int status;
    const char *body, *type;
    bool proof_of_nothing; /* nothing can have happened */
} faults[] = {
    {"cut", PEER_CUT, 0, NULL, NULL, false},
    {"reset", PEER_RESET, 0, NULL, NULL, false},
    {"cut in the header", PEER_CUT_HEAD, 0, NULL, NULL, false},
    {"cut in the body", PEER_CUT_BODY, 0, NULL, NULL, false},
    {"server killed", PEER_KILLED, 0, NULL, NULL, false},
    {"garbage", PEER_RAW, 200, "\x01\x02nonsense\r\n\r\n", NULL, false},
    {"half JSON", PEER_ANSWER, 200, "{\"value\":{\"a", NULL, false},
    {"HTML", PEER_ANSWER, 200, HTML, "text/html", false},
    {"HTML 502", PEER_ANSWER, 502, HTML, "text/html", false},
    {"HTML 401", PEER_ANSWER, 401, HTML, "text/html", true},
    {"no value", PEER_ANSWER, 200, "{\"sessionId\":null}", NULL, false},
    {"slow", PEER_SILENT, 0, NULL, NULL, false},
    {"chunked", PEER_CHUNKED, 0, NULL, NULL, false},
    {"invalid session id", PEER_ANSWER, 404,
     "{\"value\":{\"error\":\"invalid session id\",\"message\":\"Session does not exist\"}}",
     NULL, true},
    {"session ended", PEER_ANSWER, 404,
     "{\"value\":{\"error\":\"invalid session id\",\"message\":\"Session A0 was deleted while "
     "this request was still pending\"}}",
     NULL, false},
    {"possibly crashed", PEER_ANSWER, 400,
     "{\"value\":{\"error\":\"invalid element state\",\"message\":\"The application under test "
     "with bundle id 'a.b' is not running, possibly crashed\"}}",
     NULL, true},
    {"unknown error", PEER_ANSWER, 500,
     "{\"value\":{\"error\":\"unknown error\",\"message\":\"Something failed\"}}", NULL, false},
    {"timeout", PEER_ANSWER, 408,
     "{\"value\":{\"error\":\"timeout\",\"message\":\"Timed out\"}}", NULL, false},
    {"proxy refused", PEER_ANSWER, 500,
     "{\"value\":{\"error\":\"unknown error\",\"message\":\"Could not proxy command to the "
     "remote "
     "server. Original error: connect ECONNREFUSED 127.0.0.1:8100\"}}",
     NULL, true},
    {"proxy hung up", PEER_ANSWER, 500,
     "{\"value\":{\"error\":\"unknown error\",\"message\":\"Could not proxy command to the "
     "remote "
     "server. Original error: socket hang up\"}}",
     NULL, false},
};

/* ---- what is done ----------------------------------------------------------------------- */

static enum ia_rc do_tree(struct ia_device *d, const struct ia_deadline *l, struct ia_err *e)
{
    struct ia_tree *t = NULL;
    enum ia_rc rc = ia_device_tree(d, l, &t, e);
    ia_tree_free(t);
    return rc;
}

static enum ia_rc do_shot(struct ia_device *d, const struct ia_deadline *l, struct ia_err *e)
{
    struct ia_buf png = IA_BUF(1 << 20);
    enum ia_rc rc = ia_device_screenshot(d, l, &png, e);
    ia_buf_fini(&png);
    return rc;
}

static enum ia_rc do_tap(struct ia_device *d, const struct ia_deadline *l, struct ia_err *e)
{
    return ia_device_tap(d, l, (struct ia_point){1, 2}, e);
}

static enum ia_rc do_hold(struct ia_device *d, const struct ia_deadline *l, struct ia_err *e)
{
    return ia_device_long_press(d, l, (struct ia_point){1, 2}, 500, e);
}

static enum ia_rc do_drag(struct ia_device *d, const struct ia_deadline *l, struct ia_err *e)
{
    return ia_device_drag(d, l, (struct ia_point){1, 2}, (struct ia_point){3, 4}, 300, e);
}

static enum ia_rc do_type(struct ia_device *d, const struct ia_deadline *l, struct ia_err *e)
{
    return ia_device_type_text(d, l, ia_str("x"), e);
}

static enum ia_rc do_delete(struct ia_device *d, const struct ia_deadline *l, struct ia_err *e)
{
    return ia_device_delete_text(d, l, 2, e);
}

static enum ia_rc do_press(struct ia_device *d, const struct ia_deadline *l, struct ia_err *e)
{
    return ia_device_press(d, l, IA_BUTTON_HOME, e);
}

static enum ia_rc do_lock(struct ia_device *d, const struct ia_deadline *l, struct ia_err *e)
{
    return ia_device_press(d, l, IA_BUTTON_LOCK, e);
}

static enum ia_rc do_launch(struct ia_device *d, const struct ia_deadline *l, struct ia_err *e)
{
    return ia_device_launch(d, l, "a.b", e);
}

static enum ia_rc do_terminate(struct ia_device *d, const struct ia_deadline *l,
                               struct ia_err *e)
{
    return ia_device_terminate(d, l, "a.b", e);
}

static enum ia_rc do_url(struct ia_device *d, const struct ia_deadline *l, struct ia_err *e)
{
    return ia_device_open_url(d, l, "shop://", e);
}

static enum ia_rc do_alert(struct ia_device *d, const struct ia_deadline *l, struct ia_err *e)
{
    return ia_device_alert(d, l, IA_ALERT_BUTTON, "OK", e);
}

static enum ia_rc do_turn(struct ia_device *d, const struct ia_deadline *l, struct ia_err *e)
{
    return ia_device_orientation(d, l, IA_PORTRAIT, e);
}

static enum ia_rc do_copy(struct ia_device *d, const struct ia_deadline *l, struct ia_err *e)
{
    return ia_device_set_pasteboard(d, l, ia_str("x"), e);
}

static enum ia_rc do_pinch(struct ia_device *d, const struct ia_deadline *l, struct ia_err *e)
{
    return ia_device_pinch(d, l, (struct ia_rect){0, 0, 390, 844}, 0.5, e);
}

static enum ia_rc do_place(struct ia_device *d, const struct ia_deadline *l, struct ia_err *e)
{
    return ia_device_location(d, l, &(struct ia_location){52.1, -4.3}, e);
}

static enum ia_rc do_unplace(struct ia_device *d, const struct ia_deadline *l, struct ia_err *e)
{
    return ia_device_location(d, l, NULL, e);
}

static const struct deed {
    const char *name;
    enum ia_rc (*run)(struct ia_device *, const struct ia_deadline *, struct ia_err *);
    const char *requests[5]; /* each of which goes wrong in turn */
    const char *effect;      /* the one of them that is one; NULL: a reading */
    const char *appium;      /* the same through Appium; NULL: no other */
} deeds[] = {
    {"tree",
     do_tree,
     {"GET /source", "GET /wda/alert/buttons", "GET /element/active", "GET /element/E-1/rect"},
     NULL,
     NULL},
    {"screenshot", do_shot, {"GET /screenshot"}, NULL, NULL},
    {"tap", do_tap, {"POST /wda/tap"}, "POST /wda/tap", NULL},
    {"long press", do_hold, {"POST /wda/touchAndHold"}, "POST /wda/touchAndHold", NULL},
    {"drag", do_drag, {"POST /actions"}, "POST /actions", NULL},
    {"type", do_type, {"GET /source", "POST /wda/keys"}, "POST /wda/keys", "POST /actions"},
    {"delete", do_delete, {"POST /wda/keys"}, "POST /wda/keys", "POST /actions"},
    {"press home", do_press, {"POST /wda/pressButton"}, "POST /wda/pressButton", NULL},
    {"press lock", do_lock, {"POST /wda/lock"}, "POST /wda/lock", NULL},
    {"launch",
     do_launch,
     {"POST /wda/apps/activate", "POST /wda/apps/state"},
     "POST /wda/apps/activate",
     NULL},
    {"terminate", do_terminate, {"POST /wda/apps/terminate"}, "POST /wda/apps/terminate", NULL},
    {"open URL", do_url, {"POST /url"}, "POST /url", NULL},
    {"alert",
     do_alert,
     {"GET /wda/alert/buttons", "POST /alert/accept"},
     "POST /alert/accept",
     NULL},
    {"orientation", do_turn, {"POST /orientation"}, "POST /orientation", NULL},
    {"set pasteboard",
     do_copy,
     {"POST /wda/setPasteboard"},
     "POST /wda/setPasteboard",
     "POST /appium/device/set_clipboard"},
    {"pinch", do_pinch, {"POST /wda/pinch"}, "POST /wda/pinch", NULL},
    {"set location",
     do_place,
     {"POST /wda/simulatedLocation"},
     "POST /wda/simulatedLocation",
     NULL},
    {"reset location",
     do_unplace,
     {"DELETE /wda/simulatedLocation"},
     "DELETE /wda/simulatedLocation",
     NULL},
};

/* ---- one row ---------------------------------------------------------------------------- */

/* The alert is there only for who asks for it: a tree that shows none needs none. */
static void set_scene(struct phone_double *p, const struct deed *a)
{
    p->app = KEYBOARD;
    p->focus = "{\"x\":10,\"y\":100,\"width\":300,\"height\":40}";
    p->buttons = strcmp(a->name, "alert") == 0 ? "[\"OK\",\"Cancel\"]" : NULL;
}

static void must(bool ok, const struct deed *a, const char *on, const struct fault *f,
                 const char *what)
{
    if (!ok) {
        fail_msg("%s, %s, %s: %s", a->name, on, f->name, what);
    }
}

static void check_outcome(const struct deed *a, const char *on, const char *effect,
                          const struct fault *f, enum ia_rc rc, const struct ia_err *err,
                          size_t effects)
{
    bool in_effect = effect && strcmp(on, effect) == 0;
    must(rc == IA_OK || (err->code == rc && err->msg[0] != '\0'), a, on, f, "no message");
    must(effects <= 1, a, on, f, "the effect was sent twice");
    if (rc == IA_OK || !effect) {
        must(rc == IA_OK || err->outcome == IA_OUTCOME_NONE, a, on, f, "outcome of a reading");
        return;
    }
    must(effects > 0 || err->outcome == IA_OUTCOME_NOT_SENT, a, on, f, "it was not sent");
    must(err->outcome != IA_OUTCOME_NOT_SENT || effects == 0 ||
             (in_effect && f->proof_of_nothing),
         a, on, f, "it may have happened");
    must(err->retry_safe == (err->outcome == IA_OUTCOME_NOT_SENT), a, on, f, "safe to retry?");
}

/* What comes of it, "DEVICE unknown, sent 1". */
static void outcome_of(struct ia_buf *out, bool appium, const struct deed *a, const char *on,
                       const char *effect, const struct fault *f, int times)
{
    struct phone_double p;
    struct ia_err err = {0}, again = {0};
    double_start(&p, appium);
    set_scene(&p, a);
    struct ia_device *d = double_open(&p, (struct ia_wda_options){.url = NULL});
    p.trouble = (struct trouble){on, f->how, times, f->status, f->body, f->type};
    struct ia_deadline late = {NULL, ia_mono_us(ia_clock_system()) + 1000 * LATE_MS};
    enum ia_rc rc = a->run(d, f->how == PEER_SILENT ? &late : NULL, &err);
    size_t sent = double_count(&p, on), effects = effect ? double_count(&p, effect) : 0;
    const char *outcome = rc == IA_OK ? "" : ia_outcome_name(err.outcome);
    ia_buf_printf(out, "%s%s%s, sent %zu", ia_rc_name(rc), *outcome ? " " : "", outcome, sent);
    check_outcome(a, on, effect, f, rc, &err, effects);
    p.trouble.on = NULL;
    /* The session is gone for good where Appium has it and nobody said "take". */
    bool lost = f->body && strstr(f->body, "invalid session id");
    bool gone = f->how == PEER_KILLED || (appium && lost);
    must(gone || do_tap(d, NULL, &again) == IA_OK, a, on, f, again.msg);
    ia_device_close(d);
    double_stop(&p);
}

/* A request of an operation, and what comes of every fault in it. */
struct block {
    struct ia_buf names, text;
};
struct blocks {
    struct block list[96];
    size_t n;
};

/* Requests with which the same happens share their lines. */
static void add(struct blocks *all, const char *name, struct ia_buf *text)
{
    size_t i = 0;
    while (i < all->n && strcmp(ia_buf_cstr(&all->list[i].text), ia_buf_cstr(text)) != 0) {
        i++;
    }
    assert_true(i < IA_COUNTOF(all->list));
    if (i == all->n) {
        all->list[all->n++] = (struct block){.names = IA_BUF(1 << 14), .text = *text};
    } else {
        ia_buf_fini(text);
    }
    ia_buf_printf(&all->list[i].names, "%s\n", name);
}

static void rows_of(struct blocks *all, bool appium, const struct deed *a, const char *on,
                    const char *effect)
{
    char name[200];
    struct ia_buf text = IA_BUF(1 << 16);
    bool is_effect = effect && strcmp(on, effect) == 0;
    for (size_t i = 0; i < IA_COUNTOF(faults); i++) {
        struct ia_buf once = IA_BUF(256), always = IA_BUF(256);
        outcome_of(&always, appium, a, on, effect, &faults[i], 0);
        /* What is repeated may go well the second time. */
        if (!is_effect && faults[i].how != PEER_SILENT) {
            outcome_of(&once, appium, a, on, effect, &faults[i], 1);
        }
        ia_buf_printf(&text, "    %-20s %s", faults[i].name, ia_buf_cstr(&always));
        if (once.len > 0 && strcmp(ia_buf_cstr(&once), ia_buf_cstr(&always)) != 0) {
            ia_buf_printf(&text, "; once only: %s", ia_buf_cstr(&once));
        }
        ia_buf_puts(&text, "\n");
        ia_buf_fini(&once);
        ia_buf_fini(&always);
    }
    (void)snprintf(name, sizeof(name), "%s: %s (%s)", appium ? "appium" : "wda", a->name, on);
    add(all, name, &text);
}

static void table(bool appium, struct blocks *all)
{
    for (size_t i = 0; i < IA_COUNTOF(deeds); i++) {
        const struct deed *a = &deeds[i];
        const char *effect = appium && a->appium ? a->appium : a->effect;
        for (size_t r = 0; r < IA_COUNTOF(a->requests) && a->requests[r]; r++) {
            bool is_effect = a->effect && strcmp(a->requests[r], a->effect) == 0;
            rows_of(all, appium, a, is_effect ? effect : a->requests[r], effect);
        }
    }
}

static void print(struct blocks *all, struct ia_buf *out)
{
    ia_buf_puts(out, "# Written by wda_fault_test (WDA_FAULTS_TABLE=1), reviewed by eye.\n"
                     "# dialect: operation (the request of it that goes wrong)\n"
                     "#     what goes wrong, each time; code, outcome of an effect, how often "
                     "the request was sent\n");
    for (size_t i = 0; i < all->n; i++) {
        ia_buf_printf(out, "\n%s%s", ia_buf_cstr(&all->list[i].names),
                      ia_buf_cstr(&all->list[i].text));
        ia_buf_fini(&all->list[i].names);
        ia_buf_fini(&all->list[i].text);
    }
}

static void every_request_may_go_wrong_in_every_way(void **state)
{
    (void)state;
    struct ia_buf found = IA_BUF(1 << 22), known = IA_BUF(1 << 22);
    struct blocks *all = ia_calloc(1, sizeof(*all));
    table(false, all);
    table(true, all);
    print(all, &found);
    free(all);
    if (getenv("WDA_FAULTS_TABLE")) {
        assert_int_equal(ia_file_write_atomic(TABLE, found.p, found.len, 0644, NULL), IA_OK);
    }
    assert_int_equal(ia_file_read(TABLE, &known, NULL), IA_OK);
    assert_string_equal(ia_buf_cstr(&found), ia_buf_cstr(&known));
    ia_buf_fini(&found);
    ia_buf_fini(&known);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_request_may_go_wrong_in_every_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
