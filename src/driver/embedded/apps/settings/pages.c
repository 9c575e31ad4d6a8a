/* pages.c: every page of Settings as data. */
#include "driver/embedded/apps/settings/settings.h"

#define PAGE(page, label, ident)                                                               \
    {                                                                                          \
        IA_SET_PAGE, page, label, ident, 0, 0, 0, NULL                                         \
    }
#define PAGE_INFO(page, label, ident, info)                                                    \
    {                                                                                          \
        IA_SET_PAGE, page, label, ident, 0, 0, info, NULL                                      \
    }
#define ICON_PAGE(page, label, ident, symbol, tile, info)                                      \
    {                                                                                          \
        IA_SET_PAGE, page, label, "com.apple.settings." ident, symbol, tile, info, NULL        \
    }
#define SWITCH(pref, label)                                                                    \
    {                                                                                          \
        IA_SET_SWITCH, pref, label, NULL, 0, 0, 0, NULL                                        \
    }
#define CHOICE(choice, label)                                                                  \
    {                                                                                          \
        IA_SET_CHOICE, choice, label, NULL, 0, 0, 0, NULL                                      \
    }
#define OPTIONS(choice)                                                                        \
    {                                                                                          \
        IA_SET_OPTIONS, choice, NULL, NULL, 0, 0, 0, NULL                                      \
    }
#define LEVEL(level)                                                                           \
    {                                                                                          \
        IA_SET_LEVEL, level, NULL, NULL, 0, 0, 0, NULL                                         \
    }
#define INFO(label, ident, info)                                                               \
    {                                                                                          \
        IA_SET_INFO, info, label, ident, 0, 0, info, NULL                                      \
    }

#define SECTION(header, footer, rows)                                                          \
    {                                                                                          \
        header, footer, rows, IA_COUNTOF(rows), 0                                              \
    }
#define SECTION_IF(pref, header, footer, rows)                                                 \
    {                                                                                          \
        header, footer, rows, IA_COUNTOF(rows), 1 + (pref)                                     \
    }

static const struct ia_setting root_account[] = {
    {IA_SET_ALERT, IA_SETTINGS_ALERT_ACCOUNT, "Apple Account", "com.apple.settings.account",
     IA_SYMBOL_PERSON, IA_COLOR_GRAY, 0, "Sign in to access your iCloud data and more."},
};
static const struct ia_setting root_network[] = {
    {IA_SET_SWITCH, IA_PREF_AIRPLANE_MODE, "Airplane Mode", NULL, IA_SYMBOL_AIRPLANE,
     IA_COLOR_ORANGE, 0, NULL},
    ICON_PAGE(IA_PAGE_WIFI, "Wi-Fi", "wifi", IA_SYMBOL_WIFI, IA_COLOR_BLUE, IA_INFO_WIFI),
    ICON_PAGE(IA_PAGE_BLUETOOTH, "Bluetooth", "bluetooth", IA_SYMBOL_BLUETOOTH, IA_COLOR_BLUE,
              IA_INFO_BLUETOOTH),
    ICON_PAGE(IA_PAGE_CELLULAR, "Cellular", "cellular", IA_SYMBOL_ANTENNA, IA_COLOR_GREEN, 0),
    ICON_PAGE(IA_PAGE_BATTERY, "Battery", "battery", IA_SYMBOL_BATTERY, IA_COLOR_GREEN, 0),
};
static const struct ia_setting root_general[] = {
    ICON_PAGE(IA_PAGE_GENERAL, "General", "general", IA_SYMBOL_GEAR, IA_COLOR_GRAY, 0),
    ICON_PAGE(IA_PAGE_ACCESSIBILITY, "Accessibility", "accessibility", IA_SYMBOL_FIGURE,
              IA_COLOR_BLUE, 0),
    ICON_PAGE(IA_PAGE_DISPLAY, "Display & Brightness", "display", IA_SYMBOL_SUN, IA_COLOR_BLUE,
              0),
};
static const struct ia_setting root_alerts[] = {
    ICON_PAGE(IA_PAGE_NOTIFICATIONS, "Notifications", "notifications", IA_SYMBOL_BELL,
              IA_COLOR_RED, 0),
    ICON_PAGE(IA_PAGE_SOUNDS, "Sounds & Haptics", "sounds", IA_SYMBOL_SPEAKER, IA_COLOR_PINK,
              0),
    ICON_PAGE(IA_PAGE_FOCUS, "Focus", "focus", IA_SYMBOL_MOON, IA_COLOR_INDIGO, 0),
    ICON_PAGE(IA_PAGE_SCREEN_TIME, "Screen Time", "screentime", IA_SYMBOL_HOURGLASS,
              IA_COLOR_INDIGO, 0),
};
static const struct ia_setting root_privacy[] = {
    ICON_PAGE(IA_PAGE_PRIVACY, "Privacy & Security", "privacy", IA_SYMBOL_HAND, IA_COLOR_BLUE,
              0),
};
static const struct ia_setting root_apps[] = {
    ICON_PAGE(IA_PAGE_APPS, "Apps", "apps", IA_SYMBOL_PERSON, IA_COLOR_INDIGO, 0),
};
static const struct ia_setting_section root[] = {
    SECTION(NULL, NULL, root_account), SECTION(NULL, NULL, root_network),
    SECTION(NULL, NULL, root_general), SECTION(NULL, NULL, root_alerts),
    SECTION(NULL, NULL, root_privacy), SECTION(NULL, NULL, root_apps),
};

