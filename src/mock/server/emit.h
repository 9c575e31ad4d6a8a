/* emit.h: an answer as bytes: a stream of events, or one JSON message.
 *
 * Streams look like the real ones: pings at odd places, spaces before closing braces, text and
 * tool input in pieces of odd lengths with a first empty one, cumulative usage. Pure; the
 * generator decides the splits, so the same seed gives the same bytes. */
#ifndef IA_MOCK_SERVER_EMIT_H
#define IA_MOCK_SERVER_EMIT_H

#include "base/buf.h"
#include "mock/api/answer.h"

#define IA_MOCK_STREAM_MAX ((size_t)16 << 20)

struct ia_mock_stream {
    struct ia_buf bytes;
    size_t *ends; /* offset after each event */
    size_t frames;
    size_t ends_cap;
};

void ia_mock_stream_init(struct ia_mock_stream *s);
void ia_mock_stream_fini(struct ia_mock_stream *s);
/* Appends bytes as they are and counts them as one frame for every blank line in them. */
void ia_mock_stream_raw(struct ia_mock_stream *s, const char *bytes);
/* Appends an `error` event, or one whose data is no JSON. */
void ia_mock_stream_error(struct ia_mock_stream *s, const char *type, const char *message);
void ia_mock_stream_garbage(struct ia_mock_stream *s);
/* Forgets everything after the first n frames. */
void ia_mock_stream_cut(struct ia_mock_stream *s, size_t n);

void ia_mock_emit_stream(struct ia_mock_stream *s, const struct ia_mock_answer *a,
                         const char *model, const struct ia_mock_usage *u,
                         const struct ia_rand *rand);
void ia_mock_emit_message(struct ia_buf *out, const struct ia_mock_answer *a, const char *model,
                          const struct ia_mock_usage *u, const struct ia_rand *rand);
/* {"type":"error","error":{"type","message","details"?},"request_id"?}. details is JSON text;
 * it and request_id may be NULL. */
void ia_mock_emit_error(struct ia_buf *out, const char *type, const char *message,
                        const char *details, const char *request_id);

#endif
