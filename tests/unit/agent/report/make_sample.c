/* make_sample HOME GOALS STEPS [SHA]…: a sweep for the tests from outside; prints its id. With
 * GOALS 0 a run alone. */
#include "sample.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    struct ia_store *store = NULL;
    struct ia_err err = {0};
    char id[IA_ID_SIZE] = "";
    if (argc < 4) {
        return 2;
    }
    const struct ia_store_opts opts = {.home = argv[1]};
    const struct sample sample = {
        .goals = (int)strtol(argv[2], NULL, 10),
        .steps = (int)strtol(argv[3], NULL, 10),
        .shas = (const char *const *)argv + 4,
        .sha_count = (size_t)argc - 4,
    };
    if (ia_store_open(&opts, &store, &err) != IA_OK) {
        (void)fprintf(stderr, "%s\n", err.msg);
        return 3;
    }
    if (sample.goals > 0) {
        sample_sweep(store, &sample, id);
    } else {
        sample_run(store, &sample, id);
    }
    (void)puts(id);
    ia_store_close(store);
    return 0;
}
