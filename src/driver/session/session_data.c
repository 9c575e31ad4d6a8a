/* session_data.c: what is no touch: the phone's own data, and its pasteboard. The screen is neither asked
 * nor waited for; whoever wants to see a change there takes a snapshot. */
#include "driver/session/session_impl.h"

enum ia_rc ia_session_native(struct ia_session *s, const struct ia_deadline *deadline,
                             enum ia_native native, struct ia_str json,
                             struct ia_buf *ret_answer, struct ia_err *err)
{
    return ia_device_native(s->device, deadline, native, json, ret_answer, err);
}

enum ia_rc ia_session_pasteboard(struct ia_session *s, const struct ia_deadline *deadline,
                                 struct ia_buf *ret_text, struct ia_err *err)
{
    return ia_device_pasteboard(s->device, deadline, ret_text, err);
}

enum ia_rc ia_session_info(struct ia_session *s, struct ia_device_info *ret, struct ia_err *err)
{
    return ia_device_info(s->device, ret, err);
}
