/* finger_test.c: what a device is told for the requests that touch it. */
#include "made.h"

/* A list with rows in, partly in, and below its view, and beside it what is touched. */
static void fill_list(const struct made *m, struct ia_tree *t, struct ia_node *window)
{
    (void)m;
    struct ia_rect all = {0, 100, 393, 600};
    struct ia_node *list = made_add(t, window, IA_EL_TABLE, all, "List");
    made_add(t, list, IA_EL_CELL, (struct ia_rect){0, 100, 393, 40}, "Inside");
    made_add(t, list, IA_EL_CELL, (struct ia_rect){0, 696, 393, 40}, "Partly");
    made_add(t, list, IA_EL_CELL, (struct ia_rect){0, 110, 393, 40}, "Twice");
    made_add(t, list, IA_EL_CELL, (struct ia_rect){0, 900, 393, 40}, "Twice");
    made_add(t, list, IA_EL_CELL, (struct ia_rect){0, 20, 393, 40}, "Above");
    made_add(t, window, IA_EL_BUTTON, (struct ia_rect){10, 720, 100, 40}, "Button");
    made_add(t, window, IA_EL_TEXT_FIELD, (struct ia_rect){120, 720, 100, 40}, "Hidden")
        ->flags |= IA_NODE_INVISIBLE;
}

#define TEN(x) x x x x x x x x x x
#define TWELVE(x) TEN(x) x x

static void fingers_do_what_a_client_asks(void **state)
{
    (void)state;
#define DOWN "{\"type\":\"pointerDown\"}"
#define UP "{\"type\":\"pointerUp\"}"
#define TOUCH DOWN "," UP
#define ACTIONS(x, y, items)                                                                   \
    "{\"actions\":[{\"type\":\"pointer\",\"id\":\"f\",\"parameters\":{\"pointerType\":"        \
    "\"touch\"},\"actions\":[{\"type\":\"pointerMove\",\"x\":" #x ",\"y\":" #y "}," items      \
    "]}]}"
    static const struct made_row rows[] = {
        {"POST", "/wda/tap", "{\"x\":1,\"y\":2}", 200, "null", "tap 1,2; "},
        {"POST", "/wda/tap", "{\"x\":\"1.5\",\"y\":2}", 200, "null", "tap 1.5,2; "},
        {"POST", "/wda/tap", "{\"x\":1e300,\"y\":2}", 400, "'x' must be a number", ""},
        {"POST", "/wda/tap", "{\"x\":1,\"y\":-1e9}", 400, "'y' must be a number", ""},
        {"POST", "/wda/doubleTap", "{\"x\":1,\"y\":2}", 200, "null", "tap 1,2; tap 1,2; "},
        {"POST", "/element/E(Button)/click", "{}", 200, "null", "tap 60,740; "},
        {"POST", "/wda/element/E(Button)/tap", "{\"x\":1,\"y\":2}", 200, "null",
         "tap 11,722; "},
        {"POST", "/wda/element/E(Button)/tap", "{\"x\":null}", 200, "null", "tap 60,740; "},
        {"POST", "/wda/element/E(Button)/tap", "{\"x\":\"a\"}", 400, "'x' must be a number",
         ""},
        {"POST", "/wda/tapWithNumberOfTaps", "{\"numberOfTaps\":10}", 200, "null",
         TEN("tap 196.5,426; ")},
        {"POST", "/wda/tapWithNumberOfTaps", "{\"numberOfTaps\":11}", 400, "1 to 10", ""},
        {"POST", "/wda/tapWithNumberOfTaps", "{\"numberOfTaps\":0}", 400, "1 to 10", ""},
        {"POST", "/wda/tapWithNumberOfTaps", "{\"numberOfTaps\":1,\"numberOfTouches\":2}", 500,
         "one finger", ""},
        {"POST", "/wda/touchAndHold", "{\"x\":1,\"y\":2,\"duration\":60}", 200, "null",
         "hold 1,2 60000; "},
        {"POST", "/wda/touchAndHold", "{\"x\":1,\"y\":2,\"duration\":60.1}", 400, "0 to 60",
         ""},
        {"POST", "/actions", ACTIONS(10, 20, TOUCH), 200, "null", "tap 10,20; "},
        {"POST", "/actions", ACTIONS(10, 20, TOUCH "," TOUCH), 200, "null",
         "tap 10,20; tap 10,20; "},
        {"POST", "/actions",
         ACTIONS(10, 20, DOWN ",{\"type\":\"pointerMove\",\"x\":90,\"y\":20}," UP), 200, "null",
         "drag 10,20 90,20 1; "},
        {"POST", "/wda/pinch", "{\"scale\":2}", 200, "null", "pinch 0,0 393,852 2; "},
        {"POST", "/wda/element/E(Button)/pinch", "{\"scale\":0.5}", 200, "null",
         "pinch 10,720 100,40 0.5; "},
        {"POST", "/orientation", "{\"orientation\":\"LANDSCAPE\"}", 200, "null", "turn 1; "},
        {"POST", "/orientation", "{\"orientation\":\"UIA_DEVICE_ORIENTATION_LANDSCAPERIGHT\"}",
         200, "null", "turn 2; "},
        {"POST", "/rotation", "{\"x\":0,\"y\":0,\"z\":270}", 200, "null", "turn 1; "},
        {"POST", "/rotation", "{\"x\":0,\"y\":0,\"z\":90}", 200, "null", "turn 2; "},
        {"POST", "/rotation", "{\"x\":0,\"y\":0,\"z\":180}", 200, "null", "turn 3; "},
        {"POST", "/rotation", "{\"x\":90,\"y\":0,\"z\":0}", 400, "must be 0", ""},
        {"POST", "/wda/pressButton", "{\"name\":\"volumeUp\"}", 200, "null", "press 2; "},
        {"POST", "/wda/pressButton", "{\"name\":\"volumeDown\"}", 200, "null", "press 3; "},
    };
    struct made m;
    assert_int_equal(IA_LANDSCAPE_LEFT, 1);
    assert_int_equal(IA_LANDSCAPE_RIGHT, 2);
    assert_int_equal(IA_UPSIDE_DOWN, 3);
    made_open(&m, fill_list, 0);
    made_check_all(&m, rows, IA_COUNTOF(rows));
    served_close(&m.s);
}

