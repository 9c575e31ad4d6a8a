/* openapi.c: the routes as an OpenAPI 3.1 document: from the table of routes, the verbs' tables of
 * options and the members of a job, so that it says what is read, and nothing else.
 * Source: spec.openapis.org/oas/v3.1.1, 2026-11. */
#include "server/api/openapi.h"

#include "server/api/handlers.h"
#include "server/verbs/verbs.h"

#include <stdio.h>
#include <string.h>

enum { PATH_BYTES_MAX = 256, LIST_BYTES_MAX = 64 };

/* ---- values ------------------------------------------------------------------------------ */

/* In a body a text may be written as the number that it is (a ref, say), and what is null is left out;
 * a query has texts only. */
static void put_choices(struct ia_jsonw *w, const char *words, bool body)
{
    ia_jsonw_key(w, "enum");
    ia_jsonw_array(w);
    while (*words != '\0') {
        size_t n = strcspn(words, "|");
        ia_jsonw_str(w, (struct ia_str){words, n});
        words += n + (words[n] == '|');
    }
    if (body) {
        ia_jsonw_null(w);
    }
    ia_jsonw_end_array(w);
}

static void put_type(struct ia_jsonw *w, const char *type, bool text, bool body)
{
    ia_jsonw_key(w, "type");
    ia_jsonw_array(w);
    ia_jsonw_string(w, type);
    if (body && text) {
        ia_jsonw_string(w, "integer");
    }
    if (body) {
        ia_jsonw_string(w, "null");
    }
    ia_jsonw_end_array(w);
}

static void put_kind(struct ia_jsonw *w, const struct ia_opt *o, bool body)
{
    switch (o->kind) {
    case IA_OPT_FLAG:
        put_type(w, "boolean", false, body);
        break;
    case IA_OPT_INT:
        put_type(w, "integer", false, body);
        ia_jsonw_kv_int(w, "minimum", o->min);
        ia_jsonw_kv_int(w, "maximum", o->max);
        break;
    case IA_OPT_REAL:
        put_type(w, "number", false, body);
        ia_jsonw_kv_int(w, "minimum", 0);
        break;
    case IA_OPT_CHOICE:
        put_choices(w, o->value, body);
        break;
    case IA_OPT_TEXT:
    case IA_OPT_PATH:
    case IA_OPT_OUT:
        put_type(w, "string", true, body);
        break;
    }
}

static void put_schema(struct ia_jsonw *w, const struct ia_opt *o, bool body)
{
    ia_jsonw_object(w);
    if (o->repeat) {
        ia_jsonw_kv(w, "type", "array");
        ia_jsonw_key(w, "items");
        ia_jsonw_object(w);
        put_kind(w, o, false);
        ia_jsonw_end_object(w);
    } else {
        put_kind(w, o, body);
    }
    ia_jsonw_kv(w, "description", o->help);
    ia_jsonw_end_object(w);
}

static void put_members(struct ia_jsonw *w, const struct ia_opt *opts)
{
    for (const struct ia_opt *o = opts; o && o->name; o++) {
        if (!o->local) {
            ia_jsonw_key(w, o->name);
            put_schema(w, o, true);
        }
    }
}

/* An object with the members of the table, and those of `more` (may be NULL), which are never required. */
static void put_table(struct ia_jsonw *w, const struct ia_opt *opts, const struct ia_opt *more,
                      bool with_run, bool run_needed)
{
    static const struct ia_opt none[] = {IA_API_OPTS_END};
    opts = opts ? opts : none;
    ia_jsonw_object(w);
    ia_jsonw_kv(w, "type", "object");
    ia_jsonw_key(w, "properties");
    ia_jsonw_object(w);
    put_members(w, opts);
    put_members(w, more);
    if (with_run) {
        ia_jsonw_key(w, "run");
        ia_jsonw_object(w);
        ia_jsonw_kv(w, "$ref", "#/components/schemas/Job");
        ia_jsonw_end_object(w);
    }
    ia_jsonw_end_object(w);
    ia_jsonw_key(w, "required");
    ia_jsonw_array(w);
    for (const struct ia_opt *o = opts; o->name; o++) {
        if (o->required && !o->local) {
            ia_jsonw_string(w, o->name);
        }
    }
    if (run_needed) {
        ia_jsonw_string(w, "run");
    }
    ia_jsonw_end_array(w);
    ia_jsonw_kv_bool(w, "additionalProperties", false);
    ia_jsonw_end_object(w);
}

