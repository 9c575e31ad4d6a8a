/* native.h: what can be asked of a phone's own data and services, without its screen.
 *
 * One table of actions for everybody: the host checks arguments by it, the wire carries an action as
 * its number, and a back end has one function for each that it performs. Arguments and answers are
 * JSON objects. */
#ifndef IA_WIRE_NATIVE_H
#define IA_WIRE_NATIVE_H

#include <stdbool.h>
#include <stddef.h>

/* Caps, in bytes: an action's arguments, one text in them, its answer. At most so many items in an
 * answer; "more" says how many others there are. */
enum {
    IA_NATIVE_ARGS_MAX = 4096,
    IA_NATIVE_TEXT_MAX = 1024,
    IA_NATIVE_ANSWER_MAX = 256 << 10,
    IA_NATIVE_ITEMS_MAX = 50,
    IA_NATIVE_DEPTH_MAX = 8 /* of an answer; arguments have depth 1 */
};

/* X(NAME, service, action, whether it changes something, arguments, answer)
 *
 * Arguments: "name:kind", with "!" where one is required. Kinds: s text; d a day, "2025-09-09"; t a time,
 * "2025-09-09T14:00", in the phone's own time zone, or a day; n a number; b true or false.
 * Append only: the numbers are the wire's. */
#define IA_NATIVE_LIST(X)                                                                      \
    X(DEVICE_SERVICES, "device", "services", false, "",                                        \
      "{\"services\":[{\"service\",\"can\",\"why\"}]}: what this phone can do, and why not")   \
    X(CALENDAR_READ, "calendar", "read", false, "from:t to:t query:s",                         \
      "{\"events\":[{\"id\",\"title\",\"start\",\"end\",\"all_day\",\"location\",\"notes\","   \
      "\"calendar\"}]}; by default the next 30 days")                                          \
    X(CALENDAR_CREATE, "calendar", "create", true,                                             \
      "title:s! start:t! end:t notes:s location:s",                                            \
      "{\"event\":{...}}; without an end: "                                                    \
      "an hour, or for a day the whole day")                                                   \
    X(CALENDAR_UPDATE, "calendar", "update", true,                                             \
      "id:s! title:s start:t end:t notes:s location:s", "{\"event\":{...}}")                   \
    X(CALENDAR_DELETE, "calendar", "delete", true, "id:s!", "{\"deleted\":{...}}")             \
    X(REMINDER_LISTS, "reminder", "lists", false, "", "{\"lists\":[\"name\"]}")                \
    X(REMINDER_READ, "reminder", "read", false, "list:s completed:b query:s",                  \
      "{\"reminders\":[{\"id\",\"title\",\"notes\",\"list\",\"due\",\"completed\"}]}")         \
    X(REMINDER_CREATE, "reminder", "create", true, "title:s! notes:s due:d list:s",            \
      "{\"reminder\":{...}}")                                                                  \
    X(REMINDER_UPDATE, "reminder", "update", true,                                             \
      "id:s! title:s notes:s due:d list:s completed:b", "{\"reminder\":{...}}")                \
    X(REMINDER_ADD_LIST, "reminder", "add_list", true, "name:s!", "{\"list\":\"name\"}")       \
    X(CONTACT_SEARCH, "contact", "search", false, "query:s!",                                  \
      "{\"contacts\":[{\"id\",\"first\",\"last\",\"phone\",\"email\"}]}: by name, number "     \
      "or e-mail address")                                                                     \
    X(CONTACT_CREATE, "contact", "create", true, "first:s last:s phone:s email:s",             \
      "{\"contact\":{...}}")                                                                   \
    X(PHOTO_ALBUMS, "photo", "albums", false, "", "{\"albums\":[{\"album\",\"count\"}]}")      \
    X(PHOTO_SEARCH, "photo", "search", false, "from:d to:d album:s kind:s",                    \
      "{\"photos\":[{\"id\",\"name\",\"kind\",\"taken\",\"album\",\"width\",\"height\"}]}, "   \
      "the newest first; kind is photo or video")                                              \
    X(HEALTH_QUERY, "health", "query", false, "type:s! from:d to:d",                           \
      "{\"type\",\"unit\",\"days\":[{\"day\",\"value\"}]}; type is steps, heart_rate, "        \
      "sleep, distance or energy; by default the last 7 days")                                 \
    X(HOME_DEVICES, "home", "devices", false, "",                                              \
      "{\"devices\":[{\"device\",\"room\",\"kind\",\"on\",\"value\",\"actions\"}]}")           \
    X(HOME_CONTROL, "home", "control", true, "device:s! action:s! value:n",                    \
      "{\"device\":{...}}; actions: on, off, set, lock, unlock")                               \
    X(MUSIC_SEARCH, "music", "search", false, "query:s!",                                      \
      "{\"songs\":[{\"id\",\"title\",\"artist\",\"album\",\"seconds\"}]}")                     \
    X(MUSIC_STATUS, "music", "status", false, "",                                              \
      "{\"playing\",\"song\":{...},\"queue\":[{...}]}")                                        \
    X(MUSIC_PLAY, "music", "play", true, "query:s",                                            \
      "{\"playing\",\"song\":{...}}; without a query: goes on")                                \
    X(MUSIC_QUEUE, "music", "queue", true, "query:s!", "{\"queued\":{...}}")                   \
    X(MUSIC_PAUSE, "music", "pause", true, "", "{\"playing\":false}")                          \
    X(LOCATION_HERE, "location", "here", false, "", "{\"latitude\",\"longitude\"}")            \
    X(LOCATION_GEOCODE, "location", "geocode", false, "query:s!",                              \
      "{\"places\":[{\"name\",\"address\",\"latitude\",\"longitude\"}]}: of an address")       \
    X(LOCATION_REVERSE, "location", "reverse", false, "latitude:n! longitude:n!",              \
      "{\"places\":[{...}]}: what is there")                                                   \
    X(LOCATION_SEARCH, "location", "search", false, "query:s! latitude:n longitude:n",         \
      "{\"places\":[{...,\"metres\"}]}: what is called so, the nearest first")                 \
    X(SHORTCUTS_LIST, "shortcuts", "list", false, "",                                          \
      "{\"shortcuts\":[{\"name\",\"steps\",\"input\"}]}")

enum ia_native {
#define IA_NATIVE_ENUM(name, service, action, effect, args, answer) IA_NATIVE_##name,
    IA_NATIVE_LIST(IA_NATIVE_ENUM)
#undef IA_NATIVE_ENUM
        IA_NATIVE_COUNT
};

struct ia_native_action {
    const char *name; /* "calendar.create" */
    const char *service, *action;
    const char *args, *answer; /* as above */
    bool effect;
};
extern const struct ia_native_action ia_native_actions[IA_NATIVE_COUNT];

/* The action's number; -1: there is none. */
int ia_native_find(const char *service, const char *action);

enum ia_native_kind {
    IA_NATIVE_TEXT = 's',
    IA_NATIVE_DAY = 'd',
    IA_NATIVE_TIME = 't',
    IA_NATIVE_NUMBER = 'n',
    IA_NATIVE_BOOL = 'b'
};
struct ia_native_arg {
    char name[16];
    char kind; /* enum ia_native_kind */
    bool required;
};
/* The argument that *at begins with; moves *at on. false: there are no more. Begin with the action's
 * args. */
bool ia_native_next_arg(const char **at, struct ia_native_arg *ret);

#endif
