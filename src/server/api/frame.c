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
        rc = watch(call, ia_buf_cstr(&device), err);
    }
    ia_buf_fini(&device);
    return rc;
}
