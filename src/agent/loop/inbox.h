/* inbox.h: what people said to a run while it was under way. */
#ifndef IA_AGENT_LOOP_INBOX_H
#define IA_AGENT_LOOP_INBOX_H

#include "agent/loop/commit.h"

/* Of one user message; what is beyond waits for the next. */
enum { IA_INBOX_TAKEN_MAX = 32 };

/* Messages to the run that the next user message takes with it. */
struct ia_inbox {
    int64_t last_id; /* 0: none */
    struct ia_buf xml;
    struct ia_event_messages messages[IA_INBOX_TAKEN_MAX]; /* with texts of their own */
    size_t count;
};
/* Reads what waits; outside of transactions. Free with ia_inbox_fini. */
enum ia_rc ia_inbox_read(struct ia_run_ctx *run, struct ia_inbox *ret, struct ia_err *err);
/* Moves the cursor and adds the event, in the transaction of the message. */
void ia_inbox_take(struct ia_commit *c, struct ia_inbox *box);
void ia_inbox_fini(struct ia_inbox *box);

#endif
