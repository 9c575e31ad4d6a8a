/* expect_holds.c: evaluates an expectation on a snapshot; pure, and cannot fail. What was found
 * instead is one line, which the model reads when its finish is refused.
 *
 * Elements off the screen or covered do not count as visible, but they do count as not gone. A tree
 * that the device cut may hold anything, so nothing is gone from it and nothing in it can be
 * counted.
 *
 * What the start says of an expectation is kept as a short text: HERE or NOT_HERE for appears and
 * disappears, the value and state of the first match for changes. */
#include "agent/goal/expect.h"

#include "agent/goal/app_state.h"
#include "base/jsonw.h"

#include <stdlib.h>
#include <string.h>

#define HERE "here"
#define NOT_HERE "not here"
#define UNKNOWN "unknown"
#define STATE "state:" /* before what a match read */

static bool seen(const struct ia_element *e)
{
    return e->reach != IA_REACH_OFFSCREEN && e->reach != IA_REACH_COVERED;
}

/* The next element from *index on that matches; moves *index past it. */
static const struct ia_element *next_match(const struct ia_selector *sel,
                                           const struct ia_snapshot *s, size_t *index)
{
    const struct ia_element *e;
    while ((e = ia_snapshot_at(s, *index)) != NULL) {
        (*index)++;
        if (ia_selector_matches(sel, e)) {
            return e;
        }
    }
    return NULL;
}

/* A switch is on or off, or 1 or 0 as XCTest calls it; other states are values by their names. */
static bool value_is(const struct ia_element *e, const char *text)
{
    if ((e->value && strcmp(e->value, text) == 0) ||
        (e->selected && strcmp(text, "selected") == 0) ||
        (e->disabled && strcmp(text, "disabled") == 0)) {
        return true;
    }
    if (e->on == IA_ON) {
        return strcmp(text, "on") == 0 || strcmp(text, "1") == 0;
    }
    return e->on == IA_OFF && (strcmp(text, "off") == 0 || strcmp(text, "0") == 0);
}

static bool visible_holds(const struct ia_expect *x, const struct ia_snapshot *s,
                          struct ia_buf *why)
{
    size_t i = 0, hidden = 0;
    const struct ia_element *e;
    while ((e = next_match(&x->sel, s, &i)) != NULL) {
        if (seen(e)) {
            return true;
        }
        hidden++;
    }
    if (why) {
        ia_buf_printf(why, "%s: %s\n", x->source,
                      hidden ? "it is off the screen or covered" : "it is not on the screen");
    }
    return false;
}

static bool gone_holds(const struct ia_expect *x, const struct ia_snapshot *s,
                       struct ia_buf *why)
{
    size_t i = 0;
    const struct ia_element *e = next_match(&x->sel, s, &i);
    if (e && why) {
        ia_buf_printf(why, "%s: it is still there%s: ", x->source,
                      seen(e) ? "" : " (off the screen or covered)");
        ia_element_text(e, why);
        ia_buf_putc(why, '\n');
    }
    /* What the device did not deliver may hold it. */
    bool cut = !e && ia_snapshot_truncated(s);
    if (cut && why) {
        ia_buf_printf(why, "%s: the screen text was cut, so it may still be there\n",
                      x->source);
    }
    return !e && !cut;
}

static bool value_holds(const struct ia_expect *x, const struct ia_snapshot *s,
                        struct ia_buf *why)
{
    size_t i = 0;
    const struct ia_element *e, *first = NULL;
    while ((e = next_match(&x->sel, s, &i)) != NULL) {
        if (seen(e) && value_is(e, x->text)) {
            return true;
        }
        first = first ? first : e;
    }
    if (why) {
        ia_buf_printf(why, "%s: %s", x->source, first ? "it is " : "no such element");
        if (first) {
            ia_element_text(first, why);
        }
        ia_buf_putc(why, '\n');
    }
    return false;
}

