/* verb_check.c: is and get: what holds on the screen, and what one element says. */
#include "agent/goal/expect.h"
#include "base/clean.h"
#include "server/verbs/verb_impl.h"

#include <string.h>

/* ---- states of an element ---------------------------------------------------------------- */

typedef bool state_fn(const struct ia_element *e);

static bool is_visible(const struct ia_element *e)
{
    return e->reach == IA_REACH_OK || e->reach == IA_REACH_DISABLED;
}
static bool is_enabled(const struct ia_element *e)
{
    return !e->disabled;
}
static bool is_disabled(const struct ia_element *e)
{
    return e->disabled;
}
static bool is_on(const struct ia_element *e)
{
    return e->on == IA_ON;
}
static bool is_off(const struct ia_element *e)
{
    return e->on == IA_OFF;
}
static bool is_selected(const struct ia_element *e)
{
    return e->selected;
}
static bool is_focused(const struct ia_element *e)
{
    return e->focused;
}

static const struct {
    const char *word;
    state_fn *holds;
} states[] = {{"visible", is_visible}, {"enabled", is_enabled},   {"disabled", is_disabled},
              {"on", is_on},           {"off", is_off},           {"checked", is_on},
              {"unchecked", is_off},   {"selected", is_selected}, {"focused", is_focused}};

static state_fn *state_of(const char *word)
{
    for (size_t i = 0; i < IA_COUNTOF(states); i++) {
        if (strcmp(states[i].word, word) == 0) {
            return states[i].holds;
        }
    }
    return NULL;
}

enum ia_rc ia_verb_needs(struct ia_err *err, const char *verb, const char *what,
                         const char *value)
{
    enum ia_rc rc = ia_err_set(err, IA_E_USAGE, "%s %s needs more: %s %s %s", verb, what, verb,
                               what, value);
    ia_err_hint(err, IA_VERB_HINT_ELEMENT);
    return rc;
}

/* ---- is ---------------------------------------------------------------------------------- */

/* What is there instead, in one line. */
static enum ia_rc hint_line(enum ia_rc rc, struct ia_str why, struct ia_err *err)
{
    struct ia_buf line = IA_BUF(IA_VERB_TEXT_MAX);
    why.n -= why.n > 0 && why.p[why.n - 1] == '\n';
    ia_clean(&line, why, IA_CLEAN_LINE);
    ia_err_hint(err, "%s", ia_buf_cstr(&line));
    ia_buf_fini(&line);
    return rc;
}

/* denial: what is said where it does not hold, why: what is there instead. */
static enum ia_rc put_verdict(bool holds, const struct ia_buf *denial, struct ia_str why,
                              struct ia_verb_result *ret, struct ia_err *err)
{
    struct ia_jsonw w;
    ia_jsonw_init(&w, &ret->result);
    ia_jsonw_object(&w);
    ia_jsonw_kv_bool(&w, "holds", holds);
    ia_jsonw_end_object(&w);
    if (holds) {
        ia_buf_puts(&ret->text, "yes\n");
        return IA_OK;
    }
    return hint_line(ia_err_set(err, IA_E_NOT_MET, "no: %s", ia_buf_cstr(denial)), why, err);
}

static enum ia_rc fresh(struct ia_verb_call *call, const struct ia_snapshot **ret,
                        struct ia_err *err)
{
    return ia_session_snapshot(call->lane->session, &call->deadline, ret, err);
}

/* The one element that the text names, on a fresh screen. */
static enum ia_rc one_element(struct ia_verb_call *call, const char *text,
                              const struct ia_element **ret, struct ia_err *err)
{
    const struct ia_snapshot *s = NULL;
    uint32_t ref = 0;
    enum ia_rc rc = ia_verb_element(call, text, &ref, err);
    if (rc == IA_OK && ia_ref_parse(ia_str(text))) { /* else the selector took a snapshot */
        rc = fresh(call, &s, err);
    }
    if (rc == IA_OK) {
        s = ia_session_latest(call->lane->session);
        rc = ia_snapshot_resolve(s, ia_session_refs(call->lane->session), ref, ret, err);
    }
    return rc;
}

static enum ia_rc is_state(struct ia_verb_call *call, const char *what, const char *element,
                           struct ia_verb_result *ret, struct ia_err *err)
{
    const struct ia_element *e = NULL;
    struct ia_buf why = IA_BUF(IA_VERB_TEXT_MAX);
    struct ia_buf denial = IA_BUF(IA_VERB_TEXT_MAX);
    enum ia_rc rc = one_element(call, element, &e, err);
    if (rc == IA_OK) {
        ia_buf_puts(&why, "on the screen: ");
        ia_element_text(e, &why);
        ia_buf_printf(&denial, "%s is not %s", element, what);
        rc = put_verdict(state_of(what)(e), &denial, ia_buf_str(&why), ret, err);
    }
    ia_buf_fini(&denial);
    ia_buf_fini(&why);
    return rc;
}

