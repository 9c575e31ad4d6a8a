/* http_test.c: the server over real sockets: answers, limits of size, framing. */
#include "wire.h"

#include <string.h>

static void every_answer_has_the_headers_of_ours(void **state)
{
    (void)state;
    struct wire *w = wire_start(wire_handler, true);
    int fds[] = {wire_unix(w), wire_tcp(w)};
    for (size_t i = 0; i < 2; i++) {
        for (int kept = 0; kept < 2; kept++) {
            struct wire_reply r;
            char value[256];
            wire_send(fds[i],
                      "GET /v1/echo HTTP/1.1\r\nHost: localhost:%d\r\n"
                      "Authorization: Bearer %s\r\n\r\n",
                      w->port, w->token);
            wire_read(fds[i], &r);
            assert_int_equal(r.status, 200);
            assert_false(r.closed);
            assert_string_equal(wire_header(&r, "Ios-Agent-Build", value), "build-7");
            assert_string_equal(wire_header(&r, "X-Content-Type-Options", value), "nosniff");
            assert_string_equal(wire_header(&r, "Cache-Control", value), "no-store");
            assert_string_equal(wire_header(&r, "Cross-Origin-Resource-Policy", value),
                                "same-origin");
            assert_string_equal(wire_header(&r, "Content-Type", value), "application/json");
            assert_string_equal(wire_header(&r, "Access-Control-Allow-Origin", value), "");
            assert_string_equal(ia_buf_cstr(&r.body),
                                i == 0 ? "GET /v1/echo 2 unix 0" : "GET /v1/echo 2 token 0");
            wire_reply_fini(&r);
        }
        close(fds[i]);
    }
    wire_stop(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_answer_has_the_headers_of_ours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
