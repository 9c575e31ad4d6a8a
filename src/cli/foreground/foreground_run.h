/* foreground_run.h: one run at a time in the foreground: its events on stdout, its end as the
 * command's.
 *
 * `run` starts one, `resume` continues some. The executor does the run and its waits; this shows
 * what happens and lets Ctrl-C reach it. */
#ifndef IA_CLI_FOREGROUND_FOREGROUND_RUN_H
#define IA_CLI_FOREGROUND_FOREGROUND_RUN_H

#include "app/executor.h"
#include "cli/command/command.h"
#include "cli/view/run_view.h"

struct ia_foreground {
    struct ia_cli *c;
    struct ia_store *store;       /* borrowed */
    struct ia_executor *executor; /* owned */
    struct ia_cancel *cancel;     /* owned; fired by the first signal */
    struct ia_spinner *spinner;
    struct ia_run_view *view; /* NULL: nothing is shown as it happens */
    struct ia_buf started;    /* the run.started or run.resumed event */
    struct ia_buf finished;   /* the run.finished or run.interrupted event */
    bool events;              /* --events */
    bool shown;               /* an event of the current run was shown */
    bool over;                /* its end was */
    bool lost; /* an event could not be printed, though its reader is still there */
};

void ia_foreground_init(struct ia_foreground *f, struct ia_cli *c);
/* Frees the executor, the display and the token; signals act as by default again. */
void ia_foreground_fini(struct ia_foreground *f);

/* A new cancel token, which Ctrl-C fires from now on. */
enum ia_rc ia_foreground_signals(struct ia_foreground *f, struct ia_err *err);
/* The executor of the runs; `opts` as for ia_executor_new. */
enum ia_rc ia_foreground_open(struct ia_foreground *f, const struct ia_executor_opts *opts,
                              struct ia_err *err);
/* The view goes to stdout; with --json to stderr, if that is a terminal. */
enum ia_rc ia_foreground_display(struct ia_foreground *f, struct ia_err *err);
/* Whether a person sees a run's question and may answer it: not where programs read, and not in CI. */
bool ia_foreground_can_ask(const struct ia_foreground *f);

/* What to execute: a new run, or a stored run that no process holds. */
struct ia_foreground_task {
    /* A new run, which Ctrl-C cancels and SIGTERM or SIGHUP leave for later; or NULL and */
    const struct ia_run_request *request;
    const char *run_id; /* a run that any signal leaves for later */
    bool fresh;         /* reset the device first */
};
/* Does the run, retries included, and returns the run's own code. err is filled where the run
 * could not be done, and with --json. */
enum ia_rc ia_foreground_run(struct ia_foreground *f, const struct ia_foreground_task *task,
                             struct ia_err *err);
/* Writes the event that ended or interrupted the run with what run.started says beyond it, and the
 * text that people see. Nothing where there was none. */
void ia_foreground_result(struct ia_foreground *f);
/* With --events: prints the line for a run that could not start. */
void ia_foreground_refusal(struct ia_foreground *f, const struct ia_err *err);

#endif
