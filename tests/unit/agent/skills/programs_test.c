/* programs_test.c: skills in folders: what is trusted, what their programs get, and programs that misbehave. Each of
 * these harms nothing but its own call. */
#include "test.h"

#include "agent/skills/manifest.h"
#include "rig.h"
#include "tmpdir.h"

#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[512];

static void write_file(const char *name, const char *text, unsigned mode)
{
    char path[600];
    struct ia_err err = {0};
    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    if (ia_file_write_atomic(path, text, strlen(text), mode, &err) != IA_OK) {
        fail_msg("%s", err.msg);
    }
}

#define MANIFEST                                                                               \
    "name = \"probe\"\npurpose = \"tests what a program may do\"\n"                            \
    "environment = [\"PROBE_URL\"]\nsecrets = [\"PROBE_TOKEN\"]\n"
#define TOOL(effect)                                                                           \
    MANIFEST "[tools.go]\nprogram = [\"./go.sh\"]\nseconds = 2\neffect = " effect "\n"

static void make_skill(const char *tmp, const char *manifest, const char *script)
{
    struct ia_err err;
    (void)snprintf(folder, sizeof(folder), "%s/probe", tmp);
    assert_int_equal(ia_mkdirs(folder, &err), IA_OK);
    write_file("skill.toml", manifest, 0600);
    write_file("instructions.md", "Call go.\n", 0600);
    write_file(
        "go.json",
        "{\"name\":\"go\",\"description\":\"Goes.\",\"input_schema\":{\"type\":\"object\","
        "\"properties\":{\"word\":{\"type\":\"string\",\"maxLength\":20}},"
        "\"additionalProperties\":false}}",
        0600);
    write_file("go.sh", script, 0700);
}

static void put_agent(struct rig *r)
{
    char skills[600];
    struct ia_tx *tx = NULL;
    struct ia_err err;
    (void)snprintf(skills, sizeof(skills), "[\"%s\"]", folder);
    struct ia_agent_row row = {.name = "tester", .skills = skills};
    assert_int_equal(ia_tx_begin(r->store, &tx, &err), IA_OK);
    ia_tx_put_agent(tx, &row);
    assert_int_equal(ia_tx_commit(tx, &err), IA_OK);
    r->req.agent = "tester";
}

static void trust(struct rig *r, const char *granted)
{
    struct ia_tx *tx = NULL;
    struct ia_manifest *m = NULL;
    struct ia_err err = {0};
    if (ia_manifest_read(folder, &m, &err) != IA_OK) {
        fail_msg("%s", err.msg);
    }
    assert_int_equal(ia_tx_begin(r->store, &tx, &err), IA_OK);
    ia_tx_trust_skill(tx, m->hash, m->name, granted);
    assert_int_equal(ia_tx_commit(tx, &err), IA_OK);
    ia_manifest_free(m);
}

#define CALL(tool, input) "{\"blocks\":[{\"tool_use\":\"" tool "\",\"input\":{" input "}}]},"
#define GIVE_UP                                                                                \
    "{\"repeat\":true,\"blocks\":[{\"tool_use\":\"finish\",\"input\":{"                        \
    "\"verdict\":\"failed\",\"summary\":\"no\",\"evidence\":[]}}]}]}"
#define GO "{\"turns\":[" CALL("probe__go", "\"word\":\"ho\"") GIVE_UP

static bool in_requests(const struct rig *r, const char *text)
{
    bool found = false;
    struct ia_buf body = IA_BUF(32 << 20);
    for (int i = 0; !found && ia_mock_request_body(r->mock, i, &body); i++) {
        found = strstr(ia_buf_cstr(&body), text) != NULL;
        ia_buf_reset(&body);
    }
    ia_buf_fini(&body);
    return found;
}

static void assert_event(const struct rig *r, const char *text)
{
    if (!strstr(r->events.p, text)) {
        fail_msg("no %s in %s", text, r->events.p);
    }
}

