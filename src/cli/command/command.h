/* command.h: a command, what it gets, and where its output goes.
 *
 * A command writes for people into `text` and for programs into `result`, and returns a code;
 * main prints. stdout is data, stderr is talk. With --json stdout is exactly one envelope:
 *
 *   {"status":"ok"|"error","stdout":TEXT,"result":VALUE|null,
 *    "error":null|{"code","message","hint","outcome","retry_safe"}}
 *
 * Only `run --events` and `mock-api`, whose output comes bit by bit, print on their own, and
 * set `printed`. */
#ifndef IA_CLI_COMMAND_COMMAND_H
#define IA_CLI_COMMAND_COMMAND_H

#include "app/credentials.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/jsonw.h"
#include "opt/opt.h"

#define IA_CLI_OUTPUT_MAX ((size_t)64 << 20)

struct ia_client;
struct ia_hub;

struct ia_cli {
    const char *program;               /* argv[0] */
    const struct ia_command *commands; /* the table */
    const struct ia_command *command;
    struct ia_args args;
    struct ia_credentials credentials; /* taken out of the environment before anything ran */
    bool json;
    bool printed;         /* the command wrote to stdout itself */
    bool handed_over;     /* the daemon did it, and main has printed its answer */
    int exit_status;      /* of that answer */
    bool verbatim;        /* text is data: its lines do not break at the terminal's width */
    struct ia_buf text;   /* for people */
    struct ia_buf result; /* one JSON value; empty is null */
    struct ia_jsonw w;    /* writes into result */
    /* Kept by `batch` from one line to the next: the connection to the daemon, or the devices of this
     * process. NULL: each command has its own. */
    struct ia_client *client;
    struct ia_hub *hub;
};

typedef enum ia_rc ia_command_fn(struct ia_cli *c, struct ia_err *err);

struct ia_command {
    const char *name;     /* "run", "key set"; NULL ends the table */
    const char *operands; /* as the help shows them: "GOAL" */
    size_t operands_min, operands_max;
    const struct ia_opt *opts;
    ia_command_fn *run;
    const char *summary;  /* one line */
    const char *details;  /* more, for the command's own help; may be NULL */
    const char *examples; /* command lines as a shell takes them, each with a newline */
    const char *verb; /* of a device (server/verbs): main hands it to the daemon; NULL: none */
};

/* What only the program's own scripts call: no help, no hint and no page names it. */
static inline bool ia_command_hidden(const struct ia_command *cmd)
{
    return cmd->name[0] == '_';
}

/* The command of the table (ended by a NULL name) that argv (without the program's name) begins with, and how many words its name
 * took. IA_E_USAGE names the nearest one. */
enum ia_rc ia_command_find(const struct ia_command *table, int argc, char *const *argv,
                           const struct ia_command **ret, int *ret_words, struct ia_err *err);

/* Whether the required options are there, and as many operands as the command takes. IA_E_USAGE says what
 * to write. */
enum ia_rc ia_command_check(const struct ia_command *table, const struct ia_command *cmd,
                            const struct ia_args *args, struct ia_err *err);

/* Help as text: the overview, or one command's. */
void ia_help_overview(const struct ia_command *table, struct ia_buf *out);
void ia_help_command(const struct ia_command *cmd, struct ia_buf *out);
/* "key" alone: a line for every command that begins with that word. False: there is none. */
bool ia_help_group(const struct ia_command *table, const char *word, struct ia_buf *out);

/* Columns in which the text for people is to fit; 0: there is no terminal, and no limit. */
size_t ia_cli_width(const struct ia_cli *c);

/* Prints what the command left, and returns the exit status. */
int ia_cli_finish(struct ia_cli *c, enum ia_rc rc, struct ia_err *err);
/* Prints what the command has for its result so far, at once, for a command that goes on: whoever started
 * it waits for this. Nothing is printed at its end then. IA_E_IO. */
enum ia_rc ia_cli_announce(struct ia_cli *c, struct ia_err *err);
/* The envelope alone, with a newline. */
void ia_cli_envelope(const struct ia_cli *c, enum ia_rc rc, const struct ia_err *err,
                     struct ia_buf *out);

#endif