static bool app_holds(const struct ia_expect *x, const struct ia_snapshot *s,
                      struct ia_buf *why)
{
    const char *app = ia_snapshot_app(s);
    bool holds = app && strcmp(app, x->text) == 0;
    if (!holds && why) {
        ia_buf_printf(why, "%s: %s is in front\n", x->source, app ? app : "an unknown app");
    }
    return holds;
}

static bool text_holds(const struct ia_expect *x, const struct ia_snapshot *s,
                       struct ia_buf *why)
{
    bool holds = ia_snapshot_contains(s, ia_str(x->text));
    if (!holds && why) {
        ia_buf_printf(why, "%s: no text on the screen contains it\n", x->source);
    }
    return holds;
}

/* What stands in the way of reading the app's state; NULL: nothing. */
static const char *no_state(const struct ia_snapshot *s, const char *told, size_t count)
{
    if (count > 1) {
        return "several elements tell a state, so none of them is believed";
    }
    if (!told && ia_snapshot_truncated(s)) {
        return "the screen text was cut, and no state is in what is left";
    }
    return told ? NULL
                : "the app in front tells no state; a debug build tells it with the SDK "
                  "(docs/app-sdk.md), unless an alert lies over the app";
}

static bool state_holds(const struct ia_expect *x, const struct ia_snapshot *s,
                        struct ia_buf *why)
{
    size_t count = 0;
    const char *told = ia_snapshot_app_state(s, &count);
    const char *obstacle = no_state(s, told, count);
    struct ia_err err = {0};
    struct ia_buf value = IA_BUF(IA_APP_STATE_VALUE_MAX + 1);
    bool read = !obstacle && ia_app_state_get(told, x->name, &value, &err) == IA_OK;
    bool holds = read && strcmp(ia_buf_cstr(&value), x->text) == 0;
    if (why && obstacle) {
        ia_buf_printf(why, "%s: %s\n", x->source, obstacle);
    } else if (why && !read) {
        ia_buf_printf(why, "%s: %s%s\n", x->source,
                      err.code == IA_E_PARSE ? "the app's state cannot be read: " : "",
                      err.msg);
    } else if (why && !holds) {
        ia_buf_printf(why, "%s: it is \"", x->source);
        ia_json_escape(why, ia_buf_str(&value));
        ia_buf_puts(why, "\"\n");
    }
    ia_buf_fini(&value);
    return holds;
}

/* ---- against the start ------------------------------------------------------------------- */

enum { STATE_BYTES_MAX = 8192 };

static bool no_start(const struct ia_expect *x, struct ia_buf *why)
{
    if (why) {
        ia_buf_printf(why,
                      "%s: the first screen did not show all, so nothing is known of the "
                      "start\n",
                      x->source);
    }
    return false;
}

static bool appears_holds(const struct ia_expect *x, const struct ia_snapshot *s,
                          struct ia_buf *why)
{
    if (!visible_holds(x, s, why)) {
        return false;
    }
    if (!x->start || strcmp(x->start, UNKNOWN) == 0) {
        return no_start(x, why);
    }
    bool was = strcmp(x->start, NOT_HERE) != 0;
    if (was && why) {
        ia_buf_printf(why, "%s: it was there from the start\n", x->source);
    }
    return !was;
}

static bool disappears_holds(const struct ia_expect *x, const struct ia_snapshot *s,
                             struct ia_buf *why)
{
    if (!gone_holds(x, s, why)) {
        return false;
    }
    if (!x->start) {
        return no_start(x, why);
    }
    bool was = strcmp(x->start, HERE) == 0;
    if (!was && why) {
        ia_buf_printf(why, "%s: it was not there at the start\n", x->source);
    }
    return was;
}

/* Value and states of the first visible match; nothing where there is none. */
static bool read_state(const struct ia_expect *x, const struct ia_snapshot *s,
                       struct ia_buf *out)
{
    size_t i = 0;
    const struct ia_element *e;
    while ((e = next_match(&x->sel, s, &i)) != NULL) {
        if (seen(e)) {
            ia_buf_printf(out, "%s%s%s%s%s%s", STATE, ia_tristate_names[e->on],
                          e->selected ? " selected" : "", e->disabled ? " disabled" : "",
                          e->value ? " = " : "", e->value ? e->value : "");
            return true;
        }
    }
    return false;
}

