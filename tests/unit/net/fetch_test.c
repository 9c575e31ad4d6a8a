/* fetch_test.c: what a fetch refuses to connect to, and what it reads. The peer that must not be reached
 * counts its requests. */
#include "net/fetch.h"

#include "net/address.h"
#include "peer.h"
#include "test.h"

#include "base/clock.h"

#include <arpa/inet.h>
#include <netinet/in.h>

enum { BYTES_MAX = 1 << 16 };

struct told {
    const char *raw; /* the whole answer */
    bool silent;     /* none comes */
};

static void answer(void *ctx, const struct peer_request *r, struct peer_reply *ret)
{
    const struct told *t = ctx;
    ret->how = PEER_ANSWER;
    ret->type = "text/plain; charset=UTF-8";
    if (t->silent) {
        ret->how = PEER_SILENT;
    } else if (t->raw) {
        ret->how = PEER_RAW;
        ia_buf_puts(&ret->body, t->raw);
    } else {
        ia_buf_printf(&ret->body, "hello %s", r->path);
    }
}

static bool wants_text(const char *type)
{
    return strncmp(type, "text/", 5) == 0 || !*type;
}

static struct ia_fetch of(const char *url, const char *allow)
{
    return (struct ia_fetch){.url = url,
                             .rules = {.allow = allow},
                             .wants = wants_text,
                             .bytes_max = BYTES_MAX,
                             .deadline_us = ia_mono_us(ia_clock_system()) + 5000000};
}

static enum ia_rc run(const struct ia_fetch *f, struct ia_fetch_answer *ret)
{
    struct ia_err err = {0};
    enum ia_rc rc = ia_fetch(f, ret, &err);
    assert_true(rc == IA_OK || err.msg[0]);
    return rc;
}

static void expect(const struct ia_fetch *f, enum ia_rc want)
{
    struct ia_fetch_answer a;
    enum ia_rc rc = run(f, &a);
    if (rc != want) {
        fail_msg("%s: %s, not %s", f->url, ia_rc_name(rc), ia_rc_name(want));
    }
    ia_fetch_answer_fini(&a);
}

static void addresses_that_are_not_public_are_known(void **state)
{
    (void)state;
    static const struct {
        const char *address;
        bool open;
    } rows[] = {{"8.8.8.8", true},
                {"1.1.1.1", true},
                {"0.0.0.0", false},
                {"10.1.2.3", false},
                {"100.64.0.1", false},
                {"100.128.0.1", true},
                {"127.0.0.1", false},
                {"127.9.9.9", false},
                {"169.254.169.254", false},
                {"172.15.0.1", true},
                {"172.16.0.1", false},
                {"172.31.255.255", false},
                {"172.32.0.1", true},
                {"192.168.1.1", false},
                {"198.19.0.1", false},
                {"224.0.0.1", false},
                {"255.255.255.255", false},
                {"::", false},
                {"::1", false},
                {"fe80::1", false},
                {"fc00::1", false},
                {"fd12::1", false},
                {"ff02::1", false},
                {"::ffff:127.0.0.1", false},
                {"::ffff:8.8.8.8", false},
                {"::127.0.0.1", false},
                {"64:ff9b::7f00:1", false},
                {"64:ff9b::808:808", true},
                {"2002:7f00:1::", false},
                {"2001:0:1::", false},
                {"2001:db8::1", false},
                {"2606:4700::1111", true},
                {"fec0::1", false}};
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct sockaddr_in four = {.sin_family = AF_INET};
        struct sockaddr_in6 six = {.sin6_family = AF_INET6};
        bool is4 = inet_pton(AF_INET, rows[i].address, &four.sin_addr) == 1;
        assert_true(is4 || inet_pton(AF_INET6, rows[i].address, &six.sin6_addr) == 1);
        bool open = is4 ? ia_address_public((struct sockaddr *)&four, sizeof(four))
                        : ia_address_public((struct sockaddr *)&six, sizeof(six));
        if (open != rows[i].open) {
            fail_msg("%s", rows[i].address);
        }
    }
}

static void no_spelling_of_this_machine_is_reached(void **state)
{
    (void)state;
    static const char *const hosts[] = {
        "127.0.0.1", "localhost", "2130706433", "0x7f000001", "0177.0.0.1",        "127.1",
        "0.0.0.0",   "0",         "[::1]",      "[::]",       "[::ffff:127.0.0.1]"};
    struct told t = {0};
    struct peer *peer = peer_start(NULL, answer, &t);
    char allow[64];
    /* Its port is let through by the list, its address is not: only the socket stands in between. */
    (void)snprintf(allow, sizeof(allow), "192.0.2.1:%d", peer_port(peer));
    for (size_t i = 0; i < IA_COUNTOF(hosts); i++) {
        char url[128];
        (void)snprintf(url, sizeof(url), "http://%s:%d/", hosts[i], peer_port(peer));
        struct ia_fetch f = of(url, allow);
        struct ia_fetch_answer a;
        enum ia_rc rc = run(&f, &a);
        /* A machine without IPv6 cannot try; a connection is never made. */
        if (rc != IA_E_FORBIDDEN && !(rc == IA_E_IO && hosts[i][0] == '[')) {
            fail_msg("%s: %s", url, ia_rc_name(rc));
        }
        ia_fetch_answer_fini(&a);
    }
    assert_int_equal(peer_count(peer), 0);
    peer_stop(peer);
}

