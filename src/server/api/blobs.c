/* blobs.c: GET /v1/blobs/SHA256: a picture or a tree, by what it is. It never changes, so whoever has it
 * need not ask again. What it is, is told from its bytes, and a browser may not guess otherwise. */
#include "store/blob.h"

#include "base/utf8.h"
#include "server/api/handlers.h"

#include <string.h>

static bool is_text(struct ia_str s)
{
    size_t len = 1;
    for (; s.n > 0 && len > 0; s.p += len, s.n -= len) {
        len = ia_utf8_valid_len(s.p, s.n);
    }
    return s.n == 0;
}

static const char *type_of(struct ia_str bytes)
{
    static const struct {
        const char *begin, *type;
    } known[] = {{"\x89PNG\r\n\x1a\n", "image/png"},
                 {"\xff\xd8\xff", "image/jpeg"},
                 {"{", "application/json"},
                 {"[", "application/json"}};
    for (size_t i = 0; i < IA_COUNTOF(known); i++) {
        if (ia_str_starts(bytes, ia_str(known[i].begin))) {
            return known[i].type;
        }
    }
    return is_text(bytes) ? "text/plain; charset=utf-8" : "application/octet-stream";
}

enum ia_rc ia_api_blob(struct ia_api_call *call, struct ia_err *err)
{
    struct ia_http_reply *reply = call->reply;
    bool watched = ia_pictures_get(call->api->pictures, call->params[0], &reply->body);
    enum ia_rc rc = watched ? IA_OK
                            : ia_blob_read(call->api->opts.setup->store, call->params[0],
                                           &reply->body, err);
    if (rc != IA_OK) {
        return rc;
    }
    reply->content_type = type_of(ia_buf_str(&reply->body));
    ia_http_reply_header(reply, "Cache-Control", "private, max-age=31536000, immutable");
    ia_http_reply_header(reply, "X-Content-Type-Options", "nosniff");
    call->answered = true;
    return IA_OK;
}
