/* see.c: asks the model about one picture.
 *
 *     picture ─► blob ─► request: system, question, picture, one tool ─► COMMIT request.finished
 *                           ▲                                                │
 *                           └──────────── no call of the tool: once more ◄───┘
 *
 * A tool cannot be forced on a model that thinks, so an answer without a well-formed call is asked for
 * a second time, with more room. */
#include "agent/run/see.h"

#include "agent/loop/commit.h"
#include "agent/loop/compose.h"
#include "agent/loop/pictures.h"
#include "agent/loop/request.h"
#include "base/jsonw.h"

#include <string.h>

enum { ASKS_MAX = 2, ANSWER_TOKENS = 2000 };

enum ia_rc ia_see_keep(struct ia_run_ctx *run, struct ia_str png, struct ia_tool_image *ret,
                       struct ia_err *err)
{
    struct ia_picture p;
    enum ia_rc rc = ia_picture_store(run, png, &p, err);
    if (rc == IA_OK) {
        memcpy(ret->sha, p.sha, sizeof(ret->sha));
        ret->width_px = p.width_pt;
        ret->height_px = p.height_pt;
        rc = ia_picture_path(run, p.sha, ret->path, err);
    }
    return rc;
}

/* The blocks of the message. */
static void compose(const struct ia_tool_question *q, const struct ia_tool_image *image,
                    struct ia_buf *out)
{
    struct ia_jsonw w;
    ia_jsonw_init(&w, out);
    ia_jsonw_array(&w);
    ia_history_image(&w, image->path, "image/png", image->width_px, image->height_px);
    ia_compose_block(&w, q->text);
    ia_jsonw_end_array(&w);
}

/* Only one complete call of the tool, with an input that its schema allows. */
static json_t *read_answer(const struct ia_claude_message *m, const struct ia_tool_question *q)
{
    size_t index = 0;
    const struct ia_claude_block *b = ia_claude_message_next_tool(m, &index);
    if (!b || !b->complete || !b->input_ok || !b->name || strcmp(b->name, q->name) != 0 ||
        ia_claude_message_next_tool(m, &index) || m->stop != IA_STOP_TOOL_USE) {
        return NULL;
    }
    bool ok = ia_prompts_check_any(q->name, q->schema, b->input, NULL) == IA_OK;
    return ok ? json_deep_copy(b->input) : NULL;
}

static enum ia_rc send(struct ia_run_ctx *run, const struct ia_tool_question *q,
                       struct ia_history *history, int ask, json_t **ret_answer,
                       struct ia_err *why)
{
    struct ia_buf tools = IA_BUF(IA_PROMPT_BYTES_MAX);
    struct ia_claude_reply reply;
    ia_buf_printf(&tools, "[%.*s]", (int)q->tool.n, q->tool.p);
    struct ia_claude_request req = {.model = run->req->model,
                                    .max_tokens = ask * ANSWER_TOKENS,
                                    .system = &q->system,
                                    .system_count = 1,
                                    .tools = ia_buf_str(&tools),
                                    .history = history,
                                    .no_cache = true};
    struct ia_err store = {0};
    enum ia_rc rc = ia_request_try(run, &req, &reply, why, &store);
    if (rc == IA_OK && why->code == IA_OK) {
        *ret_answer = read_answer(&reply.message, q);
        const struct ia_event_request_finished done = ia_request_finished(run, &reply, "see");
        rc = ia_commit_one(run, IA_EVENT(&done), &store);
        ia_claude_reply_fini(&reply);
    }
    if (rc != IA_OK) {
        *why = store;
    }
    ia_buf_fini(&tools);
    return rc == IA_OK ? why->code : rc;
}

enum ia_rc ia_see(void *ctx, const struct ia_tool_question *q, json_t **ret_answer,
                  struct ia_err *err)
{
    struct ia_run_ctx *run = ctx;
    struct ia_tool_image image = {.sha = ""};
    struct ia_buf message = IA_BUF(IA_TURN_BYTES_MAX);
    struct ia_history *history = ia_history_new(ia_store_home(run->env->store));
    json_t *answer = NULL;
    enum ia_rc rc = ia_see_keep(run, q->png, &image, err);
    if (rc == IA_OK) {
        compose(q, &image, &message);
        rc = ia_history_append(history, IA_MESSAGE_USER, ia_buf_str(&message), NULL, err);
    }
    for (int ask = 1; rc == IA_OK && !answer && ask <= ASKS_MAX; ask++) {
        rc = send(run, q, history, ask, &answer, err);
    }
    if (rc == IA_OK && !answer) {
        rc = ia_err_set(err, IA_E_API_STOP,
                        "the model gave no answer about the picture, asked %d times", ASKS_MAX);
    }
    if (rc == IA_OK) {
        *ret_answer = answer;
    } else {
        json_decref(answer);
        err->outcome = IA_OUTCOME_NOT_SENT;
    }
    ia_history_free(history);
    ia_buf_fini(&message);
    return rc;
}
