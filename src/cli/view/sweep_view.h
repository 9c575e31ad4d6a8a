/* sweep_view.h: a sweep as it goes on: a table of what is in hand on a terminal, a line for
 * what ended everywhere, JSON lines with --events.
 *
 *     passed   a contact is added                  embedded:sweep-1  7 steps  0.4 s  $0.0041
 *     FAILED   the cart shows its sum              embedded:sweep-2  9 steps  0.6 s  $0.0057
 *              value "Total" = "12.50": it is 12.05
 *     ───
 *     embedded:sweep-1  a reminder is completed    step 3 tap Milk   1.2 s  $0.0012
 *     embedded:sweep-2  ·
 *     12 of 20 done: 10 passed, 1 flaky, 1 failed  8.1 s
 *
 * Any thread may call; what came from a device or a model is made harmless. */
#ifndef IA_CLI_VIEW_SWEEP_VIEW_H
#define IA_CLI_VIEW_SWEEP_VIEW_H

#include "agent/sweep/sweep.h"
#include "base/jsonw.h"

struct ia_sweep_view;

struct ia_sweep_view_opts {
    int fd;     /* where it is shown; -1: nowhere */
    bool table; /* fd is a terminal */
    bool color;
    bool events; /* JSON lines instead */
    bool demo;
    int total;    /* rows of the sweep */
    int distinct; /* goals: a repeated one has several rows */
};
struct ia_sweep_view *ia_sweep_view_new(const struct ia_sweep_view_opts *opts);
/* Erases the table and frees. NULL is fine. */
void ia_sweep_view_free(struct ia_sweep_view *v);

/* The first line, or the event sweep.started. */
void ia_sweep_view_start(struct ia_sweep_view *v, const struct ia_sweep *s, const char *title);
/* A goal changed; as an event, sweep.goal. */
void ia_sweep_view_goal(struct ia_sweep_view *v, const struct ia_sweep_goal *item);
/* An event of a run. */
void ia_sweep_view_event(struct ia_sweep_view *v, const char *lane, const char *run_id,
                         enum ia_event_type type, struct ia_str json);
/* Draws the table again, at most a few times a second. */
void ia_sweep_view_tick(struct ia_sweep_view *v);
/* Erases the table for good; what is said after it stays. */
void ia_sweep_view_end(struct ia_sweep_view *v);
/* An event of the command itself, where events are shown. */
void ia_sweep_view_put(struct ia_sweep_view *v, struct ia_event_ref event);
/* Whether something could not be written though its reader is still there. */
bool ia_sweep_view_lost(const struct ia_sweep_view *v);

/* A goal as events and the result show it. Borrows the texts of the goal. */
struct ia_event_sweep_goal ia_sweep_goal_event(const struct ia_sweep_goal *goal, bool demo);

#endif
