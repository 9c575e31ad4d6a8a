/* sse.c: the decoder: bytes to lines, lines to fields, a blank line ends the event.
 *
 *     bytes ─► byte order mark skipped ─► lines (LF, CR, CRLF) ─► field: value
 *                                           │ unfinished: kept      │ data: joined by LF
 *                                           ▼                       │ event: the name
 *                                         s->line                   ▼
 *                                                         blank line: sink(name, data)
 *
 * A line that lies in one piece is used where it is and copied only into data. What is cut between
 * two pieces (a line, CR from its LF, a byte order mark) is carried over in the state. */
#include "net/sse.h"

#include "base/utf8.h"

#include <string.h>

static const char bom[3] = {'\xEF', '\xBB', '\xBF'};

void ia_sse_init(struct ia_sse *s, ia_sse_sink *sink, void *ctx)
{
    *s = (struct ia_sse){.sink = sink,
                         .ctx = ctx,
                         .retry_ms = -1,
                         .line = IA_BUF(IA_SSE_LINE_MAX),
                         .data = IA_BUF(IA_SSE_DATA_MAX),
                         .name = IA_BUF(IA_SSE_LINE_MAX)};
}

void ia_sse_fini(struct ia_sse *s)
{
    ia_buf_fini(&s->line);
    ia_buf_fini(&s->data);
    ia_buf_fini(&s->name);
}

static const char *ascii_end(const char *p, const char *end)
{
    uint64_t x;
    while (end - p >= 8) {
        memcpy(&x, p, sizeof(x));
        if (x & UINT64_C(0x8080808080808080)) {
            break;
        }
        p += 8;
    }
    while (p < end && (unsigned char)*p < 0x80) {
        p++;
    }
    return p;
}

static const char *valid_end(const char *p, const char *end)
{
    while ((p = ascii_end(p, end)) < end) {
        size_t n = ia_utf8_valid_len(p, (size_t)(end - p));
        if (n == 0) {
            break;
        }
        p += n;
    }
    return p;
}

/* How many bytes at p one U+FFFD stands for: the longest beginning of a valid sequence, at
 * least one (Unicode 15, section 3.9, "maximal subpart"). */
static size_t bad_len(const char *p, const char *end)
{
    char probe[4];
    size_t len = 1;
    for (size_t keep = 2; keep <= 3 && (size_t)(end - p) >= keep; keep++) {
        memset(probe, 0x80, sizeof(probe));
        memcpy(probe, p, keep);
        if (ia_utf8_valid_len(probe, sizeof(probe)) > keep) {
            len = keep;
        }
    }
    return len;
}

/* Appends text as valid UTF-8. */
static void put_utf8(struct ia_buf *out, struct ia_str text)
{
    const char *p = text.p;
    const char *end = p + text.n;
    while (p < end) {
        const char *stop = valid_end(p, end);
        ia_buf_put(out, p, (size_t)(stop - p));
        p = stop;
        if (p < end) {
            ia_buf_puts(out, "\xEF\xBF\xBD");
            p += bad_len(p, end);
        }
    }
}

static enum ia_rc dispatch(struct ia_sse *s, struct ia_err *err)
{
    memcpy(s->id, s->next_id, sizeof(s->id));
    enum ia_rc rc = ia_buf_check(&s->data, "the data of one stream event", err);
    /* Blank lines without an event between them mean nothing. */
    if (!rc && (s->name.len > 0 || s->data_lines > 0)) {
        struct ia_str none = {NULL, 0};
        rc = s->sink(s->ctx,
                     s->has_name ? (struct ia_str){ia_buf_cstr(&s->name), s->name.len} : none,
                     (struct ia_str){ia_buf_cstr(&s->data), s->data.len}, err);
    }
    s->has_name = false;
    s->data_lines = 0;
    ia_buf_reset(&s->name);
    ia_buf_reset(&s->data);
    return rc;
}

/* An id goes into a header when the stream is taken up again. */
static void take_id(struct ia_sse *s, struct ia_str value)
{
    bool fits = value.n < sizeof(s->next_id);
    for (size_t i = 0; fits && i < value.n; i++) {
        fits = value.p[i] > ' ' && value.p[i] < 0x7f;
    }
    size_t n = fits ? value.n : 0;
    memcpy(s->next_id, value.p, n);
    s->next_id[n] = '\0';
}

