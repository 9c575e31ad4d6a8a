/* sim_name.c: asks simctl which simulator a name means. */
#include "driver/registry/sim_name.h"

#include "base/clock.h"
#include "driver/registry/device_registry.h"
#include "driver/simctl/simctl.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { FIND_US = 60 * 1000000, FRESH_US = 5 * 1000000 };

/* Whether no kind of device has a name like that one. */
static bool is_foreign(const char *name, struct ia_err *err)
{
    struct ia_device_spec spec = {.kind = NULL};
    enum ia_rc rc = ia_device_spec_find(name, NULL, &spec, err);
    ia_device_spec_fini(&spec);
    return rc == IA_E_NO_DEVICE && !strchr(name, ':');
}

/* name NULL: the booted one. */
static enum ia_rc find(const char *name, struct ia_buf *ret, struct ia_err *err)
{
    struct ia_simctl *ctl = ia_simctl_new();
    struct ia_deadline deadline = {NULL, ia_mono_us(ia_clock_system()) + FIND_US};
    struct ia_sim_query query = {.name = name};
    struct ia_sim_found found;
    enum ia_rc rc = ia_simctl_find(ctl, &deadline, &query, &found, err);
    if (rc == IA_OK) {
        ia_buf_printf(ret, "bridge:%s", found.sim->udid);
    }
    ia_simctl_free(ctl);
    return rc;
}

enum ia_rc ia_sim_device_name(const char *name, struct ia_buf *ret, struct ia_err *err)
{
    struct ia_err unknown = {.code = IA_OK};
    if (!is_foreign(name, &unknown)) {
        ia_buf_puts(ret, name);
        return IA_OK;
    }
    enum ia_rc rc = find(name, ret, err);
    if (rc == IA_E_MISSING) { /* no Xcode, no simulators */
        *err = unknown;
        rc = unknown.code;
    }
    return rc;
}

/* What the last look found: a simulator, or none. */
static struct {
    pthread_mutex_t mutex;
    int64_t at_us; /* 0: never */
    char name[IA_DEVICE_NAME_MAX];
} last = {.mutex = PTHREAD_MUTEX_INITIALIZER};

/* With the mutex in hand. */
static enum ia_rc look(struct ia_err *err)
{
    struct ia_buf name = IA_BUF(sizeof(last.name) - 1);
    struct ia_err none;
    enum ia_rc rc = find(NULL, &name, &none);
    /* Without Xcode, or a simulator that is booted, the simulated phone is meant. Where nobody knows
     * whether there is one, nothing may go to another device than yesterday. */
    bool known = rc == IA_OK || rc == IA_E_MISSING || rc == IA_E_NO_DEVICE;
    if (!known && err) {
        *err = none;
    } else if (known) {
        last.at_us = ia_mono_us(ia_clock_system());
        (void)snprintf(last.name, sizeof(last.name), "%s",
                       rc == IA_OK ? ia_buf_cstr(&name) : IA_DEVICE_EMBEDDED);
        rc = IA_OK;
    }
    ia_buf_fini(&name);
    return rc;
}

enum ia_rc ia_sim_device_default(struct ia_buf *ret, struct ia_err *err)
{
    enum ia_rc rc = IA_OK;
    pthread_mutex_lock(&last.mutex);
    if (last.at_us == 0 || ia_mono_us(ia_clock_system()) - last.at_us > FRESH_US) {
        rc = look(err);
    }
    if (rc == IA_OK) {
        ia_buf_puts(ret, last.name);
    }
    pthread_mutex_unlock(&last.mutex);
    return rc;
}
