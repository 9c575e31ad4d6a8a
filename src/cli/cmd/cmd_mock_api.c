/* mock-api: the strict double of the Messages API, served until a signal comes. */
#include "base/fd.h"
#include "cli/cmd/cmd.h"
#include "cli/sys/interrupt.h"
#include "mock/server/mock.h"

#include <string.h>
#include <unistd.h>

enum { SCRIPT_BYTES_MAX = 4 << 20 };

/* Prints the address at once: the process that started it waits for this line. */
static enum ia_rc announce(struct ia_cli *c, int port, struct ia_err *err)
{
    struct ia_buf url = IA_BUF(64);
    ia_buf_printf(&url, "http://127.0.0.1:%d", port);
    ia_buf_printf(&c->text, "%s\n", ia_buf_cstr(&url));
    ia_jsonw_object(&c->w);
    ia_jsonw_kv(&c->w, "url", ia_buf_cstr(&url));
    ia_jsonw_kv_int(&c->w, "port", port);
    ia_jsonw_end_object(&c->w);
    ia_buf_fini(&url);
    return ia_cli_announce(c, err);
}

static enum ia_rc serve(struct ia_cli *c, struct ia_mock *mock, struct ia_err *err)
{
    int ready = 0;
    struct ia_cancel *cancel = ia_cancel_new(err);
    if (!cancel) {
        return err->code;
    }
    ia_interrupt_install(cancel, -1);
    enum ia_rc rc = announce(c, ia_mock_port(mock), err);
    if (rc == IA_OK) {
        (void)ia_cancel_poll(cancel, NULL, 0, IA_NO_DEADLINE, &ready);
    }
    ia_interrupt_remove();
    ia_cancel_free(cancel);
    return rc;
}

/* The statistics on stderr: one JSON line. */
static void put_stats(struct ia_mock *mock)
{
    struct ia_buf stats = IA_BUF(1 << 20);
    struct ia_jsonw w;
    ia_jsonw_init(&w, &stats);
    ia_mock_stats_json(mock, &w);
    ia_buf_putc(&stats, '\n');
    (void)ia_write_all(STDERR_FILENO, stats.p, stats.len);
    ia_buf_fini(&stats);
}

static enum ia_rc read_script(struct ia_cli *c, struct ia_buf *script, struct ia_err *err)
{
    const char *path = ia_args_text(&c->args, "script");
    const char *responder = ia_args_text(&c->args, "brain");
    if (path && responder) {
        return ia_err_set(err, IA_E_USAGE, "--script and --brain cannot be used together");
    }
    return path ? ia_file_read(path, script, err) : IA_OK;
}

enum ia_rc ia_cmd_mock_api(struct ia_cli *c, struct ia_err *err)
{
    struct ia_mock *mock = NULL;
    struct ia_buf script = IA_BUF(SCRIPT_BYTES_MAX);
    enum ia_rc rc = read_script(c, &script, err);
    if (rc == IA_OK) {
        struct ia_mock_options opt = {
            .port = (int)ia_args_int(&c->args, "port", 0),
            .brain = ia_args_has(&c->args, "script") ? IA_MOCK_SCRIPT : IA_MOCK_DEMO,
            .script = ia_args_has(&c->args, "script") ? ia_buf_cstr(&script) : NULL,
            .faults = ia_args_text(&c->args, "fault"),
            .seed = (uint64_t)ia_args_int(&c->args, "seed", 0),
            .latency_ms = (int)ia_args_int(&c->args, "latency-ms", 0),
            .pace_ms = (int)ia_args_int(&c->args, "pace-ms", 0),
        };
        rc = ia_mock_start(&opt, &mock, err);
    }
    if (rc == IA_OK) {
        rc = serve(c, mock, err);
        put_stats(mock);
    }
    ia_mock_stop(mock);
    ia_buf_fini(&script);
    return rc;
}
