/* skills list|show|trust|untrust|check|new: sets of further tools that agents have. (`skill` is something else: what
 * coding agents read of this program.) */
#include "agent/skills/builtin.h"
#include "agent/skills/program.h"
#include "app/setup.h"
#include "base/clean.h"
#include "base/fd.h"
#include "base/paths.h"
#include "cli/cmd/cmd.h"
#include "cli/view/table.h"
#include "store/accepted.h"
#include "json/json.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { GRANTS_MAX = IA_SKILL_LIST_MAX, PATH_BYTES_MAX = 4096 };

struct skills {
    struct ia_cli *c;
    struct ia_setup setup;
    struct ia_skill_places places;
    struct ia_table *table;
};

static enum ia_rc open_skills(struct skills *s, struct ia_cli *c, struct ia_err *err)
{
    *s = (struct skills){.c = c};
    enum ia_rc rc = ia_setup_store(&s->setup, "ios-agent skills", err);
    s->places =
        (struct ia_skill_places){s->setup.paths.project_config, s->setup.paths.user_config};
    return rc;
}

/* "yes", "no", or why it does not matter. */
static const char *trust_of(struct skills *s, const char *folder, const char *hash)
{
    struct ia_err ignored;
    bool trusted = false;
    if (ia_skill_users_own(s->places.user_config, folder)) {
        return "your own";
    }
    (void)ia_store_skill_trusted(s->setup.store, hash, &trusted, NULL, &ignored);
    return trusted ? "trusted" : "not trusted";
}

/* ---- list -------------------------------------------------------------------------------- */

static void add_row(struct skills *s, const char *name, const char *from, const char *trust,
                    const char *purpose)
{
    struct ia_buf line = IA_BUF(4096);
    ia_clean(&line, ia_str(purpose), IA_CLEAN_LINE);
    ia_table_add(s->table, name);
    ia_table_add(s->table, from);
    ia_table_add(s->table, trust);
    ia_table_add(s->table, ia_buf_cstr(&line));
    ia_jsonw_object(&s->c->w);
    ia_jsonw_kv(&s->c->w, "name", name);
    ia_jsonw_kv(&s->c->w, "from", from);
    ia_jsonw_kv(&s->c->w, "trust", trust);
    ia_jsonw_kv(&s->c->w, "purpose", purpose);
    ia_jsonw_end_object(&s->c->w);
    ia_buf_fini(&line);
}

static bool on_folder(void *ctx, const char *name, const char *folder, bool user)
{
    struct skills *s = ctx;
    struct ia_manifest *m = NULL;
    struct ia_err err;
    enum ia_rc rc = ia_manifest_read(folder, &m, &err);
    add_row(s, name, user ? "user" : "project",
            rc == IA_OK ? trust_of(s, folder, m->hash) : "broken",
            rc == IA_OK ? m->purpose : err.msg);
    ia_manifest_free(m);
    return true;
}

enum ia_rc ia_cmd_skills_list(struct ia_cli *c, struct ia_err *err)
{
    static const struct ia_table_column columns[] = {{.head = "SKILL"},
                                                     {.head = "FROM"},
                                                     {.head = "TRUST"},
                                                     {.head = "WHAT FOR", .min = 20}};
    struct skills s;
    enum ia_rc rc = open_skills(&s, c, err);
    if (rc == IA_OK) {
        s.table = ia_table_new(columns, IA_COUNTOF(columns));
        ia_jsonw_object(&c->w);
        ia_jsonw_key(&c->w, "skills");
        ia_jsonw_array(&c->w);
        for (size_t i = 0; ia_builtin_skills[i]; i++) {
            add_row(&s, ia_builtin_skills[i]->name, "built in", "built in",
                    ia_builtin_skills[i]->purpose);
        }
        ia_skill_folders(&s.places, on_folder, &s);
        ia_jsonw_end_array(&c->w);
        ia_jsonw_end_object(&c->w);
        ia_table_write(s.table, ia_cli_width(c), &c->text);
        ia_table_free(s.table);
    }
    ia_setup_close(&s.setup);
    return rc;
}

/* ---- show -------------------------------------------------------------------------------- */

static void put_list(struct ia_buf *out, const char *what, const struct ia_skill_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        ia_buf_puts(out, i == 0 ? what : ", ");
        ia_clean(out, ia_str(list->items[i]), IA_CLEAN_LINE);
    }
    ia_buf_puts(out, list->count > 0 ? "\n" : "");
}

