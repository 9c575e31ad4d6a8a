/* runs.c: how a run is added and how its row changes. Reading is in run_rows.c.
 *
 * Every change of state goes through ia_run_move, which in one transaction checks it against
 * the table, writes the state and the owner, and adds the event; so rows and events cannot
 * disagree. A process changes a run only while it owns it or nobody alive does (check_move). */
#include "store/children.h"
#include "store/impl.h"

#include <stdio.h>
#include <string.h>

#define BIT(state) (1U << (state))
enum { RUN_SPENT_PARAMETERS = 8 }; /* of IA_SQL_RUN_NOW */

/* One row per state: where it may go, whether it is an end, whether a process owns the run
 * meanwhile. The picture is in store.h. */
static const struct state_info {
    unsigned next;
    bool final;
    bool owned;
} states[IA_RUN_STATE_COUNT] = {
    [IA_RUN_QUEUED] = {BIT(IA_RUN_CLAIMED) | BIT(IA_RUN_CANCELLED), false, false},
    [IA_RUN_CLAIMED] = {BIT(IA_RUN_RUNNING) | BIT(IA_RUN_QUEUED) | BIT(IA_RUN_RETRY_WAIT) |
                            BIT(IA_RUN_ERROR) | BIT(IA_RUN_CANCELLED),
                        false, true},
    [IA_RUN_RUNNING] = {BIT(IA_RUN_PASSED) | BIT(IA_RUN_FAILED) | BIT(IA_RUN_BLOCKED) |
                            BIT(IA_RUN_ERROR) | BIT(IA_RUN_CANCELLED) | BIT(IA_RUN_RETRY_WAIT) |
                            BIT(IA_RUN_QUEUED) | BIT(IA_RUN_ASKING),
                        false, true},
    [IA_RUN_RETRY_WAIT] = {BIT(IA_RUN_QUEUED) | BIT(IA_RUN_ERROR) | BIT(IA_RUN_CANCELLED),
                           false, false},
    [IA_RUN_PASSED] = {0, true, false},
    [IA_RUN_FAILED] = {0, true, false},
    [IA_RUN_BLOCKED] = {0, true, false},
    [IA_RUN_ERROR] = {0, true, false},
    [IA_RUN_CANCELLED] = {0, true, false},
    [IA_RUN_ASKING] = {BIT(IA_RUN_QUEUED) | BIT(IA_RUN_CANCELLED), false, false},
};

bool ia_run_state_final(enum ia_run_state state)
{
    return (unsigned)state < IA_RUN_STATE_COUNT && states[state].final;
}

bool ia_run_move_allowed(enum ia_run_state from, enum ia_run_state to)
{
    return (unsigned)from < IA_RUN_STATE_COUNT && (unsigned)to < IA_RUN_STATE_COUNT &&
           (states[from].next & BIT(to)) != 0;
}

/* ---- adding ---------------------------------------------------------------------------- */

static struct ia_str or_else(struct ia_str s, const char *fallback)
{
    return s.n > 0 ? s : ia_str(fallback);
}

static bool add_goal(struct ia_tx *tx, const char *goal_id, const struct ia_run_new *run)
{
    struct ia_q q = ia_tx_q(tx, IA_SQL_GOAL_ADD);
    ia_q_text(&q, goal_id);
    ia_q_text(&q, run->goal);
    ia_q_text(&q, run->app);
    ia_q_text(&q, run->hint);
    ia_q_str(&q, or_else(run->expect, "[]"));
    ia_q_str(&q, or_else(run->budget, "{}"));
    ia_q_iso(&q, tx->now_ms);
    ia_q_text(&q, run->name);
    return ia_tx_end(tx, &q);
}

static bool add_run(struct ia_tx *tx, const char *id, const char *goal_id,
                    const struct ia_run_new *run)
{
    struct ia_q q = ia_tx_q(tx, IA_SQL_RUN_ADD);
    ia_q_text(&q, id);
    ia_q_text(&q, goal_id);
    ia_q_text(&q, run->agent);
    ia_q_text(&q, run->model);
    ia_q_text(&q, run->lane);
    ia_q_str(&q, or_else(run->device, "{}"));
    ia_q_str(&q, or_else(run->options, "{}"));
    ia_q_int(&q, run->demo);
    ia_q_text(&q, ia_run_kind_name(run->kind));
    ia_q_text(&q, run->unique);
    ia_q_text(&q, run->sweep_id);
    ia_q_int(&q, run->sweep_no);
    ia_q_iso(&q, tx->now_ms);
    ia_q_text(&q, run->goal_hash);
    ia_q_text(&q, run->parent_id);
    ia_q_text(&q, run->parent_call);
    return ia_tx_end(tx, &q);
}

