/* script.h: a script file says what the model answers, turn by turn.
 *
 *     {"turns": [
 *        {"match": {…}, "repeat": 2, "blocks": [
 *            {"thinking": "Where is it?"},
 *            {"text": "Adding a contact."},
 *            {"tool_use": "tap", "input": {"ref": "$ref(button \"Add\")"}}]},
 *        {"blocks": [{"text": "done"}], "stop_reason": "end_turn"}],
 *      "default": {"blocks": [{"text": "nothing more to say"}]}}
 *
 * Which turn answers is decided from the request alone, so the double stays stateless: a
 * retried request gets the same answer, and a thousand runs can share a script.
 *  - Turns are tried in order; the first that fits answers; else "default"; else the request is
 *    refused with 500 and a message that names what was seen.
 *  - A turn without "match" stands for its place in the sequence: the first such turn answers the
 *    actor's request with no assistant turn yet, the next one that with one, and so on. "repeat"
 *    lets it stand for so many places (true: for all that follow).
 *  - A turn with "match" fits wherever all of its conditions hold, any number of times; "repeat"
 *    is not allowed. Conditions:
 *      "call"             "actor" (the default), "verifier" or "any". A verifier's call is one
 *                         that offers the tool `verdict` and not `finish`.
 *      "turn"             number of assistant turns so far: 3, or [2, 5] for a range
 *      "result_contains"  text that the latest tool results contain (string, or a list: all)
 *      "tool"             name of a tool whose result is among the latest
 *      "user_text"        text that the latest user message contains
 *      "any_text"         text that any user message contains
 *      "latest"           text that the latest user message contains, in its results or beside
 *                         them
 *      "model"            the model's id
 *      "system_contains"  text that the system prompt contains
 *      "is_error"         true: one of the latest results is an error
 *
 * What a turn answers: "blocks", a list of
 *     {"text": "…"}
 *     {"thinking": "…"}                 signed by the double; replay is checked. "" is omitted
 *     {"redacted_thinking": "payload"}
 *     {"tool_use": "name", "input": {…}, "id": "toolu_…"?, "input_raw": "{\"a\":"?}
 *     {"web_search": "query", "results": [{"url": "…", "title": "…"}], "error": "unavailable"?}
 *                                       a search of the service; domains and max_uses are kept
 *     {"text": "…", "citations": [{"url": "…", "title": "…", "cited_text": "…"}]}
 *     {"raw": {"type": …}}              any block, as it is
 * and "stop_reason" (default tool_use where there is a tool_use, else end_turn),
 * "stop_sequence", "stop_details", "usage" (members that replace the computed ones),
 * "unfinished": true (the last block never stops), "latency_ms". Instead of blocks:
 *     "raw_sse": "event: …"             the whole stream, byte for byte
 *     "error": {"status": 400, "type"?: "…", "message": "…"}
 *     "answer": "demo"                  as the demo brain would answer
 *
 * In every string of an input, $ref(SELECTOR) becomes the ref of the first element on the
 * latest screen that SELECTOR finds: "label", role "label", or role. An input string that is
 * nothing but one $ref(…) becomes a number. A selector that finds nothing is refused with 500
 * as above. So scripts survive renumbering. */
#ifndef IA_MOCK_SERVER_SCRIPT_H
#define IA_MOCK_SERVER_SCRIPT_H

#include "base/err.h"
#include "mock/api/answer.h"
#include "mock/api/request.h"

enum { IA_SCRIPT_BYTES_MAX = 4 << 20, IA_SCRIPT_TURNS_MAX = 10000 };

struct ia_script;

/* IA_E_PARSE with line and column, or the turn and the reason. Read-only afterwards,
 * for any number of threads. */
enum ia_rc ia_script_parse(struct ia_str json, struct ia_script **ret, struct ia_err *err);
void ia_script_free(struct ia_script *s); /* NULL is fine */
/* Fills an initialised answer. False with *r filled when no turn fits or a ref is not there. */
bool ia_script_answer(const struct ia_script *s, const struct ia_mock_request *req,
                      struct ia_mock_answer *answer, struct ia_mock_reject *r);

#endif
