/* The log of operations is the phone: it is replayed, cut at every byte, damaged and locked
 * here. */
#include "phone_fixture.h"

#include "base/fd.h"
#include "driver/embedded/op/oplog.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Something of every kind of operation. */
static void use(struct ia_device *d)
{
    launch(d, CONTACTS);
    tap(d, "add");
    type(d, "Ada\nLove \"\\\xC3\xA9");
    assert_int_equal(d->ops->delete_text(d, &no_limit, 2, NULL), IA_OK);
    tap(d, "cancel");
    assert_int_equal(d->ops->alert(d, &no_limit, IA_ALERT_BUTTON, "Keep Editing", NULL), IA_OK);
    tap(d, "done");
    tap(d, "BackButton");
    drag(d, 150, 700.25, 150, 333.123456789);
    assert_int_equal(d->ops->long_press(d, &no_limit, (struct ia_point){100, 500}, 800, NULL),
                     IA_OK);
    assert_int_equal(d->ops->press(d, &no_limit, IA_BUTTON_HOME, NULL), IA_OK);
    assert_int_equal(d->ops->open_url(d, &no_limit, "prefs:root=General", NULL), IA_OK);
    assert_int_equal(d->ops->terminate(d, &no_limit, CONTACTS, NULL), IA_OK);
    tap(d, "about");
}

static void a_link_with_a_seed_is_another_phone_until_the_next_reset(void **state)
{
    (void)state;
    char *folder = folder_new();
    struct ia_device *d = phone_open(folder, "a");
    assert_int_equal(ia_device_reset(d, &no_limit, NULL), IA_OK);
    assert_true(state_has(d, "555-0111") && state_has(d, "\"brightness\":50"));
    launch(d, CONTACTS);
    assert_int_equal(d->ops->open_url(d, &no_limit, "embedded://?seed=7", NULL), IA_OK);
    assert_true(state_has(d, "\"running\":[]") && state_has(d, "Nora Abbott"));
    assert_false(state_has(d, "555-0111") || state_has(d, "\"brightness\":50") ||
                 state_has(d, "\"Everyday\":\"2345.60\""));
    assert_true(state_has(d, "555-0140")); /* who has written keeps his number */
    char *seven = state_of(d);
    ia_device_close(d);
    d = phone_open(folder, "a");
    char *replayed = state_of(d);
    assert_string_equal(seven, replayed);
    assert_int_equal(d->ops->open_url(d, &no_limit, "embedded://?seed=8", NULL), IA_OK);
    assert_false(state_has(d, "555-0111"));
    assert_int_equal(d->ops->open_url(d, &no_limit, "embedded://?seed=9&faults=none", NULL),
                     IA_OK);
    assert_false(state_has(d, "555-0111"));
    assert_int_equal(ia_device_reset(d, &no_limit, NULL), IA_OK);
    assert_true(state_has(d, "555-0111") && state_has(d, "\"brightness\":50"));
    ia_device_close(d);
    free(seven);
    free(replayed);
    folder_remove(folder);
}

static void a_reset_is_an_operation_that_leaves_a_factory_phone(void **state)
{
    (void)state;
    char *folder = folder_new();
    struct ia_device *d = phone_open(folder, "a"), *new = phone_new();
    char *factory = tree_text(new);
    use(d);
    assert_int_equal(ia_device_reset(d, &no_limit, NULL), IA_OK);
    char *tree = tree_text(d), *oracle = state_of(d);
    assert_string_equal(tree, factory);
    assert_true(state_has(d, "\"running\":[]"));
    assert_false(state_has(d, "Love"));
    ia_device_close(d);
    d = phone_open(folder, "a");
    char *oracle_after = state_of(d);
    assert_string_equal(oracle, oracle_after);
    assert_false(state_has(d, "\"seq\":0"));
    ia_device_close(d);
    ia_device_close(new);
    free(factory);
    free(tree);
    free(oracle);
    free(oracle_after);
    folder_remove(folder);
}

static struct ia_buf log_of(const char *folder)
{
    struct ia_buf b = IA_BUF((size_t)16 << 20);
    assert_int_equal(ia_file_read(file_path(folder, "a.log"), &b, NULL), IA_OK);
    return b;
}

