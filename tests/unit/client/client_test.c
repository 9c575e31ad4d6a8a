#include "test.h"
#include "tmpdir.h"

#include "client/address.h"
#include "client/answer.h"
#include "client/build.h"
#include "client/client.h"

#include <pthread.h>
#include <sys/socket.h>
#include <sys/un.h>

/* ---- answers ----------------------------------------------------------------------------- */

#define GOOD                                                                                   \
    "HTTP/1.1 200 OK\r\nios-agent-exit: 1\r\nIos-Agent-Stream: err\r\nIos-Agent-Build: b\r\n"  \
    "Ios-Agent-File-Bytes: 2\r\nContent-Length: 5\r\n\r\nabcde"

static enum ia_rc read_in_pieces(const char *text, size_t n, size_t piece,
                                 struct ia_client_answer *a, bool *ret_done)
{
    struct ia_answer_reader r;
    struct ia_err err;
    enum ia_rc rc = IA_OK;
    ia_answer_reader_init(&r);
    *a = (struct ia_client_answer){.body = IA_BUF(IA_CLIENT_ANSWER_MAX), .exit_status = -1};
    for (size_t at = 0; at < n && rc == IA_OK; at += piece) {
        size_t left = n - at;
        rc = ia_answer_feed(&r, (struct ia_str){text + at, left < piece ? left : piece}, a,
                            &err);
    }
    *ret_done = r.done;
    ia_answer_reader_fini(&r);
    return rc;
}

static void an_answer_is_read_however_it_is_cut(void **state)
{
    (void)state;
    for (size_t piece = 1; piece <= sizeof(GOOD); piece++) {
        struct ia_client_answer a;
        bool done;
        assert_int_equal(read_in_pieces(GOOD, sizeof(GOOD) - 1, piece, &a, &done), IA_OK);
        assert_true(done);
        assert_int_equal(a.http_status, 200);
        assert_int_equal(a.exit_status, 1);
        assert_true(a.to_stderr);
        assert_int_equal(a.file_bytes, 2);
        assert_string_equal(a.build, "b");
        assert_string_equal(ia_buf_cstr(&a.body), "abcde");
        ia_client_answer_fini(&a);
    }
}

static void a_hostile_answer_is_refused_or_never_complete(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "HTTP/1.1 200 OK\r\n\r\n",
        "HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n",
        "SSH-2.0-OpenSSH\r\n\r\n",
        "HTTP/1.1 2x0 OK\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 099 OK\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 33554433\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
        "HTTP/1.1 200 OK\r\nno colon\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nabc",
        "HTTP/1.1 200 OK\r\nIos-Agent-Exit: 999\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nIos-Agent-File-Bytes: 3\r\nContent-Length: 2\r\n\r\nab",
        "HTTP/1.1 200 OK\r\nIos-Agent-File-Bytes: 1\r\nIos-Agent-Err-Bytes: "
        "2\r\nContent-Length: "
        "2\r\n\r\nab",
    };
    for (size_t i = 0; i < IA_COUNTOF(bad); i++) {
        for (size_t piece = 1; piece < 300; piece += 98) {
            struct ia_client_answer a;
            bool done;
            enum ia_rc rc = read_in_pieces(bad[i], strlen(bad[i]), piece, &a, &done);
            if (rc != IA_E_PROTO) {
                fail_msg("%s in pieces of %zu: %d", bad[i], piece, rc);
            }
            ia_client_answer_fini(&a);
        }
    }
    struct ia_client_answer a;
    bool done;
    char *endless = ia_alloc(IA_ANSWER_HEAD_MAX + 1);
    memset(endless, 'a', IA_ANSWER_HEAD_MAX + 1);
    assert_int_equal(read_in_pieces(endless, IA_ANSWER_HEAD_MAX + 1, 4096, &a, &done),
                     IA_E_PROTO);
    free(endless);
    ia_client_answer_fini(&a);
}

/* ---- bodies in chunks --------------------------------------------------------------------- */

static bool read_chunks(const char *text, size_t piece, struct ia_buf *out, bool *ret_done)
{
    struct ia_chunks c = {.state = IA_CHUNKS_SIZE};
    size_t n = strlen(text);
    bool ok = true;
    ia_buf_reset(out);
    for (size_t at = 0; ok && at < n; at += piece) {
        size_t some = n - at < piece ? n - at : piece;
        ok = ia_chunks_feed(&c, (struct ia_str){text + at, some}, 100, out);
    }
    *ret_done = c.state == IA_CHUNKS_DONE;
    return ok;
}

