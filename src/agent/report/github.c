/* github.c: what a GitHub workflow shows of a report. */
#include "agent/report/model.h"

#include "agent/report/escape.h"
#include "agent/report/out.h"
#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { TITLE_MAX = 120, MESSAGE_MAX = 2000, LINES_MAX = 50 };

static enum ia_rc append(const char *path, struct ia_str text, struct ia_err *err)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    enum ia_rc rc = fd < 0 ? IA_E_IO : ia_write_all(fd, text.p, text.n);
    if (rc != IA_OK) {
        rc = ia_err_set(err, IA_E_IO, "cannot write the job's summary %s: %s", path,
                        strerror(errno));
    }
    if (fd >= 0) {
        (void)close(fd);
    }
    return rc;
}

static enum ia_rc put_summary(const struct ia_rep *r, const char *path, struct ia_err *err)
{
    struct ia_out out;
    ia_out_text(&out);
    enum ia_rc rc = ia_rep_md(r, &out, err);
    if (rc == IA_OK) {
        rc = append(path, ia_buf_str(&out.buf), err);
    }
    (void)ia_out_end(&out, IA_E_CANCELLED, NULL, NULL);
    return rc;
}

static void put_error(struct ia_buf *out, const struct ia_rep_goal *g)
{
    struct ia_buf title = IA_BUF(TITLE_MAX + 64), message = IA_BUF(MESSAGE_MAX + 64);
    ia_buf_printf(&title, "%s: ", ia_rep_state_name(g->state));
    ia_cut(&title, ia_str(g->name), TITLE_MAX);
    ia_cut(&message, ia_str(ia_rep_goal_story(g)), MESSAGE_MAX);
    bool bad = ia_rep_state_bad(g->state) || ia_rep_refused(g);
    ia_buf_puts(out, bad ? "::error " : "::warning ");
    if (g->file) {
        ia_buf_puts(out, "file=");
        ia_esc_command_property(out, ia_str(g->file));
        ia_buf_printf(out, ",line=%d,", g->line);
    }
    ia_buf_puts(out, "title=");
    ia_esc_command_property(out, ia_buf_str(&title));
    ia_buf_puts(out, "::");
    ia_esc_command(out, ia_buf_str(&message));
    ia_buf_putc(out, '\n');
    ia_buf_fini(&title);
    ia_buf_fini(&message);
}

enum ia_rc ia_report_github(struct ia_store *store, const char *id, const char *summary_path,
                            struct ia_buf *ret_lines, struct ia_err *err)
{
    struct ia_report_opts opts = {.id = id, .format = IA_REPORT_MD};
    struct ia_rep r;
    enum ia_rc rc = ia_rep_read(store, &opts, &r, err);
    if (rc != IA_OK) {
        return rc;
    }
    int lines = 0;
    for (size_t i = 0; i < r.goal_count && lines < LINES_MAX; i++) {
        if (ia_rep_state_bad(r.goals[i].state) || r.goals[i].state == IA_REP_HEALED) {
            put_error(ret_lines, &r.goals[i]);
            lines++;
        }
    }
    if (summary_path && summary_path[0] != '\0') {
        rc = put_summary(&r, summary_path, err);
    }
    ia_rep_fini(&r);
    return rc;
}
