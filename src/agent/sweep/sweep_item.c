/* sweep_item.c: one goal of a sweep in memory: its states and what moves it between them.
 *
 *               skip                     end
 *   skipped ◄───────── waiting ◄──────────────────┐ tries left, or its share of the
 *      └──────────────►   │                       │ budget was too small for a request
 *        opened again     └────────► running ─────┤
 *                           start                 └──► passed | flaky | healed | failed |
 *                                            end       blocked | error | cancelled
 *
 * A move is written and committed first (sweep.c, sweep_open.c); then ia_sweep_item_move, the
 * only writer of a state that was read, follows in memory. */
#include "agent/sweep/sweep_impl.h"

#include <stdlib.h>
#include <string.h>

#define BIT(state) (1U << IA_SWEEP_GOAL_##state)

/* Where each state may go. */
static const unsigned moves[IA_SWEEP_GOAL_STATE_COUNT] = {
    [IA_SWEEP_GOAL_WAITING] = BIT(RUNNING) | BIT(SKIPPED),
    [IA_SWEEP_GOAL_RUNNING] = BIT(WAITING) | BIT(PASSED) | BIT(FLAKY) | BIT(HEALED) |
                              BIT(FAILED) | BIT(BLOCKED) | BIT(ERROR) | BIT(CANCELLED),
    [IA_SWEEP_GOAL_SKIPPED] = BIT(WAITING),
};

enum ia_rc ia_sweep_item_check_move(const struct ia_sweep_item *it, enum ia_sweep_goal_state to,
                                    struct ia_err *err)
{
    if ((moves[it->state] & (1U << to)) != 0) {
        return IA_OK;
    }
    return ia_err_set(err, IA_E_INTERNAL, "goal %d of the sweep is %s and cannot become %s",
                      it->no, ia_sweep_goal_state_name(it->state),
                      ia_sweep_goal_state_name(to));
}

void ia_sweep_items_advance(struct ia_sweep *s)
{
    while (s->first_waiting < s->count &&
           s->items[s->first_waiting].state != IA_SWEEP_GOAL_WAITING) {
        s->first_waiting++;
    }
}

void ia_sweep_item_move(struct ia_sweep *s, struct ia_sweep_item *it,
                        enum ia_sweep_goal_state to)
{
    /* Places are counted here and nowhere else, so that they cannot drift from the states. */
    int *busy = ia_sweep_places_of(&s->busy, it);
    if (it->state == IA_SWEEP_GOAL_RUNNING) {
        --*busy;
    }
    if (to == IA_SWEEP_GOAL_RUNNING) {
        ++*busy;
    }
    it->state = to;
    size_t i = (size_t)(it - s->items);
    if (to == IA_SWEEP_GOAL_WAITING && i < s->first_waiting) {
        s->first_waiting = i;
    }
    ia_sweep_items_advance(s);
}

int *ia_sweep_places_of(const struct ia_sweep_places *places, const struct ia_sweep_item *it)
{
    return it->pooled ? places->pool : &places->lane[it->lane];
}

const char *ia_sweep_item_lane(const struct ia_sweep *s, const struct ia_sweep_item *it)
{
    return it->pooled ? NULL : s->lanes[it->lane];
}

bool ia_sweep_item_expected(const struct ia_sweep_item *it)
{
    /* The state is failed also when it passed against what its file says; the run tells. */
    return it->state == IA_SWEEP_GOAL_FAILED && ia_job_request(it->job)->fails &&
           it->code != IA_OK;
}

bool ia_sweep_row_expected(const struct ia_sweep_goal_row *row)
{
    static const char head[] = IA_SWEEP_AS_EXPECTED;
    struct ia_job *job = NULL;
    /* The reason alone could be a model's words; where the file says that the goal fails, it is not. */
    bool begins = row->state == IA_SWEEP_GOAL_FAILED && row->reason &&
                  strncmp(row->reason, head, sizeof(head) - 1) == 0;
    bool expected = begins && ia_job_parse(ia_str(row->job), &job, NULL) == IA_OK &&
                    ia_job_request(job)->fails;
    ia_job_free(job);
    return expected;
}

bool ia_sweep_item_passed(const struct ia_sweep_item *it)
{
    return it->state == IA_SWEEP_GOAL_PASSED || it->state == IA_SWEEP_GOAL_FLAKY;
}

bool ia_sweep_item_reached(const struct ia_sweep_item *it)
{
    return ia_sweep_item_passed(it) || it->state == IA_SWEEP_GOAL_HEALED;
}

double ia_sweep_item_reserved(const struct ia_sweep_item *it)
{
    return it->cap_usd > it->run_usd_max ? it->cap_usd : it->run_usd_max;
}

struct ia_sweep_goal ia_sweep_item_view(const struct ia_sweep *s,
                                        const struct ia_sweep_item *it)
{
    return (struct ia_sweep_goal){
        .no = it->no,
        .repeat = it->repeat,
        .repeats = it->repeats,
        .name = it->name,
        .file = it->file,
        .line = it->line,
        .state = it->state,
        .expected = ia_sweep_item_expected(it),
        .reason = it->reason,
        .tries = it->tries,
        .run_id = it->run_id,
        .outcome = it->state == IA_SWEEP_GOAL_HEALED          ? "healed"
                   : it->replayed && ia_sweep_item_passed(it) ? "replayed"
                                                              : NULL,
        .lane = ia_sweep_item_lane(s, it),
        .code = it->code,
        .cost_usd = it->cost_usd,
        .cost_known = it->cost_known,
        .ms = it->ms,
    };
}

void ia_sweep_item_fini(struct ia_sweep_item *it)
{
    free(it->name);
    free(it->file);
    free(it->needs);
    free(it->reason);
    ia_job_free(it->job);
}

/* ---- what a run's row says --------------------------------------------------------------- */

enum ia_rc ia_sweep_run_code(const struct ia_run_row *row)
{
    enum ia_rc code = row->code ? ia_rc_from_name(row->code) : IA_OK;
    return code == IA_RC_COUNT ? IA_E_INTERNAL : code;
}

int64_t ia_sweep_run_ms(const struct ia_run_row *row)
{
    return row->started_ms ? row->finished_ms - row->started_ms : 0;
}

bool ia_sweep_run_replayed(const struct ia_run_row *row)
{
    return row->outcome && !ia_outcome_healed(row->outcome);
}

bool ia_sweep_run_starved(const struct ia_run_row *row)
{
    const struct ia_usage_row *u = &row->usage;
    /* Not one token: the budget was gone before the first request. */
    bool asked = u->input + u->cache_read + u->cache_write + u->output > 0;
    return !asked && ia_sweep_run_code(row) == IA_E_BUDGET;
}
