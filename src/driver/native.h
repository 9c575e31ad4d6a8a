/* native.h: what holds on every device for its own data and services (wire/native.h): arguments are
 * checked here, before anything is sent, and times are read alike. */
#ifndef IA_DRIVER_NATIVE_H
#define IA_DRIVER_NATIVE_H

#include "base/civil.h"
#include "base/err.h"
#include "wire/native.h"

struct json_t;

/* Who asks the phone: the app that runs the bridge (IA_RUNNER_BUNDLE_ID), to which permissions are given. The
 * simulated phone uses the same name. */
#define IA_NATIVE_APP "dev.ios-agent.bridge.xctrunner"

/* Whether args is an object with what the action takes, and nothing else: IA_E_USAGE names the
 * argument and what it should be; outcome not_sent. */
enum ia_rc ia_native_check(enum ia_native action, const struct json_t *args,
                           struct ia_err *err);
/* Parses the text, then as above. *ret: free with json_decref; may be NULL. */
enum ia_rc ia_native_parse(enum ia_native action, struct ia_str text, struct json_t **ret,
                           struct ia_err *err);

/* "2025-09-09" or "2025-09-09T14:00[:00]" as the clock on a wall shows it: in ms since 1970 if that
 * clock showed UTC. *ret_day: it is a day alone. false: it is neither. */
bool ia_native_time(struct ia_str text, int64_t *ret_ms, bool *ret_day);
/* Writes "2025-09-09T14:00", or the day alone. */
enum { IA_NATIVE_TIME_SIZE = 20 };
void ia_native_time_text(int64_t ms, bool day, char ret[IA_NATIVE_TIME_SIZE]);

#endif
