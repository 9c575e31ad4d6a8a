/* The configuration as a whole: files, environment and flags in their order, and how it is
 * listed. */
#include "source_dir.h"
#include "tmpdir.h"

#include "base/config.h"

/* One test's world: a folder with a user file, a project file and an environment. */
struct world {
    char *dir;
    struct ia_paths paths;
    struct ia_config *config;
    struct ia_err err;
};

static struct world *world_new(const char *user, const char *project)
{
    struct world *w = ia_calloc(1, sizeof(*w));
    w->dir = tmpdir_new();
    w->paths.home = ia_path_join(w->dir, "home");
    w->paths.user_config =
        user ? tmpdir_file(w->dir, "config.toml", user) : ia_path_join(w->dir, "config.toml");
    w->paths.project_config = project ? tmpdir_file(w->dir, "ios-agent.toml", project)
                                      : ia_path_join(w->dir, "ios-agent.toml");
    return w;
}

static void world_free(struct world *w)
{
    ia_config_free(w->config);
    ia_paths_fini(&w->paths);
    tmpdir_free(w->dir);
    free(w);
}

static const char *const no_env[] = {"HOME=/home/ada", NULL};

static enum ia_rc load(struct world *w, const char *const *env)
{
    return ia_config_load(&w->paths, env, &w->config, &w->err);
}

static void without_files_every_key_has_its_default(void **state)
{
    (void)state;
    struct world *w = world_new(NULL, NULL);
    assert_int_equal(load(w, no_env), IA_OK);
    assert_string_equal(ia_config_str(w->config, IA_CFG_RUN_MODEL), "claude-sonnet-5-5");
    assert_string_equal(ia_config_str(w->config, IA_CFG_API_BASE_URL),
                        "https://api.anthropic.com");
    assert_int_equal(ia_config_int(w->config, IA_CFG_RUN_MAX_STEPS), 40);
    assert_int_equal(ia_config_int(w->config, IA_CFG_RUN_VERIFY), 0);
    assert_true(ia_config_real(w->config, IA_CFG_RUN_MAX_USD) == 0);
    for (int i = 0; i < IA_CFG_COUNT; i++) {
        assert_int_equal(ia_config_origin(w->config, (enum ia_config_key)i),
                         IA_CFG_FROM_DEFAULT);
    }
    world_free(w);
}

static void the_later_source_wins_key_by_key(void **state)
{
    (void)state;
    struct world *w = world_new("[run]\nmodel = \"user\"\nmax_steps = 1\nmax_seconds = 1\n"
                                "max_tokens = 1\n[api]\nmax_retries = 1\n",
                                "run.max_steps = 2\nrun.max_seconds = 2\nrun.max_tokens = 2\n");
    const char *env[] = {"IOS_AGENT_RUN_MAX_SECONDS=3", "IOS_AGENT_RUN_MAX_TOKENS=3", NULL};
    assert_int_equal(load(w, env), IA_OK);
    assert_int_equal(
        ia_config_set(w->config, IA_CFG_RUN_MAX_TOKENS, "--max-tokens", "4", &w->err), IA_OK);
    static const struct {
        enum ia_config_key key;
        int value;
        enum ia_config_origin origin;
    } want[] = {
        {IA_CFG_API_IDLE_TIMEOUT_S, 120, IA_CFG_FROM_DEFAULT},
        {IA_CFG_API_MAX_RETRIES, 1, IA_CFG_FROM_USER_FILE},
        {IA_CFG_RUN_MAX_STEPS, 2, IA_CFG_FROM_PROJECT_FILE},
        {IA_CFG_RUN_MAX_SECONDS, 3, IA_CFG_FROM_ENVIRONMENT},
        {IA_CFG_RUN_MAX_TOKENS, 4, IA_CFG_FROM_FLAG},
    };
    for (size_t i = 0; i < IA_COUNTOF(want); i++) {
        assert_int_equal(ia_config_int(w->config, want[i].key), want[i].value);
        assert_int_equal(ia_config_origin(w->config, want[i].key), want[i].origin);
    }
    assert_string_equal(ia_config_str(w->config, IA_CFG_RUN_MODEL), "user");
    world_free(w);
}

