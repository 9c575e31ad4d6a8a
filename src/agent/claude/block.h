/* block.h: one content block while it is streamed, and the block made of it. Internal. */
#ifndef IA_AGENT_CLAUDE_BLOCK_H
#define IA_AGENT_CLAUDE_BLOCK_H

#include "agent/claude/jscan.h"
#include "agent/claude/message.h"

/* The members of a delta that matter; raw.p is NULL for one that is absent. */
struct ia_delta {
    struct ia_jstr type;
    struct ia_jstr text, partial_json, thinking, signature;
    struct ia_str citation, content, encrypted_content;
};

struct ia_open_block {
    int64_t index;
    bool stopped;
    bool surrogates; /* an escape of a surrogate was seen: pairs may have been cut in two */
    char *type;
    struct ia_str start;      /* owned: the block as the start event had it */
    struct ia_buf body;       /* text or thinking: raw string content with its opening quote;
                                 tools: the input's text, unescaped */
    struct ia_buf signature;  /* raw JSON string */
    struct ia_buf citations;  /* raw items, comma-separated */
    struct ia_buf compaction; /* raw object of the members to set */
};

/* Starts a block from its raw object. False when that is malformed. */
bool ia_open_block_init(struct ia_open_block *b, int64_t index, struct ia_str start);
void ia_open_block_fini(struct ia_open_block *b);
/* Takes a delta. Unknown types do nothing; false when a known one does not fit the block. */
bool ia_open_block_delta(struct ia_open_block *b, const struct ia_delta *d);
/* Makes the block that is kept; *ret is owned by the caller. Call once. IA_E_LIMIT beyond
 * IA_CLAUDE_BLOCK_MAX. */
enum ia_rc ia_open_block_finish(struct ia_open_block *b, struct ia_claude_block *ret,
                                struct ia_err *err);

void ia_claude_block_fini(struct ia_claude_block *b);

#endif
