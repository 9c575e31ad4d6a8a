/* deadline.c: the check before anything is sent. A call that is cancelled or late sends nothing. */
#include "driver/device.h"

enum ia_rc ia_device_not_sent(enum ia_rc rc, struct ia_err *err)
{
    if (err) {
        err->outcome = IA_OUTCOME_NOT_SENT;
        err->retry_safe = true;
    }
    return rc;
}

enum ia_rc ia_deadline_check(const struct ia_deadline *d, const struct ia_clock *clock,
                             struct ia_err *err)
{
    enum ia_rc rc = IA_OK;
    if (d && ia_cancel_fired(d->cancel)) {
        rc = ia_err_set(err, IA_E_CANCELLED, "cancelled before anything was sent");
    } else if (d && d->at_us != IA_NO_DEADLINE && ia_mono_us(clock) >= d->at_us) {
        rc = ia_err_set(err, IA_E_TIMEOUT, "the time ran out before anything was sent");
    }
    return rc == IA_OK ? IA_OK : ia_device_not_sent(rc, err);
}
