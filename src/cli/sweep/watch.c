/* watch.c: a look is a sorted list of files with what tells two versions of one apart; two looks are
 * compared like two sorted lists. A link to a folder is not followed: it might lead in a circle. */
#include "cli/sweep/watch.h"

#include "base/clock.h"
#include "base/paths.h"
#include "base/platform.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { POLL_MS = 500, QUIET_MS = 100 };

struct seen {
    char *path;
    bool goal;
    int64_t mtime_ns, size;
    ino_t inode;
};

struct look {
    struct seen *files;
    size_t count;
    bool full; /* more than IA_WATCH_FILES_MAX */
};

struct ia_watch {
    const struct ia_watch_opts *opts;
    struct look now, before; /* `changed` points into now */
    const char **changed;
    size_t changed_count;
    bool others;
};

/* ---- looking ----------------------------------------------------------------------------- */

static void look_fini(struct look *l)
{
    for (size_t i = 0; i < l->count; i++) {
        free(l->files[i].path);
    }
    free(l->files);
    *l = (struct look){0};
}

static void add(struct look *l, const char *path, const struct stat *st, bool goal)
{
    if (l->count == IA_WATCH_FILES_MAX) {
        l->full = true;
        return;
    }
    l->files = ia_realloc(l->files, l->count + 1, sizeof(*l->files));
    l->files[l->count++] = (struct seen){.path = ia_strdup(path),
                                         .goal = goal,
                                         .mtime_ns = ia_platform_mtime_ns(st),
                                         .size = st->st_size,
                                         .inode = st->st_ino};
}

/* Of a folder of goals, what `sweep` reads; of another one, everything. */
static bool counts(const char *name, bool goal)
{
    size_t n = strlen(name);
    return !goal ||
           (n > 5 && strcmp(name + n - 5, ".toml") == 0 && strcmp(name, "ios-agent.toml") != 0);
}

static bool is_except(const struct ia_watch_opts *o, const struct stat *st)
{
    struct stat except;
    return o->except && S_ISDIR(st->st_mode) && stat(o->except, &except) == 0 &&
           except.st_dev == st->st_dev && except.st_ino == st->st_ino;
}

static void look_into(struct look *l, const struct ia_watch_opts *o, const char *folder,
                      bool goal, int depth)
{
    DIR *dir = depth < IA_WATCH_DEPTH_MAX ? opendir(folder) : NULL;
    const struct dirent *entry;
    while (dir && !l->full && (entry = readdir(dir)) != NULL) {
        struct stat st;
        char *path = ia_path_join(folder, entry->d_name);
        if (entry->d_name[0] != '.' && lstat(path, &st) == 0 && !is_except(o, &st)) {
            if (S_ISDIR(st.st_mode)) {
                look_into(l, o, path, goal, depth + 1);
            } else if (counts(entry->d_name, goal) && stat(path, &st) == 0 &&
                       S_ISREG(st.st_mode)) {
                add(l, path, &st, goal);
            }
        }
        free(path);
    }
    if (dir) {
        (void)closedir(dir);
    }
}

static void look_at(struct look *l, const struct ia_watch_opts *o, const char *path, bool goal)
{
    struct stat st;
    if (stat(path, &st) != 0) {
        return; /* it may come */
    }
    if (S_ISDIR(st.st_mode)) {
        look_into(l, o, path, goal, 0);
    } else {
        add(l, path, &st, goal);
    }
}

static int by_path(const void *a, const void *b)
{
    const struct seen *x = a, *y = b;
    int order = strcmp(x->path, y->path);
    return order != 0 ? order : (int)y->goal - (int)x->goal;
}

static enum ia_rc look(const struct ia_watch_opts *o, struct look *ret, struct ia_err *err)
{
    *ret = (struct look){0};
    for (size_t i = 0; i < o->goal_count; i++) {
        look_at(ret, o, o->goals[i], true);
    }
    for (size_t i = 0; i < o->other_count; i++) {
        look_at(ret, o, o->others[i], false);
    }
    if (ret->full) {
        enum ia_rc rc =
            ia_err_set(err, IA_E_LIMIT, "more than %d files to watch", IA_WATCH_FILES_MAX);
        ia_err_hint(err, "watch fewer folders");
        return rc;
    }
    if (ret->count > 0) {
        qsort(ret->files, ret->count, sizeof(*ret->files), by_path);
    }
    return IA_OK;
}

