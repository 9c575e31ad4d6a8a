/* system.h: what the system of a phone can be told beside touches: its status bar, permissions,
 * location, notifications. The forms that all devices share, and what none of them takes.
 *
 * Checks touch nothing; IA_E_USAGE (IA_E_UNSUPPORTED for an unknown service) with outcome
 * not_sent. Source of the words and limits: `xcrun simctl help` of Xcode 15 to 26. */
#ifndef IA_DRIVER_SYSTEM_H
#define IA_DRIVER_SYSTEM_H

#include "base/err.h"
#include "base/jsonw.h"

/* What the status bar shows; NULL and -1 leave things alone. */
struct ia_status_bar {
    const char *time;         /* "9:41" */
    const char *data_network; /* hide, wifi, 3g, 4g, lte, lte-a, lte+, 5g, 5g+, 5g-uwb, 5g-uc */
    const char *wifi_mode;    /* searching, failed, active */
    const char *cellular_mode; /* notSupported, searching, failed, active */
    const char *operator_name; /* "" for none */
    const char *battery_state; /* charging, charged, discharging */
    int wifi_bars;             /* 0 to 3 */
    int cellular_bars;         /* 0 to 4 */
    int battery_level;         /* 0 to 100 */
};
#define IA_STATUS_BAR                                                                          \
    ((struct ia_status_bar){.wifi_bars = -1, .cellular_bars = -1, .battery_level = -1})

/* The members in the order of the struct, for code that treats them alike. */
struct ia_status_bar_field {
    const char *key;          /* "battery_level" */
    size_t at;                /* offset of a const char *, or of an int where max is not 0 */
    int max;                  /* of a number */
    const char *const *words; /* the texts that it may be, ended by NULL; NULL: any */
};
enum { IA_STATUS_BAR_FIELDS = 9 };
extern const struct ia_status_bar_field ia_status_bar_fields[IA_STATUS_BAR_FIELDS];
const char **ia_status_bar_text(struct ia_status_bar *bar, const struct ia_status_bar_field *f);
int *ia_status_bar_number(struct ia_status_bar *bar, const struct ia_status_bar_field *f);

/* Also refuses one that overrides nothing. */
enum ia_rc ia_status_bar_check(const struct ia_status_bar *bar, struct ia_err *err);
/* {"time":"9:41","battery_level":80}: what it overrides. */
void ia_status_bar_json(const struct ia_status_bar *bar, struct ia_jsonw *w);
/* Reads that; the texts are borrowed from the object. false: something else is in it. */
struct json_t;
bool ia_status_bar_read(const struct json_t *object, struct ia_status_bar *ret);

enum ia_privacy { IA_PRIVACY_GRANT, IA_PRIVACY_REVOKE, IA_PRIVACY_RESET };
/* The services, "all" first; NULL after the last. */
const char *ia_privacy_service(int i);
/* Its number there; -1: there is none. */
int ia_privacy_service_find(struct ia_str service);
/* bundle_id may be NULL for a reset: that of every app. */
enum ia_rc ia_privacy_check(enum ia_privacy set, const char *service, const char *bundle_id,
                            struct ia_err *err);

/* Degrees, within ±90 and ±180. */
struct ia_location {
    double latitude, longitude;
};
enum ia_rc ia_location_check(const struct ia_location *at, struct ia_err *err);

/* A notification's payload: a JSON object with an object "aps", at most this long. */
enum { IA_PUSH_BYTES_MAX = 4096 };
enum ia_rc ia_push_check(struct ia_str payload, struct ia_err *err);
/* The app that a payload names ("Simulator Target Bundle") into ret, "" when it names none. */
enum { IA_PUSH_APP_SIZE = 256 };
void ia_push_app(struct ia_str payload, char ret[IA_PUSH_APP_SIZE]);

/* A film of the screen. */
struct ia_recording {
    char format[8]; /* "mp4", "apng" */
    int64_t bytes;
    int64_t duration_ms; /* of what it shows */
    int frames;          /* different pictures; 0: not known */
    bool cut;            /* it ends before the recording did: a cap was reached */
};

#endif
