/* verb_act.c: verbs that do what a tool of the agent does: same checks, one effect, same report. */
#include "agent/tools/act.h"
#include "base/clean.h"
#include "base/utf8.h"
#include "server/verbs/verb_impl.h"

#include <stdio.h>
#include <string.h>

enum { CHANGED_LINES_MAX = 40, SWIPES_MAX = 12 };

/* ---- what changed ------------------------------------------------------------------------ */

static size_t count_lines(struct ia_str text)
{
    size_t n = 0;
    for (size_t i = 0; i < text.n; i++) {
        n += text.p[i] == '\n';
    }
    return n;
}

/* Against what the readers of this lane saw last; a screen of which most changed is shown whole. */
static bool put_changes(struct ia_hub_lane *lane, const struct ia_snapshot *now,
                        struct ia_buf *out)
{
    struct ia_buf diff = IA_BUF(IA_VERB_TEXT_MAX);
    bool changed = true;
    if (lane->shown) {
        changed = ia_snapshot_diff(lane->shown, now, 0, &diff);
    } else {
        ia_buf_puts(&diff, "new screen\n");
        ia_snapshot_text(now, 0, &diff);
    }
    if (lane->shown && count_lines(ia_buf_str(&diff)) > CHANGED_LINES_MAX) {
        ia_buf_reset(&diff);
        ia_buf_puts(&diff, "new screen\n");
        ia_snapshot_text(now, 0, &diff);
    }
    ia_clean(out, ia_buf_str(&diff), IA_CLEAN_TEXT);
    ia_buf_fini(&diff);
    return changed;
}

static void end_line(struct ia_buf *b)
{
    if (b->len > 0 && b->p[b->len - 1] != '\n') {
        ia_buf_putc(b, '\n');
    }
}

/* An element as it read before the act and, where that is another text, as it reads now: either alone
 * could be taken for the other. */
static const char *after(const struct ia_hub_lane *lane, const char *element,
                         struct ia_buf *out)
{
    const struct ia_snapshot *now = ia_session_latest(lane->session);
    const struct ia_element *e = NULL;
    struct ia_buf text = IA_BUF(IA_VERB_TEXT_MAX);
    uint32_t ref = ia_ref_parse((struct ia_str){element, strcspn(element, " ")});
    ia_buf_puts(out, element);
    if (ref && now &&
        ia_snapshot_resolve(now, ia_session_refs(lane->session), ref, &e, NULL) == IA_OK) {
        ia_element_text(e, &text);
        if (strcmp(ia_buf_cstr(&text), element) != 0) {
            ia_buf_printf(out, " → %s",
                          ia_buf_cstr(&text) + strcspn(ia_buf_cstr(&text), " ") + 1);
        }
    }
    ia_buf_fini(&text);
    return ia_buf_cstr(out);
}

/* element: what it was done with, in words that are final. */
static void put_done(struct ia_verb_call *call, const char *did, const char *element,
                     struct ia_verb_result *ret)
{
    struct ia_hub_lane *lane = call->lane;
    const struct ia_snapshot *now = ia_session_latest(lane->session);
    struct ia_buf changes = IA_BUF(IA_VERB_TEXT_MAX);
    bool changed = now && put_changes(lane, now, &changes);
    const char *moving = ia_session_moving(lane->session);
    struct ia_jsonw w;
    ia_buf_printf(&ret->text, "%s%s", did, *element ? " " : "");
    ia_clean(&ret->text, ia_str(element), IA_CLEAN_LINE);
    ia_buf_putc(&ret->text, '\n');
    ia_buf_putstr(&ret->text, ia_buf_str(&changes));
    end_line(&ret->text);
    ret->fence = true;
    ia_jsonw_init(&w, &ret->result);
    ia_jsonw_object(&w);
    ia_jsonw_kv(&w, "did", did);
    ia_jsonw_kv(&w, "element", *element ? element : NULL);
    ia_jsonw_kv_bool(&w, "changed", changed);
    ia_jsonw_key(&w, "changes");
    ia_jsonw_str(&w, ia_buf_str(&changes));
    ia_jsonw_kv(&w, "moving", *moving ? moving : NULL);
    ia_jsonw_kv(&w, "app", now ? ia_snapshot_app(now) : NULL);
    ia_jsonw_kv(&w, "screen", now ? ia_snapshot_screen(now) : NULL);
    ia_jsonw_end_object(&w);
    if (now) {
        ia_snapshot_free(lane->shown);
        lane->shown = ia_snapshot_ref(now);
    }
    ia_buf_fini(&changes);
}

