/* process.h: whether the process that wrote its pid down still lives. */
#ifndef IA_BASE_PROCESS_H
#define IA_BASE_PROCESS_H

#include "base/base.h"

enum { IA_PROCESS_TOKEN_SIZE = 64 };

/* Text that differs between a process and any later one with the same pid: when it started, as
 * the system records it. "" when there is no such process or the system does not say. */
void ia_process_token(int64_t pid, char ret[IA_PROCESS_TOKEN_SIZE]);

/* False when that process is certainly gone. A pid that lives but whose token cannot be read
 * counts as alive. */
bool ia_process_alive(int64_t pid, const char *token);

#endif
