/* model_list.h: GET /v1/models and /v1/models/ID. */
#ifndef IA_MOCK_SERVER_MODEL_LIST_H
#define IA_MOCK_SERVER_MODEL_LIST_H

#include "base/buf.h"
#include "mock/api/reject.h"
#include "mock/api/request.h"

/* Appends the body of the answer: a page of the list, which limit, after_id and before_id choose, or one
 * model. id: the rest of the path behind /v1/models, empty for the list. False for a model or a page that
 * there is none of; *reject then says why, and nothing was appended. Any thread. */
bool ia_mock_model_list_write(const struct ia_mock_headers *h, const char *id,
                              struct ia_buf *out, struct ia_mock_reject *reject);

#endif
