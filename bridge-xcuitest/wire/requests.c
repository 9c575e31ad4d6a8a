/* requests.c: the fields of each request, and the list of all requests with their properties.
 *
 * A request is added here and in messages.h only: codec, caps, comparison and PROTOCOL.md
 * follow.
 *
 * A row is a member of the struct, its kind on the wire, its cap, and its remark in
 * PROTOCOL.md; the order of the rows is the order of the bytes. */
#include "wire/tables.h"

#include <string.h>

/* ---- classic ---- */

#define S struct ia_wire_tap_coord
static const struct ia_wire_field tap_coord_fields[] = {
    ROW(S, x, I32, "points"),
    ROW(S, y, I32, ""),
};
static const struct ia_wire_shape tap_coord = SHAPE(S, "TapCoord", tap_coord_fields);
#undef S

#define S struct ia_wire_tap_element
static const struct ia_wire_field tap_element_fields[] = {
    ROW_MAX(S, selector, STR, IA_WIRE_TEXT_MAX, "the whole identifier"),
    ROW(S, timeout_ms, OU64, "absent or 0: one snapshot, no wait for stillness"),
};
static const struct ia_wire_field tap_by_label_fields[] = {
    ROW_MAX(S, selector, STR, IA_WIRE_TEXT_MAX, "the whole label"),
    ROW(S, timeout_ms, OU64, "as in TapElement"),
};
static const struct ia_wire_shape tap_element = SHAPE(S, "TapElement", tap_element_fields);
static const struct ia_wire_shape tap_by_label = SHAPE(S, "TapByLabel", tap_by_label_fields);
#undef S

#define S struct ia_wire_tap_with_type
static const struct ia_wire_field tap_with_type_fields[] = {
    ROW_MAX(S, selector, STR, IA_WIRE_TEXT_MAX, ""),
    ROW(S, by_label, BOOL, "1: selector is a label, 0: an identifier"),
    ROW_MAX(S, type, STR, IA_WIRE_NAME_MAX, "Button"),
    ROW(S, timeout_ms, OU64, "as in TapElement"),
};
static const struct ia_wire_shape tap_with_type = SHAPE(S, "TapWithType", tap_with_type_fields);
#undef S

#define S struct ia_wire_classic_text
static const struct ia_wire_field classic_type_text_fields[] = {
    ROW_MAX(S, text, STR, IA_WIRE_TYPED_MAX, ""),
};
static const struct ia_wire_field set_target_fields[] = {
    ROW_MAX(S, text, STR, IA_WIRE_NAME_MAX, "bundle id"),
};
static const struct ia_wire_shape classic_type_text =
    SHAPE(S, "TypeText", classic_type_text_fields);
static const struct ia_wire_shape set_target = SHAPE(S, "SetTarget", set_target_fields);
#undef S

#define S struct ia_wire_swipe
static const struct ia_wire_field swipe_fields[] = {
    ROW(S, x0, I32, "points"),
    ROW(S, y0, I32, ""),
    ROW(S, x1, I32, ""),
    ROW(S, y1, I32, ""),
    ROW(S, duration_s, OF64, "absent: 0.3"),
};
static const struct ia_wire_shape swipe = SHAPE(S, "Swipe", swipe_fields);
#undef S

#define S struct ia_wire_get_value
static const struct ia_wire_field get_value_fields[] = {
    ROW_MAX(S, selector, STR, IA_WIRE_TEXT_MAX, ""),
    ROW(S, by_label, BOOL, "as in TapWithType"),
    ROW_MAX(S, type, OSTR, IA_WIRE_NAME_MAX, ""),
    ROW(S, timeout_ms, OU64, "absent or 0: one snapshot"),
};
static const struct ia_wire_shape get_value = SHAPE(S, "GetValue", get_value_fields);
#undef S

#define S struct ia_wire_long_press
static const struct ia_wire_field long_press_fields[] = {
    ROW(S, x, I32, "points"),
    ROW(S, y, I32, ""),
    ROW(S, duration_s, F64, "seconds"),
};
static const struct ia_wire_shape long_press = SHAPE(S, "LongPress", long_press_fields);
#undef S

