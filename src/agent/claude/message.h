/* message.h: what the model answered, and the accumulator that builds it from stream events.
 *
 * Blocks keep the JSON that is replayed: the block as the server started it, with the streamed
 * text, thinking, signature, input and citations put in, in the server's own member order and
 * escapes. They are never re-serialised afterwards.
 * Source: Anthropic's reference of the Messages API. */
#ifndef IA_AGENT_CLAUDE_MESSAGE_H
#define IA_AGENT_CLAUDE_MESSAGE_H

#include "base/buf.h"

#include <jansson.h>

enum { IA_CLAUDE_BLOCKS_MAX = 512, IA_CLAUDE_ITERATIONS_MAX = 64 };
/* More tokens than that in one answer count as that many, so that no sum overflows. */
#define IA_CLAUDE_TOKENS_MAX INT64_C(1000000000000)
/* Most bytes of one block's accumulated content, and of a whole message. */
#define IA_CLAUDE_BLOCK_MAX ((size_t)16 << 20)
#define IA_CLAUDE_MESSAGE_MAX ((size_t)32 << 20)

enum ia_block_kind {
    IA_BLOCK_TEXT,
    IA_BLOCK_THINKING, /* thinking and redacted_thinking */
    IA_BLOCK_TOOL_USE, /* a tool of ours; server tools are OTHER */
    IA_BLOCK_OTHER     /* kept and replayed, otherwise ignored */
};

struct ia_claude_block {
    enum ia_block_kind kind;
    bool complete; /* content_block_stop arrived; an incomplete tool_use must never run */
    bool input_ok; /* tool_use: the input is a JSON object */
    char *type;    /* "text", "tool_use", ... */
    char *json;    /* one JSON object, NUL-terminated; replay these bytes */
    size_t json_len;
    char *text;    /* text blocks: decoded UTF-8; else NULL */
    char *id;      /* tool_use: as sent; else NULL */
    char *name;    /* tool_use: as sent; else NULL */
    json_t *input; /* tool_use: parsed object when input_ok, else NULL */
    /* tool_use with !input_ok: the text that could not be read as a JSON object. json has it as
     * it came where its syntax is that of one, else {"INVALID_JSON": that text}, so that it can
     * be replayed. */
    char *bad_input;
};

/* Tokens of one sampling pass. -1 where the server did not say. */
struct ia_claude_tokens {
    int64_t input; /* neither read from nor written to the cache */
    int64_t cache_read;
    int64_t cache_write;    /* total */
    int64_t cache_write_5m; /* -1 with 1h -1: no split given, all counts as 5m */
    int64_t cache_write_1h;
    int64_t output; /* thinking included */
    int64_t thinking;
    char model[64]; /* of an iteration that names its own; else "" */
};

struct ia_claude_usage {
    struct ia_claude_tokens total;
    struct ia_claude_tokens *iterations; /* what cost is summed over when there are any */
    size_t iteration_count;
    int64_t web_searches; /* that the service made; -1: not said */
    char *json;           /* the accumulated usage object, or NULL */
};
/* A usage in which nothing is known. */
struct ia_claude_usage ia_claude_usage_none(void);
void ia_claude_usage_fini(struct ia_claude_usage *u);
/* The tokens that the call used: its total, or the sum of its iterations if the total is zero, as for a summary on
 * demand. */
struct ia_claude_tokens ia_claude_usage_said(const struct ia_claude_usage *u);
/* Reads a usage object; unknown members are ignored, wrong types count as absent. */
struct ia_claude_usage ia_claude_usage_parse(struct ia_str json);

enum ia_stop {
    IA_STOP_NONE, /* not given */
    IA_STOP_END_TURN,
    IA_STOP_MAX_TOKENS,
    IA_STOP_SEQUENCE,
    IA_STOP_TOOL_USE,
    IA_STOP_PAUSE_TURN,
    IA_STOP_REFUSAL,
    IA_STOP_CONTEXT, /* model_context_window_exceeded */
    IA_STOP_COMPACTION,
    IA_STOP_UNKNOWN /* stop the loop and report stop_reason */
};

struct ia_claude_message {
    char *id;
    char *model; /* the one that answered, which may not be the one asked */
    enum ia_stop stop;
    char *stop_reason;  /* as sent, or NULL */
    char *stop_details; /* raw JSON object, or NULL */
    struct ia_claude_block *blocks;
    size_t block_count;
    struct ia_claude_usage usage;
    char *json_head; /* raw JSON object: every member but content and usage */
};

void ia_claude_message_fini(struct ia_claude_message *m);
/* Appends the content as one JSON array of the raw blocks: what the transcript stores. */
void ia_claude_message_content(const struct ia_claude_message *m, struct ia_buf *out);
/* Appends the whole message as one JSON object, as a non-streamed answer would show it. */
void ia_claude_message_json(const struct ia_claude_message *m, struct ia_buf *out);
/* The first tool_use at or after *index, or NULL; moves *index past it. */
const struct ia_claude_block *ia_claude_message_next_tool(const struct ia_claude_message *m,
                                                          size_t *index);

struct ia_accum; /* opaque */

/* Called with each piece of answer text as it arrives, as UTF-8. */
typedef void ia_accum_text_fn(void *ctx, struct ia_str text);

/* on_text may be NULL. Free with ia_accum_free. */
struct ia_accum *ia_accum_new(ia_accum_text_fn *on_text, void *ctx);
void ia_accum_free(struct ia_accum *a);
/* Takes one decoded event; usable as the sink of a decoder with the accumulator as ctx. Events
 * without a known name are ignored. IA_E_API_PROTOCOL: malformed JSON or an event out of place.
 * An error event returns the code its type stands for (see ia_api_error in retry.h). */
enum ia_rc ia_accum_event(void *a, struct ia_str name, struct ia_str data, struct ia_err *err);
/* True once message_stop arrived; the message is complete only then. */
bool ia_accum_stopped(const struct ia_accum *a);
/* True once message_start arrived: input tokens were billed. */
bool ia_accum_started(const struct ia_accum *a);
/* What message_start and message_delta said so far; freed by the caller. */
struct ia_claude_usage ia_accum_usage(const struct ia_accum *a);
/* About how many tokens the model has made so far: as the server said, and at least by the bytes
 * that arrived, at three a token (as ia_history_estimate). */
int64_t ia_accum_made_tokens(const struct ia_accum *a);
/* Moves the message out. IA_E_API_STREAM before message_stop. */
enum ia_rc ia_accum_finish(struct ia_accum *a, struct ia_claude_message *ret,
                           struct ia_err *err);
/* Reads a message that was not streamed (one JSON object) into the same form. */
enum ia_rc ia_claude_message_parse(struct ia_str json, struct ia_claude_message *ret,
                                   struct ia_err *err);

#endif