static void put_manifest(struct skills *s, const struct ia_manifest *m)
{
    struct ia_buf *out = &s->c->text;
    ia_buf_printf(out, "%s: %s\nfolder: %s\nhash: %.16s, %s\n", m->name, m->purpose, m->folder,
                  m->hash, trust_of(s, m->folder, m->hash));
    put_list(out, "permissions: ", &m->permissions);
    put_list(out, "variables: ", &m->environment);
    put_list(out, "secrets: ", &m->secrets);
    for (size_t i = 0; i < m->tool_count; i++) {
        const struct ia_skill_program *p = &m->tools[i];
        ia_buf_printf(out, "tool %s, %s, at most %d s", p->name,
                      p->has_effect ? "with an effect" : "without an effect", p->seconds);
        put_list(out, ": ", &p->argv);
    }
    if (m->mcp.given) {
        put_list(out, "server: ", &m->mcp.argv);
        ia_buf_printf(out, m->mcp.url ? "server: %s\n" : "%s", m->mcp.url ? m->mcp.url : "");
    }
    ia_buf_puts(out, "\n");
    ia_clean(out, ia_str(m->instructions), IA_CLEAN_TEXT);
    ia_jsonw_object(&s->c->w);
    ia_jsonw_kv(&s->c->w, "name", m->name);
    ia_jsonw_kv(&s->c->w, "purpose", m->purpose);
    ia_jsonw_kv(&s->c->w, "folder", m->folder);
    ia_jsonw_kv(&s->c->w, "hash", m->hash);
    ia_jsonw_kv(&s->c->w, "trust", trust_of(s, m->folder, m->hash));
    ia_jsonw_end_object(&s->c->w);
}

static enum ia_rc read_named(struct skills *s, const char *name, struct ia_manifest **ret,
                             struct ia_err *err)
{
    struct ia_buf folder = IA_BUF(PATH_BYTES_MAX);
    enum ia_rc rc = ia_skill_find(&s->places, name, &folder, err);
    if (rc == IA_OK && folder.len == 0) {
        rc = ia_err_set(err, IA_E_USAGE, "%s is part of this program", name);
    }
    if (rc == IA_OK) {
        rc = ia_manifest_read(ia_buf_cstr(&folder), ret, err);
    }
    ia_buf_fini(&folder);
    return rc;
}

enum ia_rc ia_cmd_skills_show(struct ia_cli *c, struct ia_err *err)
{
    struct skills s;
    struct ia_manifest *m = NULL;
    const char *name = ia_args_operand(&c->args, 0);
    const struct ia_skill *row = ia_builtin_skill(name);
    enum ia_rc rc = open_skills(&s, c, err);
    if (rc == IA_OK && row) {
        ia_buf_printf(&c->text, "%s: %s\nbuilt in\npermissions: %s\n", row->name, row->purpose,
                      row->permissions);
        for (const struct ia_skill_tool *t = row->tools; t->name; t++) {
            ia_buf_printf(&c->text, "tool %s, %s\n", t->name,
                          t->has_effect ? "with an effect" : "without an effect");
        }
        ia_buf_printf(&c->text, "\n%s", ia_skill_text(row->name, "instructions.md").p);
        ia_jsonw_object(&c->w);
        ia_jsonw_kv(&c->w, "name", row->name);
        ia_jsonw_kv(&c->w, "purpose", row->purpose);
        ia_jsonw_end_object(&c->w);
    } else if (rc == IA_OK) {
        rc = read_named(&s, name, &m, err);
        if (rc == IA_OK) {
            put_manifest(&s, m);
        }
    }
    ia_manifest_free(m);
    ia_setup_close(&s.setup);
    return rc;
}

/* ---- trust ------------------------------------------------------------------------------- */

/* The granted secrets as JSON; only those that the manifest names. */
static enum ia_rc read_grants(struct ia_cli *c, const struct ia_manifest *m, struct ia_buf *out,
                              struct ia_err *err)
{
    const char *names[GRANTS_MAX + 1];
    size_t n = ia_args_list(&c->args, "grant", names, IA_COUNTOF(names));
    struct ia_jsonw w;
    ia_jsonw_init(&w, out);
    ia_jsonw_array(&w);
    for (size_t i = 0; i < n && i < IA_COUNTOF(names); i++) {
        size_t k = 0;
        while (k < m->secrets.count && strcmp(m->secrets.items[k], names[i]) != 0) {
            k++;
        }
        if (k == m->secrets.count) {
            return ia_err_set(err, IA_E_USAGE, "skill %s does not ask for the secret %.80s",
                              m->name, names[i]);
        }
        ia_jsonw_string(&w, names[i]);
    }
    ia_jsonw_end_array(&w);
    return IA_OK;
}

