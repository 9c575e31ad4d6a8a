/* check.h: the rules a request must keep, each with the service's own error text where that is
 * known. Pure. Every function returns true when the rule holds, else false with *r filled.
 * Sources: specs of the Messages API (documentation of 2026-10-10) and recorded answers. */
#ifndef IA_MOCK_API_CHECK_H
#define IA_MOCK_API_CHECK_H

#include "mock/api/request.h"

/* Authentication, version and content type. key is the only accepted key, NULL for any. A body
 * is expected where with_body. */
bool ia_mock_check_headers(const struct ia_mock_headers *h, const char *key, bool with_body,
                           struct ia_mock_reject *r);
/* All rules about the body except those of thinking blocks (sign.h). */
bool ia_mock_check_request(const struct ia_mock_request *req, struct ia_mock_reject *r);

/* Its parts, in the order in which they run. */
bool ia_mock_check_fields(const struct ia_mock_request *req, struct ia_mock_reject *r);
bool ia_mock_check_thinking_param(const struct ia_mock_request *req, struct ia_mock_reject *r);
bool ia_mock_check_tools(const struct ia_mock_request *req, struct ia_mock_reject *r);
bool ia_mock_check_tool_choice(const struct ia_mock_request *req, struct ia_mock_reject *r);
bool ia_mock_check_system(const struct ia_mock_request *req, struct ia_mock_reject *r);
bool ia_mock_check_messages(const struct ia_mock_request *req, struct ia_mock_reject *r);
bool ia_mock_check_pairing(const struct ia_mock_request *req, struct ia_mock_reject *r);
bool ia_mock_check_cache(const struct ia_mock_request *req, struct ia_mock_reject *r);
bool ia_mock_check_images(const struct ia_mock_request *req, struct ia_mock_reject *r);

/* A text block (top-level, or inside a tool_result) at the place that `where` names. */
bool ia_mock_check_text(const json_t *block, const char *where, struct ia_mock_reject *r);
/* True when the request asks for thinking with a budget. */
bool ia_mock_thinking_is(const struct ia_mock_request *req, const char *type);

#endif