static void strokes_go_where_and_as_fast_as_they_are_told(void **state)
{
    (void)state;
#define LINE(velocity)                                                                         \
    "{\"fromX\":0,\"fromY\":0,\"toX\":30,\"toY\":40,\"velocity\":" #velocity "}"
    static const struct made_row rows[] = {
        {"POST", "/wda/swipe", "{\"direction\":\"up\"}", 200, "null",
         "drag 196.5,724.2 196.5,127.8 200; "},
        {"POST", "/wda/swipe", "{\"direction\":\"DOWN\"}", 200, "null",
         "drag 196.5,127.8 196.5,724.2 200; "},
        {"POST", "/wda/element/E(Button)/swipe", "{\"direction\":\"left\"}", 200, "null",
         "drag 95,740 25,740 200; "},
        {"POST", "/wda/element/E(Button)/swipe", "{\"direction\":\"right\"}", 200, "null",
         "drag 25,740 95,740 200; "},
        {"POST", "/wda/swipe", "{\"direction\":\"in\"}", 400, "'in'", ""},
        /* the content goes the other way */
        {"POST", "/wda/scroll", "{\"direction\":\"down\"}", 200, "null",
         "drag 196.5,766.8 196.5,85.2 300; "},
        {"POST", "/wda/scroll", "{\"direction\":\"up\",\"distance\":0.5}", 200, "null",
         "drag 196.5,213 196.5,639 300; "},
        {"POST", "/wda/scroll", "{\"direction\":\"right\",\"distance\":9}", 200, "null",
         "drag 353.7,426 39.3,426 300; "},
        {"POST", "/wda/dragfromtoforduration",
         "{\"fromX\":1,\"fromY\":2,\"toX\":3,\"toY\":4,\"duration\":1}", 200, "null",
         "drag 1,2 3,4 300; "},
        {"POST", "/wda/element/E(Button)/dragfromtoforduration",
         "{\"fromX\":1,\"fromY\":2,\"toX\":3,\"toY\":4}", 200, "null",
         "drag 11,722 13,724 300; "},
        {"POST", "/wda/pressAndDragWithVelocity", LINE(100), 200, "null",
         "drag 0,0 30,40 500; "},
        {"POST", "/wda/pressAndDragWithVelocity", LINE(0), 400, "'velocity'", ""},
        {"POST", "/wda/pressAndDragWithVelocity", LINE(-100), 400, "'velocity'", ""},
        {"POST", "/wda/pressAndDragWithVelocity", LINE(0.8), 400, "'velocity'", ""},
    };
    made_run(fill_list, 0, rows, IA_COUNTOF(rows));
}

