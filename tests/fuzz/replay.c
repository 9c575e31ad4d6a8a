/* replay.c: runs a fuzz target over every file of its committed corpus, on any compiler. */
#include "base/buf.h"
#include "base/fd.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FILE_MAX = 16 << 20 };

static int replay_file(const char *path)
{
    struct ia_buf b = IA_BUF(FILE_MAX);
    struct ia_err err;
    if (ia_file_read(path, &b, &err) != IA_OK) {
        fprintf(stderr, "%s\n", err.msg);
        return 1;
    }
    (void)LLVMFuzzerTestOneInput((const uint8_t *)ia_buf_cstr(&b), b.len);
    ia_buf_fini(&b);
    return 0;
}

int main(int argc, char **argv)
{
    DIR *dir = argc > 1 ? opendir(argv[1]) : NULL;
    if (!dir) {
        fprintf(stderr, "usage: %s CORPUS_FOLDER (it must exist)\n", argv[0]);
        return 2;
    }
    int count = 0;
    int failed = 0;
    for (struct dirent *e; (e = readdir(dir));) {
        char path[4096];
        if (e->d_name[0] != '.') {
            snprintf(path, sizeof(path), "%s/%s", argv[1], e->d_name);
            failed |= replay_file(path);
            count++;
        }
    }
    closedir(dir);
    printf("%d inputs replayed\n", count);
    return failed || count == 0;
}