static void a_name_that_resolves_to_this_machine_is_not_reached(void **state)
{
    (void)state;
    struct told t = {0};
    struct peer *peer = peer_start(NULL, answer, &t);
    char url[128], known[128], allow[64];
    (void)snprintf(url, sizeof(url), "http://good.example:%d/", peer_port(peer));
    /* Several addresses: each is judged, also the one that is tried when the first fails. */
    (void)snprintf(known, sizeof(known), "good.example:%d:[::1],127.0.0.1", peer_port(peer));
    (void)snprintf(allow, sizeof(allow), "[::1]:%d", peer_port(peer));
    const char *const names[] = {known, NULL};
    struct ia_fetch f = of(url, allow);
    f.rules.known_names = names;
    expect(&f, IA_E_FORBIDDEN);
    assert_int_equal(peer_count(peer), 0);
    peer_stop(peer);
}

static void what_is_allowed_is_read(void **state)
{
    (void)state;
    struct told t = {0};
    struct peer *peer = peer_start(NULL, answer, &t);
    char url[128];
    (void)snprintf(url, sizeof(url), "%s/page", peer_url(peer));
    struct ia_fetch f = of(url, peer_url(peer) + 7);
    struct ia_fetch_answer a;
    assert_int_equal(run(&f, &a), IA_OK);
    assert_int_equal(a.status, 200);
    assert_string_equal(a.type, "text/plain");
    assert_string_equal(a.charset, "utf-8");
    assert_string_equal(ia_buf_cstr(&a.body), "hello /page");
    ia_fetch_answer_fini(&a);
    peer_stop(peer);
}

static void a_redirect_to_another_place_is_judged_again(void **state)
{
    (void)state;
    struct told quiet = {0};
    struct peer *target = peer_start(NULL, answer, &quiet);
    char places[8][160];
    int port = peer_port(target);
    (void)snprintf(places[0], 160, "http://127.0.0.1:%d/", port);
    (void)snprintf(places[1], 160, "http://localhost:%d/", port);
    (void)snprintf(places[2], 160, "file:///etc/passwd");
    (void)snprintf(places[3], 160, "gopher://127.0.0.1:%d/x", port);
    (void)snprintf(places[4], 160, "http://user:pw@127.0.0.1:%d/", port);
    (void)snprintf(places[5], 160, "http://[::1]:%d/", port);
    for (int i = 0; i < 6; i++) {
        char raw[400];
        (void)snprintf(raw, sizeof(raw),
                       "HTTP/1.1 302 Found\r\nLocation: %s\r\nContent-Length: 0\r\n\r\n",
                       places[i]);
        struct told t = {.raw = raw};
        struct peer *peer = peer_start(NULL, answer, &t);
        char allow[128];
        (void)snprintf(allow, sizeof(allow), "%s, 192.0.2.1:%d", peer_url(peer) + 7, port);
        struct ia_fetch f = of(peer_url(peer), allow);
        struct ia_fetch_answer a;
        enum ia_rc rc = run(&f, &a);
        if (rc == IA_OK) {
            fail_msg("%s was followed", places[i]);
        }
        ia_fetch_answer_fini(&a);
        assert_int_equal(peer_count(peer), 1);
        peer_stop(peer);
    }
    assert_int_equal(peer_count(target), 0);
    peer_stop(target);
}

static void a_redirect_that_never_ends_is_given_up(void **state)
{
    (void)state;
    struct told t = {.raw =
                         "HTTP/1.1 302 Found\r\nLocation: /again\r\nContent-Length: 0\r\n\r\n"};
    struct peer *peer = peer_start(NULL, answer, &t);
    struct ia_fetch f = of(peer_url(peer), peer_url(peer) + 7);
    expect(&f, IA_E_LIMIT);
    assert_int_equal(peer_count(peer), 1 + IA_FETCH_REDIRECTS_MAX);
    peer_stop(peer);
}

static void urls_that_are_no_pages_are_refused(void **state)
{
    (void)state;
    static const char *const urls[] = {"",
                                       "file:///etc/passwd",
                                       "gopher://example.com/",
                                       "ftp://example.com/x",
                                       "data:text/plain,hello",
                                       "scp://example.com/x",
                                       "dict://example.com:2628/",
                                       "javascript:alert(1)",
                                       "http://user:secret@example.com/",
                                       "http://example.com:22/",
                                       "http://example.com:25/",
                                       "http://ex\xc3\xa4mple.com/",
                                       "http://example.com/\r\nX: y",
                                       "http://exa mple.com/",
                                       "http:\\\\example.com",
                                       "http:///",
                                       "http://"};
    for (size_t i = 0; i < IA_COUNTOF(urls); i++) {
        struct ia_fetch f = of(urls[i], "");
        expect(&f, IA_E_USAGE);
    }
}

