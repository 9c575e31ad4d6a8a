/* sweep_view.c: the progress of a sweep: finished goals scroll up, the lanes below are redrawn in
 * place.
 *
 * To print a line, the table is erased (cursor up, clear), the line written and the table drawn
 * again. Between lines it is redrawn at most every DRAW_US. No line of the table is as wide as the
 * terminal and there are never more than fit, so that each takes one row. When the terminal's width
 * changes, nobody knows how its rows were broken: the screen is cleared and what was said last
 * comes again. Without a terminal there is no table; with --events there are only JSON lines. */
#include "cli/view/sweep_view.h"

#include "base/clean.h"
#include "base/columns.h"
#include "base/fd.h"
#include "base/term.h"
#include "cli/view/labels.h"
#include "cli/view/wrap.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    TABLE_BYTES_MAX = 1 << 20,
    LINE_BYTES_MAX = 64 << 10,
    EVENT_BYTES_MAX = 1 << 20,
    PAST_BYTES_MAX = 32 << 10, /* of what was said, for a terminal that changes its width */
    NAME_COLUMNS = 44,         /* at most, also where there is no terminal */
    NAME_MIN = 16,
    LANE_COLUMNS = 18,
    STATE_COLUMNS = 10,
    STEP_COLUMNS = 10, /* "step 3" and its gap */
    TIME_COLUMNS = 9,
    COST_COLUMNS = 18, /* and the number of tries */
    DRAW_US = 150000
};

/* What a lane is doing. */
struct lane {
    char *lane;
    char run_id[IA_ID_SIZE]; /* "": nothing */
    char *name;              /* of the goal */
    char *what;              /* tool and element */
    int64_t step, steps;
    int64_t since_us;
    double usd;
};

struct ia_sweep_view {
    struct ia_sweep_view_opts opts;
    pthread_mutex_t mutex;
    struct lane *lanes;
    size_t lane_count;
    size_t lane_columns; /* of the widest lane */
    size_t width;        /* of the terminal when it was drawn; 0: there is none */
    struct ia_buf past;  /* the last lines */
    int drawn;           /* lines of the table that stand on the terminal */
    int64_t drawn_us;    /* when */
    int64_t started_us;
    int done, passed, flaky, healed, failed, expected, others;
    bool lost;
};

static int64_t now_us(void)
{
    return ia_mono_us(ia_clock_system());
}

struct ia_sweep_view *ia_sweep_view_new(const struct ia_sweep_view_opts *opts)
{
    struct ia_sweep_view *v = ia_calloc(1, sizeof(*v));
    v->opts = *opts;
    v->started_us = now_us();
    v->past = IA_BUF(2 * PAST_BYTES_MAX + LINE_BYTES_MAX);
    v->width = opts->table ? ia_wrap_width(opts->fd) : 0;
    pthread_mutex_init(&v->mutex, NULL);
    return v;
}

static void put_bytes(struct ia_sweep_view *v, const struct ia_buf *b)
{
    if (v->opts.fd >= 0 && b->len > 0 && ia_write_all(v->opts.fd, b->p, b->len) != IA_OK &&
        errno != EPIPE) {
        v->lost = true;
    }
}

/* ---- JSON lines -------------------------------------------------------------------------- */

struct ia_event_sweep_goal ia_sweep_goal_event(const struct ia_sweep_goal *goal, bool demo)
{
    return (struct ia_event_sweep_goal){
        .no = goal->no,
        .name = ia_str(goal->name),
        .repeat = goal->repeat,
        .file = ia_str(goal->file),
        .line = goal->line,
        .state = ia_str(ia_sweep_goal_state_name(goal->state)),
        .expected = goal->expected,
        .code = ia_str(goal->code == IA_OK ? NULL : ia_rc_name(goal->code)),
        .reason = ia_str(goal->reason),
        .tries = goal->tries,
        .run = ia_str(goal->run_id[0] != '\0' ? goal->run_id : NULL),
        .outcome = ia_str(goal->outcome),
        .cost_usd = {goal->cost_known && !demo, goal->cost_usd},
        .ms = goal->ms,
    };
}

static void put_json(struct ia_sweep_view *v, struct ia_str json)
{
    struct ia_buf line = IA_BUF(6 * json.n + 2);
    ia_clean_json(&line, json);
    ia_buf_putc(&line, '\n');
    put_bytes(v, &line);
    ia_buf_fini(&line);
}

