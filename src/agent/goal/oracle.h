/* oracle.h: checks whether a run left the phone in the state that the goal's `oracle` asks for. Code compares
 * the phone's own state before and after the run (`ios-agent embedded state`); neither the model nor the
 * verifier sees the rules.
 *
 *     rule  = "is" PATH "=" VALUE    the path finds exactly one thing with that value
 *           / "has" PATH "=" TEXT    … exactly one text that contains it, or a list that has it
 *           / "gone" PATH            … nothing
 *           / "count" PATH "=" N     … N things
 *           / "same" PATH            … what it found before the run
 *           / "free" PATH            … anything: it may have changed
 *           / "answer" WORDS         the run's summary contains them, as whole words
 *           / "seen" WORDS           a screen that the run looked at, or that one of its acts led to, contains them
 *     PATH  = NAME [ "[" FIELD ( "=" / "~=" ) text "]" ] { "." … }
 *     VALUE = TEXT / number / true / false / null / "day" N / WAS
 *     WORDS = TEXT / a list of TEXT, of which one is enough / WAS (of an answer)
 *     WAS   = "was" PATH [ ( "+" / "-" ) number ]    what was there before the run; of a list, how many. May
 *                                                    stand for the TEXT of has
 *     TEXT  = in double quotes, as in JSON
 *
 * [FIELD=text] chooses from a list, ~= by a part of the text; case does not matter. "day 1" is the date of
 * the day after the run began. Whatever no rule names must be unchanged: a goal that is done together with
 * something else is not done. The phone's place (app, screen, alert, notifications, clock) is compared only
 * where a rule names it. Pure; any thread. */
#ifndef IA_AGENT_GOAL_ORACLE_H
#define IA_AGENT_GOAL_ORACLE_H

#include "base/buf.h"
#include "base/err.h"

enum { IA_ORACLE_BYTES_MAX = 500, /* of a rule */ IA_ORACLE_SEEN_MAX = 16 << 20 };

/* Checks the syntax of a rule, and that its paths name parts that a phone's state can have: state is the JSON of a
 * phone with at least one of each thing; NULL checks no paths. IA_E_PARSE: the message names the mistake. */
enum ia_rc ia_oracle_check(const char *rule, const char *state, struct ia_err *err);
/* Whether the rule says what a run must have said or seen. */
bool ia_oracle_tells_why(const char *rule);

/* What is judged. Borrowed. */
struct ia_oracle_run {
    const char *before, *after; /* the phone's states as JSON */
    const char *answer;         /* the run's summary, or NULL */
    const char *seen; /* texts of its screens, below IA_ORACLE_SEEN_MAX bytes, or NULL */
};

/* Judges n rules. Appends one line to wrong for each violation; *ret_holds is true if there is none. IA_E_PARSE: a
 * rule or a state cannot be read. */
enum ia_rc ia_oracle_judge(const char *const *rules, size_t n, const struct ia_oracle_run *run,
                           bool *ret_holds, struct ia_buf *wrong, struct ia_err *err);

#endif
