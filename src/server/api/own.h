/* own.h: this program's own commands as processes of their own (private to api/): what is a process
 * for everybody, a sweep or doctor, is one here as well. */
#ifndef IA_SERVER_API_OWN_H
#define IA_SERVER_API_OWN_H

#include "base/spawn.h"
#include "server/api/call.h"

/* A command line and its environment: what a daemon has of its caller's, and the home that it serves. */
struct ia_own {
    char *argv[IA_ARGS_MAX + 8];
    char *env[8];
    char *cwd; /* NULL: this process's */
    size_t argc;
};
/* IA_E_UNSUPPORTED where the program's file is not known. End with ia_own_fini, whatever this returns. */
enum ia_rc ia_own_init(struct ia_own *o, const struct ia_api_call *call, const char *command,
                       struct ia_err *err);
void ia_own_fini(struct ia_own *o);
void ia_own_add(struct ia_own *o, const char *fmt, ...) IA_PRINTF(2, 3);
/* The program to run: borrows from o. */
struct ia_spawn ia_own_spawn(const struct ia_own *o);
/* Answers with the envelope that a command with --json printed; its error becomes the call's. */
enum ia_rc ia_own_answer(struct ia_api_call *call, const struct ia_spawn_result *r,
                         struct ia_err *err);

#endif
