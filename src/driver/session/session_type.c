/* session_type.c: typing into fields.
 *
 *   tap, unless it has the focus ─► focus, or a keyboard? ─► empty it (replace) ─► type, once
 *       ─► read back until the field holds the text ─► return (submit)
 *              │                          ▲
 *              └─ characters were lost ─► empty it ─► type slower, twice at most (no secure field)
 *
 * Nothing is typed before the focus is known to be right: text in another field cannot be
 * called back. Text that ends with a line break is not read back, as the field may be gone. */
#include "driver/session/session_impl.h"

#include "driver/snapshot/phrase.h"

#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

enum { FOCUS_US = 2500000, READ_BACK_US = 1500000, TEXT_MAX = 16384, DELETE_ROUNDS = 3 };

static bool has_keyboard(const struct ia_act *a)
{
    return a->e->focused || ia_snapshot_keyboard(a->s->latest);
}

static bool gone(struct ia_act *a, enum ia_rc *rc)
{
    if (*rc == IA_OK && !a->e) {
        ia_err_set(a->err, IA_E_STALE_REF, "%s disappeared while it was tapped",
                   a->ret->element);
        ia_err_hint(a->err, "take a fresh snapshot");
        *rc = IA_E_STALE_REF;
    }
    return *rc != IA_OK;
}

/* A field other than ours that has the focus, or NULL: where text would go. */
static const struct ia_element *focused_elsewhere(const struct ia_act *a)
{
    const struct ia_snapshot *now = a->s->latest;
    for (size_t i = 0; i < now->count; i++) {
        const struct ia_element *e = &now->elements[i];
        if (e->listed && e->focused && e != a->e) {
            return e;
        }
    }
    return NULL;
}

static enum ia_rc missed(struct ia_act *a, const struct ia_element *other)
{
    struct ia_buf text = IA_BUF(1024);
    ia_element_text(other, &text);
    ia_err_set(a->err, IA_E_NO_KEYBOARD, "%s was tapped, but another field has the focus: %s",
               a->ret->element, ia_buf_cstr(&text));
    ia_err_hint(a->err, "nothing was typed; it may have moved, so try again");
    ia_buf_fini(&text);
    return IA_E_NO_KEYBOARD;
}

/* Taps the field unless it has the focus, and waits for the focus or a keyboard. */
static enum ia_rc focus(struct ia_act *a)
{
    if (a->e->focused) {
        return IA_OK;
    }
    bool keyboard = ia_snapshot_keyboard(a->s->latest);
    struct ia_device *d = a->s->device;
    enum ia_rc rc = ia_device_tap(d, a->deadline, a->e->activation, a->err);
    if (rc != IA_OK) {
        return rc;
    }
    a->touched = true;
    struct ia_poll poll = ia_poll_begin(a->s, a->deadline, FOCUS_US);
    uint64_t before = 0;
    do {
        rc = ia_act_refresh(a);
        if (gone(a, &rc) || a->e->focused || (!keyboard && has_keyboard(a))) {
            return rc;
        }
        rc = ia_poll_next(&poll, before == a->s->latest->motion);
        before = a->s->latest->motion;
    } while (rc == IA_OK);
    if (rc == IA_E_CANCELLED) {
        return ia_err_set(a->err, rc, "cancelled while the field was getting the focus");
    }
    const struct ia_element *other = focused_elsewhere(a);
    if (other) {
        return missed(a, other);
    }
    if (has_keyboard(a)) { /* the device does not tell which field has the focus */
        return IA_OK;
    }
    ia_err_set(a->err, IA_E_NO_KEYBOARD, "%s was tapped and no keyboard appeared",
               a->ret->element);
    ia_err_hint(a->err, "it may not be a text field, or something in front took the tap");
    return IA_E_NO_KEYBOARD;
}

/* What is compared: letters and digits, and everything beyond ASCII. Apps put spaces, dashes
 * and brackets into numbers as they are typed. */
static bool counts(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (unsigned char)c >= 0x80;
}

static bool same_letters(const char *a, const char *b)
{
    for (;;) {
        while (*a && !counts(*a)) {
            a++;
        }
        while (*b && !counts(*b)) {
            b++;
        }
        if (*a != *b) {
            return false;
        }
        if (!*a) {
            return true;
        }
        a++;
        b++;
    }
}

