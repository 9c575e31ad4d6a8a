/* core_tools.h: tools of this program that are no tools of the device.
 *
 *     fetch_url     a page of the public web as text           fetch_tool.c, net/fetch.h
 *     memory        files of the agent, kept between runs      memory_tool.c, memory_files.h
 *     web_search    a search that the service makes itself     search_tool.c
 *
 * An agent has those that it names; memory, where its memory is "files". */
#ifndef IA_AGENT_CORE_TOOLS_CORE_TOOLS_H
#define IA_AGENT_CORE_TOOLS_CORE_TOOLS_H

#include "agent/secrets/secrets.h"
#include "agent/toolset/toolset.h"
#include "net/fetch.h"

#define IA_TOOL_FETCH_URL "fetch_url"
#define IA_TOOL_MEMORY "memory"
#define IA_TOOL_WEB_SEARCH "web_search"

/* Of a page as it arrives, and of a whole call with its redirects. */
enum {
    IA_FETCH_BYTES_DEFAULT = 2 << 20,
    IA_FETCH_SECONDS_DEFAULT = 20,
    IA_SEARCH_USES_DEFAULT = 5
};

/* What the user allows. All zero: the public web, and the defaults. Strings are borrowed. */
struct ia_core_settings {
    struct ia_fetch_rules fetch;
    int64_t fetch_bytes_max; /* 0: IA_FETCH_BYTES_DEFAULT */
    int fetch_seconds;       /* 0: IA_FETCH_SECONDS_DEFAULT */
    struct {
        const char *allowed_domains,
            *blocked_domains; /* lists as fetch has them; one at most */
        int max_uses;         /* in one request; 0: the default */
    } search;
};

struct ia_core_tools;

/* One for each run. settings, which are copied, point to strings that outlive it. IA_E_CONFIG where a
 * built-in definition is not what it should be. Free with ia_core_tools_free; NULL is fine. */
enum ia_rc ia_core_tools_new(const struct ia_core_settings *settings,
                             struct ia_core_tools **ret, struct ia_err *err);
void ia_core_tools_free(struct ia_core_tools *core);

/* The agent keeps files, below the home folder of the store. Before ia_core_tools_add. */
void ia_core_tools_remember(struct ia_core_tools *core, const char *home, const char *agent);

/* Adds those that names (a JSON array, NULL: none) has. */
enum ia_rc ia_core_tools_add(struct ia_core_tools *core, const json_t *names,
                             struct ia_toolset *tools, struct ia_err *err);
/* What the searches of one request can cost at most; 0 where there is no such tool, or core is NULL. */
double ia_core_tools_searches_usd(const struct ia_core_tools *core);
/* The run's secrets, which no call may send or keep; borrowed, NULL: none. Before the first call. */
void ia_core_tools_guard(struct ia_core_tools *core, const struct ia_secrets *secrets);

#endif
