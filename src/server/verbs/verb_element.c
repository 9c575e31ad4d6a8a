/* verb_element.c: elements as people name them.
 *
 * A ref means the element that was shown with it, or nothing. A selector is looked up in a fresh tree
 * and must fit exactly one element: a guess would sooner or later be the wrong one. "focused" is the
 * element that typed text goes to. */
#include "base/suggest.h"
#include "base/utf8.h"
#include "server/verbs/verb_impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CANDIDATES_MAX = 5, NAMES_MAX = 512, NAME_BYTES_MAX = 500 };

bool ia_verb_pair(const char *text, double *ret_first, double *ret_second)
{
    char *end = NULL;
    *ret_first = strtod(text, &end);
    if (end == text || *end != ',') {
        return false;
    }
    const char *second = end + 1;
    *ret_second = strtod(second, &end);
    return end != second && *end == '\0' && isfinite(*ret_first) && isfinite(*ret_second);
}

int ia_verb_index(const char *const *words, const char *word)
{
    for (int i = 0; words[i]; i++) {
        if (strcmp(words[i], word) == 0) {
            return i;
        }
    }
    return -1;
}

/* "Done" is written without its quotes by everybody who never read the grammar. */
static bool plain_word(const char *text)
{
    return !strpbrk(text, "\"#") && strlen(text) > 0;
}

void ia_verb_quote(const char *text, struct ia_buf *ret)
{
    struct ia_selector sel;
    bool grammar = ia_selector_parse(ia_str(text), &sel, NULL, NULL) == IA_OK;
    if (grammar) {
        ia_selector_fini(&sel);
    }
    const char *quote = !grammar && plain_word(text) ? "\"" : "";
    ia_buf_puts(ret, quote);
    for (; *text; text++) {
        ia_buf_puts(ret, *quote && *text == '\\' ? "\\" : "");
        ia_buf_putc(ret, *text);
    }
    ia_buf_puts(ret, quote);
}

enum ia_rc ia_verb_selector(const char *text, struct ia_selector *ret, struct ia_err *err)
{
    size_t pos = 0;
    struct ia_err inner = {0};
    struct ia_buf quoted = IA_BUF(IA_VERB_TEXT_MAX);
    ia_verb_quote(text, &quoted);
    enum ia_rc rc = ia_selector_parse(ia_buf_str(&quoted), ret, &pos, &inner);
    const char *wrong = rc == IA_OK                              ? NULL
                        : !*text                                 ? "is empty"
                        : strlen(text) > NAME_BYTES_MAX          ? "is too long"
                        : !ia_utf8_printable(ia_str(text), "\t") ? "is not printable UTF-8"
                                                                 : NULL;
    if (wrong) {
        rc = ia_err_set(err, IA_E_USAGE, "the name of the element %s", wrong);
    } else if (rc != IA_OK) {
        rc = ia_err_set(err, IA_E_USAGE, "%s: %s (at byte %zu)", text, inner.msg, pos + 1);
    }
    if (rc != IA_OK) {
        ia_err_hint(err, IA_VERB_HINT_ELEMENT);
    }
    ia_buf_fini(&quoted);
    return rc;
}

enum fit { FIT_MATCHES, FIT_PART, FIT_ACTS };

static bool has_part(const struct ia_element *e, const struct ia_selector *sel)
{
    return sel->label && *sel->label && e->label && strcasestr(e->label, sel->label);
}

/* PART: the label that was asked for is a part of its own, in whatever case. */
static bool fits(const struct ia_element *e, const struct ia_selector *sel, enum fit fit)
{
    if (!e->listed || !e->ref) {
        return false;
    }
    if (fit == FIT_ACTS) {
        return e->actions != 0;
    }
    if (fit == FIT_MATCHES) {
        return ia_selector_matches(sel, e);
    }
    return has_part(e, sel);
}

/* The element whose label is written most like the one that was asked for, "Wifi" for "Wi-Fi". */
static bool put_nearest(const struct ia_snapshot *s, const char *asked, struct ia_buf *out)
{
    const char *labels[NAMES_MAX];
    size_t n = 0;
    for (size_t i = 0; asked && i < ia_snapshot_count(s) && n < NAMES_MAX; i++) {
        const struct ia_element *e = ia_snapshot_at(s, i);
        if (fits(e, NULL, FIT_ACTS) && e->label) {
            labels[n++] = e->label;
        }
    }
    const char *best = n > 0 ? ia_nearest(ia_str(asked), labels, n) : NULL;
    for (size_t i = 0; best && i < ia_snapshot_count(s); i++) {
        const struct ia_element *e = ia_snapshot_at(s, i);
        if (e->label == best) {
            ia_buf_puts(out, "nearest: ");
            ia_element_text(e, out);
            return true;
        }
    }
    return false;
}

