/* foreground_run.h: one run at a time in the foreground: its events on stdout, its waits before another
 * try, its end as the command's.
 *
 * `run` begins one, `resume` goes on with some. Everything is borrowed but what ia_foreground_fini
 * frees. */
#ifndef IA_CLI_FOREGROUND_FOREGROUND_RUN_H
#define IA_CLI_FOREGROUND_FOREGROUND_RUN_H

#include "agent/prompts/prompts.h"
#include "agent/run/run.h"
#include "app/cancel_watch.h"
#include "app/model_client.h"
#include "cli/cli.h"
#include "cli/view/run_view.h"
#include "driver/registry/device_registry.h"

struct ia_foreground {
    struct ia_cli *c;
    struct ia_store *store;
    struct ia_prompts *prompts;
    struct ia_model_client *brain;
    struct ia_device_spec *phone;
    struct ia_device *device;      /* owned; NULL while it is not open */
    struct ia_cancel *cancel;      /* owned */
    struct ia_cancel_watch *watch; /* from the moment the run has an id */
    struct ia_spinner *spinner;
    struct ia_run_view *render; /* NULL: nothing is shown as it happens */
    struct ia_buf started;      /* the run.started or run.resumed event */
    struct ia_buf finished;     /* the run.finished event */
    bool events;                /* --events */
    bool keep; /* a signal does not cancel the run: it waits, and goes on later */
    bool lost; /* an event could not be printed, though its reader is still there */
};

void ia_foreground_init(struct ia_foreground *f, struct ia_cli *c);
/* Closes the device, stops watching, frees. */
void ia_foreground_fini(struct ia_foreground *f);

/* A new cancel token, which Ctrl-C fires from now on. */
enum ia_rc ia_foreground_signals(struct ia_foreground *f, struct ia_err *err);
/* People see the run on stdout; with --json only talk on a terminal is left for them. */
enum ia_rc ia_foreground_display(struct ia_foreground *f, struct ia_err *err);
/* Opens the phone. IA_E_BUSY says which run holds it. */
enum ia_rc ia_foreground_open_phone(struct ia_foreground *f, bool fresh, struct ia_err *err);

/* Runs it, tries included, and returns the run's own code. With --json the run's result is in
 * ia_foreground_result. err is filled where the run could not be done, and with --json. */
enum ia_rc ia_foreground_run(struct ia_foreground *f, const struct ia_run_request *req,
                             struct ia_err *err);
/* The same for a run of the store that nobody does. */
enum ia_rc ia_foreground_go_on(struct ia_foreground *f, const char *run_id, struct ia_err *err);
/* Writes the run.finished event with what run.started says beyond it, and the text that people
 * see. Nothing where the run did not end. */
void ia_foreground_result(struct ia_foreground *f);

/* After the run: stops watching it, closes its device. */
void ia_foreground_close_run(struct ia_foreground *f);
/* With --events: a run that could not start says so in a line of its own. */
void ia_foreground_refusal(struct ia_foreground *f, const struct ia_err *err);

#endif
