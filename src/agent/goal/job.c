/* job.c: a request as JSON and back. Members with one value are rows of a table that writing
 * and reading share; lists and enums have a function each.
 *
 * A job is what is kept of a request in rows: of a run (its options), of a sweep's goal and
 * of a schedule. So later versions have to read what is written today. Writing leaves out
 * every member that has its zero value; reading refuses a member that it does not know,
 * since a job from a newer version must not be done without what it asks for.
 *
 * Strings are not copied: a parsed request borrows them from the JSON document that the job
 * keeps. */
#include "agent/goal/job.h"

#include "base/jsonw.h"

#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct ia_job {
    struct ia_run_request req; /* strings are those of doc */
    const char *device;
    json_t *doc;
    const char *expect[IA_JOB_EXPECTS_MAX];
    const char *secrets[IA_JOB_SECRETS_MAX];
    const char *vars[IA_JOB_VARS_MAX];
    struct ia_setup_step setup[IA_JOB_SETUP_MAX];
};

/* The members that are one value each. Lists are written and read on their own. */
enum field_kind { FIELD_TEXT, FIELD_INT, FIELD_INT64, FIELD_REAL, FIELD_BOOL };
struct field {
    const char *key;
    enum field_kind kind;
    size_t at; /* in struct ia_run_request */
};
#define FIELD(key, kind, member)                                                               \
    {                                                                                          \
        key, kind, offsetof(struct ia_run_request, member)                                     \
    }

static const struct field fields[] = {
    FIELD("goal", FIELD_TEXT, goal),
    FIELD("name", FIELD_TEXT, name),
    FIELD("app", FIELD_TEXT, app),
    FIELD("hint", FIELD_TEXT, hint),
    FIELD("fails", FIELD_TEXT, fails),
    FIELD("agent", FIELD_TEXT, agent),
    FIELD("model", FIELD_TEXT, model),
    FIELD("verifier_model", FIELD_TEXT, verifier_model),
    FIELD("effort", FIELD_TEXT, effort),
    FIELD("answer_tokens", FIELD_INT, answer_tokens),
    FIELD("context_tokens", FIELD_INT, context_tokens),
    FIELD("tries", FIELD_INT, tries),
    FIELD("demo", FIELD_BOOL, demo_brain),
    FIELD("fresh", FIELD_BOOL, fresh),
    FIELD("continue", FIELD_BOOL, continue_session),
    FIELD("recording", FIELD_TEXT, recording),
    FIELD("replay", FIELD_TEXT, replay),
    FIELD("strict", FIELD_BOOL, strict),
    FIELD("goal_hash", FIELD_TEXT, goal_hash),
};
static const struct field budget_fields[] = {
    FIELD("max_steps", FIELD_INT, budget.max_steps),
    FIELD("max_seconds", FIELD_INT, budget.max_seconds),
    FIELD("max_tokens", FIELD_INT64, budget.max_tokens),
    FIELD("max_usd", FIELD_REAL, budget.max_usd),
};
static const struct field policy_fields[] = {
#define POLICY_FIELD(name) FIELD(#name, FIELD_TEXT, policy.name),
    IA_STRICTER_LIST(POLICY_FIELD)
#undef POLICY_FIELD
};
static const char *const verify_names[] = {"auto", "always", "off"};

/* ---- writing ----------------------------------------------------------------------------- */

static void write_int(struct ia_jsonw *w, const char *key, int64_t v)
{
    if (v != 0) {
        ia_jsonw_kv_int(w, key, v);
    }
}

static void write_field(struct ia_jsonw *w, const struct ia_run_request *req,
                        const struct field *f)
{
    const void *p = (const char *)req + f->at;
    switch (f->kind) {
    case FIELD_TEXT:
        if (*(const char *const *)p) {
            ia_jsonw_kv(w, f->key, *(const char *const *)p);
        }
        break;
    case FIELD_INT:
        write_int(w, f->key, *(const int *)p);
        break;
    case FIELD_INT64:
        write_int(w, f->key, *(const int64_t *)p);
        break;
    case FIELD_REAL:
        /* JSON has no infinity and no NaN; both mean "no limit" here. */
        if (isfinite(*(const double *)p) && *(const double *)p > 0) {
            ia_jsonw_kv_real(w, f->key, *(const double *)p);
        }
        break;
    case FIELD_BOOL:
        if (*(const bool *)p) {
            ia_jsonw_kv_bool(w, f->key, true);
        }
        break;
    }
}

