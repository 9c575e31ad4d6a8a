/* access_test.c: who may do what; tokens and codes and their ends. */
#include "server/http/access.h"

#include "server/http/token.h"

#include "test.h"
#include "tmpdir.h"

#include <sys/stat.h>

enum { PORT = 4848 };
#define HOST "127.0.0.1:4848"

struct world {
    char *dir, *file;
    char token[IA_ACCESS_TOKEN_SIZE];
    struct ia_vclock *clock;
    struct ia_access *access;
};

static void world_open(struct world *w, bool open)
{
    struct ia_err err = {0};
    w->dir = tmpdir_new();
    w->file = ia_token_path(w->dir);
    assert_int_equal(ia_token_write(w->file, w->token, &err), IA_OK);
    w->clock = ia_vclock_new(0);
    w->access = ia_access_new(
        &(struct ia_access_opts){.token_file = w->file,
                                 .allowed_hosts = "other.example, phones.example:8443",
                                 .open = open,
                                 .clock = ia_vclock_clock(w->clock)});
}

static void world_close(struct world *w)
{
    ia_access_free(w->access);
    ia_vclock_free(w->clock);
    free(w->file);
    tmpdir_free(w->dir);
}

static struct ia_access_verdict check(struct world *w, struct ia_access_request r)
{
    struct ia_access_verdict v;
    struct ia_err err = {0};
    ia_access_check(w->access, &r, &v, &err);
    assert_true((v.status != 0) == (err.msg[0] != '\0'));
    return v;
}

static const char *bearer(const char *token, char dst[128])
{
    (void)snprintf(dst, 128, "Bearer %s", token);
    return dst;
}

/* With the token given, "" for none. */
static int status_with(struct world *w, const char *token, const char *method, const char *path)
{
    char header[128];
    return check(w, (struct ia_access_request){.listener = IA_HTTP_TCP,
                                               .port = PORT,
                                               .method = method,
                                               .path = path,
                                               .host = HOST,
                                               .authorization =
                                                   *token ? bearer(token, header) : NULL,
                                               .content_type = "application/json"})
        .status;
}

static void pages_of_others_are_refused_before_the_token_counts(void **state)
{
    (void)state;
    static const struct {
        const char *host, *origin, *site;
        int status;
    } rows[] = {
        {HOST, NULL, NULL, 0},
        {"localhost:4848", NULL, NULL, 0},
        {"LOCALHOST:4848", NULL, NULL, 0},
        {"[::1]:4848", NULL, NULL, 0},
        {"phones.example:8443", NULL, NULL, 0},
        {NULL, NULL, NULL, 403},
        {"", NULL, NULL, 403},
        {"127.0.0.1", NULL, NULL, 403},
        {"127.0.0.1:4849", NULL, NULL, 403},
        {"127.0.0.1:48480", NULL, NULL, 403},
        {"localhost", NULL, NULL, 403},
        {"127.0.0.1:4848.evil.example", NULL, NULL, 403},
        {"evil.example:4848", NULL, NULL, 403},
        {"localhost.:4848", NULL, NULL, 403},
        {"0.0.0.0:4848", NULL, NULL, 403},
        {"127.1:4848", NULL, NULL, 403},
        {HOST, "http://" HOST, NULL, 0},
        {HOST, "HTTP://" HOST, NULL, 403},
        {HOST, "https://" HOST, NULL, 403},
        {HOST, "http://localhost:4848", NULL, 403},
        {HOST, "http://127.0.0.1:4849", NULL, 403},
        {HOST, "http://127.0.0.1", NULL, 403},
        {HOST, "http://" HOST "/", NULL, 403},
        {HOST, "http://" HOST ".evil.example", NULL, 403},
        {HOST, "http://evil.example", NULL, 403},
        {HOST, "null", NULL, 403},
        {HOST, "", NULL, 403},
        {HOST, "file://", NULL, 403},
        {"phones.example:8443", "https://phones.example:8443", NULL, 0},
        {"phones.example:8443", "http://phones.example:8443", NULL, 0},
        {"phones.example:8443", "https://phones.example", NULL, 403},
        {HOST, NULL, "same-origin", 0},
        {HOST, NULL, "none", 0},
        {HOST, NULL, "same-site", 403},
        {HOST, NULL, "cross-site", 403},
        {HOST, NULL, "", 403},
    };
    struct world w;
    world_open(&w, false);
    char header[128];
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        for (int with_token = 0; with_token < 2; with_token++) {
            struct ia_access_verdict v =
                check(&w, (struct ia_access_request){
                              .listener = IA_HTTP_TCP,
                              .port = PORT,
                              .method = "GET",
                              .path = "/v1/runs",
                              .host = rows[i].host,
                              .origin = rows[i].origin,
                              .fetch_site = rows[i].site,
                              .authorization = with_token ? bearer(w.token, header) : NULL});
            int expected = rows[i].status ? rows[i].status : with_token ? 0 : 401;
            if (v.status != expected) {
                fail_msg("row %zu, token %d: %d, not %d", i, with_token, v.status, expected);
            }
        }
    }
    world_close(&w);
}

