/* manifest.c: a table of keys for each section, checked against the document's tree. */
#include "agent/skills/manifest.h"

#include "agent/prompts/schema.h"
#include "agent/skills/builtin.h"
#include "base/fd.h"
#include "base/paths.h"
#include "base/suggest.h"
#include "base/toml_tree.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { KEYS_MAX = 8, TOOL_FILE_BYTES_MAX = 64 << 10, FILE_NAME_MAX = 96 };

struct reader {
    struct ia_manifest *m;
    const char *path;
    struct ia_err *err;
};

enum kind { TEXT, LIST, FLAG, SECONDS, SECTION };

struct key {
    const char *name;
    enum kind kind;
    void *to;
};

static enum ia_rc wrong(struct reader *r, const struct ia_toml_node *at, const char *what,
                        const char *more)
{
    return ia_err_set(r->err, IA_E_CONFIG, "%s:%u:%u: %s%.200s", r->path, at->line, at->column,
                      what, more);
}

/* ---- values ------------------------------------------------------------------------------ */

static enum ia_rc put_text(struct reader *r, const struct ia_toml_node *n, char **ret)
{
    if (n->type != IA_TOML_STRING) {
        return wrong(r, n, "this must be a string, not ", n->type_name);
    }
    if (strlen(n->s) > IA_SKILL_TEXT_MAX || n->s[0] == '\0') {
        return wrong(r, n, "this is empty or too long", "");
    }
    for (const char *p = n->s; *p; p++) {
        if (iscntrl((unsigned char)*p)) {
            return wrong(r, n, "this has a control character in it", "");
        }
    }
    *ret = ia_strdup(n->s);
    return IA_OK;
}

static enum ia_rc put_list(struct reader *r, const struct ia_toml_node *n,
                           struct ia_skill_list *ret)
{
    enum ia_rc rc = IA_OK;
    if (n->type != IA_TOML_ARRAY) {
        return wrong(r, n, "this must be a list of strings, not ", n->type_name);
    }
    if (n->count > IA_SKILL_LIST_MAX) {
        return wrong(r, n, "this list is too long", "");
    }
    for (const struct ia_toml_node *e = n->first; rc == IA_OK && e; e = e->next) {
        rc = put_text(r, e, &ret->items[ret->count]);
        ret->count += rc == IA_OK;
    }
    return rc;
}

static enum ia_rc put(struct reader *r, const struct ia_toml_node *n, const struct key *k)
{
    switch (k->kind) {
    case TEXT:
        return put_text(r, n, k->to);
    case LIST:
        return put_list(r, n, k->to);
    case FLAG:
        if (n->type != IA_TOML_BOOL) {
            return wrong(r, n, "this must be true or false, not ", n->type_name);
        }
        *(bool *)k->to = n->b;
        return IA_OK;
    case SECONDS:
        if (n->type != IA_TOML_INT || n->i < 1 || n->i > IA_SKILL_SECONDS_MAX) {
            return wrong(r, n, "this must be a number of seconds from 1 to 600", "");
        }
        *(int *)k->to = (int)n->i;
        return IA_OK;
    default:
        return n->type == IA_TOML_TABLE
                   ? IA_OK
                   : wrong(r, n, "this must be a section, not ", n->type_name);
    }
}

/* Reads the keys of a table; another key than those is a mistake. */
static enum ia_rc read_keys(struct reader *r, const struct ia_toml_node *table,
                            const struct key *keys, size_t count)
{
    enum ia_rc rc = IA_OK;
    for (const struct ia_toml_node *n = table->first; rc == IA_OK && n; n = n->next) {
        const char *names[KEYS_MAX];
        size_t k = 0;
        for (; k < count && (!n->key || strcmp(keys[k].name, n->key) != 0); k++) {
            names[k] = keys[k].name;
        }
        if (k < count) {
            rc = put(r, n, &keys[k]);
            continue;
        }
        const char *near = n->key ? ia_nearest(ia_str(n->key), names, count) : NULL;
        rc = wrong(r, n, "unknown key ", n->key ? n->key : "with a NUL");
        ia_err_hint(r->err, near ? "did you mean %s?" : "docs/skills.md has all keys%s",
                    near ? near : "");
    }
    return rc;
}

