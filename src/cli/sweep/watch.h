/* watch.h: waits until files change, for sweep --watch.
 *
 * It looks at modification times twice a second and needs nothing of the system but stat(2): the same on
 * every file system, and no limit on how many folders can be watched but the caps below. */
#ifndef IA_CLI_SWEEP_WATCH_H
#define IA_CLI_SWEEP_WATCH_H

#include "base/cancel.h"

/* Files and folders that are looked at, folders in folders. */
enum { IA_WATCH_FILES_MAX = 20000, IA_WATCH_DEPTH_MAX = 32 };

struct ia_watch_opts {
    const char *const *goals; /* goal files, and folders of which *.toml counts */
    size_t goal_count;
    const char *const *others; /* files and folders of which everything visible counts */
    size_t other_count;
    const char *except; /* a folder that does not count: what a sweep writes; NULL: none */
};
struct ia_watch;

/* Takes the first look. opts and what it points to must outlive the watch. IA_E_LIMIT when there are too
 * many files. Free with ia_watch_free. */
enum ia_rc ia_watch_new(const struct ia_watch_opts *opts, struct ia_watch **ret,
                        struct ia_err *err);
void ia_watch_free(struct ia_watch *w);
size_t ia_watch_files(const struct ia_watch *w); /* how many it saw last */

/* Returns once something differs from the last look and is quiet again, so that a file is not read while
 * an editor writes it. IA_E_CANCELLED, IA_E_LIMIT. */
enum ia_rc ia_watch_wait(struct ia_watch *w, struct ia_cancel *cancel, struct ia_err *err);

/* What came of that: the goal files that are new or other than before, named as sweep names them (one
 * that is gone is no reason to run anything); and whether any of the others changed. Valid until the next
 * wait. */
const char *const *ia_watch_changed(const struct ia_watch *w, size_t *ret_n, bool *ret_others);

#endif
