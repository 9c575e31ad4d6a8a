/* policy.h: which rules of the user's policy a call meets, and what they say.
 *
 *     call, element, fresh screen ──► rules that match ──► the strictest answer: allow, ask, deny
 *
 * By rule and never by the model's word: only the tool, its checked input, the element that it acts on and the screen
 * count. What an element does is told by structure where there is one (a password field, an alert of the
 * system, a URL's scheme, the app in front), else by the words on it, in the languages of words.json, and by
 * the developer's identifier. Where it is unclear, a rule matches: a needless question costs a person a moment.
 *
 *     apps             an app that is not in policy.apps is touched, opened or ended
 *     buy              what costs money
 *     send             what reaches other people: messages, posts, calls
 *     delete           what is gone afterwards
 *     permissions      an alert that grants an app something, and the switches for that in Settings
 *     external_links   URLs and links that lead to another app
 *     secret_fields    password fields, and text that types a secret
 *
 * Pure, but for the table of words, which is read once. Any thread. */
#ifndef IA_AGENT_POLICY_POLICY_H
#define IA_AGENT_POLICY_POLICY_H

#include "agent/prompts/prompts.h"
#include "driver/snapshot/snapshot.h"

/* X(id, "name") */
#define IA_POLICY_RULE_LIST(X)                                                                 \
    X(APPS, "apps")                                                                            \
    X(BUY, "buy")                                                                              \
    X(SEND, "send")                                                                            \
    X(DELETE, "delete")                                                                        \
    X(PERMISSIONS, "permissions")                                                              \
    X(EXTERNAL_LINKS, "external_links")                                                        \
    X(SECRET_FIELDS, "secret_fields")

enum ia_policy_rule {
#define IA_POLICY_ENUM(id, name) IA_POLICY_##id,
    IA_POLICY_RULE_LIST(IA_POLICY_ENUM)
#undef IA_POLICY_ENUM
        IA_POLICY_RULE_COUNT
};
const char *ia_policy_rule_name(enum ia_policy_rule rule);

/* In the order of their strictness. */
enum ia_policy_answer { IA_POLICY_ALLOW, IA_POLICY_ASK, IA_POLICY_DENY, IA_POLICY_ANSWER_COUNT };
const char *ia_policy_answer_name(enum ia_policy_answer answer);

enum { IA_POLICY_APPS_BYTES = 4096, IA_POLICY_LINES_MAX = IA_POLICY_RULE_COUNT };
struct ia_policy {
    enum ia_policy_answer answer[IA_POLICY_RULE_COUNT]; /* that of apps is given by the list */
    char apps[IA_POLICY_APPS_BYTES]; /* bundle ids with commas or spaces between; "": all */
    int ask_timeout_s;               /* 0: never */
};
/* Whether nothing is asked about or denied. */
bool ia_policy_is_open(const struct ia_policy *p);
/* Makes p stricter by a line "delete=ask"; a line that says less changes nothing. IA_E_USAGE for another
 * line; apps have no line. p may be NULL: the line is only checked. */
enum ia_rc ia_policy_add(struct ia_policy *p, const char *line, struct ia_err *err);

/* A call that is about to be made. Borrowed. */
struct ia_policy_act {
    enum ia_tool tool;   /* IA_TOOL_COUNT: a tool of a skill, by its name */
    const char *name;    /* of the tool */
    const json_t *input; /* checked */
    const struct ia_snapshot *screen; /* fresh; NULL where it could not be read */
    const struct ia_element *target;  /* on that screen; NULL: none */
};
/* The rules that match, as bits 1 << rule. */
unsigned ia_policy_match(const struct ia_policy *p, const struct ia_policy_act *act);
/* What the matching rules say together; *ret_rule is the strictest of them (only beside ask and deny). */
enum ia_policy_answer ia_policy_judge(const struct ia_policy *p, unsigned rules,
                                      enum ia_policy_rule *ret_rule);

/* Whether the text, of a button and the like, has words of the rule. For tests and the table itself. */
bool ia_policy_says(enum ia_policy_rule rule, struct ia_str text, bool whole_text);

#endif
