/* bridge_options.c: the options and help of `bridge ...`. */
#include "cli/options/options.h"
#include "cli/sys/sim.h"

const struct ia_opt ia_bridge_build_opts[] = {
    IA_FLAG("force", "build it again even if it is built"),
    IA_OPTION(CHOICE, "recipe", "A|B",
              "A: clang and Xcode's XCTRunner; B: xcodebuild (default: A, or B where A fails)"),
    IA_OPTS_END,
};

const struct ia_opt ia_bridge_start_opts[] = {
    IA_SIM_OPTS,
    IA_OPTION(INT, "timeout", "S", "seconds to wait; the start continues anyway", .min = 1,
              .max = 3600),
    IA_OPTS_END,
};

const struct ia_opt ia_bridge_stop_opts[] = {
    IA_SIM_OPTS,
    IA_FLAG("all", "all runners"),
    IA_OPTS_END,
};

const struct ia_opt ia_bridge_status_opts[] = {IA_SIM_OPTS, IA_OPTS_END};

const struct ia_opt ia_bridge_logs_opts[] = {
    IA_SIM_OPTS,
    IA_OPTION(INT, "lines", "N", "the last N lines (default 40); 0: all", .max = 100000),
    IA_OPTS_END,
};

const char ia_bridge_build_details[] =
    "Compiles the bridge with this Xcode, into the data folder. Does nothing if it is already "
    "built\n"
    "from these sources, with this Xcode, for this machine.\n";

const char ia_bridge_start_details[] =
    "Builds the runner if needed, installs it on the simulator and waits until it answers. A "
    "runner\n"
    "that is already running is reused. Cold starts take up to two minutes.\n";
