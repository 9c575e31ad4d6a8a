#include "test.h"

#include "agent/goal/goalfile.h"
#include "base/buf.h"
#include "base/toml.h"
#include "tmpdir.h"

#include <sys/stat.h>
#include <unistd.h>

static const char *const env[] = {"SHOP_USER=eve", "PASSWORD=hunter2", NULL};
static const char *const flags[] = {"city=Bern", "user=flag"};
static const struct ia_run_request base = {
    .model = "base-model",
    .hint = "base hint",
    .budget = {.max_steps = 40, .max_seconds = 900},
};
static const struct ia_goal_sources sources = {.env = env, .base = &base};
static const struct ia_goal_sources with_flags = {
    .env = env, .base = &base, .vars = flags, .var_count = IA_COUNTOF(flags)};

static struct ia_goals *parse(const char *text, const struct ia_goal_sources *src)
{
    struct ia_goals *set = NULL;
    struct ia_err err = {0};
    enum ia_rc rc = ia_goals_parse("shop.toml", ia_str(text), src, &set, &err);
    if (rc != IA_OK) {
        print_message("%s (%s)\n", err.msg, err.hint);
    }
    assert_int_equal(rc, IA_OK);
    return set;
}

#define GOAL(more) "[[goal]]\nname = \"n\"\ngoal = \"g\"\n" more

static const char sample[] =
    "env = [\"SHOP_USER\"]\n"
    "[vars]\n"
    "user = \"{{SHOP_USER|ada}}\"\n"
    "[defaults]\n"
    "app = \"com.example.shop\"\n"
    "tags = [\"shop\"]\n"
    "budget = { max_steps = 20, max_usd = 0.5 }\n"
    "retries = 1\n"
    "[steps.login]\n"
    "inputs = [\"who\"]\n"
    "secrets = [\"PASSWORD\"]\n"
    "goal = \"log in as {{who}} with {{secret:PASSWORD}}\"\n"
    "[[goal]]\n"
    "name = \"log in\"\n"
    "goal = \"check that {{user}} is greeted\"\n"
    "uses = [{ step = \"login\", who = \"{{user}}\" }]\n"
    "[[goal]]\n"
    "name = \"buy\"\n"
    "goal = \"buy {{what}} in {{city|Zug}}\"\n"
    "hint = \"own hint\"\n"
    "needs = [\"log in\"]\n"
    "setup = [\"reset\", \"launch com.example.shop\", \"open-url shop://cart?a=1\"]\n"
    "expect = [\"text \\\"{{what}}\\\"\", \"app com.example.shop\"]\n"
    "tags = [\"smoke\", \"cart\"]\n"
    "model = \"m\"\n"
    "verify = \"off\"\n"
    "effort = \"low\"\n"
    "device = \"embedded:own\"\n"
    "budget = { max_steps = 5 }\n"
    "repeat = 3\n"
    "retries = 0\n"
    "vars = { what = \"pears\" }\n";

static void defaults_and_variables_and_steps_make_a_request(void **state)
{
    (void)state;
    struct ia_goals *set = parse(sample, &sources);
    assert_int_equal(ia_goals_count(set), 2);
    const struct ia_goal *g = ia_goals_at(set, 0);
    assert_string_equal(g->req.name, "log in");
    assert_string_equal(g->req.goal,
                        "log in as eve with {{secret:PASSWORD}}\ncheck that eve is greeted");
    assert_string_equal(g->req.app, "com.example.shop");
    assert_string_equal(g->req.hint, "base hint");
    assert_string_equal(g->req.model, "base-model");
    assert_int_equal(g->req.secret_count, 1);
    assert_string_equal(g->req.secrets[0], "PASSWORD");
    assert_int_equal(g->req.budget.max_steps, 20);
    assert_int_equal(g->req.budget.max_seconds, 900);
    assert_true(g->req.budget.max_usd == 0.5);
    assert_int_equal(g->retries, 1);
    assert_int_equal(g->repeat, -1);
    assert_null(g->device);
    assert_string_equal(g->file, "shop.toml");
    assert_int_equal(g->line, 14);
    assert_int_equal(g->need_count, 0);
    ia_goals_free(set);
}

