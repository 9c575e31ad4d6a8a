/* prompts.c: loads the texts and tool schemas, compiled in or from a folder, and checks all of
 * them at once: a missing note or a schema that cannot be checked is an error before any run
 * starts. */
#include "agent/prompts/prompts.h"

#include "agent/prompts/schema.h"
#include "base/embed.h"
#include "base/fd.h"
#include "base/paths.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern const struct ia_embedded ia_embedded_prompts[];

/* Every request carries the schemas: with so many digits 0.1 stays 0.1, and is not written as
 * 0.10000000000000001. */
enum { REAL_DIGITS = 15 };

/* No tool takes more than this, as JSON text; what does not fit is not looked at. */
enum { INPUT_BYTES_MAX = 32 << 10, INPUT_DEPTH_MAX = 16, NAME_MAX_BYTES = 64 };

struct tool_file {
    char *text; /* one line */
    json_t *tool;
    const json_t *schema; /* inside tool */
};

struct ia_prompts {
    char *system, *verifier, *planner;
    struct tool_file tools[IA_TOOL_COUNT];
    char *all_tools; /* JSON array */
    struct tool_file verdict, plan, delegate;
    json_t *notes;
};

static const char *const note_keys[IA_NOTE_COUNT] = {
#define NOTE_KEY(code, key) [code] = (key),
    IA_NOTE_LIST(NOTE_KEY)
#undef NOTE_KEY
};

/* ---- the tools --------------------------------------------------------------------------- */

static const struct {
    const char *name;
    bool effect;
} tool_rows[IA_TOOL_COUNT] = {
#define TOOL_ROW(code, name, effect) [code] = {name, effect},
    IA_TOOL_LIST(TOOL_ROW)
#undef TOOL_ROW
};

const char *ia_tool_name(enum ia_tool tool)
{
    return tool >= 0 && tool < IA_TOOL_COUNT ? tool_rows[tool].name : "";
}

enum ia_tool ia_tool_from_name(struct ia_str name)
{
    int i = 0;
    while (i < IA_TOOL_COUNT && !ia_str_is(name, tool_rows[i].name)) {
        i++;
    }
    return (enum ia_tool)i;
}

bool ia_tool_has_effect(enum ia_tool tool)
{
    return tool >= 0 && tool < IA_TOOL_COUNT && tool_rows[tool].effect;
}

/* ---- loading ----------------------------------------------------------------------------- */

/* The file's text without trailing white space. */
static enum ia_rc load_text(const char *dir, const char *name, char **ret, struct ia_err *err)
{
    struct ia_buf b = IA_BUF(IA_PROMPT_BYTES_MAX);
    enum ia_rc rc = IA_OK;
    if (dir) {
        struct ia_buf path = IA_BUF(4096);
        ia_buf_printf(&path, "%s/%s", dir, name);
        /* The text goes to the model: a link in a folder that came from elsewhere must not make it
         * any file of the user's. */
        bool inside =
            access(ia_buf_cstr(&path), F_OK) != 0 || ia_path_inside(dir, ia_buf_cstr(&path));
        rc = inside ? ia_file_read(ia_buf_cstr(&path), &b, err) : IA_E_CONFIG;
        ia_buf_fini(&path);
        if (!inside) {
            rc = ia_err_set(err, IA_E_CONFIG, "prompts: %s/%s is a link out of that folder",
                            dir, name);
            ia_err_hint(err, "put the file itself there");
        } else if (rc != IA_OK) {
            rc = ia_err_set(err, IA_E_CONFIG, "prompts: %s/%s: %s", dir, name,
                            rc == IA_E_NOT_FOUND ? "the file does not exist"
                            : rc == IA_E_LIMIT   ? "the file is too large"
                                                 : "the file cannot be read");
            ia_err_hint(
                err, "prompts.dir must hold system.md, verifier.md, verdict.json, planner.md, "
                     "plan.json, delegate.json, notes.json and tools/*.json; leave it unset "
                     "for the built-in prompts.");
        }
    } else {
        const struct ia_embedded *file = ia_embedded_find(ia_embedded_prompts, name);
        ia_buf_puts(&b, file ? file->data : "");
    }
    while (b.len > 0 && strchr(" \t\r\n", b.p[b.len - 1])) {
        ia_buf_cut(&b, b.len - 1);
    }
    if (rc == IA_OK && b.len == 0) {
        rc = ia_err_set(err, IA_E_CONFIG, "prompts: %s%s%s is empty", dir ? dir : "",
                        dir ? "/" : "", name);
    }
    if (rc == IA_OK) {
        *ret = ia_buf_steal(&b);
    }
    ia_buf_fini(&b);
    return rc;
}

