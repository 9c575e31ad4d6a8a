/* actions.c: what a step can do: call a tool, end, look for a name, quote the screen. */
#include "mock/brain/state.h"

#include "base/utf8.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void ia_brain_copy(char *dst, size_t size, const char *text)
{
    size_t n = strlen(text);
    n = n < size ? n : ia_utf8_cut(text, size - 1);
    memcpy(dst, text, n);
    dst[n] = '\0';
}

/* ---- calls ---- */

enum ia_walk ia_brain_call(struct ia_brain *b, const char *tool, json_t *input)
{
    if (b->call_count == IA_BRAIN_CALLS_MAX) {
        json_decref(input);
        return IA_WALK_ACTED;
    }
    b->calls[b->call_count].tool = tool;
    b->calls[b->call_count++].input = input;
    return IA_WALK_ACTED;
}

enum ia_walk ia_brain_tap(struct ia_brain *b, const struct ia_brain_item *item)
{
    return ia_brain_call(b, "tap", json_pack("{s:I}", "ref", (json_int_t)item->ref));
}

enum ia_walk ia_brain_snapshot(struct ia_brain *b)
{
    return ia_brain_call(b, "snapshot", json_object());
}

enum ia_walk ia_brain_type(struct ia_brain *b, const struct ia_brain_item *item,
                           const char *text)
{
    json_t *input = json_pack("{s:I, s:s}", "ref", (json_int_t)item->ref, "text", text);
    if (*item->value) {
        json_object_set_new(input, "replace", json_true());
    }
    return ia_brain_call(b, "type_text", input);
}

enum ia_walk ia_brain_press_home(struct ia_brain *b)
{
    return ia_brain_call(b, "press_button", json_pack("{s:s}", "button", "home"));
}

/* ---- ends of a step ---- */

bool ia_brain_all_ok(const struct ia_brain *b)
{
    return (b->asked & ~b->ok) == 0;
}

static void set_reason(struct ia_brain *b, const char *fmt, va_list args) IA_PRINTF(2, 0);

static void set_reason(struct ia_brain *b, const char *fmt, va_list args)
{
    char text[2 * IA_BRAIN_REASON_MAX];
    vsnprintf(text, sizeof(text), fmt, args);
    ia_brain_copy(b->reason, sizeof(b->reason), text);
}

enum ia_walk ia_brain_fail(struct ia_brain *b, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    set_reason(b, fmt, args);
    va_end(args);
    return IA_WALK_FAILED;
}

enum ia_walk ia_brain_block(struct ia_brain *b, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    set_reason(b, fmt, args);
    va_end(args);
    return IA_WALK_BLOCKED;
}

enum ia_walk ia_brain_again(struct ia_brain *b, int phase)
{
    if (b->tries++ >= IA_BRAIN_TRIES_MAX) {
        return ia_brain_fail(b, "the action failed: %s", b->last_error);
    }
    b->phase = phase;
    return ia_brain_snapshot(b);
}

enum ia_walk ia_brain_seek(struct ia_brain *b, const char *what, const char *name)
{
    /* Once for each step: by scrolling where something lies outside, else by a fresh look. */
    if (!b->sought) {
        b->sought = true;
        return b->screen.outside
                   ? ia_brain_call(b, "scroll_to", json_pack("{s:s}", "text", name))
                   : ia_brain_snapshot(b);
    }
    struct ia_buf seen = IA_BUF(4096);
    ia_brain_list(&b->screen, &seen);
    enum ia_walk w =
        ia_brain_fail(b, "I looked for %s \"%s\" and saw: %s", what, name, ia_buf_cstr(&seen));
    ia_buf_fini(&seen);
    return w;
}

void ia_brain_quote(struct ia_brain *b, const char *text)
{
    size_t i = 0;
    while (i < b->quote_count && strcmp(b->quotes[i].text, text) != 0) {
        i++;
    }
    if (i < IA_BRAIN_EVIDENCE_MAX && strlen(text) < IA_STEP_TEXT_MAX) {
        struct ia_brain_quote *q = &b->quotes[i];
        b->quote_count = i == b->quote_count ? i + 1 : b->quote_count;
        ia_brain_copy(q->text, sizeof(q->text), text);
        q->step = b->shown_step;
    }
}
