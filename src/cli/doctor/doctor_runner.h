/* doctor_runner.h: the checks of doctor that concern the XCTest runner and its ports. */
#ifndef IA_CLI_DOCTOR_DOCTOR_RUNNER_H
#define IA_CLI_DOCTOR_DOCTOR_RUNNER_H

#include "cli/doctor/doctor_sims.h"

/* As the checks of doctor_sims.h, which come first; home is the data folder. */
enum ia_rc ia_doctor_runner(struct ia_doctor_sims *d, const char *home, struct ia_buf *detail,
                            bool *ret_warn, struct ia_err *err);
enum ia_rc ia_doctor_ports(struct ia_doctor_sims *d, const char *home, struct ia_buf *detail,
                           bool *ret_warn, struct ia_err *err);

#endif