static void only_public_paths_do_without_a_token(void **state)
{
    (void)state;
    static const struct {
        const char *method, *path;
        int status;
    } rows[] = {
        {"GET", "/", 0},
        {"HEAD", "/", 0},
        {"GET", "/favicon.svg", 0},
        {"GET", "/app/main.js", 0},
        {"GET", "/app", 401},
        {"GET", "/application", 401},
        {"POST", "/", 401},
        {"POST", "/app/main.js", 401},
        {"DELETE", "/app/main.js", 401},
        {"POST", "/v1/login", 0},
        {"GET", "/v1/login", 401},
        {"PUT", "/v1/login", 401},
        {"POST", "/v1/login/x", 401},
        {"POST", "/v1/codes", 401},
        {"GET", "/v1/daemon", 401},
        {"POST", "/v1/device/tap", 401},
        {"POST", "/mcp", 401},
        {"GET", "/mcp", 401},
        {"GET", "/elsewhere", 401},
        {"GET", "", 401},
        {"OPTIONS", "/", 403},
        {"OPTIONS", "/v1/runs", 403},
        {"TRACE", "/", 405},
        {"CONNECT", "/", 405},
        {"get", "/", 405},
        {"PROPFIND", "/", 405},
    };
    struct world w;
    world_open(&w, false);
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        int status = status_with(&w, "", rows[i].method, rows[i].path);
        if (status != rows[i].status) {
            fail_msg("%s %s: %d, not %d", rows[i].method, rows[i].path, status, rows[i].status);
        }
    }
    world_close(&w);
}

static void a_token_must_be_whole_and_the_newest(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, false);
    assert_int_equal(status_with(&w, w.token, "POST", "/mcp"), 0);
    char other[IA_ACCESS_TOKEN_SIZE];
    memcpy(other, w.token, sizeof(other));
    other[63] = other[63] == '0' ? '1' : '0';
    assert_int_equal(status_with(&w, other, "POST", "/mcp"), 401);
    memcpy(other, w.token, sizeof(other));
    other[63] = '\0';
    assert_int_equal(status_with(&w, other, "POST", "/mcp"), 401);
    /* Another scheme, no scheme, a token in other letters. */
    static const char *const forms[] = {"Basic %s",   "%s",     "Bearer  %s",
                                        "Bearer\t%s", "Bearer", "bearer %s"};
    static const int expected[] = {401, 401, 401, 401, 401, 0};
    for (size_t i = 0; i < IA_COUNTOF(forms); i++) {
        char header[128];
        struct ia_buf b = IA_BUF(sizeof(header));
        const char *at = strstr(forms[i], "%s");
        ia_buf_put(&b, forms[i], at ? (size_t)(at - forms[i]) : strlen(forms[i]));
        ia_buf_puts(&b, at ? w.token : "");
        struct ia_access_verdict v =
            check(&w, (struct ia_access_request){.listener = IA_HTTP_TCP,
                                                 .port = PORT,
                                                 .method = "GET",
                                                 .path = "/v1/runs",
                                                 .host = HOST,
                                                 .authorization = ia_buf_cstr(&b)});
        assert_int_equal(v.status, expected[i]);
        ia_buf_fini(&b);
    }
    /* A new one is taken at once and ends the old one. */
    struct ia_err err = {0};
    assert_int_equal(ia_token_write(w.file, other, &err), IA_OK);
    assert_string_not_equal(other, w.token);
    assert_int_equal(status_with(&w, w.token, "POST", "/mcp"), 401);
    assert_int_equal(status_with(&w, other, "POST", "/mcp"), 0);
    assert_int_equal(unlink(w.file), 0);
    assert_int_equal(status_with(&w, other, "POST", "/mcp"), 401);
    world_close(&w);
}