static void chunks_are_taken_off_however_they_arrive(void **state)
{
    (void)state;
    static const char text[] = "3\r\nabc\r\n1A\r\nabcdefghijklmnopqrstuvwxyz\r\n0\r\n\r\n";
    struct ia_buf out = IA_BUF(1000);
    for (size_t piece = 1; piece <= sizeof(text); piece++) {
        bool done = false;
        assert_true(read_chunks(text, piece, &out, &done));
        assert_true(done);
        assert_string_equal(ia_buf_cstr(&out), "abcabcdefghijklmnopqrstuvwxyz");
    }
    ia_buf_fini(&out);
}

static void hostile_chunks_are_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "x\r\n",         "\r\n",          "-1\r\n",        "65\r\n",    "1\r\nab\r\n",
        "1\n",           "1\r\r\n",       "1\r2\n",        "1;x=y\r\n", "0\r\n\r\n0\r\n",
        "0\r\nA: b\r\n", "000000001\r\n", "ffffffffff\r\n"};
    struct ia_buf out = IA_BUF(1000);
    for (size_t i = 0; i < IA_COUNTOF(bad); i++) {
        bool done = false;
        if (read_chunks(bad[i], 1, &out, &done)) {
            fail_msg("taken: %s", bad[i]);
        }
    }
    ia_buf_fini(&out);
}

/* ---- builds and addresses ---------------------------------------------------------------- */

static void of_two_builds_always_the_same_one_is_newer(void **state)
{
    (void)state;
    static const char *const rising[] = {"",           "0.2.0-5-9",  "0.2.0-6-1",
                                         "0.2.0-10-1", "0.10.0-1-1", "1.0.0-1-1"};
    for (size_t i = 0; i < IA_COUNTOF(rising); i++) {
        for (size_t k = 0; k < IA_COUNTOF(rising); k++) {
            int order = ia_build_compare(rising[i], rising[k]);
            assert_int_equal((order > 0) - (order < 0), (i > k) - (i < k));
        }
    }
    assert_true(ia_build_compare(ia_build_id(), ia_build_version()) > 0);
}

static void the_socket_of_a_short_home_is_in_it(void **state)
{
    (void)state;
    struct ia_address a;
    struct ia_err err;
    assert_int_equal(ia_address_find("/h", false, &a, &err), IA_OK);
    assert_string_equal(a.path, "/h/daemon.sock");
    assert_true(a.in_home);
}