#define S struct ia_wire_find_element
static const struct ia_wire_field find_element_fields[] = {
    ROW_MAX(S, selector, STR, IA_WIRE_TEXT_MAX, ""),
    ROW(S, by_label, BOOL, "as in TapWithType"),
    ROW_MAX(S, type, OSTR, IA_WIRE_NAME_MAX, ""),
};
static const struct ia_wire_shape find_element = SHAPE(S, "FindElement", find_element_fields);
#undef S

/* ---- extensions ---- */

#define S struct ia_wire_hello
static const struct ia_wire_field hello_fields[] = {
    ROW(S, version, U16, "newest version that the host speaks"),
    ROW(S, version_min, U16, "oldest version that the host speaks"),
    ROW_MAX(S, token, STR, IA_WIRE_TOKEN_MAX, "empty if none is required"),
    ROW_MAX(S, client, STR, IA_WIRE_NAME_MAX, "name and version, for the log"),
};
static const struct ia_wire_shape hello = SHAPE(S, "hello", hello_fields);
#undef S

#define S struct ia_wire_cancel
static const struct ia_wire_field cancel_fields[] = {
    ROW(S, session, U32, "from the reply to hello; 0: this connection"),
    ROW(S, request, U32, "its id; 0: any request in flight there"),
};
static const struct ia_wire_shape cancel = SHAPE(S, "cancel", cancel_fields);
#undef S

#define S struct ia_wire_tree
static const struct ia_wire_field tree_fields[] = {
    ROW_MAX(S, app, STR, IA_WIRE_NAME_MAX, "bundle id; empty: the target app"),
    ROW(S, max_nodes, U32, "0: the server's default"),
    ROW(S, max_depth, U16, "0: the server's default"),
    ROW(S, flags, U8, "1 keep nodes that have no text, area and children"),
};
static const struct ia_wire_shape tree = SHAPE(S, "tree", tree_fields);
#undef S

#define S struct ia_wire_find
static const struct ia_wire_field find_fields[] = {
    ROW_PART(S, selector, &ia_wire_part_selector, ""),
    ROW(S, timeout_ms, U32, "0: one snapshot; otherwise wait for a match this long"),
    ROW(S, limit, U16, "at most this many matches are returned; 0: 1"),
};
static const struct ia_wire_shape find = SHAPE(S, "find", find_fields);
#undef S

#define S struct ia_wire_act
static const struct ia_wire_field act_fields[] = {
    ROW_PART(S, target, &ia_wire_part_target, "exactly one of the two"),
    ROW_MAX(S, action, ENUM, IA_WIRE_LONG_PRESS, "0 tap, 1 double tap, 2 long press"),
    ROW(S, duration_s, F64, "of a long press; 0: 1"),
    ROW(S, timeout_ms, U32, "how long the checks may be repeated; 0: one snapshot"),
    ROW(S, flags, U8, "1 do not verify that a switch changed"),
};
static const struct ia_wire_shape act = SHAPE(S, "act", act_fields);
#undef S

#define S struct ia_wire_wait
static const struct ia_wire_field wait_fields[] = {
    ROW_MAX(S, condition, ENUM, IA_WIRE_WAIT_SETTLED,
            "0 exists, 1 gone, 2 hidden, 3 enabled, 4 hittable, 5 focused, 6 value, 7 text, "
            "8 count, 9 still, 10 settled"),
    ROW_PART(S, selector, &ia_wire_part_selector, "ignored by text and settled"),
    ROW_MAX(S, text, STR, IA_WIRE_TEXT_MAX, "of value and text"),
    ROW(S, count, U32, "of count"),
    ROW(S, timeout_ms, U32, "then NOT_MET; 0: one snapshot"),
    ROW(S, poll_ms, U16, "between two snapshots; 0: 50"),
};
static const struct ia_wire_shape wait = SHAPE(S, "wait", wait_fields);
#undef S

#define S struct ia_wire_set_text
static const struct ia_wire_field set_text_fields[] = {
    ROW_PART(S, target, &ia_wire_part_target, "neither: the element that has the keyboard"),
    ROW_MAX(S, text, STR, IA_WIRE_TYPED_MAX, ""),
    ROW(S, timeout_ms, U32, "for finding and focusing the field"),
    ROW(S, flags, U8, "1 append, 2 press return afterwards, 4 do not read back"),
};
static const struct ia_wire_shape set_text = SHAPE(S, "set_text", set_text_fields);
#undef S

