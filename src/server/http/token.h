/* token.h: the token of scripts and of MCP clients over HTTP: the file daemon.token in the home.
 *
 * 32 random bytes as 64 hexadecimal digits and a newline, mode 0600. One that others may read is
 * refused, as the key's file is. */
#ifndef IA_SERVER_HTTP_TOKEN_H
#define IA_SERVER_HTTP_TOKEN_H

#include "base/err.h"
#include "server/http/access.h"

/* The file's path in new memory. */
char *ia_token_path(const char *home) IA_MUST_USE;
/* IA_E_NOT_FOUND, IA_E_KEY_FILE_MODE when it is wider than 0600, not ours or no plain file,
 * IA_E_PARSE when it holds something else. */
enum ia_rc ia_token_read(const char *path, char ret_token[IA_ACCESS_TOKEN_SIZE],
                         struct ia_err *err);
/* Writes a new one, whatever is there, making the folder; a running server takes it with its next request. */
enum ia_rc ia_token_write(const char *path, char ret_token[IA_ACCESS_TOKEN_SIZE],
                          struct ia_err *err);
/* Random bytes as digits; size is even digits and a NUL. */
void ia_token_random(char *dst, size_t size);

#endif
