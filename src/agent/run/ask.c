/* ask.c: one call against the policy.
 *
 * What an approval is for is kept as JSON: the tool and its input, the element with the row around it, and a hash of all
 * that the screen says. Refs are left out, as a later attempt gives others: there, the call is pointed at the element
 * that is described so. Where it finds none, the ref of the call is stale, as it is after every resume. */
#include "agent/run/ask.h"

#include "agent/loop/commit.h"
#include "agent/loop/spent.h"
#include "agent/run/result.h"
#include "base/clean.h"
#include "base/jsonw.h"
#include "base/killpoint.h"
#include "base/utf8.h"
#include "driver/snapshot/signature.h"
#include "store/notices.h"
#include "store/questions.h"
#include "json/json.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DETAIL_MAX = 64 << 10, NOTICE_MAX = 1 << 20, LABEL_MAX = 200, INPUT_MAX = 1000 };

void ia_ask_init(struct ia_run_ctx *run)
{
    struct ia_policy *p = run->ask.policy = ia_calloc(1, sizeof(*p));
    const struct ia_stricter *stricter = &run->req->policy;
    if (run->env->policy) {
        *p = *run->env->policy;
    }
#define TIGHTEN(name) ia_policy_tighten(p, #name, stricter->name);
    IA_STRICTER_LIST(TIGHTEN)
#undef TIGHTEN
}

void ia_ask_fini(struct ia_run_ctx *run)
{
    free(run->ask.policy);
    free(run->ask.row);
    free(run->ask.text);
    free(run->ask.detail);
}

/* ---- what an earlier attempt asked ------------------------------------------------------- */

enum ia_rc ia_ask_recall(struct ia_run_ctx *run, struct ia_err *err)
{
    return ia_store_question_of(run->env->store, run->id, &run->ask.row, err);
}

bool ia_ask_not_begun(const struct ia_run_ctx *run, const char *tool_use_id)
{
    const struct ia_question_row *q = run->ask.row;
    bool asked = q && q->state != IA_QUESTION_USED && strcmp(q->tool_use_id, tool_use_id) == 0;
    return asked || strcmp(run->ask.guarded, tool_use_id) == 0;
}

bool ia_ask_denied(const struct ia_run_ctx *run, const struct ia_tool_call *call,
                   struct ia_err *why)
{
    const struct ia_question_row *q = run->ask.row;
    if (!q || q->state != IA_QUESTION_DENIED || strcmp(q->tool_use_id, call->block->id) != 0) {
        return false;
    }
    ia_err_set(why, IA_E_DENIED, "%s%s%.800s",
               ia_prompts_note(run->texts.prompts, IA_NOTE_PERSON_DENIED),
               q->note && q->note[0] ? " They say: " : "", q->note ? q->note : "");
    why->outcome = IA_OUTCOME_NOT_SENT;
    return true;
}

/* ---- what is asked ----------------------------------------------------------------------- */

static bool alike(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "") == 0;
}

/* Its place, from 1, among the elements that say the same. */
static int nth(const struct ia_snapshot *s, const struct ia_element *e)
{
    const struct ia_element *other;
    int n = 1;
    for (size_t i = 0; (other = ia_snapshot_at(s, i)) && other != e; i++) {
        n += other->role == e->role && alike(other->label, e->label) &&
             alike(other->identifier, e->identifier);
    }
    return n;
}

static void put_element(struct ia_jsonw *w, const char *key, const struct ia_snapshot *s,
                        const struct ia_element *e)
{
    ia_jsonw_key(w, key);
    if (!e) {
        ia_jsonw_null(w);
        return;
    }
    ia_jsonw_object(w);
    ia_jsonw_kv(w, "role", ia_role_name((enum ia_role)e->role));
    ia_jsonw_kv(w, "label", e->label);
    ia_jsonw_kv(w, "value", e->value);
    ia_jsonw_kv(w, "identifier", e->identifier);
    ia_jsonw_kv_int(w, "nth", nth(s, e));
    ia_jsonw_end_object(w);
}

