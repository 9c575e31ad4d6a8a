/* treefile.h: accessibility trees that other tools printed, read from files. */
#ifndef IA_CLI_SYS_TREEFILE_H
#define IA_CLI_SYS_TREEFILE_H

#include "cli/opt/opt.h"
#include "driver/adapt/adapt.h"

#define IA_TREEFILE_SOURCES "axe|wda-xml|wda-json|bridge"

/* What --source names. IA_E_USAGE when it is missing. */
enum ia_rc ia_treefile_source(const struct ia_args *a, enum ia_source *ret, struct ia_err *err);
/* Reads path ("-": standard input); the caller frees the tree. Errors name the path. */
enum ia_rc ia_treefile_read(const char *path, enum ia_source source, struct ia_tree **ret,
                            struct ia_err *err);

#endif