/* Text that begins as no expectation and is no state is a mistake in the word itself. */
enum ia_rc ia_verb_check_kind(const char *what, struct ia_err *err)
{
    static const char *const kinds[] = {
        "visible", "gone",       "value",   "count", "text",    "app", "state",
        "appears", "disappears", "changes", "after", "command", NULL};
    struct ia_buf word = IA_BUF(IA_VERB_TEXT_MAX);
    const char *first = what + strspn(what, " \t");
    ia_buf_put(&word, first, strcspn(first, " \t"));
    bool known = ia_verb_index(kinds, ia_buf_cstr(&word)) >= 0;
    enum ia_rc rc =
        known ? IA_OK
              : ia_err_set(err, IA_E_USAGE, "\"%s\" is nothing that a screen can be asked",
                           ia_buf_cstr(&word));
    if (!known) {
        ia_err_hint(err, "visible, gone, enabled, disabled, on, off, selected or focused, and "
                         "an element; or value ELEMENT = \"text\", count ELEMENT = 3, text "
                         "\"part\", app BUNDLE, state \"name\" = \"text\"");
    }
    ia_buf_fini(&word);
    return rc;
}

/* Both words as one text; the second as a label, where it is a word without quotes. */
static void join(const char *what, const char *element, struct ia_buf *ret)
{
    bool app = strcmp(what, "app") == 0;
    ia_buf_puts(ret, what);
    if (element) {
        ia_buf_putc(ret, ' ');
    }
    if (element && strcmp(what, "text") == 0 && !strpbrk(element, "\"\\")) {
        ia_buf_printf(ret, "\"%s\"", element);
    } else if (element && !app && !strchr(element, '=')) {
        ia_verb_quote(element, ret);
    } else {
        ia_buf_puts(ret, element ? element : "");
    }
}

/* Both words as one expectation, of a kind that one screen can answer. */
enum ia_rc ia_verb_expectation(const char *what, const char *element, struct ia_expect *ret,
                               struct ia_err *err)
{
    struct ia_buf text = IA_BUF(IA_VERB_TEXT_MAX);
    join(what, element, &text);
    enum ia_rc rc = ia_verb_check_kind(what, err);
    if (rc != IA_OK) {
        ia_buf_fini(&text);
        return rc;
    }
    rc = ia_expect_parse(ia_buf_cstr(&text), ret, err);
    bool memory =
        rc == IA_OK &&
        (ret->relaunch || ret->kind == IA_EXPECT_COMMAND || ret->kind == IA_EXPECT_APPEARS ||
         ret->kind == IA_EXPECT_DISAPPEARS || ret->kind == IA_EXPECT_CHANGES);
    if (memory) {
        ia_expect_fini(ret);
        rc = ia_err_set(
            err, IA_E_USAGE,
            "%s: one screen alone cannot say; use visible, gone, value, count, text, "
            "app or state",
            ia_buf_cstr(&text));
    }
    ia_buf_fini(&text);
    return rc == IA_E_PARSE ? err->code = IA_E_USAGE : rc;
}

static enum ia_rc is_expected(struct ia_verb_call *call, const char *what, const char *element,
                              struct ia_verb_result *ret, struct ia_err *err)
{
    struct ia_expect e;
    const struct ia_snapshot *s = NULL;
    enum ia_rc rc = ia_verb_expectation(what, element, &e, err);
    if (rc != IA_OK) {
        return rc;
    }
    struct ia_buf why = IA_BUF(IA_VERB_TEXT_MAX);
    struct ia_buf denial = IA_BUF(IA_VERB_TEXT_MAX);
    rc = fresh(call, &s, err);
    if (rc == IA_OK) {
        bool holds = ia_expect_holds(&e, s, &why);
        ia_buf_printf(&denial, "%s does not hold", e.source);
        rc = put_verdict(holds, &denial, ia_buf_str(&why), ret, err);
    }
    ia_buf_fini(&denial);
    ia_buf_fini(&why);
    ia_expect_fini(&e);
    return rc;
}

/* "visible" of a selector is an expectation; of a ref, which none takes, it is a state. */
static bool of_state(const struct ia_args *a)
{
    const char *what = ia_args_text(a, "what"), *element = ia_args_text(a, "element");
    bool visible = strcmp(what, "visible") == 0;
    return state_of(what) && (!visible || (element && ia_ref_parse(ia_str(element))));
}

enum ia_rc ia_verb_check_is(const struct ia_args *a, struct ia_err *err)
{
    const char *what = ia_args_text(a, "what"), *element = ia_args_text(a, "element");
    if (state_of(what) && !element) {
        return ia_verb_needs(err, "is", what, "ELEMENT");
    }
    if (of_state(a)) {
        return IA_OK;
    }
    struct ia_expect e;
    enum ia_rc rc = ia_verb_expectation(what, element, &e, err);
    if (rc == IA_OK) {
        ia_expect_fini(&e);
    }
    return rc;
}

