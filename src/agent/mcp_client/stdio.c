/* stdio.c: a server that is a program: a message is a line of its stdin or stdout.
 *
 *     out ──► stdin      what is not yet written, answers to its own requests too
 *     in  ◄── stdout     what is no whole line yet ─► ia_mcp_client_take
 *     err ◄── stderr     only its end is kept, for the message when it ends
 *
 * All three are moved in one wait: a server that writes before it reads locks nothing up. */
#include "agent/mcp_client/client_impl.h"

#include "base/clean.h"
#include "base/clock.h"
#include "base/spawn.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { READ_BYTES = 64 << 10, WORDS_MAX = 2048, REPLIES_MAX = 1 << 20, LAST_LINE = 200 };

struct link {
    struct ia_spawn_talk child;
    struct ia_buf in, out, words;
    size_t scanned; /* bytes of `in` without a newline */
};

static enum ia_rc open_link(struct ia_mcp_client *c, struct ia_err *err)
{
    struct ia_spawn s = {.argv = (const char *const *)c->argv,
                         .env = (const char *const *)c->env,
                         .cwd = c->cwd};
    struct link *l = ia_calloc(1, sizeof(*l));
    enum ia_rc rc = ia_spawn_talk_open(&s, &l->child, err);
    if (rc != IA_OK) {
        free(l);
        return rc;
    }
    l->in = IA_BUF(IA_MCP_CLIENT_MESSAGE_MAX + READ_BYTES);
    l->out = IA_BUF(IA_MCP_CLIENT_MESSAGE_MAX + REPLIES_MAX);
    l->words = IA_BUF(2 * READ_BYTES);
    c->link = l;
    return IA_OK;
}

static void close_link(struct ia_mcp_client *c)
{
    struct link *l = c->link;
    ia_spawn_talk_close(&l->child, IA_MCP_CLIENT_BYE_MS);
    ia_buf_fini(&l->in);
    ia_buf_fini(&l->out);
    ia_buf_fini(&l->words);
    free(l);
    c->link = NULL;
}

/* ---- reading ------------------------------------------------------------------------------ */

/* Bytes that came, 0 for none at the moment, -1 at the end. */
static ssize_t read_some(int *fd, struct ia_buf *to)
{
    void *at = ia_buf_reserve(to, READ_BYTES);
    ssize_t n = at && *fd >= 0 ? read(*fd, at, READ_BYTES) : -1;
    if (n > 0) {
        ia_buf_grew(to, (size_t)n);
        return n;
    }
    if (n < 0 && *fd >= 0 && at && ia_stream_again()) {
        return 0;
    }
    if (*fd >= 0) {
        close(*fd);
        *fd = -1;
    }
    return -1;
}

static void read_words(struct link *l)
{
    (void)read_some(&l->child.err, &l->words);
    if (l->words.len > WORDS_MAX) {
        ia_buf_consume(&l->words, l->words.len - WORDS_MAX);
    }
}

static void send_back(struct link *l, const struct ia_buf *reply)
{
    if (reply->len > 0) {
        ia_buf_putstr(&l->out, ia_buf_str(reply));
        ia_buf_putc(&l->out, '\n');
    }
}

static enum ia_rc take_line(struct ia_mcp_client *c, struct ia_str line, struct ia_err *err)
{
    struct ia_buf reply = IA_BUF(8192);
    if (line.n > 0 && line.p[line.n - 1] == '\r') {
        line.n--;
    }
    enum ia_rc rc = line.n > 0 ? ia_mcp_client_take(c, line, &reply, err) : IA_OK;
    send_back(c->link, &reply);
    ia_buf_fini(&reply);
    return rc;
}

