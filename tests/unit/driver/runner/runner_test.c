/* The parts of the runner that need no tool: ports, state files, last lines, causes, the
 * project of recipe B, and who answers at a port. */
#include "openstep.h"
#include "tmpdir.h"

#include "core/core.h"
#include "driver/runner/impl.h"

#include <jansson.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#define UDID "0A1B2C3D-0000-4000-8000-00000000000F"

static const struct ia_deadline forever = {NULL, IA_NO_DEADLINE};

/* ---- ports ------------------------------------------------------------------------------- */

static void a_port_belongs_to_its_udid_in_either_case(void **state)
{
    (void)state;
    static bool seen[IA_RUNNER_PORT_COUNT];
    int different = 0;
    assert_int_equal(ia_runner_port_of("0a1b2c3d-f"), ia_runner_port_of("0A1B2C3D-F"));
    for (int i = 0; i < 200; i++) {
        char udid[64];
        (void)snprintf(udid, sizeof(udid), "%08X-0000-4000-8000-%012X", i * 7919, i);
        int offset = ia_runner_port_of(udid) - IA_RUNNER_PORT_FIRST;
        assert_in_range(offset, 0, IA_RUNNER_PORT_COUNT - 1);
        different += seen[offset] ? 0 : 1;
        seen[offset] = true;
    }
    assert_true(different > 150);
}

/* ---- state files ------------------------------------------------------------------------- */

static struct ia_runner sample(void)
{
    return (struct ia_runner){.udid = UDID,
                              .name = "iPhone \"17\"",
                              .os = "iOS 26.2",
                              .key = "0123456789abcdef",
                              .way = IA_RUNNER_BY_XCODEBUILD,
                              .phase = IA_RUNNER_READY,
                              .port = 18200,
                              .token = "secret",
                              .pid = 4711,
                              .pid_token = "x-1",
                              .started_ms = 1234567890123,
                              .skip_quiescence = true,
                              .note = "by simctl: no"};
}

static char *new_home(struct ia_runner_opts *opts)
{
    char *home = tmpdir_new();
    char *runners = ia_path_join(home, "bridge/runners");
    assert_int_equal(ia_mkdirs(runners, NULL), IA_OK);
    free(runners);
    *opts = (struct ia_runner_opts){.home = home};
    return home;
}

static void what_is_saved_is_loaded(void **state)
{
    (void)state;
    struct ia_runner_opts opts;
    struct ia_runner in = sample();
    struct ia_runner out;
    struct ia_err err = {0};
    char *home = new_home(&opts);
    assert_int_equal(ia_runner_load(&opts, UDID, &out, &err), IA_E_NOT_FOUND);
    assert_int_equal(ia_runner_save(&opts, &in, &err), IA_OK);
    memset(&out, 0xff, sizeof(out));
    assert_int_equal(ia_runner_load(&opts, UDID, &out, &err), IA_OK);
    assert_string_equal(out.name, in.name);
    assert_string_equal(out.token, in.token);
    assert_string_equal(out.note, in.note);
    assert_string_equal(out.pid_token, in.pid_token);
    assert_int_equal(out.way, in.way);
    assert_int_equal(out.phase, in.phase);
    assert_int_equal(out.port, in.port);
    assert_int_equal(out.pid, in.pid);
    assert_int_equal(out.started_ms, in.started_ms);
    assert_true(out.skip_quiescence);
    assert_false(out.adopted);
    ia_runner_forget(&opts, UDID);
    assert_int_equal(ia_runner_load(&opts, UDID, &out, &err), IA_E_NOT_FOUND);
    tmpdir_free(home);
}

