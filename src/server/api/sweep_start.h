/* sweep_start.h: sweeps that were asked for over the API (private to api/). */
#ifndef IA_SERVER_API_SWEEP_START_H
#define IA_SERVER_API_SWEEP_START_H

#include "base/base.h"

struct ia_sweep_starts;
struct ia_sweep_starts *ia_sweep_starts_new(void);
/* Stops them so that they can be resumed, and waits for their processes. NULL is fine. */
void ia_sweep_starts_free(struct ia_sweep_starts *s);
int ia_sweep_starts_running(struct ia_sweep_starts *s);

#endif