void ia_verb_changes(struct ia_verb_call *call, const char *did, const char *before,
                     struct ia_verb_result *ret)
{
    struct ia_buf text = IA_BUF(IA_VERB_TEXT_MAX);
    size_t n = ia_utf8_cut(before, strnlen(before, sizeof(call->element) - 1));
    memcpy(call->element, before, n);
    call->element[n] = '\0';
    put_done(call, did, after(call->lane, before, &text), ret);
    ia_buf_fini(&text);
}

/* ---- tools ------------------------------------------------------------------------------- */

enum ia_rc ia_verb_tool(struct ia_verb_call *call, enum ia_tool tool, json_t *input,
                        const char *did, const char *about, struct ia_verb_result *ret,
                        struct ia_err *err)
{
    struct ia_snapshot *shown = call->lane->shown ? ia_snapshot_ref(call->lane->shown) : NULL;
    struct ia_tool_env env = {.session = call->lane->session,
                              .clock = ia_clock_system(),
                              .limit = call->deadline,
                              .boundary = "screen",
                              .shown = &shown};
    struct ia_tool_result result;
    ia_tool_result_init(&result);
    enum ia_rc rc = ia_tool_act(&env, tool, input, &result, err);
    if (rc == IA_OK && about && *about) { /* words, and no ref: "text 4" */
        put_done(call, did, about, ret);
    } else if (rc == IA_OK) {
        ia_verb_changes(call, did, result.element, ret);
    }
    ia_tool_result_fini(&result);
    ia_snapshot_free(shown);
    json_decref(input);
    return rc;
}

/* Acts on the element that the option ref names: extra is the rest of the input, and consumed. */
static enum ia_rc on_element(struct ia_verb_call *call, enum ia_tool tool, json_t *extra,
                             const char *did, struct ia_verb_result *ret, struct ia_err *err)
{
    uint32_t ref = 0;
    const char *named = ia_args_text(call->args, "ref");
    enum ia_rc rc = named ? ia_verb_element(call, named, &ref, err) : IA_OK;
    if (rc != IA_OK) {
        json_decref(extra);
        return rc;
    }
    if (ref) {
        json_object_set_new(extra, IA_TOOL_REF_KEY, json_integer(ref));
    }
    return ia_verb_tool(call, tool, extra, did, NULL, ret, err);
}

enum ia_rc ia_verb_do_tap(struct ia_verb_call *call, struct ia_verb_result *ret,
                          struct ia_err *err)
{
    return on_element(call, IA_TOOL_TAP, json_object(), "tapped", ret, err);
}

enum ia_rc ia_verb_do_long_press(struct ia_verb_call *call, struct ia_verb_result *ret,
                                 struct ia_err *err)
{
    json_t *in = json_pack("{s:I}", "ms", (json_int_t)ia_args_int(call->args, "ms", 1000));
    return on_element(call, IA_TOOL_LONG_PRESS, in, "pressed", ret, err);
}

enum ia_rc ia_verb_do_type(struct ia_verb_call *call, struct ia_verb_result *ret,
                           struct ia_err *err)
{
    json_t *in = json_pack("{s:s, s:b, s:b}", "text", ia_args_text(call->args, "text"),
                           "replace", ia_args_has(call->args, "replace"), "submit",
                           ia_args_has(call->args, "submit"));
    if (!in) {
        return ia_err_set(err, IA_E_USAGE, "the text is not valid UTF-8");
    }
    return on_element(call, IA_TOOL_TYPE_TEXT, in,
                      ia_args_has(call->args, "submit") ? "typed and pressed return in"
                                                        : "typed into",
                      ret, err);
}

