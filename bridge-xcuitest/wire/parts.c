/* parts.c: the fields of the parts that several messages share. */
#include "wire/tables.h"

#define S struct ia_wire_node
static const struct ia_wire_field node_fields[] = {
    ROW(S, depth, U16, "0 for the root; at most one more than that of the previous node"),
    ROW(S, type, U16, "number of XCUIElementType, 0-82"),
    ROW(S, flags, U16,
        "1 enabled, 2 selected, 4 focused, 8 header, 16 invisible, 32 adjustable, 64 hinted, "
        "256 hittable, 512 hittable is known, 1024 children were left out"),
    ROW(S, frame, RECT, "in points of the screen"),
    ROW_MAX(S, identifier, OSTR, IA_WIRE_TEXT_MAX, ""),
    ROW_MAX(S, label, OSTR, IA_WIRE_TEXT_MAX, ""),
    ROW_MAX(S, value, OSTR, IA_WIRE_TEXT_MAX, ""),
    ROW_MAX(S, placeholder, OSTR, IA_WIRE_TEXT_MAX, ""),
};
const struct ia_wire_shape ia_wire_part_node = SHAPE(S, "node", node_fields);
#undef S

#define S struct ia_wire_signature
static const struct ia_wire_field signature_fields[] = {
    ROW_MAX(S, identifier, OSTR, IA_WIRE_TEXT_MAX, ""),
    ROW_MAX(S, label, OSTR, IA_WIRE_TEXT_MAX, ""),
    ROW(S, type, U16, "number of XCUIElementType"),
    ROW_LIST(S, path, U16S, IA_WIRE_DEPTH_MAX, 0, NULL,
             "child numbers from the root, in a tree with default options"),
    ROW(S, frame, RECT, "where it was"),
    ROW(S, ordinal, U16, "its index among nodes of equal type, identifier and label"),
    ROW(S, count, U16, "how many of those there were; 0: unknown"),
};
const struct ia_wire_shape ia_wire_part_signature = SHAPE(S, "signature", signature_fields);
#undef S

#define S struct ia_wire_selector
static const struct ia_wire_field selector_fields[] = {
    ROW_MAX(S, match, ENUM, IA_WIRE_GLOB,
            "0 the whole text, 1 a part of it (ignoring ASCII case), 2 a glob with * and ?"),
    ROW_MAX(S, identifier, OSTR, IA_WIRE_TEXT_MAX, ""),
    ROW_MAX(S, label, OSTR, IA_WIRE_TEXT_MAX, ""),
    ROW_MAX(S, value, OSTR, IA_WIRE_TEXT_MAX, ""),
    ROW_MAX(S, text, OSTR, IA_WIRE_TEXT_MAX, "identifier or label"),
    ROW(S, type, U16, "number of XCUIElementType; 0: any"),
    ROW(S, index, U16, "0-based among the matches; 65535: exactly one must match"),
};
const struct ia_wire_shape ia_wire_part_selector = SHAPE(S, "selector", selector_fields);
#undef S

#define S struct ia_wire_target
static const struct ia_wire_field target_fields[] = {
    ROW_OPART(S, signature, &ia_wire_part_signature, "an element of an earlier tree"),
    ROW_OPART(S, selector, &ia_wire_part_selector, "or a description of it"),
};
const struct ia_wire_shape ia_wire_part_target = SHAPE(S, "target", target_fields);
#undef S

#define S struct ia_wire_pair
static const struct ia_wire_field pair_fields[] = {
    ROW_MAX(S, name, STR, IA_WIRE_NAME_MAX, ""),
    ROW_MAX(S, value, STR, IA_WIRE_TEXT_MAX, ""),
};
const struct ia_wire_shape ia_wire_part_pair = SHAPE(S, "pair", pair_fields);
#undef S

#define S struct ia_wire_app
static const struct ia_wire_field app_fields[] = {
    ROW_MAX(S, bundle_id, STR, IA_WIRE_NAME_MAX, ""),
    ROW_MAX(S, name, STR, IA_WIRE_NAME_MAX, "as shown to people"),
    ROW_MAX(S, state, ENUM, IA_WIRE_APP_FOREGROUND,
            "0 unknown, 1 not running, 2 suspended, 3 background, 4 foreground"),
};
const struct ia_wire_shape ia_wire_part_app = SHAPE(S, "app", app_fields);
#undef S

#define S struct ia_wire_alert
static const struct ia_wire_field alert_fields[] = {
    ROW_MAX(S, owner, ENUM, IA_WIRE_OWNER_APP, "1 the system, 2 the app"),
    ROW_MAX(S, title, STR, IA_WIRE_TEXT_MAX, ""),
    ROW_MAX(S, text, STR, IA_WIRE_TEXT_MAX, ""),
    ROW_LIST(S, buttons, STRS, IA_WIRE_BUTTONS_MAX, IA_WIRE_TEXT_MAX, NULL,
             "in their order on the screen"),
    ROW(S, frame, RECT, ""),
};
const struct ia_wire_shape ia_wire_part_alert = SHAPE(S, "alert", alert_fields);
#undef S

#define S struct ia_wire_issue
static const struct ia_wire_field issue_fields[] = {
    ROW(S, type, U64, "one bit of XCUIAccessibilityAuditType"),
    ROW_MAX(S, summary, STR, IA_WIRE_TEXT_MAX, ""),
    ROW_MAX(S, detail, STR, IA_WIRE_TEXT_MAX, ""),
    ROW_OPART(S, element, &ia_wire_part_node, "the element, if the audit names one"),
};
const struct ia_wire_shape ia_wire_part_issue = SHAPE(S, "issue", issue_fields);
#undef S

const struct ia_wire_shape ia_wire_empty = {"empty", 0, NULL, 0};

const struct ia_wire_shape *ia_wire_part_at(size_t i)
{
    static const struct ia_wire_shape *const parts[] = {
        &ia_wire_part_node,   &ia_wire_part_signature, &ia_wire_part_selector,
        &ia_wire_part_target, &ia_wire_part_pair,      &ia_wire_part_app,
        &ia_wire_part_alert,  &ia_wire_part_issue,
    };
    return i < IA_WIRE_COUNTOF(parts) ? parts[i] : NULL;
}