static const struct ia_setting wifi_switch[] = {SWITCH(IA_PREF_WIFI, "Wi-Fi")};
static const struct ia_setting wifi_networks[] = {OPTIONS(IA_CHOICE_NETWORK)};
static const struct ia_setting_section wifi[] = {
    SECTION(NULL, NULL, wifi_switch),
    SECTION_IF(IA_PREF_WIFI, "NETWORKS", "Known networks will be joined automatically.",
               wifi_networks),
};

static const struct ia_setting bluetooth_switch[] = {SWITCH(IA_PREF_BLUETOOTH, "Bluetooth")};
static const struct ia_setting bluetooth_devices[] = {
    INFO("Headphones", "headphones", IA_INFO_NOT_CONNECTED),
    INFO("Keyboard", "bluetooth-keyboard", IA_INFO_NOT_CONNECTED),
};
static const struct ia_setting_section bluetooth[] = {
    SECTION(NULL, NULL, bluetooth_switch),
    SECTION_IF(IA_PREF_BLUETOOTH, "MY DEVICES", NULL, bluetooth_devices),
};

static const struct ia_setting cellular_rows[] = {
    SWITCH(IA_PREF_CELLULAR_DATA, "Cellular Data"),
    SWITCH(IA_PREF_DATA_ROAMING, "Data Roaming"),
};
static const struct ia_setting_section cellular[] = {
    SECTION(NULL, "Turn off cellular data to restrict all data to Wi-Fi.", cellular_rows),
};

static const struct ia_setting notify_previews[] = {
    CHOICE(IA_CHOICE_PREVIEWS, "Show Previews")};
static const struct ia_setting notify_summary[] = {
    SWITCH(IA_PREF_NOTIFY_SUMMARY, "Scheduled Summary"),
};
static const struct ia_setting notify_apps[] = {
    PAGE(IA_PAGE_NOTIFY_CONTACTS, "Contacts", "notifications-contacts"),
};
static const struct ia_setting_section notifications[] = {
    SECTION(NULL, "Notification previews will be shown whether iPhone is locked or unlocked.",
            notify_previews),
    SECTION(NULL, NULL, notify_summary),
    SECTION("NOTIFICATION STYLE", NULL, notify_apps),
};
static const struct ia_setting notify_contacts_rows[] = {
    SWITCH(IA_PREF_NOTIFY_CONTACTS, "Allow Notifications"),
};
static const struct ia_setting_section notify_contacts[] = {
    SECTION(NULL, NULL, notify_contacts_rows),
};

static const struct ia_setting sounds_level[] = {LEVEL(IA_LEVEL_VOLUME)};
static const struct ia_setting sounds_rows[] = {
    SWITCH(IA_PREF_KEYBOARD_CLICKS, "Keyboard Clicks"),
    SWITCH(IA_PREF_LOCK_SOUND, "Lock Sound"),
};
static const struct ia_setting_section sounds[] = {
    SECTION("RINGTONE AND ALERTS", NULL, sounds_level),
    SECTION(NULL, NULL, sounds_rows),
};

static const struct ia_setting focus_rows[] = {
    SWITCH(IA_PREF_DO_NOT_DISTURB, "Do Not Disturb")};
static const struct ia_setting_section focus[] = {
    SECTION(NULL, "Focus lets you silence alerts and notifications.", focus_rows),
};

static const struct ia_setting screen_time_rows[] = {
    SWITCH(IA_PREF_SHARE_DEVICES, "Share Across Devices"),
};
static const struct ia_setting_section screen_time[] = {SECTION(NULL, NULL, screen_time_rows)};

static const struct ia_setting general_system[] = {
    PAGE(IA_PAGE_ABOUT, "About", "about"),
    PAGE(IA_PAGE_UPDATE, "Software Update", "software-update"),
};
static const struct ia_setting general_data[] = {
    SWITCH(IA_PREF_BACKGROUND, "Background App Refresh"),
};
static const struct ia_setting general_input[] = {
    PAGE(IA_PAGE_DATE, "Date & Time", "date-time"),
    PAGE(IA_PAGE_KEYBOARD, "Keyboard", "keyboard"),
};
static const struct ia_setting general_reset[] = {
    PAGE(IA_PAGE_RESET, "Transfer or Reset iPhone", "reset"),
};
static const struct ia_setting_section general[] = {
    SECTION(NULL, NULL, general_system),
    SECTION(NULL, NULL, general_data),
    SECTION(NULL, NULL, general_input),
    SECTION(NULL, NULL, general_reset),
};

