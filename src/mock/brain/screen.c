/* screen.c: reads the text form of a screen and keeps it up to date with the changes that follow.
 *
 *     "<screen B>" .. "</screen B>"     the latest part of a message (ia_brain_screen_part)
 *         header line                    a complete screen: everything is replaced
 *         "+ ref ...", "~ ref ...", "- ref ..."      changes: put, put, removed */
#include "mock/brain/screen.h"

#include "base/buf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REF_DIGITS_MAX = 9, OUTSIDE_MAX = 8192 };

void ia_brain_screen_init(struct ia_brain_screen *s)
{
    *s = (struct ia_brain_screen){0};
}

static void item_fini(struct ia_brain_item *item)
{
    free(item->label);
    free(item->value);
}

static void clear(struct ia_brain_screen *s)
{
    for (size_t i = 0; i < s->count; i++) {
        item_fini(&s->items[i]);
    }
    s->count = 0;
    s->app[0] = '\0';
    s->incomplete = false;
    free(s->title);
    free(s->outside);
    s->title = NULL;
    s->outside = NULL;
}

void ia_brain_screen_fini(struct ia_brain_screen *s)
{
    clear(s);
    free(s->items);
    *s = (struct ia_brain_screen){0};
}

static void skip(struct ia_str *s, size_t n)
{
    s->p += n;
    s->n -= n;
}

static bool take_prefix(struct ia_str *s, const char *prefix)
{
    if (!ia_str_starts(*s, ia_str(prefix))) {
        return false;
    }
    skip(s, strlen(prefix));
    return true;
}

/* A word up to a space or one of `stops`. */
static struct ia_str take_word(struct ia_str *s, const char *stops)
{
    size_t n = 0;
    while (n < s->n && s->p[n] != ' ' && !strchr(stops, s->p[n])) {
        n++;
    }
    struct ia_str word = {s->p, n};
    skip(s, n);
    return word;
}

static bool take_ref(struct ia_str *s, uint32_t *ret)
{
    size_t n = 0;
    uint32_t v = 0;
    while (n < s->n && n < REF_DIGITS_MAX && s->p[n] >= '0' && s->p[n] <= '9') {
        v = v * 10 + (uint32_t)(s->p[n++] - '0');
    }
    if (n == 0 || n == s->n || s->p[n] != ' ') {
        return false;
    }
    skip(s, n + 1);
    *ret = v;
    return true;
}

/* A phrase between quotes: \" and \\ are unescaped. */
static char *take_quoted(struct ia_str *s)
{
    struct ia_buf b = IA_BUF(s->n + 1);
    skip(s, 1);
    while (s->n > 0 && s->p[0] != '"') {
        if (s->p[0] == '\\' && s->n > 1) {
            skip(s, 1);
        }
        ia_buf_putc(&b, s->p[0]);
        skip(s, 1);
    }
    if (s->n > 0) {
        skip(s, 1);
    }
    ia_buf_puts(&b, "");
    char *text = ia_strdup(ia_buf_cstr(&b));
    ia_buf_fini(&b);
    return text;
}

/* A phrase ends at a word that is just "=", or at the end of the line. */
static char *take_phrase(struct ia_str *s)
{
    if (s->n > 0 && s->p[0] == '"') {
        return take_quoted(s);
    }
    size_t n = 0;
    while (n < s->n && !(s->p[n] == ' ' && s->n - n >= 2 && s->p[n + 1] == '=' &&
                         (s->n - n == 2 || s->p[n + 2] == ' '))) {
        n++;
    }
    char *text = ia_strndup(s->p, n);
    skip(s, n);
    return text;
}

static void read_states(struct ia_brain_item *item, struct ia_str *s)
{
    while (s->n > 0 && (s->p[0] == ':' || s->p[0] == ',')) {
        skip(s, 1);
        struct ia_str state = take_word(s, ",");
        item->on = item->on || ia_str_is(state, "on");
        item->off = item->off || ia_str_is(state, "off");
        item->selected = item->selected || ia_str_is(state, "selected");
        item->disabled = item->disabled || ia_str_is(state, "disabled");
        item->focused = item->focused || ia_str_is(state, "focused");
    }
}

