/* golden.c: finds the recorded streams under tests/data and reads them and their expectations. */
#include "source_dir.h"
#include "test.h"

#include "golden.h"

#include "base/fd.h"

#include <dirent.h>

const size_t golden_chunks[] = {1, 2, 3, 5, 7, 64, 4096, 0};
const size_t golden_chunk_count = IA_COUNTOF(golden_chunks);

static const char *const folders[] = {"sse-edge", "sse-sdk/typescript", "sse-sdk/python",
                                      "http-recorded"};

static bool is_body(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot && (strcmp(dot, ".sse") == 0 || strcmp(dot, ".txt") == 0);
}

static void name_paths(struct golden *g, const char *folder, const char *name)
{
    char flat[64];
    snprintf(flat, sizeof(flat), "%s", folder);
    for (char *p = flat; *p; p++) {
        *p = *p == '/' ? '_' : *p;
    }
    const char *root = IA_TEST_DATA "/claude";
    snprintf(g->body_path, sizeof(g->body_path), "%s/%s/%s", root, folder, name);
    snprintf(g->events_path, sizeof(g->events_path), "%s/golden/%s__%s.events.jsonl", root,
             flat, name);
    snprintf(g->final_path, sizeof(g->final_path), "%s/golden/%s__%s.final.json", root, flat,
             name);
}

size_t golden_list(struct golden **ret)
{
    size_t n = 0;
    *ret = NULL;
    for (size_t i = 0; i < IA_COUNTOF(folders); i++) {
        char path[512];
        snprintf(path, sizeof(path), "%s/claude/%s", IA_TEST_DATA, folders[i]);
        DIR *dir = opendir(path);
        assert_non_null(dir);
        for (struct dirent *e; (e = readdir(dir));) {
            if (is_body(e->d_name)) {
                *ret = ia_realloc(*ret, n + 1, sizeof(**ret));
                name_paths(&(*ret)[n++], folders[i], e->d_name);
            }
        }
        closedir(dir);
    }
    return n;
}

char *golden_read(const char *path, size_t *ret_n)
{
    struct ia_buf b = IA_BUF((size_t)16 << 20);
    struct ia_err err;
    if (ia_file_read(path, &b, &err)) {
        fail_msg("%s", err.msg);
    }
    *ret_n = b.len;
    return b.p ? ia_buf_steal(&b) : ia_strdup("");
}
