/* select.c: selectors, and finding by them or by a text.
 *
 *   selector = "#" identifier / [role SP] DQUOTE label DQUOTE / role
 *
 * Labels and texts are folded as the screen's are, so that what a line shows can be pasted. */
#include "driver/snapshot/phrase.h"

#include "base/suggest.h"
#include "driver/snapshot/model.h"

#include <stdlib.h>
#include <string.h>

enum { SELECTOR_BYTES_MAX = 1024 };

struct reader {
    struct ia_str t;
    size_t at;
};

static void skip_spaces(struct reader *r)
{
    while (r->at < r->t.n && (r->t.p[r->at] == ' ' || r->t.p[r->at] == '\t')) {
        r->at++;
    }
}

static bool at_end(const struct reader *r)
{
    return r->at >= r->t.n;
}

static enum ia_rc error_at(const struct reader *r, size_t *ret_pos, struct ia_err *err,
                           const char *what)
{
    if (ret_pos) {
        *ret_pos = r->at;
    }
    ia_err_set(err, IA_E_PARSE, "%s", what);
    ia_err_hint(err, "a selector is #identifier, \"label\", role \"label\" or role");
    return IA_E_PARSE;
}

static char *fold(const char *p, size_t n)
{
    struct ia_buf b = IA_BUF(SELECTOR_BYTES_MAX + 1);
    ia_phrase_fold_to(&b, p, n);
    return ia_buf_steal(&b);
}

/* The content of a quoted label with \" and \\ resolved; the reader stands after the quote. */
static enum ia_rc read_label(struct reader *r, char **ret, size_t *ret_pos, struct ia_err *err)
{
    struct ia_buf b = IA_BUF(SELECTOR_BYTES_MAX + 1);
    size_t open = r->at++;
    while (!at_end(r) && r->t.p[r->at] != '"') {
        bool escape = r->t.p[r->at] == '\\' && r->at + 1 < r->t.n &&
                      (r->t.p[r->at + 1] == '"' || r->t.p[r->at + 1] == '\\');
        r->at += escape;
        ia_buf_putc(&b, r->t.p[r->at++]);
    }
    enum ia_rc rc = IA_OK;
    if (at_end(r)) {
        r->at = open;
        rc = error_at(r, ret_pos, err, "the label's closing quote is missing");
    } else {
        r->at++;
        *ret = fold(ia_buf_cstr(&b), b.len);
        if (!**ret) {
            free(*ret);
            *ret = NULL;
            r->at = open;
            rc = error_at(r, ret_pos, err, "the label is empty");
        }
    }
    ia_buf_fini(&b);
    return rc;
}

static enum ia_rc read_identifier(struct reader *r, char **ret, size_t *ret_pos,
                                  struct ia_err *err)
{
    size_t from = ++r->at;
    size_t end = r->t.n;
    while (end > from && (r->t.p[end - 1] == ' ' || r->t.p[end - 1] == '\t')) {
        end--;
    }
    if (end == from) {
        return error_at(r, ret_pos, err, "an identifier is missing after #");
    }
    *ret = fold(r->t.p + from, end - from);
    r->at = r->t.n;
    return IA_OK;
}

/* With the nearest role, or else with all of them. */
static void hint_roles(struct ia_str word, struct ia_err *err)
{
    const char *names[IA_ROLE_COUNT];
    struct ia_buf all = IA_BUF(sizeof(err->hint));
    for (int role = 0; role < IA_ROLE_COUNT; role++) {
        names[role] = ia_role_name((enum ia_role)role);
        ia_buf_printf(&all, "%s%s", role > 0 ? ", " : "", names[role]);
    }
    const char *near = ia_nearest(word, names, IA_ROLE_COUNT);
    if (near) {
        ia_err_hint(err, "did you mean %s? A label stands between double quotes", near);
    } else {
        ia_err_hint(err, "a label stands between double quotes; roles: %s", ia_buf_cstr(&all));
    }
    ia_buf_fini(&all);
}

static enum ia_rc read_role(struct reader *r, int *ret, size_t *ret_pos, struct ia_err *err)
{
    size_t from = r->at;
    while (!at_end(r) && r->t.p[r->at] != ' ' && r->t.p[r->at] != '"' &&
           r->t.p[r->at] != '\t') {
        r->at++;
    }
    struct ia_str word = {r->t.p + from, r->at - from};
    int role = ia_role_from_name(word);
    if (role < IA_ROLE_COUNT) {
        *ret = role;
        return IA_OK;
    }
    r->at = from;
    enum ia_rc rc = error_at(r, ret_pos, err, "this is not a role");
    hint_roles(word, err);
    return rc;
}

