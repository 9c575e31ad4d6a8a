/* One key of the user's file is changed, and every other byte stays. */
#include "source_dir.h"
#include "tmpdir.h"

#include "base/config_schema.h"

#include <sys/file.h>
#include <sys/wait.h>

struct row {
    const char *text;
    enum ia_config_key key;
    const char *value; /* NULL: unset */
    const char *want;  /* NULL: nothing changes */
};

#define MODEL IA_CFG_RUN_MODEL
#define STEPS IA_CFG_RUN_MAX_STEPS

static const struct row rows[] = {
    /* nothing is there yet */
    {"", MODEL, "x", "[run]\nmodel = \"x\"\n"},
    {"# mine\n", MODEL, "x", "# mine\n\n[run]\nmodel = \"x\"\n"},
    {"# mine", MODEL, "x", "# mine\n\n[run]\nmodel = \"x\"\n"},
    {"# mine\r\n", MODEL, "x", "# mine\r\n\r\n[run]\r\nmodel = \"x\"\r\n"},
    {"\xef\xbb\xbf", MODEL, "x", "\xef\xbb\xbf[run]\nmodel = \"x\"\n"},
    {"[api]\nmax_retries = 1", MODEL, "x", "[api]\nmax_retries = 1\n\n[run]\nmodel = \"x\"\n"},
    /* a header */
    {"[run]\n", STEPS, "7", "[run]\nmax_steps = 7\n"},
    {"[run]", STEPS, "7", "[run]\nmax_steps = 7\n"},
    {"[run] # c\n#max_steps = 40\n", STEPS, "7", "[run] # c\nmax_steps = 7\n#max_steps = 40\n"},
    {"[ \"run\" ]\n\tmodel = 'a' # c\n\n# api\n[api]\n", STEPS, "7",
     "[ \"run\" ]\n\tmodel = 'a' # c\n\tmax_steps = 7\n\n# api\n[api]\n"},
    {"[run]\nmodel = 'a'", STEPS, "7", "[run]\nmodel = 'a'\nmax_steps = 7\n"},
    {"[run]\r\nmodel = 'a'\r\n", STEPS, "7", "[run]\r\nmodel = 'a'\r\nmax_steps = 7\r\n"},
    {"[run]\nmodel = 'a'   # why\nmax_steps=1\n", MODEL, "b",
     "[run]\nmodel = \"b\"   # why\nmax_steps=1\n"},
    {"[api]\nmax_retries = 1\n[run]\n  'model'   =   \"\"\"a\"\"\"\n", MODEL, "b",
     "[api]\nmax_retries = 1\n[run]\n  'model'   =   \"b\"\n"},
    {"[run]\nmodel = \"# ] no } comment\" # [run]\nmax_steps = 1\n", STEPS, "2",
     "[run]\nmodel = \"# ] no } comment\" # [run]\nmax_steps = 2\n"},
    {"[agents.run]\nmodel = 'z'\n[run]\n", MODEL, "b",
     "[agents.run]\nmodel = 'z'\n[run]\nmodel = \"b\"\n"},
    {"[agents.run]\nmodel = 'z'\n", MODEL, "b",
     "[agents.run]\nmodel = 'z'\n\n[run]\nmodel = \"b\"\n"},
    {"agents.run.model = 'z'\n", MODEL, "b",
     "agents.run.model = 'z'\n\n[run]\nmodel = \"b\"\n"},
    /* dotted keys */
    {"run.model = 'a' # c\n", MODEL, "b", "run.model = \"b\" # c\n"},
    {"  run . \"model\" = 'a'\n[api]\n", MODEL, "b", "  run . \"model\" = \"b\"\n[api]\n"},
    {"run.model = 'a'\n[api]\nmax_retries = 1\n", STEPS, "7",
     "run.model = 'a'\nrun.max_steps = 7\n[api]\nmax_retries = 1\n"},
    {"\t'run'.model = 'a'", STEPS, "7", "\t'run'.model = 'a'\n\trun.max_steps = 7\n"},
    /* braces */
    {"run = {}\n", STEPS, "7", "run = { max_steps = 7 }\n"},
    {"run = { model = 'a' } # c\n", STEPS, "7", "run = { model = 'a', max_steps = 7 } # c\n"},
    {"run = { model = 'a,}', max_steps = 1 }\n", STEPS, "7",
     "run = { model = 'a,}', max_steps = 7 }\n"},
    {"run = { max_steps = 1, model = 'a' }\n", STEPS, "7",
     "run = { max_steps = 7, model = 'a' }\n"},
    /* taken out: what a person wrote behind it stays */
    {"", STEPS, NULL, NULL},
    {"[run]\n#max_steps = 40\n", STEPS, NULL, NULL},
    {"[run]\nmodel = 'a'\n  max_steps = 1\n# c\n", STEPS, NULL, "[run]\nmodel = 'a'\n# c\n"},
    {"[run]\nmax_steps = 1", STEPS, NULL, "[run]\n"},
    {"[run]\n  max_steps = 1 # CI is slow\n", STEPS, NULL, "[run]\n  # CI is slow\n"},
    {"[run]\r\nmax_steps = 1\r\nmodel = 'a'\r\n", STEPS, NULL, "[run]\r\nmodel = 'a'\r\n"},
    {"run.max_steps = 1", STEPS, NULL, ""},
    {"run = { max_steps = 1 }\n", STEPS, NULL, "run = {  }\n"},
    {"run = { max_steps = 1, model = 'a' }\n", STEPS, NULL, "run = { model = 'a' }\n"},
    {"run = { model = 'a', max_steps = 1 }\n", STEPS, NULL, "run = { model = 'a' }\n"},
    /* it is so already, in its own spelling */
    {"[run]\nmodel = 'a'\n", MODEL, "a", NULL},
    {"[run]\nmax_steps = 0x10\n", STEPS, "16", NULL},
    /* a default is written as well: a project that says otherwise is no reason against it */
    {"", STEPS, "40", "[run]\nmax_steps = 40\n"},
    /* values of all kinds, and what TOML must quote */
    {"", IA_CFG_RUN_MAX_USD, "1e-3", "[run]\nmax_usd = 0.001\n"},
    {"", IA_CFG_RUN_MAX_USD, "1000000", "[run]\nmax_usd = 1000000\n"},
    {"", IA_CFG_RUN_ALLOW_COMMANDS, "1", "[run]\nallow_commands = true\n"},
    {"", IA_CFG_RUN_EFFORT, "", "[run]\neffort = \"\"\n"},
    {"", IA_CFG_DAEMON_HTTP, "-1", "[daemon]\nhttp = -1\n"},
    {"", MODEL, "a\"b\\c'#]", "[run]\nmodel = \"a\\\"b\\\\c'#]\"\n"},
    {"", MODEL, "ü 日本 🙂 \xe2\x80\xae",
     "[run]\nmodel = \"ü 日本 🙂 \xe2\x80\xae\"\n"},
    /* paths: as the caller means them */
    {"", IA_CFG_LOG_FILE, "~/x.log", "[log]\nfile = \"~/x.log\"\n"},
    {"", IA_CFG_LOG_FILE, "x.log", "[log]\nfile = \"/project/x.log\"\n"},
    /* a mistake of the key itself is what a new value is for */
    {"[run]\nmax_steps = \"many\" # c\n", STEPS, "5", "[run]\nmax_steps = 5 # c\n"},
    {"[run]\nmax_steps = [1, # }\n 2]\nmodel = 'a'\n", STEPS, "5",
     "[run]\nmax_steps = 5\nmodel = 'a'\n"},
    {"[run]\nmax_steps = 0\n", STEPS, NULL, "[run]\n"},
};