static void the_socket_of_a_long_home_is_in_a_closed_folder_of_ours(void **state)
{
    (void)state;
    char *root = tmpdir_new();
    char home[201], other[201];
    struct ia_address a, b;
    struct ia_err err;
    memset(home, 'h', sizeof(home) - 1);
    home[0] = '/';
    home[200] = '\0';
    memcpy(other, home, sizeof(home));
    other[199] = 'i';
    setenv("XDG_RUNTIME_DIR", root, 1);
    assert_int_equal(ia_address_find(home, true, &a, &err), IA_OK);
    assert_int_equal(ia_address_find(other, true, &b, &err), IA_OK);
    assert_int_equal(strncmp(a.path, root, strlen(root)), 0);
    assert_string_not_equal(a.path, b.path);
    assert_false(a.in_home);
    char folder[128];
    (void)snprintf(folder, sizeof(folder), "%s/ios-agent-%d", root, (int)getuid());
    struct stat st;
    assert_int_equal(stat(folder, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0700);
    assert_int_equal(chmod(folder, 0755), 0);
    assert_int_equal(ia_address_find(home, false, &a, &err), IA_E_IO);
    assert_non_null(strstr(err.msg, folder));
    assert_int_equal(rmdir(folder), 0);
    assert_int_equal(symlink(root, folder), 0); /* somebody else's plan */
    assert_int_equal(ia_address_find(home, true, &a, &err), IA_E_IO);
    unsetenv("XDG_RUNTIME_DIR");
    tmpdir_free(root);
}

static void the_lock_says_who_holds_it_and_where_it_listens(void **state)
{
    (void)state;
    char *home = tmpdir_new(), text[256];
    struct ia_lock_note note = {.pid = 41, .build = "0.2.0-1-2", .address = "/x/y.sock"}, read;
    ia_lock_note_write(&note, text, sizeof(text));
    free(tmpdir_file(home, "daemon.lock", text));
    ia_lock_note_read(home, &read);
    assert_int_equal(read.pid, 41);
    assert_string_equal(read.build, note.build);
    assert_string_equal(read.address, note.address);
    free(tmpdir_file(home, "daemon.lock", "\xff\xfe garbage"));
    ia_lock_note_read(home, &read);
    assert_int_equal(read.pid, 0);
    assert_string_equal(read.address, "");
    tmpdir_free(home);
}

/* ---- verbs ------------------------------------------------------------------------------- */

static const struct ia_opt verb_opts[] = {
    {.name = "ref", .kind = IA_OPT_TEXT, .value = "REF", .operand = 1},
    {.name = "max", .kind = IA_OPT_INT, .value = "N", .max = 9},
    {.name = "seconds", .kind = IA_OPT_REAL, .value = "S"},
    {.name = "out", .kind = IA_OPT_OUT, .value = "OUT"},
    {.name = "arg", .kind = IA_OPT_TEXT, .value = "A", .repeat = true},
    {.name = "fast", .kind = IA_OPT_FLAG},
    {.name = "no-daemon", .kind = IA_OPT_FLAG, .local = true},
    {.name = NULL},
};

static void arguments_travel_as_json_of_their_kinds(void **state)
{
    (void)state;
    static const char *const argv[] = {"@e12",  "--max",      "3",      "--seconds=1.5",
                                       "--out", "/tmp/x.png", "--arg",  "a\"",
                                       "--arg", "b",          "--fast", "--no-daemon"};
    struct ia_args a;
    struct ia_err err;
    struct ia_buf out = IA_BUF(4096);
    assert_int_equal(ia_args_parse(&a, verb_opts, IA_COUNTOF(argv), (char *const *)argv, &err),
                     IA_OK);
    ia_client_write_args(&a, &out);
    assert_string_equal(ia_buf_cstr(&out),
                        "{\"ref\":\"@e12\",\"max\":3,\"seconds\":1.5,\"out\":\"/tmp/x.png\","
                        "\"arg\":[\"a\\\"\",\"b\"],\"fast\":true}");
    ia_buf_fini(&out);
}

/* ---- a daemon of the test's making --------------------------------------------------------- */

enum deed { ANSWER, RESET, HANG_UP, AGAIN, FILE_ANSWER };
struct fake {
    int fd;
    const enum deed *deeds;
    size_t count;
    _Atomic(int) served; /* requests that were read to their end */
    char last[8192];
};

static void say(int fd, const char *head, const char *body)
{
    char text[512];
    int n = snprintf(text, sizeof(text), "HTTP/1.1 200 OK\r\nContent-Length: %zu\r\n%s\r\n%s",
                     strlen(body), head, body);
    assert_int_equal(write(fd, text, (size_t)n), n);
}

/* Each deed is for a connection of its own; RESET leaves the request unread. */
static void *serve(void *ctx)
{
    struct fake *f = ctx;
    for (size_t i = 0; i < f->count; i++) {
        int fd = accept(f->fd, NULL, NULL);
        char c;
        if (f->deeds[i] == RESET) {
            assert_int_equal(read(fd, &c, 1),
                             1); /* it is on its way, and the rest stays unread */
            close(fd);
            continue;
        }
        ssize_t n = read(fd, f->last, sizeof(f->last) - 1);
        assert_true(n > 0);
        f->last[n] = '\0';
        f->served++;
        switch (f->deeds[i]) {
        case ANSWER:
            say(fd, "Ios-Agent-Exit: 0\r\nConnection: close\r\n", "done\n");
            break;
        case AGAIN:
            say(fd, "Ios-Agent-Code: DAEMON_VERSION\r\n", "stopping");
            break;
        case FILE_ANSWER:
            say(fd, "Ios-Agent-Exit: 0\r\nIos-Agent-File-Bytes: 4\r\n", "\x89PNGkept\n");
            break;
        case RESET:
        case HANG_UP:
            break;
        }
        close(fd);
    }
    return NULL;
}

struct world {
    char *home;
    struct fake fake;
    pthread_t thread;
    struct ia_client *client;
};

static void begin(struct world *w, const enum deed *deeds, size_t count)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    struct ia_err err;
    w->home = tmpdir_new();
    (void)snprintf(at.sun_path, sizeof(at.sun_path), "%s/daemon.sock", w->home);
    w->fake =
        (struct fake){.fd = socket(AF_UNIX, SOCK_STREAM, 0), .deeds = deeds, .count = count};
    assert_int_equal(bind(w->fake.fd, (struct sockaddr *)&at, sizeof(at)), 0);
    assert_int_equal(listen(w->fake.fd, 8), 0);
    assert_int_equal(pthread_create(&w->thread, NULL, serve, &w->fake), 0);
    w->client = ia_client_new(&(struct ia_client_opts){.home = w->home, .quiet = true}, &err);
}

