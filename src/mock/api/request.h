/* request.h: a Messages API request as the double reads it.
 *
 * The body is parsed strictly (depth, duplicate keys, UTF-8). Consecutive messages of one role
 * are merged, as the service does before it numbers them: messages.2.content.1 in an error
 * counts merged messages. String content is one text block. Pure: no I/O. */
#ifndef IA_MOCK_API_REQUEST_H
#define IA_MOCK_API_REQUEST_H

#include "base/base.h"
#include "mock/api/models.h"
#include "mock/api/reject.h"

#include <jansson.h>

#define IA_MOCK_BODY_MAX ((size_t)32 << 20)
enum {
    IA_MOCK_DEPTH_MAX = 96,       /* nested arrays and objects in a body */
    IA_MOCK_MESSAGES_MAX = 100000 /* the service's own limit */
};

/* NULL where the request has no such header. */
struct ia_mock_headers {
    const char *api_key;
    const char *authorization;
    const char *version;
    const char *beta;
    const char *content_type;
    /* Of the query, which only the list of models reads. */
    const char *limit, *after_id, *before_id;
};

enum ia_mock_role { IA_MOCK_USER, IA_MOCK_ASSISTANT, IA_MOCK_SYSTEM };

struct ia_mock_block {
    const char *type;   /* never NULL */
    const json_t *json; /* NULL for content that was a string */
    const char *text;   /* of text blocks, else NULL */
};

struct ia_mock_turn {
    enum ia_mock_role role;
    const struct ia_mock_block *blocks;
    size_t count;
};

/* Everything is borrowed from root, which the request owns. */
struct ia_mock_request {
    json_t *root;
    const struct ia_mock_headers *headers;
    bool count_only; /* POST /v1/messages/count_tokens */
    bool stream;
    bool resumes_pause; /* the last turn is one that the double sent as paused */
    int64_t max_tokens;
    const struct ia_mock_model *model;
    const json_t *tools;      /* array or NULL */
    const json_t *system;     /* string, array or NULL */
    const json_t *compaction; /* object: a summary is asked for; or NULL */
    struct ia_mock_turn *turns;
    size_t turn_count;
    struct ia_mock_block *blocks;
};

/* Parses and checks shape: JSON, required fields, roles, content. False with *r filled. Free
 * with ia_mock_request_fini in either case. headers must outlive the request. */
bool ia_mock_request_parse(struct ia_str body, const struct ia_mock_headers *headers,
                           bool count_only, struct ia_mock_request *req,
                           struct ia_mock_reject *r);
void ia_mock_request_fini(struct ia_mock_request *req);

/* True when the anthropic-beta header lists a name that starts with prefix. */
bool ia_mock_beta(const struct ia_mock_headers *h, const char *prefix);
/* True when anthropic-version is 2026-10-21 or later. */
bool ia_mock_version_new(const struct ia_mock_headers *h);

/* A member that is a string, else NULL. */
const char *ia_mock_str(const json_t *object, const char *key);
bool ia_mock_block_is(const struct ia_mock_block *b, const char *type);
/* The text of a text block or the joined text of a tool_result, appended with newlines. */
struct ia_buf;
void ia_mock_block_text(const struct ia_mock_block *b, struct ia_buf *out);
/* True if the conversation begins with a summary: its first message is the summary. */
bool ia_mock_compacted(const struct ia_mock_request *req);
/* How many assistant turns the conversation has so far. */
size_t ia_mock_assistant_turns(const struct ia_mock_request *req);
bool ia_mock_has_tool(const struct ia_mock_request *req, const char *name);
/* The system prompt's text. */
void ia_mock_system_text(const struct ia_mock_request *req, struct ia_buf *out);

/* The place of a block as the service's errors name it: "messages.2.content.1". */
enum { IA_MOCK_WHERE_SIZE = 96 };
void ia_mock_where(char dst[IA_MOCK_WHERE_SIZE], size_t turn, size_t block);

#endif
