/* digest.h: a request as the prompt cache sees it: one mark a block, in prefix order (tools,
 * system, messages), each with the hash of everything up to it. Pure.
 *
 * A block is hashed by what the model would see: cache_control and caller are left out, a
 * string is one text block, message boundaries within one role do not count. Key order counts
 * inside tool schemas and tool inputs, as it changes the prompt, but only for `cache`.
 *
 * Tokens are an estimate: one for every 4 bytes of text, names, ids, keys and JSON values,
 * rounded up for each block; an image by its patches (image.h); signatures are free. */
#ifndef IA_MOCK_API_DIGEST_H
#define IA_MOCK_API_DIGEST_H

#include "mock/api/request.h"

enum ia_mock_ttl { IA_MOCK_TTL_NONE, IA_MOCK_TTL_5M, IA_MOCK_TTL_1H };

struct ia_mock_mark {
    uint64_t cache; /* of the prefix that ends here, with tool_choice and thinking settings */
    uint64_t bind;  /* of the conversation that ends here, without thinking blocks */
    int64_t tokens; /* of the prefix */
    enum ia_mock_ttl ttl;
};

struct ia_mock_digest {
    struct ia_mock_mark *marks;
    size_t count;
    size_t first_message; /* index of the first block of messages */
};

void ia_mock_digest_init(struct ia_mock_digest *d, const struct ia_mock_request *req);
void ia_mock_digest_fini(struct ia_mock_digest *d);
/* Tokens of the whole prompt. */
int64_t ia_mock_digest_tokens(const struct ia_mock_digest *d);
/* Hash of the conversation before the block at `index` of messages, counted over all turns. */
uint64_t ia_mock_digest_before(const struct ia_mock_digest *d, size_t index);
/* Chains one more assistant block onto a conversation hash. */
uint64_t ia_mock_bind_block(uint64_t bind, const struct ia_mock_block *b);
/* The hash of one block alone, and its tokens. */
uint64_t ia_mock_hash_block(const struct ia_mock_block *b, int64_t *ret_tokens);

#endif