struct bad {
    const char *text;
    const char *place; /* ":line:column: " */
    const char *msg;
    const char *hint; /* NULL: none is asked for */
};

static const struct bad bad_files[] = {
    {"[run]\nmodle = \"x\"\n", ":2:1: ", "unknown key run.modle", "did you mean run.model?"},
    {"model = \"x\"\n", ":1:1: ", "unknown key model", "did you mean run.model?"},
    {"[run]\nsteps = 1\n", ":2:1: ", "unknown key run.steps", "did you mean run.max_steps?"},
    {"[api]\nkey = \"sk-ant-oat-secret\"\n", ":2:1: ", "unknown key api.key", "key set"},
    {"[rum]\nmodel = \"x\"\n", ":1:2: ", "unknown section [rum]", "did you mean [run]?"},
    {"[zzzzzzzz]\n", ":1:2: ", "unknown section [zzzzzzzz]", "ios-agent config"},
    {"run = 3\n", ":1:1: ", "run must be a section, not an integer", NULL},
    {"agents = []\n", ":1:1: ", "agents must be a section, not a list of strings", NULL},
    {"\"run.model\" = \"x\"\n", ":1:1: ", "unknown key \"run.model\"", NULL},
    {"run.model = 3\n", ":1:", "run.model must be a string, not an integer", NULL},
    {"run.model = { a = 1 }\n", ":1:", "must be a string, not a section", NULL},
    {"run.model = \"a\\u0000b\"\n", ":1:", "not a string with a NUL", NULL},
    {"run.model = \"a\\nb\"\n", ":1:", "run.model contains a control character at byte 1",
     NULL},
    {"run.max_steps = \"3\"\n", ":1:", "run.max_steps must be an integer, not a string", NULL},
    {"run.max_steps = 2.5\n", ":1:", "must be an integer, not a number", NULL},
    {"run.max_steps = 0\n", ":1:", "must be between 1 and 1000, not \"0\"", NULL},
    {"run.max_steps = 1001\n", ":1:", "must be between 1 and 1000", NULL},
    {"run.max_steps = 2020-01-01\n", ":1:", "not a date or time", NULL},
    {"run.max_steps = [1]\n", ":1:", "not an array", NULL},
    {"run.max_steps = true\n", ":1:", "not a boolean", NULL},
    {"run.max_usd = -0.5\n", ":1:", "must be between 0 and 1000000", NULL},
    {"run.max_usd = nan\n", ":1:", "must be a number, not \"nan\"", NULL},
    {"run.max_usd = inf\n", ":1:", "must be a number, not \"inf\"", NULL},
    {"run.verify = \"sometimes\"\n",
     ":1:", "must be one of auto, always, off, not \"sometimes\"", NULL},
    {"run.effort = \"hi\"\n", ":1:", "must be one of low, medium, high, xhigh, max", NULL},
    {"api.base_url = \"ftp://u:hunter2@h\"\n", ":1:", "api.base_url must be a URL", NULL},
    {"api.base_url = \"https://\"\n", ":1:", "names a host", NULL},
    {"api.base_url = \"https://u:p@/v1\"\n", ":1:", "names a host", NULL},
    {"api.base_url = \"https://a b\"\n", ":1:", "names a host", NULL},
    {"[run\n", ":", "", NULL},
    {"run.model = \n", ":1:", "", NULL},
    {"run.model = \"x\"\nrun.model = \"y\"\n", ":2:", "", NULL},
    {"run.model = \"\xff\"\n", ":1:", "", NULL},
    {"a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q = 1\n", ":1:32: ", "too many parts", NULL},
    {"a = [[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]\n", ":1:", "", NULL},
    {"[agents.\"a b\"]\n", ":1:", "the name of agents.\"a b\" must be", NULL},
    {"agents.tester = 1\n", ":1:", "agents.tester must be a section", NULL},
    {"[agents.t]\nmodle = \"x\"\n", ":2:1: ", "unknown key agents.t.modle",
     "did you mean model?"},
    {"[agents.t]\nwisdom = \"x\"\n", ":2:1: ", "unknown key agents.t.wisdom",
     "the keys of an agent are in config.example.toml"},
    {"[agents.t]\nmemory = \"all\"\n",
     ":2:1: ", "agents.t.memory must be one of notes, files, off", NULL},
    {"[agents.t]\nmax_steps = 0\n", ":2:1: ", "agents.t.max_steps must be", NULL},
    {"[agents.t]\ntools = \"tap\"\n",
     ":2:1: ", "agents.t.tools must be a list of strings, not a string", NULL},
    {"[agents.t]\ntools = [\"a\\tb\"]\n",
     ":2:1: ", "agents.t.tools contains a control character", NULL},
    {"[run]\nmax_steps = 1\nzz = 1\naa = 1\n", ":3:1: ", "unknown key run.zz", NULL},
};

