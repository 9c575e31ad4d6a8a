/* device_registry.h: from the name of a device to the device.
 *
 *   NAME = SCHEME [":" REST] ["?" QUERY]
 *
 *   embedded                   the simulated phone "default"
 *   embedded:qa?bugs=all       another one, with settings (driver/embedded/fault/knobs.h)
 *   bridge:UDID                the XCTest runner of that simulator, started when it is opened
 *   bridge:00008110-000A1B2C…  the runner on an iPhone that is plugged in; the form of the UDID tells
 *   iphone:00008110-000A1B2C…  WebDriverAgent on it
 *   bridge:127.0.0.1:8100      whatever serves the bridge's wire there
 *   bridge:…?token-file=FILE   the same, with its token in a file
 *   wda:http://127.0.0.1:8100  WebDriverAgent (kind_wda.c has the settings)
 *   appium:http://…?caps=FILE  a phone behind an Appium server
 *
 * Each of these kinds is one row of a table, and nothing outside this folder asks which it is.
 *
 * To add a kind: write kind_<name>.c with a struct ia_device_kind, declare it in kinds.h, and add
 * it to the table in device_registry.c. Where two kinds share a scheme, the one whose `match` is
 * narrower comes first. Opening, error messages, lanes, the queue, `devices` and doctor follow from
 * the row. The help of --device and the documentation do not: CONTRIBUTING.md lists the places.
 *
 * NAME's part between the colon and "?" has at most IA_DEVICE_NAME_MAX - 1 bytes. */
#ifndef IA_DRIVER_REGISTRY_DEVICE_REGISTRY_H
#define IA_DRIVER_REGISTRY_DEVICE_REGISTRY_H

#include "base/paths.h"
#include "driver/device.h"
#include "driver/embedded/embedded.h"

struct ia_device_kind;

/* What the environment of whoever asks says: IOS_AGENT_DEVICE_TOKEN, and the path of IOS_AGENT_APPIUM_CAPS. Where
 * that is another process this one's environment is not meant. NULL: not said. */
struct ia_device_env {
    const char *token, *caps;
};

/* A device that was named and is not open. Free with ia_device_spec_fini. */
struct ia_device_spec {
    const struct ia_device_kind *kind; /* NULL: nothing was found */
    char name[IA_DEVICE_NAME_MAX];     /* "default", "127.0.0.1:8100", a UDID in capitals */
    char *query;                       /* what stands behind "?", or NULL */
    char *token, *caps;                /* struct ia_device_env's; NULL: this process's */
    const struct ia_paths *paths;      /* borrowed */
};

typedef void ia_device_list_fn(void *ctx, const char *name);

/* A kind of device. Functions get a spec of their own kind. */
struct ia_device_kind {
    const char *scheme;
    const char *help; /* a form of its name, and what it is for: "bridge:UDID for …" */
    const char *default_name; /* the device that the scheme alone means; NULL: none */
    bool simulated;           /* in this process: info.simulated of every one is true */
    /* Its names say what to connect to, which file to read or what to run, or are a device of the user's
     * own. Then only the user may write one: a project's file and a goal file may not. */
    bool reaches_out;
    /* Whether a name of this scheme is of this kind; NULL: every one is. */
    bool (*match)(const char *name, const char *query);
    /* Checks spec->name and spec->query, and may write the name as it is written everywhere
     * else. Touches no file and no network. IA_E_USAGE says what is wrong; `given` is the whole
     * name, for the message. */
    enum ia_rc (*parse)(struct ia_device_spec *spec, const char *given, struct ia_err *err);
    /* Appends its lane; NULL: the scheme and the name. Of one lane are all names of one device. */
    void (*lane)(const struct ia_device_spec *spec, struct ia_buf *out);
    /* Opens the device; fresh forgets everything that was done to it. deadline is never NULL, here
     * and in describe: the functions below put one in its place. */
    enum ia_rc (*open)(const struct ia_device_spec *spec, const struct ia_deadline *deadline,
                       bool fresh, struct ia_device **ret, struct ia_err *err);
    /* Says in one line what would be opened, for doctor. May read files and connect to what runs
     * already (that of an address opens the device, asks what it is and closes it), but starts
     * and changes nothing. */
    enum ia_rc (*describe)(const struct ia_device_spec *spec,
                           const struct ia_deadline *deadline, struct ia_buf *out,
                           struct ia_err *err);
    /* Names the devices of this kind that are known here, for `devices`. NULL: none are. */
    void (*list)(const struct ia_paths *paths, ia_device_list_fn *fn, void *ctx);
};

