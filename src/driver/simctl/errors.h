/* errors.h: what a failure of simctl means, in one table.
 *
 * simctl ends with the NSError's code modulo 256 and says the rest on stderr, so one status
 * stands for many things (149 is every wrong state): a row asks for text and code. Source of
 * the texts and codes: tests/data/simctl/errors.jsonl, where each row names its own. */
#ifndef IA_DRIVER_SIMCTL_ERRORS_H
#define IA_DRIVER_SIMCTL_ERRORS_H

#include "base/base.h"
#include "base/err.h"

/* What went wrong, for code that acts on it. */
enum ia_simctl_cause {
    IA_SIMCTL_OTHER, /* the table does not know it */
    IA_SIMCTL_ALREADY_BOOTED,
    IA_SIMCTL_ALREADY_SHUT_DOWN,
    IA_SIMCTL_NOT_SHUT_DOWN, /* it would have to be */
    IA_SIMCTL_NOT_BOOTED,    /* it would have to be */
    IA_SIMCTL_WRONG_STATE,   /* any other state that does not allow it */
    IA_SIMCTL_NO_DEVICE,
    IA_SIMCTL_NONE_BOOTED,
    IA_SIMCTL_NOT_INSTALLED,
    IA_SIMCTL_DENIED,
    IA_SIMCTL_NOT_RUNNING,
    IA_SIMCTL_NO_FILE,
    IA_SIMCTL_WRONG_PLATFORM,
    IA_SIMCTL_NO_HANDLER,
    IA_SIMCTL_SERVICE_DEAD,
    IA_SIMCTL_RUNTIME_MISSING,
    IA_SIMCTL_BAD_TYPE,
    IA_SIMCTL_BAD_RUNTIME,
    IA_SIMCTL_MISMATCH,
    IA_SIMCTL_BAD_SERVICE,
    IA_SIMCTL_BAD_VALUE,
    IA_SIMCTL_BAD_COMMAND,
    IA_SIMCTL_NO_XCODE,
    IA_SIMCTL_NO_SIMCTL,
    IA_SIMCTL_NO_LICENSE,
    IA_SIMCTL_NO_SCREEN
};

/* How a call of simctl ended. */
struct ia_simctl_end {
    const char *verb; /* "boot", for the message */
    int exit_status;  /* not 0; -1 when a signal ended it */
    int signal;       /* or 0 */
    struct ia_str out, err;
};

/* Fills err with the code, a message with the line of stderr that names the failure, the hint
 * and the outcome, and returns the code. A failure that the table does not know is IA_E_DEVICE
 * with that line and the exit status. ret_cause may be NULL. Pure. */
enum ia_rc ia_simctl_explain(const struct ia_simctl_end *end, enum ia_simctl_cause *ret_cause,
                             struct ia_err *err);

/* What to do where simulators cannot be had at all: on macOS how to get Xcode, elsewhere that
 * they need it, and the device that works everywhere. */
void ia_simctl_hint_missing(struct ia_err *err);

#endif