static void a_token_file_that_others_can_read_is_refused(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, false);
    char token[IA_ACCESS_TOKEN_SIZE];
    struct ia_err err = {0};
    struct stat st;
    assert_int_equal(stat(w.file, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0600);
    static const mode_t wide[] = {0644, 0640, 0620, 0604, 0601};
    for (size_t i = 0; i < IA_COUNTOF(wide); i++) {
        assert_int_equal(chmod(w.file, wide[i]), 0);
        assert_int_equal(ia_token_read(w.file, token, &err), IA_E_KEY_FILE_MODE);
        assert_int_equal(status_with(&w, w.token, "GET", "/v1/runs"), 401);
    }
    assert_int_equal(chmod(w.file, 0600), 0);
    assert_int_equal(status_with(&w, w.token, "GET", "/v1/runs"), 0);
    /* A link, even to a good one. */
    char *real = ia_path_join(w.dir, "real");
    assert_int_equal(rename(w.file, real), 0);
    assert_int_equal(symlink(real, w.file), 0);
    assert_int_equal(ia_token_read(w.file, token, &err), IA_E_KEY_FILE_MODE);
    assert_int_equal(status_with(&w, w.token, "GET", "/v1/runs"), 401);
    assert_int_equal(unlink(w.file), 0);
    assert_int_equal(ia_token_read(w.file, token, &err), IA_E_NOT_FOUND);
    free(tmpdir_file(w.dir, "daemon.token", "0123\n"));
    assert_int_equal(ia_token_read(w.file, token, &err), IA_E_PARSE);
    free(tmpdir_file(w.dir, "daemon.token", ""));
    assert_int_equal(ia_token_read(w.file, token, &err), IA_E_PARSE);
    assert_int_equal(status_with(&w, "", "GET", "/v1/runs"), 401);
    free(real);
    world_close(&w);
}

static void a_code_is_traded_once_and_in_time(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, false);
    struct ia_err err = {0};
    char code[IA_ACCESS_CODE_SIZE];
    char token[IA_ACCESS_TOKEN_SIZE];
    enum ia_http_scope scope;
    ia_access_code(w.access, IA_HTTP_SCOPE_ACT, code);
    assert_int_equal(strlen(code), IA_ACCESS_CODE_SIZE - 1);
    /* Neither a prefix nor a code itself opens anything. */
    assert_int_equal(status_with(&w, code, "GET", "/v1/runs"), 401);
    assert_int_equal(ia_access_trade(w.access, "", token, &scope, &err), IA_E_AUTH_REQUIRED);
    ia_vclock_advance(w.clock, INT64_C(59999999));
    assert_int_equal(ia_access_trade(w.access, code, token, &scope, &err), IA_OK);
    assert_int_equal(scope, IA_HTTP_SCOPE_ACT);
    assert_int_equal(status_with(&w, token, "POST", "/v1/runs"), 0);
    assert_int_equal(ia_access_trade(w.access, code, token, &scope, &err), IA_E_AUTH_REQUIRED);
    assert_int_equal(status_with(&w, token, "POST", "/v1/runs"), 0);
    /* Too late. */
    ia_access_code(w.access, IA_HTTP_SCOPE_ACT, code);
    ia_vclock_advance(w.clock, INT64_C(60000000));
    assert_int_equal(ia_access_trade(w.access, code, token, &scope, &err), IA_E_AUTH_REQUIRED);
    assert_true(err.hint[0]);
    world_close(&w);
}

static void a_view_token_looks_and_does_not_act(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, false);
    struct ia_err err = {0};
    char code[IA_ACCESS_CODE_SIZE];
    char token[IA_ACCESS_TOKEN_SIZE];
    enum ia_http_scope scope;
    ia_access_code(w.access, IA_HTTP_SCOPE_VIEW, code);
    assert_int_equal(ia_access_trade(w.access, code, token, &scope, &err), IA_OK);
    assert_int_equal(scope, IA_HTTP_SCOPE_VIEW);
    assert_int_equal(status_with(&w, token, "GET", "/v1/runs"), 0);
    assert_int_equal(status_with(&w, token, "HEAD", "/v1/runs"), 0);
    static const char *const acts[] = {"POST", "PUT", "PATCH", "DELETE"};
    for (size_t i = 0; i < IA_COUNTOF(acts); i++) {
        assert_int_equal(status_with(&w, token, acts[i], "/v1/runs"), 403);
    }
    assert_int_equal(status_with(&w, token, "POST", "/mcp"), 403);
    world_close(&w);
}