static void a_state_file_that_others_can_read_or_that_is_damaged_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        "{",
        "[]",
        "{\"udid\":\"" UDID "\"}",
        "{\"udid\":\"B\",\"name\":\"\",\"os\":\"\",\"key\":\"k\",\"way\":\"simctl\",\"phase\":"
        "\"ready\",\"port\":1,\"token\":\"t\",\"pid\":1,\"pid_token\":\"\",\"note\":\"\"}",
        "{\"udid\":\"" UDID
        "\",\"name\":\"\",\"os\":\"\",\"key\":\"k\",\"way\":\"magic\",\"phase\":"
        "\"ready\",\"port\":1,\"token\":\"t\",\"pid\":1,\"pid_token\":\"\",\"note\":\"\"}",
        "{\"udid\":\"" UDID
        "\",\"name\":\"\",\"os\":\"\",\"key\":\"k\",\"way\":\"simctl\",\"phase\":"
        "\"ready\",\"port\":70000,\"token\":\"t\",\"pid\":1,\"pid_token\":\"\",\"note\":\"\"}",
        "{\"udid\":\"" UDID
        "\",\"name\":\"\",\"os\":\"\",\"key\":\"0123456789abcdef0\",\"way\":"
        "\"simctl\",\"phase\":\"ready\",\"port\":1,\"token\":\"t\",\"pid\":1,\"pid_token\":"
        "\"\","
        "\"note\":\"\"}"};
    struct ia_runner_opts opts;
    struct ia_runner r = sample();
    struct ia_err err = {0};
    char *home = new_home(&opts);
    char *path = ia_runner_path(&opts, "runners/%s.json", UDID);
    for (size_t i = 0; i < IA_COUNTOF(texts); i++) {
        assert_int_equal(ia_file_write_atomic(path, texts[i], strlen(texts[i]), 0600, NULL),
                         IA_OK);
        assert_int_equal(ia_runner_load(&opts, UDID, &r, &err), IA_E_STATE);
    }
    assert_int_equal(ia_runner_save(&opts, &r, &err), IA_OK);
    assert_int_equal(chmod(path, 0640), 0);
    assert_int_equal(ia_runner_load(&opts, UDID, &r, &err), IA_E_STATE);
    free(path);
    tmpdir_free(home);
}

static void a_udid_that_leads_out_of_the_folder_is_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"", "..", "../x", "a/b", "-x", "a b", "a.json"};
    struct ia_runner_opts opts = {.home = "/nowhere"};
    struct ia_runner r;
    bool was = false;
    for (size_t i = 0; i < IA_COUNTOF(bad); i++) {
        assert_int_equal(ia_runner_load(&opts, bad[i], &r, NULL), IA_E_USAGE);
        assert_int_equal(ia_runner_stop(&opts, &forever, bad[i], &was, NULL), IA_E_USAGE);
    }
}

/* ---- what was written -------------------------------------------------------------------- */

static void the_last_lines_are_joined_and_empty_ones_left_out(void **state)
{
    (void)state;
    char text[64];
    ia_runner_last_lines(ia_str("one\n\n  two \nthree\r\n\n"), 2, text, sizeof(text));
    assert_string_equal(text, "two | three");
    ia_runner_last_lines(ia_str(""), 2, text, sizeof(text));
    assert_string_equal(text, "");
    ia_runner_last_lines(ia_str("only"), 9, text, sizeof(text));
    assert_string_equal(text, "only");
}

static void the_log_gives_its_last_lines_without_the_token(void **state)
{
    (void)state;
    struct ia_runner_opts opts;
    struct ia_runner r = sample();
    struct ia_buf out = IA_BUF(4096);
    char *home = new_home(&opts);
    char *runners = ia_runner_path(&opts, "runners");
    assert_int_equal(ia_runner_log(&opts, UDID, 2, &out, NULL), IA_E_NOT_FOUND);
    assert_int_equal(ia_runner_save(&opts, &r, NULL), IA_OK);
    free(tmpdir_file(runners, UDID ".log", "one\ntwo\nmy secret\n"));
    free(tmpdir_file(runners, UDID ".err", "four\n"));
    assert_int_equal(ia_runner_log(&opts, UDID, 2, &out, NULL), IA_OK);
    assert_string_equal(ia_buf_cstr(&out), "my ******\nfour\n");
    ia_buf_reset(&out);
    assert_int_equal(ia_runner_log(&opts, UDID, 0, &out, NULL), IA_OK);
    assert_string_equal(ia_buf_cstr(&out), "one\ntwo\nmy ******\nfour\n");
    ia_buf_fini(&out);
    free(runners);
    tmpdir_free(home);
}

