#include "fixture.h"

#include "source_dir.h"
#include "tmpdir.h"

#include "base/clock.h"
#include "json/json.h"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/wait.h>

enum { PATIENCE_MS = 20000, LOG_MAX = 1 << 20, TEXT_MAX = 8 << 20 };

struct world world_with(const char *behaviour, struct ia_mcp_server server)
{
    struct world w = {.dir = tmpdir_new()};
    w.log = ia_path_join(w.dir, "log");
    char *fifo = ia_path_join(w.dir, "log.fifo");
    assert_int_equal(mkfifo(fifo, 0600), 0);
    w.fifo = open(fifo, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    free(fifo);
    const char *python = getenv("IA_TEST_PYTHON");
    const char *argv[] = {python ? python : "python3",
                          "-B",
                          IA_SOURCE_DIR "/tests/tools/fake_mcp_server.py",
                          behaviour,
                          w.log,
                          NULL};
    server.name = "fake";
    server.argv = argv;
    server.version = "9.9";
    w.client = ia_mcp_client_new(&server);
    return w;
}

struct world world_new(const char *behaviour)
{
    return world_with(behaviour, (struct ia_mcp_server){0});
}

void world_close(struct world *w)
{
    ia_mcp_client_free(w->client);
    w->client = NULL;
}

void await_released(struct world *w)
{
    struct pollfd fifo = {.fd = w->fifo};
    assert_int_equal(poll(&fifo, 1, PATIENCE_MS), 1);
    assert_true(fifo.revents & POLLHUP);
}

void world_free(struct world *w)
{
    world_close(w);
    close(w->fifo);
    free(w->log);
    tmpdir_free(w->dir);
}

struct ia_limit within(int64_t ms)
{
    return (struct ia_limit){NULL, ia_mono_us(ia_clock_system()) + ms * 1000};
}

enum ia_rc call_within(struct world *w, const char *tool, struct ia_limit limit,
                       const char **ret_text, struct ia_err *err)
{
    static char *text;
    json_t *args = json_pack("{s:i}", "n", 1);
    json_t *result = NULL;
    enum ia_rc rc = ia_mcp_client_call(w->client, tool, args, &limit, &result, err);
    json_decref(args);
    free(text);
    text =
        ia_strdup(ia_json_text(json_array_get(json_object_get(result, "content"), 0), "text"));
    json_decref(result);
    if (ret_text) {
        *ret_text = text;
    }
    return rc;
}

enum ia_rc call(struct world *w, const char *tool, const char **ret_text, struct ia_err *err)
{
    return call_within(w, tool, within(PATIENCE_MS), ret_text, err);
}

void expect_call(struct world *w, const char *tool, const char *text)
{
    const char *got;
    struct ia_err err;
    if (call(w, tool, &got, &err) != IA_OK) {
        fail_msg("%s", err.msg);
    }
    assert_string_equal(got, text);
}

void expect_failure(struct world *w, const char *tool, enum ia_rc rc, enum ia_outcome outcome,
                    const char *part)
{
    struct ia_err err = {0};
    enum ia_rc got = call(w, tool, NULL, &err);
    if (got != rc || err.code != rc || err.outcome != outcome || !strstr(err.msg, part)) {
        fail_msg("%s %s: %s", ia_rc_name(got), ia_outcome_name(err.outcome), err.msg);
    }
}

void await_exit(struct world *w)
{
    struct ia_buf log = IA_BUF(LOG_MAX);
    siginfo_t info;
    long pid = 0;
    assert_int_equal(ia_file_read(w->log, &log, NULL), IA_OK);
    for (const char *at = ia_buf_cstr(&log); (at = strstr(at, "start ")); at++) {
        pid = strtol(at + strlen("start "), NULL, 10);
    }
    ia_buf_fini(&log);
    assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
}

int logged(struct world *w, const char *part)
{
    struct ia_buf log = IA_BUF(LOG_MAX);
    struct ia_str line;
    int n = 0;
    assert_int_equal(ia_file_read(w->log, &log, NULL), IA_OK);
    for (struct ia_str rest = ia_buf_str(&log); ia_str_line(&rest, &line);) {
        n += ia_str_find(line, part) != NULL;
    }
    ia_buf_fini(&log);
    return n;
}
