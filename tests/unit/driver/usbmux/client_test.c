/* The client against a usbmuxd of these tests, whose answers are cut, slow or wrong at will. The one that
 * speaks the whole protocol, for other people's clients too, is tests/tools/fake_usbmuxd.py. */
#include "test.h"
#include "tmpdir.h"

#include "base/clock.h"
#include "driver/usbmux/usbmux.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

#define UDID "00008110-000A1B2C3D4E5F60"
#define PLIST(body) "<plist version=\"1.0\"><dict>" body "</dict></plist>"
#define RESULT(n)                                                                              \
    PLIST("<key>MessageType</key><string>Result</string><key>Number</key><integer>" #n         \
          "</integer>")
#define LIST                                                                                   \
    PLIST("<key>DeviceList</key><array><dict><key>DeviceID</key><integer>4</"                  \
          "integer><key>Properties</key>"                                                      \
          "<dict><key>SerialNumber</key><string>" UDID                                         \
          "</string><key>ConnectionType</key><string>USB"                                      \
          "</string></dict></dict></array>")
#define RECORD PLIST("<key>PairRecordData</key><data>AQID</data>")

enum { FRAME_MAX = 4096 };

/* What it does to its n-th answer of each connection; a test changes it between connections. */
struct daemon {
    const char *answers[2]; /* of a connection, in order */
    atomic_int wrong;       /* which of them is cut, or has another header */
    atomic_int cut_at;      /* bytes of it that are sent; -1: all */
    atomic_int word;        /* 0 to 3: this word of its header is `value`; -1: none */
    _Atomic uint32_t value;
    bool hang;        /* after a cut the connection stays open */
    bool drop_bytes;  /* each byte alone */
    const char *then; /* sent behind the last answer, as the device's */
    int listener;
    char *folder, *path;
    atomic_int requests;
    atomic_bool stopping;
    pthread_t thread;
};

static bool read_all(int fd, void *to, size_t n)
{
    return ia_read_full(fd, to, n) == (ssize_t)n;
}

static void put32(uint8_t *p, uint32_t v)
{
    for (int i = 0; i < 4; i++) {
        p[i] = (uint8_t)(v >> (8 * i));
    }
}

static uint32_t get32(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static void send_bytes(const struct daemon *d, int fd, const uint8_t *p, size_t n)
{
    size_t step = d->drop_bytes ? 1 : n;
    for (size_t at = 0; at < n; at += step) {
        (void)send(fd, p + at, step, 0);
    }
}

/* False: the connection ends. */
static bool answer(struct daemon *d, int fd, int no)
{
    uint8_t header[16], body[FRAME_MAX], out[FRAME_MAX];
    if (!read_all(fd, header, sizeof(header)) || get32(header) > FRAME_MAX ||
        !read_all(fd, body, get32(header) - 16)) {
        return false;
    }
    atomic_fetch_add(&d->requests, 1);
    size_t n = 16 + strlen(d->answers[no]);
    put32(out, (uint32_t)n);
    put32(out + 4, 1);
    put32(out + 8, 8);
    put32(out + 12, get32(header + 12));
    memcpy(out + 16, d->answers[no], n - 16);
    if (no == d->wrong && d->word >= 0) {
        put32(out + 4 * d->word, d->value);
    }
    bool cut = no == d->wrong && d->cut_at >= 0;
    send_bytes(d, fd, out, cut ? (size_t)d->cut_at : n);
    if (cut && d->hang) {
        (void)read_all(fd, header, 1);
    }
    return !cut;
}

static void *serve(void *ctx)
{
    struct daemon *d = ctx;
    int fd;
    while ((fd = accept(d->listener, NULL, NULL)) >= 0 && !atomic_load(&d->stopping)) {
        int no = 0;
        while (no < 2 && d->answers[no] && answer(d, fd, no)) {
            no++;
        }
        if (d->then && no == 2) {
            (void)send(fd, d->then, strlen(d->then), 0);
        }
        close(fd);
    }
    close(fd);
    return NULL;
}

static void start(struct daemon *d)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    char address[256];
    d->folder = tmpdir_new();
    d->path = ia_path_join(d->folder, "usbmuxd");
    (void)snprintf(at.sun_path, sizeof(at.sun_path), "%s", d->path);
    d->listener = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(d->listener, (struct sockaddr *)&at, sizeof(at)), 0);
    assert_int_equal(listen(d->listener, 8), 0);
    (void)snprintf(address, sizeof(address), "UNIX:%s", d->path);
    setenv("USBMUXD_SOCKET_ADDRESS", address, 1);
    assert_int_equal(pthread_create(&d->thread, NULL, serve, d), 0);
}

