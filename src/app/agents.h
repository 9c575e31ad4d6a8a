/* agents.h: named agents of the configuration, as the store and the run know them. */
#ifndef IA_APP_AGENTS_H
#define IA_APP_AGENTS_H

#include "agent/goal/request.h"
#include "base/config.h"
#include "store/store.h"

/* The entry [agents.NAME], borrowed from the configuration. IA_E_NOT_FOUND names the entry that
 * is missing, also one that it may call; IA_E_CONFIG names a tool that there is not, with the nearest one. */
enum ia_rc ia_agent_find(const struct ia_config *config, const char *name,
                         const struct ia_config_agent **ret, struct ia_err *err);

/* IA_E_CONFIG for a name that no tool has which an agent's list may name, with the nearest one. */
enum ia_rc ia_agent_check_tool(const char *tool, struct ia_err *err);

/* Where the skill is, as agent/skills/skills.h takes it: its name, or its absolute folder, appended to ret, which
 * may be NULL. IA_E_CONFIG for an unknown one, with the nearest. */
enum ia_rc ia_agent_find_skill(const struct ia_config *config, const char *name,
                               struct ia_buf *ret, struct ia_err *err);

/* The entry as the store would have it. *ret borrows from the entry and from the texts, which the caller
 * releases. */
enum { IA_AGENT_LIST_BYTES_MAX = 1 << 16 };
struct ia_agent_texts {
    struct ia_buf prompt, tools, skills, may_call, budget;
};
void ia_agent_texts_init(struct ia_agent_texts *t);
void ia_agent_texts_fini(struct ia_agent_texts *t);
enum ia_rc ia_agent_row(const struct ia_config *config, const struct ia_config_agent *agent,
                        struct ia_agent_texts *texts, struct ia_agent_row *ret,
                        struct ia_err *err);
/* Reads its prompt and brings the store up to date; what the agent remembered stays. */
enum ia_rc ia_agent_store(const struct ia_config *config, const struct ia_config_agent *agent,
                          struct ia_store *store, struct ia_err *err);
/* The same for it and all that it may call, directly or through others. */
enum ia_rc ia_agent_store_all(const struct ia_config *config,
                              const struct ia_config_agent *first, struct ia_store *store,
                              struct ia_err *err);

/* For a request that came with the name of an agent (or none): one of the configuration is brought to
 * the store first; else the store has it, and its model goes to the request, and to `model`, from
 * which the request borrows. *ret is that of the configuration, or NULL. As ia_agent_find. */
enum ia_rc ia_agent_prepare(const struct ia_config *config, struct ia_store *store,
                            struct ia_run_request *request, struct ia_buf *model,
                            const struct ia_config_agent **ret, struct ia_err *err);

#endif
