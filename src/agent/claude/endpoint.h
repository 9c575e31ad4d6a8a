/* endpoint.h: where requests go and which header lines they carry. Internal. */
#ifndef IA_AGENT_CLAUDE_ENDPOINT_H
#define IA_AGENT_CLAUDE_ENDPOINT_H

#include "agent/claude/client.h"

/* Makes BASE/v1/messages of a base URL, which may end in "/" or "/v1". IA_E_CONFIG when it is
 * no plain http or https URL, or when the key would travel in clear (see client.h).
 * *ret_loopback says whether the host is this machine. */
enum ia_rc ia_endpoint_url(const char *base, bool allow_http, char **ret_url,
                           bool *ret_loopback, struct ia_err *err);

/* The header lines of a request in one block of memory that is wiped when it is freed. */
struct ia_header_lines {
    struct ia_buf text;
    size_t at[10]; /* where each line starts */
    size_t count;
};
/* Adds the line made of prefix ("name: ") and value. */
void ia_header_add(struct ia_header_lines *h, const char *prefix, struct ia_str value);
char *ia_header_line(const struct ia_header_lines *h, size_t i);
void ia_header_fini(struct ia_header_lines *h);

/* IA_E_KEY_MISSING for none; IA_E_CONFIG when it cannot be a header's value. */
enum ia_rc ia_secret_check(struct ia_str secret, struct ia_err *err);
/* Replaces every occurrence of the secret in text by "[key]", and its beginning where the text
 * was cut within it; servers may echo what they got. */
void ia_secret_redact(char *text, struct ia_str secret);

#endif
