/* resume.c: goes on with a run whose transcript is there: the same bytes go to the model again,
 * and a turn that was interrupted gets the results that it lacks.
 *
 * transcript ends with     the process died            what is done
 * user message              while a request ran         the request is sent again
 * answer, calls open        while a call ran            that call is judged, the rest are made
 * answer, without a call    before it was followed      followed as if it had just come
 * results of an accepted finish                         the verdict stands; only the end is written
 *
 * Nothing is taken from memory of the earlier attempt: messages, the journal of calls and
 * the events are all there is, and all of them were committed in the order in which things
 * happened. */
#include "agent/run/resume.h"

#include "agent/verdict/subtasks.h"

#include "agent/loop/say.h"
#include "agent/run/ask.h"
#include "agent/run/compact.h"
#include "agent/run/turn.h"
#include "agent/verdict/finish.h"
#include "agent/verdict/verify.h"
#include "base/jsonw.h"
#include "json/json.h"

#include <stdlib.h>
#include <string.h>

enum { CONVERSATION_RUNS_MAX = 200 };

/* What the transcript and the journal say of the last turn. */
struct last_turn {
    struct ia_run_ctx *run;
    enum ia_rc rc; /* of appending to the history */
    struct ia_err err;
    bool user_last;        /* its user message is there */
    bool idle;             /* it called no tool and ended by itself */
    int seq;               /* of its assistant message; 0: none yet */
    struct ia_buf content; /* of that */
    struct ia_buf model, stop_reason;
    struct ia_buf screen; /* the last that a call showed */
};

static void last_turn_init(struct last_turn *t, struct ia_run_ctx *run)
{
    *t = (struct last_turn){.run = run,
                            .content = IA_BUF(IA_CLAUDE_MESSAGE_MAX),
                            .model = IA_BUF(IA_EVENT_BYTES_MAX),
                            .stop_reason = IA_BUF(IA_EVENT_BYTES_MAX),
                            .screen = IA_BUF(IA_RESULT_BYTES_MAX)};
}

static void last_turn_fini(struct last_turn *t)
{
    ia_buf_fini(&t->content);
    ia_buf_fini(&t->model);
    ia_buf_fini(&t->stop_reason);
    ia_buf_fini(&t->screen);
}

/* ---- the history ------------------------------------------------------------------------- */

static bool calls_tool(struct ia_str content)
{
    bool found = false;
    size_t i;
    json_t *block;
    json_t *blocks = json_loadb(content.p, content.n, JSON_ALLOW_NUL, NULL);
    json_array_foreach(blocks, i, block)
    {
        found = found || strcmp(ia_json_text(block, "type"), "tool_use") == 0;
    }
    json_decref(blocks);
    return found;
}

static void keep_text(struct ia_buf *b, const char *text)
{
    ia_buf_reset(b);
    ia_buf_puts(b, text);
}

static void take_answer(struct last_turn *t, const struct ia_message_row *row)
{
    struct ia_run_ctx *run = t->run;
    const struct ia_usage_row *u = &row->usage;
    const char *stop = row->stop_reason ? row->stop_reason : "";
    t->seq = row->seq;
    t->user_last = false;
    t->idle = strcmp(stop, "end_turn") == 0 && !calls_tool(row->content);
    run->model.pauses = strcmp(stop, "pause_turn") == 0 ? run->model.pauses + 1 : 0;
    ia_buf_reset(&t->content);
    ia_buf_putstr(&t->content, row->content);
    keep_text(&t->model, row->model ? row->model : run->req->model);
    keep_text(&t->stop_reason, row->stop_reason);
    ia_claude_usage_fini(&run->model.last_usage);
    run->model.last_usage = ia_claude_usage_none();
    run->model.last_usage.total.input = u->input;
    run->model.last_usage.total.cache_read = u->cache_read;
    run->model.last_usage.total.cache_write = u->cache_write;
    run->model.last_usage.total.output = u->output;
    run->model.has_last = true;
    /* The same figure as keep_turn (turn.c) leaves, so that the next request is estimated
     * alike. */
    run->model.sent = ia_history_count(run->model.history);
}

static void take_user(struct last_turn *t)
{
    struct ia_run_ctx *run = t->run;
    /* A user message after a turn without calls was a nudge, or counts as one: the row does
     * not say. */
    run->model.nudged = t->idle && !t->user_last;
    run->model.nudges += run->model.nudged;
    t->user_last = true;
    /* As tools.c does behind the results of a turn, so that the same bytes are sent and the
     * prompt cache is hit. */
    ia_run_ctx_prune(run);
}

