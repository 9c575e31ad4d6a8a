/* run_rows.c: reading runs: one by its id or a part of it, or a listing.
 *
 * A part of an id is its beginning or its end; people use the end, as ids that were made
 * together begin alike. */
#include "store/columns.h"
#include "store/impl.h"
#include "store/recordings.h"

#include <stdlib.h>
#include <string.h>

enum { LIST_DEFAULT = 50, MATCH_MIN = 4, MATCH_SHOWN = 3, PATTERN_MAX = 16 << 10 };

static const struct ia_column columns[] = IA_READERS(IA_RUN_COLUMNS, struct ia_run_row);
static const struct ia_column figures[] = IA_READERS(IA_RUN_FIGURE_COLUMNS, struct ia_run_row);

/* ---- one run ---------------------------------------------------------------------------- */

void ia_run_row_free(struct ia_run_row *row)
{
    free(row);
}

static enum ia_rc nothing_with_id(const char *noun, const char *id, struct ia_err *err)
{
    enum ia_rc rc = ia_err_set(err, IA_E_NOT_FOUND, "there is no %s \"%.60s\"", noun, id);
    if (strcmp(noun, "run") == 0) {
        ia_err_hint(err, "`ios-agent runs` lists them");
    }
    return rc;
}

static enum ia_rc no_run(const char *id, struct ia_err *err)
{
    return nothing_with_id("run", id, err);
}

static bool could_be_part_of_id(const char *text)
{
    size_t n = strspn(text, "0123456789abcdef-");
    return text[n] == '\0' && n >= MATCH_MIN && n < IA_ID_SIZE;
}

/* The one id that starts or ends with the text. */
static enum ia_rc match_part(struct ia_db *db, enum ia_sql which, const char *noun,
                             const char *text, char ret_id[IA_ID_SIZE], struct ia_err *err)
{
    char found[MATCH_SHOWN + 1][IA_ID_SIZE] = {{0}};
    size_t n = 0;
    struct ia_q q = ia_q(db, which);
    ia_q_text(&q, text);
    /* One more than is shown, to know whether there are more. */
    while (n < IA_COUNTOF(found) && ia_q_row(&q)) {
        struct ia_str id = ia_q_get_str(&q);
        memcpy(found[n++], id.p, id.n < IA_ID_SIZE ? id.n : IA_ID_SIZE - 1);
    }
    enum ia_rc rc = ia_q_end(&q, err);
    if (rc != IA_OK) {
        return rc;
    }
    if (n == 0) {
        return nothing_with_id(noun, text, err);
    }
    if (n > 1) {
        rc = ia_err_set(err, IA_E_USAGE, "\"%s\" matches several %ss: %s, %s%s%s", text, noun,
                        found[0], found[1], n > 2 ? ", " : "", found[2]);
        ia_err_hint(err, "give more of the id; ids end differently even if they start alike");
        return rc;
    }
    memcpy(ret_id, found[0], IA_ID_SIZE);
    return IA_OK;
}

enum ia_rc ia_match_id(struct ia_db *db, enum ia_sql which, const char *noun, const char *text,
                       char ret_id[IA_ID_SIZE], struct ia_err *err)
{
    if (!could_be_part_of_id(text)) {
        return nothing_with_id(noun, text, err);
    }
    if (ia_id_valid(text)) {
        memcpy(ret_id, text, IA_ID_SIZE);
        return IA_OK;
    }
    return match_part(db, which, noun, text, ret_id, err);
}

static enum ia_rc newest_run(struct ia_db *db, char ret_id[IA_ID_SIZE], struct ia_err *err)
{
    bool any = false;
    struct ia_q q = ia_q(db, IA_SQL_RUN_NEWEST);
    if (ia_q_row(&q)) {
        struct ia_str id = ia_q_get_str(&q);
        memcpy(ret_id, id.p, id.n < IA_ID_SIZE ? id.n : IA_ID_SIZE - 1);
        any = true;
    }
    enum ia_rc rc = ia_q_end(&q, err);
    return rc == IA_OK && !any ? ia_err_set(err, IA_E_NOT_FOUND, "there are no runs yet") : rc;
}

