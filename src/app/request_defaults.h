/* request_defaults.h: what a request does not say, from the configuration. */
#ifndef IA_APP_REQUEST_DEFAULTS_H
#define IA_APP_REQUEST_DEFAULTS_H

#include "agent/goal/request.h"
#include "base/config.h"

/* Fills what is NULL or 0: device, app, model, verifier_model, effort, verify, pictures, each limit of
 * the budget, answer_tokens. policy becomes stricter by what the project's file, the environment and flags say. A request thus cannot lift a limit that is configured, only set another.
 * The model is that of the agent (NULL: none is named; from ia_agent_find), unless run.model was set
 * by a flag; the request's agent becomes the agent's name. Borrows from both. */
void ia_run_request_defaults(const struct ia_config *config,
                             const struct ia_config_agent *agent,
                             struct ia_run_request *request);

/* Fills plan from run.plan, for runs that plan: those of a sweep and replays do not. Called before ia_run_request_defaults,
 * as a plan that the configuration wants gives way to a replay that is asked for, and keeps off one that is only
 * configured. An option beside a replay stays, and the run refuses both. */
void ia_run_request_plan(const struct ia_config *config, struct ia_run_request *request);

/* True if a healed run is no success: as run.strict says, or with auto if the variable CI is set. */
bool ia_run_strict(const struct ia_config *config);

#endif