/* Up to CANDIDATES_MAX elements of the screen that fit; false: none does. */
static bool put_candidates(const struct ia_snapshot *s, const struct ia_selector *sel,
                           enum fit fit, const char *before, struct ia_buf *out)
{
    size_t shown = 0, total = 0;
    for (size_t i = 0; i < ia_snapshot_count(s); i++) {
        const struct ia_element *e = ia_snapshot_at(s, i);
        if (fits(e, sel, fit) && total++ < CANDIDATES_MAX) {
            ia_buf_puts(out, shown++ ? "; " : before);
            ia_element_text(e, out);
        }
    }
    if (total > shown) {
        ia_buf_printf(out, "; and %zu more", total - shown);
    }
    return total > 0;
}

/* What the selector means, or has a part of its label, stands outside the visible part. */
static bool put_outside(const struct ia_snapshot *s, const struct ia_selector *sel, bool part,
                        struct ia_buf *out)
{
    for (size_t i = 0; i < ia_snapshot_count(s); i++) {
        const struct ia_element *e = ia_snapshot_at(s, i);
        bool meant = e->reach == IA_REACH_OFFSCREEN && e->label &&
                     (ia_selector_matches(sel, e) || (part && has_part(e, sel)));
        if (meant) {
            ia_buf_printf(out, "it is outside the visible part: ios-agent scroll-to \"%s\"",
                          e->label);
            return true;
        }
    }
    return false;
}

/* What an alert covers cannot be named before it is answered. */
static void put_alert(const struct ia_snapshot *s, struct ia_buf *out)
{
    for (size_t i = 0; i < ia_snapshot_count(s); i++) {
        if (ia_snapshot_at(s, i)->role == IA_ROLE_ALERT) {
            ia_buf_puts(out, "an alert covers the app (ios-agent alert accept or dismiss); ");
            return;
        }
    }
}

void ia_verb_near(const struct ia_snapshot *s, const struct ia_selector *sel,
                  struct ia_buf *out)
{
    put_alert(s, out);
    if (!put_candidates(s, sel, FIT_MATCHES, "it is there: ", out) &&
        !put_outside(s, sel, false, out) &&
        !put_candidates(s, sel, FIT_PART, "the whole label must match; near: ", out) &&
        !put_outside(s, sel, true, out) && !put_nearest(s, sel->label, out) &&
        !put_candidates(s, sel, FIT_ACTS, "on the screen: ", out)) {
        ia_buf_puts(out, "on the screen: nothing that could be acted on");
    }
}

/* "row Wi-Fi", copied from a line of the screen, is a role and a label that lacks its quotes. */
static bool put_quoted(const struct ia_snapshot *s, const char *label, struct ia_buf *out)
{
    const char *space = label ? strchr(label, ' ') : NULL;
    struct ia_buf text = IA_BUF(IA_VERB_TEXT_MAX);
    struct ia_selector sel = {.role = -1};
    bool meant = false;
    if (space) {
        ia_buf_printf(&text, "%.*s \"%s\"", (int)(space - label), label, space + 1);
        meant = ia_selector_parse(ia_buf_str(&text), &sel, NULL, NULL) == IA_OK &&
                ia_snapshot_count_matches(s, &sel) == 1;
    }
    if (meant) {
        ia_buf_printf(out, "did you mean '%s'?", ia_buf_cstr(&text));
    }
    ia_selector_fini(&sel);
    ia_buf_fini(&text);
    return meant;
}

static enum ia_rc refuse(const struct ia_snapshot *s, const char *text,
                         const struct ia_selector *sel, size_t n, struct ia_err *err)
{
    struct ia_buf hint = IA_BUF(sizeof(err->hint));
    enum ia_rc rc =
        n > 0 ? ia_err_set(err, IA_E_AMBIGUOUS, "%zu elements match %s", n, text)
              : ia_err_set(err, IA_E_NOT_FOUND, "nothing on the screen matches %s", text);
    if (n > 0) {
        (void)put_candidates(s, sel, FIT_MATCHES, "name one of: ", &hint);
    } else if (!put_quoted(s, sel->label, &hint)) {
        ia_verb_near(s, sel, &hint);
    }
    ia_err_hint(err, "%s", ia_buf_cstr(&hint));
    ia_buf_fini(&hint);
    return ia_device_not_sent(rc, err);
}

