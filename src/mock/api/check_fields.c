/* check_fields.c: the members of a request beside its messages and tools. */
#include "mock/api/check.h"

#include <string.h>

enum kind { ANY, OBJECT, ARRAY, STRING };

/* beta: the name that the anthropic-beta header must list for the field to be known. */
static const struct field {
    const char *name;
    enum kind kind;
    const char *beta;
} fields[] = {
    {"model", STRING, NULL},
    {"max_tokens", ANY, NULL},
    {"messages", ARRAY, NULL},
    {"system", ANY, NULL},
    {"tools", ARRAY, NULL},
    {"tool_choice", OBJECT, NULL},
    {"thinking", OBJECT, NULL},
    {"output_config", OBJECT, NULL},
    {"cache_control", OBJECT, NULL},
    {"stop_sequences", ARRAY, NULL},
    {"stream", ANY, NULL},
    {"metadata", OBJECT, NULL},
    {"service_tier", STRING, NULL},
    {"speed", STRING, NULL},
    {"container", ANY, NULL},
    {"inference_geo", STRING, NULL},
    {"diagnostics", OBJECT, NULL},
    {"temperature", ANY, NULL},
    {"top_p", ANY, NULL},
    {"top_k", ANY, NULL},
    {"context_management", OBJECT, "context-management-"},
    {"compaction", OBJECT, "compact-2026-09"},
    {"mcp_servers", ARRAY, "mcp-client-"},
    {"thread", ANY, NULL},
    {"fallbacks", ARRAY, "fallback"},
};

static const char *const sampling[] = {"temperature", "top_p", "top_k"};

static const struct field *field_find(const char *name)
{
    for (size_t i = 0; i < IA_COUNTOF(fields); i++) {
        if (strcmp(fields[i].name, name) == 0) {
            return &fields[i];
        }
    }
    return NULL;
}

static bool kind_ok(enum kind kind, const json_t *value)
{
    return kind == ANY || json_is_null(value) || (kind == OBJECT && json_is_object(value)) ||
           (kind == ARRAY && json_is_array(value)) || (kind == STRING && json_is_string(value));
}

static bool check_known(const struct ia_mock_request *req, struct ia_mock_reject *r)
{
    const char *name;
    json_t *value;
    json_object_foreach(req->root, name, value)
    {
        const struct field *f = field_find(name);
        if (!f || (f->beta && !ia_mock_beta(req->headers, f->beta))) {
            return ia_mock_refuse(r, "unknown_field", "%.100s: Extra inputs are not permitted",
                                  name);
        }
        if (!kind_ok(f->kind, value)) {
            static const char *const names[] = {"value", "dictionary", "list", "string"};
            return ia_mock_refuse(r, "field_type", "%s: Input should be a valid %s", name,
                                  names[f->kind]);
        }
    }
    return true;
}

/* A conversation that the service holds between turns. The double holds none, and says so as
 * the service does for what it cannot hold, so that clients send the whole conversation
 * instead. */
static bool check_thread(const struct ia_mock_request *req, struct ia_mock_reject *r)
{
    const json_t *thread = json_object_get(req->root, "thread");
    if (!thread || json_is_null(thread)) {
        return true;
    }
    (void)ia_mock_refuse(r, "thread", "thread: this server does not hold conversations");
    r->details = "{\"error_code\":\"thread_unsupported_request\",\"unsupported\":[\"thread\"]}";
    return false;
}

static bool check_sampling(const struct ia_mock_request *req, struct ia_mock_reject *r)
{
    for (size_t i = 0; i < IA_COUNTOF(sampling); i++) {
        const json_t *v = json_object_get(req->root, sampling[i]);
        if (v && ia_mock_version_new(req->headers)) {
            return ia_mock_refuse(r, "sampling",
                                  "%s: not supported with anthropic-version %.20s", sampling[i],
                                  req->headers->version);
        }
        if (v && !json_is_number(v)) {
            return ia_mock_refuse(r, "field_type", "%s: Input should be a valid number",
                                  sampling[i]);
        }
    }
    return true;
}

