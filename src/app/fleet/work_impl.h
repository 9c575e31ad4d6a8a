/* work_impl.h: what the files of a worker share (private to app/fleet). */
#ifndef IA_APP_FLEET_WORK_IMPL_H
#define IA_APP_FLEET_WORK_IMPL_H

#include "app/fleet/blob_server.h"
#include "app/fleet/worker.h"
#include "app/lent_secrets.h"
#include "app/workers.h"

#include <jansson.h>
#include <pthread.h>
#include <stdatomic.h>

enum { IA_FLEET_LANES_MAX = 256 };

/* An order in hand. */
struct ia_fleet_hand {
    bool taken;
    const char *lane;
    char run_id[IA_ID_SIZE]; /* of the run here */
    struct ia_fleet_order order;
    int attempt;
    int64_t lease_ms, prolong_us; /* when it is prolonged next */
    struct ia_bus_message message;
};

/* An order whose run is over, until its proposal is stored. */
struct ia_fleet_done {
    struct ia_fleet_done *next;
    struct ia_fleet_hand hand;
};

struct ia_fleet_work {
    struct ia_fleet_work_opts opts;
    struct ia_workers *workers;
    struct ia_bus_pull *orders; /* the puller's; NULL: not open */
    struct ia_bus_watch *cancels, *drains;
    struct ia_fleet_blobs *blobs;
    pthread_t puller, keeper, proposer;
    int threads; /* that were started */
    int64_t since_ms;
    _Atomic(int64_t) done;
    _Atomic(bool) draining;
    struct ia_cancel *stop; /* fires for both threads and for waits of a proposal */
    /* The keeper's: what it said of the lanes, and when it says so again. */
    struct ia_fleet_lane shown[IA_FLEET_LANES_SHOWN];
    int64_t show_us, show_changed_us;
    bool show_changed, show_drained;

    pthread_mutex_t mutex; /* guards what follows */
    pthread_cond_t freed,
        proposes; /* a hand or a place is free; a run is over, or stop fired */
    struct ia_fleet_hand hands[IA_FLEET_LANES_MAX]; /* one for each lane */
    struct ia_fleet_done *over, **over_end;         /* oldest first */
    size_t over_count;
    bool pulling; /* an order may come in hand */

    /* Sweeps whose submitters did not answer lately. Used by the puller only. */
    struct ia_fleet_silent {
        char batch[IA_ID_SIZE];
        int64_t until_us;
    } silent[8];
    size_t silent_next;
};

/* Runs in hand, and those that are over and not proposed yet. */
int ia_fleet_busy(struct ia_fleet_work *w);
/* Says what this worker does, where that is due. The keeper's thread. */
void ia_fleet_show(struct ia_fleet_work *w);

/* Takes an order that was pulled: a run of it is queued, or it is answered at once. The message is taken over. */
void ia_fleet_accept(struct ia_fleet_work *w, struct ia_bus_message *m);
/* Values that the submitter gave for an order. */
struct ia_fleet_loan {
    size_t n;
    struct ia_fleet_lent {
        char name[IA_SECRET_NAME_MAX + 1];
        struct ia_secret *value;
    } items[IA_JOB_SECRETS_MAX];
};
/* Asks for the values of the order's shared secrets; waits 2 s at most. IA_E_TIMEOUT: the submitter does not answer.
 * IA_E_POLICY: it has no value of one of them. */
enum ia_rc ia_fleet_borrow(struct ia_fleet_work *work, const struct ia_fleet_order *order,
                           const struct ia_run_request *req, struct ia_fleet_loan *ret,
                           struct ia_err *err);
/* Borrowed; NULL: there is none. */
const struct ia_secret *ia_fleet_loan_value(const struct ia_fleet_loan *loan, const char *name);
/* Gives the values to the run that does the order; the loan is empty then. */
void ia_fleet_loan_give(struct ia_fleet_loan *loan, struct ia_lent_secrets *to,
                        const char *run_id);
void ia_fleet_loan_fini(struct ia_fleet_loan *loan);
/* Wipes the values that the submitter gave for a run of this store. */
void ia_fleet_forget_secrets(struct ia_fleet_work *w, const char *run_id);

/* Reads the order's recording and checks that it is of that goal. Release *ret with json_decref. IA_E_STATE: it cannot be
 * replayed here. */
enum ia_rc ia_fleet_read_recording(const struct ia_fleet_order *order,
                                   const struct ia_run_request *req, json_t **ret,
                                   struct ia_err *err);
/* Keeps it in the store for the run, where no other run finds it. IA_E_LIMIT. */
enum ia_rc ia_fleet_keep_recording(struct ia_tx *tx, const json_t *recording, bool quarantined,
                                   char ret_id[IA_ID_SIZE], struct ia_err *err);
/* The run of a lane is over: the lane is free, and the proposer has it. Waits where too many are to be proposed. */
void ia_fleet_finish(struct ia_fleet_work *w, const char *run_id);
/* The proposer's thread: proposes what is over, and acknowledges it. Ends once stop fired. */
void *ia_fleet_propose_all(void *work);
/* Proposes a run that is over, for the order that its row names. IA_E_TIMEOUT: stopped before that could be stored. */
enum ia_rc ia_fleet_propose(struct ia_fleet_work *w, const char *run_id,
                            const struct ia_fleet_order *order, int attempt,
                            struct ia_err *err);
/* What an earlier process left: ends runs that are not over, before any lane is served; */
enum ia_rc ia_fleet_end_left(struct ia_fleet_work *w, struct ia_err *err);
/* and proposes those that are. */
enum ia_rc ia_fleet_propose_left(struct ia_fleet_work *w, struct ia_err *err);
/* Ends a run of this store that another worker gets: first it counts as lost, so that its end is never proposed. */
enum ia_rc ia_fleet_lose(struct ia_fleet_work *w, const char *run_id, struct ia_err *err);

#endif
