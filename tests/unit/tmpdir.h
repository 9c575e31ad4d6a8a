/* tmpdir.h: a folder of its own for a test, and files in it. */
#ifndef IA_TESTS_UNIT_TMPDIR_H
#define IA_TESTS_UNIT_TMPDIR_H

#include "base/fd.h"
#include "base/paths.h"

#include "test.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

/* A new empty folder. Freed and removed with tmpdir_free. */
static inline char *tmpdir_new(void)
{
    const char *parent = getenv("TMPDIR");
    char *dir = ia_path_join(parent && *parent ? parent : "/tmp", "ia-test-XXXXXX");
    assert_non_null(mkdtemp(dir));
    return dir;
}

static inline void tmpdir_remove(const char *path)
{
    struct stat st;
    if (lstat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
        (void)chmod(path, 0700);
        DIR *d = opendir(path);
        for (struct dirent *e; d && (e = readdir(d));) {
            if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0) {
                char *child = ia_path_join(path, e->d_name);
                tmpdir_remove(child);
                free(child);
            }
        }
        if (d) {
            closedir(d);
        }
    }
    (void)remove(path);
}

static inline void tmpdir_free(char *dir)
{
    tmpdir_remove(dir);
    free(dir);
}

/* Writes dir/name and returns its path in new memory. */
static inline char *tmpdir_file(const char *dir, const char *name, const char *text)
{
    char *path = ia_path_join(dir, name);
    struct ia_err err = {0};
    assert_int_equal(ia_file_write_atomic(path, text, strlen(text), 0600, &err), IA_OK);
    return path;
}

#endif
