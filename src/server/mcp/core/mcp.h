/* mcp.h: the Model Context Protocol without a transport and without devices: bytes of one message
 * in, bytes of the answer out.
 *
 *   transport ── bytes ──► ia_mcp_read ──► struct ia_mcp_request ──► ia_mcp_answer ──► send
 *   (stdio, HTTP)            which era?      error known already?       the tool's function
 *
 * Both eras are served and nothing is kept between two messages: 2026-07-28, where each request
 * says its version, and 2024-11-05 to 2025-11-25, which begin with `initialize`. Source:
 * modelcontextprotocol, docs/specification/2026-07-28 and the older revisions; tasks:
 * modelcontextprotocol/ext-tasks. Tools only: no resources, prompts, logging or sampling. */
#ifndef IA_SERVER_MCP_CORE_MCP_H
#define IA_SERVER_MCP_CORE_MCP_H

#include "base/buf.h"
#include "base/cancel.h"
#include "base/err.h"
#include "base/jsonw.h"
#include "mcp/protocol.h"

#include <jansson.h>

enum {
    IA_MCP_MESSAGE_MAX = 4 << 20, /* of one message that comes in */
    IA_MCP_ANSWER_MAX = 1 << 20,  /* of one that goes out: Claude Desktop's limit */
    IA_MCP_TEXT_MAX = 12000,      /* of a result's text */
    IA_MCP_IMAGE_MAX = 200 << 10, /* of an image in base64 */
    IA_MCP_ID_MAX = 1024,         /* bytes of a request's id */
    IA_MCP_NOTE_MAX = 200,        /* characters of a progress message */
    IA_MCP_DEPTH_MAX = 32,        /* of nested objects and arrays */
    IA_MCP_WAIT_MS_MAX = 45000    /* no call lasts longer: clients stop waiting at 60 s */
};

struct ia_mcp_error {
    enum ia_mcp_code code; /* 0: none */
    char message[160];
    struct ia_buf data; /* JSON of "data"; empty: none */
    int http;           /* status that it has over HTTP; 0: 200 */
};
/* Sets it, with the HTTP status of the code; data is empty afterwards. */
void ia_mcp_error_set(struct ia_mcp_error *e, enum ia_mcp_code code, const char *fmt, ...)
    IA_PRINTF(3, 4);

/* ---- tools -------------------------------------------------------------------------------- */

/* What one connection asked for; the same for all of its requests. All borrowed. */
struct ia_mcp_peer {
    const char *cwd;                        /* folder of the client; NULL: none */
    const char *device;                     /* of its environment; NULL: none */
    const char *device_token, *appium_caps; /* as struct ia_device_env; NULL: none */
    /* Of its environment, for a run that it starts: a key, and the server that it is for; NULL: none. */
    const char *api_key, *auth_token, *base_url;
    unsigned without; /* flags of the tools that it does not get */
    bool demo;        /* `run` may use the demo brain where there is no key */
    bool structured;  /* results have structuredContent too */
};

/* What a call came to. Text comes first; content has more blocks of the content array, as JSON,
 * with commas between. */
struct ia_mcp_result {
    struct ia_buf text;
    struct ia_buf content;
    struct ia_buf structured;  /* one JSON object for programs; empty: none */
    bool failed;               /* isError, where the function succeeded */
    char task[64];             /* not "": the call goes on as this task */
    struct ia_mcp_error error; /* a protocol error instead of a result */
};
void ia_mcp_result_init(struct ia_mcp_result *r);
void ia_mcp_result_fini(struct ia_mcp_result *r);
/* Adds {"type":TYPE,"data":BASE64,"mimeType":MIME} to content. */
void ia_mcp_result_blob(struct ia_mcp_result *r, const char *type, const char *mime,
                        struct ia_str bytes);

struct ia_mcp_tool;
struct ia_mcp_call {
    const struct ia_mcp_tool *tool;
    const json_t *args; /* an object that fits the tool's schema */
    const json_t *meta; /* of the request; may be NULL */
    const struct ia_mcp_peer *peer;
    struct ia_cancel *cancel; /* fires when nobody waits for the answer any more; may be NULL */
    bool tasks;               /* the client takes a task as the answer */
    void *ctx;                /* of struct ia_mcp_opts */
    struct ia_mcp_progress *progress; /* private; NULL: nobody asked for progress */
};
/* Tells how far the call is, where the client asked for it. Only growing values are sent; message is
 * cut to IA_MCP_NOTE_MAX characters. The thread of the call. */
void ia_mcp_tell(struct ia_mcp_call *call, double progress, double total, const char *message);

/* A failure becomes a result with isError: "CODE: message", the hint, what is known of the effect, and
 * then ret's text. */
typedef enum ia_rc ia_mcp_tool_fn(struct ia_mcp_call *call, struct ia_mcp_result *ret,
                                  struct ia_err *err);