static void a_goals_own_values_win(void **state)
{
    (void)state;
    struct ia_goals *set = parse(sample, &sources);
    const struct ia_goal *g = ia_goals_at(set, 1);
    assert_string_equal(g->req.goal, "buy pears in Zug");
    assert_string_equal(g->req.hint, "own hint");
    assert_string_equal(g->req.model, "m");
    assert_string_equal(g->req.effort, "low");
    assert_int_equal(g->req.verify, IA_VERIFY_OFF);
    assert_string_equal(g->device, "embedded:own");
    assert_int_equal(g->req.budget.max_steps, 5);
    assert_true(g->req.budget.max_usd == 0.5);
    assert_int_equal(g->repeat, 3);
    assert_int_equal(g->retries, 0);
    assert_int_equal(g->tag_count, 2);
    assert_string_equal(g->tags[0], "smoke");
    assert_int_equal(g->req.expect_count, 2);
    assert_string_equal(g->req.expect[0], "text \"pears\"");
    assert_int_equal(g->req.setup_count, 3);
    assert_int_equal(g->req.setup[0].kind, IA_SETUP_RESET);
    assert_null(g->req.setup[0].value);
    assert_int_equal(g->req.setup[2].kind, IA_SETUP_OPEN_URL);
    assert_string_equal(g->req.setup[2].value, "shop://cart?a=1");
    assert_int_equal(g->need_count, 1);
    assert_int_equal(g->needs[0], 0);
    assert_int_equal(g->group, 0);
    ia_goals_free(set);
    set = parse(sample, &with_flags);
    assert_string_equal(ia_goals_at(set, 1)->req.goal, "buy pears in Bern");
    assert_non_null(strstr(ia_goals_at(set, 0)->req.goal, "as flag with"));
    ia_goals_free(set);
}

