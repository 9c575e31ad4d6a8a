/* audit_rules.c: the rules that look at elements: what can be acted on, how it is called, how large
 * it is, and whether others are like it or in its way.
 *
 * Only what a person can reach now is looked at; keys of the keyboard are the system's. Sizes are
 * those of the accessibility frame, which is what takes touches unless an app widens it in code.
 * Controls whose size the system decides (switches, sliders …) are not measured.
 *
 * Sources: Apple, Human Interface Guidelines, "Accessibility" (44 by 44 points); WCAG 2.2,
 * success criterion 2.5.8 (24 by 24 CSS pixels). */
#include "driver/snapshot/audit_impl.h"
#include "driver/snapshot/rect.h"

#include <math.h>
#include <string.h>
#include <strings.h>

static const double TARGET_PT = 44, TARGET_LEAST_PT = 24;
static const double SLACK_PT = 0.5; /* of what devices deliver */
/* Two targets overlap by so much of the smaller one. */
static const double OVERLAP_SHARE = 0.2;
enum { PAIRS_AMONG_MAX = 400 };

/* What the rules ask of each role. */
enum { NAMED = 1, SIZED = 2, UNIQUE = 4 };
static const uint8_t asks[IA_ROLE_COUNT] = {
    [IA_ROLE_BUTTON] = NAMED | SIZED | UNIQUE,
    [IA_ROLE_LINK] = NAMED | UNIQUE,
    [IA_ROLE_FIELD] = UNIQUE,
    [IA_ROLE_SECURE] = UNIQUE,
    [IA_ROLE_SEARCH] = UNIQUE,
    [IA_ROLE_SWITCH] = NAMED | UNIQUE,
    [IA_ROLE_CHECKBOX] = NAMED | SIZED | UNIQUE,
    [IA_ROLE_RADIO] = NAMED | SIZED | UNIQUE,
    [IA_ROLE_SLIDER] = NAMED | UNIQUE,
    [IA_ROLE_STEPPER] = NAMED | UNIQUE,
    [IA_ROLE_PICKER] = 0,
    [IA_ROLE_SEGMENT] = NAMED | UNIQUE,
    [IA_ROLE_TAB] = NAMED | UNIQUE,
    [IA_ROLE_MENU_ITEM] = NAMED | SIZED | UNIQUE,
    [IA_ROLE_ROW] = SIZED,
    [IA_ROLE_ICON] = NAMED | SIZED,
};

/* Words for a role at the end of a label; English. */
static const char *const role_words[IA_ROLE_COUNT][3] = {
    [IA_ROLE_BUTTON] = {"button", "btn"},
    [IA_ROLE_LINK] = {"link"},
    [IA_ROLE_IMAGE] = {"image", "picture", "icon"},
    [IA_ROLE_SWITCH] = {"switch", "toggle"},
    [IA_ROLE_CHECKBOX] = {"checkbox", "check box"},
    [IA_ROLE_RADIO] = {"radio button"},
    [IA_ROLE_SLIDER] = {"slider"},
    [IA_ROLE_STEPPER] = {"stepper"},
    [IA_ROLE_TAB] = {"tab"},
    [IA_ROLE_FIELD] = {"text field", "textfield", "field"},
    [IA_ROLE_SECURE] = {"secure text field", "text field", "field"},
    [IA_ROLE_SEARCH] = {"search field"},
};

static bool looked_at(const struct ia_snapshot *s, size_t i)
{
    const struct ia_element *e = &s->elements[i];
    return e->listed && !s->more[i].key && e->role != IA_ROLE_KEY &&
           e->role != IA_ROLE_KEYBOARD && !ia_rect_empty(s->more[i].vis);
}

static bool is_control(const struct ia_element *e)
{
    return e->role < IA_ROLE_COUNT && (asks[e->role] != 0 || e->role == IA_ROLE_PICKER);
}

/* ---- labels ------------------------------------------------------------------------------ */

static void check_label_missing(struct ia_audit *a, const struct ia_element *e)
{
    if (asks[e->role] & NAMED && !e->label) {
        ia_audit_add(a, IA_AUDIT_LABEL_MISSING, IA_AUDIT_ERROR, e,
                     "has no label: only its role%s is read", e->value ? " and value" : "");
    }
}

/* The word stands alone or behind a space. */
static bool ends_with(const char *label, const char *word)
{
    size_t n = strlen(label), m = strlen(word);
    return n >= m && strcasecmp(label + n - m, word) == 0 &&
           (n == m || label[n - m - 1] == ' ');
}