static bool is_toggle(const char *role)
{
    return strcmp(role, "switch") == 0 || strcmp(role, "checkbox") == 0 ||
           strcmp(role, "radio") == 0;
}

/* ref SP role [":" states] [SP phrase] [SP "=" SP phrase] */
static bool read_item(struct ia_str line, struct ia_brain_item *ret)
{
    struct ia_brain_item item = {0};
    if (!take_ref(&line, &item.ref)) {
        return false;
    }
    struct ia_str role = take_word(&line, ":");
    if (role.n == 0 || role.n >= sizeof(item.role)) {
        return false;
    }
    memcpy(item.role, role.p, role.n);
    read_states(&item, &line);
    item.off = is_toggle(item.role) && !item.on;
    bool value_only = ia_str_starts(line, ia_str(" = "));
    if (!value_only && take_prefix(&line, " ")) {
        item.label = take_phrase(&line);
    }
    if (take_prefix(&line, " = ")) {
        item.value = take_phrase(&line);
    }
    item.label = item.label ? item.label : ia_strdup("");
    item.value = item.value ? item.value : ia_strdup("");
    *ret = item;
    return true;
}

static struct ia_brain_item *by_ref(struct ia_brain_screen *s, uint32_t ref)
{
    for (size_t i = 0; i < s->count; i++) {
        if (s->items[i].ref == ref) {
            return &s->items[i];
        }
    }
    return NULL;
}

/* Adds the item, or replaces the one with its ref. */
static void put_item(struct ia_brain_screen *s, struct ia_brain_item *item)
{
    struct ia_brain_item *old = by_ref(s, item->ref);
    if (old) {
        item_fini(old);
        *old = *item;
        return;
    }
    if (s->count == IA_BRAIN_ITEMS_MAX) {
        s->incomplete = true;
        item_fini(item);
        return;
    }
    if (s->count == s->cap) {
        s->cap = s->cap ? s->cap * 2 : 64;
        s->items = ia_realloc(s->items, s->cap, sizeof(*s->items));
    }
    s->items[s->count++] = *item;
}

static void remove_item(struct ia_brain_screen *s, uint32_t ref)
{
    struct ia_brain_item *old = by_ref(s, ref);
    if (old) {
        item_fini(old);
        size_t at = (size_t)(old - s->items);
        memmove(old, old + 1, (s->count - at - 1) * sizeof(*old));
        s->count--;
    }
}

static void add_outside(struct ia_brain_screen *s, struct ia_str line)
{
    size_t have = s->outside ? strlen(s->outside) : 0;
    if (have + line.n + 2 > OUTSIDE_MAX) {
        return;
    }
    s->outside = ia_realloc(s->outside, have + line.n + 2, 1);
    memcpy(s->outside + have, line.p, line.n);
    memcpy(s->outside + have + line.n, "\n", 2);
}

static void read_line(struct ia_brain_screen *s, struct ia_str line)
{
    struct ia_brain_item item;
    if (ia_str_starts(line, ia_str("(+"))) {
        s->incomplete = true;
    } else if (ia_str_starts(line, ia_str("+"))) {
        add_outside(s, line);
    } else if (read_item(line, &item)) {
        put_item(s, &item);
    }
}

/* app SP width "x" height SP "#" 4HEXDIG [SP "truncated"] [SP "repaired"] [":" SP phrase] */
static bool read_header(struct ia_str line, struct ia_brain_screen *s)
{
    char *app = line.n > 0 && line.p[0] == '"' ? take_quoted(&line) : NULL;
    if (!app) {
        struct ia_str word = take_word(&line, "");
        app = ia_strndup(word.p, word.n);
    }
    bool size_ok = take_prefix(&line, " ");
    struct ia_str size = take_word(&line, "");
    size_ok = size_ok && size.n >= 3 && memchr(size.p, 'x', size.n) && size.p[0] >= '0' &&
              size.p[0] <= '9' && take_prefix(&line, " #");
    if (size_ok) {
        clear(s);
        snprintf(s->app, sizeof(s->app), "%s", strcmp(app, "-") == 0 ? "" : app);
        (void)take_word(&line, ":");
        s->incomplete = take_prefix(&line, " truncated");
        (void)take_prefix(&line, " repaired");
        s->title = take_prefix(&line, ": ") ? take_phrase(&line) : ia_strdup("");
    }
    free(app);
    return size_ok;
}

