/* verify.c: the demo brain as the second opinion. It reads the goal as the acting brain does, but judges by
 * the facts that it is given and never by what anybody said:
 *
 *     first screen ─► act 1, what changed ─► act 2 … ─► last screen
 *          └─ step 1 ──────┘    └── step 2 ─┘   each step must be seen done, in this order,
 *     and what is to be so at the end must not be otherwise on the last screen. */
#include "mock/brain/know.h"
#include "mock/brain/state.h"
#include "mock/brain/words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MESSAGE_BYTES = 4 << 20, REASON_BYTES = 900, TOOL_BYTES = 32 };

struct trial {
    struct ia_step steps[IA_STEPS_MAX];
    size_t count;
    size_t at; /* the step that is to be seen next */
    struct ia_brain_screen screen;
    char tool[TOOL_BYTES];          /* of the act; "" before the first and at the end */
    char element[IA_STEP_TEXT_MAX]; /* the label of what it was done to */
    bool was;                       /* what the step is to take away was seen */
    bool taken;                     /* and something that takes away was pressed after that */
    bool skip[IA_STEPS_MAX];        /* steps that cannot be seen, as lines are left out */
    bool cut;                       /* some are */
    bool
        left_out; /* not all that was done is told: what changed nothing lasting may be missing */
    int level;    /* the first that was seen of what the step moves; -1: none yet */
};

static bool is_field(const struct ia_brain_item *item)
{
    return ia_brain_role_is(item, "field") || ia_brain_role_is(item, "search") ||
           ia_brain_role_is(item, "password");
}

/* Shown as text of the app, not just typed into a field. */
static bool shown(const struct ia_brain_screen *s, const char *text)
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
        const struct ia_brain_item *item = &s->items[i];
        if (is_field(item) && (ia_brain_contains(item->value, text) ||
                               (ia_brain_role_is(item, "password") && *item->value))) {
            return true;
        }
    }
    return shown(s, text);
}

static bool tool_is(const struct trial *t, const char *name)
{
    return strcmp(t->tool, name) == 0;
}

/* ---- one step against one moment ---- */

static bool touched(const struct trial *t, const struct ia_step *s)
{
    const char *name = ia_brain_setting(s->a);
    bool acts = tool_is(t, "tap") || tool_is(t, "long_press") || tool_is(t, "alert") ||
                tool_is(t, "launch_app");
    bool named = ia_brain_has_words(t->element, s->a) || ia_brain_has_words(t->element, name);
    return acts && (named || (tool_is(t, "alert") && !*t->element));
}

static bool opened(const struct trial *t, const struct ia_step *s)
{
    const struct ia_known_app *app = ia_known_app(ia_str(s->a));
    bool in_front = app && strcmp(app->bundle, t->screen.app) == 0;
    return s->kind == IA_STEP_OPEN_APP
               ? in_front
               : in_front || touched(t, s) || shown(&t->screen, ia_brain_setting(s->a));
}

/* It was there, something that takes away was pressed, and now it is not there. */
static bool taken_away(struct trial *t, const struct ia_step *s)
{
    enum ia_effect e = ia_brain_effect(&t->screen, s);
    bool takes = tool_is(t, "alert") || strncasecmp(t->element, "Delete", 6) == 0 ||
                 strncasecmp(t->element, "Remove", 6) == 0;
    t->taken = t->taken || (t->was && takes);
    t->was = t->was || e == IA_EFFECT_NO || ia_brain_contains(t->element, s->a);
    t->taken = t->taken || (t->was && takes);
    return t->taken && e == IA_EFFECT_YES;
}

static bool moved(struct trial *t, const struct ia_step *s)
{
    const struct ia_brain_item *item =
        ia_brain_find_exact(&t->screen, IA_WANT_SLIDER, ia_brain_setting(s->a));
    int now = ia_brain_level(item);
    t->level = t->level < 0 ? now : t->level;
    return now >= 0 && now == ia_brain_level_wanted(s, t->level);
}

