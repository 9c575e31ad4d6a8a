/* plan.c: asks the model for a plan before the setup and the first step.
 *
 *     one look ─► request: planner.md, goal, tools, screen, one tool ─► COMMIT request.finished, run.planned
 *                    ▲                                           │                     │
 *                    └── no plan that is one: once more, with room ◄┘                  ├─ show ─► the run goes on
 *                                                                                      └─ ask ──► COMMIT question …
 *
 * The transcript is still empty, so an attempt after a kill begins anew, finds the plan among the events, and asks
 * only what nobody has answered. The acting model reads the plan as data: its texts may quote a screen. */
#include "agent/run/plan.h"

#include "agent/loop/commit.h"
#include "agent/loop/compose.h"
#include "agent/loop/request.h"
#include "agent/run/ask.h"
#include "agent/toolset/toolset.h"
#include "base/killpoint.h"
#include "json/json.h"

#include <string.h>

enum { ASKS_MAX = 2, ANSWER_TOKENS = 4000, STEPS_MAX = 12 };

/* ---- what is asked ------------------------------------------------------------------------ */

static void put_tools(struct ia_run_ctx *run, struct ia_buf *out)
{
    size_t i;
    json_t *tool;
    struct ia_str json = ia_toolset_json(run->texts.tools);
    json_t *tools = json_loadb(json.p, json.n, 0, NULL);
    ia_buf_puts(out, "\n<tools>");
    json_array_foreach(tools, i, tool)
    {
        ia_buf_printf(out, "%s%s", i > 0 ? ", " : "", ia_json_text(tool, "name"));
    }
    ia_buf_puts(out, "</tools>");
    json_decref(tools);
}

/* A device that cannot be read ends the run. */
static void compose(struct ia_run_ctx *run, struct ia_buf *text)
{
    struct ia_err why = {0};
    const struct ia_snapshot *now = NULL;
    struct ia_deadline deadline = ia_run_ctx_deadline(run, IA_ACTION_MS_MAX);
    struct ia_buf screen = IA_BUF(IA_RESULT_BYTES_MAX);
    if (ia_session_snapshot(run->device.session, &deadline, &now, &why) != IA_OK) {
        ia_run_ctx_fail(run, &why);
        return;
    }
    const struct ia_run_request told = ia_run_ctx_told(run);
    const char *app = run->req->app, *front = ia_snapshot_app(now);
    /* A run that is locked to an app is shown no other. */
    if (!app || (front && strcmp(front, app) == 0)) {
        ia_snapshot_text(now, 0, &screen);
    }
    ia_compose_first(text, &told, ia_buf_cstr(&run->texts.memory), run->boundary, ia_str(""), 0,
                     ia_buf_str(&screen));
    put_tools(run, text);
    ia_buf_fini(&screen);
}

/* One user message, the second time with a nudge. */
static struct ia_history *conversation(struct ia_run_ctx *run, const struct ia_buf *text,
                                       int ask)
{
    struct ia_err why = {0};
    struct ia_buf blocks = IA_BUF(IA_TURN_BYTES_MAX);
    struct ia_history *history = ia_history_new(ia_store_home(run->env->store));
    struct ia_jsonw w;
    ia_jsonw_init(&w, &blocks);
    ia_jsonw_array(&w);
    ia_compose_block(&w, ia_buf_str(text));
    if (ask > 1) {
        ia_compose_block(&w, ia_str(ia_prompts_note(run->texts.prompts, IA_NOTE_PLAN_AGAIN)));
    }
    ia_jsonw_end_array(&w);
    if (ia_buf_check(&blocks, "the question for a plan", &why) != IA_OK ||
        ia_history_append(history, IA_MESSAGE_USER, ia_buf_str(&blocks), NULL, &why) != IA_OK) {
        ia_run_ctx_fail(run, &why);
    }
    ia_buf_fini(&blocks);
    return history;
}

/* ---- what is answered --------------------------------------------------------------------- */

/* One complete call with an input that the schema allows; borrowed. NULL: none. */
static const json_t *input_of(const struct ia_run_ctx *run, const struct ia_claude_message *m)
{
    size_t index = 0;
    const struct ia_claude_block *b = ia_claude_message_next_tool(m, &index);
    bool one = b && b->complete && b->input_ok && b->name && strcmp(b->name, "plan") == 0 &&
               !ia_claude_message_next_tool(m, &index) && m->stop == IA_STOP_TOOL_USE;
    return one && ia_prompts_check_plan(run->texts.prompts, b->input, NULL) == IA_OK ? b->input
                                                                                     : NULL;
}

/* Fills the steps, whose texts borrow from the input, and their lines. 0: it is no plan, or longer than a person is
 * shown. */
