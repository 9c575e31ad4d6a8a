/* transcript_test.c: what a run stored is what a resume will need: the same request, so that the provider's
 * cache has its beginning. */
#include "test.h"

#include "rig.h"

#include "agent/claude/request.h"

#include <jansson.h>

static bool put_message(void *ctx, const struct ia_message_row *row)
{
    bool assistant = strcmp(row->role, "assistant") == 0;
    struct ia_history *h = ctx;
    return ia_history_append(h, assistant ? IA_MESSAGE_ASSISTANT : IA_MESSAGE_USER,
                             row->content, NULL, NULL) == IA_OK;
}

static void read_all(struct ia_body *b, struct ia_buf *out)
{
    char chunk[4096];
    size_t n = 0;
    do {
        assert_int_equal(ia_body_read(b, chunk, sizeof(chunk), &n, NULL), IA_OK);
        ia_buf_put(out, chunk, n);
    } while (n > 0);
}

/* The messages array of a request, without the breakpoints, which move. */
static char *bare_messages(const struct ia_buf *request)
{
    json_t *root = json_loadb(request->p, request->len, 0, NULL);
    json_t *messages = json_object_get(root, "messages");
    size_t i, k;
    json_t *m, *block;
    assert_non_null(messages);
    json_array_foreach(messages, i, m)
    {
        json_array_foreach(json_object_get(m, "content"), k, block)
        {
            json_object_del(block, "cache_control");
        }
    }
    char *text = json_dumps(messages, JSON_COMPACT);
    json_decref(root);
    return text;
}

static void the_stored_transcript_gives_the_same_request_again(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, "thinks", NULL);
    r.req.verify = IA_VERIFY_OFF;
    rig_run(&r, "open Settings");
    rig_expect(&r, "passed", IA_OK);
    struct ia_buf sent = IA_BUF(8 << 20), again = IA_BUF(8 << 20);
    assert_true(ia_mock_request_body(r.mock, 0, &sent));
    struct ia_history *h = ia_history_new(r.home);
    assert_int_equal(ia_store_messages(r.store, r.result.id, "act", put_message, h, NULL),
                     IA_OK);
    assert_int_equal(ia_history_count(h), 7); /* first, three turns and their results */
    struct ia_claude_request req = {.model = RIG_MODEL, .max_tokens = 1, .history = h};
    struct ia_claude_repairs none = {0};
    struct ia_body *body = NULL;
    assert_int_equal(ia_body_new(&req, &none, &body, NULL), IA_OK);
    read_all(body, &again);
    char *a = bare_messages(&sent), *b = bare_messages(&again);
    assert_true(strlen(b) > strlen(a)); /* what was sent is its beginning */
    assert_memory_equal(a, b, strlen(a) - 1);
    free(a);
    free(b);
    ia_body_free(body);
    ia_history_free(h);
    ia_buf_fini(&sent);
    ia_buf_fini(&again);
    rig_close(&r);
}

static void twenty_steps_read_nine_tenths_of_their_input_from_the_cache(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, "twenty_steps", NULL);
    rig_run(&r, "check that Zoe Walker is in Contacts");
    rig_expect(&r, "passed", IA_OK);
    rig_no_rejects(&r);
    assert_int_equal(r.result.steps, 20);
    double read = 0, all = 0;
    int turn = 0;
    for (const char *at = ia_buf_cstr(&r.events);
         (at = strstr(at, "{\"event\":\"request.finished\"")) != NULL; at++) {
        json_t *e = json_loads(at, JSON_DISABLE_EOF_CHECK, NULL);
        json_t *u = json_object_get(e, "usage");
        if (++turn > 3 && turn <= 20) {
            double r_ = json_number_value(json_object_get(u, "cache_read"));
            read += r_;
            all += r_ + json_number_value(json_object_get(u, "input")) +
                   json_number_value(json_object_get(u, "cache_write"));
        }
        json_decref(e);
    }
    print_message("cache_read share after step 3: %.1f %%; tokens in %lld\n", 100 * read / all,
                  (long long)(r.result.tokens_input + r.result.tokens_cache_read +
                              r.result.tokens_cache_write));
    assert_true(read / all >= 0.9);
    print_message("host time per step, median: %lld us\n", (long long)r.result.host_us_median);
    rig_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_stored_transcript_gives_the_same_request_again),
        cmocka_unit_test(twenty_steps_read_nine_tenths_of_their_input_from_the_cache),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
