/* policy_now.h: the policy of the settings as they are now. */
#ifndef IA_APP_POLICY_NOW_H
#define IA_APP_POLICY_NOW_H

#include "agent/policy/policy.h"
#include "app/setup.h"

/* Any thread. */
void ia_policy_now(const struct ia_setup *setup, struct ia_policy *ret);

#endif