/* The field shows the text when its page is opened, not while it is typed. */
static bool kept(const struct trial *t, const struct ia_step *s)
{
    const struct ia_brain_item *field =
        ia_brain_find_exact(&t->screen, IA_WANT_FIELD, ia_brain_setting(s->a));
    return field && strcmp(field->value, s->b) == 0 && tool_is(t, "tap");
}

static bool has_value(const struct ia_brain_screen *screen, const struct ia_step *s)
{
    const struct ia_brain_item *item = ia_brain_find(screen, IA_WANT_ANY, s->a);
    return item &&
           (ia_brain_contains(item->value, s->b) || ia_brain_contains(item->label, s->b));
}

static bool toggled(const struct ia_brain_screen *screen, const struct ia_step *s)
{
    const struct ia_brain_item *item =
        ia_brain_find_exact(screen, IA_WANT_TOGGLE, ia_brain_setting(s->a));
    return item && (s->kind == IA_STEP_CHECK_ON ? item->on : item->off);
}

/* What was asked for is to be read on the screen. */
static bool told(const struct trial *t, const struct ia_step *s)
{
    const struct ia_brain_item *item;
    size_t count;
    switch (s->kind) {
    case IA_STEP_READ_SETTING:
        item = ia_brain_find_exact(&t->screen, IA_WANT_ANY, ia_brain_setting(s->a));
        return item && (*item->value || item->on || item->off);
    case IA_STEP_READ_CONTACT:
        item = ia_brain_find_exact(&t->screen, IA_WANT_CELL, s->b);
        return item && *item->value && t->screen.title &&
               ia_text_tells(t->screen.title, ia_str(s->a));
    case IA_STEP_READ_PRICE:
        item = ia_brain_find_akin(&t->screen, IA_WANT_CELL, s->a, &count);
        return item && *item->value;
    case IA_STEP_COUNT:
        for (size_t i = 0; i < t->screen.count; i++) {
            const char *label = t->screen.items[i].label;
            size_t n = strspn(label, "0123456789");
            if (n && label[n] == ' ' && ia_word_akin(ia_str(label + n + 1), ia_str(s->a))) {
                return true;
            }
        }
        return false;
    default:
        return t->screen.title && ia_text_same(ia_str(t->screen.title), s->a);
    }
}

/* No reminder of the list is left with that button. */
static bool none_left(const struct trial *t, const char *list, const char *verb)
{
    bool there = t->screen.title && ia_text_same(ia_str(t->screen.title), list);
    for (size_t i = 0; i < t->screen.count; i++) {
        const struct ia_brain_item *item = &t->screen.items[i];
        there = there && !(ia_brain_role_is(item, "button") &&
                           strncmp(item->label, verb, strlen(verb)) == 0);
    }
    return there && !t->screen.outside;
}

