/* runner.h: the XCTest runner of a simulator: built once, started, found again, stopped.
 *
 *   sources in this program ──► build ──► <home>/bridge/builds/KEY/BridgeTests-Runner.app
 *                                                  │ start: install, launch, wait for hello
 *                                                  ▼
 *   <home>/bridge/runners/UDID.json   who it is, where it listens, the token (mode 0600)
 *   <home>/bridge/runners/UDID.log    what it wrote
 *
 * KEY is a hash of the sources, Xcode's version and the architecture: a runner holds Apple's
 * frameworks of the Xcode that built it. The sources are a part of this program (one file to
 * install, and never another version than the client's), and are written out for the compiler.
 *
 * A runner is this one's only when it answers hello on loopback with the token of the state
 * file, names the simulator's UDID and, behind its version, the KEY of its build. What dead
 * processes left behind is known by their start times, never by a pid alone. Any process and thread
 * may call; those for one simulator, and builds, wait for each other by file locks. A call that
 * is NULL has no limits of its own.
 *
 * Source of the recipes and argv: bridge-xcuitest/package/README.md. */
#ifndef IA_DRIVER_RUNNER_RUNNER_H
#define IA_DRIVER_RUNNER_RUNNER_H

#include "base/defaults.h"
#include "base/embed.h"
#include "base/process.h"
#include "driver/device.h"
#include "driver/native.h"

#define IA_RUNNER_BUNDLE_ID IA_NATIVE_APP /* the phone knows it by the same name */

enum {
    IA_RUNNER_KEY_SIZE = 17,
    IA_RUNNER_UDID_SIZE = 64,
    IA_RUNNER_TOKEN_SIZE = 65,
    IA_RUNNER_PATH_SIZE = 1024,
    IA_RUNNER_NOTE_SIZE = 512,
    IA_RUNNER_READY_MS = IA_DEFAULT_RUNNER_START_S *
                         1000, /* cold starts of 101 to 131 s were measured on busy machines;
                                    for each of the two ways to start */
    IA_RUNNER_BUILD_MS = 600000,
    IA_RUNNER_STOP_MS = 4000,
    IA_RUNNER_LOG_LINES = 40,
    IA_RUNNERS_MAX = 64,
    IA_RUNNER_PORT_FIRST = 18100, /* below those that systems hand out by themselves */
    IA_RUNNER_PORT_COUNT = 2048
};

struct ia_runner_opts {
    const char *home;                  /* the data folder */
    const struct ia_embedded *sources; /* NULL: those in this program */
    bool skip_quiescence;              /* XCTest's wait for idle apps is switched off */
    const char *recipe;                /* to build by, "A" or "B"; NULL: A, else B */
    int64_t ready_ms;                  /* 0: IA_RUNNER_READY_MS */
    int64_t stop_ms;                   /* 0: IA_RUNNER_STOP_MS; for each step of stopping */
};

/* ---- building ---------------------------------------------------------------------------- */

struct ia_runner_build {
    char key[IA_RUNNER_KEY_SIZE];
    char recipe[2]; /* "A": clang and XCTRunner.app; "B": xcodebuild and the project */
    char xcode[96]; /* "26.2 (17C52)" */
    char arch[16];
    char folder[IA_RUNNER_PATH_SIZE];
    char app[IA_RUNNER_PATH_SIZE];
    char xctestrun[IA_RUNNER_PATH_SIZE];
    char note[IA_RUNNER_NOTE_SIZE]; /* why it is not recipe A; "" */
    bool fresh;                     /* made by this call */
};

/* The build for these sources and this Xcode, made unless it is there. force makes it again, and so
 * does an opts->recipe that made it not. Recipe A; when that fails for another reason than time,
 * cancel or a missing Xcode, recipe B, and note says why. IA_E_MISSING at once without Xcode. A build that is killed leaves nothing
 * that counts as one. */
enum ia_rc ia_runner_build(const struct ia_runner_opts *opts,
                           const struct ia_deadline *deadline, bool force,
                           struct ia_runner_build *ret, struct ia_err *err);
/* The same without building: IA_E_NOT_FOUND when it is not there. Takes next to no time. */
enum ia_rc ia_runner_built(const struct ia_runner_opts *opts,
                           const struct ia_deadline *deadline, struct ia_runner_build *ret,
                           struct ia_err *err);

