/* goalfile_needs.c: what goals of a set have to do with each other: names are unique, needs
 * name a goal, no needs form a circle, and goals that needs connect share a group. */
#include "agent/goal/goalfile_impl.h"

#include "base/suggest.h"

#include <stdlib.h>
#include <string.h>

/* Goals by name. */
struct name_row {
    const char *name;
    size_t i;
};

struct linking {
    struct ia_goals *set;
    struct name_row *rows; /* sorted */
};

static int by_name(const void *a, const void *b)
{
    const struct name_row *x = a, *y = b;
    int c = strcmp(x->name, y->name);
    /* By place where names are equal: of two the earlier one is first, whatever qsort does. */
    return c != 0 ? c : (x->i > y->i) - (x->i < y->i);
}

static const struct name_row *find(const struct linking *l, const char *name)
{
    size_t low = 0, high = l->set->count;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        int c = strcmp(l->rows[mid].name, name);
        /* Any hit will do: names are unique when this is asked. */
        if (c == 0) {
            return &l->rows[mid];
        }
        if (c < 0) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    return NULL;
}

/* Two goals with one name: the later one is the mistake, and the message has the place of
 * both. */
static enum ia_rc check_names(const struct linking *l, struct ia_err *err)
{
    const struct name_row *first = NULL;
    for (size_t k = 1; k < l->set->count; k++) {
        bool same = strcmp(l->rows[k - 1].name, l->rows[k].name) == 0;
        if (same && (!first || l->rows[k].i < first->i)) {
            first = &l->rows[k];
        }
    }
    if (!first) {
        return IA_OK;
    }
    const struct ia_goal *old = &l->set->goals[first[-1].i];
    const struct ia_goal_entry *e = &l->set->entries[first->i];
    enum ia_rc rc = ia_goalfile_invalid(e->file, ia_toml_get(e->node, "name"), err,
                                        "another goal is named \"%.100s\": %s:%u:%u",
                                        first->name, old->file, old->line, old->column);
    ia_err_hint(err, "names are unique over all files of a sweep");
    return rc;
}

static enum ia_rc unknown_need(const struct linking *l, const struct ia_goal_entry *e,
                               const struct ia_toml_node *n, struct ia_err *err)
{
    const char **names = ia_calloc(l->set->count, sizeof(*names));
    for (size_t i = 0; i < l->set->count; i++) {
        names[i] = l->rows[i].name;
    }
    enum ia_rc rc =
        ia_goalfile_invalid(e->file, n, err, "no goal is named \"%.100s\"", n->s ? n->s : "");
    const char *near = ia_nearest(ia_str(n->s), names, l->set->count);
    if (near) {
        ia_err_hint(err, "did you mean \"%s\"?", near);
    } else {
        ia_err_hint(
            err,
            "needs refers to goals of this sweep; is the goal's file among the arguments?");
    }
    free(names);
    return rc;
}

static enum ia_rc link_goal(const struct linking *l, size_t i, struct ia_err *err)
{
    const struct ia_goal_entry *e = &l->set->entries[i];
    const struct ia_toml_node *list = ia_toml_get(e->node, "needs");
    if (!list) {
        return IA_OK;
    }
    if (list->count > IA_GOALFILE_LIST_MAX) {
        return ia_goalfile_invalid(e->file, list, err, "needs has more than %d entries",
                                   IA_GOALFILE_LIST_MAX);
    }
    struct ia_goal *goal = &l->set->goals[i];
    size_t *needs = ia_goals_own(l->set, ia_calloc(list->count + 1, sizeof(*needs)));
    for (const struct ia_toml_node *n = list->first; n; n = n->next) {
        if (n->type != IA_TOML_STRING) {
            return ia_goalfile_invalid(e->file, n, err, "needs must be names of goals, not %s",
                                       n->type_name);
        }
        const struct name_row *row = find(l, n->s);
        if (!row) {
            return unknown_need(l, e, n, err);
        }
        needs[goal->need_count++] = row->i;
    }
    goal->needs = needs;
    return IA_OK;
}

/* ---- circles ----------------------------------------------------------------------------- */

enum { WHITE, GREY, BLACK }; /* not seen, on the way, done */

/* The way from a goal through its needs, without recursion. */
struct way {
    size_t *goals, *next; /* next: which need of it is looked at next */
    size_t depth;
    unsigned char *colour;
};

