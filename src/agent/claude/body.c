/* body.c: a request body as a list of pieces: borrowed text, text of its own, files as base64.
 *
 * Nothing is joined before it is sent. A long history is borrowed where it lies, and a picture is
 * read and encoded 4 KB at a time, so a request of 30 MB costs a few kilobytes of memory. The size
 * is known beforehand (base64 of n bytes is 4 * ceil(n / 3)): the API wants a Content-Length. */
#include "agent/claude/body.h"

#include "base/base64.h"
#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { RAW = IA_BODY_ENCODED / 4 * 3 };

struct ia_body *ia_body_open(void)
{
    struct ia_body *b = ia_calloc(1, sizeof(*b));
    b->fd = -1;
    b->text = IA_BUF((size_t)IA_CLAUDE_REQUEST_MAX);
    return b;
}

static struct ia_piece *add_piece(struct ia_body *b)
{
    if (b->count == b->cap) {
        b->cap = b->cap ? b->cap * 2 : 16;
        b->pieces = ia_realloc(b->pieces, b->cap, sizeof(*b->pieces));
    }
    b->pieces[b->count] = (struct ia_piece){0};
    return &b->pieces[b->count++];
}

void ia_body_borrow(struct ia_body *b, const char *p, size_t n)
{
    if (n > 0) {
        struct ia_piece *piece = add_piece(b);
        piece->p = p;
        piece->size = (int64_t)n;
    }
}

void ia_body_literal(struct ia_body *b, const char *text)
{
    ia_body_borrow(b, text, strlen(text));
}

void ia_body_end_text(struct ia_body *b, size_t from)
{
    if (b->text.len > from) {
        struct ia_piece *piece = add_piece(b);
        /* An offset and no pointer: the text may move while it grows. */
        piece->at = from;
        piece->size = (int64_t)(b->text.len - from);
    }
}

enum ia_rc ia_body_file(struct ia_body *b, const char *path, struct ia_err *err)
{
    struct stat st;
    /* The size is fixed here, as the header line with it is sent first. */
    if (stat(path, &st) != 0) {
        return ia_err_set(err, IA_E_IO, "cannot read the image %s: %s", path, strerror(errno));
    }
    struct ia_piece *piece = add_piece(b);
    piece->path = path;
    piece->file_size = st.st_size;
    piece->size = IA_BASE64_SIZE(st.st_size);
    return IA_OK;
}

static void close_file(struct ia_body *b)
{
    if (b->fd >= 0) {
        close(b->fd);
    }
    b->fd = -1;
    b->encoded_at = b->encoded_len = 0;
}

void ia_body_free(struct ia_body *b)
{
    if (!b) {
        return;
    }
    close_file(b);
    ia_buf_fini(&b->text);
    free(b->pieces);
    free(b->encoded);
    free(b);
}

int64_t ia_body_size(const struct ia_body *b)
{
    return b->size;
}

void ia_body_rewind(struct ia_body *b)
{
    close_file(b);
    b->current = 0;
    b->done = 0;
}

/* Encodes the next part of the current file. */
static enum ia_rc fill(struct ia_body *b, const struct ia_piece *piece, struct ia_err *err)
{
    unsigned char raw[RAW];
    if (b->fd < 0) {
        b->fd = open(piece->path, O_RDONLY | O_CLOEXEC);
        b->file_left = piece->file_size;
    }
    /* A file that grew meanwhile is cut to the size that was announced; one that shrank is
     * an error. */
    size_t n = b->file_left < RAW ? (size_t)b->file_left : RAW;
    if (b->fd < 0 || ia_read_full(b->fd, raw, n) != (ssize_t)n) {
        return ia_err_set(err, IA_E_IO, "cannot read the image %s, or it became shorter",
                          piece->path);
    }
    b->file_left -= (int64_t)n;
    b->encoded = b->encoded ? b->encoded : ia_alloc(IA_BODY_ENCODED);
    b->encoded_len = ia_base64_encode(raw, n, b->encoded);
    b->encoded_at = 0;
    return IA_OK;
}

/* The next bytes of the current piece in memory. */
static enum ia_rc next_bytes(struct ia_body *b, const struct ia_piece *piece,
                             struct ia_str *ret, struct ia_err *err)
{
    if (!piece->path) {
        const char *p = piece->p ? piece->p : b->text.p + piece->at;
        *ret = (struct ia_str){p + b->done, (size_t)(piece->size - b->done)};
        return IA_OK;
    }
    if (b->encoded_at == b->encoded_len) {
        enum ia_rc rc = fill(b, piece, err);
        if (rc) {
            return rc;
        }
    }
    *ret = (struct ia_str){b->encoded + b->encoded_at, b->encoded_len - b->encoded_at};
    return IA_OK;
}

static void advance(struct ia_body *b, const struct ia_piece *piece, size_t n)
{
    b->done += (int64_t)n;
    b->encoded_at += piece->path ? n : 0;
    /* One file is open at a time. */
    if (b->done == piece->size) {
        close_file(b);
        b->current++;
        b->done = 0;
    }
}

enum ia_rc ia_body_read(struct ia_body *b, char *dst, size_t n, size_t *ret_n,
                        struct ia_err *err)
{
    size_t got = 0;
    while (got < n && b->current < b->count) {
        const struct ia_piece *piece = &b->pieces[b->current];
        struct ia_str bytes;
        enum ia_rc rc = next_bytes(b, piece, &bytes, err);
        if (rc) {
            return rc;
        }
        size_t take = bytes.n < n - got ? bytes.n : n - got;
        memcpy(dst + got, bytes.p, take);
        got += take;
        advance(b, piece, take);
    }
    *ret_n = got;
    return IA_OK;
}
