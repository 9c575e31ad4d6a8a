/* brain.c: the demo brain's walk through a conversation. See brain.h.
 *
 *     for each turn of the request:
 *         user turn        observe: results of our calls, the screen they show
 *         assistant turn   decide: which calls were made then (they are made again, and dropped)
 *     decide once more; these calls are the answer
 *
 * So the state after n turns is a function of the request, and an answer never depends on what this
 * process did before. What became of a call that was interrupted is read off the screen. */
#include "mock/brain/brain.h"

#include "base/hash.h"
#include "mock/brain/state.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAY_MAX = 1200, TEXT_BYTES = 1 << 20, QUOTE_LETTERS_MIN = 2, MOVES_MAX = 200 };

static const char introduction[] = "Demo brain: I follow literal steps and do not reason.";

/* Index of a result among the calls of the assistant turn before it, or -1. */
static int call_index(const struct ia_mock_turn *asked, const char *id)
{
    int n = 0;
    for (size_t i = 0; i < asked->count; i++) {
        const struct ia_mock_block *block = &asked->blocks[i];
        if (ia_mock_block_is(block, "tool_use")) {
            const char *have = ia_mock_str(block->json, "id");
            if (have && strcmp(have, id) == 0) {
                return n;
            }
            n++;
        }
    }
    return -1;
}

/* "step 12 ok": the number, or the one from before. */
static int head_step(const char *text, int before)
{
    static const char word[] = "step ";
    if (strncmp(text, word, sizeof(word) - 1) != 0) {
        return before;
    }
    return (int)strtol(text + sizeof(word) - 1, NULL, 10);
}

/* A run that is locked to an app is told only which app is in front instead. */
static void read_hidden(struct ia_brain *b, const char *text)
{
    const char *hidden = strstr(text, " is in front; what it shows is hidden");
    const char *word = hidden;
    while (word && word > text && word[-1] > ' ') {
        word--;
    }
    if (hidden) {
        struct ia_buf header = IA_BUF(IA_BRAIN_APP_MAX + 16);
        ia_buf_put(&header, word, (size_t)(hidden - word));
        ia_buf_puts(&header, " 1x1 #0000");
        (void)ia_brain_screen_read(&b->screen, ia_buf_str(&header));
        ia_buf_fini(&header);
    }
}

/* A result that was cut off shows no step's screen, so nothing may be quoted from it. */
static void take_result(struct ia_brain *b, const struct ia_mock_turn *asked,
                        const struct ia_mock_block *block)
{
    struct ia_buf text = IA_BUF(TEXT_BYTES);
    const char *id = ia_mock_str(block->json, "tool_use_id");
    int index = asked && id ? call_index(asked, id) : -1;
    bool error = json_is_true(json_object_get(block->json, "is_error"));
    ia_mock_block_text(block, &text);
    const char *all = ia_buf_cstr(&text);
    bool lost = error && (strstr(all, "error INTERRUPTED") || strstr(all, "error DEVICE_LOST"));
    if (!error && index >= 0 && index < IA_BRAIN_CALLS_MAX) {
        b->now.ok |= 1U << index;
        b->now.unchanged = b->now.unchanged && strstr(all, "nothing changed");
    }
    if (error) {
        ia_brain_copy(b->last_error, sizeof(b->last_error), all);
    }
    if (lost) {
        b->cut_off = true;
        b->finishing = false; /* nobody decided on it: finish again */
    }
    b->refused = b->refused || (b->finishing && error);
    (void)ia_brain_screen_read(&b->screen, ia_brain_screen_part(ia_buf_str(&text)));
    read_hidden(b, all);
    b->shown_step = error ? 0 : head_step(all, b->shown_step);
    ia_buf_fini(&text);
}

static uint64_t hash_text(uint64_t h, const char *text)
{
    return ia_hash(h, text, strlen(text) + 1);
}

/* What the screen shows, without the refs and the order of its elements: changes that arrive one
 * by one do not say where an element is, nor name every key of a keyboard. */
