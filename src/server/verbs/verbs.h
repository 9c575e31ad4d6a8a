/* verbs.h: what a person, a coding agent or a page can do with a device: one table for the command
 * line, MCP and the control API.
 *
 * A verb takes named values (opt/opt.h): words of a command line, members of a JSON object, or the
 * arguments of an MCP tool, all read into a struct ia_args by the verb's own table. It says what
 * happened as text (for people and models) and as one JSON value (for programs). Verbs of one device
 * run one at a time, in order of arrival. */
#ifndef IA_SERVER_VERBS_VERBS_H
#define IA_SERVER_VERBS_VERBS_H

#include "base/buf.h"
#include "base/err.h"
#include "driver/device.h"
#include "opt/opt.h"
#include "server/hub/hub.h"

#include <jansson.h>

enum ia_verb_flags {
    IA_VERB_READS = 0,
    IA_VERB_ACTS = 1,      /* may change the device */
    IA_VERB_TELLS = 2,     /* succeeds or fails by what holds (is, wait-for) */
    IA_VERB_NO_DEVICE = 4, /* names none: devices */
};

struct ia_verb_call;
struct ia_verb_result {
    struct ia_buf text;   /* for people; also what a model reads */
    struct ia_buf result; /* one JSON value; empty is null */
    struct ia_buf file;   /* bytes for the path that the caller named (screenshot, record) */
    struct ia_buf image;  /* a PNG in points that belongs to the text */
    bool fence; /* text holds what the screen says: whoever gives it to a model fences it */
};
void ia_verb_result_init(struct ia_verb_result *r);
void ia_verb_result_fini(struct ia_verb_result *r);

typedef enum ia_rc ia_verb_fn(struct ia_verb_call *call, struct ia_verb_result *ret,
                              struct ia_err *err);

struct ia_verb {
    const char *name;     /* "long-press"; two words for "sim create" */
    const char *operands; /* as the help shows them */
    const struct ia_opt *opts;
    unsigned flags;
    ia_verb_fn *run;
    const char *summary; /* one line */
    const char *details; /* NULL: none */
};
/* Ended by a NULL name. */
extern const struct ia_verb ia_verbs[];
const struct ia_verb *ia_verb_find(const char *name); /* NULL: there is none */

/* Who asks and from where: nothing of it outlives the call. */
struct ia_verb_request {
    const struct ia_verb *verb;
    const struct ia_args *args;
    const char *actor;   /* "cli", "mcp", "http", "dashboard" */
    const char *cwd;     /* of the caller: its project's configuration; NULL: none */
    const char *device;  /* of the caller's environment; NULL: the configuration decides */
    const char *session; /* named session (hub.h); NULL or "": none */
    struct ia_deadline deadline;
};
/* Takes the lane, does it, gives the lane back. Any thread. On failure *ret has what is known: the
 * present screen, candidates. */
enum ia_rc ia_verb_run(struct ia_hub *hub, const struct ia_verb_request *request,
                       struct ia_verb_result *ret, struct ia_err *err);

/* Reads a JSON object into arguments: a member for each option, with "_" or "-" in its name; numbers,
 * booleans and arrays for those that repeat. Texts are copied; free with ia_verb_args_fini.
 * IA_E_USAGE for what the table has not, with the nearest name. */
enum ia_rc ia_verb_args_read(const struct ia_opt *opts, const json_t *object,
                             struct ia_args *ret, struct ia_err *err);
void ia_verb_args_fini(struct ia_args *args);

#endif