enum ia_rc ia_verb_do_clear(struct ia_verb_call *call, struct ia_verb_result *ret,
                            struct ia_err *err)
{
    return on_element(call, IA_TOOL_CLEAR_TEXT, json_object(), "cleared", ret, err);
}

enum ia_rc ia_verb_do_swipe(struct ia_verb_call *call, struct ia_verb_result *ret,
                            struct ia_err *err)
{
    const char *direction = ia_args_text(call->args, "direction");
    double distance = ia_args_real(call->args, "distance", 0.8);
    char did[sizeof("swiped right")];
    if (distance < 0.1 || distance > 1) {
        return ia_err_set(err, IA_E_USAGE, "--distance must be 0.1 to 1");
    }
    (void)snprintf(did, sizeof(did), "swiped %s", direction);
    json_t *in = json_pack("{s:s, s:f}", "direction", direction, "distance", distance);
    return on_element(call, IA_TOOL_SWIPE, in, did, ret, err);
}

enum ia_rc ia_verb_do_scroll_to(struct ia_verb_call *call, struct ia_verb_result *ret,
                                struct ia_err *err)
{
    struct ia_str text = ia_str(ia_args_text(call->args, "text"));
    int swipes = (int)ia_args_int(call->args, "max-swipes", SWIPES_MAX);
    if (!ia_utf8_printable(text, "\t\n")) {
        return ia_err_set(err, IA_E_USAGE, "the text is not printable UTF-8");
    }
    struct ia_act_result result = {.changes = IA_BUF(IA_RESULT_BYTES_MAX)};
    struct ia_buf element = IA_BUF(IA_VERB_TEXT_MAX);
    const struct ia_element *found = NULL;
    enum ia_rc rc = ia_session_scroll_to(call->lane->session, &call->deadline, text, swipes,
                                         &found, &result, err);
    if (rc == IA_OK) {
        ia_element_text(found, &element);
        ia_verb_changes(call, "scrolled to", ia_buf_cstr(&element), ret);
    }
    ia_buf_fini(&element);
    ia_act_result_fini(&result);
    return rc;
}

enum ia_rc ia_verb_do_back(struct ia_verb_call *call, struct ia_verb_result *ret,
                           struct ia_err *err)
{
    return ia_verb_tool(call, IA_TOOL_BACK, json_object(), "went back", NULL, ret, err);
}

enum ia_rc ia_verb_do_press(struct ia_verb_call *call, struct ia_verb_result *ret,
                            struct ia_err *err)
{
    const char *button = ia_args_text(call->args, "button");
    if (strcmp(button, "back") == 0) {
        return ia_verb_do_back(call, ret, err);
    }
    return ia_verb_tool(call, IA_TOOL_PRESS_BUTTON, json_pack("{s:s}", "button", button),
                        "pressed", button, ret, err);
}

enum ia_rc ia_verb_check_alert(const struct ia_args *a, struct ia_err *err)
{
    if (ia_args_has(a, "action") == ia_args_has(a, "button")) {
        return ia_err_set(err, IA_E_USAGE,
                          "alert needs accept, dismiss or the label of a button");
    }
    return IA_OK;
}

enum ia_rc ia_verb_do_alert(struct ia_verb_call *call, struct ia_verb_result *ret,
                            struct ia_err *err)
{
    const char *action = ia_args_text(call->args, "action");
    const char *button = ia_args_text(call->args, "button");
    json_t *in = button ? json_pack("{s:s, s:s}", "action", "button", "button", button)
                        : json_pack("{s:s}", "action", action);
    if (!in) {
        return ia_err_set(err, IA_E_USAGE, "the label is not valid UTF-8");
    }
    return ia_verb_tool(call, IA_TOOL_ALERT, in, "answered the alert", NULL, ret, err);
}

