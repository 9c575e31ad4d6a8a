/* pattern.h: regular expressions of users, by glib (PCRE). A pattern can be made so that a match takes
 * for ever; each match gives up early, and then so does the whole search (effort.h). */
#ifndef IA_SERVER_WDA_SELECT_PATTERN_H
#define IA_SERVER_WDA_SELECT_PATTERN_H

#include "server/wda/select/effort.h"

struct ia_wda_pattern;

enum {
    IA_WDA_PATTERN_WHOLE = 1 << 0,  /* matches the whole text only */
    IA_WDA_PATTERN_NO_CASE = 1 << 1 /* regardless of case */
};

/* Compiles valid UTF-8 without NUL. IA_E_PARSE with what is wrong with it; IA_E_MISSING without glib. Free
 * with _free. */
enum ia_rc ia_wda_pattern_new(struct ia_str text, unsigned flags, struct ia_wda_pattern **ret,
                              struct ia_err *err);
void ia_wda_pattern_free(struct ia_wda_pattern *p);

/* Part of a text, by bytes. */
struct ia_wda_span {
    size_t from, to;
};
enum { IA_WDA_GROUPS_MAX = 10 }; /* the match, and groups 1 to 9 */

/* The first match at or after `from`, in valid UTF-8; groups that took no part are empty. False when
 * there is none, or the effort is spent. Any thread, also at once. */
bool ia_wda_pattern_find(const struct ia_wda_pattern *p, struct ia_str text, size_t from,
                         struct ia_wda_effort *effort,
                         struct ia_wda_span ret[IA_WDA_GROUPS_MAX]);

#endif
