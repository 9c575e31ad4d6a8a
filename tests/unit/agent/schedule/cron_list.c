/* cron_list EXPRESSION ZONE FROM_MS TO_MS: the fires in (FROM, TO], a line each. */
#include "agent/schedule/cron.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    struct ia_cron cron;
    struct ia_zone *zone = NULL;
    struct ia_err err = {0};
    if (argc != 5 || ia_cron_parse(argv[1], &cron, &err) != IA_OK ||
        ia_zone_open(argv[2], &zone, &err) != IA_OK) {
        (void)fprintf(stderr, "%s\n", err.msg);
        return 2;
    }
    int64_t at = strtoll(argv[3], NULL, 10), to = strtoll(argv[4], NULL, 10);
    while ((at = ia_cron_next(&cron, zone, at)) != 0 && at <= to) {
        (void)printf("%" PRId64 "\n", at);
    }
    ia_zone_free(zone);
    return 0;
}
