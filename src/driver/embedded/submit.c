/* submit.c: the way of an operation to the phone.
 *
 *   draw the faults ─► late or cancelled? refused ─► faults of the phone, each an operation
 *   ─► commit: check ─► log ─► act ─► answered, or (a fault) not answered: UNKNOWN
 *
 * Nothing reaches the phone but through the commit, so the log has all that ever changed it. */
#include "driver/embedded/impl.h"

static enum ia_rc lost(struct ia_err *err)
{
    enum ia_rc rc = ia_err_set(err, IA_E_DEVICE_LOST, "the connection to the phone is lost");
    ia_err_hint(err, "this was requested: faults=… in the device's name");
    return rc;
}

struct ia_phone *ia_embedded_phone(struct ia_device *d)
{
    return ia_embedded_of(d)->phone;
}

/* A call that is cancelled or late touches nothing. */
enum ia_rc ia_embedded_begin(struct ia_device *d, const struct ia_deadline *deadline,
                             struct ia_err *err)
{
    struct ia_embedded *e = ia_embedded_of(d);
    if (ia_faults_lost(&e->faults)) {
        return ia_device_not_sent(lost(err), err);
    }
    if (e->log && !ia_oplog_held(e->log)) {
        return ia_device_not_sent(
            ia_err_set(err, IA_E_INTERNAL, "the phone was released and not acquired again"),
            err);
    }
    return ia_deadline_check(deadline, e->clock, err);
}

enum ia_rc ia_embedded_commit(struct ia_embedded *e, const struct ia_op *op, struct ia_err *err)
{
    enum ia_rc rc = ia_op_check(e->phone, op, err);
    if (rc == IA_OK && e->log) {
        rc = ia_oplog_append(e->log, e->phone, op, err);
    }
    if (rc == IA_OK) {
        rc = ia_op_act(e->phone, op, err);
        ia_embedded_film(e);
        (void)ia_embedded_send_mail(e, NULL); /* the next read reports what fails */
    }
    return rc;
}

/* The faults that strike on the phone itself, as operations of their own. */
static enum ia_rc strike(struct ia_embedded *e, uint32_t set, struct ia_err *err)
{
    static const struct {
        uint8_t kind, op;
    } faults[] = {
        {IA_FAULT_LATE_SHIFT, IA_OP_FAULT_SHIFT},
        {IA_FAULT_SILENT_TYPING, IA_OP_FAULT_MUTE},
        {IA_FAULT_CRASH, IA_OP_FAULT_CRASH},
        {IA_FAULT_POPUP, IA_OP_FAULT_POPUP},
    };
    enum ia_rc rc = IA_OK;
    for (size_t i = 0; rc == IA_OK && i < IA_COUNTOF(faults); i++) {
        if (set >> faults[i].kind & 1) {
            struct ia_op op = {.kind = IA_OP_FAULT, .n = faults[i].op};
            rc = ia_embedded_commit(e, &op, err);
        }
    }
    return rc;
}

/* The operation was done, and nobody heard of it. */
static enum ia_rc unanswered(struct ia_err *err)
{
    enum ia_rc rc = lost(err);
    if (err) {
        err->outcome = IA_OUTCOME_UNKNOWN;
        err->retry_safe = false;
    }
    return rc;
}

enum ia_rc ia_embedded_submit(struct ia_device *d, const struct ia_deadline *deadline,
                              const struct ia_op *op, struct ia_err *err)
{
    struct ia_embedded *e = ia_embedded_of(d);
    /* Drawn for every call, also for one that is then refused. */
    uint32_t set = ia_faults_op(&e->faults);
    enum ia_rc rc = ia_embedded_begin(d, deadline, err);
    if (rc == IA_OK) {
        rc = strike(e, set, err);
    }
    if (rc == IA_OK) {
        rc = ia_embedded_commit(e, op, err);
    }
    return rc == IA_OK && (set >> IA_FAULT_UNANSWERED & 1) ? unanswered(err) : rc;
}
