/* applock.h: keeps a run inside one app.
 *
 * With a lock, another app may be looked at and touched only when the user names it: in an
 * expectation `app BUNDLE`, or in the goal, by its bundle id or as an app. The name that people know
 * it by, or the last part of its bundle id, is an app only where the words say so ("open Settings",
 * "in Safari", "the phone app", "Phone: call Ada") and not where it is a text ("a contact named Ada
 * Shop") or stands in a clause that forbids it ("do not open Settings"). Alerts of the system are
 * always answered. Pure; any thread.
 *
 * Two rules, because neither sees everything:
 *   ia_app_lock_tool    the tool and its input, no screen: for what leaves the app whatever is
 *                       on the screen (launch_app, the home button, a URL)
 *   ia_app_lock_screen  the fresh screen, no tool: for what touches or shows whatever is in front.
 *                       The session asks it before each effect (ia_session_options.guard), except
 *                       for launch, terminate, open_url and press; the run before it shows a screen
 * A tool that acts on elements is IA_OK in the first and left to the second, unless it can begin
 * a gesture at the screen's edge, which leaves the app (drag in driver/device.h). */
#ifndef IA_AGENT_LOOP_APPLOCK_H
#define IA_AGENT_LOOP_APPLOCK_H

#include "agent/goal/expect.h"
#include "agent/goal/request.h"
#include "agent/prompts/prompts.h"
#include "driver/snapshot/snapshot.h"

#define IA_SPRINGBOARD "com.apple.springboard"

/* What the user said. Borrowed; all but app may be NULL. */
struct ia_app_lock {
    const char *app; /* NULL: no lock */
    const char *goal;
    const struct ia_expects *expects;
    const struct ia_setup_step *setup;
    size_t setup_count;
};

/* Whether the user allows that app to be touched. */
bool ia_app_lock_allows(const struct ia_app_lock *lock, const char *bundle_id);

/* Before a tool runs, by its input: launch_app and terminate_app of another app, a button or a
 * URL that leaves the app. A URL stays in the app when its scheme is known to be that of an app that
 * is allowed, is the last part of the app's bundle id, or was declared: the goal or a setup step has
 * it (of http and https: its host). IA_E_APP_LOCK, outcome not_sent. input is a checked object. */
enum ia_rc ia_app_lock_tool(const struct ia_app_lock *lock, enum ia_tool tool,
                            const json_t *input, struct ia_err *err);

/* Before an effect is sent, by the fresh screen: refused while a foreign app is in front,
 * except for an alert of the system. IA_E_APP_LOCK, outcome not_sent. */
enum ia_rc ia_app_lock_screen(const struct ia_app_lock *lock, const struct ia_snapshot *fresh,
                              struct ia_err *err);

#endif
