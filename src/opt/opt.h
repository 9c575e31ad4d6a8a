/* opt.h: the option parser: one table per command, no globals, no output.
 *
 * Accepted: --name, --name=value, --name value, -x, and "--", after which everything is an
 * operand. Options and operands may be mixed. An unknown option is refused with the nearest
 * known one; so are a missing, malformed or repeated value. */
#ifndef IA_OPT_OPT_H
#define IA_OPT_OPT_H

#include "base/base.h"
#include "base/config.h"
#include "base/err.h"

enum ia_opt_kind {
    IA_OPT_FLAG,
    IA_OPT_TEXT,
    IA_OPT_INT,    /* decimal, within min and max */
    IA_OPT_REAL,   /* finite and not negative */
    IA_OPT_CHOICE, /* one of the words in `value`, which are separated by "|" */
    IA_OPT_PATH,   /* of a file that is read; a relative one starts at the caller's folder */
    IA_OPT_OUT     /* of a file that the caller writes; "-" is standard output */
};

struct ia_opt {
    const char *name; /* without the dashes; NULL ends a table */
    char letter;      /* the short form, or 0 */
    enum ia_opt_kind kind;
    const char *value; /* what the help calls the value: "N", "auto|off" */
    const char *help;  /* one line */
    bool repeat;       /* may be given more than once */
    int64_t min, max;  /* of IA_OPT_INT */
    int operand;   /* 1, 2, … in the order of the table: words of the command line become the
                          values of these options, of which those that are given take none, and a
                          CHOICE none that it does not have; 0: never */
    bool required; /* see ia_args_check */
    bool local;    /* for the command line alone: no part of a request to the daemon */
    const char *fallback; /* of IA_OPT_OUT: the file when the option is not given; NULL: none */
};

/* Rows of a table: IA_FLAG("name", "help") and IA_OPTION(INT, "name", "N", "help"); other members
 * follow the help, as .repeat = true. */
#define IA_FLAG(name_, ...)                                                                    \
    {                                                                                          \
        .name = (name_), .kind = IA_OPT_FLAG, .help = __VA_ARGS__                              \
    }
#define IA_OPTION(kind_, name_, value_, ...)                                                   \
    {                                                                                          \
        .name = (name_), .kind = IA_OPT_##kind_, .value = (value_), .help = __VA_ARGS__        \
    }

enum { IA_ARGS_MAX = 256, IA_OPTS_MAX = 48 }; /* words of a command line, rows of a table */

/* What was on the command line; all texts are argv's. Read it with the functions below. */
struct ia_args {
    const struct ia_opt *opts;
    struct ia_arg {
        const struct ia_opt *opt;
        const char *value; /* NULL for a flag */
    } set[IA_ARGS_MAX];
    size_t set_count;
    const char *operands[IA_ARGS_MAX];
    size_t operand_count;
    char *owned[IA_ARGS_MAX]; /* memory behind values that are not argv's (server/verbs) */
    size_t owned_count;
};

/* Parses argv[0..argc). IA_E_USAGE says what is wrong and hints at what was meant. */
enum ia_rc ia_args_parse(struct ia_args *a, const struct ia_opt *opts, int argc,
                         char *const *argv, struct ia_err *err);

/* That every required option is there: after ia_args_parse, unless help was asked for. IA_E_USAGE. */
enum ia_rc ia_args_check(const struct ia_args *a, struct ia_err *err);

/* The name must be in the table: anything else is a mistake in this program, and aborts. */
bool ia_args_has(const struct ia_args *a, const char *name);
const char *ia_args_text(const struct ia_args *a, const char *name); /* NULL when not given */
int64_t ia_args_int(const struct ia_args *a, const char *name, int64_t fallback);
double ia_args_real(const struct ia_args *a, const char *name, double fallback);
/* The values of a repeated option in order; at most `max` of them.
 * Returns how many there are. */
size_t ia_args_list(const struct ia_args *a, const char *name, const char **ret, size_t max);
/* The operand, or NULL. */
const char *ia_args_operand(const struct ia_args *a, size_t i);

/* How long a command with these arguments may take: 30 s, or what --seconds asks for and a little more. */
int64_t ia_args_deadline_ms(const struct ia_args *a);

/* Sets the configuration key to the value of the option, where it was given: a flag goes before
 * the files and the environment. IA_E_CONFIG names the option in its message. */
enum ia_rc ia_args_configure(const struct ia_args *a, const char *option,
                             struct ia_config *config, enum ia_config_key key,
                             struct ia_err *err);

/* Every table ends with these. */
#define IA_OPT_JSON                                                                            \
    {                                                                                          \
        .name = "json", .kind = IA_OPT_FLAG, .help = "print one JSON envelope", .local = true  \
    }
#define IA_OPT_HELP                                                                            \
    {                                                                                          \
        .name = "help", .letter = 'h', .kind = IA_OPT_FLAG, .help = "show this help",          \
        .local = true                                                                          \
    }
#define IA_OPTS_END                                                                            \
    IA_OPT_JSON, IA_OPT_HELP,                                                                  \
    {                                                                                          \
        .name = NULL                                                                           \
    }

#endif