/* The row that the element stands in: "Delete" in which one. */
static const struct ia_element *row_of(const struct ia_policy_act *act)
{
    const struct ia_element *e = act->target;
    while (e && e->parent >= 0) {
        e = ia_snapshot_at(act->screen, (size_t)e->parent);
        if (e && e->role == IA_ROLE_ROW) {
            return e;
        }
    }
    return NULL;
}

/* The input on one line, without the ref. */
static char *input_of(const struct ia_policy_act *act)
{
    json_t *copy = json_copy((json_t *)act->input);
    json_object_del(copy, "ref");
    char *text = json_dumps(copy, JSON_COMPACT | JSON_SORT_KEYS);
    json_decref(copy);
    return text;
}

/* NULL: more than can be kept. */
static char *describe(const struct ia_run_ctx *run, const struct ia_policy_act *act)
{
    struct ia_buf out = IA_BUF(DETAIL_MAX);
    struct ia_jsonw w;
    char hash[24] = "";
    char *input = input_of(act);
    if (act->screen) {
        (void)snprintf(hash, sizeof(hash), "%016" PRIx64,
                       ia_snapshot_reading_hash(act->screen));
    }
    ia_jsonw_init(&w, &out);
    ia_jsonw_object(&w);
    ia_jsonw_kv_int(&w, "rules", ia_policy_match(run->ask.policy, act));
    ia_jsonw_kv(&w, "tool", act->name);
    ia_jsonw_kv(&w, "input", input);
    ia_jsonw_kv(&w, "screen", hash);
    put_element(&w, "element", act->screen, act->target);
    put_element(&w, "row", act->screen, row_of(act));
    ia_jsonw_end_object(&w);
    free(input);
    if (!ia_buf_ok(&out)) {
        ia_buf_fini(&out);
        return NULL;
    }
    return ia_buf_steal(&out);
}

/* A text of the screen within a sentence that a person decides by: on one line, and nothing in it ends the quotes. */
static void quote(struct ia_buf *out, const char *text, size_t max)
{
    struct ia_buf line = IA_BUF(DETAIL_MAX);
    ia_clean(&line, ia_str(text), IA_CLEAN_LINE);
    size_t n = ia_utf8_cut(ia_buf_cstr(&line), line.len < max ? line.len : max);
    ia_buf_putc(out, '"');
    for (size_t i = 0; i < n; i++) {
        ia_buf_putc(out, line.p[i] == '"' ? '\'' : line.p[i]);
    }
    ia_buf_puts(out, n < line.len ? " …\"" : "\"");
    ia_buf_fini(&line);
}

static bool shows_input(const struct ia_policy_act *act)
{
    return !act->target || act->tool == IA_TOOL_TYPE_TEXT || act->tool == IA_TOOL_COUNT;
}

/* Whether the question has all of the input. */
static bool is_shown_whole(const struct ia_policy_act *act)
{
    struct ia_buf line = IA_BUF(DETAIL_MAX);
    char *input = shows_input(act) ? input_of(act) : NULL;
    ia_clean(&line, ia_str(input ? input : ""), IA_CLEAN_LINE);
    bool whole = ia_buf_ok(&line) && line.len <= INPUT_MAX;
    ia_buf_fini(&line);
    free(input);
    return whole;
}

