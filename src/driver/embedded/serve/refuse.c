/* refuse.c: an error of the phone as a reply of the wire. Both sides have the same names of codes. */
#include "driver/embedded/serve/impl.h"

#include <string.h>

static enum ia_wire_code code_of(enum ia_rc rc)
{
    static const enum ia_wire_code codes[] = {
#define CODE(code, number, name, what) code,
        IA_WIRE_CODE_LIST(CODE)
#undef CODE
    };
    const char *name = ia_rc_name(rc);
    for (size_t i = 0; i < IA_COUNTOF(codes); i++) {
        if (strcmp(name, ia_wire_code_name(codes[i])) == 0) {
            return codes[i];
        }
    }
    return IA_WIRE_E_DEVICE;
}

void ia_serve_refuse(struct ia_wire_reply *reply, const struct ia_err *err)
{
    ia_wire_reply_fail(reply, code_of(err->code), (enum ia_wire_outcome)err->outcome, false,
                       "%s%s%s", err->msg, err->hint[0] ? "; " : "", err->hint);
    reply->retry_safe = err->retry_safe;
}
