/* schedule.c: one schedule as it is read from its row, and what people change about it. What fires
 * is in schedule_fire.c, when in cron.c and schedule_time.c. Every change is checked and written
 * inside one transaction, so that a tick sees either the old schedule or the new one.
 *
 * add     anchor = now, next_ms = first fire after now
 * edit    next_ms stays, unless the time was changed or the row had a problem
 * pause   next_ms = none, runs that wait are cancelled
 * resume  next_ms = first fire after now: what was missed while paused is not made up for
 *
 * next_ms is the only state of a schedule's time; a tick moves it on (schedule_fire.c). An
 * edit compares updated_ms, so one that was based on an older row is refused. */
#include "agent/schedule/schedule.h"

#include "agent/schedule/cron.h"
#include "agent/schedule/notify.h"
#include "base/suggest.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES_MAX = 1000 };

struct ia_schedule {
    struct ia_zone *zone;
    struct ia_job *job;
    enum ia_schedule_kind kind;
    struct ia_cron cron;
    int64_t anchor_ms, every_s, at_ms;
};

/* ---- reading a row ----------------------------------------------------------------------- */

static enum ia_rc open_every(struct ia_schedule *s, const char *spec, struct ia_err *err)
{
    char *end = NULL;
    /* strtoll reports a number out of range through errno alone. */
    errno = 0;
    s->every_s = strtoll(spec, &end, 10);
    if (errno != 0 || end == spec || *end != '\0' || s->every_s < 1) {
        return ia_err_set(err, IA_E_PARSE, "\"%.40s\" is not an interval in seconds", spec);
    }
    return IA_OK;
}

static enum ia_rc open_when(struct ia_schedule *s, const struct ia_schedule_row *row,
                            struct ia_err *err)
{
    s->anchor_ms = row->anchor_ms;
    s->kind = row->kind;
    switch (row->kind) {
    case IA_SCHEDULE_CRON:
        return ia_cron_parse(row->spec, &s->cron, err);
    case IA_SCHEDULE_EVERY:
        return open_every(s, row->spec, err);
    case IA_SCHEDULE_AT:
        return ia_at_parse(row->spec, s->zone, &s->at_ms, err);
    default:
        return ia_err_set(err, IA_E_PARSE, "unknown kind of schedule");
    }
}

enum ia_rc ia_schedule_open(const struct ia_schedule_row *row, struct ia_schedule **ret,
                            struct ia_err *err)
{
    struct ia_schedule *s = ia_calloc(1, sizeof(*s));
    enum ia_rc rc = ia_zone_open(row->zone, &s->zone, err);
    if (rc == IA_OK) {
        rc = open_when(s, row, err);
    }
    if (rc == IA_OK) {
        rc = ia_job_parse(ia_str(row->run), &s->job, err);
    }
    if (rc != IA_OK) {
        ia_schedule_free(s);
        return rc;
    }
    *ret = s;
    return IA_OK;
}

void ia_schedule_free(struct ia_schedule *s)
{
    if (s) {
        ia_zone_free(s->zone);
        ia_job_free(s->job);
        free(s);
    }
}

int64_t ia_schedule_next(const struct ia_schedule *s, int64_t after_ms)
{
    switch (s->kind) {
    case IA_SCHEDULE_CRON:
        return ia_cron_next(&s->cron, s->zone, after_ms);
    case IA_SCHEDULE_EVERY:
        /* The anchor is the time at which it was added; the first fire is one interval later. */
        return ia_interval_next(s->anchor_ms, s->every_s,
                                after_ms > s->anchor_ms ? after_ms : s->anchor_ms);
    case IA_SCHEDULE_AT:
        return s->at_ms > after_ms ? s->at_ms : 0;
    default:
        return 0;
    }
}

const struct ia_job *ia_schedule_job(const struct ia_schedule *s)
{
    return s->job;
}

/* ---- checking ---------------------------------------------------------------------------- */