static bool one_of(const char *value, const char *const *allowed)
{
    for (; *allowed; allowed++) {
        if (strcmp(*allowed, value) == 0) {
            return true;
        }
    }
    return false;
}

/* A string member that is one of a NULL-ended list, or missing. */
static bool check_enum(const json_t *object, const char *key, const char *where,
                       const char *const *allowed, struct ia_mock_reject *r)
{
    const json_t *v = json_object_get(object, key);
    if (!v || (json_is_string(v) && one_of(json_string_value(v), allowed))) {
        return true;
    }
    return ia_mock_refuse(r, "field_value", "%s: Input should be '%s', …", where, allowed[0]);
}

static bool check_output_config(const struct ia_mock_request *req, struct ia_mock_reject *r)
{
    static const char *const efforts[] = {"low", "medium", "high", "xhigh", "max", NULL};
    static const char *const keys[] = {"effort", "format", "task_budget", NULL};
    json_t *config = json_object_get(req->root, "output_config");
    const char *name;
    json_t *value;
    json_object_foreach(config, name, value)
    {
        if (!one_of(name, keys)) {
            return ia_mock_refuse(r, "unknown_field",
                                  "output_config.%.100s: Extra inputs are not permitted", name);
        }
    }
    const json_t *format = json_object_get(config, "format");
    if (format &&
        (!json_is_object(json_object_get(format, "schema")) || !ia_mock_str(format, "type"))) {
        return ia_mock_refuse(r, "field_value",
                              "output_config.format: type and schema are required");
    }
    return check_enum(config, "effort", "output_config.effort", efforts, r);
}

static bool check_stop_sequences(const struct ia_mock_request *req, struct ia_mock_reject *r)
{
    size_t i;
    json_t *s;
    json_array_foreach(json_object_get(req->root, "stop_sequences"), i, s)
    {
        const char *text = json_string_value(s);
        if (!text || text[strspn(text, " \t\r\n")] == '\0') {
            return ia_mock_refuse(
                r, "field_value",
                "stop_sequences: each stop sequence must contain non-whitespace");
        }
    }
    return true;
}

bool ia_mock_check_fields(const struct ia_mock_request *req, struct ia_mock_reject *r)
{
    static const char *const tiers[] = {"auto", "standard_only", NULL};
    static const char *const speeds[] = {"standard", "fast", NULL};
    return check_known(req, r) && check_thread(req, r) && check_sampling(req, r) &&
           check_output_config(req, r) && check_stop_sequences(req, r) &&
           check_enum(req->root, "service_tier", "service_tier", tiers, r) &&
           check_enum(req->root, "speed", "speed", speeds, r);
}

static bool effort_above_high(const struct ia_mock_request *req)
{
    const char *e = ia_mock_str(json_object_get(req->root, "output_config"), "effort");
    return e && (strcmp(e, "xhigh") == 0 || strcmp(e, "max") == 0);
}

bool ia_mock_thinking_is(const struct ia_mock_request *req, const char *type)
{
    const char *have = ia_mock_str(json_object_get(req->root, "thinking"), "type");
    return have && strcmp(have, type) == 0;
}

static bool unsupported_thinking(const struct ia_mock_request *req, const char *type,
                                 struct ia_mock_reject *r)
{
    (void)req;
    return ia_mock_refuse(r, "thinking_type",
                          "\"thinking.type.%s\" is not supported for this model. Use "
                          "\"thinking.type.adaptive\" and \"output_config.effort\" to control "
                          "thinking behavior.",
                          type);
}

