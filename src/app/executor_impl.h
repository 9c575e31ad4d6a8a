/* executor_impl.h: what executor.c and run_to_end.c share. */
#ifndef IA_APP_EXECUTOR_IMPL_H
#define IA_APP_EXECUTOR_IMPL_H

#include "app/cancel_watch.h"
#include "app/executor.h"
#include "app/lent_keys.h"
#include "app/lent_secrets.h"

#include "agent/prompts/prompts.h"
#include "agent/run/run.h"
#include "telemetry/telemetry.h"

#include <pthread.h>

struct ia_executor {
    struct ia_executor_opts opts;
    struct ia_store *store;
    const struct ia_clock *clock;
    struct ia_prompts *prompts;
    struct ia_lent_keys *lent;
    struct ia_lent_secrets *lent_secrets;
    struct ia_secret_source *secrets;
    struct ia_cancel_watcher *watcher;
    struct ia_telemetry *telemetry; /* NULL: nobody wants to know */

    pthread_mutex_t mutex; /* guards the clients */
    struct ia_model_slot *models;
};

/* A client that is open. It is closed when nobody uses it any more and it is no longer what a new run is
 * to have. */
struct ia_model_slot {
    struct ia_model_client client;
    const struct ia_config *config; /* of which it was made; taken */
    char *made_of;                  /* ia_model_client_made_of */
    bool demo, old;
    int users;
    struct ia_model_slot *next;
};

/* One run in hand. Lives until ia_hand_close; its result is the caller's. */
struct ia_hand {
    struct ia_executor *x;
    const struct ia_execution *e;
    struct ia_run_result *r; /* r->id is the run's id as soon as there is one */
    struct ia_model_use model;
    struct ia_run_recalled recalled; /* of a run that is claimed, for its next attempt */
    char *device_name;
    struct ia_device *device;      /* NULL while it is not open */
    struct ia_cancel_watch *watch; /* from the moment the run has an id */
};

/* Finds the run's model and the name of its device. */
enum ia_rc ia_hand_prepare(struct ia_hand *h, struct ia_err *err);
/* IA_E_BUSY says which run holds the device. */
enum ia_rc ia_hand_open_device(struct ia_hand *h, bool fresh, struct ia_err *err);
void ia_hand_close_device(struct ia_hand *h);
/* One attempt: of the request, or of the run r->id, which this process claimed. */
enum ia_rc ia_hand_attempt(struct ia_hand *h, const struct ia_run_request *request,
                           struct ia_err *err);
void ia_hand_close(struct ia_hand *h);
/* Tells of the run's question, once; what fails is tried again by whoever fires schedules. */
void ia_hand_notify(const struct ia_hand *h);

#endif
