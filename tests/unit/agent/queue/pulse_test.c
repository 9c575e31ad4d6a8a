/* When a run counts as stuck or dead. */
#include "test.h"

#include "agent/queue/pulse.h"

static void
a_run_is_stuck_only_when_neither_heartbeat_nor_tool_explains_its_silence(void **state)
{
    (void)state;
    enum { NOW = 1000000, NONE = -NOW };
    static const struct {
        int64_t beat_ago;
        int64_t tool_left; /* until its deadline; NONE: no tool in hand */
        bool alive;
        enum ia_pulse want;
    } rows[] = {
        {0, NONE, true, IA_PULSE_OK},
        {IA_STUCK_BEAT_MS, NONE, true, IA_PULSE_OK},
        {IA_STUCK_BEAT_MS + 1, NONE, true, IA_PULSE_STUCK},
        {IA_STUCK_BEAT_MS + 1, 20000, true, IA_PULSE_OK},
        {90000, -IA_STUCK_GRACE_MS, true, IA_PULSE_OK},
        {90000, -IA_STUCK_GRACE_MS - 1, true, IA_PULSE_STUCK},
        {-5000, NONE, true, IA_PULSE_OK}, /* the clock went back */
        {0, NONE, false, IA_PULSE_DEAD},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct ia_pulse_facts f = {
            .now_ms = NOW,
            .heartbeat_ms = NOW - rows[i].beat_ago,
            .tool_deadline_ms = NOW + rows[i].tool_left,
            .owner_alive = rows[i].alive,
        };
        assert_int_equal(ia_pulse_judge(&f), rows[i].want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            a_run_is_stuck_only_when_neither_heartbeat_nor_tool_explains_its_silence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
