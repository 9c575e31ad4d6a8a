/* impl.h: what the files of this folder share. Private. */
#ifndef IA_DRIVER_RUNNER_IMPL_H
#define IA_DRIVER_RUNNER_IMPL_H

#include "base/jsonw.h"
#include "base/paths.h"
#include "driver/runner/runner.h"

#define IA_RUNNER_NAME "BridgeTests"
#define IA_RUNNER_APP "BridgeTests-Runner.app"
#define IA_RUNNER_PRODUCTS "products/Debug-iphonesimulator" /* of recipe B */
#define IA_RUNNER_MIN_IOS "15.0"

/* ---- folder.c: files and folders --------------------------------------------------------- */

enum { IA_RUNNER_DEPTH_MAX = 32, IA_RUNNER_FILE_MAX = 1 << 20 };

/* <home>/bridge/<printf…> in new memory. */
char *ia_runner_path(const struct ia_runner_opts *opts, const char *fmt, ...)
    IA_PRINTF(2, 3) IA_MUST_USE;
bool ia_runner_exists(const char *path);
/* Copies a file, a link, or a folder with everything in it, with modes; `to` must not exist. */
enum ia_rc ia_runner_copy(const char *from, const char *to, struct ia_err *err);
/* Writes a new file of a build in the making: a build counts only when it is complete, so
 * nothing has to be durable. */
enum ia_rc ia_runner_put(const char *path, const void *bytes, size_t n, struct ia_err *err);
/* Removes it and all that is in it, as far as it can. */
void ia_runner_remove(const char *path);
/* How many files there are below a folder, and their bytes. */
struct ia_runner_sum {
    int64_t files, bytes;
};
void ia_runner_add_up(const char *path, struct ia_runner_sum *sum);
/* The names in a folder for which `want` holds, sorted, NULL-ended, in new memory: free each
 * and the array (ia_runner_names_free). A folder that is not there has none. */
char **ia_runner_names(const char *folder, bool (*want)(const char *name));
void ia_runner_names_free(char **names);
/* Waits for the file's lock under the call. *ret_fd is given back by close(2). IA_E_BUSY with
 * `what` when the time ends first. */
enum ia_rc ia_runner_lock(const char *path, const char *what,
                          const struct ia_deadline *deadline, int *ret_fd, struct ia_err *err);
/* The last bytes of a file, at most `max`, appended. A file that is not there has none. */
void ia_runner_tail(const char *path, size_t max, struct ia_buf *ret);
/* Waits; IA_E_TIMEOUT at the call's deadline, IA_E_CANCELLED. */
enum ia_rc ia_runner_wait(const struct ia_deadline *deadline, int64_t ms);
/* The call, or for NULL one without limits. */
const struct ia_deadline *ia_runner_deadline(const struct ia_deadline *deadline);
/* The call, but not later than in `ms`. */
struct ia_deadline ia_runner_within(const struct ia_deadline *deadline, int64_t ms);

/* ---- args.c: argument lists that own their strings --------------------------------------- */

enum { IA_RUNNER_ARGS_MAX = 120 };
struct ia_runner_args {
    char *v[IA_RUNNER_ARGS_MAX + 1]; /* NULL-ended */
    size_t n;
    bool full; /* one more was asked for than there is room for */
};
void ia_runner_arg(struct ia_runner_args *w, const char *fmt, ...) IA_PRINTF(2, 3);
/* Several at once, NULL-ended. */
void ia_runner_args(struct ia_runner_args *w, const char *const *words);
void ia_runner_args_fini(struct ia_runner_args *w);
/* IA_E_LIMIT when it was full. */
enum ia_rc ia_runner_args_check(const struct ia_runner_args *w, struct ia_err *err);

/* ---- tool.c: Apple's tools, each to a good end ------------------------------------------- */

/* Runs argv in cwd (may be NULL); IA_E_CHILD with what it printed when its status is not 0. */
enum ia_rc ia_runner_tool(const struct ia_runner_args *argv, const char *cwd,
                          const struct ia_deadline *deadline, struct ia_err *err);
/* The same through xcrun: the arguments follow it. ret_out may be NULL; it is what was
 * printed on stdout. */
enum ia_rc ia_runner_xcrun(const struct ia_runner_args *words, const char *cwd,
                           const struct ia_deadline *deadline, struct ia_buf *ret_out,
                           struct ia_err *err);
/* The version of Xcode, "26.2 (17C52)". Remembered for as long as the chosen Xcode's
 * version.plist is the same file, because xcodebuild takes most of a second to say it. */
enum ia_rc ia_runner_xcode(const struct ia_runner_opts *opts,
                           const struct ia_deadline *deadline, char *dst, size_t size,
                           struct ia_err *err);

/* ---- sources.c: what is compiled --------------------------------------------------------- */

/* Those of opts, or those in this program. */
const struct ia_embedded *ia_runner_sources(const struct ia_runner_opts *opts);
/* Fills build->key from all sources, build->xcode and build->arch. */
enum ia_rc ia_runner_key(const struct ia_embedded *sources, struct ia_runner_build *build,
                         struct ia_err *err);
/* Writes every source below folder/src. */
enum ia_rc ia_runner_unpack(const struct ia_embedded *sources, const char *folder,
                            struct ia_err *err);
/* Whether it goes to the compiler by itself: a .c or a .m. */
bool ia_runner_is_unit(const char *name);

/* A template with each @NAME@ of the pairs (name, value, …, NULL) replaced, written to a file.
 * IA_E_INTERNAL when one is left over. */
