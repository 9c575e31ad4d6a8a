/* store.c: opening and closing, and the pool of read connections.
 *
 * one writer  the turn (ticket.c) and a batch of parts (batch.c) decide who uses it
 * readers     IA_STORE_READERS connections, opened when first needed; each read takes one, sees
 *             one committed state, and gives it back
 *
 * Files: ios-agent.db with its -wal and -shm, lanes/ (lanelock.c), blobs (blob.c),
 * sealing.key (keyfile.c), all below one folder. */
#include "store/store.h"

#include "base/fd.h"
#include "store/impl.h"
#include "store/schema.h"
#include "store/wal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUSY_MS_DEFAULT = 5000, PATH_SIZE = 4096 };

static const char database_name[] = "ios-agent.db";

int ia_store_schema_version(void)
{
    return ia_schema_count(ia_store_migrations);
}

const char *ia_store_home(const struct ia_store *s)
{
    return s->home;
}

const char *ia_store_path(const struct ia_store *s)
{
    return s->path;
}

bool ia_owner_is_self(const struct ia_store *s, int64_t pid, const char *token)
{
    return pid == s->self.pid && token && strcmp(token, s->self.token) == 0;
}

static enum ia_rc not_writable(const char *path, int why, struct ia_err *err)
{
    bool missing = why == ENOENT || why == ENOTDIR;
    enum ia_rc rc = ia_err_set(err, missing ? IA_E_IO : IA_E_DB_READONLY,
                               "%s cannot be written: %s", path, strerror(why));
    ia_err_hint(err, "make it writable for you, or set IOS_AGENT_HOME to a folder of your own");
    return rc;
}

/* SQLite would make the database readable for everybody; its -wal and -shm take the mode of the
 * database. Only ever a file that is not there is opened: closing a descriptor of a database
 * that is in use would drop this process's locks on it (fcntl(2)). */
static void make_private_file(const char *path)
{
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd >= 0) {
        close(fd);
    }
}

/* WAL needs to make files beside the database, so a folder that cannot be written is refused
 * before SQLite says something unclear about it. */
static enum ia_rc prepare_folder(const struct ia_store *s, struct ia_err *err)
{
    struct stat st;
    if (stat(s->home, &st) != 0) {
        enum ia_rc rc = ia_mkdirs(s->home, err);
        if (rc != IA_OK) {
            ia_err_hint(err, "set IOS_AGENT_HOME to a folder that you can write to");
            return rc;
        }
    } else if (!S_ISDIR(st.st_mode)) {
        enum ia_rc rc = ia_err_set(err, IA_E_IO, "%s is not a folder", s->home);
        ia_err_hint(err, "set IOS_AGENT_HOME to a folder of your own");
        return rc;
    }
    if (access(s->home, R_OK | W_OK | X_OK) != 0) {
        return not_writable(s->home, errno, err);
    }
    if (access(s->path, F_OK) == 0 && access(s->path, R_OK | W_OK) != 0) {
        return not_writable(s->path, errno, err);
    }
    make_private_file(s->path);
    return IA_OK;
}

/* secure_delete FAST overwrites deleted rows where that costs no further I/O, so that a removed
 * key does not linger in free pages. synchronous NORMAL: from here on durable.c syncs. The schema's
 * CHECKs are lists of the words of our enums, which SQLite puts into a table for each row that is
 * written; like other assertions, they are left out where NDEBUG is set. */
static const char writer_sql[] = "PRAGMA secure_delete = FAST;"
                                 "PRAGMA synchronous = NORMAL;"
#ifdef NDEBUG
                                 "PRAGMA ignore_check_constraints = ON;"
#endif
    ;

static enum ia_rc open_writer(struct ia_store *s, struct ia_err *err)
{
    char wal[PATH_SIZE];
    (void)snprintf(wal, sizeof(wal), "%s-wal", s->path);
    /* Before SQLite looks at it: then what it does not like is forgotten. */
    enum ia_rc rc = ia_wal_check(wal, err);
    if (rc != IA_OK) {
        return rc;
    }
    rc = ia_db_open(&s->writer, s->path, s->busy_ms, err);
    if (rc != IA_OK) {
        return rc;
    }
    rc = ia_schema_migrate(&s->writer, ia_store_migrations, err);
    if (rc == IA_OK) {
        rc = ia_db_exec(&s->writer, writer_sql, err);
        ia_db_note_files(&s->writer);
    }
    return rc;
}

static struct ia_store *new_store(const struct ia_store_opts *opts)
{
    struct ia_store *s = ia_calloc(1, sizeof(*s));
    char path[PATH_SIZE];
    (void)snprintf(path, sizeof(path), "%s/%s", opts->home, database_name);
    s->home = ia_strdup(opts->home);
    s->path = ia_strdup(path);
    s->clock = opts->clock ? opts->clock : ia_clock_system();
    s->rand = opts->rand ? opts->rand : ia_rand_system();
    s->busy_ms = opts->busy_ms > 0 ? opts->busy_ms : BUSY_MS_DEFAULT;
    s->self.pid = (int64_t)getpid();
    s->self.command = ia_strdup(opts->command ? opts->command : "ios-agent");
    ia_process_token(s->self.pid, s->self.token);
    ia_ticket_init(&s->ticket);
    ia_durable_init(&s->durable, s->path);
    ia_batch_init(&s->batch, &s->writer, &s->ticket, &s->durable);
    pthread_mutex_init(&s->readers_mutex, NULL);
    pthread_cond_init(&s->reader_free, NULL);
    pthread_mutex_init(&s->blobs_mutex, NULL);
    return s;
}

