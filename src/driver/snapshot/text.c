/* text.c: the text form. Its grammar is in snapshot.h.
 *
 * A text beyond the limit is written in full first. Then whole lines are left out, the least
 * useful and among them the last first, and a final line says how many; the header always
 * stays. */
#include "driver/snapshot/build.h"
#include "driver/snapshot/phrase.h"

#include "base/utf8.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OUTSIDE_NAME_BYTES = 30 };

const char *ia_role_name(enum ia_role role)
{
#define ROLE_NAME(code, name) [code] = (name),
    static const char *const names[] = {IA_ROLE_LIST(ROLE_NAME)};
#undef ROLE_NAME
    return (unsigned)role < IA_ROLE_COUNT ? names[role] : names[IA_ROLE_OTHER];
}

int ia_role_from_name(struct ia_str name)
{
    int role = 0;
    while (role < IA_ROLE_COUNT && !ia_str_is(name, ia_role_name((enum ia_role)role))) {
        role++;
    }
    return role;
}

const char *const ia_tristate_names[] = {"", "off", "on", "mixed"};

static void put_state(struct ia_buf *out, bool *first, const char *state)
{
    ia_buf_putc(out, *first ? ':' : ',');
    ia_buf_puts(out, state);
    *first = false;
}

void ia_element_states(const struct ia_element *e, struct ia_buf *out)
{
    bool first = true;
    if (e->on != IA_UNSET) {
        put_state(out, &first, ia_tristate_names[e->on]);
    }
    if (e->selected) {
        put_state(out, &first, "selected");
    }
    if (e->disabled) {
        put_state(out, &first, "disabled");
    }
    if (e->focused) {
        put_state(out, &first, "focused");
    }
}

/* An element without a label is named by its placeholder. */
static const char *name_of(const struct ia_element *e)
{
    return e->label ? e->label : e->placeholder;
}

/* Returns how many characters of it are left for another look. */
static size_t put_phrase(struct ia_buf *out, const char *s, enum ia_phrase_where where,
                         size_t max)
{
    if (strlen(s) <= max) {
        ia_phrase_write(out, s, where, SIZE_MAX);
        return 0;
    }
    struct ia_buf excerpt = IA_BUF(SIZE_MAX / 2);
    size_t rest = ia_phrase_excerpt(&excerpt, s, max);
    ia_phrase_write(out, ia_buf_cstr(&excerpt), where, SIZE_MAX);
    ia_buf_fini(&excerpt);
    return rest;
}

static void put_element(const struct ia_element *e, size_t max, struct ia_buf *out)
{
    if (e->ref > 0) { /* what was never shown has none */
        ia_buf_printf(out, "%u ", (unsigned)e->ref);
    }
    ia_buf_puts(out, ia_role_name(e->role));
    ia_element_states(e, out);
    const char *name = name_of(e);
    size_t rest = 0;
    if (name || (e->identifier && !e->value)) {
        /* Without a name the developer's own: marked, as nobody sees it on the screen. */
        ia_buf_puts(out, name ? " " : " #");
        rest += put_phrase(out, name ? name : e->identifier, IA_PHRASE_LABEL, max);
    }
    if (e->value) {
        ia_buf_puts(out, " = ");
        rest += put_phrase(out, e->value, IA_PHRASE_VALUE, max);
    }
    if (rest > 0) {
        ia_buf_printf(out, " +%zu characters", rest);
    }
    if (rest > 0 && e->ref > 0) {
        ia_buf_printf(out, ": read ref %u", (unsigned)e->ref);
    }
}

void ia_element_text(const struct ia_element *e, struct ia_buf *out)
{
    put_element(e, IA_PHRASE_BYTES, out);
}

void ia_element_text_whole(const struct ia_element *e, struct ia_buf *out)
{
    put_element(e, SIZE_MAX, out);
}