static const struct {
    const char *text, *say, *hint;
} mistakes[] = {
    {"a = ", "shop.toml:1:", ""},
    {"[default]\n", "shop.toml:1:2: unknown key default", "did you mean defaults?"},
    {"[[goals]]\n", "shop.toml:1:3: unknown key goals", "did you mean goal?"},
    {GOAL("expects = []\n"), "shop.toml:4:1: unknown key expects", "did you mean expect?"},
    {GOAL("zzz = 1\n"), "shop.toml:4:1: unknown key zzz", "allowed here: vars, name"},
    {GOAL("") "[defaults]\nname = \"x\"\n", "shop.toml:5:1: unknown key name", ""},
    {GOAL("budget = { max_step = 1 }\n"), "shop.toml:4:12: unknown key max_step",
     "did you mean max_steps?"},
    {GOAL("budget = { max_steps = 0 }\n"), "4:12: max_steps must be 1 to 1000", ""},
    {GOAL("budget = { max_usd = -1.0 }\n"), "4:12: max_usd must be 0 to 1000000", ""},
    {GOAL("budget = { max_usd = nan }\n"), "4:12: max_usd must be 0 to 1000000", ""},
    {GOAL("app = 1\n"), "4:1: app must be a string, not an integer", ""},
    {GOAL("app = \" \"\n"), "4:1: app is empty", ""},
    {GOAL("app = \"x\\u0000\"\n"), "4:1: app must be a string, not a string with a NUL", ""},
    {GOAL("repeat = 0\n"), "4:1: repeat must be 1 to 1000", ""},
    {GOAL("retries = 21\n"), "4:1: retries must be 0 to 20", ""},
    {GOAL("verify = \"of\"\n"), "4:1: verify must be one of auto, always, off",
     "did you mean off?"},
    {GOAL("hint = \"{{usr}}\"\n[vars]\nuser=\"x\"\n"), "4:8: the variable \"usr\" is not set",
     "did you mean {{user}}?"},
    {GOAL("expect = [\n  \"app a\",\n  \"visble #x\",\n]\n"), "shop.toml:6:3: expectation",
     "visible, gone, appears"},
    {GOAL("expect = [\"text {{q}}\"]\n[vars]\nq = \"oops\"\n"), "shop.toml:4:11: ", ""},
    {GOAL("expect = [1]\n"), "4:11: an expectation must be a string", ""},
    {GOAL("expect = \"app a\"\n"), "4:1: expect must be a list, not a string", ""},
    {GOAL("setup = [\"rset\"]\n"), "4:10: unknown setup step \"rset\"", "did you mean reset?"},
    {GOAL("setup = [\"reset now\"]\n"), "4:10: reset takes no argument", ""},
    {GOAL("setup = [\"launch \"]\n"), "4:10: launch needs a bundle id", ""},
    {GOAL("setup = [\"open-url\"]\n"), "4:10: open-url needs a URL", ""},
    {GOAL("tags = [\"\"]\n"), "4:9: a tag must have 1 to 200 bytes", ""},
    {GOAL("secrets = [\"A B\"]\n"), "4:12: a secret must be a name", ""},
    {GOAL("hint = \"{{PASSWORD}}\"\n"), "4:8: the variable \"PASSWORD\" is not set",
     "env = [\"PASSWORD\"]"},
    {"env = [\"A-B\"]\n" GOAL(""), "1:8: a variable in env must be a name", ""},
    {"env = [1]\n" GOAL(""), "1:8: a variable in env must be a name", ""},
    {"env = [\"IOS_AGENT_DEVICE_TOKEN\"]\n" GOAL(""), "1:8: a variable in env cannot be", ""},
    {GOAL("secrets = [\"ANTHROPIC_API_KEY\"]\n"), "4:12: a secret cannot be ANTHROPIC_API_KEY",
     ""},
    {GOAL("secrets = [\"PASSWORD\"]\nhint = \"{{PASSWORD}}\"\n"), "5:8: PASSWORD is a secret",
     "{{secret:PASSWORD}}"},
    {GOAL("hint = \"{{secret:PASSWORD}}\"\n"), "4:8: \"PASSWORD\" is not one of", "secrets"},
    {GOAL("needs = [\"m\"]\n"), "4:10: no goal is named \"m\"", ""},
    {GOAL("needs = [\"n\"]\n"), "4:1: circular needs: n \xe2\x86\x92 n", ""},
    {GOAL("uses = [\"log\"]\n[steps.login]\ngoal=\"x\"\n"), "4:9: there is no step \"log\"",
     "did you mean login?"},
    {GOAL("uses = [{ step = \"s\" }]\n[steps.s]\ninputs = [\"a\"]\ngoal = \"x\"\n"),
     "4:9: the step \"s\" needs a = ", ""},
    {GOAL("uses = [{ step = \"s\", b = \"1\" }]\n[steps.s]\ngoal = \"x\"\n"),
     "4:23: the step \"s\" has no input b", ""},
    {GOAL("uses = [1]\n"), "4:9: uses takes", ""},
    {GOAL("uses = [\"s\"]\n[steps.s]\ngoal = \"{{q}}\"\n"),
     "6:8: the variable \"q\" is not set", ""},
    {"[steps.s]\ninputs = []\n", "1:8: the step \"s\" has no goal", ""},
    {"[[goal]]\ngoal = \"g\"\n", "1:1: a goal needs name", ""},
    {"[[goal]]\nname = \"n\"\n", "1:1: a goal needs goal", ""},
    {"[[goal]]\nname = \"n\"\ngoal = \" \"\n", "3:1: goal is empty", ""},
    {"[[goal]]\nname = \"a\\nb\"\ngoal = \"g\"\n", "2:1: a name must have", ""},
    {"[[goal]]\nname = \"{{x}}\"\ngoal = \"g\"\n", "2:1: a name cannot contain variables", ""},
    {GOAL(GOAL("")), "shop.toml:5:1: another goal is named \"n\": shop.toml:2:1", "unique"},
    {"goal = [1]\n", "1:9: a goal must be a section", ""},
    {"goal = 1\n", "1:1: goal must be a list", ""},
    {"[vars]\na = 1\n", "2:1: a must be a string", ""},
    {"[vars]\n\"a b\" = \"x\"\n", "2:1: a variable's name", ""},
    {"[steps]\ns = 1\n", "2:1: a step must be a section", ""},
};

static void mistakes_are_told_with_their_place(void **state)
{
    (void)state;
    for (size_t i = 0; i < IA_COUNTOF(mistakes); i++) {
        struct ia_goals *set = NULL;
        struct ia_err err = {0};
        enum ia_rc rc =
            ia_goals_parse("shop.toml", ia_str(mistakes[i].text), &sources, &set, &err);
        print_message("%s (%s)\n", err.msg, err.hint);
        assert_int_equal(rc, IA_E_CONFIG);
        assert_null(set);
        assert_non_null(strstr(err.msg, mistakes[i].say));
        /* Of several mistakes each has its hint in the message. */
        assert_true(strstr(err.hint, mistakes[i].hint) || strstr(err.msg, mistakes[i].hint));
        assert_null(strstr(err.msg, "hunter2"));
    }
}

