/* verb_wait.c: wait-for: until a word of the tool holds for an element, or an expectation does. */
#include "agent/goal/expect.h"
#include "base/clean.h"
#include "base/clock.h"
#include "server/verbs/verb_impl.h"

#include <string.h>

enum { WAIT_S_DEFAULT = 10, POLL_US = 100000 };

/* The words of the tool, and how they are written. */
static const struct {
    const char *word;
    const char *values;
    bool element, text, count; /* what it needs */
    bool of_one;               /* two elements of that name could answer differently */
} untils[] = {
    {"exists", "ELEMENT", .element = true},
    {"gone", "ELEMENT", .element = true},
    {"enabled", "ELEMENT", .element = true, .of_one = true},
    {"focused", "ELEMENT", .element = true, .of_one = true},
    {"value", "ELEMENT --text TEXT", .element = true, .text = true, .of_one = true},
    {"count", "ELEMENT --count N", .element = true, .count = true},
    {"text", "TEXT", .text = true},
    {.word = "settled", .values = ""},
};

/* A wait that failed is most often on another screen than was thought, or for a label that is not the
 * whole one. why, or what is there of the element (NULL: none), stands behind the screen. */
static void say_where(const struct ia_verb_call *call, const char *element, const char *why,
                      struct ia_err *err)
{
    const struct ia_snapshot *s = ia_session_latest(call->lane->session);
    struct ia_selector sel = {.role = -1};
    if (!s || !err) {
        return;
    }
    struct ia_buf hint = IA_BUF(sizeof(err->hint));
    const char *app = ia_snapshot_app(s), *title = ia_snapshot_screen(s);
    ia_buf_printf(&hint, "in front: %s%s%s", app ? app : "no app", title ? ": " : "",
                  title ? title : "");
    if (why) {
        ia_buf_puts(&hint, "; ");
        ia_clean(&hint, (struct ia_str){why, strcspn(why, "\n")}, IA_CLEAN_LINE);
    } else if (element && ia_verb_selector(element, &sel, NULL) == IA_OK) {
        ia_buf_puts(&hint, "; ");
        ia_verb_near(s, &sel, &hint);
    }
    ia_err_hint(err, "%s", ia_buf_cstr(&hint));
    ia_selector_fini(&sel);
    ia_buf_fini(&hint);
}

static int until_of(const char *word)
{
    for (size_t i = 0; i < IA_COUNTOF(untils); i++) {
        if (strcmp(untils[i].word, word) == 0) {
            return (int)i;
        }
    }
    return -1;
}

/* The element as the tool reads it: a ref, or a selector with its quotes. */
static enum ia_rc awaited(struct ia_verb_call *call, const char *element, bool of_one,
                          struct ia_buf *ret, struct ia_err *err)
{
    uint32_t ref = 0;
    struct ia_selector sel = {.role = -1};
    enum ia_rc rc = IA_OK;
    struct ia_str name = ia_str(element);
    if (ia_ref_parse(name) || ia_str_is(name, "focused")) {
        rc = ia_verb_element(call, element, &ref, err);
        ia_buf_printf(ret, "%u", ref);
    } else {
        rc = ia_verb_selector(element, &sel, err);
        rc = rc == IA_OK && of_one ? ia_verb_at_most_one(call, element, &sel, err) : rc;
        ia_verb_quote(element, ret);
        ia_selector_fini(&sel);
    }
    return rc;
}

/* In vain: says what was waited for, and what is there. */
static enum ia_rc in_vain(const struct ia_verb_call *call, enum ia_rc rc, const char *about,
                          const char *element, struct ia_err *err)
{
    if (rc == IA_E_TIMEOUT && err) {
        enum ia_outcome outcome = err->outcome;
        (void)ia_err_set(err, rc, "%.200s did not hold within %lld s", about,
                         (long long)ia_args_int(call->args, "seconds", WAIT_S_DEFAULT));
        err->outcome = outcome;
        say_where(call, element, NULL, err);
    }
    return rc;
}

