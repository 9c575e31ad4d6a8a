/* compat.h: which versions of Xcode, iOS, WebDriverAgent and Appium work together, as one table. doctor takes its
 * warnings from it, and the table of docs/compatibility.md is written from it.
 *
 * A row says if it is known from documentation only, since most facts about Apple's tools can be checked only on a
 * Mac. Versions are numbers with dots, compared number by number; a missing one counts as 0. Pure. */
#ifndef IA_CLI_DOCTOR_COMPAT_H
#define IA_CLI_DOCTOR_COMPAT_H

#include "base/buf.h"

/* X(enum, name) */
#define IA_COMPAT_PART_LIST(X)                                                                 \
    X(IA_COMPAT_XCODE, "Xcode")                                                                \
    X(IA_COMPAT_SIMULATOR, "iOS simulator")                                                    \
    X(IA_COMPAT_IOS, "iOS")                                                                    \
    X(IA_COMPAT_WDA, "WebDriverAgent")                                                         \
    X(IA_COMPAT_DRIVER, "appium-xcuitest-driver")                                              \
    X(IA_COMPAT_APPIUM, "Appium")

enum ia_compat_part {
#define IA_COMPAT_ENUM(code, name) code,
    IA_COMPAT_PART_LIST(IA_COMPAT_ENUM)
#undef IA_COMPAT_ENUM
        IA_COMPAT_PARTS /* none */
};

enum { IA_COMPAT_VERSION_SIZE = 24, IA_COMPAT_SEEN_MAX = 32 };

/* The versions that were found on this machine; a part can have several. Zero it first. */
struct ia_compat {
    struct ia_compat_seen {
        enum ia_compat_part part;
        char version[IA_COMPAT_VERSION_SIZE];
    } seen[IA_COMPAT_SEEN_MAX];
    size_t count;
};

/* Adds the version that the text begins with, if any. */
void ia_compat_add(struct ia_compat *c, enum ia_compat_part part, const char *version);
/* Adds the versions in doctor's line about a device: "WebDriverAgent 16.12.9, iOS 18.5, no session". */
void ia_compat_read(struct ia_compat *c, const char *line);

/* Below 0, 0 or above 0 when a is older than b, the same or newer. */
int ia_compat_compare(const char *a, const char *b);

/* Appends what the table says about these versions: first what does not work, then what works within limits,
 * one sentence each, separated by "; ". Returns how many combinations do not work. */
size_t ia_compat_check(const struct ia_compat *c, struct ia_buf *out);

/* The table as Markdown. */
void ia_compat_doc(struct ia_buf *out);

#endif
