/* run_ctx.c: how a run ends, is stopped, and keeps its history within bounds. The first end
 * stays: what comes later is a consequence of it. */
#include "agent/loop/run_ctx.h"

#include "agent/loop/commit.h"
#include "base/jsonw.h"

#include <stdatomic.h>

void ia_run_ctx_end(struct ia_run_ctx *run, enum ia_run_state state, const struct ia_err *err)
{
    if (run->end.over) {
        return;
    }
    run->end.over = true;
    run->end.state = state;
    run->end.err = err ? *err : (struct ia_err){0};
}

bool ia_run_ctx_interrupted(const struct ia_run_ctx *run)
{
    /* A cancel that somebody asked for wins over a shutdown: it ends the run for good. */
    return !run->watch.cancel_asked && ia_cancel_fired(run->env->cancel) &&
           run->env->interrupt && atomic_load(run->env->interrupt);
}

static void go_on_later(struct ia_run_ctx *run)
{
    struct ia_err err;
    ia_err_set(&err, IA_E_INTERRUPTED, "the run was interrupted and can continue later");
    ia_err_hint(&err, "ios-agent resume %s continues it", run->id);
    ia_run_ctx_end(run, IA_RUN_QUEUED, &err);
}

void ia_run_ctx_fail(struct ia_run_ctx *run, const struct ia_err *err)
{
    bool cancelled = err->code == IA_E_CANCELLED;
    if (cancelled && ia_run_ctx_interrupted(run)) {
        go_on_later(run);
        return;
    }
    struct ia_err own;
    /* What was cut off knows only of itself ("before anything was sent"), not of the steps before
     * it. */
    if (cancelled) {
        ia_err_set(&own, IA_E_CANCELLED, "the run was cancelled");
    }
    ia_run_ctx_end(run, cancelled ? IA_RUN_CANCELLED : IA_RUN_ERROR, cancelled ? &own : err);
}

bool ia_run_ctx_stopped(struct ia_run_ctx *run)
{
    struct ia_err err;
    if (!run->end.over && (run->watch.cancel_asked || ia_cancel_fired(run->env->cancel))) {
        ia_err_set(&err, IA_E_CANCELLED, "the run was cancelled");
        ia_run_ctx_fail(run, &err);
    }
    return run->end.over;
}

void ia_run_ctx_notice(struct ia_run_ctx *run, const char *what, const char *detail)
{
    struct ia_buf text = IA_BUF(1024);
    ia_buf_printf(&text, "%s%s", what, detail);
    const struct ia_event_notice notice = {.text = ia_str(ia_buf_cstr(&text))};
    ia_live_event(run, IA_EVENT(&notice));
    ia_buf_fini(&text);
}

void ia_run_ctx_append(struct ia_run_ctx *run, enum ia_message_role role, struct ia_str blocks)
{
    struct ia_err err = {0};
    if (ia_history_append(run->model.history, role, blocks, NULL, &err) != IA_OK) {
        ia_run_ctx_fail(run, &err);
    }
}

struct ia_deadline ia_run_ctx_deadline(struct ia_run_ctx *run, int64_t ms)
{
    int64_t until = ia_mono_us(run->clock) + ms * 1000;
    int64_t deadline = ia_spending_deadline(&run->spent.spending);
    return (struct ia_deadline){run->device.patience, until < deadline ? until : deadline};
}

/* Images are dropped in batches, and only where the model allows history to be edited. */
void ia_run_ctx_prune(struct ia_run_ctx *run)
{
    const struct ia_model *m = ia_models_find(run->spent.spending.models, run->req->model);
    if (m && !m->signature_bound && ia_history_images(run->model.history) > IA_IMAGES_MAX) {
        (void)ia_history_drop_images(run->model.history, IA_IMAGES_KEEP);
    }
}
