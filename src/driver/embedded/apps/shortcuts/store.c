/* store.c: the shortcuts themselves: those of a new phone, imported ones, and running them. */
#include "driver/embedded/apps/reminders/reminders.h"
#include "driver/embedded/apps/shortcuts/shortcuts.h"

#include "base/civil.h"
#include "base/utf8.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *word, *ident;
} kinds[IA_STEP_KINDS] = {
#define ROW(name, word, ident, what) [IA_STEP_##name] = {word, ident},
    IA_SHORTCUT_STEP_LIST(ROW)
#undef ROW
};

static const struct {
    const char *name, *text;
    uint8_t steps[4]; /* enum ia_shortcut_step_kind; TEXT has the text above */
    int count;
} factory[] = {
    {"Shout", NULL, {IA_STEP_UPPERCASE, IA_STEP_COPY}, 2},
    {"Count Characters", NULL, {IA_STEP_COUNT, IA_STEP_COPY, IA_STEP_SHOW}, 3},
    {"Today's Date", NULL, {IA_STEP_DATE, IA_STEP_COPY, IA_STEP_SHOW}, 3},
    {"Buy Later", "Buy {input}", {IA_STEP_TEXT, IA_STEP_REMIND, IA_STEP_COPY}, 3},
    {"Good Morning", "Good morning, Alex", {IA_STEP_TEXT, IA_STEP_SHOW}, 2},
};

const char *ia_shortcut_word(enum ia_shortcut_step_kind kind)
{
    return kinds[kind].word;
}

static void add_step(struct ia_shortcut *s, uint8_t kind, const char *text, size_t n)
{
    if (s->count < IA_SHORTCUT_STEPS_MAX) {
        s->steps[s->count++] = (struct ia_shortcut_step){
            .kind = kind, .text = kind == IA_STEP_TEXT ? ia_strndup(text, n) : NULL};
    }
}

static void forget(struct ia_shortcut *s)
{
    for (int i = 0; i < s->count; i++) {
        free(s->steps[i].text);
    }
    free(s->name);
    *s = (struct ia_shortcut){.name = NULL};
}

void *ia_shortcuts_new(uint64_t seed)
{
    struct ia_shortcuts *s = ia_calloc(1, sizeof(*s));
    (void)seed;
    for (size_t i = 0; i < IA_COUNTOF(factory); i++) {
        struct ia_shortcut *row = &s->rows[s->count++];
        const char *text = factory[i].text ? factory[i].text : "";
        row->name = ia_strdup(factory[i].name);
        for (int step = 0; step < factory[i].count; step++) {
            add_step(row, factory[i].steps[step], text, strlen(text));
        }
    }
    return s;
}

void ia_shortcuts_free(void *shortcuts)
{
    struct ia_shortcuts *s = shortcuts;
    for (int i = 0; i < s->count; i++) {
        forget(&s->rows[i]);
    }
    free(s->last);
    free(s->result);
    free(s);
}

struct ia_shortcut *ia_shortcuts_find(struct ia_shortcuts *s, const char *name)
{
    for (int i = 0; i < s->count; i++) {
        if (strcmp(s->rows[i].name, name) == 0) {
            return &s->rows[i];
        }
    }
    return NULL;
}

bool ia_shortcut_takes_input(const struct ia_shortcut *s)
{
    const struct ia_shortcut_step *first = &s->steps[0];
    bool gives = first->kind == IA_STEP_DATE || first->kind == IA_STEP_PASTE;
    return s->count > 0 && !gives &&
           (first->kind != IA_STEP_TEXT || strstr(first->text, IA_SHORTCUT_INPUT) != NULL);
}

/* ---- importing --------------------------------------------------------------------------- */

