/* lockdown_child.c: libimobiledevice, loaded on first use; runs in a child process alone.
 *
 *   idevice_new ─► lockdownd ─► name, version, type     without a session
 *                      └─ paired ─► session ─► developer mode, developer image */
#include "driver/usbmux/lockdown.h"

#include "base/jsonw.h"
#include "base/lazylib.h"

#include <libimobiledevice/libimobiledevice.h>
#include <libimobiledevice/lockdown.h>
#include <libimobiledevice/mobile_image_mounter.h>
#include <stdlib.h>

/* Those of libplist are found through libimobiledevice, which depends on it. */
#define SYMS(X)                                                                                \
    X(idevice_new_with_options)                                                                \
    X(idevice_free)                                                                            \
    X(lockdownd_client_new)                                                                    \
    X(lockdownd_client_new_with_handshake)                                                     \
    X(lockdownd_client_free)                                                                   \
    X(lockdownd_get_value)                                                                     \
    X(mobile_image_mounter_start_service)                                                      \
    X(mobile_image_mounter_lookup_image)                                                       \
    X(mobile_image_mounter_hangup)                                                             \
    X(mobile_image_mounter_free)                                                               \
    X(plist_get_node_type)                                                                     \
    X(plist_get_string_val)                                                                    \
    X(plist_get_bool_val)                                                                      \
    X(plist_dict_get_item)                                                                     \
    X(plist_array_get_size)                                                                    \
    X(plist_free)

struct imobiledevice {
    SYMS(IA_LAZY_FIELD)
};

static struct imobiledevice lib;
static const char label[] = "ios-agent";

static enum ia_rc load(struct ia_err *err)
{
#define ROW(fn) IA_LAZY_ROW(struct imobiledevice, fn),
    static const struct ia_lazy_sym syms[] = {SYMS(ROW)};
#undef ROW
    static const char *const names[] = {"libimobiledevice-1.0.so.6",
                                        "libimobiledevice-1.0.6.dylib", NULL};
    return ia_lazy_load(names, syms, IA_COUNTOF(syms), &lib, err);
}

static void put_text(struct ia_jsonw *w, lockdownd_client_t client, const char *key,
                     const char *as)
{
    plist_t value = NULL;
    char *text = NULL;
    (void)lib.lockdownd_get_value_(client, NULL, key, &value);
    if (value && lib.plist_get_node_type_(value) == PLIST_STRING) {
        lib.plist_get_string_val_(value, &text);
    }
    if (text) {
        ia_jsonw_kv(w, as, text);
    }
    free(text); /* libplist's plist_mem_free is free */
    lib.plist_free_(value);
}

static void put_developer_mode(struct ia_jsonw *w, lockdownd_client_t client)
{
    plist_t value = NULL;
    uint8_t on = 0;
    (void)lib.lockdownd_get_value_(client, "com.apple.security.mac.amfi", "DeveloperModeStatus",
                                   &value);
    if (value && lib.plist_get_node_type_(value) == PLIST_BOOLEAN) {
        lib.plist_get_bool_val_(value, &on);
        ia_jsonw_kv_bool(w, "developer_mode", on != 0);
    }
    lib.plist_free_(value);
}

/* Either form of the answer: a flag (iOS 16 and older), or the signatures of what is mounted. */
static bool has_image(plist_t answer)
{
    plist_t present = lib.plist_dict_get_item_(answer, "ImagePresent");
    plist_t signature = lib.plist_dict_get_item_(answer, "ImageSignature");
    uint8_t flag = 0;
    if (present && lib.plist_get_node_type_(present) == PLIST_BOOLEAN) {
        lib.plist_get_bool_val_(present, &flag);
    }
    if (signature && lib.plist_get_node_type_(signature) == PLIST_ARRAY) {
        return flag || lib.plist_array_get_size_(signature) > 0;
    }
    return flag || signature;
}

static void put_image(struct ia_jsonw *w, idevice_t device)
{
    static const char *const types[] = {"Personalized", "Developer"};
    mobile_image_mounter_client_t client = NULL;
    bool answered = false, found = false;
    if (lib.mobile_image_mounter_start_service_(device, &client, label) !=
        MOBILE_IMAGE_MOUNTER_E_SUCCESS) {
        return;
    }
    for (size_t i = 0; i < IA_COUNTOF(types) && !found; i++) {
        plist_t answer = NULL;
        bool ok = lib.mobile_image_mounter_lookup_image_(client, types[i], &answer) ==
                  MOBILE_IMAGE_MOUNTER_E_SUCCESS;
        answered = answered || ok;
        found = ok && answer && has_image(answer);
        lib.plist_free_(answer);
    }
    (void)lib.mobile_image_mounter_hangup_(client);
    (void)lib.mobile_image_mounter_free_(client);
    if (answered) {
        ia_jsonw_kv_bool(w, "image", found);
    }
}

static enum ia_lockdown_trust trust(lockdownd_error_t e)
{
    switch (e) {
    case LOCKDOWN_E_SUCCESS:
        return IA_TRUSTED;
    case LOCKDOWN_E_PAIRING_DIALOG_RESPONSE_PENDING:
        return IA_TRUST_ASKING;
    case LOCKDOWN_E_PASSWORD_PROTECTED:
        return IA_TRUST_LOCKED;
    case LOCKDOWN_E_INVALID_HOST_ID:
    case LOCKDOWN_E_USER_DENIED_PAIRING:
    case LOCKDOWN_E_MISSING_PAIR_RECORD:
    case LOCKDOWN_E_INVALID_PAIR_RECORD:
        return IA_TRUST_NONE;
    default:
        return IA_TRUST_UNKNOWN;
    }
}

static void put_session(struct ia_jsonw *w, idevice_t device)
{
    lockdownd_client_t client = NULL;
    lockdownd_error_t e = lib.lockdownd_client_new_with_handshake_(device, &client, label);
    ia_jsonw_kv(w, "trust", ia_lockdown_trust_word(trust(e)));
    if (e != LOCKDOWN_E_SUCCESS) {
        return;
    }
    put_developer_mode(w, client);
    (void)lib.lockdownd_client_free_(client);
    put_image(w, device);
}

enum ia_rc ia_lockdown_ask(const char *udid, bool paired, struct ia_buf *out,
                           struct ia_err *err)
{
    idevice_t device = NULL;
    lockdownd_client_t client = NULL;
    enum ia_rc rc = load(err);
    if (rc != IA_OK) {
        return rc;
    }
    struct ia_jsonw w;
    ia_jsonw_init(&w, out);
    ia_jsonw_object(&w);
    bool found =
        lib.idevice_new_with_options_(
            &device, udid, IDEVICE_LOOKUP_USBMUX | IDEVICE_LOOKUP_NETWORK) == IDEVICE_E_SUCCESS;
    if (found && lib.lockdownd_client_new_(device, &client, label) == LOCKDOWN_E_SUCCESS) {
        put_text(&w, client, "DeviceName", "name");
        put_text(&w, client, "ProductVersion", "version");
        put_text(&w, client, "ProductType", "type");
        (void)lib.lockdownd_client_free_(client);
    }
    if (found && paired) {
        put_session(&w, device);
    }
    if (found) {
        (void)lib.idevice_free_(device);
    }
    ia_jsonw_end_object(&w);
    return ia_buf_check(out, "what the iPhone says", err);
}
