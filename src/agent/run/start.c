/* start.c: setup steps, the first look and the first user message. Setup may be done twice
 * without harm, so a run that dies before its first message starts again here.
 *
 * setup steps ─► snapshot ─► the locked app to the front ─► COMMIT: first message, run.looked
 *
 * Until that commit the transcript is empty, so nothing here needs the journal. */
#include "agent/run/start.h"

#include "agent/goal/request.h"
#include "agent/loop/commit.h"
#include "agent/loop/compose.h"
#include "agent/loop/say.h"
#include "agent/loop/suspicious.h"
#include "agent/run/resume.h"
#include "agent/verdict/picture.h"
#include "agent/verdict/proof.h"

#include <stdlib.h>
#include <string.h>

/* ---- setup ------------------------------------------------------------------------------- */

static enum ia_rc set_up_step(struct ia_run_ctx *run, const struct ia_setup_step *s,
                              struct ia_err *err)
{
    struct ia_device *d = &run->device.timed.forward.device;
    struct ia_deadline deadline = ia_run_ctx_deadline(run, IA_ACTION_MS_MAX);
    switch (s->kind) {
    case IA_SETUP_RESET:
        return ia_device_reset(d, &deadline, err);
    case IA_SETUP_LAUNCH:
        return ia_device_launch(d, &deadline, s->value, err);
    case IA_SETUP_TERMINATE:
        return ia_device_terminate(d, &deadline, s->value, err);
    case IA_SETUP_OPEN_URL:
        return ia_device_open_url(d, &deadline, s->value, err);
    }
    return ia_err_set(err, IA_E_INTERNAL, "unknown setup step");
}

/* Does the steps; done has room for all of them. An error ends the run. */
static size_t set_up_device(struct ia_run_ctx *run, struct ia_event_setup *done)
{
    size_t n = 0;
    for (size_t i = 0; i < run->req->setup_count && !ia_run_ctx_stopped(run); i++) {
        const struct ia_setup_step *s = &run->req->setup[i];
        const char *name = ia_setup_kind_name(s->kind);
        struct ia_err why = {0};
        int64_t from = ia_mono_us(run->clock);
        enum ia_rc rc = set_up_step(run, s, &why);
        done[n++] = (struct ia_event_setup){.action = ia_str(name),
                                            .value = ia_str(s->value),
                                            .ms = (ia_mono_us(run->clock) - from) / 1000};
        if (rc != IA_OK) {
            ia_err_wrap(&why, rc, "setup: %s%s%.80s", name, s->value ? " " : "",
                        s->value ? s->value : "");
            ia_run_ctx_fail(run, &why);
        }
    }
    return n;
}

/* ---- the first look ---------------------------------------------------------------------- */

/* A run that is locked to an app begins in it, which saves the model a step. Bringing an app to
 * the front twice does no harm, so this needs no journal. */
static enum ia_rc enter_app(struct ia_run_ctx *run, const struct ia_snapshot **s,
                            struct ia_err *err)
{
    const char *front = ia_snapshot_app(*s);
    if (!run->req->app || (front && strcmp(front, run->req->app) == 0)) {
        return IA_OK;
    }
    struct ia_act_result act = {.changes = IA_BUF(IA_RESULT_BYTES_MAX)};
    struct ia_deadline deadline = ia_run_ctx_deadline(run, IA_ACTION_MS_MAX);
    enum ia_rc rc = ia_session_launch(run->device.session, &deadline, run->req->app, &act, err);
    ia_act_result_fini(&act);
    if (rc == IA_OK) {
        ia_run_ctx_notice(run, "launched ", run->req->app);
        *s = ia_session_latest(run->device.session);
    }
    return rc;
}

/* Keeps what the screen says of each expectation. True where all of them hold already, as far as
 * the screen can say: a command is not run for that. */
static bool begin_expects(struct ia_run_ctx *run, const struct ia_snapshot *s)
{
    bool all = run->proof.expects.count > 0;
    for (size_t i = 0; i < run->proof.expects.count; i++) {
        struct ia_expect *x = &run->proof.expects.items[i];
        ia_expect_begin(x, s);
        all = all && (x->kind == IA_EXPECT_COMMAND || ia_proof_holds(run, x, s, NULL));
    }
    ia_proof_forget_picture(run);
    return all;
}

