/* shortcuts.c: what goes through a URL: drafts of messages, and shortcuts.
 *
 *     pasteboard before ─► shortcuts://x-callback-url/run-shortcut?… ─► pasteboard, until it differs
 *
 * The callbacks of such a URL open another URL, which an app must take; there is none of ours on the phone.
 * So the result comes by the pasteboard, which a shortcut fills that ends with "Copy to Clipboard".
 * Sources: Apple's Shortcuts User Guide, "Run a shortcut using a URL scheme" and "Use x-callback-url
 * with Shortcuts"; for sms: Apple's URL Scheme Reference. */
#include "agent/skills/native_impl.h"

#include "base/base64.h"
#include "base/urlquery.h"
#include "base/xml.h"
#include "driver/shortcut_steps.h"
#include "json/json.h"

#include <stdlib.h>
#include <string.h>

enum { URL_MAX = 4096, PASTED_MAX = 8 << 10, WAIT_S = 5, POLL_US = 500000 };

static enum ia_rc too_long(struct ia_err *err)
{
    enum ia_rc rc = ia_err_set(err, IA_E_LIMIT, "the link is longer than %d bytes", URL_MAX);
    ia_err_hint(err, "shorten the texts");
    return ia_device_not_sent(rc, err);
}

/* Opens it as a person opens a link. */
static enum ia_rc open_url(const struct ia_tool_env *env, const struct ia_buf *url,
                           struct ia_err *err)
{
    struct ia_act_result result = {.changes = IA_BUF(IA_RESULT_BYTES_MAX)};
    struct ia_deadline deadline = ia_tool_deadline(env);
    enum ia_rc rc = ia_buf_ok(url) ? ia_session_open_url(env->session, &deadline,
                                                         ia_buf_cstr(url), &result, err)
                                   : too_long(err);
    ia_act_result_fini(&result);
    return rc;
}

enum ia_rc ia_native_message(void *ctx, const struct ia_tool_env *env, const json_t *input,
                             struct ia_tool_result *ret, struct ia_err *err)
{
    const char *to = ia_json_text(input, "to");
    struct ia_buf url = IA_BUF(URL_MAX);
    enum ia_rc rc = ia_tool_may_use(env, "com.apple.MobileSMS", err);
    (void)ctx;
    if (rc == IA_OK && (to[strspn(to, "0123456789+-() ")] || !strpbrk(to, "0123456789"))) {
        rc = ia_device_not_sent(
            ia_err_set(err, IA_E_USAGE, "message: \"to\" is no phone number"), err);
        ia_err_hint(err, "contact with the action search finds the number of a name");
    }
    if (rc == IA_OK) {
        ia_buf_puts(&url, "sms:");
        for (; *to; to++) {
            ia_buf_put(&url, to, strchr("() ", *to) ? 0 : 1);
        }
        ia_buf_puts(&url, "?&body=");
        ia_url_escape(&url, ia_json_field(input, "body"));
        rc = open_url(env, &url, err);
    }
    if (rc == IA_OK) {
        ia_buf_puts(&ret->text, "\na draft; it was not sent");
        ia_tool_show(env, ret, false);
    }
    ia_buf_fini(&url);
    return rc;
}

/* ---- running one ------------------------------------------------------------------------- */

/* What is on the pasteboard; false where that cannot be told. */
static bool paste(const struct ia_tool_env *env, struct ia_buf *ret)
{
    struct ia_deadline deadline = ia_tool_deadline(env);
    ia_buf_reset(ret);
    return ia_session_pasteboard(env->session, &deadline, ret, NULL) == IA_OK;
}

/* Waits until the pasteboard is another than before. The time of an instant device does not pass
 * by waiting. */
static bool await_result(const struct ia_tool_env *env, const json_t *input,
                         const struct ia_buf *before, struct ia_buf *now)
{
    const json_t *wait = json_object_get(input, "wait_seconds");
    int64_t seconds = wait ? json_integer_value(wait) : WAIT_S;
    int64_t until = ia_mono_us(env->clock) + seconds * 1000000;
    struct ia_device_info info = {.instant = false};
    (void)ia_session_info(env->session, &info, NULL);
    until = until < env->limit.at_us ? until : env->limit.at_us;
    while (paste(env, now)) {
        int64_t next = ia_mono_us(env->clock) + POLL_US;
        if (!ia_str_eq(ia_buf_str(now), ia_buf_str(before))) {
            return true;
        }
        if (info.instant || next > until ||
            ia_clock_wait(env->clock, env->limit.cancel, next) != IA_OK) {
            return false;
        }
    }
    return false;
}

