/* definition.c: a server's definition of a tool as one of a request.
 *
 * The Messages API refuses a whole request for one bad tool, so what it would refuse is found here. All
 * text of the server goes through ia_clean, since what a person cannot see in a list of tools a model
 * still reads. */
#include "agent/mcp_tools/mcp_tools.h"

#include "base/clean.h"
#include "base/jsonw.h"
#include "base/utf8.h"
#include "json/json.h"

#include <stdlib.h>
#include <string.h>

enum { KEY_MAX = 64 };

static bool key_ok(const char *key)
{
    size_t n = strspn(key, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-");
    return n > 0 && n <= KEY_MAX && key[n] == '\0';
}

/* The text without what nobody can see. */
static struct ia_buf cleaned(struct ia_str text)
{
    struct ia_buf out = IA_BUF(8 * (text.n + 1));
    ia_clean(&out, text, IA_CLEAN_TEXT);
    return out;
}

static bool is_clean(const char *key)
{
    struct ia_buf out = cleaned(ia_str(key));
    bool same = strcmp(ia_buf_cstr(&out), key) == 0;
    ia_buf_fini(&out);
    return same;
}

/* Cleans all strings; false where a key would have to be, since it is a name. The depth was limited when
 * it was parsed (IA_MCP_CLIENT_DEPTH_MAX). */
static bool clean_strings(json_t *value)
{
    const char *key;
    json_t *item;
    size_t i;
    bool keys = true;
    if (json_is_string(value)) {
        struct ia_buf out = cleaned(ia_json_str(value));
        (void)json_string_set(value, ia_buf_cstr(&out));
        ia_buf_fini(&out);
    }
    json_array_foreach(value, i, item)
    {
        keys = clean_strings(item) && keys;
    }
    json_object_foreach(value, key, item)
    {
        keys = clean_strings(item) && is_clean(key) && keys;
    }
    return keys;
}

/* Why the Messages API would refuse the schema, or NULL. */
static const char *refusal(const json_t *schema)
{
    static const char *const refused[] = {"oneOf", "anyOf", "allOf"};
    const char *key;
    json_t *item;
    if (!json_is_object(schema) || strcmp(ia_json_text(schema, "type"), "object") != 0) {
        return "its schema is not that of an object";
    }
    for (size_t i = 0; i < IA_COUNTOF(refused); i++) {
        if (json_object_get(schema, refused[i])) {
            return "its schema has oneOf, anyOf or allOf at the top";
        }
    }
    json_object_foreach(json_object_get(schema, "properties"), key, item)
    {
        if (!key_ok(key)) {
            return "an argument's name is not 1 to 64 of A-Z a-z 0-9 _ . -";
        }
    }
    return NULL;
}

/* The schema as text, or NULL with the reason. Free it. */
static char *schema_text(const json_t *tool, const char **ret_why)
{
    const json_t *given = json_object_get(tool, "inputSchema");
    *ret_why = refusal(given);
    if (*ret_why) {
        return NULL;
    }
    json_t *schema = json_deep_copy(given);
    bool clean = clean_strings(schema);
    char *text = json_dumps(schema, JSON_COMPACT);
    json_decref(schema);
    if (!clean) {
        *ret_why = "a name in its schema has hidden characters";
    } else if (!text || strlen(text) > IA_MCP_TOOLS_SCHEMA_MAX) {
        *ret_why = "its schema is larger than 16 KB";
    }
    if (*ret_why) {
        free(text);
        text = NULL;
    }
    return text;
}

/* Ours first: it says whose words follow. */
static void put_description(const json_t *tool, const char *preface, struct ia_buf *out)
{
    struct ia_str said = ia_json_field(tool, "description");
    bool cut = said.n > IA_MCP_TOOLS_DESCRIPTION_MAX;
    said.n = cut ? ia_utf8_cut(said.p, IA_MCP_TOOLS_DESCRIPTION_MAX) : said.n;
    ia_buf_printf(out, "%s\n", preface);
    ia_clean(out, said, IA_CLEAN_TEXT);
    ia_buf_puts(out, cut ? " [cut]" : "");
}

bool ia_mcp_tool_definition(const json_t *tool, const char *name, const char *preface,
                            struct ia_buf *out, const char **ret_why)
{
    char *schema = schema_text(tool, ret_why);
    if (!schema) {
        return false;
    }
    struct ia_buf description = IA_BUF(8 * IA_MCP_TOOLS_DESCRIPTION_MAX + IA_PROMPT_BYTES_MAX);
    struct ia_jsonw w;
    put_description(tool, preface, &description);
    ia_jsonw_init(&w, out);
    ia_jsonw_object(&w);
    ia_jsonw_kv(&w, "name", name);
    ia_jsonw_key(&w, "description");
    ia_jsonw_str(&w, ia_buf_str(&description));
    ia_jsonw_key(&w, "input_schema");
    ia_jsonw_raw(&w, ia_str(schema));
    ia_jsonw_end_object(&w);
    ia_buf_fini(&description);
    free(schema);
    return true;
}