static uint64_t fingerprint(const struct ia_brain_screen *s)
{
    uint64_t sum = hash_text(hash_text(IA_HASH_SEED, s->app), s->title ? s->title : "");
    for (size_t i = 0; i < s->count; i++) {
        const struct ia_brain_item *item = &s->items[i];
        const bool states[] = {item->on, item->off, item->selected, item->disabled};
        uint64_t h = ia_hash(IA_HASH_SEED, states, sizeof(states));
        h = hash_text(hash_text(hash_text(h, item->role), item->label), item->value);
        sum += ia_brain_role_is(item, "keyboard") ? 0 : h;
    }
    return sum;
}

static bool is_tool(const struct ia_brain *b, const char *a, const char *other)
{
    return strcmp(b->asked_tool, a) == 0 || strcmp(b->asked_tool, other) == 0;
}

/* The screen shows whether a single call took effect: if it did not change, the call is made
 * again. A scroll or wait may have come half of the way, so it is repeated in any case; a text may
 * have been typed in part, and is typed again by the step itself. */
static void settle_cut_off(struct ia_brain *b, uint64_t screen_before)
{
    if (b->now.asked != 1 || is_tool(b, "type_text", "clear_text")) {
        return;
    }
    if (is_tool(b, "scroll_to", "wait_for") || fingerprint(&b->screen) == screen_before) {
        b->now = b->before;
    } else {
        b->now.ok |= 1;
        b->now.unchanged = false;
    }
}

/* The home screen came to the front, and no call asked for it. */
static bool left_app(const struct ia_brain *b, const char *app_before)
{
    static const char *const may[] = {"press_button", "launch_app", "terminate_app",
                                      "open_url",     "finish",     ""};
    static const char home[] = "com.apple.springboard";
    for (size_t i = 0; i < IA_COUNTOF(may); i++) {
        if (strcmp(b->asked_tool, may[i]) == 0) {
            return false;
        }
    }
    return *app_before && strcmp(app_before, home) != 0 && strcmp(b->screen.app, home) == 0;
}

/* Reads a user turn; asked is the assistant turn before it. */
static void observe(struct ia_brain *b, const struct ia_mock_turn *asked,
                    const struct ia_mock_turn *turn)
{
    uint64_t before = fingerprint(&b->screen);
    char app[IA_BRAIN_APP_MAX];
    memcpy(app, b->screen.app, sizeof(app));
    b->now.ok = 0;
    b->refused = false;
    b->cut_off = false;
    b->now.unchanged = asked != NULL;
    for (size_t i = 0; i < turn->count; i++) {
        if (ia_mock_block_is(&turn->blocks[i], "tool_result")) {
            take_result(b, asked, &turn->blocks[i]);
        } else if (ia_brain_read_screen(&turn->blocks[i], &b->screen)) {
            b->shown_step = 0;
        }
    }
    /* Last, as the screen that came with the results tells what the call has done. */
    if (b->cut_off) {
        settle_cut_off(b, before);
    }
    b->crashed = b->crashed || (!b->cut_off && asked && left_app(b, app));
}

/* ---- finish ---- */

/* As a label, a value, the title, or a line such as "switch:on Bluetooth". */
static bool stands_on_screen(const struct ia_brain_screen *s, const char *text)
{
    for (size_t i = 0; i < s->count; i++) {
        const struct ia_brain_item *item = &s->items[i];
        const char *space = strchr(text, ' ');
        size_t role = strlen(item->role);
        bool line = space && strncmp(text, item->role, role) == 0 && text[role] == ':' &&
                    strcmp(space + 1, item->label) == 0 &&
                    (item->on == (strncmp(text + role, ":on", 3) == 0));
        if (strcmp(item->label, text) == 0 || strcmp(item->value, text) == 0 || line) {
            return true;
        }
    }
    return s->title && strcmp(s->title, text) == 0;
}

static bool worth_quoting(const char *text)
{
    int word_chars = 0;
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        word_chars +=
            c >= 0x80 || (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z');
    }
    return word_chars >= QUOTE_LETTERS_MIN;
}

