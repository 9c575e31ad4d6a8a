/* policy.h: which rules of the user's policy a call matches, and what they say.
 *
 *     call, element, fresh screen ──► rules that match ──► the strictest answer: allow, ask, deny
 *
 * The model's words never count, only the tool, its checked input, the element that it acts on, and the screen. What an
 * element does is told by structure where there is one (a password field, an alert of the system, a URL's scheme, the
 * app in front), else by the words on it, in the languages of words.json, and by the developer's identifier. Where it
 * is unclear, a rule matches: a needless question costs a person a moment.
 *
 *     apps             an app that is not in policy.apps is touched, launched, ended, or opened by a URL
 *     tools            the tool is in policy.ask_tools or policy.deny_tools
 *     buy              what costs money
 *     send             what reaches other people: messages, posts, calls
 *     delete           what is gone afterwards
 *     permissions      an alert that grants an app something, and the switches for that in Settings
 *     external_links   URLs and links that lead to another app
 *     secret_fields    password fields, and text that types a secret
 *     suspicious       anything with an effect, once the run was shown text that gives orders (suspect.h); scrolling
 *                      apart
 *
 * Pure, but for the table of words, which is read once. Any thread. */
#ifndef IA_AGENT_POLICY_POLICY_H
#define IA_AGENT_POLICY_POLICY_H

#include "agent/prompts/prompts.h"
#include "base/config.h"
#include "driver/snapshot/snapshot.h"

/* X(id, "name") */
#define IA_POLICY_RULE_LIST(X)                                                                 \
    X(APPS, "apps")                                                                            \
    X(TOOLS, "tools")                                                                          \
    X(BUY, "buy")                                                                              \
    X(SEND, "send")                                                                            \
    X(DELETE, "delete")                                                                        \
    X(PERMISSIONS, "permissions")                                                              \
    X(EXTERNAL_LINKS, "external_links")                                                        \
    X(SECRET_FIELDS, "secret_fields")                                                          \
    X(SUSPICIOUS, "suspicious")

enum ia_policy_rule {
#define IA_POLICY_ENUM(id, name) IA_POLICY_##id,
    IA_POLICY_RULE_LIST(IA_POLICY_ENUM)
#undef IA_POLICY_ENUM
        IA_POLICY_RULE_COUNT
};
const char *ia_policy_rule_name(enum ia_policy_rule rule);

/* In the order of their strictness. */
enum ia_policy_answer {
    IA_POLICY_ALLOW,
    IA_POLICY_ASK,
    IA_POLICY_DENY,
    IA_POLICY_ANSWER_COUNT
};

enum { IA_POLICY_LIST_BYTES = IA_CONFIG_VALUE_MAX + 1 };
struct ia_policy {
    enum ia_policy_answer
        answer[IA_POLICY_RULE_COUNT]; /* not of apps and tools: their lists say it */
    /* Lists with commas or spaces between; "": empty. */
    char apps[IA_POLICY_LIST_BYTES];      /* bundle ids that may be used; "": all */
    char ask_tools[IA_POLICY_LIST_BYTES]; /* "tool", "skill:tool" or "skill:*" */
    char deny_tools[IA_POLICY_LIST_BYTES];
    int ask_seconds; /* a question that is older counts as denied; 0: never */
    /* JSON object, as `notify` of a schedule (store/schedules.h): who is told of a question; "": nobody */
    char notify[2 * IA_POLICY_LIST_BYTES];
};
/* The rule of that name gets the answer of that name if it is stricter than what it has. Another answer counts as
 * "deny"; NULL, or a name that is no rule's: nothing changes. */
void ia_policy_tighten(struct ia_policy *p, const char *rule, const char *answer);
/* Whether nothing is asked about or denied, in a run that was (not) shown text that gives orders. */
bool ia_policy_is_open(const struct ia_policy *p, bool suspicious);

/* A call that is about to be made. Borrowed. */
struct ia_policy_act {
    enum ia_tool tool;   /* IA_TOOL_COUNT: a tool that is not the device's, by its name */
    const char *name;    /* of the tool */
    const char *skill;   /* whose it is; NULL: of none */
    const json_t *input; /* checked */
    const struct ia_snapshot *screen; /* fresh; NULL where it could not be read */
    const struct ia_element *target;  /* on that screen; NULL: none */
    bool suspicious;                  /* the run was shown text that gives orders */
};
/* The rules that match, as bits 1 << rule, whatever the policy answers. */
unsigned ia_policy_match(const struct ia_policy *p, const struct ia_policy_act *act);
/* What the policy says of a call; *ret_rule is the rule that says so (only beside ask and deny). */
enum ia_policy_answer ia_policy_judge(const struct ia_policy *p,
                                      const struct ia_policy_act *act,
                                      enum ia_policy_rule *ret_rule);

#endif
