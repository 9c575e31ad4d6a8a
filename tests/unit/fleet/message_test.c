/* Orders and proposals: what is written is read back, and what is changed by a bit is not believed. */
#include "test.h"

#include "fleet/message.h"

#define BATCH "01890000-0000-7000-8000-000000000001"
#define RUN "01890000-0000-7000-8000-000000000002"

static struct ia_fleet_order an_order(void)
{
    struct ia_fleet_order o = {
        .batch = BATCH, .run = RUN, .class_key = "os=18", .attempts = 5, .lease_ms = 30000};
    o.job = ia_str("{\"goal\":\"open Settings\"}");
    ia_fleet_key_new(&o.key);
    return o;
}

static void an_order_is_read_back(void **state)
{
    struct ia_fleet_order o = an_order();
    struct ia_fleet_order r;
    struct ia_buf text = IA_BUF(4096);
    struct ia_err err = {0};
    char *job = NULL;
    (void)state;
    ia_fleet_order_write(&o, &text);
    assert_int_equal(ia_fleet_order_read(ia_buf_str(&text), &r, &job, &err), IA_OK);
    assert_string_equal(r.batch, BATCH);
    assert_string_equal(r.run, RUN);
    assert_string_equal(r.class_key, "os=18");
    assert_int_equal(r.attempts, 5);
    assert_int_equal(r.lease_ms, 30000);
    assert_memory_equal(r.key.bytes, o.key.bytes, sizeof(o.key.bytes));
    assert_string_equal(job, "{\"goal\":\"open Settings\"}");
    assert_int_equal(r.recording.n, 0);
    free(job);
    ia_buf_fini(&text);
}

static void an_orders_recording_is_read_back(void **state)
{
    struct ia_fleet_order o = an_order();
    struct ia_fleet_order r;
    struct ia_buf text = IA_BUF(4096);
    struct ia_err err = {0};
    char *job = NULL;
    (void)state;
    o.recording = ia_str("format = 1\ngoal = \"\u00fc\"\n");
    o.quarantined = true;
    ia_fleet_order_write(&o, &text);
    assert_int_equal(ia_fleet_order_read(ia_buf_str(&text), &r, &job, &err), IA_OK);
    assert_true(ia_str_eq(r.recording, o.recording));
    assert_int_equal(r.recording.p[r.recording.n], '\0');
    assert_true(ia_str_is(r.job, "{\"goal\":\"open Settings\"}"));
    assert_true(r.quarantined);
    free(job);
    ia_buf_fini(&text);
}

static void what_is_no_order_is_refused(void **state)
{
    static const char *const bad[] = {
        "",
        "{}",
        "[]",
        "null",
        "{\"v\":1}",
        "{\"v\":2,\"batch\":\"" BATCH "\"}",
        "{\"v\":1,\"batch\":\"" BATCH "\",\"run\":\"../"
        "x\",\"class\":\"any\",\"attempts\":5,\"lease_ms\":1,\"key\":\"\",\"job\":{}}",
        "{\"v\":1,\"batch\":\"" BATCH "\",\"run\":\"" RUN
        "\",\"class\":\"*\",\"attempts\":5,\"lease_ms\":1,\"key\":\"\",\"job\":{}}",
        "{\"v\":1,\"batch\":\"" BATCH "\",\"run\":\"" RUN
        "\",\"class\":\"any\",\"attempts\":0,\"lease_ms\":1,"
        "\"key\":\"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\",\"job\":{}}",
        "{\"v\":1,\"batch\":\"" BATCH "\",\"run\":\"" RUN
        "\",\"class\":\"any\",\"attempts\":5,\"lease_ms\":1,\"key\":\"AAAA\",\"job\":{}}",
        "{\"v\":1,\"batch\":\"" BATCH "\",\"run\":\"" RUN
        "\",\"class\":\"any\",\"attempts\":5,\"lease_ms\":1,"
        "\"key\":\"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\"}",
    };
    struct ia_fleet_order r;
    struct ia_err err = {0};
    char *job = NULL;
    (void)state;
    for (size_t i = 0; i < IA_COUNTOF(bad); i++) {
        print_message("%s\n", bad[i]);
        assert_int_equal(ia_fleet_order_read(ia_str(bad[i]), &r, &job, &err), IA_E_PARSE);
    }
}

static struct ia_fleet_proposal a_proposal(void)
{
    struct ia_fleet_proposal p = {.batch = BATCH,
                                  .run = RUN,
                                  .worker = "mac-1",
                                  .url = "http://10.0.0.1:7070",
                                  .attempt = 2};
    p.bundle = ia_str("{\"v\":1,\"x\":\"\n\"}");
    ia_sha256_hex(p.bundle.p, p.bundle.n, p.sha256);
    return p;
}