static void a_failure_that_nobody_knows_shows_how_it_ended_and_what_it_wrote(void **state)
{
    (void)state;
    enum ia_runner_cause cause;
    struct ia_err err = {0};
    struct ia_runner_end end = {"the runner", -1, 0, {NULL, 0}};
    assert_int_equal(ia_runner_explain(&end, &cause, &err), IA_E_DEVICE);
    assert_string_equal(err.msg, "the runner is gone without any output");
    end = (struct ia_runner_end){"the runner", -1, 11, ia_str("a\nb\n")};
    assert_int_equal(ia_runner_explain(&end, &cause, &err), IA_E_DEVICE);
    assert_string_equal(err.msg, "the runner was killed by signal 11: a | b");
    assert_non_null(strstr(err.hint, "bridge logs"));
    assert_int_equal(cause, IA_RUNNER_CAUSE_OTHER);
}

/* ---- recipe B ---------------------------------------------------------------------------- */

static const char *text_of(const json_t *o, const char *key)
{
    const char *text = json_string_value(json_object_get(o, key));
    return text ? text : "";
}

/* Every id that an object names is one of the objects. */
static void check_references(const json_t *objects, const json_t *value)
{
    size_t i = 0;
    const json_t *one = NULL;
    const char *key = NULL;
    if (json_is_object(value)) {
        json_object_foreach((json_t *)value, key, one)
        {
            check_references(objects, one);
        }
    } else if (json_is_array(value)) {
        json_array_foreach(value, i, one)
        {
            check_references(objects, one);
        }
    } else {
        const char *text = json_string_value(value);
        if (strlen(text) == 24 && strspn(text, "0123456789ABCDEF") == 24) {
            assert_non_null(json_object_get(objects, text));
        }
    }
}

static size_t count_of(const json_t *objects, const char *isa)
{
    size_t n = 0;
    const char *id = NULL;
    const json_t *o = NULL;
    json_object_foreach((json_t *)objects, id, o)
    {
        n += strcmp(text_of(o, "isa"), isa) == 0;
    }
    return n;
}

static void the_project_names_every_source_once_and_every_id_is_there(void **state)
{
    (void)state;
    char *dir = tmpdir_new();
    char *path = ia_path_join(dir, "project.pbxproj");
    const struct ia_embedded *sources =
        ia_runner_sources(&(struct ia_runner_opts){.home = dir});
    struct ia_runner_build build = {.key = "0123456789abcdef"};
    struct ia_buf text = IA_BUF(1 << 20);
    struct ia_err err = {0};
    json_t *root = NULL;
    size_t units = 0;
    for (const struct ia_embedded *s = sources; s->name; s++) {
        units += ia_runner_is_unit(s->name);
    }
    assert_true(units > 10);
    assert_int_equal(ia_runner_project(sources, path, &build, &err), IA_OK);
    assert_int_equal(ia_file_read(path, &text, &err), IA_OK);
    assert_int_equal(ia_openstep_parse(ia_buf_str(&text), &root, &err), IA_OK);
    const json_t *objects = json_object_get(root, "objects");
    check_references(objects, root);
    assert_non_null(json_object_get(objects, text_of(root, "rootObject")));
    assert_int_equal(count_of(objects, "PBXBuildFile"), units);
    assert_int_equal(count_of(objects, "PBXNativeTarget"), 1);
    assert_non_null(
        strstr(ia_buf_cstr(&text), "IA_VERSION=\\\\\\\"0.2.0+0123456789abcdef\\\\\\\""));
    json_decref(root);
    ia_buf_fini(&text);
    free(path);
    tmpdir_free(dir);
}

static void a_template_with_a_mark_that_nobody_fills_is_a_mistake(void **state)
{
    (void)state;
    static const struct ia_embedded table[] = {{"t", "a @NAME@ b@c @OTHER@", 20}, {0}};
    const char *const pairs[] = {"NAME", "x", NULL};
    const char *const both[] = {"NAME", "x", "OTHER", "y", NULL};
    char *dir = tmpdir_new();
    char *path = ia_path_join(dir, "out");
    struct ia_buf text = IA_BUF(100);
    struct ia_err err = {0};
    assert_int_equal(ia_runner_fill_template(table, "t", pairs, path, &err), IA_E_INTERNAL);
    assert_int_equal(ia_runner_fill_template(table, "none", pairs, path, &err), IA_E_INTERNAL);
    assert_int_equal(ia_runner_fill_template(table, "t", both, path, &err), IA_OK);
    assert_int_equal(ia_file_read(path, &text, &err), IA_OK);
    assert_string_equal(ia_buf_cstr(&text), "a x b@c y");
    ia_buf_fini(&text);
    free(path);
    tmpdir_free(dir);
}

