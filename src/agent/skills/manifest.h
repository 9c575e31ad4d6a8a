/* manifest.h: skill.toml and the files beside it.
 *
 *     name = "orders"                     as the folder is called
 *     purpose = "finds orders"            one line, for the model and for people
 *     permissions = ["asks the shop"]     what it does, for who decides whether to trust it
 *     environment = ["ORDERS_URL"]        variables that its programs get
 *     secrets = ["ORDERS_TOKEN"]          the same, once granted
 *
 *     [tools.find_order]                  find_order.json: a tool object of the Messages API
 *     program = ["./find_order.py"]
 *     effect = false                      default: true
 *     polls = false                       true: the same call again is no circle
 *     seconds = 30
 *     example = '{"number": 7}'           what `skills check` tries
 *
 *     [mcp]                               instead of tools: a server of the Model Context Protocol
 *     program = ["npx", "server"]         or url = "https://…", headers = ["Authorization: Bearer {{secret:NAME}}"]
 *     tools = ["search"]                  default: all
 *     reading = ["search"]                those without an effect; default: none
 *     seconds = 120
 *
 * Untrusted: it is capped, and every mistake has its place. Read-only afterwards, any thread. */
#ifndef IA_AGENT_SKILLS_MANIFEST_H
#define IA_AGENT_SKILLS_MANIFEST_H

#include "agent/skills/folder.h"

#include <jansson.h>

enum {
    IA_SKILL_MANIFEST_BYTES_MAX = 64 << 10,
    IA_SKILL_INSTRUCTIONS_BYTES_MAX = 32 << 10,
    IA_SKILL_TOOLS_MAX = 64,
    IA_SKILL_LIST_MAX = 32,  /* strings of one list */
    IA_SKILL_TEXT_MAX = 512, /* bytes of one string */
    IA_SKILL_PURPOSE_MAX = 160,
    IA_SKILL_SECONDS = 30,
    IA_SKILL_SECONDS_MAX = 600
};

/* A list of strings; ended by NULL, never NULL itself after reading. */
struct ia_skill_list {
    char *items[IA_SKILL_LIST_MAX + 1];
    size_t count;
};

struct ia_skill_program {
    char *name;
    struct ia_skill_list argv;
    bool has_effect, polls;
    int seconds;
    json_t *tool;    /* of NAME.json */
    json_t *example; /* an input to try it with; NULL: none */
};

struct ia_manifest {
    char *folder; /* absolute, where its caller gave it so */
    char *name, *purpose, *instructions;
    struct ia_skill_list permissions, environment, secrets;
    struct ia_skill_program *tools; /* none for a server */
    size_t tool_count;
    struct {
        bool given;
        struct ia_skill_list argv, headers, tools, reading;
        char *url;
        int seconds;
    } mcp;
    char hash[IA_SHA256_HEX_SIZE]; /* of the folder, taken before anything was read */
};

/* Reads a folder. IA_E_CONFIG with path:line:column for what is wrong; also as ia_skill_hash. Free *ret with
 * ia_manifest_free. */
enum ia_rc ia_manifest_read(const char *folder, struct ia_manifest **ret, struct ia_err *err);
void ia_manifest_free(struct ia_manifest *m); /* NULL is fine */

/* Only skill.toml, of which text is the content and path the name in messages; name is the folder's. */
enum ia_rc ia_manifest_parse(const char *path, const char *name, struct ia_str text,
                             struct ia_manifest **ret, struct ia_err *err);

#endif