/* The index refuses it anyway; this says which run is in the way. */
static bool is_unique(struct ia_tx *tx, const char *key)
{
    if (!key) {
        return true;
    }
    char other[IA_ID_SIZE] = {0};
    struct ia_q q = ia_tx_q(tx, IA_SQL_RUN_UNIQUE);
    ia_q_text(&q, key);
    if (ia_q_row(&q)) {
        struct ia_str id = ia_q_get_str(&q);
        memcpy(other, id.p, id.n < IA_ID_SIZE ? id.n : IA_ID_SIZE - 1);
    }
    if (ia_tx_end(tx, &q) && other[0]) {
        ia_tx_fail(tx, IA_E_EXISTS, "run %s has the same key \"%.80s\" and is not over", other,
                   key);
    }
    return !tx->failed;
}

void ia_tx_add_run(struct ia_tx *tx, const struct ia_run_new *run, char ret_id[IA_ID_SIZE])
{
    char id[IA_ID_SIZE];
    char goal_id[IA_ID_SIZE];
    if (run->id && !ia_id_valid(run->id)) {
        ia_tx_fail(tx, IA_E_USAGE, "\"%.60s\" is not an id", run->id);
        return;
    }
    ia_id_new(tx->store->clock, tx->store->rand, goal_id);
    if (run->id) {
        memcpy(id, run->id, sizeof(id));
    } else {
        ia_id_new(tx->store->clock, tx->store->rand, id);
    }
    if (is_unique(tx, run->unique) && ia_child_is_new(tx, run) && add_goal(tx, goal_id, run) &&
        add_run(tx, id, goal_id, run)) {
        if (run->parent_id) {
            (void)ia_child_count(tx, run->parent_id);
        }
        const struct ia_event_run_queued queued = {.goal = ia_str(run->goal),
                                                   .lane = ia_str(run->lane)};
        ia_tx_add_event(tx, id, IA_EVENT(&queued), NULL);
        memcpy(ret_id, id, sizeof(id));
    }
}

/* ---- moving ---------------------------------------------------------------------------- */

/* What a move has to know of the row. */
struct run_now {
    enum ia_run_state state;
    bool mine;    /* this process owns it */
    bool foreign; /* another process that lives owns it */
    int64_t owner_pid;
    int64_t waits_for;          /* subtasks that are not over */
    char parent_id[IA_ID_SIZE]; /* "": none */
};

static bool read_now(struct ia_tx *tx, const char *run_id, struct run_now *ret)
{
    struct ia_q q = ia_tx_q(tx, IA_SQL_RUN_STATE);
    ia_q_text(&q, run_id);
    bool found = ia_q_row(&q);
    if (found) {
        ret->state = ia_run_state_from_name(ia_q_get_text(&q));
        ret->owner_pid = ia_q_get_int(&q);
        const char *token = ia_q_get_text(&q);
        bool owned = (unsigned)ret->state < IA_RUN_STATE_COUNT && states[ret->state].owned;
        ret->mine = owned && ia_owner_is_self(tx->store, ret->owner_pid, token);
        ret->foreign = owned && !ret->mine && ia_process_alive(ret->owner_pid, token);
        ret->waits_for = ia_q_get_int(&q);
        const char *parent = ia_q_get_text(&q);
        (void)snprintf(ret->parent_id, sizeof(ret->parent_id), "%s", parent ? parent : "");
    }
    return ia_tx_end_found(tx, &q, found, "run", run_id);
}