static void a_bad_file_is_refused_with_its_place(void **state)
{
    (void)state;
    for (size_t i = 0; i < IA_COUNTOF(bad_files); i++) {
        const struct bad *b = &bad_files[i];
        struct world *w = world_new(b->text, NULL);
        print_message("%s", b->text);
        assert_int_equal(load(w, no_env), IA_E_CONFIG);
        print_message("    %s (%s)\n", w->err.msg, w->err.hint);
        assert_null(w->config);
        assert_int_equal(w->err.code, IA_E_CONFIG);
        size_t n = strlen(w->paths.user_config);
        assert_memory_equal(w->err.msg, w->paths.user_config, n);
        assert_memory_equal(w->err.msg + n, b->place, strlen(b->place));
        assert_non_null(strstr(w->err.msg, b->msg));
        assert_true(!b->hint || strstr(w->err.hint, b->hint) || strstr(w->err.msg, b->hint));
        assert_null(strstr(w->err.msg, "hunter2"));
        assert_null(strstr(w->err.msg, "sk-ant"));
        world_free(w);
    }
}

static void every_mistake_of_a_file_is_told_from_its_top(void **state)
{
    (void)state;
    struct world *w =
        world_new("[run]\nmax_steps = \"x\"\nmodle = \"m\"\n[lgo]\nlevel = \"warn\"\n", NULL);
    assert_int_equal(load(w, no_env), IA_E_CONFIG);
    const char *first = strstr(w->err.msg, ":2:1: run.max_steps must be an integer");
    const char *second =
        strstr(w->err.msg, ":3:1: unknown key run.modle (did you mean run.model?)");
    const char *third = strstr(w->err.msg, "unknown section [lgo] (did you mean [log]?)");
    assert_true(first && second && third && first < second && second < third);
    world_free(w);
    struct ia_buf many = IA_BUF(1 << 16);
    ia_buf_puts(&many, "[run]\n");
    for (int i = 0; i < 30; i++) {
        ia_buf_printf(&many, "unknown_key_number_%d_with_a_long_name = 1\n", i);
    }
    w = world_new(ia_buf_cstr(&many), NULL);
    assert_int_equal(load(w, no_env), IA_E_CONFIG);
    assert_non_null(strstr(w->err.hint, "not shown"));
    assert_true(strlen(w->err.msg) < sizeof(w->err.msg));
    world_free(w);
    ia_buf_fini(&many);
}