static void a_circle_of_needs_is_named(void **state)
{
    (void)state;
    struct ia_goals *set = NULL;
    struct ia_err err = {0};
    const char *text = "[[goal]]\nname = \"start\"\ngoal = \"g\"\nneeds = [\"a\"]\n"
                       "[[goal]]\nname = \"a\"\ngoal = \"g\"\nneeds = [\"b\"]\n"
                       "[[goal]]\nname = \"b\"\ngoal = \"g\"\nneeds = [\"c\"]\n"
                       "[[goal]]\nname = \"c\"\ngoal = \"g\"\nneeds = [\"a\"]\n";
    assert_int_equal(ia_goals_parse("f", ia_str(text), &sources, &set, &err), IA_E_CONFIG);
    assert_string_equal(err.msg, "f:8:1: circular needs: a \xe2\x86\x92 b \xe2\x86\x92 c "
                                 "\xe2\x86\x92 a");
}

static void goals_that_need_each_other_are_one_group(void **state)
{
    (void)state;
    struct ia_goals *set = parse("[[goal]]\nname = \"a\"\ngoal = \"g\"\nneeds = [\"c\"]\n"
                                 "[[goal]]\nname = \"b\"\ngoal = \"g\"\n"
                                 "[[goal]]\nname = \"c\"\ngoal = \"g\"\n"
                                 "[[goal]]\nname = \"d\"\ngoal = \"g\"\nneeds = [\"c\"]\n"
                                 "[[goal]]\nname = \"e\"\ngoal = \"g\"\nneeds = [\"b\"]\n",
                                 &sources);
    static const size_t want[] = {0, 1, 0, 0, 1};
    for (size_t i = 0; i < IA_COUNTOF(want); i++) {
        assert_int_equal(ia_goals_at(set, i)->group, want[i]);
    }
    ia_goals_free(set);
}

/* ---- files and folders ------------------------------------------------------------------- */

