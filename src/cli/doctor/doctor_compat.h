/* doctor_compat.h: doctor's check that the installed versions work together (compat.h). */
#ifndef IA_CLI_DOCTOR_DOCTOR_COMPAT_H
#define IA_CLI_DOCTOR_DOCTOR_COMPAT_H

#include "cli/doctor/doctor_sims.h"

/* Runs after the checks of doctor_sims.h. device: doctor's line about the device that runs use, "" if neither
 * WebDriverAgent nor Appium answers for it. Writes the result to detail; returns true when something does not
 * work. */
bool ia_doctor_compat(struct ia_doctor_sims *d, const char *device, struct ia_buf *detail);

#endif
