/* call.c: reads what a request brings: its query and its JSON body, by tables of options.
 *
 * Both become a JSON object, and that becomes arguments, so that a route has one way to read them and
 * a mistake is refused in the same words wherever it stands. */
#include "server/api/call.h"

#include "json/json.h"

#include "server/verbs/verbs.h"
#include "store/watch.h"

#include <errno.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

static const struct ia_opt no_members[] = {IA_API_OPTS_END};

/* ---- the query --------------------------------------------------------------------------- */

static const struct ia_opt *find(const struct ia_opt *opts, const char *name)
{
    for (; opts->name; opts++) {
        if (strcmp(opts->name, name) == 0) {
            return opts;
        }
    }
    return NULL;
}

/* A query has only text: what the table wants as something else is made so where it can be. */
static json_t *value_of(const struct ia_opt *opt, const char *text)
{
    char *end = NULL;
    errno = 0;
    long long n = opt && opt->kind == IA_OPT_INT ? strtoll(text, &end, 10) : 0;
    if (end && end != text && *end == '\0' && errno == 0) {
        return json_integer(n);
    }
    if (opt && opt->kind == IA_OPT_FLAG && strcmp(text, "true") == 0) {
        return json_true();
    }
    if (opt && opt->kind == IA_OPT_FLAG && strcmp(text, "false") == 0) {
        return json_false();
    }
    return json_string(text);
}

struct query {
    const struct ia_opt *opts;
    json_t *object;
    const char *bad; /* a name that is there twice, or whose value is no UTF-8 */
};

static void add_member(void *ctx, const char *name, const char *value)
{
    struct query *q = ctx;
    const struct ia_opt *opt = find(q->opts, name);
    bool twice = json_object_get(q->object, name) != NULL;
    if (twice || json_object_set_new(q->object, name, value_of(opt, value)) != 0) {
        q->bad = name;
    }
}

static enum ia_rc read_query(struct ia_api_call *call, struct ia_err *err)
{
    struct query q = {call->route->query ? call->route->query : no_members, json_object(),
                      NULL};
    ia_http_query_each(call->http, add_member, &q);
    call->query_json = q.object;
    if (q.bad) {
        return ia_err_set(err, IA_E_USAGE,
                          "the query member \"%.64s\" is there twice, or is no UTF-8", q.bad);
    }
    if (call->route->flags & IA_API_ANY_QUERY) {
        return IA_OK;
    }
    enum ia_rc rc = ia_verb_args_read(q.opts, q.object, &call->query, err);
    return rc == IA_OK ? ia_args_check(&call->query, err)
                       : ia_err_wrap(err, rc, "in the query of %s", call->route->path);
}

/* ---- the body ---------------------------------------------------------------------------- */

/* secret: what is wrong is told without the text around it. */
static enum ia_rc parse(struct ia_str text, bool secret, json_t **ret, struct ia_err *err)
{
    json_error_t at;
    if (!ia_json_depth_ok(text, IA_API_JSON_DEPTH_MAX)) {
        return ia_err_set(err, IA_E_PARSE, "the body nests deeper than %d levels",
                          IA_API_JSON_DEPTH_MAX);
    }
    json_t *j = json_loadb(text.p, text.n, JSON_REJECT_DUPLICATES, &at);
    if (!j) {
        return ia_err_set(err, IA_E_PARSE, "the body is no JSON: %s%sline %d, column %d",
                          secret ? "" : at.text, secret ? "" : ", ", at.line, at.column);
    }
    if (!json_is_object(j)) {
        json_decref(j);
        return ia_err_set(err, IA_E_USAGE, "the body must be a JSON object");
    }
    *ret = j;
    return IA_OK;
}

/* A mistake in it is the caller's, as in every body. */
static enum ia_rc read_job(struct ia_api_call *call, struct ia_str json, struct ia_err *err)
{
    enum ia_rc rc = ia_job_parse(json, &call->job, err);
    if (rc == IA_E_PARSE || rc == IA_E_LIMIT) {
        rc = err->code = IA_E_USAGE;
    }
    return rc;
}