static bool take_message(void *ctx, const struct ia_message_row *row)
{
    struct last_turn *t = ctx;
    bool user = strcmp(row->role, "user") == 0;
    bool anew = row->stop_reason && strcmp(row->stop_reason, IA_COMPACTED) == 0;
    /* From here on the conversation has a summary in place of earlier rows (compact.c). */
    if (anew) {
        ia_history_clear(t->run->model.history);
        t->run->model.has_last = false;
        t->run->model.sent = 0;
    }
    /* Kept beside the store's own result: a history that is full is the run's end and no
     * failure of the store. */
    t->rc =
        ia_history_append(t->run->model.history, user ? IA_MESSAGE_USER : IA_MESSAGE_ASSISTANT,
                          row->content, NULL, &t->err);
    if (t->rc != IA_OK) {
        return false;
    }
    if (user) {
        take_user(t);
    } else if (!anew) {
        take_answer(t, row);
    }
    return true;
}

/* Appends the run's messages. A history that is full ends the run. */
static enum ia_rc load(struct last_turn *t, const char *run_id, struct ia_err *err)
{
    enum ia_rc rc = ia_store_messages(t->run->env->store, run_id, "act", take_message, t, err);
    if (rc == IA_OK && t->rc != IA_OK) {
        ia_run_ctx_fail(t->run, &t->err);
    }
    return rc;
}

/* ---- a conversation that goes on --------------------------------------------------------- */

static bool find_intent(void *ctx, const struct ia_call_row *row)
{
    bool *open = ctx;
    *open = row->state == IA_CALL_INTENT;
    return !*open;
}

/* A turn without its results cannot be followed by anything. */
static enum ia_rc check_closed(struct ia_run_ctx *run, const char *run_id, struct ia_err *err)
{
    bool open = false;
    enum ia_rc rc = ia_store_calls(run->env->store, run_id, find_intent, &open, err);
    if (rc == IA_OK && open) {
        struct ia_err why;
        ia_err_set(&why, IA_E_STATE,
                   "the conversation of agent %s stopped in the middle of a turn (run %s)",
                   run->req->agent, run_id);
        ia_err_hint(&why, "Go on with that run, or run without --continue.");
        ia_run_ctx_fail(run, &why);
    }
    return rc;
}

/* The runs of the conversation, from the newest to the one that began it. */
static enum ia_rc list_runs(struct ia_run_ctx *run, const char *run_id, char (*ids)[IA_ID_SIZE],
                            size_t *count, struct ia_err *err)
{
    enum ia_rc rc = IA_OK;
    char next[IA_ID_SIZE];
    (void)snprintf(next, sizeof(next), "%s", run_id);
    /* Each run names the one that it continues in its event run.looked. */
    for (*count = 0; rc == IA_OK && next[0] && *count < CONVERSATION_RUNS_MAX; ++*count) {
        struct ia_progress p;
        memcpy(ids[*count], next, sizeof(next));
        rc = ia_progress_read(run->env->store, next, &p, err);
        memcpy(next, p.continues, sizeof(next));
        ia_progress_fini(&p);
    }
    if (rc == IA_OK && next[0]) {
        struct ia_err why;
        ia_err_set(&why, IA_E_LIMIT, "the conversation of agent %s has more than %d runs",
                   run->req->agent, CONVERSATION_RUNS_MAX);
        ia_err_hint(&why, "Run without --continue to begin a new one.");
        ia_run_ctx_fail(run, &why);
    }
    return rc;
}

enum ia_rc ia_resume_prefix(struct ia_run_ctx *run, const char *run_id, struct ia_err *err)
{
    char(*ids)[IA_ID_SIZE] = ia_calloc(CONVERSATION_RUNS_MAX, sizeof(*ids));
    size_t count = 0;
    struct last_turn t;
    last_turn_init(&t, run);
    enum ia_rc rc = list_runs(run, run_id, ids, &count, err);
    /* Listed newest first, loaded oldest first. */
    for (size_t i = count; rc == IA_OK && !run->end.over && i-- > 0;) {
        rc = check_closed(run, ids[i], err);
        if (rc == IA_OK && !run->end.over) {
            rc = load(&t, ids[i], err);
        }
    }
    /* Counters of earlier runs are no business of this one. */
    run->model.pauses = run->model.nudges = 0;
    run->model.nudged = false;
    last_turn_fini(&t);
    free(ids);
    return rc;
}

/* ---- a turn without its results ---------------------------------------------------------- */

