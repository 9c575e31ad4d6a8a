/* talk.c: the client of MCP servers as a program, for servers of others.
 *
 * usage: talk SECONDS (URL | PROGRAM ARGUMENT...)
 *
 * Its environment but for PATH, HOME and what begins with IA_ is not that of the server; the value of IA_SECRET is kept secret,
 * IA_CA is the file of certificates to trust.
 * Each line of stdin is `list`, or `TOOL {ARGUMENTS}`, behind `@SECONDS ` where it has a limit of its own; each line of stdout is its answer:
 * {"tools":[definition, with "call" as its name for a model]}, {"result":…, "text":…} or {"code","outcome","message"}. */
#include "agent/mcp_tools/mcp_tools.h"
#include "base/clock.h"
#include "base/jsonw.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern char **environ;

enum { ENV_MAX = 64, LINE_SIZE = 1 << 20, OUT_MAX = 32 << 20 };

static struct ia_limit within(const char *seconds)
{
    return (struct ia_limit){NULL, ia_mono_us(ia_clock_system()) +
                                       (int64_t)(strtod(seconds, NULL) * 1e6)};
}

static void put_error(const struct ia_err *err, struct ia_buf *out)
{
    struct ia_jsonw w;
    ia_jsonw_init(&w, out);
    ia_jsonw_object(&w);
    ia_jsonw_kv(&w, "code", ia_rc_name(err->code));
    ia_jsonw_kv(&w, "outcome", ia_outcome_name(err->outcome));
    ia_jsonw_kv(&w, "message", err->msg);
    ia_jsonw_end_object(&w);
}

static enum ia_rc list(struct ia_mcp_client *c, const struct ia_limit *limit,
                       struct ia_buf *out, struct ia_err *err)
{
    json_t *tools = NULL, *tool;
    size_t i;
    enum ia_rc rc = ia_mcp_client_tools(c, limit, &tools, err);
    json_array_foreach(tools, i, tool)
    {
        char name[IA_TOOL_NAME_MAX + 1];
        struct ia_buf definition = IA_BUF(OUT_MAX);
        const char *why;
        ia_mcp_tool_name("peer", json_string_value(json_object_get(tool, "name")), name);
        bool usable = ia_mcp_tool_definition(tool, name, "Theirs:", &definition, &why);
        json_object_set_new(tool, "call", json_string(name));
        json_object_set_new(tool, "usable", json_boolean(usable));
        ia_buf_fini(&definition);
    }
    char *text = tools ? json_dumps(tools, JSON_COMPACT) : NULL;
    ia_buf_printf(out, "{\"tools\":%s}", text ? text : "[]");
    free(text);
    json_decref(tools);
    return rc;
}

static enum ia_rc call(struct ia_mcp_client *c, char *line, const struct ia_limit *limit,
                       struct ia_buf *out, struct ia_err *err)
{
    char *space = strchr(line, ' ');
    json_t *args = json_loads(space ? space + 1 : "{}", 0, NULL);
    json_t *result = NULL;
    struct ia_buf text = IA_BUF(OUT_MAX);
    struct ia_jsonw w;
    if (space) {
        *space = '\0';
    }
    enum ia_rc rc = ia_mcp_client_call(c, line, args, limit, &result, err);
    if (rc == IA_OK) {
        char *json = json_dumps(result, JSON_COMPACT);
        ia_mcp_result_text(result, &text);
        ia_jsonw_init(&w, out);
        ia_jsonw_object(&w);
        ia_jsonw_key(&w, "result");
        ia_jsonw_raw(&w, ia_str(json));
        ia_jsonw_key(&w, "text");
        ia_jsonw_str(&w, ia_buf_str(&text));
        ia_jsonw_end_object(&w);
        free(json);
    }
    ia_buf_fini(&text);
    json_decref(result);
    json_decref(args);
    return rc;
}

static struct ia_mcp_client *client(char **words)
{
    const char *env[ENV_MAX + 1] = {NULL};
    const char *secrets[] = {getenv("IA_SECRET"), NULL};
    size_t n = 0;
    for (char **e = environ; *e && n < ENV_MAX; e++) {
        if (strncmp(*e, "PATH=", 5) == 0 || strncmp(*e, "HOME=", 5) == 0 ||
            strncmp(*e, "IA_", 3) == 0) {
            env[n++] = *e;
        }
    }
    bool http = strncmp(words[0], "http", 4) == 0;
    return ia_mcp_client_new(
        &(struct ia_mcp_server){.name = "peer",
                                .url = http ? words[0] : NULL,
                                .argv = http ? NULL : (const char *const *)words,
                                .env = env,
                                .secrets = secrets,
                                .ca_bundle = getenv("IA_CA"),
                                .version = "1"});
}

int main(int argc, char **argv)
{
    static char line[LINE_SIZE];
    if (argc < 3) {
        return 2;
    }
    struct ia_mcp_client *c = client(argv + 2);
    while (fgets(line, sizeof(line), stdin)) {
        struct ia_buf out = IA_BUF(OUT_MAX);
        char *command = line[0] == '@' ? line + strcspn(line, " ") + 1 : line;
        struct ia_limit limit = within(line[0] == '@' ? line + 1 : argv[1]);
        struct ia_err err = {0};
        line[strcspn(line, "\n")] = '\0';
        enum ia_rc rc = strcmp(command, "list") == 0 ? list(c, &limit, &out, &err)
                                                     : call(c, command, &limit, &out, &err);
        if (rc != IA_OK) {
            ia_buf_reset(&out);
            put_error(&err, &out);
        }
        puts(ia_buf_cstr(&out));
        fflush(stdout);
        ia_buf_fini(&out);
    }
    ia_mcp_client_free(c);
    return 0;
}