static void write_texts(struct ia_jsonw *w, const char *key, const char *const *texts, size_t n)
{
    if (n == 0) {
        return;
    }
    ia_jsonw_key(w, key);
    ia_jsonw_array(w);
    for (size_t i = 0; i < n; i++) {
        ia_jsonw_string(w, texts[i]);
    }
    ia_jsonw_end_array(w);
}

static void write_setup(struct ia_jsonw *w, const struct ia_run_request *req)
{
    if (req->setup_count == 0) {
        return;
    }
    ia_jsonw_key(w, "setup");
    ia_jsonw_array(w);
    for (size_t i = 0; i < req->setup_count; i++) {
        ia_jsonw_object(w);
        ia_jsonw_kv(w, "do", ia_setup_kind_name(req->setup[i].kind));
        if (req->setup[i].value) {
            ia_jsonw_kv(w, "value", req->setup[i].value);
        }
        ia_jsonw_end_object(w);
    }
    ia_jsonw_end_array(w);
}

static void write_budget(struct ia_jsonw *w, const struct ia_run_request *req)
{
    const struct ia_budget *b = &req->budget;
    if (b->max_steps == 0 && b->max_seconds == 0 && b->max_tokens == 0 && !(b->max_usd > 0)) {
        return;
    }
    ia_jsonw_key(w, "budget");
    ia_jsonw_object(w);
    for (size_t i = 0; i < IA_COUNTOF(budget_fields); i++) {
        write_field(w, req, &budget_fields[i]);
    }
    ia_jsonw_end_object(w);
}

static void write_policy(struct ia_jsonw *w, const struct ia_run_request *req)
{
    static const struct ia_stricter none = {.buy = NULL};
    if (memcmp(&req->policy, &none, sizeof(none)) == 0) {
        return;
    }
    ia_jsonw_key(w, "policy");
    ia_jsonw_object(w);
    for (size_t i = 0; i < IA_COUNTOF(policy_fields); i++) {
        write_field(w, req, &policy_fields[i]);
    }
    ia_jsonw_end_object(w);
}

void ia_job_write(const struct ia_run_request *req, const char *device, struct ia_buf *out)
{
    struct ia_jsonw w;
    ia_jsonw_init(&w, out);
    ia_jsonw_object(&w);
    for (size_t i = 0; i < IA_COUNTOF(fields); i++) {
        write_field(&w, req, &fields[i]);
    }
    if (req->verify != IA_VERIFY_AUTO) {
        ia_jsonw_kv(&w, "verify", verify_names[req->verify]);
    }
    if (req->pictures != IA_PICTURES_END) {
        ia_jsonw_kv(&w, "pictures", ia_pictures_name(req->pictures));
    }
    if (req->plan) {
        ia_jsonw_kv(&w, "plan", req->plan);
    }
    write_texts(&w, "expect", req->expect, req->expect_count);
    write_budget(&w, req);
    write_policy(&w, req);
    write_setup(&w, req);
    write_texts(&w, "secrets", req->secrets, req->secret_count);
    write_texts(&w, "vars", req->vars, req->var_count);
    if (device) {
        ia_jsonw_kv(&w, "device", device);
    }
    ia_jsonw_end_object(&w);
}

/* ---- reading ----------------------------------------------------------------------------- */

static enum ia_rc wrong(const char *key, const char *want, struct ia_err *err)
{
    return ia_err_set(err, IA_E_PARSE, "\"%.40s\" of a job must be %s", key, want);
}

static bool fits_int(const json_t *v, int64_t max)
{
    return json_is_integer(v) && json_integer_value(v) >= 0 && json_integer_value(v) <= max;
}

static enum ia_rc read_field(struct ia_run_request *req, const struct field *f, const json_t *v,
                             struct ia_err *err)
{
    void *p = (char *)req + f->at;
    switch (f->kind) {
    case FIELD_TEXT:
        if (!json_is_string(v)) {
            return wrong(f->key, "a string", err);
        }
        *(const char **)p = json_string_value(v);
        return IA_OK;
    case FIELD_INT:
        if (!fits_int(v, INT_MAX)) {
            return wrong(f->key, "a whole number of at least 0", err);
        }
        *(int *)p = (int)json_integer_value(v);
        return IA_OK;
    case FIELD_INT64:
        if (!fits_int(v, INT64_MAX)) {
            return wrong(f->key, "a whole number of at least 0", err);
        }
        *(int64_t *)p = json_integer_value(v);
        return IA_OK;
    case FIELD_REAL:
        /* Negated, so that a NaN would fail as well. */
        if (!json_is_number(v) || !(json_number_value(v) >= 0)) {
            return wrong(f->key, "a number of at least 0", err);
        }
        *(double *)p = json_number_value(v);
        return IA_OK;
    case FIELD_BOOL:
        if (!json_is_boolean(v)) {
            return wrong(f->key, "true or false", err);
        }
        *(bool *)p = json_is_true(v);
        return IA_OK;
    }
    return IA_E_INTERNAL;
}