static bool check_move(struct ia_tx *tx, const char *run_id, const struct run_now *now,
                       enum ia_run_state to)
{
    if (!ia_run_move_allowed(now->state, to)) {
        ia_tx_fail(tx, IA_E_STATE, "run %s is %s and cannot become %s", run_id,
                   ia_run_state_name(now->state), ia_run_state_name(to));
        return false;
    }
    if (now->foreign) {
        ia_tx_fail(tx, IA_E_BUSY, "run %s belongs to process %lld, which is still alive",
                   run_id, (long long)now->owner_pid);
        return false;
    }
    if (to == IA_RUN_CLAIMED && now->waits_for > 0) {
        ia_tx_fail(tx, IA_E_STATE, "run %s waits for %lld of its subtasks", run_id,
                   (long long)now->waits_for);
        return false;
    }
    return true;
}

static bool write_state(struct ia_tx *tx, const char *run_id, enum ia_run_state from,
                        enum ia_run_state to, const struct ia_run_moved *m)
{
    struct ia_q q = ia_tx_q(tx, IA_SQL_RUN_MOVE);
    ia_q_text(&q, run_id);
    ia_q_text(&q, ia_run_state_name(to));
    ia_q_iso(&q, tx->now_ms);
    ia_q_int(&q, to == IA_RUN_RUNNING);
    ia_q_int(&q, states[to].final);
    /* An attempt is counted when its retry is queued. */
    ia_q_int(&q, from == IA_RUN_RETRY_WAIT && to == IA_RUN_QUEUED);
    ia_q_iso(&q, to == IA_RUN_RETRY_WAIT ? m->retry_at_ms : 0);
    ia_q_text(&q, m->code);
    ia_q_text(&q, m->summary);
    ia_q_text(&q, m->basis);
    ia_q_str(&q, m->result.n > 0 ? m->result : (struct ia_str){0});
    ia_q_text(&q, m->screenshot);
    ia_q_text(&q, m->outcome);
    if (states[to].owned) {
        ia_q_int(&q, tx->store->self.pid);
        ia_q_text(&q, tx->store->self.token);
        ia_q_text(&q, tx->store->self.command);
        ia_q_iso(&q, tx->now_ms);
    }
    return ia_tx_end(tx, &q);
}

/* A run that ended keeps its last owner, for people; one that waits has none. */
static bool disown(struct ia_tx *tx, const char *run_id, enum ia_run_state to)
{
    if (states[to].final || states[to].owned) {
        return true;
    }
    struct ia_q q = ia_tx_q(tx, IA_SQL_RUN_DISOWN);
    ia_q_text(&q, run_id);
    ia_q_iso(&q, tx->now_ms);
    /* Queued again: without a transcript the run goes back to its pool. */
    ia_q_int(&q, to == IA_RUN_QUEUED);
    return ia_tx_end(tx, &q);
}

static enum ia_cancel_result cancel_in(struct ia_tx *tx, const char *run_id);

const char *ia_run_cancelled_while(enum ia_run_state state, int64_t waits_for)
{
    return state == IA_RUN_ASKING ? "cancelled while it waited for a person"
           : waits_for > 0        ? "cancelled while it waited for its subtasks"
                                  : "cancelled while no process was running it";
}

static bool cancel_asked(struct ia_tx *tx, const char *run_id)
{
    struct ia_q q = ia_tx_q(tx, IA_SQL_RUN_CANCEL_GET);
    ia_q_text(&q, run_id);
    bool asked = ia_q_row(&q) && ia_q_get_int(&q) != 0;
    return ia_tx_end(tx, &q) && asked;
}

/* Whoever asked for these subtasks is over. They end here, and with them what is below them, or are asked
 * to end by the process that runs them. */
static void cancel_children(struct ia_tx *tx, const char *run_id)
{
    char ids[IA_DELEGATE_RUNS_MAX][IA_ID_SIZE];
    size_t n = ia_child_open(tx, run_id, ids, IA_COUNTOF(ids));
    for (size_t i = 0; i < n; i++) {
        (void)cancel_in(tx, ids[i]);
    }
}

/* What is still open is asked no more. */
static bool withdraw_questions(struct ia_tx *tx, const char *run_id)
{
    struct ia_q q = ia_tx_q(tx, IA_SQL_QUESTION_WITHDRAW);
    ia_q_text(&q, run_id);
    return ia_tx_end(tx, &q);
}

