/* finish.c: the proof rule.
 *
 *     passed ─► expectations hold ─► quotes are shown ─► verifier agrees ─► after a relaunch, too
 *                     │ no                │ no                │ no                │ no     │ yes
 *                     └───────────────────┴───────────────────┴───────────────────┤        └─► passed
 *                                                                                 ▼
 *                                                           refused; after the third, failed
 *     failed, blocked ─► as the model says; the basis tells where every expectation holds
 *
 * Where the verifier alone does not agree though every expectation holds, the two disagree: the run
 * fails as disputed.
 *
 * Expectations and quotes are checked on one fresh snapshot, all of them, so that a refusal
 * lists everything that is missing. The verifier costs a request and is asked last.
 *
 * Beside refusals and the verifier's answer nothing is written here: a verdict is only set
 * in memory, and becomes durable with the result of the finish call and then with the run's
 * end. After a kill in between, ia_finish_restore gives the same verdict from the journal,
 * without asking the verifier again. The verifier's request is part of the call: cancelled in
 * it, the call has no result, and is made again when the run goes on (tools.c). */
#include "agent/verdict/finish.h"

#include "agent/loop/commit.h"
#include "agent/verdict/evidence.h"
#include "agent/verdict/picture.h"
#include "agent/verdict/proof.h"
#include "agent/verdict/subtasks.h"
#include "agent/verdict/verify.h"

#include <stdlib.h>
#include <string.h>

#define SCREEN_CHECK_BYTES ((size_t)256 << 10)

/* What is missing, as lines for the model and as an event. */
struct missing {
    struct ia_run_ctx *run;
    struct ia_buf lines;
    struct ia_str *items; /* with texts of their own */
    size_t count;
    bool quotes_optional; /* every expectation holds */
    bool disputed;        /* every expectation holds, and the verifier does not agree */
};

/* what is ours; detail may quote the screen and is fenced. */
static void add_missing(struct missing *m, const char *subject, enum ia_note what,
                        struct ia_str detail)
{
    const char *note = ia_prompts_note(m->run->texts.prompts, what);
    ia_buf_printf(&m->lines, "\n- %s%s%s", subject, *subject ? ": " : "", note);
    struct ia_buf line = IA_BUF(IA_EVENT_BYTES_MAX);
    while (detail.n > 0 && detail.p[detail.n - 1] == '\n') {
        detail.n--;
    }
    ia_buf_printf(&line, "%s%s%s", subject, *subject ? ": " : "", note);
    if (detail.n > 0) {
        ia_buf_putc(&m->lines, '\n');
        ia_fence(&m->lines, m->run->boundary, detail);
        ia_buf_puts(&line, ": ");
        ia_buf_putstr(&line, detail);
    }
    m->items = ia_realloc(m->items, m->count + 1, sizeof(*m->items));
    size_t n = line.len;
    m->items[m->count++] = (struct ia_str){ia_buf_steal(&line), n};
}

static void expected(void *ctx, const char *subject, enum ia_note what, struct ia_str found)
{
    add_missing(ctx, subject, what, found);
}

/* ---- evidence ---------------------------------------------------------------------------- */

/* Where every expectation holds, a quote that does not is only said to be unproven. */
static void no_quote(struct missing *m, const char *quote, enum ia_note note)
{
    if (m->quotes_optional) {
        ia_proof_unproven(m->run, quote);
    } else if (ia_evidence_trivial(ia_str(quote))) {
        add_missing(m, quote, IA_NOTE_QUOTE_TRIVIAL, (struct ia_str){0});
    } else {
        add_missing(m, quote, note, (struct ia_str){0});
    }
}

struct step_query {
    int step;
    struct ia_str quote;
    bool has_screen, shown;
    bool pictured; /* the step read it on a picture */
};

static bool match_step(void *ctx, const struct ia_call_row *row)
{
    struct step_query *q = ctx;
    if (row->step == q->step && row->screen.n > 0) {
        q->has_screen = true;
        q->shown = q->shown || ia_evidence_shown(q->quote, row->screen);
        q->pictured = q->shown && ia_ocr_is_text(row->screen);
    }
    return !q->shown;
}