static void put_result(const struct ia_tool_env *env, const struct ia_buf *result,
                       struct ia_tool_result *ret)
{
    ia_buf_puts(&ret->text, "\nresult, from the pasteboard:\n");
    ia_fence_data(&ret->text, env->boundary, ia_buf_str(result));
}

static void put_run_url(const json_t *input, struct ia_buf *url)
{
    ia_buf_puts(url, "shortcuts://x-callback-url/run-shortcut?name=");
    ia_url_escape(url, ia_json_field(input, "name"));
    if (json_object_get(input, "input")) {
        ia_buf_puts(url, "&input=text&text=");
        ia_url_escape(url, ia_json_field(input, "input"));
    }
}

enum ia_rc ia_native_run_shortcut(void *ctx, const struct ia_tool_env *env, const json_t *input,
                                  struct ia_tool_result *ret, struct ia_err *err)
{
    struct ia_buf url = IA_BUF(URL_MAX), before = IA_BUF(PASTED_MAX), now = IA_BUF(PASTED_MAX);
    enum ia_rc rc = ia_tool_may_use(env, "com.apple.shortcuts", err);
    (void)ctx;
    if (rc == IA_OK) {
        bool told = paste(env, &before);
        put_run_url(input, &url);
        rc = open_url(env, &url, err);
        if (rc == IA_OK && told && await_result(env, input, &before, &now)) {
            put_result(env, &now, ret);
        } else if (rc == IA_OK) {
            ia_buf_puts(&ret->text,
                        told ? "\nno result: the pasteboard is as before. Only a shortcut that "
                               "copies its result gives it back"
                             : "\nno result: what is on the pasteboard cannot be read");
        }
    }
    if (rc == IA_OK) {
        ia_tool_show(env, ret, false);
    }
    ia_buf_fini(&url);
    ia_buf_fini(&before);
    ia_buf_fini(&now);
    return rc;
}

/* ---- making one -------------------------------------------------------------------------- */

static const struct {
    const char *word, *ident;
} steps[IA_STEP_KINDS] = {
#define ROW(name, word, ident, what) [IA_STEP_##name] = {word, ident},
    IA_SHORTCUT_STEP_LIST(ROW)
#undef ROW
};
/* Further parameters of an action, as XML. */
static const char *const extras[IA_STEP_KINDS] = {
    [IA_STEP_UPPERCASE] = "<key>WFCaseType</key><string>UPPERCASE</string>",
    [IA_STEP_COUNT] = "<key>WFCountType</key><string>Characters</string>",
};

/* How many UTF-16 units a text is, by which Shortcuts counts. */
static size_t utf16_units(struct ia_str text)
{
    size_t n = 0;
    for (size_t i = 0; i < text.n; i++) {
        unsigned char c = (unsigned char)text.p[i];
        n += c >= 0xF0 ? 2 : (c & 0xC0) != 0x80;
    }
    return n;
}

/* A text with a place for the input: U+FFFC stands there, and its range says what is meant. */
static void put_text_with_input(struct ia_buf *out, struct ia_str text, size_t at)
{
    size_t behind = at + strlen(IA_SHORTCUT_INPUT);
    ia_buf_puts(out, "<dict><key>Value</key><dict><key>string</key><string>");
    ia_xml_escape(out, (struct ia_str){text.p, at});
    ia_buf_puts(out, "\xEF\xBF\xBC");
    ia_xml_escape(out, (struct ia_str){text.p + behind, text.n - behind});
    ia_buf_printf(out,
                  "</string><key>attachmentsByRange</key><dict><key>{%zu, 1}</key><dict>"
                  "<key>Type</key><string>ExtensionInput</string></dict></dict></dict>"
                  "<key>WFSerializationType</key><string>WFTextTokenString</string></dict>",
                  utf16_units((struct ia_str){text.p, at}));
}