static void end(struct world *w)
{
    pthread_join(w->thread, NULL);
    ia_client_free(w->client);
    close(w->fake.fd);
    tmpdir_free(w->home);
}

static enum ia_rc call(struct world *w, struct ia_client_answer *a, struct ia_err *err)
{
    const char *argv[] = {"7", "--out", NULL};
    struct ia_args args;
    char *out = ia_path_join(w->home, "out.png");
    argv[2] = out;
    *err = (struct ia_err){.code = IA_OK};
    assert_int_equal(ia_args_parse(&args, verb_opts, 3, (char *const *)argv, err), IA_OK);
    enum ia_rc rc = ia_client_verb(w->client, "long press", &args, a, err);
    free(out);
    return rc;
}

static void a_request_says_who_asks_and_from_where(void **state)
{
    (void)state;
    struct world w;
    struct ia_client_answer a;
    struct ia_err err;
    setenv("IOS_AGENT_DEVICE", "embedded:7", 1);
    setenv("IOS_AGENT_SESSION", "evil\r\nX: y", 1);
    begin(&w, (enum deed[]){ANSWER}, 1);
    assert_int_equal(call(&w, &a, &err), IA_OK);
    assert_int_equal(a.exit_status, 0);
    assert_string_equal(ia_buf_cstr(&a.body), "done\n");
    assert_non_null(strstr(w.fake.last, "POST /v1/device/long-press?as=cli HTTP/1.1\r\n"));
    assert_non_null(strstr(w.fake.last, "\r\nIos-Agent-Device: embedded:7\r\n"));
    assert_non_null(strstr(w.fake.last, "\r\nIos-Agent-Build: "));
    assert_non_null(strstr(w.fake.last, "\r\nIos-Agent-Request-Id: "));
    assert_non_null(strstr(w.fake.last, "\r\nIos-Agent-Deadline-Ms: 30000\r\n"));
    assert_null(strstr(w.fake.last, "X: y"));
    assert_null(strstr(w.fake.last, "Ios-Agent-Device-Token"));
    assert_null(strstr(w.fake.last, "Ios-Agent-Appium-Caps"));
    ia_client_answer_fini(&a);
    unsetenv("IOS_AGENT_DEVICE");
    unsetenv("IOS_AGENT_SESSION");
    end(&w);
}

static void a_command_says_how_its_environment_opens_a_device(void **state)
{
    (void)state;
    struct world w;
    struct ia_client_answer a;
    struct ia_err err;
    char cwd[2048], caps[4096];
    setenv("IOS_AGENT_DEVICE_TOKEN", "a token\r\nX: y", 1);
    setenv("IOS_AGENT_APPIUM_CAPS", "caps.json", 1);
    begin(&w, (enum deed[]){ANSWER, ANSWER}, 2);
    assert_int_equal(call(&w, &a, &err), IA_OK);
    assert_non_null(strstr(w.fake.last, "\r\nIos-Agent-Device-Token: a token\r\n"));
    assert_non_null(getcwd(cwd, sizeof(cwd)));
    (void)snprintf(caps, sizeof(caps), "\r\nIos-Agent-Appium-Caps: %s/caps.json\r\n", cwd);
    assert_non_null(strstr(w.fake.last, caps));
    assert_null(strstr(w.fake.last, "X: y"));
    ia_client_answer_fini(&a);
    /* What opens no device does not carry a secret. */
    struct ia_client_request q = {.method = "GET", .path = "/status"};
    assert_int_equal(ia_client_call(w.client, &q, &a, &err), IA_OK);
    assert_null(strstr(w.fake.last, "a token"));
    ia_client_answer_fini(&a);
    unsetenv("IOS_AGENT_DEVICE_TOKEN");
    unsetenv("IOS_AGENT_APPIUM_CAPS");
    end(&w);
}

