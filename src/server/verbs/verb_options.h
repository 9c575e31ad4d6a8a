/* verb_options.h: options that verbs share with commands about simulators. */
#ifndef IA_SERVER_VERBS_VERB_OPTIONS_H
#define IA_SERVER_VERBS_VERB_OPTIONS_H

#include "opt/opt.h"

/* The options that say which simulator is meant. */
#define IA_SIM_OPTS                                                                            \
    {.name = "sim",                                                                            \
     .kind = IA_OPT_TEXT,                                                                      \
     .value = "NAME",                                                                          \
     .help = "simulator: name, \"name, runtime\" or UDID (default: the booted one)",           \
     .local = true},                                                                           \
    {                                                                                          \
        .name = "runtime", .kind = IA_OPT_TEXT, .value = "RUNTIME",                            \
        .help = "which one of that name: \"iOS 26.2\", 26.2 or 26", .local = true              \
    }

#endif
