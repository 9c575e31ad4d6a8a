/* folder.c: walks folders of skills. Nothing is followed that the hash would not cover. */
#include "agent/skills/folder.h"

#include "agent/skills/builtin.h"
#include "base/fd.h"
#include "base/paths.h"
#include "base/suggest.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PATH_BYTES_MAX = 4096, NEAR_MAX = 128 };

bool ia_skill_name_ok(const char *name)
{
    size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-");
    return n > 0 && n <= IA_SKILL_NAME_MAX && name[n] == '\0' && name[0] >= 'a';
}

/* ---- the hash ---------------------------------------------------------------------------- */

struct walk {
    const char *root;
    char *lines[IA_SKILL_FILES_MAX]; /* "length-of-path path mode sha256" */
    size_t count, bytes;
    struct ia_err *err;
};

static enum ia_rc add_file(struct walk *w, const char *path, const struct stat *st)
{
    struct ia_buf text = IA_BUF(IA_SKILL_BYTES_MAX);
    char hex[IA_SHA256_HEX_SIZE];
    if (w->count == IA_SKILL_FILES_MAX || (uintmax_t)st->st_size > IA_SKILL_BYTES_MAX ||
        (w->bytes += (size_t)st->st_size) > IA_SKILL_BYTES_MAX) {
        return ia_err_set(w->err, IA_E_LIMIT, "%s has more than %d files or %d MB", w->root,
                          IA_SKILL_FILES_MAX, IA_SKILL_BYTES_MAX >> 20);
    }
    enum ia_rc rc = ia_file_read_regular(path, &text, w->err);
    if (rc == IA_OK) {
        struct ia_buf line = IA_BUF(2 * PATH_BYTES_MAX);
        ia_sha256_hex(text.p ? text.p : "", text.len, hex);
        const char *name = path + strlen(w->root);
        /* With its length, no name can stand for a line of another file. */
        ia_buf_printf(&line, "%zu %s %c %s\n", strlen(name), name,
                      st->st_mode & S_IXUSR ? 'x' : '-', hex);
        w->lines[w->count++] = ia_buf_steal(&line);
    }
    ia_buf_fini(&text);
    return rc;
}

static enum ia_rc add_folder(struct walk *w, const char *folder, int depth);

static bool has_control(const char *path)
{
    while (*path && (unsigned char)*path >= ' ' && *path != 0x7f) {
        path++;
    }
    return *path != '\0';
}

static enum ia_rc add_entry(struct walk *w, const char *path, int depth)
{
    struct stat st;
    if (has_control(path)) {
        return ia_err_set(w->err, IA_E_CONFIG,
                          "%s has a file whose name has a control character", w->root);
    }
    if (lstat(path, &st) != 0) {
        return ia_err_set(w->err, IA_E_IO, "cannot read %s: %s", path, strerror(errno));
    }
    if (S_ISREG(st.st_mode)) {
        return add_file(w, path, &st);
    }
    if (S_ISDIR(st.st_mode)) {
        return add_folder(w, path, depth + 1);
    }
    enum ia_rc rc = ia_err_set(w->err, IA_E_CONFIG, "%s is %s", path,
                               S_ISLNK(st.st_mode) ? "a link" : "no file and no folder");
    ia_err_hint(w->err,
                "a skill's folder holds files and folders only, so that what was trusted is "
                "what runs");
    return rc;
}

static enum ia_rc add_folder(struct walk *w, const char *folder, int depth)
{
    DIR *d = depth <= IA_SKILL_DEPTH_MAX ? opendir(folder) : NULL;
    const struct dirent *e;
    enum ia_rc rc = IA_OK;
    if (!d) {
        return depth > IA_SKILL_DEPTH_MAX
                   ? ia_err_set(w->err, IA_E_LIMIT, "%s is deeper than %d folders", folder,
                                IA_SKILL_DEPTH_MAX)
                   : ia_err_set(w->err, errno == ENOENT ? IA_E_NOT_FOUND : IA_E_IO,
                                "cannot read %s: %s", folder, strerror(errno));
    }
    while (rc == IA_OK && (e = readdir(d)) != NULL) {
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0) {
            char *path = ia_path_join(folder, e->d_name);
            rc = add_entry(w, path, depth);
            free(path);
        }
    }
    closedir(d);
    return rc;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

