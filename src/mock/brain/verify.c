/* verify.c: the demo brain as the second opinion: a literal check of each step of the
 * goal against what the screens showed, never against what anybody said. */
#include "mock/brain/state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MESSAGE_BYTES = 4 << 20, REASON_BYTES = 900 };

struct evidence {
    struct ia_brain_screen ever; /* everything that any screen showed */
    struct ia_brain last;        /* only its screen is used */
    const char *text;            /* the whole message */
    struct ia_str steps;         /* of it, what each step changed */
};

static void evidence_init(struct evidence *e, const struct ia_buf *message)
{
    const char *steps = strstr(ia_buf_cstr(message), "<steps");
    struct ia_str all = ia_buf_str(message);
    memset(e, 0, sizeof(*e));
    e->text = ia_buf_cstr(message);
    e->steps = steps ? ia_str(steps) : all;
    ia_brain_screen_note(&e->ever, e->steps);
    (void)ia_brain_screen_read(&e->last.screen, ia_brain_screen_part(all));
}

static bool is_field(const struct ia_brain_item *item)
{
    return ia_brain_role_is(item, "field") || ia_brain_role_is(item, "search") ||
           ia_brain_role_is(item, "password");
}

/* Shown as text of the app, not just typed into a field. */
static bool shown_outside_fields(const struct ia_brain_screen *s, const char *text)
{
    for (size_t i = 0; i < s->count; i++) {
        const struct ia_brain_item *item = &s->items[i];
        if (!is_field(item) &&
            (ia_brain_contains(item->label, text) || ia_brain_contains(item->value, text))) {
            return true;
        }
    }
    return s->title && ia_brain_contains(s->title, text);
}

static bool typed(const struct ia_brain_screen *s, const char *text)
{
    for (size_t i = 0; i < s->count; i++) {
        if (is_field(&s->items[i]) && (ia_brain_contains(s->items[i].value, text) ||
                                       ia_brain_role_is(&s->items[i], "password"))) {
            return true;
        }
    }
    return shown_outside_fields(s, text);
}

static bool opened(const struct evidence *e, const char *app)
{
    const char *bundle = ia_brain_bundle(app);
    return (bundle && strstr(e->text, bundle)) || shown_outside_fields(&e->ever, app) ||
           shown_outside_fields(&e->last.screen, app);
}

/* The state on the last screen that had the switch. */
static bool toggled(const struct evidence *e, const char *name, bool on)
{
    const struct ia_brain_item *item = ia_brain_find(&e->last, IA_WANT_TOGGLE, name);
    bool found = false;
    if (item) {
        return on ? item->on : item->off;
    }
    for (size_t i = 0; i < e->ever.count; i++) {
        item = &e->ever.items[i];
        if (strcasecmp(item->label, name) == 0 && (item->on || item->off)) {
            found = on ? item->on : item->off;
        }
    }
    return found;
}

static bool has_value(const struct evidence *e, const struct ia_step *s)
{
    const struct ia_brain_item *item = ia_brain_find(&e->last, IA_WANT_ANY, s->a);
    return item &&
           (ia_brain_contains(item->value, s->b) || ia_brain_contains(item->label, s->b));
}

/* Whether some line of the steps had the element with that value, even if it changed since. */
static bool had_value(const struct evidence *e, const struct ia_step *s)
{
    bool found = false;
    for (size_t at = 0; !found && at < e->steps.n;) {
        const char *line = e->steps.p + at;
        const char *nl = memchr(line, '\n', e->steps.n - at);
        size_t n = nl ? (size_t)(nl - line) : e->steps.n - at;
        struct ia_brain_screen one;
        ia_brain_screen_init(&one);
        ia_brain_screen_note(&one, (struct ia_str){line, n});
        found = one.count == 1 && ia_brain_contains(one.items[0].label, s->a) &&
                ia_brain_contains(one.items[0].value, s->b);
        ia_brain_screen_fini(&one);
        at += n + 1;
    }
    return found;
}

static bool holds(const struct evidence *e, const struct ia_step *s)
{
    const struct ia_brain_screen *last = &e->last.screen;
    switch (s->kind) {
    case IA_STEP_UNKNOWN:
        return false;
    case IA_STEP_OPEN:
        return opened(e, s->a);
    case IA_STEP_ADD_CONTACT:
    case IA_STEP_ADD_TO_CART:
    case IA_STEP_ADD_REMINDER:
    case IA_STEP_COMPLETE:
    case IA_STEP_CHECK_LIST:
    case IA_STEP_CHECK_VISIBLE:
    case IA_STEP_SCROLL:
        return shown_outside_fields(&e->ever, s->a) || shown_outside_fields(last, s->a);
    case IA_STEP_SWITCH_ON:
    case IA_STEP_CHECK_ON:
        return toggled(e, s->a, true);
    case IA_STEP_SWITCH_OFF:
    case IA_STEP_CHECK_OFF:
        return toggled(e, s->a, false);
    case IA_STEP_TYPE:
    case IA_STEP_SEARCH:
        return typed(&e->ever, s->a) || typed(last, s->a);
    case IA_STEP_CHECK_VALUE:
        return has_value(e, s) || shown_outside_fields(&e->ever, s->b) || had_value(e, s);
    case IA_STEP_CHECK_GONE:
    case IA_STEP_DELETE:
        return !shown_outside_fields(last, s->a);
    default:
        return true;
    }
}

static bool check_steps(const struct evidence *e, const struct ia_step *steps, size_t count,
                        struct ia_buf *reason)
{
    for (size_t i = 0; i < count; i++) {
        if (!holds(e, &steps[i])) {
            ia_buf_printf(reason,
                          "Literal check by the demo brain: the screens do not show "
                          "\"%s\".",
                          steps[i].text);
            return false;
        }
    }
    if (count == 0 || !e->last.screen.title) {
        ia_buf_puts(reason, "Literal check by the demo brain: there is no step or no last "
                            "screen to check.");
        return false;
    }
    ia_buf_printf(reason, "Literal check by the demo brain: the screens show all %zu steps.",
                  count);
    return true;
}

void ia_brain_verify(const struct ia_mock_request *req, struct ia_mock_answer *answer)
{
    struct ia_buf message = IA_BUF(MESSAGE_BYTES);
    struct ia_buf goal = IA_BUF(MESSAGE_BYTES);
    struct ia_buf reason = IA_BUF(REASON_BYTES);
    struct ia_step *steps = ia_calloc(IA_STEPS_MAX, sizeof(*steps));
    struct evidence *e = ia_calloc(1, sizeof(*e));
    for (size_t i = 0; i < req->turns[0].count; i++) {
        ia_mock_block_text(&req->turns[0].blocks[i], &message);
    }
    ia_brain_goal(req, &goal);
    size_t count = ia_goal_parse(ia_buf_str(&goal), steps);
    evidence_init(e, &message);
    bool agrees = check_steps(e, steps, count, &reason);
    ia_mock_answer_tool(
        answer, "verdict",
        json_pack("{s:b, s:s}", "agrees", agrees, "reason", ia_buf_cstr(&reason)));
    ia_brain_screen_fini(&e->ever);
    ia_brain_screen_fini(&e->last.screen);
    free(e);
    free(steps);
    ia_buf_fini(&reason);
    ia_buf_fini(&goal);
    ia_buf_fini(&message);
}