/* tap button "Delete" on the screen "Lists" of com.apple.reminders; it asks: "Delete the list?" */
static char *question(const struct ia_policy_act *act)
{
    struct ia_buf out = IA_BUF(IA_QUESTION_TEXT_MAX), asked = IA_BUF(DETAIL_MAX / 8);
    const struct ia_element *e = act->target, *row = row_of(act);
    const char *screen = act->screen ? ia_snapshot_screen(act->screen) : NULL;
    const char *app = act->screen ? ia_snapshot_app(act->screen) : NULL;
    ia_buf_printf(&out, "%s%s%s", act->skill ? act->skill : "", act->skill ? ":" : "",
                  act->name);
    if (e) {
        ia_buf_printf(&out, " %s ", ia_role_name((enum ia_role)e->role));
        quote(&out, e->label ? e->label : e->identifier ? e->identifier : "", LABEL_MAX);
    }
    if (row && row->label) {
        ia_buf_puts(&out, " in the row ");
        quote(&out, row->label, LABEL_MAX);
    }
    if (shows_input(act)) {
        char *input = input_of(act);
        ia_buf_puts(&out, " with ");
        quote(&out, input ? input : "", INPUT_MAX);
        free(input);
    }
    if (screen) {
        ia_buf_puts(&out, " on the screen ");
        quote(&out, screen, LABEL_MAX);
    }
    ia_buf_printf(&out, "%s%.200s", app ? " of " : "", app ? app : "");
    if (act->screen && ia_signature_question(act->screen, &asked) > 0) {
        ia_buf_puts(&out, "; it asks: ");
        quote(&out, ia_buf_cstr(&asked), INPUT_MAX);
    }
    ia_buf_fini(&asked);
    return ia_buf_steal(&out);
}

/* ---- before the effect ------------------------------------------------------------------- */

void ia_ask_guarded(struct ia_run_ctx *run, const char *tool_use_id)
{
    (void)snprintf(run->ask.guarded, sizeof(run->ask.guarded), "%s", tool_use_id);
}

void ia_ask_started(struct ia_commit *c, const struct ia_tool_call *call)
{
    struct ia_run_ctx *run = c->run;
    const char *id = call->block->id;
    /* A longer id would not be found again. One that may have begun in an earlier attempt stays as it is. */
    if (call->history == IA_CALL_NEW && ia_call_has_effect(call) &&
        strlen(id) < sizeof(run->ask.guarded) &&
        !ia_policy_is_open(run->ask.policy, run->ask.suspects.any)) {
        ia_tx_set_begun(c->tx, run->id, id, false);
        ia_ask_guarded(run, id);
    }
}

static enum ia_rc begin(struct ia_run_ctx *run, struct ia_err *err)
{
    struct ia_commit c;
    if (!run->ask.guarded[0]) {
        return IA_OK;
    }
    enum ia_rc rc = ia_commit_begin(&c, run, err);
    if (rc == IA_OK) {
        ia_tx_set_begun(c.tx, run->id, run->ask.guarded, true);
        rc = ia_commit_end(&c, err);
    }
    run->ask.guarded[0] = rc == IA_OK ? '\0' : run->ask.guarded[0];
    IA_KILL_POINT("policy.begun");
    return rc;
}

enum ia_rc ia_ask_gate(void *ctx, struct ia_err *err)
{
    struct ia_err local;
    enum ia_rc rc = begin(ctx, err ? err : &local);
    return rc == IA_OK ? ia_commit_settled(ctx, err) : rc;
}

/* ---- a call ------------------------------------------------------------------------------ */

/* An approval is used before the effect that it allows. */
static enum ia_rc use(struct ia_run_ctx *run, struct ia_err *why)
{
    struct ia_commit c;
    IA_KILL_POINT("policy.use.before");
    enum ia_rc rc = ia_commit_begin(&c, run, why);
    if (rc == IA_OK) {
        ia_tx_use_question(c.tx, run->ask.row->id);
        rc = ia_commit_end(&c, why);
    }
    IA_KILL_POINT("policy.use.after");
    run->ask.used = rc == IA_OK;
    return rc;
}

/* The run ends for now; ia_ask_record writes the question. Takes text and detail over. */
static void stop_to_ask(struct ia_run_ctx *run, const char *rule, char *text, char *detail)
{
    struct ia_err end;
    free(run->ask.text);
    free(run->ask.detail);
    run->ask.text = text;
    run->ask.detail = detail;
    run->ask.rule = rule;
    ia_err_set(&end, IA_E_BLOCKED, "a person has to decide (%s): %.600s", rule, text);
    ia_err_hint(
        &end,
        "ios-agent approve %s or ios-agent deny %s answers, and ios-agent resume %s goes on",
        run->id, run->id, run->id);
    ia_run_ctx_end(run, IA_RUN_ASKING, &end);
}