static void a_proposal_is_true_only_with_the_runs_key(void **state)
{
    struct ia_fleet_proposal p = a_proposal();
    struct ia_fleet_proposal r;
    struct ia_fleet_key key;
    struct ia_fleet_key other;
    struct ia_buf text = IA_BUF(4096);
    struct ia_err err = {0};
    char code[IA_SHA256_HEX_SIZE];
    (void)state;
    ia_fleet_key_new(&key);
    ia_fleet_key_new(&other);
    ia_fleet_proposal_write(&p, &key, &text);
    assert_int_equal(ia_fleet_proposal_read(ia_buf_str(&text), &r, code, &err), IA_OK);
    assert_true(ia_fleet_proposal_true(&r, code, &key));
    assert_false(ia_fleet_proposal_true(&r, code, &other));
    assert_memory_equal(r.bundle.p, p.bundle.p, p.bundle.n);
    ia_buf_fini(&text);
}

static void a_proposal_names_a_server_and_nothing_else(void **state)
{
    static const struct {
        const char *url;
        bool ok;
    } cases[] = {{"", true},
                 {"http://10.0.0.1:7070", true},
                 {"https://mac-7.local", true},
                 {"http://[fe80::1]:80", true},
                 {"http://", false},
                 {"http://user@10.0.0.1", false},
                 {"http://10.0.0.1/admin?x=", false},
                 {"file:///etc/passwd", false},
                 {"http://10.0.0.1#", false}};
    struct ia_fleet_key key;
    (void)state;
    ia_fleet_key_new(&key);
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        struct ia_fleet_proposal p = a_proposal();
        struct ia_fleet_proposal r;
        struct ia_buf text = IA_BUF(4096);
        struct ia_err err = {0};
        char code[IA_SHA256_HEX_SIZE];
        (void)snprintf(p.url, sizeof(p.url), "%s", cases[i].url);
        ia_fleet_proposal_write(&p, &key, &text);
        print_message("%s\n", cases[i].url);
        assert_int_equal(ia_fleet_proposal_read(ia_buf_str(&text), &r, code, &err),
                         cases[i].ok ? IA_OK : IA_E_PARSE);
        ia_buf_fini(&text);
    }
}

/* Whatever byte is changed, it is no proposal any more, or not a true one. */
static void a_proposal_that_was_changed_anywhere_is_not_believed(void **state)
{
    struct ia_fleet_proposal p = a_proposal();
    struct ia_fleet_key key;
    struct ia_buf text = IA_BUF(4096);
    char code[IA_SHA256_HEX_SIZE];
    (void)state;
    ia_fleet_key_new(&key);
    ia_fleet_proposal_write(&p, &key, &text);
    for (size_t i = 0; i < text.len; i++) {
        for (int bit = 0; bit < 8; bit++) {
            struct ia_fleet_proposal r;
            struct ia_err err = {0};
            text.p[i] = (char)(text.p[i] ^ (1 << bit));
            bool read = ia_fleet_proposal_read(ia_buf_str(&text), &r, code, &err) == IA_OK;
            assert_false(read && ia_fleet_proposal_true(&r, code, &key));
            text.p[i] = (char)(text.p[i] ^ (1 << bit));
        }
    }
    ia_buf_fini(&text);
}

/* ---- workers ----------------------------------------------------------------------------- */

static const struct ia_fleet_worker a_worker = {.class_key = "os=18",
                                                .version = "1.2.3",
                                                .state = "up",
                                                .lanes = 300,
                                                .busy = 1,
                                                .since_ms = 1000,
                                                .done = 7,
                                                .now_ms = 2000};

static void a_worker_says_what_its_lanes_do_and_no_more_than_others_need(void **state)
{
    static struct ia_fleet_lane lanes[300];
    struct ia_fleet_lane read[IA_FLEET_LANES_SHOWN];
    struct ia_fleet_worker w;
    struct ia_buf text = IA_BUF(IA_FLEET_WORKER_MAX);
    (void)state;
    for (size_t i = 0; i < IA_COUNTOF(lanes); i++) {
        lanes[i].since_ms = 1500 + (int64_t)i;
        (void)snprintf(lanes[i].device, sizeof(lanes[i].device), "phone %zu", i);
    }
    (void)snprintf(lanes[1].batch, sizeof(lanes[1].batch), BATCH);
    (void)snprintf(lanes[1].run, sizeof(lanes[1].run), RUN);
    ia_fleet_worker_write(&a_worker, lanes, IA_COUNTOF(lanes), &text);
    assert_true(ia_buf_ok(&text));
    assert_true(ia_fleet_worker_read("mac-1", ia_buf_cstr(&text), &w));
    assert_int_equal(w.lanes, 300);
    assert_int_equal(w.now_ms, 2000);
    assert_int_equal(ia_fleet_lanes_read(ia_buf_cstr(&text), read), IA_FLEET_LANES_SHOWN);
    assert_string_equal(read[0].device, "phone 0");
    assert_string_equal(read[0].run, "");
    assert_string_equal(read[1].batch, BATCH);
    assert_string_equal(read[1].run, RUN);
    assert_int_equal(read[1].since_ms, 1501);
    ia_buf_fini(&text);
}

