/* oracle.h: what a goal must have made of a phone, as its `oracle` says it. Judged by code, from the
 * phone's own state before and after the run (`ios-agent embedded state`): neither the model nor the
 * verifier is shown any of it.
 *
 *     rule  = "is" PATH "=" VALUE    exactly one thing is there, and has that value
 *           / "has" PATH "=" TEXT    exactly one, and the text is a part of it (of a list: one of it)
 *           / "gone" PATH            nothing is there
 *           / "count" PATH "=" N     so many are
 *           / "same" PATH            as before the run
 *           / "free" PATH            may have changed
 *           / "answer" TEXT          the words of the run's summary have it, as whole words
 *     PATH  = NAME [ "[" FIELD ( "=" / "~=" ) text "]" ] { "." … }
 *     VALUE = TEXT / number / true / false / null / "day" N
 *     TEXT  = in double quotes, as in JSON
 *
 * [FIELD=text] chooses from a list, ~= by a part; letters match in either case. "day 1" is the date of
 * the day after the one on which the run began. Whatever no rule names must be as it was: a goal that is
 * done, and something else with it, is not done. Where the phone is (app, screen, alert, notifications, clock) is
 * compared only where a rule names it. Pure; any thread. */
#ifndef IA_AGENT_GOAL_ORACLE_H
#define IA_AGENT_GOAL_ORACLE_H

#include "base/buf.h"
#include "base/err.h"

enum { IA_ORACLE_BYTES_MAX = 500 }; /* of a rule */

/* IA_E_PARSE names the mistake. */
enum ia_rc ia_oracle_check(const char *rule, struct ia_err *err);

/* before, after: the states as JSON; answer: what the run said, or NULL. Appends a line to wrong for
 * each thing that is not as it must be: nothing, and *ret_holds is true. IA_E_PARSE for a rule or a
 * state that is none. */
enum ia_rc ia_oracle_judge(const char *const *rules, size_t n, const char *before,
                           const char *after, const char *answer, bool *ret_holds,
                           struct ia_buf *wrong, struct ia_err *err);

#endif