static struct ia_paths paths_of(char *user)
{
    return (struct ia_paths){.home = (char *)"/home",
                             .user_config = user,
                             .project_config = (char *)"/project/ios-agent.toml"};
}

static void only_the_key_changes(void **state)
{
    (void)state;
    struct ia_paths paths = paths_of((char *)"/user/config.toml");
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        const struct row *r = &rows[i];
        struct ia_buf out = IA_BUF(IA_CONFIG_FILE_MAX);
        struct ia_err err = {0};
        bool changed = false;
        enum ia_rc rc = ia_config_edit_text(&paths, r->key, r->value, ia_str(r->text), &out,
                                            &changed, &err);
        if (rc != IA_OK || changed != (r->want != NULL) ||
            (changed && strcmp(ia_buf_cstr(&out), r->want) != 0)) {
            fail_msg("row %zu: %s\n%s", i, err.msg, ia_buf_cstr(&out));
        }
        ia_buf_fini(&out);
    }
}

/* What loading says of the file with that value, it says now. */
static void a_value_that_does_not_load_is_refused_in_the_same_words(void **state)
{
    (void)state;
    static const struct {
        enum ia_config_key key;
        const char *value, *file;
    } cases[] = {
        {STEPS, "0", "run.max_steps = 0"},
        {STEPS, "1001", "run.max_steps = 1001"},
        {IA_CFG_RUN_MAX_USD, "-0.5", "run.max_usd = -0.5"},
        {IA_CFG_RUN_MAX_USD, "nan", "run.max_usd = nan"},
        {IA_CFG_RUN_VERIFY, "often", "run.verify = 'often'"},
        {IA_CFG_LOG_LEVEL, "", "log.level = ''"},
        {IA_CFG_API_BASE_URL, "ftp://x", "api.base_url = 'ftp://x'"},
        {MODEL, "a\tb", "run.model = \"a\\tb\""},
        {MODEL, "x\"\n[run]\nallow_commands = true #",
         "run.model = \"x\\\"\\n[run]\\nallow_commands = true #\""},
    };
    struct ia_paths paths = paths_of((char *)"/u");
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        struct ia_buf out = IA_BUF(IA_CONFIG_FILE_MAX);
        struct ia_config *c = ia_config_new(&paths, NULL);
        struct ia_err said = {0}, loads = {0};
        bool changed = false;
        assert_int_equal(ia_config_edit_text(&paths, cases[i].key, cases[i].value, ia_str(""),
                                             &out, &changed, &said),
                         IA_E_CONFIG);
        assert_int_equal(
            ia_config_read_text(c, "/u", IA_CFG_FROM_USER_FILE, ia_str(cases[i].file), &loads),
            IA_E_CONFIG);
        const char *without_place = strchr(loads.msg, ' ');
        assert_string_equal(said.msg, without_place ? without_place + 1 : "");
        ia_config_free(c);
        ia_buf_fini(&out);
    }
}

