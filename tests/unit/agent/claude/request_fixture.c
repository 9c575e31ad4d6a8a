#include "request_fixture.h"

const struct ia_claude_repairs no_repairs;

struct ia_claude_request request(struct ia_history *h)
{
    return (struct ia_claude_request){.model = "claude-x", .max_tokens = 100, .history = h};
}

void append(struct ia_history *h, enum ia_message_role role, const char *blocks)
{
    struct ia_err err;
    if (ia_history_append(h, role, ia_str(blocks), NULL, &err)) {
        fail_msg("%s", err.msg);
    }
}

/* The body, read in pieces of `chunk` bytes. Freed by the caller. */
static char *read_body(struct ia_body *b, size_t chunk)
{
    struct ia_buf text = IA_BUF((size_t)64 << 20);
    struct ia_err err;
    size_t got = 1;
    while (got > 0) {
        char piece[4096];
        if (ia_body_read(b, piece, chunk, &got, &err)) {
            fail_msg("%s", err.msg);
        }
        ia_buf_put(&text, piece, got);
    }
    assert_int_equal(text.len, ia_body_size(b));
    return ia_buf_steal(&text);
}

char *body_of(const struct ia_claude_request *req, const struct ia_claude_repairs *rep)
{
    struct ia_body *b = NULL;
    struct ia_err err;
    if (ia_body_new(req, rep, &b, &err)) {
        fail_msg("%s", err.msg);
    }
    char *whole = read_body(b, 4096);
    ia_body_rewind(b);
    char *again = read_body(b, 1);
    assert_string_equal(whole, again);
    json_t *json = json_loads(whole, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(json);
    json_decref(json);
    free(again);
    ia_body_free(b);
    return whole;
}

void check_body(const struct ia_claude_request *req, const struct ia_claude_repairs *rep,
                const char *want)
{
    char *got = body_of(req, rep);
    assert_string_equal(got, want);
    free(got);
}

int count(const char *text, const char *what)
{
    int n = 0;
    for (const char *at = text; (at = strstr(at, what)); at += strlen(what)) {
        n++;
    }
    return n;
}
