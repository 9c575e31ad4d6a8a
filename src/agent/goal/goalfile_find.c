/* goalfile_find.c: from the operands of a command line to the goal files they name. */
#include "agent/goal/goalfile_impl.h"

#include "base/paths.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* What was reached, so that nothing is reached twice. */
struct seen {
    dev_t dev;
    ino_t ino;
};

struct finding {
    char **paths;
    size_t count;
    struct seen *seen;
    size_t seen_count;
};

static bool is_new(struct finding *f, const struct stat *st)
{
    for (size_t i = 0; i < f->seen_count; i++) {
        if (f->seen[i].dev == st->st_dev && f->seen[i].ino == st->st_ino) {
            return false;
        }
    }
    f->seen = ia_realloc(f->seen, f->seen_count + 1, sizeof(*f->seen));
    f->seen[f->seen_count++] = (struct seen){st->st_dev, st->st_ino};
    return true;
}

static enum ia_rc cannot(const char *path, struct ia_err *err)
{
    bool missing = errno == ENOENT || errno == ENOTDIR;
    enum ia_rc rc = ia_err_set(err, missing ? IA_E_NOT_FOUND : IA_E_IO, "cannot read %s: %s",
                               path, strerror(errno));
    if (missing) {
        ia_err_hint(err, "name a goal file (TOML) or a folder with such files");
    }
    return rc;
}

static enum ia_rc add_file(struct finding *f, const char *path, struct ia_err *err)
{
    if (f->count == IA_GOALFILES_MAX) {
        return ia_err_set(err, IA_E_USAGE, "there are more than %d goal files",
                          IA_GOALFILES_MAX);
    }
    f->paths = ia_realloc(f->paths, f->count + 1, sizeof(*f->paths));
    f->paths[f->count++] = ia_strdup(path);
    return IA_OK;
}

static bool ends_with(const char *name, const char *end)
{
    size_t n = strlen(name), m = strlen(end);
    return n > m && strcmp(name + n - m, end) == 0;
}

static bool is_goal_file(const char *name)
{
    return ends_with(name, ".toml") && !ends_with(name, IA_RECORDING_SUFFIX) &&
           strcmp(name, "ios-agent.toml") != 0;
}

static enum ia_rc walk(struct finding *f, const char *folder, int depth, struct ia_err *err);

/* An entry of a folder: what is neither a folder nor *.toml is none of ours. */
static enum ia_rc look_at(struct finding *f, const char *path, const char *name, int depth,
                          struct ia_err *err)
{
    struct stat st;
    if (stat(path, &st) != 0) {
        return is_goal_file(name) ? cannot(path, err) : IA_OK;
    }
    bool file = S_ISREG(st.st_mode) && is_goal_file(name);
    if ((!file && !S_ISDIR(st.st_mode)) || !is_new(f, &st)) {
        return IA_OK;
    }
    return file ? add_file(f, path, err) : walk(f, path, depth + 1, err);
}

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The visible names in a folder, in the order of their bytes. */
static enum ia_rc list_folder(const char *folder, char ***ret, size_t *ret_count,
                              struct ia_err *err)
{
    DIR *dir = opendir(folder);
    if (!dir) {
        return cannot(folder, err);
    }
    char **names = NULL;
    size_t count = 0;
    const struct dirent *entry;
    while ((entry = readdir(dir)) != NULL) {
        if (entry->d_name[0] != '.') {
            names = ia_realloc(names, count + 1, sizeof(*names));
            names[count++] = ia_strdup(entry->d_name);
        }
    }
    (void)closedir(dir);
    if (names) {
        qsort(names, count, sizeof(*names), by_bytes);
    }
    *ret = names;
    *ret_count = count;
    return IA_OK;
}

static enum ia_rc walk(struct finding *f, const char *folder, int depth, struct ia_err *err)
{
    if (depth > IA_GOALFILE_DEPTH_MAX || f->seen_count > IA_GOALFILE_FOLDERS_MAX) {
        return ia_err_set(err, IA_E_USAGE, "%s: too many folders, or folders too deep", folder);
    }
    char **names = NULL;
    size_t count = 0;
    enum ia_rc rc = list_folder(folder, &names, &count, err);
    for (size_t i = 0; i < count; i++) {
        if (rc == IA_OK) {
            char *path = ia_path_join(folder, names[i]);
            rc = look_at(f, path, names[i], depth, err);
            free(path);
        }
        free(names[i]);
    }
    free(names);
    return rc;
}

static enum ia_rc take_operand(struct finding *f, const char *path, struct ia_err *err)
{
    struct stat st;
    if (stat(path, &st) != 0) {
        return cannot(path, err);
    }
    if (!is_new(f, &st)) {
        return IA_OK;
    }
    if (S_ISREG(st.st_mode) && ends_with(path, IA_RECORDING_SUFFIX)) {
        enum ia_rc rc = ia_err_set(err, IA_E_USAGE, "%s is a recording, not a goal file", path);
        ia_err_hint(err,
                    "ios-agent replay %.200s does it again; --replay auto takes it beside its "
                    "goal file",
                    path);
        return rc;
    }
    if (S_ISREG(st.st_mode)) {
        return add_file(f, path, err);
    }
    if (!S_ISDIR(st.st_mode)) {
        return ia_err_set(err, IA_E_IO, "%s is neither a file nor a folder", path);
    }
    size_t from = f->count;
    enum ia_rc rc = walk(f, path, 0, err);
    if (f->count > from) {
        qsort(f->paths + from, f->count - from, sizeof(*f->paths), by_bytes);
    } else if (rc == IA_OK) {
        rc = ia_err_set(err, IA_E_USAGE, "there is no goal file in %s", path);
        ia_err_hint(err, "goal files end in .toml; docs/goals.md shows one");
    }
    return rc;
}

enum ia_rc ia_goalfile_find(const char *const *operands, size_t n, char ***ret,
                            size_t *ret_count, struct ia_err *err)
{
    struct finding f = {0};
    enum ia_rc rc = IA_OK;
    for (size_t i = 0; i < n && rc == IA_OK; i++) {
        rc = take_operand(&f, operands[i], err);
    }
    free(f.seen);
    *ret = f.paths;
    *ret_count = f.count;
    return rc;
}