/* ---- comparing --------------------------------------------------------------------------- */

static bool same(const struct seen *a, const struct seen *b)
{
    return a->mtime_ns == b->mtime_ns && a->size == b->size && a->inode == b->inode;
}

/* Notes what is in `now` alone or other than `before`, and whether one of the others is gone. */
static bool compare(struct ia_watch *w)
{
    const struct look *old = &w->before, *new = &w->now;
    w->changed_count = 0;
    w->others = false;
    for (size_t i = 0, k = 0; i < old->count || k < new->count;) {
        int order = i == old->count   ? 1
                    : k == new->count ? -1
                                      : by_path(&old->files[i], &new->files[k]);
        const struct seen *gone = order <= 0 ? &old->files[i++] : NULL;
        const struct seen *here = order >= 0 ? &new->files[k++] : NULL;
        if (!here) {
            w->others = w->others || !gone->goal;
        } else if (!gone || !same(gone, here)) {
            w->others = w->others || !here->goal;
            if (here->goal) {
                w->changed = ia_realloc(w->changed, w->changed_count + 1, sizeof(*w->changed));
                w->changed[w->changed_count++] = here->path;
            }
        }
    }
    return w->others || w->changed_count > 0;
}

static bool equal(const struct look *a, const struct look *b)
{
    bool all = a->count == b->count;
    for (size_t i = 0; i < a->count && all; i++) {
        all = by_path(&a->files[i], &b->files[i]) == 0 && same(&a->files[i], &b->files[i]);
    }
    return all;
}

/* ---- the watch --------------------------------------------------------------------------- */

enum ia_rc ia_watch_new(const struct ia_watch_opts *opts, struct ia_watch **ret,
                        struct ia_err *err)
{
    struct ia_watch *w = ia_calloc(1, sizeof(*w));
    w->opts = opts;
    enum ia_rc rc = look(opts, &w->now, err);
    if (rc != IA_OK) {
        ia_watch_free(w);
        return rc;
    }
    *ret = w;
    return IA_OK;
}

void ia_watch_free(struct ia_watch *w)
{
    if (w) {
        look_fini(&w->now);
        look_fini(&w->before);
        free(w->changed);
        free(w);
    }
}

size_t ia_watch_files(const struct ia_watch *w)
{
    return w->now.count;
}

static enum ia_rc pause_ms(struct ia_cancel *cancel, int ms, struct ia_err *err)
{
    int ready = 0;
    int64_t until = ia_mono_us(ia_clock_system()) + ms * INT64_C(1000);
    enum ia_rc rc = ia_cancel_poll(cancel, NULL, 0, until, &ready);
    return rc == IA_E_TIMEOUT ? IA_OK : ia_err_set(err, rc, "interrupted");
}

/* Looks until two looks in a row are equal; *ret has the last one. */
static enum ia_rc settle(struct ia_watch *w, struct ia_cancel *cancel, struct look *ret,
                         struct ia_err *err)
{
    struct look last = {0};
    enum ia_rc rc = IA_OK;
    do {
        look_fini(&last);
        last = *ret;
        *ret = (struct look){0};
        rc = pause_ms(cancel, QUIET_MS, err);
        rc = rc == IA_OK ? look(w->opts, ret, err) : rc;
    } while (rc == IA_OK && !equal(&last, ret));
    look_fini(&last);
    return rc;
}

/* What was seen last is what the next look is compared with. */
static void turn(struct ia_watch *w)
{
    look_fini(&w->before);
    w->before = w->now;
    w->now = (struct look){0};
}

enum ia_rc ia_watch_wait(struct ia_watch *w, struct ia_cancel *cancel, struct ia_err *err)
{
    bool differs = false;
    turn(w);
    enum ia_rc rc = look(w->opts, &w->now, err); /* it may have changed since */
    while (rc == IA_OK && !differs) {
        if (!equal(&w->before, &w->now)) {
            rc = settle(w, cancel, &w->now, err);
            differs = rc == IA_OK && compare(w);
        }
        if (rc == IA_OK && !differs) {
            turn(w);
            rc = pause_ms(cancel, POLL_MS, err);
        }
        if (rc == IA_OK && !differs) {
            rc = look(w->opts, &w->now, err);
        }
    }
    return rc;
}

const char *const *ia_watch_changed(const struct ia_watch *w, size_t *ret_n, bool *ret_others)
{
    *ret_n = w->changed_count;
    *ret_others = w->others;
    return w->changed;
}
