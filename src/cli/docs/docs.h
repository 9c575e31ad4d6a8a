/* docs.h: what follows from the table of commands: man pages, scripts by which shells complete
 * a command line, texts for coding agents. */
#ifndef IA_CLI_DOCS_DOCS_H
#define IA_CLI_DOCS_DOCS_H

#include "base/embed.h"
#include "cli/command/command.h"

enum { IA_DOCS_NAME_MAX = 80, IA_DOCS_BYTES_MAX = 1 << 20 };

/* "ios-agent-key-set", the name of its page. */
void ia_docs_man_name(const struct ia_command *cmd, char ret[IA_DOCS_NAME_MAX]);
/* The page, in man(7). */
void ia_docs_man(const struct ia_command *table, const struct ia_command *cmd,
                 struct ia_buf *out);

/* What coding agents read: the files of skills/ (skill show finds them by name), and SKILL.md, the file
 * that `skill install` writes. */
extern const struct ia_embedded ia_docs_topics[], ia_docs_stub[];
/* Appends a topic with its parts filled in. */
void ia_docs_skill(const struct ia_command *table, const struct ia_embedded *text,
                   struct ia_buf *out);

/* Writes all topics as objects: {"name","description","version","text"}. */
void ia_docs_skills(const struct ia_command *table, struct ia_jsonw *w);

/* The scripts that shells read. */
#define IA_DOCS_SHELLS "bash|zsh|fish"
void ia_docs_bash(const struct ia_command *table, struct ia_buf *out);
void ia_docs_zsh(const struct ia_command *table, struct ia_buf *out);
void ia_docs_fish(const struct ia_command *table, struct ia_buf *out);

/* ---- what the scripts share (values.c) -------------------------------------------------- */

/* What may stand for a value: "a|b|c" are words; "@files" and "@folders" the shell knows; any other
 * "@KIND" is asked of `ios-agent __complete KIND PREFIX`; "" is free text. NULL: the option is a
 * flag. */
const char *ia_docs_option_values(const struct ia_opt *o);

struct ia_docs_operand {
    char label[IA_DOCS_NAME_MAX]; /* as the help shows it: "GOAL" */
    const char *values;           /* as above */
    char words[IA_DOCS_NAME_MAX]; /* room for them */
    bool more;                    /* any number of them */
};
enum { IA_DOCS_OPERANDS_MAX = 8 };
size_t ia_docs_operands(const struct ia_command *cmd,
                        struct ia_docs_operand ret[IA_DOCS_OPERANDS_MAX]);

/* Calls fn for every command that begins with that word and has a second one. */
typedef void ia_docs_second_fn(void *ctx, const char *second, const struct ia_command *cmd);
void ia_docs_seconds(const struct ia_command *table, const char *first, ia_docs_second_fn *fn,
                     void *ctx);
/* The first word of the command's name; false where a row above has the same one. Hidden commands
 * have none. */
bool ia_docs_first(const struct ia_command *table, const struct ia_command *cmd,
                   char ret[IA_DOCS_NAME_MAX]);

/* Appends text between single quotes, for bash and zsh. */
void ia_docs_quote(struct ia_buf *out, const char *text);

/* shell/: the parts of the scripts that do not depend on the table. */
extern const struct ia_embedded ia_docs_files[];

#endif