static void first_look(struct ia_run_ctx *run)
{
    const struct ia_snapshot *s = NULL;
    struct ia_err why = {0};
    struct ia_deadline deadline = ia_run_ctx_deadline(run, IA_ACTION_MS_MAX);
    enum ia_rc rc = ia_session_snapshot(run->device.session, &deadline, &s, &why);
    if (rc == IA_OK) {
        rc = enter_app(run, &s, &why);
    }
    if (rc != IA_OK) {
        ia_run_ctx_fail(run, &why);
        return;
    }
    ia_snapshot_text(s, 0, &run->proof.first_screen);
    /* Expectations that hold before anything is done cannot be proof that it was done
     * (finish.c). */
    run->proof.expects_held = begin_expects(run, s);
    ia_stuck_saw(&run->watch.stuck, ia_snapshot_content_hash(s));
    /* A reference of its own: the session goes on to newer snapshots. */
    run->device.shown = ia_snapshot_ref(s);
}

/* ---- the first message ------------------------------------------------------------------- */

static enum ia_rc first_message(struct ia_run_ctx *run,
                                const struct ia_event_run_looked *looked, struct ia_err *err)
{
    struct ia_buf text = IA_BUF(IA_TURN_BYTES_MAX);
    enum ia_rc rc = IA_OK;
    /* The conversation before comes first, as it was sent then. */
    if (run->previous_attempt.continues[0]) {
        rc = ia_resume_prefix(run, run->previous_attempt.continues, err);
    }
    if (rc == IA_OK && !run->end.over) {
        const struct ia_run_request told = ia_run_ctx_told(run);
        /* Where a model does a step of a recording, it is shown the screen of that step. */
        struct ia_str screen =
            run->replay.recording ? ia_str("") : ia_buf_str(&run->proof.first_screen);
        ia_compose_first(&text, &told, ia_buf_cstr(&run->texts.memory), run->boundary,
                         ia_str(""), 0, screen);
        ia_compose_secrets(&text, run->req,
                           ia_prompts_note(run->texts.prompts, IA_NOTE_SECRETS));
        ia_compose_plan(&text, ia_prompts_note(run->texts.prompts, IA_NOTE_PLAN), run->boundary,
                        ia_buf_str(&run->previous_attempt.plan));
        ia_suspicious_screen(run, &text);
        const struct ia_say message = {.text = ia_buf_cstr(&text), .event = IA_EVENT(looked)};
        rc = ia_say(run, &message, err);
    }
    ia_buf_fini(&text);
    return rc;
}

/* Borrowed from the expectations; free() the list. */
static struct ia_str *list_starts(const struct ia_run_ctx *run)
{
    const struct ia_expects *all = &run->proof.expects;
    struct ia_str *texts = ia_calloc(all->count + 1, sizeof(*texts));
    for (size_t i = 0; i < all->count; i++) {
        texts[i] = ia_str(all->items[i].start ? all->items[i].start : "");
    }
    return texts;
}

enum ia_rc ia_start(struct ia_run_ctx *run, struct ia_err *err)
{
    struct ia_event_setup *setup = ia_calloc(run->req->setup_count + 1, sizeof(*setup));
    enum ia_rc rc = IA_OK;
    size_t done = set_up_device(run, setup);
    if (!run->end.over) {
        first_look(run);
    }
    if (!run->end.over) {
        const char *continues = run->previous_attempt.continues;
        struct ia_str *starts = list_starts(run);
        const struct ia_event_run_looked looked = {
            .setup = {.items = setup, .n = done},
            .app = ia_str(ia_snapshot_app(run->device.shown)),
            .screen = ia_buf_str(&run->proof.first_screen),
            .expects_held = run->proof.expects_held,
            .refs = ia_session_last_ref(run->device.session),
            .continues = ia_str(continues[0] ? continues : NULL),
            .start = {starts, run->proof.expects.count},
        };
        rc = first_message(run, &looked, err);
        free(starts);
    }
    free(setup);
    return rc;
}
