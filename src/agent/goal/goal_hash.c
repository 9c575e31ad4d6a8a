/* goal_hash.c: the hash by which recordings belong to a goal. */
#include "agent/goal/request.h"

#include "base/buf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Hashes a text and its end, so that different lists of texts differ. */
static void put(struct ia_buf *b, const char *text)
{
    ia_buf_printf(b, "%zu:%s,", text ? strlen(text) : 0, text ? text : "");
}

void ia_goal_hash(const struct ia_run_request *req, char dst[IA_GOAL_HASH_SIZE])
{
    struct ia_buf b = IA_BUF(SIZE_MAX);
    char hex[IA_SHA256_HEX_SIZE];
    if (req->goal_hash) {
        (void)snprintf(dst, IA_GOAL_HASH_SIZE, "%s", req->goal_hash);
        return;
    }
    put(&b, req->goal);
    put(&b, req->app);
    for (size_t i = 0; i < req->setup_count; i++) {
        put(&b, ia_setup_kind_name(req->setup[i].kind));
        put(&b, req->setup[i].value);
    }
    for (size_t i = 0; i < req->expect_count; i++) {
        put(&b, "expect");
        put(&b, req->expect[i]);
    }
    ia_sha256_hex(b.p, b.len, hex);
    (void)snprintf(dst, IA_GOAL_HASH_SIZE, "sha256:%s", hex);
    ia_buf_fini(&b);
}
