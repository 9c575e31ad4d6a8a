/* replies.c: the fields of the replies to extensions, and of the answers to classic
 * requests. */
#include "wire/tables.h"

#define S struct ia_wire_hello_reply
static const struct ia_wire_field hello_fields[] = {
    ROW(S, version, U16, "used from now on"),
    ROW(S, session, U32, "of this connection, for cancel"),
    ROW(S, ops, U64, "bit (opcode - 40 hex) for each supported extension"),
    ROW(S, features, U32,
        "1 simulated, 2 its clock advances with calls only, 4 no wait for quiescence"),
    ROW_MAX(S, server, STR, IA_WIRE_NAME_MAX, "name and version"),
    ROW_MAX(S, udid, STR, IA_WIRE_NAME_MAX, "of the device; empty if there is none"),
};
const struct ia_wire_shape ia_wire_hello_shape = SHAPE(S, "hello reply", hello_fields);
#undef S

#define S struct ia_wire_health_reply
static const struct ia_wire_field health_fields[] = {
    ROW(S, busy, BOOL, "the main thread is performing a request"),
    ROW(S, op, U8, "its opcode, when busy"),
    ROW(S, session, U32, "its session, when busy"),
    ROW(S, request, U32, "its id, when busy"),
    ROW(S, busy_ms, U32, "for how long"),
    ROW(S, overdue, BOOL, "its deadline has passed and it has not returned"),
    ROW(S, queued, U32, "waiting requests"),
    ROW(S, connections, U32, "open connections"),
    ROW(S, done, U64, "requests performed"),
    ROW(S, late, U64, "of those, finished after their deadline"),
    ROW(S, uptime_ms, U64, ""),
    ROW(S, idle_ms, U64, "since the last pass of the main loop, when not busy"),
};
const struct ia_wire_shape ia_wire_health_shape = SHAPE(S, "health reply", health_fields);
#undef S

#define S struct ia_wire_cancel_reply
static const struct ia_wire_field cancel_fields[] = {
    ROW(S, found, BOOL, "0: no such request was waiting or running"),
};
const struct ia_wire_shape ia_wire_cancel_shape = SHAPE(S, "cancel reply", cancel_fields);
#undef S

#define S struct ia_wire_info_reply
static const struct ia_wire_field info_fields[] = {
    ROW_MAX(S, kind, STR, IA_WIRE_NAME_MAX, "xcuitest, stub or embedded"),
    ROW_MAX(S, name, STR, IA_WIRE_NAME_MAX, "of the device"),
    ROW_MAX(S, os, STR, IA_WIRE_NAME_MAX, "iOS 19.0"),
    ROW_MAX(S, udid, STR, IA_WIRE_NAME_MAX, ""),
    ROW(S, width_pt, F64, ""),
    ROW(S, height_pt, F64, ""),
    ROW(S, scale, F64, "pixels per point"),
    ROW_MAX(S, orientation, ENUM, IA_WIRE_UPSIDE_DOWN,
            "1 portrait, 2 landscape left, 3 landscape right, 4 upside down"),
    ROW_MAX(S, bundle_id, STR, IA_WIRE_NAME_MAX, "of the target app"),
    ROW_MAX(S, app_name, STR, IA_WIRE_NAME_MAX, "as shown to people; empty: unknown"),
    ROW_MAX(S, app_version, STR, IA_WIRE_NAME_MAX, "likewise"),
    ROW_MAX(S, app_build, STR, IA_WIRE_NAME_MAX, "likewise"),
    ROW_MAX(S, app_state, ENUM, IA_WIRE_APP_FOREGROUND, "as in app"),
    ROW_LIST(S, notes, STRS, IA_WIRE_NOTES_MAX, IA_WIRE_TEXT_MAX, NULL,
             "what is missing or degraded, one sentence each"),
};
const struct ia_wire_shape ia_wire_info_shape = SHAPE(S, "info reply", info_fields);
#undef S