/* SQLite opens no longer path: it keeps room for "-journal" within its own limit (pager.c). */
static size_t home_bytes_max(void)
{
    ia_db_prepare();
    const sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);
    return (size_t)vfs->mxPathname - strlen("-journal") - sizeof(database_name);
}

enum ia_rc ia_store_open(const struct ia_store_opts *opts, struct ia_store **ret,
                         struct ia_err *err)
{
    if (!opts->home || !opts->home[0]) {
        return ia_err_set(err, IA_E_USAGE, "the store needs the path of its folder");
    }
    if (strlen(opts->home) > home_bytes_max()) {
        enum ia_rc rc = ia_err_set(
            err, IA_E_IO, "the path of the data folder is too long (%zu bytes): %.60s…",
            strlen(opts->home), opts->home);
        ia_err_hint(err, "set IOS_AGENT_HOME to a folder with a path of at most %zu bytes",
                    home_bytes_max());
        return rc;
    }
    struct ia_store *s = new_store(opts);
    enum ia_rc rc = prepare_folder(s, err);
    if (rc == IA_OK) {
        rc = open_writer(s, err);
    }
    if (rc != IA_OK) {
        ia_store_close(s);
        return rc;
    }
    *ret = s;
    return IA_OK;
}

void ia_store_close(struct ia_store *s)
{
    if (!s) {
        return;
    }
    for (int i = 0; i < IA_STORE_READERS; i++) {
        ia_db_close(&s->readers[i]);
    }
    ia_durable_fini(&s->durable);
    ia_db_close(&s->writer);
    ia_ticket_fini(&s->ticket);
    pthread_mutex_destroy(&s->readers_mutex);
    pthread_cond_destroy(&s->reader_free);
    pthread_mutex_destroy(&s->blobs_mutex);
    free(s->self.command);
    free(s->home);
    free(s->path);
    free(s);
}

/* ---- readers --------------------------------------------------------------------------- */

/* The index of a connection that nobody has, preferring one that is open; -1 for none. */
static int free_reader(const struct ia_store *s)
{
    int found = -1;
    for (int i = IA_STORE_READERS - 1; i >= 0; i--) {
        if (!s->reader_taken[i] && (found < 0 || s->readers[i].conn)) {
            found = i;
        }
    }
    return found;
}

static int take_reader(struct ia_store *s)
{
    int i = -1;
    pthread_mutex_lock(&s->readers_mutex);
    while ((i = free_reader(s)) < 0) {
        pthread_cond_wait(&s->reader_free, &s->readers_mutex);
    }
    s->reader_taken[i] = true;
    pthread_mutex_unlock(&s->readers_mutex);
    return i;
}

/* The connection of this thread's reads that belong together. */
static _Thread_local struct {
    const struct ia_store *store;
    struct ia_db *db;
} pinned;

void ia_store_pin(const struct ia_store *s, struct ia_db *db)
{
    pinned.store = s;
    pinned.db = db;
}

struct ia_db *ia_store_unpin(void)
{
    struct ia_db *db = pinned.db;
    pinned.store = NULL;
    pinned.db = NULL;
    return db;
}

enum ia_rc ia_store_reader(struct ia_store *s, struct ia_db **ret, struct ia_err *err)
{
    if (pinned.store == s) {
        *ret = pinned.db;
        return IA_OK;
    }
    struct ia_db *db = &s->readers[take_reader(s)];
    enum ia_rc rc = IA_OK;
    /* Outside the mutex: the slot is taken, so nobody else touches the connection. */
    if (!db->conn) {
        rc = ia_db_open(db, s->path, s->busy_ms, err);
        if (rc == IA_OK) {
            /* A mistake that writes through a reader would bypass the turn; SQLite refuses
             * it. */
            rc = ia_db_exec(db, "PRAGMA query_only = ON", err);
        }
    }
    if (rc != IA_OK) {
        ia_db_close(db);
        ia_store_done(s, db);
        return rc;
    }
    ia_db_wait_from_now(db);
    *ret = db;
    return IA_OK;
}

void ia_store_done(struct ia_store *s, struct ia_db *db)
{
    if (db == pinned.db) {
        return;
    }
    pthread_mutex_lock(&s->readers_mutex);
    s->reader_taken[db - s->readers] = false;
    pthread_cond_signal(&s->reader_free);
    pthread_mutex_unlock(&s->readers_mutex);
}

enum ia_rc ia_store_check(struct ia_store *s, struct ia_err *err)
{
    struct ia_db *db = NULL;
    enum ia_rc rc = ia_store_reader(s, &db, err);
    if (rc != IA_OK) {
        return rc;
    }
    struct ia_q q = ia_q(db, IA_SQL_CHECK);
    /* Borrowed from the statement, so it is used before ia_q_end. */
    const char *found = ia_q_row(&q) ? ia_q_get_text(&q) : NULL;
    if (found && strcmp(found, "ok") != 0) {
        rc = ia_err_set(err, IA_E_DB_CORRUPT, "%s is damaged: %.300s", s->path, found);
        ia_err_hint(err, "move it and its -wal file away to start over; `sqlite3 FILE "
                         ".recover` may recover its rows");
    }
    enum ia_rc ended = ia_q_end(&q, rc == IA_OK ? err : NULL);
    ia_store_done(s, db);
    return rc == IA_OK ? ended : rc;
}