static void the_key_depends_on_every_byte_xcode_and_architecture(void **state)
{
    (void)state;
    const struct ia_embedded one[] = {{"a", "x", 1}, {"b", "y", 1}, {0}};
    const struct ia_embedded two[] = {{"a", "x", 1}, {"b", "z", 1}, {0}};
    const struct ia_embedded moved[] = {{"a", "xb 1\ny", 6}, {0}};
    struct ia_runner_build b[5] = {{.xcode = "26.2", .arch = "arm64"},
                                   {.xcode = "26.2", .arch = "arm64"},
                                   {.xcode = "26.3", .arch = "arm64"},
                                   {.xcode = "26.2", .arch = "x86_64"},
                                   {.xcode = "26.2", .arch = "arm64"}};
    assert_int_equal(ia_runner_key(one, &b[0], NULL), IA_OK);
    assert_int_equal(ia_runner_key(two, &b[1], NULL), IA_OK);
    assert_int_equal(ia_runner_key(one, &b[2], NULL), IA_OK);
    assert_int_equal(ia_runner_key(one, &b[3], NULL), IA_OK);
    assert_int_equal(ia_runner_key(moved, &b[4], NULL), IA_OK);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(strlen(b[i].key), IA_RUNNER_KEY_SIZE - 1);
        for (int k = 0; k < i; k++) {
            assert_string_not_equal(b[i].key, b[k].key);
        }
    }
}

/* ---- who answers ------------------------------------------------------------------------- */

struct serving {
    struct ia_bridge *bridge;
    pthread_t thread;
    struct ia_runner runner; /* as its state file would be */
};

static void *serve(void *arg)
{
    ia_bridge_run(arg);
    return NULL;
}

static void perform(void *ctx, const struct ia_wire_request *req,
                    const struct ia_bridge_call *deadline, struct ia_wire_reply *reply)
{
    (void)ctx;
    (void)req;
    (void)deadline;
    ia_wire_reply_fail(reply, IA_WIRE_E_UNSUPPORTED, IA_WIRE_NOT_SENT, false, "no");
}

static int begin(void **state)
{
    static struct serving s;
    struct ia_bridge_options opt = {
        .token = "secret", .server = "ios-agent 0.2.0+0123456789abcdef xcuitest", .udid = UDID};
    struct ia_bridge_ops ops = {.perform = perform};
    s.runner = sample();
    *state = &s;
    if (!ia_bridge_open(&opt, &ops, &s.bridge, NULL)) {
        return 1;
    }
    s.runner.port = ia_bridge_port(s.bridge);
    return pthread_create(&s.thread, NULL, serve, s.bridge);
}

static int end(void **state)
{
    struct serving *s = *state;
    ia_bridge_stop(s->bridge);
    (void)pthread_join(s->thread, NULL);
    ia_bridge_close(s->bridge);
    return 0;
}

static enum ia_runner_answer ask(const struct ia_runner *r)
{
    struct ia_runner_probe p;
    struct ia_err err = {0};
    assert_int_equal(ia_runner_probe_port(r, &forever, false, &p, &err), IA_OK);
    assert_null(strstr(p.note, "secret"));
    return p.answer;
}

static void a_runner_is_itself_only_with_token_udid_and_key(void **state)
{
    struct serving *s = *state;
    struct ia_runner r = s->runner;
    assert_int_equal(ask(&r), IA_RUNNER_MATCH);
    (void)snprintf(r.udid, sizeof(r.udid), "0a1b2c3d-0000-4000-8000-00000000000f");
    assert_int_equal(ask(&r), IA_RUNNER_MATCH);
    (void)snprintf(r.key, sizeof(r.key), "0123456789abcdee");
    assert_int_equal(ask(&r), IA_RUNNER_OTHER_BUILD);
    r = s->runner;
    (void)snprintf(r.key, sizeof(r.key), "0123456789abcde");
    assert_int_equal(ask(&r), IA_RUNNER_OTHER_BUILD);
    r = s->runner;
    r.udid[0] = '1';
    assert_int_equal(ask(&r), IA_RUNNER_OTHER_DEVICE);
    r = s->runner;
    (void)snprintf(r.token, sizeof(r.token), "wrong");
    assert_int_equal(ask(&r), IA_RUNNER_UNRELATED);
}