static enum ia_rc parse_tool(const char *file, const char *tool_name, struct tool_file *t,
                             struct ia_err *err)
{
    json_error_t why;
    t->tool = json_loads(t->text, JSON_REJECT_DUPLICATES, &why);
    if (!t->tool) {
        return ia_err_set(err, IA_E_CONFIG, "prompts: %s:%d:%d: %s", file, why.line, why.column,
                          why.text);
    }
    const char *name = json_string_value(json_object_get(t->tool, "name"));
    if (!name || strcmp(name, tool_name) != 0) {
        return ia_err_set(err, IA_E_CONFIG, "prompts: %s: name must be \"%s\"", file,
                          tool_name);
    }
    if (!json_is_string(json_object_get(t->tool, "description"))) {
        return ia_err_set(err, IA_E_CONFIG, "prompts: %s: description is missing", file);
    }
    t->schema = json_object_get(t->tool, "input_schema");
    enum ia_rc rc = ia_schema_lint(t->schema, file, err);
    if (rc != IA_OK) {
        return rc;
    }
    char *line = json_dumps(t->tool, JSON_COMPACT | JSON_PRESERVE_ORDER |
                                         JSON_REAL_PRECISION(REAL_DIGITS));
    if (!line) {
        return ia_err_set(err, IA_E_CONFIG, "prompts: %s: not valid JSON text", file);
    }
    free(t->text);
    t->text = line;
    return IA_OK;
}

static enum ia_rc load_tool(const char *dir, const char *folder, const char *name,
                            struct tool_file *t, struct ia_err *err)
{
    char file[NAME_MAX_BYTES];
    (void)snprintf(file, sizeof(file), "%s%s.json", folder, name);
    enum ia_rc rc = load_text(dir, file, &t->text, err);
    return rc == IA_OK ? parse_tool(file, name, t, err) : rc;
}

static enum ia_rc load_notes(const char *dir, struct ia_prompts *p, struct ia_err *err)
{
    char *text = NULL;
    enum ia_rc rc = load_text(dir, "notes.json", &text, err);
    if (rc != IA_OK) {
        return rc;
    }
    json_error_t why;
    p->notes = json_loads(text, JSON_REJECT_DUPLICATES, &why);
    free(text);
    if (!p->notes) {
        return ia_err_set(err, IA_E_CONFIG, "prompts: notes.json:%d:%d: %s", why.line,
                          why.column, why.text);
    }
    for (size_t i = 0; i < IA_NOTE_COUNT; i++) {
        if (!json_is_string(json_object_get(p->notes, note_keys[i]))) {
            return ia_err_set(err, IA_E_CONFIG, "prompts: notes.json: \"%s\" is missing",
                              note_keys[i]);
        }
    }
    return IA_OK;
}

static void join_tools(struct ia_prompts *p)
{
    struct ia_buf all = IA_BUF((size_t)IA_TOOL_COUNT * IA_PROMPT_BYTES_MAX);
    for (int i = 0; i < IA_TOOL_COUNT; i++) {
        ia_buf_printf(&all, "%c%s", i ? ',' : '[', p->tools[i].text);
    }
    ia_buf_putc(&all, ']');
    p->all_tools = ia_buf_steal(&all);
}

enum ia_rc ia_prompts_open(const char *dir, struct ia_prompts **ret, struct ia_err *err)
{
    struct ia_prompts *p = ia_calloc(1, sizeof(*p));
    enum ia_rc rc = load_text(dir, "system.md", &p->system, err);
    if (rc == IA_OK) {
        rc = load_text(dir, "verifier.md", &p->verifier, err);
    }
    if (rc == IA_OK) {
        rc = load_tool(dir, "", "verdict", &p->verdict, err);
    }
    if (rc == IA_OK) {
        rc = load_text(dir, "planner.md", &p->planner, err);
    }
    if (rc == IA_OK) {
        rc = load_tool(dir, "", "plan", &p->plan, err);
    }
    if (rc == IA_OK) {
        rc = load_tool(dir, "", "delegate", &p->delegate, err);
    }
    if (rc == IA_OK) {
        rc = load_notes(dir, p, err);
    }
    for (int i = 0; rc == IA_OK && i < IA_TOOL_COUNT; i++) {
        rc = load_tool(dir, "tools/", tool_rows[i].name, &p->tools[i], err);
    }
    if (rc != IA_OK) {
        ia_prompts_free(p);
        return rc;
    }
    join_tools(p);
    *ret = p;
    return IA_OK;
}

