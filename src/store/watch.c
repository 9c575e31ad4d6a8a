/* watch.c: a reader that stays in one state of the database, and one that polls for the next. */
#include "store/watch.h"

#include "store/impl.h"

#include <stdlib.h>

static int64_t last_event(struct ia_db *db, enum ia_rc *rc, struct ia_err *err)
{
    struct ia_q q = ia_q(db, IA_SQL_EVENT_LAST);
    int64_t id = ia_q_row(&q) ? ia_q_get_int(&q) : 0;
    *rc = ia_q_end(&q, err);
    return id;
}

static enum ia_rc run(struct ia_db *db, enum ia_sql which, struct ia_err *err)
{
    struct ia_q q = ia_q(db, which);
    return ia_q_end(&q, err);
}

enum ia_rc ia_store_read_begin(struct ia_store *s, int64_t *ret_last_event, struct ia_err *err)
{
    struct ia_db *db = NULL;
    enum ia_rc rc = ia_store_reader(s, &db, err);
    if (rc != IA_OK) {
        return rc;
    }
    rc = run(db, IA_SQL_READ_BEGIN, err);
    if (rc == IA_OK) {
        ia_store_pin(s, db);
        /* The first read decides which state it is. */
        *ret_last_event = last_event(db, &rc, err);
        if (rc != IA_OK) {
            ia_store_read_end(s);
        }
        return rc;
    }
    ia_store_done(s, db);
    return rc;
}

void ia_store_read_end(struct ia_store *s)
{
    struct ia_db *db = ia_store_unpin();
    (void)run(db, IA_SQL_ROLLBACK, NULL);
    ia_store_done(s, db);
}

struct ia_store_watch {
    struct ia_db db;
    int64_t version, newest;
};

enum ia_rc ia_store_watch_open(struct ia_store *s, struct ia_store_watch **ret,
                               struct ia_err *err)
{
    struct ia_store_watch *w = ia_calloc(1, sizeof(*w));
    w->version = -1;
    enum ia_rc rc = ia_db_open(&w->db, s->path, s->busy_ms, err);
    if (rc == IA_OK) {
        rc = ia_db_exec(&w->db, "PRAGMA query_only = ON", err);
    }
    if (rc != IA_OK) {
        ia_store_watch_close(w);
        return rc;
    }
    *ret = w;
    return IA_OK;
}

enum ia_rc ia_store_watch_newest(struct ia_store_watch *w, int64_t *ret_event_id,
                                 struct ia_err *err)
{
    int64_t version = 0;
    ia_db_wait_from_now(&w->db);
    struct ia_q q = ia_q(&w->db, IA_SQL_DATA_VERSION);
    version = ia_q_row(&q) ? ia_q_get_int(&q) : 0;
    enum ia_rc rc = ia_q_end(&q, err);
    if (rc == IA_OK && version != w->version) {
        int64_t newest = last_event(&w->db, &rc, err);
        if (rc == IA_OK) {
            w->newest = newest;
            w->version = version;
        }
    }
    if (rc == IA_OK) {
        *ret_event_id = w->newest;
    }
    return rc;
}

void ia_store_watch_close(struct ia_store_watch *w)
{
    if (w) {
        ia_db_close(&w->db);
        free(w);
    }
}