/* Takes the member "run" out of the body: the table has the others. */
static enum ia_rc take_run(struct ia_api_call *call, struct ia_err *err)
{
    const json_t *run = json_object_get(call->body, "run");
    if (!run) {
        return IA_OK;
    }
    char *text = json_dumps(run, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(17));
    enum ia_rc rc = read_job(call, ia_str(text), err);
    free(text);
    (void)json_object_del(call->body, "run");
    return rc;
}

static enum ia_rc read_body(struct ia_api_call *call, struct ia_err *err)
{
    struct ia_str text = call->http->body;
    const struct ia_opt *opts = call->route->body ? call->route->body : no_members;
    enum ia_rc rc = IA_OK;
    if (text.n > 0) {
        rc = parse(text, call->route->flags & IA_API_SECRET, &call->body, err);
    } else {
        call->body = json_object();
    }
    if (rc == IA_OK && (call->route->flags & IA_API_JOB)) {
        return read_job(call, text, err);
    }
    if (rc == IA_OK && (call->route->flags & IA_API_RUN)) {
        rc = take_run(call, err);
    }
    if (rc != IA_OK || (call->route->flags & IA_API_ANY_BODY)) {
        return rc;
    }
    rc = ia_verb_args_read(opts, call->body, &call->input, err);
    return rc == IA_OK ? ia_args_check(&call->input, err) : rc;
}

enum ia_rc ia_api_read(struct ia_api_call *call, struct ia_err *err)
{
    enum ia_rc rc = read_query(call, err);
    return rc == IA_OK ? read_body(call, err) : rc;
}

static void wipe(const char *text, size_t n)
{
    if (text) {
        sodium_memzero((void *)(uintptr_t)text, n);
    }
}

/* The body, what was parsed and what was read of it are ours to write to until the answer leaves. */
static void wipe_body(struct ia_api_call *call)
{
    const char *name;
    json_t *member;
    for (size_t i = 0; i < call->input.owned_count; i++) {
        wipe(call->input.owned[i], strlen(call->input.owned[i]));
    }
    json_object_foreach(call->body, name, member)
    {
        wipe(json_string_value(member), json_string_length(member));
    }
    wipe(call->http->body.p, call->http->body.n);
}

void ia_api_call_fini(struct ia_api_call *call)
{
    if (call->route && (call->route->flags & IA_API_SECRET)) {
        wipe_body(call);
    }
    ia_verb_args_fini(&call->query);
    ia_verb_args_fini(&call->input);
    json_decref(call->query_json);
    json_decref(call->body);
    ia_job_free(call->job);
    ia_buf_fini(&call->text);
    ia_buf_fini(&call->result);
    ia_buf_fini(&call->file);
}

enum ia_rc ia_api_header_int(const struct ia_api_call *call, const char *name, int64_t min,
                             int64_t max, int64_t fallback, int64_t *ret, struct ia_err *err)
{
    const char *text = ia_http_header(call->http, name);
    char *end = NULL;
    errno = 0;
    long long n = text ? strtoll(text, &end, 10) : fallback;
    if (text && (end == text || *end != '\0' || errno != 0 || n < min || n > max)) {
        return ia_err_set(err, IA_E_USAGE,
                          "the header %s must be a whole number from %lld to %lld", name,
                          (long long)min, (long long)max);
    }
    *ret = n;
    return IA_OK;
}

enum ia_rc ia_api_as_of(struct ia_api_call *call, ia_api_fn *put, struct ia_err *err)
{
    struct ia_store *store = call->api->opts.setup->store;
    int64_t as_of = 0;
    enum ia_rc rc = ia_store_read_begin(store, &as_of, err);
    if (rc != IA_OK) {
        return rc;
    }
    ia_jsonw_object(&call->w);
    rc = put(call, err);
    ia_store_read_end(store);
    if (rc == IA_OK) {
        ia_jsonw_kv_int(&call->w, "as_of", as_of);
        ia_jsonw_end_object(&call->w);
    }
    return rc;
}

const char *ia_api_folder(const struct ia_api_call *call)
{
    return call->http->listener == IA_HTTP_UNIX ? ia_http_header(call->http, "Ios-Agent-Cwd")
                                                : NULL;
}

const char *ia_api_own_key(const struct ia_api_call *call, const char *header)
{
    return call->http->listener == IA_HTTP_UNIX ? ia_http_header(call->http, header) : NULL;
}
