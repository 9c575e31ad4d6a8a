/* github.c: adds the report to a GitHub workflow's summary and annotates the goals that did not
 * pass. */
#include "cli/view/github.h"

#include "agent/report/report.h"
#include "base/complaint.h"
#include "base/fd.h"
#include "base/paths.h"

#include <string.h>
#include <unistd.h>

enum { LINES_BYTES_MAX = 1 << 20 };

void ia_cli_github(struct ia_store *store, const char *id)
{
    const char *in_actions = ia_env_get(NULL, "GITHUB_ACTIONS");
    struct ia_buf lines = IA_BUF(LINES_BYTES_MAX);
    struct ia_err err = {0};
    if (!in_actions || strcmp(in_actions, "true") != 0 || !id || id[0] == '\0') {
        return;
    }
    if (ia_report_github(store, id, ia_env_get(NULL, "GITHUB_STEP_SUMMARY"), &lines, &err) !=
        IA_OK) {
        ia_complaint(&err, &lines);
    }
    (void)ia_write_all(STDERR_FILENO, lines.p, lines.len);
    ia_buf_fini(&lines);
}
