/* build.h: which build of the program this is, so that a client and a daemon find out that they are
 * not the same, and which of them is newer.
 *
 * "0.2.0-69211f3a-4d5e60": the version, and when the program's file was written (seconds) and how long
 * it is, hexadecimal. A younger copy of the same program counts as newer, which is all that is asked of
 * the order: of two builds always the same one yields. */
#ifndef IA_CLIENT_BUILD_H
#define IA_CLIENT_BUILD_H

#include "base/base.h"

enum { IA_BUILD_SIZE = 64 };

/* That of this program, as it was when this was first called. */
const char *ia_build_id(void);
/* The version alone. */
const char *ia_build_version(void);
/* Below 0: a is older than b, 0: the same build, above 0: newer. What is no build id is the oldest. */
int ia_build_compare(const char *a, const char *b);

/* The version of the control API that this build speaks ("/v1/..."). */
int ia_build_api(void);

#endif
