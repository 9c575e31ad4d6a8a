/* vars.h: {{name}} and {{name|fallback}} in texts.
 *
 * A name is 1 to IA_VAR_NAME_MAX of A-Z a-z 0-9 _ - . and may have blanks around it. The
 * fallback is everything up to the first }} and is taken as it stands. A value may name other
 * variables. {{secret:NAME}} is kept as it is where NAME is one of the secrets: its value is
 * never put into a text. Pure; any thread. */
#ifndef IA_AGENT_GOAL_VARS_H
#define IA_AGENT_GOAL_VARS_H

#include "base/buf.h"
#include "base/err.h"

enum {
    IA_VAR_NAME_MAX = 64,
    IA_VAR_DEPTH_MAX = 8,   /* variables whose values name variables */
    IA_VAR_USES_MAX = 1000, /* values put into one text */
    IA_VAR_VALUE_MIN = 3,   /* bytes of a value that can be told from the text around it */
};

struct ia_var {
    struct ia_str name;
    const char *value;
    bool final; /* what looks like a variable in it is not one */
};

/* Variables that belong together. Those of `up` are asked where these do not have the name. */
struct ia_vars {
    const struct ia_var *items;
    size_t count;
    const char *const *env_names; /* what the environment is asked for, after the items */
    size_t env_name_count;
    const char *const *env; /* NAME=value, NULL-ended; NULL: this process's */
    /* Called with each name that is looked for here, found or not; may be NULL. */
    void (*asked)(void *ctx, struct ia_str name);
    /* Called for each variable that a text names and that these have, or that none has so that its fallback is
     * taken, with its value; may be NULL. */
    void (*filled)(void *ctx, struct ia_str name, struct ia_str value);
    void *ctx;
    const char *const *secrets;
    size_t secret_count;
    const struct ia_vars *up;
};

/* Appends the text with its variables filled in. IA_E_CONFIG: a variable that is not set (with
 * the nearest known name), variables that name each other, a secret that is used as a variable
 * or not declared, braces without end. IA_E_LIMIT beyond the caps or the buffer's. */
enum ia_rc ia_vars_fill(const struct ia_vars *vars, struct ia_str text, struct ia_buf *out,
                        struct ia_err *err);

bool ia_var_name_ok(struct ia_str name);
/* True if the text has the value outside of {{…}}, in any case (textfold.h); also for a value without a letter or
 * digit to look for. */
bool ia_vars_left(struct ia_str text, const char *value);

#endif