static void put_keys(const struct ia_snapshot *s, struct ia_buf *out)
{
    const char *comma = " ";
    for (size_t i = 0; i < s->count; i++) {
        const struct ia_element *e = &s->elements[i];
        const char *name = name_of(e) ? name_of(e) : e->identifier;
        bool shown = s->more[i].key && !s->more[i].letter && e->reach == IA_REACH_OK;
        if (!shown || e->ref == 0 || !name) {
            continue;
        }
        ia_buf_printf(out, "%s%u ", comma, (unsigned)e->ref);
        ia_phrase_write(out, name, IA_PHRASE_NAME, IA_PHRASE_BYTES);
        comma = ", ";
    }
}

static void put_outside(const struct ia_snapshot *s, const struct ia_outside *o,
                        struct ia_buf *out)
{
    static const char *const sides[] = {"", "below", "above", "right", "left"};
    ia_buf_printf(out, "+%d %s", (int)o->count, sides[o->side]);
    if (o->named_scroll) {
        ia_buf_printf(out, " in %u", (unsigned)s->elements[o->scroll].ref);
    }
    for (int32_t k = 0; k < o->name_count; k++) {
        ia_buf_puts(out, k == 0 ? ": " : ", ");
        ia_phrase_write(out, s->elements[o->names[k]].label, IA_PHRASE_NAME,
                        OUTSIDE_NAME_BYTES);
    }
    if (o->name_count > 0 && o->name_count < o->count) {
        ia_buf_puts(out, ", …");
    }
}

static void put_line(const struct ia_snapshot *s, const struct ia_line *line, size_t max,
                     struct ia_buf *out)
{
    if (line->kind == IA_LINE_OUTSIDE) {
        put_outside(s, &s->outsides[line->index], out);
        return;
    }
    put_element(&s->elements[line->index], max, out);
    if (line->index == s->keyboard) {
        put_keys(s, out);
    }
}

void ia_snapshot_line(const struct ia_snapshot *s, const struct ia_line *line,
                      struct ia_buf *out)
{
    put_line(s, line, IA_PHRASE_BYTES, out);
}

static unsigned short_hash(uint64_t h)
{
    h ^= h >> 32;
    return (unsigned)((h ^ (h >> 16)) & 0xffff);
}

void ia_snapshot_header(const struct ia_snapshot *s, struct ia_buf *out)
{
    ia_phrase_write(out, s->app ? s->app : "-", IA_PHRASE_WORD, IA_PHRASE_BYTES);
    ia_buf_printf(out, " %.0fx%.0f #%04x", s->width, s->height, short_hash(s->layout));
    ia_buf_puts(out, s->truncated ? " truncated" : "");
    ia_buf_puts(out, s->repaired > 0 ? " repaired" : "");
    if (s->screen) {
        ia_buf_puts(out, ": ");
        ia_phrase_write(out, s->screen, IA_PHRASE_LABEL, IA_PHRASE_BYTES);
    }
}

/* How soon a line may be left out: pictures and texts before rows, rows before controls. */
static int worth(const struct ia_snapshot *s, const struct ia_line *line)
{
    if (line->kind == IA_LINE_OUTSIDE) {
        return 1;
    }
    switch (s->elements[line->index].role) {
    case IA_ROLE_IMAGE:
    case IA_ROLE_OTHER:
    case IA_ROLE_PROGRESS:
        return 0;
    case IA_ROLE_TEXT:
        return 2;
    case IA_ROLE_ROW:
    case IA_ROLE_LINK:
    case IA_ROLE_ICON:
        return 3;
    case IA_ROLE_HEADING:
        return 4;
    default:
        return 5;
    }
}

enum { WORTHS = 6 };

struct cut {
    uint32_t *sizes; /* bytes of each line with its newline; 0: left out */
    size_t total;
    size_t dropped;
};