/* *ret is NULL where there is none. */
static enum ia_rc read_run(struct ia_db *db, enum ia_sql which, const char *text,
                           struct ia_run_row **ret, struct ia_err *err)
{
    struct ia_run_row *copy = NULL;
    struct ia_q q = ia_q(db, which);
    ia_q_text(&q, text);
    if (ia_q_row(&q)) {
        struct ia_run_row row;
        ia_columns_read(columns, IA_COUNTOF(columns), &q, &row);
        copy = ia_columns_copy(columns, IA_COUNTOF(columns), &row, sizeof(row));
    }
    enum ia_rc rc = ia_q_end(&q, err);
    if (rc != IA_OK) {
        free(copy);
        return rc;
    }
    *ret = copy;
    return IA_OK;
}

static enum ia_rc get_run(struct ia_db *db, const char *id, struct ia_run_row **ret,
                          struct ia_err *err)
{
    struct ia_run_row *row = NULL;
    enum ia_rc rc = read_run(db, IA_SQL_RUN_GET, id, &row, err);
    if (rc == IA_OK && !row) {
        rc = no_run(id, err);
    }
    if (rc == IA_OK) {
        *ret = row;
    }
    return rc;
}

enum ia_rc ia_store_run_to_record(struct ia_store *s, const char *goal_hash,
                                  struct ia_run_row **ret, struct ia_err *err)
{
    struct ia_db *db = NULL;
    enum ia_rc rc = ia_store_reader(s, &db, err);
    if (rc == IA_OK) {
        rc = read_run(db, IA_SQL_RUN_TO_RECORD, goal_hash, ret, err);
        ia_store_done(s, db);
    }
    return rc;
}

enum ia_rc ia_store_run(struct ia_store *s, const char *id, struct ia_run_row **ret,
                        struct ia_err *err)
{
    struct ia_db *db = NULL;
    enum ia_rc rc = ia_store_reader(s, &db, err);
    if (rc != IA_OK) {
        return rc;
    }
    char whole[IA_ID_SIZE] = {0};
    rc = strcmp(id, "last") == 0 ? newest_run(db, whole, err)
                                 : ia_match_id(db, IA_SQL_RUN_MATCH, "run", id, whole, err);
    if (rc == IA_OK) {
        rc = get_run(db, whole, ret, err);
    }
    ia_store_done(s, db);
    return rc;
}

const char *ia_run_model(const struct ia_run_row *row)
{
    bool replayed = row->outcome && !ia_outcome_healed(row->outcome);
    return replayed ? IA_NO_MODEL : row->demo ? IA_DEMO_MODEL : row->model;
}

const char *ia_run_word(enum ia_run_state state, const char *outcome)
{
    return state == IA_RUN_PASSED && outcome ? outcome : ia_run_state_name(state);
}

bool ia_outcome_healed(const char *outcome)
{
    return outcome && strcmp(outcome, "healed") == 0;
}

bool ia_run_owner_alive(const struct ia_run_row *row)
{
    return row->owner_token && ia_process_alive(row->owner_pid, row->owner_token);
}

/* ---- many runs -------------------------------------------------------------------------- */

static bool is_one_of(const char *name, const char *words)
{
    size_t n = strlen(name);
    for (const char *at = words; at; at = strchr(at, '|')) {
        at += *at == '|';
        if (n > 0 && strcspn(at, "|") == n && strncmp(at, name, n) == 0) {
            return true;
        }
    }
    return false;
}

static enum ia_rc check_filter(const struct ia_run_filter *filter, struct ia_err *err)
{
    if (!filter->state || is_one_of(filter->state, IA_RUN_FILTERS)) {
        return IA_OK;
    }
    enum ia_rc rc =
        ia_err_set(err, IA_E_USAGE, "there is no run state \"%.40s\"", filter->state);
    ia_err_hint(err, "states: %s", IA_RUN_FILTERS);
    return rc;
}

