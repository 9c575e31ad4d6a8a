/* rig.h: everything a run needs, in one process: a store in a folder of its own, the strict
 * double with a script, a client, and a factory-new embedded phone in memory. */
#ifndef IA_TESTS_AGENT_RIG_H
#define IA_TESTS_AGENT_RIG_H

#include "agent/claude/client.h"
#include "agent/run/run.h"
#include "driver/embedded/embedded.h"
#include "faulty.h"
#include "mock/server/mock.h"
#include "store/store.h"

#define RIG_MODEL "claude-sonnet-5-5"

struct rig {
    char home[64];
    struct ia_store *store;
    struct ia_mock *mock;
    struct ia_claude *claude;
    struct ia_device *phone;
    struct faulty device;
    struct ia_cancel *cancel;
    _Atomic(bool) interrupt;
    struct ia_buf events; /* what the observer got, one object a line */
    struct ia_run_request req;
    struct ia_run_result result;
    void (*on_event)(struct rig *r, enum ia_event_type event,
                     struct ia_str json); /* may be NULL */
    bool allow_commands;
    int64_t tool_grace_ms;
    int max_retries; /* of the client: set before rig_run; 0: its default */
};

/* script is the name of a file in scripts/ without .json, or a script itself; faults may be
 * NULL. */
void rig_open(struct rig *r, const char *script, const char *faults);
void rig_close(struct rig *r);
/* Another client, with so many tries of its own; -1: none. */
void rig_client(struct rig *r, int max_retries);

/* Runs r->req (goal, model and device are filled in) and checks that it could be recorded. */
void rig_run(struct rig *r, const char *goal);

/* The same for a run that may fail to be started or recorded. */
enum ia_rc rig_try(struct rig *r, const char *goal, struct ia_err *err);

/* Claims the run of that id and goes on with it, with a cancel token that has not fired. */
void rig_go_on(struct rig *r, const char *run_id);
enum ia_rc rig_try_go_on(struct rig *r, const char *run_id, struct ia_err *err);

/* The last event of that type as text, or NULL; borrowed until the next run. */
const char *rig_event(const struct rig *r, const char *type);
int rig_count(const struct rig *r, const char *type);
/* Fails, showing the events, unless the run came to that state with that code. */
void rig_expect(const struct rig *r, const char *state, enum ia_rc code);
/* The phone's state and the double's counters as JSON; free() both. */
char *rig_phone_state(const struct rig *r);
char *rig_mock_stats(const struct rig *r);
/* Fails when the double rejected anything. */
void rig_no_rejects(const struct rig *r);

#endif
