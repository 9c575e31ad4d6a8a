/* doctor_compat.c: collects the versions that the earlier checks found, and looks them up in the table. */
#include "cli/doctor/doctor_compat.h"

#include "cli/doctor/compat.h"

#include <string.h>

/* The checks of the list itself report a list that cannot be read. */
static void add_simulators(struct ia_doctor_sims *d, struct ia_compat *c)
{
    const struct ia_sim_list *l = NULL;
    struct ia_err ignored;
    enum ia_rc rc = ia_simctl_list(d->sim.ctl, &d->sim.deadline, &l, &ignored);
    for (size_t i = 0; rc == IA_OK && i < l->runtime_count; i++) {
        const struct ia_sim_runtime *r = &l->runtimes[i];
        if (r->available && strncmp(r->name, "iOS ", 4) == 0) {
            ia_compat_add(c, IA_COMPAT_SIMULATOR, r->name + 4);
        }
    }
}

bool ia_doctor_compat(struct ia_doctor_sims *d, const char *device, struct ia_buf *detail)
{
    struct ia_compat c = {.count = 0};
    ia_compat_add(&c, IA_COMPAT_XCODE, d->xcode);
    if (c.count > 0) {
        add_simulators(d, &c);
    }
    ia_compat_read(&c, device);
    bool fails = ia_compat_check(&c, detail) > 0;
    if (detail->len == 0) {
        ia_buf_puts(detail, c.count > 0
                                ? "nothing is known against these versions"
                                : "no Xcode and no WebDriverAgent, so nothing to compare");
    }
    return fails;
}