enum ia_rc ia_verb_do_is(struct ia_verb_call *call, struct ia_verb_result *ret,
                         struct ia_err *err)
{
    const char *what = ia_args_text(call->args, "what");
    const char *element = ia_args_text(call->args, "element");
    return of_state(call->args) ? is_state(call, what, element, ret, err)
                                : is_expected(call, what, element, ret, err);
}

/* ---- get --------------------------------------------------------------------------------- */

static void put_state(const struct ia_element *e, struct ia_buf *out)
{
    for (size_t i = 0; i < IA_COUNTOF(states); i++) {
        bool twice = states[i].holds == is_on && strcmp(states[i].word, "checked") == 0;
        twice = twice || strcmp(states[i].word, "unchecked") == 0;
        if (!twice && states[i].holds(e)) {
            ia_buf_printf(out, "%s%s", out->len ? " " : "", states[i].word);
        }
    }
}

static void put_property(const struct ia_element *e, const char *what, struct ia_buf *out)
{
    const char *text = NULL;
    if (strcmp(what, "text") == 0) {
        ia_element_text_whole(e, out);
    } else if (strcmp(what, "frame") == 0) {
        ia_buf_printf(out, "%g %g %g %g", e->frame.x, e->frame.y, e->frame.w, e->frame.h);
    } else if (strcmp(what, "state") == 0) {
        put_state(e, out);
    } else if (strcmp(what, "role") == 0) {
        text = ia_role_name((enum ia_role)e->role);
    } else if (strcmp(what, "label") == 0) {
        text = e->label;
    } else if (strcmp(what, "identifier") == 0) {
        text = e->identifier;
    } else {
        text = e->value ? e->value : e->on == IA_ON ? "on" : e->on == IA_OFF ? "off" : NULL;
    }
    ia_buf_puts(out, text ? text : "");
}

static enum ia_rc count_matches(struct ia_verb_call *call, const char *element,
                                struct ia_buf *out, struct ia_err *err)
{
    struct ia_selector sel = {.role = -1};
    const struct ia_snapshot *s = NULL;
    enum ia_rc rc = ia_verb_selector(element, &sel, err);
    rc = rc == IA_OK ? fresh(call, &s, err) : rc;
    if (rc == IA_OK) {
        ia_buf_printf(out, "%zu", ia_snapshot_count_matches(s, &sel));
    }
    ia_selector_fini(&sel);
    return rc;
}

static enum ia_rc of_screen(struct ia_verb_call *call, const char *what, struct ia_buf *out,
                            struct ia_err *err)
{
    const struct ia_snapshot *s = NULL;
    enum ia_rc rc = fresh(call, &s, err);
    if (rc == IA_OK) {
        const char *text =
            strcmp(what, "app") == 0 ? ia_snapshot_app(s) : ia_snapshot_screen(s);
        ia_buf_puts(out, text ? text : "");
    }
    return rc;
}

static enum ia_rc read_property(struct ia_verb_call *call, const char *what,
                                const char *element, struct ia_buf *out, struct ia_err *err)
{
    const struct ia_element *e = NULL;
    bool screen = strcmp(what, "app") == 0 || strcmp(what, "title") == 0;
    if (screen && element) {
        return ia_err_set(err, IA_E_USAGE, "get %s is about the screen, not about \"%s\"", what,
                          element);
    }
    if (screen) {
        return of_screen(call, what, out, err);
    }
    if (!element) {
        return ia_verb_needs(err, "get", what, "ELEMENT");
    }
    if (strcmp(what, "count") == 0) {
        return count_matches(call, element, out, err);
    }
    enum ia_rc rc = one_element(call, element, &e, err);
    if (rc == IA_OK) {
        put_property(e, what, out);
    }
    return rc;
}

enum ia_rc ia_verb_do_get(struct ia_verb_call *call, struct ia_verb_result *ret,
                          struct ia_err *err)
{
    const char *what = ia_args_text(call->args, "what");
    struct ia_buf value = IA_BUF(IA_VERB_TEXT_MAX);
    struct ia_jsonw w;
    enum ia_rc rc = read_property(call, what, ia_args_text(call->args, "element"), &value, err);
    if (rc == IA_OK) {
        ia_clean(&ret->text, ia_buf_str(&value), IA_CLEAN_TEXT);
        ia_buf_putc(&ret->text, '\n');
        ret->fence = true;
        ia_jsonw_init(&w, &ret->result);
        ia_jsonw_object(&w);
        ia_jsonw_key(&w, what);
        ia_jsonw_str(&w, ia_buf_str(&value));
        ia_jsonw_end_object(&w);
    }
    ia_buf_fini(&value);
    return rc;
}