#define WORKER                                                                                 \
    "{\"v\":1,\"class\":\"any\",\"version\":\"1\",\"state\":\"up\",\"lanes\":1,\"busy\":0,"

/* Whoever may write the bucket may write anything. */
static void what_a_worker_says_is_checked_when_it_is_read(void **state)
{
    static const struct {
        const char *text;
        bool worker;
        size_t lanes;
    } cases[] = {
        {WORKER "\"since_ms\":1,\"done\":0}", true, 0}, /* of an earlier version */
        {WORKER "\"at\":[{\"device\":\"a\",\"since_ms\":1}]}", true, 1},
        {WORKER "\"at\":[{\"device\":\"<img src=x>\",\"more\":1}]}", true, 1},
        {WORKER "\"at\":{\"device\":\"a\"}}", true, 0},
        {WORKER "\"at\":[1,null,[],{},{\"device\":7},{\"device\":\"\"}]}", true, 0},
        {WORKER "\"at\":[{\"device\":\"a\",\"run\":\"../x\",\"batch\":\"" BATCH "\"}]}", true,
         0},
        {WORKER "\"at\":[{\"device\":\"a\",\"run\":\"" RUN "\"}]}", true, 0},
        {WORKER "\"at\":[{\"device\":\"a\",\"run\":\"" RUN "\",\"batch\":\"" BATCH "\"}]}",
         true, 1},
        {WORKER "\"at\":[{\"device\":\"0123456789012345678901234567890123456789"
                "01234567890123456789012345678901234567890\"}]}",
         true, 0},
        {"[]", false, 0},
        {"", false, 0},
    };
    struct ia_fleet_lane lanes[IA_FLEET_LANES_SHOWN];
    struct ia_fleet_worker w;
    (void)state;
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        print_message("%s\n", cases[i].text);
        assert_int_equal(ia_fleet_worker_read("mac-1", cases[i].text, &w), cases[i].worker);
        assert_int_equal(ia_fleet_lanes_read(cases[i].text, lanes), cases[i].lanes);
    }
    /* A time that is none is not known. */
    assert_true(ia_fleet_worker_read(
        "mac-1", WORKER "\"since_ms\":-5,\"now_ms\":999999999999999999,\"done\":-1}", &w));
    assert_int_equal(w.since_ms, 0);
    assert_int_equal(w.now_ms, 0);
    assert_int_equal(w.done, 0);
    assert_false(ia_fleet_worker_read("mac.1", WORKER "\"done\":1}", &w));
}

static void what_is_too_long_for_a_worker_is_not_read(void **state)
{
    struct ia_fleet_lane lanes[IA_FLEET_LANES_SHOWN];
    struct ia_fleet_worker w;
    struct ia_buf text = IA_BUF(2 * IA_FLEET_WORKER_MAX);
    (void)state;
    ia_buf_puts(&text, WORKER "\"at\":[{\"device\":\"a\"}],\"x\":\"");
    while (text.len < IA_FLEET_WORKER_MAX) {
        ia_buf_putc(&text, 'x');
    }
    ia_buf_puts(&text, "\"}");
    assert_false(ia_fleet_worker_read("mac-1", ia_buf_cstr(&text), &w));
    assert_int_equal(ia_fleet_lanes_read(ia_buf_cstr(&text), lanes), 0);
    ia_buf_fini(&text);
}

