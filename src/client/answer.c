/* answer.c: the head is collected until its empty line, read line by line, and what follows is the
 * body. The daemon is trusted to be ours, not to be right: every number and length has a cap. */
#include "client/answer.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

void ia_client_answer_fini(struct ia_client_answer *a)
{
    ia_buf_fini(&a->body);
}

void ia_answer_reader_init(struct ia_answer_reader *r)
{
    *r = (struct ia_answer_reader){.in = IA_BUF(IA_ANSWER_HEAD_MAX), .length = SIZE_MAX};
}

void ia_answer_reader_fini(struct ia_answer_reader *r)
{
    ia_buf_fini(&r->in);
}

static enum ia_rc malformed(struct ia_err *err, const char *what)
{
    enum ia_rc rc = ia_err_set(err, IA_E_PROTO, "the daemon's answer cannot be read: %s", what);
    ia_err_hint(err, "ios-agent daemon restart");
    return rc;
}

/* Digits only, within max. */
static bool number(struct ia_str text, size_t max, size_t *ret)
{
    size_t v = 0;
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] < '0' || text.p[i] > '9' || v > max / 10) {
            return false;
        }
        v = v * 10 + (size_t)(text.p[i] - '0');
    }
    *ret = v;
    return text.n > 0 && v <= max;
}

static struct ia_str trim(struct ia_str s)
{
    while (s.n > 0 && (s.p[0] == ' ' || s.p[0] == '\t')) {
        s = (struct ia_str){s.p + 1, s.n - 1};
    }
    while (s.n > 0 && strchr(" \t\r", s.p[s.n - 1])) {
        s.n--;
    }
    return s;
}

static bool named(struct ia_str name, const char *wanted)
{
    return name.n == strlen(wanted) && strncasecmp(name.p, wanted, name.n) == 0;
}

/* False when the value is one that this header cannot have. */
static bool take_header(struct ia_answer_reader *r, struct ia_str name, struct ia_str value,
                        struct ia_client_answer *ret)
{
    size_t n = 0;
    if (named(name, "Content-Length")) {
        return r->length == SIZE_MAX && number(value, IA_CLIENT_ANSWER_MAX, &r->length);
    }
    if (named(name, "Transfer-Encoding")) {
        r->chunked = r->pieces && value.n == 7 && strncasecmp(value.p, "chunked", 7) == 0;
        return r->chunked;
    }
    if (named(name, "Connection")) {
        r->close = value.n == 5 && strncasecmp(value.p, "close", 5) == 0;
    } else if (named(name, "Ios-Agent-Exit")) {
        bool ok = number(value, 255, &n);
        ret->exit_status = (int)n;
        return ok;
    } else if (named(name, "Ios-Agent-File-Bytes")) {
        return number(value, IA_CLIENT_ANSWER_MAX, &ret->file_bytes);
    } else if (named(name, "Ios-Agent-Err-Bytes")) {
        return number(value, IA_CLIENT_ANSWER_MAX, &ret->err_bytes);
    } else if (named(name, "Ios-Agent-Stream")) {
        ret->to_stderr = ia_str_is(value, "err");
    } else if (named(name, "Ios-Agent-Code")) {
        ret->again = ia_str_is(value, ia_rc_name(IA_E_DAEMON_VERSION));
    } else if (named(name, "Ios-Agent-Drains")) {
        ret->drains = ia_str_is(value, "1");
    } else if (named(name, "Ios-Agent-Build") && value.n < sizeof(ret->build)) {
        memcpy(ret->build, value.p, value.n);
        ret->build[value.n] = '\0';
    }
    return true;
}

static bool take_status(struct ia_str line, struct ia_client_answer *ret)
{
    static const char http[] = "HTTP/1.1 ";
    size_t status = 0, n = sizeof(http) - 1;
    bool ok = ia_str_starts(line, ia_str(http)) && line.n >= n + 3 &&
              number((struct ia_str){line.p + n, 3}, 599, &status) && status >= 200;
    ret->http_status = (int)status;
    return ok;
}

static enum ia_rc take_head(struct ia_answer_reader *r, struct ia_str head,
                            struct ia_client_answer *ret, struct ia_err *err)
{
    struct ia_str line;
    if (!ia_str_line(&head, &line) || !take_status(line, ret)) {
        return malformed(err, "it is not HTTP/1.1");
    }
    while (ia_str_line(&head, &line)) {
        const char *colon = line.n > 0 ? memchr(line.p, ':', line.n) : NULL;
        size_t n = colon ? (size_t)(colon - line.p) : 0;
        if (!colon || !take_header(r, (struct ia_str){line.p, n},
                                   trim((struct ia_str){colon + 1, line.n - n - 1}), ret)) {
            return malformed(err, "a header line");
        }
    }
    if (r->chunked) {
        return r->length == SIZE_MAX ? IA_OK : malformed(err, "it has two lengths");
    }
    if (r->length == SIZE_MAX) {
        if (ret->http_status != 204) {
            return malformed(err, "it has no length");
        }
        r->length = 0;
    }
    if (ret->file_bytes > r->length || ret->err_bytes > r->length - ret->file_bytes) {
        return malformed(err, "it is shorter than its parts");
    }
    return IA_OK;
}

/* Takes from bytes what belongs to the head; once that is complete, reads it. */
static enum ia_rc feed_head(struct ia_answer_reader *r, struct ia_str *bytes,
                            struct ia_client_answer *ret, struct ia_err *err)
{
    size_t before = r->in.len;
    ia_buf_put(&r->in, bytes->p,
               bytes->n < IA_ANSWER_HEAD_MAX - before ? bytes->n : IA_ANSWER_HEAD_MAX - before);
    const char *end = ia_str_find(ia_buf_str(&r->in), "\r\n\r\n");
    if (!end) {
        bool full = r->in.len == IA_ANSWER_HEAD_MAX;
        *bytes = (struct ia_str){bytes->p + bytes->n, 0};
        return full ? malformed(err, "its head is too long") : IA_OK;
    }
    size_t head = (size_t)(end - r->in.p) + 4;
    size_t used = head - before; /* the empty line was not complete before */
    *bytes = (struct ia_str){bytes->p + used, bytes->n - used};
    r->head_done = true;
    return take_head(r, (struct ia_str){r->in.p, head - 2}, ret, err);
}

static enum ia_rc feed_chunks(struct ia_answer_reader *r, struct ia_str bytes,
                              struct ia_client_answer *ret, struct ia_err *err)
{
    if (!ia_chunks_feed(&r->chunks, bytes, IA_CLIENT_ANSWER_MAX, &ret->body)) {
        return malformed(err, "a chunk");
    }
    r->done = r->chunks.state == IA_CHUNKS_DONE;
    return ia_buf_check(&ret->body, "the daemon's answer", err);
}

enum ia_rc ia_answer_feed(struct ia_answer_reader *r, struct ia_str bytes,
                          struct ia_client_answer *ret, struct ia_err *err)
{
    enum ia_rc rc = r->head_done ? IA_OK : feed_head(r, &bytes, ret, err);
    if (rc != IA_OK || !r->head_done) {
        return rc;
    }
    if (r->chunked) {
        return feed_chunks(r, bytes, ret, err);
    }
    if (bytes.n > r->length - ret->body.len) {
        return malformed(err, "it is longer than it says");
    }
    ia_buf_put(&ret->body, bytes.p, bytes.n);
    r->done = ret->body.len == r->length;
    return IA_OK;
}