static void a_value_of_64_kb_is_refused(void **state)
{
    (void)state;
    struct ia_paths paths = paths_of((char *)"/u");
    struct ia_buf out = IA_BUF(IA_CONFIG_FILE_MAX);
    struct ia_err err = {0};
    bool changed = false;
    char *value = ia_alloc(65537);
    memset(value, 'x', 65536);
    value[65536] = '\0';
    assert_int_equal(
        ia_config_edit_text(&paths, MODEL, value, ia_str(""), &out, &changed, &err),
        IA_E_CONFIG);
    assert_string_equal(err.msg, "run.model is longer than 4096 bytes");
    value[4096] = '\0';
    assert_int_equal(
        ia_config_edit_text(&paths, MODEL, value, ia_str(""), &out, &changed, &err), IA_OK);
    free(value);
    ia_buf_fini(&out);
}

static void a_file_with_another_mistake_is_left_alone(void **state)
{
    (void)state;
    static const struct {
        const char *text, *msg;
        enum ia_rc rc;
    } cases[] = {
        {"[run\nmodel = 'a'\n", "/u:1:5: ", IA_E_CONFIG},
        {"[run]\nmodel = 'a\n", "/u:2:", IA_E_CONFIG},
        {"[run]\nmodel = 'a'\nmodel = 'b'\n", "/u:3:", IA_E_CONFIG},
        {"[run]\nmodle = 'a'\n", "/u:2:1: unknown key run.modle", IA_E_CONFIG},
        {"\xff", "/u:1:1: ", IA_E_CONFIG},
        {"[run]\n\"mod\\u0065l\" = 'a'\n", "cannot find the place of run.model in /u",
         IA_E_STATE},
    };
    struct ia_paths paths = paths_of((char *)"/u");
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        struct ia_buf out = IA_BUF(IA_CONFIG_FILE_MAX);
        struct ia_err err = {0};
        bool changed = false;
        enum ia_rc rc = ia_config_edit_text(&paths, MODEL, "x", ia_str(cases[i].text), &out,
                                            &changed, &err);
        assert_int_equal(rc, cases[i].rc);
        if (strncmp(err.msg, cases[i].msg, strlen(cases[i].msg)) != 0) {
            fail_msg("%zu: %s", i, err.msg);
        }
        ia_buf_fini(&out);
    }
}

