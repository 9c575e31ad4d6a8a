/* changes.c: one line of the text in which a tool's result says what changed on the screen. */
#include "cli/view/changes.h"

#include "base/clean.h"

#include <string.h>

struct ia_str ia_changes_line(struct ia_str *text)
{
    const char *end = text->n > 0 ? memchr(text->p, '\n', text->n) : NULL;
    struct ia_str line = {text->p, end ? (size_t)(end - text->p) : text->n};
    size_t used = line.n + (end ? 1 : 0);
    text->p += used;
    text->n -= used;
    return line;
}

/* The name of a screen, from its line `app WIDTHxHEIGHT #layout: title`: the title, else the
 * app. */
static struct ia_str screen_name(struct ia_str line)
{
    for (size_t i = 0; i + 2 < line.n; i++) {
        if (line.p[i] == ':' && line.p[i + 1] == ' ') {
            return (struct ia_str){line.p + i + 2, line.n - i - 2};
        }
    }
    const char *space = line.n > 0 ? memchr(line.p, ' ', line.n) : NULL;
    return (struct ia_str){line.p, space ? (size_t)(space - line.p) : line.n};
}

/* The line about the element that was acted on ("~ 28 field …" for "28 field …"), which says
 * most about a change; else the first line. */
static struct ia_str main_change(struct ia_str changes, struct ia_str element)
{
    struct ia_str rest = changes;
    size_t ref = 0;
    while (ref < element.n && element.p[ref] >= '0' && element.p[ref] <= '9') {
        ref++;
    }
    while (ref > 0 && rest.n > 0) {
        struct ia_str line = ia_changes_line(&rest);
        if (line.n > ref + 2 && line.p[0] == '~' && line.p[ref + 2] == ' ' &&
            memcmp(line.p + 2, element.p, ref) == 0) {
            return line;
        }
    }
    return ia_changes_line(&changes);
}

void ia_changes_put(struct ia_buf *out, struct ia_str changes, struct ia_str element,
                    size_t columns)
{
    struct ia_str change = main_change(changes, element);
    struct ia_str line = ia_changes_line(&changes);
    if (ia_str_is(line, "new screen") && changes.n > 0) {
        static const char head[] = "new screen: ";
        ia_buf_puts(out, head);
        columns = columns > 2 * sizeof(head) ? columns - (sizeof(head) - 1) : sizeof(head);
        ia_clean_cut(out, screen_name(ia_changes_line(&changes)), columns);
        return;
    }
    size_t more = 0;
    for (; changes.n > 0; more++) {
        (void)ia_changes_line(&changes);
    }
    enum { MORE = 6 }; /* " (+12)" */
    ia_clean_cut(out, change, more > 0 && columns > 2 * MORE ? columns - MORE : columns);
    if (more > 0) {
        ia_buf_printf(out, " (+%zu)", more);
    }
}
