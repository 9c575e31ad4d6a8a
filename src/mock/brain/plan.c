/* plan.c: from clauses to steps: lists become several steps, "it" what was spoken of, and what is
 * left unsaid is added.
 *
 *     clauses ─► one step or more each ─► it ─► the shop's order of things ─► apps opened ─► steps */
#include "mock/brain/goal.h"

#include "base/utf8.h"
#include "mock/brain/grammar.h"
#include "mock/brain/know.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* A step with the app that holds its thing. */
struct planned {
    struct ia_step step;
    const char *app; /* NULL: whatever is in front */
    bool named;      /* the goal itself names it */
};

struct plan {
    struct planned p[IA_STEPS_MAX];
    size_t count;
    bool full;
};

static void copy_text(char dst[IA_STEP_TEXT_MAX], struct ia_str s)
{
    size_t n = s.n < IA_STEP_TEXT_MAX ? s.n : ia_utf8_cut(s.p, IA_STEP_TEXT_MAX - 1);
    memcpy(dst, s.n ? s.p : "", n);
    dst[n] = '\0';
}

/* A new place at `at`; what stood there and behind moves on. */
static struct planned *insert(struct plan *plan, size_t at)
{
    if (plan->count == IA_STEPS_MAX) {
        plan->full = true;
        return NULL;
    }
    memmove(&plan->p[at + 1], &plan->p[at], (plan->count - at) * sizeof(plan->p[0]));
    memset(&plan->p[at], 0, sizeof(plan->p[at]));
    plan->count++;
    return &plan->p[at];
}

static void take_out(struct plan *plan, size_t at)
{
    plan->count--;
    memmove(&plan->p[at], &plan->p[at + 1], (plan->count - at) * sizeof(plan->p[0]));
}

/* ---- from a clause ---- */

/* "a=Brightness|c=+" */
static void fill(struct ia_step *s, const char *text)
{
    while (text && *text) {
        size_t n = strcspn(text, "|");
        copy_text(s->slot[text[0] - 'a'], (struct ia_str){text + 2, n - 2});
        text += n + (text[n] == '|');
    }
}

/* "two desk lamps": the number goes into b. */
static void count_things(struct ia_step *s)
{
    struct ia_words w;
    ia_words_split(ia_str(s->a), &w);
    size_t skip = 0;
    if (w.count > 1 && ia_word_number(w.w[0].s) >= 0) {
        (void)snprintf(s->b, sizeof(s->b), "%ld", ia_word_number(w.w[0].s));
        skip = 1;
    } else if (w.count > 1 && ia_word_in(w.w[0].s, "a an")) {
        skip = 1;
    }
    skip += skip < w.count && ia_word_in(w.w[skip].s, "of");
    skip += skip < w.count && ia_word_in(w.w[skip].s, "the some");
    char rest[IA_STEP_TEXT_MAX];
    copy_text(rest, ia_words_text(&w, skip, w.count));
    copy_text(s->a, ia_str(rest));
}

static void add_step(struct plan *plan, const struct ia_words *w, const struct ia_clause *c,
                     size_t from, size_t to)
{
    struct planned *p = insert(plan, plan->count);
    const struct ia_known_app *app = c->app.n ? ia_known_app(c->app) : NULL;
    if (!p) {
        return;
    }
    p->step.kind = c->row->kind;
    p->app = app ? app->name : c->row->app;
    p->named = app != NULL;
    copy_text(p->step.text, ia_words_text(w, c->from, c->to));
    for (size_t i = 0; i < IA_STEP_SLOTS; i++) {
        copy_text(p->step.slot[i], ia_words_text(w, c->slot[i].from, c->slot[i].to));
    }
    if (to > from) {
        copy_text(p->step.a, ia_words_text(w, from, to));
    }
    fill(&p->step, c->row->fill);
    if (c->slot[0].type == 'I') {
        count_things(&p->step);
    }
    if (p->step.kind == IA_STEP_READ_PRICE && *p->step.b) {
        p->step.kind = IA_STEP_CANNOT;
        copy_text(p->step.a, ia_str("it reads the price of one piece"));
    }
    if (p->step.kind == IA_STEP_ADD_CONTACT && *p->step.d) {
        char name[IA_STEP_TEXT_MAX];
        (void)snprintf(name, sizeof(name), "%.119s %.119s", p->step.a, p->step.d);
        copy_text(p->step.a, ia_str(name));
    }
}