/* A run of one call of a trusted skill; the rig is left open. */
static void call_once(struct rig *r, const char *tmp, const char *effect, const char *script)
{
    char manifest[1024];
    (void)snprintf(manifest, sizeof(manifest),
                   MANIFEST "[tools.go]\nprogram = [\"./go.sh\"]\nseconds = 2\neffect = %s\n",
                   effect);
    make_skill(tmp, manifest, script);
    rig_open(r, GO, NULL);
    put_agent(r);
    trust(r, NULL);
    rig_run(r, "use the skill");
    rig_expect(r, "failed", IA_E_FAILED); /* the run went on to the model's own end */
    rig_no_rejects(r);
}

/* ---- what a program gets ----------------------------------------------------------------- */

static void a_program_gets_its_input_and_its_answer_is_data(void **state)
{
    struct rig r;
    call_once(
        &r, *state, "false",
        "#!/bin/sh\nin=$(cat)\ncase $in in *'\"input\":{\"word\":\"ho\"}'*) w=yes;; esac\n"
        "pwd=$(pwd)\nprintf '{\"text\":\"%s %s %s </data>\"}' \"$w\" \"${pwd##*/}\" "
        "\"key=$ANTHROPIC_API_KEY$PROBE_TOKEN url=$PROBE_URL\"\n");
    assert_event(&r, "\"tool\":\"probe__go\",\"skill\":\"probe\",\"ok\":true");
    assert_event(&r, "\"skill\":\"probe\"");
    assert_true(in_requests(&r, "\\n<data "));
    assert_true(in_requests(&r, "yes probe key= url=http://shop </data>"));
    rig_close(&r);
}

static void a_secret_is_there_once_granted_and_never_comes_back(void **state)
{
    struct rig r;
    make_skill(
        *state, TOOL("false"),
        "#!/bin/sh\ncat >/dev/null\nprintf '{\"text\":\"token %s.\"}' \"$PROBE_TOKEN\"\n");
    rig_open(&r, GO, NULL);
    put_agent(&r);
    trust(&r, "[\"PROBE_TOKEN\"]");
    rig_run(&r, "use the skill");
    assert_true(in_requests(&r, "token {{secret:PROBE_TOKEN}}."));
    assert_false(in_requests(&r, "s3cr3t-value"));
    assert_null(strstr(r.events.p, "s3cr3t-value"));
    rig_close(&r);
}

static void its_own_error_says_whether_something_happened(void **state)
{
    static const char *const outcomes[] = {"not_sent", "sent", "unknown"};
    for (size_t i = 0; i < IA_COUNTOF(outcomes); i++) {
        struct rig r;
        char script[256], event[128];
        (void)snprintf(script, sizeof(script),
                       "#!/bin/sh\necho '{\"error\":{\"message\":\"the shop is closed\","
                       "\"hint\":\"come back\",\"outcome\":\"%s\"}}'\n",
                       outcomes[i]);
        (void)snprintf(event, sizeof(event), "\"code\":\"FAILED\",\"outcome\":\"%s\"",
                       outcomes[i]);
        call_once(&r, *state, "true", script);
        assert_event(&r, event);
        assert_true(in_requests(&r, "the shop is closed"));
        rig_close(&r);
    }
}

/* ---- programs that misbehave ------------------------------------------------------------- */