/* ---- open -------------------------------------------------------------------------------- */

/* Apps by the names under their icons: Apple's, and those of the simulated phone. */
static const char *const apps[][2] = {
    {"App Store", "com.apple.AppStore"},
    {"Calendar", "com.apple.mobilecal"},
    {"Contacts", "com.apple.MobileAddressBook"},
    {"Files", "com.apple.DocumentsApp"},
    {"Health", "com.apple.Health"},
    {"Maps", "com.apple.Maps"},
    {"Messages", "com.apple.MobileSMS"},
    {"News", "com.apple.news"},
    {"Passwords", "com.apple.Passwords"},
    {"Photos", "com.apple.mobileslideshow"},
    {"Reminders", "com.apple.reminders"},
    {"Safari", "com.apple.mobilesafari"},
    {"Settings", "com.apple.Preferences"},
    {"Shortcuts", "com.apple.shortcuts"},
    {"Wallet", "com.apple.Passbook"},
    {"Watch", "com.apple.Bridge"},
    {"Bank", "com.example.bank"},
    {"Shop", "com.example.shop"},
    {"Sketch", "com.example.sketch"},
};

static const char *bundle_of(const char *name)
{
    for (size_t i = 0; i < IA_COUNTOF(apps); i++) {
        if (strcasecmp(apps[i][0], name) == 0) {
            return apps[i][1];
        }
    }
    return strchr(name, '.') && !strchr(name, ' ') ? name : NULL;
}

enum ia_rc ia_verb_do_open(struct ia_verb_call *call, struct ia_verb_result *ret,
                           struct ia_err *err)
{
    const char *what = ia_args_text(call->args, "what");
    const char *bundle = bundle_of(what);
    bool url = strchr(what, ':') != NULL;
    if (!url && !bundle) {
        enum ia_rc rc = ia_err_set(err, IA_E_NOT_FOUND, "no app is known as \"%s\"", what);
        ia_err_hint(err, "name its bundle id (com.example.App), or tap its icon on the home "
                         "screen: ios-agent press home");
        return ia_device_not_sent(rc, err);
    }
    json_t *in = json_pack("{s:s}", url ? "url" : "bundle_id", url ? what : bundle);
    if (!in) {
        return ia_err_set(err, IA_E_USAGE, "that is not valid UTF-8");
    }
    return ia_verb_tool(call, url ? IA_TOOL_OPEN_URL : IA_TOOL_LAUNCH_APP, in, "opened",
                        url ? what : bundle, ret, err);
}

/* The option of that name becomes the member of that name. */
static enum ia_rc on_app(struct ia_verb_call *call, enum ia_tool tool, const char *option,
                         const char *member, const char *did, struct ia_verb_result *ret,
                         struct ia_err *err)
{
    json_t *in = json_pack("{s:s}", member, ia_args_text(call->args, option));
    return in ? ia_verb_tool(call, tool, in, did, ia_args_text(call->args, option), ret, err)
              : ia_err_set(err, IA_E_USAGE, "--%s is not valid UTF-8", option);
}

enum ia_rc ia_verb_do_launch(struct ia_verb_call *call, struct ia_verb_result *ret,
                             struct ia_err *err)
{
    return on_app(call, IA_TOOL_LAUNCH_APP, "bundle", "bundle_id", "launched", ret, err);
}

enum ia_rc ia_verb_do_terminate(struct ia_verb_call *call, struct ia_verb_result *ret,
                                struct ia_err *err)
{
    return on_app(call, IA_TOOL_TERMINATE_APP, "bundle", "bundle_id", "ended", ret, err);
}

enum ia_rc ia_verb_do_open_url(struct ia_verb_call *call, struct ia_verb_result *ret,
                               struct ia_err *err)
{
    return on_app(call, IA_TOOL_OPEN_URL, "url", "url", "opened", ret, err);
}