/* Leaves lines out, the least useful and among them the last first, until the rest fits. */
static void drop_lines(const struct ia_snapshot *s, struct cut *c, size_t room)
{
    for (int w = 0; w < WORTHS && c->total > room; w++) {
        for (size_t i = s->line_count; i-- > 0 && c->total > room;) {
            if (worth(s, &s->lines[i]) == w) {
                c->total -= c->sizes[i];
                c->sizes[i] = 0;
                c->dropped++;
            }
        }
    }
}

static void write_all(const struct ia_snapshot *s, size_t phrase_max, struct ia_buf *out,
                      struct cut *c)
{
    for (size_t i = 0; i < s->line_count; i++) {
        size_t from = out->len;
        put_line(s, &s->lines[i], phrase_max, out);
        ia_buf_putc(out, '\n');
        c->sizes[i] = (uint32_t)(out->len - from);
    }
}

/* Closes the gaps that the dropped lines leave in the text that starts at `from`. */
static void squeeze(const struct ia_snapshot *s, struct ia_buf *out, size_t from,
                    const struct cut *kept, const uint32_t *sizes)
{
    size_t to = from;
    for (size_t i = 0; i < s->line_count; i++) {
        memmove(out->p + to, out->p + from, kept->sizes[i]);
        to += kept->sizes[i];
        from += sizes[i];
    }
    ia_buf_cut(out, to);
}

static const char left_out[] = "(+%zu left out: text limit)\n";

/* Room for the last line, whatever it counts. */
static size_t left_out_max(const struct ia_snapshot *s)
{
    int n = snprintf(NULL, 0, left_out, s->line_count);
    return n > 0 ? (size_t)n : 0;
}

/* A header that leaves no room for the last line loses the end of its title. */
static void cut_header(struct ia_buf *out, size_t room)
{
    static const char dots[] = "…\n";
    if (out->len > room && room > sizeof(dots)) {
        ia_buf_cut(out, ia_utf8_cut(out->p, room - (sizeof(dots) - 1)));
        ia_buf_puts(out, dots);
    }
}

static void fit(const struct ia_snapshot *s, struct ia_buf *out, size_t from, size_t max,
                struct cut *c)
{
    size_t bytes = s->line_count * sizeof(*c->sizes);
    /* Two lists: how many bytes each line takes in the buffer, and how many are kept of it. */
    uint32_t *sizes = ia_alloc(bytes + 1);
    if (bytes > 0) {
        memcpy(sizes, c->sizes, bytes);
    }
    size_t tail = left_out_max(s);
    c->total = out->len - from;
    drop_lines(s, c, max > from + tail ? max - from - tail : 0);
    squeeze(s, out, from, c, sizes);
    free(sizes);
    cut_header(out, max > tail ? max - tail : 0);
    ia_buf_printf(out, left_out, c->dropped);
}

static void put_text(const struct ia_snapshot *s, size_t phrase_max, size_t max,
                     struct ia_buf *out)
{
    struct ia_buf text = IA_BUF(SIZE_MAX / 2);
    struct cut c = {.sizes = ia_alloc((s->line_count + 1) * sizeof(uint32_t))};
    ia_snapshot_header(s, &text);
    ia_buf_putc(&text, '\n');
    size_t header = text.len;
    write_all(s, phrase_max, &text, &c);
    if (text.len > max) {
        fit(s, &text, header, max, &c);
    }
    ia_buf_put(out, text.p, text.len > max ? ia_utf8_cut(text.p, max) : text.len);
    ia_buf_fini(&text);
    free(c.sizes);
}

void ia_snapshot_text(const struct ia_snapshot *s, size_t max_bytes, struct ia_buf *out)
{
    put_text(s, IA_PHRASE_BYTES, max_bytes ? max_bytes : IA_TEXT_BYTES, out);
}

void ia_snapshot_text_whole(const struct ia_snapshot *s, size_t max_bytes, struct ia_buf *out)
{
    put_text(s, SIZE_MAX, max_bytes, out);
}