/* Something that is on the screen now, when no step gave a quote. */
static void quote_anything(struct ia_brain *b)
{
    const struct ia_brain_screen *s = &b->screen;
    if (s->title && worth_quoting(s->title)) {
        ia_brain_quote(b, s->title);
    }
    for (size_t i = 0; b->quote_count == 0 && i < s->count; i++) {
        if (worth_quoting(s->items[i].label)) {
            ia_brain_quote(b, s->items[i].label);
        }
    }
}

static void add_evidence(const struct ia_brain *b, json_t *list)
{
    for (size_t i = 0; i < b->quote_count; i++) {
        const struct ia_brain_quote *q = &b->quotes[i];
        bool here = stands_on_screen(&b->screen, q->text);
        if (!worth_quoting(q->text) || (!here && q->step <= 0)) {
            continue;
        }
        json_t *item = json_pack("{s:s}", "quote", q->text);
        if (!here) {
            json_object_set_new(item, "step", json_integer(q->step));
        }
        json_array_append_new(list, item);
    }
}

static json_t *evidence_json(struct ia_brain *b)
{
    json_t *list = json_array();
    add_evidence(b, list);
    if (json_array_size(list) == 0) {
        b->quote_count = 0;
        quote_anything(b);
        add_evidence(b, list);
    }
    return list;
}

static void finish(struct ia_brain *b, const char *verdict, const char *summary)
{
    char cut[SAY_MAX];
    ia_brain_copy(cut, sizeof(cut), summary);
    json_t *evidence = strcmp(verdict, "passed") == 0 ? evidence_json(b) : json_array();
    b->finishing = true;
    (void)ia_brain_call(
        b, "finish",
        json_pack("{s:s, s:s, s:o}", "verdict", verdict, "summary", cut, "evidence", evidence));
}

static void finish_passed(struct ia_brain *b)
{
    struct ia_buf text = IA_BUF((size_t)IA_GOAL_BYTES_MAX * 2);
    ia_buf_printf(&text, "%s%sThe demo brain did %zu step%s literally:", b->answer,
                  *b->answer ? " " : "", b->count, b->count == 1 ? "" : "s");
    for (size_t i = 0; i < b->count; i++) {
        ia_buf_printf(&text, "%s %s", i ? ";" : "", b->steps[i].text);
    }
    finish(b, "passed", ia_buf_cstr(&text));
    ia_buf_fini(&text);
}

/* What a person can do when the demo brain cannot go on. */
static void put_hint(struct ia_buf *text, const char *phrase)
{
    const char *nearest = phrase ? ia_goal_nearest(ia_str(phrase)) : NULL;
    if (nearest) {
        ia_buf_printf(text, " The nearest phrase that it knows: \"%s\".", nearest);
    }
    ia_buf_puts(text,
                " ios-agent help demo lists them all; with a key (ios-agent key set) Claude "
                "understands any goal.");
}

static void finish_blocked(struct ia_brain *b, const char *why, const char *phrase)
{
    struct ia_buf text = IA_BUF(SAY_MAX * 2);
    ia_buf_puts(&text, why);
    put_hint(&text, phrase);
    finish(b, "blocked", ia_buf_cstr(&text));
    ia_buf_fini(&text);
}

static void finish_stopped(struct ia_brain *b, enum ia_walk w)
{
    char text[IA_BRAIN_REASON_MAX + IA_STEP_TEXT_MAX + 64];
    (void)snprintf(text, sizeof(text), "Step %zu of %zu, \"%s\": %s.", b->now.at + 1, b->count,
                   b->steps[b->now.at].text, b->reason);
    if (w == IA_WALK_BLOCKED) {
        finish_blocked(b, text, NULL);
    } else {
        finish(b, "failed", text);
    }
}

/* ---- deciding ---- */

/* What is not understood, or cannot be done: nothing is touched then. */
static const struct ia_step *first_without_way(const struct ia_brain *b)
{
    for (size_t i = 0; i < b->count; i++) {
        if (b->steps[i].kind == IA_STEP_UNKNOWN || b->steps[i].kind == IA_STEP_CANNOT) {
            return &b->steps[i];
        }
    }
    return NULL;
}

