/* settings.h: the Settings app. Its pages are data (pages.c); this is their form. */
#ifndef IA_DRIVER_EMBEDDED_APPS_SETTINGS_SETTINGS_H
#define IA_DRIVER_EMBEDDED_APPS_SETTINGS_SETTINGS_H

#include "driver/embedded/ui/kit.h"

extern const struct ia_app ia_app_settings;

enum { IA_SETTINGS_FIELD_SEARCH, IA_SETTINGS_FIELD_NAME };

enum ia_settings_page {
    IA_PAGE_ROOT,
    IA_PAGE_WIFI,
    IA_PAGE_BLUETOOTH,
    IA_PAGE_CELLULAR,
    IA_PAGE_NOTIFICATIONS,
    IA_PAGE_NOTIFY_CONTACTS,
    IA_PAGE_SOUNDS,
    IA_PAGE_FOCUS,
    IA_PAGE_SCREEN_TIME,
    IA_PAGE_GENERAL,
    IA_PAGE_ABOUT,
    IA_PAGE_NAME,
    IA_PAGE_UPDATE,
    IA_PAGE_DATE,
    IA_PAGE_KEYBOARD,
    IA_PAGE_RESET,
    IA_PAGE_ACCESSIBILITY,
    IA_PAGE_DISPLAY,
    IA_PAGE_PRIVACY,
    IA_PAGE_LOCATION,
    IA_PAGE_TRACKING,
    IA_PAGE_BATTERY,
    IA_PAGE_APPS,
    IA_PAGE_APP_CONTACTS,
    IA_PAGE_COUNT
};

enum ia_setting_kind {
    IA_SET_PAGE,    /* target: enum ia_settings_page */
    IA_SET_SWITCH,  /* target: enum ia_switch */
    IA_SET_CHOICE,  /* target: enum ia_choice; leads to its options */
    IA_SET_OPTIONS, /* target: enum ia_choice; its options, in place */
    IA_SET_LEVEL,   /* target: enum ia_level */
    IA_SET_INFO,    /* target: enum ia_info */
    IA_SET_ALERT    /* target: index of an alert */
};

/* Texts on the right of a row that are not settings. */
enum ia_info {
    IA_INFO_NONE,
    IA_INFO_OS,
    IA_INFO_MODEL,
    IA_INFO_MODEL_NUMBER,
    IA_INFO_SERIAL,
    IA_INFO_CAPACITY,
    IA_INFO_AVAILABLE,
    IA_INFO_WIFI_ADDRESS,
    IA_INFO_NAME,
    IA_INFO_BATTERY,
    IA_INFO_ZONE,
    IA_INFO_WIFI, /* the network, or "Off" */
    IA_INFO_BLUETOOTH,
    IA_INFO_NOT_CONNECTED
};

enum { IA_SETTINGS_ALERT_ACCOUNT, IA_SETTINGS_ALERT_RESET };

struct ia_setting {
    uint8_t kind, target;
    const char *label, *ident;
    uint8_t symbol, tile; /* enum ia_symbol, enum ia_color */
    uint8_t info;         /* enum ia_info: the detail of a page row */
    const char *subtitle;
};

struct ia_setting_section {
    const char *header, *footer;
    const struct ia_setting *rows;
    uint8_t count;
    uint8_t needs; /* 1 + enum ia_switch: shown only while that switch is on; 0: always */
};

struct ia_setting_page {
    const char *title;
    const char *url; /* the name in prefs:root=NAME or prefs:root=A&path=NAME, or NULL */
    const struct ia_setting_section *sections;
    uint8_t count;
    uint8_t parent; /* enum ia_settings_page: where a link enters from */
};

extern const struct ia_setting_page ia_setting_pages[IA_PAGE_COUNT];

#endif
