/* folder.h: what lies in a skill's folder, as one hash, and where such folders are found. Any thread. */
#ifndef IA_AGENT_SKILLS_FOLDER_H
#define IA_AGENT_SKILLS_FOLDER_H

#include "base/buf.h"
#include "base/err.h"
#include "base/hash.h"

enum {
    IA_SKILL_FILES_MAX = 512,
    IA_SKILL_BYTES_MAX = 16 << 20, /* of all its files */
    IA_SKILL_DEPTH_MAX = 8,
    IA_SKILL_NAME_MAX = 40
};
#define IA_SKILL_MANIFEST "skill.toml"
#define IA_SKILLS_IN_PROJECT ".ios-agent/skills" /* below the folder of ios-agent.toml */
#define IA_SKILLS_IN_USER "skills" /* below the folder of the user's config.toml */

/* SHA-256 over path, executable bit and content of every file, in the order of paths: it changes with any
 * of them, and with nothing else. IA_E_CONFIG for a link or anything else that is no file or folder, as
 * what lies behind it is not in the hash; IA_E_LIMIT beyond the caps; IA_E_NOT_FOUND, IA_E_IO. */
enum ia_rc ia_skill_hash(const char *folder, char ret_hex[IA_SHA256_HEX_SIZE],
                         struct ia_err *err);

/* A name is 1 to IA_SKILL_NAME_MAX of a-z 0-9 - and begins with a letter. */
bool ia_skill_name_ok(const char *name);

/* The files that say where a project and a user keep their skills; either may be NULL. */
struct ia_skill_places {
    const char *project_config, *user_config;
};
/* Called with each folder that has a manifest, project's first, each place by name. False ends. */
typedef bool ia_skill_folder_fn(void *ctx, const char *name, const char *folder, bool user);
void ia_skill_folders(const struct ia_skill_places *places, ia_skill_folder_fn *fn, void *ctx);
/* Appends where the skill is: nothing for a built-in one, else its absolute folder; a project's comes
 * before a user's. A name that is the absolute path of a folder with a manifest is that folder. IA_E_CONFIG
 * with the nearest name where there is none. */
enum ia_rc ia_skill_find(const struct ia_skill_places *places, const char *name,
                         struct ia_buf *ret_folder, struct ia_err *err);

/* Whether the folder is one of the user's own, which need no trust. user_config may be NULL. */
bool ia_skill_users_own(const char *user_config, const char *folder);

#endif
