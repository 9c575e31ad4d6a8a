/* suspicious.c: the notice and the event of text that gives orders. */
#include "agent/loop/suspicious.h"

#include <string.h>

enum { LINE_MAX_BYTES = 4000 };

static void put_notice(struct ia_run_ctx *run, struct ia_buf *out,
                       const struct ia_suspect *found, size_t n)
{
    if (n == 0) {
        return;
    }
    ia_buf_printf(out, "\nnotice: %s", ia_prompts_note(run->texts.prompts, IA_NOTE_SUSPICIOUS));
    for (size_t i = 0; i < n; i++) {
        ia_buf_puts(out, i ? ", " : " ");
        ia_buf_printf(out, found[i].ref ? "%u" : "a text without a number", found[i].ref);
    }
    ia_buf_putc(out, '.');
}

void ia_suspicious_screen(struct ia_run_ctx *run, struct ia_buf *out)
{
    struct ia_run_ask *a = &run->ask;
    const struct ia_snapshot *s = run->device.shown;
    struct ia_suspect *found = a->found + a->found_count;
    if (!s || ia_app_lock_screen(&run->device.lock, s, NULL) != IA_OK) {
        return;
    }
    size_t n = ia_suspects_find(&a->suspects, s, found, IA_SUSPECTS_MAX - a->found_count);
    a->found_count += n;
    put_notice(run, out, found, n);
}

/* A line, and the two halves of an order that was broken into lines. */
void ia_suspicious_text(struct ia_run_ctx *run, struct ia_str text, struct ia_buf *out)
{
    struct ia_run_ask *a = &run->ask;
    struct ia_suspect *found = a->found + a->found_count;
    struct ia_str before = {"", 0};
    size_t n = 0;
    while (text.n > 0) {
        const char *end = memchr(text.p, '\n', text.n);
        size_t len = end ? (size_t)(end - text.p) : text.n;
        struct ia_str line = {text.p, len < LINE_MAX_BYTES ? len : LINE_MAX_BYTES};
        bool own = ia_str_find(line, run->boundary) != NULL;
        struct ia_str both = {before.p, (size_t)(line.p + line.n - before.p)};
        bool joined = before.n > 0 && before.n + line.n < LINE_MAX_BYTES;
        size_t room = IA_SUSPECTS_MAX - a->found_count - n;
        if (!own && !(n += ia_suspects_take(&a->suspects, line, found + n, room)) && joined) {
            n += ia_suspects_take(&a->suspects, both, found + n, room);
        }
        before = own ? (struct ia_str){"", 0} : line;
        size_t used = line.n + (line.n == len && end != NULL);
        text = (struct ia_str){text.p + used, text.n - used};
    }
    a->found_count += n;
    put_notice(run, out, found, n);
}

void ia_suspicious_commit(struct ia_commit *c, int step)
{
    struct ia_run_ask *a = &c->run->ask;
    struct ia_buf lines[IA_SUSPECTS_MAX];
    struct ia_str texts[IA_SUSPECTS_MAX];
    for (size_t i = 0; i < a->found_count; i++) {
        const struct ia_buf empty = IA_BUF(2 * IA_SUSPECT_TEXT);
        lines[i] = empty;
        ia_buf_printf(&lines[i], "%u %s: %s", a->found[i].ref, a->found[i].why,
                      a->found[i].text);
        texts[i] = ia_buf_str(&lines[i]);
    }
    if (a->found_count > 0) {
        const struct ia_event_screen_suspicious event = {.step = step,
                                                         .texts = {texts, a->found_count}};
        ia_commit_event(c, IA_EVENT(&event));
    }
    for (size_t i = 0; i < a->found_count; i++) {
        ia_buf_fini(&lines[i]);
    }
    a->found_count = 0;
}