static void a_project_may_not_decide_where_the_key_goes(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "[api]\nbase_url = \"https://evil.example\"\n",
        "[api]\nproxy = \"http://evil.example\"\n",
        "[api]\nca_bundle = \"mine.pem\"\n",
        "[log]\nfile = \"/etc/passwd\"\n",
    };
    for (size_t i = 0; i < IA_COUNTOF(texts); i++) {
        struct world *w = world_new(NULL, texts[i]);
        assert_int_equal(load(w, no_env), IA_E_CONFIG);
        assert_non_null(strstr(w->err.msg, "ios-agent.toml:2:1: "));
        assert_non_null(strstr(w->err.msg, "a project's file cannot set"));
        assert_non_null(strstr(w->err.hint, w->paths.user_config));
        world_free(w);
    }
}

static const struct bad bad_variables[] = {
    {"IOS_AGENT_MAX_STEPS=3", "", "unknown variable IOS_AGENT_MAX_STEPS",
     "IOS_AGENT_RUN_MAX_STEPS"},
    {"IOS_AGENT_MODEL=x", "", "unknown variable IOS_AGENT_MODEL", "IOS_AGENT_RUN_MODEL"},
    {"IOS_AGENT_BASE_URL=x", "", "unknown variable IOS_AGENT_BASE_URL",
     "IOS_AGENT_API_BASE_URL"},
    {"IOS_AGENT_RUN_MODLE=x", "", "unknown variable IOS_AGENT_RUN_MODLE",
     "did you mean IOS_AGENT_RUN_MODEL?"},
    {"IOS_AGENT_API_ZZZZZZZZZZZZZZ=x", "", "unknown variable", "lists every variable"},
    {"IOS_AGENT_RUN_MAX_STEPS=many",
     "IOS_AGENT_RUN_MAX_STEPS: ", "must be an integer, not \"many\"", NULL},
    {"IOS_AGENT_RUN_MAX_STEPS=1x", "IOS_AGENT_RUN_MAX_STEPS: ", "must be an integer", NULL},
    {"IOS_AGENT_RUN_MAX_STEPS= 1", "IOS_AGENT_RUN_MAX_STEPS: ", "must be an integer", NULL},
    {"IOS_AGENT_RUN_MAX_STEPS=99999999999999999999", "", "must be between 1 and 1000", NULL},
    {"IOS_AGENT_RUN_MAX_STEPS=1111111111111111111111111111111111111111111111111111", "",
     "must be an integer", NULL},
    {"IOS_AGENT_RUN_MAX_USD=0x10", "", "must be a number", NULL},
    {"IOS_AGENT_RUN_MAX_USD=1e999", "", "must be between", NULL},
    {"IOS_AGENT_RUN_MAX_USD=1.5.5", "", "must be a number", NULL},
    {"IOS_AGENT_RUN_MODEL=\xff", "", "not UTF-8 at byte 0", NULL},
    {"ANTHROPIC_BASE_URL=localhost:80", "ANTHROPIC_BASE_URL: ", "must be a URL", NULL},
};

static void a_bad_variable_is_refused_by_its_name(void **state)
{
    (void)state;
    for (size_t i = 0; i < IA_COUNTOF(bad_variables); i++) {
        const struct bad *b = &bad_variables[i];
        const char *env[] = {"HOME=/h", b->text, NULL};
        struct world *w = world_new(NULL, NULL);
        assert_int_equal(load(w, env), IA_E_CONFIG);
        print_message("    %s (%s)\n", w->err.msg, w->err.hint);
        assert_memory_equal(w->err.msg, b->place, strlen(b->place));
        assert_non_null(strstr(w->err.msg, b->msg));
        assert_true(!b->hint || strstr(w->err.hint, b->hint) || strstr(w->err.msg, b->hint));
        world_free(w);
    }
}

static void other_variables_of_the_prefix_are_left_alone(void **state)
{
    (void)state;
    const char *env[] = {"IOS_AGENT_HOME=/x", "IOS_AGENT_NEW_THING=1",
                         "IOS_AGENT_RUN_MODEL=", "IOS_AGENT_RUNNER=1", NULL};
    struct world *w = world_new(NULL, NULL);
    assert_int_equal(load(w, env), IA_OK);
    assert_string_equal(ia_config_str(w->config, IA_CFG_RUN_MODEL), "claude-sonnet-5-5");
    world_free(w);
}