/* An event of the command itself. The caller holds the mutex. */
static void put_event(struct ia_sweep_view *v, struct ia_event_ref event)
{
    struct ia_buf b = IA_BUF(EVENT_BYTES_MAX);
    ia_event_write(&b, event, NULL);
    put_json(v, ia_buf_str(&b));
    ia_buf_fini(&b);
}

void ia_sweep_view_put(struct ia_sweep_view *v, struct ia_event_ref event)
{
    pthread_mutex_lock(&v->mutex);
    if (v->opts.events) {
        put_event(v, event);
    }
    pthread_mutex_unlock(&v->mutex);
}

static void put_started(struct ia_sweep_view *v, const struct ia_sweep *s, const char *title)
{
    const char *const *lanes;
    size_t n = ia_sweep_lanes(s, &lanes);
    struct ia_str *names = ia_calloc(n + 1, sizeof(*names));
    for (size_t i = 0; i < n; i++) {
        names[i] = ia_str(lanes[i]);
    }
    const struct ia_event_sweep_started started = {
        .sweep = ia_str(ia_sweep_id(s)),
        .title = ia_str(title),
        .goals = v->opts.total,
        .lanes = {names, n},
        .demo = v->opts.demo,
    };
    put_event(v, IA_EVENT(&started));
    free(names);
}

/* ---- the table --------------------------------------------------------------------------- */

static const char *paint(const struct ia_sweep_view *v, const char *colour)
{
    return v->opts.color ? colour : "";
}

static void put_cost(const struct ia_sweep_view *v, struct ia_buf *out, double usd, bool known)
{
    if (!v->opts.demo) {
        ia_buf_printf(out, "  %s$%.4f", known ? "" : "at least ", usd);
    }
}

/* Cut and filled up to the width. */
static void put_cell(struct ia_buf *out, const char *text, size_t columns)
{
    struct ia_buf cell = IA_BUF(LINE_BYTES_MAX);
    ia_clean_cut(&cell, ia_str(text ? text : ""), columns);
    ia_buf_printf(out, "%s", ia_buf_cstr(&cell));
    for (size_t n = ia_columns(ia_buf_str(&cell)); n < columns; n++) {
        ia_buf_putc(out, ' ');
    }
    ia_buf_puts(out, "  ");
    ia_buf_fini(&cell);
}

static void erase(struct ia_sweep_view *v, struct ia_buf *out)
{
    size_t width = v->opts.table ? ia_wrap_width(v->opts.fd) : v->width;
    if (width != v->width && v->drawn > 0) { /* see above */
        ia_buf_puts(out, "\x1b[H\x1b[J");
        ia_wrap_lines(out, ia_buf_str(&v->past), width);
    } else if (v->drawn > 0) {
        ia_buf_printf(out, "\x1b[%dA\x1b[J", v->drawn);
    }
    v->drawn = 0;
    v->width = width;
}

/* Columns that a goal's name gets where `others` are taken; what is not given to it is left. */
static size_t name_columns(const struct ia_sweep_view *v, size_t others)
{
    size_t room = v->width > others ? v->width - others : 0;
    if (v->width == 0 || room > NAME_COLUMNS) {
        return NAME_COLUMNS;
    }
    return room > NAME_MIN ? room : NAME_MIN;
}

/* What a lane is doing, without the lane's own name. */
static void put_work(const struct ia_sweep_view *v, const struct lane *l, struct ia_buf *out)
{
    size_t fixed = v->lane_columns + 2 + STEP_COLUMNS + TIME_COLUMNS;
    fixed += v->opts.demo ? 0 : COST_COLUMNS / 2;
    size_t name = name_columns(v, fixed) * 3 / 5;
    size_t what = v->width > fixed + name + 4 ? v->width - fixed - name - 4 : 0;
    put_cell(out, l->name, name);
    ia_buf_printf(out, "step %-3lld  ", (long long)l->step);
    put_cell(out, l->what, what < NAME_COLUMNS ? what : NAME_COLUMNS);
    ia_fmt_ms(out, (now_us() - l->since_us) / 1000);
    put_cost(v, out, l->usd, true);
}

static void put_lane(const struct ia_sweep_view *v, const struct lane *l, struct ia_buf *out)
{
    struct ia_buf work = IA_BUF(LINE_BYTES_MAX);
    ia_buf_puts(out, paint(v, IA_SAY_DIM));
    put_cell(out, l->lane, v->lane_columns);
    ia_buf_puts(out, paint(v, IA_SAY_RESET));
    if (l->run_id[0] != '\0') {
        put_work(v, l, &work);
    }
    /* A line that reached the last column would take two rows on some terminals. */
    size_t taken = v->lane_columns + 3;
    ia_clean_cut(out, ia_buf_str(&work), v->width > taken ? v->width - taken : 1);
    ia_buf_putc(out, '\n');
    ia_buf_fini(&work);
}