static void message_json(const struct last_turn *t, struct ia_buf *out)
{
    struct ia_jsonw w;
    ia_jsonw_init(&w, out);
    ia_jsonw_object(&w);
    /* The parser of whole messages wants an envelope; only the content, the model and the
     * stop reason are used again. */
    ia_jsonw_kv(&w, "id", "msg_kept");
    ia_jsonw_kv(&w, "type", "message");
    ia_jsonw_kv(&w, "role", "assistant");
    ia_jsonw_kv(&w, "model", ia_buf_cstr(&t->model));
    ia_jsonw_key(&w, "content");
    ia_jsonw_raw(&w, ia_buf_str(&t->content));
    ia_jsonw_kv(&w, "stop_reason",
                t->stop_reason.len > 0 ? ia_buf_cstr(&t->stop_reason) : NULL);
    ia_jsonw_key(&w, "usage");
    ia_jsonw_raw(&w, ia_str("{}"));
    ia_jsonw_end_object(&w);
}

static enum ia_rc parse_answer(const struct last_turn *t, struct ia_claude_message *ret,
                               struct ia_err *err)
{
    struct ia_buf json = IA_BUF(2 * IA_CLAUDE_MESSAGE_MAX);
    message_json(t, &json);
    enum ia_rc rc = ia_claude_message_parse(ia_buf_str(&json), ret, err);
    ia_buf_fini(&json);
    return rc;
}

/* The journal's rows of the last turn. */
struct journal {
    struct last_turn *t;
    struct ia_calls calls; /* none while only the steps are counted */
    int first_step;        /* 0: none */
    bool finished;         /* finish was accepted, with this input */
    bool refused;          /* finish was refused */
    struct ia_buf input;
};

static void match_call(const struct journal *j, const struct ia_call_row *row)
{
    /* An intent without a result matches nothing and stays new, for judge_calls. */
    for (size_t i = 0; i < j->calls.n && row->state == IA_CALL_DONE; i++) {
        struct ia_tool_call *c = &j->calls.items[i];
        if (strcmp(c->block->id, row->tool_use_id) == 0) {
            c->history = IA_CALL_MADE;
            c->result = ia_strndup(row->result.p, row->result.n);
            c->is_error = row->is_error;
        }
    }
}

static void note_finish(struct journal *j, const struct ia_call_row *row)
{
    if (row->state == IA_CALL_DONE && strcmp(row->name, ia_tool_name(IA_TOOL_FINISH)) == 0) {
        j->finished = strcmp(row->code, ia_rc_name(IA_OK)) == 0;
        j->refused = strcmp(row->code, ia_rc_name(IA_E_NOT_MET)) == 0;
        ia_buf_reset(&j->input);
        ia_buf_putstr(&j->input, row->input);
    }
}

static bool take_call(void *ctx, const struct ia_call_row *row)
{
    struct journal *j = ctx;
    if (row->screen.n > 0 && strcmp(row->name, IA_DELEGATE) != 0) {
        ia_buf_reset(&j->t->screen);
        ia_buf_putstr(&j->t->screen, row->screen);
    }
    if (row->message_seq == j->t->seq) {
        j->first_step = j->first_step ? j->first_step : row->step;
        match_call(j, row);
        note_finish(j, row);
        if (row->not_begun && row->state == IA_CALL_INTENT) {
            ia_ask_guarded(j->t->run, row->tool_use_id);
        }
    }
    return true;
}

/* The first call without a result was in hand: it may have been made. What comes after it never
 * began; it is made in its turn, but nothing with an effect after something unknown. */
static void judge_calls(const struct ia_run_ctx *run, const struct ia_calls *calls)
{
    bool in_hand = false, unknown = false;
    for (size_t i = 0; i < calls->n; i++) {
        struct ia_tool_call *c = &calls->items[i];
        bool effect = ia_call_has_effect(c);
        bool known = c->def && c->def->resumes; /* it finds what it began */
        if (c->history == IA_CALL_MADE || c->skipped) {
            continue;
        }
        /* Calls are made in order, so only the first without a result can have reached the
         * device; one without an effect is simply made again. */
        if (!in_hand && effect && !known && !ia_ask_not_begun(run, c->block->id)) {
            c->history = IA_CALL_UNKNOWN;
            unknown = true;
        } else if (unknown && (effect || c->tool == IA_TOOL_FINISH)) {
            c->history = IA_CALL_DROPPED;
        }
        in_hand = true;
    }
}

/* A finish in hand was perhaps asking the verifier when the process died: it will be billed. */
static void count_lost_verifier(struct ia_run_ctx *run, const struct ia_calls *calls,
                                size_t screen_bytes)
{
    const struct ia_run_request *req = run->req;
    size_t i = 0;
    while (i < calls->n && calls->items[i].history == IA_CALL_MADE) {
        i++;
    }
    if (i == calls->n || calls->items[i].tool != IA_TOOL_FINISH || calls->items[i].skipped ||
        !ia_finish_asks(run) || run->previous_attempt.clean) {
        return;
    }
    const struct ia_claude_broken broken = {
        .turns = 1, .input_tokens = IA_VERIFY_TOKENS + (int64_t)(screen_bytes / 3)};
    ia_spending_add(&run->spent.spending,
                    req->verifier_model ? req->verifier_model : req->model, NULL, &broken);
    run->spent.usage.cost_known = run->spent.spending.cost_known;
}