static void dashboards_end_by_time_and_by_number(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, false);
    struct ia_err err = {0};
    char code[IA_ACCESS_CODE_SIZE];
    char tokens[IA_ACCESS_TOKENS_MAX + 1][IA_ACCESS_TOKEN_SIZE];
    enum ia_http_scope scope;
    for (size_t i = 0; i <= IA_ACCESS_TOKENS_MAX; i++) {
        ia_access_code(w.access, IA_HTTP_SCOPE_ACT, code);
        assert_int_equal(ia_access_trade(w.access, code, tokens[i], &scope, &err), IA_OK);
        ia_vclock_advance(w.clock, 1000000);
        /* The first one stays in use, so that the second is the one that goes. */
        assert_int_equal(status_with(&w, tokens[0], "GET", "/v1/runs"), 0);
    }
    assert_int_equal(status_with(&w, tokens[1], "GET", "/v1/runs"), 401);
    assert_int_equal(status_with(&w, tokens[2], "GET", "/v1/runs"), 0);
    assert_int_equal(status_with(&w, tokens[IA_ACCESS_TOKENS_MAX], "GET", "/v1/runs"), 0);
    /* 12 hours from the last use. */
    int64_t hour_us = INT64_C(3600000000);
    ia_vclock_advance(w.clock, 11 * hour_us);
    assert_int_equal(status_with(&w, tokens[2], "GET", "/v1/runs"), 0);
    ia_vclock_advance(w.clock, 11 * hour_us);
    assert_int_equal(status_with(&w, tokens[2], "GET", "/v1/runs"), 0);
    assert_int_equal(status_with(&w, tokens[3], "GET", "/v1/runs"), 401);
    ia_vclock_advance(w.clock, 12 * hour_us);
    assert_int_equal(status_with(&w, tokens[2], "GET", "/v1/runs"), 401);
    world_close(&w);
}

static void codes_do_not_pile_up(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, false);
    struct ia_err err = {0};
    char codes[IA_ACCESS_CODES_MAX + 1][IA_ACCESS_CODE_SIZE];
    char token[IA_ACCESS_TOKEN_SIZE];
    enum ia_http_scope scope;
    for (size_t i = 0; i <= IA_ACCESS_CODES_MAX; i++) {
        ia_access_code(w.access, IA_HTTP_SCOPE_ACT, codes[i]);
        ia_vclock_advance(w.clock, 1000);
    }
    for (size_t i = 0; i <= IA_ACCESS_CODES_MAX; i++) {
        assert_int_equal(ia_access_trade(w.access, codes[i], token, &scope, &err),
                         i == 0 ? IA_E_AUTH_REQUIRED : IA_OK);
    }
    world_close(&w);
}

static void who_guesses_has_to_wait(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, false);
    for (int i = 0; i < IA_ACCESS_WRONG_MAX; i++) {
        assert_int_equal(ia_access_wrong(w.access), 0);
        ia_vclock_advance(w.clock, 1000000);
    }
    assert_int_equal(ia_access_wrong(w.access), IA_ACCESS_DELAY_MS);
    assert_int_equal(ia_access_wrong(w.access), IA_ACCESS_DELAY_MS);
    ia_vclock_advance(w.clock, INT64_C(60000000));
    assert_int_equal(ia_access_wrong(w.access), 0);
    world_close(&w);
}