/* ---- what goes in ------------------------------------------------------------------------ */

static void begin_parameter(struct ia_jsonw *w, const char *name, size_t n, const char *in,
                            bool required)
{
    ia_jsonw_object(w);
    ia_jsonw_key(w, "name");
    ia_jsonw_str(w, (struct ia_str){name, n});
    ia_jsonw_kv(w, "in", in);
    ia_jsonw_kv_bool(w, "required", required);
    ia_jsonw_key(w, "schema");
}

static void put_path_parameters(struct ia_jsonw *w, const char *path)
{
    while ((path = strchr(path, '{')) != NULL) {
        begin_parameter(w, path + 1, strcspn(path + 1, "}"), "path", true);
        ia_jsonw_object(w);
        ia_jsonw_kv(w, "type", "string");
        ia_jsonw_kv_int(w, "minLength", 1);
        ia_jsonw_end_object(w);
        ia_jsonw_end_object(w);
        path++;
    }
}

static void put_parameters(struct ia_jsonw *w, const struct ia_api_route *r, const char *path)
{
    ia_jsonw_key(w, "parameters");
    ia_jsonw_array(w);
    put_path_parameters(w, path);
    for (const struct ia_opt *o = r->query; o && o->name; o++) {
        begin_parameter(w, o->name, strlen(o->name), "query", o->required);
        put_schema(w, o, false);
        ia_jsonw_end_object(w);
    }
    if (r->flags & (IA_API_ACTS | IA_API_VERB)) {
        begin_parameter(w, "Ios-Agent-Request-Id", strlen("Ios-Agent-Request-Id"), "header",
                        false);
        ia_jsonw_object(w);
        ia_jsonw_kv(w, "type", "string");
        ia_jsonw_kv(w, "pattern", "^[A-Za-z0-9._-]{1,64}$");
        ia_jsonw_kv(w, "description",
                    "a repeat with the same id gets the same answer and does nothing");
        ia_jsonw_end_object(w);
        ia_jsonw_end_object(w);
    }
    ia_jsonw_end_array(w);
}

static void put_body(struct ia_jsonw *w, const struct ia_api_route *r,
                     const struct ia_verb *verb)
{
    bool run = r->flags & IA_API_RUN, job = r->flags & IA_API_JOB;
    if (!verb && !r->body && !run && !job) {
        return;
    }
    ia_jsonw_key(w, "requestBody");
    ia_jsonw_object(w);
    ia_jsonw_kv_bool(w, "required", true);
    ia_jsonw_key(w, "content");
    ia_jsonw_object(w);
    ia_jsonw_key(w, "application/json");
    ia_jsonw_object(w);
    ia_jsonw_key(w, "schema");
    if (job) {
        ia_jsonw_object(w);
        ia_jsonw_kv(w, "$ref", "#/components/schemas/Job");
        ia_jsonw_end_object(w);
    } else {
        put_table(w, verb ? verb->opts : r->body, verb ? r->body : NULL, run,
                  run && strcmp(r->method, "POST") == 0);
    }
    ia_jsonw_end_object(w);
    ia_jsonw_end_object(w);
    ia_jsonw_end_object(w);
}

/* ---- what comes out ---------------------------------------------------------------------- */