static bool has_letters(const char *s)
{
    while (*s && !counts(*s)) {
        s++;
    }
    return *s != '\0';
}

static bool reads(const struct ia_element *e, const char *want)
{
    const char *got = e->value ? e->value : "";
    if (e->role == IA_ROLE_SECURE) {
        return ia_utf8_count(ia_str(got)) == ia_utf8_count(ia_str(want));
    }
    return strcmp(got, want) == 0 || (has_letters(want) && same_letters(got, want));
}

static enum ia_rc mismatch(struct ia_act *a, const char *want)
{
    const char *got = a->e->value ? a->e->value : "";
    if (a->e->role == IA_ROLE_SECURE) {
        ia_err_set(a->err, IA_E_TEXT_MISMATCH, "%s contains %d characters instead of %d",
                   a->ret->element, ia_utf8_count(ia_str(got)), ia_utf8_count(ia_str(want)));
    } else {
        ia_err_set(a->err, IA_E_TEXT_MISMATCH, "%s reads \"%.150s\" instead of \"%.150s\"",
                   a->ret->element, got, want);
    }
    ia_err_hint(a->err, "look at the field; type the whole text again with replace");
    return IA_E_TEXT_MISMATCH;
}

/* Reads the field until it holds what it should. A field that is gone cannot be read: it may
 * have been submitted, and counts as typed. */
static enum ia_rc read_back(struct ia_act *a, const char *want)
{
    struct ia_poll poll = ia_poll_begin(a->s, a->deadline, READ_BACK_US);
    uint64_t before = 0;
    enum ia_rc go = IA_OK;
    while (go == IA_OK) {
        enum ia_rc rc = ia_act_refresh(a);
        if (rc != IA_OK || !a->e || reads(a->e, want)) {
            return rc;
        }
        go = ia_poll_next(&poll, before == a->s->latest->content);
        before = a->s->latest->content;
    }
    if (go == IA_E_CANCELLED) {
        return ia_err_set(a->err, go, "cancelled while the text was read back");
    }
    return mismatch(a, want);
}

/* Deletes what the field holds. The cursor may stand inside the text, so the rest is deleted
 * again as long as each round leaves less. */
static enum ia_rc empty_field(struct ia_act *a)
{
    struct ia_device *d = a->s->device;
    int left = ia_utf8_count(ia_str(a->e->value));
    enum ia_rc rc = IA_OK;
    for (int round = 0; round < DELETE_ROUNDS && left > 0 && rc == IA_OK; round++) {
        rc = ia_act_sent(a, ia_device_delete_text(d, a->deadline, left, a->err));
        if (rc != IA_OK) {
            return rc;
        }
        rc = read_back(a, "");
        /* Empty, gone, or no progress: a field that refuses to be emptied would take every
         * round. */
        if (rc != IA_E_TEXT_MISMATCH || !a->e || ia_utf8_count(ia_str(a->e->value)) >= left) {
            return rc;
        }
        left = ia_utf8_count(ia_str(a->e->value));
        rc = IA_OK;
    }
    /* The rounds are over: says what is left. */
    return left > 0 && a->e ? read_back(a, "") : rc;
}

/* Whether the field has the focus and holds what was typed but for characters that were lost. */
static bool lost_some(const struct ia_element *e, const char *want)
{
    const char *got = e && e->value ? e->value : "";
    bool some = got[0] != '\0' && strlen(got) < strlen(want) && e->focused;
    for (; some && *got != '\0' && *want != '\0'; want++) {
        got += *got == *want;
    }
    return some && *got == '\0' && e->role != IA_ROLE_SECURE;
}

/* WebDriverAgent loses keys where an app is slow. What it typed was read, is taken away again, and that was
 * read too, before it is typed anew. */