enum ia_rc ia_selector_parse(struct ia_str text, struct ia_selector *ret, size_t *ret_pos,
                             struct ia_err *err)
{
    struct reader r = {text, 0};
    struct ia_selector sel = {NULL, NULL, -1};
    skip_spaces(&r);
    if (at_end(&r)) {
        return error_at(&r, ret_pos, err, "the selector is empty");
    }
    if (text.n > SELECTOR_BYTES_MAX || memchr(text.p, '\0', text.n)) {
        return error_at(&r, ret_pos, err, "the selector is too long or contains a NUL");
    }
    enum ia_rc rc = IA_OK;
    if (r.t.p[r.at] == '#') {
        rc = read_identifier(&r, &sel.identifier, ret_pos, err);
    } else {
        rc = r.t.p[r.at] == '"' ? IA_OK : read_role(&r, &sel.role, ret_pos, err);
        skip_spaces(&r);
        if (rc == IA_OK && !at_end(&r) && r.t.p[r.at] == '"') {
            rc = read_label(&r, &sel.label, ret_pos, err);
        }
        skip_spaces(&r);
        if (rc == IA_OK && !at_end(&r)) {
            rc = error_at(&r, ret_pos, err, "nothing may follow here");
        }
    }
    if (rc != IA_OK) {
        ia_selector_fini(&sel);
        return rc;
    }
    *ret = sel;
    return IA_OK;
}

void ia_selector_fini(struct ia_selector *sel)
{
    free(sel->identifier);
    free(sel->label);
    *sel = (struct ia_selector){NULL, NULL, -1};
}

static bool equal(const char *a, const char *b)
{
    return a && b && strcmp(a, b) == 0;
}

bool ia_selector_matches(const struct ia_selector *sel, const struct ia_element *e)
{
    if (sel->role >= 0 && sel->role != e->role) {
        return false;
    }
    if (sel->identifier && !equal(sel->identifier, e->identifier)) {
        return false;
    }
    return !sel->label || equal(sel->label, e->label) ||
           (!e->label && equal(sel->label, e->placeholder));
}

const struct ia_element *ia_snapshot_find(const struct ia_snapshot *s,
                                          const struct ia_selector *sel)
{
    for (size_t i = 0; i < s->count; i++) {
        if (s->elements[i].listed && ia_selector_matches(sel, &s->elements[i])) {
            return &s->elements[i];
        }
    }
    return NULL;
}

size_t ia_snapshot_count_matches(const struct ia_snapshot *s, const struct ia_selector *sel)
{
    size_t n = 0;
    for (size_t i = 0; i < s->count; i++) {
        n += s->elements[i].listed && ia_selector_matches(sel, &s->elements[i]);
    }
    return n;
}

static bool element_has(const struct ia_element *e, const char *part)
{
    /* A placeholder is read on the screen until something is typed. */
    const char *texts[] = {e->label, e->value, e->value ? NULL : e->placeholder};
    for (size_t i = 0; i < IA_COUNTOF(texts); i++) {
        if (texts[i] && strstr(texts[i], part)) {
            return true;
        }
    }
    return false;
}

bool ia_snapshot_contains(const struct ia_snapshot *s, struct ia_str text)
{
    struct ia_buf folded = IA_BUF(SIZE_MAX / 2);
    ia_phrase_fold_to(&folded, text.p, text.n);
    const char *part = ia_buf_cstr(&folded);
    bool found = false;
    if (*part) {
        found = s->screen && strstr(s->screen, part);
        for (size_t i = 0; i < s->count && !found; i++) {
            found = s->elements[i].listed && element_has(&s->elements[i], part);
        }
    }
    ia_buf_fini(&folded);
    return found;
}

size_t ia_snapshot_count(const struct ia_snapshot *s)
{
    return s->count;
}

const struct ia_element *ia_snapshot_at(const struct ia_snapshot *s, size_t i)
{
    return i < s->count ? &s->elements[i] : NULL;
}

const char *ia_snapshot_app(const struct ia_snapshot *s)
{
    return s->app;
}

const char *ia_snapshot_app_state(const struct ia_snapshot *s, size_t *ret_count)
{
    *ret_count = s->app_states;
    return s->app_state;
}

const char *ia_snapshot_screen(const struct ia_snapshot *s)
{
    return s->screen;
}

bool ia_snapshot_truncated(const struct ia_snapshot *s)
{
    return s->truncated;
}

bool ia_snapshot_keyboard(const struct ia_snapshot *s)
{
    return s->keyboard >= 0;
}
