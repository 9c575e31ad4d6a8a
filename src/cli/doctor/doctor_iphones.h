/* doctor_iphones.h: doctor's check of plugged-in iPhones. */
#ifndef IA_CLI_DOCTOR_DOCTOR_IPHONES_H
#define IA_CLI_DOCTOR_DOCTOR_IPHONES_H

#include "base/buf.h"
#include "base/paths.h"

/* As the checks of doctor_sims.h: what each iPhone still needs before it can be driven, and the next command. To
 * have no iPhone or no usbmuxd is no problem. */
enum ia_rc ia_doctor_iphones(const struct ia_paths *paths, struct ia_buf *detail,
                             bool *ret_warn, struct ia_err *err);

#endif