static bool changes_holds(const struct ia_expect *x, const struct ia_snapshot *s,
                          struct ia_buf *why)
{
    if (!visible_holds(x, s, why)) {
        return false;
    }
    if (!x->start) {
        return no_start(x, why);
    }
    struct ia_buf now = IA_BUF(STATE_BYTES_MAX);
    (void)read_state(x, s, &now);
    bool was = strncmp(x->start, STATE, strlen(STATE)) == 0;
    bool holds = was && strcmp(x->start, ia_buf_cstr(&now)) != 0;
    if (!holds && why) {
        ia_buf_printf(why, "%s: %s\n", x->source,
                      was ? "it reads as at the start" : "it was not on the first screen");
    }
    ia_buf_fini(&now);
    return holds;
}

static bool count_holds(const struct ia_expect *x, const struct ia_snapshot *s,
                        struct ia_buf *why)
{
    int n = 0;
    size_t i = 0;
    const struct ia_element *e;
    while ((e = next_match(&x->sel, s, &i)) != NULL) {
        n += e->listed && seen(e);
    }
    bool cut = ia_snapshot_truncated(s);
    if ((cut || n != x->count) && why) {
        ia_buf_printf(why, "%s: there are %d%s\n", x->source, n,
                      cut ? ", but the screen text was cut" : "");
    }
    return !cut && n == x->count;
}

static bool command_holds(const struct ia_expect *x, const struct ia_snapshot *s,
                          struct ia_buf *why)
{
    (void)s;
    if (why) {
        ia_buf_printf(why, "%s: it was not run\n", x->source);
    }
    return false;
}

/* ---- all kinds --------------------------------------------------------------------------- */

bool ia_expect_holds(const struct ia_expect *x, const struct ia_snapshot *s, struct ia_buf *why)
{
    static bool (*const holds[IA_EXPECT_KINDS])(const struct ia_expect *,
                                                const struct ia_snapshot *, struct ia_buf *) = {
        [IA_EXPECT_VISIBLE] = visible_holds, [IA_EXPECT_GONE] = gone_holds,
        [IA_EXPECT_APPEARS] = appears_holds, [IA_EXPECT_DISAPPEARS] = disappears_holds,
        [IA_EXPECT_CHANGES] = changes_holds, [IA_EXPECT_VALUE] = value_holds,
        [IA_EXPECT_COUNT] = count_holds,     [IA_EXPECT_TEXT] = text_holds,
        [IA_EXPECT_APP] = app_holds,         [IA_EXPECT_STATE] = state_holds,
        [IA_EXPECT_COMMAND] = command_holds,
    };
    return holds[x->kind](x, s, why);
}

void ia_expect_begin(struct ia_expect *e, const struct ia_snapshot *first)
{
    struct ia_buf start = IA_BUF(STATE_BYTES_MAX);
    size_t i = 0;
    bool compares = e->kind == IA_EXPECT_APPEARS || e->kind == IA_EXPECT_DISAPPEARS ||
                    e->kind == IA_EXPECT_CHANGES;
    if (!compares) {
        return;
    }
    bool here = next_match(&e->sel, first, &i) != NULL;
    if (e->kind != IA_EXPECT_CHANGES || !read_state(e, first, &start)) {
        ia_buf_puts(&start, here ? HERE : ia_snapshot_truncated(first) ? UNKNOWN : NOT_HERE);
    }
    ia_expect_recall(e, ia_buf_str(&start));
    ia_buf_fini(&start);
}

void ia_expect_recall(struct ia_expect *e, struct ia_str start)
{
    free(e->start);
    e->start = start.n > 0 ? ia_strndup(start.p, start.n) : NULL;
}