static int clamp_limit(int limit, int fallback, int max)
{
    int wanted = limit > 0 ? limit : fallback;
    return wanted < max ? wanted : max;
}

/* One for each way through the indices; a way that leaves less comes first. */
static enum ia_sql way_of(const struct ia_run_filter *f, bool count)
{
    bool unfinished = f->state && strcmp(f->state, "unfinished") == 0;
    bool outcome = f->state && is_one_of(f->state, "replayed|healed");
    const struct {
        bool given;
        enum ia_sql list, count;
    } ways[] = {{unfinished, IA_SQL_RUN_LIST_UNFINISHED, IA_SQL_RUN_COUNT_UNFINISHED},
                {f->goal, IA_SQL_RUN_LIST_GOAL, IA_SQL_RUN_COUNT_GOAL},
                {f->sweep_id, IA_SQL_RUN_LIST_SWEEP, IA_SQL_RUN_COUNT_SWEEP},
                {f->schedule, IA_SQL_RUN_LIST_SCHEDULE, IA_SQL_RUN_COUNT_SCHEDULE},
                {f->agent, IA_SQL_RUN_LIST_AGENT, IA_SQL_RUN_COUNT_AGENT},
                {f->lane, IA_SQL_RUN_LIST_LANE, IA_SQL_RUN_COUNT_LANE},
                {outcome, IA_SQL_RUN_LIST_OUTCOME, IA_SQL_RUN_COUNT_OUTCOME},
                {f->state, IA_SQL_RUN_LIST_STATE, IA_SQL_RUN_COUNT_STATE},
                {f->text, IA_SQL_RUN_LIST_TEXT, IA_SQL_RUN_COUNT_TEXT},
                {true, IA_SQL_RUN_LIST_ALL, IA_SQL_RUN_COUNT_ALL}};
    size_t i = 0;
    while (!ways[i].given) {
        i++;
    }
    return count ? ways[i].count : ways[i].list;
}

static enum ia_rc each(struct ia_q *q, const struct ia_column *of, size_t n_of, ia_run_fn *fn,
                       void *ctx, int *ret_n, struct ia_err *err)
{
    int n = 0;
    bool more = true;
    while (more && ia_q_row(q)) {
        struct ia_run_row row = {0};
        ia_columns_read(of, n_of, q, &row);
        more = fn(ctx, &row);
        n++;
    }
    if (ret_n) {
        *ret_n = n;
    }
    return ia_q_end(q, err);
}

enum ia_rc ia_run_each(struct ia_q *q, ia_run_fn *fn, void *ctx, int *ret_n, struct ia_err *err)
{
    return each(q, columns, IA_COUNTOF(columns), fn, ctx, ret_n, err);
}

enum ia_rc ia_run_each_figures(struct ia_q *q, ia_run_fn *fn, void *ctx, int *ret_n,
                               struct ia_err *err)
{
    return each(q, figures, IA_COUNTOF(figures), fn, ctx, ret_n, err);
}

/* For LIKE ... ESCAPE '\\': the text stands anywhere, and means only itself. */
static void put_pattern(struct ia_buf *out, const char *text)
{
    ia_buf_putc(out, '%');
    for (; *text != '\0'; text++) {
        if (strchr("\\%_", *text)) {
            ia_buf_putc(out, '\\');
        }
        ia_buf_putc(out, *text);
    }
    ia_buf_putc(out, '%');
}