static bool check_budget(const struct ia_mock_request *req, const json_t *thinking,
                         struct ia_mock_reject *r)
{
    const json_t *budget = json_object_get(thinking, "budget_tokens");
    if (!json_is_integer(budget) || json_integer_value(budget) < 1024) {
        return ia_mock_refuse(r, "thinking_budget",
                              "thinking.enabled.budget_tokens: Input should be greater than or "
                              "equal to 1024");
    }
    if (!req->count_only && json_integer_value(budget) >= req->max_tokens) {
        return ia_mock_refuse(r, "thinking_budget",
                              "`max_tokens` must be greater than `thinking.budget_tokens`.");
    }
    return true;
}

bool ia_mock_check_thinking_param(const struct ia_mock_request *req, struct ia_mock_reject *r)
{
    static const char *const types[] = {"adaptive", "enabled", "disabled", "between_tools",
                                        NULL};
    static const char *const displays[] = {"summarized", "omitted", NULL};
    const struct ia_mock_model *m = req->model;
    const json_t *thinking = json_object_get(req->root, "thinking");
    if (!thinking) {
        return true;
    }
    const char *type = ia_mock_str(thinking, "type");
    if (!type || !one_of(type, types)) {
        return ia_mock_refuse(r, "thinking_type",
                              "thinking: Input tag found using 'type' does not match any of "
                              "the expected tags: 'adaptive', 'disabled', 'enabled'");
    }
    bool ok = strcmp(type, "enabled") == 0    ? !(m->no_thinking & IA_MOCK_NO_ENABLED)
              : strcmp(type, "disabled") == 0 ? !(m->no_thinking & IA_MOCK_NO_DISABLED)
              : strcmp(type, "adaptive") == 0 ? !(m->no_thinking & IA_MOCK_NO_ADAPTIVE)
                                              : m->between_tools;
    bool capped = strcmp(type, "between_tools") == 0 ||
                  (strcmp(type, "disabled") == 0 && (m->no_thinking & IA_MOCK_NO_ENABLED));
    if (!ok || (capped && effort_above_high(req))) {
        return unsupported_thinking(req, type, r);
    }
    return check_enum(thinking, "display", "thinking.display", displays, r) &&
           (strcmp(type, "enabled") != 0 || check_budget(req, thinking, r));
}

static bool choice_forces(const char *type)
{
    return strcmp(type, "any") == 0 || strcmp(type, "tool") == 0;
}

static bool check_choice_names_tool(const struct ia_mock_request *req, const json_t *choice,
                                    struct ia_mock_reject *r)
{
    const char *name = ia_mock_str(choice, "name");
    if (!name) {
        return ia_mock_refuse(r, "tool_choice", "tool_choice.tool.name: Field required");
    }
    return ia_mock_has_tool(req, name) ||
           ia_mock_refuse(r, "tool_choice", "Tool '%.128s' not found in provided tools", name);
}

bool ia_mock_check_tool_choice(const struct ia_mock_request *req, struct ia_mock_reject *r)
{
    static const char *const types[] = {"auto", "any", "tool", "none", NULL};
    const json_t *choice = json_object_get(req->root, "tool_choice");
    if (!choice) {
        return true;
    }
    const char *type = ia_mock_str(choice, "type");
    if (!type || !one_of(type, types)) {
        return ia_mock_refuse(r, "tool_choice",
                              "tool_choice: Input tag found using 'type' does not match any of "
                              "the expected tags: 'auto', 'any', 'tool', 'none'");
    }
    if (json_array_size(req->tools) == 0) {
        return ia_mock_refuse(r, "tool_choice",
                              "tool_choice may only be specified while providing tools.");
    }
    if (choice_forces(type) && !req->model->forced_choice) {
        return ia_mock_refuse(r, "tool_choice_forced",
                              "tool_choice: type \"tool\" and \"any\" are not supported for "
                              "this model.");
    }
    if (choice_forces(type) && ia_mock_thinking_is(req, "enabled")) {
        return ia_mock_refuse(r, "tool_choice_forced",
                              "Thinking may not be enabled when tool_choice forces tool use.");
    }
    return strcmp(type, "tool") != 0 || check_choice_names_tool(req, choice, r);
}