/* ---- sections ---------------------------------------------------------------------------- */

static bool tool_name_ok(const char *name)
{
    size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_");
    return n > 0 && n <= IA_SKILL_NAME_MAX && name[n] == '\0';
}

static enum ia_rc read_tool(struct reader *r, const struct ia_toml_node *n,
                            struct ia_skill_program *t)
{
    *t = (struct ia_skill_program){.has_effect = true, .seconds = IA_SKILL_SECONDS};
    char *example = NULL;
    const struct key keys[] = {{"program", LIST, &t->argv},
                               {"example", TEXT, &example},
                               {"effect", FLAG, &t->has_effect},
                               {"polls", FLAG, &t->polls},
                               {"seconds", SECONDS, &t->seconds}};
    t->name = ia_strdup(n->key ? n->key : "");
    if (n->type != IA_TOML_TABLE || !tool_name_ok(t->name)) {
        return wrong(r, n, "a tool is a section [tools.NAME], its name of a-z 0-9 _", "");
    }
    enum ia_rc rc = read_keys(r, n, keys, IA_COUNTOF(keys));
    t->example = example ? json_loads(example, JSON_REJECT_DUPLICATES, NULL) : NULL;
    if (rc == IA_OK && example && !json_is_object(t->example)) {
        rc = wrong(r, ia_toml_get(n, "example"), "this must be a JSON object", "");
    }
    free(example);
    return rc != IA_OK || t->argv.count > 0 ? rc : wrong(r, n, "this tool has no program", "");
}

static enum ia_rc read_tools(struct reader *r, const struct ia_toml_node *tools)
{
    enum ia_rc rc = IA_OK;
    if (tools->count > IA_SKILL_TOOLS_MAX) {
        return wrong(r, tools, "a skill has at most 64 tools", "");
    }
    r->m->tools = ia_calloc(tools->count + 1, sizeof(*r->m->tools));
    for (const struct ia_toml_node *n = tools->first; rc == IA_OK && n; n = n->next) {
        rc = read_tool(r, n, &r->m->tools[r->m->tool_count++]);
    }
    return rc;
}

static enum ia_rc read_mcp(struct reader *r, const struct ia_toml_node *n)
{
    struct ia_manifest *m = r->m;
    const struct key keys[] = {
        {"program", LIST, &m->mcp.argv},    {"url", TEXT, &m->mcp.url},
        {"headers", LIST, &m->mcp.headers}, {"tools", LIST, &m->mcp.tools},
        {"reading", LIST, &m->mcp.reading}, {"seconds", SECONDS, &m->mcp.seconds}};
    m->mcp.given = true;
    enum ia_rc rc = read_keys(r, n, keys, IA_COUNTOF(keys));
    if (rc == IA_OK && (m->mcp.argv.count > 0) == (m->mcp.url != NULL)) {
        rc = wrong(r, n, "a server has either a program or a url", "");
    }
    return rc;
}

