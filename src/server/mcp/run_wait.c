/* run_wait.c: one thread waits while another does the run and says what it does. The two meet in a
 * pipe, so that the wait ends with the token of the call as well. */
#include "base/fd.h"
#include "server/mcp/run_tools.h"

#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

enum { BEAT_US = 5000000, RELEASE_MS = 2000, RELEASE_POLL_US = 1000 };
/* Between two steps, as what is told has to grow. */
#define BEAT_PROGRESS 0.001

struct wait {
    int pipe[2];
    pthread_mutex_t mutex;
    int step;
    char doing[IA_MCP_NOTE_MAX + 1]; /* "tap button Done" */
    bool over;
};

static void on_event(void *ctx, int64_t seq, enum ia_event_type type, struct ia_str json)
{
    struct wait *w = ctx;
    struct ia_event e;
    (void)seq;
    bool step = type == IA_EVENT_TOOL_STARTED;
    if (!step && type != IA_EVENT_RUN_FINISHED) {
        return;
    }
    pthread_mutex_lock(&w->mutex);
    w->over = w->over || type == IA_EVENT_RUN_FINISHED;
    if (step && ia_event_read(&e, json)) {
        const struct ia_event_tool_started *t = &e.tool_started;
        w->step = (int)t->step;
        (void)snprintf(w->doing, sizeof(w->doing), "%.*s%s%.*s", (int)t->tool.n, t->tool.p,
                       t->element.n ? " " : "", (int)t->element.n, t->element.p);
        ia_event_fini(&e);
    }
    pthread_mutex_unlock(&w->mutex);
    (void)!write(w->pipe[1], "", 1);
}

/* What is known now; true once the run has ended. */
static bool tell(struct ia_mcp_call *call, struct wait *w, int max_steps, double *told)
{
    char message[2 * IA_MCP_NOTE_MAX] = "waiting";
    pthread_mutex_lock(&w->mutex);
    int step = w->step;
    bool over = w->over;
    if (step > 0) {
        (void)snprintf(message, sizeof(message), "step %d: %s", step, w->doing);
    }
    pthread_mutex_unlock(&w->mutex);
    *told = step > *told ? step : *told + BEAT_PROGRESS;
    if (!over) {
        ia_mcp_tell(call, *told, max_steps, message);
    }
    return over;
}

/* A run that could not be done at all has its end in its row alone. */
static bool row_is_final(struct ia_store *store, const char *id)
{
    struct ia_err ignored;
    struct ia_run_row *row = NULL;
    bool final = ia_store_run(store, id, &row, &ignored) != IA_OK ||
                 ia_run_state_final(row->state) || row->state == IA_RUN_ASKING;
    ia_run_row_free(row);
    return final;
}

/* *ret_over: the run has ended. */
static enum ia_rc wait_until(struct ia_mcp_call *call, struct wait *w, struct ia_store *store,
                             const struct ia_run_row *row, int64_t until_us, bool *ret_over)
{
    const struct ia_clock *clock = ia_clock_system();
    int max_steps = ia_mcp_run_max_steps(row);
    struct pollfd fd = {.fd = w->pipe[0], .events = POLLIN};
    enum ia_rc rc = IA_OK;
    double told = 0;
    bool over = false;
    while (rc == IA_OK && !over && ia_mono_us(clock) < until_us) {
        int64_t beat = ia_mono_us(clock) + BEAT_US;
        int ready = 0;
        rc = ia_cancel_poll(call->cancel, &fd, 1, beat < until_us ? beat : until_us, &ready);
        char bytes[256];
        if (rc == IA_OK) {
            (void)!read(w->pipe[0], bytes, sizeof(bytes));
        }
        over = rc != IA_E_CANCELLED && tell(call, w, max_steps, &told);
        if (rc == IA_E_TIMEOUT) {
            over = over || row_is_final(store, row->id);
            rc = IA_OK;
        }
    }
    *ret_over = over;
    return rc;
}

/* Until the run has let go of its device: who hears of its end goes on there at once. */
static void wait_for_release(const struct ia_mcp_call *call, struct ia_runs *runs,
                             const char *id)
{
    const struct ia_clock *clock = ia_clock_system();
    int64_t until_us = ia_mono_us(clock) + RELEASE_MS * INT64_C(1000);
    while (ia_runs_in_hand(runs, id) && ia_mono_us(clock) < until_us &&
           ia_clock_wait(clock, call->cancel, ia_mono_us(clock) + RELEASE_POLL_US) == IA_OK) {
    }
}

enum ia_rc ia_mcp_wait_for_run(struct ia_mcp_call *call, struct ia_runs *runs,
                               struct ia_store *store, const struct ia_run_row *row, int64_t ms,
                               struct ia_err *err)
{
    struct wait w = {.step = 0};
    int64_t until_us = ia_mono_us(ia_clock_system()) + ms * 1000;
    enum ia_rc rc = ia_pipe(w.pipe, err);
    if (rc != IA_OK) {
        return rc;
    }
    (void)ia_fd_nonblocking(w.pipe[0]);
    (void)ia_fd_nonblocking(w.pipe[1]);
    pthread_mutex_init(&w.mutex, NULL);
    struct ia_runs_watch *watch = ia_runs_watch(runs, row->id, 0, on_event, &w, err);
    if (watch) {
        bool over = false;
        rc = wait_until(call, &w, store, row, until_us, &over);
        if (over) {
            wait_for_release(call, runs, row->id);
        }
    } else {
        rc = err->code;
    }
    ia_runs_unwatch(runs, watch);
    if (rc == IA_E_CANCELLED) {
        ia_err_set(err, rc, "nobody waits for the run any more");
    }
    pthread_mutex_destroy(&w.mutex);
    close(w.pipe[0]);
    close(w.pipe[1]);
    return rc;
}