enum ia_rc ia_runner_fill_template(const struct ia_embedded *sources, const char *name,
                                   const char *const *pairs, const char *path,
                                   struct ia_err *err);

/* ---- recipe_a.c, recipe_b.c: into a folder that is there and has src/ -------------------- */

enum ia_rc ia_runner_recipe_a(const struct ia_embedded *sources,
                              const struct ia_runner_build *build, const char *folder,
                              const struct ia_deadline *deadline, struct ia_err *err);
enum ia_rc ia_runner_recipe_b(const struct ia_embedded *sources,
                              const struct ia_runner_build *build, const char *folder,
                              const struct ia_deadline *deadline, struct ia_err *err);
/* project.pbxproj of recipe B as text, for its test. */
enum ia_rc ia_runner_project(const struct ia_embedded *sources, const char *path,
                             const struct ia_runner_build *build, struct ia_err *err);

/* ---- state.c: the state file ------------------------------------------------------------- */

/* IA_E_NOT_FOUND when there is none, IA_E_STATE when it cannot be used (another mode than 0600,
 * damaged): then it counts as none and is replaced. */
enum ia_rc ia_runner_load(const struct ia_runner_opts *opts, const char *udid,
                          struct ia_runner *ret, struct ia_err *err);
enum ia_rc ia_runner_save(const struct ia_runner_opts *opts, const struct ia_runner *r,
                          struct ia_err *err);
void ia_runner_forget(const struct ia_runner_opts *opts, const char *udid);
bool ia_runner_alive(const struct ia_runner *r);
/* Refuses what cannot be a file name. IA_E_USAGE. */
enum ia_rc ia_runner_check_udid(const char *udid, struct ia_err *err);

/* ---- probe.c: who answers ---------------------------------------------------------------- */

enum ia_runner_answer {
    IA_RUNNER_NO_LISTENER,  /* nothing listens there */
    IA_RUNNER_NO_ANSWER,    /* it accepted the connection and did not answer in time */
    IA_RUNNER_UNRELATED,    /* it does not speak the wire, or wants another token */
    IA_RUNNER_OTHER_DEVICE, /* a runner of another simulator */
    IA_RUNNER_OTHER_BUILD,  /* of this simulator and another build */
    IA_RUNNER_MATCH
};
struct ia_runner_probe {
    enum ia_runner_answer answer;
    char note[IA_RUNNER_NOTE_SIZE]; /* what was seen */
};
/* Connects to the runner's port, says hello with its token, and compares; with `shut_down` asks
 * one from OTHER_DEVICE on (it took the token) to end. IA_E_CANCELLED, IA_E_TIMEOUT
 * of the call, IA_E_IO where this process could not ask (no descriptor is left), else IA_OK. */
enum ia_rc ia_runner_probe_port(const struct ia_runner *r, const struct ia_deadline *deadline,
                                bool shut_down, struct ia_runner_probe *ret,
                                struct ia_err *err);
/* Whether the port can be listened on now. */
bool ia_runner_port_free(uint16_t port);

/* ---- explain.c: why a runner did not start ----------------------------------------------- */

enum ia_runner_cause {
    IA_RUNNER_CAUSE_OTHER,
    IA_RUNNER_CAUSE_PORT,
    IA_RUNNER_CAUSE_SIGNING,
    IA_RUNNER_CAUSE_NO_DESTINATION,
    IA_RUNNER_CAUSE_SHUT_DOWN,
    IA_RUNNER_CAUSE_CRASHED,
    IA_RUNNER_CAUSE_TESTMANAGER,
    IA_RUNNER_CAUSE_NO_XCODE,
    IA_RUNNER_CAUSE_LICENSE,
    IA_RUNNER_CAUSE_RUNTIME,
    IA_RUNNER_CAUSE_BAD_BUILD,
    IA_RUNNER_CAUSE_COMPILER
};
/* How it ended: exit status (-1: not known), signal or 0, and what it wrote. */
struct ia_runner_end {
    const char *what; /* "the runner", "xcodebuild" */
    int exit_status, signal;
    struct ia_str text;
};
/* Fills err with the code, the line that names the failure, and what to do, and returns the code;
 * never IA_OK. Pure. */
enum ia_rc ia_runner_explain(const struct ia_runner_end *end, enum ia_runner_cause *ret_cause,
                             struct ia_err *err);
/* The last `lines` lines that are not empty, joined by " | " and cut to size. */
void ia_runner_last_lines(struct ia_str text, int lines, char *dst, size_t size);

/* ---- launch_options.c: starting one ------------------------------------------------------ */

/* Launches it (installed first) by r->way, and fills r->pid and pid_token. */
enum ia_rc ia_runner_launch(const struct ia_runner_opts *opts,
                            const struct ia_deadline *deadline,
                            const struct ia_runner_build *build, struct ia_runner *r,
                            struct ia_err *err);
/* simctl terminate of the runner, whatever comes of it. True when one was ended. */
bool ia_runner_terminate(const struct ia_deadline *deadline, const char *udid);
/* All that it wrote lately, stdout then stderr, without its token. */
void ia_runner_output(const struct ia_runner_opts *opts, const char *udid, const char *token,
                      struct ia_buf *ret);

/* stop without the lock; r is its state. */
enum ia_rc ia_runner_stop_locked(const struct ia_runner_opts *opts,
                                 const struct ia_deadline *deadline, const struct ia_runner *r,
                                 struct ia_err *err);

#endif
