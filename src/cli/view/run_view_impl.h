/* run_view_impl.h: what the files of a run's view share.
 *
 *     run_lines.c    fields, lines, streamed text
 *     run_verdict.c  the verdict
 *     run_below.c    subtasks
 *     run_view.c     all other events
 *
 * Each event appends to `line`; ia_run_view_flush hides the spinner and writes it. Streamed text is
 * the only thing that stays open across events: with opt.stream it is written as it comes, and
 * ia_run_view_settle ends its line before anything else is printed; otherwise it waits in `text`
 * until the answer is complete. */
#ifndef IA_CLI_VIEW_RUN_VIEW_IMPL_H
#define IA_CLI_VIEW_RUN_VIEW_IMPL_H

#include "base/rand.h"
#include "cli/view/run_view.h"
#include "events/events.h"

enum { IA_RUN_VIEW_LINE_MAX = 1 << 20 }; /* bytes of one line or block */

struct ia_run_view {
    struct ia_run_view_options opt;
    struct ia_buf line;   /* being built */
    struct ia_buf text;   /* streamed text that waits for its end */
    struct ia_buf word;   /* of streamed text, whose end is still to come */
    size_t column;        /* where streamed text left the cursor */
    struct ia_buf target; /* what the running tool acts on */
    bool open;            /* streamed text left the cursor in the middle of a line */
    bool dim;             /* streamed text left the colour on */
    bool demo;
    bool lost;
    bool headed;                /* goal, device and model were shown */
    bool rests;                 /* until its subtasks are over, or its question is answered */
    struct ia_run_below *below; /* subtasks, the newest first */
};

/* ---- run_lines.c ---- */

/* Writes what was built and starts anew. */
void ia_run_view_flush(struct ia_run_view *r);
/* Ends a line of streamed text that is still open. */
void ia_run_view_settle(struct ia_run_view *r);
/* Writes a part of a text, broken between words where the terminal ends. */
void ia_run_view_stream(struct ia_run_view *r, struct ia_str text);
/* The escape sequence, where the view has colours. */
void ia_run_view_style(struct ia_run_view *r, const char *code);
/* The name of a field, padded: the start of its line. */
void ia_run_view_field(struct ia_run_view *r, const char *name);
/* A field and its text, made harmless, and the end of the line; nothing where the text is empty. */
void ia_run_view_line(struct ia_run_view *r, const char *name, struct ia_str text);

/* ---- run_verdict.c ---- */

/* The lines of a run's end: state, reason, basis, expectations, evidence, replay, figures, screen. */
void ia_run_view_verdict(struct ia_run_view *r, const struct ia_event_run_finished *e);

/* ---- run_below.c ---- */

enum { IA_RUN_BELOW_LABEL = 32 };

/* A subtask. */
struct ia_run_below {
    char run[IA_ID_SIZE];
    char label[IA_RUN_BELOW_LABEL]; /* "1", or "1.2" for the second subtask of the first */
    struct ia_run_view *view;       /* of its own, into out; NULL: nothing was shown yet */
    struct ia_buf out;
    struct ia_run_below *next;
};
/* That run; it is added where it is new. */
struct ia_run_below *ia_run_below_find(struct ia_run_view *r, struct ia_str run);
/* A subtask begins or is over; `above` is the label of the one that it is part of, or "". */
void ia_run_below_delegated(struct ia_run_view *r, const struct ia_event *e, const char *above);
void ia_run_below_finished(struct ia_run_view *r, const struct ia_event *e, const char *above);
/* Writes what is in its out, with its label before each line. */
void ia_run_below_lines(struct ia_run_view *r, struct ia_run_below *b);

#endif
