/* notify.c: from runs that ended to notices, and from notices to attempts to deliver them.
 *
 *     events ──cursor──► end of a run ──► verdict, and a notice where it changed   (one transaction)
 *     notice ──due──► attempt noted ──► delivered ──► sent, waiting again, or given up
 *                     (transaction)     (no transaction)            (transaction)
 *
 * A process that dies between the two transactions leaves a notice that is due again after
 * IA_NOTICE_LEASE_MS: a notice may be delivered twice, but never not at all. */
#include "agent/schedule/notify.h"

#include "base/jsonw.h"
#include "base/killpoint.h"
#include "base/spawn.h"
#include "net/post.h"
#include "store/notices.h"
#include "store/queue.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#define CONSUMER "notify"

enum {
    BODY_MAX = 1 << 20,
    BATCH_MAX = 1000,     /* ends and attempts of one tick */
    CURSOR_BEHIND = 1000, /* events that may be read again and again before the cursor moves */
    OUTPUT_MAX = 16 << 10
};

/* ---- runs that ended --------------------------------------------------------------------- */

/* What is needed of an end after its row is gone. */
struct end {
    int64_t event_id;
    char *schedule, *run_id, *notify;
    const char *verdict; /* NULL: it has none */
    bool changed;
    struct ia_buf body;
};

/* What a model healed is neither a pass nor a failure. */
static const char *verdict_of(const struct ia_fire_end *e)
{
    return ia_outcome_healed(e->outcome) ? e->outcome : ia_run_state_name(e->state);
}

static bool is_pass(const char *verdict)
{
    return strcmp(verdict, ia_run_state_name(IA_RUN_PASSED)) == 0;
}

static bool is_change(const char *was, const char *now)
{
    return was ? is_pass(was) != is_pass(now) ||
                     ia_outcome_healed(was) != ia_outcome_healed(now)
               : !is_pass(now);
}

static void kv_iso(struct ia_jsonw *w, const char *key, int64_t ms)
{
    char iso[IA_ISO_SIZE];
    ia_iso_format(ms, iso);
    ia_jsonw_kv(w, key, iso);
}

static void put_body(const struct ia_fire_end *e, struct ia_buf *out)
{
    struct ia_jsonw w;
    ia_jsonw_init(&w, out);
    ia_jsonw_object(&w);
    ia_jsonw_kv(&w, "schedule", e->schedule);
    ia_jsonw_kv(&w, "goal", e->goal);
    ia_jsonw_kv(&w, "run", e->run_id);
    ia_jsonw_kv(&w, "state", ia_run_state_name(e->state));
    ia_jsonw_kv(&w, "was", e->last_verdict);
    ia_jsonw_kv_bool(&w, "passed", is_pass(verdict_of(e)));
    ia_jsonw_kv(&w, "outcome", e->outcome);
    ia_jsonw_kv(&w, "code", e->code);
    ia_jsonw_kv(&w, "summary", e->summary);
    kv_iso(&w, "scheduled_for", e->scheduled_ms);
    kv_iso(&w, "finished", e->finished_ms);
    ia_jsonw_kv_int(&w, "steps", e->steps);
    ia_jsonw_key(&w, "cost_usd");
    if (e->cost_known && !e->demo) {
        ia_jsonw_real(&w, e->cost_usd);
    } else {
        ia_jsonw_null(&w);
    }
    ia_jsonw_kv_bool(&w, "demo", e->demo);
    ia_jsonw_end_object(&w);
}

static void keep_end(void *ctx, const struct ia_fire_end *e)
{
    struct end *end = ctx;
    *end = (struct end){.event_id = e->event_id,
                        .schedule = ia_strdup(e->schedule),
                        .run_id = ia_strdup(e->run_id),
                        .notify = ia_strdup(e->notify),
                        .body = IA_BUF(BODY_MAX)};
    /* Every end but a cancel is a verdict. */
    if (ia_run_state_final(e->state) && e->state != IA_RUN_CANCELLED) {
        end->verdict = ia_outcome_healed(e->outcome) ? "healed" : ia_run_state_name(e->state);
    }
    /* Only a change is told: anything but a pass that is the first verdict or follows a pass, what was
     * healed after a failure, and a pass after either. */
    end->changed = end->verdict && is_change(e->last_verdict, end->verdict);
    if (end->changed && end->notify) {
        put_body(e, &end->body);
    }
}

static void end_fini(struct end *e)
{
    free(e->schedule);
    free(e->run_id);
    free(e->notify);
    ia_buf_fini(&e->body);
}