/* What a skill may never have: keys of this program, and what changes how programs are loaded. */
static enum ia_rc check_variables(struct reader *r, const struct ia_toml_node *list)
{
    static const char *const never[] = {"IOS_AGENT_", "ANTHROPIC_", "LD_", "DYLD_"};
    for (const struct ia_toml_node *n = list ? list->first : NULL; n; n = n->next) {
        bool fine = n->s[strspn(n->s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")] == '\0';
        for (size_t i = 0; i < IA_COUNTOF(never); i++) {
            fine = fine && strncmp(n->s, never[i], strlen(never[i])) != 0;
        }
        if (!fine) {
            return wrong(r, n, "no skill may have the variable ", n->s);
        }
    }
    return IA_OK;
}

static enum ia_rc check_whole(struct reader *r, const struct ia_toml_node *root,
                              const char *name)
{
    struct ia_manifest *m = r->m;
    struct ia_toml_node top = {.line = 1, .column = 1};
    const struct ia_toml_node *said = ia_toml_get(root, "name");
    const struct ia_toml_node *purpose = ia_toml_get(root, "purpose");
    if (!m->name || !m->purpose) {
        return wrong(r, &top, "a skill has a name and a purpose", "");
    }
    if (strcmp(m->name, name) != 0 || !ia_skill_name_ok(name)) {
        return wrong(r, said, "name is that of the folder, 1 to 40 of a-z 0-9 -, not ",
                     m->name);
    }
    if (ia_builtin_skill(name)) {
        return wrong(r, said, "this is the name of a built-in skill: ", name);
    }
    if (strlen(m->purpose) > IA_SKILL_PURPOSE_MAX) {
        return wrong(r, purpose, "purpose is one line of at most 160 bytes", "");
    }
    if ((m->tool_count > 0) == m->mcp.given) {
        return wrong(r, &top, "a skill has either tools or a server", "");
    }
    enum ia_rc rc = check_variables(r, ia_toml_get(root, "environment"));
    return rc == IA_OK ? check_variables(r, ia_toml_get(root, "secrets")) : rc;
}

static enum ia_rc read_root(struct reader *r, const struct ia_toml_node *root, const char *name)
{
    struct ia_manifest *m = r->m;
    const struct key keys[] = {
        {"name", TEXT, &m->name},
        {"purpose", TEXT, &m->purpose},
        {"permissions", LIST, &m->permissions},
        {"environment", LIST, &m->environment},
        {"secrets", LIST, &m->secrets},
        {"tools", SECTION, NULL},
        {"mcp", SECTION, NULL},
    };
    enum ia_rc rc = read_keys(r, root, keys, IA_COUNTOF(keys));
    const struct ia_toml_node *tools = ia_toml_get(root, "tools");
    const struct ia_toml_node *mcp = ia_toml_get(root, "mcp");
    if (rc == IA_OK && tools) {
        rc = read_tools(r, tools);
    }
    if (rc == IA_OK && mcp) {
        rc = read_mcp(r, mcp);
    }
    return rc == IA_OK ? check_whole(r, root, name) : rc;
}

enum ia_rc ia_manifest_parse(const char *path, const char *name, struct ia_str text,
                             struct ia_manifest **ret, struct ia_err *err)
{
    struct ia_toml_node *root = NULL;
    struct ia_manifest *m = ia_calloc(1, sizeof(*m));
    struct reader r = {.m = m, .path = path, .err = err};
    unsigned line = 0, column = 0;
    enum ia_rc rc = ia_toml_parse(text, &root, &line, &column, err);
    if (rc != IA_OK) {
        struct ia_err why = *err;
        rc = ia_err_set(err, IA_E_CONFIG, "%s:%u:%u: %.400s", path, line, column, why.msg);
    } else {
        rc = read_root(&r, root, name);
    }
    ia_toml_free(root);
    if (rc != IA_OK) {
        ia_manifest_free(m);
        return rc;
    }
    *ret = m;
    return IA_OK;
}

/* ---- the files beside it ----------------------------------------------------------------- */

static enum ia_rc read_tool_file(const char *folder, struct ia_skill_program *t,
                                 struct ia_err *err)
{
    char file[FILE_NAME_MAX];
    json_error_t why;
    struct ia_buf text = IA_BUF(TOOL_FILE_BYTES_MAX);
    (void)snprintf(file, sizeof(file), "%s.json", t->name);
    char *path = ia_path_join(folder, file);
    enum ia_rc rc = ia_file_read_regular(path, &text, err);
    if (rc == IA_OK) {
        t->tool = json_loadb(ia_buf_cstr(&text), text.len, JSON_REJECT_DUPLICATES, &why);
        const char *name = json_string_value(json_object_get(t->tool, "name"));
        if (!t->tool) {
            rc = ia_err_set(err, IA_E_CONFIG, "%s:%d:%d: %s", path, why.line, why.column,
                            why.text);
        } else if (!name || strcmp(name, t->name) != 0 ||
                   !json_is_string(json_object_get(t->tool, "description")) ||
                   json_object_size(t->tool) != 3) {
            rc = ia_err_set(err, IA_E_CONFIG,
                            "%s:1:1: this must have name \"%s\", description and input_schema, "
                            "and nothing else",
                            path, t->name);
        } else {
            const json_t *schema = json_object_get(t->tool, "input_schema");
            rc = ia_schema_lint(schema, path, err);
            if (rc == IA_OK && t->example &&
                ia_schema_check(schema, t->example, "example", err) != IA_OK) {
                rc = ia_err_wrap(err, IA_E_CONFIG, "%s", path);
                err->code = rc;
            }
        }
    }
    free(path);
    ia_buf_fini(&text);
    return rc;
}

static enum ia_rc read_instructions(struct ia_manifest *m, struct ia_err *err)
{
    struct ia_buf text = IA_BUF(IA_SKILL_INSTRUCTIONS_BYTES_MAX);
    char *path = ia_path_join(m->folder, "instructions.md");
    enum ia_rc rc = ia_file_read_regular(path, &text, err);
    if (rc == IA_OK) {
        m->instructions = ia_buf_steal(&text);
    }
    ia_buf_fini(&text);
    free(path);
    return rc;
}

enum ia_rc ia_manifest_read(const char *folder, struct ia_manifest **ret, struct ia_err *err)
{
    struct ia_buf text = IA_BUF(IA_SKILL_MANIFEST_BYTES_MAX);
    char hash[IA_SHA256_HEX_SIZE];
    const char *slash = strrchr(folder, '/');
    char *path = ia_path_join(folder, IA_SKILL_MANIFEST);
    struct ia_manifest *m = NULL;
    enum ia_rc rc = ia_skill_hash(folder, hash, err);
    if (rc == IA_OK) {
        rc = ia_file_read_regular(path, &text, err);
    }
    if (rc == IA_OK) {
        rc = ia_manifest_parse(path, slash ? slash + 1 : folder, ia_buf_str(&text), &m, err);
    }
    if (rc == IA_OK) {
        m->folder = ia_strdup(folder);
        memcpy(m->hash, hash, sizeof(hash));
        rc = read_instructions(m, err);
    }
    for (size_t i = 0; rc == IA_OK && i < m->tool_count; i++) {
        rc = read_tool_file(folder, &m->tools[i], err);
    }
    free(path);
    ia_buf_fini(&text);
    if (rc != IA_OK) {
        ia_manifest_free(m);
        return rc;
    }
    *ret = m;
    return IA_OK;
}

/* ---- freeing ----------------------------------------------------------------------------- */

static void list_fini(struct ia_skill_list *l)
{
    for (size_t i = 0; i < l->count; i++) {
        free(l->items[i]);
    }
}

void ia_manifest_free(struct ia_manifest *m)
{
    if (!m) {
        return;
    }
    for (size_t i = 0; i < m->tool_count; i++) {
        free(m->tools[i].name);
        list_fini(&m->tools[i].argv);
        json_decref(m->tools[i].tool);
        json_decref(m->tools[i].example);
    }
    struct ia_skill_list *lists[] = {&m->permissions, &m->environment, &m->secrets,
                                     &m->mcp.argv,    &m->mcp.headers, &m->mcp.tools,
                                     &m->mcp.reading};
    for (size_t i = 0; i < IA_COUNTOF(lists); i++) {
        list_fini(lists[i]);
    }
    free(m->tools);
    free(m->mcp.url);
    free(m->folder);
    free(m->name);
    free(m->purpose);
    free(m->instructions);
    free(m);
}