static void tool_file_fini(struct tool_file *t)
{
    free(t->text);
    json_decref(t->tool);
}

void ia_prompts_free(struct ia_prompts *p)
{
    if (!p) {
        return;
    }
    for (int i = 0; i < IA_TOOL_COUNT; i++) {
        tool_file_fini(&p->tools[i]);
    }
    tool_file_fini(&p->verdict);
    tool_file_fini(&p->plan);
    tool_file_fini(&p->delegate);
    json_decref(p->notes);
    free(p->all_tools);
    free(p->system);
    free(p->verifier);
    free(p->planner);
    free(p);
}

struct ia_str ia_prompts_system(const struct ia_prompts *p)
{
    return ia_str(p->system);
}

struct ia_str ia_prompts_verifier(const struct ia_prompts *p)
{
    return ia_str(p->verifier);
}

struct ia_str ia_prompts_tool(const struct ia_prompts *p, enum ia_tool tool)
{
    return ia_str(p->tools[tool].text);
}

const char *ia_prompts_note(const struct ia_prompts *p, enum ia_note note)
{
    return json_string_value(json_object_get(p->notes, note_keys[note]));
}

struct ia_str ia_prompts_tools(const struct ia_prompts *p)
{
    return ia_str(p->all_tools);
}

const json_t *ia_prompts_delegate_tool(const struct ia_prompts *p)
{
    return p->delegate.tool;
}

struct ia_str ia_prompts_verdict_tool(const struct ia_prompts *p)
{
    return ia_str(p->verdict.text);
}

struct ia_str ia_prompts_planner(const struct ia_prompts *p)
{
    return ia_str(p->planner);
}

struct ia_str ia_prompts_plan_tool(const struct ia_prompts *p)
{
    return ia_str(p->plan.text);
}

/* ---- input ------------------------------------------------------------------------------- */

static bool deeper(const json_t *value, int levels)
{
    if (!json_is_object(value) && !json_is_array(value)) {
        return false;
    }
    bool deep = levels == 0;
    size_t i;
    const char *key;
    json_t *inner;
    json_array_foreach((json_t *)value, i, inner)
    {
        deep = deep || deeper(inner, levels - 1);
    }
    json_object_foreach((json_t *)value, key, inner)
    {
        deep = deep || deeper(inner, levels - 1);
    }
    return deep;
}

enum ia_rc ia_prompts_check_any(const char *name, const json_t *schema, const json_t *input,
                                struct ia_err *err)
{
    if (json_dumpb(input, NULL, 0, JSON_COMPACT | JSON_ENCODE_ANY) > INPUT_BYTES_MAX ||
        deeper(input, INPUT_DEPTH_MAX)) {
        return ia_err_set(err, IA_E_USAGE, "%s: the input is too large or too deep", name);
    }
    return schema ? ia_schema_check(schema, input, name, err) : IA_OK;
}

static enum ia_rc check_input(const struct tool_file *t, const json_t *input,
                              struct ia_err *err)
{
    return ia_prompts_check_any(json_string_value(json_object_get(t->tool, "name")), t->schema,
                                input, err);
}

enum ia_rc ia_prompts_check_input(const struct ia_prompts *p, enum ia_tool tool,
                                  const json_t *input, struct ia_err *err)
{
    return check_input(&p->tools[tool], input, err);
}

enum ia_rc ia_prompts_check_verdict(const struct ia_prompts *p, const json_t *input,
                                    struct ia_err *err)
{
    return check_input(&p->verdict, input, err);
}

enum ia_rc ia_prompts_check_plan(const struct ia_prompts *p, const json_t *input,
                                 struct ia_err *err)
{
    return check_input(&p->plan, input, err);
}

uint32_t ia_tool_ref(const json_t *input)
{
    json_int_t ref = json_integer_value(json_object_get(input, IA_TOOL_REF_KEY));
    return ref < 0 || ref > UINT32_MAX ? UINT32_MAX : (uint32_t)ref;
}