static enum ia_rc stop_for(struct ia_run_ctx *run, const struct ia_policy_act *act,
                           enum ia_policy_rule rule, char *detail, struct ia_err *why)
{
    stop_to_ask(run, ia_policy_rule_name(rule), question(act), detail);
    ia_err_set(why, IA_E_ASK, "a person has to decide");
    why->outcome = IA_OUTCOME_NOT_SENT;
    return IA_E_ASK;
}

static bool is_of(const struct ia_question_row *q, const struct ia_tool_call *call)
{
    return q && strcmp(q->tool_use_id, call->block->id) == 0;
}

static enum ia_rc judge(struct ia_run_ctx *run, const struct ia_policy_act *act,
                        struct ia_err *why)
{
    enum ia_policy_rule rule = IA_POLICY_APPS;
    enum ia_policy_answer answer = ia_policy_judge(run->ask.policy, act, &rule);
    const struct ia_question_row *q = run->ask.row;
    if (answer == IA_POLICY_ALLOW) {
        return IA_OK;
    }
    if (answer == IA_POLICY_DENY) {
        ia_err_set(why, IA_E_POLICY, "%s (%s)",
                   ia_prompts_note(run->texts.prompts, IA_NOTE_POLICY_DENIED),
                   ia_policy_rule_name(rule));
        why->outcome = IA_OUTCOME_NOT_SENT;
        return IA_E_POLICY;
    }
    /* A person approved the tool with its whole input; what it touches is part of that. */
    if (run->ask.used && run->ask.call->def) {
        return IA_OK;
    }
    char *detail = describe(run, act);
    if (!detail || !is_shown_whole(act)) {
        free(detail);
        ia_err_set(
            why, IA_E_POLICY,
            "a person has to decide about this call (%s) and is shown at most %d bytes of "
            "its input: make it shorter",
            ia_policy_rule_name(rule), INPUT_MAX);
        why->outcome = IA_OUTCOME_NOT_SENT;
        return IA_E_POLICY;
    }
    bool same = is_of(q, run->ask.call) && strcmp(q->detail, detail) == 0;
    if (same && (run->ask.used || q->state == IA_QUESTION_APPROVED)) {
        free(detail);
        return run->ask.used ? IA_OK : use(run, why);
    }
    return stop_for(run, act, rule, detail, why);
}

static struct ia_policy_act act_of(const struct ia_run_ctx *run,
                                   const struct ia_snapshot *fresh,
                                   const struct ia_element *target)
{
    const struct ia_tool_call *call = run->ask.call;
    return (struct ia_policy_act){.tool = call->tool,
                                  .name = call->block->name,
                                  .skill = call->def ? call->def->skill : NULL,
                                  .input = call->input,
                                  .screen = fresh,
                                  .target = target,
                                  .suspicious = run->ask.suspects.any};
}

enum ia_rc ia_ask_permit(void *ctx, const struct ia_snapshot *fresh,
                         const struct ia_element *target, struct ia_err *why)
{
    struct ia_run_ctx *run = ctx;
    struct ia_err local;
    if (!run->ask.call || ia_policy_is_open(run->ask.policy, run->ask.suspects.any)) {
        return IA_OK;
    }
    const struct ia_policy_act act = act_of(run, fresh, target);
    return judge(run, &act, why ? why : &local);
}

