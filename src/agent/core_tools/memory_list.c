/* memory_list.c: folders are read through descriptors; a name is opened only where it is what fstatat said. */
#include "agent/core_tools/memory_list.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Files and folders; somebody else may have put more there than the caps of the tool allow. */
enum { ENTRIES_MAX = 2000, REMOVE_DEPTH_MAX = 64 };

struct names {
    char **items;
    size_t count;
};

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* All names but hidden ones, sorted. The descriptor stays the caller's. */
static bool read_names(int folder, bool hidden, struct names *ret)
{
    *ret = (struct names){.count = 0};
    int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = copy >= 0 ? fdopendir(copy) : NULL;
    if (!dir) {
        if (copy >= 0) {
            (void)close(copy);
        }
        return false;
    }
    const struct dirent *e;
    while (ret->count <= ENTRIES_MAX && (e = readdir(dir)) != NULL) {
        bool self = strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0;
        if (!self && (hidden || e->d_name[0] != '.')) {
            ret->items = ia_realloc(ret->items, ret->count + 1, sizeof(*ret->items));
            ret->items[ret->count++] = ia_strdup(e->d_name);
        }
    }
    (void)closedir(dir);
    if (ret->count > 1) {
        qsort(ret->items, ret->count, sizeof(*ret->items), by_name);
    }
    return true;
}

static void names_fini(struct names *n)
{
    for (size_t i = 0; i < n->count; i++) {
        free(n->items[i]);
    }
    free(n->items);
}

struct scan {
    struct ia_memory_list *list;
    int depth_max;
    struct ia_err *err;
};

static enum ia_rc scan_folder(struct scan *s, int folder, const char *prefix, int depth,
                              int64_t *ret_bytes);

static size_t add(struct scan *s, const char *prefix, const char *name, int depth, bool folder)
{
    struct ia_memory_list *l = s->list;
    struct ia_buf path = IA_BUF(strlen(prefix) + strlen(name) + 2);
    ia_buf_printf(&path, "%s%s%s", prefix, *prefix ? "/" : "", name);
    l->items = ia_realloc(l->items, l->count + 1, sizeof(*l->items));
    l->items[l->count] =
        (struct ia_memory_entry){.path = ia_buf_steal(&path), .depth = depth, .folder = folder};
    return l->count++;
}

static enum ia_rc scan_inner(struct scan *s, int folder, const char *prefix, const char *name,
                             int depth, int64_t *ret_bytes)
{
    int inner = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    size_t at = add(s, prefix, name, depth, true);
    int64_t bytes = 0;
    enum ia_rc rc = IA_OK;
    if (inner >= 0) {
        rc = scan_folder(s, inner, s->list->items[at].path, depth + 1, &bytes);
    }
    s->list->items[at].size_bytes = bytes;
    *ret_bytes += bytes;
    if (at + 1 == s->list->count) { /* nothing is in it */
        free(s->list->items[--s->list->count].path);
    }
    return rc;
}

static enum ia_rc scan_name(struct scan *s, int folder, const char *prefix, const char *name,
                            int depth, int64_t *ret_bytes)
{
    struct stat st;
    char path[sizeof(IA_MEMORY_ROOT) + NAME_MAX + 2];
    struct ia_memory_path known;
    (void)snprintf(path, sizeof(path), IA_MEMORY_ROOT "/%s", name);
    if (ia_memory_path_read(path, &known, NULL) != IA_OK ||
        fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) != 0) {
        return IA_OK;
    }
    if (s->list->count == ENTRIES_MAX) {
        return ia_err_set(s->err, IA_E_LIMIT, "the memory has more than %d entries",
                          ENTRIES_MAX);
    }
    if (S_ISDIR(st.st_mode)) {
        return depth < s->depth_max ? scan_inner(s, folder, prefix, name, depth, ret_bytes)
                                    : IA_OK;
    }
    if (S_ISREG(st.st_mode) && st.st_nlink == 1) {
        size_t at = add(s, prefix, name, depth, false);
        s->list->items[at].size_bytes = st.st_size;
        *ret_bytes += st.st_size;
    }
    return IA_OK;
}

static enum ia_rc scan_folder(struct scan *s, int folder, const char *prefix, int depth,
                              int64_t *ret_bytes)
{
    struct names names;
    char *own = ia_strdup(prefix); /* the list grows, and moves */
    enum ia_rc rc = read_names(folder, false, &names)
                        ? IA_OK
                        : ia_err_set(s->err, IA_E_IO, "a folder of the memory cannot be read");
    for (size_t i = 0; rc == IA_OK && i < names.count; i++) {
        rc = scan_name(s, folder, own, names.items[i], depth, ret_bytes);
    }
    names_fini(&names);
    free(own);
    (void)close(folder);
    return rc;
}

enum ia_rc ia_memory_scan(int folder, int depth_max, struct ia_memory_list *ret,
                          struct ia_err *err)
{
    struct scan s = {.list = ret, .depth_max = depth_max, .err = err};
    int64_t bytes = 0;
    return scan_folder(&s, folder, "", 1, &bytes);
}

void ia_memory_list_fini(struct ia_memory_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->items[i].path);
    }
    free(list->items);
    *list = (struct ia_memory_list){.count = 0};
}

static void remove_below(int at, const char *name, int depth)
{
    int folder = depth < REMOVE_DEPTH_MAX
                     ? openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
                     : -1;
    struct names names;
    if (folder < 0) {
        (void)unlinkat(at, name, 0);
        return;
    }
    if (read_names(folder, true, &names)) {
        for (size_t i = 0; i < names.count; i++) {
            remove_below(folder, names.items[i], depth + 1);
        }
    }
    names_fini(&names);
    (void)close(folder);
    (void)unlinkat(at, name, AT_REMOVEDIR);
}

void ia_memory_remove_tree(int at, const char *name)
{
    remove_below(at, name, 0);
}
