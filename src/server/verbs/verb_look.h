/* verb_look.h: a snapshot as the verb prints it, for whoever has one from elsewhere. */
#ifndef IA_SERVER_VERBS_VERB_LOOK_H
#define IA_SERVER_VERBS_VERB_LOOK_H

#include "server/verbs/verbs.h"

/* Writes the snapshot in the forms that the options of `snapshot` ask for. png is its picture, or
 * empty. */
enum ia_rc ia_verb_put_snapshot(const struct ia_args *a, const struct ia_snapshot *s,
                                struct ia_str png, struct ia_verb_result *ret,
                                struct ia_err *err);
/* IA_E_USAGE for options of it that exclude each other. */
enum ia_rc ia_verb_check_snapshot(const struct ia_args *a, struct ia_err *err);

#endif