static void stop(struct daemon *d)
{
    struct ia_limit limit = {NULL, IA_NO_DEADLINE};
    int fd = -1;
    atomic_store(&d->stopping, true);
    assert_int_equal(ia_stream_dial_unix(d->path, &limit, &fd, NULL), IA_OK); /* wakes it */
    pthread_join(d->thread, NULL);
    close(fd);
    close(d->listener);
    free(d->path);
    tmpdir_free(d->folder);
}

/* One call that needs the two answers in order. */
static enum ia_rc connect_it(const struct ia_deadline *deadline, struct ia_err *err)
{
    int fd = -1;
    enum ia_rc rc = ia_usbmux_connect(UDID, 8100, deadline, &fd, err);
    assert_int_equal(rc == IA_OK, fd >= 0);
    if (fd >= 0) {
        close(fd);
    }
    return rc;
}

static struct ia_deadline within(int ms)
{
    return (struct ia_deadline){NULL, ia_mono_us(ia_clock_system()) + (int64_t)ms * 1000};
}

static void the_device_is_listed_and_what_follows_connect_is_the_devices(void **state)
{
    (void)state;
    struct daemon d = {.answers = {LIST, RESULT(0)}, .wrong = -1, .word = -1, .then = "hello"};
    struct ia_err err = {.code = IA_OK};
    struct ia_limit limit = {NULL, IA_NO_DEADLINE};
    char got[5];
    size_t n;
    int fd = -1;
    start(&d);
    assert_int_equal(ia_usbmux_connect(UDID, 8100, NULL, &fd, &err), IA_OK);
    assert_int_equal(ia_stream_recv(fd, &limit, got, sizeof(got), &n, &err), IA_OK);
    assert_memory_equal(got, "hello", 5);
    close(fd);
    stop(&d);
}

static void an_answer_that_comes_byte_by_byte_is_read(void **state)
{
    (void)state;
    struct daemon d = {
        .answers = {LIST, RESULT(0)}, .wrong = -1, .word = -1, .drop_bytes = true};
    struct ia_err err = {.code = IA_OK};
    start(&d);
    assert_int_equal(connect_it(NULL, &err), IA_OK);
    stop(&d);
}

/* Every answer, cut behind each of its bytes. */
static void an_answer_that_is_cut_is_an_error_wherever_that_is(void **state)
{
    (void)state;
    struct daemon d = {.answers = {LIST, RESULT(0)}, .word = -1};
    start(&d);
    for (d.wrong = 0; d.wrong < 2; d.wrong++) {
        int size = 16 + (int)strlen(d.answers[d.wrong]);
        for (d.cut_at = 0; d.cut_at < size; d.cut_at++) {
            struct ia_err err = {.code = IA_OK};
            assert_int_equal(connect_it(NULL, &err), IA_E_IO);
            assert_non_null(strstr(err.msg, d.wrong == 0 ? "ListDevices" : "Connect"));
            assert_non_null(strstr(err.msg, "closed the connection"));
        }
    }
    stop(&d);
}

static void a_header_that_is_wrong_is_an_error_in_every_answer(void **state)
{
    (void)state;
    static const struct {
        int word;
        uint32_t value;
    } rows[] = {{0, 0}, {0, 16}, {0, 15}, {0, (1 << 20) + 1}, {0, UINT32_MAX}, {1, 0}, {1, 2},
                {2, 1}, {2, 0},  {3, 99}};
    struct daemon d = {.answers = {LIST, RESULT(0)}, .cut_at = -1};
    start(&d);
    for (d.wrong = 0; d.wrong < 2; d.wrong++) {
        for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
            struct ia_err err = {.code = IA_OK};
            d.word = rows[i].word;
            d.value = rows[i].value;
            assert_int_equal(connect_it(NULL, &err), IA_E_PROTO);
            assert_non_null(strstr(err.msg, d.wrong == 0 ? "ListDevices" : "Connect"));
        }
    }
    stop(&d);
}

