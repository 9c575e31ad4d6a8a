/* stdio.c: a thread that reads lines, threads that do what takes time (jobs.h), one lock around the
 * output.
 *
 *   input ─► line ─► ia_mcp_read ─┬─ answered from memory: at once, on the reading thread
 *                                 ├─ notifications/cancelled: the token of that job
 *                                 └─ a call: a job ─► here, or in the daemon ─► output
 *
 * A client that died may leave its end of the pipe open in a child of its own, so the parent's id is
 * looked at as well. */
#include "server/mcp/core/stdio.h"

#include "base/clock.h"
#include "base/fd.h"
#include "server/mcp/core/jobs.h"
#include "json/json.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { READ_BYTES = 64 << 10, PARENT_US = 2000000, KEY_MAX = 128 };

struct stdio {
    const struct ia_mcp_stdio_opts *opts;
    struct ia_mcp_jobs *jobs;
    pthread_mutex_t writing;
    atomic_bool closed; /* nothing more is written */
    char version[16];   /* that initialize agreed on; "" before */
    struct ia_buf in;
    size_t scanned; /* bytes of `in` without a newline */
    bool skipping;  /* the rest of a line that was too long */
};

/* A request with the line that it came in, which the daemon gets. */
struct line {
    struct ia_mcp_request *request;
    char *bytes;
    size_t n;
};

static void free_line(struct line *line)
{
    ia_mcp_request_free(line->request);
    free(line->bytes);
    free(line);
}

/* ---- out ---------------------------------------------------------------------------------- */

static void send_line(void *ctx, struct ia_str message, bool last)
{
    struct stdio *s = ctx;
    (void)last;
    char *line = ia_alloc(message.n + 1);
    memcpy(line, message.p, message.n);
    line[message.n] = '\n';
    pthread_mutex_lock(&s->writing);
    if (!atomic_load(&s->closed) && ia_write_all(s->opts->out, line, message.n + 1) != IA_OK) {
        atomic_store(&s->closed, true);
    }
    pthread_mutex_unlock(&s->writing);
    free(line);
}

/* ---- requests ----------------------------------------------------------------------------- */

static const char *version_of(const struct stdio *s)
{
    return *s->version ? s->version : NULL;
}

static void do_job(void *ctx, void *job, struct ia_cancel *cancel)
{
    struct stdio *s = ctx;
    struct line *line = job;
    const struct ia_mcp_stdio_opts *o = s->opts;
    if (ia_cancel_fired(cancel)) {
        /* Cancelled while it waited: it never begins. */
    } else if (o->forward && line->request->error.code == 0) {
        o->forward(o->forward_ctx, line->request, (struct ia_str){line->bytes, line->n},
                   version_of(s), cancel, send_line, s);
    } else {
        (void)ia_mcp_answer(o->mcp, o->peer, line->request, cancel, send_line, s);
    }
    free_line(line);
}

/* What a call waits its turn by: its device. A batch is as careful as a call of each device. */
static void job_key(const struct ia_mcp_request *r, char ret[KEY_MAX])
{
    *ret = '\0';
    if (r->kind == IA_MCP_CALL && r->tool && (r->tool->flags & IA_MCP_TOOL_SERIAL)) {
        const json_t *args = json_object_get(r->params, "arguments");
        struct ia_str device = ia_json_field(args, "device");
        ret[0] = '=';
        size_t n = device.n < KEY_MAX - 2 ? device.n : KEY_MAX - 2;
        if (n > 0) {
            memcpy(ret + 1, device.p, n);
        }
        ret[1 + n] = '\0';
    }
}

static void refuse(struct stdio *s, struct ia_mcp_request *r)
{
    ia_mcp_error_set(&r->error, IA_MCP_INTERNAL, "more than %d requests at once",
                     IA_MCP_STDIO_WAITING_MAX);
    r->kind = IA_MCP_QUICK;
    (void)ia_mcp_answer(s->opts->mcp, s->opts->peer, r, NULL, send_line, s);
    ia_mcp_request_free(r);
}

static void add_job(struct stdio *s, struct ia_mcp_request *r, struct ia_str bytes)
{
    char key[KEY_MAX];
    struct line *line = ia_calloc(1, sizeof(*line));
    *line = (struct line){.request = r,
                          .bytes = s->opts->forward ? ia_strndup(bytes.p, bytes.n) : NULL,
                          .n = bytes.n};
    job_key(r, key);
    if (!ia_mcp_jobs_add(s->jobs, ia_buf_str(&r->id), key, line)) {
        line->request = NULL;
        free_line(line);
        refuse(s, r);
    }
}