/* ---- running ----------------------------------------------------------------------------- */

enum ia_runner_way { IA_RUNNER_BY_SIMCTL, IA_RUNNER_BY_XCODEBUILD };
enum ia_runner_phase { IA_RUNNER_STARTING, IA_RUNNER_READY };

/* What the state file holds. */
struct ia_runner {
    char udid[IA_RUNNER_UDID_SIZE];
    char name[IA_DEVICE_NAME_MAX]; /* of the simulator, "iPhone 17" */
    char os[IA_DEVICE_NAME_MAX];   /* "iOS 26.2" */
    char key[IA_RUNNER_KEY_SIZE];  /* of its build */
    enum ia_runner_way way;
    enum ia_runner_phase phase;
    uint16_t port;
    char token[IA_RUNNER_TOKEN_SIZE];      /* a secret: in the state file and the child's
                                              environment only */
    int64_t pid;                           /* of the runner, or of xcodebuild */
    char pid_token[IA_PROCESS_TOKEN_SIZE]; /* process.h */
    int64_t started_ms;                    /* wall clock */
    bool skip_quiescence;                  /* as in its options */
    char note[IA_RUNNER_NOTE_SIZE];        /* why it was not started the first way; "" */
    bool adopted;                          /* it was there already; not in the file */
};

/* Which simulator; as simctl lists it. */
struct ia_runner_sim {
    const char *udid, *name, *os;
};

/* A runner for the simulator that answers: the one that is running, if it is of this build and was
 * started with these options; else a new one, built first when needed. A start that an earlier
 * call began is waited for. With IA_E_TIMEOUT the start goes on and the next call finds it. err
 * has the runner's last lines. */
enum ia_rc ia_runner_start(const struct ia_runner_opts *opts,
                           const struct ia_deadline *deadline, const struct ia_runner_sim *sim,
                           struct ia_runner *ret, struct ia_err *err);
/* Asks it to end on the wire, then simctl terminate, SIGTERM, SIGKILL, each only when the one
 * before did not do. *ret_was: there was one. IA_OK when none is left. */
enum ia_rc ia_runner_stop(const struct ia_runner_opts *opts, const struct ia_deadline *deadline,
                          const char *udid, bool *ret_was, struct ia_err *err);

enum ia_runner_health {
    IA_RUNNER_NONE,   /* no state file */
    IA_RUNNER_DEAD,   /* its process is gone: the state is stale */
    IA_RUNNER_SILENT, /* its process lives and does not answer (it may still be starting) */
    IA_RUNNER_WRONG,  /* what answers at its port is not it; note says what */
    IA_RUNNER_OLD,    /* it answers and is of another build */
    IA_RUNNER_LIVE
};
struct ia_runner_status {
    struct ia_runner runner;
    enum ia_runner_health health;
    char note[IA_RUNNER_NOTE_SIZE]; /* what was seen, when not LIVE */
    char last[IA_RUNNER_NOTE_SIZE]; /* the last line that it wrote */
};
/* "live", "stale" … for output. */
const char *ia_runner_health_name(enum ia_runner_health h);
const char *ia_runner_way_name(enum ia_runner_way way);
/* Reads the state file and asks the port; changes nothing. IA_OK also when there is none. */
enum ia_rc ia_runner_get_status(const struct ia_runner_opts *opts,
                                const struct ia_deadline *deadline, const char *udid,
                                struct ia_runner_status *ret, struct ia_err *err);
/* The UDIDs that have a state file, sorted, into an array of IA_RUNNERS_MAX. Returns how many. */
size_t ia_runner_list(const struct ia_runner_opts *opts,
                      char (*ret_udids)[IA_RUNNER_UDID_SIZE]);
/* The last lines of the log, appended to ret. IA_E_NOT_FOUND when it never ran. */
enum ia_rc ia_runner_log(const struct ia_runner_opts *opts, const char *udid, size_t lines,
                         struct ia_buf *ret, struct ia_err *err);
/* The port that a simulator's runner gets unless it is taken: the same each time. */
uint16_t ia_runner_port_of(const char *udid);

#endif