static void the_daemons_refusals_have_their_own_errors(void **state)
{
    (void)state;
    static const struct {
        const char *list, *answer;
        enum ia_rc rc;
        const char *says;
    } rows[] = {
        {LIST, RESULT(3), IA_E_NO_DEVICE, "nothing listens on port 8100"},
        {LIST, RESULT(2), IA_E_NO_DEVICE, "unplugged"},
        {LIST, RESULT(1), IA_E_PROTO, "result 1"},
        {LIST, RESULT(6), IA_E_PROTO, "another version"},
        {LIST, LIST, IA_E_PROTO, "refuses to connect"},
        {LIST, "<html/>", IA_E_PROTO, "no property list"},
        {RESULT(6), RESULT(0), IA_E_PROTO, "without a list"},
        {"garbage", RESULT(0), IA_E_PROTO, "no property list"},
        {PLIST("<key>DeviceList</key><array/>"), RESULT(0), IA_E_NO_DEVICE, "is plugged in"},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct daemon d = {.answers = {rows[i].list, rows[i].answer}, .wrong = -1, .word = -1};
        struct ia_err err = {.code = IA_OK};
        start(&d);
        assert_int_equal(connect_it(NULL, &err), rows[i].rc);
        assert_non_null(strstr(err.msg, rows[i].says));
        assert_true(rows[i].rc != IA_E_NO_DEVICE || err.hint[0] != '\0');
        stop(&d);
    }
}

static void a_daemon_that_stops_answering_is_given_up_at_the_deadline(void **state)
{
    (void)state;
    struct daemon d = {.answers = {LIST, RESULT(0)}, .word = -1, .hang = true};
    static const int cuts[] = {0, 7, 16, 40};
    start(&d);
    for (d.wrong = 0; d.wrong < 2; d.wrong++) {
        for (size_t i = 0; i < IA_COUNTOF(cuts); i++) {
            struct ia_err err = {.code = IA_OK};
            struct ia_deadline soon = within(30);
            d.cut_at = cuts[i];
            assert_int_equal(connect_it(&soon, &err), IA_E_TIMEOUT);
        }
    }
    stop(&d);
}

static void *fire(void *ctx)
{
    struct daemon *d = ((void **)ctx)[0];
    while (atomic_load(&d->requests) == 0) {
        (void)ia_clock_wait(ia_clock_system(), NULL, ia_mono_us(ia_clock_system()) + 1000);
    }
    ia_cancel_fire(((void **)ctx)[1]);
    return NULL;
}

static void a_token_ends_the_wait_at_once(void **state)
{
    (void)state;
    struct daemon d = {.answers = {LIST, RESULT(0)}, .wrong = 0, .word = -1, .hang = true};
    struct ia_err err = {.code = IA_OK};
    struct ia_cancel *cancel = ia_cancel_new(&err);
    struct ia_deadline deadline = {cancel, IA_NO_DEADLINE};
    void *both[] = {&d, cancel};
    pthread_t thread;
    start(&d);
    int64_t before_us = ia_mono_us(ia_clock_system());
    assert_int_equal(pthread_create(&thread, NULL, fire, both), 0);
    assert_int_equal(connect_it(&deadline, &err), IA_E_CANCELLED);
    assert_true(ia_mono_us(ia_clock_system()) - before_us <
                4 * 1000000); /* not by its own limit */
    pthread_join(thread, NULL);
    ia_cancel_free(cancel);
    stop(&d);
}

static void a_pair_record_is_there_or_not(void **state)
{
    (void)state;
    static const struct {
        const char *answer;
        enum ia_rc rc;
        bool paired;
    } rows[] = {
        {RECORD, IA_OK, true}, {RESULT(2), IA_OK, false}, {"garbage", IA_E_PROTO, false}};
    struct ia_usbmux_phone phone = {.udid = UDID, .serial = UDID};
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct daemon d = {.answers = {rows[i].answer}, .wrong = -1, .word = -1};
        struct ia_err err;
        bool paired = false;
        start(&d);
        assert_int_equal(ia_usbmux_paired(&phone, NULL, &paired, &err), rows[i].rc);
        assert_int_equal(paired, rows[i].paired);
        stop(&d);
    }
}

