/* simctl.h: the life of simulators: Apple's `xcrun simctl`, one function for each verb.
 *
 * Simulators are named by UDID, never "booted" (which means any one of those that are). Every
 * call ends at its deadline or, before that, at a limit of its own, and can be cancelled; a
 * child never outlives its call. A handle is used by one thread at a time. On failure
 * err->outcome says whether anything happened; what simctl refuses is not_sent, what was cut
 * off is unknown. Where the state is the wanted one already (boot of a booted simulator,
 * terminate of an app that does not run) the result is IA_OK, and *ret_already says so.
 *
 * Source of the argv: `xcrun simctl help` of Xcode 15 to 26 as used by Appium, idb and Maestro;
 * of the failures: errors.h. */
#ifndef IA_DRIVER_SIMCTL_SIMCTL_H
#define IA_DRIVER_SIMCTL_SIMCTL_H

#include "base/buf.h"
#include "driver/device.h"
#include "driver/simctl/list.h"

struct ia_simctl;

/* Runs nothing yet. Free with ia_simctl_free. */
struct ia_simctl *ia_simctl_new(void);
void ia_simctl_free(struct ia_simctl *s);

/* ---- finding ----------------------------------------------------------------------------- */

/* The list, from one `simctl list -j` that is kept until something changes it. Borrowed until
 * the next call of the handle that changes a simulator. IA_E_MISSING without xcrun or Xcode. */
enum ia_rc ia_simctl_list(struct ia_simctl *s, const struct ia_deadline *deadline,
                          const struct ia_sim_list **ret, struct ia_err *err);
/* ia_sim_resolve in that list; ret borrows from it. */
enum ia_rc ia_simctl_find(struct ia_simctl *s, const struct ia_deadline *deadline,
                          const struct ia_sim_query *query, struct ia_sim_found *ret,
                          struct ia_err *err);
/* The state now, from a fresh list. IA_E_NO_DEVICE. */
enum ia_rc ia_simctl_state(struct ia_simctl *s, const struct ia_deadline *deadline,
                           const char *udid, enum ia_sim_state *ret, struct ia_err *err);
/* The runtimes' images on disk. IA_E_UNSUPPORTED before Xcode 14. Free with
 * ia_sim_images_free. */
enum ia_rc ia_simctl_images(struct ia_simctl *s, const struct ia_deadline *deadline,
                            struct ia_sim_images **ret, struct ia_err *err);
/* "Shutdown", "Booted" … as simctl prints it. */
const char *ia_sim_state_name(enum ia_sim_state state);

/* ---- life -------------------------------------------------------------------------------- */

/* Boots and waits until the simulator is ready for apps (bootstatus). A simulator that is
 * shutting down is waited for first. Bounded by five minutes: a new runtime is slow once. */
enum ia_rc ia_simctl_boot(struct ia_simctl *s, const struct ia_deadline *deadline,
                          const char *udid, bool *ret_already, struct ia_err *err);
enum ia_rc ia_simctl_shutdown(struct ia_simctl *s, const struct ia_deadline *deadline,
                              const char *udid, bool *ret_already, struct ia_err *err);
/* Contents and settings as new. shut_down_first: a simulator that runs is shut down (and stays
 * so); otherwise it is IA_E_STATE. */
enum ia_rc ia_simctl_erase(struct ia_simctl *s, const struct ia_deadline *deadline,
                           const char *udid, bool shut_down_first, struct ia_err *err);
/* type_id and runtime_id as the list has them; the new UDID into ret_udid. */
enum ia_rc ia_simctl_create(struct ia_simctl *s, const struct ia_deadline *deadline,
                            const char *name, const char *type_id, const char *runtime_id,
                            char ret_udid[IA_SIM_UDID_SIZE], struct ia_err *err);
/* The simulator must be shut down. */
enum ia_rc ia_simctl_clone(struct ia_simctl *s, const struct ia_deadline *deadline,
                           const char *udid, const char *name, char ret_udid[IA_SIM_UDID_SIZE],
                           struct ia_err *err);
enum ia_rc ia_simctl_delete(struct ia_simctl *s, const struct ia_deadline *deadline,
                            const char *udid, struct ia_err *err);

/* ---- apps -------------------------------------------------------------------------------- */

/* app is the path of an .app folder built for simulators; it is made absolute. IA_E_NOT_FOUND. */
enum ia_rc ia_simctl_install(struct ia_simctl *s, const struct ia_deadline *deadline,
                             const char *udid, const char *app, struct ia_err *err);
/* simctl does not say whether the app was there. */
enum ia_rc ia_simctl_uninstall(struct ia_simctl *s, const struct ia_deadline *deadline,
                               const char *udid, const char *bundle_id, struct ia_err *err);

struct ia_sim_launch {
    const char *bundle_id;
    const char *const *args; /* for the app, NULL-ended, or NULL */
    const char *const *env;  /* "NAME=value" for the app (SIMCTL_CHILD_NAME), likewise */
    const char *out_file;    /* absolute paths of files for what it writes; NULL: dropped */
    const char *err_file;
    bool relaunch; /* end a running instance first */
    bool wait_for_debugger;
};
enum { IA_SIM_LAUNCH_ARGS_MAX = 64, IA_SIM_LAUNCH_ENV_MAX = 64 };
/* The app's process id into *ret_pid. An app that crashes at once is launched all the same:
 * ask ia_simctl_running. IA_E_NO_APP when it is not installed. */
