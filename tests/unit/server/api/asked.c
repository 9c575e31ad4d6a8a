/* asked.c: the functions of http.h over a request that a test made up. */
#include "asked.h"

#include "base/clock.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct asked {
    char *line;    /* "GET\0/v1/runs\0limit=3\0" */
    char *headers; /* "A: b\nC: d\n" */
    char *names[64], *values[64];
    size_t members;
    char header[4096]; /* the value that was asked for last */
};

const char *ia_http_query(const struct ia_http_request *r, const char *name)
{
    const struct asked *a = r->connection;
    for (size_t i = 0; i < a->members; i++) {
        if (strcmp(a->names[i], name) == 0) {
            return a->values[i];
        }
    }
    return NULL;
}

void ia_http_query_each(const struct ia_http_request *r, ia_http_query_fn *fn, void *ctx)
{
    const struct asked *a = r->connection;
    for (size_t i = 0; i < a->members; i++) {
        fn(ctx, a->names[i], a->values[i]);
    }
}

const char *ia_http_header(const struct ia_http_request *r, const char *name)
{
    struct asked *a = r->connection;
    size_t n = strlen(name);
    for (char *p = a->headers; p && *p != '\0'; p += strcspn(p, "\n") + 1) {
        if (strncmp(p, name, n) == 0 && p[n] == ':') {
            char *value = ia_strndup(p + n + 2, strcspn(p + n + 2, "\n"));
            char **kept = &a->values[63 - (size_t)(p - a->headers) % 8];
            free(*kept);
            *kept = value;
            return value;
        }
    }
    return NULL;
}

struct ia_cancel *ia_http_cancel(const struct ia_http_request *r)
{
    (void)r;
    return NULL;
}

int stream_waits_left;

bool ia_http_stream_wait(struct ia_http_stream *s, int64_t until_us)
{
    (void)s;
    (void)ia_clock_wait(ia_clock_system(), NULL, until_us);
    return --stream_waits_left > 0;
}

void ia_http_stream_wake(struct ia_http_stream *s)
{
    (void)s;
}

static void read_line(struct asked *a, const char *line, struct ia_http_request *r)
{
    a->line = ia_strdup(line);
    char *path = strchr(a->line, ' ');
    *path++ = '\0';
    char *query = strchr(path, '?');
    r->method = a->line;
    r->path = path;
    if (query) {
        *query++ = '\0';
    }
    while (query && *query != '\0') {
        char *next = strchr(query, '&');
        if (next) {
            *next++ = '\0';
        }
        char *value = strchr(query, '=');
        if (value) {
            *value++ = '\0';
        }
        a->names[a->members] = query;
        a->values[a->members++] = value ? value : query + strlen(query);
        query = next;
    }
}

struct answer ask(struct world *w, const char *line, const char *headers, const char *body)
{
    struct asked a = {.headers = ia_strdup(headers)};
    struct ia_http_request r = {.listener = w->listener,
                                .scope = w->scope,
                                .client = w->listener == IA_HTTP_UNIX ? "unix" : "token",
                                .connection = &a};
    struct ia_http_reply reply = {.body = IA_BUF(IA_HTTP_ANSWER_MAX),
                                  .headers = IA_BUF(IA_HTTP_HEADERS_MAX)};
    char *copy = ia_strdup(body); /* a route may write to it */
    r.body = ia_str(copy);
    read_line(&a, line, &r);
    ia_api_handle(w->api, &r, &reply);
    struct answer ret = {.status = reply.status ? reply.status : 200,
                         .body = reply.body,
                         .headers = reply.headers,
                         .type = reply.content_type,
                         .stream = reply.stream,
                         .stream_ctx = reply.stream_ctx};
    ret.json = json_loadb(reply.body.p ? reply.body.p : "", reply.body.len, 0, NULL);
    for (size_t i = 56; i < 64; i++) {
        free(a.values[i]);
    }
    free(a.line);
    free(a.headers);
    free(copy);
    return ret;
}

