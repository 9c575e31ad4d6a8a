/* app_sdk.h: what an app that carries the SDK (sdk/) puts into its accessibility tree: one element
 * with its state, and identifiers for views that have none.
 *
 * The state's element is called IA_SDK_STATE and has a JSON object as its value (agent/goal/app_state.h
 * has the form). It is no part of the screen: snapshots leave it out.
 *
 * A generated identifier says where a view stands: "ia~" and the steps to it, each a type and its
 * number among siblings of that type, "ia~CartView/UIStackView0/UILabel1"; for a cell, its section
 * and row, "ia~CartView/UITableView0/cell[0,3]". So it belongs to a place and not to what stands
 * there: after a list has lost a row, it belongs to the next one. It costs tokens and names nothing, so
 * snapshots do not show it, and nothing treats it as a name that a developer gave. Its only use is to tell
 * apart elements that look the same within a row (driver/snapshot/refs.c). */
#ifndef IA_DRIVER_APP_SDK_H
#define IA_DRIVER_APP_SDK_H

#include "driver/tree.h"

#define IA_SDK_STATE "ios-agent.state"
#define IA_SDK_GENERATED "ia~"
/* Longer ones end in "~" and 16 hexadecimal digits of a hash: XCTest refuses to look for identifiers
 * of more than 128 characters. */
enum { IA_SDK_IDENTIFIER_MAX = 120 };

/* False for NULL. */
bool ia_sdk_generated(const char *identifier);
/* A number for the place that a generated identifier names, without sections and rows, so that it is the same
 * in every row of a list. 0 for other identifiers, and for one that was shortened. */
uint64_t ia_sdk_place(const char *identifier);
/* Whether that node is the state's element: a leaf with that identifier outside of web views, whose
 * pages can give their elements any name. */
bool ia_sdk_is_state(const struct ia_node *n);

#endif
