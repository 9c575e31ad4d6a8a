#include "cli/options/options.h"
#include "cli/sys/sim.h"

const struct ia_opt ia_bridge_build_opts[] = {
    {.name = "force", .kind = IA_OPT_FLAG, .help = "build again what is built"},
    IA_OPTS_END,
};

const struct ia_opt ia_bridge_start_opts[] = {
    IA_SIM_OPTS,
    {.name = "timeout",
     .kind = IA_OPT_INT,
     .value = "S",
     .help = "seconds it may take; the start goes on all the same",
     .min = 1,
     .max = 3600},
    IA_OPTS_END,
};

const struct ia_opt ia_bridge_stop_opts[] = {
    IA_SIM_OPTS,
    {.name = "all", .kind = IA_OPT_FLAG, .help = "every runner that was started"},
    IA_OPTS_END,
};

const struct ia_opt ia_bridge_status_opts[] = {IA_SIM_OPTS, IA_OPTS_END};

const struct ia_opt ia_bridge_logs_opts[] = {
    IA_SIM_OPTS,
    {.name = "lines",
     .kind = IA_OPT_INT,
     .value = "N",
     .help = "the last N (default 40); 0: all that is kept",
     .max = 100000},
    IA_OPTS_END,
};

const char ia_bridge_build_details[] = "Compiles the bridge with this Xcode, into the data "
                                       "folder. Nothing happens when it is there\n"
                                       "for these sources, this Xcode and this machine.\n";

const char ia_bridge_start_details[] =
    "Builds the runner when needed, installs it on the simulator and waits until it answers; "
    "a\n"
    "runner that lives already is used. Cold starts take up to two minutes.\n";
