/* answer.h: what the model in the double says: content blocks and how they end. */
#ifndef IA_MOCK_API_ANSWER_H
#define IA_MOCK_API_ANSWER_H

#include "base/rand.h"
#include "mock/api/cache.h"

#include <jansson.h>

enum { IA_MOCK_STOP_MAX = 40, IA_MOCK_ID_SIZE = 32 };

/* Blocks have the shape of a non-streamed answer: {"type":"text","text"}, {"type":"tool_use",
 * "id","name","input","caller"}, {"type":"thinking","thinking","signature"},
 * {"type":"redacted_thinking","data"}, or any other type, which is sent as it is. A tool_use
 * may have "input_raw", text that is streamed instead of the input. Ids and signatures that are
 * missing are filled in by ia_mock_answer_seal. */
struct ia_mock_answer {
    json_t *content; /* array; owned */
    char stop_reason[IA_MOCK_STOP_MAX];
    json_t *stop_sequence; /* owned, may be NULL */
    json_t *stop_details;  /* owned, may be NULL */
    json_t *usage;         /* members that replace computed ones; owned, may be NULL */
    char *raw_sse;         /* sent instead of everything above; owned, may be NULL */
    bool unfinished;       /* the last block is never stopped */
    int latency_ms;        /* added to the double's own */
};

void ia_mock_answer_init(struct ia_mock_answer *a);
void ia_mock_answer_fini(struct ia_mock_answer *a);
void ia_mock_answer_text(struct ia_mock_answer *a, const char *text);
/* Takes input. Sets stop_reason to tool_use. */
void ia_mock_answer_tool(struct ia_mock_answer *a, const char *name, json_t *input);
/* "toolu_", "msg_" or "req_" and 24 letters and digits. */
void ia_mock_id(const struct ia_rand *rand, const char *prefix, char ret[IA_MOCK_ID_SIZE]);
/* Fills in ids, callers and signatures. bind: hash of the conversation before this answer. */
void ia_mock_answer_seal(struct ia_mock_answer *a, const struct ia_mock_model *model,
                         uint64_t bind, const struct ia_rand *rand);
/* Estimated output tokens. */
int64_t ia_mock_answer_tokens(const struct ia_mock_answer *a);
/* The usage object of the wire, with the answer's overrides; start: as message_start has it. */
json_t *ia_mock_usage_json(const struct ia_mock_answer *a, const struct ia_mock_usage *u,
                           bool start);

#endif
