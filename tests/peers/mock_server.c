/* mock_server.c: the Messages API double as a program of its own, for clients in other
 * languages.
 *
 *     mock_server [SCRIPT.json] [FAULTS]
 *
 * Prints "port N" on one line, serves until stdin ends, then prints its counters as JSON. */
#include "agent/mock/mock.h"
#include "base/fd.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { SCRIPT_MAX = 4 << 20, STATS_MAX = 1 << 16 };

static int fail(const struct ia_err *err)
{
    fprintf(stderr, "mock_server: %s\n", err->msg);
    return 1;
}

static void serve_until_eof(struct ia_mock *m)
{
    char c;
    printf("port %d\n", ia_mock_port(m));
    fflush(stdout);
    while (read(STDIN_FILENO, &c, 1) > 0) {
    }
    struct ia_buf b = IA_BUF(STATS_MAX);
    struct ia_jsonw w;
    ia_jsonw_init(&w, &b);
    ia_mock_stats_json(m, &w);
    printf("%s\n", ia_buf_cstr(&b));
    ia_buf_fini(&b);
}

int main(int argc, char **argv)
{
    struct ia_buf script = IA_BUF(SCRIPT_MAX);
    struct ia_mock_options opt = {.seed = 1};
    struct ia_mock *m;
    struct ia_err err;
    if (argc > 1 && strcmp(argv[1], "demo") != 0) {
        if (ia_file_read(argv[1], &script, &err) != IA_OK) {
            return fail(&err);
        }
        opt.brain = IA_MOCK_SCRIPT;
        opt.script = ia_buf_cstr(&script);
    }
    opt.faults = argc > 2 ? argv[2] : NULL;
    if (ia_mock_start(&opt, &m, &err) != IA_OK) {
        ia_buf_fini(&script);
        return fail(&err);
    }
    serve_until_eof(m);
    ia_mock_stop(m);
    ia_buf_fini(&script);
    return 0;
}
