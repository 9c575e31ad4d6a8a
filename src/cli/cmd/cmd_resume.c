/* resume [RUN]: goes on with what was interrupted, to its end. */
#include "app/run_json.h"
#include "app/runs.h"
#include "app/setup.h"
#include "cli/cmd/cmd.h"
#include "cli/foreground/foreground_run.h"
#include "cli/sys/interrupt.h"
#include "store/queue.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { RESUME_MAX = 1000, PAGE = 1000, POLLS = 5, POLL_US = 200000 };

struct resume {
    struct ia_cli *c;
    struct ia_setup setup;
    struct ia_foreground foreground;
    char (*ids)[IA_ID_SIZE]; /* of the runs, newest first */
    size_t count;
    enum ia_rc worst;
    struct ia_err worst_err;
};

/* ---- which runs ------------------------------------------------------------------------ */

static bool find_interrupted(void *ctx, const struct ia_event_row *row)
{
    bool *found = ctx;
    *found = *found || row->type == IA_EVENT_RUN_INTERRUPTED;
    return !*found;
}

/* Whether the run had started: one that only waits for its turn was not interrupted. */
static enum ia_rc was_begun(struct ia_store *store, const struct ia_run_row *row, bool *ret,
                            struct ia_err *err)
{
    *ret = row->started_ms > 0 || row->state == IA_RUN_RETRY_WAIT;
    if (*ret) {
        return IA_OK;
    }
    const struct ia_event_range range = {.run_id = row->id};
    return ia_store_events(store, &range, find_interrupted, ret, NULL, err);
}

/* A page of the runs that have not ended. */
struct page {
    struct resume *r;
    size_t rows;
    char last[IA_ID_SIZE];
};

/* A run that was never claimed cannot have started. This skips most of a long queue. */
static bool keep_id(void *ctx, const struct ia_run_row *row)
{
    struct page *p = ctx;
    struct resume *r = p->r;
    bool held = row->state == IA_RUN_QUEUED && (row->heartbeat_ms > 0 || row->started_ms > 0);
    p->rows++;
    memcpy(p->last, row->id, strnlen(row->id, IA_ID_SIZE - 1));
    if ((held || row->state == IA_RUN_RETRY_WAIT) && !ia_run_waits_for_sweep(row)) {
        memcpy(r->ids[r->count++], p->last, IA_ID_SIZE);
    }
    return r->count < RESUME_MAX;
}

static enum ia_rc drop_waiting(struct resume *r, size_t first, struct ia_err *err)
{
    size_t kept = first;
    enum ia_rc rc = IA_OK;
    for (size_t i = first; rc == IA_OK && i < r->count; i++) {
        struct ia_run_row *row = NULL;
        bool begun = false;
        rc = ia_store_run(r->setup.store, r->ids[i], &row, err);
        if (rc == IA_OK) {
            rc = was_begun(r->setup.store, row, &begun, err);
        }
        if (begun) {
            memmove(r->ids[kept++], r->ids[i], IA_ID_SIZE);
        }
        ia_run_row_free(row);
    }
    r->count = kept;
    return rc;
}

static enum ia_rc find_all(struct resume *r, struct ia_err *err)
{
    struct page p = {.r = r, .rows = 1};
    enum ia_rc rc = IA_OK;
    while (rc == IA_OK && p.rows > 0 && r->count < RESUME_MAX) {
        const struct ia_run_filter filter = {
            .limit = PAGE, .state = "unfinished", .before_id = p.last[0] ? p.last : NULL};
        size_t first = r->count;
        p.rows = 0;
        rc = ia_store_runs(r->setup.store, &filter, keep_id, &p, err);
        if (rc == IA_OK) {
            rc = drop_waiting(r, first, err);
        }
    }
    return rc;
}

static enum ia_rc find_one(struct resume *r, const char *id, struct ia_err *err)
{
    struct ia_run_row *row = NULL;
    enum ia_rc rc = ia_store_run(r->setup.store, id, &row, err);
    if (rc != IA_OK) {
        return rc;
    }
    rc = ia_run_resumable(row, err);
    if (rc == IA_OK || (rc == IA_E_ASK && ia_foreground_can_ask(&r->foreground))) {
        rc = IA_OK;
        memcpy(r->ids[r->count++], row->id, strnlen(row->id, IA_ID_SIZE - 1));
    }
    ia_run_row_free(row);
    return rc;
}

static enum ia_rc find_runs(struct resume *r, struct ia_err *err)
{
    r->ids = ia_calloc(RESUME_MAX, sizeof(*r->ids));
    enum ia_rc rc = ia_store_recover(r->setup.store, NULL, err);
    if (rc != IA_OK) {
        return rc;
    }
    const char *id = ia_args_operand(&r->c->args, 0);
    if (id) {
        return find_one(r, id, err);
    }
    return find_all(r, err);
}

