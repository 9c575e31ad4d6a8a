/* forms.c: the JSON form and the row form.
 *
 * JSON: a flat list of the elements that have a ref, each naming its children by theirs;
 * then every action that is possible, with its target. Rows: one line for each element that
 * can be reached or is listed, its cells between bars. */
#include "driver/snapshot/build.h"
#include "driver/snapshot/phrase.h"

#include "base/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    unsigned bit;
    const char *name;
} actions[] = {{IA_ACT_TAP, "tap"},     {IA_ACT_LONG_PRESS, "long_press"},
               {IA_ACT_TYPE, "type"},   {IA_ACT_TYPE, "clear"},
               {IA_ACT_SWIPE, "swipe"}, {IA_ACT_ADJUST, "adjust"}};

static void write_ref(struct ia_jsonw *w, uint32_t ref)
{
    char text[16];
    snprintf(text, sizeof(text), "@e%u", (unsigned)ref);
    ia_jsonw_string(w, text);
}

static void write_frame(struct ia_jsonw *w, struct ia_rect r)
{
    ia_jsonw_key(w, "frame");
    ia_jsonw_object(w);
    ia_jsonw_kv_real(w, "x", r.x);
    ia_jsonw_kv_real(w, "y", r.y);
    ia_jsonw_kv_real(w, "w", r.w);
    ia_jsonw_kv_real(w, "h", r.h);
    ia_jsonw_end_object(w);
}

/* Shown elements as a forest: for each its first shown child,
 * and the next one of its parent. */
struct kin {
    int32_t first, last, next;
};

static struct kin *find_kin(const struct ia_snapshot *s)
{
    struct kin *kin = ia_alloc((s->count + 1) * sizeof(*kin));
    for (size_t i = 0; i < s->count; i++) {
        kin[i] = (struct kin){-1, -1, -1};
        int32_t p = s->elements[i].parent;
        while (p >= 0 && s->elements[p].ref == 0) {
            p = s->elements[p].parent;
        }
        if (p < 0 || s->elements[i].ref == 0) {
            continue;
        }
        if (kin[p].last < 0) {
            kin[p].first = (int32_t)i;
        } else {
            kin[kin[p].last].next = (int32_t)i;
        }
        kin[p].last = (int32_t)i;
    }
    return kin;
}

static void write_states(struct ia_jsonw *w, const struct ia_element *e)
{
    if (e->on != IA_UNSET) {
        ia_jsonw_kv(w, "state", ia_tristate_names[e->on]);
    }
    if (e->selected) {
        ia_jsonw_kv_bool(w, "selected", true);
    }
    if (e->focused) {
        ia_jsonw_kv_bool(w, "focused", true);
    }
    if (e->placeholder) {
        ia_jsonw_kv(w, "placeholder", e->placeholder);
    }
    ia_jsonw_kv_bool(w, "enabled", !e->disabled);
}

static void write_element(struct ia_jsonw *w, const struct ia_snapshot *s,
                          const struct kin *kin, size_t i)
{
    const struct ia_element *e = &s->elements[i];
    char type[64];
    snprintf(type, sizeof(type), "XCUIElementType%s", ia_eltype_name((enum ia_eltype)e->type));
    ia_jsonw_object(w);
    ia_jsonw_key(w, "ref");
    write_ref(w, e->ref);
    ia_jsonw_kv(w, "type", type);
    ia_jsonw_kv(w, "role", ia_role_name((enum ia_role)e->role));
    ia_jsonw_kv(w, "label", e->label);
    ia_jsonw_kv(w, "identifier", e->identifier);
    ia_jsonw_kv(w, "value", e->value);
    write_states(w, e);
    write_frame(w, e->frame);
    ia_jsonw_kv_bool(w, "hittable", (e->actions & IA_ACT_TAP) != 0);
    ia_jsonw_key(w, "children");
    ia_jsonw_array(w);
    for (int32_t c = kin[i].first; c >= 0; c = kin[c].next) {
        write_ref(w, s->elements[c].ref);
    }
    ia_jsonw_end_array(w);
    ia_jsonw_end_object(w);
}