static bool seen(struct trial *t, const struct ia_step *s)
{
    static const char *const tools[] = {
        [IA_STEP_CLOSE] = "terminate_app", [IA_STEP_CLEAR] = "clear_text",
        [IA_STEP_SWIPE] = "swipe",         [IA_STEP_BACK] = "back",
        [IA_STEP_HOME] = "press_button",   [IA_STEP_LOCK] = "press_button",
        [IA_STEP_ACCEPT] = "alert",        [IA_STEP_DISMISS] = "alert",
    };
    const char *tool = s->kind < IA_COUNTOF(tools) ? tools[s->kind] : NULL;
    if (tool) {
        return tool_is(t, tool) || t->left_out;
    }
    switch (s->kind) {
    case IA_STEP_SCREENSHOT: /* to look is no act, and is not told */
    case IA_STEP_WAIT:
        return true;
    case IA_STEP_UNKNOWN:
    case IA_STEP_CANNOT:
        return false;
    case IA_STEP_OPEN_APP:
    case IA_STEP_OPEN:
        return opened(t, s);
    case IA_STEP_TAP:
    case IA_STEP_HOLD:
        return touched(t, s) || t->left_out;
    case IA_STEP_CODE:
        return tool_is(t, "type_text") && strcmp(t->element, s->a) == 0;
    case IA_STEP_TYPE:
    case IA_STEP_SEARCH:
        return typed(&t->screen, s->a);
    case IA_STEP_SCROLL:
    case IA_STEP_CHECK_VISIBLE:
    case IA_STEP_CHECK_LIST:
        return shown(&t->screen, s->a);
    case IA_STEP_CHECK_GONE:
        return ia_brain_absent(&t->screen, s) && !ia_brain_still(&t->screen, s->a) &&
               !ia_brain_nowhere(&t->screen);
    case IA_STEP_CHECK_ON:
    case IA_STEP_CHECK_OFF:
        return toggled(&t->screen, s);
    case IA_STEP_CHECK_VALUE:
        return has_value(&t->screen, s);
    case IA_STEP_SET_TEXT:
        return kept(t, s);
    case IA_STEP_LEVEL:
        return moved(t, s);
    case IA_STEP_DELETE:
    case IA_STEP_TAKE_OUT:
        return taken_away(t, s);
    case IA_STEP_COMPLETE_ALL:
        return none_left(t, s->a, "Complete ");
    case IA_STEP_DELETE_DONE:
        return none_left(t, "Completed", "Reopen ");
    case IA_STEP_READ_SETTING:
    case IA_STEP_READ_CONTACT:
    case IA_STEP_READ_PRICE:
    case IA_STEP_READ_LIST:
    case IA_STEP_COUNT:
        return told(t, s);
    default:
        return ia_brain_effect(&t->screen, s) == IA_EFFECT_YES;
    }
}

/* A log-in that the app refuses is done when the goal itself goes on to look at the refusal. */
static bool refusal_wanted(const struct trial *t)
{
    const struct ia_step *next = &t->steps[t->at + 1];
    return t->at + 1 < t->count && t->steps[t->at].kind == IA_STEP_LOGIN &&
           next->kind == IA_STEP_CHECK_VISIBLE && shown(&t->screen, next->a);
}

/* Goes on through the steps that this moment shows. An act counts for one step. */
static void look(struct trial *t)
{
    while (t->at < t->count &&
           (t->skip[t->at] || seen(t, &t->steps[t->at]) || refusal_wanted(t))) {
        t->at++;
        t->was = t->taken = false;
        t->level = -1;
        t->tool[0] = '\0';
        t->element[0] = '\0';
    }
}

/* ---- the facts: agent/verdict/acts.h has their form ---- */

static void skip(struct ia_str *s, size_t n)
{
    n = n < s->n ? n : s->n;
    s->p += n;
    s->n -= n;
}

/* ` text="Ada" replace`, up to ": " or the end. */
static void skip_inputs(struct ia_str *s)
{
    bool quoted = false;
    while (s->n > 0 && (quoted || *s->p != ':')) {
        skip(s, quoted && *s->p == '\\' ? 1 : 0);
        quoted = s->n > 0 && *s->p == '"' ? !quoted : quoted;
        skip(s, 1);
    }
    skip(s, 2);
}

/* After an interruption elements have other numbers: what is acted on stands for what had its role and label. */
static void renumber(struct ia_brain_screen *s, const struct ia_brain_item *now)
{
    struct ia_brain_item *before = NULL;
    for (size_t i = 0; i < s->count; i++) {
        struct ia_brain_item *item = &s->items[i];
        if (item->ref == now->ref) {
            return;
        }
        bool same = strcmp(item->role, now->role) == 0 && strcmp(item->label, now->label) == 0;
        before = same && !before ? item : before;
    }
    if (before) {
        before->ref = now->ref;
    }
}

