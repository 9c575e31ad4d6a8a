/* impl.h: the insides of the store that its files share (private to store/). */
#ifndef IA_STORE_IMPL_H
#define IA_STORE_IMPL_H

#include "base/process.h"
#include "store/batch.h"
#include "store/db.h"
#include "store/store.h"
#include "store/ticket.h"

enum { IA_STORE_READERS = 4 };

struct ia_tx {
    struct ia_store *store;
    struct ia_db *db;
    int64_t now_ms;
    bool failed;
    struct ia_err err;          /* the first failure */
    char event_run[IA_ID_SIZE]; /* the run of the last event, and that one's number */
    int64_t event_seq;
};

/* Who this process is to others. */
struct ia_owner {
    int64_t pid;
    char token[IA_PROCESS_TOKEN_SIZE];
    char *command;
};

struct ia_store {
    char *home;
    char *path;
    const struct ia_clock *clock;
    const struct ia_rand *rand;
    int busy_ms;
    struct ia_owner self;

    struct ia_ticket ticket; /* guards writer, batch and tx */
    struct ia_durable durable;
    struct ia_db writer;
    struct ia_batch batch;
    struct ia_tx tx;

    pthread_mutex_t readers_mutex;
    pthread_cond_t reader_free;
    struct ia_db readers[IA_STORE_READERS]; /* conn NULL: not opened yet */
    bool reader_taken[IA_STORE_READERS];

    pthread_mutex_t blobs_mutex;
    bool blobs_ready; /* the folders exist */
};

/* A read connection, waiting while all are taken. Give it back with ia_store_done. */
enum ia_rc ia_store_reader(struct ia_store *s, struct ia_db **ret, struct ia_err *err);
void ia_store_done(struct ia_store *s, struct ia_db *db);
/* Between these two the thread's reads use that connection, which it took before (watch.h). */
void ia_store_pin(const struct ia_store *s, struct ia_db *db);
struct ia_db *ia_store_unpin(void);

/* A statement of the transaction; does nothing after a failure. */
struct ia_q ia_tx_q(struct ia_tx *tx, enum ia_sql which);
/* Ends it; a failure becomes the transaction's. True on success. */
bool ia_tx_end(struct ia_tx *tx, struct ia_q *q);
/* Ends a statement that returns one row: without a row the transaction fails with
 * IA_E_NOT_FOUND and "no <what> <name>". */
bool ia_tx_end_found(struct ia_tx *tx, struct ia_q *q, bool found, const char *what,
                     const char *name);
/* Makes the transaction fail, unless it already has. */
void ia_tx_fail(struct ia_tx *tx, enum ia_rc rc, const char *fmt, ...) IA_PRINTF(3, 4);

/* Reads a struct ia_usage_row from five columns, and binds one to five parameters. */
struct ia_usage_row ia_usage_read(struct ia_q *q);
void ia_usage_bind(struct ia_q *q, const struct ia_usage_row *usage);

/* Appends the one text that a statement gives for these values (ended by NULL), if it gives one. */
enum ia_rc ia_store_one_text(struct ia_store *s, enum ia_sql which, const char *const *values,
                             struct ia_buf *ret, struct ia_err *err);
/* Gives each run of a statement with IA_RUN_COLUMNS to fn, and ends it. ret_n (may be NULL) gets
 * how many there were. */
enum ia_rc ia_run_each(struct ia_q *q, ia_run_fn *fn, void *ctx, int *ret_n,
                       struct ia_err *err);
/* The same of one with IA_RUN_FIGURE_COLUMNS: the other members are 0. */
enum ia_rc ia_run_each_figures(struct ia_q *q, ia_run_fn *fn, void *ctx, int *ret_n,
                               struct ia_err *err);
/* The one id that starts or ends with the text, or is it; `which` takes the text and gives ids.
 * noun is for the messages ("run"). */
enum ia_rc ia_match_id(struct ia_db *db, enum ia_sql which, const char *noun, const char *text,
                       char ret_id[IA_ID_SIZE], struct ia_err *err);
/* Ends a run that no living process has. */
void ia_run_cancel_unowned(struct ia_tx *tx, const char *run_id, const char *why);
/* True for a run that no run delegated, and for the first of its call. */
bool ia_child_is_new(struct ia_tx *tx, const struct ia_run_new *run);
/* Counts what the parent waits for. False where it is over itself. */
bool ia_child_count(struct ia_tx *tx, const char *parent_id);
/* Writes the ids of up to n subtasks that are not over, and returns how many. */
size_t ia_child_open(struct ia_tx *tx, const char *run_id, char ids[][IA_ID_SIZE], size_t n);
/* The run is over: its parent ("": none) waits for one fewer, and its events say so. */
void ia_child_ended(struct ia_tx *tx, const char *run_id, const char *parent_id,
                    enum ia_run_state state, const struct ia_run_moved *moved);
/* What an owned run that nobody runs is given back to: queued, or cancelled where asked. */
void ia_run_give_back(struct ia_tx *tx, const char *run_id, int64_t owner_pid, bool cancel);

/* True when the owner in a row is this process. */
bool ia_owner_is_self(const struct ia_store *s, int64_t pid, const char *token);

#endif