static void finish_without_way(struct ia_brain *b, const struct ia_step *s)
{
    char text[IA_BRAIN_REASON_MAX + 100];
    bool unknown = s->kind == IA_STEP_UNKNOWN;
    (void)snprintf(text, sizeof(text), "The demo brain %s \"%s\"%s%s.",
                   unknown ? "does not understand" : "cannot do", s->text, unknown ? "" : ": ",
                   unknown ? "" : s->a);
    finish_blocked(b, text, unknown ? s->text : NULL);
}

static void next_step(struct ia_brain *b)
{
    b->now =
        (struct ia_brain_place){.at = b->now.at + 1, .asked = b->now.asked, .ok = b->now.ok};
}

static void walk_steps(struct ia_brain *b)
{
    /* A step that is done without a call leads to the next one in the same turn. */
    for (int moves = 0; b->now.at < b->count; moves++) {
        enum ia_walk w = moves < MOVES_MAX ? ia_brain_step(b, &b->steps[b->now.at])
                                           : ia_brain_block(b, "this step never finishes");
        if (w == IA_WALK_ACTED) {
            return;
        }
        if (w != IA_WALK_DONE) {
            finish_stopped(b, w);
            return;
        }
        next_step(b);
    }
    finish_passed(b);
}

static void finish_refused(struct ia_brain *b)
{
    char text[IA_BRAIN_REASON_MAX + 100];
    const char *screen = strstr(b->last_error, "<screen ");
    size_t n = screen ? (size_t)(screen - b->last_error) : strlen(b->last_error);
    (void)snprintf(text, sizeof(text), "The verdict was not accepted: %.*s", (int)n,
                   b->last_error);
    /* Its own steps were done, but cannot be seen: that is no defect of the app. */
    bool unseen = strstr(b->last_error, "an independent check does not agree") &&
                  !strstr(b->last_error, "an expectation does not hold");
    if (b->refused && unseen) {
        finish_blocked(b, text, NULL);
    } else {
        finish(b, "failed", b->refused ? text : "The demo brain has already finished.");
    }
}

/* Puts the next calls into b->calls; the turn is the number of answers before this one. */
static void decide(struct ia_brain *b, size_t turn)
{
    const struct ia_step *no_way = first_without_way(b);
    b->before = b->now;
    if (b->finishing) {
        finish_refused(b);
    } else if (b->count == 0) {
        finish_blocked(b, "The goal has no step that the demo brain can follow.", NULL);
    } else if (no_way) {
        finish_without_way(b, no_way);
    } else if (turn + 1 >= IA_BRAIN_TURNS_MAX) {
        finish_blocked(b, "The demo brain has used up its turns.", NULL);
    } else if (!b->screen.title && turn == 0) {
        (void)ia_brain_snapshot(b);
    } else if (b->crashed && b->now.at < b->count) {
        (void)ia_brain_fail(b, "the app ended by itself");
        finish_stopped(b, IA_WALK_FAILED);
    } else {
        walk_steps(b);
    }
}

/* Ends an earlier turn: keeps what it asked for and announced. */
static void drop_calls(struct ia_brain *b)
{
    b->now.asked = 0;
    b->asked_tool = b->call_count > 0 ? b->calls[0].tool : "";
    b->announced = b->now.at + 1;
    for (size_t i = 0; i < b->call_count; i++) {
        b->now.asked |= 1U << i;
        json_decref(b->calls[i].input);
    }
    b->call_count = 0;
}

/* ---- a step of a recording ---- */

/* A recording acted: nothing was decided, and nothing is shown of what came of it. */
static bool is_replayed(const struct ia_mock_turn *turn)
{
    for (size_t i = 0; i < turn->count; i++) {
        const char *id = ia_mock_str(turn->blocks[i].json, "id");
        if (ia_mock_block_is(&turn->blocks[i], "tool_use")) {
            return id && strncmp(id, "replay_", 7) == 0;
        }
    }
    return false;
}

/* Where the turn gives a step of a recording to the model: goes to the step of the goal that it is part of, as it was
 * announced when it was recorded. */