/* The text between the next `open` and `close`; *at moves behind it. */
static bool between(struct ia_str *at, const char *open, const char *close, struct ia_str *ret)
{
    const char *from = ia_str_find(*at, open), *end = at->p + at->n;
    if (!from) {
        return false;
    }
    struct ia_str rest = {from + strlen(open), (size_t)(end - from) - strlen(open)};
    const char *to = ia_str_find(rest, close);
    if (!to) {
        return false;
    }
    *ret = (struct ia_str){rest.p, (size_t)(to - rest.p)};
    *at = (struct ia_str){to, (size_t)(end - to)};
    return true;
}

/* Undoes the five entities of XML. */
static char *plain(struct ia_str xml)
{
    static const struct {
        const char *name;
        char is;
    } entities[] = {
        {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}, {"&amp;", '&'}};
    struct ia_buf out = IA_BUF(IA_SHORTCUT_TEXT_MAX);
    for (size_t i = 0; i < xml.n; i++) {
        struct ia_str rest = {xml.p + i, xml.n - i};
        char c = xml.p[i];
        for (size_t e = 0; c == '&' && e < IA_COUNTOF(entities); e++) {
            if (ia_str_starts(rest, ia_str(entities[e].name))) {
                c = entities[e].is;
                i += strlen(entities[e].name) - 1;
                break;
            }
        }
        ia_buf_putc(&out, c);
    }
    char *text = ia_strdup(ia_buf_cstr(&out));
    ia_buf_fini(&out);
    return text;
}

/* The text of an action: plain, or with a place (U+FFFC) where the input goes. */
static char *step_text(struct ia_str body)
{
    static const char place[] = "\xEF\xBF\xBC";
    struct ia_str text = {"", 0};
    if (!between(&body, "<key>WFTextActionText</key><string>", "</string>", &text)) {
        (void)between(&body, "<key>string</key><string>", "</string>", &text);
    }
    char *words = plain(text), *at = strstr(words, place);
    if (at) {
        struct ia_buf out = IA_BUF(IA_SHORTCUT_TEXT_MAX);
        ia_buf_put(&out, words, (size_t)(at - words));
        ia_buf_puts(&out, IA_SHORTCUT_INPUT);
        ia_buf_puts(&out, at + strlen(place));
        free(words);
        words = ia_buf_steal(&out);
    }
    return words;
}

static void read_step(struct ia_shortcut *s, struct ia_str ident, struct ia_str body)
{
    for (int k = 0; k < IA_STEP_KINDS; k++) {
        if (ia_str_is(ident, kinds[k].ident)) {
            char *words = step_text(body);
            add_step(s, (uint8_t)k, words, strlen(words));
            free(words);
        }
    }
}

/* Each action: its identifier, and its parameters until the next one. */
static void read_steps(struct ia_shortcut *s, struct ia_str plist)
{
    static const char key[] = "<key>WFWorkflowActionIdentifier</key><string>";
    struct ia_str ident;
    while (between(&plist, key, "</string>", &ident)) {
        const char *next = ia_str_find(plist, key);
        struct ia_str body = {plist.p, next ? (size_t)(next - plist.p) : plist.n};
        read_step(s, ident, body);
    }
}

bool ia_shortcuts_import(struct ia_shortcuts *s, const char *name, struct ia_str plist)
{
    struct ia_shortcut fresh = {.name = ia_strdup(name)};
    struct ia_shortcut *old = ia_shortcuts_find(s, name);
    read_steps(&fresh, plist);
    if (fresh.count == 0 || (!old && s->count == IA_SHORTCUTS_MAX)) {
        forget(&fresh);
        return false;
    }
    if (old) {
        forget(old);
    } else {
        old = &s->rows[s->count++];
    }
    *old = fresh;
    return true;
}

/* ---- running ----------------------------------------------------------------------------- */

