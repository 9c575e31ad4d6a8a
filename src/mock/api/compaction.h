/* compaction.h: the double's side of summaries on demand. Pure; any thread. */
#ifndef IA_MOCK_API_COMPACTION_H
#define IA_MOCK_API_COMPACTION_H

#include "mock/api/answer.h"

/* Checks the member `compaction` and every block of that type. Returns false and fills *r if the service would refuse
 * the request. */
bool ia_mock_check_compaction(const struct ia_mock_request *req, struct ia_mock_reject *r);
/* Fills an initialised answer to a request with the member `compaction`. */
void ia_mock_compaction_answer(const struct ia_mock_request *req,
                               struct ia_mock_answer *answer);
/* Writes the usage of the summary as the service does: in usage.iterations and nowhere else. */
void ia_mock_compaction_usage(struct ia_mock_answer *answer, const struct ia_mock_usage *u);

#endif