static void take_heal(struct ia_brain *b, const struct ia_mock_turn *turn)
{
    struct ia_buf text = IA_BUF(TEXT_BYTES);
    static const char head[] = "Step ";
    for (size_t i = 0; i < turn->count; i++) {
        if (ia_mock_block_is(&turn->blocks[i], "text")) {
            ia_mock_block_text(&turn->blocks[i], &text);
        }
    }
    const char *heal = strstr(ia_buf_cstr(&text), "done again from a recording");
    const char *step = heal ? strstr(heal, head) : NULL;
    size_t n = step ? strtoul(step + sizeof(head) - 1, NULL, 10) : 0;
    if (n >= 1 && n <= b->count) {
        /* A password that stands in its field does not say whether it is the right one. */
        b->now = (struct ia_brain_place){.at = n - 1,
                                         .altered = b->steps[n - 1].kind == IA_STEP_LOGIN};
    }
    ia_buf_fini(&text);
}

/* ---- answering ---- */

static void announce(const struct ia_brain *b, size_t turn, struct ia_mock_answer *answer)
{
    char text[SAY_MAX];
    char step[IA_STEP_TEXT_MAX + 64] = "";
    if (b->finishing) {
        snprintf(step, sizeof(step), "I am done.");
    } else if (b->now.at < b->count && b->now.at + 1 != b->announced) {
        snprintf(step, sizeof(step), "Step %zu of %zu: %s.", b->now.at + 1, b->count,
                 b->steps[b->now.at].text);
    }
    snprintf(text, sizeof(text), "%s%s%s", turn == 0 ? introduction : "",
             turn == 0 && *step ? " " : "", step);
    if (*text) {
        ia_mock_answer_text(answer, text);
    }
}

static void put_calls(struct ia_brain *b, struct ia_mock_answer *answer)
{
    for (size_t i = 0; i < b->call_count; i++) {
        ia_mock_answer_tool(answer, b->calls[i].tool, b->calls[i].input);
    }
    b->call_count = 0;
}

/* Walks through the earlier turns, then decides once more and answers with that. */
static void act(const struct ia_mock_request *req, struct ia_brain *b,
                struct ia_mock_answer *answer)
{
    size_t turn = 0;
    const struct ia_mock_turn *asked = NULL;
    for (size_t t = 0; t < req->turn_count; t++) {
        if (req->turns[t].role == IA_MOCK_USER) {
            observe(b, asked, &req->turns[t]);
            take_heal(b, &req->turns[t]);
        } else if (is_replayed(&req->turns[t])) {
            b->now.asked = 0;
            b->asked_tool = "";
            asked = &req->turns[t];
            turn++;
        } else if (req->turns[t].role == IA_MOCK_ASSISTANT) {
            /* The same decision as then, from the same state; its calls are in the
             * conversation already. */
            decide(b, turn++);
            drop_calls(b);
            asked = &req->turns[t];
        }
    }
    decide(b, turn);
    announce(b, turn, answer);
    put_calls(b, answer);
}

void ia_brain_answer(const struct ia_mock_request *req, struct ia_mock_answer *answer)
{
    if (ia_brain_is_verifier(req)) {
        ia_brain_verify(req, answer);
        return;
    }
    if (ia_mock_has_tool(req, "plan") && !ia_mock_has_tool(req, "finish")) {
        ia_brain_plan_goal(req, answer);
        return;
    }
    if (!ia_mock_has_tool(req, "finish") || !ia_mock_has_tool(req, "snapshot")) {
        ia_mock_answer_text(answer, introduction);
        return;
    }
    struct ia_buf goal = IA_BUF(TEXT_BYTES);
    struct ia_brain *b = ia_calloc(1, sizeof(*b));
    ia_brain_goal(req, &goal);
    b->count = ia_goal_parse(ia_buf_str(&goal), b->steps);
    ia_brain_screen_init(&b->screen);
    b->asked_tool = "";
    act(req, b, answer);
    ia_brain_screen_fini(&b->screen);
    free(b);
    ia_buf_fini(&goal);
}
