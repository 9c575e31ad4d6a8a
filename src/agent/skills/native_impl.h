/* native_impl.h: what the skills native and shortcuts share.
 *
 *     tool, input ─► row of native.c ─► native action (driver/native.h) ─► the session ─► the device
 *                └─► shortcuts.c: a link, and what the pasteboard says after
 *
 * What a device cannot do, and what its owner does not permit, is its own refusal. Where the phone asks its
 * owner, the call did nothing and the result shows the question. A run that is locked to an app reaches
 * the data of that app and those that the goal names, no other (env->allows). Answers are fenced as
 * data. Only reading is repeated after a crash. */
#ifndef IA_AGENT_SKILLS_NATIVE_IMPL_H
#define IA_AGENT_SKILLS_NATIVE_IMPL_H

#include "agent/tools/act.h"
#include "agent/toolset/skill.h"

/* shortcuts.c: tools that are no native action. */
ia_tool_call_fn ia_native_message, ia_native_run_shortcut, ia_native_create_shortcut_url;
/* Whether the link is opened, too. */
bool ia_native_imports(const json_t *input);

#endif
