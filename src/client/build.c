/* build.c: the version and the time of the program's file. */
#include "client/build.h"

#include "base/platform.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PATH_CAP = 4096, VERSION_PARTS = 3, PARTS = 5 };

static char id[IA_BUILD_SIZE];

const char *ia_build_version(void)
{
    return IA_VERSION;
}

static void make(void)
{
    char path[PATH_CAP];
    struct stat st;
    uint64_t written_s = 0, bytes = 0;
    if (ia_platform_program(path, sizeof(path)) && stat(path, &st) == 0) {
        written_s = (uint64_t)st.st_mtime;
        bytes = (uint64_t)st.st_size;
    }
    (void)snprintf(id, sizeof(id), "%s-%" PRIx64 "-%" PRIx64, ia_build_version(), written_s,
                   bytes);
}

const char *ia_build_id(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make);
    return id;
}

/* The numbers of the version, then the time and the size. */
static void split(const char *build, uint64_t parts[PARTS])
{
    for (size_t i = 0; i < PARTS; i++) {
        char *end;
        parts[i] = strtoull(build, &end, i < VERSION_PARTS ? 10 : 16);
        build = *end == '.' || *end == '-' ? end + 1 : end;
    }
}

int ia_build_compare(const char *a, const char *b)
{
    uint64_t of_a[PARTS], of_b[PARTS];
    split(a, of_a);
    split(b, of_b);
    for (size_t i = 0; i < IA_COUNTOF(of_a); i++) {
        if (of_a[i] != of_b[i]) {
            return of_a[i] < of_b[i] ? -1 : 1;
        }
    }
    return strcmp(a, b);
}

int ia_build_api(void)
{
#ifdef IA_TEST_HOOKS
    const char *other = getenv("IOS_AGENT_TEST_API");
    if (other) {
        return (int)strtol(other, NULL, 10);
    }
#endif
    return 1;
}