static void put_file(const char *folder, const char *name, const char *text)
{
    char path[500];
    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

static void make_folder(const char *folder, const char *name)
{
    char path[500];
    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    assert_int_equal(mkdir(path, 0700), 0);
}

static void make_link(const char *folder, const char *name, const char *to)
{
    char path[500];
    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    assert_int_equal(symlink(to, path), 0);
}

static enum ia_rc load(const char *path, struct ia_goals **ret, struct ia_err *err)
{
    const char *const paths[] = {path};
    return ia_goals_load(paths, 1, &sources, ret, err);
}

#define ONE(name) "[[goal]]\nname = \"" name "\"\ngoal = \"g\"\n"

static void a_folder_is_read_in_byte_order_and_circles_of_links_end(void **state)
{
    (void)state;
    char *dir = tmpdir_new();
    struct ia_goals *set = NULL;
    struct ia_err err = {0};
    make_folder(dir, "b");
    put_file(dir, "z.toml", ONE("z"));
    put_file(dir, "B.toml", ONE("B"));
    put_file(dir, "b.toml", ONE("b"));
    put_file(dir, "b/x.toml", ONE("b/x"));
    put_file(dir, "a.toml", "[steps.s]\ngoal = \"g\"\n");
    put_file(dir, ".hidden.toml", "no TOML");
    put_file(dir, "ios-agent.toml", "[run]\n");
    put_file(dir, "notes.md", "no TOML");
    put_file(dir, "b.rec.toml", "no TOML");
    make_link(dir, "b/loop", "..");
    make_link(dir, "b/self", "self");
    make_link(dir, "zz.toml", "z.toml");
    assert_int_equal(load(dir, &set, &err), IA_OK);
    static const char *const want[] = {"B", "b", "b/x", "z"};
    assert_int_equal(ia_goals_count(set), IA_COUNTOF(want));
    for (size_t i = 0; i < IA_COUNTOF(want); i++) {
        assert_string_equal(ia_goals_at(set, i)->req.name, want[i]);
    }
    ia_goals_free(set);
    tmpdir_free(dir);
}

static void a_file_given_twice_is_read_once(void **state)
{
    (void)state;
    char *dir = tmpdir_new();
    char path[500];
    struct ia_goals *set = NULL;
    struct ia_err err = {0};
    put_file(dir, "a.toml", ONE("a"));
    (void)snprintf(path, sizeof(path), "%s/a.toml", dir);
    const char *const paths[] = {path, dir, path};
    assert_int_equal(ia_goals_load(paths, 2, &sources, &set, &err), IA_E_USAGE);
    put_file(dir, "b.toml", ONE("b"));
    assert_int_equal(ia_goals_load(paths, 3, &sources, &set, &err), IA_OK);
    assert_int_equal(ia_goals_count(set), 2);
    ia_goals_free(set);
    tmpdir_free(dir);
}

static void what_cannot_be_read_is_told(void **state)
{
    (void)state;
    char *dir = tmpdir_new();
    char path[500];
    struct ia_goals *set = NULL;
    struct ia_err err = {0};
    assert_int_equal(load(dir, &set, &err), IA_E_USAGE);
    assert_non_null(strstr(err.msg, "there is no goal file in"));
    put_file(dir, "a.toml", "[vars]\n");
    assert_int_equal(load(dir, &set, &err), IA_E_USAGE);
    assert_non_null(strstr(err.msg, "there is no [[goal]] in"));
    make_link(dir, "broken.toml", "nowhere");
    assert_int_equal(load(dir, &set, &err), IA_E_NOT_FOUND);
    assert_non_null(strstr(err.msg, "broken.toml"));
    (void)snprintf(path, sizeof(path), "%s/none", dir);
    assert_int_equal(load(path, &set, &err), IA_E_NOT_FOUND);
    assert_int_equal(load("/dev/null", &set, &err), IA_E_IO);
    (void)snprintf(path, sizeof(path), "%s/a.toml", dir);
    assert_int_equal(truncate(path, IA_TOML_BYTES_MAX + 1), 0);
    assert_int_equal(load(path, &set, &err), IA_E_CONFIG);
    assert_non_null(strstr(err.msg, "larger than"));
    tmpdir_free(dir);
}

static void names_are_unique_over_all_files(void **state)
{
    (void)state;
    char *dir = tmpdir_new();
    struct ia_goals *set = NULL;
    struct ia_err err = {0};
    put_file(dir, "a.toml", ONE("x"));
    put_file(dir, "b.toml", ONE("y") ONE("x"));
    assert_int_equal(load(dir, &set, &err), IA_E_CONFIG);
    assert_non_null(strstr(err.msg, "b.toml:5:1: another goal is named \"x\""));
    assert_non_null(strstr(err.msg, "a.toml:2:1"));
    tmpdir_free(dir);
}

static void a_bad_flag_is_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"user", "=x", "a b=c"};
    for (size_t i = 0; i < IA_COUNTOF(bad); i++) {
        struct ia_goal_sources src = {
            .env = env, .base = &base, .vars = &bad[i], .var_count = 1};
        struct ia_goals *set = NULL;
        struct ia_err err = {0};
        assert_int_equal(ia_goals_parse("f", ia_str(GOAL("")), &src, &set, &err), IA_E_USAGE);
        assert_non_null(strstr(err.msg, "NAME=VALUE"));
    }
}

#define VARS                                                                                   \
    "[vars]\nwho = \"Ada\"\nn = \"3\"\n[steps.log]\ninputs = [\"as\"]\ngoal = \"as {{as}}\"\n"