static void put_count(struct ia_buf *out, int n, const char *what)
{
    if (n > 0) {
        ia_buf_printf(out, ", %d %s", n, what);
    }
}

static void put_foot(const struct ia_sweep_view *v, int more, struct ia_buf *out)
{
    struct ia_buf foot = IA_BUF(LINE_BYTES_MAX);
    if (more > 0) {
        ia_buf_printf(&foot, "… and %d more; ", more);
    }
    ia_buf_printf(&foot, "%d of %d done: %d passed", v->done, v->opts.total, v->passed);
    put_count(&foot, v->flaky, "flaky");
    put_count(&foot, v->healed, "healed");
    put_count(&foot, v->failed, "failed");
    put_count(&foot, v->expected, "failed as expected");
    put_count(&foot, v->others, "other");
    ia_buf_puts(&foot, "  ");
    ia_fmt_ms(&foot, (now_us() - v->started_us) / 1000);
    ia_clean_cut(out, ia_buf_str(&foot), v->width > 1 ? v->width - 1 : 1);
    ia_buf_putc(out, '\n');
    ia_buf_fini(&foot);
}

/* Lanes that fit above the last line, those with work first. */
static void draw(struct ia_sweep_view *v, struct ia_buf *out)
{
    int rows = ia_term_rows(v->opts.fd);
    size_t room = rows > 3 ? (size_t)rows - 2 : 1, shown = 0;
    erase(v, out);
    for (int idle = 0; idle <= 1; idle++) {
        for (size_t i = 0; i < v->lane_count && shown < room; i++) {
            if ((v->lanes[i].run_id[0] == '\0') == idle && (!idle || v->lane_count <= room)) {
                put_lane(v, &v->lanes[i], out);
                shown++;
            }
        }
    }
    put_foot(v, (int)(v->lane_count - shown), out);
    v->drawn = (int)shown + 1;
    v->drawn_us = now_us();
}

void ia_sweep_view_tick(struct ia_sweep_view *v)
{
    pthread_mutex_lock(&v->mutex);
    if (v->opts.table && !v->opts.events && now_us() - v->drawn_us >= DRAW_US) {
        struct ia_buf out = IA_BUF(TABLE_BYTES_MAX);
        draw(v, &out);
        put_bytes(v, &out);
        ia_buf_fini(&out);
    }
    pthread_mutex_unlock(&v->mutex);
}

void ia_sweep_view_end(struct ia_sweep_view *v)
{
    pthread_mutex_lock(&v->mutex);
    struct ia_buf out = IA_BUF(TABLE_BYTES_MAX);
    erase(v, &out);
    put_bytes(v, &out);
    v->opts.table = false;
    ia_buf_fini(&out);
    pthread_mutex_unlock(&v->mutex);
}

void ia_sweep_view_free(struct ia_sweep_view *v)
{
    if (!v) {
        return;
    }
    ia_sweep_view_end(v);
    for (size_t i = 0; i < v->lane_count; i++) {
        free(v->lanes[i].lane);
        free(v->lanes[i].name);
        free(v->lanes[i].what);
    }
    free(v->lanes);
    ia_buf_fini(&v->past);
    pthread_mutex_destroy(&v->mutex);
    free(v);
}

bool ia_sweep_view_lost(const struct ia_sweep_view *v)
{
    return v->lost;
}

/* ---- lines ------------------------------------------------------------------------------- */

/* Keeps whole lines, the newest. */
static void keep_past(struct ia_sweep_view *v, struct ia_str lines)
{
    ia_buf_putstr(&v->past, lines);
    if (v->past.len > PAST_BYTES_MAX) {
        size_t cut = v->past.len - PAST_BYTES_MAX;
        const char *end = memchr(v->past.p + cut, '\n', v->past.len - cut);
        ia_buf_consume(&v->past, end ? (size_t)(end - v->past.p) + 1 : v->past.len);
    }
}

static void put_lines(struct ia_sweep_view *v, const struct ia_buf *lines)
{
    struct ia_buf out = IA_BUF(TABLE_BYTES_MAX);
    erase(v, &out);
    ia_wrap_lines(&out, ia_buf_str(lines), v->width);
    if (v->opts.table) {
        keep_past(v, ia_buf_str(lines));
        draw(v, &out);
    }
    put_bytes(v, &out);
    ia_buf_fini(&out);
}