static size_t read_plan(const json_t *input, struct ia_event_plan steps[STEPS_MAX],
                        struct ia_buf *lines)
{
    size_t i, n = 0;
    json_t *step;
    json_array_foreach(json_object_get(input, "steps"), i, step)
    {
        if (n < STEPS_MAX) {
            steps[n++] = (struct ia_event_plan){.action = ia_str(ia_json_text(step, "do")),
                                                .check = ia_str(ia_json_text(step, "check"))};
        }
    }
    ia_buf_reset(lines);
    ia_compose_plan_lines(lines, steps, n);
    return ia_buf_ok(lines) ? n : 0;
}

static enum ia_rc keep(struct ia_run_ctx *run, const struct ia_claude_reply *reply,
                       bool *ret_made, struct ia_err *err)
{
    struct ia_commit c;
    struct ia_event_plan steps[STEPS_MAX];
    struct ia_buf lines = IA_BUF(IA_PLAN_BYTES_MAX);
    const json_t *input = input_of(run, &reply->message);
    size_t n = input ? read_plan(input, steps, &lines) : 0;
    const struct ia_event_request_finished done = ia_request_finished(run, reply, "plan");
    const struct ia_event_run_planned planned = {.mode = ia_str(run->req->plan),
                                                 .plan = {.items = steps, .n = n}};
    IA_KILL_POINT("plan.commit.before");
    enum ia_rc rc = ia_commit_begin(&c, run, err);
    if (rc == IA_OK) {
        ia_commit_event(&c, IA_EVENT(&done));
        if (n > 0) {
            ia_commit_event(&c, IA_EVENT(&planned));
        }
        rc = ia_commit_end(&c, err);
    }
    IA_KILL_POINT("plan.commit.after");
    if (rc == IA_OK && n > 0) {
        run->previous_attempt.plan = lines;
        *ret_made = true;
    } else {
        ia_buf_fini(&lines);
    }
    return rc;
}

static enum ia_rc send(struct ia_run_ctx *run, const struct ia_buf *text, int ask,
                       bool *ret_made, struct ia_err *err)
{
    enum ia_rc rc = IA_OK;
    struct ia_history *history = conversation(run, text, ask);
    const struct ia_str tool = ia_prompts_plan_tool(run->texts.prompts);
    const struct ia_str system[] = {ia_prompts_planner(run->texts.prompts),
                                    ia_buf_str(&run->texts.agent_prompt)};
    struct ia_buf tools = IA_BUF(IA_PROMPT_BYTES_MAX);
    struct ia_claude_reply reply;
    struct ia_err why = {0};
    ia_buf_printf(&tools, "[%.*s]", (int)tool.n, tool.p);
    struct ia_claude_request req = {.model = run->req->model,
                                    .max_tokens = ask * ANSWER_TOKENS,
                                    .system = system,
                                    .system_count = system[1].n > 0 ? 2 : 1,
                                    .tools = ia_buf_str(&tools),
                                    .history = history,
                                    .no_cache = true};
    if (!run->end.over) {
        rc = ia_request_send(run, &req, &reply, &why, err);
    }
    if (rc == IA_OK && why.code == IA_OK && !run->end.over) {
        rc = keep(run, &reply, ret_made, err);
        ia_claude_reply_fini(&reply);
    }
    ia_history_free(history);
    ia_buf_fini(&tools);
    return rc;
}

static enum ia_rc make(struct ia_run_ctx *run, struct ia_err *err)
{
    struct ia_buf text = IA_BUF(IA_TURN_BYTES_MAX);
    enum ia_rc rc = IA_OK;
    bool made = false;
    compose(run, &text);
    for (int ask = 1; rc == IA_OK && !made && !run->end.over && ask <= ASKS_MAX; ask++) {
        rc = send(run, &text, ask, &made, err);
    }
    if (rc == IA_OK && !made && !run->end.over) {
        struct ia_err why;
        ia_err_set(&why, IA_E_API_STOP, "the model gave no plan, asked %d times", ASKS_MAX);
        ia_err_hint(&why, "Run without --plan, or with another model.");
        ia_run_ctx_fail(run, &why);
    }
    ia_buf_fini(&text);
    return rc;
}

enum ia_rc ia_plan(struct ia_run_ctx *run, struct ia_err *err)
{
    enum ia_rc rc = IA_OK;
    if (!run->req->plan) {
        return IA_OK;
    }
    if (run->previous_attempt.plan.len == 0) {
        rc = make(run, err);
    }
    if (rc == IA_OK && !run->end.over && strcmp(run->req->plan, "ask") == 0) {
        rc = ia_ask_plan(run, ia_buf_str(&run->previous_attempt.plan), err);
    }
    return rc;
}
