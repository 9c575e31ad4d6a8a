/* run_view.h: the events of a run as lines for people.
 *
 * One renderer serves `run` (live) and `show` (from the events table). On a terminal: a header,
 * a line for every step, streamed text dim, a spinner while something is waited for, and the
 * verdict. Elsewhere the same as plain lines, text in whole lines. Everything that came from a
 * device or a model is made harmless first (clean.h). One thread. */
#ifndef IA_CLI_VIEW_RUN_VIEW_H
#define IA_CLI_VIEW_RUN_VIEW_H

#include "base/base.h"
#include "base/buf.h"
#include "cli/view/spinner.h"

struct ia_run_view;

struct ia_run_view_options {
    int fd;             /* where whole lines go as they are made; -1: into `out` only */
    struct ia_buf *out; /* likewise, or NULL; at least one of the two */
    bool color;
    int width;                  /* columns; 0: lines are not cut */
    bool stream;                /* text as it comes, instead of whole lines at its end */
    struct ia_spinner *spinner; /* or NULL; borrowed */
};

struct ia_run_view *ia_run_view_new(const struct ia_run_view_options *opt);
/* Ends an open line and frees. NULL is fine. */
void ia_run_view_free(struct ia_run_view *r);

/* Shows one event as ia_run_observer gives it. An event that is not known, or that is not what
 * it should be, shows nothing. */
void ia_run_view_event(struct ia_run_view *r, struct ia_str json);

/* Shows an event of a run that this one delegated, directly or through others. */
void ia_run_view_below(struct ia_run_view *r, struct ia_str json);

/* Whether something could not be written, though its reader is still there. */
bool ia_run_view_lost(const struct ia_run_view *r);

#endif
