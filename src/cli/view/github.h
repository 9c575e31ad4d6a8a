/* github.h: what a command leaves behind in a GitHub workflow. */
#ifndef IA_CLI_VIEW_GITHUB_H
#define IA_CLI_VIEW_GITHUB_H

#include "store/store.h"

/* In a workflow (GITHUB_ACTIONS=true): appends the Markdown report of the run or sweep to the
 * job's summary and writes "::error …" lines for goals that did not pass to stderr, where the
 * runner reads them too and where they cannot mix with data. Does nothing elsewhere. What fails
 * is said on stderr: the verdict stands. */
void ia_cli_github(struct ia_store *store, const char *id);

#endif