void ia_sweep_view_start(struct ia_sweep_view *v, const struct ia_sweep *s, const char *title)
{
    const char *const *lanes;
    struct ia_buf out = IA_BUF(LINE_BYTES_MAX);
    size_t n = ia_sweep_lanes(s, &lanes);
    pthread_mutex_lock(&v->mutex);
    v->lanes = ia_calloc(n + 1, sizeof(*v->lanes));
    for (size_t i = 0; i < n; i++) {
        v->lanes[v->lane_count++].lane = ia_strdup(lanes[i]);
        size_t columns = ia_columns(ia_str(lanes[i]));
        columns = columns < LANE_COLUMNS ? columns : LANE_COLUMNS;
        v->lane_columns = columns > v->lane_columns ? columns : v->lane_columns;
    }
    if (v->opts.events) {
        put_started(v, s, title);
    } else {
        ia_buf_printf(&out, "sweep %s: ", ia_sweep_id(s));
        ia_clean_cut(&out, ia_str(title), NAME_COLUMNS);
        ia_buf_puts(&out, ", ");
        ia_label_goals(&out, v->opts.distinct, v->opts.total);
        ia_buf_printf(&out, " on %zu device%s%s%s\n", n, n == 1 ? "" : "s",
                      v->opts.demo ? ", " : "", v->opts.demo ? IA_SAY_DEMO : "");
        put_lines(v, &out);
    }
    pthread_mutex_unlock(&v->mutex);
    ia_buf_fini(&out);
}

static struct lane *lane_of(struct ia_sweep_view *v, const char *run_id)
{
    for (size_t i = 0; i < v->lane_count; i++) {
        if (run_id[0] != '\0' && strcmp(v->lanes[i].run_id, run_id) == 0) {
            return &v->lanes[i];
        }
    }
    return NULL;
}

static const char *colour_of(const struct ia_sweep_goal *item)
{
    if (item->state == IA_SWEEP_GOAL_PASSED) {
        return IA_SAY_GREEN;
    }
    bool mild = item->expected || item->state == IA_SWEEP_GOAL_FLAKY ||
                item->state == IA_SWEEP_GOAL_HEALED || item->state == IA_SWEEP_GOAL_SKIPPED;
    return mild ? IA_SAY_YELLOW : IA_SAY_RED;
}

static void count(struct ia_sweep_view *v, const struct ia_sweep_goal *item)
{
    int *counts[IA_SWEEP_GOAL_STATE_COUNT] = {
        [IA_SWEEP_GOAL_PASSED] = &v->passed,
        [IA_SWEEP_GOAL_FLAKY] = &v->flaky,
        [IA_SWEEP_GOAL_HEALED] = &v->healed,
        [IA_SWEEP_GOAL_FAILED] = item->expected ? &v->expected : &v->failed,
    };
    v->done++;
    ++*(counts[item->state] ? counts[item->state] : &v->others);
}

static void put_state(const struct ia_sweep_view *v, const char *colour, const char *state,
                      struct ia_buf *out)
{
    ia_buf_printf(out, "%s%-*s%s", paint(v, colour), STATE_COLUMNS, state,
                  paint(v, IA_SAY_RESET));
}

static void put_name(const struct ia_sweep_view *v, const struct ia_sweep_goal *item,
                     struct ia_buf *out)
{
    struct ia_buf name = IA_BUF(LINE_BYTES_MAX);
    size_t others = STATE_COLUMNS + 4 + v->lane_columns + TIME_COLUMNS;
    ia_buf_puts(&name, item->name);
    if (item->repeats > 1) {
        ia_buf_printf(&name, " (%d of %d)", item->repeat, item->repeats);
    }
    others += v->opts.demo && item->tries < 2 ? 0 : COST_COLUMNS;
    put_cell(out, ia_buf_cstr(&name), name_columns(v, others));
    ia_buf_fini(&name);
}

/* Why it did not pass, under its name. */
static void put_reason(const struct ia_sweep_goal *item, struct ia_buf *out)
{
    if (item->reason && item->reason[0] != '\0') {
        ia_buf_printf(out, "%*s", STATE_COLUMNS, "");
        ia_clean(out, ia_str(item->reason), IA_CLEAN_LINE);
        ia_buf_putc(out, '\n');
    }
}

