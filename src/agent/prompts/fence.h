/* fence.h: marks the text of a screen as data.
 *
 *     <screen k7f3m2qa>
 *     12 button Done
 *     </screen k7f3m2qa>
 *
 * The boundary is random for each run and taken out of the text between, so nothing that an app
 * shows can end its own fence and speak as this program. Pure; any thread. */
#ifndef IA_AGENT_PROMPTS_FENCE_H
#define IA_AGENT_PROMPTS_FENCE_H

#include "base/buf.h"
#include "base/rand.h"

enum { IA_BOUNDARY_SIZE = 9 };

/* Of a text that shows a screen. */
#define IA_RESULT_BYTES_MAX ((size_t)256 << 10)

/* Eight letters and digits. */
void ia_fence_boundary(const struct ia_rand *rand, char ret[IA_BOUNDARY_SIZE]);

/* Appends text between the boundary's lines, without the boundary. */
void ia_fence(struct ia_buf *out, const char *boundary, struct ia_str text);
/* The same between `<data B>` and `</data B>`: what does not come from the screen but from
 * elsewhere outside, such as a web page, a program, another agent. */
void ia_fence_data(struct ia_buf *out, const char *boundary, struct ia_str text);
/* The same between `<skill B>` and `</skill B>`: instructions that the user lets somebody else give. */
void ia_fence_skill(struct ia_buf *out, const char *boundary, struct ia_str text);

#endif
