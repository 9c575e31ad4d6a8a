/* project.h: writing the first files of a project without harm to what is there.
 *
 * Nothing is written through a link, neither a file's nor a folder's below the project's own, and a
 * file appears whole or not at all. */
#ifndef IA_CLI_INIT_PROJECT_H
#define IA_CLI_INIT_PROJECT_H

#include "base/embed.h"
#include "base/err.h"

enum { IA_PROJECT_BYTES_MAX = 1 << 20 };

enum ia_project_state {
    IA_PROJECT_CREATED,
    IA_PROJECT_REPLACED, /* with `force` */
    IA_PROJECT_APPENDED,
    IA_PROJECT_UNCHANGED, /* it is there with this content */
    IA_PROJECT_LEFT,      /* something else is there, and stays */
};
const char *ia_project_state_name(enum ia_project_state state);

/* The files that `init` writes (files/). */
extern const struct ia_embedded ia_project_files[];

/* Opens the folder, making it where it is missing; its parent must be there. */
enum ia_rc ia_project_open(const char *folder, int *ret_fd, struct ia_err *err);

/* Writes the file at `path` ("goals/first.toml") below the folder, and the folders that lead to it. */
enum ia_rc ia_project_write(int folder, const char *path, struct ia_str text, bool force,
                            enum ia_project_state *ret, struct ia_err *err);
/* Adds the text to the end of the file, or makes it, unless the file has `mark` already. */
enum ia_rc ia_project_append(int folder, const char *path, struct ia_str text, const char *mark,
                             enum ia_project_state *ret, struct ia_err *err);

/* Whether there is such a file or folder. */
bool ia_project_has(int folder, const char *path);
/* Whether it is a file that has this text. */
bool ia_project_says(int folder, const char *path, const char *text);

#endif
