/* verbs.c: the table, and the way of every verb: device, lane, function, lane back. */
#include "server/verbs/verb_impl.h"
#include "server/verbs/verb_look.h"

#include <stdlib.h>
#include <string.h>

const struct ia_verb ia_verbs[] = {
#define ROW(id, name, operands, flags, summary, examples)                                      \
    {name, operands, ia_verb_##id##_opts, flags, ia_verb_do_##id, summary},
    IA_VERB_LIST(ROW) IA_VERB_APP_LIST(ROW)
#undef ROW
        {.name = NULL},
};

const struct ia_verb *ia_verb_find(const char *name)
{
    for (const struct ia_verb *v = ia_verbs; v->name; v++) {
        if (strcmp(v->name, name) == 0) {
            return v;
        }
    }
    return NULL;
}

void ia_verb_result_init(struct ia_verb_result *r)
{
    *r = (struct ia_verb_result){.text = IA_BUF(IA_VERB_TEXT_MAX),
                                 .result = IA_BUF(IA_VERB_BYTES_MAX),
                                 .file = IA_BUF(IA_VERB_BYTES_MAX),
                                 .image = IA_BUF(IA_VERB_BYTES_MAX)};
}

void ia_verb_result_fini(struct ia_verb_result *r)
{
    ia_buf_fini(&r->text);
    ia_buf_fini(&r->result);
    ia_buf_fini(&r->file);
    ia_buf_fini(&r->image);
}

/* Rules between the arguments of a verb, which a table of options cannot say. */
static const struct {
    ia_verb_fn *verb;
    enum ia_rc (*check)(const struct ia_args *args, struct ia_err *err);
} checks[] = {
    {ia_verb_do_snapshot, ia_verb_check_snapshot},
    {ia_verb_do_alert, ia_verb_check_alert},
    {ia_verb_do_is, ia_verb_check_is},
    {ia_verb_do_push, ia_verb_check_push},
    {ia_verb_do_record, ia_verb_check_record},
};

enum ia_rc ia_verb_check(const struct ia_verb *verb, const struct ia_args *args,
                         struct ia_err *err)
{
    enum ia_rc rc = ia_args_check(args, err);
    for (size_t i = 0; i < IA_COUNTOF(checks) && rc == IA_OK; i++) {
        if (checks[i].verb == verb->run) {
            rc = checks[i].check(args, err);
        }
    }
    return rc;
}

/* With the lane in hand. */
static enum ia_rc perform(struct ia_verb_call *call, struct ia_verb_result *ret,
                          struct ia_err *err)
{
    const struct ia_verb_request *request = call->request;
    enum ia_rc rc = ia_session_go_by(call->lane->session, request->look, err);
    if (rc == IA_OK) {
        rc = request->verb->run(call, ret, err);
    }
    return ia_verb_explain(call, rc, err);
}

/* A device that was lost is opened anew by the next command. */
static void leave(struct ia_verb_call *call, enum ia_rc rc)
{
    (void)ia_session_go_by(call->lane->session, 0, NULL);
    if (rc == IA_E_DEVICE_LOST) {
        ia_hub_lose(call->lane);
    }
    ia_hub_leave(call->hub, call->lane);
}

/* As the lane is called, whatever it was called by. */
static void name_lane(const struct ia_verb_call *call, const char *device, struct ia_buf *ret)
{
    struct ia_err ignored;
    if (call->lane) {
        ia_buf_puts(ret, call->lane->name);
    } else if (ia_hub_lane_name(call->hub, device, ret, &ignored) != IA_OK) {
        ia_buf_reset(ret);
        ia_buf_puts(ret, device);
    }
}

enum ia_rc ia_verb_run(struct ia_hub *hub, const struct ia_verb_request *request,
                       struct ia_verb_result *ret, struct ia_err *err)
{
    struct ia_verb_call call = {
        .request = request, .args = request->args, .hub = hub, .deadline = request->deadline};
    struct ia_buf device = IA_BUF(IA_VERB_TEXT_MAX), lane = IA_BUF(IA_VERB_TEXT_MAX);
    enum ia_rc rc = ia_verb_check(request->verb, request->args, err);
    if (rc == IA_OK) {
        rc = ia_verb_device(hub, request, &device, err);
    }
    if (rc == IA_OK) {
        call.has_secret = ia_verb_has_secret(&call); /* nobody waits for the device meanwhile */
        rc = ia_hub_enter(hub, ia_buf_cstr(&device), &request->env, request->actor,
                          &call.deadline, &call.lane, err);
        name_lane(&call, ia_buf_cstr(&device), &lane);
    }
    if (rc == IA_E_TIMEOUT && err && err->hint[0] == '\0') {
        ia_err_hint(err,
                    "`ios-agent bridge start` starts the runner of a simulator, which takes "
                    "minutes the first time; then repeat the command");
    }
    int64_t n = lane.len > 0 ? ia_verb_tell_begin(&call, ia_buf_cstr(&lane)) : 0;
    if (rc == IA_OK && call.lane) {
        rc = perform(&call, ret, err);
        leave(&call, rc);
    }
    if (n > 0) {
        ia_verb_tell_end(&call, n, rc, ret, err);
    }
    ia_buf_fini(&device);
    ia_buf_fini(&lane);
    return rc;
}
