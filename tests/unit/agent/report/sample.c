#include "sample.h"

#include "base/jsonw.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void must(enum ia_rc rc, const struct ia_err *err)
{
    if (rc != IA_OK) {
        (void)fprintf(stderr, "sample: %s\n", err->msg);
        abort();
    }
}

struct making {
    struct ia_store *store;
    const struct sample *sample;
    struct ia_tx *tx;
    struct ia_err err;
    struct ia_buf json;
    struct ia_jsonw w;
};

static void begin(struct making *m)
{
    must(ia_tx_begin(m->store, &m->tx, &m->err), &m->err);
}

static void commit(struct making *m)
{
    must(ia_tx_commit(m->tx, &m->err), &m->err);
}

static void object(struct making *m)
{
    ia_buf_reset(&m->json);
    ia_jsonw_init(&m->w, &m->json);
    ia_jsonw_object(&m->w);
}

static void event(struct making *m, const char *run, const char *type)
{
    ia_jsonw_end_object(&m->w);
    ia_tx_add_event(m->tx, run, type, ia_buf_str(&m->json), NULL);
}

/* ---- steps ------------------------------------------------------------------------------- */

static void add_answer(struct making *m, const char *run, int step, const char *said)
{
    struct ia_buf content = IA_BUF(1 << 20);
    struct ia_jsonw w;
    ia_jsonw_init(&w, &content);
    ia_jsonw_array(&w);
    ia_jsonw_object(&w);
    ia_jsonw_kv(&w, "type", "text");
    ia_jsonw_kv(&w, "text", said);
    ia_jsonw_end_object(&w);
    ia_jsonw_object(&w);
    ia_jsonw_kv(&w, "type", "tool_use");
    ia_buf_printf(&content, ",\"id\":\"toolu_%d\",\"name\":\"tap\",\"input\":{\"ref\":%d}}]",
                  step, step);
    const struct ia_message_row row = {.role = "assistant",
                                       .purpose = "act",
                                       .content = ia_buf_str(&content),
                                       .stop_reason = "tool_use",
                                       .ms = 900};
    ia_tx_add_message(m->tx, run, &row, NULL);
    ia_buf_fini(&content);
}

static void add_request(struct making *m, const char *run, int step)
{
    object(m);
    ia_jsonw_kv_int(&m->w, "turn", step);
    ia_jsonw_kv_int(&m->w, "ms", 900);
    ia_jsonw_key(&m->w, "usage");
    ia_jsonw_raw(&m->w, ia_str("{\"input\":10,\"cache_read\":900,\"cache_write\":90,"
                               "\"output\":40}"));
    ia_jsonw_kv_real(&m->w, "cost_usd", 0.0012);
    ia_jsonw_kv(&m->w, "purpose", "act");
    event(m, run, "request.finished");
}

static void add_picture(struct making *m, const char *run, int step)
{
    const struct sample *s = m->sample;
    if (s->sha_count > 0) {
        object(m);
        ia_jsonw_kv_int(&m->w, "step", step);
        ia_jsonw_kv(&m->w, "image", s->shas[(size_t)step % s->sha_count]);
        ia_jsonw_kv_int(&m->w, "width", 393);
        ia_jsonw_kv_int(&m->w, "height", 852);
        event(m, run, "picture");
    }
}

static void add_result(struct making *m, const char *run, int step, const char *text, bool ok)
{
    object(m);
    ia_jsonw_kv_int(&m->w, "step", step);
    ia_jsonw_kv(&m->w, "id", "x");
    ia_jsonw_kv(&m->w, "tool", "tap");
    ia_jsonw_kv_bool(&m->w, "ok", ok);
    ia_jsonw_kv(&m->w, "code", ok ? "OK" : "STALE_REF");
    ia_jsonw_kv(&m->w, "outcome", ok ? "sent" : "not_sent");
    ia_jsonw_kv(&m->w, "element", text);
    ia_jsonw_kv_bool(&m->w, "changed", ok);
    ia_jsonw_kv(&m->w, "changes", "+ 5 button Add\n- 6 button Gone\n~ 7 switch:on Dark\n");
    ia_jsonw_kv_int(&m->w, "ms", 210);
    ia_jsonw_key(&m->w, "box");
    ia_jsonw_raw(&m->w, ia_str("{\"x\":300,\"y\":60,\"w\":200,\"h\":44}"));
    ia_jsonw_kv(&m->w, "image", NULL);
    event(m, run, "tool.finished");
}

