/* prefs.h: the phone's settings. Their keys are those of the oracle and, for switches, the
 * identifiers of the switches on the screen. */
#ifndef IA_DRIVER_EMBEDDED_PHONE_PREFS_H
#define IA_DRIVER_EMBEDDED_PHONE_PREFS_H

#include "base/jsonw.h"

/* X(name, key, factory value) */
#define IA_SWITCH_LIST(X)                                                                      \
    X(IA_PREF_AIRPLANE_MODE, "airplane_mode", false)                                           \
    X(IA_PREF_WIFI, "wifi", true)                                                              \
    X(IA_PREF_BLUETOOTH, "bluetooth", true)                                                    \
    X(IA_PREF_CELLULAR_DATA, "cellular_data", true)                                            \
    X(IA_PREF_DATA_ROAMING, "data_roaming", false)                                             \
    X(IA_PREF_NOTIFY_CONTACTS, "notifications_contacts", true)                                 \
    X(IA_PREF_NOTIFY_SUMMARY, "scheduled_summary", false)                                      \
    X(IA_PREF_KEYBOARD_CLICKS, "keyboard_clicks", true)                                        \
    X(IA_PREF_LOCK_SOUND, "lock_sound", true)                                                  \
    X(IA_PREF_DO_NOT_DISTURB, "do_not_disturb", false)                                         \
    X(IA_PREF_SHARE_DEVICES, "share_across_devices", false)                                    \
    X(IA_PREF_DARK_APPEARANCE, "dark_appearance", false)                                       \
    X(IA_PREF_TRUE_TONE, "true_tone", true)                                                    \
    X(IA_PREF_BOLD_TEXT, "bold_text", false)                                                   \
    X(IA_PREF_VOICEOVER, "voiceover", false)                                                   \
    X(IA_PREF_ZOOM, "zoom", false)                                                             \
    X(IA_PREF_REDUCE_MOTION, "reduce_motion", false)                                           \
    X(IA_PREF_LOCATION, "location_services", true)                                             \
    X(IA_PREF_TRACKING, "allow_tracking", false)                                               \
    X(IA_PREF_ANALYTICS, "share_analytics", false)                                             \
    X(IA_PREF_BATTERY_PERCENT, "battery_percentage", false)                                    \
    X(IA_PREF_LOW_POWER, "low_power_mode", false)                                              \
    X(IA_PREF_HOUR_24, "twenty_four_hour_time", false)                                         \
    X(IA_PREF_AUTO_CAPS, "auto_capitalization", true)                                          \
    X(IA_PREF_AUTO_CORRECT, "auto_correction", true)                                           \
    X(IA_PREF_AUTO_UPDATE, "automatic_updates", true)                                          \
    X(IA_PREF_BACKGROUND, "background_refresh", true)

enum ia_switch {
#define IA_SWITCH_ENUM(name, key, on) name,
    IA_SWITCH_LIST(IA_SWITCH_ENUM)
#undef IA_SWITCH_ENUM
        IA_SWITCH_COUNT
};

/* X(name, key, title of its screen, factory option, options, each followed by "|") */
#define IA_CHOICE_LIST(X)                                                                      \
    X(IA_CHOICE_NETWORK, "wifi_network", "Network", 0, "Home|Office|Cafe Guest|")              \
    X(IA_CHOICE_PREVIEWS, "show_previews", "Show Previews", 1, "Always|When Unlocked|Never|")  \
    X(IA_CHOICE_AUTO_LOCK, "auto_lock", "Auto-Lock", 0,                                        \
      "30 Seconds|1 Minute|2 Minutes|5 Minutes|Never|")                                        \
    X(IA_CHOICE_SORT, "contacts_sort_order", "Sort Order", 0, "Last, First|First, Last|")

enum ia_choice {
#define IA_CHOICE_ENUM(name, key, title, first, options) name,
    IA_CHOICE_LIST(IA_CHOICE_ENUM)
#undef IA_CHOICE_ENUM
        IA_CHOICE_COUNT
};

/* Levels, 0 to 100. X(name, key, label, factory value) */
#define IA_LEVEL_LIST(X)                                                                       \
    X(IA_LEVEL_BRIGHTNESS, "brightness", "Brightness", 50)                                     \
    X(IA_LEVEL_VOLUME, "volume", "Ringtone and Alerts Volume", 75)

enum ia_level {
#define IA_LEVEL_ENUM(name, key, label, level) name,
    IA_LEVEL_LIST(IA_LEVEL_ENUM)
#undef IA_LEVEL_ENUM
        IA_LEVEL_COUNT
};

enum { IA_DEVICE_NAME_BYTES = 64 };

struct ia_prefs {
    uint64_t on; /* one bit per enum ia_switch */
    uint8_t choice[IA_CHOICE_COUNT];
    uint8_t level[IA_LEVEL_COUNT];
    char name[IA_DEVICE_NAME_BYTES]; /* the phone's own name */
};

/* Factory values. */
void ia_prefs_reset(struct ia_prefs *p);
bool ia_prefs_on(const struct ia_prefs *p, enum ia_switch s);
void ia_prefs_toggle(struct ia_prefs *p, enum ia_switch s);
const char *ia_switch_key(enum ia_switch s);

const char *ia_choice_key(enum ia_choice c);
const char *ia_choice_title(enum ia_choice c);
/* Option i of a choice, or the empty string beyond the last. */
struct ia_str ia_choice_option(enum ia_choice c, int i);
struct ia_str ia_prefs_choice(const struct ia_prefs *p, enum ia_choice c);

const char *ia_level_key(enum ia_level l);
const char *ia_level_label(enum ia_level l);

/* {"airplane_mode":false,…,"auto_lock":"30 Seconds",…,"brightness":50,…,"device_name":…} */
void ia_prefs_json(const struct ia_prefs *p, struct ia_jsonw *w);

#endif
