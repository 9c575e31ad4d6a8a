/* adapt.h: other tools' accessibility trees become the canonical tree.
 *
 * Bytes come from files and sockets and are not trusted: size, depth and number of elements are
 * capped (tree.h), and what does not fit marks the tree truncated. So does a tree that ends at
 * the depth at which its maker cuts silently: WebDriverAgent's snapshotMaxDepth of 50, the
 * bridge's 30. A byte or escape that is no character becomes U+FFFD and is counted in the tree
 * (ia_tree_repaired). Any thread.
 *
 * Shapes:
 *   axe       AXe 1.x `describe-ui`: [node], {"elements":[node]} or node; also idb's flat list, whose
 *             first node is the application. A node has type, role,
 *             subrole, AXLabel, AXValue, AXUniqueId, frame{x,y,width,height} or
 *             AXFrame "{{x, y}, {w, h}}", enabled, traits[], children[]
 *   wda-xml   WebDriverAgent 16 `GET /source?format=xml`: elements named XCUIElementTypeX with
 *             type, value, name, label, enabled, visible, x, y, width, height,
 *             placeholderValue, traits; as XML, or in the {"value":"<?xml …"} that came over HTTP
 *   wda-json  the same with format=json: type, rawIdentifier, name, value, label, rect,
 *             isEnabled and isVisible as "1" or "0", traits "Button, Selected",
 *             placeholderValue; bare or in {"value":{…}}
 *   bridge    UIElementJSON, one element or a list of them: type, role, AXUniqueId, AXLabel,
 *             AXValue, frame, children, hittable. The last is not used: it is null in whole
 *             trees, and snapshots find free points themselves */
#ifndef IA_DRIVER_ADAPT_ADAPT_H
#define IA_DRIVER_ADAPT_ADAPT_H

#include "driver/tree.h"

enum ia_source {
    IA_SOURCE_AXE,
    IA_SOURCE_WDA_XML,
    IA_SOURCE_WDA_JSON,
    IA_SOURCE_BRIDGE,
    IA_SOURCE_COUNT
};

/* Larger documents are refused. */
#define IA_ADAPT_BYTES_MAX ((size_t)16 << 20)

/* "axe", "wda-xml", "wda-json", "bridge". */
/* Their names, as an option lists them. */
#define IA_SOURCE_NAMES "axe|wda-xml|wda-json|bridge"
const char *ia_source_name(enum ia_source source);
/* IA_SOURCE_COUNT when there is none of that name. */
enum ia_source ia_source_from_name(const char *name);

/* Reads a whole tree; the caller frees it. Errors, each with its cause and what to do:
 *   IA_E_TREE_MALFORMED  no such document, or one without elements' fields; where it breaks
 *   IA_E_TREE_EMPTY      a sound document without an element, or in which none has an area
 *   IA_E_LIMIT           more than IA_ADAPT_BYTES_MAX
 *   IA_E_DEVICE          the maker answered with an error of its own instead of a tree
 *   IA_E_MISSING         libxml2 cannot be loaded (wda-xml) */
enum ia_rc ia_adapt(enum ia_source source, struct ia_str bytes, struct ia_tree **ret,
                    struct ia_err *err);
/* The same of a WebDriverAgent whose snapshotMaxDepth is known: a tree as deep as `depth` allows is
 * truncated by that limit. 0: as above. */
enum ia_rc ia_adapt_limited(enum ia_source source, struct ia_str bytes, int depth,
                            struct ia_tree **ret, struct ia_err *err);

#endif