/* Looks the step up in the journal of this run; step 0 is the first look, before any call. */
static enum ia_rc check_step(struct missing *m, const char *quote, int step, struct ia_err *err)
{
    struct step_query q = {.step = step, .quote = ia_str(quote)};
    enum ia_rc rc = IA_OK;
    /* The first look is no call and has no row. */
    if (step == 0) {
        q.has_screen = true;
        q.shown = ia_evidence_shown(q.quote, ia_buf_str(&m->run->proof.first_screen));
    } else {
        rc = ia_store_calls(m->run->env->store, m->run->id, match_step, &q, err);
    }
    if (rc == IA_OK && !q.shown) {
        no_quote(m, quote, q.has_screen ? IA_NOTE_QUOTE_NOT_IN_STEP : IA_NOTE_QUOTE_NO_STEP);
    } else if (rc == IA_OK && q.pictured) {
        ia_proof_pictured(m->run, quote);
    }
    return rc;
}

/* For an agent that reads text on pictures: it is read again now. */
static bool on_picture(struct ia_run_ctx *run, const char *quote,
                       const struct ia_snapshot *fresh)
{
    if (!ia_proof_sees(run)) {
        return false;
    }
    const struct ia_proof_picture *p = ia_proof_picture(run, fresh);
    return p->err.code == IA_OK && ia_evidence_shown(ia_str(quote), ia_buf_str(&p->text));
}

static enum ia_rc check_quote(struct missing *m, const json_t *item,
                              const struct ia_snapshot *s, struct ia_str fresh,
                              struct ia_err *err)
{
    const char *quote = json_string_value(json_object_get(item, "quote"));
    const json_t *step = json_object_get(item, "step");
    /* The fresh screen counts whatever step was named: what is there now needs no history. */
    if (ia_evidence_shown(ia_str(quote), fresh)) {
        return IA_OK;
    }
    if (on_picture(m->run, quote, s)) {
        ia_proof_pictured(m->run, quote);
        return IA_OK;
    }
    if (step) {
        return check_step(m, quote, (int)json_integer_value(step), err);
    }
    no_quote(m, quote, IA_NOTE_QUOTE_ABSENT);
    return IA_OK;
}

static enum ia_rc check_evidence(struct missing *m, const json_t *evidence,
                                 const struct ia_snapshot *fresh, struct ia_err *err)
{
    if (json_array_size(evidence) == 0 && ia_run_ctx_replays(m->run)) {
        return IA_OK; /* its proof is its expectations */
    }
    if (json_array_size(evidence) == 0) {
        add_missing(m, "", IA_NOTE_EVIDENCE_EMPTY, (struct ia_str){0});
        return IA_OK;
    }
    struct ia_buf text = IA_BUF(SCREEN_CHECK_BYTES);
    ia_snapshot_text_whole(fresh, SCREEN_CHECK_BYTES, &text);
    enum ia_rc rc = IA_OK;
    size_t i;
    json_t *item;
    json_array_foreach(evidence, i, item)
    {
        rc = check_quote(m, item, fresh, ia_buf_str(&text), err);
        if (rc != IA_OK) {
            break;
        }
    }
    ia_buf_fini(&text);
    return rc;
}

/* ---- the second opinion ------------------------------------------------------------------ */

/* A goal says more than its expectations, and how much more nobody can compute: so every pass is
 * judged, unless the user wants code alone. */
bool ia_finish_asks(const struct ia_run_ctx *run)
{
    return run->req->verify != IA_VERIFY_OFF &&
           (!run->replay.recording || run->replay.heals > 0);
}

static enum ia_rc ask_verifier(struct missing *m, const struct ia_snapshot *fresh,
                               struct ia_err *why, struct ia_err *err)
{
    const struct ia_opinion *said = &m->run->proof.opinion;
    enum ia_rc rc = ia_verify(m->run, fresh, why, err);
    if (rc == IA_OK && why->code == IA_OK && !said->agrees) {
        add_missing(m, "", IA_NOTE_VERIFIER_DISAGREES, ia_str(said->reason));
        m->disputed = m->run->proof.expects.count > 0 && !ia_proof_relaunches(m->run);
    }
    return rc;
}

