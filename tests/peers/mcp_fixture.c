/* mcp_fixture.c: the MCP core with the tools that conformance tests ask for, none of which ships.
 *
 * usage: mcp_fixture                stdio
 *        mcp_fixture --http         prints its port and serves until standard input ends; no token */
#include "base/clock.h"
#include "server/http/access.h"
#include "server/mcp/core/http.h"
#include "server/mcp/core/stdio.h"
#include "json/json.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- results ------------------------------------------------------------------------------ */

#define PNG                                                                                    \
    "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\10\6\0\0\0\x1f\x15\xc4\x89\0\0\0\rIDATx"    \
    "\xda"                                                                                     \
    "c\xfc\xff\x9f\xa1\x1e\0\7\x82\2\x7f=\xc8H\xef\0\0\0\0IEND\xae"                            \
    "B`\x82"
#define WAV                                                                                    \
    "RIFF\x24\0\0\0WAVEfmt \20\0\0\0\1\0\1\0\x40\x1f\0\0\x80\x3e\0\0\2\0\20\0data\0\0\0\0"
#define BYTES(text) ((struct ia_str){(text), sizeof(text) - 1})

static enum ia_rc text(struct ia_mcp_call *call, struct ia_mcp_result *ret, struct ia_err *err)
{
    (void)err;
    ia_buf_puts(&ret->text, call->tool->data);
    return IA_OK;
}

static enum ia_rc image(struct ia_mcp_call *call, struct ia_mcp_result *ret, struct ia_err *err)
{
    (void)call;
    (void)err;
    ia_mcp_result_blob(ret, "image", "image/png", BYTES(PNG));
    return IA_OK;
}

static enum ia_rc audio(struct ia_mcp_call *call, struct ia_mcp_result *ret, struct ia_err *err)
{
    (void)call;
    (void)err;
    ia_mcp_result_blob(ret, "audio", "audio/wav", BYTES(WAV));
    return IA_OK;
}

static enum ia_rc resource(struct ia_mcp_call *call, struct ia_mcp_result *ret,
                           struct ia_err *err)
{
    (void)call;
    (void)err;
    ia_buf_puts(&ret->content,
                "{\"type\":\"resource\",\"resource\":{\"uri\":\"test://embedded-resource\","
                "\"mimeType\":\"text/plain\",\"text\":\"This is an embedded resource "
                "content.\"}}");
    return IA_OK;
}

static enum ia_rc mixed(struct ia_mcp_call *call, struct ia_mcp_result *ret, struct ia_err *err)
{
    (void)call;
    (void)err;
    ia_buf_puts(&ret->text, "Multiple content types test:");
    ia_mcp_result_blob(ret, "image", "image/png", BYTES(PNG));
    ia_buf_puts(&ret->content,
                ",{\"type\":\"resource\",\"resource\":{\"uri\":\"test://mixed-content-"
                "resource\",\"mimeType\":\"application/json\",\"text\":\"{\\\"test\\\":"
                "\\\"data\\\",\\\"value\\\":123}\"}}");
    return IA_OK;
}

static enum ia_rc fails(struct ia_mcp_call *call, struct ia_mcp_result *ret, struct ia_err *err)
{
    (void)err;
    ia_buf_puts(&ret->text, call->tool->data);
    ret->failed = true;
    return IA_OK;
}

static enum ia_rc pause_ms(struct ia_mcp_call *call, int64_t ms)
{
    const struct ia_clock *clock = ia_clock_system();
    return ia_clock_wait(clock, call->cancel, ia_mono_us(clock) + ms * 1000);
}

static enum ia_rc progress(struct ia_mcp_call *call, struct ia_mcp_result *ret,
                           struct ia_err *err)
{
    (void)err;
    for (int done = 0; done <= 100; done += 50) {
        ia_mcp_tell(call, done, 100, NULL);
        (void)pause_ms(call, 50);
    }
    ia_buf_puts(&ret->text, "told");
    return IA_OK;
}

