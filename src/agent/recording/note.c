/* note.c: describes the screens before and after an action by texts that another run can find. */
#include "agent/recording/note.h"

#include "agent/recording/recording.h"
#include "base/jsonw.h"

#include <string.h>

enum { MARKS = 5, UNTILS = 6, TEXT_MAX = 120, LINE_BYTES = 1024 };

static bool equal(const char *a, const char *b)
{
    return a && b && strcmp(a, b) == 0;
}

static bool is_short(const char *text)
{
    return !text || strlen(text) <= TEXT_MAX;
}

/* True for elements that identify a screen: those that stay as long as it does. */
static bool is_mark(const struct ia_element *e)
{
    return e->listed && e->role != IA_ROLE_TEXT && e->role != IA_ROLE_ROW &&
           e->role != IA_ROLE_KEY && e->role != IA_ROLE_KEYBOARD && is_short(e->label);
}

/* Identifiers first: they stay if the screen's texts change. */
static void put_marks(struct ia_jsonw *w, const struct ia_snapshot *s)
{
    struct ia_buf line = IA_BUF(LINE_BYTES);
    size_t count = ia_snapshot_count(s);
    ia_jsonw_key(w, "marks");
    ia_jsonw_array(w);
    for (size_t i = 0, n = 0; i < 2 * count && n < MARKS; i++) {
        const struct ia_element *e = ia_snapshot_at(s, i < count ? i : i - count);
        ia_buf_reset(&line);
        if (is_mark(e) && ia_signature_selector(s, e, &line) &&
            (ia_buf_cstr(&line)[0] == '#') == (i < count)) {
            ia_jsonw_str(w, ia_buf_str(&line));
            n++;
        }
    }
    ia_jsonw_end_array(w);
    ia_buf_fini(&line);
}

static void put_target(struct ia_jsonw *w, const struct ia_snapshot *s,
                       const struct ia_refs *refs, uint32_t ref)
{
    const struct ia_element *e = NULL;
    struct ia_signature sig = {0};
    if (ref == 0 || ia_snapshot_resolve(s, refs, ref, &e, NULL) != IA_OK) {
        return;
    }
    if (ia_signature_of(s, e, &sig)) {
        ia_jsonw_key(w, "target");
        ia_recording_put_target(w, &sig);
    } else {
        ia_jsonw_kv_bool(w, "unnamed", true);
    }
    ia_signature_fini(&sig);
}

static void put_asked(struct ia_jsonw *w, const struct ia_snapshot *s)
{
    struct ia_buf text = IA_BUF(LINE_BYTES);
    if (ia_signature_question(s, &text) > 0 && ia_buf_ok(&text)) {
        ia_jsonw_key(w, "asked");
        ia_jsonw_str(w, ia_buf_str(&text));
    }
    ia_buf_fini(&text);
}

/* ---- what it led to --------------------------------------------------------------------- */

static void put_quoted(struct ia_buf *out, const char *text)
{
    ia_buf_putc(out, '"');
    for (const char *p = text; *p; p++) {
        ia_buf_puts(out, *p == '"' || *p == '\\' ? "\\" : "");
        ia_buf_putc(out, *p);
    }
    ia_buf_putc(out, '"');
}

static void put_until(void *ctx, struct ia_str selector, const char *value)
{
    struct ia_buf line = IA_BUF(LINE_BYTES);
    ia_buf_puts(&line, value ? "value " : "visible ");
    ia_buf_putstr(&line, selector);
    if (value) {
        ia_buf_puts(&line, " = ");
        put_quoted(&line, value);
    }
    if (ia_buf_ok(&line)) {
        ia_jsonw_str(ctx, ia_buf_str(&line));
    }
    ia_buf_fini(&line);
}

void ia_recording_note(const struct ia_session *s, struct ia_buf *out)
{
    uint32_t ref = 0;
    const struct ia_snapshot *before = ia_session_acted(s, &ref), *after = ia_session_latest(s);
    struct ia_jsonw w;
    if (!before || !after) {
        return;
    }
    const char *app = ia_snapshot_app(before), *app_after = ia_snapshot_app(after);
    ia_jsonw_init(&w, out);
    ia_jsonw_object(&w);
    ia_jsonw_kv(&w, "app", app);
    if (ia_session_allowed(s, before)) {
        ia_jsonw_kv(&w, "title", ia_snapshot_screen(before));
        put_marks(&w, before);
        put_asked(&w, before);
    }
    put_target(&w, before, ia_session_refs(s), ref);
    if (app_after && !equal(app, app_after)) {
        ia_jsonw_kv(&w, "app_after", app_after);
    }
    ia_jsonw_key(&w, "until");
    ia_jsonw_array(&w);
    if (ia_session_allowed(s, after)) {
        ia_signature_changes(before, after, ref, UNTILS, put_until, &w);
    }
    ia_jsonw_end_array(&w);
    if (equal(app, app_after) && ia_session_allowed(s, before) &&
        ia_session_allowed(s, after) &&
        ia_snapshot_reading_hash(before) != ia_snapshot_reading_hash(after)) {
        ia_jsonw_kv_bool(&w, "changed", true);
    }
    ia_jsonw_end_object(&w);
}