static void read_change(struct ia_brain_screen *s, struct ia_str line)
{
    struct ia_brain_item item;
    if (take_prefix(&line, "- ")) {
        uint32_t ref;
        if (take_ref(&line, &ref)) {
            remove_item(s, ref);
        }
    } else if (take_prefix(&line, "+ ") || take_prefix(&line, "~ ")) {
        if (ia_str_starts(line, ia_str("+"))) {
            add_outside(s, line);
        } else if (read_item(line, &item)) {
            bool moved = strcmp(item.role, "moved") == 0 && !*item.label;
            if (moved) {
                item_fini(&item);
            } else {
                put_item(s, &item);
            }
        }
    } else if (ia_str_starts(line, ia_str("(+"))) {
        s->incomplete = true;
    }
}

bool ia_brain_screen_read(struct ia_brain_screen *s, struct ia_str text)
{
    struct ia_str line;
    if (!ia_str_line(&text, &line)) {
        return false;
    }
    if (ia_str_is(line, "new screen") && !ia_str_line(&text, &line)) {
        return false;
    }
    if (read_header(line, s)) {
        while (ia_str_line(&text, &line)) {
            read_line(s, line);
        }
        return true;
    }
    if (!s->title) {
        return false;
    }
    do {
        read_change(s, line);
    } while (ia_str_line(&text, &line));
    return true;
}

void ia_brain_screen_note(struct ia_brain_screen *s, struct ia_str text)
{
    struct ia_str line;
    while (ia_str_line(&text, &line)) {
        struct ia_brain_item item;
        (void)take_prefix(&line, "| "); /* as the verifier is told of it */
        (void)(take_prefix(&line, "+ ") || take_prefix(&line, "~ "));
        if (read_item(line, &item)) {
            put_item(s, &item);
        }
    }
}

/* The start of the last line that begins with prefix; NULL for none. */
static const char *last_line_with(struct ia_str s, const char *prefix)
{
    const char *found = NULL;
    struct ia_str line;
    while (ia_str_line(&s, &line)) {
        if (ia_str_starts(line, ia_str(prefix))) {
            found = line.p;
        }
    }
    return found;
}

struct ia_str ia_brain_screen_part(struct ia_str message)
{
    const char *open = last_line_with(message, "<screen ");
    if (!open) {
        return (struct ia_str){0};
    }
    struct ia_str rest = {open, (size_t)(message.p + message.n - open)};
    struct ia_str line;
    (void)ia_str_line(&rest, &line);
    const char *start = rest.p;
    while (ia_str_line(&rest, &line)) {
        if (ia_str_starts(line, ia_str("</screen "))) {
            return (struct ia_str){start, (size_t)(line.p - start)};
        }
    }
    return (struct ia_str){start, (size_t)(message.p + message.n - start)};
}

const struct ia_brain_item *ia_brain_screen_select(const struct ia_brain_screen *s,
                                                   struct ia_str selector)
{
    struct ia_str role = {0};
    char *label = NULL;
    const struct ia_brain_item *found = NULL;
    if (selector.n > 0 && selector.p[0] != '"') {
        role = take_word(&selector, "");
        (void)take_prefix(&selector, " ");
    }
    if (selector.n > 0 && selector.p[0] == '"') {
        label = take_quoted(&selector);
    }
    for (size_t i = 0; !found && i < s->count && (role.n > 0 || label); i++) {
        const struct ia_brain_item *item = &s->items[i];
        if ((role.n == 0 || ia_str_is(role, item->role)) &&
            (!label || strcmp(label, item->label) == 0)) {
            found = item;
        }
    }
    free(label);
    return found;
}