enum ia_mcp_tool_flags {
    IA_MCP_TOOL_ACTS = 1,     /* not offered where only looking is allowed */
    IA_MCP_TOOL_MORE = 2,     /* not of the short list */
    IA_MCP_TOOL_PROGRESS = 4, /* tells how far it is, so its answer may be a stream */
    IA_MCP_TOOL_SERIAL = 8,   /* those for one device are done in order of arrival */
    IA_MCP_TOOL_KEY = 16      /* may need a key of the client's environment */
};
struct ia_mcp_tool {
    const char *name; /* NULL ends a table */
    const char
        *json; /* its definition, as tools/list shows it: one line, which may have an end */
    unsigned flags;
    ia_mcp_tool_fn *run;
    const void *data; /* the function's own */
};

/* ---- tasks -------------------------------------------------------------------------------- */

enum ia_mcp_task_state {
    IA_MCP_TASK_WORKING,
    IA_MCP_TASK_COMPLETED,
    IA_MCP_TASK_FAILED, /* with a protocol error, in result.error */
    IA_MCP_TASK_CANCELLED
};
struct ia_mcp_task {
    char id[64];
    enum ia_mcp_task_state state;
    char message[IA_MCP_NOTE_MAX + 1]; /* "step 7 of 60: tap Done"; may be "" */
    int64_t created_ms, updated_ms;    /* wall clock */
    enum ia_rc code;                   /* of a completed one that came to a failure */
    struct ia_mcp_result result;       /* of a completed one */
};
struct ia_mcp_tasks {
    /* False: there is no such task. ret->result is initialized. */
    bool (*get)(void *ctx, const char *id, struct ia_mcp_task *ret);
    bool (*cancel)(void *ctx, const char *id);
};

/* ---- the server --------------------------------------------------------------------------- */

struct ia_mcp;
struct ia_mcp_opts {
    const char *version;              /* of this program */
    const char *instructions;         /* for the model */
    const struct ia_mcp_tool *tools;  /* borrowed; in the order of the list */
    const struct ia_mcp_tasks *tasks; /* NULL: no task is ever made */
    void *ctx;                        /* of tools and tasks */
};
/* IA_E_CONFIG names the tool whose definition or schema is wrong. Then shared by any threads. */
enum ia_rc ia_mcp_new(const struct ia_mcp_opts *opts, struct ia_mcp **ret, struct ia_err *err);
void ia_mcp_free(struct ia_mcp *mcp); /* NULL is fine */

enum ia_mcp_kind {
    IA_MCP_SILENT, /* a notification or an answer: nothing is sent back */
    IA_MCP_QUICK,  /* answered from memory */
    IA_MCP_CALL,   /* tools/call of `tool`: may take its time */
    IA_MCP_TASK,   /* tasks/get or tasks/cancel of a task */
    IA_MCP_BATCH   /* an array; parts with ia_mcp_batch */
};
/* A message that was read. Free with ia_mcp_request_free. */
struct ia_mcp_request {
    enum ia_mcp_kind kind;
    bool modern;
    json_t *message;  /* all of it; NULL when it could not be read */
    struct ia_buf id; /* as JSON: 7, "a"; empty: it has none */
    const char *method;
    const json_t *params, *meta;    /* objects or NULL */
    const char *version;            /* of a modern request */
    const struct ia_mcp_tool *tool; /* of IA_MCP_CALL */
    const char *name;          /* of the tool or the task that it is about; NULL: neither */
    struct ia_buf cancels;     /* of notifications/cancelled: the id that it names, as JSON */
    struct ia_mcp_error error; /* known already: it is the answer */
};
/* version is the one that the transport knows of: the header MCP-Protocol-Version, or what initialize
 * agreed on; NULL: none. Never fails: what is wrong with the message is in ret->error. */
struct ia_mcp_request *ia_mcp_read(const struct ia_mcp *mcp, const struct ia_mcp_peer *peer,
                                   struct ia_str bytes, const char *version);
/* Part i of a batch, or NULL behind the last. */
struct ia_mcp_request *ia_mcp_batch(const struct ia_mcp *mcp, const struct ia_mcp_peer *peer,
                                    const struct ia_mcp_request *batch, size_t i);
void ia_mcp_request_free(struct ia_mcp_request *r); /* NULL is fine */

/* Gets each message that goes out, without a newline; the last one is the answer. */
typedef void ia_mcp_send_fn(void *ctx, struct ia_str message, bool last);
/* Does what the request asks and sends the answer, before it returns the status that this answer has
 * over HTTP, 0 for 200. A request whose token fired is
 * not answered; nor is a silent one. The parts of a batch are done in order, and answered as one
 * array. */
int ia_mcp_answer(struct ia_mcp *mcp, const struct ia_mcp_peer *peer,
                  const struct ia_mcp_request *r, struct ia_cancel *cancel,
                  ia_mcp_send_fn *send, void *ctx);

/* Sends the failure of a call that could not be made here: a result with isError for tools/call, else
 * an error of ours. */
void ia_mcp_answer_failure(const struct ia_mcp *mcp, const struct ia_mcp_request *r,
                           enum ia_rc rc, const struct ia_err *err, ia_mcp_send_fn *send,
                           void *ctx);

#endif