static void write_actions(struct ia_jsonw *w, const struct ia_element *e)
{
    for (size_t k = 0; k < IA_COUNTOF(actions); k++) {
        bool reads = e->role == IA_ROLE_TEXT || e->role == IA_ROLE_HEADING;
        if (!(e->actions & actions[k].bit) || reads) {
            continue; /* a touch of a text may do something, but it is there to be read */
        }
        ia_jsonw_object(w);
        ia_jsonw_kv(w, "name", actions[k].name);
        ia_jsonw_key(w, "target");
        write_ref(w, e->ref);
        if (strcmp(actions[k].name, "type") == 0) {
            ia_jsonw_kv(w, "keyboard", e->role == IA_ROLE_SECURE ? "secure" : "text");
        }
        ia_jsonw_end_object(w);
    }
}

/* "data:image/png;base64,…" as one string: the writer's own opening quote is skipped. */
static void write_png(struct ia_jsonw *w, struct ia_str png)
{
    struct ia_buf b = IA_BUF(SIZE_MAX / 2);
    struct ia_jsonw quoted;
    ia_jsonw_init(&quoted, &b);
    ia_jsonw_base64(&quoted, png.p, png.n);
    struct ia_buf uri = IA_BUF(SIZE_MAX / 2);
    ia_buf_puts(&uri, "\"data:image/png;base64,");
    ia_buf_put(&uri, b.p + 1, b.len - 1);
    ia_jsonw_key(w, "screenshot");
    ia_jsonw_raw(w, ia_buf_str(&uri));
    ia_buf_fini(&uri);
    ia_buf_fini(&b);
}

static void write_head(struct ia_jsonw *w, const struct ia_snapshot *s)
{
    char hash[24];
    snprintf(hash, sizeof(hash), "%016llx", (unsigned long long)s->layout);
    ia_jsonw_kv(w, "app", s->app);
    ia_jsonw_kv(w, "screen", s->screen);
    ia_jsonw_kv(w, "layout_hash", hash);
    ia_jsonw_kv_bool(w, "truncated", s->truncated);
    if (s->truncated_by) {
        ia_jsonw_kv(w, "truncated_by", s->truncated_by);
    }
    if (s->repaired > 0) {
        ia_jsonw_kv_int(w, "repaired", (int64_t)s->repaired);
    }
}

static void write_status(struct ia_jsonw *w, const struct ia_snapshot *s)
{
    if (s->status_count == 0) {
        return;
    }
    ia_jsonw_key(w, "status_bar");
    ia_jsonw_array(w);
    for (size_t i = 0; i < s->status_count; i++) {
        ia_jsonw_object(w);
        ia_jsonw_kv(w, "label", s->status[i].label);
        ia_jsonw_kv(w, "value", s->status[i].value);
        ia_jsonw_end_object(w);
    }
    ia_jsonw_end_array(w);
}

void ia_snapshot_json(const struct ia_snapshot *s, int64_t wall_ms, struct ia_str png,
                      struct ia_jsonw *w)
{
    struct kin *kin = find_kin(s);
    char iso[IA_ISO_SIZE];
    ia_iso_format(wall_ms, iso);
    ia_jsonw_object(w);
    write_head(w, s);
    ia_jsonw_kv(w, "timestamp", iso);
    if (png.n > 0) {
        write_png(w, png);
    }
    write_status(w, s);
    ia_jsonw_key(w, "elements");
    ia_jsonw_array(w);
    for (size_t i = 0; i < s->count; i++) {
        if (s->elements[i].ref != 0) {
            write_element(w, s, kin, i);
        }
    }
    ia_jsonw_end_array(w);
    ia_jsonw_key(w, "actions_available");
    ia_jsonw_array(w);
    for (size_t i = 0; i < s->count; i++) {
        if (s->elements[i].ref != 0) {
            write_actions(w, &s->elements[i]);
        }
    }
    ia_jsonw_end_array(w);
    ia_jsonw_end_object(w);
    free(kin);
}

static void put_cell(struct ia_buf *out, const char *s)
{
    ia_buf_putc(out, '|');
    for (; s && *s; s++) {
        ia_buf_putc(out, *s == '|' ? '/' : *s == '\n' || *s == '\r' ? ' ' : *s);
    }
}

static const char *main_action(const struct ia_element *e)
{
    if (e->actions & IA_ACT_TYPE) {
        return "type";
    }
    if (e->role == IA_ROLE_TEXT || e->role == IA_ROLE_HEADING || e->role == IA_ROLE_IMAGE) {
        return "text"; /* a tap may do something there, but it is there to be read */
    }
    return e->actions & IA_ACT_TAP ? "tap" : e->actions & IA_ACT_SWIPE ? "swipe" : "text";
}

