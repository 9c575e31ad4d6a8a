/* search.h: what the double finds on the web, sealed so that a client must replay it unchanged.
 *
 * The real service encrypts what it found into encrypted_content and encrypted_index, and refuses a
 * conversation in which they were edited. Here they are a hash of what they stand beside. Pure. */
#ifndef IA_MOCK_API_SEARCH_H
#define IA_MOCK_API_SEARCH_H

#include "mock/api/answer.h"

#define IA_MOCK_SEARCH "web_search"

/* Appends server_tool_use and web_search_tool_result for a query. results: array of {"url","title"},
 * of which the tool's domains leave out some; error NULL, or the code of a search that failed. One
 * beyond max_uses fails as max_uses_exceeded. False where the request does not offer the tool. */
bool ia_mock_search_add(const struct ia_mock_request *req, const char *query,
                        const json_t *results, const char *error, struct ia_mock_answer *a);
/* A citation of text: {"url","title","cited_text"} completed. A new value. */
json_t *ia_mock_search_cite(const json_t *citation);
/* How many searches of an answer are billed: those that did not fail. */
int64_t ia_mock_searches(const struct ia_mock_answer *a);
/* Each search has its result in its turn, and nothing that was sealed was changed. */
bool ia_mock_check_search(const struct ia_mock_request *req, struct ia_mock_reject *r);

#endif
