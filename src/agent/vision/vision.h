/* vision.h: tools that go by the picture of the screen: marks and points, text on pictures, questions
 * about them. For what a tree does not tell: canvases, games, apps without accessibility.
 *
 *     capture_screen ─► picture with numbers ─► tap_mark ─► same pixels? same element under it?
 *                                                                 │ yes            │ no: refused
 *                                                                 ▼
 *                                              effect, once ─► what changed on tree and picture
 *
 * One pixel is one point. The numbers of a picture are refs: an element has its own, and what is no
 * element gets one that no element will ever have. They are good until the screen changes, or the next
 * capture; what tells the time at the top of the screen, and a cursor, are no change.
 *
 * A point is no way around rules: the session asks the app lock, and the tree says which element
 * lies under the point (driver/session/session.h). */
#ifndef IA_AGENT_VISION_VISION_H
#define IA_AGENT_VISION_VISION_H

#include "agent/tools/act.h"
#include "agent/toolset/toolset.h"

struct ia_vision;

/* One for each run: it remembers the marks. IA_E_CONFIG where a built-in text is not what it should be.
 * Free with ia_vision_free; NULL is fine. */
enum ia_rc ia_vision_new(struct ia_vision **ret, struct ia_err *err);
void ia_vision_free(struct ia_vision *v);

/* The tools; borrowed from v. */
const struct ia_tool_def *ia_vision_tools(const struct ia_vision *v, size_t *ret_count);
/* Adds them all. */
enum ia_rc ia_vision_add(struct ia_vision *v, struct ia_toolset *t, struct ia_err *err);
/* What an agent with these tools is told of them. */
struct ia_str ia_vision_instructions(void);

/* The tool by which runs can be told to have them. */
#define IA_VISION_READ_TEXT "read_text"

#endif
