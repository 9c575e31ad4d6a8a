/* sim_options.c: the options and help of the commands for simulators and their apps. */
#include "cli/options/options.h"
#include "cli/sys/sim.h"

#define PHONE_OPT                                                                              \
    IA_OPTION(TEXT, "device", "NAME", "use a simulated phone instead: embedded, embedded:NAME")

const struct ia_opt ia_devices_opts[] = {
    IA_FLAG("all", "include unavailable simulators and other platforms"),
    IA_OPTS_END,
};

const struct ia_opt ia_boot_opts[] = {
    IA_SIM_OPTS,
    IA_OPTION(INT, "timeout", "S", "seconds to wait (default 300)", .min = 1, .max = 3600),
    IA_OPTS_END,
};

const struct ia_opt ia_sim_opts[] = {IA_SIM_OPTS, IA_OPTS_END};

const struct ia_opt ia_install_opts[] = {
    IA_SIM_OPTS,
    IA_OPTION(TEXT, "device", "NAME", "refused: the apps of a simulated phone are built in"),
    IA_OPTS_END,
};

const struct ia_opt ia_reset_sim_opts[] = {
    IA_SIM_OPTS,
    IA_FLAG("boot", "boot it afterwards even if it was not running"),
    PHONE_OPT,
    IA_OPTS_END,
};

#define RUNTIME_OPT(says) IA_OPTION(TEXT, "runtime", "RUNTIME", (says))

const struct ia_opt ia_sim_create_opts[] = {
    IA_OPTION(TEXT, "name", "NAME", "what it is called (default: as its type)"),
    RUNTIME_OPT("\"iOS 26.2\", 26.2, or 26 for the newest of those (default: the newest)"),
    IA_FLAG("boot", "boot it, and wait until it is ready"),
    IA_OPTS_END,
};

const struct ia_opt ia_sim_clone_opts[] = {
    RUNTIME_OPT("which one of that name: \"iOS 26.2\", 26.2 or 26"),
    IA_OPTS_END,
};

const char ia_sim_create_details[] =
    "TYPE is the name of a device type as Xcode has it (xcrun simctl list devicetypes), or "
    "the\n"
    "beginning of just one. Prints the new simulator's UDID.\n";

const char ia_sim_delete_details[] =
    "SIM is a whole name, \"name, runtime\" or a UDID. It cannot be brought back.\n";

const char ia_devices_details[] =
    "Xcode's simulators (--sim NAME), booted ones first, newest iOS first; then the phones "
    "simulated\n"
    "by this program (--device NAME), which need neither a Mac nor Xcode.\n";

const char ia_boot_details[] = "SIM is a name, \"name, runtime\" or a UDID. Returns when apps "
                               "can be launched. It is no error if\n"
                               "the simulator is already booted.\n";

const char ia_reset_sim_details[] = "Shuts it down, erases contents and settings, and boots it "
                                    "again if it was running. All its apps\n"
                                    "and data are lost, so SIM must be given, and in full.\n";

const char ia_launch_details[] =
    "Arguments for the app come after --: ios-agent launch com.example.shop -- -debug YES\n"
    "An app that exits at once is a failure.\n";