static enum ia_rc type_slower(struct ia_act *a, struct ia_str text, const char *want)
{
    static const int per_second[] = {20, 8};
    struct ia_device *d = a->s->device;
    struct ia_err ignored;
    enum ia_rc rc = IA_E_TEXT_MISMATCH;
    bool emptied = true;
    for (size_t i = 0;
         i < IA_COUNTOF(per_second) && emptied && rc == IA_E_TEXT_MISMATCH &&
         lost_some(a->e, want) && ia_device_typing_pace(d, per_second[i], &ignored) == IA_OK;
         i++) {
        rc = empty_field(a);
        emptied = !gone(a, &rc);
        if (emptied) {
            rc = ia_act_sent(a, ia_device_type_text(d, a->deadline, text, a->err));
        }
        rc = rc == IA_OK ? read_back(a, want) : rc;
    }
    (void)ia_device_typing_pace(d, 0, &ignored);
    return rc;
}

/* The folded form of what the field should hold after typing. */
static void wanted(const struct ia_act *a, struct ia_str text, bool replace, struct ia_buf *ret)
{
    struct ia_buf raw = IA_BUF(TEXT_MAX * 3);
    if (!replace && a->e->value) {
        ia_buf_puts(&raw, a->e->value);
    }
    ia_buf_putstr(&raw, text);
    ia_phrase_fold_to(ret, raw.p, raw.len);
    ia_buf_fini(&raw);
}

static enum ia_rc type_and_check(struct ia_act *a, struct ia_str text, bool replace)
{
    struct ia_device *d = a->s->device;
    struct ia_buf want = IA_BUF(TEXT_MAX * 4);
    bool alone = replace || !a->e->value || a->e->value[0] == '\0';
    /* Before the field is emptied: without replace the text is added to what it holds now. */
    wanted(a, text, replace, &want);
    enum ia_rc rc = replace ? empty_field(a) : IA_OK;
    if (rc == IA_OK && text.n > 0) {
        rc = ia_act_sent(a, ia_device_type_text(d, a->deadline, text, a->err));
        bool leaves = rc == IA_OK && text.p[text.n - 1] == '\n';
        if (rc == IA_OK && !leaves) {
            rc = read_back(a, ia_buf_cstr(&want));
        }
        if (rc == IA_E_TEXT_MISMATCH && alone) {
            rc = type_slower(a, text, ia_buf_cstr(&want));
        }
    }
    ia_buf_fini(&want);
    return rc;
}

static enum ia_rc check_text(struct ia_act *a, struct ia_str text)
{
    if (text.n > TEXT_MAX) {
        return ia_err_set(a->err, IA_E_LIMIT, "the text is longer than %d bytes", TEXT_MAX);
    }
    /* A NUL would end the text early in the comparison with what the field holds. */
    for (size_t i = 0; i < text.n;) {
        size_t w = ia_utf8_valid_len(text.p + i, text.n - i);
        if (w == 0 || text.p[i] == '\0') {
            return ia_err_set(a->err, IA_E_USAGE, "the text is not valid UTF-8");
        }
        i += w;
    }
    return IA_OK;
}

enum ia_rc ia_session_type(struct ia_session *s, const struct ia_deadline *deadline,
                           uint32_t ref, struct ia_str text, bool replace, bool submit,
                           struct ia_act_result *ret, struct ia_err *err)
{
    struct ia_act a;
    enum ia_rc rc = ia_act_begin_on(&a, s, deadline, ref, IA_ACT_TYPE, ret, err);
    if (rc != IA_OK) {
        return rc;
    }
    rc = check_text(&a, text);
    if (rc == IA_OK) {
        rc = focus(&a);
    }
    if (rc == IA_OK) {
        rc = type_and_check(&a, text, replace);
    }
    if (rc == IA_OK && submit) {
        rc = ia_act_sent(&a, ia_device_type_text(s->device, deadline, ia_str("\n"), a.err));
    }
    return rc == IA_OK ? ia_act_end(&a) : ia_act_fail(&a, rc);
}

enum ia_rc ia_session_clear(struct ia_session *s, const struct ia_deadline *deadline,
                            uint32_t ref, struct ia_act_result *ret, struct ia_err *err)
{
    struct ia_act a;
    enum ia_rc rc = ia_act_begin_on(&a, s, deadline, ref, IA_ACT_TYPE, ret, err);
    if (rc != IA_OK) {
        return rc;
    }
    rc = focus(&a);
    if (rc == IA_OK) {
        rc = empty_field(&a);
    }
    return rc == IA_OK ? ia_act_end(&a) : ia_act_fail(&a, rc);
}
