/* doctor_iphones.c: asks each plugged-in iPhone as a run would ask it. */
#include "cli/doctor/doctor_iphones.h"

#include "driver/registry/device_registry.h"
#include "driver/usbmux/usbmux.h"

#include <stdio.h>

enum { ASKED_MAX = 4 }; /* each can take seconds */

static void ask(const struct ia_usbmux_phone *phone, const struct ia_paths *paths,
                struct ia_buf *detail, bool *ret_warn)
{
    char name[IA_USBMUX_UDID_SIZE + 8];
    struct ia_device_spec spec = {.kind = NULL};
    struct ia_buf line = IA_BUF(1024);
    struct ia_err err = {.code = IA_OK};
    (void)snprintf(name, sizeof(name), "iphone:%s", phone->udid);
    enum ia_rc rc = ia_device_spec_find(name, paths, &spec, &err);
    if (rc == IA_OK) {
        rc = ia_device_spec_describe(&spec, NULL, &line, &err);
    }
    if (rc == IA_OK) {
        ia_buf_printf(detail, "%s: %s", name, ia_buf_cstr(&line));
    } else {
        *ret_warn = true;
        ia_buf_printf(detail, "%s: %s. Fix: %s", name, err.msg, err.hint);
    }
    ia_device_spec_fini(&spec);
    ia_buf_fini(&line);
}

enum ia_rc ia_doctor_iphones(const struct ia_paths *paths, struct ia_buf *detail,
                             bool *ret_warn, struct ia_err *err)
{
    struct ia_usbmux_phones all;
    struct ia_err why;
    enum ia_rc rc = ia_usbmux_list(NULL, &all, &why);
    if (rc == IA_E_MISSING) {
        ia_buf_printf(detail, "none: %s. %s", why.msg, why.hint);
        return IA_OK;
    }
    if (rc != IA_OK) {
        *err = why;
        return rc;
    }
    for (size_t i = 0; i < all.count && i < ASKED_MAX; i++) {
        ia_buf_puts(detail, i > 0 ? "; " : "");
        ask(&all.phones[i], paths, detail, ret_warn);
    }
    if (all.count == 0) {
        ia_buf_puts(detail, "none is plugged in");
    } else if (all.count > ASKED_MAX) {
        ia_buf_printf(detail, "; and %zu more", all.count - ASKED_MAX);
    }
    return IA_OK;
}
