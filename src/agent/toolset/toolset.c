/* toolset.c: a list of definitions behind the tools of the device, and its JSON.
 *
 *     device's tools, in the order of IA_TOOL_LIST ─► added ones, in the order of their adding
 *
 * The JSON is made when it is first asked for. A run that has the tools of the device and no other
 * shares the text of the prompts, so it costs nothing. */
#include "agent/toolset/toolset.h"

#include "base/buf.h"

#include <stdlib.h>
#include <string.h>

enum { GROWTH = 16 };

struct ia_toolset {
    const struct ia_prompts *prompts;
    bool without[IA_TOOL_COUNT]; /* tools of the device that the agent does not have */
    bool limited;
    struct ia_tool_def *defs; /* grown by GROWTH */
    size_t count, bytes;
    struct ia_buf json; /* empty until it is asked for */
};

struct ia_toolset *ia_toolset_new(const struct ia_prompts *prompts)
{
    struct ia_toolset *t = ia_calloc(1, sizeof(*t));
    t->prompts = prompts;
    t->json = IA_BUF(2 * IA_TOOLS_BYTES_MAX);
    return t;
}

void ia_toolset_free(struct ia_toolset *t)
{
    if (t) {
        ia_buf_fini(&t->json);
        free(t->defs);
        free(t);
    }
}

bool ia_tools_named(const json_t *names, const char *tool)
{
    size_t i;
    const json_t *name;
    json_array_foreach((json_t *)(uintptr_t)names, i, name)
    {
        if (json_is_string(name) && strcmp(json_string_value(name), tool) == 0) {
            return true;
        }
    }
    return false;
}

void ia_toolset_limit(struct ia_toolset *t, const json_t *names)
{
    bool all = !names || ia_tools_named(names, IA_TOOLS_DEFAULT);
    t->limited = !all;
    for (int i = 0; i < IA_TOOL_COUNT; i++) {
        bool always = i == IA_TOOL_FINISH || i == IA_TOOL_SNAPSHOT;
        t->without[i] =
            !all && !always && !ia_tools_named(names, ia_tool_name((enum ia_tool)i));
    }
    ia_buf_reset(&t->json);
}

void ia_toolset_drop(struct ia_toolset *t, enum ia_tool tool)
{
    t->limited = true;
    t->without[tool] = true;
    ia_buf_reset(&t->json);
}

static bool name_ok(const char *name)
{
    size_t n = strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-");
    return n > 0 && n <= IA_TOOL_NAME_MAX && name[n] == '\0';
}

enum ia_rc ia_toolset_add(struct ia_toolset *t, const struct ia_tool_def *def,
                          struct ia_err *err)
{
    const char *name = def->name;
    if (!name_ok(name)) {
        return ia_err_set(err, IA_E_CONFIG,
                          "the name of tool %.80s is not 1 to %d of A-Z a-z 0-9 _ -", name,
                          IA_TOOL_NAME_MAX);
    }
    if (ia_tool_from_name(ia_str(name)) != IA_TOOL_COUNT || ia_toolset_find(t, ia_str(name))) {
        return ia_err_set(err, IA_E_CONFIG, "there are two tools with the name %s%s%s", name,
                          def->skill ? ", one of skill " : "", def->skill ? def->skill : "");
    }
    if (t->count == IA_TOOLS_MAX || def->json.n > IA_TOOLS_BYTES_MAX - t->bytes) {
        enum ia_rc rc = ia_err_set(err, IA_E_LIMIT,
                                   "%s is one tool too many: a run has at most %d, in %zu KB",
                                   name, IA_TOOLS_MAX, IA_TOOLS_BYTES_MAX / 1024);
        ia_err_hint(err, "give the agent fewer skills; each request carries all its tools");
        return rc;
    }
    if (t->count % GROWTH == 0) {
        t->defs = ia_realloc(t->defs, t->count + GROWTH, sizeof(*t->defs));
    }
    t->defs[t->count++] = *def;
    t->bytes += def->json.n;
    ia_buf_reset(&t->json);
    return IA_OK;
}

size_t ia_toolset_added(const struct ia_toolset *t)
{
    return t->count;
}

bool ia_toolset_has(const struct ia_toolset *t, enum ia_tool tool)
{
    return tool >= 0 && tool < IA_TOOL_COUNT && !t->without[tool];
}

const struct ia_tool_def *ia_toolset_find(const struct ia_toolset *t, struct ia_str name)
{
    for (size_t i = 0; i < t->count; i++) {
        if (ia_str_is(name, t->defs[i].name)) {
            return &t->defs[i];
        }
    }
    return NULL;
}

static void put(struct ia_buf *out, struct ia_str json)
{
    ia_buf_puts(out, out->len > 1 ? "," : "");
    ia_buf_putstr(out, json);
}

struct ia_str ia_toolset_json(struct ia_toolset *t)
{
    if (!t->limited && t->count == 0) {
        return ia_prompts_tools(t->prompts);
    }
    if (t->json.len == 0) {
        ia_buf_putc(&t->json, '[');
        for (int i = 0; i < IA_TOOL_COUNT; i++) {
            if (!t->without[i]) {
                put(&t->json, ia_prompts_tool(t->prompts, (enum ia_tool)i));
            }
        }
        for (size_t i = 0; i < t->count; i++) {
            put(&t->json, t->defs[i].json);
        }
        ia_buf_putc(&t->json, ']');
    }
    return ia_buf_str(&t->json);
}

bool ia_tool_def_acts(const struct ia_tool_def *def, const json_t *input)
{
    return def->has_effect && (!def->acts || def->acts(def, input));
}

enum ia_rc ia_tool_def_check(const struct ia_tool_def *def, const json_t *input,
                             struct ia_err *err)
{
    return ia_prompts_check_any(def->name, def->schema, input, err);
}
