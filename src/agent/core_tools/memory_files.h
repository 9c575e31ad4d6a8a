/* memory_files.h: the files of one agent's memory.
 *
 *     memories/AGENT, then notes, then shop.md, below the home
 *
 * An open memory is locked: runs of one agent take turns, one command at a time. Every change is one
 * rename, so a kill leaves what was there before or what is there after, and it is on the disk when
 * the function returns. Nothing is followed: a link, a device or a file with a second name is no file
 * of the memory. A folder is there as long as a file is in it. One thread for each open memory. */
#ifndef IA_AGENT_CORE_TOOLS_MEMORY_FILES_H
#define IA_AGENT_CORE_TOOLS_MEMORY_FILES_H

#include "agent/core_tools/memory_path.h"
#include "base/buf.h"
#include "base/cancel.h"

enum {
    IA_MEMORY_FILE_BYTES_MAX = 64 << 10,
    IA_MEMORY_FILES_BYTES_MAX = 1 << 20, /* of all files of an agent */
    IA_MEMORY_FILES_MAX = 200
};

struct ia_memory;

/* The folder's path below home, in new memory. Capitals are written as "=a", as some file systems do not
 * tell them from small letters. */
char *ia_memory_folder(const char *home, const char *agent) IA_MUST_USE;

/* Waits for its lock and clears away what a kill left. IA_E_BUSY: others hold it for too long;
 * IA_E_CANCELLED; IA_E_IO. Close with ia_memory_close; NULL is fine. */
enum ia_rc ia_memory_open(const char *home, const char *agent, struct ia_cancel *cancel,
                          struct ia_memory **ret, struct ia_err *err);
void ia_memory_close(struct ia_memory *m);

enum ia_memory_kind { IA_MEMORY_NONE, IA_MEMORY_FILE, IA_MEMORY_FOLDER };
/* What is there. The memory's own folder always is. IA_E_STATE: neither file nor folder of the memory. */
enum ia_rc ia_memory_kind(const struct ia_memory *m, const struct ia_memory_path *path,
                          enum ia_memory_kind *ret, struct ia_err *err);
/* Appends a file's bytes. IA_E_NOT_FOUND, IA_E_STATE, IA_E_LIMIT: larger than a file may be. */
enum ia_rc ia_memory_read(const struct ia_memory *m, const struct ia_memory_path *path,
                          struct ia_buf *out, struct ia_err *err);
/* Makes or replaces a file, and the folders to it. IA_E_LIMIT names the cap. On failure err->outcome
 * says whether it may be there all the same; this holds for all changes. */
enum ia_rc ia_memory_write(struct ia_memory *m, const struct ia_memory_path *path,
                           struct ia_str text, struct ia_err *err);
/* A file, or a folder with all in it; not the memory itself. IA_E_NOT_FOUND. */
enum ia_rc ia_memory_remove(struct ia_memory *m, const struct ia_memory_path *path,
                            struct ia_err *err);
/* IA_E_NOT_FOUND; IA_E_EXISTS: something is at `to`; IA_E_USAGE: into itself; IA_E_LIMIT: too deep. */
enum ia_rc ia_memory_move(struct ia_memory *m, const struct ia_memory_path *from,
                          const struct ia_memory_path *to, struct ia_err *err);

/* Files, and folders with files, below a folder, in order; a folder comes before what is in it. */
struct ia_memory_entry {
    char *path; /* below that folder */
    int depth;  /* 1: in the folder itself */
    bool folder;
    int64_t size_bytes; /* of a folder: of all in it */
};
struct ia_memory_list {
    struct ia_memory_entry *items;
    size_t count;
};
enum ia_rc ia_memory_list(const struct ia_memory *m, const struct ia_memory_path *path,
                          struct ia_memory_list *ret, struct ia_err *err);
void ia_memory_list_fini(struct ia_memory_list *list);

#endif
