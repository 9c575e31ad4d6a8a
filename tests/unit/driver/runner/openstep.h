/* openstep.h: the old ASCII form of property lists, which Xcode's project files have: what the
 * runner's project writer wrote is read back with it.
 *
 * libplist reads it from version 2.3 on; Debian 12 has 2.2. Source of the form: Apple,
 * "Property List Programming Guide", Old-Style ASCII Property Lists; escapes \U and the data
 * form {length = 4, bytes = 0x…} as NSDictionary's -description writes them. */
#ifndef IA_TESTS_OPENSTEP_H
#define IA_TESTS_OPENSTEP_H

#include "base/base.h"
#include "base/err.h"

#include <jansson.h>

#define IA_OPENSTEP_BYTES_MAX ((size_t)16 << 20)
enum { IA_OPENSTEP_DEPTH_MAX = 32, IA_OPENSTEP_ITEMS_MAX = 200000 };

/* Parses one value: { k = v; } an object, ( a, b ) an array, everything else a string (data
 * <0fbd> too, as it stands). Of equal keys the last one stays. Comments are passed over; commas
 * between pairs and a missing last semicolon are accepted. Free with json_decref. IA_E_PARSE
 * names the line; IA_E_LIMIT beyond the caps. */
enum ia_rc ia_openstep_parse(struct ia_str text, json_t **ret, struct ia_err *err);

#endif
