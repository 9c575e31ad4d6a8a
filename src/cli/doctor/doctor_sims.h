/* doctor_sims.h: the checks of doctor that concern Xcode and its simulators. */
#ifndef IA_CLI_DOCTOR_DOCTOR_SIMS_H
#define IA_CLI_DOCTOR_DOCTOR_SIMS_H

#include "cli/sys/sim.h"

/* What the three checks share: one list of simulators. Zero it before the first. */
struct ia_doctor_sims {
    struct ia_cli_sim sim;
    bool open;
    bool no_xcode;  /* the first check found none, and said so */
    char xcode[32]; /* its version, once the first check has found one */
};

/* Each describes what it finds in detail. *ret_warn: what is missing is not needed to run, but
 * worth a line; detail then says how to fix it. A failure is something that is there and does
 * not work. In this order. */
enum ia_rc ia_doctor_xcode(struct ia_doctor_sims *d, struct ia_buf *detail, bool *ret_warn,
                           struct ia_err *err);
enum ia_rc ia_doctor_runtimes(struct ia_doctor_sims *d, struct ia_buf *detail, bool *ret_warn,
                              struct ia_err *err);
enum ia_rc ia_doctor_simulators(struct ia_doctor_sims *d, struct ia_buf *detail, bool *ret_warn,
                                struct ia_err *err);
void ia_doctor_sims_close(struct ia_doctor_sims *d);

#endif
