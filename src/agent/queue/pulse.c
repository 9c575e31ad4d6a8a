/* pulse.c: the one rule by which a run counts as stuck or dead. */
#include "agent/queue/pulse.h"

enum ia_pulse ia_pulse_judge(const struct ia_pulse_facts *f)
{
    if (!f->owner_alive) {
        return IA_PULSE_DEAD;
    }
    if (f->heartbeat_ms == 0 || f->now_ms - f->heartbeat_ms <= IA_STUCK_BEAT_MS) {
        return IA_PULSE_OK;
    }
    /* A long tool call sends no heartbeats; its deadline says how long that is normal. */
    bool in_tool = f->tool_deadline_ms > 0;
    bool in_time = in_tool && f->now_ms <= f->tool_deadline_ms + IA_STUCK_GRACE_MS;
    return in_time ? IA_PULSE_OK : IA_PULSE_STUCK;
}