static enum ia_rc take_lines(struct ia_mcp_client *c, struct ia_err *err)
{
    struct link *l = c->link;
    enum ia_rc rc = IA_OK;
    size_t from = 0;
    const char *end = NULL;
    while (rc == IA_OK &&
           (end = memchr(l->in.p + l->scanned, '\n', l->in.len - l->scanned)) != NULL) {
        size_t at = (size_t)(end - l->in.p);
        rc = take_line(c, (struct ia_str){l->in.p + from, at - from}, err);
        from = l->scanned = at + 1;
    }
    ia_buf_consume(&l->in, from);
    l->scanned = l->in.len;
    if (rc == IA_OK && l->in.len > IA_MCP_CLIENT_MESSAGE_MAX) {
        rc = ia_err_set(err, IA_E_PROTO, "the MCP server %s sent a message of more than %d MB",
                        c->name, IA_MCP_CLIENT_MESSAGE_MAX >> 20);
    }
    return rc == IA_OK ? ia_buf_check(&l->out, "answers to an MCP server", err) : rc;
}

/* ---- its end ------------------------------------------------------------------------------ */

static struct ia_str last_line(const struct ia_buf *words)
{
    struct ia_str s = ia_buf_str(words);
    while (s.n > 0 && (unsigned char)s.p[s.n - 1] <= ' ') {
        s.n--;
    }
    size_t from = s.n;
    while (from > 0 && s.p[from - 1] != '\n' && s.n - from < LAST_LINE) {
        from--;
    }
    return (struct ia_str){s.p + from, s.n - from};
}

static enum ia_rc has_ended(struct ia_mcp_client *c, struct ia_err *err)
{
    struct link *l = c->link;
    struct ia_buf line = IA_BUF(1024);
    read_words(l);
    ia_clean(&line, last_line(&l->words), IA_CLEAN_LINE);
    enum ia_rc rc = ia_err_set(err, IA_E_CHILD, "the MCP server %s (%s) ended%s%s", c->name,
                               c->argv[0], line.len > 0 ? ": " : "", ia_buf_cstr(&line));
    ia_buf_fini(&line);
    return rc;
}

/* ---- one exchange ------------------------------------------------------------------------- */

static enum ia_rc write_some(struct ia_mcp_client *c, struct ia_err *err)
{
    struct link *l = c->link;
    ssize_t n = ia_spawn_talk_write(&l->child, ia_buf_str(&l->out));
    if (n > 0) {
        c->sent = true;
        ia_buf_consume(&l->out, (size_t)n);
        return IA_OK;
    }
    return n == 0 || ia_stream_again() ? IA_OK : has_ended(c, err);
}

static enum ia_rc step(struct ia_mcp_client *c, const struct ia_limit *limit,
                       struct ia_err *err)
{
    struct link *l = c->link;
    struct pollfd fds[] = {{l->child.out, POLLIN, 0},
                           {l->child.err, POLLIN, 0},
                           {l->out.len > 0 ? l->child.in : -1, POLLOUT, 0}};
    int ready = 0;
    enum ia_rc rc =
        ia_cancel_poll(limit->cancel, fds, IA_COUNTOF(fds), limit->deadline_us, &ready);
    if (rc != IA_OK) {
        return ia_err_set(err, rc, "the MCP server %s (%s) gave no answer %s", c->name, c->argv[0],
                          rc == IA_E_TIMEOUT ? "in time" : "before the cancel");
    }
    if (fds[1].revents) {
        read_words(l);
    }
    if (fds[2].revents) {
        rc = write_some(c, err);
    }
    if (rc == IA_OK && fds[0].revents) {
        ssize_t n = read_some(&l->child.out, &l->in);
        rc = n < 0 ? has_ended(c, err) : n > 0 ? take_lines(c, err) : IA_OK;
    }
    return rc;
}

static enum ia_rc exchange(struct ia_mcp_client *c, struct ia_str message,
                           const struct ia_limit *limit, struct ia_err *err)
{
    struct link *l = c->link;
    ia_buf_putstr(&l->out, message);
    ia_buf_putc(&l->out, '\n');
    enum ia_rc rc = ia_buf_check(&l->out, "messages to an MCP server", err);
    while (rc == IA_OK && (l->out.len > 0 || c->asked != 0) && !c->answer) {
        rc = step(c, limit, err);
    }
    return rc;
}

const struct ia_mcp_wire ia_mcp_wire_stdio = {open_link, exchange, close_link};