/* One step, or one for each element of a list. */
static void add_clause(struct plan *plan, const struct ia_words *w, const struct ia_clause *c)
{
    size_t first = c->slot[0].from;
    bool list = c->slot[0].type && strchr("NIS", c->slot[0].type);
    bool settings = c->slot[0].type == 'S' &&
                    ia_known_setting(ia_words_text(w, c->slot[0].from, c->slot[0].to));
    if (!list || settings || c->slot[0].to == first) {
        add_step(plan, w, c, 0, 0);
        return;
    }
    for (size_t i = first; i <= c->slot[0].to; i++) {
        if (i == c->slot[0].to || ia_word_joins_items(&w->w[i])) {
            if (i > first) {
                add_step(plan, w, c, first, i);
            }
            first = i + 1;
        }
    }
}

/* ---- what is left unsaid ---- */

static bool is_pronoun(const char *text)
{
    return ia_word_in(ia_str(text), "it him her them that this");
}

/* "… tick it off": it is the topic, or what the step before was about. */
static void resolve_it(struct plan *plan)
{
    const char *topic = NULL;
    for (size_t i = 0; i < plan->count; i++) {
        struct ia_step *s = &plan->p[i].step;
        bool about = s->kind == IA_STEP_TOPIC || s->kind == IA_STEP_ADD_CONTACT ||
                     s->kind == IA_STEP_ADD_REMINDER || s->kind == IA_STEP_READ_CONTACT;
        if (about) {
            topic = s->a;
        } else if (is_pronoun(s->a) && s->kind != IA_STEP_OPEN_APP) {
            if (topic) {
                copy_text(s->a, ia_str(topic));
            } else {
                s->kind = IA_STEP_UNKNOWN;
            }
        }
    }
    for (size_t i = plan->count; i-- > 0;) {
        enum ia_step_kind kind = plan->p[i].step.kind;
        if (kind == IA_STEP_TOPIC || kind == IA_STEP_NOTHING) {
            take_out(plan, i);
        }
    }
}

static size_t find_kind(const struct plan *plan, enum ia_step_kind kind)
{
    size_t i = 0;
    while (i < plan->count && plan->p[i].step.kind != kind) {
        i++;
    }
    return i;
}

/* Who somebody is stands before what is done in the shop, wherever it is said. */
static void log_in_first(struct plan *plan)
{
    size_t login = find_kind(plan, IA_STEP_LOGIN);
    for (size_t i = 0; i < login && login < plan->count; i++) {
        if (plan->p[i].app && strcmp(plan->p[i].app, "Shop") == 0) {
            struct planned moved = plan->p[login];
            take_out(plan, login);
            *insert(plan, i) = moved;
            return;
        }
    }
}

/* To buy is to put into the cart, and at the end to check out with the address. */
static void check_out_last(struct plan *plan)
{
    size_t buy = find_kind(plan, IA_STEP_BUY), address = find_kind(plan, IA_STEP_ADDRESS);
    if (address == plan->count) {
        for (; buy < plan->count; buy++) {
            struct ia_step *s = &plan->p[buy].step;
            if (s->kind == IA_STEP_BUY) {
                s->kind = IA_STEP_CANNOT;
                copy_text(s->a, ia_str("an order needs an address: add \"ship to NAME, STREET, "
                                       "CITY, zip 12345\""));
            }
        }
        return;
    }
    struct planned last = plan->p[address];
    last.step.kind = IA_STEP_CHECK_OUT;
    take_out(plan, address);
    size_t end = 0;
    for (size_t i = 0; i < plan->count; i++) {
        if (plan->p[i].app && strcmp(plan->p[i].app, "Shop") == 0) {
            end = i + 1;
        }
        if (plan->p[i].step.kind == IA_STEP_BUY) {
            plan->p[i].step.kind = IA_STEP_ADD_TO_CART;
        }
    }
    *insert(plan, end) = last;
}

/* A goal that begins by looking at a switch of Settings does not say where that is. */
static bool looks_at_setting(const struct plan *plan, size_t i)
{
    const struct ia_step *s = &plan->p[i].step;
    bool toggle = s->kind == IA_STEP_CHECK_ON || s->kind == IA_STEP_CHECK_OFF;
    return i == 0 && toggle && ia_known_setting(ia_str(s->a));
}