void ia_run_move(struct ia_tx *tx, const char *run_id, enum ia_run_state to,
                 const struct ia_run_moved *moved, struct ia_buf *ret_json)
{
    static const struct ia_run_moved nothing = {0};
    const struct ia_run_moved *m = moved ? moved : &nothing;
    struct run_now now = {0};
    if (read_now(tx, run_id, &now) && check_move(tx, run_id, &now, to) &&
        write_state(tx, run_id, now.state, to, m) && disown(tx, run_id, to) &&
        (now.state != IA_RUN_ASKING || withdraw_questions(tx, run_id))) {
        const struct ia_event_run_state state = {.from = ia_str(ia_run_state_name(now.state)),
                                                 .to = ia_str(ia_run_state_name(to))};
        ia_tx_add_event(tx, run_id, m->event.fields ? m->event : IA_EVENT(&state), ret_json);
        if (states[to].final) {
            ia_child_ended(tx, run_id, now.parent_id, to, m);
            cancel_children(tx, run_id);
        } else if ((to == IA_RUN_ASKING || (to == IA_RUN_QUEUED && now.waits_for > 0)) &&
                   cancel_asked(tx, run_id)) {
            /* It rests, and nobody would see that it was asked to end. */
            ia_run_cancel_unowned(tx, run_id, ia_run_cancelled_while(to, now.waits_for));
        }
    }
}

/* ---- small changes --------------------------------------------------------------------- */

void ia_tx_run_now(struct ia_tx *tx, const char *run_id, const struct ia_run_now *now,
                   bool *ret_cancel)
{
    struct ia_q q = ia_tx_q(tx, IA_SQL_RUN_NOW);
    ia_q_text(&q, run_id);
    ia_q_iso(&q, now->beats ? tx->now_ms : 0);
    if (now->usage) {
        ia_q_int(&q, now->steps);
        ia_usage_bind(&q, now->usage);
        ia_q_real(&q, now->usd_max);
        ia_q_int(&q, now->ran_ms);
    } else {
        q.bound += RUN_SPENT_PARAMETERS; /* they stay NULL */
    }
    ia_q_int(&q, now->sets_deadline);
    ia_q_iso(&q, now->tool_deadline_ms);
    bool found = ia_q_changed(&q);
    if (ia_tx_end_found(tx, &q, found, "run", run_id) && ret_cancel) {
        *ret_cancel = cancel_asked(tx, run_id);
    }
}

void ia_tx_set_usage(struct ia_tx *tx, const char *run_id, int steps,
                     const struct ia_usage_row *usage)
{
    const struct ia_run_now now = {.steps = steps, .usage = usage, .usd_max = usage->cost_usd};
    ia_tx_run_now(tx, run_id, &now, NULL);
}

void ia_tx_heartbeat(struct ia_tx *tx, const char *run_id, bool *ret_cancel)
{
    ia_tx_run_now(tx, run_id, &(struct ia_run_now){.beats = true}, ret_cancel);
}

enum ia_rc ia_store_heartbeat(struct ia_store *s, const char *run_id, bool *ret_cancel,
                              struct ia_err *err)
{
    struct ia_tx *tx = NULL;
    /* A heartbeat that waited for its turn would hold up the answer it is sent beside; the
     * next one comes soon. */
    enum ia_rc rc = ia_tx_begin_at_once(s, &tx, err);
    if (rc != IA_OK) {
        return rc;
    }
    ia_tx_heartbeat(tx, run_id, ret_cancel);
    return ia_tx_commit(tx, err);
}

void ia_tx_set_run_notes(struct ia_tx *tx, const char *run_id, struct ia_str text)
{
    if (text.n > IA_MEMORY_BYTES_MAX) {
        ia_tx_fail(tx, IA_E_LIMIT, "the notes are larger than %d bytes", IA_MEMORY_BYTES_MAX);
        return;
    }
    struct ia_q q = ia_tx_q(tx, IA_SQL_RUN_NOTES);
    ia_q_text(&q, run_id);
    ia_q_str(&q, or_else(text, ""));
    bool found = ia_q_changed(&q);
    (void)ia_tx_end_found(tx, &q, found, "run", run_id);
}

/* ---- cancelling from outside ----------------------------------------------------------- */