static enum ia_rc commit_trust(struct skills *s, const struct ia_manifest *m,
                               const char *granted, bool trust, struct ia_err *err)
{
    struct ia_tx *tx = NULL;
    enum ia_rc rc = ia_tx_begin(s->setup.store, &tx, err);
    if (rc == IA_OK) {
        if (trust) {
            ia_tx_trust_skill(tx, m->hash, m->name, granted);
            /* And its server's tools, as they will be when a run lists them next. */
            ia_tx_forget_tools(tx, m->hash);
        } else {
            ia_tx_distrust_skill(tx, m->hash, m->name);
        }
        rc = ia_tx_commit(tx, err);
    }
    return rc;
}

static void put_names(struct ia_buf *out, const char *what, const struct ia_skill_list *names)
{
    for (size_t i = 0; i < names->count; i++) {
        ia_buf_puts(out, i == 0 ? "  " : ", ");
        ia_buf_puts(out, i == 0 ? what : "");
        ia_buf_puts(out, i == 0 ? ": " : "");
        ia_clean(out, ia_str(names->items[i]), IA_CLEAN_LINE);
    }
    ia_buf_puts(out, names->count > 0 ? "\n" : "");
}

static enum ia_rc decide(struct ia_cli *c, bool trust, struct ia_err *err)
{
    struct skills s;
    struct ia_manifest *m = NULL;
    struct ia_buf granted = IA_BUF(PATH_BYTES_MAX * 4);
    enum ia_rc rc = open_skills(&s, c, err);
    if (rc == IA_OK) {
        rc = read_named(&s, ia_args_operand(&c->args, 0), &m, err);
    }
    if (rc == IA_OK && trust) {
        rc = read_grants(c, m, &granted, err);
    }
    if (rc == IA_OK) {
        rc = commit_trust(&s, m, ia_buf_cstr(&granted), trust, err);
    }
    if (rc == IA_OK) {
        ia_buf_printf(&c->text,
                      trust ? "%s is trusted as it is now (%.16s)\n"
                            : "%s is no longer trusted (%.16s)\n",
                      m->name, m->hash);
        if (trust) {
            put_names(&c->text, "its programs get the variables", &m->environment);
            put_names(&c->text, "it says that it", &m->permissions);
        }
        ia_jsonw_object(&c->w);
        ia_jsonw_kv(&c->w, "name", m->name);
        ia_jsonw_kv(&c->w, "hash", m->hash);
        ia_jsonw_kv_bool(&c->w, "trusted", trust);
        ia_jsonw_end_object(&c->w);
    }
    ia_buf_fini(&granted);
    ia_manifest_free(m);
    ia_setup_close(&s.setup);
    return rc;
}

enum ia_rc ia_cmd_skills_trust(struct ia_cli *c, struct ia_err *err)
{
    return decide(c, true, err);
}

enum ia_rc ia_cmd_skills_untrust(struct ia_cli *c, struct ia_err *err)
{
    return decide(c, false, err);
}

/* ---- check ------------------------------------------------------------------------------- */

/* Tries a tool with its example, without any device. */
static enum ia_rc try_tool(struct skills *s, const struct ia_manifest *m,
                           const struct ia_skill_program *p, struct ia_err *err)
{
    struct ia_cli *c = s->c;
    struct ia_tool_result r;
    char *names = NULL;
    bool trusted = false;
    enum ia_rc rc = ia_store_skill_trusted(s->setup.store, m->hash, &trusted, &names, err);
    json_t *granted = names ? json_loads(names, 0, NULL) : NULL;
    const struct ia_skill_caller caller = {"", "", granted};
    const struct ia_tool_env env = {.clock = ia_clock_system(),
                                    .limit = {NULL, IA_NO_DEADLINE},
                                    .boundary = "check",
                                    .call = "check"};
    ia_tool_result_init(&r);
    if (rc == IA_OK) {
        rc = ia_skill_program_call(m, p, &caller, &env, p->example, &r, err);
    }
    if (rc == IA_OK) {
        ia_buf_printf(&c->text, "%s: ", p->name);
        ia_clean(&c->text, ia_buf_str(&r.text), IA_CLEAN_LINE);
        ia_buf_puts(&c->text, "\n");
    }
    ia_tool_result_fini(&r);
    json_decref(granted);
    free(names);
    return rc;
}

static enum ia_rc check_one(struct skills *s, const struct ia_manifest *m, struct ia_err *err)
{
    struct ia_cli *c = s->c;
    bool trusted = strcmp(trust_of(s, m->folder, m->hash), "not trusted") != 0;
    enum ia_rc rc = IA_OK;
    ia_buf_printf(&c->text, "%s: nothing wrong with its files\n", m->name);
    for (size_t i = 0; rc == IA_OK && i < m->tool_count; i++) {
        const struct ia_skill_program *p = &m->tools[i];
        const char *why = !p->example     ? "it has no example"
                          : p->has_effect ? "it has an effect"
                          : !trusted      ? "the skill is not trusted"
                                          : NULL;
        if (why) {
            ia_buf_printf(&c->text, "%s: not tried, as %s\n", p->name, why);
        } else {
            rc = try_tool(s, m, p, err);
        }
    }
    return rc;
}