static const struct ia_setting about_device[] = {
    PAGE_INFO(IA_PAGE_NAME, "Name", "device-name", IA_INFO_NAME),
    INFO("iOS Version", "os-version", IA_INFO_OS),
    INFO("Model Name", "model-name", IA_INFO_MODEL),
    INFO("Model Number", "model-number", IA_INFO_MODEL_NUMBER),
    INFO("Serial Number", "serial-number", IA_INFO_SERIAL),
};
static const struct ia_setting about_storage[] = {
    INFO("Capacity", "capacity", IA_INFO_CAPACITY),
    INFO("Available", "available", IA_INFO_AVAILABLE),
};
static const struct ia_setting about_network[] = {
    INFO("Wi-Fi Address", "wifi-address", IA_INFO_WIFI_ADDRESS),
};
static const struct ia_setting_section about[] = {
    SECTION(NULL, NULL, about_device),
    SECTION(NULL, NULL, about_storage),
    SECTION(NULL, NULL, about_network),
};

static const struct ia_setting update_rows[] = {
    SWITCH(IA_PREF_AUTO_UPDATE, "Automatic Updates"),
};
static const struct ia_setting update_state[] = {
    INFO("iOS is up to date", "up-to-date", IA_INFO_OS),
};
static const struct ia_setting_section update[] = {
    SECTION(NULL, NULL, update_rows),
    SECTION(NULL, NULL, update_state),
};

static const struct ia_setting date_rows[] = {
    SWITCH(IA_PREF_HOUR_24, "24-Hour Time"),
    INFO("Time Zone", "time-zone", IA_INFO_ZONE),
};
static const struct ia_setting_section date[] = {SECTION(NULL, NULL, date_rows)};

static const struct ia_setting keyboard_rows[] = {
    SWITCH(IA_PREF_AUTO_CAPS, "Auto-Capitalization"),
    SWITCH(IA_PREF_AUTO_CORRECT, "Auto-Correction"),
};
static const struct ia_setting_section keyboard[] = {
    SECTION("ALL KEYBOARDS", NULL, keyboard_rows),
};

static const struct ia_setting reset_rows[] = {
    {IA_SET_ALERT, IA_SETTINGS_ALERT_RESET, "Reset All Settings", "reset-all-settings", 0, 0, 0,
     NULL},
};
static const struct ia_setting_section reset[] = {
    SECTION(NULL, "Settings return to their defaults. Contacts are kept.", reset_rows),
};

static const struct ia_setting accessibility_vision[] = {
    SWITCH(IA_PREF_VOICEOVER, "VoiceOver"),
    SWITCH(IA_PREF_ZOOM, "Zoom"),
    SWITCH(IA_PREF_REDUCE_MOTION, "Reduce Motion"),
};
static const struct ia_setting_section accessibility[] = {
    SECTION("VISION", NULL, accessibility_vision),
};

static const struct ia_setting display_appearance[] = {
    SWITCH(IA_PREF_DARK_APPEARANCE, "Dark Appearance"),
};
static const struct ia_setting display_text[] = {SWITCH(IA_PREF_BOLD_TEXT, "Bold Text")};
static const struct ia_setting display_brightness[] = {
    LEVEL(IA_LEVEL_BRIGHTNESS),
    SWITCH(IA_PREF_TRUE_TONE, "True Tone"),
};
static const struct ia_setting display_lock[] = {CHOICE(IA_CHOICE_AUTO_LOCK, "Auto-Lock")};
static const struct ia_setting_section display[] = {
    SECTION("APPEARANCE", NULL, display_appearance),
    SECTION(NULL, NULL, display_text),
    SECTION("BRIGHTNESS",
            "Automatically adapt iPhone display based on ambient lighting conditions.",
            display_brightness),
    SECTION(NULL, NULL, display_lock),
};

static const struct ia_setting privacy_access[] = {
    PAGE(IA_PAGE_LOCATION, "Location Services", "location"),
    PAGE(IA_PAGE_TRACKING, "Tracking", "tracking"),
};
static const struct ia_setting privacy_analytics[] = {
    SWITCH(IA_PREF_ANALYTICS, "Share iPhone Analytics"),
};
static const struct ia_setting_section privacy[] = {
    SECTION(NULL, NULL, privacy_access),
    SECTION("ANALYTICS", NULL, privacy_analytics),
};
static const struct ia_setting location_rows[] = {
    SWITCH(IA_PREF_LOCATION, "Location Services"),
};
static const struct ia_setting_section location[] = {
    SECTION(NULL,
            "Location Services uses GPS, Bluetooth and Wi-Fi hotspots to find your place.",
            location_rows),
};
static const struct ia_setting tracking_rows[] = {
    SWITCH(IA_PREF_TRACKING, "Allow Apps to Request to Track"),
};
static const struct ia_setting_section tracking[] = {
    SECTION(NULL, "When this is off, all new requests to track are denied.", tracking_rows),
};