/* What a process that is gone had committed of the run. */
static struct ia_event_result read_result(struct ia_tx *tx, const char *run_id)
{
    struct ia_event_result r = {.basis = ia_str("none"), .evidence = {.json = ia_str("[]")}};
    struct ia_q q = ia_tx_q(tx, IA_SQL_RUN_SPENT);
    ia_q_text(&q, run_id);
    if (ia_q_row(&q)) {
        struct ia_usage_row u = ia_usage_read(&q);
        r.has = true;
        r.steps = ia_q_get_int(&q);
        r.demo = ia_q_get_int(&q) != 0;
        int64_t started_ms = ia_q_get_iso(&q);
        r.seconds = started_ms > 0 ? (double)(tx->now_ms - started_ms) / 1000.0 : 0;
        int64_t sent = u.input + u.cache_read + u.cache_write;
        r.tokens = (struct ia_event_tokens){
            .input = u.input,
            .cache_read = u.cache_read,
            .cache_write = u.cache_write,
            .output = u.output,
            .cached_share = sent > 0 ? (double)u.cache_read / (double)sent : 0,
        };
        /* No price is told for a demo run: nobody was paid. */
        r.cost_usd = (struct ia_event_cost){u.cost_known && !r.demo, u.cost_usd};
    }
    (void)ia_tx_end(tx, &q);
    return r;
}

void ia_run_cancel_unowned(struct ia_tx *tx, const char *run_id, const char *why)
{
    const char *code = ia_rc_name(IA_E_CANCELLED);
    struct ia_event_run_finished finished = {
        .state = ia_str(ia_run_state_name(IA_RUN_CANCELLED)),
        .code = ia_str(code),
        .message = ia_str(why),
        .result = read_result(tx, run_id),
    };
    finished.result.summary = ia_str(why);
    const struct ia_run_moved end = {
        .event = IA_EVENT(&finished),
        .code = code,
        .summary = why,
    };
    ia_run_move(tx, run_id, IA_RUN_CANCELLED, &end, NULL);
}

void ia_run_give_back(struct ia_tx *tx, const char *run_id, int64_t owner_pid, bool cancel)
{
    struct ia_q q = ia_tx_q(tx, IA_SQL_RUN_CHILD_DIED);
    ia_q_text(&q, run_id);
    (void)ia_tx_end(tx, &q);
    if (cancel) {
        ia_run_cancel_unowned(tx, run_id, ia_run_cancelled_while(IA_RUN_RUNNING, 0));
        return;
    }
    const struct ia_event_run_interrupted interrupted = {.owner_pid = owner_pid};
    const struct ia_run_moved back = {.event = IA_EVENT(&interrupted)};
    ia_run_move(tx, run_id, IA_RUN_QUEUED, &back, NULL);
}

static enum ia_cancel_result cancel_in(struct ia_tx *tx, const char *run_id)
{
    struct run_now now = {0};
    if (!read_now(tx, run_id, &now)) {
        return IA_CANCEL_TOO_LATE;
    }
    if (ia_run_state_final(now.state)) {
        return IA_CANCEL_TOO_LATE;
    }
    struct ia_q q = ia_tx_q(tx, IA_SQL_RUN_CANCEL);
    ia_q_text(&q, run_id);
    (void)ia_tx_end(tx, &q);
    /* Somebody runs it: only that process can end it, and its heartbeat or its cancel watch
     * will see the mark. Should it die first, recovering it does (recover.c). */
    if (now.mine || now.foreign) {
        return IA_CANCEL_ASKED;
    }
    ia_run_cancel_unowned(tx, run_id, ia_run_cancelled_while(now.state, now.waits_for));
    return IA_CANCEL_DONE;
}

enum ia_rc ia_store_cancel_run(struct ia_store *s, const char *run_id,
                               enum ia_cancel_result *ret, struct ia_err *err)
{
    struct ia_tx *tx = NULL;
    enum ia_rc rc = ia_tx_begin(s, &tx, err);
    if (rc != IA_OK) {
        return rc;
    }
    enum ia_cancel_result result = cancel_in(tx, run_id);
    rc = ia_tx_commit(tx, err);
    if (rc == IA_OK) {
        *ret = result;
    }
    return rc;
}