/* Gives the last answer what it lacks, as if it had just come. */
static enum ia_rc finish_turn(struct last_turn *t, struct journal *j, bool *resumed,
                              struct ia_err *err)
{
    struct ia_run_ctx *run = t->run;
    struct ia_claude_message m;
    struct ia_err why = {0};
    if (parse_answer(t, &m, &why) != IA_OK) {
        ia_run_ctx_fail(run, &why);
        return IA_OK;
    }
    /* Numbered as the first time: the journal and the events have these numbers. */
    int steps = j->first_step > 0 ? j->first_step - 1 : run->spent.spending.steps;
    ia_calls_read(&m, run->texts.tools, run->spent.spending.limit.max_steps, &steps, &j->calls);
    enum ia_rc rc = ia_store_calls(run->env->store, run->id, take_call, j, err);
    if (rc == IA_OK) {
        count_lost_verifier(run, &j->calls, t->screen.len);
        judge_calls(run, &j->calls);
        rc = ia_turn_go_on(run, &m, &j->calls, resumed, err);
    }
    ia_calls_fini(&j->calls);
    ia_claude_message_fini(&m);
    return rc;
}

/* ---- a turn that is complete ------------------------------------------------------------- */

/* The turn may have been the last: its verdict stands, only the end was not written. */
static void restore_end(struct ia_run_ctx *run, const struct journal *j)
{
    json_t *input = json_loadb(ia_buf_cstr(&j->input), j->input.len, JSON_ALLOW_NUL, NULL);
    if (j->finished && input) {
        ia_finish_restore(run, input);
    } else if (j->refused) {
        ia_finish_restore_refused(run);
    }
    json_decref(input);
}

/* A request was perhaps under way when the process died, and will be billed. */
static void count_lost_request(struct ia_run_ctx *run)
{
    const struct ia_model *m = ia_models_find(run->spent.spending.models, run->req->model);
    int64_t tokens = ia_history_estimate(run->model.history, run->model.sent, m && m->high_res);
    tokens += run->model.has_last ? ia_usage_tokens(&run->model.last_usage.total) : 0;
    const struct ia_claude_broken broken = {.turns = 1, .input_tokens = tokens};
    ia_spending_add(&run->spent.spending, run->req->model, NULL, &broken);
    run->spent.usage.cost_known = run->spent.spending.cost_known;
}

static enum ia_rc next_turn(struct last_turn *t, const struct journal *j, bool *resumed,
                            struct ia_err *err)
{
    struct ia_run_ctx *run = t->run;
    restore_end(run, j);
    if (run->end.over) {
        return IA_OK;
    }
    if (!run->previous_attempt.clean && !ia_run_ctx_replays(run)) {
        count_lost_request(run);
    }
    return ia_say(run, &(struct ia_say){.resumed = resumed}, err);
}

/* ---- going on ---------------------------------------------------------------------------- */

static enum ia_rc go_on(struct last_turn *t, struct journal *j, bool *resumed,
                        struct ia_err *err)
{
    struct ia_run_ctx *run = t->run;
    enum ia_rc rc = ia_store_calls(run->env->store, run->id, take_call, j, err);
    if (rc != IA_OK) {
        return rc;
    }
    /* The refs and the screen that the model was last shown: its next call may name them. */
    ia_session_recall(run->device.session,
                      ia_buf_str(t->screen.len > 0 ? &t->screen : &run->proof.first_screen));
    return t->user_last ? next_turn(t, j, resumed, err) : finish_turn(t, j, resumed, err);
}

enum ia_rc ia_resume(struct ia_run_ctx *run, bool *resumed, struct ia_err *err)
{
    struct last_turn t;
    struct journal j = {.t = &t, .input = IA_BUF(IA_TURN_BYTES_MAX)};
    last_turn_init(&t, run);
    enum ia_rc rc = IA_OK;
    if (run->previous_attempt.continues[0]) {
        rc = ia_resume_prefix(run, run->previous_attempt.continues, err);
    }
    if (rc == IA_OK && !run->end.over) {
        rc = load(&t, run->id, err);
    }
    if (rc == IA_OK && !run->end.over) {
        rc = ia_ask_recall(run, err);
    }
    if (rc == IA_OK && !run->end.over) {
        rc = go_on(&t, &j, resumed, err);
    }
    ia_buf_fini(&j.input);
    last_turn_fini(&t);
    return rc;
}