static const struct ia_setting battery_rows[] = {
    SWITCH(IA_PREF_BATTERY_PERCENT, "Battery Percentage"),
    SWITCH(IA_PREF_LOW_POWER, "Low Power Mode"),
};
static const struct ia_setting battery_level[] = {
    INFO("Battery Level", "battery-level", IA_INFO_BATTERY),
};
static const struct ia_setting_section battery[] = {
    SECTION(NULL, NULL, battery_rows),
    SECTION(NULL, NULL, battery_level),
};

static const struct ia_setting apps_rows[] = {
    PAGE(IA_PAGE_APP_CONTACTS, "Contacts", "app-contacts"),
};
static const struct ia_setting_section apps[] = {SECTION(NULL, NULL, apps_rows)};
static const struct ia_setting app_contacts_rows[] = {CHOICE(IA_CHOICE_SORT, "Sort Order")};
static const struct ia_setting_section app_contacts[] = {
    SECTION(NULL, NULL, app_contacts_rows)};

#define P(page, title, url, sections, parent)                                                  \
    [page] = {title, url, sections, IA_COUNTOF(sections), parent}

const struct ia_setting_page ia_setting_pages[IA_PAGE_COUNT] = {
    P(IA_PAGE_ROOT, "Settings", NULL, root, IA_PAGE_ROOT),
    P(IA_PAGE_WIFI, "Wi-Fi", "WIFI", wifi, IA_PAGE_ROOT),
    P(IA_PAGE_BLUETOOTH, "Bluetooth", "Bluetooth", bluetooth, IA_PAGE_ROOT),
    P(IA_PAGE_CELLULAR, "Cellular", "MOBILE_DATA_SETTINGS_ID", cellular, IA_PAGE_ROOT),
    P(IA_PAGE_NOTIFICATIONS, "Notifications", "NOTIFICATIONS_ID", notifications, IA_PAGE_ROOT),
    P(IA_PAGE_NOTIFY_CONTACTS, "Contacts", NULL, notify_contacts, IA_PAGE_NOTIFICATIONS),
    P(IA_PAGE_SOUNDS, "Sounds & Haptics", "Sounds", sounds, IA_PAGE_ROOT),
    P(IA_PAGE_FOCUS, "Focus", "DO_NOT_DISTURB", focus, IA_PAGE_ROOT),
    P(IA_PAGE_SCREEN_TIME, "Screen Time", "SCREEN_TIME", screen_time, IA_PAGE_ROOT),
    P(IA_PAGE_GENERAL, "General", "General", general, IA_PAGE_ROOT),
    P(IA_PAGE_ABOUT, "About", "About", about, IA_PAGE_GENERAL),
    [IA_PAGE_NAME] = {"Name", NULL, NULL, 0, IA_PAGE_ABOUT},
    P(IA_PAGE_UPDATE, "Software Update", "SOFTWARE_UPDATE_LINK", update, IA_PAGE_GENERAL),
    P(IA_PAGE_DATE, "Date & Time", "DATE_AND_TIME", date, IA_PAGE_GENERAL),
    P(IA_PAGE_KEYBOARD, "Keyboards", "Keyboard", keyboard, IA_PAGE_GENERAL),
    P(IA_PAGE_RESET, "Transfer or Reset", "Reset", reset, IA_PAGE_GENERAL),
    P(IA_PAGE_ACCESSIBILITY, "Accessibility", "ACCESSIBILITY", accessibility, IA_PAGE_ROOT),
    P(IA_PAGE_DISPLAY, "Display & Brightness", "DISPLAY", display, IA_PAGE_ROOT),
    P(IA_PAGE_PRIVACY, "Privacy & Security", "Privacy", privacy, IA_PAGE_ROOT),
    P(IA_PAGE_LOCATION, "Location Services", "LOCATION", location, IA_PAGE_PRIVACY),
    P(IA_PAGE_TRACKING, "Tracking", "USER_TRACKING", tracking, IA_PAGE_PRIVACY),
    P(IA_PAGE_BATTERY, "Battery", "BATTERY_USAGE", battery, IA_PAGE_ROOT),
    P(IA_PAGE_APPS, "Apps", "APPS", apps, IA_PAGE_ROOT),
    P(IA_PAGE_APP_CONTACTS, "Contacts", "CONTACTS", app_contacts, IA_PAGE_APPS),
};
