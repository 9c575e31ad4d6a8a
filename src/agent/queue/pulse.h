/* pulse.h: whether a run that is running still makes progress.
 *
 *     owner gone ─────────────────────────────► dead
 *     heartbeat recent, or none yet ──────────► ok
 *     heartbeat old ──► a tool within its time ► ok
 *                  └──► otherwise ────────────► stuck
 *
 * Pure: the caller reads the row and the clock. */
#ifndef IA_AGENT_QUEUE_PULSE_H
#define IA_AGENT_QUEUE_PULSE_H

#include "base/base.h"

enum { IA_STUCK_BEAT_MS = 30000, IA_STUCK_GRACE_MS = 15000 };

enum ia_pulse { IA_PULSE_OK, IA_PULSE_STUCK, IA_PULSE_DEAD };

/* What is known of a run that is running. Wall ms; 0: never. */
struct ia_pulse_facts {
    int64_t now_ms, heartbeat_ms;
    int64_t tool_deadline_ms; /* of the running tool call; 0: none is running */
    bool owner_alive;
};
/* DEAD when the process that owns the run is gone. STUCK when the last heartbeat is more than
 * IA_STUCK_BEAT_MS old and, if a tool is running, that tool is IA_STUCK_GRACE_MS past its
 * deadline. A heartbeat in the future means that the clock was set back: that proves nothing.
 *
 * A stuck run is only reported, never taken over: its owner is alive and may act at any moment. */
enum ia_pulse ia_pulse_judge(const struct ia_pulse_facts *facts);

#endif