#define S struct ia_wire_clear
static const struct ia_wire_field clear_fields[] = {
    ROW_PART(S, target, &ia_wire_part_target, "neither: the element that has the keyboard"),
    ROW(S, timeout_ms, U32, "for finding and focusing the field"),
};
static const struct ia_wire_shape clear = SHAPE(S, "clear", clear_fields);
#undef S

#define S struct ia_wire_type_text
static const struct ia_wire_field type_text_fields[] = {
    ROW_MAX(S, text, STR, IA_WIRE_TYPED_MAX, "a newline presses return"),
};
static const struct ia_wire_shape type_text = SHAPE(S, "type_text", type_text_fields);
#undef S

#define S struct ia_wire_delete_text
static const struct ia_wire_field delete_text_fields[] = {
    ROW(S, count, U32, "characters before the cursor"),
};
static const struct ia_wire_shape delete_text = SHAPE(S, "delete_text", delete_text_fields);
#undef S

#define S struct ia_wire_tap_point
static const struct ia_wire_field tap_point_fields[] = {
    ROW(S, at, POINT, ""),
    ROW(S, taps, U8, "0: 1"),
};
static const struct ia_wire_shape tap_point = SHAPE(S, "tap_point", tap_point_fields);
#undef S

#define S struct ia_wire_long_press_point
static const struct ia_wire_field long_press_point_fields[] = {
    ROW(S, at, POINT, ""),
    ROW(S, duration_s, F64, "seconds"),
};
static const struct ia_wire_shape long_press_point =
    SHAPE(S, "long_press_point", long_press_point_fields);
#undef S

#define S struct ia_wire_drag
static const struct ia_wire_field drag_fields[] = {
    ROW(S, from, POINT, ""),
    ROW(S, to, POINT, ""),
    ROW(S, press_s, F64, "held before moving"),
    ROW(S, duration_s, F64, "of the movement, if velocity is 0; 0: 0.3"),
    ROW(S, velocity, F64, "points per second; 0: from duration_s"),
    ROW(S, hold_s, F64, "held before lifting"),
};
static const struct ia_wire_shape drag = SHAPE(S, "drag", drag_fields);
#undef S

#define S struct ia_wire_pinch
static const struct ia_wire_field pinch_fields[] = {
    ROW_PART(S, target, &ia_wire_part_target, "neither: the whole app"),
    ROW(S, scale, F64, "above 1 spreads, below 1 closes"),
    ROW(S, velocity, F64, "scale per second; 0: chosen by the bridge"),
};
static const struct ia_wire_shape pinch = SHAPE(S, "pinch", pinch_fields);
#undef S

#define S struct ia_wire_press_button
static const struct ia_wire_field press_button_fields[] = {
    ROW_MAX(S, button, ENUM, IA_WIRE_BUTTON_CAMERA,
            "0 home, 1 lock, 2 volume up, 3 volume down, 4 action, 5 camera"),
};
static const struct ia_wire_shape press_button = SHAPE(S, "press_button", press_button_fields);
#undef S

#define S struct ia_wire_orientation
static const struct ia_wire_field orientation_fields[] = {
    ROW_MAX(S, mode, ENUM, IA_WIRE_UPSIDE_DOWN,
            "0 read only, 1 portrait, 2 landscape left, 3 landscape right, 4 upside down"),
};
static const struct ia_wire_shape orientation = SHAPE(S, "orientation", orientation_fields);
#undef S

#define S struct ia_wire_launch
static const struct ia_wire_field launch_fields[] = {
    ROW_MAX(S, bundle_id, STR, IA_WIRE_NAME_MAX, ""),
    ROW_MAX(S, mode, ENUM, IA_WIRE_LAUNCH_FRESH,
            "0 bring to the front, starting it if needed; 1 terminate it first"),
    ROW_LIST(S, args, STRS, IA_WIRE_ARGS_MAX, IA_WIRE_TEXT_MAX, NULL, "arguments"),
    ROW_LIST(S, env, PARTS, IA_WIRE_ARGS_MAX, 0, &ia_wire_part_pair, "environment"),
};
static const struct ia_wire_shape launch = SHAPE(S, "launch", launch_fields);
#undef S

