/* url_test.c: which URLs lead to this machine. */
#include "test.h"

#include "net/url.h"

static void a_host_is_compared_as_a_whole(void **state)
{
    (void)state;
    static const struct {
        const char *url;
        bool local;
    } rows[] = {{"http://localhost", true},
                {"http://LocalHost:80/a", true},
                {"http://127.0.0.1:8080/a?b", true},
                {"https://127.9.9.9", true},
                {"http://[::1]:1/", true},
                {"http://127.0.0.1.example.com/", false},
                {"http://127.example.com", false},
                {"http://localhost.example.com", false},
                {"http://localhosts", false},
                {"http://example.com/127.0.0.1", false},
                {"http://127.0.0.1@example.com/", false},
                {"http://example.com/?a=http://localhost", false},
                {"http://[::2]/", false},
                {"localhost", false},
                {"", false}};
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        if (ia_url_local(rows[i].url) != rows[i].local) {
            fail_msg("%s", rows[i].url);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_host_is_compared_as_a_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