/* The list stays as it is, so that what is out of view stays there. */
static void what_is_out_of_view_is_scrolled_to(void **state)
{
    (void)state;
#define ON "drag 196.5,610 196.5,190 300; "
#define BACK "drag 196.5,190 196.5,610 300; "
    static const struct made_row rows[] = {
        {"POST", "/element/E(Inside)/click", "{}", 200, "null", "tap 196.5,120; "},
        {"POST", "/element/E(Partly)/click", "{}", 200, "null", TWELVE(ON) "tap 196.5,698; "},
        {"POST", "/element/E(Above)/click", "{}", 400, "is not visible", TWELVE(BACK)},
        /* the last of those that are found */
        {"POST", "/wda/element/E(List)/scroll", "{\"name\":\"Twice\"}", 200, "null",
         TWELVE(ON)},
        {"POST", "/wda/element/E(List)/scroll", "{\"name\":\"Nope\"}", 404, "'Nope'", ""},
        {"POST", "/element/E(Hidden)/click", "{}", 400, "is not visible", ""},
        {"POST", "/element/E(Hidden)/value", "{\"value\":\"x\"}", 400, "is not visible", ""},
        {"POST", "/wda/element/E(Hidden)/touchAndHold", "{\"duration\":1}", 400,
         "is not visible", ""},
    };
    struct made m;
    made_open(&m, fill_list, 0);
    made_check_all(&m, rows, IA_COUNTOF(rows));
    m.most = m.effects + 1;
    made_check(&m, &(struct made_row){"POST", "/element/E(Partly)/click", "{}", 500,
                                      "DEVICE sent", ON});
    served_close(&m.s);
}

static void the_origin_of_a_touch_has_to_be_seen(void **state)
{
    (void)state;
    struct made m;
    const char *const names[] = {"Button", "Hidden"};
    made_open(&m, fill_list, 0);
    for (int hidden = 0; hidden < 2; hidden++) {
        char uid[64];
        char body[512];
        made_find(&m, names[hidden], uid);
        (void)snprintf(body, sizeof(body),
                       "{\"actions\":[{\"type\":\"pointer\",\"id\":\"f\",\"parameters\":"
                       "{\"pointerType\":\"touch\"},\"actions\":[{\"type\":\"pointerMove\","
                       "\"x\":1,\"y\":2,\"origin\":{\"ELEMENT\":\"%s\"}}," TOUCH "]}]}",
                       uid);
        made_check(&m, &(struct made_row){"POST", "/actions", body, hidden ? 400 : 200,
                                          hidden ? "is not visible" : "null",
                                          hidden ? "" : "tap 61,742; "});
    }
    served_close(&m.s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fingers_do_what_a_client_asks),
        cmocka_unit_test(strokes_go_where_and_as_fast_as_they_are_told),
        cmocka_unit_test(what_is_out_of_view_is_scrolled_to),
        cmocka_unit_test(the_origin_of_a_touch_has_to_be_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
