/* sweep_view.c: the progress of a sweep: finished goals scroll up, the lanes below are redrawn in
 * place.
 *
 * To print a line, the table is erased (cursor up, clear), the line written and the table drawn
 * again. Between lines it is redrawn at most every DRAW_US. Without a terminal there is no table;
 * with --events there are only JSON lines. */
#include "cli/view/sweep_view.h"

#include "base/fd.h"
#include "base/term.h"
#include "cli/view/clean.h"
#include "cli/view/columns.h"
#include "cli/view/labels.h"

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
    NAME_COLUMNS = 44,
    LANE_COLUMNS = 18,
    WHAT_COLUMNS = 28,
    REASON_COLUMNS = 110,
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
    int drawn;        /* lines of the table that stand on the terminal */
    int64_t drawn_us; /* when */
    int64_t started_us;
    int done, passed, flaky, failed, others;
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
        .code = ia_str(goal->code == IA_OK ? NULL : ia_rc_name(goal->code)),
        .reason = ia_str(goal->reason),
        .tries = goal->tries,
        .run = ia_str(goal->run_id[0] != '\0' ? goal->run_id : NULL),
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
    if (v->drawn > 0) {
        ia_buf_printf(out, "\x1b[%dA\x1b[J", v->drawn);
        v->drawn = 0;
    }
}

static void put_lane(const struct ia_sweep_view *v, const struct lane *l, struct ia_buf *out)
{
    ia_buf_puts(out, paint(v, IA_SAY_DIM));
    put_cell(out, l->lane, LANE_COLUMNS);
    ia_buf_puts(out, paint(v, IA_SAY_RESET));
    if (l->run_id[0] != '\0') {
        put_cell(out, l->name, NAME_COLUMNS - 14);
        ia_buf_printf(out, "step %-3lld ", (long long)l->step);
        put_cell(out, l->what, WHAT_COLUMNS - 9);
        ia_fmt_ms(out, (now_us() - l->since_us) / 1000);
        put_cost(v, out, l->usd, true);
    }
    ia_buf_putc(out, '\n');
}

static void put_count(struct ia_buf *out, int n, const char *what)
{
    if (n > 0) {
        ia_buf_printf(out, ", %d %s", n, what);
    }
}

static void put_foot(const struct ia_sweep_view *v, struct ia_buf *out)
{
    ia_buf_printf(out, "%d of %d done: %d passed", v->done, v->opts.total, v->passed);
    put_count(out, v->flaky, "flaky");
    put_count(out, v->failed, "failed");
    put_count(out, v->others, "other");
    ia_buf_puts(out, "  ");
    ia_fmt_ms(out, (now_us() - v->started_us) / 1000);
    ia_buf_putc(out, '\n');
}

static void draw(struct ia_sweep_view *v, struct ia_buf *out)
{
    erase(v, out);
    for (size_t i = 0; i < v->lane_count; i++) {
        put_lane(v, &v->lanes[i], out);
    }
    put_foot(v, out);
    v->drawn = (int)v->lane_count + 1;
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
    struct ia_buf out = IA_BUF(100);
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
    pthread_mutex_destroy(&v->mutex);
    free(v);
}

bool ia_sweep_view_lost(const struct ia_sweep_view *v)
{
    return v->lost;
}

/* ---- lines ------------------------------------------------------------------------------- */

