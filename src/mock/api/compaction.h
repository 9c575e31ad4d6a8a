/* compaction.h: summaries of a conversation on demand. Pure. */
#ifndef IA_MOCK_API_COMPACTION_H
#define IA_MOCK_API_COMPACTION_H

#include "mock/api/answer.h"

/* The member `compaction`, and blocks of type compaction wherever they stand. */
bool ia_mock_check_compaction(const struct ia_mock_request *req, struct ia_mock_reject *r);
/* Fills an initialised answer to a request with `compaction`. */
void ia_mock_compaction_answer(const struct ia_mock_request *req,
                               struct ia_mock_answer *answer);
/* Says what it used as the service does: in usage.iterations and nowhere else. */
void ia_mock_compaction_usage(struct ia_mock_answer *answer, const struct ia_mock_usage *u);

#endif