/* The envelope, whose result has the members "a, b, c". */
static void put_result(struct ia_jsonw *w, const char *members)
{
    ia_jsonw_object(w);
    ia_jsonw_key(w, "allOf");
    ia_jsonw_array(w);
    ia_jsonw_object(w);
    ia_jsonw_kv(w, "$ref", "#/components/schemas/Envelope");
    ia_jsonw_end_object(w);
    ia_jsonw_end_array(w);
    ia_jsonw_key(w, "properties");
    ia_jsonw_object(w);
    ia_jsonw_key(w, "result");
    ia_jsonw_object(w);
    if (members) {
        ia_jsonw_kv(w, "type", "object");
        ia_jsonw_key(w, "required");
        ia_jsonw_array(w);
        while (*members != '\0') {
            size_t n = strcspn(members, ",");
            ia_jsonw_str(w, (struct ia_str){members, n});
            members += n;
            members += strspn(members, ", ");
        }
        ia_jsonw_end_array(w);
    }
    ia_jsonw_end_object(w);
    ia_jsonw_end_object(w);
    ia_jsonw_end_object(w);
}

static void put_types(struct ia_jsonw *w, const char *types)
{
    while (types && *types != '\0') {
        char type[LIST_BYTES_MAX];
        size_t n = strcspn(types, "|");
        (void)snprintf(type, sizeof(type), "%.*s", (int)n, types);
        ia_jsonw_key(w, type);
        ia_jsonw_object(w);
        ia_jsonw_end_object(w);
        types += n + (types[n] == '|');
    }
}

static void put_responses(struct ia_jsonw *w, const struct ia_api_route *r)
{
    ia_jsonw_key(w, "responses");
    ia_jsonw_object(w);
    ia_jsonw_key(w, "200");
    ia_jsonw_object(w);
    ia_jsonw_kv(w, "description", "done");
    ia_jsonw_key(w, "content");
    ia_jsonw_object(w);
    if (!(r->flags & IA_API_RAW)) {
        ia_jsonw_key(w, "application/json");
        ia_jsonw_object(w);
        ia_jsonw_key(w, "schema");
        put_result(w, r->flags & IA_API_VERB ? NULL : r->result);
        ia_jsonw_end_object(w);
    }
    put_types(w, r->types);
    ia_jsonw_end_object(w);
    ia_jsonw_end_object(w);
    ia_jsonw_key(w, "default");
    ia_jsonw_object(w);
    ia_jsonw_kv(w, "$ref", "#/components/responses/Failure");
    ia_jsonw_end_object(w);
    ia_jsonw_end_object(w);
}

/* ---- operations -------------------------------------------------------------------------- */

static void put_operation(struct ia_jsonw *w, const struct ia_api_route *r, const char *path,
                          const struct ia_verb *verb)
{
    char method[8];
    size_t n = 0;
    for (; r->method[n] != '\0' && n + 1 < sizeof(method); n++) {
        method[n] = (char)(r->method[n] | 0x20);
    }
    method[n] = '\0';
    ia_jsonw_key(w, method);
    ia_jsonw_object(w);
    ia_jsonw_kv(w, "summary", verb ? verb->summary : r->summary);
    if (r->flags & IA_API_PUBLIC) {
        ia_jsonw_key(w, "security");
        ia_jsonw_array(w);
        ia_jsonw_end_array(w);
    }
    put_parameters(w, r, path);
    put_body(w, r, verb);
    put_responses(w, r);
    ia_jsonw_end_object(w);
}

/* The routes of one path are one item; they need not follow each other in the table. */
static void put_path(struct ia_jsonw *w, const struct ia_api_route *routes,
                     const struct ia_api_route *first)
{
    for (const struct ia_api_route *r = routes; r != first; r++) {
        if (strcmp(r->path, first->path) == 0) {
            return;
        }
    }
    ia_jsonw_key(w, first->path);
    ia_jsonw_object(w);
    for (const struct ia_api_route *r = first; r->path; r++) {
        if (strcmp(r->path, first->path) == 0) {
            put_operation(w, r, r->path, NULL);
        }
    }
    ia_jsonw_end_object(w);
}

