/* front.h: one run at a time in the foreground: its events on stdout, its waits before another
 * try, its end as the command's.
 *
 * `run` begins one, `resume` goes on with some. Everything is borrowed but what ia_front_fini
 * frees. */
#ifndef IA_CLI_FRONT_H
#define IA_CLI_FRONT_H

#include "agent/prompts/prompts.h"
#include "agent/run/run.h"
#include "app/cancel_watch.h"
#include "app/model_client.h"
#include "cli/cli.h"
#include "cli/view/run_view.h"
#include "driver/registry/device_registry.h"

struct ia_front {
    struct ia_cli *c;
    struct ia_store *store;
    struct ia_prompts *prompts;
    struct ia_brain *brain;
    struct ia_phone *phone;
    struct ia_device *device; /* owned; NULL while it is not open */
    struct ia_cancel *cancel; /* owned */
    struct ia_watch *watch;   /* from the moment the run has an id */
    struct ia_spinner *spinner;
    struct ia_render *render; /* NULL: nothing is shown as it happens */
    struct ia_buf started;    /* the run.started or run.resumed event */
    struct ia_buf finished;   /* the run.finished event */
    bool events;              /* --events */
    bool keep; /* a signal does not cancel the run: it waits, and goes on later */
    bool lost; /* an event could not be printed, though its reader is still there */
};

void ia_front_init(struct ia_front *f, struct ia_cli *c);
/* Closes the device, stops watching, frees. */
void ia_front_fini(struct ia_front *f);

/* A new cancel token, which Ctrl-C fires from now on. */
enum ia_rc ia_front_signals(struct ia_front *f, struct ia_err *err);
/* People see the run on stdout; with --json only talk on a terminal is left for them. */
enum ia_rc ia_front_display(struct ia_front *f, struct ia_err *err);
/* Opens the phone. IA_E_BUSY says which run holds it. */
enum ia_rc ia_front_open_phone(struct ia_front *f, bool fresh, struct ia_err *err);

/* Runs it, tries included, and returns the run's own code. With --json the run's result is in
 * ia_front_result. err is filled where the run could not be done, and with --json. */
enum ia_rc ia_front_run(struct ia_front *f, const struct ia_run_request *req,
                        struct ia_err *err);
/* The same for a run of the store that nobody does. */
enum ia_rc ia_front_go_on(struct ia_front *f, const char *run_id, struct ia_err *err);
/* Writes the run.finished event with what run.started says beyond it, and the text that people
 * see. Nothing where the run did not end. */
void ia_front_result(struct ia_front *f);

/* After the run: stops watching it, closes its device. */
void ia_front_close_run(struct ia_front *f);
/* With --events: a run that could not start says so in a line of its own. */
void ia_front_refusal(struct ia_front *f, const struct ia_err *err);

#endif