static void add_step(struct making *m, const char *run, int step, const char *text, bool ok)
{
    char id[32];
    (void)snprintf(id, sizeof(id), "toolu_%d", step);
    add_answer(m, run, step, text);
    add_request(m, run, step);
    object(m);
    ia_jsonw_kv_int(&m->w, "step", step);
    ia_jsonw_kv(&m->w, "id", id);
    ia_jsonw_kv(&m->w, "tool", "tap");
    ia_jsonw_kv(&m->w, "element", text);
    ia_jsonw_key(&m->w, "input");
    ia_jsonw_raw(&m->w, ia_str("{\"ref\":3,\"text\":\"abc\"}"));
    event(m, run, "tool.started");
    if (step == 1) {
        add_picture(m, run, 0);
    }
    add_result(m, run, step, text, ok);
    add_picture(m, run, step);
}

/* ---- runs -------------------------------------------------------------------------------- */

static void add_end(struct making *m, const char *run, enum ia_run_state state,
                    const char *text)
{
    bool passed = state == IA_RUN_PASSED;
    object(m);
    ia_jsonw_kv(&m->w, "state", ia_run_state_name(state));
    ia_jsonw_kv(&m->w, "message", passed ? "" : text);
    ia_jsonw_kv(&m->w, "hint", passed ? "" : "look again");
    ia_jsonw_key(&m->w, "evidence");
    ia_jsonw_array(&m->w);
    ia_jsonw_object(&m->w);
    ia_jsonw_kv(&m->w, "quote", text);
    ia_jsonw_kv_int(&m->w, "step", m->sample->steps > 1 ? 2 : 1);
    ia_jsonw_end_object(&m->w);
    ia_jsonw_object(&m->w);
    ia_jsonw_kv(&m->w, "quote", "on the last screen");
    ia_jsonw_end_object(&m->w);
    ia_jsonw_end_array(&m->w);
    ia_jsonw_end_object(&m->w);
    const struct ia_run_moved moved = {
        .event = "run.finished",
        .body = ia_buf_str(&m->json),
        .code = passed                    ? "OK"
                : state == IA_RUN_FAILED  ? "FAILED"
                : state == IA_RUN_BLOCKED ? "BLOCKED"
                                          : "DEVICE_LOST",
        .summary = text,
        .basis = passed ? "expectations" : "none",
        .result = ia_buf_str(&m->json),
        .screenshot = m->sample->sha_count > 0 ? m->sample->shas[0] : NULL,
    };
    ia_run_move(m->tx, run, state, &moved, NULL);
}

static void add_run(struct making *m, const struct ia_run_new *new, enum ia_run_state state,
                    const char *text, char ret_id[IA_ID_SIZE])
{
    const struct ia_usage_row usage = {10, 900, 90, 40, 0.0123, true};
    ia_tx_add_run(m->tx, new, ret_id);
    ia_run_move(m->tx, ret_id, IA_RUN_CLAIMED, NULL, NULL);
    ia_run_move(m->tx, ret_id, IA_RUN_RUNNING, NULL, NULL);
    for (int i = 1; i <= m->sample->steps; i++) {
        add_step(m, ret_id, i, text, i % 7 != 3);
        if (i % 200 == 0) {
            commit(m);
            begin(m);
        }
    }
    ia_tx_set_usage(m->tx, ret_id, m->sample->steps, &usage);
    if (ia_run_state_final(state)) {
        add_end(m, ret_id, state, text);
    }
}

static struct ia_run_new new_run(const char *name, const char *goal)
{
    return (struct ia_run_new){
        .goal = goal,
        .name = name,
        .app = "com.apple.Preferences",
        .hint = "it's under 'General'",
        .model = "claude-sonnet-5-5",
        .lane = "embedded:default",
        .expect = ia_str("[\"visible \\\"Ada\\\"\"]"),
        .budget = ia_str("{\"max_steps\":40,\"max_usd\":0.5}"),
        .device = ia_str("{\"name\":\"iPhone (simulated)\",\"os\":\"iOS 18.5\","
                         "\"simulated\":true}"),
        .options = ia_str("{\"verify\":\"always\"}"),
    };
}

