/* doctor_runner.c: is the XCTest runner built, and do started runners still answer? */
#include "cli/doctor/doctor_runner.h"

#include "driver/runner/runner.h"

#include <string.h>

enum ia_rc ia_doctor_runner(struct ia_doctor_sims *d, const char *home, struct ia_buf *detail,
                            bool *ret_warn, struct ia_err *err)
{
    struct ia_runner_opts opts = {.home = home};
    struct ia_runner_build b;
    struct ia_err cause = {.code = IA_OK};
    if (!home || d->no_xcode) {
        ia_buf_puts(detail, home ? "none without Xcode" : "the data folder is not known");
        return IA_OK;
    }
    enum ia_rc rc = ia_runner_built(&opts, &d->sim.deadline, &b, &cause);
    if (rc == IA_OK) {
        ia_buf_printf(detail, "built for Xcode %s, %s (recipe %s)", b.xcode, b.arch, b.recipe);
    } else if (rc == IA_E_NOT_FOUND) {
        ia_buf_printf(detail, "%s; the first start builds it, or %s", cause.msg, cause.hint);
        rc = IA_OK;
    } else {
        *err = cause;
    }
    *ret_warn = rc == IA_OK && cause.code == IA_OK && b.note[0] != '\0';
    if (*ret_warn) {
        ia_buf_printf(detail, "; recipe A did not work: %s", b.note);
    }
    return rc;
}

/* Describes one runner that was started. Returns true when it needs fixing. */
static bool put_runner(const struct ia_runner_status *s, struct ia_buf *detail)
{
    const char *device = s->runner.name[0] != '\0' ? s->runner.name : s->runner.udid;
    ia_buf_printf(detail, "%s%s: %s on port %u", detail->len > 0 ? "; " : "", device,
                  ia_runner_health_name(s->health), (unsigned)s->runner.port);
    bool healthy = s->health == IA_RUNNER_LIVE ||
                   (s->health == IA_RUNNER_SILENT && s->runner.phase == IA_RUNNER_STARTING);
    if (!healthy) {
        ia_buf_printf(detail, " (%s). Fix: ios-agent bridge stop %s", s->note, s->runner.udid);
    }
    return !healthy;
}

enum ia_rc ia_doctor_ports(struct ia_doctor_sims *d, const char *home, struct ia_buf *detail,
                           bool *ret_warn, struct ia_err *err)
{
    struct ia_runner_opts opts = {.home = home};
    char udids[IA_RUNNERS_MAX][IA_RUNNER_UDID_SIZE];
    size_t n = home ? ia_runner_list(&opts, udids) : 0;
    enum ia_rc rc = IA_OK;
    for (size_t i = 0; i < n && rc == IA_OK; i++) {
        struct ia_runner_status s;
        rc = ia_runner_get_status(&opts, &d->sim.deadline, udids[i], &s, err);
        if (rc == IA_OK && s.health != IA_RUNNER_NONE) {
            *ret_warn = put_runner(&s, detail) || *ret_warn;
        }
    }
    if (rc == IA_OK && detail->len == 0) {
        ia_buf_printf(detail, "no runner has been started; they use ports %d to %d",
                      IA_RUNNER_PORT_FIRST, IA_RUNNER_PORT_FIRST + IA_RUNNER_PORT_COUNT - 1);
    }
    return rc;
}
