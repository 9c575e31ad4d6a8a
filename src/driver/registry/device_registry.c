#include "driver/registry/device_registry.h"

#include "base/fd.h"
#include "driver/registry/runner_supervisor.h"
#include "driver/simctl/list.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char embedded_kind[] = "embedded", bridge_kind[] = "bridge:";
static const char token_variable[] = "IOS_AGENT_DEVICE_TOKEN";

static enum ia_rc unknown(const char *name, struct ia_err *err)
{
    enum ia_rc rc = ia_err_set(err, IA_E_NO_DEVICE, "there is no device \"%s\"", name);
    ia_err_hint(err,
                "--device embedded, or embedded:NAME for another simulated phone; "
                "bridge:UDID for a simulator, bridge:HOST:PORT for what a bridge listens for");
    return rc;
}

/* ---- simulated phones -------------------------------------------------------------------- */

static enum ia_rc find_embedded(const char *name, const struct ia_paths *paths,
                                struct ia_device_spec *ret, struct ia_err *err)
{
    size_t n = sizeof(embedded_kind) - 1;
    const char *phone = name[n] == ':' ? name + n + 1 : "default";
    size_t len = name[n] == ':' ? strcspn(phone, "?") : strlen(phone);
    const char *query = strchr(name, '?');
    if (len == 0 || len >= sizeof(ret->name)) {
        return unknown(name, err);
    }
    *ret = (struct ia_device_spec){.bridge = false};
    memcpy(ret->name, phone, len);
    enum ia_rc rc = ia_embedded_check(query ? query + 1 : NULL, err);
    if (rc == IA_OK) {
        rc = ia_embedded_check_name(ret->name, err);
    }
    if (rc != IA_OK) {
        return rc;
    }
    ret->query = ia_strdup(query ? query + 1 : "");
    ret->folder = ia_path_join(paths->home, "embedded");
    return IA_OK;
}

static enum ia_rc open_embedded(const struct ia_device_spec *p, bool fresh,
                                struct ia_device **ret, struct ia_err *err)
{
    struct ia_embedded_options opt = {
        .folder = p->folder, .name = p->name, .query = p->query, .fresh = fresh};
    enum ia_rc rc = ia_mkdirs(p->folder, err);
    return rc == IA_OK ? ia_embedded_open(&opt, ret, err) : rc;
}

/* ---- bridges ----------------------------------------------------------------------------- */

/* "bridge:UDID". simctl writes UDIDs in capitals, and so does a runner say it. */
static bool find_runner(const char *name, const struct ia_paths *paths,
                        struct ia_device_spec *ret)
{
    const char *udid = name + sizeof(bridge_kind) - 1;
    if (!ia_sim_is_udid(udid)) {
        return false;
    }
    *ret = (struct ia_device_spec){.bridge = true, .runner = true, .paths = paths};
    for (size_t i = 0; udid[i] != '\0' && i + 1 < sizeof(ret->name); i++) {
        ret->name[i] = (char)toupper((unsigned char)udid[i]);
    }
    return true;
}

static enum ia_rc find_bridge(const char *name, struct ia_device_spec *ret, struct ia_err *err)
{
    static const char key[] = "token-file=";
    const char *where = name + sizeof(bridge_kind) - 1;
    size_t len = strcspn(where, "?");
    const char *query = where[len] == '?' ? where + len + 1 : NULL;
    struct ia_device_spec p = {.bridge = true};
    if (len >= sizeof(p.name)) {
        return unknown(name, err);
    }
    memcpy(p.name, where, len);
    enum ia_rc rc = ia_bridge_client_place_parse(p.name, &p.place, err);
    if (rc == IA_OK && query &&
        (strncmp(query, key, sizeof(key) - 1) != 0 || !query[sizeof(key) - 1])) {
        rc = ia_err_set(err, IA_E_USAGE, "--device %.100s: a bridge takes no \"%.60s\"", name,
                        query);
        ia_err_hint(err,
                    "bridge:HOST:PORT?token-file=FILE, with the file that holds its token");
    }
    if (rc == IA_OK) {
        p.token_file = query ? ia_strdup(query + sizeof(key) - 1) : NULL;
        *ret = p;
    }
    return rc;
}

/* The token is one line; what stands around it does not belong to it. Without a file it comes
 * from the environment, if there is one. */
static enum ia_rc read_token(const char *path, struct ia_bridge_client_place *place,
                             struct ia_err *err)
{
    struct ia_buf text = IA_BUF(sizeof(place->token));
    enum ia_rc rc = IA_OK;
    if (path) {
        rc = ia_file_read(path, &text, err);
    } else {
        ia_buf_puts(&text, getenv(token_variable));
    }
    const char *p = ia_buf_cstr(&text);
    size_t n = strcspn(p, "\r\n");
    if (rc == IA_OK && (path ? n == 0 : !ia_buf_ok(&text) || n == sizeof(place->token))) {
        rc = ia_err_set(err, IA_E_USAGE, "%s holds no token", path ? path : token_variable);
    }
    if (rc == IA_OK) {
        memcpy(place->token, p, n);
        place->token[n] = '\0';
    }
    ia_buf_fini(&text);
    return rc;
}

static enum ia_rc open_bridge(const struct ia_device_spec *p,
                              const struct ia_deadline *deadline, bool fresh,
                              struct ia_device **ret, struct ia_err *err)
{
    struct ia_bridge_client_options opt = {.place = p->place,
                                           .client = "ios-agent " IA_VERSION};
    struct ia_device *d = NULL;
    enum ia_rc rc = p->runner ? ia_runner_supervisor_take(p->paths, p->name, &opt, err)
                              : read_token(p->token_file, &opt.place, err);
    if (rc == IA_OK) {
        rc = ia_bridge_client_open(&opt, deadline, &d, err);
    }
    if (rc == IA_OK && fresh) {
        rc = ia_device_reset(d, deadline, err);
    }
    if (rc != IA_OK) {
        ia_device_close(d);
        return rc;
    }
    *ret = d;
    return IA_OK;
}

/* ---- either ------------------------------------------------------------------------------ */

enum ia_rc ia_device_spec_find(const char *name, const struct ia_paths *paths,
                               struct ia_device_spec *ret, struct ia_err *err)
{
    size_t n = sizeof(embedded_kind) - 1;
    if (strncmp(name, bridge_kind, sizeof(bridge_kind) - 1) == 0) {
        return find_runner(name, paths, ret) ? IA_OK : find_bridge(name, ret, err);
    }
    if (strncmp(name, embedded_kind, n) != 0 || !strchr(":?", name[n])) {
        return unknown(name, err);
    }
    return find_embedded(name, paths, ret, err);
}

void ia_device_spec_fini(struct ia_device_spec *p)
{
    free(p->folder);
    free(p->query);
    free(p->token_file);
    p->folder = p->query = p->token_file = NULL;
}

void ia_device_spec_lane(const struct ia_device_spec *p, struct ia_buf *out)
{
    ia_buf_printf(out, "%s:%s", p->bridge ? "bridge" : "embedded", p->name);
}

enum ia_rc ia_device_spec_open(const struct ia_device_spec *p,
                               const struct ia_deadline *deadline, bool fresh,
                               struct ia_device **ret, struct ia_err *err)
{
    return p->bridge ? open_bridge(p, deadline, fresh, ret, err)
                     : open_embedded(p, fresh, ret, err);
}
