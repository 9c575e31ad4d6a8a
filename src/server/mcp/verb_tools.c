/* verb_tools.c: a tool's arguments become a verb's options, and what the verb says a result.
 *
 * Most arguments have the name of the option; the table has those that differ. After a refusal the
 * present screen follows, so that the model need not ask for it. */
#include "base/clock.h"
#include "server/mcp/mcp_impl.h"
#include "json/json.h"

#include <stdlib.h>
#include <string.h>

enum {
    VERB_MS = 30000,
    SPARE_MS = 5000,
    /* A snapshot leaves out what matters least, so it is asked for no more than fits: alone, and behind a
     * refusal. */
    SCREEN_BYTES = IA_MCP_TEXT_MAX - 200,
    SCREEN_BYTES_REFUSED = IA_MCP_TEXT_MAX - 2200
};

/* The argument, the option that it is; NULL: none. */
static const struct {
    const char *tool, *arg, *option;
} renamed[] = {
    {"tap", "hold_ms", "ms"},
    {"open", "app", "what"},
    {"open", "url", "what"},
    {"wait_for", "until", "what"},
    {"snapshot", "image", "screenshot"},
};

static const char *option_of(const char *tool, const char *arg)
{
    for (size_t i = 0; i < IA_COUNTOF(renamed); i++) {
        if (strcmp(renamed[i].tool, tool) == 0 && strcmp(renamed[i].arg, arg) == 0) {
            return renamed[i].option;
        }
    }
    return arg;
}

/* The verb, where the arguments decide. */
static const struct ia_verb *verb_of(const struct ia_mcp_call *call)
{
    bool holds = json_object_get(call->args, "hold_ms") != NULL;
    return ia_verb_find(holds ? "long-press" : (const char *)call->tool->data);
}

/* Of a pair exactly one is needed; the schema cannot say so. */
static enum ia_rc check_pair(const struct ia_mcp_call *call, struct ia_err *err)
{
    static const char *const pairs[][3] = {{"open", "app", "url"},
                                           {"alert", "action", "button"}};
    for (size_t i = 0; i < IA_COUNTOF(pairs); i++) {
        const char *const *p = pairs[i];
        bool one = !json_object_get(call->args, p[1]) != !json_object_get(call->args, p[2]);
        if (strcmp(call->tool->name, p[0]) == 0 && !one) {
            return ia_err_set(err, IA_E_USAGE, "%s: give either %s or %s", p[0], p[1], p[2]);
        }
    }
    return IA_OK;
}

/* The arguments under the names of the verb's options, in a new object. */
static json_t *options_of(const struct ia_mcp_call *call)
{
    json_t *options = json_object();
    const char *name = NULL;
    json_t *value = NULL;
    json_object_foreach((json_t *)call->args, name, value)
    {
        json_object_set(options, option_of(call->tool->name, name), value);
    }
    if (strcmp(call->tool->name, "snapshot") == 0) {
        json_object_set_new(options, "max-bytes", json_integer(SCREEN_BYTES));
    }
    return options;
}

static int64_t verb_ms(const struct ia_mcp_call *call)
{
    int64_t wait_ms =
        json_integer_value(json_object_get(call->args, "seconds")) * INT64_C(1000) + SPARE_MS;
    return wait_ms > VERB_MS ? wait_ms : VERB_MS;
}

static enum ia_rc run_verb(const struct ia_mcp_call *call, const struct ia_verb *verb,
                           const json_t *options, struct ia_verb_result *ret,
                           struct ia_err *err)
{
    const struct ia_mcp_server *server = call->ctx;
    struct ia_args *args = ia_calloc(1, sizeof(*args));
    enum ia_rc rc = ia_verb_args_read(verb->opts, options, args, err);
    if (rc == IA_OK) {
        const struct ia_verb_request request = {
            .verb = verb,
            .args = args,
            .actor = "mcp",
            .cwd = call->peer->cwd,
            .device = call->peer->device,
            .env = {call->peer->device_token, call->peer->appium_caps},
            .deadline = {call->cancel, ia_mono_us(ia_clock_system()) + verb_ms(call) * 1000}};
        rc = ia_verb_run(server->host.hub, &request, ret, err);
        ia_verb_args_fini(args);
    }
    free(args);
    return rc;
}

/* After a refusal of an action, or a wait in vain: what is on the screen instead. */
static void put_screen(const struct ia_mcp_call *call, struct ia_mcp_result *ret)
{
    struct ia_verb_result screen;
    struct ia_err ignored = {.code = IA_OK};
    json_t *device = json_object_get(call->args, "device");
    json_t *options = json_object();
    json_object_set_new(options, "max-bytes", json_integer(SCREEN_BYTES_REFUSED));
    if (device) {
        json_object_set(options, "device", device);
    }
    ia_verb_result_init(&screen);
    if (run_verb(call, ia_verb_find("snapshot"), options, &screen, &ignored) == IA_OK) {
        ia_mcp_put_text(ret, ia_buf_str(&screen.text), screen.fence);
    }
    ia_verb_result_fini(&screen);
    json_decref(options);
}

static bool screen_helps(const struct ia_verb *verb, enum ia_rc rc)
{
    return verb->flags != IA_VERB_READS && (ia_rc_exit(rc) == 1 || rc == IA_E_TIMEOUT);
}

enum ia_rc ia_mcp_verb_tool(struct ia_mcp_call *call, struct ia_mcp_result *ret,
                            struct ia_err *err)
{
    struct ia_verb_result result;
    enum ia_rc rc = check_pair(call, err);
    if (rc != IA_OK) {
        return rc;
    }
    const struct ia_verb *verb = verb_of(call);
    json_t *options = options_of(call);
    ia_verb_result_init(&result);
    rc = run_verb(call, verb, options, &result, err);
    if (result.text.len > 0) {
        ia_mcp_put_text(ret, ia_buf_str(&result.text), result.fence);
    } else if (screen_helps(verb, rc)) {
        put_screen(call, ret);
    }
    if (rc == IA_OK && result.image.len > 0) {
        rc = ia_mcp_put_image(ret, ia_buf_str(&result.image), err);
    }
    if (rc == IA_OK) {
        ia_mcp_put_structured(call, ret, ia_buf_str(&result.result));
    }
    ia_verb_result_fini(&result);
    json_decref(options);
    return rc;
}