static void domains_are_judged_by_their_lists(void **state)
{
    (void)state;
    struct ia_fetch_rules some = {.allowed_domains = "example.com, apple.com",
                                  .blocked_domains = "bad.example.com"};
    assert_true(ia_fetch_domain_ok(&some, "example.com"));
    assert_true(ia_fetch_domain_ok(&some, "Docs.Example.Com."));
    assert_false(ia_fetch_domain_ok(&some, "bad.example.com"));
    assert_false(ia_fetch_domain_ok(&some, "a.bad.example.com."));
    assert_false(ia_fetch_domain_ok(&some, "notexample.com"));
    assert_false(ia_fetch_domain_ok(&some, "example.com.evil.net"));
    assert_true(ia_fetch_domain_ok(&(struct ia_fetch_rules){0}, "anything.net"));
}

static void a_body_is_read_up_to_its_limit(void **state)
{
    (void)state;
    struct ia_buf raw = IA_BUF(1 << 21);
    ia_buf_puts(
        &raw, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 1000000\r\n\r\n");
    for (int i = 0; i < 1000000; i++) {
        ia_buf_putc(&raw, 'x');
    }
    struct told t = {.raw = ia_buf_cstr(&raw)};
    struct peer *peer = peer_start(NULL, answer, &t);
    struct ia_fetch f = of(peer_url(peer), peer_url(peer) + 7);
    struct ia_fetch_answer a;
    assert_int_equal(run(&f, &a), IA_OK);
    assert_true(a.cut);
    assert_int_equal(a.body.len, BYTES_MAX);
    ia_fetch_answer_fini(&a);
    peer_stop(peer);
    ia_buf_fini(&raw);
}

static void floods_of_headers_and_other_types_are_refused(void **state)
{
    (void)state;
    struct ia_buf raw = IA_BUF(1 << 20);
    ia_buf_puts(&raw, "HTTP/1.1 200 OK\r\n");
    for (int i = 0; i < 5000; i++) {
        ia_buf_printf(&raw, "X-Flood-%d: yyyyyyyyyyyyyyyyyyyyyyyy\r\n", i);
    }
    ia_buf_puts(&raw, "\r\n");
    struct told flood = {.raw = ia_buf_cstr(&raw)};
    struct told picture = {
        .raw = "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: 3\r\n\r\nPNG"};
    struct peer *peer = peer_start(NULL, answer, &flood);
    struct ia_fetch f = of(peer_url(peer), peer_url(peer) + 7);
    expect(&f, IA_E_LIMIT);
    peer_stop(peer);
    peer = peer_start(NULL, answer, &picture);
    f = of(peer_url(peer), peer_url(peer) + 7);
    expect(&f, IA_E_UNSUPPORTED);
    peer_stop(peer);
    ia_buf_fini(&raw);
}

static void an_answer_that_does_not_come_ends_with_the_deadline(void **state)
{
    (void)state;
    struct told t = {.silent = true};
    struct peer *peer = peer_start(NULL, answer, &t);
    struct ia_fetch f = of(peer_url(peer), peer_url(peer) + 7);
    f.deadline_us = ia_mono_us(ia_clock_system()) + 200000;
    expect(&f, IA_E_TIMEOUT);
    peer_stop(peer);
}

static void a_cancel_ends_the_wait_at_once(void **state)
{
    (void)state;
    struct told t = {.silent = true};
    struct peer *peer = peer_start(NULL, answer, &t);
    struct ia_fetch f = of(peer_url(peer), peer_url(peer) + 7);
    f.cancel = ia_cancel_new(NULL);
    ia_cancel_fire(f.cancel);
    expect(&f, IA_E_CANCELLED);
    ia_cancel_free(f.cancel);
    peer_stop(peer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_that_are_not_public_are_known),
        cmocka_unit_test(no_spelling_of_this_machine_is_reached),
        cmocka_unit_test(a_name_that_resolves_to_this_machine_is_not_reached),
        cmocka_unit_test(what_is_allowed_is_read),
        cmocka_unit_test(a_redirect_to_another_place_is_judged_again),
        cmocka_unit_test(a_redirect_that_never_ends_is_given_up),
        cmocka_unit_test(urls_that_are_no_pages_are_refused),
        cmocka_unit_test(domains_are_judged_by_their_lists),
        cmocka_unit_test(a_body_is_read_up_to_its_limit),
        cmocka_unit_test(floods_of_headers_and_other_types_are_refused),
        cmocka_unit_test(an_answer_that_does_not_come_ends_with_the_deadline),
        cmocka_unit_test(a_cancel_ends_the_wait_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