/* ---- the verdict ------------------------------------------------------------------------- */

static bool noted(const json_t *list, const json_t *quote)
{
    size_t i;
    json_t *q;
    json_array_foreach(list, i, q)
    {
        if (json_equal(q, quote)) {
            return true;
        }
    }
    return false;
}

/* The evidence as it is shown, with a mark at what was not found, or was read on a picture. */
static char *evidence_of(const struct ia_run_ctx *run, const json_t *input)
{
    json_t *list = json_deep_copy(json_object_get(input, "evidence"));
    size_t i;
    json_t *item;
    json_array_foreach(list, i, item)
    {
        if (noted(run->proof.unproven, json_object_get(item, "quote"))) {
            json_object_set_new(item, "unproven", json_true());
        }
        if (noted(run->proof.pictured, json_object_get(item, "quote"))) {
            json_object_set_new(item, "pictured", json_true());
        }
    }
    char *text = json_dumps(list, JSON_COMPACT);
    json_decref(list);
    return text;
}

static void keep_words(struct ia_run_ctx *run, const json_t *input)
{
    free(run->end.summary);
    free(run->end.evidence);
    run->end.summary = ia_strdup(json_string_value(json_object_get(input, "summary")));
    run->end.evidence = evidence_of(run, input);
}

static void accept(struct ia_run_ctx *run, const json_t *input)
{
    /* Expectations that held before anything was done do not show that it was done. */
    bool shown = run->proof.expects.count > 0 && !run->proof.expects_held;
    keep_words(run, input);
    ia_proof_all_hold(run);
    bool pictured = json_array_size(run->proof.pictured) > 0;
    enum ia_basis agreed = pictured ? IA_BASIS_PICTURE : IA_BASIS_VERIFIER;
    run->end.basis = ia_finish_asks(run) ? shown ? IA_BASIS_BOTH : agreed
                     : shown             ? IA_BASIS_EXPECTATIONS
                                         : IA_BASIS_UNVERIFIED;
    ia_run_ctx_end(run, IA_RUN_PASSED, NULL);
}

static void not_met(void *ctx, const char *subject, enum ia_note what, struct ia_str found)
{
    (void)subject;
    (void)what;
    (void)found;
    *(bool *)ctx = false;
}

/* What code says against a model that gives up. Without a screen it says nothing, and it does not
 * launch an app again for it. */
static enum ia_basis against(struct ia_run_ctx *run)
{
    struct ia_deadline deadline = ia_run_ctx_deadline(run, IA_ACTION_MS_MAX);
    const struct ia_snapshot *fresh = NULL;
    ia_proof_forget_picture(run);
    bool hold = run->proof.expects.count > 0 && !ia_proof_relaunches(run) &&
                ia_session_snapshot(run->device.session, &deadline, &fresh, NULL) == IA_OK;
    if (hold) {
        ia_proof_screen(run, fresh, not_met, &hold);
    }
    if (hold) {
        struct ia_err why = {0};
        ia_proof_commands(run, not_met, &hold, &why);
        hold = hold && why.code == IA_OK;
    }
    return !hold                 ? IA_BASIS_NONE
           : run->proof.disputed ? IA_BASIS_DISPUTED
                                 : IA_BASIS_EXPECTATIONS_HOLD;
}

/* Who reads one line of a failed run reads which expectation does not hold. */
static void lead_with_expectations(struct ia_run_ctx *run)
{
    struct ia_buf lead = IA_BUF(IA_EVENT_BYTES_MAX), which = IA_BUF(IA_EVENT_BYTES_MAX);
    size_t n = ia_proof_not_held(run, &which);
    if (n > 0) {
        ia_buf_printf(
            &lead,
            n == 1 ? "An expectation does not hold: " : "%zu expectations do not hold: ", n);
        ia_buf_printf(&lead, "%s. %s", ia_buf_cstr(&which), run->end.summary);
        free(run->end.summary);
        run->end.summary = ia_buf_steal(&lead);
    }
    ia_buf_fini(&lead);
    ia_buf_fini(&which);
}