static enum ia_rc select_one(struct ia_verb_call *call, const char *text,
                             const struct ia_selector *sel, uint32_t *ret_ref,
                             struct ia_err *err)
{
    const struct ia_snapshot *s = NULL;
    enum ia_rc rc = ia_session_snapshot(call->lane->session, &call->deadline, &s, err);
    if (rc != IA_OK) {
        return rc;
    }
    size_t n = ia_snapshot_count_matches(s, sel);
    const struct ia_element *e = ia_snapshot_find(s, sel);
    if (n != 1 || e->ref == 0) {
        return refuse(s, text, sel, n, err);
    }
    *ret_ref = e->ref;
    return IA_OK;
}

enum ia_rc ia_verb_at_most_one(struct ia_verb_call *call, const char *text,
                               const struct ia_selector *sel, struct ia_err *err)
{
    const struct ia_snapshot *s = NULL;
    enum ia_rc rc = ia_session_snapshot(call->lane->session, &call->deadline, &s, err);
    size_t n = rc == IA_OK ? ia_snapshot_count_matches(s, sel) : 0;
    return n > 1 ? refuse(s, text, sel, n, err) : rc;
}

/* Where typed text goes. */
static enum ia_rc focused(struct ia_verb_call *call, uint32_t *ret_ref, struct ia_err *err)
{
    const struct ia_snapshot *s = NULL;
    enum ia_rc rc = ia_session_snapshot(call->lane->session, &call->deadline, &s, err);
    for (size_t i = 0; rc == IA_OK && i < ia_snapshot_count(s); i++) {
        const struct ia_element *e = ia_snapshot_at(s, i);
        if (e->focused && e->ref) {
            *ret_ref = e->ref;
            return IA_OK;
        }
    }
    if (rc == IA_OK) {
        rc = ia_err_set(err, IA_E_NOT_FOUND, "no element on the screen has the keyboard focus");
        ia_err_hint(err, "tap a text field first, or name it");
        rc = ia_device_not_sent(rc, err);
    }
    return rc;
}

/* A session that has seen nothing yet looks first, so that an old ref is refused with what is on the
 * screen now. A ref that it gives only then was shown to nobody. */
static enum ia_rc first_look(struct ia_verb_call *call, uint32_t ref, struct ia_err *err)
{
    struct ia_session *session = call->lane->session;
    const struct ia_snapshot *s = NULL;
    uint32_t given = ia_session_last_ref(session);
    enum ia_rc rc = ia_session_snapshot(session, &call->deadline, &s, err);
    if (rc == IA_OK && ref > given) {
        rc = ia_err_set(err, IA_E_NO_SNAPSHOT, "no element was shown with the ref %u yet", ref);
        ia_err_hint(err, "take a snapshot, or name the element: \"label\", role \"label\" or "
                         "#identifier");
        rc = ia_device_not_sent(rc, err);
    }
    return rc;
}

/* What is only waited for or counted must have been shown, too: "gone" is not what never was. */
static enum ia_rc check_given(const struct ia_verb_call *call, uint32_t ref, struct ia_err *err)
{
    if (ref <= ia_session_last_ref(call->lane->session)) {
        return IA_OK;
    }
    enum ia_rc rc = ia_err_set(err, IA_E_NOT_FOUND,
                               "there is no element %u: a ref is the number at the start of a "
                               "line of the snapshot",
                               ref);
    ia_err_hint(err, "take a snapshot and use a number from it");
    return ia_device_not_sent(rc, err);
}

enum ia_rc ia_verb_element(struct ia_verb_call *call, const char *text, uint32_t *ret_ref,
                           struct ia_err *err)
{
    *ret_ref = ia_ref_parse(ia_str(text));
    bool looked = ia_session_look_has(call->lane->session, *ret_ref);
    if (*ret_ref && !looked && !ia_session_latest(call->lane->session)) {
        return first_look(call, *ret_ref, err);
    }
    if (*ret_ref) {
        return check_given(call, *ret_ref, err);
    }
    if (strcmp(text, "focused") == 0) {
        return focused(call, ret_ref, err);
    }
    struct ia_selector sel = {.role = -1};
    enum ia_rc rc = ia_verb_selector(text, &sel, err);
    if (rc == IA_OK) {
        rc = select_one(call, text, &sel, ret_ref, err);
    }
    ia_selector_fini(&sel);
    return rc;
}

enum ia_rc ia_verb_explain(const struct ia_verb_call *call, enum ia_rc rc, struct ia_err *err)
{
    bool about_refs = rc == IA_E_STALE_REF || rc == IA_E_NOT_FOUND;
    if (about_refs && err && call->lane->driven_by) {
        char before[sizeof(err->hint)];
        memcpy(before, err->hint, sizeof(before));
        ia_err_hint(err,
                    "since the last command here the device was driven by %s; take a new "
                    "snapshot. %s",
                    call->lane->driven_by, before);
    }
    return rc;
}