static enum ia_rc needs_sampling(struct ia_mcp_call *call, struct ia_mcp_result *ret,
                                 struct ia_err *err)
{
    (void)err;
    const json_t *can =
        json_object_get(call->meta, "io.modelcontextprotocol/clientCapabilities");
    if (json_object_get(can, "sampling")) {
        ia_buf_puts(&ret->text, "the client samples");
        return IA_OK;
    }
    ia_mcp_error_set(&ret->error, IA_MCP_CAPABILITY, "Missing required client capability");
    ia_buf_puts(&ret->error.data, "{\"requiredCapabilities\":{\"sampling\":{}}}");
    return IA_OK;
}

/* ---- tasks: what becomes of one follows from the time ------------------------------------- */

enum { TASKS_MAX = 256 };
struct task {
    const struct ia_mcp_tool *tool;
    int64_t created_ms, due_ms, cancelled_ms;
};
static struct task tasks[TASKS_MAX];
static int task_count;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void settle(const struct ia_mcp_tool *tool, struct ia_mcp_result *ret)
{
    if (strcmp(tool->name, "protocol_error_job") == 0) {
        ia_mcp_error_set(&ret->error, IA_MCP_INTERNAL, "the job broke");
    } else {
        ret->failed = strcmp(tool->name, "failing_job") == 0;
        ia_buf_puts(&ret->text, ret->failed ? "the job failed" : "computed");
    }
}

static struct task *find(const char *id)
{
    int no = -1;
    bool ok = sscanf(id, "task-%d", &no) == 1 && no >= 0 && no < task_count;
    return ok ? &tasks[no] : NULL;
}

static bool task_get(void *ctx, const char *id, struct ia_mcp_task *ret)
{
    (void)ctx;
    int64_t now = ia_wall_ms(ia_clock_system());
    pthread_mutex_lock(&mutex);
    const struct task *t = find(id);
    if (t) {
        (void)snprintf(ret->id, sizeof(ret->id), "%s", id);
        ret->created_ms = ret->updated_ms = t->created_ms;
        if (t->cancelled_ms) {
            ret->state = IA_MCP_TASK_CANCELLED;
            ret->updated_ms = t->cancelled_ms;
        } else if (now >= t->due_ms) {
            settle(t->tool, &ret->result);
            ret->state = ret->result.error.code ? IA_MCP_TASK_FAILED : IA_MCP_TASK_COMPLETED;
            ret->updated_ms = t->due_ms;
        }
    }
    pthread_mutex_unlock(&mutex);
    return t != NULL;
}

static bool task_cancel(void *ctx, const char *id)
{
    (void)ctx;
    int64_t now = ia_wall_ms(ia_clock_system());
    pthread_mutex_lock(&mutex);
    struct task *t = find(id);
    if (t && !t->cancelled_ms && now < t->due_ms) {
        t->cancelled_ms = now;
    }
    pthread_mutex_unlock(&mutex);
    return t != NULL;
}

static enum ia_rc job(struct ia_mcp_call *call, struct ia_mcp_result *ret, struct ia_err *err)
{
    const json_t *given = json_object_get(call->args, "seconds");
    int64_t ms = given ? (int64_t)(json_number_value(given) * 1000) : 1000;
    (void)err;
    if (!call->tasks || ms == 0) {
        (void)pause_ms(call, ms);
        settle(call->tool, ret);
        return IA_OK;
    }
    pthread_mutex_lock(&mutex);
    if (task_count < TASKS_MAX) {
        int64_t now = ia_wall_ms(ia_clock_system());
        (void)snprintf(ret->task, sizeof(ret->task), "task-%d", task_count);
        tasks[task_count++] =
            (struct task){.tool = call->tool, .created_ms = now, .due_ms = now + ms};
    }
    pthread_mutex_unlock(&mutex);
    return IA_OK;
}

static enum ia_rc greet(struct ia_mcp_call *call, struct ia_mcp_result *ret, struct ia_err *err)
{
    (void)err;
    ia_buf_printf(&ret->text, "Hello, %s!", ia_json_text(call->args, "name"));
    return IA_OK;
}

/* ---- the table ---------------------------------------------------------------------------- */