static void write_log(const char *folder, const char *bytes, size_t n)
{
    int fd = open(file_path(folder, "a.log"), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_int_equal(ia_write_all(fd, bytes, n), IA_OK);
    close(fd);
}

static enum ia_rc try_open(const char *folder, struct ia_device **ret, struct ia_err *err)
{
    struct ia_embedded_options opt = {.folder = folder, .name = "a"};
    return ia_embedded_open(&opt, ret, err);
}

static void a_phone_is_found_as_it_was_left(void **state)
{
    (void)state;
    char *folder = folder_new();
    struct ia_device *d = phone_open(folder, "a");
    use(d);
    char *tree = tree_text(d), *oracle = state_of(d);
    ia_device_close(d);
    d = phone_open(folder, "a");
    char *tree_after = tree_text(d), *oracle_after = state_of(d);
    assert_string_equal(tree, tree_after);
    assert_string_equal(oracle, oracle_after);
    ia_device_close(d);
    free(tree);
    free(oracle);
    free(tree_after);
    free(oracle_after);
    folder_remove(folder);
}

static void what_outlasts_a_reset_is_there_when_the_phone_is_opened_again(void **state)
{
    (void)state;
    char *folder = folder_new();
    struct ia_embedded_options opt = {
        .folder = folder, .name = "a", .query = "bugs=shop-total&changes=label:#add=New"};
    struct ia_device *d = NULL;
    assert_int_equal(ia_embedded_open(&opt, &d, NULL), IA_OK);
    for (int i = 0; i < 3; i++) {
        launch(d, CONTACTS);
        assert_int_equal(ia_device_reset(d, &no_limit, NULL), IA_OK);
        if (i == 1) {
            assert_int_equal(
                d->ops->open_url(d, &no_limit, "embedded://?changes=hide:Nora Abbott", NULL),
                IA_OK);
        }
    }
    launch(d, CONTACTS);
    char *tree = tree_text(d), *oracle = state_of(d);
    assert_true(state_has(d, "\"changes\":\"hide:Nora Abbott\""));
    assert_true(state_has(d, "shop-total"));
    ia_device_close(d);
    d = phone_open(folder, "a");
    char *tree_after = tree_text(d), *oracle_after = state_of(d);
    assert_string_equal(tree, tree_after);
    assert_string_equal(oracle, oracle_after);
    ia_device_close(d);
    free(tree);
    free(oracle);
    free(tree_after);
    free(oracle_after);
    folder_remove(folder);
}

static void what_the_last_reset_undid_is_not_done_again(void **state)
{
    (void)state;
    char *folder = folder_new();
    struct ia_device *d = NULL;
    struct ia_err err = {0};
    /* An operation that nobody can do: before the reset it is only counted, after it it is damage. */
#define LOG                                                                                    \
    "{\"phone\":2,\"seed\":\"1\"}\n"                                                           \
    "{\"seq\":1,\"at_ms\":1757410860000,\"op\":\"fly\"}\n"                                     \
    "{\"seq\":2,\"at_ms\":1757410861000,\"op\":\"reset\"}\n"
    write_log(folder, LOG, strlen(LOG));
    assert_int_equal(try_open(folder, &d, &err), IA_OK);
    assert_true(state_has(d, "\"seq\":2"));
    ia_device_close(d);
    static const char more[] = LOG "{\"seq\":3,\"at_ms\":1757410862000,\"op\":\"fly\"}\n";
    write_log(folder, more, strlen(more));
    assert_int_equal(try_open(folder, &d, &err), IA_E_DEVICE);
    assert_non_null(strstr(err.msg, "line 4"));
    folder_remove(folder);
}

static void another_name_is_another_phone(void **state)
{
    (void)state;
    char *folder = folder_new();
    struct ia_device *a = phone_open(folder, "a"), *b = phone_open(folder, "b");
    launch(a, CONTACTS);
    assert_true(state_has(b, "\"seq\":0"));
    ia_device_close(a);
    ia_device_close(b);
    folder_remove(folder);
}

static void a_fresh_phone_forgets_its_log(void **state)
{
    (void)state;
    char *folder = folder_new();
    struct ia_device *d = phone_open(folder, "a");
    use(d);
    ia_device_close(d);
    struct ia_embedded_options opt = {.folder = folder, .name = "a", .fresh = true, .seed = 77};
    assert_int_equal(ia_embedded_open(&opt, &d, NULL), IA_OK);
    assert_true(state_has(d, "\"seq\":0"));
    ia_device_close(d);
    struct ia_buf log = log_of(folder);
    assert_string_equal(log.p, "{\"phone\":2,\"seed\":\"77\"}\n");
    ia_buf_fini(&log);
    folder_remove(folder);
}

static void operations_are_logged_in_a_readable_form(void **state)
{
    (void)state;
    char *folder = folder_new();
    struct ia_device *d = phone_open(folder, "a");
    use(d);
    ia_device_close(d);
    struct ia_buf out = IA_BUF((size_t)1 << 20);
    struct ia_jsonw w;
    ia_jsonw_init(&w, &out);
    struct ia_embedded_options opt = {.folder = folder, .name = "a"};
    assert_int_equal(ia_embedded_log_json(&opt, &w, NULL), IA_OK);
    static const char *const expected[] = {
        "[{\"seq\":1,\"at_ms\":1757410860000,\"op\":\"launch\",\"app\":\"" CONTACTS "\"},",
        "{\"seq\":2,\"at_ms\":1757410861000,\"op\":\"tap\",\"x\":363,\"y\":81},",
        "\"op\":\"type\",\"text\":\"Ada\\nLove \\\"\\\\\xC3\xA9\"},",
        "\"op\":\"delete\",\"count\":2},",
        "\"op\":\"alert\",\"action\":\"button\",\"button\":\"Keep Editing\"},",
        "\"op\":\"drag\",\"x\":150,\"y\":700.25,\"to_x\":150,\"to_y\":333.123456789,"
        "\"duration_ms\":300},",
        "\"op\":\"long_press\",\"x\":100,\"y\":500,\"duration_ms\":800},",
        "\"op\":\"press\",\"button\":\"home\"},",
        "\"op\":\"open_url\",\"url\":\"prefs:root=General\"},",
        "\"op\":\"terminate\",\"app\":\"" CONTACTS "\"},",
    };
    for (size_t i = 0; i < IA_COUNTOF(expected); i++) {
        if (!strstr(ia_buf_cstr(&out), expected[i])) {
            fail_msg("not in the log: %s\n%s", expected[i], ia_buf_cstr(&out));
        }
    }
    ia_buf_fini(&out);
    folder_remove(folder);
}

/* The log cut at any byte is a phone that was killed while writing: everything whole is there,
 * nothing else is, and it goes on from there. */
static void a_log_cut_at_any_byte_is_the_phone_before_that_operation(void **state)
{
    (void)state;
    char *folder = folder_new();
    struct ia_device *d = phone_open(folder, "a");
    use(d);
    ia_device_close(d);
    struct ia_buf log = log_of(folder);
    for (size_t n = 0; n < log.len; n++) {
        write_log(folder, log.p, n);
        long whole = 0;
        for (size_t i = 0; i < n; i++) {
            whole += log.p[i] == '\n';
        }
        char seq[32];
        snprintf(seq, sizeof(seq), "\"seq\":%ld,", whole > 0 ? whole - 1 : 0);
        d = phone_open(folder, "a");
        assert_true(state_has(d, seq));
        launch(d, SETTINGS);
        ia_device_close(d);
        d = phone_open(folder, "a");
        snprintf(seq, sizeof(seq), "\"seq\":%ld,", whole > 0 ? whole : 1);
        assert_true(state_has(d, seq));
        ia_device_close(d);
    }
    ia_buf_fini(&log);
    folder_remove(folder);
}

static void damage_in_the_middle_is_named_with_file_and_line(void **state)
{
    (void)state;
    static const char header[] = "{\"phone\":2,\"seed\":\"1\"}\n";
    static const struct {
        const char *body;
        const char *line;
    } rows[] = {
        {"junk\n", "line 2"},
        {"{}\n", "line 2"},
        {"[]\n", "line 2"},
        {"{\"seq\":1,\"at_ms\":1757410860000,\"op\":\"fly\"}\n", "line 2"},
        {"{\"seq\":2,\"at_ms\":1757410860000,\"op\":\"tap\",\"x\":1,\"y\":1}\n", "line 2"},
        {"{\"seq\":1,\"at_ms\":5,\"op\":\"tap\",\"x\":1,\"y\":1}\n", "line 2"},
        {"{\"seq\":1,\"at_ms\":1757410860000,\"op\":\"tap\",\"x\":1}\n", "line 2"},
        {"{\"seq\":1,\"at_ms\":1757410860000,\"op\":\"tap\",\"x\":1,\"y\":9999}\n", "line 2"},
        {"{\"seq\":1,\"at_ms\":1757410860000,\"op\":\"type\",\"text\":\"x\"}\n", "line 2"},
        {"{\"seq\":1,\"at_ms\":1757410860000,\"op\":\"launch\",\"app\":\"no.app\"}\n",
         "line 2"},
        {"{\"seq\":1,\"at_ms\":1757410860000,\"op\":\"tap\",\"x\":1,\"y\":1}\n\n", "line 3"},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        char *folder = folder_new();
        char text[512];
        snprintf(text, sizeof(text), "%s%s", header, rows[i].body);
        write_log(folder, text, strlen(text));
        struct ia_device *d = NULL;
        struct ia_err err = {0};
        assert_int_equal(try_open(folder, &d, &err), IA_E_DEVICE);
        assert_non_null(strstr(err.msg, "a.log"));
        assert_non_null(strstr(err.msg, rows[i].line));
        assert_non_null(strstr(err.hint, "--fresh"));
        struct ia_buf log = log_of(folder);
        assert_string_equal(log.p, text);
        ia_buf_fini(&log);
        folder_remove(folder);
    }
}

static void a_file_that_is_no_log_is_refused(void **state)
{
    (void)state;
    static const char *const bodies[] = {"hello\n", "{\"phone\":1,\"seed\":\"1\"}\n",
                                         "{\"phone\":2}\n", "{\"phone\":2,\"seed\":\"x\"}\n",
                                         "{\"phone\":2,\"seed\":\"99999999999999999999\"}\n"};
    for (size_t i = 0; i < IA_COUNTOF(bodies); i++) {
        char *folder = folder_new();
        write_log(folder, bodies[i], strlen(bodies[i]));
        struct ia_device *d = NULL;
        struct ia_err err = {0};
        assert_int_equal(try_open(folder, &d, &err), IA_E_DEVICE);
        assert_non_null(strstr(err.msg, "line 1"));
        folder_remove(folder);
    }
}

static void a_phone_opens_once_in_a_process(void **state)
{
    (void)state;
    char *folder = folder_new();
    struct ia_device *d = phone_open(folder, "a"), *second = NULL;
    struct ia_err err = {0};
    char pid[32];
    snprintf(pid, sizeof(pid), "process %ld", (long)getpid());
    for (int i = 0; i < 2; i++) {
        assert_int_equal(try_open(folder, &second, &err), IA_E_BUSY);
        assert_non_null(strstr(err.msg, pid));
    }
    ia_device_close(d);
    assert_int_equal(try_open(folder, &second, &err), IA_OK);
    ia_device_close(second);
    folder_remove(folder);
}

/* A child opens the phone, says so, and waits to be killed. */
static pid_t child_with_phone(const char *folder)
{
    int ready[2];
    assert_int_equal(pipe(ready), 0);
    pid_t pid = fork();
    if (pid == 0) {
        struct ia_device *d = NULL;
        char ok = try_open(folder, &d, NULL) == IA_OK ? 'y' : 'n';
        if (ok == 'y') {
            (void)d->ops->launch(d, &no_limit, CONTACTS, NULL);
        }
        (void)!write(ready[1], &ok, 1);
        pause();
        _exit(0);
    }
    char ok = 0;
    assert_int_equal(read(ready[0], &ok, 1), 1);
    assert_int_equal(ok, 'y');
    close(ready[0]);
    close(ready[1]);
    return pid;
}

static void another_process_is_named_and_its_death_frees_the_phone(void **state)
{
    (void)state;
    char *folder = folder_new();
    pid_t pid = child_with_phone(folder);
    struct ia_device *d = NULL;
    struct ia_err err = {0};
    char text[32];
    snprintf(text, sizeof(text), "process %ld ", (long)pid);
    assert_int_equal(try_open(folder, &d, &err), IA_E_BUSY);
    assert_non_null(strstr(err.msg, text));
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    assert_int_equal(try_open(folder, &d, &err), IA_OK);
    assert_true(state_has(d, "\"screen\":\"Contacts\""));
    ia_device_close(d);
    folder_remove(folder);
}

static void the_oracle_reads_a_phone_that_is_being_driven_without_touching_it(void **state)
{
    (void)state;
    char *folder = folder_new();
    struct ia_device *d = phone_open(folder, "a"), *second = NULL;
    use(d);
    char *live = state_of(d);
    struct ia_buf before = log_of(folder), out = IA_BUF((size_t)1 << 20);
    struct ia_jsonw w;
    ia_jsonw_init(&w, &out);
    struct ia_embedded_options opt = {.folder = folder, .name = "a"};
    assert_int_equal(ia_embedded_state_json(&opt, &w, NULL), IA_OK);
    assert_string_equal(ia_buf_cstr(&out), live);
    struct ia_buf after = log_of(folder);
    assert_string_equal(before.p, after.p);
    assert_int_equal(try_open(folder, &second, NULL), IA_E_BUSY);
    launch(d, SETTINGS);
    ia_device_close(d);
    ia_buf_fini(&before);
    ia_buf_fini(&after);
    ia_buf_fini(&out);
    free(live);
    folder_remove(folder);
}

static void the_oracle_of_a_phone_that_never_was_is_factory_state(void **state)
{
    (void)state;
    char *folder = folder_new();
    struct ia_buf out = IA_BUF((size_t)1 << 20);
    struct ia_jsonw w;
    ia_jsonw_init(&w, &out);
    struct ia_embedded_options opt = {.folder = folder, .name = "never"};
    assert_int_equal(ia_embedded_state_json(&opt, &w, NULL), IA_OK);
    assert_non_null(strstr(out.p, "\"seq\":0"));
    ia_buf_reset(&out);
    ia_jsonw_init(&w, &out);
    assert_int_equal(ia_embedded_log_json(&opt, &w, NULL), IA_OK);
    assert_string_equal(out.p, "[]");
    ia_buf_fini(&out);
    folder_remove(folder);
}

static void bad_names_are_refused(void **state)
{
    (void)state;
    static const char *const names[] = {
        "", "A", "a/b", "..", "a b", NULL, "abcdefghijklmnopqrstuvwxyz0123456"};
    for (size_t i = 0; i < IA_COUNTOF(names); i++) {
        struct ia_embedded_options opt = {.folder = "/tmp", .name = names[i]};
        struct ia_device *d = NULL;
        assert_int_equal(ia_embedded_open(&opt, &d, NULL), IA_E_USAGE);
    }
}

static void a_folder_that_cannot_be_made_is_an_error(void **state)
{
    (void)state;
    char *folder = folder_new();
    write_log(folder, "x", 1);
    struct ia_embedded_options opt = {.folder = file_path(folder, "a.log"), .name = "a"};
    struct ia_device *d = NULL;
    struct ia_err err = {0};
    assert_int_equal(ia_embedded_open(&opt, &d, &err), IA_E_IO);
    folder_remove(folder);
}

/* The process may write no more than its limit; the operation is taken back as a whole. */
static void an_operation_that_cannot_be_written_is_not_sent(void **state)
{
    (void)state;
    char *folder = folder_new();
    struct ia_device *d = phone_open(folder, "a");
    launch(d, CONTACTS);
    struct ia_buf before = log_of(folder);
    struct rlimit old, tight;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    tight = old;
    tight.rlim_cur = before.len + 20;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &tight), 0);
    struct ia_err err = {0};
    enum ia_rc rc = d->ops->launch(d, &no_limit, SETTINGS, &err);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    signal(SIGXFSZ, handler);
    assert_int_equal(rc, IA_E_IO);
    assert_int_equal(err.outcome, IA_OUTCOME_NOT_SENT);
    struct ia_buf after = log_of(folder);
    assert_string_equal(before.p, after.p);
    assert_true(state_has(d, "\"screen\":\"Contacts\""));
    launch(d, SETTINGS);
    ia_device_close(d);
    d = phone_open(folder, "a");
    assert_true(state_has(d, "\"screen\":\"Settings\""));
    ia_device_close(d);
    ia_buf_fini(&before);
    ia_buf_fini(&after);
    folder_remove(folder);
}

