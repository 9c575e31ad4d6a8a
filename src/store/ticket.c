/* ticket.c: a lock that serves waiting threads first come, first served.
 *
 * A plain mutex lets the thread that just unlocked lock again before those that wait have
 * woken up; one thread that writes in a loop could keep the others out. Here unlock hands
 * the lock over: it stays `held`, and belongs to the waiter at the head of the line from
 * that moment. Each waiter has a condition of its own, so that a hand-over wakes one thread. */
#include "store/ticket.h"

#include <stddef.h>

/* Lives on the stack of the thread that waits. */
struct ia_ticket_wait {
    pthread_cond_t turn;
    bool granted;
    struct ia_ticket_wait *next;
};

void ia_ticket_init(struct ia_ticket *t)
{
    *t = (struct ia_ticket){0};
    t->last = &t->first;
    pthread_mutex_init(&t->mutex, NULL);
}

void ia_ticket_fini(struct ia_ticket *t)
{
    pthread_mutex_destroy(&t->mutex);
}

static void wait_for_turn(struct ia_ticket *t)
{
    struct ia_ticket_wait self = {0};
    pthread_cond_init(&self.turn, NULL);
    *t->last = &self;
    t->last = &self.next;
    /* ia_ticket_unlock takes it out of the list; a spurious wake-up leaves it where it is. */
    while (!self.granted) {
        pthread_cond_wait(&self.turn, &t->mutex);
    }
    pthread_cond_destroy(&self.turn);
}

bool ia_ticket_lock(struct ia_ticket *t)
{
    pthread_mutex_lock(&t->mutex);
    /* A second begin on the same thread would wait for itself for ever; it is refused
     * instead. */
    bool mine = t->held && pthread_equal(t->holder, pthread_self());
    if (!mine && t->held) {
        wait_for_turn(t);
    }
    if (!mine) {
        t->held = true;
        t->holder = pthread_self();
    }
    pthread_mutex_unlock(&t->mutex);
    return !mine;
}

bool ia_ticket_try(struct ia_ticket *t)
{
    pthread_mutex_lock(&t->mutex);
    bool mine = !t->held;
    if (mine) {
        t->held = true;
        t->holder = pthread_self();
    }
    pthread_mutex_unlock(&t->mutex);
    return mine;
}

void ia_ticket_unlock(struct ia_ticket *t)
{
    pthread_mutex_lock(&t->mutex);
    struct ia_ticket_wait *next = t->first;
    if (next) {
        t->first = next->next;
        t->last = t->first ? t->last : &t->first;
        next->granted = true;
        t->holder = (pthread_t){0}; /* nobody's until the next thread runs */
        pthread_cond_signal(&next->turn);
    } else {
        t->held = false;
    }
    pthread_mutex_unlock(&t->mutex);
}

bool ia_ticket_wanted(struct ia_ticket *t)
{
    pthread_mutex_lock(&t->mutex);
    bool wanted = t->first != NULL;
    pthread_mutex_unlock(&t->mutex);
    return wanted;
}
