/* doctor.h: whether this computer, its configuration and its devices are ready for runs. */
#ifndef IA_CLI_DOCTOR_DOCTOR_H
#define IA_CLI_DOCTOR_DOCTOR_H

#include "cli/command/command.h"

ia_command_fn ia_cmd_doctor;

#endif