static void put_lines(struct ia_sweep_view *v, const struct ia_buf *lines)
{
    struct ia_buf out = IA_BUF(TABLE_BYTES_MAX);
    erase(v, &out);
    ia_buf_putstr(&out, ia_buf_str(lines));
    if (v->opts.table) {
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
    }
    if (v->opts.events) {
        put_started(v, s, title);
    } else {
        ia_buf_printf(&out, "sweep %s: ", ia_sweep_id(s));
        ia_clean_cut(&out, ia_str(title), NAME_COLUMNS);
        ia_buf_printf(&out, ", %d goal%s on %zu device%s%s%s\n", v->opts.total,
                      v->opts.total == 1 ? "" : "s", n, n == 1 ? "" : "s",
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

static const char *colour_of(enum ia_sweep_goal_state state)
{
    if (state == IA_SWEEP_GOAL_PASSED) {
        return IA_SAY_GREEN;
    }
    bool mild = state == IA_SWEEP_GOAL_FLAKY || state == IA_SWEEP_GOAL_SKIPPED;
    return mild ? IA_SAY_YELLOW : IA_SAY_RED;
}

static void count(struct ia_sweep_view *v, enum ia_sweep_goal_state state)
{
    v->done++;
    switch (state) {
    case IA_SWEEP_GOAL_PASSED:
        v->passed++;
        break;
    case IA_SWEEP_GOAL_FLAKY:
        v->flaky++;
        break;
    case IA_SWEEP_GOAL_FAILED:
        v->failed++;
        break;
    default:
        v->others++;
    }
}

static void put_name(struct ia_buf *out, const struct ia_sweep_goal *item)
{
    struct ia_buf name = IA_BUF(LINE_BYTES_MAX);
    ia_buf_puts(&name, item->name);
    if (item->repeats > 1) {
        ia_buf_printf(&name, " (%d of %d)", item->repeat, item->repeats);
    }
    put_cell(out, ia_buf_cstr(&name), NAME_COLUMNS);
    ia_buf_fini(&name);
}

static void put_ended(struct ia_sweep_view *v, const struct ia_sweep_goal *item,
                      const struct lane *l, struct ia_buf *out)
{
    ia_buf_printf(out, "%s%-9s%s ", paint(v, colour_of(item->state)),
                  ia_sweep_goal_state_name(item->state), paint(v, IA_SAY_RESET));
    put_name(out, item);
    if (item->tries > 0) {
        put_cell(out, l ? l->lane : "", LANE_COLUMNS);
        ia_fmt_ms(out, item->ms);
        put_cost(v, out, item->cost_usd, item->cost_known);
        if (item->tries > 1) {
            ia_buf_printf(out, "  %d tries", item->tries);
        }
    }
    ia_buf_putc(out, '\n');
    if (item->state != IA_SWEEP_GOAL_PASSED && item->reason) {
        ia_buf_puts(out, "          ");
        ia_clean_cut(out, ia_str(item->reason), REASON_COLUMNS);
        ia_buf_putc(out, '\n');
    }
}

static void note_goal(struct ia_sweep_view *v, const struct ia_sweep_goal *item)
{
    struct ia_buf out = IA_BUF(LINE_BYTES_MAX);
    struct lane *l = lane_of(v, item->run_id);
    bool running = item->state == IA_SWEEP_GOAL_RUNNING;
    if (item->state == IA_SWEEP_GOAL_WAITING) {
        ia_buf_printf(&out, "%s%-9s%s ", paint(v, IA_SAY_YELLOW), "again",
                      paint(v, IA_SAY_RESET));
        put_name(&out, item);
        ia_clean_cut(&out, ia_str(item->reason ? item->reason : ""), REASON_COLUMNS / 2);
        ia_buf_putc(&out, '\n');
    } else if (!running) {
        count(v, item->state);
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

static void start_on_lane(struct lane *l, const struct ia_event *e)
{
    const struct ia_event_start *start = ia_event_start(e);
    (void)snprintf(l->run_id, sizeof(l->run_id), "%s", ia_event_text(e->run));
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
        start_on_lane(l, e);
    } else if (e->type == IA_EVENT_TOOL_STARTED) {
        show_tool(l, &e->tool_started);
    } else if (e->type == IA_EVENT_REQUEST_FINISHED) {
        l->usd = e->request_finished.spent.usd;
    }
}

void ia_sweep_view_event(struct ia_sweep_view *v, const char *lane, struct ia_str json)
{
    pthread_mutex_lock(&v->mutex);
    if (v->opts.events) {
        put_json(v, json);
    }
    for (size_t i = 0; i < v->lane_count && !v->opts.events; i++) {
        if (strcmp(v->lanes[i].lane, lane) == 0) {
            struct ia_event e;
            if (ia_event_read(&e, json)) {
                note_event(&v->lanes[i], &e);
            }
            ia_event_fini(&e);
        }
    }
    pthread_mutex_unlock(&v->mutex);
}