static void where_no_daemon_is_that_is_said(void **state)
{
    (void)state;
    static const struct {
        const char *address;
        enum ia_rc rc;
    } rows[] = {
        {"UNIX:/nowhere/usbmuxd", IA_E_MISSING},
        {"127.0.0.1:1", IA_E_MISSING},
        {"[::1]:1", IA_E_MISSING},
        {"localhost:1", IA_E_MISSING},
        {"/var/run/usbmuxd", IA_E_CONFIG},
        {"unix:/x", IA_E_CONFIG},
        {"host.example:1", IA_E_CONFIG},
        {"127.0.0.1", IA_E_CONFIG},
        {"127.0.0.1:", IA_E_CONFIG},
        {"127.0.0.1:0", IA_E_CONFIG},
        {"127.0.0.1:65536", IA_E_CONFIG},
        {"127.0.0.1:80x", IA_E_CONFIG},
        {":80", IA_E_CONFIG},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct ia_err err = {.code = IA_OK};
        struct ia_usbmux_phones all;
        setenv("USBMUXD_SOCKET_ADDRESS", rows[i].address, 1);
        assert_int_equal(ia_usbmux_list(NULL, &all, &err), rows[i].rc);
        assert_string_not_equal(err.hint, "");
    }
    char longer[300] = "UNIX:/";
    memset(longer + 6, 'a', 200);
    longer[206] = '\0';
    setenv("USBMUXD_SOCKET_ADDRESS", longer, 1);
    struct ia_err err = {.code = IA_OK};
    struct ia_usbmux_phones all;
    assert_int_equal(ia_usbmux_list(NULL, &all, &err), IA_E_CONFIG);
}

/* ---- the relay -------------------------------------------------------------------------- */

static void note(void *ctx, const struct ia_err *err)
{
    (void)err;
    atomic_fetch_add((atomic_int *)ctx, 1);
}