/* False in *ret_moved when another process took it first. */
static enum ia_rc take_end(struct ia_store *store, const struct end *e, bool *ret_moved,
                           struct ia_err *err)
{
    struct ia_tx *tx = NULL;
    bool moved = false;
    enum ia_rc rc = ia_tx_begin(store, &tx, err);
    if (rc != IA_OK) {
        return rc;
    }
    /* The cursor moves forward only: of two processes that found the same end, the second gets
     * false here, and neither the verdict nor the notice is written twice. */
    ia_tx_move_cursor(tx, CONSUMER, e->event_id, &moved);
    if (!moved && !ia_tx_failed(tx)) {
        ia_tx_rollback(tx);
        *ret_moved = false;
        return IA_OK;
    }
    if (e->verdict) {
        ia_tx_schedule_verdict(tx, e->schedule, e->verdict);
    }
    if (e->changed && e->notify && ia_buf_ok(&e->body)) {
        ia_tx_add_notice(tx, e->schedule, e->run_id, NULL, e->notify, ia_buf_str(&e->body));
    }
    IA_KILL_POINT("notify.take.before");
    rc = ia_tx_commit(tx, err);
    *ret_moved = rc == IA_OK;
    return rc == IA_E_NOT_FOUND ? IA_OK : rc; /* removed meanwhile: looked for again */
}

/* Without this the events of runs without a schedule would be read again at every tick. */
static enum ia_rc catch_up(struct ia_store *store, int64_t cursor, int64_t last,
                           struct ia_err *err)
{
    struct ia_tx *tx = NULL;
    if (last - cursor < CURSOR_BEHIND) {
        return IA_OK;
    }
    enum ia_rc rc = ia_tx_begin(store, &tx, err);
    if (rc == IA_OK) {
        ia_tx_set_cursor(tx, CONSUMER, last);
        rc = ia_tx_commit(tx, err);
    }
    return rc;
}

static enum ia_rc take_ends(const struct ia_notify_env *env, struct ia_err *err)
{
    int64_t last = 0, cursor = 0;
    bool found = true, moved = true;
    /* Read before the ends: an event that comes while they are taken must not be skipped by
     * catch_up. */
    enum ia_rc rc = ia_store_last_event(env->store, &last, err);
    for (int i = 0; rc == IA_OK && found && moved && i < BATCH_MAX; i++) {
        struct end end = {.event_id = 0};
        rc = ia_store_cursor(env->store, CONSUMER, &cursor, err);
        if (rc == IA_OK) {
            rc = ia_store_fire_end(env->store, cursor, keep_end, &end, &found, err);
        }
        if (rc == IA_OK && found) {
            rc = take_end(env->store, &end, &moved, err);
        }
        end_fini(&end);
    }
    return rc == IA_OK && !found ? catch_up(env->store, cursor, last, err) : rc;
}

enum ia_rc ia_notify_skip_past(struct ia_store *store, struct ia_err *err)
{
    int64_t last = 0;
    enum ia_rc rc = ia_store_last_event(store, &last, err);
    return rc == IA_OK ? catch_up(store, 0, last, err) : rc;
}

/* ---- attempts ---------------------------------------------------------------------------- */

struct notice {
    struct ia_notice_row row; /* texts are the members below */
    char *of, *target, *body;
};

static bool keep_notice(void *ctx, const struct ia_notice_row *row)
{
    struct notice *n = ctx;
    n->row = *row;
    struct ia_buf of = IA_BUF(BODY_MAX);
    ia_buf_printf(&of, "%s%s", row->schedule ? "" : "run ",
                  row->schedule ? row->schedule : row->run_id);
    n->of = ia_buf_steal(&of);
    n->target = ia_strdup(row->target);
    n->body = ia_strdup(row->body);
    return false;
}

static void notice_fini(struct notice *n)
{
    free(n->of);
    free(n->target);
    free(n->body);
}

static enum ia_rc run_command(const struct ia_notify_env *env, const char *command,
                              const char *body, struct ia_err *err)
{
    const char *argv[] = {"/bin/sh", "-c", command, NULL};
    struct ia_spawn spawn = {.argv = argv,
                             /* On stdin and not in the arguments: the text is the model's
                              * and must not reach a shell. */
                             .input = ia_str(body),
                             .output_max = OUTPUT_MAX,
                             .timeout_ms = IA_NOTICE_MS,
                             .cancel = env->cancel};
    struct ia_spawn_result r;
    enum ia_rc rc = ia_spawn_run(&spawn, &r, err);
    if (rc == IA_OK) {
        rc = ia_spawn_check(&r, "the notification's command", err);
    }
    ia_spawn_result_fini(&r);
    return rc;
}