static void the_last_reset_and_its_setup_are_found_in_a_log(void **state)
{
    (void)state;
#define LINE(seq, op) "{\"seq\":" seq ",\"at_ms\":1,\"op\":\"" op "\"}\n"
    static const char log[] =
        "{\"phone\":2,\"seed\":\"1\"}\n" LINE("1", "tap") LINE("2", "reset") LINE("3", "launch")
            LINE("4", "tap") LINE("5", "reset") LINE("6", "tick") LINE("7", "open_url")
                LINE("8", "tick") LINE("9", "tap") "{\"seq\":10,\"at";
    static const struct {
        size_t setup;
        int64_t before;
    } rows[] = {{1, 5}, {2, 7}, {3, 9}, {9, 9}};
    int64_t before = 0, all = 0;
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        assert_true(ia_oplog_last_reset(ia_str(log), rows[i].setup, &before, &all));
        assert_int_equal(before, rows[i].before);
        assert_int_equal(all, 9);
    }
    /* What is typed is no operation. */
    static const char typed[] =
        "{\"phone\":2,\"seed\":\"1\"}\n"
        "{\"seq\":1,\"at_ms\":1,\"op\":\"type\",\"text\":\",\\\"op\\\":\\\"reset\\\"\"}\n";
    assert_false(ia_oplog_last_reset(ia_str(typed), 1, &before, &all));
    assert_false(ia_oplog_last_reset(ia_str(""), 1, &before, &all));
    assert_int_equal(
        ia_oplog_first(ia_str(log), 2).n,
        strlen("{\"phone\":2,\"seed\":\"1\"}\n" LINE("1", "tap") LINE("2", "reset")));
    assert_int_equal(ia_oplog_first(ia_str(log), 0).n, strlen(log));
    assert_true(ia_oplog_first(ia_str(log), 99).n <
                strlen(log)); /* without what is not whole */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_phone_is_found_as_it_was_left),
        cmocka_unit_test(a_reset_is_an_operation_that_leaves_a_factory_phone),
        cmocka_unit_test(a_link_with_a_seed_is_another_phone_until_the_next_reset),
        cmocka_unit_test(what_outlasts_a_reset_is_there_when_the_phone_is_opened_again),
        cmocka_unit_test(what_the_last_reset_undid_is_not_done_again),
        cmocka_unit_test(another_name_is_another_phone),
        cmocka_unit_test(a_fresh_phone_forgets_its_log),
        cmocka_unit_test(operations_are_logged_in_a_readable_form),
        cmocka_unit_test(a_log_cut_at_any_byte_is_the_phone_before_that_operation),
        cmocka_unit_test(damage_in_the_middle_is_named_with_file_and_line),
        cmocka_unit_test(a_file_that_is_no_log_is_refused),
        cmocka_unit_test(a_phone_opens_once_in_a_process),
        cmocka_unit_test(another_process_is_named_and_its_death_frees_the_phone),
        cmocka_unit_test(the_oracle_reads_a_phone_that_is_being_driven_without_touching_it),
        cmocka_unit_test(the_oracle_of_a_phone_that_never_was_is_factory_state),
        cmocka_unit_test(bad_names_are_refused),
        cmocka_unit_test(a_folder_that_cannot_be_made_is_an_error),
        cmocka_unit_test(an_operation_that_cannot_be_written_is_not_sent),
        cmocka_unit_test(the_last_reset_and_its_setup_are_found_in_a_log),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
