/* know.c: two tables, see know.h. */
#include "mock/brain/know.h"

#include "mock/brain/words.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { NAME_BYTES = 64 };

static const struct ia_known_app apps[] = {
    {"Settings", "com.apple.Preferences", "preferences|system settings", "Settings"},
    {"Contacts", "com.apple.MobileAddressBook",
     "address book|phone book|phonebook|contact list", "Contacts"},
    {"Reminders", "com.apple.reminders", "to-do list|todo list|to-dos", "Lists"},
    {"Shop", "com.example.shop", "store|shopping app", "Shop|Log In"},
    {"Bank", "com.example.bank", "banking app|bank app", "Accounts|Log In"},
    {"Sketch", "com.example.sketch", "drawing app", NULL},
    {"Safari", "com.apple.mobilesafari", "browser", NULL},
    {"Photos", "com.apple.mobileslideshow", "", NULL},
    {"Calendar", "com.apple.mobilecal", "", NULL},
    {"Maps", "com.apple.Maps", "", NULL},
    {"Messages", "com.apple.MobileSMS", "sms|text messages", "Messages"},
    {"Notes", "com.apple.mobilenotes", "", NULL},
    {"Mail", "com.apple.mobilemail", "", NULL},
    {"Clock", "com.apple.mobiletimer", "", NULL},
    {"Files", "com.apple.DocumentsApp", "", NULL},
    {"Health", "com.apple.Health", "", NULL},
    {"Camera", "com.apple.camera", "", NULL},
};

static const struct ia_known_setting settings[] = {
    {"Airplane Mode", "airplane|aeroplane mode|flight mode", NULL},
    {"Wi-Fi", "wifi|wlan|wireless|wireless network", NULL},
    {"Bluetooth", "blue tooth", NULL},
    {"Cellular Data", "mobile data|cell data", NULL},
    {"Data Roaming", "roaming", NULL},
    {"Low Power Mode", "low power|power saving|power saving mode|battery saver", NULL},
    {"Battery Percentage", "battery percent", NULL},
    {"Battery Level", "battery charge|charge level|charge", NULL},
    {"Show Previews", "notification previews|previews", NULL},
    {"Scheduled Summary", "notification summary", NULL},
    {"Ringtone and Alerts Volume",
     "volume|sound volume|ringer volume|ringtone volume|ringer|loudness", "Sounds & Haptics"},
    {"Keyboard Clicks", "key clicks|keyboard sounds|keyboard sound", NULL},
    {"Lock Sound", "locking sound", NULL},
    {"Do Not Disturb", "dnd", NULL},
    {"Share Across Devices", "sharing across devices", NULL},
    {"Background App Refresh", "background refresh", NULL},
    {"Automatic Updates", "automatic update|auto update|auto updates", NULL},
    {"iOS Version", "version|os version|software version|version of ios", NULL},
    {"Model Name", "model", NULL},
    {"Model Number", "", NULL},
    {"Serial Number", "serial", NULL},
    {"Capacity", "storage|storage capacity|total storage", NULL},
    {"Available", "free storage|available storage|free space|storage left", NULL},
    {"Wi-Fi Address", "mac address", NULL},
    {"24-Hour Time", "24 hour clock|24h clock|24h time|24 hour format|military time", NULL},
    {"Time Zone", "timezone", NULL},
    {"Auto-Capitalization", "autocapitalization|automatic capitalization|auto caps", NULL},
    {"Auto-Correction", "autocorrection|autocorrect|auto correct|automatic correction", NULL},
    {"VoiceOver", "voice over|screen reader", NULL},
    {"Zoom", "", NULL},
    {"Reduce Motion", "reduced motion", NULL},
    {"Dark Appearance", "dark mode|dark theme|night mode", NULL},
    {"Bold Text", "bold font|bold letters", NULL},
    {"Brightness", "screen brightness|display brightness|brightness of the screen",
     "Display & Brightness"},
    {"True Tone", "truetone", NULL},
    {"Auto-Lock", "autolock|automatic lock|screen timeout|screen lock", NULL},
    {"Location Services", "location|location service|gps", NULL},
    {"Allow Apps to Request to Track", "app tracking|tracking requests", NULL},
    {"Share iPhone Analytics", "analytics|iphone analytics|share analytics", NULL},
    {"Sort Order", "contact sort order|contacts sort order|sort order of contacts", NULL},
    /* Pages. */
    {"General", "", NULL},
    {"About", "", NULL},
    {"Accessibility", "", NULL},
    {"Display & Brightness", "display|display and brightness", NULL},
    {"Notifications", "notification", NULL},
    {"Sounds & Haptics", "sound|sounds|sounds and haptics", NULL},
    {"Focus", "", NULL},
    {"Screen Time", "", NULL},
    {"Privacy & Security", "privacy|privacy and security", NULL},
    {"Keyboard", "keyboards", NULL},
    {"Cellular", "", NULL},
    {"Battery", "", NULL},
    {"Date & Time", "date and time", NULL},
    {"Software Update", "software updates", NULL},
    {"Tracking", "", NULL},
};

bool ia_known_in(const char *list, struct ia_str s)
{
    char one[NAME_BYTES];
    struct ia_str rest = s, first;
    int letter = ia_word_next(&rest, &first) ? tolower((unsigned char)*first.p) : 0;
    while (list && *list) {
        size_t n = strcspn(list, "|");
        if (tolower((unsigned char)*list) != letter) {
            list += n + (list[n] == '|');
            continue;
        }
        (void)snprintf(one, sizeof(one), "%.*s", (int)n, list);
        if (ia_text_same(s, one)) {
            return true;
        }
        list += n + (list[n] == '|');
    }
    return false;
}

const struct ia_known_app *ia_known_app(struct ia_str name)
{
    for (size_t i = 0; i < IA_COUNTOF(apps); i++) {
        if (ia_known_in(apps[i].name, name) || ia_known_in(apps[i].also, name)) {
            return &apps[i];
        }
    }
    return NULL;
}

const struct ia_known_app *ia_known_bundle(const char *bundle)
{
    for (size_t i = 0; i < IA_COUNTOF(apps); i++) {
        if (strcmp(apps[i].bundle, bundle) == 0) {
            return &apps[i];
        }
    }
    return NULL;
}

const struct ia_known_setting *ia_known_setting(struct ia_str name)
{
    for (size_t i = 0; i < IA_COUNTOF(settings); i++) {
        if (ia_known_in(settings[i].label, name) || ia_known_in(settings[i].also, name)) {
            return &settings[i];
        }
    }
    return NULL;
}