#define S struct ia_wire_tree_reply
static const struct ia_wire_field tree_fields[] = {
    ROW_MAX(S, app, STR, IA_WIRE_NAME_MAX, "bundle id"),
    ROW(S, cut, U8,
        "why it is incomplete: 1 nodes, 2 depth, 4 bytes, 8 spliced from several snapshots, "
        "16 a part could not be read"),
    ROW(S, visited, U32, "nodes visited, including pruned ones"),
    ROW_LIST(S, nodes, PARTS, IA_WIRE_NODES_MAX, 0, &ia_wire_part_node, "in pre-order"),
};
const struct ia_wire_shape ia_wire_tree_shape = SHAPE(S, "tree reply", tree_fields);
#undef S

#define S struct ia_wire_find_reply
static const struct ia_wire_field find_fields[] = {
    ROW(S, count, U32, "how many match, before the index is applied"),
    ROW(S, reason, U16,
        "0: the first match can be tapped; otherwise the code that says why not"),
    ROW_LIST(S, nodes, PARTS, IA_WIRE_MATCHES_MAX, 0, &ia_wire_part_node,
             "matches from the index on, depth 0"),
};
const struct ia_wire_shape ia_wire_find_shape = SHAPE(S, "find reply", find_fields);
#undef S

#define S struct ia_wire_act_reply
static const struct ia_wire_field act_fields[] = {
    ROW(S, at, POINT, "the point that was touched"),
    ROW(S, frame, RECT, "of the element at that time"),
    ROW(S, waited_ms, U32, "from the request to the touch"),
    ROW(S, snapshots, U16, "trees taken before the touch"),
    ROW_MAX(S, value, OSTR, IA_WIRE_TEXT_MAX, "of a switch, after the tap"),
};
const struct ia_wire_shape ia_wire_act_shape = SHAPE(S, "act reply", act_fields);
#undef S

#define S struct ia_wire_wait_reply
static const struct ia_wire_field wait_fields[] = {
    ROW(S, waited_ms, U32, ""),
    ROW(S, count, U32, "matches in the last snapshot"),
    ROW_OPART(S, element, &ia_wire_part_node, "the match in the last snapshot, depth 0"),
};
const struct ia_wire_shape ia_wire_wait_shape = SHAPE(S, "wait reply", wait_fields);
#undef S

#define S struct ia_wire_text_reply
static const struct ia_wire_field text_fields[] = {
    ROW_MAX(S, value, OSTR, IA_WIRE_TYPED_MAX, "as read back"),
    ROW(S, secure, BOOL, "the field hides its text: only the length was compared"),
};
const struct ia_wire_shape ia_wire_text_shape = SHAPE(S, "text reply", text_fields);
#undef S

#define S struct ia_wire_typed_reply
static const struct ia_wire_field typed_fields[] = {
    ROW(S, count, U32, "characters sent"),
};
const struct ia_wire_shape ia_wire_typed_shape = SHAPE(S, "typed reply", typed_fields);
#undef S

#define S struct ia_wire_mode_reply
static const struct ia_wire_field mode_fields[] = {
    ROW(S, mode, U8, "the current one; 0 if unknown"),
};
const struct ia_wire_shape ia_wire_mode_shape = SHAPE(S, "mode reply", mode_fields);
#undef S

#define S struct ia_wire_state_reply
static const struct ia_wire_field state_fields[] = {
    ROW_MAX(S, state, ENUM, IA_WIRE_APP_FOREGROUND, "as in app"),
};
const struct ia_wire_shape ia_wire_state_shape = SHAPE(S, "state reply", state_fields);
#undef S

#define S struct ia_wire_apps_reply
static const struct ia_wire_field apps_fields[] = {
    ROW_LIST(S, apps, PARTS, IA_WIRE_APPS_MAX, 0, &ia_wire_part_app, ""),
};
const struct ia_wire_shape ia_wire_apps_shape = SHAPE(S, "apps reply", apps_fields);
#undef S