/* Points an approved call at the element that was asked about, whose ref an earlier attempt gave. */
static void point_again(struct ia_run_ctx *run, const struct ia_tool_call *call)
{
    const struct ia_question_row *q = run->ask.row;
    struct ia_deadline deadline = ia_run_ctx_deadline(run, IA_ACTION_MS_MAX);
    const struct ia_snapshot *now = NULL;
    const struct ia_element *e;
    if (!is_of(q, call) || q->state != IA_QUESTION_APPROVED || ia_tool_ref(call->input) == 0 ||
        ia_session_snapshot(run->device.session, &deadline, &now, NULL) != IA_OK) {
        return;
    }
    bool found = false;
    for (size_t i = 0; !found && (e = ia_snapshot_at(now, i)); i++) {
        const struct ia_policy_act act = act_of(run, now, e);
        char *detail = e->ref > 0 ? describe(run, &act) : NULL;
        found = detail && strcmp(detail, q->detail) == 0;
        if (found) {
            json_object_set_new(call->input, "ref", json_integer((json_int_t)e->ref));
        }
        free(detail);
    }
}

/* What acts on an element, or answers an alert, is judged with it. A tool that is not the device's is judged by its name
 * first, and again if it touches an element. */
static bool judged_in_session(const struct ia_tool_call *call)
{
    return !call->def && (call->tool == IA_TOOL_TAP || call->tool == IA_TOOL_LONG_PRESS ||
                          call->tool == IA_TOOL_TYPE_TEXT || call->tool == IA_TOOL_CLEAR_TEXT ||
                          call->tool == IA_TOOL_ALERT ||
                          (call->tool == IA_TOOL_SWIPE && ia_tool_ref(call->input) > 0));
}

enum ia_rc ia_ask_before(struct ia_run_ctx *run, const struct ia_tool_call *call,
                         struct ia_err *why)
{
    run->ask.call = call;
    run->ask.used = false;
    if (judged_in_session(call) || !ia_call_has_effect(call) ||
        ia_policy_is_open(run->ask.policy, run->ask.suspects.any)) {
        point_again(run, call);
        return IA_OK;
    }
    /* Fresh, as the app in front decides; what cannot be read is no reason not to bring an app back. */
    struct ia_deadline deadline = ia_run_ctx_deadline(run, IA_ACTION_MS_MAX);
    const struct ia_snapshot *now = NULL;
    (void)ia_session_peek(run->device.session, &deadline, &now, NULL);
    enum ia_rc rc = ia_ask_permit(run, now, NULL, why);
    /* A tool that is not the device's acts where no gate is. */
    return rc == IA_OK && call->def ? begin(run, why) : rc;
}

/* ---- a plan ------------------------------------------------------------------------------ */

#define PLAN_ID "plan"

static void ask_about_plan(struct ia_run_ctx *run, struct ia_str plan)
{
    struct ia_buf text = IA_BUF(IA_QUESTION_TEXT_MAX), detail = IA_BUF(DETAIL_MAX);
    struct ia_jsonw w;
    ia_buf_puts(&text, "carry out this plan: ");
    ia_clean(&text, plan, IA_CLEAN_LINE);
    ia_jsonw_init(&w, &detail);
    ia_jsonw_object(&w);
    ia_jsonw_key(&w, "plan");
    ia_jsonw_str(&w, plan);
    ia_jsonw_end_object(&w);
    run->ask.step = 0;
    (void)snprintf(run->ask.call_id, sizeof(run->ask.call_id), PLAN_ID);
    stop_to_ask(run, "plan", ia_buf_steal(&text), ia_buf_steal(&detail));
}

static void end_denied(struct ia_run_ctx *run, const struct ia_question_row *q)
{
    struct ia_err end;
    bool expired = q->answered_by && strcmp(q->answered_by, IA_QUESTION_BY_TIMEOUT) == 0;
    const char *note = q->note && !expired ? q->note : "";
    ia_err_set(&end, IA_E_DENIED, "%s%s%.600s; nothing was done on the device",
               expired ? "nobody approved the plan in time" : "a person denied the plan",
               note[0] ? ": " : "", note);
    ia_run_ctx_end(run, IA_RUN_BLOCKED, &end);
}