static void the_variable_named_after_the_key_wins_over_the_shared_one(void **state)
{
    (void)state;
    const char *both[] = {"IOS_AGENT_API_BASE_URL=http://own:1",
                          "ANTHROPIC_BASE_URL=http://b:2", NULL};
    struct world *w = world_new("api.base_url = \"http://file\"\n", NULL);
    assert_int_equal(load(w, both), IA_OK);
    assert_string_equal(ia_config_str(w->config, IA_CFG_API_BASE_URL), "http://own:1");
    ia_config_free(w->config);
    assert_int_equal(load(w, both + 1), IA_OK);
    assert_string_equal(ia_config_str(w->config, IA_CFG_API_BASE_URL), "http://b:2");
    ia_config_free(w->config);
    const char *device[] = {"IOS_AGENT_DEVICE=embedded:b", NULL};
    assert_int_equal(load(w, device), IA_OK);
    assert_string_equal(ia_config_str(w->config, IA_CFG_RUN_DEVICE), "embedded:b");
    world_free(w);
}

static void paths_start_where_they_were_written(void **state)
{
    (void)state;
    static const struct {
        const char *written, *want;
    } cases[] = {{"p", "@/p"}, {"/abs", "/abs"}, {"~/p", "/home/ada/p"}, {"~", "/home/ada"}};
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        char text[64];
        snprintf(text, sizeof(text), "prompts.dir = \"%s\"\n", cases[i].written);
        struct world *w = world_new(text, NULL);
        char *want = cases[i].want[0] == '@' ? ia_path_join(w->dir, cases[i].want + 2)
                                             : ia_strdup(cases[i].want);
        assert_int_equal(load(w, no_env), IA_OK);
        assert_string_equal(ia_config_str(w->config, IA_CFG_PROMPTS_DIR), want);
        free(want);
        world_free(w);
    }
    struct world *w = world_new("prompts.dir = \"~/p\"\n", NULL);
    const char *homeless[] = {NULL};
    assert_int_equal(load(w, homeless), IA_E_CONFIG);
    assert_non_null(strstr(w->err.msg, "HOME is not set"));
    world_free(w);
}

static void a_missing_file_is_an_error_only_when_it_was_named(void **state)
{
    (void)state;
    struct world *w = world_new(NULL, NULL);
    w->paths.user_config_named = true;
    assert_int_equal(load(w, no_env), IA_E_NOT_FOUND);
    assert_non_null(strstr(w->err.msg, "config.toml"));
    world_free(w);
}

static void a_file_that_cannot_be_read_is_an_error(void **state)
{
    (void)state;
    struct world *w = world_new(NULL, NULL);
    assert_int_equal(mkdir(w->paths.user_config, 0700), 0);
    assert_int_equal(load(w, no_env), IA_E_IO);
    assert_non_null(strstr(w->err.msg, "config.toml"));
    assert_non_null(strstr(w->err.hint, "configuration"));
    world_free(w);
}

static void a_huge_file_is_refused(void **state)
{
    (void)state;
    char *text = ia_alloc(IA_CONFIG_FILE_MAX + 2);
    memset(text, '\n', IA_CONFIG_FILE_MAX + 1);
    text[IA_CONFIG_FILE_MAX + 1] = '\0';
    struct world *w = world_new(text, NULL);
    assert_int_equal(load(w, no_env), IA_E_LIMIT);
    text[IA_CONFIG_FILE_MAX] = '\0';
    struct world *w2 = world_new(text, NULL);
    assert_int_equal(load(w2, no_env), IA_OK);
    world_free(w);
    world_free(w2);
    free(text);
}

