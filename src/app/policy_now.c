/* policy_now.c: the policy of the settings as they are now. */
#include "app/policy_now.h"

#include "app/live_config.h"

#include <stdio.h>

void ia_policy_now(const struct ia_setup *setup, struct ia_policy *ret)
{
    static const struct {
        enum ia_policy_rule rule;
        enum ia_config_key key;
    } rules[] = {
        {IA_POLICY_BUY, IA_CFG_POLICY_BUY},
        {IA_POLICY_SEND, IA_CFG_POLICY_SEND},
        {IA_POLICY_DELETE, IA_CFG_POLICY_DELETE},
        {IA_POLICY_PERMISSIONS, IA_CFG_POLICY_PERMISSIONS},
        {IA_POLICY_EXTERNAL_LINKS, IA_CFG_POLICY_EXTERNAL_LINKS},
        {IA_POLICY_SECRET_FIELDS, IA_CFG_POLICY_SECRET_FIELDS},
    };
    const struct ia_config *config = ia_config_take(setup);
    *ret = (struct ia_policy){.ask_timeout_s =
                                  (int)ia_config_int(config, IA_CFG_POLICY_ASK_TIMEOUT_S)};
    for (size_t i = 0; i < IA_COUNTOF(rules); i++) {
        ret->answer[rules[i].rule] =
            (enum ia_policy_answer)ia_config_int(config, rules[i].key);
    }
    (void)snprintf(ret->apps, sizeof(ret->apps), "%s", ia_config_str(config, IA_CFG_POLICY_APPS));
    ia_config_give_back(setup, config);
}
