/* native.c: the table of the tools, and those that are one native action each. */
#include "agent/skills/builtin.h"
#include "agent/skills/native_impl.h"
#include "json/json.h"

#include <stdlib.h>
#include <string.h>

/* What a model is told at most; a longer answer is refused rather than cut. */
enum { TOLD_MAX = 16 << 10 };

#define APPLE "com.apple."

/* X(tool, its service in the table of native actions, the action where the input names none, the
 * app that owns the data, whether it may change something) */
#define NATIVE_TOOLS(X)                                                                        \
    X(calendar, "calendar", "", APPLE "mobilecal", true)                                       \
    X(reminder, "reminder", "", APPLE "reminders", true)                                       \
    X(contact, "contact", "", APPLE "MobileAddressBook", true)                                 \
    X(photo_search, "photo", "search", APPLE "mobileslideshow", false)                         \
    X(health_query, "health", "query", APPLE "Health", false)                                  \
    X(home_control, "home", "control", APPLE "Home", true)                                     \
    X(music, "music", "", APPLE "Music", true)                                                 \
    X(location, "location", "", APPLE "Maps", false)                                           \
    X(phone_services, "device", "services", "", false)
#define SHORTCUT_TOOLS(X) X(list_shortcuts, "shortcuts", "list", APPLE "shortcuts", false)
#define ALL_TOOLS(X) NATIVE_TOOLS(X) SHORTCUT_TOOLS(X)

enum {
#define INDEX(name, service, action, app, effect) TOOL_##name,
    ALL_TOOLS(INDEX)
#undef INDEX
        ROW_COUNT
};

static const struct row {
    const char *name, *service, *action, *app;
} rows[ROW_COUNT] = {
#define ROW(name, service, action, app, effect) {#name, service, action, app},
    ALL_TOOLS(ROW)
#undef ROW
};

static enum ia_rc call_native(const struct row *row, const struct ia_tool_env *env,
                              const json_t *input, struct ia_tool_result *ret,
                              struct ia_err *err);

/* A function of its own for each, which knows its row. */
#define FUNCTIONS(name, service, action, app, effect)                                          \
    static enum ia_rc call_##name(void *ctx, const struct ia_tool_env *env,                    \
                                  const json_t *input, struct ia_tool_result *ret,             \
                                  struct ia_err *err)                                          \
    {                                                                                          \
        (void)ctx;                                                                             \
        return call_native(&rows[TOOL_##name], env, input, ret, err);                          \
    }
ALL_TOOLS(FUNCTIONS)

/* What goes through a link shows on the screen. */
static const struct ia_skill_tool native_tools[] = {
#define TOOL(name, service, action, app, effect) {#name, effect, false, call_##name},
    NATIVE_TOOLS(TOOL){"message", true, true, ia_native_message},
    {NULL, false, false, NULL},
};
static const struct ia_skill_tool shortcut_tools[] = {
    SHORTCUT_TOOLS(TOOL){"run_shortcut", true, true, ia_native_run_shortcut},
    {"create_shortcut_url", true, true, ia_native_create_shortcut_url},
    {NULL, false, false, NULL},
};
#undef TOOL

/* ---- from an input to a native action ---------------------------------------------------- */

/* The action that the input means; -1: none. */
static int action_of(const struct row *row, const json_t *input)
{
    const char *action = ia_json_text(input, "action");
    if (row == &rows[TOOL_home_control]) { /* what it does is an argument there */
        action = strcmp(action, "list") == 0 ? "devices" : "control";
    }
    return ia_native_find(row->service, *action ? action : row->action);
}

/* A link that is only made changes nothing; drafts and runs of shortcuts always do. */
static bool acts(const struct ia_tool_def *def, const json_t *input)
{
    for (size_t i = 0; i < ROW_COUNT; i++) {
        if (strcmp(def->name, rows[i].name) == 0) {
            int action = action_of(&rows[i], input);
            return action < 0 || ia_native_actions[action].effect;
        }
    }
    return def->call != ia_native_create_shortcut_url || ia_native_imports(input);
}

static bool takes_action(enum ia_native action)
{
    const char *at = ia_native_actions[action].args;
    struct ia_native_arg arg;
    while (ia_native_next_arg(&at, &arg)) {
        if (strcmp(arg.name, "action") == 0) {
            return true;
        }
    }
    return false;
}

/* The input without what only chose the action. */
static char *args_of(enum ia_native action, const json_t *input)
{
    json_t *args = json_copy((json_t *)(uintptr_t)input);
    if (!takes_action(action)) {
        (void)json_object_del(args, "action");
    }
    char *text = json_dumps(args, JSON_COMPACT | JSON_PRESERVE_ORDER);
    json_decref(args);
    return text;
}

/* The phone has put a question on the screen: the reader must see it. */
static void show_question(const struct ia_tool_env *env, const struct ia_err *err)
{
    struct ia_deadline deadline = ia_tool_deadline(env);
    const struct ia_snapshot *s = NULL;
    if (err->code == IA_E_FORBIDDEN && err->retry_safe) {
        (void)ia_session_snapshot(env->session, &deadline, &s, NULL);
    }
}

static enum ia_rc tell(const struct ia_tool_env *env, const struct row *row,
                       const struct ia_buf *answer, struct ia_tool_result *ret,
                       struct ia_err *err)
{
    if (answer->len > TOLD_MAX) {
        enum ia_rc rc =
            ia_err_set(err, IA_E_LIMIT, "%s: the answer has %zu bytes, more than %d", row->name,
                       answer->len, TOLD_MAX);
        ia_err_hint(err, "ask for less: a shorter time, or a query");
        return rc;
    }
    ia_buf_putc(&ret->text, '\n');
    ia_fence_data(&ret->text, env->boundary, ia_buf_str(answer));
    return IA_OK;
}

static enum ia_rc call_native(const struct row *row, const struct ia_tool_env *env,
                              const json_t *input, struct ia_tool_result *ret,
                              struct ia_err *err)
{
    int action = action_of(row, input);
    struct ia_deadline deadline = ia_tool_deadline(env);
    struct ia_buf answer = IA_BUF(IA_NATIVE_ANSWER_MAX);
    enum ia_rc rc = ia_tool_may_use(env, row->app, err);
    if (rc == IA_OK && action < 0) {
        rc = ia_device_not_sent(
            ia_err_set(err, IA_E_USAGE, "%s: there is no such action", row->name), err);
    }
    if (rc == IA_OK) {
        char *args = args_of((enum ia_native)action, input);
        rc = ia_session_native(env->session, &deadline, (enum ia_native)action, ia_str(args),
                               &answer, err);
        free(args);
        if (rc != IA_OK) {
            show_question(env, err);
        } else {
            rc = tell(env, row, &answer, ret, err);
        }
    }
    ia_buf_fini(&answer);
    return rc;
}

const struct ia_skill ia_skill_native = {
    .name = "native",
    .purpose =
        "reaches the phone's own data: calendar, contacts, photos, health, home, music, places",
    .permissions =
        "reads and changes data of the phone that its owner permits, without the screen; "
        "drafts messages",
    .tools = native_tools,
    .acts = acts,
};

const struct ia_skill ia_skill_shortcuts = {
    .name = "shortcuts",
    .purpose = "runs and makes Apple Shortcuts",
    .permissions = "runs any shortcut on the phone and reads the pasteboard after it",
    .tools = shortcut_tools,
    .acts = acts,
};