enum ia_rc ia_simctl_launch(struct ia_simctl *s, const struct ia_deadline *deadline,
                            const char *udid, const struct ia_sim_launch *launch, int *ret_pid,
                            struct ia_err *err);
enum ia_rc ia_simctl_terminate(struct ia_simctl *s, const struct ia_deadline *deadline,
                               const char *udid, const char *bundle_id, bool *ret_already,
                               struct ia_err *err);
/* The process id of the app into *ret_pid, 0 when it does not run. IA_E_PARSE when the
 * simulator's launchctl does not print its table. */
enum ia_rc ia_simctl_running(struct ia_simctl *s, const struct ia_deadline *deadline,
                             const char *udid, const char *bundle_id, int *ret_pid,
                             struct ia_err *err);
/* url has a scheme. IA_E_NO_APP when no app opens such. */
enum ia_rc ia_simctl_openurl(struct ia_simctl *s, const struct ia_deadline *deadline,
                             const char *udid, const char *url, struct ia_err *err);
/* ---- screen ------------------------------------------------------------------------------ */

/* A PNG appended to ret_png. Refused (IA_E_STATE) for a simulator that is not booted: simctl
 * would block for a minute. */
enum ia_rc ia_simctl_screenshot(struct ia_simctl *s, const struct ia_deadline *deadline,
                                const char *udid, struct ia_buf *ret_png, struct ia_err *err);

struct ia_sim_record {
    const char *path;        /* .mp4 or .mov; replaced when it is there */
    const char *codec;       /* "h264", "hevc", NULL: simctl's default */
    struct ia_cancel *stop;  /* ends the recording well; not NULL */
    void (*started)(void *); /* called once the first frame is there; or NULL */
    void *started_ctx;
};
/* Records until stop fires, and returns when the file is finished. The call's own token aborts:
 * the file is then of no use. */
enum ia_rc ia_simctl_record(struct ia_simctl *s, const struct ia_deadline *deadline,
                            const char *udid, const struct ia_sim_record *record,
                            struct ia_err *err);

/* ---- settings ---------------------------------------------------------------------------- */

/* The forms and what is refused: driver/system.h. */
enum ia_rc ia_simctl_privacy(struct ia_simctl *s, const struct ia_deadline *deadline,
                             const char *udid, enum ia_privacy set, const char *service,
                             const char *bundle_id, struct ia_err *err);

enum ia_sim_appearance { IA_SIM_LIGHT, IA_SIM_DARK, IA_SIM_UNSUPPORTED, IA_SIM_UNKNOWN };
enum ia_rc ia_simctl_appearance(struct ia_simctl *s, const struct ia_deadline *deadline,
                                const char *udid, enum ia_sim_appearance *ret,
                                struct ia_err *err);
/* IA_SIM_LIGHT or IA_SIM_DARK. */
enum ia_rc ia_simctl_set_appearance(struct ia_simctl *s, const struct ia_deadline *deadline,
                                    const char *udid, enum ia_sim_appearance appearance,
                                    struct ia_err *err);

/* An override is gone after a shutdown. */
enum ia_rc ia_simctl_status_bar(struct ia_simctl *s, const struct ia_deadline *deadline,
                                const char *udid, const struct ia_status_bar *bar,
                                struct ia_err *err);
enum ia_rc ia_simctl_status_bar_clear(struct ia_simctl *s, const struct ia_deadline *deadline,
                                      const char *udid, struct ia_err *err);
/* The overrides as simctl prints them, appended to ret. */
enum ia_rc ia_simctl_status_bar_list(struct ia_simctl *s, const struct ia_deadline *deadline,
                                     const char *udid, struct ia_buf *ret, struct ia_err *err);

enum ia_rc ia_simctl_location(struct ia_simctl *s, const struct ia_deadline *deadline,
                              const char *udid, const struct ia_location *at,
                              struct ia_err *err);
enum ia_rc ia_simctl_location_clear(struct ia_simctl *s, const struct ia_deadline *deadline,
                                    const char *udid, struct ia_err *err);

/* bundle_id NULL: the payload names the app. */
enum ia_rc ia_simctl_push(struct ia_simctl *s, const struct ia_deadline *deadline,
                          const char *udid, const char *bundle_id, struct ia_str payload,
                          struct ia_err *err);
/* Photos, videos, contacts. paths is NULL-ended. */
enum ia_rc ia_simctl_addmedia(struct ia_simctl *s, const struct ia_deadline *deadline,
                              const char *udid, const char *const *paths, struct ia_err *err);
enum ia_rc ia_simctl_pbcopy(struct ia_simctl *s, const struct ia_deadline *deadline,
                            const char *udid, struct ia_str text, struct ia_err *err);
/* What is on the pasteboard, appended to ret. */
enum ia_rc ia_simctl_pbpaste(struct ia_simctl *s, const struct ia_deadline *deadline,
                             const char *udid, struct ia_buf *ret, struct ia_err *err);

#endif
