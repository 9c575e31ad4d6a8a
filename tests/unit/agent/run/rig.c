#include "source_dir.h"
#include "test.h"

#include "rig.h"

#include "agent/run/claim.h"
#include "base/fd.h"

#include <ftw.h>
#include <unistd.h>

enum { EVENTS_MAX = 16 << 20, SCRIPT_MAX = 1 << 20, REQUESTS_KEPT = 64 };

static struct ia_str borrow_key(void *ctx)
{
    (void)ctx;
    return ia_str("test-key");
}

static void fail_err(const char *what, const struct ia_err *err)
{
    fail_msg("%s: %s %s (%s)", what, ia_rc_name(err->code), err->msg, err->hint);
}

static void start_mock(struct rig *r, const char *script, const char *faults)
{
    char path[512];
    struct ia_buf text = IA_BUF(SCRIPT_MAX);
    struct ia_err err = {0};
    (void)snprintf(path, sizeof(path), IA_SOURCE_DIR "/tests/unit/agent/run/scripts/%s.json",
                   script);
    if (script[0] == '{') {
        ia_buf_puts(&text, script);
    } else if (ia_file_read(path, &text, &err) != IA_OK) {
        fail_err("script", &err);
    }
    struct ia_mock_options opt = {.brain = IA_MOCK_SCRIPT,
                                  .script = ia_buf_cstr(&text),
                                  .faults = faults,
                                  .seed = 1,
                                  .keep_requests = REQUESTS_KEPT};
    if (ia_mock_start(&opt, &r->mock, &err) != IA_OK) {
        fail_err("mock", &err);
    }
    ia_buf_fini(&text);
}

static void start_client(struct rig *r)
{
    char url[64];
    struct ia_err err = {0};
    snprintf(url, sizeof(url), "http://127.0.0.1:%d", ia_mock_port(r->mock));
    struct ia_claude_options opt = {
        .base_url = url, .secret = {.borrow = borrow_key}, .max_retries = r->max_retries};
    if (ia_claude_new(&opt, &r->claude, &err) != IA_OK) {
        fail_err("client", &err);
    }
}

void rig_client(struct rig *r, int max_retries)
{
    ia_claude_free(r->claude);
    r->max_retries = max_retries;
    start_client(r);
}

void rig_open(struct rig *r, const char *script, const char *faults)
{
    struct ia_err err = {0};
    *r = (struct rig){.events = IA_BUF(EVENTS_MAX), .req = {.model = RIG_MODEL}};
    snprintf(r->home, sizeof(r->home), "/tmp/ia-agent-XXXXXX");
    assert_non_null(mkdtemp(r->home));
    struct ia_store_opts store = {.home = r->home};
    if (ia_store_open(&store, &r->store, &err) != IA_OK) {
        fail_err("store", &err);
    }
    start_mock(r, script, faults);
    start_client(r);
    struct ia_embedded_options phone = {.name = "test", .fresh = true};
    if (ia_embedded_open(&phone, &r->phone, &err) != IA_OK) {
        fail_err("phone", &err);
    }
    faulty_init(&r->device, r->phone);
    r->cancel = ia_cancel_new(&err);
    assert_non_null(r->cancel);
}

static int remove_entry(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
    (void)st;
    (void)flag;
    (void)ftw;
    return remove(path);
}

void rig_close(struct rig *r)
{
    ia_run_result_fini(&r->result);
    ia_claude_free(r->claude);
    ia_mock_stop(r->mock);
    ia_device_close(r->phone);
    ia_store_close(r->store);
    ia_cancel_free(r->cancel);
    ia_buf_fini(&r->events);
    nftw(r->home, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

static void observe(void *ctx, enum ia_event_type event, struct ia_str json)
{
    struct rig *r = ctx;
    ia_buf_putstr(&r->events, json);
    ia_buf_putc(&r->events, '\n');
    if (r->on_event) {
        r->on_event(r, event, json);
    }
}

static struct ia_run_env env_of(struct rig *r)
{
    return (struct ia_run_env){.store = r->store,
                               .claude = r->claude,
                               .device = &r->device.forward.device,
                               .cancel = r->cancel,
                               .interrupt = &r->interrupt,
                               .tool_grace_ms = r->tool_grace_ms,
                               .observe = observe,
                               .observe_ctx = r,
                               .allow_commands = r->allow_commands};
}

enum ia_rc rig_try_go_on(struct rig *r, const char *run_id, struct ia_err *err)
{
    ia_cancel_free(r->cancel);
    r->cancel = ia_cancel_new(err);
    r->interrupt = false;
    struct ia_run_env env = env_of(r);
    ia_buf_reset(&r->events);
    ia_run_result_fini(&r->result);
    enum ia_rc rc = ia_claim_take(r->store, run_id, err);
    return rc == IA_OK ? ia_run_claimed(&env, run_id, NULL, &r->result, err) : rc;
}

void rig_go_on(struct rig *r, const char *run_id)
{
    char id[IA_ID_SIZE];
    struct ia_err err = {0};
    (void)snprintf(id, sizeof(id), "%s", run_id); /* it may be the result's own */
    if (rig_try_go_on(r, id, &err) != IA_OK) {
        fail_err("go on", &err);
    }
}

enum ia_rc rig_try(struct rig *r, const char *goal, struct ia_err *err)
{
    struct ia_run_env env = env_of(r);
    r->req.goal = goal;
    ia_buf_reset(&r->events);
    ia_run_result_fini(&r->result);
    return ia_run_execute(&env, &r->req, &r->result, err);
}

void rig_run(struct rig *r, const char *goal)
{
    struct ia_err err = {0};
    if (rig_try(r, goal, &err) != IA_OK) {
        fail_err("run", &err);
    }
}

const char *rig_event(const struct rig *r, const char *type)
{
    char head[64];
    snprintf(head, sizeof(head), "{\"event\":\"%s\"", type);
    const char *found = NULL;
    for (const char *at = ia_buf_cstr(&r->events); (at = strstr(at, head)) != NULL; at++) {
        found = at;
    }
    return found;
}

int rig_count(const struct rig *r, const char *type)
{
    char head[64];
    snprintf(head, sizeof(head), "{\"event\":\"%s\"", type);
    int n = 0;
    for (const char *at = ia_buf_cstr(&r->events); (at = strstr(at, head)) != NULL; at++) {
        n++;
    }
    return n;
}

void rig_expect(const struct rig *r, const char *state, enum ia_rc code)
{
    if (strcmp(r->result.state, state) != 0 || r->result.code != code) {
        fail_msg("%s %s: %s\n%s", r->result.state, ia_rc_name(r->result.code),
                 r->result.summary, ia_buf_cstr(&r->events));
    }
}

char *rig_phone_state(const struct rig *r)
{
    struct ia_buf b = IA_BUF(SCRIPT_MAX);
    struct ia_jsonw w;
    ia_jsonw_init(&w, &b);
    ia_embedded_device_state_json(r->phone, &w);
    return ia_buf_steal(&b);
}

char *rig_mock_stats(const struct rig *r)
{
    struct ia_buf b = IA_BUF(SCRIPT_MAX);
    struct ia_jsonw w;
    ia_jsonw_init(&w, &b);
    ia_mock_stats_json(r->mock, &w);
    return ia_buf_steal(&b);
}

void rig_no_rejects(const struct rig *r)
{
    char *stats = rig_mock_stats(r);
    if (!strstr(stats, "\"rejected\":{}") || !strstr(stats, "\"unmatched\":0")) {
        fail_msg("%s", stats);
    }
    free(stats);
}