static void a_relay_is_a_socket_of_this_user_alone_and_leaves_nothing(void **state)
{
    (void)state;
    struct daemon d = {.answers = {LIST, RESULT(0)}, .wrong = -1, .word = -1, .then = "hello"};
    struct ia_err err = {.code = IA_OK};
    struct ia_limit limit = {NULL, IA_NO_DEADLINE};
    struct ia_usbmux_relay *relay = NULL;
    struct stat st;
    char folder[128], got[6];
    size_t n;
    int fd = -1;
    start(&d);
    struct ia_usbmux_relay_options opt = {.udid = UDID, .port = 8100};
    assert_int_equal(ia_usbmux_relay_open(&opt, &relay, &err), IA_OK);
    assert_int_equal(ia_usbmux_relay_port(relay), 0);
    (void)snprintf(folder, sizeof(folder), "%s", ia_usbmux_relay_path(relay));
    assert_int_equal(stat(folder, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    *strrchr(folder, '/') = '\0';
    assert_int_equal(stat(folder, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0700);
    assert_int_equal(ia_stream_dial_unix(ia_usbmux_relay_path(relay), &limit, &fd, &err),
                     IA_OK);
    assert_int_equal(ia_stream_recv(fd, &limit, got, sizeof(got), &n, &err), IA_E_IO);
    assert_int_equal(n, 5); /* all of it, then the end */
    assert_memory_equal(got, "hello", 5);
    close(fd);
    ia_usbmux_relay_close(relay);
    assert_int_not_equal(stat(folder, &st), 0);
    stop(&d);
}

/* A process that opens a relay and is killed; what is left of it is in `left`. */
static void leave_a_relay(char left[128])
{
    struct ia_usbmux_relay *relay = NULL;
    struct ia_usbmux_relay_options opt = {.udid = UDID, .port = 8100};
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        (void)ia_usbmux_relay_open(&opt, &relay, NULL);
        const char *path = relay ? ia_usbmux_relay_path(relay) : "";
        (void)!write(ends[1], path, strlen(path) + 1);
        (void)kill(getpid(), SIGKILL);
    }
    close(ends[1]);
    ssize_t n = read(ends[0], left, 127);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_true(n > 1 && left[n - 1] == '\0');
    close(ends[0]);
}

static void what_a_killed_relay_leaves_is_removed_by_the_next(void **state)
{
    (void)state;
    struct ia_usbmux_relay *live = NULL, *next = NULL;
    struct ia_usbmux_relay_options opt = {.udid = UDID, .port = 8100};
    char *kept = ia_strdup(getenv("TMPDIR")), *dir = tmpdir_new(), left[128];
    struct stat st;
    setenv("TMPDIR", dir, 1);
    leave_a_relay(left); /* first: it forks */
    assert_int_equal(stat(left, &st), 0);
    char *stranger = tmpdir_file(dir, "ios-agent-relay-999999999-abcdef", "no folder");
    assert_int_equal(ia_usbmux_relay_open(&opt, &live, NULL), IA_OK);
    assert_int_not_equal(stat(left, &st), 0);
    *strrchr(left, '/') = '\0';
    assert_int_not_equal(stat(left, &st), 0);
    assert_int_equal(ia_usbmux_relay_open(&opt, &next, NULL), IA_OK);
    assert_int_equal(stat(ia_usbmux_relay_path(live), &st), 0);
    assert_int_equal(stat(stranger, &st), 0);
    ia_usbmux_relay_close(next);
    ia_usbmux_relay_close(live);
    (void)(kept ? setenv("TMPDIR", kept, 1) : unsetenv("TMPDIR"));
    free(stranger);
    tmpdir_free(dir);
    free(kept);
}

/* More than all sockets between them hold, from a device that closes at once behind it. */
static void who_reads_slowly_still_gets_all_of_it(void **state)
{
    enum { BYTES = 3 << 20, PIECE = 20000, SLOW = 40 };
    (void)state;
    char *sent = ia_alloc(BYTES + 1), got[PIECE];
    for (size_t i = 0; i < BYTES; i++) {
        sent[i] = (char)('a' + (i + i / 26) % 26);
    }
    sent[BYTES] = '\0';
    struct daemon d = {.answers = {LIST, RESULT(0)}, .wrong = -1, .word = -1, .then = sent};
    struct ia_limit limit = {NULL, IA_NO_DEADLINE};
    struct ia_usbmux_relay *relay = NULL;
    size_t n = PIECE, all = 0;
    int fd = -1;
    start(&d);
    struct ia_usbmux_relay_options opt = {.udid = UDID, .port = 8100};
    assert_int_equal(ia_usbmux_relay_open(&opt, &relay, NULL), IA_OK);
    assert_int_equal(ia_stream_dial_unix(ia_usbmux_relay_path(relay), &limit, &fd, NULL),
                     IA_OK);
    for (int i = 0; n == PIECE; i++) {
        if (i < SLOW) {
            (void)ia_clock_wait(ia_clock_system(), NULL, ia_mono_us(ia_clock_system()) + 1000);
        }
        (void)ia_stream_recv(fd, &limit, got, PIECE, &n, NULL);
        assert_true(all + n <= BYTES);
        assert_memory_equal(got, sent + all, n);
        all += n;
    }
    assert_int_equal(all, BYTES);
    close(fd);
    ia_usbmux_relay_close(relay);
    stop(&d);
    free(sent);
}

static void a_connection_that_leads_nowhere_is_closed_and_told(void **state)
{
    (void)state;
    struct daemon d = {.answers = {LIST, RESULT(3)}, .wrong = -1, .word = -1};
    struct ia_err err = {.code = IA_OK};
    struct ia_limit limit = {NULL, IA_NO_DEADLINE};
    struct ia_usbmux_relay *relay = NULL;
    atomic_int told = 0;
    char got;
    size_t n;
    int fd = -1;
    start(&d);
    struct ia_usbmux_relay_options opt = {
        .udid = UDID, .port = 8100, .tcp = true, .problem = note, .ctx = &told};
    assert_int_equal(ia_usbmux_relay_open(&opt, &relay, &err), IA_OK);
    assert_string_equal(ia_usbmux_relay_path(relay), "");
    for (int i = 1; i <= 40; i++) { /* more often than there are places */
        assert_int_equal(ia_stream_dial_tcp("127.0.0.1", (uint16_t)ia_usbmux_relay_port(relay),
                                            &limit, &fd, &err),
                         IA_OK);
        assert_int_equal(ia_stream_recv(fd, &limit, &got, 1, &n, &err), IA_E_IO);
        close(fd);
    }
    ia_usbmux_relay_close(relay);
    assert_int_equal(atomic_load(&told), 40);
    stop(&d);
}

static void closing_a_relay_ends_what_hangs_in_it(void **state)
{
    (void)state;
    struct daemon d = {.answers = {LIST, RESULT(0)}, .wrong = 1, .word = -1, .hang = true};
    struct ia_err err = {.code = IA_OK};
    struct ia_limit limit = {NULL, IA_NO_DEADLINE};
    struct ia_usbmux_relay *relay = NULL;
    int fd = -1;
    start(&d);
    struct ia_usbmux_relay_options opt = {.udid = UDID, .port = 8100};
    assert_int_equal(ia_usbmux_relay_open(&opt, &relay, &err), IA_OK);
    assert_int_equal(ia_stream_dial_unix(ia_usbmux_relay_path(relay), &limit, &fd, &err),
                     IA_OK);
    while (atomic_load(&d.requests) < 2) {
        (void)ia_clock_wait(ia_clock_system(), NULL, ia_mono_us(ia_clock_system()) + 1000);
    }
    int64_t before_us = ia_mono_us(ia_clock_system());
    ia_usbmux_relay_close(relay);
    assert_true(ia_mono_us(ia_clock_system()) - before_us < 4 * 1000000);
    close(fd);
    stop(&d);
}

static void a_relay_without_room_for_its_path_says_so(void **state)
{
    (void)state;
    struct ia_err err = {.code = IA_OK};
    struct ia_usbmux_relay *relay = NULL;
    struct ia_usbmux_relay_options opt = {.udid = UDID, .port = 8100};
    char *kept = ia_strdup(getenv("TMPDIR"));
    char longer[200] = "/tmp/";
    memset(longer + 5, 'a', 150);
    setenv("TMPDIR", longer, 1);
    assert_int_equal(ia_usbmux_relay_open(&opt, &relay, &err), IA_E_USAGE);
    setenv("TMPDIR", "/nowhere", 1);
    assert_int_equal(ia_usbmux_relay_open(&opt, &relay, &err), IA_E_IO);
    if (kept) {
        setenv("TMPDIR", kept, 1);
    } else {
        unsetenv("TMPDIR");
    }
    free(kept);
}

int main(void)
{
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    (void)sigaction(SIGPIPE, &ignore, NULL); /* who was answered may be gone */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_device_is_listed_and_what_follows_connect_is_the_devices),
        cmocka_unit_test(an_answer_that_comes_byte_by_byte_is_read),
        cmocka_unit_test(an_answer_that_is_cut_is_an_error_wherever_that_is),
        cmocka_unit_test(a_header_that_is_wrong_is_an_error_in_every_answer),
        cmocka_unit_test(the_daemons_refusals_have_their_own_errors),
        cmocka_unit_test(a_daemon_that_stops_answering_is_given_up_at_the_deadline),
        cmocka_unit_test(a_token_ends_the_wait_at_once),
        cmocka_unit_test(a_pair_record_is_there_or_not),
        cmocka_unit_test(where_no_daemon_is_that_is_said),
        cmocka_unit_test(a_relay_is_a_socket_of_this_user_alone_and_leaves_nothing),
        cmocka_unit_test(what_a_killed_relay_leaves_is_removed_by_the_next),
        cmocka_unit_test(a_connection_that_leads_nowhere_is_closed_and_told),
        cmocka_unit_test(who_reads_slowly_still_gets_all_of_it),
        cmocka_unit_test(closing_a_relay_ends_what_hangs_in_it),
        cmocka_unit_test(a_relay_without_room_for_its_path_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
