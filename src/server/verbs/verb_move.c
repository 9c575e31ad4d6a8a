/* verb_move.c: verbs of the finger that no tool of the agent has: drag and pinch. */
#include "server/verbs/verb_impl.h"

enum { RESULT_BYTES = 1 << 16 };

/* What the session says of it, in the form of every acting verb. */
static enum ia_rc report(struct ia_verb_call *call, enum ia_rc rc, const char *did,
                         struct ia_act_result *result, struct ia_verb_result *ret)
{
    if (rc == IA_OK) {
        ia_verb_changes(call, did, result->element, ret);
    }
    ia_act_result_fini(result);
    return rc;
}

static enum ia_rc spot_of(struct ia_verb_call *call, const char *name, struct ia_spot *ret,
                          struct ia_err *err)
{
    const char *text = ia_args_text(call->args, name);
    *ret = (struct ia_spot){.ref = 0};
    return ia_verb_pair(text, &ret->at.x, &ret->at.y)
               ? IA_OK
               : ia_verb_element(call, text, &ret->ref, err);
}

enum ia_rc ia_verb_do_drag(struct ia_verb_call *call, struct ia_verb_result *ret,
                           struct ia_err *err)
{
    struct ia_drag drag = {.duration_ms = (int)ia_args_int(call->args, "ms", 0)};
    enum ia_rc rc = spot_of(call, "from", &drag.from, err);
    if (rc == IA_OK) {
        rc = spot_of(call, "to", &drag.to, err);
    }
    if (rc != IA_OK) {
        return rc;
    }
    struct ia_act_result result = {.changes = IA_BUF(RESULT_BYTES)};
    rc = ia_session_drag(call->lane->session, &call->deadline, &drag, &result, err);
    return report(call, rc, "dragged", &result, ret);
}

enum ia_rc ia_verb_do_pinch(struct ia_verb_call *call, struct ia_verb_result *ret,
                            struct ia_err *err)
{
    const char *named = ia_args_text(call->args, "ref");
    uint32_t ref = 0;
    enum ia_rc rc = named ? ia_verb_element(call, named, &ref, err) : IA_OK;
    if (rc != IA_OK) {
        return rc;
    }
    struct ia_act_result result = {.changes = IA_BUF(RESULT_BYTES)};
    rc = ia_session_pinch(call->lane->session, &call->deadline, ref,
                          ia_args_real(call->args, "scale", 2), &result, err);
    return report(call, rc, "pinched", &result, ret);
}
