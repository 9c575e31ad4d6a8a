/* goalfile.h: goals written in TOML files (the syntax is in docs/goals.md).
 *
 * Loading reads every file, fills in variables and reusable steps, and checks everything that
 * can be checked without a device, so that a mistake in the last goal is reported before the
 * first one runs. Each mistake is reported as "file:line:column: what", with a hint; of those in one
 * table the first. */
#ifndef IA_AGENT_GOAL_GOALFILE_H
#define IA_AGENT_GOAL_GOALFILE_H

#include "agent/goal/request.h"
#include "base/embed.h"
#include "base/err.h"

/* The suffix of recordings (agent/recording/recording_file.h), which are beside the goal files. */
#define IA_RECORDING_SUFFIX ".rec.toml"

/* A file has at most IA_TOML_BYTES_MAX bytes (base/toml.h). */
enum {
    IA_GOALFILES_MAX = 1000,
    IA_GOALFILE_FOLDERS_MAX = 10000, /* folders looked into */
    IA_GOALFILE_DEPTH_MAX = 32,      /* folders in folders */
    IA_GOALFILE_GOALS_MAX = 10000,   /* of all files together */
    IA_GOALFILE_NAME_MAX = 200,      /* bytes of a goal's name */
    IA_GOALFILE_TEXT_MAX = 32 << 10, /* bytes of a goal with its steps, or of a hint */
    IA_GOALFILE_VALUE_MAX = 4096,    /* bytes of any other text */
    IA_GOALFILE_LIST_MAX = 64,       /* tags, needs, inputs of a step */
    IA_GOALFILE_REPEAT_MAX = 1000,
    IA_GOALFILE_RETRIES_MAX = 20,
    IA_GOALFILE_SEEDS_MAX = 1000,
    IA_GOALFILE_DIFFICULTY_MAX = 5
};

/* One goal, ready to run. Everything is borrowed from the set. */
struct ia_goal {
    struct ia_run_request req; /* goal, name, app, hint, model …; the rest is the base's */
    const char *device;        /* as the file names it; NULL: it does not say */
    const char *file;
    unsigned line, column; /* of its name */
    const size_t *needs;   /* goals of the set that must pass before */
    size_t need_count;
    const char *const *tags;
    size_t tag_count;
    int repeat, retries; /* -1: the file does not say */
    size_t group;        /* goals that needs join, directly or not, have the same one */
    /* For evaluations: the rules of its oracle (oracle.h), 1 to 5 or 0 if the file has none, and which
     * variant of its [[goal]] it is. */
    const char *const *oracle;
    size_t oracle_count;
    int difficulty;
    const char *base_name; /* as in the file; req.name may end with wording and seed */
    int wording, seed;     /* from 1 */
};

struct ia_goals;

struct ia_goal_sources {
    const char *const *vars; /* "name=value" of --var; they win over the files' */
    size_t var_count;
    const char *const *env;            /* NAME=value, NULL-ended; NULL: this process's */
    const struct ia_run_request *base; /* what a goal has where its file does not say */
    /* What wins over the files: model, verifier_model and effort where they are not NULL; NULL:
     * nothing does. */
    const struct ia_run_request *force;
    bool force_verify; /* also force->verify */
    /* Each [[goal]] becomes one goal for each seed and each of its wordings, up to these numbers; 0 is 1. A
     * variable that is a list has the element of the seed's number, starting over after the last; {{seed}} is the
     * number. */
    int seeds, wordings;
    int first_seed; /* 0: 1 */
    const char
        *state; /* the paths of oracles are checked against it (oracle.h); NULL: they are not */
    const struct ia_embedded *built_in; /* files that are read beside the paths; NULL: none */
};

/* Reads the files, and of a folder every *.toml below it in the order of the bytes of their
 * paths, apart from hidden ones, recordings and ios-agent.toml. A file that is reached twice is read
 * once; a folder too, so links may go in circles. IA_E_CONFIG for what is wrong in a file or
 * over all of them (a name that two goals have, a need that no goal has, needs that go in a
 * circle); IA_E_USAGE where there is no goal at all, or a bad --var; IA_E_NOT_FOUND, IA_E_IO.
 * Free with ia_goals_free. base must outlive the set. */
enum ia_rc ia_goals_load(const char *const *paths, size_t n, const struct ia_goal_sources *src,
                         struct ia_goals **ret, struct ia_err *err);
/* The same from one text; path is its name in messages. */
enum ia_rc ia_goals_parse(const char *path, struct ia_str text,
                          const struct ia_goal_sources *src, struct ia_goals **ret,
                          struct ia_err *err);
void ia_goals_free(struct ia_goals *set);

size_t ia_goals_count(const struct ia_goals *set);
const struct ia_goal *ia_goals_at(const struct ia_goals *set, size_t i);

#endif