/* `step 4 type_text text="Ada": 12 field First name (nothing changed)` */
static void take_act(struct trial *t, struct ia_str line)
{
    struct ia_brain_screen one;
    skip(&line, strlen("step "));
    while (line.n > 0 && *line.p != ' ') {
        skip(&line, 1);
    }
    skip(&line, 1);
    size_t n = 0;
    while (n < line.n && line.p[n] != ' ' && line.p[n] != ':') {
        n++;
    }
    (void)snprintf(t->tool, sizeof(t->tool), "%.*s", (int)n, line.p);
    skip(&line, n);
    skip_inputs(&line);
    ia_brain_screen_init(&one);
    ia_brain_screen_note(&one, line);
    ia_brain_copy(t->element, sizeof(t->element), one.count == 1 ? one.items[0].label : "");
    if (one.count == 1) {
        renumber(&t->screen, &one.items[0]);
    }
    ia_brain_screen_fini(&one);
}

/* What is gone stood there until the act. */
static void look_at_gone(struct trial *t, struct ia_str changes)
{
    struct ia_str line;
    char tool[TOOL_BYTES], element[IA_STEP_TEXT_MAX];
    memcpy(tool, t->tool, sizeof(tool));
    memcpy(element, t->element, sizeof(element));
    t->tool[0] = t->element[0] = '\0';
    while (ia_str_line(&changes, &line)) {
        if (ia_str_starts(line, ia_str("- "))) {
            skip(&line, 2);
            ia_brain_screen_note(&t->screen, line);
            look(t);
        }
    }
    memcpy(t->tool, tool, sizeof(tool));
    memcpy(t->element, element, sizeof(element));
}

/* What an act changed, in lines that begin with "| ". */
static void end_act(struct trial *t, struct ia_buf *changes)
{
    look_at_gone(t, ia_buf_str(changes));
    (void)ia_brain_screen_read(&t->screen, ia_buf_str(changes));
    ia_buf_reset(changes);
    look(t);
}

static void replay_acts(struct trial *t, struct ia_str text)
{
    struct ia_buf changes = IA_BUF(MESSAGE_BYTES);
    struct ia_str line;
    while (ia_str_line(&text, &line)) {
        if (ia_str_starts(line, ia_str("step "))) {
            end_act(t, &changes);
            take_act(t, line);
        } else if (ia_str_starts(line, ia_str("| "))) {
            skip(&line, 2);
            ia_buf_putstr(&changes, line);
            ia_buf_putc(&changes, '\n');
        }
    }
    end_act(t, &changes);
    ia_buf_fini(&changes);
}

/* The steps, fenced as a whole, then the last screen. */
static void replay(struct trial *t, const char *message)
{
    ia_brain_screen_fini(&t->screen);
    t->at = 0;
    t->was = t->taken = false;
    t->level = -1;
    const char *steps = strstr(message, "<steps"), *last = strstr(message, "<last>");
    const char *end = steps ? strstr(steps, "</steps>") : NULL;
    if (end) {
        const char *left_out = strstr(steps, " steps are left out:");
        t->left_out = left_out && left_out < end;
        replay_acts(t, ia_brain_screen_part((struct ia_str){steps, (size_t)(end - steps)}));
    }
    t->tool[0] = t->element[0] = '\0';
    if (last) {
        (void)ia_brain_screen_read(&t->screen, ia_brain_screen_part(ia_str(last)));
        look(t);
    }
}

/* ---- where not all is told ---- */

/* Acts name what the step is about: it was typed, or stands on what was touched. */
static bool acted(const char *message, const struct ia_step *s)
{
    const char *steps = strstr(message, "<steps");
    struct ia_str text = ia_str(steps ? steps : ""), line;
    struct ia_buf told = IA_BUF(MESSAGE_BYTES);
    while (ia_str_line(&text, &line)) {
        if (ia_str_starts(line, ia_str("step "))) {
            ia_buf_putstr(&told, line);
            ia_buf_putc(&told, '\n');
        }
    }
    bool named = ia_text_tells(ia_buf_cstr(&told), ia_str(s->a)) ||
                 ia_text_tells(ia_buf_cstr(&told), ia_str(ia_brain_setting(s->a)));
    ia_buf_fini(&told);
    return named;
}