static char *fill_in(const char *text, const char *input)
{
    struct ia_buf out = IA_BUF(IA_SHORTCUT_TEXT_MAX);
    for (const char *p = text; *p;) {
        const char *mark = strstr(p, IA_SHORTCUT_INPUT);
        ia_buf_put(&out, p, mark ? (size_t)(mark - p) : strlen(p));
        ia_buf_puts(&out, mark ? input : "");
        p = mark ? mark + strlen(IA_SHORTCUT_INPUT) : p + strlen(p);
    }
    char *filled = ia_strdup(ia_buf_ok(&out) ? ia_buf_cstr(&out) : "");
    ia_buf_fini(&out);
    return filled;
}

static char *upper(const char *text)
{
    char *copy = ia_strdup(text);
    for (char *c = copy; *c; c++) {
        *c = *c >= 'a' && *c <= 'z' ? (char)(*c - 32) : *c;
    }
    return copy;
}

static char *today(const struct ia_phone *p)
{
    struct ia_civil c = ia_civil_at(p->now_ms);
    char text[16];
    int n = snprintf(text, sizeof(text), "%04d-%02d-%02d", c.year, c.month, c.day);
    return ia_strdup(n > 0 ? text : "");
}

static char *count(const char *text)
{
    char number[16];
    (void)snprintf(number, sizeof(number), "%d", ia_utf8_count(ia_str(text)));
    return ia_strdup(number);
}

static void remind(struct ia_phone *p, const char *title)
{
    struct ia_reminders *r = ia_reminders_of(p);
    struct ia_reminder row = {.list = r->lists[0].id,
                              .title = (char *)(uintptr_t)title,
                              .notes = (char *)(uintptr_t) ""};
    (void)ia_reminders_put(r, &row);
}

/* What the step makes of the text; NULL: it leaves it as it is. */
static char *step(struct ia_phone *p, const struct ia_shortcut_step *s, const char *text)
{
    switch ((enum ia_shortcut_step_kind)s->kind) {
    case IA_STEP_TEXT:
        return fill_in(s->text, text);
    case IA_STEP_UPPERCASE:
        return upper(text);
    case IA_STEP_COUNT:
        return count(text);
    case IA_STEP_DATE:
        return today(p);
    case IA_STEP_PASTE:
        return ia_strdup(p->system.pasteboard ? p->system.pasteboard : "");
    case IA_STEP_COPY:
        ia_system_set_pasteboard(&p->system, ia_str(text));
        return NULL;
    case IA_STEP_REMIND:
        remind(p, text);
        return NULL;
    case IA_STEP_SHOW:
    case IA_STEP_KINDS:
        break;
    }
    return NULL;
}

void ia_shortcuts_run(struct ia_phone *p, const struct ia_shortcut *s, const char *input)
{
    struct ia_shortcuts *all = ia_shortcuts_of(p);
    char *text = ia_strdup(input);
    for (int i = 0; i < s->count; i++) {
        char *made = step(p, &s->steps[i], text);
        if (made) {
            free(text);
            text = made;
        }
    }
    free(all->last);
    free(all->result);
    all->last = ia_strdup(s->name);
    all->result = text;
}

/* ---- the oracle -------------------------------------------------------------------------- */

void ia_shortcuts_json(const void *shortcuts, struct ia_jsonw *w)
{
    const struct ia_shortcuts *s = shortcuts;
    ia_jsonw_key(w, "shortcuts");
    ia_jsonw_array(w);
    for (int i = 0; i < s->count; i++) {
        ia_jsonw_string(w, s->rows[i].name);
    }
    ia_jsonw_end_array(w);
    ia_jsonw_key(w, "shortcut_run");
    ia_jsonw_object(w);
    ia_jsonw_kv(w, "name", s->last);
    ia_jsonw_kv(w, "result", s->result);
    ia_jsonw_end_object(w);
}

struct ia_shortcuts *ia_shortcuts_of(struct ia_phone *p)
{
    return ia_phone_state_of(p, &ia_app_shortcuts)->data;
}

const struct ia_shortcuts *ia_shortcuts_of_const(const struct ia_phone *p)
{
    return ia_phone_state_of_const(p, &ia_app_shortcuts)->data;
}
