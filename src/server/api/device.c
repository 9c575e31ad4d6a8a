/* device.c: GET /v1/devices, and POST /v1/device/VERB: the verbs of verbs.h, for a command line, a page or a script. */
#include "app/device_json.h"
#include "server/api/handlers.h"
#include "server/verbs/verbs.h"
#include "json/json.h"

#include <string.h>

enum {
    LOOK_MS = 30000,
    DEADLINE_MS_MAX = 3600000,
    US_PER_MS = 1000,
    NAME_BYTES_MAX = IA_API_PARAM_BYTES_MAX
};

/* What one command is made of. */
struct device_call {
    struct ia_api_call *call;
    struct ia_args args;
    struct ia_verb_request request;
    struct ia_verb_result result;
};

const struct ia_verb *ia_api_verb(const struct ia_api_call *call)
{
    const char *name = call->params[0];
    char words[NAME_BYTES_MAX];
    const struct ia_verb *verb = ia_verb_find(name);
    for (size_t i = 0; !verb && name[i] != '\0'; i++) {
        if (name[i] == '-') {
            memcpy(words, name, strlen(name) + 1);
            words[i] = ' ';
            verb = ia_verb_find(words);
        }
    }
    return verb;
}

/* Every command of the command line has --json. */
static enum ia_rc take_json(struct device_call *d, struct ia_err *err)
{
    const json_t *json = json_object_get(d->call->body, "json");
    if (!json) {
        return IA_OK;
    }
    if (!json_is_boolean(json)) {
        return ia_err_set(err, IA_E_USAGE, "json must be true or false");
    }
    d->call->json = json_is_true(json);
    (void)json_object_del(d->call->body, "json");
    return IA_OK;
}

/* The frame that the caller goes by: its words mean what that showed. */
static enum ia_rc take_seen(struct device_call *d, struct ia_err *err)
{
    const json_t *seen = json_object_get(d->call->body, "seen");
    if (seen && !ia_frame_look(ia_json_text(d->call->body, "seen"), &d->request.look)) {
        return ia_err_set(err, IA_E_USAGE, "seen must be the hash of a frame");
    }
    (void)json_object_del(d->call->body, "seen");
    return IA_OK;
}

static const char *actor(const struct ia_api_call *call)
{
    bool page = ia_str_starts(ia_str(call->http->client), ia_str("dashboard"));
    return call->as_cli ? "cli" : page ? "dashboard" : "http";
}

static enum ia_rc read_call(struct device_call *d, struct ia_err *err)
{
    struct ia_api_call *call = d->call;
    struct ia_verb_request *r = &d->request;
    int64_t deadline_ms = 0;
    r->verb = ia_api_verb(call);
    if (!r->verb) {
        return ia_err_set(err, IA_E_NOT_FOUND, "there is no command \"%s\"", call->params[0]);
    }
    enum ia_rc rc = take_json(d, err);
    if (rc == IA_OK) {
        rc = take_seen(d, err);
    }
    if (rc == IA_OK) {
        rc = ia_verb_args_read(r->verb->opts, call->body, &d->args, err);
    }
    if (rc == IA_OK) {
        rc = ia_args_check(&d->args, err);
    }
    if (rc == IA_OK) {
        rc = ia_api_header_int(call, "Ios-Agent-Deadline-Ms", 1, DEADLINE_MS_MAX,
                               ia_args_deadline_ms(&d->args), &deadline_ms, err);
    }
    r->args = &d->args;
    r->actor = actor(call);
    r->cwd = ia_api_folder(call);
    r->device = ia_http_header(call->http, "Ios-Agent-Device");
    r->session = ia_http_header(call->http, "Ios-Agent-Session");
    r->env = (struct ia_device_env){ia_api_own_key(call, "Ios-Agent-Device-Token"),
                                    ia_api_own_key(call, "Ios-Agent-Appium-Caps")};
    r->deadline.cancel = ia_http_cancel(call->http);
    r->deadline.at_us = ia_mono_us(ia_clock_system()) + deadline_ms * US_PER_MS;
    return rc;
}

/* ---- answers ----------------------------------------------------------------------------- */

static void put_base64(struct ia_jsonw *w, const char *key, const struct ia_buf *bytes)
{
    if (bytes->len > 0) {
        ia_jsonw_key(w, key);
        ia_jsonw_base64(w, bytes->p, bytes->len);
    }
}

/* A command line gets a file's bytes as they are. Elsewhere the result is {"value", "file", "image"}
 * where there are bytes, too. */
static void answer(struct ia_api_call *call, const struct ia_verb_result *r)
{
    ia_buf_putstr(&call->text, ia_buf_str(&r->text));
    if (call->as_cli) {
        ia_buf_putstr(&call->file, ia_buf_str(&r->file));
    }
    if (call->as_cli || r->file.len + r->image.len == 0) {
        ia_buf_putstr(&call->result, ia_buf_str(&r->result));
        return;
    }
    ia_jsonw_object(&call->w);
    ia_jsonw_key(&call->w, "value");
    if (r->result.len > 0) {
        ia_jsonw_raw(&call->w, ia_buf_str(&r->result));
    } else {
        ia_jsonw_null(&call->w);
    }
    put_base64(&call->w, "file", &r->file);
    put_base64(&call->w, "image", &r->image);
    ia_jsonw_end_object(&call->w);
}

enum ia_rc ia_api_device(struct ia_api_call *call, struct ia_err *err)
{
    struct device_call d = {.call = call};
    ia_verb_result_init(&d.result);
    enum ia_rc rc = read_call(&d, err);
    if (rc != IA_OK) {
        err->outcome = IA_OUTCOME_NOT_SENT;
    } else {
        rc = ia_verb_run(call->api->opts.hub, &d.request, &d.result, err);
    }
    answer(call, &d.result);
    ia_verb_args_fini(&d.args);
    ia_verb_result_fini(&d.result);
    return rc;
}

/* Those of the machine, and "lanes": who has those that were used. */
enum ia_rc ia_api_devices(struct ia_api_call *call, struct ia_err *err)
{
    struct ia_device_listing all = {.all = ia_args_has(&call->query, "all")};
    const struct ia_deadline deadline = {
        ia_http_cancel(call->http), ia_mono_us(ia_clock_system()) + LOOK_MS * INT64_C(1000)};
    ia_jsonw_object(&call->w);
    enum ia_rc rc =
        ia_devices_json(&call->w, &call->api->opts.setup->paths, &deadline, &all, err);
    ia_jsonw_key(&call->w, "lanes");
    ia_hub_lanes(call->api->opts.hub, &call->w);
    ia_jsonw_end_object(&call->w);
    return rc == IA_E_MISSING ? IA_OK : rc;
}

enum ia_rc ia_api_commands(struct ia_api_call *call, struct ia_err *err)
{
    (void)err;
    ia_jsonw_object(&call->w);
    ia_jsonw_key(&call->w, "commands");
    ia_commands_list(ia_hub_commands(call->api->opts.hub), ia_args_text(&call->query, "device"),
                     (int)ia_args_int(&call->query, "limit", IA_API_PAGE), &call->w);
    ia_jsonw_end_object(&call->w);
    return IA_OK;
}
