/* frame.c: GET /v1/device/frame: the present screen, for who only watches. A screen that is still as
 * the caller has it costs no body. */
#include "server/api/frames.h"
#include "server/api/handlers.h"

enum { NAME_BYTES_MAX = 4096, FIND_US = 10 * 1000000 };

static enum ia_rc watch(struct ia_api_call *call, const char *device, struct ia_err *err)
{
    const struct ia_frame_want want = {.device = device,
                                       .after = ia_args_text(&call->query, "after"),
                                       .until_us =
                                           ia_mono_us(ia_clock_system()) +
                                           1000 * ia_args_int(&call->query, "wait_ms", 0),
                                       .cancel = ia_http_cancel(call->http)};
    enum ia_rc rc = ia_frames_get(call->api->frames, &want, &call->result, err);
    if (rc == IA_OK && call->result.len == 0) {
        call->reply->status = 204;
        call->answered = true;
    }
    return rc;
}

/* Looking makes no phone and starts no simulator's runner for who may only look: somebody who may act has
 * driven the device before. */
static enum ia_rc check_viewer(const struct ia_api_call *call, const char *device,
                               struct ia_err *err)
{
    struct ia_hub *hub = call->api->opts.hub;
    struct ia_buf lane = IA_BUF(NAME_BYTES_MAX);
    enum ia_rc rc = call->http->scope == IA_HTTP_SCOPE_VIEW
                        ? ia_hub_lane_name(hub, device, &lane, err)
                        : IA_OK;
    if (rc == IA_OK && lane.len > 0 && ia_hub_changes(hub, ia_buf_cstr(&lane)) == 0) {
        rc = ia_err_set(err, IA_E_FORBIDDEN,
                        "nobody has used %s yet, and this token may look, not act",
                        ia_buf_cstr(&lane));
        ia_err_hint(err, "it can be watched once a run or a command has used it");
    }
    ia_buf_fini(&lane);
    return rc;
}

enum ia_rc ia_api_frame(struct ia_api_call *call, struct ia_err *err)
{
    const struct ia_verb_request request = {
        .args = &call->query,
        .cwd = ia_api_folder(call),
        .device = ia_http_header(call->http, "Ios-Agent-Device"),
        .session = ia_http_header(call->http, "Ios-Agent-Session"),
        .deadline = {ia_http_cancel(call->http), ia_mono_us(ia_clock_system()) + FIND_US}};
    struct ia_buf device = IA_BUF(NAME_BYTES_MAX);
    enum ia_rc rc = ia_verb_device(call->api->opts.hub, &request, &device, err);
    if (rc == IA_OK) {
        rc = check_viewer(call, ia_buf_cstr(&device), err);
    }
    if (rc == IA_OK) {
        rc = watch(call, ia_buf_cstr(&device), err);
    }
    ia_buf_fini(&device);
    return rc;
}