static const struct field *find_field(const struct field *list, size_t n, const char *key)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(list[i].key, key) == 0) {
            return &list[i];
        }
    }
    return NULL;
}

static enum ia_rc read_texts(const char *key, const json_t *v, size_t max, const char **ret,
                             size_t *ret_count, struct ia_err *err)
{
    if (!json_is_array(v)) {
        return wrong(key, "a list of strings", err);
    }
    if (json_array_size(v) > max) {
        return ia_err_set(err, IA_E_LIMIT, "\"%s\" of a job has more than %zu entries", key,
                          max);
    }
    for (size_t i = 0; i < json_array_size(v); i++) {
        ret[i] = json_string_value(json_array_get(v, i));
        if (!ret[i]) {
            return wrong(key, "a list of strings", err);
        }
    }
    *ret_count = json_array_size(v);
    return IA_OK;
}

static enum ia_rc read_step(const json_t *v, struct ia_setup_step *ret, struct ia_err *err)
{
    const char *what = json_string_value(json_object_get(v, "do"));
    const json_t *value = json_object_get(v, "value");
    if (!what || !ia_setup_kind_from_name(ia_str(what), &ret->kind)) {
        return wrong("setup", "a list of reset, launch, terminate and open-url", err);
    }
    ret->value = json_string_value(value);
    bool needs = ret->kind != IA_SETUP_RESET;
    bool has = ret->value && ret->value[0] != '\0';
    /* The size is checked too: a member that is not known must not be dropped silently. */
    if (needs != has || (value && !ret->value) || json_object_size(v) != (needs ? 2 : 1)) {
        return wrong("setup", "steps with a value, except for reset", err);
    }
    return IA_OK;
}

static enum ia_rc read_setup(struct ia_job *job, const json_t *v, struct ia_err *err)
{
    if (!json_is_array(v)) {
        return wrong("setup", "a list", err);
    }
    if (json_array_size(v) > IA_JOB_SETUP_MAX) {
        return ia_err_set(err, IA_E_LIMIT, "\"setup\" of a job has more than %d steps",
                          IA_JOB_SETUP_MAX);
    }
    enum ia_rc rc = IA_OK;
    for (size_t i = 0; rc == IA_OK && i < json_array_size(v); i++) {
        rc = read_step(json_array_get(v, i), &job->setup[i], err);
    }
    /* After a failure nobody looks at it. */
    job->req.setup_count = json_array_size(v);
    return rc;
}

static enum ia_rc read_secrets(struct ia_job *job, const json_t *v, struct ia_err *err)
{
    enum ia_rc rc =
        read_texts("secrets", v, IA_JOB_SECRETS_MAX, job->secrets, &job->req.secret_count, err);
    for (size_t i = 0; rc == IA_OK && i < job->req.secret_count; i++) {
        if (!ia_secret_name_ok(ia_str(job->secrets[i]))) {
            rc = wrong("secrets", "a list of names of A-Z a-z 0-9 _", err);
        }
    }
    return rc;
}

static enum ia_rc read_verify(struct ia_job *job, const json_t *v, struct ia_err *err)
{
    const char *word = json_string_value(v);
    for (size_t i = 0; word && i < IA_COUNTOF(verify_names); i++) {
        if (strcmp(word, verify_names[i]) == 0) {
            job->req.verify = (enum ia_verify)i;
            return IA_OK;
        }
    }
    return wrong("verify", "auto, always or off", err);
}

static enum ia_rc read_plan(struct ia_job *job, const json_t *v, struct ia_err *err)
{
    const char *word = json_string_value(v);
    if (!word || (strcmp(word, "show") != 0 && strcmp(word, "ask") != 0)) {
        return wrong("plan", "show or ask", err);
    }
    job->req.plan = word;
    return IA_OK;
}

static enum ia_rc read_pictures(struct ia_job *job, const json_t *v, struct ia_err *err)
{
    enum ia_pictures p = ia_pictures_from_name(json_string_value(v));
    if (p == IA_PICTURES_COUNT) {
        return wrong("pictures", "steps, sharp, end or off", err);
    }
    job->req.pictures = p;
    return IA_OK;
}

