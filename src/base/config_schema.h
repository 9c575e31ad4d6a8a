/* config_schema.h: the insides of a configuration: the rows of the table, typed values, and what
 * is loaded. Private to base/config*.c and its tests. */
#ifndef IA_BASE_CONFIG_SCHEMA_H
#define IA_BASE_CONFIG_SCHEMA_H

#include "base/config.h"

struct ia_config_row {
    const char *key;
    enum ia_config_type type;
    enum ia_config_scope scope;
    enum ia_config_setter setter;
    const char *def;
    double min, max;
    const char *choices;
    const char
        *variable2; /* a shorter or another program's variable that is honoured; "" for none */
    const char *help;
};

/* IA_CFG_COUNT rows, by enum ia_config_key. */
extern const struct ia_config_row ia_config_rows[IA_CFG_COUNT];

/* A typed value. text is the canonical form of every type but LIST, whose form is items. */
struct ia_config_value {
    char *text;
    char **items; /* LIST: NULL-ended */
    int64_t i;    /* INT, BOOL, ENUM */
    double r;     /* REAL */
    enum ia_config_origin origin;
    char *where; /* "file:3:1", the variable, the flag; NULL for a default */
};
void ia_config_value_fini(struct ia_config_value *v);

/* Checks text by the row and writes the typed value (its origin and where stay zero). folder is
 * where a relative PATH starts; home replaces "~". IA_E_CONFIG without a place. */
enum ia_rc ia_config_value_parse(const struct ia_config_row *row, struct ia_str text,
                                 const char *folder, const char *home,
                                 struct ia_config_value *ret, struct ia_err *err);
/* The same for a LIST that comes as items already. */
enum ia_rc ia_config_value_items(const struct ia_config_row *row, const char *const *items,
                                 size_t count, struct ia_config_value *ret, struct ia_err *err);
/* "IOS_AGENT_RUN_MODEL" for "run.model". */
void ia_config_variable(const char *key, char *dst, size_t size);
/* "a string", "an integer" … for messages. */
const char *ia_config_type_name(enum ia_config_type type);
/* The value as it may be shown: as text is, but without the password of a URL. */
void ia_config_value_show(const struct ia_config_row *row, const struct ia_config_value *v,
                          struct ia_buf *out);

/* [agents.NAME]: its keys as values, by enum ia_config_agent_key. */
enum ia_config_agent_key {
    IA_CFG_AGENT_MODEL,
    IA_CFG_AGENT_PROMPT,
    IA_CFG_AGENT_TOOLS,
    IA_CFG_AGENT_ROLE,
    IA_CFG_AGENT_SKILLS,
    IA_CFG_AGENT_MAY_CALL,
    IA_CFG_AGENT_MEMORY,
    IA_CFG_AGENT_MAX_STEPS,
    IA_CFG_AGENT_MAX_SECONDS,
    IA_CFG_AGENT_MAX_TOKENS,
    IA_CFG_AGENT_MAX_USD,
    IA_CFG_AGENT_COUNT
};
enum { IA_CFG_AGENTS_MAX = IA_CONFIG_AGENTS_MAX };
extern const struct ia_config_row ia_config_agent_rows[IA_CFG_AGENT_COUNT];

struct ia_config_agent_entry {
    char *name;
    struct ia_config_value values[IA_CFG_AGENT_COUNT];
    struct ia_config_agent view; /* of the above, for the getter */
};

struct ia_config {
    char *user_file, *project_file;
    char *folder; /* where relative paths of the environment and flags start */
    char *home;   /* of the user, or NULL */
    struct ia_config_value values[IA_CFG_COUNT];
    struct ia_config_agent_entry agents[IA_CFG_AGENTS_MAX];
    size_t agent_count;
};

/* The defaults, for ia_config_read_…; env as for ia_config_load. Free with ia_config_free. */
struct ia_config *ia_config_new(const struct ia_paths *paths,
                                const char *const *env) IA_MUST_USE;
/* ia_config_edit on the text of the file: appends the new text to ret, or *ret_changed is false. */
enum ia_rc ia_config_edit_text(const struct ia_paths *paths, enum ia_config_key key,
                               const char *value, struct ia_str text, struct ia_buf *ret,
                               bool *ret_changed, struct ia_err *err);
/* Reads one file over what is there. must_exist: a missing file is an error. */
enum ia_rc ia_config_read_file(struct ia_config *c, const char *path,
                               enum ia_config_origin origin, bool must_exist,
                               struct ia_err *err);
/* The same for the text of a file; path is only its name. */
enum ia_rc ia_config_read_text(struct ia_config *c, const char *path,
                               enum ia_config_origin origin, struct ia_str text,
                               struct ia_err *err);
/* The key's row number, or IA_CFG_COUNT. */
size_t ia_config_find(struct ia_str key);
/* Fills err for a name that is no key, with the nearest one as the hint. */
enum ia_rc ia_config_unknown(struct ia_str key, struct ia_err *err);
/* Replaces *slot by v, which came from where; takes v's memory. */
void ia_config_value_put(struct ia_config_value *slot, struct ia_config_value v,
                         enum ia_config_origin origin, const char *where);
/* The folder that a file lies in. New memory. */
char *ia_config_folder_of(const char *path) IA_MUST_USE;

#endif