static void flags_are_checked_and_named(void **state)
{
    (void)state;
    struct world *w = world_new(NULL, NULL);
    assert_int_equal(load(w, no_env), IA_OK);
    struct ia_config *c = w->config;
    assert_int_equal(ia_config_set(c, IA_CFG_RUN_MAX_STEPS, "--max-steps", "0", &w->err),
                     IA_E_CONFIG);
    assert_string_equal(w->err.msg,
                        "--max-steps: run.max_steps must be between 1 and 1000, not \"0\"");
    assert_int_equal(ia_config_int(c, IA_CFG_RUN_MAX_STEPS), 40);
    assert_int_equal(ia_config_set(c, IA_CFG_RUN_MODEL, "--model", "a=b", &w->err), IA_OK);
    assert_string_equal(ia_config_str(c, IA_CFG_RUN_MODEL), "a=b");
    assert_int_equal(ia_config_set(c, IA_CFG_RUN_MODEL, "--model", "", &w->err), IA_OK);
    assert_string_equal(ia_config_str(c, IA_CFG_RUN_MODEL), "");
    world_free(w);
}

static void agents_are_merged_key_by_key(void **state)
{
    (void)state;
    struct world *w = world_new("[agents.tester]\nmodel = \"m1\"\ntools = [\"tap\", \"back\"]\n"
                                "[agents.empty]\n",
                                "[agents.tester]\nmodel = \"m2\"\nprompt = \"p.md\"\n"
                                "[agents.second]\ntools = []\n");
    assert_int_equal(load(w, no_env), IA_OK);
    const struct ia_config_agent *a = ia_config_agent(w->config, "tester");
    char *prompt = ia_path_join(w->dir, "p.md");
    assert_non_null(a);
    assert_string_equal(a->model, "m2");
    assert_string_equal(a->prompt, prompt);
    assert_string_equal(a->tools[0], "tap");
    assert_string_equal(a->tools[1], "back");
    assert_null(a->tools[2]);
    a = ia_config_agent(w->config, "second");
    assert_non_null(a->tools);
    assert_null(a->tools[0]);
    a = ia_config_agent(w->config, "empty");
    assert_string_equal(a->model, "");
    assert_null(a->tools);
    assert_null(ia_config_agent(w->config, "nobody"));
    free(prompt);
    world_free(w);
}

static void an_agent_has_a_role_skills_and_a_budget(void **state)
{
    (void)state;
    struct world *w = world_new("[agents.lead]\nrole = \"plans\"\nskills = [\"vision\"]\n"
                                "may_call = [\"courier\", \"customer\"]\nmemory = \"files\"\n"
                                "max_steps = 7\nmax_seconds = 60\nmax_tokens = 5000\n"
                                "max_usd = 0.25\n",
                                NULL);
    assert_int_equal(load(w, no_env), IA_OK);
    const struct ia_config_agent *a = ia_config_agent(w->config, "lead");
    assert_string_equal(a->role, "plans");
    assert_string_equal(a->skills[0], "vision");
    assert_string_equal(a->may_call[1], "customer");
    assert_string_equal(a->memory, "files");
    assert_int_equal(a->max_steps, 7);
    assert_int_equal(a->max_seconds, 60);
    assert_int_equal(a->max_tokens, 5000);
    assert_true(a->max_usd > 0.24 && a->max_usd < 0.26);
    assert_null(a->tools);
    world_free(w);
}

static void the_number_of_agents_and_tools_is_capped(void **state)
{
    (void)state;
    struct ia_buf agents = IA_BUF(100000);
    struct ia_buf tools = IA_BUF(100000);
    ia_buf_puts(&tools, "[agents.t]\ntools = [");
    for (int i = 0; i < 65; i++) {
        ia_buf_printf(&agents, "[agents.a%d]\n", i);
        ia_buf_printf(&tools, "\"t%d\",", i);
    }
    ia_buf_puts(&tools, "]\n");
    struct world *w = world_new(ia_buf_cstr(&agents), NULL);
    assert_int_equal(load(w, no_env), IA_E_CONFIG);
    assert_non_null(strstr(w->err.msg, "more than 64 agents"));
    struct world *w2 = world_new(ia_buf_cstr(&tools), NULL);
    assert_int_equal(load(w2, no_env), IA_E_CONFIG);
    assert_non_null(strstr(w2->err.msg, "agents.t.tools has more than 64 items"));
    world_free(w);
    world_free(w2);
    ia_buf_fini(&agents);
    ia_buf_fini(&tools);
}

