/* doctor_iphones.h: the check of doctor that concerns iPhones that are plugged in. */
#ifndef IA_CLI_DOCTOR_DOCTOR_IPHONES_H
#define IA_CLI_DOCTOR_DOCTOR_IPHONES_H

#include "base/buf.h"
#include "base/paths.h"

/* As the checks of doctor_sims.h: what each iPhone lacks to be driven, and the next command. No iPhone, and
 * no usbmuxd, is nothing to fix. */
enum ia_rc ia_doctor_iphones(const struct ia_paths *paths, struct ia_buf *detail,
                             bool *ret_warn, struct ia_err *err);

#endif