/* Each key that a new version brings has to be decided: may a token set it? */
static void a_token_may_set_these_keys_and_no_others(void **state)
{
    (void)state;
    static const enum ia_config_key safe[] = {
        IA_CFG_RUN_MODEL,          IA_CFG_RUN_VERIFIER_MODEL,
        IA_CFG_RUN_EFFORT,         IA_CFG_RUN_VERIFY,
        IA_CFG_RUN_MAX_STEPS,      IA_CFG_RUN_MAX_SECONDS,
        IA_CFG_RUN_MAX_TOKENS,     IA_CFG_RUN_MAX_USD,
        IA_CFG_RUN_CONTEXT_TOKENS, IA_CFG_RUN_PICTURES,
        IA_CFG_RUN_REPLAY,         IA_CFG_RUN_STRICT,
        IA_CFG_RUN_DEVICE,         IA_CFG_RUN_APP,
        IA_CFG_QUEUE_MAX_RUNS,     IA_CFG_API_MAX_TOKENS,
        IA_CFG_API_MAX_RETRIES,    IA_CFG_API_IDLE_TIMEOUT_S,
        IA_CFG_RUNNER_START_S,     IA_CFG_DAEMON_IDLE_SECONDS,
        IA_CFG_LOG_LEVEL,          IA_CFG_RUN_DELEGATE_DEPTH,
        IA_CFG_RUN_DELEGATE_RUNS,  IA_CFG_FETCH_MAX_BYTES,
        IA_CFG_FETCH_MAX_SECONDS,  IA_CFG_WEB_SEARCH_MAX_USES,
    };
    static const enum ia_config_key never[] = {
        IA_CFG_API_BASE_URL,
        IA_CFG_API_VERSION,
        IA_CFG_API_PROXY,
        IA_CFG_API_CA_BUNDLE,
        IA_CFG_API_ALLOW_HTTP,
        IA_CFG_API_MODELS_FILE,
        IA_CFG_RUN_ALLOW_COMMANDS,
        IA_CFG_RUN_ALLOW_SKILLS,
        IA_CFG_RUN_PLAN,
        IA_CFG_LOG_FILE,
        IA_CFG_PROMPTS_DIR,
        IA_CFG_HTTP_ALLOWED_HOSTS,
        IA_CFG_DAEMON_HTTP,
        IA_CFG_RUNNER_SKIP_QUIESCENCE,
        IA_CFG_RUN_DELEGATE_DEVICES,
        IA_CFG_FETCH_ALLOW_ADDRESSES,
        IA_CFG_FETCH_ALLOWED_DOMAINS,
        IA_CFG_FETCH_BLOCKED_DOMAINS,
        IA_CFG_WEB_SEARCH_ALLOWED_DOMAINS,
        IA_CFG_WEB_SEARCH_BLOCKED_DOMAINS,
        IA_CFG_POLICY_BUY,
        IA_CFG_POLICY_SEND,
        IA_CFG_POLICY_DELETE,
        IA_CFG_POLICY_PERMISSIONS,
        IA_CFG_POLICY_EXTERNAL_LINKS,
        IA_CFG_POLICY_SECRET_FIELDS,
        IA_CFG_POLICY_SUSPICIOUS,
        IA_CFG_POLICY_APPS,
        IA_CFG_POLICY_ASK_TOOLS,
        IA_CFG_POLICY_DENY_TOOLS,
        IA_CFG_POLICY_ASK_SECONDS,
        IA_CFG_POLICY_NOTIFY,
        IA_CFG_TELEMETRY_OTLP_ENDPOINT,
        IA_CFG_TELEMETRY_SERVICE_NAME,
        IA_CFG_FLEET_URL,
        IA_CFG_FLEET_CREDS,
        IA_CFG_FLEET_NKEY,
        IA_CFG_FLEET_CA,
        IA_CFG_FLEET_CERT,
        IA_CFG_FLEET_CERT_KEY,
        IA_CFG_FLEET_REPLICAS,
        IA_CFG_FLEET_LEASE_S,
        IA_CFG_FLEET_ATTEMPTS,
        IA_CFG_FLEET_SCHEDULES,
        IA_CFG_FLEET_SHARE_SECRETS,
        IA_CFG_FLEET_SECRETS,
    };
    assert_int_equal(IA_COUNTOF(safe) + IA_COUNTOF(never), IA_CFG_COUNT);
    for (size_t i = 0; i < IA_COUNTOF(safe); i++) {
        assert_true(ia_config_settable(safe[i], IA_CFG_MAY_TOKEN));
        assert_false(ia_config_settable(safe[i], IA_CFG_MAY_NOTHING));
    }
    for (size_t i = 0; i < IA_COUNTOF(never); i++) {
        assert_false(ia_config_settable(never[i], IA_CFG_MAY_TOKEN));
        assert_true(ia_config_settable(never[i], IA_CFG_MAY_ALL));
    }
}

