/* protocol.c: the revisions that begin with initialize. */
#include "mcp/protocol.h"

#include <string.h>

static const char *const legacy_versions[] = {"2024-11-05", IA_MCP_BATCH_VERSION, "2025-06-18",
                                              IA_MCP_LEGACY_VERSION};

bool ia_mcp_is_legacy(const char *version)
{
    for (size_t i = 0; version && i < IA_COUNTOF(legacy_versions); i++) {
        if (strcmp(version, legacy_versions[i]) == 0) {
            return true;
        }
    }
    return false;
}