static void put_ended(struct ia_sweep_view *v, const struct ia_sweep_goal *item,
                      const struct lane *l, struct ia_buf *out)
{
    put_state(v, colour_of(item),
              item->expected ? IA_SAY_EXPECTED : ia_sweep_goal_state_name(item->state), out);
    put_name(v, item, out);
    if (item->tries > 0) {
        put_cell(out, l ? l->lane : "", v->lane_columns);
        ia_fmt_ms(out, item->ms);
        put_cost(v, out, item->cost_usd, item->cost_known);
        if (item->tries > 1) {
            ia_buf_printf(out, "  %d tries", item->tries);
        }
    }
    ia_buf_putc(out, '\n');
    if (item->state != IA_SWEEP_GOAL_PASSED) {
        put_reason(item, out);
    }
}

static void note_goal(struct ia_sweep_view *v, const struct ia_sweep_goal *item)
{
    struct ia_buf out = IA_BUF(LINE_BYTES_MAX);
    struct lane *l = lane_of(v, item->run_id);
    bool running = item->state == IA_SWEEP_GOAL_RUNNING;
    if (item->state == IA_SWEEP_GOAL_WAITING) {
        put_state(v, IA_SAY_YELLOW, "again", &out);
        put_name(v, item, &out);
        ia_buf_putc(&out, '\n');
        put_reason(item, &out);
    } else if (!running) {
        count(v, item);
        put_ended(v, item, l, &out);
    }
    if (l && !running) {
        l->run_id[0] = '\0';
    }
    if (out.len > 0) {
        put_lines(v, &out);
    }
    ia_buf_fini(&out);
}

void ia_sweep_view_goal(struct ia_sweep_view *v, const struct ia_sweep_goal *item)
{
    pthread_mutex_lock(&v->mutex);
    if (v->opts.events) {
        const struct ia_event_sweep_goal goal = ia_sweep_goal_event(item, v->opts.demo);
        put_event(v, IA_EVENT(&goal));
    } else {
        note_goal(v, item);
    }
    pthread_mutex_unlock(&v->mutex);
}

/* ---- events of runs ---------------------------------------------------------------------- */

static void replace(char **text, const char *with)
{
    free(*text);
    *text = ia_strdup(with);
}

static void start_on_lane(struct lane *l, const struct ia_event_start *start)
{
    replace(&l->name, ia_event_text(start->name.n > 0 ? start->name : start->goal));
    replace(&l->what, NULL);
    l->step = 0;
    l->usd = 0;
    l->since_us = now_us();
}

static void show_tool(struct lane *l, const struct ia_event_tool_started *tool)
{
    struct ia_buf what = IA_BUF(LINE_BYTES_MAX);
    ia_buf_printf(&what, "%s %s", ia_event_text(tool->tool), ia_event_text(tool->element));
    replace(&l->what, ia_buf_cstr(&what));
    l->step = tool->step;
    ia_buf_fini(&what);
}

static void note_event(struct lane *l, const struct ia_event *e)
{
    if (ia_event_start(e)) {
        start_on_lane(l, ia_event_start(e));
    } else if (e->type == IA_EVENT_TOOL_STARTED) {
        show_tool(l, &e->tool_started);
    } else if (e->type == IA_EVENT_REQUEST_FINISHED) {
        l->usd = e->request_finished.spent.usd;
    }
}

static void read_event(struct lane *l, struct ia_str json)
{
    struct ia_event e;
    if (ia_event_read(&e, json)) {
        note_event(l, &e);
    }
    ia_event_fini(&e);
}

void ia_sweep_view_event(struct ia_sweep_view *v, const char *lane, const char *run_id,
                         enum ia_event_type type, struct ia_str json)
{
    bool starts = type == IA_EVENT_RUN_STARTED || type == IA_EVENT_RUN_RESUMED;
    bool told = starts || type == IA_EVENT_TOOL_STARTED || type == IA_EVENT_REQUEST_FINISHED;
    pthread_mutex_lock(&v->mutex);
    if (v->opts.events) {
        put_json(v, json);
    }
    for (size_t i = 0; i < v->lane_count && told && !v->opts.events; i++) {
        struct lane *l = &v->lanes[i];
        if (strcmp(l->lane, lane) == 0) {
            if (starts) {
                (void)snprintf(l->run_id, sizeof(l->run_id), "%s", run_id);
            }
            if (v->opts
                    .table) { /* without one only the line of a goal that ended names its lane */
                read_event(l, json);
            }
        }
    }
    pthread_mutex_unlock(&v->mutex);
}