static bool has_row(const struct ia_element *e)
{
    return e->ref != 0 && (e->reach == IA_REACH_OK || e->listed);
}

void ia_snapshot_rows(const struct ia_snapshot *s, struct ia_buf *out)
{
    for (size_t i = 0; i < s->count; i++) {
        const struct ia_element *e = &s->elements[i];
        if (!has_row(e)) {
            continue;
        }
        ia_buf_printf(out, "e%u", (unsigned)e->ref);
        put_cell(out, main_action(e));
        put_cell(out, ia_role_name((enum ia_role)e->role));
        ia_element_states(e, out);
        put_cell(out, e->label);
        put_cell(out, e->value);
        put_cell(out, e->identifier);
        ia_buf_putc(out, '\n');
    }
}

static void write_row(struct ia_jsonw *w, const struct ia_element *e)
{
    struct ia_buf role = IA_BUF(64);
    ia_buf_puts(&role, ia_role_name((enum ia_role)e->role));
    ia_element_states(e, &role);
    const char *texts[] = {main_action(e), ia_buf_cstr(&role), e->label, e->value,
                           e->identifier};
    ia_jsonw_array(w);
    write_ref(w, e->ref);
    for (size_t i = 0; i < IA_COUNTOF(texts); i++) {
        ia_jsonw_string(w, texts[i]);
    }
    ia_jsonw_end_array(w);
    ia_buf_fini(&role);
}

void ia_snapshot_json_lines(const struct ia_snapshot *s, struct ia_jsonw *w)
{
    struct ia_buf text = IA_BUF(SIZE_MAX / 2);
    ia_jsonw_object(w);
    for (size_t i = 0; i < s->line_count; i++) {
        const struct ia_line *line = &s->lines[i];
        uint32_t ref = line->kind == IA_LINE_ELEMENT ? s->elements[line->index].ref : 0;
        if (ref != 0) {
            char key[16];
            (void)snprintf(key, sizeof(key), "@e%u", (unsigned)ref);
            ia_buf_reset(&text);
            ia_snapshot_line(s, line, &text);
            ia_jsonw_kv(w, key, ia_buf_cstr(&text));
        }
    }
    ia_jsonw_end_object(w);
    ia_buf_fini(&text);
}

void ia_snapshot_json_rows(const struct ia_snapshot *s, struct ia_jsonw *w)
{
    ia_jsonw_object(w);
    write_head(w, s);
    ia_jsonw_key(w, "rows");
    ia_jsonw_array(w);
    for (size_t i = 0; i < s->count; i++) {
        if (has_row(&s->elements[i])) {
            write_row(w, &s->elements[i]);
        }
    }
    ia_jsonw_end_array(w);
    ia_jsonw_end_object(w);
}

static void put_name(struct ia_buf *out, const char *name)
{
    ia_phrase_write(out, name, IA_PHRASE_NAME, IA_PHRASE_BYTES);
}

static void put_value(struct ia_buf *out, const char *value)
{
    if (value) {
        ia_buf_puts(out, " = ");
        put_name(out, value);
    }
}

static void put_unlisted_keys(const struct ia_snapshot *s, struct ia_buf *out)
{
    const char *before = "keys ";
    for (size_t i = 0; i < s->count; i++) {
        const struct ia_element *e = &s->elements[i];
        const char *name = e->label ? e->label : e->identifier;
        if (!s->more[i].key || s->more[i].letter || !name) {
            continue;
        }
        ia_buf_puts(out, before);
        put_name(out, name);
        ia_element_states(e, out);
        put_value(out, e->value);
        before = ", ";
    }
    ia_buf_puts(out, *before == ',' ? "\n" : "");
}

void ia_snapshot_unlisted(const struct ia_snapshot *s, struct ia_buf *out)
{
    for (size_t i = 0; i < s->status_count; i++) {
        ia_buf_puts(out, i == 0 ? "status " : ", ");
        const struct ia_status *part = &s->status[i];
        put_name(out, part->label ? part->label : part->value);
        put_value(out, part->label ? part->value : NULL);
    }
    ia_buf_puts(out, s->status_count > 0 ? "\n" : "");
    put_unlisted_keys(s, out);
}
