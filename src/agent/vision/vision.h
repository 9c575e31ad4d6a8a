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
 * capture. Points and lines are of the last look that the model was told of, and are refused in the same way. What tells the time at the top of the screen, and a cursor, are no change.
 *
 * A point is no way around rules: the session asks the app lock, and the tree says which element
 * lies under the point (driver/session/session.h). */
#ifndef IA_AGENT_VISION_VISION_H
#define IA_AGENT_VISION_VISION_H

#include "agent/toolset/skill.h"

#define IA_VISION "vision"
extern const struct ia_skill ia_skill_vision;

#endif
