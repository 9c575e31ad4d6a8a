/* killpoint.h: named places where a fault test ends the process as power loss would.
 *
 *     IA_KILL_POINT("store.commit.before");
 *
 * With IOS_AGENT_KILL_AT="store.commit.before:3" in the environment the third pass sends this
 * process SIGKILL (":1" may be left out), or what IOS_AGENT_KILL_WITH names: TERM, HUP, INT or STOP. Without IA_TEST_HOOKS the macro compiles to nothing. */
#ifndef IA_BASE_KILLPOINT_H
#define IA_BASE_KILLPOINT_H

#ifdef IA_TEST_HOOKS
#define IA_KILL_POINT(name) ia_kill_point(name)
#else
#define IA_KILL_POINT(name) ((void)0)
#endif

/* Counts a pass of the named point, over all threads. The environment is read once, at the
 * first pass of any point. */
void ia_kill_point(const char *name);

#endif