enum ia_rc ia_cmd_skills_check(struct ia_cli *c, struct ia_err *err)
{
    struct skills s;
    struct ia_manifest *m = NULL;
    enum ia_rc rc = open_skills(&s, c, err);
    if (rc == IA_OK) {
        rc = read_named(&s, ia_args_operand(&c->args, 0), &m, err);
    }
    if (rc == IA_OK) {
        rc = check_one(&s, m, err);
    }
    ia_manifest_free(m);
    ia_setup_close(&s.setup);
    return rc;
}

/* ---- new --------------------------------------------------------------------------------- */

/* A file of the template with the skill's name in it. */
static enum ia_rc write_file(const char *folder, const char *name, const char *file,
                             unsigned mode, struct ia_err *err)
{
    static const char mark[] = "NAME";
    struct ia_buf text = IA_BUF(IA_SKILL_MANIFEST_BYTES_MAX);
    const char *from = ia_skill_text("template", file).p, *at;
    while ((at = strstr(from, mark)) != NULL) {
        ia_buf_put(&text, from, (size_t)(at - from));
        ia_buf_puts(&text, name);
        from = at + sizeof(mark) - 1;
    }
    ia_buf_puts(&text, from);
    char *path = ia_path_join(folder, file);
    enum ia_rc rc = ia_file_write_atomic(path, text.p, text.len, mode, err);
    free(path);
    ia_buf_fini(&text);
    return rc;
}

static enum ia_rc new_folder(struct skills *s, const char *name, struct ia_buf *ret,
                             struct ia_err *err)
{
    bool user = ia_args_has(&s->c->args, "user");
    const char *config = user ? s->places.user_config : s->places.project_config;
    ia_buf_printf(ret, "%.*s/%s/%s", (int)(strrchr(config, '/') - config), config,
                  user ? IA_SKILLS_IN_USER : IA_SKILLS_IN_PROJECT, name);
    if (!ia_skill_name_ok(name) || ia_builtin_skill(name)) {
        enum ia_rc rc =
            ia_err_set(err, IA_E_USAGE, "%.80s cannot be the name of a skill", name);
        ia_err_hint(err, "a name is 1 to %d of a-z 0-9 - and not that of a built-in skill",
                    IA_SKILL_NAME_MAX);
        return rc;
    }
    return access(ia_buf_cstr(ret), F_OK) != 0
               ? ia_mkdirs(ia_buf_cstr(ret), err)
               : ia_err_set(err, IA_E_EXISTS, "%s is there already", ia_buf_cstr(ret));
}

/* Who writes it trusts it as it is written. */
static enum ia_rc make(struct skills *s, const char *name, struct ia_err *err)
{
    static const struct {
        const char *file;
        unsigned mode;
    } files[] = {{"skill.toml", 0644},
                 {"instructions.md", 0644},
                 {"count_words.json", 0644},
                 {"count_words.py", 0755}};
    struct ia_buf folder = IA_BUF(PATH_BYTES_MAX);
    struct ia_manifest *m = NULL;
    enum ia_rc rc = new_folder(s, name, &folder, err);
    for (size_t i = 0; rc == IA_OK && i < IA_COUNTOF(files); i++) {
        rc = write_file(ia_buf_cstr(&folder), name, files[i].file, files[i].mode, err);
    }
    if (rc == IA_OK) {
        rc = ia_manifest_read(ia_buf_cstr(&folder), &m, err);
    }
    if (rc == IA_OK) {
        rc = commit_trust(s, m, NULL, true, err);
    }
    if (rc == IA_OK) {
        ia_buf_printf(
            &s->c->text,
            "%s\nTry it: ios-agent skills check %s\nGive it to an agent: skills = [\"%s\"]\n",
            m->folder, name, name);
        ia_jsonw_object(&s->c->w);
        ia_jsonw_kv(&s->c->w, "name", name);
        ia_jsonw_kv(&s->c->w, "folder", m->folder);
        ia_jsonw_end_object(&s->c->w);
    }
    ia_manifest_free(m);
    ia_buf_fini(&folder);
    return rc;
}

enum ia_rc ia_cmd_skills_new(struct ia_cli *c, struct ia_err *err)
{
    struct skills s;
    enum ia_rc rc = open_skills(&s, c, err);
    if (rc == IA_OK) {
        rc = make(&s, ia_args_operand(&c->args, 0), err);
    }
    ia_setup_close(&s.setup);
    return rc;
}
