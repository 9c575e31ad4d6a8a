/* verb_element.c: elements as people name them.
 *
 * A ref means the element that was shown with it, or nothing. A selector is looked up in a fresh tree
 * and must fit exactly one element: a guess would sooner or later be the wrong one. */
#include "server/verbs/verb_impl.h"

#include <string.h>

enum { CANDIDATES_MAX = 5 };

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

enum ia_rc ia_verb_selector(const char *text, struct ia_selector *ret, struct ia_err *err)
{
    size_t pos = 0;
    struct ia_err inner = {0};
    enum ia_rc rc = ia_selector_parse(ia_str(text), ret, &pos, &inner);
    if (rc == IA_OK) {
        return IA_OK;
    }
    if (plain_word(text)) {
        *ret = (struct ia_selector){.label = ia_strdup(text), .role = -1};
        return IA_OK;
    }
    rc = ia_err_set(err, IA_E_USAGE, "%s: %s (at byte %zu)", text, inner.msg, pos + 1);
    ia_err_hint(err, "an element is 12, \"label\", role \"label\", or #identifier");
    return rc;
}

/* Up to CANDIDATES_MAX elements of the screen, for a hint: those that match, or (sel NULL) those that
 * could be acted on. */
static void put_candidates(const struct ia_snapshot *s, const struct ia_selector *sel,
                           struct ia_buf *out)
{
    size_t shown = 0, total = 0;
    for (size_t i = 0; i < ia_snapshot_count(s); i++) {
        const struct ia_element *e = ia_snapshot_at(s, i);
        bool wanted = e->listed && e->ref && (sel ? ia_selector_matches(sel, e) : e->actions);
        if (wanted && total++ < CANDIDATES_MAX) {
            ia_buf_puts(out, shown++ ? "; " : "");
            ia_element_text(e, out);
        }
    }
    if (total > shown) {
        ia_buf_printf(out, "; and %zu more", total - shown);
    }
}

static enum ia_rc refuse(const struct ia_snapshot *s, const char *text,
                         const struct ia_selector *sel, size_t n, struct ia_err *err)
{
    struct ia_buf list = IA_BUF(sizeof(err->hint));
    put_candidates(s, n > 0 ? sel : NULL, &list);
    enum ia_rc rc =
        n > 0 ? ia_err_set(err, IA_E_AMBIGUOUS, "%zu elements match %s", n, text)
              : ia_err_set(err, IA_E_NOT_FOUND, "nothing on the screen matches %s", text);
    ia_err_hint(err, "%s%s", n > 0 ? "name one of: " : "on the screen: ", ia_buf_cstr(&list));
    ia_buf_fini(&list);
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

enum ia_rc ia_verb_element(struct ia_verb_call *call, const char *text, uint32_t *ret_ref,
                           struct ia_err *err)
{
    *ret_ref = ia_ref_parse(ia_str(text));
    if (*ret_ref) {
        bool seen = ia_session_latest(call->lane->session) != NULL;
        return seen ? IA_OK : first_look(call, *ret_ref, err);
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
