/* soak_test.c: a thousand operations of every kind in one process. The leak checker that the
 * program is built with or runs in reports by its exit status. SOAK_RSS also requires that
 * memory does not grow, which finds memory that is still referenced but never used again. */
#include "host.h"

#include "test.h"

enum { ROUNDS = 40, WARM = 10, GROWTH_PAGES = 512 };

static struct link to;

static void call(const struct ia_wire_request *req, enum ia_wire_code code)
{
    struct ia_wire_reply reply;
    link_call(&to, req, &reply);
    if (reply.code != code) {
        fail_msg("%s: %s: %s", ia_wire_op_name(req->op), ia_wire_code_name(reply.code),
                 reply.text);
    }
    ia_wire_reply_fini(&reply);
}

struct row {
    struct ia_wire_request req;
    enum ia_wire_code code;
};

static int on_a_screen(const char *screen, const struct row *list, int n)
{
    launch_fake(&to, "FAKE_SCREEN", screen, NULL);
    for (int i = 0; i < n; i++) {
        call(&list[i].req, list[i].code);
    }
    return n + 1;
}

/* Composed operations. None of them waits, or waiting would take most of the time. */
static int texts(void)
{
    static const struct ia_wire_selector name = {.identifier = "name"};
    static const struct ia_wire_request items[] = {{.op = IA_WIRE_OP_INFO, .id = 1},
                                                   {.op = IA_WIRE_OP_TREE, .id = 2}};
    static const struct row list[] = {
        {{.op = IA_WIRE_OP_SET_TEXT, .u.set_text = {{.selector = &name}, .text = "abc"}},
         IA_WIRE_OK},
        {{.op = IA_WIRE_OP_TYPE_TEXT, .u.type_text = {"d"}}, IA_WIRE_OK},
        {{.op = IA_WIRE_OP_DELETE_TEXT, .u.delete_text = {2}}, IA_WIRE_OK},
        {{.op = IA_WIRE_OP_CLEAR, .u.clear = {.target = {.selector = &name}}}, IA_WIRE_OK},
        {{.op = IA_WIRE_OP_WAIT,
          .u.wait = {.condition = IA_WIRE_WAIT_EXISTS, .selector = {.identifier = "name"}}},
         IA_WIRE_OK},
        {{.op = IA_WIRE_OP_BATCH, .u.batch = {items, 2}}, IA_WIRE_OK},
        {{.op = IA_WIRE_OP_HEALTH}, IA_WIRE_OK},
    };
    return on_a_screen("text", list, (int)(sizeof(list) / sizeof(list[0])));
}

static int controls(void)
{
    static const struct ia_wire_selector map = {.identifier = "map"},
                                         none = {.identifier = "-"};
    static const struct row list[] = {
        {{.op = IA_WIRE_OP_INFO}, IA_WIRE_OK},
        {{.op = IA_WIRE_OP_TREE}, IA_WIRE_OK},
        {{.op = IA_WIRE_OP_FIND, .u.find = {.selector = {.identifier = "count"}}}, IA_WIRE_OK},
        {{.op = IA_WIRE_OP_ACT, .u.act = {.target = {.selector = &map}}}, IA_WIRE_OK},
        {{.op = IA_WIRE_OP_ACT, .u.act = {.target = {.selector = &none}}}, IA_WIRE_E_NOT_FOUND},
        {{.op = IA_WIRE_OP_TAP_POINT, .u.tap_point = {.at = {30, 110}}}, IA_WIRE_OK},
        {{.op = IA_WIRE_OP_LONG_PRESS_POINT, .u.long_press_point = {{1, 2}, 0.1}}, IA_WIRE_OK},
        {{.op = IA_WIRE_OP_DRAG, .u.drag = {.to = {9, 9}}}, IA_WIRE_OK},
        {{.op = IA_WIRE_OP_PINCH, .u.pinch = {{.selector = &map}, 2, 1}}, IA_WIRE_OK},
        {{.op = IA_WIRE_OP_TYPE_TEXT, .u.type_text = {"a"}}, IA_WIRE_E_NO_KEYBOARD},
        {{.op = IA_WIRE_OP_ORIENTATION, .u.orientation = {IA_WIRE_LANDSCAPE_LEFT}}, IA_WIRE_OK},
        {{.op = IA_WIRE_OP_ORIENTATION, .u.orientation = {IA_WIRE_PORTRAIT}}, IA_WIRE_OK},
        {{.op = IA_WIRE_OP_STATE, .u.bundle = {FAKE_APP}}, IA_WIRE_OK},
        {{.op = IA_WIRE_OP_LIST_APPS}, IA_WIRE_OK},
        {{.op = IA_WIRE_OP_OPEN_URL, .u.open_url = {"fake://a/b"}}, IA_WIRE_OK},
        {{.op = IA_WIRE_OP_ALERTS}, IA_WIRE_OK},
        {{.op = IA_WIRE_OP_ALERT_ACT}, IA_WIRE_E_NO_ALERT},
        {{.op = IA_WIRE_OP_PASTEBOARD, .u.pasteboard = {IA_WIRE_PASTEBOARD_WRITE, "x"}},
         IA_WIRE_OK},
        {{.op = IA_WIRE_OP_APPEARANCE, .u.appearance = {IA_WIRE_DARK}}, IA_WIRE_OK},
        {{.op = IA_WIRE_OP_AUDIT}, IA_WIRE_OK},
        {{.op = IA_WIRE_OP_SCREENSHOT}, IA_WIRE_OK},
        {{.op = IA_WIRE_OP_TERMINATE, .u.bundle = {FAKE_APP}}, IA_WIRE_OK},
        {{.op = IA_WIRE_OP_TARGET, .u.bundle = {FAKE_APP}}, IA_WIRE_OK},
    };
    return on_a_screen("controls", list, (int)(sizeof(list) / sizeof(list[0])));
}

static int one_round(void)
{
    static const struct ia_wire_request tap = {.op = IA_WIRE_OP_TAP_POINT};
    int n = controls() + texts();
    launch_fake(&to, "FAKE_THROW", "tap", NULL);
    call(&tap, IA_WIRE_E_DEVICE);
    return n + 2;
}

/* Resident pages of the process. */
static long pages(pid_t pid)
{
    char path[64];
    long total = 0, resident = 0;
    snprintf(path, sizeof(path), "/proc/%d/statm", (int)pid);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    assert_int_equal(fscanf(f, "%ld %ld", &total, &resident), 2);
    fclose(f);
    return resident;
}

static void a_thousand_operations_leave_nothing_behind(void **state)
{
    (void)state;
    struct host h;
    long before = 0;
    int done = 0;
    host_start(&h, NULL);
    link_open(&to, &h);
    for (int i = 0; i < ROUNDS; i++) {
        before = i == WARM ? pages(h.pid) : before;
        done += one_round();
    }
    assert_true(done >= 1000);
    long growth = pages(h.pid) - before;
    if (getenv("SOAK_RSS") && growth > GROWTH_PAGES) {
        fail_msg("%d operations: %ld pages more", done, growth);
    }
    link_close(&to);
    assert_int_equal(host_stop(&h), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thousand_operations_leave_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
