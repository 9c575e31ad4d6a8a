/* sse.h: a push decoder for server-sent events.
 *
 * Feed it bytes in pieces of any size; it calls the sink once per finished event, always with
 * the same events however the bytes were cut. Lines end with LF, CR or CRLF; a byte order mark
 * at the start is skipped; comments and unknown fields are ignored; data lines are
 * joined by LF; the last event field wins; exactly one space after the colon is dropped;
 * invalid UTF-8 becomes U+FFFD; an event that is not closed by a blank line is dropped. Source:
 * WHATWG HTML, section 9.2, and the behaviour of @anthropic-ai/sdk 1.11.0. */
#ifndef IA_NET_SSE_H
#define IA_NET_SSE_H

#include "base/buf.h"

/* Most bytes of one line and of one event's data. Real frames reach some hundred kilobytes. */
#define IA_SSE_LINE_MAX ((size_t)8 << 20)
#define IA_SSE_DATA_MAX ((size_t)16 << 20)
enum { IA_SSE_ID_SIZE = 256 };

/* name.p is NULL when the frame had no event field. Both are borrowed for the call. Anything
 * but IA_OK stops the decoder and is what ia_sse_feed returns. */
typedef enum ia_rc ia_sse_sink(void *ctx, struct ia_str name, struct ia_str data,
                               struct ia_err *err);

struct ia_sse {
    ia_sse_sink *sink;
    void *ctx;
    struct ia_buf line; /* an unfinished line, kept between pieces */
    struct ia_buf data; /* the data lines so far, joined */
    struct ia_buf name;
    size_t data_lines;
    bool has_name;
    /* For who takes a broken stream up again: the id of the last finished event, "" where there is
     * none or it is not short visible ASCII; and the wait that the server named, -1: none. */
    char id[IA_SSE_ID_SIZE];
    int64_t retry_ms;
    char next_id[IA_SSE_ID_SIZE]; /* of the event that is not finished */
    bool after_cr;     /* the last piece ended with CR: a following LF belongs to it */
    int bom;           /* bytes of a byte order mark seen so far, -1 once past the start */
    enum ia_rc failed; /* sticky */
};

void ia_sse_init(struct ia_sse *s, ia_sse_sink *sink, void *ctx);
void ia_sse_fini(struct ia_sse *s);
/* Decodes n more bytes. IA_E_LIMIT for a line or event beyond the caps above; what the sink
 * returned otherwise. After a failure every further call fails alike. */
enum ia_rc ia_sse_feed(struct ia_sse *s, const char *p, size_t n, struct ia_err *err);

#endif