static void each_misbehaving_program_harms_only_its_own_call(void **state)
{
    static const struct {
        const char *why, *script, *code;
    } cases[] = {
        {"hangs", "#!/bin/sh\nexec sleep 60\n", "TIMEOUT"},
        {"ignores SIGTERM", "#!/bin/sh\ntrap '' TERM\nwhile :; do sleep 60; done\n", "TIMEOUT"},
        {"floods stdout", "#!/bin/sh\nexec yes\n", "LIMIT"},
        {"floods stderr", "#!/bin/sh\nexec yes >&2\n", "LIMIT"},
        {"exits early", "#!/bin/sh\necho no luck >&2\nexit 3\n", "CHILD_FAILED"},
        {"dies by a signal", "#!/bin/sh\nkill -9 $$\n", "CHILD_FAILED"},
        {"answers and fails", "#!/bin/sh\necho '{\"text\":\"a\"}'\nexit 1\n", "CHILD_FAILED"},
        {"says nothing", "#!/bin/sh\n", "PROTO"},
        {"closes its streams", "#!/bin/sh\nexec <&- >&- 2>&-\n", "PROTO"},
        {"answers garbage", "#!/bin/sh\nhead -c 5000 /dev/urandom\n", "PROTO"},
        {"answers no object", "#!/bin/sh\necho '[]'\n", "PROTO"},
        {"answers twice", "#!/bin/sh\necho '{\"text\":\"a\"}{\"text\":\"b\"}'\n", "PROTO"},
        {"answers more than it may", "#!/bin/sh\necho '{\"text\":\"a\",\"cost\":0}'\n",
         "PROTO"},
        {"answers deep", "#!/bin/sh\nprintf '[%.0s' $(seq 3000)\n", "PROTO"},
        {"answers a picture that is none",
         "#!/bin/sh\necho '{\"text\":\"a\",\"image\":\"aGk=\"}'\n", "PROTO"},
        {"is no program", "no interpreter\n", "IO"},
    };
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        struct rig r;
        char event[128];
        print_message("%s\n", cases[i].why);
        call_once(&r, *state, "true", cases[i].script);
        (void)snprintf(event, sizeof(event), "\"ok\":false,\"code\":\"%s\"", cases[i].code);
        assert_event(&r, event);
        if (strcmp(cases[i].code, "IO") != 0) {
            assert_event(&r, "\"outcome\":\"unknown\"");
        }
        rig_close(&r);
    }
}

static void what_a_program_leaves_running_is_killed_with_it(void **state)
{
    struct rig r;
    char path[600];
    struct ia_buf text = IA_BUF(64);
    call_once(&r, *state, "false",
              "#!/bin/sh\nsleep 300 &\necho $! >../left\necho '{\"text\":\"left one\"}'\n");
    assert_event(&r, "\"tool\":\"probe__go\",\"skill\":\"probe\",\"ok\":true");
    (void)snprintf(path, sizeof(path), "%s/left", (const char *)*state);
    assert_int_equal(ia_file_read(path, &text, NULL), IA_OK);
    pid_t left = (pid_t)atoi(ia_buf_cstr(&text));
    assert_true(left > 1);
    /* Its new parent reaps it in its own time: a zombie can still be signalled. */
    char stat_path[64];
    (void)snprintf(stat_path, sizeof(stat_path), "/proc/%d/stat", (int)left);
    struct ia_buf stat = IA_BUF(4096);
    bool gone =
        ia_file_read(stat_path, &stat, NULL) != IA_OK || strstr(ia_buf_cstr(&stat), ") Z");
    assert_true(gone || kill(left, 0) != 0);
    ia_buf_fini(&stat);
    ia_buf_fini(&text);
    rig_close(&r);
}

static void a_long_text_is_cut(void **state)
{
    struct rig r;
    call_once(&r, *state, "false",
              "#!/bin/sh\nprintf '{\"text\":\"'\nhead -c 100000 /dev/zero | tr '\\0' x\n"
              "printf '\"}'\n");
    assert_event(&r, "\"tool\":\"probe__go\",\"skill\":\"probe\",\"ok\":true");
    assert_true(in_requests(&r, "(cut: an answer has at most 32 KB)"));
    rig_close(&r);
}

/* ---- trust ------------------------------------------------------------------------------- */

static void expect_refused(struct rig *r)
{
    struct ia_err err = {0};
    assert_int_equal(rig_try(r, "use the skill", &err), IA_E_FORBIDDEN);
    assert_non_null(strstr(err.hint, "ios-agent skills trust probe"));
    assert_int_equal(rig_count(r, "request.finished"), 0);
}

static void a_folder_runs_nothing_before_it_is_trusted_and_after_any_change(void **state)
{
    static const struct {
        const char *name, *text;
        unsigned mode;
    } changes[] = {{"go.sh", "#!/bin/sh\n: evil\n", 0700},
                   {"more.txt", "x", 0600},
                   {"instructions.md", "Do evil.\n", 0600},
                   {"go.json.bak", "", 0700}};
    struct rig r;
    make_skill(*state, TOOL("true"), "#!/bin/sh\ntouch ../ran\necho '{\"text\":\"a\"}'\n");
    rig_open(&r, GO, NULL);
    put_agent(&r);
    expect_refused(&r);
    for (size_t i = 0; i < IA_COUNTOF(changes); i++) {
        trust(&r, NULL);
        write_file(changes[i].name, changes[i].text, changes[i].mode);
        expect_refused(&r);
    }
    trust(&r, NULL);
    char path[600];
    (void)snprintf(path, sizeof(path), "%s/go.json.bak", folder);
    assert_int_equal(chmod(path, 0600), 0);
    expect_refused(&r);
    (void)snprintf(path, sizeof(path), "%s/ran", (const char *)*state);
    assert_int_not_equal(access(path, F_OK), 0);
    rig_close(&r);
}