static void put_step(struct ia_buf *out, enum ia_shortcut_step_kind kind, struct ia_str text)
{
    ia_buf_printf(out,
                  "<dict><key>WFWorkflowActionIdentifier</key><string>%s</string>"
                  "<key>WFWorkflowActionParameters</key><dict>%s",
                  steps[kind].ident, extras[kind] ? extras[kind] : "");
    if (kind == IA_STEP_TEXT) {
        const char *input = ia_str_find(text, IA_SHORTCUT_INPUT);
        ia_buf_puts(out, "<key>WFTextActionText</key>");
        if (input) {
            put_text_with_input(out, text, (size_t)(input - text.p));
        } else {
            ia_buf_puts(out, "<string>");
            ia_xml_escape(out, text);
            ia_buf_puts(out, "</string>");
        }
    }
    ia_buf_puts(out, "</dict></dict>");
}

static int kind_of(const json_t *step)
{
    for (int i = 0; i < IA_STEP_KINDS; i++) {
        if (strcmp(ia_json_text(step, "do"), steps[i].word) == 0) {
            return i;
        }
    }
    return -1; /* the schema has the same words */
}

static enum ia_rc put_steps(const json_t *input, struct ia_buf *out, struct ia_err *err)
{
    const json_t *list = json_object_get(input, "steps"), *step;
    size_t i;
    bool ok = json_array_size(list) > 0;
    json_array_foreach((json_t *)(uintptr_t)list, i, step)
    {
        int kind = kind_of(step);
        struct ia_str text = ia_json_field(step, "text");
        ok = ok && kind >= 0 && (kind == IA_STEP_TEXT) == (text.n > 0);
        if (ok) {
            put_step(out, (enum ia_shortcut_step_kind)kind, text);
        }
    }
    if (!ok) {
        (void)ia_err_set(err, IA_E_USAGE,
                         "create_shortcut_url: a shortcut has at least one step; the step text "
                         "has a text, no other has");
        return ia_device_not_sent(IA_E_USAGE, err);
    }
    return IA_OK;
}

static enum ia_rc put_import_url(const json_t *input, struct ia_buf *url, struct ia_err *err)
{
    struct ia_buf plist = IA_BUF(URL_MAX);
    char *data = NULL;
    ia_buf_puts(&plist,
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?><plist version=\"1.0\"><dict>"
                "<key>WFWorkflowActions</key><array>");
    enum ia_rc rc = put_steps(input, &plist, err);
    ia_buf_puts(&plist, "</array></dict></plist>");
    if (rc == IA_OK && ia_buf_ok(&plist)) {
        data = ia_alloc(IA_BASE64_SIZE(plist.len));
        size_t n = ia_base64_encode(plist.p, plist.len, data);
        ia_buf_puts(url, "shortcuts://import-shortcut?name=");
        ia_url_escape(url, ia_json_field(input, "name"));
        ia_buf_puts(url, "&url=data:application/x-plist;base64,");
        ia_url_escape(url, (struct ia_str){data, n});
    }
    if (rc == IA_OK && (!ia_buf_ok(&plist) || !ia_buf_ok(url))) {
        rc = too_long(err);
    }
    free(data);
    ia_buf_fini(&plist);
    return rc;
}

bool ia_native_imports(const json_t *input)
{
    return json_is_true(json_object_get(input, "import"));
}

enum ia_rc ia_native_create_shortcut_url(void *ctx, const struct ia_tool_env *env,
                                         const json_t *input, struct ia_tool_result *ret,
                                         struct ia_err *err)
{
    bool import = ia_native_imports(input);
    struct ia_buf url = IA_BUF(URL_MAX);
    enum ia_rc rc = import ? ia_tool_may_use(env, "com.apple.shortcuts", err) : IA_OK;
    (void)ctx;
    rc = rc == IA_OK ? put_import_url(input, &url, err) : rc;
    if (rc == IA_OK && import) {
        rc = open_url(env, &url, err);
        if (rc == IA_OK) {
            ia_tool_show(env, ret, false);
        }
    } else if (rc == IA_OK) {
        ia_buf_printf(&ret->text, "\n%s", ia_buf_cstr(&url));
    }
    ia_buf_fini(&url);
    return rc;
}
