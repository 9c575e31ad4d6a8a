/* list.h: what `simctl list -j` prints, as rows, and how a simulator is found in them.
 *
 * Pure: no process, no clock. All strings belong to the list and die with it. */
#ifndef IA_DRIVER_SIMCTL_LIST_H
#define IA_DRIVER_SIMCTL_LIST_H

#include "base/base.h"
#include "base/err.h"

/* Caps on what is read; a list of a machine with every runtime has about 130 KB. */
#define IA_SIM_LIST_BYTES_MAX ((size_t)8 << 20)
enum {
    IA_SIM_LIST_ROWS_MAX = 4096, /* of devices, of runtimes, of device types each */
    IA_SIM_RUNTIME_SIZE = 48,
    IA_SIM_PLATFORM_SIZE = 16,
    IA_SIM_UDID_SIZE = 37,
    IA_SIM_CANDIDATES_MAX = 8
};

enum ia_sim_state {
    IA_SIM_SHUTDOWN,
    IA_SIM_BOOTING,
    IA_SIM_BOOTED,
    IA_SIM_SHUTTING_DOWN,
    IA_SIM_CREATING,
    IA_SIM_STATE_OTHER
};

struct ia_sim {
    char udid[IA_SIM_UDID_SIZE];         /* upper case */
    char runtime[IA_SIM_RUNTIME_SIZE];   /* "iOS 26.2" */
    char platform[IA_SIM_PLATFORM_SIZE]; /* "iOS", "tvOS", "watchOS", "visionOS" */
    const char *name;                    /* "iPhone 17" */
    const char *runtime_id; /* the key in the list, short or long, as it stands there */
    const char *type_id;    /* "com.apple.CoreSimulator.SimDeviceType.iPhone-17"; may be "" */
    const char *state_text; /* as listed: "Booted" */
    const char *problem;    /* why it is not available; "" */
    const char *booted_at;  /* when it was booted last, "2026-11-20T08:11:00Z"; "" */
    uint32_t version;       /* of the runtime: major << 16 | minor << 8 | patch */
    enum ia_sim_state state;
    bool available;
};

struct ia_sim_runtime {
    char platform[IA_SIM_PLATFORM_SIZE];
    const char *id;    /* "com.apple.CoreSimulator.SimRuntime.iOS-26-2" */
    const char *name;  /* "iOS 26.2" */
    const char *build; /* "23C54"; may be "" */
    uint32_t version;
    bool available;
};

struct ia_sim_type {
    const char *id;     /* "com.apple.CoreSimulator.SimDeviceType.iPhone-17" */
    const char *name;   /* "iPhone 17" */
    const char *family; /* "iPhone"; may be "" */
    uint32_t min_version, max_version;
};

struct ia_sim_list {
    struct ia_sim *sims; /* iOS first, newest runtime first, then as listed */
    size_t count;
    struct ia_sim_runtime *runtimes; /* in the same order */
    size_t runtime_count;
    struct ia_sim_type *types; /* as listed */
    size_t type_count;
    void *memory; /* where the strings live */
};

/* Parses what `simctl list -j` or `simctl list devices -j` printed. Shapes:
 *   {"devices":{RUNTIME:[{"udid","name","state","isAvailable":bool|"YES","availability":
 *    "(available)","availabilityError","deviceTypeIdentifier","lastBootedAt"}]},
 *    "runtimes":[{"identifier","name","version","platform","buildversion","isAvailable"}],
 *    "devicetypes":[{"identifier","name","productFamily","minRuntimeVersion",…}],"pairs":…}
 * RUNTIME is "iOS 12.1" or "com.apple.CoreSimulator.SimRuntime.iOS-12-1". Only "devices" must
 * be there; unknown keys, lines before the object (Xcode's first launch writes some) and rows
 * without a UDID or a name are passed over. IA_E_PARSE, IA_E_LIMIT. Free with ia_sim_list_free.
 * Source: lists of Xcode 10 to 16 (tests/data/simctl). */
enum ia_rc ia_sim_list_parse(struct ia_str text, struct ia_sim_list **ret, struct ia_err *err);
void ia_sim_list_free(struct ia_sim_list *l);

/* The simulator with that UDID (any case), or NULL. */
const struct ia_sim *ia_sim_by_udid(const struct ia_sim_list *l, const char *udid);
/* The newest iOS runtime that is available, or NULL. */
const struct ia_sim_runtime *ia_sim_newest_runtime(const struct ia_sim_list *l);
/* What a person means by a device type ("iPhone 17", an identifier, the beginning of one name).
 * IA_E_NOT_FOUND, IA_E_AMBIGUOUS; the hint names candidates. Borrowed from the list. */
enum ia_rc ia_sim_type_find(const struct ia_sim_list *l, const char *text,
                            const struct ia_sim_type **ret, struct ia_err *err);
/* And by a runtime for it ("iOS 26.2", "26.2", "26", an identifier); of several, and where text is
 * NULL, the newest that is available and runs on the type. IA_E_MISSING, IA_E_UNSUPPORTED; the
 * hint has those that there are. */
enum ia_rc ia_sim_runtime_find(const struct ia_sim_list *l, const char *text,
                               const struct ia_sim_type *type,
                               const struct ia_sim_runtime **ret, struct ia_err *err);
/* Whether text has the form of a simulator's UDID. */
bool ia_sim_is_udid(const char *text);

/* A runtime's image on disk. */
struct ia_sim_image {
    char platform[IA_SIM_PLATFORM_SIZE];
    const char *id;         /* for `simctl runtime delete` */
    const char *runtime_id; /* "com.apple.CoreSimulator.SimRuntime.iOS-26-2" */
    const char *version, *build;
    const char *kind;  /* "Disk Image", "Bundled with Xcode" … */
    const char *state; /* "Ready"; anything else cannot be used (now) */
    int64_t size_bytes;
};
struct ia_sim_images {
    struct ia_sim_image *images; /* iOS first, newest first */
    size_t count;
    void *memory;
};

/* Parses what `simctl runtime list -j` (Xcode 14) printed: {ID:{"identifier","build","version",
 * "kind","state","runtimeIdentifier","sizeBytes"},…}. Errors as for ia_sim_list_parse. */
enum ia_rc ia_sim_images_parse(struct ia_str text, struct ia_sim_images **ret,
                               struct ia_err *err);
void ia_sim_images_free(struct ia_sim_images *i);

/* How a person names a simulator. */
struct ia_sim_query {
    const char *name;    /* NULL, "" or "booted": the one that is booted */
    const char *runtime; /* "iOS 26.2", "26.2", "26", an identifier; NULL: any */
};

struct ia_sim_found {
    const struct ia_sim *sim;                               /* on success */
    const struct ia_sim *candidates[IA_SIM_CANDIDATES_MAX]; /* when it is ambiguous */
    size_t candidate_count; /* how many there are; may be more than are in the array */
};

/* Finds the simulator that is meant.
 *
 * The name is a UDID, a name, or "NAME, RUNTIME". Names are compared without regard to ASCII
 * case; a complete name comes before the beginning of one. Of several that match, the one that is
 * booted wins when exactly one is; else it is IA_E_AMBIGUOUS, ret->candidates has them and the
 * message shows name, runtime, state and UDID of each. IA_E_NO_DEVICE when none matches (the
 * hint has the nearest name), when what matches is not available, or when nothing is booted and
 * no name is given. ret->sim borrows from the list. */
enum ia_rc ia_sim_resolve(const struct ia_sim_list *l, const struct ia_sim_query *query,
                          struct ia_sim_found *ret, struct ia_err *err);

#endif