/* ---- files ------------------------------------------------------------------------------- */

struct world {
    char *dir, *file;
    struct ia_paths paths;
    struct ia_err err;
    bool changed;
};

static void world_open(struct world *w, const char *text)
{
    *w = (struct world){.dir = tmpdir_new()};
    w->file = ia_path_join(w->dir, "config.toml");
    w->paths = paths_of(w->file);
    if (text) {
        free(tmpdir_file(w->dir, "config.toml", text));
    }
}

static void world_close(struct world *w)
{
    tmpdir_free(w->dir);
    free(w->file);
}

static enum ia_rc set(struct world *w, const char *value)
{
    return ia_config_edit(&w->paths, MODEL, value, &w->changed, &w->err);
}

static void expect_text(const char *path, const char *want)
{
    struct ia_buf text = IA_BUF(1 << 20);
    assert_int_equal(ia_file_read(path, &text, NULL), IA_OK);
    assert_string_equal(ia_buf_cstr(&text), want);
    ia_buf_fini(&text);
}

static unsigned mode_of(const char *path)
{
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    return st.st_mode & 07777;
}

static size_t files_in(const char *dir)
{
    size_t n = 0;
    DIR *d = opendir(dir);
    for (struct dirent *e; (e = readdir(d)) != NULL;) {
        n += e->d_name[0] != '.';
    }
    closedir(d);
    return n;
}

static void a_file_that_is_not_there_is_made_for_its_owner_alone(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, NULL);
    char *folder = ia_path_join(w.dir, "a/b"), *file = ia_path_join(folder, "c.toml");
    w.paths.user_config = file;
    assert_true(set(&w, NULL) == IA_OK && !w.changed);
    assert_int_equal(files_in(w.dir), 0);
    assert_true(set(&w, "x") == IA_OK && w.changed);
    expect_text(file, "[run]\nmodel = \"x\"\n");
    assert_int_equal(mode_of(file), 0600);
    assert_int_equal(mode_of(folder), 0700);
    assert_true(set(&w, "x") == IA_OK && !w.changed);
    free(file);
    free(folder);
    world_close(&w);
}

static void links_and_modes_stay_as_they_are(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, NULL);
    char *dots = ia_path_join(w.dir, "dots"), *real = ia_path_join(dots, "real.toml");
    char *middle = ia_path_join(w.dir, "middle");
    struct stat st;
    assert_int_equal(mkdir(dots, 0700), 0);
    free(tmpdir_file(dots, "real.toml", "# mine\n"));
    assert_int_equal(chmod(real, 0640), 0);
    assert_int_equal(symlink("dots/real.toml", middle), 0);
    assert_int_equal(symlink(middle, w.file), 0);
    assert_int_equal(set(&w, "x"), IA_OK);
    expect_text(real, "# mine\n\n[run]\nmodel = \"x\"\n");
    assert_int_equal(mode_of(real), 0640);
    assert_true(lstat(w.file, &st) == 0 && S_ISLNK(st.st_mode));
    assert_true(lstat(middle, &st) == 0 && S_ISLNK(st.st_mode));
    /* a link that leads to nothing yet */
    assert_int_equal(unlink(real), 0);
    assert_int_equal(set(&w, "y"), IA_OK);
    expect_text(real, "[run]\nmodel = \"y\"\n");
    assert_int_equal(unlink(middle), 0);
    assert_int_equal(symlink(w.file, middle), 0);
    assert_int_equal(set(&w, "z"), IA_E_IO);
    free(dots);
    free(real);
    free(middle);
    world_close(&w);
}

static void what_is_no_file_or_not_writable_is_refused(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, "[run]\n");
    if (geteuid() != 0) {
        assert_int_equal(chmod(w.file, 0400), 0);
        assert_int_equal(set(&w, "x"), IA_E_IO);
        expect_text(w.file, "[run]\n");
    }
    w.paths.user_config = (char *)"/dev/null";
    assert_int_equal(set(&w, "x"), IA_E_IO);
    assert_string_equal(w.err.msg, "/dev/null is not a regular file");
    w.paths.user_config = w.dir;
    assert_int_equal(set(&w, "x"), IA_E_IO);
    w.paths.user_config = w.file;
    world_close(&w);
}

