/* prompt.c: what the system asks its owner before a program reaches the phone's data, in the words of
 * iOS. Whoever drives the phone answers as a person would: through the alert. */
#include "driver/embedded/apps/native/native.h"

#include <string.h>

static void permit(struct ia_phone *p, enum ia_privacy set, int service)
{
    ia_system_permit(&p->system, set, IA_PERMISSIONS_NATIVE, service);
}

static void on_allow(struct ia_phone *p, const struct ia_touch *t)
{
    permit(p, IA_PRIVACY_GRANT, t->arg);
}

static void on_deny(struct ia_phone *p, const struct ia_touch *t)
{
    permit(p, IA_PRIVACY_REVOKE, t->arg);
}

static void on_limit(struct ia_phone *p, const struct ia_touch *t)
{
    bool contacts = t->arg == ia_system_service(ia_str("contacts"));
    permit(p, IA_PRIVACY_GRANT,
           ia_system_service(ia_str(contacts ? "contacts-limited" : "photos-limited")));
}

#define DENY                                                                                   \
    {                                                                                          \
        "Don\xE2\x80\x99t Allow", IA_ALERT_CANCEL, on_deny                                     \
    }
#define PROMPT(wants, message_, ...)                                                           \
    {                                                                                          \
        .title = "\xE2\x80\x9Cios-agent\xE2\x80\x9D " wants, .message = (message_),            \
        .buttons = {                                                                           \
            __VA_ARGS__                                                                        \
        }                                                                                      \
    }
/* Two stand side by side, three below each other: as on iOS, and so does who answers expect them. */
#define YES_NO(wants, message, allow)                                                          \
    PROMPT(wants, message, DENY, {(allow), IA_ALERT_DEFAULT, on_allow})
#define THREE(wants, message, allow, ...)                                                      \
    PROMPT(wants, message, {(allow), IA_ALERT_DEFAULT, on_allow}, __VA_ARGS__, DENY)

static const struct {
    const char *service;
    struct ia_alert alert;
} prompts[] = {
    {"calendar", YES_NO("Would Like Full Access to Your Calendar",
                        "It reads and changes events for its runs.", "Full Access")},
    {"reminders", YES_NO("Would Like Full Access to Your Reminders",
                         "It reads and changes reminders for its runs.", "Full Access")},
    {"contacts",
     THREE("Would Like to Access Your Contacts", "It reads and adds contacts for its runs.",
           "Allow Full Access", {"Limit Access", IA_ALERT_DEFAULT, on_limit})},
    {"photos",
     THREE("Would Like to Access Your Photo Library", "It searches photos for its runs.",
           "Allow Full Access", {"Limit Access", IA_ALERT_DEFAULT, on_limit})},
    {"health",
     YES_NO("Would Like to Read Your Health Data", "Steps, heart rate, sleep.", "Allow")},
    {"home",
     YES_NO("Would Like to Access Your Home Data", "It controls accessories.", "Allow")},
    {"media-library", YES_NO("Would Like to Access Apple Music and Your Media Library",
                             "It searches and plays music.", "Allow")},
    {"location", THREE("Would Like to Use Your Location", "It asks where the phone is.",
                       "Allow While Using App", {"Allow Once", IA_ALERT_DEFAULT, on_allow})},
};

static const struct ia_alert *prompt_for(struct ia_str service)
{
    for (size_t i = 0; i < IA_COUNTOF(prompts); i++) {
        if (ia_str_is(service, prompts[i].service)) {
            return &prompts[i].alert;
        }
    }
    return NULL;
}

enum ia_rc ia_phone_native_may_ask(const struct ia_phone *p, struct ia_str service,
                                   struct ia_err *err)
{
    char name[24] = "";
    if (!prompt_for(service)) {
        return ia_err_set(err, IA_E_USAGE, "there is no such service to ask for");
    }
    memcpy(name, service.p, service.n);
    if (ia_system_permission(&p->system, IA_PERMISSIONS_NATIVE, name) !=
        IA_PERMISSION_UNASKED) {
        return ia_err_set(err, IA_E_STATE, "\"%s\" was answered before", name);
    }
    if (p->system_alert) {
        enum ia_rc rc = ia_err_set(err, IA_E_STATE, "an alert of the system is on the screen");
        ia_err_hint(err, "answer it first");
        return rc;
    }
    return IA_OK;
}

bool ia_phone_native_asking(const struct ia_phone *p, struct ia_str service)
{
    return p->system_alert && p->system_alert == prompt_for(service);
}

void ia_phone_native_ask(struct ia_phone *p, struct ia_str service)
{
    p->system_alert = prompt_for(service);
    p->system_alert_arg = ia_system_service(service);
}
