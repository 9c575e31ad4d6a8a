/* config.c: the configuration as it is loaded: defaults, the user's file, the project's file, the
 * environment; flags of a command come last, one at a time.
 *
 *   defaults ─► user's file ─► project's file ─► environment ─► flags     the later one wins
 *
 * Every value keeps where it came from. A source with an error fails the whole load: nothing
 * of the configuration is used in part. */
#include "base/config_schema.h"

#include "base/suggest.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VARIABLE_MAX = 96 };

extern char **environ; /* POSIX has no header for it */

const char *ia_config_key_name(enum ia_config_key key)
{
    return ia_config_rows[key].key;
}

static enum ia_rc set_text(struct ia_config *c, size_t key, enum ia_config_origin origin,
                           const char *where, const char *text, struct ia_err *err)
{
    struct ia_config_value v;
    enum ia_rc rc =
        ia_config_value_parse(&ia_config_rows[key], ia_str(text), c->folder, c->home, &v, err);
    if (rc != IA_OK) {
        return ia_err_wrap(err, rc, "%s", where);
    }
    ia_config_value_put(&c->values[key], v, origin, where);
    return IA_OK;
}

static void set_defaults(struct ia_config *c)
{
    for (size_t i = 0; i < IA_CFG_COUNT; i++) {
        struct ia_config_value v = {0};
        enum ia_rc rc = ia_config_value_parse(&ia_config_rows[i], ia_str(ia_config_rows[i].def),
                                              c->folder, c->home, &v, NULL);
        assert(rc == IA_OK);
        (void)rc;
        ia_config_value_put(&c->values[i], v, IA_CFG_FROM_DEFAULT, NULL);
    }
}

/* True for IOS_AGENT_<SECTION>_… of a section that exists: such a name can only be meant as a
 * key. Other names with the prefix belong to others. */
static bool in_a_section(struct ia_str name)
{
    for (size_t i = 0; i < IA_CFG_COUNT; i++) {
        char prefix[VARIABLE_MAX];
        ia_config_variable(ia_config_rows[i].key, prefix, sizeof(prefix));
        size_t section = strcspn(ia_config_rows[i].key, ".");
        prefix[strlen("IOS_AGENT_") + section + 1] = '\0';
        if (ia_str_starts(name, ia_str(prefix))) {
            return true;
        }
    }
    return false;
}

/* The key that IOS_AGENT_MAX_STEPS means, without its section, or IA_CFG_COUNT. One of [run], where
 * people look first, or of two words: another single word may be anybody's. */
static size_t without_section(struct ia_str name)
{
    static const char prefix[] = "IOS_AGENT_", run[] = "RUN_";
    size_t skip = strlen(prefix);
    for (size_t i = 0; i < IA_CFG_COUNT && ia_str_starts(name, ia_str(prefix)); i++) {
        char variable[VARIABLE_MAX];
        ia_config_variable(ia_config_rows[i].key, variable, sizeof(variable));
        const char *key = variable + skip + strcspn(ia_config_rows[i].key, ".") + 1;
        bool counts = strncmp(variable + skip, run, strlen(run)) == 0 || strchr(key, '_');
        if (counts && ia_str_is((struct ia_str){name.p + skip, name.n - skip}, key)) {
            return i;
        }
    }
    return IA_CFG_COUNT;
}

static enum ia_rc unknown_variable(struct ia_str name, struct ia_err *err)
{
    size_t meant = without_section(name);
    char all[IA_CFG_COUNT][VARIABLE_MAX];
    const char *names[IA_CFG_COUNT];
    for (size_t i = 0; i < IA_CFG_COUNT; i++) {
        ia_config_variable(ia_config_rows[i].key, all[i], sizeof(all[i]));
        names[i] = all[i];
    }
    enum ia_rc rc = ia_err_set(err, IA_E_CONFIG, "environment: unknown variable %.*s",
                               (int)(name.n < 100 ? name.n : 100), name.p);
    const char *near =
        meant < IA_CFG_COUNT ? names[meant] : ia_nearest(name, names, IA_CFG_COUNT);
    ia_err_hint(err, near ? "did you mean %s?" : "`ios-agent config` lists every variable%s",
                near ? near : "");
    return rc;
}

/* Refuses a variable that looks like a key but is none. */
static enum ia_rc check_environment(const char *const *env, struct ia_err *err)
{
    for (; *env; env++) {
        struct ia_str name = {*env, strcspn(*env, "=")};
        bool known = !in_a_section(name) && without_section(name) == IA_CFG_COUNT;
        for (size_t i = 0; i < IA_CFG_COUNT && !known; i++) {
            char variable[VARIABLE_MAX];
            ia_config_variable(ia_config_rows[i].key, variable, sizeof(variable));
            known = ia_str_is(name, variable) || ia_str_is(name, ia_config_rows[i].variable2);
        }
        if (!known) {
            return unknown_variable(name, err);
        }
    }
    return IA_OK;
}

