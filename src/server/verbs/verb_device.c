/* verb_device.c: which device a request means.
 *
 *   --device  ►  the session's own  ►  $IOS_AGENT_DEVICE  ►  the configuration where the caller
 *   stands  ►  the booted simulator  ►  the simulated phone
 *
 * A named session remembers the device that it was given, in <home>/sessions/NAME; one that was given
 * none gets a simulated phone of its own. */
#include "app/setup.h"
#include "base/fd.h"
#include "driver/registry/device_registry.h"
#include "driver/registry/sim_name.h"
#include "server/verbs/verb_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As a simulated phone's own name, which it may become. */
enum { SESSION_NAME_MAX = 32 };

static enum ia_rc check_session(const char *name, struct ia_err *err)
{
    size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-");
    if (n > 0 && n <= SESSION_NAME_MAX && name[n] == '\0') {
        return IA_OK;
    }
    return ia_err_set(err, IA_E_USAGE,
                      "a session's name is 1 to %d of a-z, 0-9 and \"-\", not \"%s\"",
                      SESSION_NAME_MAX, name);
}

static char *session_path(const struct ia_hub *hub, const char *name)
{
    char *folder = ia_path_join(ia_hub_paths(hub)->home, "sessions");
    char *path = ia_path_join(folder, name);
    free(folder);
    return path;
}

static enum ia_rc remember(const struct ia_hub *hub, const char *name, const char *device,
                           struct ia_err *err)
{
    char *folder = ia_path_join(ia_hub_paths(hub)->home, "sessions");
    char *path = session_path(hub, name);
    enum ia_rc rc = ia_mkdirs(folder, err);
    if (rc == IA_OK) {
        rc = ia_file_write_atomic(path, device, strlen(device), 0600, err);
    }
    free(path);
    free(folder);
    return rc;
}

/* IA_E_NOT_FOUND for a session that is new. */
static enum ia_rc recall(const struct ia_hub *hub, const char *name, struct ia_buf *ret,
                         struct ia_err *err)
{
    char *path = session_path(hub, name);
    enum ia_rc rc = ia_file_read(path, ret, err);
    free(path);
    return rc;
}

static enum ia_rc configured(const struct ia_verb_request *request, struct ia_buf *ret,
                             struct ia_err *err)
{
    struct ia_setup setup;
    enum ia_rc rc = ia_setup_config_in(&setup, request->cwd, err);
    if (rc == IA_OK &&
        ia_config_origin(setup.config, IA_CFG_RUN_DEVICE) == IA_CFG_FROM_DEFAULT) {
        rc = ia_sim_device_default(&request->deadline, ret, err);
    } else if (rc == IA_OK) {
        ia_device_name_absolute(ia_config_str(setup.config, IA_CFG_RUN_DEVICE), request->cwd,
                                ret);
    }
    ia_setup_close(&setup);
    return rc;
}

/* The device that was named, or is used where none was. */
static enum ia_rc named(const struct ia_verb_request *request, struct ia_buf *ret,
                        struct ia_err *err)
{
    const char *device = ia_args_text(request->args, "device");
    device = device ? device : request->device;
    if (device && *device) {
        ia_device_name_absolute(device, request->cwd, ret);
        return IA_OK;
    }
    return configured(request, ret, err);
}

static enum ia_rc of_session(const struct ia_hub *hub, const struct ia_verb_request *request,
                             const char *session, struct ia_buf *ret, struct ia_err *err)
{
    struct ia_buf before = IA_BUF(ret->max);
    bool given = ia_args_has(request->args, "device");
    enum ia_rc rc = check_session(session, err);
    rc = rc == IA_OK ? recall(hub, session, &before, err) : rc;
    bool known = rc == IA_OK;
    if (known && !given) {
        ia_buf_putstr(ret, ia_buf_str(&before));
    } else if (known || rc == IA_E_NOT_FOUND) {
        rc = named(request, ret, err);
        if (rc == IA_OK && !given && strcmp(ia_buf_cstr(ret), IA_DEVICE_EMBEDDED) == 0) {
            ia_buf_printf(ret, ":%s", session);
        }
        if (rc == IA_OK && strcmp(ia_buf_cstr(ret), ia_buf_cstr(&before)) != 0) {
            rc = remember(hub, session, ia_buf_cstr(ret), err);
        }
    }
    ia_buf_fini(&before);
    return rc;
}

enum ia_rc ia_verb_device(struct ia_hub *hub, const struct ia_verb_request *request,
                          struct ia_buf *ret, struct ia_err *err)
{
    struct ia_buf name = IA_BUF(ret->max);
    const char *session = ia_args_text(request->args, "session");
    session = session ? session : request->session;
    enum ia_rc rc = session && *session ? of_session(hub, request, session, &name, err)
                                        : named(request, &name, err);
    if (rc == IA_OK) {
        rc = ia_sim_device_name(ia_buf_cstr(&name), &request->deadline, ret, err);
    }
    ia_buf_fini(&name);
    return rc;
}
