/* native.h: native actions (driver/native.h) on this phone: what they read and change is the data of its
 * apps, and what the phone asks its owner before.
 *
 *   native.c    which permission an action needs; checking and doing one
 *   prompt.c    the questions to the owner
 *   diary.c     calendar and reminders      people.c   contacts
 *   library.c   photos, music, shortcuts    world.c    home, health, places */
#ifndef IA_DRIVER_EMBEDDED_APPS_NATIVE_NATIVE_H
#define IA_DRIVER_EMBEDDED_APPS_NATIVE_NATIVE_H

#include "driver/embedded/phone/phone.h"
#include "driver/native.h"

/* The service that must be permitted before the action; NULL: none. */
const char *ia_phone_native_service(enum ia_native action);
/* What a reading answers: the members of an object, which the caller opens and closes. args have passed
 * ia_native_parse. IA_E_FORBIDDEN where it is not permitted, with retry_safe where it was not asked yet. */
enum ia_rc ia_phone_native_read(const struct ia_phone *p, enum ia_native action,
                                const struct json_t *args, struct ia_jsonw *w,
                                struct ia_err *err);
/* Whether an action with an effect can be done now: every refusal. */
enum ia_rc ia_phone_native_check(const struct ia_phone *p, enum ia_native action,
                                 struct ia_str args, struct ia_err *err);
/* Does what that allowed; p->answer is the object that it answers. */
void ia_phone_native_act(struct ia_phone *p, enum ia_native action, struct ia_str args);

/* Whether the system can ask for that service now: nobody has answered it, and no alert is there. */
enum ia_rc ia_phone_native_may_ask(const struct ia_phone *p, struct ia_str service,
                                   struct ia_err *err);
/* Whether that very question is on the screen. */
bool ia_phone_native_asking(const struct ia_phone *p, struct ia_str service);
void ia_phone_native_ask(struct ia_phone *p, struct ia_str service);

/* ---- within this folder ---- */

/* One call. Its function refuses through err, and where w is NULL does nothing more: it is only asked
 * whether it could. */
struct ia_native_call {
    struct ia_phone *p;
    const struct json_t *args;
    struct ia_jsonw *w;
    struct ia_err *err;
    bool limited; /* a part of the contacts or photos is permitted, no more */
};
typedef enum ia_rc ia_native_fn(struct ia_native_call *c);

/* X(NAME of enum ia_native, its function) */
#define IA_PHONE_NATIVE_LIST(X)                                                                \
    X(DEVICE_SERVICES, services)                                                               \
    X(CALENDAR_READ, calendar_read)                                                            \
    X(CALENDAR_CREATE, calendar_create)                                                        \
    X(CALENDAR_UPDATE, calendar_update)                                                        \
    X(CALENDAR_DELETE, calendar_delete)                                                        \
    X(REMINDER_LISTS, reminder_lists)                                                          \
    X(REMINDER_READ, reminder_read)                                                            \
    X(REMINDER_CREATE, reminder_create)                                                        \
    X(REMINDER_UPDATE, reminder_update)                                                        \
    X(REMINDER_ADD_LIST, reminder_add_list)                                                    \
    X(CONTACT_SEARCH, contact_search)                                                          \
    X(CONTACT_CREATE, contact_create)                                                          \
    X(PHOTO_ALBUMS, photo_albums)                                                              \
    X(PHOTO_SEARCH, photo_search)                                                              \
    X(HEALTH_QUERY, health_query)                                                              \
    X(HOME_DEVICES, home_devices)                                                              \
    X(HOME_CONTROL, home_control)                                                              \
    X(MUSIC_SEARCH, music_search)                                                              \
    X(MUSIC_STATUS, music_status)                                                              \
    X(MUSIC_PLAY, music_play)                                                                  \
    X(MUSIC_QUEUE, music_queue)                                                                \
    X(MUSIC_PAUSE, music_pause)                                                                \
    X(LOCATION_HERE, location_here)                                                            \
    X(LOCATION_GEOCODE, location_geocode)                                                      \
    X(LOCATION_REVERSE, location_reverse)                                                      \
    X(LOCATION_SEARCH, location_search)                                                        \
    X(SHORTCUTS_LIST, shortcuts_list)
#define IA_PHONE_NATIVE_FN(name, fn) ia_native_fn ia_native_##fn;
IA_PHONE_NATIVE_LIST(IA_PHONE_NATIVE_FN)
#undef IA_PHONE_NATIVE_FN

/* ---- args.c: arguments, and lists in answers ---- */

bool ia_native_has(const struct ia_native_call *c, const char *name);
const char *ia_native_text(const struct ia_native_call *c, const char *name); /* "": none */
/* false, and nothing is set: there is none. */
bool ia_native_when(const struct ia_native_call *c, const char *name, int64_t *ret_ms,
                    bool *ret_day);
/* The span "from" to "to", a day up to its end: those that are not given as they come in. IA_E_USAGE for
 * an end before the beginning. */
enum ia_rc ia_native_span(const struct ia_native_call *c, int64_t *from_ms, int64_t *to_ms);
/* The id of an argument "id"; 0: it is none of ours. */
int32_t ia_native_id(const struct ia_native_call *c);
enum ia_rc ia_native_missing(const struct ia_native_call *c, const char *what,
                             const char *name);
/* Writes the member "id". */
void ia_native_put_id(struct ia_jsonw *w, int32_t id);

/* Writes "key":[{...},...] of at most IA_NATIVE_ITEMS_MAX, and "more" where there are others:
 *     ia_native_list_begin; for each: if (ia_native_list_item) { members; ia_jsonw_end_object; }; _end */
struct ia_native_list {
    struct ia_jsonw *w;
    int n;
};
struct ia_native_list ia_native_list_begin(struct ia_jsonw *w, const char *key);
bool ia_native_list_item(struct ia_native_list *l);
void ia_native_list_end(struct ia_native_list *l);

#endif
