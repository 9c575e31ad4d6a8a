/* ticket.h: a lock that is handed over in the order of asking (private to store/).
 *
 * A pthread mutex gives no order: a thread that commits in a loop can keep the others out for
 * seconds. Here the one that unlocks passes ownership to the longest waiting thread. */
#ifndef IA_STORE_TICKET_H
#define IA_STORE_TICKET_H

#include "base/base.h"

#include <pthread.h>

struct ia_ticket_wait;

struct ia_ticket {
    pthread_mutex_t mutex;
    struct ia_ticket_wait *first, **last; /* waiting threads, longest first */
    bool held;
    pthread_t holder; /* meaningful while held */
};

void ia_ticket_init(struct ia_ticket *t);
void ia_ticket_fini(struct ia_ticket *t);
/* False, without waiting, when this thread holds it already. */
bool ia_ticket_lock(struct ia_ticket *t);
/* Takes it if nobody has it; false, without waiting, when somebody has. */
bool ia_ticket_try(struct ia_ticket *t);
void ia_ticket_unlock(struct ia_ticket *t);
/* Whether another thread waits. For the holder: who waits stays until it gets the turn. */
bool ia_ticket_wanted(struct ia_ticket *t);

#endif