#define S struct ia_wire_bundle
static const struct ia_wire_field terminate_fields[] = {
    ROW_MAX(S, bundle_id, STR, IA_WIRE_NAME_MAX, ""),
};
static const struct ia_wire_field state_fields[] = {
    ROW_MAX(S, bundle_id, STR, IA_WIRE_NAME_MAX, "empty: the target"),
};
static const struct ia_wire_shape terminate = SHAPE(S, "terminate", terminate_fields);
static const struct ia_wire_shape state = SHAPE(S, "state", state_fields);
static const struct ia_wire_shape target = SHAPE(S, "target", terminate_fields);
#undef S

#define S struct ia_wire_open_url
static const struct ia_wire_field open_url_fields[] = {
    ROW_MAX(S, url, STR, IA_WIRE_URL_MAX, ""),
};
static const struct ia_wire_shape open_url = SHAPE(S, "open_url", open_url_fields);
#undef S

#define S struct ia_wire_alert_act
static const struct ia_wire_field alert_act_fields[] = {
    ROW_MAX(S, owner, ENUM, IA_WIRE_OWNER_APP, "0 any (the system's first), 1 system, 2 app"),
    ROW_MAX(S, action, ENUM, IA_WIRE_ALERT_BUTTON, "0 accept, 1 dismiss, 2 the button named"),
    ROW_MAX(S, button, STR, IA_WIRE_TEXT_MAX, "its label, for action 2"),
};
static const struct ia_wire_shape alert_act = SHAPE(S, "alert_act", alert_act_fields);
#undef S

#define S struct ia_wire_pasteboard
static const struct ia_wire_field pasteboard_fields[] = {
    ROW_MAX(S, mode, ENUM, IA_WIRE_PASTEBOARD_WRITE, "0 read only, 1 write"),
    ROW_MAX(S, text, STR, IA_WIRE_TYPED_MAX, "to write"),
};
static const struct ia_wire_shape pasteboard = SHAPE(S, "pasteboard", pasteboard_fields);
#undef S

#define S struct ia_wire_appearance
static const struct ia_wire_field appearance_fields[] = {
    ROW_MAX(S, mode, ENUM, IA_WIRE_DARK, "0 read only, 1 light, 2 dark"),
};
static const struct ia_wire_shape appearance = SHAPE(S, "appearance", appearance_fields);
#undef S

#define S struct ia_wire_audit
static const struct ia_wire_field audit_fields[] = {
    ROW(S, types, U64, "XCUIAccessibilityAuditType; 0: all"),
};
static const struct ia_wire_shape audit = SHAPE(S, "audit", audit_fields);
#undef S

#define S struct ia_wire_screenshot
static const struct ia_wire_field screenshot_fields[] = {
    ROW_MAX(S, scale, ENUM, IA_WIRE_SCALE_POINTS, "0 device pixels, 1 one pixel per point"),
};
static const struct ia_wire_shape screenshot = SHAPE(S, "screenshot", screenshot_fields);
#undef S

#define S struct ia_wire_native
static const struct ia_wire_field native_fields[] = {
    ROW_MAX(S, action, ENUM, IA_NATIVE_COUNT - 1, "the number of a native action, below"),
    ROW_MAX(S, args, STR, IA_NATIVE_ARGS_MAX, "its arguments as a JSON object"),
};
static const struct ia_wire_shape native = SHAPE(S, "native", native_fields);
#undef S

#define S struct ia_wire_batch
static const struct ia_wire_field batch_fields[] = {
    ROW_LIST(S, items, REQUESTS, IA_WIRE_BATCH_MAX, 0, NULL,
             "extensions that need the main thread, except batch"),
};
static const struct ia_wire_shape batch = SHAPE(S, "batch", batch_fields);
#undef S

/* ---- the list ---- */

#define CLASSIC(op, name, effect, control, shape, summary)                                     \
    {                                                                                          \
        IA_WIRE_OP_##op, name, effect, control, shape, NULL, summary                           \
    }
#define EMPTY &ia_wire_empty