void sample_run(struct ia_store *store, const struct sample *sample, char ret_id[IA_ID_SIZE])
{
    struct making m = {.store = store, .sample = sample, .json = IA_BUF(1 << 20)};
    const struct ia_run_new new = new_run(NULL, "a goal alone");
    begin(&m);
    add_run(&m, &new, sample->running ? IA_RUN_RUNNING : IA_RUN_PASSED, "said", ret_id);
    commit(&m);
    ia_buf_fini(&m.json);
}

/* ---- the sweep --------------------------------------------------------------------------- */

static const struct {
    enum ia_sweep_goal_state state;
    enum ia_run_state first, last;
    int runs;
} kinds[] = {
    {IA_SWEEP_GOAL_PASSED, IA_RUN_PASSED, IA_RUN_PASSED, 1},
    {IA_SWEEP_GOAL_FAILED, IA_RUN_FAILED, IA_RUN_FAILED, 1},
    {IA_SWEEP_GOAL_FLAKY, IA_RUN_FAILED, IA_RUN_PASSED, 2},
    {IA_SWEEP_GOAL_ERROR, IA_RUN_ERROR, IA_RUN_ERROR, 1},
    {IA_SWEEP_GOAL_BLOCKED, IA_RUN_BLOCKED, IA_RUN_BLOCKED, 1},
    {IA_SWEEP_GOAL_SKIPPED, IA_RUN_PASSED, IA_RUN_PASSED, 0},
};

static int add_row(struct making *m, const char *sweep, int i, const char *name)
{
    char file[64];
    int no = 0;
    (void)snprintf(file, sizeof(file), "goals/%s.toml", i % 2 ? "settings" : "shop, all");
    const struct ia_sweep_goal_row row = {
        .name = name,
        .file = file,
        .needs = "[]",
        .line = 3 + 10 * i,
        .repeat = strcmp(name, "twice") == 0 ? i : 1,
        .tags = "[\"smoke\",\"<b>tag</b>\"]",
        .job = "{}",
        .state = IA_SWEEP_GOAL_WAITING,
    };
    ia_tx_add_sweep_goal(m->tx, sweep, &row, &no);
    return no;
}

static void add_goal(struct making *m, const char *sweep, int i, bool open)
{
    size_t kind = (size_t)(i - 1) % (sizeof(kinds) / sizeof(kinds[0]));
    char name[512], id[IA_ID_SIZE];
    const char *text = i % 4 == 0 ? HOSTILE : "Dark mode is on";
    (void)snprintf(name, sizeof(name), i <= 2 ? "twice" : "goal %d %s", i,
                   i % 4 == 0 ? HOSTILE : "");
    begin(m);
    int no = add_row(m, sweep, i, name);
    for (int r = 0; r < kinds[kind].runs; r++) {
        bool last = r + 1 == kinds[kind].runs;
        struct ia_run_new new = new_run(name, text);
        new.sweep_id = sweep;
        new.sweep_no = no;
        add_run(m, &new,
                open   ? IA_RUN_RUNNING
                : last ? kinds[kind].last
                       : kinds[kind].first,
                text, id);
    }
    ia_tx_set_sweep_goal(m->tx, sweep, no, open ? IA_SWEEP_GOAL_RUNNING : kinds[kind].state,
                         kinds[kind].runs == 0 ? "goal 1 did not pass" : NULL);
    commit(m);
}

void sample_sweep(struct ia_store *store, const struct sample *sample,
                  char ret_sweep_id[IA_ID_SIZE])
{
    struct making m = {.store = store, .sample = sample, .json = IA_BUF(1 << 20)};
    const struct ia_sweep_row row = {.title = "goals/ <i>all</i>", .options = "{}"};
    begin(&m);
    ia_tx_add_sweep(m.tx, &row, ret_sweep_id);
    commit(&m);
    for (int i = 1; i <= sample->goals; i++) {
        add_goal(&m, ret_sweep_id, i, sample->running && i == sample->goals);
    }
    if (!sample->running) {
        begin(&m);
        ia_tx_end_sweep(m.tx, ret_sweep_id, IA_SWEEP_DONE, NULL);
        commit(&m);
    }
    ia_buf_fini(&m.json);
}