#define TOOL(tool_name, properties)                                                            \
    "{\"name\":\"" tool_name "\",\"description\":\"" tool_name                                 \
    "\",\"inputSchema\":{\"type\":\"object\",\"properties\":{" properties                      \
    "},\"additionalProperties\":false}}"
#define PLAIN(tool_name, fn, said)                                                             \
    {                                                                                          \
        tool_name, TOOL(tool_name, ""), 0, fn, said                                            \
    }
#define LABEL "\"seconds\":{\"type\":\"number\",\"minimum\":0},\"label\":{\"type\":\"string\"}"

static const struct ia_mcp_tool tools[] = {
    PLAIN("test_simple_text", text, "This is a simple text response for testing."),
    PLAIN("test_image_content", image, NULL),
    PLAIN("test_audio_content", audio, NULL),
    PLAIN("test_embedded_resource", resource, NULL),
    PLAIN("test_multiple_content_types", mixed, NULL),
    PLAIN("test_error_handling", fails, "This tool intentionally returns an error for testing"),
    {"test_tool_with_progress", TOOL("test_tool_with_progress", ""), IA_MCP_TOOL_PROGRESS,
     progress, NULL},
    PLAIN("test_missing_capability", needs_sampling, NULL),
    PLAIN("test_logging_tool", text, "nothing is logged"),
    PLAIN("test_streaming_elicitation", text, "nothing is asked"),
    {"greet", TOOL("greet", "\"name\":{\"type\":\"string\"}"), 0, greet, NULL},
    {"slow_compute", TOOL("slow_compute", LABEL), 0, job, NULL},
    PLAIN("failing_job", job, NULL),
    PLAIN("protocol_error_job", job, NULL),
    {.name = NULL},
};

/* ---- transports --------------------------------------------------------------------------- */

static void handle(void *ctx, const struct ia_http_request *request,
                   struct ia_http_reply *reply)
{
    if (strcmp(request->path, "/mcp") == 0) {
        ia_mcp_http_handle(ctx, request, reply);
    } else {
        reply->status = 404;
    }
}

static enum ia_rc serve_http(struct ia_mcp *mcp, struct ia_err *err)
{
    const struct ia_access_opts open = {.open = true};
    struct ia_access *access = ia_access_new(&open);
    struct ia_mcp_http *http = ia_mcp_http_new(mcp);
    const struct ia_http_opts opts = {
        .unix_fd = -1, .access = access, .handler = handle, .ctx = http, .build = "fixture"};
    struct ia_http_server *server = NULL;
    enum ia_rc rc = ia_http_start(&opts, &server, err);
    if (rc == IA_OK) {
        char bytes[64];
        printf("%d\n", ia_http_port(server));
        (void)fflush(stdout);
        while (read(STDIN_FILENO, bytes, sizeof(bytes)) > 0) {
        }
    }
    ia_http_stop(server);
    ia_mcp_http_free(http);
    ia_access_free(access);
    return rc;
}

static enum ia_rc serve_stdio(struct ia_mcp *mcp, struct ia_err *err)
{
    const struct ia_mcp_peer peer = {.cwd = NULL};
    const struct ia_mcp_stdio_opts opts = {
        .mcp = mcp, .peer = &peer, .in = STDIN_FILENO, .out = STDOUT_FILENO};
    return ia_mcp_stdio(&opts, err);
}

int main(int argc, char **argv)
{
    static const struct ia_mcp_tasks ops = {task_get, task_cancel};
    const struct ia_mcp_opts opts = {
        .version = "0.0.0", .instructions = "A fixture.", .tools = tools, .tasks = &ops};
    struct ia_err err = {.code = IA_OK};
    struct ia_mcp *mcp = NULL;
    bool http = argc > 1 && strcmp(argv[1], "--http") == 0;
    enum ia_rc rc = ia_mcp_new(&opts, &mcp, &err);
    if (rc == IA_OK) {
        rc = http ? serve_http(mcp, &err) : serve_stdio(mcp, &err);
    }
    if (rc != IA_OK) {
        fprintf(stderr, "%s\n", err.msg);
        _exit(1);
    }
    ia_mcp_free(mcp);
    return 0;
}
