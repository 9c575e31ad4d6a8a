/* batch.h: one COMMIT for the transactions of several threads (private to store/).
 *
 * A commit costs much beside what it writes, and soon waits for the disk (durable.h), which writers
 * that wait for their turn meanwhile would each wait for again. So a transaction that ends while another thread waits leaves SQLite's
 * transaction open and passes its turn on; the next one writes its part inside a savepoint, and
 * the last of them does the COMMIT for all:
 *
 *     thread 1   BEGIN  writes                                             wakes: committed
 *     thread 2                 SAVEPOINT  writes  RELEASE                  wakes: committed
 *     thread 3                                   SAVEPOINT  writes  RELEASE  COMMIT
 *
 * Nobody waits for company: a batch ends as soon as nobody waits for a turn, or it has
 * IA_BATCH_MAX parts, or IA_BATCH_US have passed since its BEGIN. A part that fails undoes only
 * itself. When the COMMIT fails, or SQLite gives the whole transaction up (a full disk, an I/O
 * error), all parts fail with that error, which then says so and is safe to retry.
 *
 * All functions are for the holder of the turn (ticket.h). */
#ifndef IA_STORE_BATCH_H
#define IA_STORE_BATCH_H

#include "store/db.h"
#include "store/durable.h"
#include "store/ticket.h"

enum { IA_BATCH_MAX = 64, IA_BATCH_US = 5000 };

struct ia_batch_wait;

struct ia_batch {
    struct ia_db *db;
    struct ia_ticket *turn;
    struct ia_durable *durable;
    int parts; /* kept so far; with the one being written, SQLite's transaction is open */
    int64_t until_us;            /* when it has to end */
    struct ia_batch_wait *first; /* threads whose parts wait for the COMMIT */
};

void ia_batch_init(struct ia_batch *b, struct ia_db *db, struct ia_ticket *turn,
                   struct ia_durable *durable);

/* Begins this thread's part. On failure the turn is given up. */
enum ia_rc ia_batch_begin(struct ia_batch *b, struct ia_err *err);
/* Keeps the part, gives up the turn, and returns when the part is durable, or failed. With
 * ret_number it returns when the part is in the log, with its number for durable.h. */
enum ia_rc ia_batch_keep(struct ia_batch *b, uint64_t *ret_number, struct ia_err *err);
/* Undoes the part, which failed with `why` (NULL: it was only abandoned), and gives up the
 * turn. */
void ia_batch_undo(struct ia_batch *b, const struct ia_err *why);

#endif
