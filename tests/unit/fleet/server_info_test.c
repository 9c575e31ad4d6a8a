/* What a server says of itself: versions, and lines that are none of a server's. */
#include "test.h"

#include "fleet/server_info.h"

static void versions_compare_by_their_numbers(void **state)
{
    (void)state;
    assert_true(ia_version_at_least("2.10.23", "2.10.23"));
    assert_true(ia_version_at_least("2.11.0-beta.1", "2.10.23"));
    assert_true(ia_version_at_least("3.0.0", "2.10.23"));
    assert_true(ia_version_at_least("2.10.100", "2.10.23"));
    assert_false(ia_version_at_least("2.9.10", "2.10.23"));
    assert_false(ia_version_at_least("2.10.22", "2.10.23"));
    assert_false(ia_version_at_least("", "2.10.23"));
    assert_false(ia_version_at_least("x", "2.10.23"));
    assert_false(ia_version_at_least("2.10", "2.10.23"));
}

static void a_line_is_judged(void **state)
{
    static const struct {
        const char *line;
        enum ia_rc rc;
    } cases[] = {
        {"INFO {\"version\":\"2.10.29\",\"jetstream\":true}\r", IA_OK},
        {"INFO {\"version\":\"2.9.10\",\"jetstream\":true}", IA_E_UNSUPPORTED},
        {"INFO {\"version\":\"2.11.0\"}", IA_E_UNSUPPORTED},
        {"INFO {\"version\":3,\"jetstream\":true}", IA_E_PARSE},
        {"HTTP/1.1 400 Bad Request", IA_E_PARSE},
        {"INFO", IA_E_PARSE},
        {"INFO {", IA_E_PARSE},
        {"", IA_E_PARSE},
    };
    (void)state;
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        struct ia_err err = {0};
        print_message("%s\n", cases[i].line);
        assert_int_equal(ia_server_judge(ia_str(cases[i].line), "2.10.23", &err), cases[i].rc);
    }
}

static void this_machine_is_known_by_its_names(void **state)
{
    static const char *const local[] = {"nats://127.0.0.1:4222", "nats://localhost",
                                        "nats://[::1]:4222", "nats://user:p@ss@127.0.0.1:1"};
    static const char *const remote[] = {"nats://10.0.0.1:4222",
                                         "nats://127.0.0.1@evil.example:4222",
                                         "nats://localhost.evil.example",
                                         "nats://",
                                         "nats://[::1",
                                         "nats://x@",
                                         "nats://127.0.0.1:1,nats://10.0.0.1:1"};
    (void)state;
    for (size_t i = 0; i < IA_COUNTOF(local); i++) {
        print_message("%s\n", local[i]);
        assert_true(ia_server_is_local(local[i]));
    }
    for (size_t i = 0; i < IA_COUNTOF(remote); i++) {
        print_message("%s\n", remote[i]);
        assert_false(ia_server_is_local(remote[i]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(versions_compare_by_their_numbers),
        cmocka_unit_test(a_line_is_judged),
        cmocka_unit_test(this_machine_is_known_by_its_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