/* What a recording of the goal is good for does not depend on values, unless an expectation does. */
static void the_hash_of_a_goal_is_that_of_its_text_before_it_has_values(void **state)
{
    (void)state;
    static const char *const other[] = {"who=Bob"}, *const number[] = {"n=4"};
    static const struct {
        const char *text, *than;
        const char *const *flag;
        bool same;
    } rows[] = {
        {VARS GOAL("hint = \"{{who}}\"\n"), NULL, other, true},
        {VARS GOAL("expect = ['visible \"{{who}}\"']\n"), NULL, other, true},
        {VARS GOAL("expect = ['visible \"{{who}}\"', 'gone \"Not ADA\"']\n"), NULL, other,
         false},
        {VARS GOAL("expect = ['visible \"{{who}}\"', 'gone \"bob\"']\n"), NULL, other, false},
        {VARS GOAL("expect = ['visible \"{{who}}\"', 'gone \"Eve\"']\n"), NULL, other, true},
        {VARS GOAL("app = \"com.{{who}}\"\nsetup = [\"launch {{who}}\"]\n"), NULL, other, true},
        {VARS GOAL("uses = [{ step = \"log\", as = \"{{who}}\" }]\n"), NULL, other, true},
        {VARS GOAL("uses = [{ step = \"log\", as = \"{{who}}\" }]\n"),
         VARS GOAL("uses = [{ step = \"log\", as = \"{{n}}\" }]\n"), NULL, false},
        {VARS GOAL("uses = [{ step = \"log\", as = \"Ada\" }]\n"),
         VARS GOAL("uses = [{ step = \"log\", as = \"Bob\" }]\n"), NULL, false},
        {VARS GOAL("expect = ['count row = {{n}}']\n"), NULL, number, false},
        {VARS GOAL("expect = ['visible \"{{who}}\"']\n"),
         VARS GOAL("expect = ['visible \"Ada\"']\n"), NULL, false},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        char a[IA_GOAL_HASH_SIZE], b[IA_GOAL_HASH_SIZE];
        const struct ia_goal_sources src = {
            .env = env, .base = &base, .vars = rows[i].flag, .var_count = rows[i].flag != NULL};
        struct ia_goals *one = parse(rows[i].text, &sources);
        struct ia_goals *two = parse(rows[i].than ? rows[i].than : rows[i].text, &src);
        ia_goal_hash(&ia_goals_at(one, 0)->req, a);
        ia_goal_hash(&ia_goals_at(two, 0)->req, b);
        if ((strcmp(a, b) == 0) != rows[i].same) {
            fail_msg("%s: %s, %s", rows[i].text, a, b);
        }
        ia_goals_free(one);
        ia_goals_free(two);
    }
}

static void a_request_has_the_variables_that_stand_in_its_texts(void **state)
{
    (void)state;
    struct ia_goals *set = parse(sample, &sources);
    const struct ia_run_request *log_in = &ia_goals_at(set, 0)->req,
                                *buy = &ia_goals_at(set, 1)->req;
    assert_int_equal(log_in->var_count, 1);
    assert_string_equal(log_in->vars[0], "user=eve");
    assert_int_equal(buy->var_count, 2);
    assert_string_equal(buy->vars[0], "what=pears");
    assert_string_equal(buy->vars[1], "city=Zug");
    ia_goals_free(set);
}

static void the_mistakes_of_several_tables_are_told_together(void **state)
{
    (void)state;
    static const struct {
        const char *text, *want;
    } rows[] = {
        {"[vars]\na = 1\n[[goal]]\nname = \"a\"\ngaol = \"x\"\n[[goal]]\nname = \"b\"\ngoal = "
         "7\n",
         "f:2:1: a must be a string, not an integer\n"
         "f:5:1: unknown key gaol (did you mean goal?)\n"
         "f:8:1: goal must be a string, not an integer"},
        {"[[goal]]\nname = \"a\"\ngoal = \"{{x}}\"\n[[goal]]\nname = \"b\"\ngoal = \"g\"\n"
         "expect = [\"visible buton\"]\n",
         "f:3:8: the variable \"x\" is not set"},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct ia_goals *set = NULL;
        struct ia_err err = {0};
        assert_int_equal(ia_goals_parse("f", ia_str(rows[i].text), &sources, &set, &err),
                         IA_E_CONFIG);
        if (strncmp(err.msg, rows[i].want, strlen(rows[i].want)) != 0) {
            fail_msg("%s", err.msg);
        }
        assert_true(i == 0 || strstr(err.msg, "\nf:7:11: "));
    }
}

static void a_flag_that_no_text_uses_is_refused_with_the_nearest_one_that_is(void **state)
{
    (void)state;
    static const char *const flag[] = {"usr=eve"};
    static const struct {
        const char *text, *hint; /* hint NULL: used */
    } rows[] = {
        {GOAL("hint = \"{{user|x}}\"\n"), "did you mean --var user=VALUE?"},
        {GOAL("hint = \"{{user}}\"\nvars = { user = \"x\" }\n"), "--var user=VALUE"},
        {GOAL(""), "leave it out"},
        {GOAL("hint = \"{{usr|x}}\"\n"), NULL},
        {GOAL("hint = \"{{user}}\"\nvars = { user = \"{{usr|x}}\" }\n"), NULL},
        {GOAL("uses = [{ step = \"s\", who = \"{{usr}}\" }]\n"
              "[steps.s]\ninputs = [\"who\"]\ngoal = \"{{who}}\"\n"),
         NULL},
        /* The step's own input, which hides a flag of that name. */
        {GOAL("uses = [{ step = \"s\", usr = \"eve\" }]\n"
              "[steps.s]\ninputs = [\"usr\"]\ngoal = \"{{usr}}\"\n"),
         "leave it out"},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct ia_goal_sources src = {.env = env, .base = &base, .vars = flag, .var_count = 1};
        struct ia_goals *set = NULL;
        struct ia_err err = {0};
        enum ia_rc rc = ia_goals_parse("f", ia_str(rows[i].text), &src, &set, &err);
        if (rc != (rows[i].hint ? IA_E_USAGE : IA_OK)) {
            fail_msg("row %zu: %s", i, err.msg);
        }
        assert_true(!rows[i].hint || strstr(err.hint, rows[i].hint));
        ia_goals_free(set);
    }
}

