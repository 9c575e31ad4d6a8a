/* chunks.h: takes the chunks off a body whose length nobody knew before (RFC 9112, section 7.1). Pure. */
#ifndef IA_CLIENT_CHUNKS_H
#define IA_CLIENT_CHUNKS_H

#include "base/buf.h"

enum ia_chunks_state {
    IA_CHUNKS_SIZE,     /* hexadecimal digits, up to the line's end */
    IA_CHUNKS_SIZE_END, /* the second byte of that */
    IA_CHUNKS_DATA,     /* that many bytes */
    IA_CHUNKS_DATA_END, /* the line end behind them */
    IA_CHUNKS_LAST,     /* the empty line behind the chunk of size 0 */
    IA_CHUNKS_DONE
};
struct ia_chunks {
    enum ia_chunks_state state;
    size_t left;   /* of the chunk's data */
    size_t digits; /* of its size so far */
};

/* Appends what the bytes hold to out. False for what is not of that form, for a chunk of more than max
 * bytes, for extensions and trailers, and for bytes beyond the end. */
bool ia_chunks_feed(struct ia_chunks *c, struct ia_str bytes, size_t max, struct ia_buf *out);

#endif
