/* sim_name.c: asks simctl which simulator a name means, or the iPhones which of them. */
#include "driver/registry/sim_name.h"

#include "base/clock.h"
#include "driver/registry/device_registry.h"
#include "driver/simctl/simctl.h"
#include "driver/usbmux/lockdown.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
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

static struct ia_deadline within_find(const struct ia_deadline *until)
{
    struct ia_deadline deadline = {NULL, ia_mono_us(ia_clock_system()) + FIND_US};
    if (until) {
        deadline.cancel = until->cancel;
        deadline.at_us = until->at_us < deadline.at_us ? until->at_us : deadline.at_us;
    }
    return deadline;
}

/* name NULL: the booted one. */
static enum ia_rc find(const char *name, const struct ia_deadline *until, struct ia_buf *ret,
                       struct ia_err *err)
{
    struct ia_simctl *ctl = ia_simctl_new();
    struct ia_deadline deadline = within_find(until);
    struct ia_sim_query query = {.name = name};
    struct ia_sim_found found;
    enum ia_rc rc = ia_simctl_find(ctl, &deadline, &query, &found, err);
    if (rc == IA_OK) {
        ia_buf_printf(ret, "bridge:%s", found.sim->udid);
    }
    ia_simctl_free(ctl);
    return rc;
}

/* What stands behind "iphone:" where it is the name of one and no UDID; else NULL. *ret_query is its setting. */
static char *called(const char *name, const char **ret_query)
{
    static const char scheme[] = "iphone:", take[] = "?take";
    const char *text = name + sizeof(scheme) - 1;
    char first[IA_DEVICE_NAME_MAX], udid[IA_USBMUX_UDID_SIZE];
    if (strncmp(name, scheme, sizeof(scheme) - 1) != 0) {
        return NULL;
    }
    (void)snprintf(first, sizeof(first), "%.*s", (int)strcspn(text, "?"), text);
    if (first[0] == '\0' || ia_usbmux_udid(first, udid)) {
        return NULL;
    }
    size_t n = strlen(text), m = sizeof(take) - 1;
    bool taken = n > m && strcmp(text + n - m, take) == 0;
    char *copy = ia_strdup(text);
    copy[taken ? n - m : n] = '\0';
    *ret_query = taken ? take : "";
    return copy;
}

static enum ia_rc find_iphone(const char *text, const char *query,
                              const struct ia_deadline *until, struct ia_buf *ret,
                              struct ia_err *err)
{
    struct ia_deadline deadline = within_find(until);
    struct ia_usbmux_phone phone;
    enum ia_rc rc = ia_lockdown_find(text, &deadline, &phone, err);
    if (rc == IA_OK) {
        ia_buf_printf(ret, "iphone:%s%s", phone.udid, query);
    }
    return rc;
}

enum ia_rc ia_sim_device_name(const char *name, const struct ia_deadline *deadline,
                              struct ia_buf *ret, struct ia_err *err)
{
    struct ia_err unknown = {.code = IA_OK};
    const char *query;
    char *iphone = called(name, &query);
    if (iphone) {
        enum ia_rc rc = find_iphone(iphone, query, deadline, ret, err);
        free(iphone);
        return rc;
    }
    if (!is_foreign(name, &unknown)) {
        ia_buf_puts(ret, name);
        return IA_OK;
    }
    enum ia_rc rc = find(name, deadline, ret, err);
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

static bool read_last(struct ia_buf *ret)
{
    pthread_mutex_lock(&last.mutex);
    bool fresh = last.at_us != 0 && ia_mono_us(ia_clock_system()) - last.at_us <= FRESH_US;
    if (fresh) {
        ia_buf_puts(ret, last.name);
    }
    pthread_mutex_unlock(&last.mutex);
    return fresh;
}

static void keep_last(const char *name)
{
    pthread_mutex_lock(&last.mutex);
    last.at_us = ia_mono_us(ia_clock_system());
    (void)snprintf(last.name, sizeof(last.name), "%s", name);
    pthread_mutex_unlock(&last.mutex);
}

/* Nothing is locked while simctl is asked, which may hang: each caller has its own deadline. */
enum ia_rc ia_sim_device_default(const struct ia_deadline *deadline, struct ia_buf *ret,
                                 struct ia_err *err)
{
    if (read_last(ret)) {
        return IA_OK;
    }
    struct ia_buf name = IA_BUF(sizeof(last.name) - 1);
    enum ia_rc rc = find(NULL, deadline, &name, err);
    /* Without Xcode, or a simulator that is booted, the simulated phone is meant. Where nobody knows
     * whether there is one, nothing may go to another device than yesterday. */
    if (rc == IA_E_MISSING || rc == IA_E_NO_DEVICE) {
        ia_buf_reset(&name);
        ia_buf_puts(&name, IA_DEVICE_EMBEDDED);
        rc = IA_OK;
    }
    if (rc == IA_OK) {
        keep_last(ia_buf_cstr(&name));
        ia_buf_putstr(ret, ia_buf_str(&name));
    }
    ia_buf_fini(&name);
    return rc;
}
