/* request_fixture.h: histories and the bodies that are made of them. They fail the test where something is refused. */
#ifndef IA_TESTS_UNIT_CLAUDE_REQUEST_FIXTURE_H
#define IA_TESTS_UNIT_CLAUDE_REQUEST_FIXTURE_H

#include "test.h"

#include "agent/claude/request.h"

#define CC ",\"cache_control\":{\"type\":\"ephemeral\"}"
#define HEAD "{\"model\":\"claude-x\",\"max_tokens\":100,\"stream\":true"

extern const struct ia_claude_repairs no_repairs;

struct ia_claude_request request(struct ia_history *h);
void append(struct ia_history *h, enum ia_message_role role, const char *blocks);
/* The body, which is JSON and the same however it is read. Free it. */
char *body_of(const struct ia_claude_request *req, const struct ia_claude_repairs *rep);
void check_body(const struct ia_claude_request *req, const struct ia_claude_repairs *rep,
                const char *want);
/* How often the text has that. */
int count(const char *text, const char *what);

#endif