/* A long run is told in part. A look at a screen that is not shown cannot be judged then, and an
 * act is believed when it is told, though its effect is not, if the last screen does not show the
 * contrary. */
static bool cannot_be_seen(const struct trial *t, const char *message)
{
    const struct ia_step *s = &t->steps[t->at];
    bool looks = s->kind >= IA_STEP_CHECK_VISIBLE && s->kind <= IA_STEP_CHECK_VALUE;
    return t->cut && s->kind != IA_STEP_UNKNOWN && s->kind != IA_STEP_CANNOT &&
           (looks || acted(message, s));
}

static void try_all(struct trial *t, const char *message)
{
    t->cut = strstr(message, "\n| (+") || strstr(message, " (error ");
    replay(t, message);
    while (t->at < t->count && cannot_be_seen(t, message)) {
        t->skip[t->at] = true;
        replay(t, message);
    }
}

/* ---- the verdict ---- */

/* True when a later step is about the same thing. */
static bool overtaken(const struct trial *t, size_t i)
{
    for (size_t k = i + 1; k < t->count; k++) {
        if (strcasecmp(t->steps[k].a, t->steps[i].a) == 0 ||
            t->steps[k].kind == IA_STEP_CHECK_OUT) {
            return true;
        }
    }
    return false;
}

static const struct ia_step *undone(const struct trial *t)
{
    for (size_t i = 0; i < t->count; i++) {
        bool login = t->steps[i].kind == IA_STEP_LOGIN;
        if (!login && !overtaken(t, i) &&
            ia_brain_effect(&t->screen, &t->steps[i]) == IA_EFFECT_NO) {
            return &t->steps[i];
        }
    }
    return NULL;
}

static bool judge(const struct trial *t, struct ia_buf *reason)
{
    const char *const by = "Literal check by the demo brain:";
    const struct ia_step *back = undone(t);
    if (t->count == 0 || !t->screen.title) {
        ia_buf_printf(reason, "%s there is no step or no last screen to check.", by);
        return false;
    }
    if (t->at < t->count || back) {
        ia_buf_printf(reason, "%s the screens do not show \"%s\".", by,
                      t->at < t->count ? t->steps[t->at].text : back->text);
        return false;
    }
    ia_buf_printf(reason, "%s the screens show all %zu steps.", by, t->count);
    return true;
}

void ia_brain_verify(const struct ia_mock_request *req, struct ia_mock_answer *answer)
{
    struct ia_buf message = IA_BUF(MESSAGE_BYTES);
    struct ia_buf goal = IA_BUF(MESSAGE_BYTES);
    struct ia_buf reason = IA_BUF(REASON_BYTES);
    struct trial *t = ia_calloc(1, sizeof(*t));
    for (size_t i = 0; i < req->turns[0].count; i++) {
        ia_mock_block_text(&req->turns[0].blocks[i], &message);
    }
    ia_brain_goal(req, &goal);
    t->count = ia_goal_parse(ia_buf_str(&goal), t->steps);
    ia_brain_screen_init(&t->screen);
    const char *steps = strstr(ia_buf_cstr(&message), "</goal>");
    try_all(t, steps ? steps : ia_buf_cstr(&message));
    bool agrees = judge(t, &reason);
    ia_mock_answer_tool(
        answer, "verdict",
        json_pack("{s:b, s:s}", "agrees", agrees, "reason", ia_buf_cstr(&reason)));
    ia_brain_screen_fini(&t->screen);
    free(t);
    ia_buf_fini(&reason);
    ia_buf_fini(&goal);
    ia_buf_fini(&message);
}
