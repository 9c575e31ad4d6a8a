/* client_fixture.c: opens the server and a client of it, sends one call, and frees both again. */
#include "client_fixture.h"

#include "base/fd.h"
#include "base/log.h"

#include <unistd.h>

const char client_key[] = "sk-ant-test-0123456789";

struct ia_str client_lend(void *ctx)
{
    return ia_str(ctx);
}

static void take_text(void *ctx, struct ia_str text)
{
    ia_buf_putstr(&((struct client_fixture *)ctx)->text, text);
}

static void take_notice(void *ctx, const struct ia_claude_retry_notice *n)
{
    struct client_fixture *f = ctx;
    f->notices++;
    f->last = *n;
}

struct ia_claude_options client_options(const struct client_fixture *f)
{
    return (struct ia_claude_options){
        .base_url = server_url(f->server),
        .secret = {.borrow = client_lend, .ctx = (void *)client_key},
        .clock = ia_vclock_clock(f->clock),
    };
}

void client_connect(struct client_fixture *f, const struct ia_claude_options *opt)
{
    if (ia_claude_new(opt, &f->claude, &f->err) ||
        ia_claude_conn_new(f->claude, &f->conn, &f->err)) {
        fail_msg("%s", f->err.msg);
    }
}

void client_start(struct client_fixture *f, const struct server_step *steps)
{
    *f = (struct client_fixture){.server = server_start(steps),
                                 .clock = ia_vclock_new(INT64_C(1800000000000)),
                                 .history = ia_history_new(NULL),
                                 .text = IA_BUF(65536)};
    f->reply = (struct ia_claude_reply){.message = {.usage = ia_claude_usage_none()}};
    f->hooks = (struct ia_claude_hooks){.text = take_text, .retry = take_notice, .ctx = f};
    f->req = (struct ia_claude_request){
        .model = "claude-sonnet-5-5", .max_tokens = 64, .history = f->history};
    assert_int_equal(ia_history_append(f->history, IA_MESSAGE_USER,
                                       ia_str("[{\"type\":\"text\",\"text\":\"hi\"}]"), NULL,
                                       &f->err),
                     IA_OK);
}

void client_start_connected(struct client_fixture *f, const struct server_step *steps)
{
    client_start(f, steps);
    struct ia_claude_options opt = client_options(f);
    client_connect(f, &opt);
}

enum ia_rc client_send_until(struct client_fixture *f, struct ia_cancel *cancel,
                             int64_t deadline_us)
{
    ia_claude_reply_fini(&f->reply);
    enum ia_rc rc =
        ia_claude_send(f->conn, &f->req, &f->hooks, cancel, deadline_us, &f->reply, &f->err);
    f->broken = ia_claude_conn_broken(f->conn);
    return rc;
}

enum ia_rc client_send(struct client_fixture *f)
{
    return client_send_until(f, NULL, IA_NO_DEADLINE);
}

static void close_fixture(struct client_fixture *f, bool all_asked)
{
    ia_claude_reply_fini(&f->reply);
    ia_claude_conn_free(f->conn);
    ia_claude_free(f->claude);
    ia_history_free(f->history);
    server_stop(f->server, all_asked);
    ia_vclock_free(f->clock);
    ia_buf_fini(&f->text);
}

void client_finish(struct client_fixture *f)
{
    close_fixture(f, true);
}

void client_finish_some(struct client_fixture *f)
{
    close_fixture(f, false);
}

void client_must_send(struct client_fixture *f)
{
    if (client_send(f)) {
        fail_msg("%s", f->err.msg);
    }
    assert_string_equal(f->reply.message.blocks[0].text, "Hello");
}

static char log_path[] = "/tmp/ia-log-XXXXXX";

int client_open_log(void **state)
{
    (void)state;
    close(mkstemp(log_path));
    return ia_log_open(log_path, IA_LOG_DEBUG, NULL) ? -1 : 0;
}

void the_log_names_requests_and_never_the_key(void **state)
{
    (void)state;
    struct ia_buf b = IA_BUF((size_t)1 << 20);
    struct ia_err err;
    assert_int_equal(ia_file_read(log_path, &b, &err), IA_OK);
    assert_non_null(strstr(b.p, "req_7"));
    assert_non_null(strstr(b.p, "api.retry"));
    assert_null(strstr(b.p, client_key));
    ia_buf_fini(&b);
}

int client_close_log(void **state)
{
    (void)state;
    ia_log_close();
    return unlink(log_path);
}
