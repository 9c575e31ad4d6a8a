/* xcrun.h: one call of a developer tool through `xcrun`, to its end. */
#ifndef IA_DRIVER_SIMCTL_XCRUN_H
#define IA_DRIVER_SIMCTL_XCRUN_H

#include "base/spawn.h"
#include "driver/device.h"

enum { IA_XCRUN_ARGS_MAX = 128, IA_XCRUN_ENV_MAX = 1024 };

struct ia_xcrun {
    const char *const *args; /* after "xcrun", NULL-ended: "simctl", "list", "-j"; at most
                                IA_XCRUN_ARGS_MAX */
    const char *const *env;  /* "NAME=value" beside this process's, which they replace;
                                NULL-ended, or NULL */
    const char *cwd;
    struct ia_str input;
    size_t output_max;  /* 0: IA_SPAWN_OUTPUT_MAX */
    int64_t limit_ms;   /* it ends then or at the call's deadline, whichever is first; not 0 */
    const char *waited; /* what is waited for, for the message; NULL: the first two words */
    int (*watch)(void *ctx, const struct ia_spawn_result *so_far); /* spawn.h; or NULL */
    void *watch_ctx;
};

/* Runs it. IA_OK whenever it ran to its own end, whatever its status; ret is written in every
 * case and freed with ia_spawn_result_fini. IA_E_MISSING with a hint when there is no xcrun;
 * IA_E_TIMEOUT, IA_E_CANCELLED: it was ended. Any thread. */
enum ia_rc ia_xcrun_run(const struct ia_xcrun *x, const struct ia_deadline *deadline,
                        struct ia_spawn_result *ret, struct ia_err *err);

/* Starts it so that it outlives this program (spawn.h): only args, env and cwd are used, and
 * what it writes goes to the file `log`. xcrun becomes the tool, so *ret_pid is the tool's.
 * Errors as above. */
enum ia_rc ia_xcrun_background(const struct ia_xcrun *x, const char *log, pid_t *ret_pid,
                               struct ia_err *err);

/* The version of Xcode that xcrun uses: "Xcode 26.2" and build "17C52". IA_E_MISSING, with a
 * hint, without a complete Xcode. */
struct ia_xcode {
    char version[64];
    char build[32];
};
enum ia_rc ia_xcode_version(const struct ia_deadline *deadline, struct ia_xcode *ret,
                            struct ia_err *err);

#endif
