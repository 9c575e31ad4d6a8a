/* doctor_compat.h: the check of doctor that what is installed here goes together (compat.h). */
#ifndef IA_CLI_DOCTOR_DOCTOR_COMPAT_H
#define IA_CLI_DOCTOR_DOCTOR_COMPAT_H

#include "cli/doctor/doctor_sims.h"

/* Comes after the checks of doctor_sims.h. device: what was said of the device that runs take, "" where it
 * is none that WebDriverAgent or Appium answers for. Describes in detail what is known; true where
 * something does not work. */
bool ia_doctor_compat(struct ia_doctor_sims *d, const char *device, struct ia_buf *detail);

#endif
