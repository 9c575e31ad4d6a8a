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
};

static void begin(struct making *m)
{
    must(ia_tx_begin(m->store, &m->tx, &m->err), &m->err);
}

static void commit(struct making *m)
{
    must(ia_tx_commit(m->tx, &m->err), &m->err);
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
    const struct ia_event_request_finished e = {
        .turn = step,
        .ms = 900,
        .stop_reason = ia_str("tool_use"),
        .usage = {.input = 10, .cache_read = 900, .cache_write = 90, .output = 40},
        .cost_usd = {true, 0.0012},
        .purpose = ia_str("act"),
    };
    ia_tx_add_event(m->tx, run, IA_EVENT(&e), NULL);
}

static void add_picture(struct making *m, const char *run, int step)
{
    const struct sample *s = m->sample;
    if (s->sha_count > 0) {
        const char *sha = s->shas[(size_t)step % s->sha_count];
        const struct ia_event_picture e = {step, ia_str(sha), 393, 852};
        ia_tx_add_event(m->tx, run, IA_EVENT(&e), NULL);
    }
}

static void add_result(struct making *m, const char *run, int step, const char *text, bool ok)
{
    const struct ia_event_tool_finished e = {
        .step = step,
        .id = ia_str("x"),
        .tool = ia_str("tap"),
        .ok = ok,
        .code = ia_str(ok ? "OK" : "STALE_REF"),
        .outcome = ia_str(ok ? "sent" : "not_sent"),
        .element = ia_str(text),
        .changed = ok,
        .changes = ia_str("+ 5 button Add\n- 6 button Gone\n~ 7 switch:on Dark\n"),
        .ms = 210,
        .box = {.has = true, .x = 300, .y = 60, .w = 200, .h = 44},
    };
    ia_tx_add_event(m->tx, run, IA_EVENT(&e), NULL);
}

static void add_step(struct making *m, const char *run, int step, const char *text, bool ok)
{
    char id[32];
    (void)snprintf(id, sizeof(id), "toolu_%d", step);
    add_answer(m, run, step, text);
    add_request(m, run, step);
    const struct ia_event_tool_started e = {
        .step = step,
        .id = ia_str(id),
        .tool = ia_str("tap"),
        .element = ia_str(text),
        .input.text = ia_str("{\"ref\":3,\"text\":\"abc\"}"),
    };
    ia_tx_add_event(m->tx, run, IA_EVENT(&e), NULL);
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
    const char *code = passed                    ? "OK"
                       : state == IA_RUN_FAILED  ? "FAILED"
                       : state == IA_RUN_BLOCKED ? "BLOCKED"
                                                 : "DEVICE_LOST";
    const char *basis = passed ? "expectations" : "none";
    const struct ia_event_evidence evidence[] = {
        {.quote = ia_str(text), .step = m->sample->steps > 1 ? 2 : 1},
        {.quote = ia_str("on the last screen"), .step = -1},
    };
    struct ia_buf result = IA_BUF(1 << 20);
    const struct ia_event_run_finished e = {
        .state = ia_str(ia_run_state_name(state)),
        .code = ia_str(code),
        .message = ia_str(passed ? "" : text),
        .hint = ia_str(passed ? "" : "look again"),
        .result = {.has = true,
                   .basis = ia_str(basis),
                   .summary = ia_str(text),
                   .evidence = {.items = evidence, .n = 2},
                   .steps = m->sample->steps},
    };
    ia_event_write_body(&result, IA_EVENT(&e));
    const struct ia_run_moved moved = {
        .event = IA_EVENT(&e),
        .code = code,
        .summary = text,
        .basis = basis,
        .result = ia_buf_str(&result),
        .screenshot = m->sample->sha_count > 0 ? m->sample->shas[0] : NULL,
    };
    ia_run_move(m->tx, run, state, &moved, NULL);
    ia_buf_fini(&result);
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
    struct making m = {.store = store, .sample = sample};
    const struct ia_run_new new = new_run(NULL, "a goal alone");
    begin(&m);
    add_run(&m, &new, sample->running ? IA_RUN_RUNNING : IA_RUN_PASSED, "said", ret_id);
    commit(&m);
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
    struct making m = {.store = store, .sample = sample};
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
}