static void a_goal_becomes_one_for_each_seed_and_wording(void **state)
{
    (void)state;
    static const char text[] = "[defaults]\ndifficulty = 4\n[[goal]]\nname = \"a\"\ngoal = "
                               "\"say {{who}}\"\nwordings = [\"tell "
                               "{{who}}\", \"name {{who}}\"]\nvars = { who = [\"x\", \"y\"], "
                               "plain = \"z\" }\noracle = [\"is "
                               "a.b = \\\"{{who}} {{plain}}\\\"\"]\n[[goal]]\nname = "
                               "\"b\"\ngoal = \"g\"\ndifficulty = 1\n";
    static const struct {
        const char *name, *goal, *oracle;
        int wording, seed;
    } want[] = {
        {"a", "say x", "is a.b = \"x z\"", 1, 1},
        {"a (seed 2)", "say y", "is a.b = \"y z\"", 1, 2},
        {"a (seed 3)", "say x", "is a.b = \"x z\"", 1, 3},
        {"a (wording 2)", "tell x", "is a.b = \"x z\"", 2, 1},
        {"a (wording 2, seed 2)", "tell y", "is a.b = \"y z\"", 2, 2},
        {"a (wording 2, seed 3)", "tell x", "is a.b = \"x z\"", 2, 3},
        {"b", "g", NULL, 1, 1},
    };
    struct ia_goal_sources src = sources;
    src.seeds = 3;
    src.wordings = 2;
    struct ia_goals *set = parse(text, &src);
    assert_int_equal(ia_goals_count(set), 9); /* b has three seeds, too */
    for (size_t i = 0; i < IA_COUNTOF(want); i++) {
        const struct ia_goal *g = ia_goals_at(set, i);
        assert_string_equal(g->req.name, want[i].name);
        assert_string_equal(g->req.goal, want[i].goal);
        assert_string_equal(g->base_name, want[i].oracle ? "a" : "b");
        assert_int_equal(g->difficulty, want[i].oracle ? 4 : 1);
        assert_int_equal(g->wording, want[i].wording);
        assert_int_equal(g->seed, want[i].seed);
        assert_int_equal(g->oracle_count, want[i].oracle ? 1 : 0);
        if (want[i].oracle) {
            assert_string_equal(g->oracle[0], want[i].oracle);
        }
    }
    ia_goals_free(set);
    struct ia_goals *one = parse(text, &sources);
    assert_int_equal(ia_goals_count(one), 2);
    assert_string_equal(ia_goals_at(one, 0)->req.goal, "say x");
    ia_goals_free(one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_and_variables_and_steps_make_a_request),
        cmocka_unit_test(a_goals_own_values_win),
        cmocka_unit_test(mistakes_are_told_with_their_place),
        cmocka_unit_test(a_circle_of_needs_is_named),
        cmocka_unit_test(goals_that_need_each_other_are_one_group),
        cmocka_unit_test(a_folder_is_read_in_byte_order_and_circles_of_links_end),
        cmocka_unit_test(a_file_given_twice_is_read_once),
        cmocka_unit_test(what_cannot_be_read_is_told),
        cmocka_unit_test(names_are_unique_over_all_files),
        cmocka_unit_test(a_bad_flag_is_refused),
        cmocka_unit_test(the_hash_of_a_goal_is_that_of_its_text_before_it_has_values),
        cmocka_unit_test(a_request_has_the_variables_that_stand_in_its_texts),
        cmocka_unit_test(the_mistakes_of_several_tables_are_told_together),
        cmocka_unit_test(a_flag_that_no_text_uses_is_refused_with_the_nearest_one_that_is),
        cmocka_unit_test(a_goal_becomes_one_for_each_seed_and_wording),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
