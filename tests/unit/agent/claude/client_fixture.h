/* client_fixture.h: a client of a scripted server (server.h), on a clock that does not make tests
 * wait, and the answers that the server gives. */
#ifndef IA_TEST_CLIENT_FIXTURE_H
#define IA_TEST_CLIENT_FIXTURE_H

#include "test.h"

#include "server.h"

#include "agent/claude/client.h"

#define SSE "content-type: text/event-stream; charset=utf-8\r\nrequest-id: req_7\r\n"
#define JSON "content-type: application/json\r\nrequest-id: req_8\r\n"
#define EV(name, rest) "event: " name "\ndata: {\"type\":\"" name "\"" rest "}\n\n"
#define START                                                                                  \
    EV("message_start",                                                                        \
       ",\"message\":{\"id\":\"m1\",\"type\":\"message\",\"role\":\"assistant\",\"content\":[" \
       "],"                                                                                    \
       "\"model\":\"claude-sonnet-5-5\",\"stop_reason\":null,\"usage\":{\"input_tokens\":100," \
       "\"cache_read_input_tokens\":20,\"output_tokens\":1}}")                                 \
    EV("content_block_start",                                                                  \
       ",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}")                     \
    EV("content_block_delta",                                                                  \
       ",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"Hel\"}")
#define REST                                                                                   \
    EV("content_block_delta",                                                                  \
       ",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"lo\"}")                     \
    EV("content_block_stop", ",\"index\":0")                                                   \
    EV("message_delta",                                                                        \
       ",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":1000}")         \
    EV("message_stop", "")
#define HELLO START REST
#define ERROR(type, message)                                                                   \
    "{\"type\":\"error\",\"error\":{\"type\":\"" type "\",\"message\":\"" message "\"}}"
#define OK_STEP                                                                                \
    {                                                                                          \
        .status = 200, .headers = SSE, .body = HELLO                                           \
    }

extern const char client_key[];

struct client_fixture {
    struct server *server;
    struct ia_vclock *clock;
    struct ia_claude *claude;
    struct ia_claude_conn *conn;
    struct ia_history *history;
    struct ia_claude_request req;
    struct ia_claude_reply reply;
    struct ia_claude_broken broken;
    struct ia_claude_hooks hooks;
    struct ia_err err;
    struct ia_buf text;
    int notices;
    struct ia_claude_retry_notice last;
};

/* Lends ctx as the secret. */
struct ia_str client_lend(void *ctx);
/* The options of a client of the fixture's server. */
struct ia_claude_options client_options(const struct client_fixture *f);
/* Makes client and connection; fails the test when that fails. */
void client_connect(struct client_fixture *f, const struct ia_claude_options *opt);
/* A server with these steps, a history of one user message, and no client yet. */
void client_start(struct client_fixture *f, const struct server_step *steps);
/* The same with a client of the default options. */
void client_start_connected(struct client_fixture *f, const struct server_step *steps);
enum ia_rc client_send_until(struct client_fixture *f, struct ia_cancel *cancel,
                             int64_t deadline_us);
enum ia_rc client_send(struct client_fixture *f);
/* Sends; fails the test unless the answer is "Hello". */
void client_must_send(struct client_fixture *f);
/* Frees everything; every step of the server must have been asked for, or only some. */
void client_finish(struct client_fixture *f);
void client_finish_some(struct client_fixture *f);

/* Setup and teardown of a group: the log of all its tests goes to one file. */
int client_open_log(void **state);
int client_close_log(void **state);
/* A test for the end of a group that sent a request and retried one. */
void the_log_names_requests_and_never_the_key(void **state);

#endif