/* The variable named after the key, else the one it shares with other programs. */
static enum ia_rc read_environment(struct ia_config *c, const char *const *env,
                                   struct ia_err *err)
{
    enum ia_rc rc = check_environment(env, err);
    for (size_t i = 0; rc == IA_OK && i < IA_CFG_COUNT; i++) {
        const struct ia_config_row *row = &ia_config_rows[i];
        char variable[VARIABLE_MAX];
        ia_config_variable(row->key, variable, sizeof(variable));
        const char *where = ia_env_get(env, variable) ? variable : row->variable2;
        const char *text = where[0] ? ia_env_get(env, where) : NULL;
        if (text) {
            rc = set_text(c, i, IA_CFG_FROM_ENVIRONMENT, where, text, err);
        }
    }
    return rc;
}

struct ia_config *ia_config_new(const struct ia_paths *paths, const char *const *env)
{
    struct ia_config *c = ia_calloc(1, sizeof(*c));
    c->user_file = ia_strdup(paths->user_config);
    c->project_file = ia_strdup(paths->project_config);
    c->folder = ia_config_folder_of(paths->project_config);
    c->home = ia_strdup(ia_env_get(env, "HOME"));
    set_defaults(c);
    return c;
}

enum ia_rc ia_config_load(const struct ia_paths *paths, const char *const *env,
                          struct ia_config **ret, struct ia_err *err)
{
    if (!env) {
        env = (const char *const *)environ;
    }
    struct ia_config *c = ia_config_new(paths, env);
    enum ia_rc rc = ia_config_read_file(c, c->user_file, IA_CFG_FROM_USER_FILE,
                                        paths->user_config_named, err);
    if (rc == IA_OK) {
        rc = ia_config_read_file(c, c->project_file, IA_CFG_FROM_PROJECT_FILE, false, err);
    }
    if (rc == IA_OK) {
        rc = read_environment(c, env, err);
    }
    if (rc != IA_OK) {
        ia_config_free(c);
        return rc;
    }
    *ret = c;
    return IA_OK;
}

void ia_config_free(struct ia_config *c)
{
    if (!c) {
        return;
    }
    for (size_t i = 0; i < IA_CFG_COUNT; i++) {
        ia_config_value_fini(&c->values[i]);
    }
    for (size_t i = 0; i < c->agent_count; i++) {
        for (size_t k = 0; k < IA_CFG_AGENT_COUNT; k++) {
            ia_config_value_fini(&c->agents[i].values[k]);
        }
        free(c->agents[i].name);
    }
    free(c->user_file);
    free(c->project_file);
    free(c->folder);
    free(c->home);
    free(c);
}

enum ia_rc ia_config_set(struct ia_config *c, enum ia_config_key key, const char *flag,
                         const char *text, struct ia_err *err)
{
    return set_text(c, key, IA_CFG_FROM_FLAG, flag, text, err);
}

const char *ia_config_str(const struct ia_config *c, enum ia_config_key key)
{
    assert(ia_config_rows[key].type != IA_CFG_LIST);
    return c->values[key].text;
}

int64_t ia_config_int(const struct ia_config *c, enum ia_config_key key)
{
    assert(ia_config_rows[key].type == IA_CFG_INT || ia_config_rows[key].type == IA_CFG_ENUM);
    return c->values[key].i;
}

double ia_config_real(const struct ia_config *c, enum ia_config_key key)
{
    assert(ia_config_rows[key].type == IA_CFG_REAL);
    return c->values[key].r;
}

bool ia_config_bool(const struct ia_config *c, enum ia_config_key key)
{
    assert(ia_config_rows[key].type == IA_CFG_BOOL);
    return c->values[key].i != 0;
}

enum ia_config_origin ia_config_origin(const struct ia_config *c, enum ia_config_key key)
{
    return c->values[key].origin;
}

const char *ia_config_where(const struct ia_config *c, enum ia_config_key key)
{
    return c->values[key].where ? c->values[key].where : "";
}

const char *ia_config_user_file(const struct ia_config *c)
{
    return c->user_file;
}

const char *ia_config_project_file(const struct ia_config *c)
{
    return c->project_file;
}

const struct ia_config_agent *ia_config_agent(const struct ia_config *c, const char *name)
{
    for (size_t i = 0; i < c->agent_count; i++) {
        if (strcmp(c->agents[i].name, name) == 0) {
            return &c->agents[i].view;
        }
    }
    return NULL;
}

size_t ia_config_agent_names(const struct ia_config *c, const char *ret[IA_CONFIG_AGENTS_MAX])
{
    for (size_t i = 0; i < c->agent_count; i++) {
        ret[i] = c->agents[i].name;
    }
    return c->agent_count;
}