void answer_fini(struct answer *a)
{
    json_decref(a->json);
    ia_buf_fini(&a->body);
    ia_buf_fini(&a->headers);
}

json_t *result(const struct answer *a, const char *path)
{
    json_t *at = json_object_get(a->json, "result");
    char name[64];
    while (at && *path != '\0') {
        size_t n = strcspn(path, ".");
        memcpy(name, path, n);
        name[n] = '\0';
        at = json_is_array(at) ? json_array_get(at, strtoul(name, NULL, 10))
                               : json_object_get(at, name);
        path += n + (path[n] == '.');
    }
    return at;
}

const char *result_text(const struct answer *a, const char *path)
{
    const char *text = json_string_value(result(a, path));
    return text ? text : "";
}

const char *code(const struct answer *a)
{
    const char *text =
        json_string_value(json_object_get(json_object_get(a->json, "error"), "code"));
    return text ? text : "";
}

const char *header(const struct answer *a, const char *name, char dst[256])
{
    size_t n = strlen(name);
    dst[0] = '\0';
    for (const char *p = ia_buf_cstr(&a->headers); *p != '\0'; p += strcspn(p, "\n") + 1) {
        if (strncmp(p, name, n) == 0 && p[n] == ':') {
            size_t len = strcspn(p + n + 2, "\n");
            memcpy(dst, p + n + 2, len < 255 ? len : 255);
            dst[len < 255 ? len : 255] = '\0';
        }
    }
    return dst;
}

/* ---- the world --------------------------------------------------------------------------- */

static void facts(void *ctx, struct ia_api_facts *ret)
{
    (void)ctx;
    *ret = (struct ia_api_facts){.started_ms = 1000, .idle_in_s = 900, .clients = 3};
    memcpy(ret->http, "http://127.0.0.1:4848", sizeof("http://127.0.0.1:4848"));
}

static void stop(void *ctx, bool drain)
{
    struct world *w = ctx;
    w->stops++;
    w->drained = drain;
}

static enum ia_rc admit(void *ctx, const struct ia_http_request *r, struct ia_err *err)
{
    const struct world *w = ctx;
    (void)r;
    return w->full ? ia_err_set(err, IA_E_DAEMON_VERSION, "this daemon ends") : IA_OK;
}

void world_open(struct world *w, bool runs)
{
    struct ia_err err;
    struct ia_vclock *clock = w->clock;
    *w = (struct world){
        .home = tmpdir_new(), .scope = IA_HTTP_SCOPE_ACT, .clock = clock, .credentials = {0}};
    assert_int_equal(setenv("IOS_AGENT_HOME", w->home, 1), 0);
    assert_int_equal(setenv("IOS_AGENT_CONFIG", "/dev/null", 1), 0);
    assert_int_equal(ia_setup_store(&w->setup, "api test", &err), IA_OK);
    const struct ia_runs_opts opts = {
        .setup = &w->setup, .credentials = &w->credentials, .max_runs = 2, .all_lanes = runs};
    assert_int_equal(ia_runs_open(&opts, &w->runs, &err), IA_OK);
    w->hub = ia_hub_new(
        &(struct ia_hub_opts){.paths = &w->setup.paths, .command = "ios-agent daemon"});
    const struct ia_api_opts api = {
        .setup = &w->setup,
        .credentials = &w->credentials,
        .runs = w->runs,
        .hub = w->hub,
        .daemon = {.facts = facts, .stop = stop, .admit = admit, .ctx = w},
        .build = "build-7",
        .version = "1.2.3",
        .clock = clock ? ia_vclock_clock(clock) : NULL};
    w->api = ia_api_new(&api);
}

void world_close(struct world *w)
{
    struct ia_err err;
    ia_api_free(w->api);
    ia_hub_free(w->hub);
    assert_int_equal(ia_runs_close(w->runs, 60000, &err), IA_OK);
    ia_setup_close(&w->setup);
    tmpdir_free(w->home);
}