/* Opens the app that holds the thing of each step, where it is not in front already. */
static void open_apps(struct plan *plan)
{
    const char *front = NULL;
    for (size_t i = 0; i < plan->count; i++) {
        struct planned *p = &plan->p[i];
        enum ia_step_kind kind = p->step.kind;
        p->app = looks_at_setting(plan, i) ? "Settings" : p->app;
        if (kind == IA_STEP_OPEN_APP) {
            const struct ia_known_app *app = ia_known_app(ia_str(p->step.a));
            front = app ? app->name : NULL;
            if (app) {
                copy_text(p->step.a, ia_str(app->name));
            }
        } else if (kind == IA_STEP_HOME || kind == IA_STEP_CLOSE || kind == IA_STEP_LOCK) {
            front = NULL;
        } else if (p->app && kind != IA_STEP_CANNOT && kind != IA_STEP_UNKNOWN &&
                   !(front && strcasecmp(front, p->app) == 0)) {
            const char *app = p->app;
            p = insert(plan, i);
            if (!p) {
                return;
            }
            front = app;
            p->step.kind = IA_STEP_OPEN_APP;
            copy_text(p->step.a, ia_str(app));
            (void)snprintf(p->step.text, sizeof(p->step.text), "open %s", app);
        }
    }
}

static void give_up(struct ia_step *s, struct ia_str text)
{
    memset(s, 0, sizeof(*s));
    copy_text(s->text, text);
}

/* From the first word that no row matches to the end of its clause. */
static struct ia_str not_understood(const struct ia_clauses *g)
{
    size_t i = g->unknown < g->words.count ? g->unknown : 0;
    while (i + 1 < g->words.count && ia_word_in(g->words.w[i].s, "and then but also please")) {
        i++;
    }
    size_t end = i + 1;
    while (end < g->words.count && g->words.w[end].kind != IA_WORD_STOP &&
           !(g->words.w[end].kind == IA_WORD_PAUSE && end > i + 1)) {
        end++;
    }
    return ia_words_text(&g->words, i, end);
}

size_t ia_goal_parse(struct ia_str goal, struct ia_step *ret)
{
    struct ia_clauses *g = ia_calloc(1, sizeof(*g));
    struct plan *plan = ia_calloc(1, sizeof(*plan));
    bool cut = goal.n > IA_GOAL_BYTES_MAX;
    goal.n = cut ? ia_utf8_cut(goal.p, IA_GOAL_BYTES_MAX) : goal.n;
    ia_grammar_match(goal, g);
    size_t count = 1;
    if (g->unknown < g->words.count || g->words.cut || cut) {
        give_up(&ret[0],
                g->words.cut || cut ? ia_str("a goal of this length") : not_understood(g));
    } else {
        for (size_t i = 0; i < g->count; i++) {
            add_clause(plan, &g->words, &g->c[i]);
        }
        resolve_it(plan);
        log_in_first(plan);
        check_out_last(plan);
        open_apps(plan);
        count = plan->count;
        for (size_t i = 0; i < count; i++) {
            ret[i] = plan->p[i].step;
        }
        if (plan->full) {
            give_up(&ret[IA_STEPS_MAX - 1], ia_str("a goal of more than 40 steps"));
        }
    }
    free(plan);
    free(g);
    return count;
}

/* ---- for people ---- */

bool ia_goal_example(size_t i, const char **ret_about, const char **ret_example)
{
    static const char *const apps[] = {"Settings", "Contacts", "Reminders", "Shop", NULL};
    for (size_t a = 0; a < IA_COUNTOF(apps); a++) {
        for (size_t r = 0; r < ia_row_count; r++) {
            const char *app = ia_rows[r].app;
            bool same = app == apps[a] || (app && apps[a] && strcmp(app, apps[a]) == 0);
            if (same && ia_rows[r].example && i-- == 0) {
                *ret_about = app ? app : "any app";
                *ret_example = ia_rows[r].example;
                return true;
            }
        }
    }
    return false;
}

const char *ia_goal_nearest(struct ia_str text)
{
    const char *best = NULL;
    size_t most = 0;
    for (size_t r = 0; r < ia_row_count; r++) {
        const char *example = ia_rows[r].example;
        struct ia_str rest = text, word;
        size_t shared = 0;
        while (example && ia_word_next(&rest, &word)) {
            shared += !ia_word_in(word, "the a an to my in on of and with i is") &&
                      ia_text_tells(example, word);
        }
        bool shorter = example && best && shared == most && strlen(example) < strlen(best);
        if (shared > most || shorter) {
            most = shared;
            best = example;
        }
    }
    return best;
}