/* Finds the kind of a name and checks the rest of it. paths must outlive *ret. Touches no file
 * and no network. IA_E_NO_DEVICE when no kind has such a name, with those that there are, and for
 * a name that is too long; IA_E_USAGE for a bad name, query or address. */
enum ia_rc ia_device_spec_find(const char *name, const struct ia_paths *paths,
                               struct ia_device_spec *ret, struct ia_err *err);
void ia_device_spec_fini(struct ia_device_spec *spec);

/* Has the spec opened with what is said there; the texts are copied, for a kind that reaches out. NULL: nothing. */
void ia_device_spec_lend(struct ia_device_spec *spec, const struct ia_device_env *env);
/* Whether a device that was opened by `open` may be used for `asked`: a name of the same lane with the same
 * settings, whose environment says nothing or the same. */
bool ia_device_spec_serves(const struct ia_device_spec *open,
                           const struct ia_device_spec *asked);

/* Appends the name with the files in its settings made absolute: their paths are meant from that folder. NULL:
 * appends it as it is. */
void ia_device_name_absolute(const char *name, const char *folder, struct ia_buf *out);

/* That a name in a file which is not the user's own may be followed: a project's configuration, a
 * goal file. IA_E_CONFIG for one of a kind that reaches out; also one that such a kind would refuse
 * to parse. Any other name is ia_device_spec_find's to judge. */
enum ia_rc ia_device_name_check_foreign(const char *name, struct ia_err *err);

/* Appends the lane, "SCHEME:NAME": the name without its query, written in one way only. "wda:localhost:8100" is
 * on the lane "wda:http://127.0.0.1:8100". */
void ia_device_spec_lane(const struct ia_device_spec *spec, struct ia_buf *out);
/* The same for a name alone: "embedded" is on the lane "embedded:default". A name that no kind
 * has is its own lane, without what stands behind "?". */
void ia_device_lane(const char *name, struct ia_buf *out);
/* Whether that lane is of a kind that is simulated in this process. */
bool ia_device_lane_simulated(const char *lane);

/* Opens the device. deadline bounds it and its token ends it; NULL: neither does. Where a runner
 * has to be built and started first that takes minutes. Close with ia_device_close. IA_E_BUSY
 * when another process drives it. */
enum ia_rc ia_device_spec_open(const struct ia_device_spec *spec,
                               const struct ia_deadline *deadline, bool fresh,
                               struct ia_device **ret, struct ia_err *err);
/* One line on what the device is, for doctor; starts and changes nothing. */
enum ia_rc ia_device_spec_describe(const struct ia_device_spec *spec,
                                   const struct ia_deadline *deadline, struct ia_buf *out,
                                   struct ia_err *err);
/* Calls fn with the name of every device that is known without looking for it. */
void ia_device_list(const struct ia_paths *paths, ia_device_list_fn *fn, void *ctx);

/* ---- the simulated phones, for what only they can do ------------------------------------- */

/* The scheme of the phones that this program simulates. */
#define IA_DEVICE_EMBEDDED "embedded"

/* What opens that phone, for its oracle and its server: all of it is borrowed from the spec but
 * folder, which is in *ret_folder, for the caller to free. IA_E_USAGE for another kind. */
enum ia_rc ia_device_spec_embedded(const struct ia_device_spec *spec,
                                   struct ia_embedded_options *ret, char **ret_folder,
                                   struct ia_err *err);

#endif