/* A word of the tool with its values: "gone" and an element, "text" and what it contains. */
static enum ia_rc wait_by_word(struct ia_verb_call *call, int until, const char *element,
                               struct ia_verb_result *ret, struct ia_err *err)
{
    const struct ia_args *a = call->args;
    const char *word = untils[until].word;
    const char *text = ia_args_text(a, "text");
    struct ia_buf selector = IA_BUF(IA_VERB_TEXT_MAX), about = IA_BUF(IA_VERB_TEXT_MAX);
    enum ia_rc rc = IA_OK;
    text = untils[until].element || text ? text : element;
    const char *what = element ? element : text;
    if ((untils[until].element && !element) || (untils[until].text && !text) ||
        (untils[until].count && !ia_args_has(a, "count"))) {
        return ia_verb_needs(err, "wait-for", word, untils[until].values);
    }
    if (untils[until].element) {
        rc = awaited(call, element, untils[until].of_one, &selector, err);
    }
    /* "*" leaves out what is NULL. */
    json_t *in = json_pack("{s:s, s:I, s:s*, s:s*}", "until", word, "seconds",
                           (json_int_t)ia_args_int(a, "seconds", WAIT_S_DEFAULT), "element",
                           untils[until].element ? ia_buf_cstr(&selector) : NULL, "text",
                           untils[until].text ? text : NULL);
    if (rc == IA_OK && !in) {
        rc = ia_err_set(err, IA_E_USAGE, "wait-for: a text is not valid UTF-8");
    }
    if (in && untils[until].count) {
        json_object_set_new(in, "count", json_integer(ia_args_int(a, "count", 0)));
    }
    if (rc == IA_OK) {
        ia_buf_printf(&about, "%s%s%s", word, what ? " " : "", what ? what : "");
        if (untils[until].count) {
            ia_buf_printf(&about, " = %lld", (long long)ia_args_int(a, "count", 0));
        }
        rc = ia_verb_tool(call, IA_TOOL_WAIT_FOR, in, "it holds:", ia_buf_cstr(&about), ret,
                          err);
        rc =
            in_vain(call, rc, ia_buf_cstr(&about), untils[until].element ? element : NULL, err);
    } else {
        json_decref(in);
    }
    ia_buf_fini(&about);
    ia_buf_fini(&selector);
    return rc;
}

static enum ia_rc wait_expected(struct ia_verb_call *call, const struct ia_expect *e,
                                struct ia_buf *why, struct ia_err *err)
{
    const struct ia_clock *clock = ia_clock_system();
    int64_t until =
        ia_mono_us(clock) + 1000000 * ia_args_int(call->args, "seconds", WAIT_S_DEFAULT);
    until = until < call->deadline.at_us ? until : call->deadline.at_us;
    for (;;) {
        const struct ia_snapshot *s = NULL;
        enum ia_rc rc = ia_session_peek(call->lane->session, &call->deadline, &s, err);
        ia_buf_reset(why);
        if (rc != IA_OK || ia_expect_holds(e, s, why)) {
            return rc;
        }
        int64_t now = ia_mono_us(clock);
        if (now >= until) {
            rc = ia_err_set(err, IA_E_TIMEOUT, "%s did not hold within %lld s", e->source,
                            (long long)ia_args_int(call->args, "seconds", WAIT_S_DEFAULT));
            say_where(call, NULL, ia_buf_cstr(why), err);
            return rc;
        }
        rc = ia_clock_wait(clock, call->deadline.cancel,
                           now + POLL_US < until ? now + POLL_US : until);
        if (rc == IA_E_CANCELLED) {
            return ia_err_set(err, rc, "cancelled while waiting for %s", e->source);
        }
    }
}

static enum ia_rc wait_by_expectation(struct ia_verb_call *call, const char *what,
                                      const char *element, struct ia_verb_result *ret,
                                      struct ia_err *err)
{
    struct ia_expect e;
    struct ia_buf why = IA_BUF(sizeof(err->hint));
    enum ia_rc rc = ia_verb_expectation(what, element, &e, err);
    if (rc == IA_OK) {
        rc = wait_expected(call, &e, &why, err);
        if (rc == IA_OK) {
            ia_verb_changes(call, "it holds:", e.source, ret);
        }
        ia_expect_fini(&e);
    }
    ia_buf_fini(&why);
    return rc;
}

/* "wait-for @e12" waits until that element is there. */
enum ia_rc ia_verb_do_wait_for(struct ia_verb_call *call, struct ia_verb_result *ret,
                               struct ia_err *err)
{
    const char *what = ia_args_text(call->args, "what");
    const char *element = ia_args_text(call->args, "element");
    struct ia_expect e;
    int until = until_of(what);
    if (until >= 0) {
        return wait_by_word(call, until, element, ret, err);
    }
    bool expectation = element || ia_expect_parse(what, &e, NULL) == IA_OK;
    if (!expectation && ia_verb_check_kind(what, NULL) != IA_OK) {
        return wait_by_word(call, until_of("exists"), what, ret, err);
    }
    if (expectation && !element) {
        ia_expect_fini(&e);
    }
    return wait_by_expectation(call, what, element, ret, err);
}
