/* Folders of the program on each platform, joined paths and variables of the environment. */
#include "tmpdir.h"

#include "base/paths.h"

struct row {
    const char *what;
    enum ia_platform platform;
    const char *env[5];
    const char *home;
    const char *user_config;
};

/* A leading "@" stands for the current folder. */
static const struct row rows[] = {
    {"linux defaults",
     IA_PLATFORM_XDG,
     {"HOME=/home/ada"},
     "/home/ada/.local/share/ios-agent",
     "/home/ada/.config/ios-agent/config.toml"},
    {"mac defaults",
     IA_PLATFORM_MACOS,
     {"HOME=/Users/ada"},
     "/Users/ada/Library/Application Support/ios-agent",
     "/Users/ada/Library/Application Support/ios-agent/config.toml"},
    {"xdg variables",
     IA_PLATFORM_XDG,
     {"HOME=/home/ada", "XDG_DATA_HOME=/data", "XDG_CONFIG_HOME=/conf/"},
     "/data/ios-agent",
     "/conf/ios-agent/config.toml"},
    {"relative xdg variables are ignored",
     IA_PLATFORM_XDG,
     {"HOME=/h", "XDG_DATA_HOME=data", "XDG_CONFIG_HOME=./conf"},
     "/h/.local/share/ios-agent",
     "/h/.config/ios-agent/config.toml"},
    {"xdg variables mean nothing on a mac",
     IA_PLATFORM_MACOS,
     {"HOME=/h", "XDG_DATA_HOME=/data", "XDG_CONFIG_HOME=/conf"},
     "/h/Library/Application Support/ios-agent",
     "/h/Library/Application Support/ios-agent/config.toml"},
    {"own variables win",
     IA_PLATFORM_XDG,
     {"HOME=/h", "XDG_DATA_HOME=/data", "IOS_AGENT_HOME=/x", "IOS_AGENT_CONFIG=/y.toml"},
     "/x",
     "/y.toml"},
    {"own variables may be relative",
     IA_PLATFORM_MACOS,
     {"HOME=/h", "IOS_AGENT_HOME=x", "IOS_AGENT_CONFIG=sub/y.toml"},
     "@/x",
     "@/sub/y.toml"},
    {"empty is not set",
     IA_PLATFORM_XDG,
     {"HOME=/h", "XDG_DATA_HOME=", "IOS_AGENT_HOME=", "IOS_AGENT_CONFIG="},
     "/h/.local/share/ios-agent",
     "/h/.config/ios-agent/config.toml"},
};

static void assert_path(const char *path, const char *want)
{
    char cwd[4096];
    assert_non_null(getcwd(cwd, sizeof(cwd)));
    char *full = want[0] == '@' ? ia_path_join(cwd, want + 2) : ia_strdup(want);
    assert_string_equal(path, full);
    free(full);
}

static void folders_follow_the_platform_and_the_environment(void **state)
{
    (void)state;
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct ia_paths p;
        struct ia_err err;
        print_message("%s\n", rows[i].what);
        assert_int_equal(ia_paths_find_on(rows[i].platform, rows[i].env, &p, &err), IA_OK);
        assert_path(p.home, rows[i].home);
        assert_path(p.user_config, rows[i].user_config);
        assert_path(p.project_config, "@/ios-agent.toml");
        ia_paths_fini(&p);
        assert_null(p.home);
    }
}

static void a_named_user_file_is_marked(void **state)
{
    (void)state;
    struct ia_paths p;
    const char *named[] = {"HOME=/h", "IOS_AGENT_CONFIG=/c.toml", NULL};
    const char *plain[] = {"HOME=/h", NULL};
    assert_int_equal(ia_paths_find(named, &p, NULL), IA_OK);
    assert_true(p.user_config_named);
    ia_paths_fini(&p);
    assert_int_equal(ia_paths_find(plain, &p, NULL), IA_OK);
    assert_false(p.user_config_named);
    ia_paths_fini(&p);
}

static void without_home_the_password_database_decides(void **state)
{
    (void)state;
    const char *env[] = {"HOMER=/odyssey", NULL};
    struct ia_paths p;
    assert_int_equal(ia_paths_find_on(IA_PLATFORM_XDG, env, &p, NULL), IA_OK);
    assert_int_equal(p.home[0], '/');
    assert_non_null(strstr(p.home, "/.local/share/ios-agent"));
    assert_null(strstr(p.home, "odyssey"));
    ia_paths_fini(&p);
}

static void a_removed_working_folder_is_an_error_with_a_hint(void **state)
{
    (void)state;
    char before[4096];
    char *dir = tmpdir_new();
    struct ia_paths p;
    struct ia_err err;
    assert_non_null(getcwd(before, sizeof(before)));
    assert_int_equal(chdir(dir), 0);
    assert_int_equal(rmdir(dir), 0);
    enum ia_rc rc = ia_paths_find(NULL, &p, &err);
    assert_int_equal(chdir(before), 0);
    assert_int_equal(rc, IA_E_IO);
    assert_non_null(strstr(err.msg, "current folder"));
    assert_true(err.hint[0] != '\0');
    tmpdir_free(dir);
}

static void joining_keeps_absolute_names_and_single_slashes(void **state)
{
    (void)state;
    static const char *const cases[][3] = {
        {"/a", "b", "/a/b"}, {"/a/", "b", "/a/b"}, {"/a", "/b", "/b"},
        {"", "b", "b"},      {"/", "b", "/b"},     {"a", "", "a/"},
    };
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        char *joined = ia_path_join(cases[i][0], cases[i][1]);
        assert_string_equal(joined, cases[i][2]);
        free(joined);
    }
}

static void variables_are_found_by_their_full_name(void **state)
{
    (void)state;
    const char *env[] = {"AB=1", "A=2", "C=", "D", NULL};
    assert_string_equal(ia_env_get(env, "A"), "2");
    assert_string_equal(ia_env_get(env, "AB"), "1");
    assert_null(ia_env_get(env, "C"));
    assert_null(ia_env_get(env, "D"));
    assert_int_equal(setenv("IA_PATHS_TEST", "here", 1), 0);
    assert_string_equal(ia_env_get(NULL, "IA_PATHS_TEST"), "here");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folders_follow_the_platform_and_the_environment),
        cmocka_unit_test(a_named_user_file_is_marked),
        cmocka_unit_test(without_home_the_password_database_decides),
        cmocka_unit_test(a_removed_working_folder_is_an_error_with_a_hint),
        cmocka_unit_test(joining_keeps_absolute_names_and_single_slashes),
        cmocka_unit_test(variables_are_found_by_their_full_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