static void check_label_role(struct ia_audit *a, const struct ia_element *e)
{
    for (size_t i = 0; i < IA_COUNTOF(role_words[0]) && role_words[e->role][i]; i++) {
        if (e->label && ends_with(e->label, role_words[e->role][i])) {
            ia_audit_add(a, IA_AUDIT_LABEL_ROLE, IA_AUDIT_WARNING, e,
                         "its label ends with its role (\"%s\"), which is then read twice",
                         role_words[e->role][i]);
            return;
        }
    }
}

/* "ic_close", "close.png", "square.and.arrow.up": one word of letters and digits that only programs
 * write so. */
static bool is_name(const char *label)
{
    static const char word[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-@";
    static const char *const ends[] = {".png", ".jpg", ".jpeg", ".svg", ".pdf", ".gif"};
    size_t n = strlen(label), dots = 0;
    bool lower = strpbrk(label, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == NULL;
    if (n < 3 || strspn(label, word) != n || strchr(label, '@')) {
        return false;
    }
    for (size_t i = 0; i < IA_COUNTOF(ends); i++) {
        if (n > strlen(ends[i]) && strcasecmp(label + n - strlen(ends[i]), ends[i]) == 0) {
            return true;
        }
    }
    for (const char *p = label; (p = strchr(p, '.')) != NULL; p++) {
        dots++;
    }
    const char *under = strchr(label + 1, '_');
    return (under && under[1] != '\0') || (lower && dots >= 2);
}

static void check_label_name(struct ia_audit *a, const struct ia_element *e)
{
    bool touched = asks[e->role] & NAMED && e->role != IA_ROLE_LINK;
    if (e->label && (touched || e->role == IA_ROLE_IMAGE) && is_name(e->label)) {
        ia_audit_add(a, IA_AUDIT_LABEL_NAME, IA_AUDIT_WARNING, e,
                     "its label \"%s\" is the name of a file, a symbol or a variable",
                     e->label);
    }
}

static void check_field(struct ia_audit *a, const struct ia_element *e)
{
    if (!ia_role_is_field(e->role) || e->label) {
        return;
    }
    if (e->placeholder) {
        ia_audit_add(a, IA_AUDIT_FIELD_LABEL, IA_AUDIT_NOTICE, e,
                     "has a placeholder and no label");
    } else if (
        e->value) { /* which may be a placeholder that the device does not tell from it */
        ia_audit_add(a, IA_AUDIT_FIELD_LABEL, IA_AUDIT_WARNING, e,
                     "has no label: only what is in it is read");
    } else {
        ia_audit_add(a, IA_AUDIT_FIELD_LABEL, IA_AUDIT_ERROR, e,
                     "has neither label nor placeholder: nobody is told what to type");
    }
}

/* ---- duplicates -------------------------------------------------------------------------- */

static bool same_text(const char *x, const char *y)
{
    return strcmp(x ? x : "", y ? y : "") == 0;
}

static bool alike(const struct ia_element *x, const struct ia_element *y)
{
    return x->role == y->role && x->label && same_text(x->label, y->label) &&
           same_text(x->value, y->value) && !ia_rect_near(x->frame, y->frame, 1);
}

/* The labelled row, card or group that says what it is about; -1: none. */
static int32_t context_of(const struct ia_snapshot *s, const struct ia_element *e)
{
    for (int32_t p = e->parent; p >= 0; p = s->elements[p].parent) {
        bool area =
            s->elements[p].role == IA_ROLE_LIST || s->elements[p].role == IA_ROLE_SCROLL;
        if (s->elements[p].label && !area) {
            return p;
        }
    }
    return -1;
}

static void check_duplicate(struct ia_audit *a, const struct ia_snapshot *s, size_t i)
{
    const struct ia_element *e = &s->elements[i];
    int others = 0;
    bool told_apart = true;
    if (!(asks[e->role] & UNIQUE)) {
        return;
    }
    for (size_t k = 0; k < s->count; k++) {
        if (k == i || !looked_at(s, k) || !alike(e, &s->elements[k])) {
            continue;
        }
        if (k < i) {
            return; /* told with the first of them */
        }
        int32_t mine = context_of(s, e), its = context_of(s, &s->elements[k]);
        told_apart = told_apart && mine >= 0 && its >= 0 && mine != its;
        others++;
    }
    if (others > 0) {
        ia_audit_add(a, IA_AUDIT_LABEL_DUPLICATE,
                     told_apart ? IA_AUDIT_NOTICE : IA_AUDIT_WARNING, e,
                     "%d other %s of this screen %s called the same%s", others,
                     others == 1 ? "element" : "elements", others == 1 ? "is" : "are",
                     told_apart ? ", in rows of their own" : "");
    }
}

/* ---- targets ----------------------------------------------------------------------------- */

/* What a container cuts off is larger elsewhere. */
static bool cut(const struct ia_snapshot *s, size_t i)
{
    return !ia_rect_near(s->more[i].vis, s->elements[i].frame, SLACK_PT);
}

/* The halves of a stepper and the buttons in a text field are the system's. */
static bool of_the_system(const struct ia_snapshot *s, size_t i)
{
    struct ia_point middle = ia_rect_center(s->elements[i].frame);
    for (size_t k = 0; k < s->count; k++) {
        const struct ia_element *e = &s->elements[k];
        bool holds = ia_role_is_field(e->role) || e->role == IA_ROLE_STEPPER;
        if (k != i && holds && e->listed && ia_rect_has(e->frame, middle) &&
            ia_rect_area(e->frame) > ia_rect_area(s->elements[i].frame)) {
            return true;
        }
    }
    return false;
}

static void check_size(struct ia_audit *a, const struct ia_snapshot *s, size_t i)
{
    const struct ia_element *e = &s->elements[i];
    double least = fmin(e->frame.w, e->frame.h);
    if (!(asks[e->role] & SIZED) || e->disabled || least >= TARGET_PT - SLACK_PT || cut(s, i) ||
        of_the_system(s, i)) {
        return;
    }
    ia_audit_add(a, IA_AUDIT_TARGET_SMALL,
                 least < TARGET_LEAST_PT - SLACK_PT ? IA_AUDIT_ERROR : IA_AUDIT_WARNING, e,
                 "is %g by %g points", e->frame.w, e->frame.h);
}

static bool within(const struct ia_snapshot *s, size_t i, size_t outer)
{
    for (int32_t p = s->elements[i].parent; p >= 0; p = s->elements[p].parent) {
        if ((size_t)p == outer) {
            return true;
        }
    }
    return false;
}

/* Both partly: what lies in something larger is a part of it. */
static bool overlap(const struct ia_snapshot *s, size_t i, size_t k)
{
    struct ia_rect x = s->more[i].vis, y = s->more[k].vis;
    double both = ia_rect_area(ia_rect_cut(x, y));
    double small = fmin(ia_rect_area(x), ia_rect_area(y));
    return both > OVERLAP_SHARE * small && both < 0.98 * small && !within(s, i, k) &&
           !within(s, k, i);
}

static void check_overlap(struct ia_audit *a, const struct ia_snapshot *s,
                          const size_t *targets, size_t n, size_t at)
{
    for (size_t k = at + 1; k < n; k++) {
        if (overlap(s, targets[at], targets[k])) {
            struct ia_buf other = IA_BUF(4096);
            ia_element_text(&s->elements[targets[k]], &other);
            ia_audit_add(a, IA_AUDIT_TARGET_OVERLAP, IA_AUDIT_WARNING,
                         &s->elements[targets[at]], "overlaps with %.200s",
                         ia_buf_cstr(&other));
            ia_buf_fini(&other);
        }
    }
}

static void check_overlaps(struct ia_audit *a, const struct ia_snapshot *s)
{
    size_t targets[PAIRS_AMONG_MAX], n = 0;
    for (size_t i = 0; i < s->count && n < PAIRS_AMONG_MAX; i++) {
        const struct ia_element *e = &s->elements[i];
        if (looked_at(s, i) && is_control(e) && e->reach == IA_REACH_OK) {
            targets[n++] = i;
        }
    }
    for (size_t i = 0; i < n; i++) {
        check_overlap(a, s, targets, n, i);
    }
}

void ia_audit_elements(struct ia_audit *a, const struct ia_snapshot *s)
{
    for (size_t i = 0; i < s->count; i++) {
        const struct ia_element *e = &s->elements[i];
        if (!looked_at(s, i)) {
            continue;
        }
        a->checked++;
        check_label_missing(a, e);
        check_label_role(a, e);
        check_label_name(a, e);
        check_field(a, e);
        check_duplicate(a, s, i);
        check_size(a, s, i);
    }
    check_overlaps(a, s);
}