static void what_is_fetched_is_sealed(void **state)
{
    struct ia_fleet_key key;
    struct ia_fleet_key other;
    struct ia_buf sealed = IA_BUF(4096);
    struct ia_buf open = IA_BUF(4096);
    char a[IA_SHA256_HEX_SIZE];
    char b[IA_SHA256_HEX_SIZE];
    (void)state;
    ia_fleet_key_new(&key);
    ia_fleet_key_new(&other);
    ia_fleet_seal(&key, ia_str("picture"), &sealed);
    assert_null(memmem(sealed.p, sealed.len, "picture", 7));
    assert_true(ia_fleet_unseal(&key, ia_buf_str(&sealed), &open));
    assert_string_equal(ia_buf_cstr(&open), "picture");
    assert_false(ia_fleet_unseal(&other, ia_buf_str(&sealed), &open));
    sealed.p[sealed.len - 1] = (char)(sealed.p[sealed.len - 1] ^ 1);
    assert_false(ia_fleet_unseal(&key, ia_buf_str(&sealed), &open));
    for (size_t n = 0; n < 41; n++) {
        assert_false(ia_fleet_unseal(&key, (struct ia_str){sealed.p, n}, &open));
    }
    ia_fleet_blob_code(&key, RUN, "aa", a);
    ia_fleet_blob_code(&key, BATCH, "aa", b);
    assert_string_not_equal(a, b);
    ia_buf_fini(&sealed);
    ia_buf_fini(&open);
}

static void a_workers_row_is_read_back_and_checked(void **state)
{
    const struct ia_fleet_worker w = {.class_key = "os=18",
                                      .version = "0.2.0",
                                      .state = "up",
                                      .lanes = 4,
                                      .busy = 1,
                                      .since_ms = 1700000000000,
                                      .done = 12};
    struct ia_fleet_worker r;
    struct ia_buf text = IA_BUF(1024);
    (void)state;
    ia_fleet_worker_write(&w, NULL, 0, &text);
    assert_true(ia_fleet_worker_read("mac-1", ia_buf_cstr(&text), &r));
    assert_string_equal(r.name, "mac-1");
    assert_string_equal(r.class_key, "os=18");
    assert_int_equal(r.lanes, 4);
    assert_int_equal(r.done, 12);
    assert_false(ia_fleet_worker_read("mac 1", ia_buf_cstr(&text), &r));
    assert_false(ia_fleet_worker_read("mac-1", "{\"v\":1,\"class\":\"*\"}", &r));
    assert_false(ia_fleet_worker_read("mac-1", "", &r));
    ia_buf_fini(&text);
}

static void a_leaders_row_is_read_back_and_checked(void **state)
{
    static const char *const bad[] = {
        "",
        "[]",
        "{\"v\":1}",
        "{\"v\":2,\"id\":\"0123456789abcdef\",\"name\":\"a\",\"version\":\"1\"}",
        "{\"v\":1,\"id\":\"0123456789abcde\",\"name\":\"a\",\"version\":\"1\"}",
        "{\"v\":1,\"id\":\"0123456789abcdeg\",\"name\":\"a\",\"version\":\"1\"}",
        "{\"v\":1,\"id\":\"0123456789abcdef\",\"name\":\"a b\",\"version\":\"1\"}",
        "{\"v\":1,\"id\":\"0123456789abcdef\",\"name\":\"a\",\"version\":\"\\u001b[1m\"}",
    };
    const struct ia_fleet_leader l = {.id = "0123456789abcdef",
                                      .name = "mac-1",
                                      .version = "0.2.0",
                                      .since_ms = 1700000000000};
    struct ia_fleet_leader r;
    struct ia_buf text = IA_BUF(1024);
    (void)state;
    ia_fleet_leader_write(&l, &text);
    assert_true(ia_fleet_leader_parse(ia_buf_str(&text), &r));
    assert_string_equal(r.id, l.id);
    assert_string_equal(r.name, l.name);
    assert_string_equal(r.version, l.version);
    assert_int_equal(r.since_ms, l.since_ms);
    ia_buf_fini(&text);
    for (size_t i = 0; i < IA_COUNTOF(bad); i++) {
        print_message("%s\n", bad[i]);
        assert_false(ia_fleet_leader_parse(ia_str(bad[i]), &r));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_order_is_read_back),
        cmocka_unit_test(an_orders_recording_is_read_back),
        cmocka_unit_test(what_is_no_order_is_refused),
        cmocka_unit_test(a_proposal_is_true_only_with_the_runs_key),
        cmocka_unit_test(a_proposal_names_a_server_and_nothing_else),
        cmocka_unit_test(a_proposal_that_was_changed_anywhere_is_not_believed),
        cmocka_unit_test(a_worker_says_what_its_lanes_do_and_no_more_than_others_need),
        cmocka_unit_test(what_a_worker_says_is_checked_when_it_is_read),
        cmocka_unit_test(what_is_too_long_for_a_worker_is_not_read),
        cmocka_unit_test(what_is_fetched_is_sealed),
        cmocka_unit_test(a_workers_row_is_read_back_and_checked),
        cmocka_unit_test(a_leaders_row_is_read_back_and_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