/* failed and blocked are taken at the model's word, and what code sees is said beside it. */
static void give_up(struct ia_run_ctx *run, const json_t *input, bool blocked)
{
    struct ia_err why;
    keep_words(run, input);
    run->end.basis = against(run);
    if (!blocked) {
        lead_with_expectations(run);
    }
    ia_err_set(&why, blocked ? IA_E_BLOCKED : IA_E_FAILED, "%s", run->end.summary);
    ia_run_ctx_end(run, blocked ? IA_RUN_BLOCKED : IA_RUN_FAILED, &why);
}

void ia_finish_restore(struct ia_run_ctx *run, const json_t *input)
{
    const char *verdict = json_string_value(json_object_get(input, "verdict"));
    if (verdict && strcmp(verdict, "passed") == 0) {
        accept(run, input);
    } else {
        give_up(run, input, verdict && strcmp(verdict, "blocked") == 0);
    }
}

static void end_refused(struct ia_run_ctx *run, const char *missing)
{
    struct ia_err end;
    struct ia_buf which = IA_BUF(IA_EVENT_BYTES_MAX);
    size_t not_held = ia_proof_not_held(run, &which);
    if (run->proof.disputed) {
        run->end.basis = IA_BASIS_DISPUTED;
        ia_err_set(&end, IA_E_FAILED,
                   "every expectation holds, but the verifier does not agree: %.300s",
                   run->proof.opinion.reason);
    } else if (not_held > 0) {
        ia_err_set(&end, IA_E_FAILED, "%s, but %s: %.400s",
                   ia_run_ctx_replays(run) ? "every step was done again"
                                           : "the model says passed",
                   not_held == 1 ? "an expectation does not hold" : "expectations do not hold",
                   ia_buf_cstr(&which));
    } else {
        ia_err_set(&end, IA_E_FAILED, "the model says passed, but the proof is missing%s%.300s",
                   *missing ? ":" : "", missing);
    }
    ia_buf_fini(&which);
    ia_run_ctx_end(run, IA_RUN_FAILED, &end);
}

void ia_finish_restore_refused(struct ia_run_ctx *run)
{
    /* Counted after the event is durable: a resumed run counts those events (progress.c). */
    if (run->proof.refusals > IA_REFUSALS_MAX) {
        end_refused(run, "");
    }
}

static enum ia_rc refuse(struct missing *m, struct ia_buf *text, struct ia_err *why,
                         struct ia_err *err)
{
    struct ia_run_ctx *run = m->run;
    const struct ia_event_finish_refused refused = {
        .missing = {m->items, m->count},
        .basis = ia_str(m->disputed ? ia_basis_name(IA_BASIS_DISPUTED) : NULL)};
    enum ia_rc rc = ia_commit_one(run, IA_EVENT(&refused), err);
    if (rc != IA_OK) {
        return rc;
    }
    ia_buf_putstr(text, ia_buf_str(&m->lines));
    ia_buf_printf(text, "\n%s", ia_prompts_note(run->texts.prompts, IA_NOTE_FINISH_AGAIN));
    run->proof.disputed = m->disputed;
    /* A recording has nothing else to try. */
    if (++run->proof.refusals > IA_REFUSALS_MAX || ia_run_ctx_replays(run)) {
        end_refused(run, ia_buf_cstr(&m->lines));
    }
    ia_err_set(why, IA_E_NOT_MET, "%s",
               ia_prompts_note(run->texts.prompts, IA_NOTE_FINISH_REFUSED));
    return IA_OK;
}

/* The word of another agent counts as little as the run's own. */
static enum ia_rc judge_subtasks(struct missing *m, struct ia_err *err)
{
    struct ia_run_ctx *run = m->run;
    struct ia_subtasks all;
    char subject[32];
    enum ia_rc rc = ia_subtasks_read(run->env->store, run->id, &all, err);
    size_t open = rc == IA_OK ? ia_subtasks_open(all.items, all.count) : 0;
    if (open > 0) {
        (void)snprintf(subject, sizeof(subject), "subtask %zu", open);
        add_missing(m, subject, IA_NOTE_SUBTASK_OPEN, (struct ia_str){0});
    }
    ia_subtasks_fini(&all);
    return rc;
}

