/* changes.c: reads a list of changes, by the table IA_CHANGE_LIST. */
#include "driver/embedded/fault/changes.h"

#include "base/suggest.h"
#include "driver/embedded/fault/impl.h"

#include <stdlib.h>

static const struct {
    const char *word, *effect;
    char what, text; /* '-' none, '?' may, '!' must */
} changes[IA_CHANGE_COUNT] = {
#define ROW(name, word, what, text, effect) [name] = {word, effect, what, text},
    IA_CHANGE_LIST(ROW)
#undef ROW
};

const char *ia_change_effect(enum ia_change_kind kind)
{
    return changes[kind].effect;
}

static enum ia_rc unknown(struct ia_str word, struct ia_err *err)
{
    const char *words[IA_CHANGE_COUNT];
    for (int i = 0; i < IA_CHANGE_COUNT; i++) {
        words[i] = changes[i].word;
    }
    enum ia_rc rc = ia_err_set(err, IA_E_USAGE, "no planted change is named \"%.*s\"",
                               (int)(word.n < 40 ? word.n : 40), word.p);
    const char *near = ia_nearest(word, words, IA_CHANGE_COUNT);
    ia_err_hint(err, "a change is WORD[:WHAT[=TEXT]], as in %s",
                near ? near : "label:#add=New or hide:Delete Contact");
    return rc;
}

/* "-300,0" for x and y, "4000" for x alone. */
static bool read_numbers(struct ia_str text, int32_t *x, int32_t *y)
{
    char copy[24] = "", *end;
    if (text.n == 0 || text.n >= sizeof(copy)) {
        return false;
    }
    memcpy(copy, text.p, text.n);
    long first = strtol(copy, &end, 10), second = 0;
    bool pair = y && end > copy && *end == ',' && end[1];
    if (pair) {
        second = strtol(end + 1, &end, 10);
        *y = (int32_t)second;
    }
    *x = (int32_t)first;
    return end > copy && *end == '\0' && pair == (y != NULL) &&
           labs(first) <= IA_CHANGE_NUMBER_MAX && labs(second) <= IA_CHANGE_NUMBER_MAX;
}

static bool fits(char rule, size_t n)
{
    return rule == '?' || (rule == '!') == (n > 0);
}

static enum ia_rc read_change(struct ia_str part, struct ia_change *ret, struct ia_err *err)
{
    struct ia_str word = ia_knob_cut(&part, ':');
    struct ia_change c = {.what = ia_knob_cut(&part, '='), .text = part};
    int i = 0;
    while (i < IA_CHANGE_COUNT && !ia_str_is(word, changes[i].word)) {
        i++;
    }
    if (i == IA_CHANGE_COUNT) {
        return unknown(word, err);
    }
    c.kind = (enum ia_change_kind)i;
    bool numbers = (c.kind != IA_CHANGE_MOVE || read_numbers(c.text, &c.x, &c.y)) &&
                   (c.kind != IA_CHANGE_LATE || read_numbers(c.what, &c.x, NULL));
    if (!fits(changes[i].what, c.what.n) || !fits(changes[i].text, c.text.n) || !numbers) {
        return ia_err_set(err, IA_E_USAGE, "the change \"%s\" has another form: %s",
                          changes[i].word, changes[i].effect);
    }
    *ret = c;
    return IA_OK;
}

enum ia_rc ia_changes_parse(struct ia_str list, struct ia_changes *ret, struct ia_err *err)
{
    struct ia_changes all = {0};
    enum ia_rc rc = IA_OK;
    if (list.n > IA_CHANGES_BYTES_MAX) {
        return ia_err_set(err, IA_E_USAGE, "the changes have %zu bytes; the limit is %d",
                          list.n, IA_CHANGES_BYTES_MAX);
    }
    while (rc == IA_OK && list.n > 0 && !ia_str_is(list, "none")) {
        if (all.count == IA_CHANGES_MAX) {
            return ia_err_set(err, IA_E_USAGE, "a phone takes at most %d changes",
                              IA_CHANGES_MAX);
        }
        rc = read_change(ia_knob_cut(&list, ';'), &all.list[all.count], err);
        all.count += rc == IA_OK;
    }
    if (rc == IA_OK) {
        *ret = all;
    }
    return rc;
}

int32_t ia_changes_late_ms(const char *list)
{
    struct ia_changes all = {0};
    int32_t ms = 0;
    if (list && ia_changes_parse(ia_str(list), &all, NULL) == IA_OK) {
        for (int i = 0; i < all.count; i++) {
            ms = all.list[i].kind == IA_CHANGE_LATE ? all.list[i].x : ms;
        }
    }
    return ms;
}