/* The name is used in commands and in the file names of reports. */
static enum ia_rc check_name(const char *name, struct ia_err *err)
{
    static const char inside[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
    size_t n = strlen(name);
    if (n >= 1 && n <= IA_SCHEDULE_NAME_MAX && strspn(name, inside) == n && name[0] != '-') {
        return IA_OK;
    }
    enum ia_rc rc =
        ia_err_set(err, IA_E_USAGE, "\"%.80s\" is not a valid name of a schedule", name);
    ia_err_hint(err,
                "a name has 1 to %d characters of A-Z a-z 0-9 . _ - and does not begin with -",
                IA_SCHEDULE_NAME_MAX);
    return rc;
}

static enum ia_rc check_policies(const struct ia_schedule_row *row, struct ia_err *err)
{
    if ((unsigned)row->missed >= IA_MISSED_COUNT) {
        return ia_err_set(err, IA_E_USAGE,
                          "the policy for missed fires must be latest, all or skip");
    }
    if ((unsigned)row->overlap >= IA_OVERLAP_COUNT) {
        return ia_err_set(err, IA_E_USAGE, "the overlap policy must be skip or queue");
    }
    if (row->grace_s < 0 || row->grace_s > IA_SCHEDULE_GRACE_MAX_S) {
        return ia_err_set(err, IA_E_USAGE,
                          "a grace of %" PRId64 " s is not between 0 and a week", row->grace_s);
    }
    if (row->precheck && strlen(row->precheck) > IA_SCHEDULE_COMMAND_MAX) {
        return ia_err_set(err, IA_E_USAGE, "the command of --if is longer than %d bytes",
                          IA_SCHEDULE_COMMAND_MAX);
    }
    return IA_OK;
}

static enum ia_rc no_fire(const struct ia_schedule_row *row, const struct ia_schedule *s,
                          struct ia_err *err)
{
    if (s->kind != IA_SCHEDULE_AT) {
        return ia_err_set(err, IA_E_USAGE, "\"%.80s\" never fires again", row->spec);
    }
    char iso[IA_ISO_SIZE];
    ia_iso_format(s->at_ms, iso);
    enum ia_rc rc = ia_err_set(err, IA_E_USAGE, "%.40s in %s is in the past (%.19sZ)",
                               row->spec, row->zone, iso);
    ia_err_hint(err, "give a time in the future, or run the goal now: ios-agent run");
    return rc;
}

/* When the row fires next; IA_E_USAGE when never. */
static enum ia_rc first_fire(const struct ia_schedule_row *row, int64_t now_ms,
                             int64_t *ret_next_ms, struct ia_err *err)
{
    struct ia_schedule *s = NULL;
    enum ia_rc rc = ia_schedule_open(row, &s, err);
    if (rc != IA_OK) {
        return rc;
    }
    int64_t next_ms = ia_schedule_next(s, now_ms);
    /* A schedule that can never fire is a mistake, and the person who made it is still there
     * to be told. */
    if (next_ms == 0) {
        rc = no_fire(row, s, err);
    } else {
        *ret_next_ms = next_ms;
    }
    ia_schedule_free(s);
    return rc;
}

enum ia_rc ia_schedule_check(const struct ia_schedule_row *row, int64_t now_ms,
                             int64_t *ret_next_ms, struct ia_err *err)
{
    enum ia_rc rc = check_name(row->name, err);
    if (rc == IA_OK) {
        rc = check_policies(row, err);
    }
    return rc == IA_OK ? first_fire(row, now_ms, ret_next_ms, err) : rc;
}

/* ---- finding ----------------------------------------------------------------------------- */

struct names {
    char *list[NAMES_MAX];
    size_t n;
};

static bool keep_name(void *ctx, const struct ia_schedule_row *row)
{
    struct names *names = ctx;
    names->list[names->n++] = ia_strdup(row->name);
    return names->n < NAMES_MAX;
}

static void hint_nearest(struct ia_store *store, const char *name, struct ia_err *err)
{
    struct names names = {.n = 0};
    if (err && ia_store_schedules(store, NULL, keep_name, &names, NULL) == IA_OK) {
        const char *near = ia_nearest(ia_str(name), (const char *const *)names.list, names.n);
        if (near) {
            ia_err_hint(err, "did you mean %s?", near);
        } else if (names.n == 0) {
            ia_err_hint(err,
                        "there are no schedules yet; create one with ios-agent schedule add");
        }
    }
    for (size_t i = 0; i < names.n; i++) {
        free(names.list[i]);
    }
}

static bool keep_row(void *ctx, const struct ia_schedule_row *row)
{
    *(struct ia_schedule_row **)ctx = ia_schedule_row_dup(row);
    return false;
}

enum ia_rc ia_schedule_find(struct ia_store *store, const char *name,
                            struct ia_schedule_row **ret, struct ia_err *err)
{
    struct ia_schedule_row *row = NULL;
    enum ia_rc rc = ia_store_schedules(store, name, keep_row, &row, err);
    if (rc == IA_OK) {
        *ret = row;
    } else if (rc == IA_E_NOT_FOUND) {
        hint_nearest(store, name, err);
    }
    return rc;
}

/* ---- changing ---------------------------------------------------------------------------- */

static bool see_one(void *ctx, const struct ia_schedule_row *row)
{
    (void)row;
    *(bool *)ctx = true;
    return false;
}

/* While there were no schedules, nobody followed the events: the first schedule must not have to
 * read a long history. */
static enum ia_rc start_following(struct ia_store *store, struct ia_err *err)
{
    bool any = false;
    enum ia_rc rc = ia_store_schedules(store, NULL, see_one, &any, err);
    return rc == IA_OK && !any ? ia_notify_skip_past(store, err) : rc;
}

enum ia_rc ia_schedule_add(struct ia_store *store, const struct ia_schedule_row *row,
                           int64_t *ret_next_ms, struct ia_err *err)
{
    struct ia_tx *tx = NULL;
    struct ia_schedule_row added = *row;
    /* Outside the transaction below, as it may need one of its own. */
    enum ia_rc rc = start_following(store, err);
    if (rc == IA_OK) {
        rc = ia_tx_begin(store, &tx, err);
    }
    if (rc != IA_OK) {
        return rc;
    }
    /* The transaction's own time, so that the anchor, the check and the row agree. */
    added.anchor_ms = ia_tx_wall_ms(tx);
    rc = ia_schedule_check(&added, added.anchor_ms, &added.next_ms, err);
    if (rc != IA_OK) {
        ia_tx_rollback(tx);
        return rc;
    }
    ia_tx_add_schedule(tx, &added);
    rc = ia_tx_commit(tx, err);
    if (rc == IA_OK && ret_next_ms) {
        *ret_next_ms = added.next_ms;
    } else if (rc == IA_E_EXISTS) {
        ia_err_hint(err, "choose another name, or change that one: ios-agent schedule edit %s",
                    row->name);
    }
    return rc;
}

enum ia_rc ia_schedule_edit(struct ia_store *store, const struct ia_schedule_row *row,
                            bool when, int64_t *ret_next_ms, struct ia_err *err)
{
    struct ia_tx *tx = NULL;
    struct ia_schedule_row edited = *row;
    enum ia_rc rc = ia_tx_begin(store, &tx, err);
    if (rc != IA_OK) {
        return rc;
    }
    /* A schedule with a problem stands still; fixing it starts its time anew. */
    bool again = when || row->problem;
    rc = ia_schedule_check(&edited, again ? ia_tx_wall_ms(tx) : 0, &edited.next_ms, err);
    if (rc != IA_OK) {
        ia_tx_rollback(tx);
        return rc;
    }
    /* The check above computed a next fire that is not wanted here: an edit of, say, the
     * goal must not skip the fire that is due. */
    if (!again || row->paused) {
        edited.next_ms = row->paused ? 0 : row->next_ms;
    }
    edited.problem = NULL;
    ia_tx_put_schedule(tx, &edited);
    rc = ia_tx_commit(tx, err);
    if (rc == IA_OK && ret_next_ms) {
        *ret_next_ms = edited.next_ms;
    }
    return rc;
}

static enum ia_rc end_of(struct ia_store *store, const char *name, bool remove,
                         int *ret_cancelled, struct ia_err *err)
{
    struct ia_tx *tx = NULL;
    enum ia_rc rc = ia_tx_begin(store, &tx, err);
    if (rc != IA_OK) {
        return rc;
    }
    int cancelled = 0;
    /* In the same transaction: no tick can add a run between the two. */
    ia_tx_cancel_waiting(
        tx, name, remove ? "its schedule was removed" : "its schedule was paused", &cancelled);
    if (remove) {
        ia_tx_remove_schedule(tx, name);
    } else {
        ia_tx_pause_schedule(tx, name, true, 0);
    }
    rc = ia_tx_commit(tx, err);
    if (rc == IA_OK && ret_cancelled) {
        *ret_cancelled = cancelled;
    } else if (rc == IA_E_NOT_FOUND) {
        hint_nearest(store, name, err);
    }
    return rc;
}

enum ia_rc ia_schedule_pause(struct ia_store *store, const char *name, int *ret_cancelled,
                             struct ia_err *err)
{
    return end_of(store, name, false, ret_cancelled, err);
}

enum ia_rc ia_schedule_remove(struct ia_store *store, const char *name, int *ret_cancelled,
                              struct ia_err *err)
{
    return end_of(store, name, true, ret_cancelled, err);
}

static enum ia_rc resume_row(struct ia_store *store, const struct ia_schedule_row *row,
                             int64_t *ret_next_ms, struct ia_err *err)
{
    struct ia_tx *tx = NULL;
    int64_t next_ms = 0;
    enum ia_rc rc = ia_tx_begin(store, &tx, err);
    if (rc != IA_OK) {
        return rc;
    }
    rc = first_fire(row, ia_tx_wall_ms(tx), &next_ms, err);
    if (rc != IA_OK) {
        ia_tx_rollback(tx);
        return rc;
    }
    ia_tx_schedule_problem(tx, row->name, NULL);
    ia_tx_pause_schedule(tx, row->name, false, next_ms);
    rc = ia_tx_commit(tx, err);
    if (rc == IA_OK && ret_next_ms) {
        *ret_next_ms = next_ms;
    }
    return rc;
}

enum ia_rc ia_schedule_resume(struct ia_store *store, const char *name, int64_t *ret_next_ms,
                              struct ia_err *err)
{
    struct ia_schedule_row *row = NULL;
    enum ia_rc rc = ia_schedule_find(store, name, &row, err);
    if (rc != IA_OK) {
        return rc;
    }
    if (!row->paused && !row->problem) {
        rc = ia_err_set(err, IA_E_STATE, "%s is not paused", name);
    } else {
        rc = resume_row(store, row, ret_next_ms, err);
    }
    ia_schedule_row_free(row);
    return rc;
}