/* All that needs the screen that the model left. */
static enum ia_rc judge_screen(struct missing *m, const json_t *evidence, struct ia_err *why,
                               struct ia_err *err)
{
    struct ia_run_ctx *run = m->run;
    struct ia_deadline deadline = ia_run_ctx_deadline(run, IA_ACTION_MS_MAX);
    const struct ia_snapshot *fresh = NULL;
    json_array_clear(run->proof.unproven);
    json_array_clear(run->proof.pictured);
    ia_proof_forget_picture(run);
    why->code = ia_session_snapshot(run->device.session, &deadline, &fresh, why);
    /* No screen, no verdict: the call fails and the model may try again. */
    if (why->code != IA_OK) {
        return IA_OK;
    }
    ia_proof_screen(run, fresh, expected, m);
    bool met = m->count == 0;
    enum ia_rc rc = judge_subtasks(m, err);
    m->quotes_optional = run->proof.expects.count > 0 && met;
    if (rc == IA_OK) {
        rc = check_evidence(m, evidence, fresh, err);
    }
    /* Only when nothing else is missing: the one takes time, the other costs a request. */
    if (rc == IA_OK && m->count == 0) {
        ia_proof_commands(run, expected, m, why);
    }
    if (rc == IA_OK && why->code == IA_OK && m->count == 0 && ia_finish_asks(run)) {
        rc = ask_verifier(m, fresh, why, err);
    }
    return rc == IA_OK && why->code == IA_OK && m->count == 0 ? ia_proof_checked(run, err) : rc;
}

/* The model has not seen what the app shows after the relaunch. */
static void show_relaunched(struct ia_run_ctx *run, const struct ia_snapshot *now,
                            struct ia_buf *text)
{
    struct ia_buf screen = IA_BUF(SCREEN_CHECK_BYTES);
    ia_snapshot_text(now, 0, &screen);
    ia_buf_printf(text, "\n%s\n", ia_prompts_note(run->texts.prompts, IA_NOTE_RELAUNCHED));
    ia_fence(text, run->boundary, ia_buf_str(&screen));
    ia_buf_fini(&screen);
    ia_snapshot_free(run->device.shown);
    run->device.shown = ia_snapshot_ref(now);
}

static enum ia_rc judge_pass(struct missing *m, const json_t *input, struct ia_buf *text,
                             struct ia_err *why, struct ia_err *err)
{
    struct ia_run_ctx *run = m->run;
    const struct ia_snapshot *relaunched = NULL;
    /* Interrupted in its relaunch, the finish has shown all that comes before. */
    enum ia_rc rc = run->proof.relaunch[0]
                        ? IA_OK
                        : judge_screen(m, json_object_get(input, "evidence"), why, err);
    if (rc == IA_OK && why->code == IA_OK && m->count == 0) {
        ia_proof_relaunch(run, expected, m, &relaunched, why);
    }
    if (rc != IA_OK || why->code != IA_OK) {
        return rc;
    }
    if (m->count == 0) {
        accept(run, input);
        return IA_OK;
    }
    rc = refuse(m, text, why, err);
    if (relaunched) {
        show_relaunched(run, relaunched, text);
    }
    return rc;
}

enum ia_rc ia_finish(struct ia_run_ctx *run, const json_t *input, struct ia_buf *text,
                     struct ia_err *why, struct ia_err *err)
{
    *why = (struct ia_err){0};
    json_array_clear(run->proof.checked);
    const char *verdict = json_string_value(json_object_get(input, "verdict"));
    if (strcmp(verdict, "passed") != 0) {
        give_up(run, input, strcmp(verdict, "blocked") == 0);
        return IA_OK;
    }
    struct missing m = {.run = run, .lines = IA_BUF(IA_RESULT_BYTES_MAX)};
    enum ia_rc rc = judge_pass(&m, input, text, why, err);
    ia_buf_fini(&m.lines);
    for (size_t i = 0; i < m.count; i++) {
        free((void *)(uintptr_t)m.items[i].p);
    }
    free(m.items);
    return rc;
}