static void a_body_is_json(void **state)
{
    (void)state;
    static const struct {
        const char *method, *type;
        bool has_body;
        int tcp, unix;
    } rows[] = {
        {"POST", "application/json", true, 0, 0},
        {"POST", "Application/JSON; charset=utf-8", true, 0, 0},
        {"POST", "application/json;charset=utf-8", true, 0, 0},
        {"POST", "application/jsonp", true, 415, 415},
        {"POST", "text/plain", true, 415, 415},
        {"POST", "text/plain; application/json", true, 415, 415},
        {"POST", "application/x-www-form-urlencoded", true, 415, 415},
        {"POST", "multipart/form-data; boundary=x", true, 415, 415},
        {"POST", "", true, 415, 415},
        {"POST", NULL, true, 415, 415},
        {"POST", NULL, false, 415, 0},
        {"POST", "text/plain", false, 415, 415},
        {"PUT", "text/plain", true, 415, 415},
        {"PATCH", "text/plain", true, 415, 415},
        {"PATCH", "application/json", true, 0, 0},
        {"DELETE", NULL, false, 0, 0},
        {"GET", NULL, false, 0, 0},
    };
    struct world w;
    world_open(&w, false);
    char header[128];
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        for (int tcp = 0; tcp < 2; tcp++) {
            struct ia_access_verdict v = check(
                &w, (struct ia_access_request){.listener = tcp ? IA_HTTP_TCP : IA_HTTP_UNIX,
                                               .port = PORT,
                                               .method = rows[i].method,
                                               .path = "/v1/runs",
                                               .host = HOST,
                                               .authorization = bearer(w.token, header),
                                               .content_type = rows[i].type,
                                               .has_body = rows[i].has_body});
            if (v.status != (tcp ? rows[i].tcp : rows[i].unix)) {
                fail_msg("row %zu, tcp %d: %d", i, tcp, v.status);
            }
        }
    }
    world_close(&w);
}

static void the_unix_socket_needs_neither_host_nor_token(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, false);
    struct ia_access_verdict v =
        check(&w, (struct ia_access_request){
                      .listener = IA_HTTP_UNIX, .method = "DELETE", .path = "/v1/key"});
    assert_int_equal(v.status, 0);
    assert_int_equal(v.scope, IA_HTTP_SCOPE_ACT);
    assert_string_equal(v.client, "unix");
    world_close(&w);
}

static void an_open_server_still_checks_where_a_request_comes_from(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, true);
    assert_int_equal(status_with(&w, "", "POST", "/mcp"), 0);
    struct ia_access_request r = {.listener = IA_HTTP_TCP,
                                  .port = PORT,
                                  .method = "POST",
                                  .path = "/mcp",
                                  .host = "evil.example:4848",
                                  .content_type = "application/json"};
    assert_int_equal(check(&w, r).status, 403);
    r.host = HOST;
    r.origin = "http://evil.example";
    assert_int_equal(check(&w, r).status, 403);
    world_close(&w);
}

/* "--token-file tok" is a file in the working folder. */
static void a_token_file_without_a_folder_is_made_where_the_caller_stands(void **state)
{
    (void)state;
    struct world w;
    char written[IA_ACCESS_TOKEN_SIZE], read[IA_ACCESS_TOKEN_SIZE], before[4096];
    struct ia_err err = {0};
    world_open(&w, false);
    assert_non_null(getcwd(before, sizeof(before)));
    assert_int_equal(chdir(w.dir), 0);
    assert_int_equal(ia_token_write("tok", written, &err), IA_OK);
    assert_int_equal(ia_token_read("tok", read, &err), IA_OK);
    assert_string_equal(read, written);
    assert_int_equal(ia_token_write("a/b/tok", written, &err), IA_OK);
    assert_int_equal(ia_token_read("a/b/tok", read, &err), IA_OK);
    assert_string_equal(read, written);
    assert_int_equal(chdir(before), 0);
    world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_of_others_are_refused_before_the_token_counts),
        cmocka_unit_test(only_public_paths_do_without_a_token),
        cmocka_unit_test(a_token_must_be_whole_and_the_newest),
        cmocka_unit_test(a_token_file_that_others_can_read_is_refused),
        cmocka_unit_test(a_token_file_without_a_folder_is_made_where_the_caller_stands),
        cmocka_unit_test(a_code_is_traded_once_and_in_time),
        cmocka_unit_test(a_view_token_looks_and_does_not_act),
        cmocka_unit_test(dashboards_end_by_time_and_by_number),
        cmocka_unit_test(codes_do_not_pile_up),
        cmocka_unit_test(who_guesses_has_to_wait),
        cmocka_unit_test(a_body_is_json),
        cmocka_unit_test(the_unix_socket_needs_neither_host_nor_token),
        cmocka_unit_test(an_open_server_still_checks_where_a_request_comes_from),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