static enum ia_rc deliver(const struct ia_notify_env *env, const struct notice *n,
                          struct ia_err *err)
{
    json_t *target = json_loads(n->target, 0, NULL);
    const char *url = json_string_value(json_object_get(target, "url"));
    const char *command = json_string_value(json_object_get(target, "command"));
    enum ia_rc rc;
    if (url) {
        struct ia_post post = {.url = url,
                               .json = ia_str(n->body),
                               .ca_bundle = env->ca_bundle,
                               .proxy = env->proxy,
                               .timeout_ms = IA_NOTICE_MS,
                               .cancel = env->cancel};
        rc = ia_post_json(&post, err);
    } else if (command) {
        rc = run_command(env, command, n->body, err);
    } else {
        rc = ia_err_set(err, IA_E_PARSE, "the notification names neither a command nor a URL");
    }
    json_decref(target);
    return rc;
}

static enum ia_rc begin_attempt(const struct ia_notify_env *env, const struct notice *n,
                                int64_t now_ms, bool *ret_mine, struct ia_err *err)
{
    struct ia_tx *tx = NULL;
    enum ia_rc rc = ia_tx_begin(env->store, &tx, err);
    if (rc == IA_OK) {
        /* Compares the number of attempts, so of two processes one delivers. */
        ia_tx_try_notice(tx, &n->row, now_ms + IA_NOTICE_LEASE_MS, ret_mine);
        rc = ia_tx_commit(tx, err);
    }
    return rc;
}

static enum ia_rc end_attempt(const struct ia_notify_env *env, const struct notice *n,
                              int64_t now_ms, const char *problem, struct ia_err *err)
{
    struct ia_tx *tx = NULL;
    /* begin_attempt has counted this one in the row already. */
    int attempts = n->row.attempts + 1;
    bool last = attempts >= IA_NOTICE_TRIES;
    enum ia_notice_state state =
        !problem ? IA_NOTICE_SENT : (last ? IA_NOTICE_GIVEN_UP : IA_NOTICE_WAITING);
    enum ia_rc rc = ia_tx_begin(env->store, &tx, err);
    if (rc == IA_OK) {
        ia_tx_end_notice(tx, n->row.id, state, problem,
                         now_ms + ia_retry_delay_ms(attempts, 0));
        rc = ia_tx_commit(tx, err);
    }
    if (rc == IA_OK && env->on_attempt) {
        env->on_attempt(env->ctx, n->of, problem, last);
    }
    return rc;
}

static enum ia_rc attempt(const struct ia_notify_env *env, const struct notice *n,
                          int64_t now_ms, struct ia_err *err)
{
    bool mine = false;
    struct ia_err why = {.code = IA_OK};
    enum ia_rc rc = begin_attempt(env, n, now_ms, &mine, err);
    if (rc != IA_OK || !mine) {
        return rc;
    }
    IA_KILL_POINT("notify.deliver.before");
    enum ia_rc came = deliver(env, n, &why);
    IA_KILL_POINT("notify.deliver.after");
    /* A delivery that a shutdown cancelled counts as a failed attempt, and is due again. */
    return end_attempt(env, n, now_ms, came == IA_OK ? NULL : why.msg, err);
}

static enum ia_rc attempts(const struct ia_notify_env *env, const char *run_id, int most,
                           struct ia_err *err)
{
    const struct ia_clock *clock = env->clock ? env->clock : ia_clock_system();
    enum ia_rc rc = IA_OK;
    bool found = true;
    for (int i = 0; rc == IA_OK && found && i < most; i++) {
        struct notice n = {.of = NULL};
        int64_t now_ms = ia_wall_ms(clock);
        found = false;
        if (!ia_cancel_fired(env->cancel)) {
            rc = ia_store_due_notice(env->store, now_ms, run_id, keep_notice, &n, &found, err);
        }
        if (rc == IA_OK && found) {
            rc = attempt(env, &n, now_ms, err);
        }
        notice_fini(&n);
    }
    return rc;
}

enum ia_rc ia_notify_tick(const struct ia_notify_env *env, struct ia_err *err)
{
    int most = env->attempts_max > 0 ? env->attempts_max : BATCH_MAX;
    enum ia_rc rc = take_ends(env, err);
    return rc == IA_OK ? attempts(env, NULL, most, err) : rc;
}

enum ia_rc ia_notify_question(const struct ia_notify_env *env, const char *run_id,
                              struct ia_err *err)
{
    return attempts(env, run_id, 1, err);
}

void ia_notify_target(const char *text, struct ia_buf *out)
{
    struct ia_jsonw w;
    bool url = strncmp(text, "https://", 8) == 0 || strncmp(text, "http://", 7) == 0;
    ia_jsonw_init(&w, out);
    ia_jsonw_object(&w);
    ia_jsonw_kv(&w, url ? "url" : "command", text);
    ia_jsonw_end_object(&w);
}
