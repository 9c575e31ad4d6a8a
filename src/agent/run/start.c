#include "agent/run/start.h"

#include "agent/goal/request.h"
#include "agent/loop/commit.h"
#include "agent/loop/compose.h"
#include "agent/loop/say.h"
#include "agent/run/resume.h"

#include <string.h>

/* ---- setup ------------------------------------------------------------------------------- */

static enum ia_rc set_up_step(struct ia_run_ctx *run, const struct ia_setup_step *s,
                              struct ia_err *err)
{
    struct ia_device *d = &run->timed.forward.device;
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

/* Does the steps and writes the member "setup". An error ends the run. */
static enum ia_rc set_up_device(struct ia_run_ctx *run, struct ia_jsonw *w, struct ia_err *err)
{
    enum ia_rc rc = IA_OK;
    ia_jsonw_key(w, "setup");
    ia_jsonw_array(w);
    for (size_t i = 0; rc == IA_OK && i < run->req->setup_count && !ia_run_ctx_stopped(run);
         i++) {
        const struct ia_setup_step *s = &run->req->setup[i];
        const char *name = ia_setup_kind_name(s->kind);
        int64_t from = ia_mono_us(run->clock);
        rc = set_up_step(run, s, err);
        ia_jsonw_object(w);
        ia_jsonw_kv(w, "do", name);
        ia_jsonw_kv(w, "value", s->value);
        ia_jsonw_kv_int(w, "ms", (ia_mono_us(run->clock) - from) / 1000);
        ia_jsonw_end_object(w);
        if (rc != IA_OK) {
            ia_err_wrap(err, rc, "setup: %s%s%.80s", name, s->value ? " " : "",
                        s->value ? s->value : "");
            ia_run_ctx_fail(run, err);
        }
    }
    ia_jsonw_end_array(w);
    return run->end.over && rc == IA_OK ? IA_E_CANCELLED : rc;
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
    enum ia_rc rc = ia_session_launch(run->session, &deadline, run->req->app, &act, err);
    ia_act_result_fini(&act);
    if (rc == IA_OK) {
        ia_run_ctx_notice(run, "launched ", run->req->app);
        *s = ia_session_latest(run->session);
    }
    return rc;
}

static bool expects_hold(const struct ia_run_ctx *run, const struct ia_snapshot *s)
{
    bool all = run->expects.count > 0;
    for (size_t i = 0; all && i < run->expects.count; i++) {
        all = ia_expect_holds(&run->expects.items[i], s, NULL);
    }
    return all;
}

static enum ia_rc first_look(struct ia_run_ctx *run, struct ia_buf *screen, struct ia_err *err)
{
    const struct ia_snapshot *s = NULL;
    struct ia_deadline deadline = ia_run_ctx_deadline(run, IA_ACTION_MS_MAX);
    enum ia_rc rc = ia_session_snapshot(run->session, &deadline, &s, err);
    if (rc == IA_OK) {
        rc = enter_app(run, &s, err);
    }
    if (rc != IA_OK) {
        ia_run_ctx_fail(run, err);
        return rc;
    }
    ia_snapshot_text(s, 0, screen);
    run->expects_held = expects_hold(run, s);
    ia_stuck_saw(&run->stuck, ia_snapshot_content_hash(s));
    run->shown = ia_snapshot_ref(s);
    return IA_OK;
}

/* ---- the first message ------------------------------------------------------------------- */

static void looked_json(struct ia_run_ctx *run, struct ia_jsonw *w)
{
    ia_jsonw_kv(w, "app", ia_snapshot_app(run->shown));
    ia_jsonw_key(w, "screen");
    ia_jsonw_str(w, ia_buf_str(&run->first_screen));
    ia_jsonw_kv_bool(w, "expects_held", run->expects_held);
    ia_jsonw_kv_int(w, "refs", ia_session_last_ref(run->session));
    ia_jsonw_kv(w, "continues",
                run->previous_attempt.continues[0] ? run->previous_attempt.continues : NULL);
    ia_jsonw_end_object(w);
}

/* Behind the rest, so that runs without secrets send what they always sent. */
static void put_secrets(const struct ia_run_ctx *run, struct ia_buf *out)
{
    if (run->req->secret_count == 0) {
        return;
    }
    ia_buf_printf(out, "\n<secrets>\n%s\n", ia_prompts_note(run->prompts, IA_NOTE_SECRETS));
    for (size_t i = 0; i < run->req->secret_count; i++) {
        ia_buf_printf(out, "{{secret:%s}}\n", run->req->secrets[i]);
    }
    ia_buf_puts(out, "</secrets>");
}

static enum ia_rc first_message(struct ia_run_ctx *run, const struct ia_buf *looked,
                                struct ia_err *err)
{
    struct ia_buf text = IA_BUF(IA_TURN_BYTES_MAX);
    enum ia_rc rc = IA_OK;
    if (run->previous_attempt.continues[0]) {
        rc = ia_resume_prefix(run, run->previous_attempt.continues, err);
    }
    if (rc == IA_OK && !run->end.over) {
        ia_compose_first(&text, run->req, ia_buf_cstr(&run->memory), run->boundary,
                         ia_buf_str(&run->first_screen));
        put_secrets(run, &text);
        rc = ia_say(run, ia_buf_cstr(&text), "run.looked", looked, err);
    }
    ia_buf_fini(&text);
    return rc;
}

enum ia_rc ia_start(struct ia_run_ctx *run, struct ia_err *err)
{
    struct ia_buf looked = IA_BUF(IA_EVENT_BYTES_MAX);
    struct ia_jsonw w;
    ia_jsonw_init(&w, &looked);
    ia_jsonw_object(&w);
    enum ia_rc rc = set_up_device(run, &w, err);
    if (rc == IA_OK) {
        rc = first_look(run, &run->first_screen, err);
    }
    if (rc == IA_OK) {
        looked_json(run, &w);
        rc = first_message(run, &looked, err);
    } else if (run->end.over) {
        rc = IA_OK;
    }
    ia_buf_fini(&looked);
    return rc;
}