enum ia_rc ia_ask_plan(struct ia_run_ctx *run, struct ia_str plan, struct ia_err *err)
{
    enum ia_rc rc = ia_ask_recall(run, err);
    const struct ia_question_row *q = rc == IA_OK ? run->ask.row : NULL;
    if (rc != IA_OK) {
        return rc;
    }
    if (!q) {
        ask_about_plan(run, plan);
    } else if (q->state == IA_QUESTION_APPROVED) {
        rc = use(run, err);
        free(run->ask.row);
        run->ask.row = NULL; /* it is of no call */
    } else if (q->state != IA_QUESTION_USED) {
        end_denied(run, q);
    }
    return rc;
}

/* ---- the question ------------------------------------------------------------------------ */

/* A command that answers it. */
static void kv_command(struct ia_jsonw *w, const char *verb, const char *id)
{
    char line[IA_ID_SIZE + 40];
    (void)snprintf(line, sizeof(line), "ios-agent %s %s", verb, id);
    ia_jsonw_kv(w, verb, line);
}

/* Who is to be told is told of it by agent/schedule/notify.h; in the transaction that opens the question. */
static void add_notice(struct ia_tx *tx, const struct ia_run_ctx *run,
                       const struct ia_question_row *q, const char *expires)
{
    struct ia_buf body = IA_BUF(NOTICE_MAX);
    struct ia_jsonw w;
    if (run->ask.policy->notify[0] == '\0') {
        return;
    }
    ia_jsonw_init(&w, &body);
    ia_jsonw_object(&w);
    ia_jsonw_kv(&w, "question", q->id);
    ia_jsonw_kv(&w, "run", q->run_id);
    ia_jsonw_kv(&w, "goal", run->req->goal);
    ia_jsonw_kv(&w, "rule", q->rule);
    ia_jsonw_kv(&w, "text", q->text);
    ia_jsonw_kv(&w, "expires", expires[0] ? expires : NULL);
    kv_command(&w, "approve", q->id);
    kv_command(&w, "deny", q->id);
    ia_jsonw_end_object(&w);
    ia_tx_add_notice(tx, NULL, q->run_id, q->id, run->ask.policy->notify, ia_buf_str(&body));
    ia_buf_fini(&body);
}

enum ia_rc ia_ask_record(struct ia_run_ctx *run, struct ia_err *err)
{
    const struct ia_run_ask *a = &run->ask;
    int64_t expires_ms = a->policy->ask_seconds > 0
                             ? ia_wall_ms(run->clock) + (int64_t)a->policy->ask_seconds * 1000
                             : 0;
    struct ia_question_row row = {.run_id = run->id,
                                  .tool_use_id = a->call_id,
                                  .rule = a->rule,
                                  .text = a->text,
                                  .detail = a->detail,
                                  .expires_ms = expires_ms};
    char id[IA_ID_SIZE] = {0}, iso[IA_ISO_SIZE] = {0};
    struct ia_commit c;
    ia_run_result_fill(run);
    run->result->asking = true;
    if (expires_ms > 0) {
        ia_iso_format(expires_ms, iso);
    }
    IA_KILL_POINT("policy.ask.before");
    enum ia_rc rc = ia_commit_begin(&c, run, err);
    if (rc == IA_OK) {
        ia_tx_ask(c.tx, &row, id);
        row.id = id;
        add_notice(c.tx, run, &row, iso);
        const struct ia_event_run_asked asked = {.step = a->step,
                                                 .question = ia_str(id),
                                                 .rule = ia_str(row.rule),
                                                 .text = ia_str(a->text),
                                                 .expires_at = ia_str(iso[0] ? iso : NULL),
                                                 .spent = ia_spent_event(run)};
        const struct ia_run_moved moved = {.event = IA_EVENT(&asked),
                                           .code = ia_rc_name(IA_E_ASK),
                                           .summary = run->end.err.msg};
        ia_commit_move(&c, IA_RUN_ASKING, &moved);
        rc = ia_commit_end(&c, err);
    }
    IA_KILL_POINT("policy.ask.after");
    return rc;
}