static void bind_filter(struct ia_q *q, const struct ia_run_filter *f, bool count,
                        struct ia_str pattern)
{
    ia_q_text(q, f->state);
    ia_q_text(q, f->lane);
    ia_q_text(q, count ? NULL : f->before_id);
    ia_q_int(q, clamp_limit(f->limit, LIST_DEFAULT, IA_RUN_LIST_MAX));
    ia_q_text(q, f->agent);
    ia_q_text(q, f->schedule);
    ia_q_text(q, f->sweep_id);
    ia_q_str(q, pattern);
    ia_q_text(q, f->goal);
    ia_q_int(q, f->skip);
    ia_q_int(q, f->top);
}

/* Gives the runs to fn or, with ret_count, says how many there are on all pages. */
static enum ia_rc read_runs(struct ia_store *s, const struct ia_run_filter *f, ia_run_fn *fn,
                            void *ctx, int64_t *ret_count, struct ia_err *err)
{
    struct ia_buf pattern = IA_BUF(PATTERN_MAX);
    struct ia_db *db = NULL;
    bool count = ret_count != NULL;
    enum ia_rc rc = check_filter(f, err);
    if (rc == IA_OK && f->text) {
        put_pattern(&pattern, f->text);
        rc = ia_buf_check(&pattern, "the text that is looked for", err);
    }
    if (rc == IA_OK) {
        rc = ia_store_reader(s, &db, err);
    }
    if (rc == IA_OK) {
        struct ia_q q = ia_q(db, way_of(f, count));
        bind_filter(&q, f, count, f->text ? ia_buf_str(&pattern) : (struct ia_str){0});
        if (ret_count) {
            *ret_count = ia_q_row(&q) ? ia_q_get_int(&q) : 0;
            rc = ia_q_end(&q, err);
        } else if (fn) {
            rc = ia_run_each(&q, fn, ctx, NULL, err);
        }
        ia_store_done(s, db);
    }
    ia_buf_fini(&pattern);
    return rc;
}

enum ia_rc ia_store_runs(struct ia_store *s, const struct ia_run_filter *filter, ia_run_fn *fn,
                         void *ctx, struct ia_err *err)
{
    static const struct ia_run_filter everything = {0};
    return read_runs(s, filter ? filter : &everything, fn, ctx, NULL, err);
}

enum ia_rc ia_store_runs_count(struct ia_store *s, const struct ia_run_filter *filter,
                               int64_t *ret, struct ia_err *err)
{
    return read_runs(s, filter, NULL, NULL, ret, err);
}

enum ia_rc ia_store_run_state(struct ia_store *s, const char *run_id, enum ia_run_state *ret,
                              struct ia_err *err)
{
    struct ia_db *db = NULL;
    enum ia_rc rc = ia_store_reader(s, &db, err);
    if (rc != IA_OK) {
        return rc;
    }
    struct ia_q q = ia_q(db, IA_SQL_RUN_STATE);
    ia_q_text(&q, run_id);
    bool found = ia_q_row(&q);
    enum ia_run_state state =
        found ? ia_run_state_from_name(ia_q_get_text(&q)) : IA_RUN_STATE_COUNT;
    rc = ia_q_end(&q, err);
    ia_store_done(s, db);
    if (rc == IA_OK && !found) {
        rc = no_run(run_id, err);
    }
    if (rc == IA_OK) {
        *ret = state;
    }
    return rc;
}

enum ia_rc ia_store_cancel_requested(struct ia_store *s, const char *run_id, bool *ret,
                                     struct ia_err *err)
{
    struct ia_db *db = NULL;
    enum ia_rc rc = ia_store_reader(s, &db, err);
    if (rc != IA_OK) {
        return rc;
    }
    struct ia_q q = ia_q(db, IA_SQL_RUN_CANCEL_GET);
    ia_q_text(&q, run_id);
    bool found = ia_q_row(&q);
    bool cancel = found && ia_q_get_int(&q) != 0;
    rc = ia_q_end(&q, err);
    ia_store_done(s, db);
    if (rc == IA_OK && !found) {
        rc = no_run(run_id, err);
    }
    if (rc == IA_OK) {
        *ret = cancel;
    }
    return rc;
}
