/* answer.h: reads one HTTP/1.1 answer, byte by byte if need be. Pure: no socket, no clock.
 *
 * Taken: a status line, at most IA_ANSWER_HEAD_MAX bytes of header lines, a body of Content-Length
 * bytes, or in chunks where pieces were asked for. Refused: everything else that HTTP knows. */
#ifndef IA_CLIENT_ANSWER_H
#define IA_CLIENT_ANSWER_H

#include "client/chunks.h"
#include "client/client.h"

enum { IA_ANSWER_HEAD_MAX = 16 << 10 };

struct ia_answer_reader {
    struct ia_buf in; /* the head, until it is complete */
    bool head_done, done;
    bool close; /* the connection ends with this answer */
    size_t length;
    bool pieces; /* the caller takes the body in pieces: it may come in chunks */
    bool chunked;
    struct ia_chunks chunks;
};
void ia_answer_reader_init(struct ia_answer_reader *r);
void ia_answer_reader_fini(struct ia_answer_reader *r);
/* Takes bytes that arrived; of a body in chunks ret->body is what came since the caller emptied it. r->done once the answer is complete; bytes beyond it are IA_E_PROTO, as
 * nobody asked for more. */
enum ia_rc ia_answer_feed(struct ia_answer_reader *r, struct ia_str bytes,
                          struct ia_client_answer *ret, struct ia_err *err);

#endif