static const struct ia_wire_op ops[] = {
    CLASSIC(HEARTBEAT, "Heartbeat", false, true, EMPTY, "is answered Ok at once"),
    CLASSIC(TAP_COORD, "TapCoord", true, false, &tap_coord, "taps a point"),
    CLASSIC(TAP_ELEMENT, "TapElement", true, false, &tap_element, "taps by identifier"),
    CLASSIC(TAP_BY_LABEL, "TapByLabel", true, false, &tap_by_label, "taps by label"),
    CLASSIC(TAP_WITH_TYPE, "TapWithType", true, false, &tap_with_type, "taps by type as well"),
    CLASSIC(CLASSIC_TYPE_TEXT, "TypeText", true, false, &classic_type_text,
            "types into the element that has the keyboard"),
    CLASSIC(SWIPE, "Swipe", true, false, &swipe, "drags from one point to another"),
    CLASSIC(GET_VALUE, "GetValue", false, false, &get_value,
            "returns the value of an element, or its label if it has none"),
    CLASSIC(LONG_PRESS, "LongPress", true, false, &long_press, "presses a point"),
    CLASSIC(DUMP_TREE, "DumpTree", false, false, EMPTY, "returns the tree as JSON"),
    CLASSIC(CLASSIC_SCREENSHOT, "Screenshot", false, false, EMPTY, "returns a PNG"),
    CLASSIC(SET_TARGET, "SetTarget", true, false, &set_target, "makes an app the target"),
    CLASSIC(FIND_ELEMENT, "FindElement", false, false, &find_element,
            "returns one element as JSON, with hittable, or null"),
    CLASSIC(GET_TARGET_INFO, "GetTargetInfo", false, false, EMPTY,
            "returns the target as JSON"),
    CLASSIC(BRIDGE_HEALTH, "BridgeHealth", false, true, EMPTY, "is answered Ok at once"),
    CLASSIC(DEVICE_UDID, "DeviceUdid", false, true, EMPTY, "returns the UDID, if known"),
    {IA_WIRE_OP_HELLO, "hello", false, true, &hello, &ia_wire_hello_shape,
     "opens a session: version, token, capabilities"},
    {IA_WIRE_OP_HEALTH, "health", false, true, EMPTY, &ia_wire_health_shape,
     "reports whether the main thread responds, without waiting for it"},
    {IA_WIRE_OP_CANCEL, "cancel", false, true, &cancel, &ia_wire_cancel_shape,
     "cancels a waiting or running request"},
    {IA_WIRE_OP_INFO, "info", false, false, EMPTY, &ia_wire_info_shape,
     "describes the device and the target app"},
    {IA_WIRE_OP_TREE, "tree", false, false, &tree, &ia_wire_tree_shape,
     "returns the accessibility tree, from one snapshot"},
    {IA_WIRE_OP_FIND, "find", false, false, &find, &ia_wire_find_shape,
     "returns matching elements, and whether the first can be tapped"},
    {IA_WIRE_OP_ACT, "act", true, false, &act, &ia_wire_act_shape,
     "taps an element after the four checks"},
    {IA_WIRE_OP_WAIT, "wait", false, false, &wait, &ia_wire_wait_shape,
     "waits for a condition inside the bridge"},
    {IA_WIRE_OP_SET_TEXT, "set_text", true, false, &set_text, &ia_wire_text_shape,
     "focuses a field, clears it, types and reads back"},
    {IA_WIRE_OP_CLEAR, "clear", true, false, &clear, &ia_wire_text_shape,
     "focuses a field and empties it"},
    {IA_WIRE_OP_TYPE_TEXT, "type_text", true, false, &type_text, &ia_wire_typed_shape,
     "types into the element that has the keyboard"},
    {IA_WIRE_OP_DELETE_TEXT, "delete_text", true, false, &delete_text, &ia_wire_typed_shape,
     "deletes characters before the cursor"},
    {IA_WIRE_OP_TAP_POINT, "tap_point", true, false, &tap_point, EMPTY, "taps a point"},
    {IA_WIRE_OP_LONG_PRESS_POINT, "long_press_point", true, false, &long_press_point, EMPTY,
     "presses a point"},
    {IA_WIRE_OP_DRAG, "drag", true, false, &drag, EMPTY, "drags from one point to another"},
    {IA_WIRE_OP_PINCH, "pinch", true, false, &pinch, EMPTY, "pinches with two fingers"},
    {IA_WIRE_OP_PRESS_BUTTON, "press_button", true, false, &press_button, EMPTY,
     "presses a button of the device"},
    {IA_WIRE_OP_ORIENTATION, "orientation", true, false, &orientation, &ia_wire_mode_shape,
     "reads or sets the orientation"},
    {IA_WIRE_OP_LAUNCH, "launch", true, false, &launch, &ia_wire_state_shape,
     "starts an app and makes it the target"},
    {IA_WIRE_OP_TERMINATE, "terminate", true, false, &terminate, &ia_wire_state_shape,
     "terminates an app; succeeds if it is not running"},
    {IA_WIRE_OP_STATE, "state", false, false, &state, &ia_wire_state_shape,
     "returns the state of an app"},
    {IA_WIRE_OP_LIST_APPS, "list_apps", false, false, EMPTY, &ia_wire_apps_shape,
     "lists the apps that the bridge knows"},
    {IA_WIRE_OP_OPEN_URL, "open_url", true, false, &open_url, EMPTY,
     "opens a URL as a tapped link would"},
    {IA_WIRE_OP_ALERTS, "alerts", false, false, EMPTY, &ia_wire_alerts_shape,
     "lists the alerts of the system and of the app"},
    {IA_WIRE_OP_ALERT_ACT, "alert_act", true, false, &alert_act, &ia_wire_alert_act_shape,
     "presses a button of an alert"},
    {IA_WIRE_OP_PASTEBOARD, "pasteboard", true, false, &pasteboard, &ia_wire_pasteboard_shape,
     "reads or writes the pasteboard"},
    {IA_WIRE_OP_APPEARANCE, "appearance", true, false, &appearance, &ia_wire_mode_shape,
     "reads or sets the appearance"},
    {IA_WIRE_OP_AUDIT, "audit", false, false, &audit, &ia_wire_audit_shape,
     "runs the accessibility audit on the screen"},
    {IA_WIRE_OP_SCREENSHOT, "screenshot", false, false, &screenshot, &ia_wire_screenshot_shape,
     "returns a screenshot as PNG"},
    {IA_WIRE_OP_BATCH, "batch", true, false, &batch, &ia_wire_batch_shape,
     "performs several requests in order, up to the first failure"},
    {IA_WIRE_OP_SHUTDOWN, "shutdown", true, true, EMPTY, EMPTY,
     "stops the bridge after this reply"},
    {IA_WIRE_OP_RESET, "reset", true, false, EMPTY, EMPTY, "resets a simulated phone"},
    {IA_WIRE_OP_TARGET, "target", true, false, &target, &ia_wire_state_shape,
     "makes an app the target without starting it"},
    {IA_WIRE_OP_NATIVE, "native", true, false, &native, &ia_wire_native_shape,
     "reads or changes the phone's own data, without its screen"},
};