static void put_verbs(struct ia_jsonw *w, const struct ia_api_route *r)
{
    char path[PATH_BYTES_MAX];
    for (const struct ia_verb *v = ia_verbs; v->name; v++) {
        (void)snprintf(path, sizeof(path), "%.*s%s", (int)strcspn(r->path, "{"), r->path,
                       v->name);
        for (char *p = path; *p != '\0'; p++) {
            *p = *p == ' ' ? '-' : *p;
        }
        ia_jsonw_key(w, path);
        ia_jsonw_object(w);
        put_operation(w, r, path, v);
        ia_jsonw_end_object(w);
    }
}

/* ---- the document ------------------------------------------------------------------------ */

static void put_raw_key(struct ia_jsonw *w, const char *key, const char *json)
{
    ia_jsonw_key(w, key);
    ia_jsonw_raw(w, ia_str(json));
}

static void put_components(struct ia_jsonw *w)
{
    ia_jsonw_key(w, "components");
    ia_jsonw_object(w);
    put_raw_key(w, "securitySchemes",
                "{\"bearer\":{\"type\":\"http\",\"scheme\":\"bearer\",\"description\":\"the "
                "token of `ios-agent daemon token`; the Unix socket asks for none\"}}");
    put_raw_key(w, "responses",
                "{\"Failure\":{\"description\":\"it failed: error.code says why, and "
                "error.outcome whether anything was done\",\"content\":{\"application/json\":"
                "{\"schema\":{\"$ref\":\"#/components/schemas/Envelope\"}},"
                "\"application/octet-stream\":{}}}}");
    ia_jsonw_key(w, "schemas");
    ia_jsonw_object(w);
    put_raw_key(
        w, "Envelope",
        "{\"type\":\"object\",\"required\":[\"status\",\"stdout\",\"result\",\"error\"],"
        "\"properties\":{\"status\":{\"enum\":[\"ok\",\"error\"]},\"stdout\":{\"type\":"
        "\"string\"},\"result\":{},\"error\":{\"anyOf\":[{\"type\":\"null\"},{\"$ref\":"
        "\"#/components/schemas/Error\"}]}}}");
    put_raw_key(
        w, "Error",
        "{\"type\":\"object\",\"required\":[\"code\",\"message\",\"hint\",\"outcome\","
        "\"retry_safe\"],\"properties\":{\"code\":{\"type\":\"string\"},\"message\":"
        "{\"type\":\"string\"},\"hint\":{\"type\":\"string\"},\"outcome\":{\"enum\":[\"\","
        "\"not_sent\",\"sent\",\"unknown\"]},\"retry_safe\":{\"type\":\"boolean\"}}}");
    ia_jsonw_key(w, "Job");
    ia_job_schema(w);
    ia_jsonw_end_object(w);
    ia_jsonw_end_object(w);
}

void ia_api_document(struct ia_jsonw *w, const struct ia_api_route *routes, const char *version)
{
    ia_jsonw_object(w);
    ia_jsonw_kv(w, "openapi", "3.1.0");
    ia_jsonw_key(w, "info");
    ia_jsonw_object(w);
    ia_jsonw_kv(w, "title", "ios-agent control API");
    ia_jsonw_kv(w, "version", version);
    ia_jsonw_end_object(w);
    put_raw_key(w, "security", "[{\"bearer\":[]}]");
    ia_jsonw_key(w, "paths");
    ia_jsonw_object(w);
    for (const struct ia_api_route *r = routes; r->path; r++) {
        if (r->flags & IA_API_VERB) {
            put_verbs(w, r);
        } else {
            put_path(w, routes, r);
        }
    }
    ia_jsonw_end_object(w);
    put_components(w);
    ia_jsonw_end_object(w);
}

enum ia_rc ia_api_openapi(struct ia_api_call *call, struct ia_err *err)
{
    struct ia_jsonw w;
    ia_jsonw_init(&w, &call->reply->body);
    ia_api_document(&w, call->api->routes, "1");
    call->answered = true;
    return ia_buf_check(&call->reply->body, "the document", err);
}
