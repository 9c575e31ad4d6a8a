/* tables.h: the tables of fields, which the codec and the documentation read. Private to
 * wire/. */
#ifndef IA_WIRE_TABLES_H
#define IA_WIRE_TABLES_H

#include "wire/wire.h"

#define IA_WIRE_COUNTOF(array) (sizeof(array) / sizeof((array)[0]))

/* A row of a table; S is the struct. The first is a member of one value, the second of one that
 * has a cap, the third a list whose count is in the member `<m>_n`, then a part inside the
 * struct, and a part that it points at. */
#define ROW_(S, m, k, size, at_n, max, each, shape, summary)                                   \
    {                                                                                          \
#m, IA_WIRE_K_##k, (uint32_t)offsetof(S, m), at_n, (uint32_t)(size), max, each, shape, \
            summary                                                                            \
    }
#define ROW_SIZE(S, m) sizeof(((S *)0)->m)
#define ROW(S, m, k, summary) ROW_(S, m, k, ROW_SIZE(S, m), 0, 0, 0, NULL, summary)
#define ROW_MAX(S, m, k, max, summary) ROW_(S, m, k, ROW_SIZE(S, m), 0, max, 0, NULL, summary)
#define ROW_LIST(S, m, k, max, each, shape, summary)                                           \
    ROW_(S, m, k, sizeof(void *), (uint32_t)offsetof(S, m##_n), max, each, shape, summary)
#define ROW_PART(S, m, shape, summary) ROW_(S, m, PART, ROW_SIZE(S, m), 0, 0, 0, shape, summary)
#define ROW_OPART(S, m, shape, summary)                                                        \
    ROW_(S, m, OPART, sizeof(void *), 0, 0, 0, shape, summary)

#define SHAPE(type, title, fields)                                                             \
    {                                                                                          \
        title, sizeof(type), fields, IA_WIRE_COUNTOF(fields)                                   \
    }

extern const struct ia_wire_shape ia_wire_part_node, ia_wire_part_signature,
    ia_wire_part_selector, ia_wire_part_target, ia_wire_part_pair, ia_wire_part_app,
    ia_wire_part_alert, ia_wire_part_issue;

/* Requests and replies without a body. */
extern const struct ia_wire_shape ia_wire_empty;

extern const struct ia_wire_shape ia_wire_hello_shape, ia_wire_health_shape,
    ia_wire_cancel_shape, ia_wire_info_shape, ia_wire_tree_shape, ia_wire_find_shape,
    ia_wire_act_shape, ia_wire_wait_shape, ia_wire_text_shape, ia_wire_typed_shape,
    ia_wire_mode_shape, ia_wire_state_shape, ia_wire_apps_shape, ia_wire_alerts_shape,
    ia_wire_alert_act_shape, ia_wire_pasteboard_shape, ia_wire_audit_shape,
    ia_wire_screenshot_shape, ia_wire_native_shape, ia_wire_batch_shape;

extern const struct ia_wire_shape ia_wire_answer_texts[]; /* by enum ia_wire_answer_kind */

#endif