static void asking_to_end_ends_the_server(void **state)
{
    struct serving *s = *state;
    struct ia_runner_probe p;
    struct ia_runner wrong = s->runner;
    (void)snprintf(wrong.token, sizeof(wrong.token), "wrong");
    assert_int_equal(ia_runner_probe_port(&wrong, &forever, true, &p, NULL), IA_OK);
    assert_int_equal(ask(&s->runner), IA_RUNNER_MATCH);
    assert_int_equal(ia_runner_probe_port(&s->runner, &forever, true, &p, NULL), IA_OK);
    assert_int_equal(p.answer, IA_RUNNER_MATCH);
    (void)pthread_join(s->thread, NULL);
    assert_int_equal(pthread_create(&s->thread, NULL, serve, s->bridge), 0);
}

static int listen_raw(uint16_t *ret_port)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof(a);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(fd, (const struct sockaddr *)&a, sizeof(a)), 0);
    assert_int_equal(listen(fd, 4), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&a, &size), 0);
    *ret_port = ntohs(a.sin_port);
    return fd;
}

static void *speak_http(void *arg)
{
    int fd = accept(*(int *)arg, NULL, NULL);
    static const char text[] = "HTTP/1.1 400 Bad Request\r\n\r\n";
    (void)send(fd, text, sizeof(text) - 1, 0);
    char rest[1024];
    while (recv(fd, rest, sizeof(rest), 0) > 0) {
    }
    close(fd);
    return NULL;
}

static void somebody_elses_server_is_no_runner_and_nobody_is_nobody(void **state)
{
    (void)state;
    struct ia_runner r = sample();
    pthread_t thread;
    int fd = listen_raw(&r.port);
    assert_false(ia_runner_port_free(r.port));
    assert_int_equal(pthread_create(&thread, NULL, speak_http, &fd), 0);
    enum ia_runner_answer answer = ask(&r);
    assert_true(answer == IA_RUNNER_UNRELATED || answer == IA_RUNNER_NO_ANSWER);
    (void)pthread_join(thread, NULL);
    close(fd);
    assert_int_equal(ask(&r), IA_RUNNER_NO_LISTENER);
    assert_true(ia_runner_port_free(r.port));
}

static void a_call_that_has_ended_differs_from_a_silent_runner(void **state)
{
    (void)state;
    struct ia_runner r = sample();
    struct ia_runner_probe p;
    struct ia_cancel *cancel = ia_cancel_new(NULL);
    int fd = listen_raw(&r.port);
    assert_int_equal(ask(&r), IA_RUNNER_NO_ANSWER);
    ia_cancel_fire(cancel);
    struct ia_deadline deadline = {cancel, IA_NO_DEADLINE};
    assert_int_equal(ia_runner_probe_port(&r, &deadline, false, &p, NULL), IA_E_CANCELLED);
    deadline = (struct ia_deadline){NULL, ia_mono_us(ia_clock_system()) - 1};
    assert_int_equal(ia_runner_probe_port(&r, &deadline, false, &p, NULL), IA_E_TIMEOUT);
    ia_cancel_free(cancel);
    close(fd);
}

/* A runner must not be taken for dead, and its state file cleared, for want of a descriptor. */
static void who_cannot_ask_does_not_say_that_nobody_listens(void **state)
{
    (void)state;
    struct ia_runner r = sample();
    struct ia_runner_probe p;
    struct ia_err err = {0};
    struct rlimit limit, none;
    int fd = listen_raw(&r.port);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    none = (struct rlimit){(rlim_t)fd + 1, limit.rlim_max};
    int spare[8]; /* whatever is free below */
    size_t n = 0;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    while (n < IA_COUNTOF(spare) && (spare[n] = dup(0)) >= 0) {
        n++;
    }
    enum ia_rc rc = ia_runner_probe_port(&r, &forever, false, &p, &err);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    while (n > 0) {
        close(spare[--n]);
    }
    close(fd);
    assert_int_equal(rc, IA_E_IO);
    assert_non_null(strstr(err.msg, "cannot connect to port"));
}

