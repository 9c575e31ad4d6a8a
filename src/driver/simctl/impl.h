/* impl.h: what the verbs of simctl share. Private to this folder. */
#ifndef IA_DRIVER_SIMCTL_IMPL_H
#define IA_DRIVER_SIMCTL_IMPL_H

#include "base/spawn.h"
#include "driver/simctl/errors.h"
#include "driver/simctl/simctl.h"

struct ia_simctl {
    struct ia_sim_list *list; /* NULL: not read yet, or out of date */
};

/* One verb: argv after "xcrun simctl", and what it may take. */
struct ia_simctl_verb {
    const char *const *args; /* NULL-ended; args[0] is the verb */
    const char *const *env;  /* beside this process's; or NULL */
    struct ia_str input;
    size_t output_max;
    int64_t limit_ms;
    bool repeatable;   /* idempotent: a call that was cut off may be repeated */
    bool reads;        /* it changes nothing */
    bool changes_list; /* states, or which simulators there are */
    int (*watch)(void *ctx, const struct ia_spawn_result *so_far);
    void *watch_ctx;
};

/* Runs it; a status other than 0 is explained (errors.h). ret_out gets stdout, may be NULL;
 * ret_cause may be NULL. */
enum ia_rc ia_simctl_do(struct ia_simctl *s, const struct ia_deadline *deadline,
                        const struct ia_simctl_verb *verb, struct ia_buf *ret_out,
                        enum ia_simctl_cause *ret_cause, struct ia_err *err);
/* Drops the list: it is out of date. */
void ia_simctl_forget(struct ia_simctl *s);
/* Notes the new state of one simulator in the list. */
void ia_simctl_set_state(struct ia_simctl *s, const char *udid, enum ia_sim_state state);

/* Refuse what an argv would read as something else: a value that begins with a dash or is empty.
 * IA_E_USAGE, not_sent. */
enum ia_rc ia_simctl_check_udid(const char *udid, struct ia_err *err);
enum ia_rc ia_simctl_check_bundle(const char *bundle_id, struct ia_err *err);
enum ia_rc ia_simctl_check_word(const char *what, const char *word, struct ia_err *err);
/* The absolute path of something that is there, in new memory. IA_E_NOT_FOUND, not_sent. */
enum ia_rc ia_simctl_check_path(const char *what, const char *path, char **ret,
                                struct ia_err *err);

enum {
    IA_SIMCTL_LIST_MS = 60000, /* the first call after an update of Xcode is slow */
    IA_SIMCTL_BOOT_MS = 300000,
    IA_SIMCTL_SHUTDOWN_MS = 120000,
    IA_SIMCTL_ERASE_MS = 120000,
    IA_SIMCTL_MAKE_MS = 120000, /* create, clone, delete: clone copies gigabytes */
    IA_SIMCTL_INSTALL_MS = 180000,
    IA_SIMCTL_APP_MS = 60000,
    IA_SIMCTL_SCREEN_MS = 20000,
    IA_SIMCTL_SETTING_MS = 30000
};

#endif