#define S struct ia_wire_alerts_reply
static const struct ia_wire_field alerts_fields[] = {
    ROW_LIST(S, alerts, PARTS, IA_WIRE_ALERTS_MAX, 0, &ia_wire_part_alert, "front-most first"),
};
const struct ia_wire_shape ia_wire_alerts_shape = SHAPE(S, "alerts reply", alerts_fields);
#undef S

#define S struct ia_wire_alert_act_reply
static const struct ia_wire_field alert_act_fields[] = {
    ROW_MAX(S, button, STR, IA_WIRE_TEXT_MAX, "the button that was pressed"),
};
const struct ia_wire_shape ia_wire_alert_act_shape =
    SHAPE(S, "alert_act reply", alert_act_fields);
#undef S

#define S struct ia_wire_pasteboard_reply
static const struct ia_wire_field pasteboard_fields[] = {
    ROW_MAX(S, text, OSTR, IA_WIRE_TYPED_MAX, "the current text; absent if there is none"),
};
const struct ia_wire_shape ia_wire_pasteboard_shape =
    SHAPE(S, "pasteboard reply", pasteboard_fields);
#undef S

#define S struct ia_wire_audit_reply
static const struct ia_wire_field audit_fields[] = {
    ROW(S, cut, BOOL, "some issues were left out"),
    ROW_LIST(S, issues, PARTS, IA_WIRE_ISSUES_MAX, 0, &ia_wire_part_issue, ""),
};
const struct ia_wire_shape ia_wire_audit_shape = SHAPE(S, "audit reply", audit_fields);
#undef S

#define S struct ia_wire_screenshot_reply
static const struct ia_wire_field screenshot_fields[] = {
    ROW(S, width_px, U32, ""),
    ROW(S, height_px, U32, ""),
    ROW(S, scale, F64, "pixels of this image per point"),
    ROW_LIST(S, png, BYTES, IA_WIRE_PNG_MAX, 0, NULL, ""),
};
const struct ia_wire_shape ia_wire_screenshot_shape =
    SHAPE(S, "screenshot reply", screenshot_fields);
#undef S

#define S struct ia_wire_native_reply
static const struct ia_wire_field native_fields[] = {
    ROW_MAX(S, answer, STR, IA_NATIVE_ANSWER_MAX, "a JSON object, by the action"),
};
const struct ia_wire_shape ia_wire_native_shape = SHAPE(S, "native reply", native_fields);
#undef S

#define S struct ia_wire_batch_reply
static const struct ia_wire_field batch_fields[] = {
    ROW_LIST(S, items, REPLIES, IA_WIRE_BATCH_MAX, 0, NULL,
             "of the requests that were begun; only the last one can be a failure"),
};
const struct ia_wire_shape ia_wire_batch_shape = SHAPE(S, "batch reply", batch_fields);
#undef S

#define S struct ia_wire_answer
static const struct ia_wire_field answer_text[] = {
    ROW_MAX(S, text, STR, IA_WIRE_JSON_MAX, ""),
};
static const struct ia_wire_field answer_value[] = {
    ROW_MAX(S, text, OSTR, IA_WIRE_TYPED_MAX, ""),
};
static const struct ia_wire_field answer_png[] = {
    ROW_LIST(S, png, BYTES, IA_WIRE_PNG_MAX, 0, NULL, ""),
};
const struct ia_wire_shape ia_wire_answer_texts[] = {
    [IA_WIRE_ANSWER_OK] = {"Ok", sizeof(S), NULL, 0},
    [IA_WIRE_ANSWER_ERROR] = SHAPE(S, "Error", answer_text),
    [IA_WIRE_ANSWER_TREE] = SHAPE(S, "Tree", answer_text),
    [IA_WIRE_ANSWER_SCREENSHOT] = SHAPE(S, "Screenshot", answer_png),
    [IA_WIRE_ANSWER_VALUE] = SHAPE(S, "Value", answer_value),
    [IA_WIRE_ANSWER_ELEMENT] = SHAPE(S, "Element", answer_text),
    [IA_WIRE_ANSWER_TARGET_INFO] = SHAPE(S, "TargetInfo", answer_text),
};
#undef S