/* A member that is an object of fields. */
static enum ia_rc read_fields(struct ia_job *job, const char *name, const struct field *list,
                              size_t n, const json_t *v, struct ia_err *err)
{
    if (!json_is_object(v)) {
        return wrong(name, "an object", err);
    }
    enum ia_rc rc = IA_OK;
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)v, key, value)
    {
        const struct field *f = find_field(list, n, key);
        rc = f ? read_field(&job->req, f, value, err)
               : ia_err_set(err, IA_E_PARSE, "a job's %s has no \"%.40s\"", name, key);
        if (rc != IA_OK) {
            break;
        }
    }
    return rc;
}

static enum ia_rc read_member(struct ia_job *job, const char *key, const json_t *v,
                              struct ia_err *err)
{
    const struct field *f = find_field(fields, IA_COUNTOF(fields), key);
    if (f) {
        return read_field(&job->req, f, v, err);
    }
    if (strcmp(key, "verify") == 0) {
        return read_verify(job, v, err);
    }
    if (strcmp(key, "plan") == 0) {
        return read_plan(job, v, err);
    }
    if (strcmp(key, "pictures") == 0) {
        return read_pictures(job, v, err);
    }
    if (strcmp(key, "expect") == 0) {
        return read_texts(key, v, IA_JOB_EXPECTS_MAX, job->expect, &job->req.expect_count, err);
    }
    if (strcmp(key, "budget") == 0) {
        return read_fields(job, key, budget_fields, IA_COUNTOF(budget_fields), v, err);
    }
    if (strcmp(key, "policy") == 0) {
        return read_fields(job, key, policy_fields, IA_COUNTOF(policy_fields), v, err);
    }
    if (strcmp(key, "setup") == 0) {
        return read_setup(job, v, err);
    }
    if (strcmp(key, "secrets") == 0) {
        return read_secrets(job, v, err);
    }
    if (strcmp(key, "vars") == 0) {
        return read_texts(key, v, IA_JOB_VARS_MAX, job->vars, &job->req.var_count, err);
    }
    if (strcmp(key, "device") == 0 && json_is_string(v)) {
        job->device = json_string_value(v);
        job->req.device = job->device;
        return IA_OK;
    }
    return ia_err_set(err, IA_E_PARSE, "a job has no \"%.40s\" of that kind", key);
}

static enum ia_rc read_job(struct ia_job *job, struct ia_err *err)
{
    enum ia_rc rc = IA_OK;
    const char *key;
    json_t *value;
    json_object_foreach(job->doc, key, value)
    {
        rc = read_member(job, key, value, err);
        if (rc != IA_OK) {
            return rc;
        }
    }
    if (!job->req.goal) {
        return ia_err_set(err, IA_E_PARSE, "a job needs a goal");
    }
    /* Also where there are none: the count says so. */
    job->req.expect = job->expect;
    job->req.setup = job->setup;
    job->req.secrets = job->secrets;
    job->req.vars = job->vars;
    return IA_OK;
}

enum ia_rc ia_job_parse(struct ia_str json, struct ia_job **ret, struct ia_err *err)
{
    if (json.n > IA_JOB_BYTES_MAX) {
        return ia_err_set(err, IA_E_LIMIT, "a job is larger than %d bytes", IA_JOB_BYTES_MAX);
    }
    json_error_t where;
    /* Duplicates are refused: which of two would count is nowhere said. */
    json_t *doc = json_loadb(json.p ? json.p : "", json.n, JSON_REJECT_DUPLICATES, &where);
    if (!doc) {
        return ia_err_set(err, IA_E_PARSE, "a job must be one JSON object: %s", where.text);
    }
    return ia_job_take(doc, ret, err);
}

enum ia_rc ia_job_take(json_t *doc, struct ia_job **ret, struct ia_err *err)
{
    if (!json_is_object(doc)) {
        json_decref(doc);
        return ia_err_set(err, IA_E_PARSE, "a job must be one JSON object");
    }
    struct ia_job *job = ia_calloc(1, sizeof(*job));
    job->doc = doc;
    enum ia_rc rc = read_job(job, err);
    if (rc != IA_OK) {
        ia_job_free(job);
        return rc;
    }
    *ret = job;
    return IA_OK;
}

void ia_job_free(struct ia_job *job)
{
    if (job) {
        json_decref(job->doc);
        free(job);
    }
}