/* Digits alone, as the specification has it. */
static void take_retry(struct ia_sse *s, struct ia_str value)
{
    int64_t ms = 0;
    for (size_t i = 0; i < value.n; i++) {
        if (value.p[i] < '0' || value.p[i] > '9' || value.n > 9) {
            return;
        }
        ms = ms * 10 + (value.p[i] - '0');
    }
    s->retry_ms = value.n > 0 ? ms : s->retry_ms;
}

static void take_field(struct ia_sse *s, struct ia_str line)
{
    const char *colon = memchr(line.p, ':', line.n);
    struct ia_str field = {line.p, colon ? (size_t)(colon - line.p) : line.n};
    struct ia_str value = {"", 0};
    if (colon) {
        size_t skip = field.n + 1;
        skip += skip < line.n && line.p[skip] == ' ';
        value = (struct ia_str){line.p + skip, line.n - skip};
    }
    if (field.n == 4 && memcmp(field.p, "data", 4) == 0) {
        ia_buf_puts(&s->data, s->data_lines++ > 0 ? "\n" : "");
        put_utf8(&s->data, value);
    } else if (field.n == 5 && memcmp(field.p, "event", 5) == 0) {
        ia_buf_reset(&s->name);
        put_utf8(&s->name, value);
        s->has_name = true;
    } else if (field.n == 2 && memcmp(field.p, "id", 2) == 0) {
        take_id(s, value);
    } else if (field.n == 5 && memcmp(field.p, "retry", 5) == 0) {
        take_retry(s, value);
    }
}

static enum ia_rc take_line(struct ia_sse *s, struct ia_str line, struct ia_err *err)
{
    if (line.n == 0) {
        return dispatch(s, err);
    }
    take_field(s, line);
    return IA_OK;
}

static const char *line_end(const char *p, const char *end)
{
    const char *lf = memchr(p, '\n', (size_t)(end - p));
    const char *cr = memchr(p, '\r', (size_t)((lf ? lf : end) - p));
    return cr ? cr : lf;
}

/* A line that ends at the bytes [p, eol), and may have begun in earlier pieces. */
static enum ia_rc finish_line(struct ia_sse *s, const char *p, const char *eol,
                              struct ia_err *err)
{
    struct ia_str line = {p, (size_t)(eol - p)};
    if (s->line.len > 0) {
        ia_buf_put(&s->line, p, line.n);
        line = ia_buf_str(&s->line);
    }
    enum ia_rc rc = ia_buf_check(&s->line, "one line of the event stream", err);
    rc = rc ? rc : take_line(s, line, err);
    ia_buf_reset(&s->line);
    return rc;
}

static enum ia_rc take_bytes(struct ia_sse *s, const char *p, const char *end,
                             struct ia_err *err)
{
    while (p < end) {
        if (s->after_cr && *p == '\n') {
            s->after_cr = false;
            p++;
            continue;
        }
        s->after_cr = false;
        const char *eol = line_end(p, end);
        if (!eol) {
            ia_buf_put(&s->line, p, (size_t)(end - p));
            return ia_buf_check(&s->line, "one line of the event stream", err);
        }
        enum ia_rc rc = finish_line(s, p, eol, err);
        if (rc) {
            return rc;
        }
        s->after_cr = *eol == '\r';
        p = eol + 1;
    }
    return IA_OK;
}

/* Skips a byte order mark at the start of the stream, however it is cut. */
static const char *skip_bom(struct ia_sse *s, const char *p, const char *end)
{
    while (s->bom >= 0 && p < end) {
        if (s->bom < (int)sizeof(bom) && *p == bom[s->bom]) {
            s->bom++;
            p++;
        } else {
            if (s->bom < (int)sizeof(bom)) {
                ia_buf_put(&s->line, bom, (size_t)s->bom);
            }
            s->bom = -1;
        }
    }
    return p;
}

enum ia_rc ia_sse_feed(struct ia_sse *s, const char *p, size_t n, struct ia_err *err)
{
    /* What follows a failure has no known beginning. */
    if (s->failed) {
        return ia_err_set(err, s->failed, "the event stream has already failed");
    }
    const char *end = p + n;
    s->failed = take_bytes(s, skip_bom(s, p, end), end, err);
    return s->failed;
}