static void what_a_killed_change_left_is_cleared_away(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, "[run]\n");
    free(tmpdir_file(w.dir, "config.toml.tmp.a1B2c3", "half"));
    free(tmpdir_file(w.dir, "config.toml.tmp.keep", "a person's"));
    assert_int_equal(set(&w, "x"), IA_OK);
    assert_int_equal(files_in(w.dir), 2);
    world_close(&w);
}

/* Eight processes set eight keys at once: none is lost. */
static void changes_at_the_same_time_are_all_there(void **state)
{
    (void)state;
    static const struct {
        enum ia_config_key key;
        const char *value;
    } sets[] = {
        {IA_CFG_RUN_MODEL, "m"},       {IA_CFG_RUN_EFFORT, "low"},
        {IA_CFG_RUN_MAX_STEPS, "7"},   {IA_CFG_RUN_MAX_USD, "1.5"},
        {IA_CFG_API_MAX_RETRIES, "3"}, {IA_CFG_LOG_LEVEL, "info"},
        {IA_CFG_QUEUE_MAX_RUNS, "2"},  {IA_CFG_DAEMON_HTTP, "0"},
    };
    struct world w;
    world_open(&w, "# mine\n");
    for (size_t i = 0; i < IA_COUNTOF(sets); i++) {
        if (fork() == 0) {
            bool ok =
                ia_config_edit(&w.paths, sets[i].key, sets[i].value, &w.changed, NULL) == IA_OK;
            _exit(ok && w.changed ? 0 : 1);
        }
    }
    for (size_t i = 0; i < IA_COUNTOF(sets); i++) {
        int status = -1;
        assert_true(wait(&status) > 0);
        assert_int_equal(status, 0);
    }
    struct ia_config *c = ia_config_new(&w.paths, NULL);
    assert_int_equal(ia_config_read_file(c, w.file, IA_CFG_FROM_USER_FILE, true, &w.err),
                     IA_OK);
    for (size_t i = 0; i < IA_COUNTOF(sets); i++) {
        assert_string_equal(c->values[sets[i].key].text, sets[i].value);
    }
    ia_config_free(c);
    world_close(&w);
}

/* The example has every key in a comment: each is set, and then taken out again. */
static void every_key_is_set_in_the_example_and_taken_out_again(void **state)
{
    (void)state;
    struct ia_paths paths = paths_of((char *)"/u");
    struct ia_buf example = IA_BUF(IA_CONFIG_FILE_MAX);
    assert_int_equal(ia_file_read(IA_SOURCE_DIR "/config.example.toml", &example, NULL), IA_OK);
    for (int i = 0; i < IA_CFG_COUNT; i++) {
        struct ia_buf with = IA_BUF(IA_CONFIG_FILE_MAX), without = IA_BUF(IA_CONFIG_FILE_MAX);
        bool set = false, unset = false;
        struct ia_err err = {0};
        const char *value = ia_config_rows[i].def;
        assert_int_equal(ia_config_edit_text(&paths, (enum ia_config_key)i, value,
                                             ia_buf_str(&example), &with, &set, &err),
                         IA_OK);
        assert_int_equal(ia_config_edit_text(&paths, (enum ia_config_key)i, NULL,
                                             ia_buf_str(&with), &without, &unset, &err),
                         IA_OK);
        assert_true(set && unset);
        assert_string_equal(ia_buf_cstr(&without), ia_buf_cstr(&example));
        ia_buf_fini(&with);
        ia_buf_fini(&without);
    }
    ia_buf_fini(&example);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_the_key_changes),
        cmocka_unit_test(a_value_that_does_not_load_is_refused_in_the_same_words),
        cmocka_unit_test(a_value_of_64_kb_is_refused),
        cmocka_unit_test(a_file_with_another_mistake_is_left_alone),
        cmocka_unit_test(a_token_may_set_these_keys_and_no_others),
        cmocka_unit_test(a_file_that_is_not_there_is_made_for_its_owner_alone),
        cmocka_unit_test(links_and_modes_stay_as_they_are),
        cmocka_unit_test(what_is_no_file_or_not_writable_is_refused),
        cmocka_unit_test(what_a_killed_change_left_is_cleared_away),
        cmocka_unit_test(changes_at_the_same_time_are_all_there),
        cmocka_unit_test(every_key_is_set_in_the_example_and_taken_out_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