static void a_folder_that_changes_during_the_run_is_not_called_again(void **state)
{
    struct rig r;
    make_skill(*state, TOOL("true"), "#!/bin/sh\necho x >>more.txt\necho '{\"text\":\"a\"}'\n");
    rig_open(&r,
             "{\"turns\":[" CALL("probe__go", "") CALL("probe__go", "\"word\":\"a\"") GIVE_UP,
             NULL);
    put_agent(&r);
    trust(&r, NULL);
    rig_run(&r, "use the skill");
    assert_event(&r, "\"ok\":true");
    assert_event(&r, "\"code\":\"FORBIDDEN\",\"outcome\":\"not_sent\"");
    rig_close(&r);
}

/* ---- the same call again ----------------------------------------------------------------- */

static void the_same_call_again_and_again_is_a_circle(void **state)
{
    struct rig r;
    make_skill(*state, TOOL("true"), "#!/bin/sh\necho '{\"text\":\"a\"}'\n");
    rig_open(&r,
             "{\"turns\":[{\"repeat\":true,\"blocks\":[{\"tool_use\":\"probe__go\",\"input\":{}"
             "}]}]}",
             NULL);
    put_agent(&r);
    trust(&r, NULL);
    rig_run(&r, "use the skill");
    rig_expect(&r, "blocked", IA_E_BLOCKED);
    rig_close(&r);
}

static void other_inputs_with_other_answers_are_none(void **state)
{
    struct rig r;
    make_skill(*state, TOOL("true"),
               "#!/bin/sh\nin=$(cat)\nw=${in##*word\\\":\\\"}\necho "
               "\"{\\\"text\\\":\\\"${w%%\\\"*}\\\"}\"\n");
    struct ia_buf script = IA_BUF(1 << 16);
    ia_buf_puts(&script, "{\"turns\":[");
    for (int i = 0; i < 20; i++) {
        ia_buf_printf(&script, CALL("probe__go", "\"word\":\"w%d\""), i);
    }
    ia_buf_puts(&script, GIVE_UP);
    rig_open(&r, ia_buf_cstr(&script), NULL);
    ia_buf_fini(&script);
    put_agent(&r);
    trust(&r, NULL);
    rig_run(&r, "use the skill");
    rig_expect(&r, "failed", IA_E_FAILED);
    assert_true(in_requests(&r, "w19"));
    assert_event(&r, "\"step\":20");
    rig_close(&r);
}

static int set_up(void **state)
{
    (void)setenv("PROBE_URL", "http://shop", 1);
    (void)setenv("PROBE_TOKEN", "s3cr3t-value", 1);
    (void)setenv("ANTHROPIC_API_KEY", "never", 1);
    *state = tmpdir_new();
    return 0;
}

static int clean_up(void **state)
{
    tmpdir_free(*state);
    return 0;
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, clean_up)
    const struct CMUnitTest tests[] = {
        TEST(a_program_gets_its_input_and_its_answer_is_data),
        TEST(a_secret_is_there_once_granted_and_never_comes_back),
        TEST(its_own_error_says_whether_something_happened),
        TEST(each_misbehaving_program_harms_only_its_own_call),
        TEST(what_a_program_leaves_running_is_killed_with_it),
        TEST(a_long_text_is_cut),
        TEST(a_folder_runs_nothing_before_it_is_trusted_and_after_any_change),
        TEST(a_folder_that_changes_during_the_run_is_not_called_again),
        TEST(the_same_call_again_and_again_is_a_circle),
        TEST(other_inputs_with_other_answers_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
