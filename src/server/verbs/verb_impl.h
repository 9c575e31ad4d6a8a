/* verb_impl.h: what the verbs' files share. */
#ifndef IA_SERVER_VERBS_VERB_IMPL_H
#define IA_SERVER_VERBS_VERB_IMPL_H

#include "agent/goal/expect.h"
#include "agent/prompts/prompts.h"
#include "server/verbs/verbs.h"

enum { IA_VERB_TEXT_MAX = 1 << 20 };

/* A verb at work. */
struct ia_verb_call {
    const struct ia_verb_request *request;
    const struct ia_args *args;
    struct ia_hub *hub;
    struct ia_hub_lane *lane;
    struct ia_deadline deadline;
    char element[512]; /* what it was done with, as a line: "9 field Name"; "": nothing */
    bool has_secret;   /* ia_verb_has_secret */
};

/* How a person names an element, for a hint. */
#define IA_VERB_HINT_ELEMENT                                                                   \
    "an element is 12, \"label\", role \"label\", role, #identifier, or focused"
/* verb_element.c: the element that a text names, "12", "@e12", a selector, or "focused" for the one
 * with the keyboard focus, on a fresh screen; a selector must fit exactly one. IA_E_NOT_FOUND, IA_E_AMBIGUOUS with the candidates, and for a ref as
 * ia_snapshot_resolve. *ret_ref is never 0. */
enum ia_rc ia_verb_element(struct ia_verb_call *call, const char *text, uint32_t *ret_ref,
                           struct ia_err *err);
/* IA_E_AMBIGUOUS where several elements of a fresh screen match; none is fine. */
enum ia_rc ia_verb_at_most_one(struct ia_verb_call *call, const char *text,
                               const struct ia_selector *sel, struct ia_err *err);
/* Says what on the screen fits the selector, or nearly does, or could be acted on. */
void ia_verb_near(const struct ia_snapshot *s, const struct ia_selector *sel,
                  struct ia_buf *out);
/* A selector as people write it: a word without quotes is a label. */
enum ia_rc ia_verb_selector(const char *text, struct ia_selector *ret, struct ia_err *err);
/* The same as text: a word that is no selector between quotes, anything else as it is. */
void ia_verb_quote(const char *text, struct ia_buf *ret);
/* Reads "120,300.5": two finite numbers and nothing else. */
bool ia_verb_pair(const char *text, double *ret_first, double *ret_second);
/* The word's index in a list ended by NULL, or -1. */
int ia_verb_index(const char *const *words, const char *word);
/* Names who drove the device since, where that is why a ref is stale. */
enum ia_rc ia_verb_explain(const struct ia_verb_call *call, enum ia_rc rc, struct ia_err *err);

/* verb_act.c: does what a tool of the agent does, and writes what changed. did is the word for it,
 * "tapped"; about is what it was done with, NULL for the element. */
enum ia_rc ia_verb_tool(struct ia_verb_call *call, enum ia_tool tool, json_t *input,
                        const char *did, const char *about, struct ia_verb_result *ret,
                        struct ia_err *err);
/* The last part of every acting verb: what changed since the readers of this lane were last shown
 * something, and the result. element may be "". */
void ia_verb_changes(struct ia_verb_call *call, const char *did, const char *element,
                     struct ia_verb_result *ret);

/* verb_told.c: whether a text among the arguments has a stored secret in it. */
bool ia_verb_has_secret(const struct ia_verb_call *call);
/* Tells who watches of a command that begins on that lane, and how it ended. */
int64_t ia_verb_tell_begin(const struct ia_verb_call *call, const char *lane);
void ia_verb_tell_end(const struct ia_verb_call *call, int64_t n, enum ia_rc rc,
                      const struct ia_verb_result *ret, const struct ia_err *err);

/* verb_check.c: IA_E_USAGE: what the verb needs behind a word of its own. */
enum ia_rc ia_verb_needs(struct ia_err *err, const char *verb, const char *what,
                         const char *value);
/* IA_E_USAGE unless the text begins as an expectation does. */
enum ia_rc ia_verb_check_kind(const char *what, struct ia_err *err);
/* Both words (element may be NULL) as one expectation, of a kind that one screen can answer. Release
 * with ia_expect_fini. */
enum ia_rc ia_verb_expectation(const char *what, const char *element, struct ia_expect *ret,
                               struct ia_err *err);

/* Of verbs.c, ia_verb_check. */
enum ia_rc ia_verb_check_alert(const struct ia_args *a, struct ia_err *err);
enum ia_rc ia_verb_check_is(const struct ia_args *a, struct ia_err *err);
enum ia_rc ia_verb_check_push(const struct ia_args *a, struct ia_err *err);
enum ia_rc ia_verb_check_record(const struct ia_args *a, struct ia_err *err);

#define IA_VERB_FN(id, name, operands, flags, summary, examples)                               \
    enum ia_rc ia_verb_do_##id(struct ia_verb_call *call, struct ia_verb_result *ret,          \
                               struct ia_err *err);
IA_VERB_LIST(IA_VERB_FN)
IA_VERB_APP_LIST(IA_VERB_FN)
#undef IA_VERB_FN

#endif
