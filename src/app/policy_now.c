/* policy_now.c: the policy of the settings as they are now. */
#include "app/policy_now.h"

#include "agent/schedule/notify.h"
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
        {IA_POLICY_SUSPICIOUS, IA_CFG_POLICY_SUSPICIOUS},
    };
    const struct {
        char *to;
        enum ia_config_key key;
    } lists[] = {
        {ret->apps, IA_CFG_POLICY_APPS},
        {ret->ask_tools, IA_CFG_POLICY_ASK_TOOLS},
        {ret->deny_tools, IA_CFG_POLICY_DENY_TOOLS},
    };
    const struct ia_config *config = ia_config_take(setup);
    *ret = (struct ia_policy){.ask_seconds =
                                  (int)ia_config_int(config, IA_CFG_POLICY_ASK_SECONDS)};
    for (size_t i = 0; i < IA_COUNTOF(rules); i++) {
        ret->answer[rules[i].rule] = (enum ia_policy_answer)ia_config_int(config, rules[i].key);
    }
    for (size_t i = 0; i < IA_COUNTOF(lists); i++) {
        (void)snprintf(lists[i].to, IA_POLICY_LIST_BYTES, "%s",
                       ia_config_str(config, lists[i].key));
    }
    const char *notify = ia_config_str(config, IA_CFG_POLICY_NOTIFY);
    struct ia_buf target = IA_BUF(sizeof(ret->notify));
    if (notify[0] != '\0') {
        ia_notify_target(notify, &target);
        (void)snprintf(ret->notify, sizeof(ret->notify), "%s", ia_buf_cstr(&target));
    }
    ia_buf_fini(&target);
    ia_config_give_back(setup, config);
}