enum ia_rc ia_skill_hash(const char *folder, char ret_hex[IA_SHA256_HEX_SIZE],
                         struct ia_err *err)
{
    struct walk w = {.root = folder, .err = err};
    struct ia_buf all = IA_BUF((size_t)IA_SKILL_FILES_MAX * 2 * PATH_BYTES_MAX);
    enum ia_rc rc = add_folder(&w, folder, 0);
    qsort(w.lines, w.count, sizeof(*w.lines), by_text);
    for (size_t i = 0; i < w.count; i++) {
        ia_buf_puts(&all, w.lines[i]);
        free(w.lines[i]);
    }
    if (rc == IA_OK) {
        ia_sha256_hex(ia_buf_cstr(&all), all.len, ret_hex);
    }
    ia_buf_fini(&all);
    return rc;
}

/* ---- where they are ---------------------------------------------------------------------- */

static bool has_manifest(const char *folder)
{
    struct stat st;
    char *path = ia_path_join(folder, IA_SKILL_MANIFEST);
    bool has = stat(path, &st) == 0 && S_ISREG(st.st_mode);
    free(path);
    return has;
}

/* The folder beside a configuration file; NULL without one. Free it. */
static char *beside(const char *file, const char *name)
{
    const char *slash = file ? strrchr(file, '/') : NULL;
    if (!slash) {
        return NULL;
    }
    char *folder = ia_strndup(file, (size_t)(slash - file) + 1);
    char *path = ia_path_join(folder, name);
    free(folder);
    return path;
}

/* The children of one place, by name. */
static bool each_in(const char *place, bool user, ia_skill_folder_fn *fn, void *ctx)
{
    struct dirent **list = NULL;
    bool more = true;
    int n = place ? scandir(place, &list, NULL, alphasort) : 0;
    for (int i = 0; i < n; i++) {
        char *folder = ia_path_join(place, list[i]->d_name);
        if (more && list[i]->d_name[0] != '.' && has_manifest(folder)) {
            more = fn(ctx, list[i]->d_name, folder, user);
        }
        free(folder);
        free(list[i]);
    }
    free(list);
    return more;
}

void ia_skill_folders(const struct ia_skill_places *places, ia_skill_folder_fn *fn, void *ctx)
{
    char *project = beside(places->project_config, IA_SKILLS_IN_PROJECT);
    char *user = beside(places->user_config, IA_SKILLS_IN_USER);
    if (each_in(project, false, fn, ctx)) {
        (void)each_in(user, true, fn, ctx);
    }
    free(project);
    free(user);
}

bool ia_skill_users_own(const char *user_config, const char *folder)
{
    char *skills = beside(user_config, IA_SKILLS_IN_USER);
    bool own = skills && ia_path_inside(skills, folder);
    free(skills);
    return own;
}

struct search {
    const char *name;
    struct ia_buf *folder;
    char *names[NEAR_MAX];
    size_t count;
};

static bool match(void *ctx, const char *name, const char *folder, bool user)
{
    struct search *s = ctx;
    (void)user;
    if (strcmp(name, s->name) == 0) {
        ia_buf_puts(s->folder, folder);
        return false;
    }
    if (s->count < NEAR_MAX) {
        s->names[s->count++] = ia_strdup(name);
    }
    return true;
}

static enum ia_rc not_found(struct search *s, struct ia_err *err)
{
    for (size_t i = 0; ia_builtin_skills[i] && s->count < NEAR_MAX; i++) {
        s->names[s->count++] = ia_strdup(ia_builtin_skills[i]->name);
    }
    const char *near = ia_nearest(ia_str(s->name), (const char *const *)s->names, s->count);
    enum ia_rc rc = ia_err_set(err, IA_E_CONFIG, "there is no skill %.200s", s->name);
    ia_err_hint(
        err, near ? "did you mean %s?" : "ios-agent skills list shows those that there are%s",
        near ? near : "");
    return rc;
}

enum ia_rc ia_skill_find(const struct ia_skill_places *places, const char *name,
                         struct ia_buf *ret_folder, struct ia_err *err)
{
    struct search s = {.name = name, .folder = ret_folder};
    size_t before = ret_folder->len;
    if (ia_builtin_skill(name)) {
        return IA_OK;
    }
    if (name[0] == '/' && has_manifest(name)) {
        ia_buf_puts(ret_folder, name);
        return IA_OK;
    }
    ia_skill_folders(places, match, &s);
    enum ia_rc rc = ret_folder->len > before ? IA_OK : not_found(&s, err);
    for (size_t i = 0; i < s.count; i++) {
        free(s.names[i]);
    }
    return rc;
}
