/* compat.h: which versions of Xcode, iOS, WebDriverAgent and Appium go together, as one table: doctor warns by
 * it, and the table of docs/compatibility.md is written from it.
 *
 * What is known by documentation alone says so: most of what concerns Apple's tools can be seen on a Mac
 * only. Versions are numbers with dots, compared number by number; a missing one counts as 0. Pure. */
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

/* The versions that there are here. Of a part there may be several. Zero it first. */
struct ia_compat {
    struct ia_compat_seen {
        enum ia_compat_part part;
        char version[IA_COMPAT_VERSION_SIZE];
    } seen[IA_COMPAT_SEEN_MAX];
    size_t count;
};

/* Takes the number with dots that the text begins with; nothing where there is none. */
void ia_compat_add(struct ia_compat *c, enum ia_compat_part part, const char *version);
/* Takes what a line on a device says: "WebDriverAgent 16.12.9, iOS 18.5, no session". */
void ia_compat_read(struct ia_compat *c, const char *line);

/* Below 0, 0 or above it, as a is older than b, the same or newer. */
int ia_compat_compare(const char *a, const char *b);

/* Appends what the table says of these versions: first what does not work, then what works within limits;
 * a sentence each, parted by "; ". Returns how many do not work. */
size_t ia_compat_check(const struct ia_compat *c, struct ia_buf *out);

/* The table as Markdown. */
void ia_compat_doc(struct ia_buf *out);

#endif