const struct ia_wire_op *ia_wire_op_at(size_t i)
{
    return i < IA_WIRE_COUNTOF(ops) ? &ops[i] : NULL;
}

const struct ia_wire_op *ia_wire_op(uint8_t op)
{
    for (size_t i = 0; i < IA_WIRE_COUNTOF(ops); i++) {
        if (ops[i].op == op) {
            return &ops[i];
        }
    }
    return NULL;
}

const char *ia_wire_op_name(uint8_t op)
{
    const struct ia_wire_op *o = ia_wire_op(op);
    return o ? o->name : "unknown";
}

bool ia_wire_has_effect(const struct ia_wire_request *r)
{
    const struct ia_wire_op *o = ia_wire_op(r->op);
    if (!o || !o->effect) {
        return false;
    }
    /* The table says what an operation may do; these can also be asked only to read. */
    switch (r->op) {
    case IA_WIRE_OP_ORIENTATION:
        return r->u.orientation.mode != IA_WIRE_ORIENTATION_READ;
    case IA_WIRE_OP_PASTEBOARD:
        return r->u.pasteboard.mode != IA_WIRE_PASTEBOARD_READ;
    case IA_WIRE_OP_APPEARANCE:
        return r->u.appearance.mode != IA_WIRE_APPEARANCE_READ;
    case IA_WIRE_OP_NATIVE:
        return r->u.native.action >= IA_NATIVE_COUNT ||
               ia_native_actions[r->u.native.action].effect;
    case IA_WIRE_OP_BATCH:
        for (uint32_t i = 0; i < r->u.batch.items_n; i++) {
            if (ia_wire_has_effect(&r->u.batch.items[i])) {
                return true;
            }
        }
        return false;
    default:
        return true;
    }
}