/* ---- all of them ------------------------------------------------------------------------ */

static void keep_worst(struct resume *r, enum ia_rc rc, const struct ia_err *err)
{
    if (ia_rc_exit(rc) > ia_rc_exit(r->worst) || (r->worst == IA_OK && rc != IA_OK)) {
        r->worst = rc;
        r->worst_err = *err;
    }
}

static bool is_idle(struct resume *r, const char *id)
{
    struct ia_run_row *row = NULL;
    bool idle = ia_store_run(r->setup.store, id, &row, NULL) != IA_OK ||
                row->state == IA_RUN_QUEUED || row->state == IA_RUN_RETRY_WAIT;
    ia_run_row_free(row);
    return idle;
}

/* Another process took the run since it was listed, and reports its result. A process that holds
 * only the device may be about to claim the run: poll for a second. */
static bool is_elsewhere(struct resume *r, const char *id, enum ia_rc rc)
{
    bool asked_for = ia_args_operand(&r->c->args, 0) != NULL;
    if (asked_for || r->foreground.started.len > 0 || (rc != IA_E_BUSY && rc != IA_E_STATE)) {
        return false;
    }
    bool idle = is_idle(r, id);
    for (int i = 0; idle && i < POLLS && !ia_cancel_fired(r->foreground.cancel); i++) {
        int64_t until = ia_mono_us(ia_clock_system()) + POLL_US;
        (void)ia_clock_wait(ia_clock_system(), r->foreground.cancel, until);
        idle = is_idle(r, id);
    }
    return !idle;
}

/* Ctrl-C ends this loop too; a request to cancel one run ends only that run. */
static void resume_all(struct resume *r)
{
    const _Atomic(bool) *stop = ia_interrupt_flag();
    for (size_t i = r->count; !atomic_load(stop) && i-- > 0;) {
        struct ia_err err = {0};
        struct ia_foreground_task task = {.run_id = r->ids[i]};
        enum ia_rc rc = ia_foreground_signals(&r->foreground, &err);
        if (rc == IA_OK) {
            rc = ia_foreground_run(&r->foreground, &task, &err);
        }
        if (is_elsewhere(r, r->ids[i], rc)) {
            continue;
        }
        if (r->c->json) {
            ia_foreground_result(&r->foreground);
        } else if (rc != IA_OK && r->foreground.events && err.msg[0] != '\0') {
            ia_foreground_refusal(&r->foreground, &err);
        }
        keep_worst(r, rc, &err);
    }
}

static enum ia_rc open_all(struct resume *r, struct ia_err *err)
{
    if (r->foreground.events && r->c->json) {
        return ia_err_set(err, IA_E_USAGE, "--events and --json cannot be used together");
    }
    enum ia_rc rc = ia_setup_store(&r->setup, "ios-agent resume", err);
    if (rc == IA_OK) {
        rc = ia_args_configure(&r->c->args, "allow-commands", r->setup.config,
                               IA_CFG_RUN_ALLOW_COMMANDS, err);
    }
    if (rc == IA_OK) {
        const struct ia_executor_opts executor = {.setup = &r->setup,
                                                  .credentials = &r->c->credentials};
        rc = ia_foreground_open(&r->foreground, &executor, err);
    }
    return rc == IA_OK ? ia_foreground_display(&r->foreground, err) : rc;
}

static enum ia_rc run_all(struct resume *r, struct ia_err *err)
{
    struct ia_jsonw *w = &r->c->w;
    ia_jsonw_object(w);
    ia_jsonw_key(w, "runs");
    ia_jsonw_array(w);
    if (r->count == 0 && !r->foreground.events) {
        ia_buf_puts(&r->c->text, "nothing to resume\n");
    }
    resume_all(r);
    ia_jsonw_end_array(w);
    ia_jsonw_end_object(w);
    if (r->worst != IA_OK) {
        *err = r->worst_err;
    }
    return r->worst;
}

enum ia_rc ia_cmd_resume(struct ia_cli *c, struct ia_err *err)
{
    struct resume r = {.c = c};
    ia_foreground_init(&r.foreground, c);
    enum ia_rc rc = ia_foreground_signals(&r.foreground, err);
    if (rc == IA_OK) {
        rc = open_all(&r, err);
    }
    if (rc == IA_OK) {
        rc = find_runs(&r, err);
    }
    if (rc == IA_OK) {
        rc = run_all(&r, err);
    }
    ia_foreground_fini(&r.foreground);
    ia_setup_close(&r.setup);
    free(r.ids);
    return rc;
}
