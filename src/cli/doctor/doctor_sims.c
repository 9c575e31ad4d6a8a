/* doctor_sims.c: is Xcode here, which iOS runtimes and simulators does it have?
 *
 * The three checks share one list of simulators, opened by whichever comes first. If the first
 * finds no Xcode, the others say so in a few words instead of failing each on its own. */
#include "cli/doctor/doctor_sims.h"

#include "base/platform.h"
#include "driver/simctl/xcrun.h"

#include <stdio.h>
#include <string.h>

enum { NAMED_MAX = 3 }; /* simulators and runtimes that a line names */

static enum ia_rc open_once(struct ia_doctor_sims *d, struct ia_err *err)
{
    if (d->open) {
        return IA_OK;
    }
    d->open = true;
    return ia_cli_sim_begin(&d->sim, err);
}

void ia_doctor_sims_close(struct ia_doctor_sims *d)
{
    if (d->open) {
        ia_cli_sim_close(&d->sim);
    }
}

/* Without Xcode. A warning only on macOS: elsewhere there is nothing to fix. */
static void report_missing(struct ia_doctor_sims *d, struct ia_buf *detail, bool *ret_warn,
                           const struct ia_err *err)
{
    d->no_xcode = true;
    *ret_warn = ia_platform_here() == IA_PLATFORM_MACOS;
    ia_buf_printf(detail, "none: %s. %s", err->msg, err->hint);
}

enum ia_rc ia_doctor_xcode(struct ia_doctor_sims *d, struct ia_buf *detail, bool *ret_warn,
                           struct ia_err *err)
{
    struct ia_xcode xcode;
    struct ia_err cause = {.code = IA_OK};
    enum ia_rc rc = open_once(d, err);
    if (rc != IA_OK) {
        return rc;
    }
    rc = ia_xcode_version(&d->sim.deadline, &xcode, &cause);
    if (rc == IA_OK) {
        ia_buf_printf(detail, "%s, build %s", xcode.version, xcode.build);
        (void)snprintf(d->xcode, sizeof(d->xcode), "%.31s", xcode.version);
    } else if (rc == IA_E_MISSING) {
        report_missing(d, detail, ret_warn, &cause);
        rc = IA_OK;
    } else {
        *err = cause;
    }
    return rc;
}

/* The list, or NULL where the first check found no Xcode. */
static enum ia_rc list(struct ia_doctor_sims *d, struct ia_buf *detail,
                       const struct ia_sim_list **ret, struct ia_err *err)
{
    *ret = NULL;
    enum ia_rc rc = open_once(d, err);
    if (d->no_xcode) {
        ia_buf_puts(detail, "none without Xcode");
        return IA_OK;
    }
    return rc == IA_OK ? ia_simctl_list(d->sim.ctl, &d->sim.deadline, ret, err) : rc;
}

/* An image that is not ready takes space and cannot be used. Xcode before 14 cannot list images;
 * that is not reported. */
static void check_images(struct ia_doctor_sims *d, struct ia_buf *detail, bool *ret_warn)
{
    struct ia_sim_images *images = NULL;
    struct ia_err ignored;
    if (ia_simctl_images(d->sim.ctl, &d->sim.deadline, &images, &ignored) != IA_OK) {
        return;
    }
    for (size_t i = 0; i < images->count; i++) {
        const struct ia_sim_image *image = &images->images[i];
        if (strcmp(image->platform, "iOS") == 0 && strcmp(image->state, "Ready") != 0) {
            *ret_warn = true;
            ia_buf_printf(detail,
                          "; the image of iOS %s (%s) is %s. Fix: xcrun simctl runtime delete "
                          "%s, then xcodebuild -downloadPlatform iOS",
                          image->version, image->build, image->state, image->id);
        }
    }
    ia_sim_images_free(images);
}

enum ia_rc ia_doctor_runtimes(struct ia_doctor_sims *d, struct ia_buf *detail, bool *ret_warn,
                              struct ia_err *err)
{
    const struct ia_sim_list *l = NULL;
    size_t n = 0;
    enum ia_rc rc = list(d, detail, &l, err);
    for (size_t i = 0; l && i < l->runtime_count; i++) {
        const struct ia_sim_runtime *r = &l->runtimes[i];
        if (!r->available || strcmp(r->platform, "iOS") != 0) {
            continue;
        }
        if (n < NAMED_MAX) {
            ia_buf_printf(detail, "%s%s (%s)", n > 0 ? ", " : "", r->name, r->build);
        }
        n++;
    }
    if (n > NAMED_MAX) {
        ia_buf_printf(detail, " and %zu more", n - NAMED_MAX);
    }
    if (l && n == 0) {
        *ret_warn = true;
        ia_buf_puts(detail,
                    "no iOS runtime is installed. Fix: xcodebuild -downloadPlatform iOS");
    }
    if (l) {
        check_images(d, detail, ret_warn);
    }
    return rc;
}

enum ia_rc ia_doctor_simulators(struct ia_doctor_sims *d, struct ia_buf *detail, bool *ret_warn,
                                struct ia_err *err)
{
    const struct ia_sim_list *l = NULL;
    size_t n = 0;
    size_t booted = 0;
    enum ia_rc rc = list(d, detail, &l, err);
    for (size_t i = 0; l && i < l->count; i++) {
        const struct ia_sim *sim = &l->sims[i];
        bool usable = sim->available && strcmp(sim->platform, "iOS") == 0;
        n += usable;
        if (usable && sim->state == IA_SIM_BOOTED && booted++ < NAMED_MAX) {
            ia_buf_printf(detail, "%s%s, %s", booted > 1 ? "; " : "booted: ", sim->name,
                          sim->runtime);
        }
    }
    if (l && n == 0) {
        *ret_warn = true;
        ia_buf_puts(detail, "none for iOS. Fix: xcrun simctl create \"iPhone\" TYPE RUNTIME, "
                            "or Xcode's Devices and Simulators window");
    } else if (l) {
        ia_buf_printf(detail, "%s%zu for iOS, %zu booted", booted > 0 ? "; " : "", n, booted);
    }
    return rc;
}
