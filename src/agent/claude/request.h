/* request.h: the append-only history and the request body made from it.
 *
 * A message that was appended is sent with the same bytes in every later request; only
 * cache_control moves, as the prompt cache and signed thinking require it
 * (Anthropic's "Prompt caching" and "Extended thinking"). The body is never whole in memory:
 * it is a list of borrowed pieces and of image files that are encoded while they are sent. */
#ifndef IA_AGENT_CLAUDE_REQUEST_H
#define IA_AGENT_CLAUDE_REQUEST_H

#include "agent/claude/message.h"
#include "base/jsonw.h"

#define IA_CLAUDE_REQUEST_MAX ((int64_t)32 << 20) /* bytes; the API's own limit */
#define IA_HISTORY_MAX ((size_t)64 << 20)         /* bytes of text one history may hold */
enum {
    IA_HISTORY_MESSAGES_MAX = 100000, /* the API's own limit */
    IA_CLAUDE_BREAKPOINTS_MAX = 4,
    IA_CLAUDE_LOOKBACK = 20 /* blocks a breakpoint looks back */
};

enum ia_message_role { IA_MESSAGE_USER, IA_MESSAGE_ASSISTANT };

struct ia_history;

/* image_root is the folder that relative image paths are below (copied; NULL: the current
 * folder). Not thread-safe: one run owns it. */
struct ia_history *ia_history_new(const char *image_root);
void ia_history_free(struct ia_history *h);

/* Appends one message.
 *
 * blocks is a JSON array of content blocks, for instance what the transcript holds. It is
 * copied and kept byte for byte, with three exceptions: whitespace between the blocks is
 * dropped, text blocks with empty text are left out (the API refuses them), and in user
 * messages an image whose source is {"type":"ia_file", ...} (see ia_history_image) is sent as
 * base64 of that file. When nothing is left the message is not appended and *ret_appended,
 * which may be NULL, is false. IA_E_PARSE when blocks is not an array of objects, IA_E_USAGE
 * when a block carries its own cache_control, IA_E_LIMIT beyond the caps, IA_E_IO when an image
 * file is not there. */
enum ia_rc ia_history_append(struct ia_history *h, enum ia_message_role role,
                             struct ia_str blocks, bool *ret_appended, struct ia_err *err);
/* Appends the assistant turn of a reply: its raw blocks. */
enum ia_rc ia_history_append_message(struct ia_history *h, const struct ia_claude_message *m,
                                     bool *ret_appended, struct ia_err *err);
/* Writes an image block that refers to a file:
 *   {"type":"image","source":{"type":"ia_file","media_type":"image/png","path":"ab/cd.png",
 *                             "width":393,"height":852}}
 * for use directly in a user message or inside the content array of a tool_result. The file
 * must not change while the history lives. Width and height are pixels, for token estimates. */
void ia_history_image(struct ia_jsonw *w, const char *path, const char *media_type,
                      int width_px, int height_px);

/* Removes all messages, before a summary takes their place. */
void ia_history_clear(struct ia_history *h);
/* True if the first message has the service's summary (a compaction block). */
bool ia_history_compacted(const struct ia_history *h);
size_t ia_history_count(const struct ia_history *h);  /* messages */
size_t ia_history_images(const struct ia_history *h); /* images that will be sent */
/* Replaces all images but the newest `keep` by a text that says so, for good. Returns how many
 * were dropped. Only where ia_model.signature_bound is false: elsewhere history is
 * immutable. */
size_t ia_history_drop_images(struct ia_history *h, size_t keep);
/* A rough upper estimate of the tokens of everything appended from message `from` on: a third
 * of the text's bytes, and the images by their size. */
int64_t ia_history_estimate(const struct ia_history *h, size_t from, bool high_res);

/* One call. Everything is borrowed until the call returned. */
struct ia_claude_request {
    const char *model;
    int max_tokens;
    const char *effort;          /* low, medium, high, xhigh, max; NULL unless asked for */
    const struct ia_str *system; /* texts, one block each; the last gets the breakpoint */
    size_t system_count;
    struct ia_str tools;        /* a JSON array of tools, or empty */
    struct ia_history *history; /* read; changed only by ia_history_drop_images, to shorten a
                                   prompt that is too long where the model allows it */
    struct ia_str thinking;     /* raw JSON object, or empty to leave it out (the default) */
    struct ia_str tool_choice;  /* raw JSON object, or empty; forcing a tool is refused */
    bool no_cache;              /* no breakpoints, for one-off calls */
    /* Not empty: asks for a summary of the conversation instead of an answer, with these instructions. The
     * reply is one block of type compaction with stop reason compaction, which must then be first in
     * the history (Anthropic's "Compaction on demand"). */
    struct ia_str compaction;
};

/* What a session learned from refused requests; zero at its start. See ia_repair in retry.h. */
struct ia_claude_repairs {
    bool binding;        /* ask the server to drop thinking blocks it cannot read */
    bool strip_thinking; /* leave all thinking blocks out */
    bool no_thinking;    /* leave the thinking member out */
    bool no_tool_choice; /* leave the tool_choice member out */
};

struct ia_body;

/* Lays the body out. Checks the request (model given, max_tokens >= 1, no forced tool, history
 * neither empty nor ending with an assistant turn unless it paused) and its size. The history
 * must not change while the body lives. Free with ia_body_free. */
enum ia_rc ia_body_new(const struct ia_claude_request *req, const struct ia_claude_repairs *rep,
                       struct ia_body **ret, struct ia_err *err);
void ia_body_free(struct ia_body *b);
int64_t ia_body_size(const struct ia_body *b); /* bytes, exact */
/* The next bytes, at most n; 0 in *ret_n at the end. IA_E_IO when an image cannot be read. */
enum ia_rc ia_body_read(struct ia_body *b, char *dst, size_t n, size_t *ret_n,
                        struct ia_err *err);
void ia_body_rewind(struct ia_body *b);

#endif
