/* verb_options.h: options that verbs share with commands about simulators. */
#ifndef IA_SERVER_VERBS_VERB_OPTIONS_H
#define IA_SERVER_VERBS_VERB_OPTIONS_H

#include "opt/opt.h"

/* The options that say which simulator is meant. */
#define IA_SIM_OPTS                                                                            \
    IA_OPTION(TEXT, "sim", "NAME",                                                             \
              "simulator: name, \"name, runtime\" or UDID (default: the booted one)",          \
              .local = true),                                                                  \
        IA_OPTION(TEXT, "runtime", "RUNTIME",                                                  \
                  "which one of that name: \"iOS 26.2\", 26.2 or 26", .local = true)

#endif
