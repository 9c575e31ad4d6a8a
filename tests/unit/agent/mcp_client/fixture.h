/* fixture.h: a client of an MCP server that is tests/tools/fake_mcp_server.py. */
#ifndef IA_TESTS_UNIT_AGENT_MCP_CLIENT_FIXTURE_H
#define IA_TESTS_UNIT_AGENT_MCP_CLIENT_FIXTURE_H

#include "agent/mcp_client/client.h"

struct world {
    char *dir, *log; /* log: what the server read, a line each */
    int fifo;        /* the server and what it starts hold the other end */
    struct ia_mcp_client *client;
};

/* behaviour: a function of that file, without "b_". */
struct world world_new(const char *behaviour);
/* With more of a server: env, secrets, cwd. */
struct world world_with(const char *behaviour, struct ia_mcp_server server);
/* Ends the server, so that the log is complete. */
void world_close(struct world *w);
void world_free(struct world *w);
/* Waits until the server and everything that it started have ended, or let go of the other end of fifo. */
void await_released(struct world *w);
/* Waits until the server that was started last has ended; it stays to be waited for. */
void await_exit(struct world *w);

/* Within ms milliseconds from now. */
struct ia_limit within(int64_t ms);

/* Calls a tool with {"n":1}. *ret_text: the first text of its result, or "" (borrowed until the next call). */
enum ia_rc call(struct world *w, const char *tool, const char **ret_text, struct ia_err *err);
enum ia_rc call_within(struct world *w, const char *tool, struct ia_limit limit,
                       const char **ret_text, struct ia_err *err);
/* Expects that it goes well, with this text. */
void expect_call(struct world *w, const char *tool, const char *text);
/* Expects a failure with this code, outcome, and part of the message. */
void expect_failure(struct world *w, const char *tool, enum ia_rc rc, enum ia_outcome outcome,
                    const char *part);

/* How many lines of the server's log have that in them. */
int logged(struct world *w, const char *part);

#endif
