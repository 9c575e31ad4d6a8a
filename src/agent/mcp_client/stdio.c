/* stdio.c: a server that is a program: a message is a line of its stdin or stdout.
 *
 *     out ──► stdin      what is not written yet: our messages, answers to its requests
 *     in  ◄── stdout     what is not a whole line yet ─► ia_mcp_client_take
 *     err ◄── stderr     only its end is kept, for the message when it ends
 *
 * All three move in one wait, so a server that writes before it reads does not block. Whether the
 * program itself has ended is checked at every tick, since what it left running may keep its pipes open. */
#include "agent/mcp_client/client_impl.h"

#include "base/clean.h"
#include "base/clock.h"
#include "base/spawn.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    READ_BYTES = 64 << 10,
    STDERR_KEPT = 2048,
    REPLIES_MAX = 1 << 20,
    LAST_LINE_COLUMNS = 200,
    TICK_MS = 200, /* how late the end of a program is seen whose pipes stay open */
    END_MS = 100   /* how long the end of a program may lag behind that of its output */
};

struct link {
    struct ia_spawn_talk child;
    struct ia_buf in, out, words;
    size_t scanned; /* bytes of `in` without a newline */
    size_t mine;    /* bytes of `out` up to the end of the message in hand */
    size_t size;    /* of that message */
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
    l->in = IA_BUF(IA_MCP_CLIENT_MESSAGE_MAX + 2 * READ_BYTES);
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

/* ---- its end ------------------------------------------------------------------------------ */

/* The last line of its stderr, without secrets. */
static void put_last_line(struct ia_mcp_client *c, struct ia_buf *out)
{
    struct link *l = c->link;
    struct ia_buf text = IA_BUF(64 << 10);
    ia_mcp_hide(c, ia_buf_str(&l->words), &text);
    struct ia_str s = ia_buf_str(&text);
    while (s.n > 0 && (unsigned char)s.p[s.n - 1] <= ' ') {
        s.n--;
    }
    size_t from = s.n;
    while (from > 0 && s.p[from - 1] != '\n') {
        from--;
    }
    if (s.n > from) {
        ia_buf_puts(out, ": ");
        ia_clean_cut(out, (struct ia_str){s.p + from, s.n - from}, LAST_LINE_COLUMNS);
    }
    ia_buf_fini(&text);
}

static void read_words(struct link *l);

/* what: what happened, where the program runs on. */
static enum ia_rc lost(struct ia_mcp_client *c, const char *what, struct ia_err *err)
{
    struct link *l = c->link;
    struct ia_buf line = IA_BUF(4096);
    int status = 0;
    int signo = 0;
    bool ended = ia_spawn_talk_ended(&l->child, END_MS, &status, &signo);
    read_words(l);
    put_last_line(c, &line);
    if (!ended) {
        ia_err_set(err, IA_E_CHILD, "it %s%s", what, ia_buf_cstr(&line));
    } else if (signo != 0) {
        ia_err_set(err, IA_E_CHILD, "it was killed by signal %d%s", signo, ia_buf_cstr(&line));
    } else {
        ia_err_set(err, IA_E_CHILD, "it exited with status %d%s", status, ia_buf_cstr(&line));
    }
    ia_buf_fini(&line);
    return IA_E_CHILD;
}

/* ---- reading ------------------------------------------------------------------------------ */

/* The number of bytes that came, 0 for none at the moment, -1 at the end. */
static ssize_t read_some(int *fd, struct ia_buf *to)
{
    void *at = *fd >= 0 ? ia_buf_reserve(to, READ_BYTES) : NULL;
    ssize_t n = at ? read(*fd, at, READ_BYTES) : -1;
    if (n > 0) {
        ia_buf_grew(to, (size_t)n);
        return n;
    }
    if (n < 0 && at && ia_stream_again()) {
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
    if (l->words.len > STDERR_KEPT) {
        ia_buf_consume(&l->words, l->words.len - STDERR_KEPT);
    }
}

static void answer(struct ia_mcp_client *c, struct ia_str message)
{
    struct link *l = c->link;
    ia_buf_putstr(&l->out, message);
    ia_buf_putc(&l->out, '\n');
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
        struct ia_str line = {l->in.p + from, at - from};
        line.n -= line.n > 0 && line.p[line.n - 1] == '\r';
        rc = ia_mcp_client_take(c, line, err);
        from = l->scanned = at + 1;
    }
    ia_buf_consume(&l->in, from);
    l->scanned = l->in.len;
    if (rc == IA_OK && l->in.len > IA_MCP_CLIENT_MESSAGE_MAX) {
        rc = ia_err_set(err, IA_E_PROTO, "it sent a message of more than 4 MB");
    }
    return rc == IA_OK ? ia_buf_check(&l->out, "answers to its requests", err) : rc;
}

static enum ia_rc read_messages(struct ia_mcp_client *c, struct ia_err *err)
{
    struct link *l = c->link;
    ssize_t n = read_some(&l->child.out, &l->in);
    if (n < 0) {
        return lost(c, "closed its output", err);
    }
    return n > 0 ? take_lines(c, err) : IA_OK;
}

/* ---- one exchange ------------------------------------------------------------------------- */

static enum ia_rc write_some(struct ia_mcp_client *c, struct ia_err *err)
{
    struct link *l = c->link;
    ssize_t n = ia_spawn_talk_write(&l->child, ia_buf_str(&l->out));
    if (n <= 0) {
        return n == 0 || ia_stream_again() ? IA_OK : lost(c, "closed its input", err);
    }
    ia_buf_consume(&l->out, (size_t)n);
    l->mine -= (size_t)n < l->mine ? (size_t)n : l->mine;
    c->now.sent = c->now.sent || l->mine < l->size;
    c->now.written = l->mine == 0;
    return IA_OK;
}

static enum ia_rc no_answer(struct ia_mcp_client *c, enum ia_rc rc, struct ia_err *err)
{
    struct ia_buf progress = IA_BUF(256);
    ia_mcp_client_put_progress(c, &progress);
    ia_err_set(err, rc, "it gave no answer %s%s",
               rc == IA_E_TIMEOUT ? "in time" : "before the call was cancelled",
               ia_buf_cstr(&progress));
    ia_buf_fini(&progress);
    return rc;
}

/* Waits until something can be read or written, for at most a tick, and moves it. */
static enum ia_rc step(struct ia_mcp_client *c, const struct ia_limit *limit,
                       struct ia_err *err)
{
    struct link *l = c->link;
    struct pollfd fds[] = {{l->child.out, POLLIN, 0},
                           {l->child.err, POLLIN, 0},
                           {l->out.len > 0 ? l->child.in : -1, POLLOUT, 0}};
    struct ia_limit tick = ia_limit_within(limit, TICK_MS);
    int ready = 0;
    int status;
    enum ia_rc rc = ia_cancel_poll(tick.cancel, fds, IA_COUNTOF(fds), tick.deadline_us, &ready);
    if (ia_limit_over(limit)) {
        return no_answer(c, ia_cancel_fired(limit->cancel) ? IA_E_CANCELLED : IA_E_TIMEOUT,
                         err);
    }
    if (rc == IA_E_TIMEOUT) {
        return ia_spawn_talk_ended(&l->child, 0, &status, &status) ? lost(c, "ended", err)
                                                                   : IA_OK;
    }
    if (fds[1].revents) {
        read_words(l);
    }
    rc = fds[2].revents ? write_some(c, err) : IA_OK;
    return rc == IA_OK && fds[0].revents ? read_messages(c, err) : rc;
}

static enum ia_rc exchange(struct ia_mcp_client *c, struct ia_str message,
                           const struct ia_limit *limit, struct ia_err *err)
{
    struct link *l = c->link;
    ia_buf_putstr(&l->out, message);
    ia_buf_putc(&l->out, '\n');
    l->mine = l->out.len;
    l->size = message.n + 1;
    enum ia_rc rc = ia_buf_check(&l->out, "messages to it", err);
    while (rc == IA_OK && (c->now.asked != 0 ? !c->now.answer : l->mine > 0)) {
        rc = step(c, limit, err);
    }
    return rc;
}

/* Messages that came since the last exchange, and whether the program is still there. */
static enum ia_rc settle(struct ia_mcp_client *c, struct ia_err *err)
{
    struct link *l = c->link;
    struct pollfd out = {l->child.out, POLLIN, 0};
    int ready;
    int status;
    enum ia_rc rc = IA_OK;
    while (rc == IA_OK && ia_cancel_poll(NULL, &out, 1, 0, &ready) == IA_OK) {
        rc = read_messages(c, err);
    }
    return rc == IA_OK && ia_spawn_talk_ended(&l->child, 0, &status, &status)
               ? lost(c, "ended", err)
               : rc;
}

const struct ia_mcp_wire ia_mcp_wire_stdio = {true,     open_link, settle,
                                              exchange, answer,    close_link};