const struct ia_run_request *ia_job_request(const struct ia_job *job)
{
    return &job->req;
}

const char *ia_job_device(const struct ia_job *job)
{
    return job->device;
}

/* ---- the schema -------------------------------------------------------------------------- */

static void describe_field(struct ia_jsonw *w, const struct field *f)
{
    static const char *const types[] = {[FIELD_TEXT] = "string",
                                        [FIELD_INT] = "integer",
                                        [FIELD_INT64] = "integer",
                                        [FIELD_REAL] = "number",
                                        [FIELD_BOOL] = "boolean"};
    ia_jsonw_key(w, f->key);
    ia_jsonw_object(w);
    ia_jsonw_kv(w, "type", types[f->kind]);
    if (f->kind != FIELD_TEXT && f->kind != FIELD_BOOL) {
        ia_jsonw_kv_int(w, "minimum", 0);
    }
    if (f->kind == FIELD_INT || f->kind == FIELD_INT64) {
        ia_jsonw_kv_int(w, "maximum", f->kind == FIELD_INT ? INT_MAX : INT64_MAX);
    }
    ia_jsonw_end_object(w);
}

static void describe_list(struct ia_jsonw *w, const char *key, int max, const char *item)
{
    ia_jsonw_key(w, key);
    ia_jsonw_object(w);
    ia_jsonw_kv(w, "type", "array");
    ia_jsonw_kv_int(w, "maxItems", max);
    ia_jsonw_key(w, "items");
    ia_jsonw_raw(w, ia_str(item));
    ia_jsonw_end_object(w);
}

static void describe_words(struct ia_jsonw *w, const char *key, const char *enumeration)
{
    ia_jsonw_key(w, key);
    ia_jsonw_object(w);
    ia_jsonw_key(w, "enum");
    ia_jsonw_raw(w, ia_str(enumeration));
    ia_jsonw_end_object(w);
}

static void describe_members(struct ia_jsonw *w, const struct field *list, size_t n)
{
    ia_jsonw_kv(w, "type", "object");
    ia_jsonw_kv_bool(w, "additionalProperties", false);
    ia_jsonw_key(w, "properties");
    ia_jsonw_object(w);
    for (size_t i = 0; i < n; i++) {
        describe_field(w, &list[i]);
    }
}

void ia_job_schema(struct ia_jsonw *w)
{
    static const char step[] =
        "{\"anyOf\":[{\"type\":\"object\",\"additionalProperties\":false,\"required\":[\"do\"],"
        "\"properties\":{\"do\":{\"const\":\"reset\"}}},{\"type\":\"object\","
        "\"additionalProperties\":false,\"required\":[\"do\",\"value\"],\"properties\":{\"do\":"
        "{\"enum\":[\"launch\",\"terminate\",\"open-url\"]},\"value\":{\"type\":\"string\","
        "\"minLength\":1}}}]}";
    ia_jsonw_object(w);
    describe_members(w, fields, IA_COUNTOF(fields));
    describe_words(w, "verify", "[\"auto\",\"always\",\"off\"]");
    describe_words(w, "plan", "[\"show\",\"ask\"]");
    describe_words(w, "pictures", "[\"end\",\"steps\",\"off\",\"sharp\"]");
    describe_list(w, "expect", IA_JOB_EXPECTS_MAX, "{\"type\":\"string\"}");
    ia_jsonw_key(w, "budget");
    ia_jsonw_object(w);
    describe_members(w, budget_fields, IA_COUNTOF(budget_fields));
    ia_jsonw_end_object(w);
    ia_jsonw_end_object(w);
    ia_jsonw_key(w, "policy");
    ia_jsonw_object(w);
    describe_members(w, policy_fields, IA_COUNTOF(policy_fields));
    ia_jsonw_end_object(w);
    ia_jsonw_end_object(w);
    describe_list(w, "setup", IA_JOB_SETUP_MAX, step);
    describe_list(w, "secrets", IA_JOB_SECRETS_MAX,
                  "{\"type\":\"string\",\"pattern\":\"^[A-Za-z_][A-Za-z0-9_]*$\"}");
    ia_jsonw_key(w, "device");
    ia_jsonw_raw(w, ia_str("{\"type\":\"string\"}"));
    ia_jsonw_end_object(w);
    ia_jsonw_key(w, "required");
    ia_jsonw_raw(w, ia_str("[\"goal\"]"));
    ia_jsonw_end_object(w);
}
