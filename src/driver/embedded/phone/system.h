/* system.h: what a phone's system was told beside touches: its status bar, permissions, location,
 * notifications, photos, pasteboard. */
#ifndef IA_DRIVER_EMBEDDED_PHONE_SYSTEM_H
#define IA_DRIVER_EMBEDDED_PHONE_SYSTEM_H

#include "driver/system.h"

struct ia_phone;

enum { IA_NOTICES_MAX = 20, IA_MEDIA_MAX = 100, IA_NOTICE_BYTES_MAX = 256 };
enum { IA_SYSTEM_APPS_MAX = 12 };
/* How long a banner stays, by the phone's clock. */
enum { IA_BANNER_MS = 5000 };

struct ia_notice {
    int app;
    int32_t arg; /* passed to the app's open_notice */
    char *title, *body;
};

struct ia_system {
    struct ia_status_bar bar; /* what is overridden; the texts are its own */
    /* Sets of services, by their number, for each app, and last for IA_NATIVE_APP. */
    struct {
        uint32_t granted, denied;
    } permissions[IA_SYSTEM_APPS_MAX + 1];
    bool placed;
    struct ia_location location;
    struct ia_notice notices[IA_NOTICES_MAX]; /* oldest first; opened ones are gone */
    int notice_count;
    int64_t banner_until_ms;        /* the newest of them stands at the top of the screen */
    char *media[IA_MEDIA_MAX];      /* names of files */
    int64_t media_ms[IA_MEDIA_MAX]; /* when each came, by the phone's clock */
    int media_count;
    char *pasteboard; /* NULL: empty */
    bool menu;        /* the focused field offers to paste it */
};

/* LIMITED: a part of the contacts or photos alone. */
enum ia_permission {
    IA_PERMISSION_UNASKED,
    IA_PERMISSION_GRANTED,
    IA_PERMISSION_DENIED,
    IA_PERMISSION_LIMITED
};
/* The permissions of IA_NATIVE_APP (driver/native.h), which is no app on the screen. */
enum { IA_PERMISSIONS_NATIVE = IA_SYSTEM_APPS_MAX };

void ia_system_init(struct ia_system *s);
void ia_system_fini(struct ia_system *s);

/* Adds overrides to those that are there; an empty text takes all of them away. json has passed
 * ia_status_bar_read. */
void ia_system_set_bar(struct ia_system *s, struct ia_str json);
/* The number of a service: of ia_privacy_service, or of those that only the phone's own prompts permit:
 * "photos-limited", "health", "home". -1: there is none. */
int ia_system_service(struct ia_str service);
/* Whose permissions those of a bundle id are: an app's index, or IA_PERMISSIONS_NATIVE; -1: nobody's. */
int ia_system_holder(struct ia_str bundle_id);
/* app -1: every one. A service with a limited form ("contacts", "contacts-limited") changes both. */
void ia_system_permit(struct ia_system *s, enum ia_privacy set, int app, int service);
enum ia_permission ia_system_permission(const struct ia_system *s, int app,
                                        const char *service);
/* The payload has passed ia_push_check. The oldest notice gives way when there are too many. */
void ia_phone_notify(struct ia_phone *p, int app, struct ia_str payload);
/* Posts a notification of an app of the phone. shown: as a banner, unless Do Not Disturb is on. */
void ia_phone_post(struct ia_phone *p, const struct ia_notice *notice, bool shown);
/* The notice on the screen; NULL: none. */
const struct ia_notice *ia_phone_banner(const struct ia_phone *p);
/* Removes the banner and returns its notice without texts; false if there is none. */
bool ia_phone_take_banner(struct ia_phone *p, struct ia_notice *ret);
void ia_system_add_media(struct ia_system *s, struct ia_str name, int64_t now_ms);
void ia_system_set_pasteboard(struct ia_system *s, struct ia_str text);

/* "status_bar":{…}|null,"privacy":[{"app","service","granted"}…],"location":{"latitude",
 * "longitude"}|null,"notifications":[{"app","title","body"}…],"banner":false,"media":["a.png"…],
 * "pasteboard":"…" */
void ia_phone_system_json(const struct ia_phone *p, struct ia_jsonw *w);

#endif