static void note_version(struct stdio *s, const struct ia_mcp_request *r)
{
    if (r->method && strcmp(r->method, "initialize") == 0 && !r->modern) {
        const char *asked = ia_json_text(r->params, "protocolVersion");
        (void)snprintf(s->version, sizeof(s->version), "%s",
                       ia_mcp_is_legacy(asked) ? asked : IA_MCP_LEGACY_VERSION);
    }
}

static void take_message(struct stdio *s, struct ia_str bytes)
{
    struct ia_mcp_request *r = ia_mcp_read(s->opts->mcp, s->opts->peer, bytes, version_of(s));
    if (r->kind == IA_MCP_CALL || r->kind == IA_MCP_TASK || r->kind == IA_MCP_BATCH) {
        add_job(s, r, bytes);
        return;
    }
    note_version(s, r);
    if (r->cancels.len > 0) {
        ia_mcp_jobs_cancel(s->jobs, ia_buf_str(&r->cancels));
    }
    if (r->kind != IA_MCP_SILENT) {
        (void)ia_mcp_answer(s->opts->mcp, s->opts->peer, r, NULL, send_line, s);
    }
    ia_mcp_request_free(r);
}

/* ---- in ----------------------------------------------------------------------------------- */

static void take_line(struct stdio *s, struct ia_str line)
{
    if (line.n > 0 && line.p[line.n - 1] == '\r') {
        line.n--;
    }
    if (line.n > 0) {
        take_message(s, line);
    }
}

/* Too long: answered like what cannot be read, and left out to its end. */
static void skip_line(struct stdio *s)
{
    if (!s->skipping) {
        take_message(s, ia_str("too long"));
    }
    s->skipping = true;
    ia_buf_reset(&s->in);
    s->scanned = 0;
}

static void take_lines(struct stdio *s)
{
    size_t from = 0;
    const char *end = NULL;
    while ((end = memchr(s->in.p + s->scanned, '\n', s->in.len - s->scanned)) != NULL) {
        size_t at = (size_t)(end - s->in.p);
        if (!s->skipping) {
            take_line(s, (struct ia_str){s->in.p + from, at - from});
        }
        s->skipping = false;
        from = s->scanned = at + 1;
    }
    ia_buf_consume(&s->in, from);
    s->scanned = s->in.len;
    if (s->in.len > IA_MCP_MESSAGE_MAX) {
        skip_line(s);
    }
}

/* False at the end of the input. */
static bool read_some(struct stdio *s)
{
    void *at = ia_buf_reserve(&s->in, READ_BYTES);
    ssize_t n = 0;
    do {
        n = read(s->opts->in, at, READ_BYTES);
    } while (n < 0 && errno == EINTR);
    if (n <= 0) {
        return false;
    }
    ia_buf_grew(&s->in, (size_t)n);
    take_lines(s);
    return true;
}

static void serve(struct stdio *s)
{
    const pid_t parent = getppid();
    struct pollfd in = {.fd = s->opts->in, .events = POLLIN};
    enum ia_rc rc = IA_OK;
    bool more = true;
    while (more && !atomic_load(&s->closed)) {
        int ready = 0;
        rc = ia_cancel_poll(s->opts->stop, &in, 1, ia_mono_us(ia_clock_system()) + PARENT_US,
                            &ready);
        if (rc == IA_OK) {
            more = read_some(s);
        } else {
            more = rc == IA_E_TIMEOUT && getppid() == parent;
        }
    }
}

enum ia_rc ia_mcp_stdio(const struct ia_mcp_stdio_opts *opts, struct ia_err *err)
{
    struct stdio *s = ia_calloc(1, sizeof(*s));
    s->opts = opts;
    s->in = IA_BUF(IA_MCP_MESSAGE_MAX + 2 * READ_BYTES);
    pthread_mutex_init(&s->writing, NULL);
    s->jobs = ia_mcp_jobs_new(IA_MCP_STDIO_THREADS, IA_MCP_STDIO_WAITING_MAX, do_job, s);
    serve(s);
    atomic_store(&s->closed, true);
    if (!ia_mcp_jobs_end(s->jobs, IA_MCP_STDIO_END_MS)) {
        return ia_err_set(err, IA_E_TIMEOUT, "a call did not end within %d ms",
                          IA_MCP_STDIO_END_MS);
    }
    ia_mcp_jobs_free(s->jobs);
    pthread_mutex_destroy(&s->writing);
    ia_buf_fini(&s->in);
    free(s);
    return IA_OK;
}
