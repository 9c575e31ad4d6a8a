/* knobs.h: what a phone's name on the command line, or a link of the scheme embedded:, asks of
 * it:
 *
 *     embedded:NAME?bugs=shop-total,reminders-ghost&faults=popup@5,slow-tree:300&seed=7&ids=sdk
 *     embedded://?bugs=shop-total
 *     embedded://?seed=7
 *     embedded:alice?link=bob
 *
 * A fault is FAULT[@N | @N+ | %P][:VALUE]: at the Nth operation, at every Nth, or before each
 * with P percent chance (by the seed). Operations and reads are counted from when the phone was
 * opened, or from the link. A seed without faults is the phone's: other numbers, and some people more. A name's is
 * that of a new phone, a link's until the next reset, as if the phone came from the factory with it. ids=sdk gives
 * views without an identifier one as the SDK would (driver/app_sdk.h); ids=bare takes away those that the apps
 * give. tree=off withholds the accessibility of apps: of an app in front the tree has its root alone, with its
 * frame; the home screen and what the system asks stay. All three last while the phone is open.
 * link=bob exchanges messages with the phone bob of the same folder (driver/embedded/phone/link.h), until link=none. */
#ifndef IA_DRIVER_EMBEDDED_FAULT_KNOBS_H
#define IA_DRIVER_EMBEDDED_FAULT_KNOBS_H

#include "driver/embedded/fault/changes.h"
#include "driver/embedded/fault/peers.h"

/* X(name, word, what happens, whether N counts reads instead of operations, VALUE's default) */
#define IA_FAULT_LIST(X)                                                                       \
    X(IA_FAULT_SLOW_TREE, "slow-tree", "reading the screen takes VALUE ms; N counts reads",    \
      true, 500)                                                                               \
    X(IA_FAULT_STALE_REF, "stale-ref",                                                         \
      "what was on the screen before operation N has moved at the next read", false, 0)        \
    X(IA_FAULT_LATE_SHIFT, "late-shift",                                                       \
      "the layout moves between the last read and operation N", false, 0)                      \
    X(IA_FAULT_SILENT_TYPING, "silent-typing",                                                 \
      "the first text typed at or after operation N is dropped", false, 0)                     \
    X(IA_FAULT_POPUP, "popup", "a system alert appears before operation N", false, 0)          \
    X(IA_FAULT_CRASH, "crash", "the app in front exits before operation N", false, 0)          \
    X(IA_FAULT_LOST, "lost",                                                                   \
      "the connection is lost before operation N, for VALUE calls (0: for good)", false, 0)    \
    X(IA_FAULT_UNANSWERED, "unanswered",                                                       \
      "operation N is done, but the connection is lost before its answer", false, 0)

enum ia_fault_kind {
#define IA_FAULT_ENUM(name, word, what, reads, value) name,
    IA_FAULT_LIST(IA_FAULT_ENUM)
#undef IA_FAULT_ENUM
        IA_FAULT_COUNT
};

struct ia_fault {
    uint8_t kind; /* enum ia_fault_kind */
    bool every;
    uint8_t percent; /* 0: by count */
    int32_t at;      /* 0: always */
    int32_t value;
};

enum { IA_FAULTS_MAX = 8, IA_FAULT_AT_MAX = 1000000, IA_FAULT_VALUE_MAX = 600000 };

/* Which identifiers apps show. */
enum { IA_IDS_SDK = 1 << 0, IA_IDS_BARE = 1 << 1 };

struct ia_knobs {
    bool has_bugs, has_changes, has_faults, has_link;
    uint32_t bugs;
    struct ia_str changes; /* borrowed from the query (driver/embedded/fault/changes.h) */
    struct ia_peers link;
    uint8_t ids;   /* IA_IDS_* */
    bool no_tree;  /* tree=off */
    uint64_t seed; /* 0: not given */
    int fault_count;
    struct ia_fault faults[IA_FAULTS_MAX];
};

/* Reads the part after "?"; "" is valid and empty. IA_E_USAGE names the invalid part. */
enum ia_rc ia_knobs_parse(struct ia_str query, struct ia_knobs *ret, struct ia_err *err);
/* True for a link that goes to the phone itself; *ret_query is the part after "?". */
bool ia_knobs_url(struct ia_str url, struct ia_str *ret_query);
const char *ia_fault_word(enum ia_fault_kind kind);
const char *ia_fault_what(enum ia_fault_kind kind);

#endif
