/* body.h: a request body as a list of pieces, for its writer. Internal. */
#ifndef IA_AGENT_CLAUDE_BODY_H
#define IA_AGENT_CLAUDE_BODY_H

#include "agent/claude/request.h"

enum { IA_BODY_ENCODED = 4 * 1024 };

/* A run of bytes of the body, or a file as base64. */
struct ia_piece {
    const char *p; /* NULL: at `at` of the body's text, or a file */
    size_t at;
    int64_t size;     /* bytes in the body */
    const char *path; /* of a file, else NULL */
    int64_t file_size;
};

struct ia_body {
    struct ia_buf text; /* what is not borrowed */
    struct ia_piece *pieces;
    size_t count;
    size_t cap;
    int64_t size;
    /* reading */
    size_t current;
    int64_t done; /* bytes of the current piece */
    int fd;       /* of the current file, or -1 */
    int64_t file_left;
    char *encoded; /* IA_BODY_ENCODED bytes, once there was a file */
    size_t encoded_at, encoded_len;
};

struct ia_body *ia_body_open(void);
/* Borrowed bytes live as long as the body. */
void ia_body_borrow(struct ia_body *b, const char *p, size_t n);
void ia_body_literal(struct ia_body *b, const char *text);
/* Makes a piece of what was appended to b->text since its length was `from`. */
void ia_body_end_text(struct ia_body *b, size_t from);
/* A file as base64; the path is borrowed. */
enum ia_rc ia_body_file(struct ia_body *b, const char *path, struct ia_err *err);

#endif
