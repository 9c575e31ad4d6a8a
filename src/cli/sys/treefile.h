/* treefile.h: accessibility trees that other tools printed, read from files. */
#ifndef IA_CLI_SYS_TREEFILE_H
#define IA_CLI_SYS_TREEFILE_H

#include "driver/adapt/adapt.h"
#include "opt/opt.h"

/* Reads path ("-": standard input), which --source describes; the caller frees the tree. Errors
 * name the path. IA_E_USAGE without --source. */
enum ia_rc ia_treefile_read(const struct ia_args *a, const char *path, struct ia_tree **ret,
                            struct ia_err *err);

#endif