static void the_list_names_value_origin_and_place_but_no_password(void **state)
{
    (void)state;
    struct world *w = world_new("[api]\nproxy = \"http://ada:hunter2@proxy.example:3128/\"\n"
                                "[agents.t]\ntools = [\"tap\"]\n",
                                NULL);
    const char *env[] = {"IOS_AGENT_RUN_MAX_STEPS=7", NULL};
    struct ia_buf text = IA_BUF(1 << 20);
    struct ia_buf json = IA_BUF(1 << 20);
    struct ia_jsonw jw;
    assert_int_equal(load(w, env), IA_OK);
    assert_int_equal(ia_config_set(w->config, IA_CFG_RUN_MODEL, "--model", "m", NULL), IA_OK);
    ia_config_text(w->config, &text);
    ia_jsonw_init(&jw, &json);
    ia_config_json(w->config, IA_CFG_MAY_ALL, &jw);
    assert_true(ia_buf_ok(&text) && ia_buf_ok(&json));
    assert_non_null(strstr(ia_buf_cstr(&text), "run.model = \"m\"  # flag --model\n"));
    assert_non_null(strstr(ia_buf_cstr(&text),
                           "run.max_steps = 7  # environment IOS_AGENT_RUN_MAX_STEPS\n"));
    assert_non_null(strstr(ia_buf_cstr(&text), "run.verify = \"auto\"  # default\n"));
    assert_non_null(
        strstr(ia_buf_cstr(&text), "api.proxy = \"http://***@proxy.example:3128/\""));
    assert_non_null(strstr(ia_buf_cstr(&text), "[agents.t]\ntools = [\"tap\"]  # user file "));
    assert_non_null(strstr(ia_buf_cstr(&json),
                           "{\"key\":\"run.max_steps\",\"value\":7,\"origin\":\"environment\","
                           "\"where\":\"IOS_AGENT_RUN_MAX_STEPS\",\"variable\":"
                           "\"IOS_AGENT_RUN_MAX_STEPS\",\"help\":"));
    assert_non_null(strstr(ia_buf_cstr(&json), "config.toml:2:1\""));
    assert_non_null(
        strstr(ia_buf_cstr(&json),
               "{\"name\":\"t\",\"model\":null,\"prompt\":null,\"tools\":[\"tap\"],"));
    assert_null(strstr(ia_buf_cstr(&text), "hunter2"));
    assert_null(strstr(ia_buf_cstr(&json), "hunter2"));
    assert_string_equal(ia_config_str(w->config, IA_CFG_API_PROXY),
                        "http://ada:hunter2@proxy.example:3128/");
    ia_buf_fini(&text);
    ia_buf_fini(&json);
    world_free(w);
}

static void the_listed_text_is_a_file_with_the_same_values(void **state)
{
    (void)state;
    const char *env[] = {"IOS_AGENT_RUN_MAX_USD=0.1", "IOS_AGENT_RUN_MODEL=a\"b\\c é", NULL};
    struct world *w = world_new("[agents.t]\nmodel = \"m\"\n", NULL);
    struct ia_buf first = IA_BUF(1 << 20);
    assert_int_equal(load(w, env), IA_OK);
    ia_config_text(w->config, &first);
    struct world *w2 = world_new(ia_buf_cstr(&first), NULL);
    assert_int_equal(load(w2, no_env), IA_OK);
    for (int i = 0; i < IA_CFG_COUNT; i++) {
        assert_string_equal(ia_config_str(w->config, (enum ia_config_key)i),
                            ia_config_str(w2->config, (enum ia_config_key)i));
    }
    assert_string_equal(ia_config_agent(w2->config, "t")->model, "m");
    ia_buf_fini(&first);
    world_free(w);
    world_free(w2);
}