static void status_and_stop_work_without_a_deadline(void **state)
{
    struct serving *s = *state;
    struct ia_runner_opts opts;
    struct ia_runner_status status;
    struct ia_err err = {0};
    struct ia_runner r = s->runner;
    bool was = true;
    char *home = new_home(&opts);
    r.pid = 0;
    assert_int_equal(ia_runner_save(&opts, &r, &err), IA_OK);
    assert_int_equal(ia_runner_get_status(&opts, NULL, UDID, &status, &err), IA_OK);
    assert_int_equal(status.health, IA_RUNNER_LIVE);
    close(listen_raw(&r.port));
    assert_int_equal(ia_runner_save(&opts, &r, &err), IA_OK);
    assert_int_equal(ia_runner_stop(&opts, NULL, UDID, &was, &err), IA_OK);
    assert_false(was);
    assert_int_equal(ia_runner_load(&opts, UDID, &r, &err), IA_E_NOT_FOUND);
    tmpdir_free(home);
}

/* ---- files ------------------------------------------------------------------------------- */

static void a_tree_is_copied_with_modes_and_links_added_up_and_removed(void **state)
{
    (void)state;
    char *dir = tmpdir_new();
    char *from = ia_path_join(dir, "from");
    char *to = ia_path_join(dir, "to");
    char *deep = ia_path_join(from, "a/b");
    char *link = ia_path_join(from, "link");
    struct ia_runner_sum sum = {0, 0};
    struct ia_err err = {0};
    struct stat st;
    assert_int_equal(ia_mkdirs(deep, NULL), IA_OK);
    char *file = tmpdir_file(deep, "tool", "12345");
    assert_int_equal(chmod(file, 0555), 0);
    assert_int_equal(symlink("a/b/tool", link), 0);
    assert_int_equal(ia_runner_copy(from, to, &err), IA_OK);
    assert_int_not_equal(ia_runner_copy(from, to, &err), IA_OK);
    ia_runner_add_up(to, &sum);
    assert_int_equal(sum.files, 1);
    assert_int_equal(sum.bytes, 5);
    char *copy = ia_path_join(to, "link");
    assert_int_equal(stat(copy, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0755);
    ia_runner_remove(to);
    assert_false(ia_runner_exists(to));
    assert_true(ia_runner_exists(file));
    free(copy);
    free(file);
    free(link);
    free(deep);
    free(to);
    free(from);
    tmpdir_free(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_port_belongs_to_its_udid_in_either_case),
        cmocka_unit_test(what_is_saved_is_loaded),
        cmocka_unit_test(a_state_file_that_others_can_read_or_that_is_damaged_is_refused),
        cmocka_unit_test(a_udid_that_leads_out_of_the_folder_is_refused),
        cmocka_unit_test(the_last_lines_are_joined_and_empty_ones_left_out),
        cmocka_unit_test(the_log_gives_its_last_lines_without_the_token),
        cmocka_unit_test(a_failure_that_nobody_knows_shows_how_it_ended_and_what_it_wrote),
        cmocka_unit_test(the_project_names_every_source_once_and_every_id_is_there),
        cmocka_unit_test(a_template_with_a_mark_that_nobody_fills_is_a_mistake),
        cmocka_unit_test(the_key_depends_on_every_byte_xcode_and_architecture),
        cmocka_unit_test_setup_teardown(a_runner_is_itself_only_with_token_udid_and_key, begin,
                                        end),
        cmocka_unit_test_setup_teardown(asking_to_end_ends_the_server, begin, end),
        cmocka_unit_test_setup_teardown(status_and_stop_work_without_a_deadline, begin, end),
        cmocka_unit_test(somebody_elses_server_is_no_runner_and_nobody_is_nobody),
        cmocka_unit_test(a_call_that_has_ended_differs_from_a_silent_runner),
        cmocka_unit_test(who_cannot_ask_does_not_say_that_nobody_listens),
        cmocka_unit_test(a_tree_is_copied_with_modes_and_links_added_up_and_removed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