/* The way ends with a goal that is on it already. */
static enum ia_rc circle(const struct ia_goals *set, const struct way *w, size_t again,
                         struct ia_err *err)
{
    struct ia_buf path = IA_BUF(300);
    size_t from = 0;
    while (w->goals[from] != again) {
        from++;
    }
    for (size_t k = from; k < w->depth && ia_buf_ok(&path); k++) {
        ia_buf_printf(&path, "%s \xe2\x86\x92 ", set->goals[w->goals[k]].req.name);
    }
    ia_buf_puts(&path, ia_buf_ok(&path) ? set->goals[again].req.name : "");
    const struct ia_goal_entry *e = &set->entries[again];
    enum ia_rc rc =
        ia_goalfile_invalid(e->file, ia_toml_get(e->node, "needs"), err, "circular needs: %s%s",
                            ia_buf_cstr(&path), ia_buf_ok(&path) ? "" : " \xe2\x80\xa6");
    ia_buf_fini(&path);
    return rc;
}

static enum ia_rc follow(const struct ia_goals *set, struct way *w, size_t start,
                         struct ia_err *err)
{
    w->depth = 1;
    w->goals[0] = start;
    w->next[0] = 0;
    w->colour[start] = GREY;
    while (w->depth > 0) {
        const struct ia_goal *g = &set->goals[w->goals[w->depth - 1]];
        size_t k = w->next[w->depth - 1]++;
        if (k == g->need_count) {
            w->colour[w->goals[--w->depth]] = BLACK;
            continue;
        }
        size_t to = g->needs[k];
        /* Grey is on the way that is being walked: a circle. Black was walked before without
         * one. */
        if (w->colour[to] == GREY) {
            return circle(set, w, to, err);
        }
        if (w->colour[to] == WHITE) {
            w->colour[to] = GREY;
            w->goals[w->depth] = to;
            w->next[w->depth++] = 0;
        }
    }
    return IA_OK;
}

static enum ia_rc check_circles(const struct ia_goals *set, struct ia_err *err)
{
    struct way w = {
        .goals = ia_calloc(set->count, sizeof(size_t)),
        .next = ia_calloc(set->count, sizeof(size_t)),
        .colour = ia_calloc(set->count, 1),
    };
    enum ia_rc rc = IA_OK;
    for (size_t i = 0; i < set->count && rc == IA_OK; i++) {
        rc = w.colour[i] == WHITE ? follow(set, &w, i, err) : IA_OK;
    }
    free(w.goals);
    free(w.next);
    free(w.colour);
    return rc;
}

/* ---- groups ------------------------------------------------------------------------------ */

static size_t root_of(struct ia_goals *set, size_t i)
{
    while (set->goals[i].group != i) {
        /* Halves the way for the next search. */
        set->goals[i].group = set->goals[set->goals[i].group].group;
        i = set->goals[i].group;
    }
    return i;
}

static void join(struct ia_goals *set, size_t a, size_t b)
{
    size_t x = root_of(set, a), y = root_of(set, b);
    /* The smaller index becomes the root, so a group is named after its first goal. */
    if (x < y) {
        set->goals[y].group = x;
    } else {
        set->goals[x].group = y;
    }
}

static void make_groups(struct ia_goals *set)
{
    for (size_t i = 0; i < set->count; i++) {
        set->goals[i].group = i;
    }
    for (size_t i = 0; i < set->count; i++) {
        for (size_t k = 0; k < set->goals[i].need_count; k++) {
            join(set, i, set->goals[i].needs[k]);
        }
    }
    for (size_t i = 0; i < set->count; i++) {
        set->goals[i].group = root_of(set, i);
    }
}

enum ia_rc ia_goalfile_link(struct ia_goals *set, struct ia_err *err)
{
    struct linking l = {set, ia_calloc(set->count, sizeof(*l.rows))};
    for (size_t i = 0; i < set->count; i++) {
        l.rows[i] = (struct name_row){set->goals[i].req.name, i};
    }
    qsort(l.rows, set->count, sizeof(*l.rows), by_name);
    enum ia_rc rc = check_names(&l, err);
    for (size_t i = 0; i < set->count && rc == IA_OK; i++) {
        rc = link_goal(&l, i, err);
    }
    if (rc == IA_OK) {
        rc = check_circles(set, err);
    }
    if (rc == IA_OK) {
        make_groups(set);
    }
    free(l.rows);
    return rc;
}
