/* An HTTP answer as the thin client reads it, cut into pieces: however it is cut, the same comes of it. The
 * first byte says how large a piece is, and whether the body is taken in pieces. */
#include <stdlib.h>
#include <string.h>

#include "client/answer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static enum ia_rc read_all(struct ia_str text, size_t piece, bool pieces,
                           struct ia_client_answer *a, bool *ret_done)
{
    struct ia_answer_reader r;
    struct ia_err err;
    enum ia_rc rc = IA_OK;
    ia_answer_reader_init(&r);
    r.pieces = pieces;
    *a = (struct ia_client_answer){.body = IA_BUF(IA_CLIENT_ANSWER_MAX), .exit_status = -1};
    for (size_t at = 0; at < text.n && rc == IA_OK; at += piece) {
        size_t n = text.n - at < piece ? text.n - at : piece;
        rc = ia_answer_feed(&r, (struct ia_str){text.p + at, n}, a, &err);
    }
    *ret_done = rc == IA_OK && r.done;
    ia_answer_reader_fini(&r);
    return rc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2) {
        return 0;
    }
    struct ia_client_answer whole, cut;
    struct ia_str text = {(const char *)data + 1, size - 1};
    bool pieces = data[0] & 1, done, cut_done;
    enum ia_rc rc = read_all(text, text.n, pieces, &whole, &done);
    enum ia_rc cut_rc = read_all(text, (size_t)(data[0] >> 1) + 1, pieces, &cut, &cut_done);
    if (rc != cut_rc || done != cut_done ||
        (rc == IA_OK &&
         (whole.http_status != cut.http_status || whole.body.len != cut.body.len ||
          whole.file_bytes != cut.file_bytes))) {
        abort();
    }
    if (done && whole.file_bytes + whole.err_bytes > whole.body.len) {
        abort();
    }
    ia_client_answer_fini(&whole);
    ia_client_answer_fini(&cut);
    return 0;
}