static void what_was_not_read_is_sent_again_and_what_was_is_not(void **state)
{
    (void)state;
    struct world w;
    struct ia_client_answer a;
    struct ia_err err;
    begin(&w, (enum deed[]){RESET, AGAIN, ANSWER}, 3);
    assert_int_equal(call(&w, &a, &err), IA_OK);
    assert_int_equal(w.fake.served, 2);
    ia_client_answer_fini(&a);
    end(&w);
    begin(&w, (enum deed[]){HANG_UP}, 1);
    assert_int_equal(call(&w, &a, &err), IA_E_IO);
    assert_int_equal(err.outcome, IA_OUTCOME_UNKNOWN);
    assert_int_equal(w.fake.served, 1);
    ia_client_answer_fini(&a);
    end(&w);
}

static void a_daemon_that_does_not_answer_is_not_waited_for_for_ever(void **state)
{
    (void)state;
    struct world w;
    struct ia_client_answer a;
    struct ia_err err;
    begin(&w, NULL, 0); /* it listens, and accepts nobody */
    struct ia_client_request q = {.method = "GET", .path = "/daemon", .deadline_ms = 10};
    assert_int_equal(ia_client_call(w.client, &q, &a, &err), IA_E_TIMEOUT);
    assert_int_equal(err.outcome, IA_OUTCOME_UNKNOWN);
    ia_client_answer_fini(&a);
    end(&w);
}

static void a_file_in_the_answer_is_written_where_it_was_asked_for(void **state)
{
    (void)state;
    struct world w;
    struct ia_client_answer a;
    struct ia_err err;
    struct ia_buf file = IA_BUF(64);
    begin(&w, (enum deed[]){FILE_ANSWER}, 1);
    assert_int_equal(call(&w, &a, &err), IA_OK);
    assert_string_equal(ia_buf_cstr(&a.body), "kept\n");
    char *path = ia_path_join(w.home, "out.png");
    assert_int_equal(ia_file_read(path, &file, &err), IA_OK);
    assert_string_equal(ia_buf_cstr(&file), "\x89PNG");
    free(path);
    ia_buf_fini(&file);
    ia_client_answer_fini(&a);
    end(&w);
}

static void without_a_daemon_that_may_be_started_it_says_so(void **state)
{
    (void)state;
    char *home = tmpdir_new();
    struct ia_err err;
    struct ia_client *c = ia_client_new(&(struct ia_client_opts){.home = home}, &err);
    struct ia_client_answer a;
    struct ia_client_request q = {.method = "GET", .path = "/daemon"};
    assert_int_equal(ia_client_call(c, &q, &a, &err), IA_E_NOT_FOUND);
    free(tmpdir_file(home, "daemon.sock", "not a socket"));
    assert_int_equal(ia_client_call(c, &q, &a, &err), IA_E_NOT_FOUND);
    assert_non_null(strstr(err.msg, home));
    ia_client_answer_fini(&a);
    ia_client_free(c);
    tmpdir_free(home);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_answer_is_read_however_it_is_cut),
        cmocka_unit_test(a_hostile_answer_is_refused_or_never_complete),
        cmocka_unit_test(chunks_are_taken_off_however_they_arrive),
        cmocka_unit_test(hostile_chunks_are_refused),
        cmocka_unit_test(of_two_builds_always_the_same_one_is_newer),
        cmocka_unit_test(the_socket_of_a_short_home_is_in_it),
        cmocka_unit_test(the_socket_of_a_long_home_is_in_a_closed_folder_of_ours),
        cmocka_unit_test(the_lock_says_who_holds_it_and_where_it_listens),
        cmocka_unit_test(arguments_travel_as_json_of_their_kinds),
        cmocka_unit_test(a_request_says_who_asks_and_from_where),
        cmocka_unit_test(a_command_says_how_its_environment_opens_a_device),
        cmocka_unit_test(what_was_not_read_is_sent_again_and_what_was_is_not),
        cmocka_unit_test(a_daemon_that_does_not_answer_is_not_waited_for_for_ever),
        cmocka_unit_test(a_file_in_the_answer_is_written_where_it_was_asked_for),
        cmocka_unit_test(without_a_daemon_that_may_be_started_it_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