/* The example with every setting taken out of its comment: "#key = value" becomes
 * "key = value"; "# text" stays. */
static char *uncommented(const char *path)
{
    struct ia_buf example = IA_BUF(1 << 16);
    struct ia_buf settings = IA_BUF(1 << 16);
    assert_int_equal(ia_file_read(path, &example, NULL), IA_OK);
    for (const char *p = ia_buf_cstr(&example); *p;) {
        size_t n = strcspn(p, "\n") + 1;
        bool setting = p[0] == '#' && p[1] >= 'a' && p[1] <= 'z';
        ia_buf_put(&settings, p + setting, n - setting);
        p += n;
    }
    ia_buf_fini(&example);
    return ia_buf_steal(&settings);
}

static void the_example_has_every_key_with_its_default(void **state)
{
    (void)state;
    char *text = uncommented(IA_SOURCE_DIR "/config.example.toml");
    struct world *w = world_new(text, NULL);
    struct world *defaults = world_new(NULL, NULL);
    assert_int_equal(load(w, no_env), IA_OK);
    assert_int_equal(load(defaults, no_env), IA_OK);
    for (int i = 0; i < IA_CFG_COUNT; i++) {
        enum ia_config_key key = (enum ia_config_key)i;
        print_message("%s\n", ia_config_key_name(key));
        assert_int_equal(ia_config_origin(w->config, key), IA_CFG_FROM_USER_FILE);
        assert_string_equal(ia_config_str(w->config, key),
                            ia_config_str(defaults->config, key));
    }
    free(text);
    world_free(w);
    world_free(defaults);
}

static void the_example_as_it_is_changes_nothing(void **state)
{
    (void)state;
    struct ia_buf example = IA_BUF(1 << 16);
    assert_int_equal(ia_file_read(IA_SOURCE_DIR "/config.example.toml", &example, NULL), IA_OK);
    struct world *w = world_new(NULL, ia_buf_cstr(&example));
    assert_int_equal(load(w, no_env), IA_OK);
    for (int i = 0; i < IA_CFG_COUNT; i++) {
        assert_int_equal(ia_config_origin(w->config, (enum ia_config_key)i),
                         IA_CFG_FROM_DEFAULT);
    }
    ia_buf_fini(&example);
    world_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_files_every_key_has_its_default),
        cmocka_unit_test(the_later_source_wins_key_by_key),
        cmocka_unit_test(a_bad_file_is_refused_with_its_place),
        cmocka_unit_test(every_mistake_of_a_file_is_told_from_its_top),
        cmocka_unit_test(a_project_may_not_decide_where_the_key_goes),
        cmocka_unit_test(a_bad_variable_is_refused_by_its_name),
        cmocka_unit_test(other_variables_of_the_prefix_are_left_alone),
        cmocka_unit_test(the_variable_named_after_the_key_wins_over_the_shared_one),
        cmocka_unit_test(paths_start_where_they_were_written),
        cmocka_unit_test(a_missing_file_is_an_error_only_when_it_was_named),
        cmocka_unit_test(a_file_that_cannot_be_read_is_an_error),
        cmocka_unit_test(a_huge_file_is_refused),
        cmocka_unit_test(flags_are_checked_and_named),
        cmocka_unit_test(agents_are_merged_key_by_key),
        cmocka_unit_test(an_agent_has_a_role_skills_and_a_budget),
        cmocka_unit_test(the_number_of_agents_and_tools_is_capped),
        cmocka_unit_test(the_list_names_value_origin_and_place_but_no_password),
        cmocka_unit_test(the_example_has_every_key_with_its_default),
        cmocka_unit_test(the_example_as_it_is_changes_nothing),
        cmocka_unit_test(the_listed_text_is_a_file_with_the_same_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
