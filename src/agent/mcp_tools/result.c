/* result.c: the content of a result as text. Kinds: modelcontextprotocol, docs/specification/2025-11-25,
 * server/tools, "Tool Result". */
#include "agent/mcp_tools/mcp_tools.h"

#include "base/clean.h"
#include "base/utf8.h"
#include "json/json.h"

#include <stdlib.h>
#include <string.h>

enum { ITEMS_MAX = 200, NAME_COLUMNS = 200 };

static void put_name(struct ia_buf *out, const json_t *item, const char *key)
{
    struct ia_str text = ia_json_field(item, key);
    if (text.n > 0) {
        ia_buf_putc(out, ' ');
        ia_clean_cut(out, text, NAME_COLUMNS);
    }
}

/* Of base64 text. */
static size_t decoded_bytes(const json_t *item, const char *key)
{
    return ia_json_field(item, key).n / 4 * 3;
}

static void put_left_out(struct ia_buf *out, const char *what, const json_t *item,
                         const char *data)
{
    ia_buf_printf(out, "[%s", what);
    put_name(out, item, "uri");
    put_name(out, item, "mimeType");
    ia_buf_printf(out, ", %zu bytes, not shown]\n", decoded_bytes(item, data));
}

static void put_text(struct ia_buf *out, struct ia_str text)
{
    ia_clean(out, text, IA_CLEAN_TEXT);
    ia_buf_putc(out, '\n');
}

static void put_resource(struct ia_buf *out, const json_t *item)
{
    const json_t *resource = json_object_get(item, "resource");
    struct ia_str text = ia_json_field(resource, "text");
    if (!text.p) {
        put_left_out(out, "resource", resource, "blob");
        return;
    }
    ia_buf_puts(out, "[resource");
    put_name(out, resource, "uri");
    put_name(out, resource, "mimeType");
    ia_buf_puts(out, "]\n");
    put_text(out, text);
}

static void put_link(struct ia_buf *out, const json_t *item)
{
    ia_buf_puts(out, "[link to a resource:");
    put_name(out, item, "uri");
    put_name(out, item, "name");
    put_name(out, item, "description");
    ia_buf_puts(out, "]\n");
}

static void put_item(struct ia_buf *out, const json_t *item)
{
    const char *type = ia_json_text(item, "type");
    if (strcmp(type, "text") == 0) {
        put_text(out, ia_json_field(item, "text"));
    } else if (strcmp(type, "image") == 0 || strcmp(type, "audio") == 0) {
        put_left_out(out, type, item, "data");
    } else if (strcmp(type, "resource") == 0) {
        put_resource(out, item);
    } else if (strcmp(type, "resource_link") == 0) {
        put_link(out, item);
    } else {
        ia_buf_puts(out, "[content of another type, not shown:");
        put_name(out, item, "type");
        ia_buf_puts(out, "]\n");
    }
}

static void put_structured(struct ia_buf *out, const json_t *result)
{
    char *text = json_dumps(json_object_get(result, "structuredContent"), JSON_COMPACT);
    put_text(out, ia_str(text ? text : ""));
    free(text);
}

/* What fits, cut between two characters. */
static void put_capped(struct ia_buf *out, struct ia_str text)
{
    if (text.n <= IA_MCP_TOOLS_RESULT_MAX) {
        ia_buf_putstr(out, text);
        return;
    }
    size_t n = ia_utf8_cut(text.p, IA_MCP_TOOLS_RESULT_MAX);
    ia_buf_put(out, text.p, n);
    ia_buf_printf(out, "\n[%zu more bytes, not shown]\n", text.n - n);
}

void ia_mcp_result_text(const json_t *result, struct ia_buf *out)
{
    const json_t *content = json_object_get(result, "content");
    size_t n = json_array_size(content);
    /* A message is at most 4 MB, and a character becomes at most 3 bytes. */
    struct ia_buf all = IA_BUF((size_t)IA_MCP_CLIENT_MESSAGE_MAX * 4);
    for (size_t i = 0; i < n && i < ITEMS_MAX; i++) {
        put_item(&all, json_array_get(content, i));
    }
    if (n > ITEMS_MAX) {
        ia_buf_printf(&all, "[%zu more parts, not shown]\n", n - ITEMS_MAX);
    }
    if (n == 0 && json_object_get(result, "structuredContent")) {
        put_structured(&all, result);
    }
    put_capped(out, ia_buf_str(&all));
    ia_buf_fini(&all);
}
