/* asked.c: asks the API and reads its answers. */
#include "asked.h"

#include <stdlib.h>
#include <string.h>

struct answer ask(struct world *w, const char *line, const char *headers, const char *body)
{
    struct fake_request f;
    struct ia_http_reply reply = {.body = IA_BUF(IA_HTTP_ANSWER_MAX),
                                  .headers = IA_BUF(IA_HTTP_HEADERS_MAX)};
    (void)fake_request_init(&f, line, headers, ia_str(body));
    f.r.listener = w->listener;
    f.r.scope = w->scope;
    f.r.client = w->listener == IA_HTTP_UNIX ? "unix" : "token";
    ia_api_handle(w->api, &f.r, &reply);
    fake_request_fini(&f);
    return (struct answer){
        .status = reply.status ? reply.status : 200,
        .body = reply.body,
        .headers = reply.headers,
        .type = reply.content_type,
        .json = json_loadb(reply.body.p ? reply.body.p : "", reply.body.len, 0, NULL),
        .stream = reply.stream,
        .stream_ctx = reply.stream_ctx};
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
    w->live = ia_live_new(clock ? ia_vclock_clock(clock) : NULL);
    ia_commands_listen(ia_hub_commands(w->hub), ia_live_command, w->live);
    const struct ia_api_opts api = {
        .setup = &w->setup,
        .credentials = &w->credentials,
        .runs = w->runs,
        .hub = w->hub,
        .live = w->live,
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
    ia_live_free(w->live);
    assert_int_equal(ia_runs_close(w->runs, 60000, &err), IA_OK);
    ia_setup_close(&w->setup);
    tmpdir_free(w->home);
}

void expect(struct world *w, struct answer *ret, const char *line, const char *body)
{
    *ret = ask(w, line, NULL, body);
    if (ret->status != 200) {
        fail_msg("%s: %d %s", line, ret->status, ia_buf_cstr(&ret->body));
    }
}

void run_to_end(struct world *w, char id[IA_ID_SIZE])
{
    struct answer a;
    char line[128];
    expect(w, &a, "POST /v1/runs", "{" GOAL "," DEMO "}");
    assert_int_equal(strlen(result_text(&a, "run.id")), IA_ID_SIZE - 1);
    memcpy(id, result_text(&a, "run.id"), IA_ID_SIZE);
    answer_fini(&a);
    (void)snprintf(line, sizeof(line), "GET /v1/runs/%s", id);
    for (bool over = false; !over;) {
        expect(w, &a, line, NULL);
        over = ia_run_state_final(ia_run_state_from_name(result_text(&a, "run.state")));
        if (over) {
            assert_string_equal(result_text(&a, "run.state"), "passed");
        }
        answer_fini(&a);
        if (!over) {
            int64_t soon = ia_mono_us(ia_clock_system()) + 20000;
            (void)ia_clock_wait(ia_clock_system(), NULL, soon);
        }
    }
}
